"""The five schemes against their laws. Statistical tests are seeded; false-alarm rate 1e-4 each."""

import itertools
import math

import numpy as np
import pytest
from laws import assert_normal

from core import SCHEMES, Privacy, cape, privacy, release
from core.schemes import calibrated

SITES, SAMPLES, ENTRIES = 5, 50, 4000
DEMAND = Privacy(0.8, 1e-4)
TAU = privacy.gaussian_std(1 / SAMPLES, DEMAND)
PRIVATE = [s for s in SCHEMES if s != "nonprivate"]
ZERO_SUM = ("broadcast", "generator")


def run(scheme, *, seed=3, statistics=None, demand=DEMAND, sensitivity=1 / SAMPLES, **options):
    statistics = np.zeros((SITES, ENTRIES)) if statistics is None else statistics
    demand = None if scheme == "nonprivate" else demand
    return release(statistics, sensitivity, demand, scheme=scheme, rng=np.random.default_rng(seed), **options)


@pytest.mark.parametrize(
    ("scheme", "std"),
    [
        ("pooled", TAU / SITES),
        ("local", TAU),
        ("conventional", TAU / math.sqrt(SITES)),
        ("cape", TAU / SITES),
    ],
)
def test_the_average_has_the_noise_the_scheme_promises(scheme, std):
    result = run(scheme)
    assert result.std == pytest.approx(std)
    assert_normal(result.value, std)


@pytest.mark.parametrize("zero_sum", ZERO_SUM)
def test_cape_messages_each_carry_full_noise(zero_sum):
    result = run("cape", zero_sum=zero_sum)
    known = 0 if result.aggregator_noise is None else result.aggregator_noise
    for message in result.messages - known:
        assert_normal(message, TAU)


@pytest.mark.parametrize("zero_sum", ZERO_SUM)
def test_cape_zero_sum_noise_cancels_to_machine_precision(zero_sum):
    result = run("cape", zero_sum=zero_sum)
    assert np.abs(result.zero_sum.sum(axis=0)).max() < 1e-15 * SITES * np.abs(result.zero_sum).max()
    assert_normal(result.zero_sum[0], TAU * math.sqrt(1 - 1 / SITES))
    assert_normal(result.local[0], TAU / math.sqrt(SITES))
    assert result.value == pytest.approx(result.local.mean(axis=0), abs=1e-14)


@pytest.mark.parametrize("shape", ((), (1,), (2, 3)))
@pytest.mark.parametrize("zero_sum", ZERO_SUM)
def test_zero_sum_noise_cancels_whatever_the_shape_of_a_statistic(shape, zero_sum):
    result = run("cape", statistics=np.ones((SITES, *shape)), zero_sum=zero_sum)
    assert result.value.shape == shape
    assert np.abs(result.zero_sum.sum(axis=0)).max() < 1e-15
    assert result.value == pytest.approx(1 + result.local.mean(axis=0), abs=1e-14)


def test_the_generator_form_masks_every_message_with_noise_of_the_aggregator():
    result = run("cape", zero_sum="generator")
    assert_normal(result.aggregator_noise[1], TAU * math.sqrt(1 - 1 / SITES))
    assert_normal(result.messages[1], TAU * math.sqrt(2 - 1 / SITES))


def test_cape_zero_sum_parts_are_pairwise_correlated_as_designed():
    e = run("cape").zero_sum
    # Sample correlation of 4000 pairs: standard error (1 − ρ²)/√4000; 3.9 of them.
    for i, j in itertools.combinations(range(SITES), 2):
        assert np.corrcoef(e[i], e[j])[0, 1] == pytest.approx(-1 / (SITES - 1), abs=3.9 / math.sqrt(ENTRIES))


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("zero_sum", ZERO_SUM)
def test_forgetting_messages_changes_no_number(scheme, zero_sum):
    statistics = np.random.default_rng(0).normal(size=(SITES, 6, 6))
    statistics += statistics.transpose(0, 2, 1)
    if scheme == "cape-after" and zero_sum == "generator":
        pytest.skip("noise whose sum comes after the messages is not agreed on before")
    options = {"statistics": statistics, "zero_sum": zero_sum, "noise": "symmetrised"}
    kept, forgotten = run(scheme, **options), run(scheme, keep="value", **options)
    assert forgotten.value == pytest.approx(kept.value, abs=1e-14)
    assert forgotten.messages is None


