"""Unequal sites on *Compare*: sizes, sensitivities, noise and errors by brute force, and G(n) and H(n) of `core.cape`."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from compared import AveragePage, ClustersPage, NetworkPage, PcaPage, RegressionPage, record
from laws import assert_normal
from sheets import GainPage
from small_pages import SMALL

from core import Privacy, cape, pca, release, sweep
from core.network import gradient
from core.schemes import average_std, promise, repeated
from core.schemes.repeated import Repeated
from dashboard.compare.imbalance import against_imbalance, gains
from dashboard.compare.view import noise_panel, seen
from dashboard.problems.average import noise_std
from dashboard.problems.site_sizes import divided, largest_imbalance, largest_ratio, sizes
from dashboard.state.controls import Controls
from dashboard.state.number_text import number_text
from data.catalogue import labelled, tables

PAGES = {
    "average": AveragePage,
    "pca": PcaPage,
    "components": ClustersPage,
    "regression": RegressionPage,
    "network": NetworkPage,
}
SETTINGS = SMALL | {
    "average": {"sites": 5, "samples": 100},
    "components": SMALL["components"] | {"sites": 3},
    "network": SMALL["network"] | {"sites": 4},
    "regression": SMALL["regression"] | {"sites": 4},
}
SCHEMES = ("pooled", "cape", "conventional", "local", "graph")


def plan_of(name, **values):
    """The plan of an algorithm at small settings, of sites of which the largest is six times the smallest."""
    page = PAGES[name](Controls())
    page.set(SETTINGS[name] | {"imbalance": 6.0, "schemes": list(SCHEMES)} | values)
    return page.compute()


@pytest.mark.parametrize("imbalance", [1.5, 6.0, 90.0, 1e5])
@pytest.mark.parametrize(("samples", "sites", "least"), [(44, 40, 1), (1000, 10, 1), (30, 3, 5), (10, 2, 10)])
def test_sizes_are_those_of_gain_as_whole_numbers_that_sum_to_all_records(samples, sites, least, imbalance):
    found = np.array(divided(samples, sites, imbalance, least=least)["sizes"])
    end = largest_imbalance(samples * sites, sites, least)
    ideal = sizes(samples * sites, sites, min(imbalance, end), "geometric")[::-1]
    assert found.sum() == samples * sites and len(found) == sites
    assert np.abs(found - ideal).max() <= 1 and found.min() >= least
    assert list(found) == sorted(found, reverse=True)
    if end > 1:  # Beyond this end the smallest site would hold less.
        assert sizes(samples * sites, sites, 1.02 * end, "geometric").min() < least
        assert largest_ratio(samples * sites / least, sites, "geometric") / 1.011 < end


def test_equal_sites_have_no_sizes():
    assert divided(44, 40, 1.0) == {}
    for name in PAGES:
        plan = plan_of(name, imbalance=1.0)
        assert "sizes" not in plan.here and "sizes" not in plan.problem.data_settings


@pytest.mark.parametrize("name", PAGES)
def test_gain_and_excess_are_those_of_core_and_stand_in_the_panel_and_the_chart(name):
    one_batch = {"batches": 1} if name == "network" else {}
    plan, spec = plan_of(name, schemes=["pooled", "cape", "conventional"], **one_batch), record(PAGES[name])
    here = plan.here
    assert max(here["sizes"]) / min(here["sizes"]) == pytest.approx(6.0, rel=0.15)
    gain, excess = gains(here)
    assert (gain, excess) == (cape.gain(here["sizes"]), cape.excess(here["sizes"]))
    assert gain > here["sites"] and excess == pytest.approx(gain / here["sites"])
    observed = seen(spec, plan)
    panel = noise_panel(spec, plan, observed)
    text = re.sub(r"<[^>]+>", " ", panel)
    assert f"G(n) = {number_text(gain)} = {number_text(math.sqrt(gain))}²" in text
    assert f"H(n) = {number_text(excess)}" in text and "class='against'" in panel
    # At weights n_s/N the bars have the ratio S, as for equal sites.
    ratio = observed["conventional"].std / observed["cape"].std
    assert ratio**2 == pytest.approx(here["sites"], rel=1e-9)


def test_the_small_chart_marks_the_setting_and_ends_where_the_smallest_site_needs_its_records():
    here = {"sites": 4, "samples": 100, "sizes": divided(100, 4, 9.0)["sizes"]}
    drawn = against_imbalance(here, 9.0)
    gain, excess = gains(here)
    assert (
        f"G(n)\u00a0=\u00a0{gain:.3g} and H(n)\u00a0=\u00a0{excess:.3g}" in drawn
        and drawn.count("<circle") == 2
    )
    assert "class='rule'" in drawn
    assert against_imbalance({"sites": 4, "samples": 10}, 1.0, least=10) == ""
    moved = against_imbalance(here | {"sizes": divided(100, 4, 30.0)["sizes"]}, 30.0)
    across = [float(re.search(r"circle cx='([\d.]+)%", text)[1]) for text in (drawn, moved)]
    assert 0 < across[0] < across[1] < 100


# Sensitivity.


def changes(name, plan, place, rng):
    """How far replaced records move the statistic of a site, in l2 norm, one number each; two extreme records among them."""
    settings = plan.here
    if name == "average":
        return [1 / settings["sizes"][place]]  # A record from 0 to 1.
    if name == "components":
        sites, *_ = plan.problem.load(settings)
        d, n = settings["dimension"], settings["sizes"][place]
        from core.moments import gaussian_mixture

        records = rng.standard_normal((n, d))
        records /= np.maximum(1, np.linalg.norm(records, axis=1))[:, None]
        return _replaced(records, np.eye(d)[:2], lambda x: gaussian_mixture(x, 0.01).second(), rng)
    load = {"pca": tables.load, "regression": labelled.load, "network": labelled.load_classes}[name]
    sites, _ = load(settings)
    if name == "pca":
        return _replaced(sites[place], np.eye(sites[place].shape[1])[:2], lambda x: x.T @ x / len(x), rng)
    x, y = sites[place]
    if name == "regression":
        d = x.shape[1]
        ends = np.c_[np.eye(d)[:2], [1.0, -1.0]]
        return _replaced(np.c_[x, y], ends, lambda r: _polynomial(r[:, :-1], r[:, -1]), rng)
    network = plan.problem.begin(x.shape[1])

    def mean(r):
        return gradient(network, r[:, :-1], r[:, -1], clip=1.0).mean

    far = np.c_[1e3 * np.ones((2, x.shape[1])), [0.0, 1.0]]
    return _replaced(np.c_[x, y], far, mean, rng)


def _polynomial(x, y):
    """Λ1 and Λ2 of the squared error in units of their sensitivities, [Cape] appendix H."""
    first, second = -2 * x.T @ y / len(x) / 4, x.T @ x / len(x) / math.sqrt(2)
    return np.r_[first, second.ravel()]


def _replaced(records, extremes, statistic, rng):
    found, records = [], np.array(records)
    for place in rng.choice(len(records), size=min(5, len(records)), replace=False):
        pair = []
        for one in extremes:
            changed = records.copy()
            changed[place] = one
            pair.append(np.asarray(statistic(changed)))
        plain = np.asarray(statistic(records))
        found += [np.linalg.norm(pair[0] - pair[1]), *(np.linalg.norm(one - plain) for one in pair)]
    return found


CONSTANTS = {
    "average": 1.0,
    "pca": math.sqrt(2),
    "components": math.sqrt(2),
    "regression": 1.25,
    "network": 2.0,
}


@pytest.mark.parametrize("name", PAGES)
def test_a_record_of_any_site_moves_its_statistic_by_its_sensitivity_and_all_averages_alike(name):
    plan, rng = plan_of(name, batches=1) if name == "network" else plan_of(name), np.random.default_rng(5)
    each = np.array(plan.here["sizes"])
    moved = []
    for place in (0, len(each) - 1):  # The largest site and the smallest.
        most = max(changes(name, plan, place, rng))
        bound = CONSTANTS[name] / each[place]
        assert 0.6 * bound < most <= bound * (1 + 1e-9)
        moved.append(most * each[place] / each.sum())
    assert moved[0] == pytest.approx(moved[1], rel=0.2)  # w_s Δ_s is the same.


# Noise.


@pytest.fixture
def released(monkeypatch):
    """Every release that `core` makes, with the sites that it was planned for, and what it misses their average by."""
    log, plain = [], Repeated.of

    def of(self, statistics, rng):
        found, sites = plain(self, statistics, rng), self.request.everyone
        log.append((sites, found, found.value - np.tensordot(sites.weights, np.stack([*statistics]), axes=1)))
        return found

    monkeypatch.setattr(Repeated, "of", of)
    return log


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("adversary", ["message", "aggregator"])
def test_noise_and_what_is_learnt_are_those_of_a_release_by_hand(name, adversary, released):
    one_batch = {"batches": 1} if name == "network" else {}
    plan = plan_of(name, adversary=adversary, epsilon=2.0, **one_batch)
    each, here = np.array(plan.here["sizes"], dtype=float), plan.here
    observed, target = seen(record(PAGES[name]), plan), Privacy(2.0, here["delta"])
    for scheme in [s for s in SCHEMES if s in observed]:
        data = None if name == "average" else sweep.statistics(plan.problem, here)
        released.clear()
        plan.problem.estimate(
            data, scheme, target, np.random.default_rng(1), here
        ) if name != "average" else _average(plan, scheme)
        sites, first, _ = released[0]
        np.testing.assert_allclose(sites.weights, each / each.sum(), rtol=1e-9)
        np.testing.assert_allclose(sites.sensitivities * each, sites.sensitivities[0] * each[0], rtol=1e-9)
        exact = average_std(scheme, sites.exact, sites.weights, **_terms(here))
        assert float(np.max(first.std)) == pytest.approx(exact, rel=1e-9)
        # What the panel says is in the unit of an entry; ratios of schemes need no unit.
        ratio = observed[scheme].std / observed["pooled"].std
        pooled = average_std("pooled", sites.exact, sites.weights, **_terms(here))
        assert ratio == pytest.approx(exact / pooled, rel=1e-9)
        if name in ("average", "pca", "regression"):  # One release is all.
            assert observed[scheme].message == pytest.approx(first.mu_message, rel=1e-6)
            assert observed[scheme].aggregator == pytest.approx(first.mu_aggregator, rel=1e-6)
            assert observed[scheme].public == pytest.approx(first.mu_public, rel=1e-6)


def _terms(here):
    return {name: here[name] for name in ("against",) if name in here}


def _average(plan, scheme):
    from dashboard.algorithms.average.model import spot

    return spot(plan.job_here(scheme))


@pytest.mark.parametrize("weights", ["records", "equal"])
@pytest.mark.parametrize("scheme", ["pooled", "cape", "conventional", "graph"])
def test_errors_of_the_average_have_the_noise_that_is_stated(weights, scheme):
    errors = []
    for seed in range(1, 31):  # 3,000 releases; false-alarm rate 1e-4 each.
        plan = plan_of("average", weights=weights, noise_seed=seed, schemes=[scheme])
        found = _average(plan, scheme)
        errors.append(found.errors)
    assert_normal(np.concatenate(errors), noise_std(scheme, plan.here))


@pytest.mark.parametrize("scheme", ["cape", "conventional"])
def test_errors_of_a_second_moment_have_the_noise_that_is_stated(scheme):
    plan = plan_of("pca", data="low_rank", k=1)  # 3,200 numbers of noise.
    data, here, found = sweep.statistics(plan.problem, plan.here), plan.here, []
    weights = data.samples / data.samples.sum()
    plain = np.tensordot(weights, data.second, axes=1)
    for seed in range(16):
        made = pca.fit(
            data.held, 1, samples=data.samples, weights=weights, scheme=scheme,
            privacy=Privacy(here["epsilon"], here["delta"]), rng=np.random.default_rng(seed),
        )  # fmt: skip
        found.append(np.diag(made.release.value - plain))
        np.testing.assert_array_equal(data.samples, here["sizes"])
    assert_normal(np.concatenate(found), seen(record(PcaPage), plan)[scheme].std)


@pytest.mark.parametrize("name", ["components", "regression", "network"])
@pytest.mark.parametrize("scheme", ["pooled", "cape", "conventional", "graph"])
def test_errors_of_what_an_algorithm_releases_have_the_noise_that_is_stated(name, scheme, released):
    plan = plan_of(name, epsilon=2.0, **({"batches": 1} if name == "network" else {}))
    data, here, found = sweep.statistics(plan.problem, plan.here), plan.here, []
    rng, target = np.random.default_rng(7), Privacy(2.0, plan.here["delta"])
    while sum(map(len, found)) < 3000:  # Numbers of noise; false-alarm rate 1e-4 each.
        released.clear()
        plan.problem.estimate(data, scheme, target, rng, here)
        # Of the two stages of clusters the first; outside its diagonal a matrix that is made symmetric has less noise.
        steps = released if name == "network" else released[:1]
        found += [np.diag(away) if away.ndim == 2 else away for _, _, away in steps]
    assert_normal(np.concatenate(found), seen(record(PAGES[name]), plan)[scheme].std)


# Weights.


def test_with_equal_weights_the_bars_have_the_ratio_that_gain_states():
    plan = plan_of("average", weights="equal")
    each, observed = np.array(plan.here["sizes"]), seen(record(AveragePage), plan)
    whole = record(AveragePage).law.curator(plan)
    assert whole.name == "pooled, all records"
    assert (observed["conventional"].std / whole.std) ** 2 == pytest.approx(cape.gain(each), rel=1e-9)
    one = release(
        np.zeros(2), 1 / each.sum(), Privacy(plan.here["epsilon"], plan.here["delta"]), scheme="pooled",
        rng=np.random.default_rng(0), weights=[0.5, 0.5],
    )  # fmt: skip
    assert whole.std == pytest.approx(2 * float(one.std), rel=1e-9)
    # The smallest site's target in CAPE's average asks for more than the published noise.
    assert (observed["cape"].std / whole.std) ** 2 > 1.2 * cape.excess(each)
    assert record(AveragePage).law.curator(plan_of("average")) is None


@pytest.mark.parametrize(
    "settings", [{}, {"adversary": "aggregator"}, {"adversary": "aggregator", "dropouts": 1}]
)
def test_with_equal_weights_guarantee_and_ledger_are_those_of_core(settings):
    plan = plan_of("average", weights="equal", **settings)
    change, target = 1 / np.array(plan.here["sizes"]), Privacy(plan.here["epsilon"], plan.here["delta"])
    terms = {name: plan.here[name] for name in ("against", "dropouts") if name in plan.here}
    for scheme in SCHEMES:
        told = promise(change, target, sites=len(change), scheme=scheme, **terms)
        found = seen(record(AveragePage), plan)[scheme]
        assert (found.public, found.message, found.aggregator) == pytest.approx(
            (told.public, told.message, told.aggregator)
        )
        spent = record(AveragePage).law.of_run(plan, plan.job_here(scheme))
        assert spent.public <= told.public * (1 + 1e-9)
        made = repeated(change, target, sites=len(change), scheme=scheme, **terms)
        if "dropouts" not in terms:
            one = made.release(np.zeros(len(change)), rng=np.random.default_rng(0))
            assert (spent.public, spent.aggregator) == pytest.approx((one.mu_public, one.mu_aggregator))


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("axis", ["epsilon", "samples", "sites"])
def test_a_curve_along_sizes_keeps_the_imbalance_as_far_as_records_go(name, axis):
    page = PAGES[name](Controls())
    if axis not in page.model.axes:
        pytest.skip("no such curve")
    page.set(
        SETTINGS[name] | {"imbalance": 6.0, "axis": axis}
        if len(page.model.axes) > 1
        else SETTINGS[name] | {"imbalance": 6.0}
    )
    for cell in page.compute().cells:
        assert len(cell["sizes"]) == cell["sites"]
        assert sum(cell["sizes"]) == cell["sites"] * cell["samples"]
        assert 1 <= max(cell["sizes"]) / min(cell["sizes"]) < 6.0 * 1.3


def test_imbalance_is_absent_where_a_table_names_its_sites_or_an_algorithm_has_none():
    from compared import PowerPage, TopicsPage

    assert all("imbalance" not in page(Controls()).shared for page in (TopicsPage, PowerPage))
    assert all("imbalance" in page(Controls()).shared for page in PAGES.values())


def test_an_example_has_equal_sites_again():
    page = AveragePage(Controls(imbalance=5.0))
    page.press("example", 0)
    assert page.controls.imbalance == 1.0 and "sizes" not in page.compute().here


def test_the_noise_of_a_step_is_that_of_the_smallest_part_of_the_records(released):
    plan = plan_of("network", batches=2, schemes=["conventional"])
    data, target = (
        sweep.statistics(plan.problem, plan.here),
        Privacy(plan.here["epsilon"], plan.here["delta"]),
    )
    plan.problem.estimate(data, "conventional", target, np.random.default_rng(1), plan.here)
    largest = max(float(np.max(found.std)) for _, found, _ in released)
    assert seen(record(NetworkPage), plan)["conventional"].std == pytest.approx(largest, rel=1e-9)


@pytest.mark.parametrize(
    ("schemes", "said"),
    [
        (["pooled", "cape", "conventional"], "of the bars, at n s /N: 5 and 1"),
        (["cape", "conventional", "local"], "of the bars, at n s /N: 5 and 1"),
        (["conventional", "local"], "of the bar, at n s /N: 5"),
    ],
)
def test_ratios_of_the_bars_stand_whether_or_not_a_curator_has_one(schemes, said):
    plan, spec = plan_of("pca", sites=5, schemes=schemes), record(PcaPage)
    panel = noise_panel(spec, plan, seen(spec, plan))
    text = " ".join(re.sub(r"<[^>]+>", " ", panel).split()).replace(" :", ":")
    assert f"at equal weights 1/S; {said}" in text
    equal = plan_of("pca", sites=5, schemes=schemes, imbalance=1.0)
    assert "1/S" not in noise_panel(spec, equal, seen(spec, equal))


def test_gain_opens_with_the_sizes_of_the_comparisons_and_names_their_shape():
    page = GainPage(Controls(sites=10, samples=1000, imbalance=100.0))
    plan = page.compute()
    assert plan.gain == pytest.approx(
        gains(plan_of("average", sites=10, samples=1000, imbalance=100.0).here)[0],
        rel=0.02,  # Of whole numbers.
    )
    assert "family" in page.spec.sliders and page.settings_words()["Shape of the imbalance"] == "geometric"
    assert "geometric" in Controls.param.imbalance.doc
