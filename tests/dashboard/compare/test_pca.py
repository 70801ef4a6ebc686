"""Principal components on *Compare*: numbers against core, what a move changes, what stands while it computes."""

import math
from dataclasses import replace

import numpy as np
import pytest
from compared import PcaPage, record
from pictures import Shared, finished

from core import Privacy, cape, pca, release
from core.privacy import gdp_delta
from core.schemes import OFFERED
from dashboard.algorithms.pca.comparison import PCA
from dashboard.algorithms.pca.model import AXES, spot
from dashboard.compare import choices
from dashboard.compare.observers import mu_conventional_at_equal_noise
from dashboard.compare.view import seen
from dashboard.plotting.bands import crossing
from dashboard.runs.sweep_plan import summary
from dashboard.sheet.controls import pins
from dashboard.sheet.layout import sentence
from dashboard.state.controls import Controls
from data.catalogue import tables

EPSILONS = (0.03, 0.3, 10.0)
SETTINGS = (
    {"epsilon": 0.5, "sites": 5, "k": 4, "delta": 1e-3},
    {"epsilon": 1.0, "sites": 6, "k": 3, "adversary": "aggregator"},
    {"epsilon": 1.0, "sites": 9, "k": 3, "adversary": "colluders", "colluding": 3},
)


def made():
    page = PcaPage(Controls(repeats=2, sites=4, k=5, delta=1e-2))
    page.model.dpdispca = True
    return finished(page)


SHARED = Shared(made)


@pytest.fixture
def page(monkeypatch):
    for axis, values in {"epsilon": EPSILONS, "sites": (2, 5, 20), "samples": (20, 100, 2000)}.items():
        monkeypatch.setitem(AXES, axis, replace(AXES[axis], values=values))
    with SHARED.lent() as page:
        yield page


def energies(page):
    return {m: page.results.spots[m].energy for m in page.plan.methods}


@pytest.mark.parametrize("settings", SETTINGS)
def test_captured_energy_equals_core_called_by_hand(page, settings):
    page.set({"dpdispca": False, **settings})
    here = page.plan.here
    sites, _ = tables.load({n: here[n] for n in page.plan.problem.data_settings})
    mean = np.mean([x.T @ x / len(x) for x in sites], axis=0)
    most = np.linalg.eigvalsh(mean)[-here["k"] :].sum()
    kept = []
    for job in page.plan.jobs_here("cape"):
        terms = {n: here[n] for n in ("against", "colluding") if n in here}
        found = pca.fit(
            sites, here["k"], scheme="cape", privacy=Privacy(here["epsilon"], here["delta"]), rng=job.rng,
            noise="symmetrised", **terms,
        )  # fmt: skip
        kept.append(np.trace(found.components @ mean @ found.components.T) / most)
    assert energies(page)["cape"] == pytest.approx(np.mean(kept), rel=1e-9)


@pytest.mark.parametrize("settings", SETTINGS)
def test_noise_and_delta_equal_core_called_by_hand(page, settings):
    page.set(settings)
    here, s = page.plan.here, page.plan.settings
    sites, n = here["sites"], here["samples"]
    found = seen(PCA, page.plan)
    terms = {name: here[name] for name in ("against", "colluding") if name in here}
    for scheme in ("cape", "conventional", "local", "pooled"):
        made = release(
            np.zeros(sites), math.sqrt(2) / n, Privacy(s.epsilon, s.delta), scheme=scheme,
            rng=np.random.default_rng(1), **terms,
        )  # fmt: skip
        assert found[scheme].std == pytest.approx(float(np.max(made.std)), rel=1e-12)
        assert found[scheme].message == pytest.approx(made.mu_message, rel=1e-12)
        assert found[scheme].aggregator == pytest.approx(made.mu_aggregator, rel=1e-12)
        assert found[scheme].colluders == pytest.approx(made.mu(min(s.colluding, sites - 1)), rel=1e-12)
    assert cape.gain((n,) * sites) == pytest.approx(sites)
    if s.adversary == "message":  # δ_conv as the paper defines it for one release of equal sites.
        tau = found["cape"].std * sites / 1  # The average of CAPE has τ/S.
        right = cape.conventional_delta(
            s.epsilon, tau=tau, samples=None, sites=sites, sensitivity=math.sqrt(2) / n
        )
        mu = mu_conventional_at_equal_noise(found["cape"], found["conventional"])
        assert gdp_delta(s.epsilon, mu) == pytest.approx(float(right), rel=1e-9)


def test_bad_settings_are_said_and_the_last_picture_stays(page):
    last = page.shown.sections["result"]
    page.set({"data": "low_rank", "k": 5})
    page.set({"data": "digits"})
    page.controls.k = 100
    assert "at most 64" in page.state.problem
    assert "at most 64" in sentence(page) and page.shown.sections["result"] != ""
    page.controls.k = 5
    assert page.state.problem == "" and page.shown.sections["result"] == last


@pytest.mark.parametrize("axis", ["sites", "samples", "delta"])
def test_the_curve_runs_along_other_settings(page, axis):
    page.press("axis", list(AXES).index(axis))
    assert page.plan.axis == axis and page.runs.state == "finished"
    x = sorted({at for one in page.shown.charts["curve"].points for at in one.x})
    assert len(x) >= 3 and page.shown.charts["curve"].rules == (page.plan.here[axis],)


