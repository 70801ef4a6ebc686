"""Secure aggregation with distributed noise: its views by brute force, dropouts, and the protocol's own masks."""

import math

import numpy as np
import pytest
from laws import assert_normal

from core import Privacy, release, schemes
from core.privacy import gdp_mu
from core.schemes.parts import Parts
from core.secure_sum import SecureSumFailed

DEMAND = Privacy(1.0, 1e-5)
MU = gdp_mu(DEMAND)


def run(sites=10, entries=(), **options):
    options = {"scheme": "secure", "rng": np.random.default_rng(1), **options}
    return release(np.zeros((sites, *entries)), 1.0, DEMAND, **options)


def test_every_view_equals_the_joint_gaussian():
    rng = np.random.default_rng(2)
    for _ in range(150):
        sites = int(rng.integers(2, 8))
        weights, share = rng.dirichlet(np.full(sites, 8.0)), float(rng.uniform(0.1, 2))
        local = {"local_std": share / weights, "weights": weights, "senders": np.ones(sites, dtype=bool)}
        plan = Parts(sum_only=True, **local)
        order = rng.permutation(sites).tolist()
        c = int(rng.integers(0, sites))
        known, silent = order[:c], order[::-1][: int(rng.integers(0, sites - c))]
        sent = [s for s in range(sites) if s not in silent]
        # The view: the sum of what was sent, and the colluders' shares.
        rows = np.vstack([share * np.isin(np.arange(sites), sent)[None], share * np.eye(sites)[known]])
        noise = np.linalg.lstsq(rows, np.eye(len(rows))[0], rcond=1e-13)[0]
        seen = weights**2 * (noise @ noise)
        gone = np.isin(np.arange(sites), silent)
        found = plan.mus(np.ones(sites), known, gone) ** 2
        honest = [s for s in sent if s not in known]
        np.testing.assert_allclose(found[honest], seen[honest], rtol=1e-9)
        assert np.isnan(found[known]).all() and (found[silent] == 0).all()
        variance = (share**2 * len(sent)) / weights[sent].sum() ** 2
        assert plan.average_std(gone) ** 2 == pytest.approx(variance, rel=1e-9)
        counted = plan.mus(np.ones(sites), c, gone) ** 2
        assert (counted[honest] >= found[honest] * (1 - 1e-12)).all()


@pytest.mark.parametrize("noise", ["iid", "discrete"])
@pytest.mark.parametrize(("c", "r"), [(0, 0), (3, 0), (0, 2), (3, 2)])
def test_the_target_holds_for_the_planned_colluders_and_dropouts_and_is_just_met(noise, c, r):
    held = {"against": "colluders", "colluding": c, "dropouts": r, "noise": noise}
    found = run(dropped=range(r), **held)
    assert found.mu(c) == pytest.approx(MU, rel=2e-3) and found.mu(c) <= MU * (1 + 1e-12)
    assert run(**held).mu(c) <= found.mu(c) * (1 + 1e-12)
    if c + r < 9:
        assert found.mu(c + 1) > found.mu(c)
    # Sites that fall silent beyond the plan take more noise away, and μ says so.
    beyond = run(dropped=range(r + 1), **held)
    assert beyond.mu(c) > MU and beyond.below_plan and not found.below_plan
    pooled = (10 / MU / 10) ** 2 / 100
    assert found.std**2 == pytest.approx(pooled * 100 / (10 - c - r) / (10 - r) / 1, rel=2e-3)


def test_a_message_reveals_nothing_until_the_cryptography_fails():
    found = run(against="colluders", colluding=2, dropouts=1)
    assert found.mu_message == 0 and found.messages is None
    assert found.mu_unmasked == pytest.approx(MU * math.sqrt(7))
    assert run().mu_unmasked == pytest.approx(MU * math.sqrt(10))
    cape = run(scheme="cape")
    assert cape.mu_unmasked is None and cape.mu_message == pytest.approx(MU)


def test_the_noise_is_that_of_the_record():
    found = run(entries=(20_000,), dropped=[2])
    assert_normal(found.value, found.std)
    assert_normal(found.local[0], found.parts.local_std[0])
    whole = run(entries=(20_000,))
    assert whole.std == pytest.approx(1 / MU / 10)