@pytest.mark.parametrize("scheme", SCHEMES)
def test_endless_budget_gives_the_plain_answer(scheme):
    statistics = np.random.default_rng(0).normal(size=(SITES, 3))
    result = run(scheme, statistics=statistics, demand=Privacy(1e15, 1e-5))
    expected = statistics[0] if scheme == "local" else statistics.mean(axis=0)
    assert result.value == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize(
    "scheme", ["pooled", "local", "conventional", "cape", "cape-best", "graph", "secure"]
)
def test_a_message_alone_meets_the_demand_exactly(scheme):
    result = run(scheme)
    mu = privacy.gdp_mu(DEMAND)
    special = {"pooled": math.inf, "secure": 0.0}
    assert result.mu_message == special.get(scheme, pytest.approx(mu))
    assert result.mu_public == pytest.approx(mu / math.sqrt(SITES) if scheme == "conventional" else mu)


def test_cape_leaks_more_to_the_aggregator_and_to_colluders_than_one_message():
    result = run("cape")
    mu = privacy.gdp_mu(DEMAND)
    assert result.mu_aggregator == pytest.approx(mu * math.sqrt(2 * SITES / (SITES + 1)))
    assert result.mu(2) == pytest.approx(mu * math.sqrt(cape.leakage(SITES, 2)))
    assert result.mu([0, 3]) == pytest.approx(result.mu(2))
    assert run("conventional").mu(2) == pytest.approx(mu)


@pytest.mark.parametrize(("against", "colluding"), [("aggregator", 0), ("colluders", 2)])
def test_honest_calibration_meets_the_demand_against_that_view(against, colluding):
    result = run("cape", against=against, colluding=colluding)
    assert result.mu(colluding) == pytest.approx(privacy.gdp_mu(DEMAND))
    ratio = (run("conventional").std / result.std) ** 2
    assert ratio == pytest.approx(cape.honest_gain(SITES, colluding))
    assert_normal(result.value, result.std)


def test_other_schemes_need_no_more_noise_against_colluders():
    for scheme in ("pooled", "local", "conventional"):
        assert run(scheme, against="colluders", colluding=2).std == run(scheme).std


def test_unequal_sites_reach_one_curators_noise_with_weights_by_size():
    samples = np.array([10, 20, 70])
    options = {"statistics": np.zeros((3, ENTRIES)), "sensitivity": 1 / samples, "weights": samples / 100}
    pooled, correlated = run("pooled", **options), run("cape", **options)
    assert pooled.std == pytest.approx(privacy.gaussian_std(1 / 100, DEMAND))
    assert correlated.std == pytest.approx(pooled.std)
    assert_normal(correlated.value, pooled.std)
    weighted = np.tensordot(samples / 100, correlated.zero_sum, axes=1)
    assert np.abs(weighted).max() < 1e-14


def test_sites_may_demand_differently():
    demands = [Privacy(0.5, 1e-5), Privacy(1, 1e-5), Privacy(2, 1e-5)]
    result = run("cape", statistics=np.zeros((3, ENTRIES)), demand=demands)
    for message, demand in zip(result.messages, demands, strict=True):
        assert_normal(message, privacy.gaussian_std(1 / SAMPLES, demand))
    assert result.mu_public <= max(privacy.gdp_mu(d) for d in demands)


def test_symmetrised_release_states_the_deviation_of_every_entry():
    result = run("conventional", statistics=np.zeros((SITES, 4, 4)), noise="symmetrised")
    assert result.std[0, 0] == pytest.approx(TAU / math.sqrt(SITES))
    assert result.std[0, 1] == pytest.approx(TAU / math.sqrt(2 * SITES))