def test_chips_choose_schemes_and_methods(page):
    places = {name: place for place, (name, _) in enumerate(choices.offered(record(page), page))}
    page.press("method", places["dpdispca"])
    page.press("method", places["pooled"])
    assert not page.model.dpdispca and "pooled" not in page.controls.schemes
    assert "pooled" not in seen(PCA, page.plan)
    page.press("method", places["secure"])
    assert "secure" in seen(PCA, page.plan) and "secure" in energies(page)
    page.press("method", 999)  # A browser may send any number.
    page.press("nothing", 0)


def test_another_measure_is_said_and_asks_for_its_own_release(page):
    page.press("measure", 1)
    assert page.plan.problem.measure == "variance" and page.plan.problem.centre == "mean"
    assert "dpdispca" not in energies(page)
    joint = pca.Problem(tables.load, centre="mean").sensitivity({"samples": page.plan.here["samples"]})
    shared = joint / math.sqrt((1 - page.plan.problem.share) / 2)
    plain = pca.sensitivity(page.plan.here["samples"])
    page_std = seen(PCA, page.plan)["cape"].std
    page.press("measure", 0)
    assert page_std / seen(PCA, page.plan)["cape"].std == pytest.approx(shared / plain, rel=1e-9)


def test_pinned_curves_stay_beside_new_ones(page):
    before = page.shown.charts["curve"].lines
    assert page.pin()
    page.controls.noise_seed = 5
    copies, lines = (
        [line for line in page.shown.charts["curve"].lines if line.listed == listed]
        for listed in (False, True)
    )
    assert [line.y for line in copies] == [line.y for line in before] != [line.y for line in lines]
    page.unpin()
    assert page.shown.charts["curve"].lines == tuple(lines)


def test_the_published_switch_counts_the_sensitivity_it_takes_too_small(page):
    exact = {row.scheme: row.public for row in page.shown.guarantee.exposures}
    page.set({"epsilon": 0.5, "calibration": "published"})
    published = page.shown.guarantee
    assert {row.scheme for row in published.exposures} == set(exact)
    assert page.plan.problem.order == "magnitude"
    assert len(published.not_private) > 2
    page.controls.epsilon = 10.0
    assert max(row.message for row in page.shown.guarantee.exposures) > page.controls.delta


def test_dpdispca_has_the_exposure_of_its_messages(page):
    page.controls.schemes = ["nonprivate"]
    (row,) = page.shown.guarantee.exposures
    assert row.scheme == "dpdispca"
    assert row.public == row.aggregator == pytest.approx(1e-2, rel=1e-6)  # one message, not the average
    page.model.dpdispca = False
    assert page.shown.guarantee.exposures == ()


def test_moving_epsilon_recomputes_no_second_moment(page, monkeypatch):
    def refuse(*args):
        raise AssertionError("a Gram matrix was computed again")

    monkeypatch.setattr("core.pca.second_moments", refuse)
    page.controls.epsilon = 0.3
    page.controls.noise_seed = 5
    assert page.runs.state == "finished", page.runs.message


def test_energies_are_in_per_cent_of_the_plain_answer():
    found = (("cape", 1.0), ("nonprivate", 2.0), ("cape", 1.5), ("cape", 1.25), ("local", 1.0))
    rows = [{"scheme": s, "epsilon": 1.0, "energy": e} for s, e in found]
    means = summary(rows, "epsilon", "energy", factor=100.0, relative_to="nonprivate").set_index("scheme")
    assert means["mean"].to_dict() == {"cape": 62.5, "nonprivate": 100.0, "local": 50.0}


def test_crossing_reads_the_last_rise_off_a_log_axis():
    assert crossing([0.1, 1, 10], [0, 50, 100], 75) == pytest.approx(math.sqrt(10))
    assert math.isnan(crossing([0.1, 1], [0, 50], 75))


def test_the_drawn_release_is_the_one_nearest_to_the_mean_but_of_own_records_the_first(page):
    page.set({"epsilon": 1.0, "sites": 5, "k": 8, "repeats": 5})
    jobs = page.plan.jobs_here("conventional")
    kept = [spot([job]).energy for job in jobs]
    place = int(np.argmin(np.abs(kept - np.mean(kept))))
    assert place > 0  # Otherwise the two would be the same here.
    assert np.array_equal(spot(jobs).components, spot([jobs[place]]).components)
    assert np.array_equal(spot(jobs, own=True).components, spot(jobs[:1]).components)


def test_records_without_pictures_are_drawn_as_bars(page):
    page.set({"data": "low_rank", "k": 3})
    assert "class='ink'" not in page.shown.sections["result"]
    assert page.shown.sections["result"].count("class='bars'") == 3 * (len(OFFERED) + 1)
    page.clear()
    assert page.shown is None and page.results is None


def test_buttons_pin_and_unpin(page):
    row = pins(page)
    pin, unpin = row.buttons
    assert not unpin.visible
    pin.click()
    assert len(page.pins) == 1 and unpin.visible
    unpin.click()
    assert page.pins == () and not unpin.visible