def test_unequal_sites_meet_every_target_and_have_pooled_noise():
    sensitivities, weights = np.array([1.0, 0.2, 0.5]), np.array([0.2, 0.5, 0.3])
    targets = [Privacy(1.0, 1e-5), Privacy(0.5, 1e-6), Privacy(2.0, 1e-4)]
    options = {"weights": weights, "rng": np.random.default_rng(3)}
    found = release(np.zeros(3), sensitivities, targets, scheme="secure", **options)
    pooled = release(np.zeros(3), sensitivities, targets, scheme="pooled", **options)
    assert found.std == pytest.approx(pooled.std, rel=1e-12)
    assert found.mu_public == pytest.approx(pooled.mu_public, rel=1e-12)
    seen = found.parts.mus(sensitivities)
    assert (seen <= [gdp_mu(t) * (1 + 1e-12) for t in targets]).all()


@pytest.mark.parametrize("dropped", [[], [1, 4]])
def test_the_protocol_with_masks_gives_the_same_sum_bit_by_bit(dropped):
    statistics = np.random.default_rng(4).normal(size=(7, 3, 2))
    held = {"against": "colluders", "colluding": 1, "dropouts": 2, "noise": "discrete", "dropped": dropped}

    def once(zero_sum):
        rng = np.random.default_rng(5)
        return release(statistics, 1.0, DEMAND, scheme="secure", rng=rng, zero_sum=zero_sum, **held)

    masked, plain = once("secure"), once("broadcast")
    np.testing.assert_array_equal(masked.value, plain.value)
    (transcript,) = masked.agreements
    assert transcript.included == tuple(s for s in range(7) if s not in dropped)
    inputs = [m.content[m.sender] for m in transcript.messages if m.round == "input" and m.receiver is None]
    # A masked input has nothing in common with the level below it: uniform in 64 bits.
    assert all(np.abs(x.astype(np.int64)).max() > 2.0**56 for x in inputs)
    left = [s for s in range(7) if s not in dropped]
    expected = (statistics[left] + masked.local[left]).mean(axis=0)
    np.testing.assert_allclose(masked.value, expected, atol=masked.grid * 7)


def test_more_dropouts_than_the_threshold_allows_recover_nothing():
    with pytest.raises(SecureSumFailed, match="recovered"):
        run(noise="discrete", zero_sum="secure", dropped=range(4), entries=(2,))
    held = {"noise": "discrete", "zero_sum": "secure", "dropouts": 4, "entries": (2,)}
    assert len(run(dropped=range(4), **held).agreements) == 1


@pytest.mark.parametrize("sites", [3, pytest.param(600, marks=pytest.mark.slow)])
def test_the_sum_never_wraps_at_the_clip(sites):
    # The largest levels that are accepted, against whole numbers without end; both signs. A sum of the levels of 600
    # sites is one that 32 bits, or floats, would not hold exactly.
    step = 2.0**-20
    largest = 2.0**44 * step
    statistics = np.full((sites, 2), largest * sites) * [1, -1]
    options = {"scheme": "secure", "noise": "discrete", "grid": step}
    found = release(statistics, 1.0, DEMAND, rng=np.random.default_rng(6), **options)
    for value, column, local in zip(found.value, statistics.T, found.local.T, strict=True):
        levels = [int(x) for x in np.rint(column / sites / step)]
        noise = np.rint(local / sites / step).astype(int).tolist()
        assert abs(sum(levels)) == sites * 2**44
        assert value == float(sum(levels) + sum(noise)) * step
    with pytest.raises(ValueError, match=r"statistics.*0.*2\^44"):
        release(statistics * 1.01, 1.0, DEMAND, rng=np.random.default_rng(6), **options)


def test_gaussian_noise_has_no_ring():
    with pytest.raises(ValueError, match="noise='discrete'"):
        run(zero_sum="secure")


def test_it_costs_what_the_protocol_costs():
    assert schemes.named("secure").sends.numbers(7) == 7
    assert schemes.named("secure").seen_by == "nobody" and not schemes.named("secure").offered