@pytest.mark.parametrize("law", ["symmetrised", "copied"])
@pytest.mark.parametrize("scheme", PRIVATE)
def test_symmetric_noise_is_refused_where_it_would_leave_something_bare(scheme, law):
    statistics = np.ones((SITES, 3, 3, 3))
    statistics[2] += 1e-12 * np.random.default_rng(0).normal(size=(3, 3, 3))  # rounding is no asymmetry
    run(scheme, statistics=statistics, noise=law)
    statistics[2, 0, 1, 2] = 1.5
    with pytest.raises(ValueError, match=r"symmetric.*site 2"):
        run(scheme, statistics=statistics, noise=law)
    assert math.isinf(run(scheme, statistics=statistics, noise=law, leaky=True).mu_public)
    assert math.isinf(run(scheme, statistics=statistics, noise=law, leaky=True).mu(1))
    assert run(scheme, statistics=statistics, noise="iid", leaky=True).mu_public < 1


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"scheme": "capes"}, "scheme must be one of"),
        ({"statistics": np.zeros((1, 3))}, "statistics must come from at least 2 sites, got 1"),
        ({"statistics": [np.zeros(3), np.zeros(4)]}, "statistics must have one shape"),
        (
            {"statistics": [np.zeros(3), [0, math.nan, 0]]},
            "statistics of site 1 must be finite, got nan at index",
        ),
        ({"statistics": [np.zeros(3), [0, 1, math.inf]]}, "statistics of site 1 must be finite, got inf"),
        ({"sensitivity": 0}, "sensitivity must be finite and above 0, got 0"),
        ({"sensitivity": [0.1, 0.2]}, "sensitivity must have shape"),
        ({"demand": None}, "privacy must be a Privacy"),
        ({"demand": [DEMAND] * 2}, "one for each of the 5 sites"),
        ({"weights": [0.5, 0.5, 0.5, 0.5, 0.5]}, "weights must sum to 1, got 2.5"),
        ({"weights": [0.5, 0.5, 0, 0, 0]}, "weights must be finite and above 0, got 0.0 at position 2"),
        ({"calibration": "loose"}, "calibration must be one of"),
        ({"against": "everyone"}, "against must be one of"),
        ({"against": "colluders", "colluding": 5}, "colluding must be a whole number from 0 to 4, got 5"),
        ({"noise": "symmetrised"}, "distribution 'symmetrised' needs an array"),
        ({"zero_sum": "luck"}, "zero_sum must be one of"),
        ({"keep": "some"}, "keep must be one of"),
    ],
)
def test_bad_arguments_are_named(change, words):
    with pytest.raises(ValueError, match=words):
        run(change.pop("scheme", "cape"), **change)


@pytest.mark.parametrize("scheme", PRIVATE)
@pytest.mark.parametrize("sensitivity", [1e-300, 1e-200, 1e-160, 1e160, 1e300])
def test_noise_out_of_the_range_of_squares_is_refused_not_lost(scheme, sensitivity):
    with pytest.raises(ValueError, match=r"1e-150.*1e\+150"):
        run(scheme, sensitivity=sensitivity)


def test_sites_of_any_size_have_a_design():
    # One site of a single record beside millions: all noise of the average is its own, and stays local.
    result = run("cape", statistics=np.zeros((3, 4)), sensitivity=1 / np.array([1e7, 1e7, 1.0]))
    assert result.mu_message == pytest.approx(privacy.gdp_mu(DEMAND))
    assert result.mu_public <= privacy.gdp_mu(DEMAND) * (1 + 1e-9)
    assert result.mu_aggregator <= privacy.gdp_mu(DEMAND) * (1 + 1e-9)


def test_calibrated_leaves_message_calibration_alone():
    std = np.full(3, 0.2)
    assert calibrated(std, np.ones(3)) is std


@pytest.mark.parametrize("against", ["message", "aggregator"])
def test_colluders_against_whom_nothing_is_held_are_refused(against):
    arguments = {"scheme": "cape", "rng": np.random.default_rng(0), "against": against}
    with pytest.raises(ValueError, match=rf"colluding must.*3.*'{against}'"):
        release(np.zeros(10), 1.0, Privacy(1.0, 1e-5), colluding=3, **arguments)
    assert release(np.zeros(10), 1.0, Privacy(1.0, 1e-5), **arguments).mu(3) > 0


