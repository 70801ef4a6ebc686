"""The average on *Compare*: its numbers against core, and its releases against their distribution."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from compared import AveragePage, unprotected
from laws import assert_normal
from pictures import Shared, finished

from core import Privacy, release
from core.privacy.accountant import pure_epsilon
from core.schemes import SCHEMES, average_std, is_private, planned
from dashboard.algorithms.average.comparison import AVERAGE
from dashboard.algorithms.average.model import APART, AXES, RELEASES, WORST, distances, spot
from dashboard.compare.view import seen
from dashboard.problems.average import noise_std, silence, standard_error
from dashboard.state.controls import Controls
from dashboard.theme.scheme_style import label
from data import synthetic

SETTINGS = (
    {"epsilon": 2.0, "sites": 40},
    {"epsilon": 0.5, "sites": 5, "delta": 1e-3, "data": "differ"},
    {"epsilon": 0.9, "sites": 12, "samples": 100, "calibration": "published"},
    {"epsilon": 1.0, "sites": 6, "adversary": "aggregator", "dropouts": 2},
    {"epsilon": 1.0, "sites": 9, "adversary": "colluders", "colluding": 3},
)


def made():
    return finished(AveragePage(Controls(**AVERAGE.opens, schemes=list(SCHEMES))))


SHARED = Shared(made)


@pytest.fixture
def page():
    with SHARED.lent() as page:
        yield page


@pytest.mark.parametrize("settings", SETTINGS)
def test_standard_errors_and_releases_equal_core_called_by_hand(page, settings):
    page.set(settings)
    here, spots = page.plan.here, page.results.spots
    spread = 0.05 if settings.get("data") == "differ" else 0.0
    drawn = synthetic.bounded(
        here["sites"], samples=here["samples"], spread=spread, rng=np.random.default_rng(1)
    )
    means = np.array([numbers.mean() for numbers in drawn.sites])
    for job in (page.plan.job_here(scheme) for scheme in SCHEMES if is_private(scheme)):
        made = release(
            np.repeat(means[:, None], RELEASES, axis=1), 1 / here["samples"],
            Privacy(here["epsilon"], here["delta"]), scheme=job.scheme, rng=job.rng,
            calibration=settings.get("calibration", "exact"), **planned(here, here["sites"], job.scheme),
        )  # fmt: skip
        found = spots[job.scheme]
        assert found.std == pytest.approx(float(np.max(made.std)), rel=1e-9)
        assert found.std == pytest.approx(seen(AVERAGE, page.plan)[job.scheme].std, rel=1e-9)
        turns = np.resize(means - means[0], RELEASES) if job.scheme == "local" else 0.0
        np.testing.assert_allclose(found.errors, made.value + turns - means.mean(), atol=1e-12)


@pytest.mark.parametrize("data", ["alike", "differ"])
def test_one_site_alone_errs_by_its_noise_and_its_distance_from_all(page, data):
    """Every site releases its own average 2,000 times; false-alarm rate 1e-5, against 2/3 and 3/2 of it as well."""
    page.set({"data": data, "epsilon": 3.0, "sites": 7, "samples": 300, "axis": "samples"})
    rng, spread = np.random.default_rng(5), 0.05 if data == "differ" else 0.0
    drawn = synthetic.bounded(7, samples=300, spread=spread, rng=np.random.default_rng(1))
    means = np.array([numbers.mean() for numbers in drawn.sites])
    privacy, alone = Privacy(3.0, 1e-5), []
    for turn in range(7):
        repeated = np.repeat(np.roll(means, -turn)[:, None], 2000, axis=1)
        alone.append(release(repeated, 1 / 300, privacy, scheme="local", rng=rng).value - means.mean())
    measured = np.sqrt(np.mean(np.square(alone)))
    row = page.table().query("scheme == 'local' and samples == 300")["mean"].item()
    close = pytest.approx(measured, rel=4.5 / math.sqrt(2 * 14_000))
    assert row == close and 2 / 3 * row != close and 3 / 2 * row != close
    assert row > 1.1 * page.results.spots["local"].std  # The distance counts at these settings.
    assert f"{row:.3g}" in page.shown.headline and f"{row:.3g}" in page.shown.sections["result"]


def test_the_schemes_are_apart_by_the_root_of_the_number_of_sites(page):
    found = {m: page.results.spots[m].std for m in ("pooled", "cape", "conventional", "local")}
    assert found["cape"] == pytest.approx(found["pooled"])
    assert found["conventional"] == pytest.approx(math.sqrt(10) * found["cape"])
    assert found["local"] == pytest.approx(10 * found["cape"])
    assert page.results.spots["nonprivate"].std == 0


def test_releases_have_the_standard_error_that_is_told(page):
    """False-alarm rate 1e-4 a scheme."""
    errors = {"cape": [], "conventional": [], "pooled": []}
    for seed in range(1, 9):
        page.controls.noise_seed = seed
        for scheme, found in errors.items():
            found += page.results.spots[scheme].errors.tolist()
    for scheme, found in errors.items():
        assert_normal(found, page.results.spots[scheme].std)


@pytest.mark.parametrize("axis", AXES)
def test_the_curve_is_the_formula_along_every_axis(page, axis):
    page.press("axis", list(AXES).index(axis))
    table = page.table()
    for cell in page.plan.cells:
        row = table[(table.scheme == "conventional") & (table[axis] == cell[axis])]
        assert row["mean"].item() == pytest.approx(standard_error("conventional", cell), rel=1e-12)
    assert not page.plan.batches and page.shown.charts["curve"].y.log
    assert all(one.fill for one in page.shown.charts["curve"].points)


def test_a_program_has_how_far_sites_are_apart_only_where_the_page_shows_it():
    page = AveragePage(Controls(sites=3, samples=20, schemes=["cape", "local"]))
    plan = page.compute()
    found = distances(
        plan.problem, [(plan.records(plan.here), (("sites", 3), ("samples", 20)))], ("cape", "local")
    )
    ((method, apart),) = found[plan.records(plan.here)]
    assert method == "local" and apart > 0 and repr(apart) in page.script()
    page.set({"schemes": ["cape", "conventional"]})
    assert repr(apart) not in page.script()


def stated(page, scheme):
    """The standard error of a scheme: in the headline's source, in the curve, in the table, and by the program."""
    plan, results = page.plan, page.results
    apart = dict(results.spots[APART][plan.records(plan.here)]) if APART in results.spots else {}
    error = standard_error(scheme, plan.here, apart.get(scheme, 0.0))
    row = page.table()
    at = row[(row.scheme == scheme) & np.isclose(row[plan.axis], plan.here[plan.axis])]["mean"].item()
    assert at == pytest.approx(error, rel=1e-12)
    return error


