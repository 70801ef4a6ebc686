"""The average on *Compare*: its numbers against core, and its releases against their distribution."""

import math

import numpy as np
import pytest
from compared import AveragePage
from laws import assert_normal
from pictures import Shared, finished

from core import Privacy, release
from core.schemes import SCHEMES, is_private, planned
from dashboard.algorithms.average.comparison import AVERAGE
from dashboard.algorithms.average.model import AXES, RELEASES, distances
from dashboard.compare.view import seen
from dashboard.problems.average import standard_error
from dashboard.state.controls import Controls
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
    assert f"{row:.3g}" in page.shown.headline and f"{row:.3g}" in page.shown.result


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
    assert not page.plan.batches and page.shown.curve.y.log
    assert all(one.fill for one in page.shown.curve.points)


def test_a_program_has_how_far_sites_are_apart_only_where_the_page_shows_it():
    page = AveragePage(Controls(sites=3, samples=20, schemes=["cape", "local"]))
    found = distances(page.compute().problem, [(page.compute().records(page.compute().here), 20)])
    (apart,) = found.values()
    assert apart > 0 and repr(apart) in page.script()
    page.set({"schemes": ["cape", "conventional"]})
    assert repr(apart) not in page.script()