@pytest.mark.parametrize("scheme", ["nonprivate", "pooled", "local", "conventional", "cape"])
def test_no_scheme_takes_more_colluders_than_leave_one_honest(scheme):
    arguments = {"scheme": scheme, "rng": np.random.default_rng(0), "against": "colluders"}
    assert release(np.zeros(5), 1.0, Privacy(1.0, 1e-5), colluding=4, **arguments).scheme == scheme
    with pytest.raises(ValueError, match=r"colluding must.*0.*4.*99"):
        release(np.zeros(5), 1.0, Privacy(1.0, 1e-5), colluding=99, **arguments)


@pytest.mark.parametrize("scheme", PRIVATE)
def test_noise_for_an_assumed_sensitivity_leaves_the_true_mu_stated(scheme):
    """The noise follows what is assumed, every μ what is true; one mechanism, whichever way it is written."""
    wrong = run(scheme, sensitivity=1 / SAMPLES)
    told = run(scheme, sensitivity=1.5 / SAMPLES, assumed=1 / SAMPLES)
    np.testing.assert_array_equal(wrong.value, told.value)
    for name in ("mu_public", "mu_message", "mu_aggregator"):
        assert getattr(told, name) == pytest.approx(1.5 * getattr(wrong, name), rel=1e-12)
    assert told.mu(2) == pytest.approx(1.5 * wrong.mu(2), rel=1e-9)
    np.testing.assert_allclose(told.sensitivities, 1.5 / SAMPLES)


def test_an_assumed_sensitivity_is_checked_and_serves_stronger_views_too():
    with pytest.raises(ValueError, match=r"assumed must.*0.*-1\.0"):
        run("cape", assumed=[1, 1, -1, 1, 1])
    held = run("cape", against="colluders", colluding=2)
    told = run("cape", against="colluders", colluding=2, sensitivity=2 / SAMPLES, assumed=1 / SAMPLES)
    assert told.mu(2) == pytest.approx(2 * held.mu(2), rel=1e-9)
    np.testing.assert_array_equal(told.value, held.value)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("colluding", [[5], [0, 7], [-1], [1.0]])
def test_sites_that_never_were_cannot_collude(scheme, colluding):
    with pytest.raises(ValueError, match=r"colluding must.*0.*4"):
        run(scheme, statistics=np.zeros(SITES)).mu(colluding)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_more_colluders_than_sites_are_refused_and_one_stays_honest(scheme):
    found = run(scheme, statistics=np.zeros(SITES))
    with pytest.raises(ValueError, match=r"colluding must.*0.*4.*5"):
        found.mu(5)
    with pytest.raises(ValueError, match="colluding must"):
        found.mu(range(SITES))


def test_an_absent_site_may_collude_and_knows_nothing():
    found = run("cape", statistics=np.zeros(SITES), absent=(1,))
    assert found.absent == (1,)
    assert found.mu([1]) == found.mu(0)
    assert found.mu([1, 3]) == found.mu([3]) > found.mu(0)
    with pytest.raises(ValueError, match="honest site"):
        found.mu([0, 2, 3, 4])
    assert run("conventional", statistics=np.zeros(SITES), absent=(1,), dropped=(2,)).absent == (1, 2)


@pytest.mark.parametrize("scheme", PRIVATE)
@pytest.mark.parametrize("law", ["iid", "symmetrised"])
def test_noise_below_the_last_digit_of_a_statistic_is_refused(scheme, law):
    """At 1e17 floats are 16 apart: noise of that size leaves two neighbours on values that never meet."""
    huge = np.full((SITES, 2, 2), 1e17)
    with pytest.raises(ValueError, match=r"^statistics.*0.*16"):
        run(scheme, statistics=huge, sensitivity=1.0, noise=law)
    assert (run("nonprivate", statistics=huge).value == 1e17).all()
    # The same noise on what it covers, and the same values under noise that covers them.
    run(scheme, statistics=huge / 1e10, sensitivity=1.0, noise=law)
    run(scheme, statistics=huge, sensitivity=1e6, noise=law)


def test_a_site_that_sends_nothing_has_no_digits_to_lose():
    statistics = np.array([0.0, 1e17, 0.0])
    assert np.isfinite(run("local", statistics=statistics, sensitivity=1.0).value)
    assert np.isfinite(run("conventional", statistics=statistics, sensitivity=1.0, absent=(1,)).value)