def assert_root_mean_square(errors, error, noise, *, alarm=4.9):
    """Accept the error of a noise about a distance, at a false-alarm rate of 1e-6, and refuse 2/3 and 3/2 of it."""
    for factor in (1.0, 2 / 3, 3 / 2):
        square = (factor * error) ** 2
        # Var x² of x ~ N(b, σ²) is 2σ⁴ + 4σ²b², at most 4σ² times the mean square.
        room = alarm * math.sqrt((2 * noise**4 + 4 * noise**2 * (error**2 - noise**2)) / len(errors)) + 1e-12
        assert (abs(np.mean(np.square(errors)) - square) <= room) == (factor == 1.0), factor


@pytest.mark.parametrize("dropouts", (0, 1, 2, 4))
@pytest.mark.parametrize("data", ("alike", "differ"))
def test_two_thousand_errors_have_the_standard_error_that_is_stated(page, data, dropouts):
    """Every scheme, the non-private one too; 5 sites of which up to 4 drop out."""
    about = {"adversary": "aggregator", "dropouts": dropouts, "data": data, "axis": "epsilon"}
    page.set({**about, "sites": 5, "samples": 200, "epsilon": 1.0})
    if dropouts > 2:  # So many would let two sums of one run be revealed.
        assert label("cape-after") in page.state.problem
        page.set({"schemes": [scheme for scheme in SCHEMES if scheme != "cape-after"]})
    assert page.state.problem == ""
    for scheme in page.controls.schemes:
        error, noise = stated(page, scheme), noise_std(scheme, page.plan.here)
        job = page.plan.job_here(scheme)
        errors = np.concatenate([spot(replace(job, seed=seed)).errors for seed in range(20)])
        if error > 1e-12:
            assert_root_mean_square(errors, error, noise)
        else:
            assert np.abs(errors).max() < 1e-12 and scheme == "nonprivate" and not dropouts
    if dropouts and data == "differ":
        assert stated(page, "nonprivate") > 1e-3 and noise_std("nonprivate", page.plan.here) == 0


