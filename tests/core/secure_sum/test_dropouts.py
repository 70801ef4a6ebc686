"""Sites that fall silent before or after noise is agreed, and zero-sum noise through secure aggregation.

Laws are tested on seeded samples, false-alarm rate 1e-4 each (tests/laws.py).
"""

import math

import numpy as np
import pytest
from laws import assert_normal, assert_variance

from core import Privacy, privacy, release
from core.schemes import OFFERED
from core.secure_sum import SecureSumFailed

SITES, ENTRIES = 5, 4000
DEMAND = Privacy(0.8, 1e-4)
SAMPLES = np.array([30, 40, 50, 60, 70])
TAU = privacy.gaussian_std(1 / 50, DEMAND)
MU = privacy.gdp_mu(DEMAND)


def run(scheme, *, unequal=False, entries=ENTRIES, seed=11, **options):
    """Site s holds the value s everywhere."""
    statistics = np.repeat(np.arange(SITES, dtype=float)[:, None], entries, axis=1)
    if unequal:
        options |= {"weights": SAMPLES / SAMPLES.sum()}
    sensitivity = 1 / (SAMPLES if unequal else 50)
    demand = None if scheme == "nonprivate" else options.pop("demand", DEMAND)
    rng = np.random.default_rng(seed)
    return release(statistics, sensitivity, demand, scheme=scheme, rng=rng, **options)


@pytest.mark.parametrize("unequal", [False, True])
@pytest.mark.parametrize("scheme", OFFERED)  # The others have tests of their own.
def test_without_absent_sites_the_scheme_runs_among_the_others(scheme, unequal):
    result = run(scheme, unequal=unequal, absent=[0, 3])
    assert result.sites == (1, 2, 4)
    left = np.array([1, 2, 4])
    weights = SAMPLES[left] / SAMPLES[left].sum() if unequal else np.full(3, 1 / 3)
    tau = privacy.gaussian_std(1, DEMAND) / (SAMPLES[left] if unequal else 50)
    std = {
        "nonprivate": 0,
        "pooled": (weights * tau).max(),
        "local": float(np.broadcast_to(tau, 3)[0]),
        "conventional": np.linalg.norm(weights * tau),
        "cape": (weights * tau).max(),
    }[scheme]
    expected = 1.0 if scheme == "local" else weights @ left
    assert result.std == pytest.approx(std)
    if scheme == "nonprivate":
        assert result.value == pytest.approx(expected)
    else:
        assert_normal(result.value - expected, std)
        assert result.mu_public <= MU * (1 + 1e-9)


@pytest.mark.parametrize("scheme", [s for s in OFFERED if s != "cape"])
def test_other_schemes_do_not_care_when_a_site_is_lost(scheme):
    before, after = run(scheme, absent=[0, 3]), run(scheme, dropped=[0, 3])
    assert (before.value == after.value).all()
    assert before.std == after.std


@pytest.mark.parametrize("left", [1, 2, 4])
@pytest.mark.parametrize("zero_sum", ["broadcast", "generator", "secure"])
def test_sites_lost_after_agreement_leave_their_zero_sum_noise_uncancelled(left, zero_sum):
    dropped = list(range(left, SITES))
    result = run("cape", dropped=dropped, zero_sum=zero_sum)
    variance = TAU**2 / left * (1 - left / SITES + 1 / SITES)
    assert result.std == pytest.approx(math.sqrt(variance))
    assert_variance(result.value - (left - 1) / 2, variance)
    assert result.dropped == tuple(dropped)
    assert np.isnan(result.messages[dropped]).all()
    assert np.isfinite(result.messages[:left]).all()
    # Between pooled and conventional noise of the survivors; nobody is less private for it.
    assert TAU / left <= result.std <= TAU / math.sqrt(left) * (1 + 1e-12)
    assert result.mu_aggregator <= run("cape").mu_aggregator
    assert result.mu(2) <= run("cape").mu(2)
    assert result.mu_message == pytest.approx(MU)


def test_one_loss_doubles_the_variance_that_recovery_would_keep():
    after, before = run("cape", dropped=[2]), run("cape", absent=[2])
    assert (after.std / before.std) ** 2 == pytest.approx(2 * (SITES - 1) / SITES)


def test_unequal_sites_lost_after_agreement():
    result = run("cape", unequal=True, dropped=[1, 4])
    assert_variance(result.value - SAMPLES[[0, 2, 3]] @ [0, 2, 3] / 140, result.std**2)