def test_six_sites_that_differ_of_which_two_fall_silent(page):
    """The example of the trial: the errors have a root mean square of 0.0164, 0.0176 and 0.0156."""
    about = {"adversary": "aggregator", "dropouts": 2, "data": "differ", "axis": "epsilon"}
    page.set({**about, "sites": 6, "samples": 200, "epsilon": 1.0})
    found = [stated(page, scheme) for scheme in ("pooled", "cape", "nonprivate")]
    assert found == pytest.approx([0.0163, 0.0178, 0.0156], abs=1e-4)
    measured = page.shown.sections["further"]
    assert all(f"{error:.3g}" in measured for error in found)
    shown = page.shown.headline + page.shown.sections["result"]
    assert all(f"{error:.3g}"[:6] in shown for error in found[1:])
    # The worst of all sets of at most two, by brute force.
    means = page.plan.problem.statistics(page.plan.here)
    terms = {"against": "aggregator", "dropouts": 2}
    for scheme in ("cape", "graph", "nonprivate"):
        worst, std = 0.0, noise_std(scheme, page.plan.here)
        for lost in (set(c) for k in range(3) for c in itertools.combinations(range(6), k)):
            noise = std and std / silence(scheme, page.plan.here).std * average_std(
                scheme, np.full(6, 1 / 200), dropped=lost, **terms
            )
            left = [s for s in range(6) if s not in lost]
            worst = max(worst, math.hypot(noise, means[left].mean() - means.mean()))
        assert page.results.spots[WORST][scheme].error == pytest.approx(worst, rel=1e-9)
        assert page.results.spots[WORST][scheme].bound == page.results.spots[WORST][scheme].error
    scope = {"__name__": "copied"}
    exec(compile(page.script(), "copied", "exec"), scope)
    pd.testing.assert_frame_equal(
        pd.DataFrame(scope["columns"]), page.table()[["scheme", "epsilon", "mean"]], rtol=1e-12
    )
    assert any("dropouts" in one.words for one in unprotected(page))


def test_what_is_at_most_is_above_what_was_found_where_not_all_sets_are_tried(page):
    about = {"adversary": "aggregator", "dropouts": 8, "data": "differ", "axis": "epsilon"}
    page.set({**about, "sites": 20, "samples": 200, "epsilon": 1.0})
    means, rng = page.plan.problem.statistics(page.plan.here), np.random.default_rng(3)
    found = page.results.spots[WORST]["nonprivate"]
    tried = [means[rng.permutation(20)[: 20 - r]].mean() for r in range(9) for _ in range(500)]
    assert np.abs(np.array(tried) - means.mean()).max() <= found.error <= found.bound < 2 * found.error
    assert all(one.error <= one.bound for one in page.results.spots[WORST].values())


def test_what_an_error_holds_is_said_whichever_schemes_are_shown(page):
    page.set({"adversary": "aggregator", "dropouts": 2, "data": "differ", "axis": "epsilon", "sites": 6})
    for schemes in (["cape", "conventional"], ["pooled"], ["nonprivate"]):
        page.set({"schemes": schemes})
        assert "2 sites drop out" in page.shown.sections["curve_words"]
    page.set({"dropouts": 0})
    assert "drop out" not in page.shown.sections["curve_words"]


def test_pure_epsilon_on_the_page(page):
    """Laplace's deviation √2/(ε N), what every observer learns, and entries of the ledger, by hand."""
    page.set({"epsilon": 1.2, "sites": 10, "law": "pure", "adversary": "aggregator"})
    here, plan = page.plan.here, page.plan
    assert here["pure"] and not {"cape", "cape-best", "graph"} & {*plan.shown} and "cape-after" in plan.shown
    one = math.sqrt(2) / (1.2 * here["sites"] * here["samples"])
    assert noise_std("pooled", here) == pytest.approx(one, rel=1e-9)
    assert noise_std("cape-after", here) == pytest.approx(one / 0.95, rel=1e-9)
    assert noise_std("conventional", here) == pytest.approx(one * math.sqrt(10), rel=1e-9)
    for scheme in ("cape-after", "conventional", "secure"):
        found, spot = seen(AVERAGE, plan)[scheme], page.results.spots[scheme]
        assert 1.199 < pure_epsilon(found.aggregator) <= 1.2 * (1 + 1e-9)
        low, high = 0.6, 1.45  # Of a hundred of Laplace's law: five standard errors.
        assert low < np.sqrt(np.mean(spot.errors**2)) / spot.std < high
        drawn = AVERAGE.law.of_run(plan, plan.job_here(scheme))
        assert drawn.mu("aggregator") == 0 and drawn.pure == pytest.approx(1.2, rel=1e-3)
        assert drawn.epsilon("public") <= drawn.pure
    before = page.shown.sections["noise"]
    page.set({"calibration": "published"})  # The papers have no formula of it: nothing is nominal.
    assert (
        page.problem == "" and page.shown.sections["noise"] == before and "nominal" not in page.shown.headline
    )
    assert AVERAGE.law.of_run(page.plan, page.plan.job_here("cape-after")).pure == pytest.approx(
        1.2, rel=1e-3
    )
    told = AVERAGE.guarantee(plan, None)
    assert told.whole and told.nominal is None and "δ = 0" in told.sentence