def test_absent_and_dropped_sites_together():
    result = run("cape", absent=[0], dropped=[3])
    assert (result.sites, result.dropped) == ((1, 2, 3, 4), (3,))
    assert result.std == pytest.approx(TAU / math.sqrt(3) * math.sqrt(1 - 3 / 4 + 1 / 4))
    assert_variance(result.value - 7 / 3, result.std**2)
    # Colluders are named by their own numbers; an absent one knows nothing that matters.
    assert result.mu([4]) == pytest.approx(result.mu([0, 4]))
    assert result.mu([4]) > result.mu_aggregator


@pytest.mark.parametrize("dropped", [[], [2]])
def test_forgetting_messages_changes_no_number(dropped):
    for zero_sum in ("broadcast", "generator", "secure"):
        kept = run("cape", unequal=True, zero_sum=zero_sum, dropped=dropped, entries=7)
        value = run("cape", unequal=True, zero_sum=zero_sum, dropped=dropped, entries=7, keep="value")
        assert value.value == pytest.approx(kept.value, abs=1e-13)
        assert value.messages is None


@pytest.mark.parametrize("unequal", [False, True])
def test_secure_zero_sum_noise_has_the_same_law_and_cancels(unequal):
    result = run("cape", unequal=unequal, zero_sum="secure")
    weights = result.design.weights
    assert np.abs(np.tensordot(weights, result.zero_sum, axes=1)).max() < 1e-14
    for s in range(SITES):
        assert_normal(result.zero_sum[s], result.design.zero_sum_std[s])
        assert_normal(result.messages[s] - s, result.design.std[s])
    assert_normal(result.value - weights @ np.arange(SITES), result.std)
    (agreement,) = result.agreements
    assert agreement.resolution < 2e-11 * (weights * result.design.seed_std).max()


@pytest.mark.parametrize("shape", [(), (6,), (6, 6)])
def test_secure_zero_sum_noise_for_scalars_vectors_and_matrices(shape):
    distribution = "symmetrised" if len(shape) == 2 else "iid"
    result = release(
        np.zeros((4, *shape)),
        0.1,
        DEMAND,
        scheme="cape",
        zero_sum="secure",
        noise=distribution,
        rng=np.random.default_rng(0),
    )
    assert result.value.shape == shape
    assert result.agreements[0].total.shape == shape
    assert result.zero_sum.sum(axis=0) == pytest.approx(0, abs=1e-14)
    if len(shape) == 2:
        assert (result.zero_sum == result.zero_sum.transpose(0, 2, 1)).all()
    entries = math.prod(shape)
    assert result.agreements[0].traffic(0)[1] > 8 * entries


@pytest.mark.parametrize("unequal", [False, True])
def test_secure_aggregation_recovers_sites_lost_before_the_noise_is_agreed(unequal):
    # One demand and weights by size ask every site for the same contribution with or without the others.
    result = run("cape", unequal=unequal, zero_sum="secure", absent=[1])
    (agreement,) = result.agreements
    assert agreement.included == (0, 2, 3, 4)
    assert np.abs(np.tensordot(result.design.weights, result.zero_sum, axes=1)).max() < 1e-14
    assert_normal(result.messages[0], result.design.std[0])
    assert_variance(result.value - result.design.weights @ [0, 2, 3, 4], result.design.target**2)


def test_where_the_others_need_other_noise_they_agree_again():
    demands = [Privacy(e, 1e-4) for e in (0.2, 0.4, 0.8, 1.6, 3.2)]
    result = run("cape", demand=demands, zero_sum="secure", absent=[0])
    first, second = result.agreements
    assert (first.included, second.included) == ((1, 2, 3, 4), (0, 1, 2, 3))
    assert_variance(result.value - 2.5, result.std**2)


def test_too_many_lost_sites_stop_secure_aggregation():
    with pytest.raises(SecureSumFailed, match=r"3 sites.*'input', 4"):
        run("cape", zero_sum="secure", absent=[0, 1], entries=2)
    assert run("cape", zero_sum="secure", absent=[0, 1], threshold=3, entries=2).sites == (2, 3, 4)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"absent": range(SITES)}, "absent must leave at least one site, got all 5"),
        ({"absent": range(4)}, "absent must leave at least 2 sites"),
        ({"absent": [5]}, "absent must be a whole number from 0 to 4, got 5"),
        ({"absent": [0, 1], "dropped": [2, 3, 4]}, "absent and dropped sites together must leave"),
    ],
)
def test_bad_arguments_are_named(options, words):
    with pytest.raises(ValueError, match=words):
        run("cape", entries=2, **options)
