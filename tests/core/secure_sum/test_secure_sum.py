"""Secure aggregation: exact in the ring, blind aggregator, recovery, refusal. Seeded; alarm rates stated."""

import itertools
import math

import numpy as np
import pytest
from cryptography.exceptions import InvalidTag
from scipy import stats

from core.secure_sum import (
    AGGREGATOR,
    ROUNDS,
    SecureSumFailed,
    crypto,
    quantise,
    secure_sum,
    shamir,
    traffic,
)
from core.secure_sum.site import SumSite


def run(values, seed=0, **options):
    return secure_sum(values, **{"clip": 4.0, "rng": np.random.default_rng(seed)} | options)


def random_silence(rng, sites, most):
    """At most that many sites, each silent from some round on."""
    silent = {}
    for site in rng.permutation(sites)[: rng.integers(0, most + 1)].tolist():
        silent.setdefault(ROUNDS[rng.integers(4)], []).append(site)
    return silent


@pytest.mark.parametrize("sites", [2, 3, 7, 25])
def test_the_sum_is_exact_in_the_ring_with_any_dropouts_above_the_threshold(sites):
    rng = np.random.default_rng(sites)
    for _ in range(2 if sites > 20 else 4):
        values = rng.normal(size=(sites, 3))
        threshold = int(rng.integers(2, sites + 1))
        silent = random_silence(rng, sites, sites - threshold)
        result = run(values, threshold=threshold, silent=silent)
        early = {s for r in ROUNDS[:3] for s in silent.get(r, ())}
        assert set(result.included) == set(range(sites)) - early
        exact = (result.quantised / result.resolution).astype(np.int64)[list(result.included)].sum(axis=0)
        assert (result.total == exact * result.resolution).all()
        true = np.clip(values, -4, 4)[list(result.included)].sum(axis=0)
        assert np.abs(result.total - true).max() <= result.error_bound


@pytest.mark.parametrize("stage", ROUNDS)
def test_below_the_threshold_the_run_fails_in_that_round(stage):
    with pytest.raises(SecureSumFailed, match=rf"3 sites.*'{stage}', 4"):
        run(np.ones((5, 2)), threshold=4, silent={stage: [0, 3]})


def test_without_a_generator_keys_come_from_the_system_and_differ():
    first, second = (secure_sum(np.ones((3, 1)), clip=1.0) for _ in range(2))
    assert first.total == second.total == 3
    assert first.messages[0].content != second.messages[0].content


@pytest.mark.parametrize("shape", [(), (4,), (3, 3)])
def test_any_shape_of_value_comes_back_in_its_shape(shape):
    result = run(np.ones((4, *shape)))
    assert result.total.shape == shape
    assert result.total == pytest.approx(4)


def test_the_bound_is_public_and_the_largest_sum_does_not_wrap():
    result = run([[1e9], [4.0], [5.0]], bits=52)
    assert result.total == 12.0
    with pytest.raises(ValueError, match=r"bits must.*1.*52.*53"):
        quantise(np.zeros(2), clip=1.0, sites=2, bits=53)
    assert 4096 * 2**50 < 2**63 <= 4096 * 2**51
    with pytest.raises(ValueError, match=r"bits must.*1.*50.*51"):
        quantise(np.zeros(2), clip=1.0, sites=4096, bits=51)


def test_stochastic_rounding_is_unbiased_and_moves_less_than_a_step():
    values = np.random.default_rng(1).uniform(-1, 1, 40_000)
    levels, step = quantise(values, clip=1.0, sites=2, bits=6, rng=np.random.default_rng(2))
    error = levels * step - values
    assert np.abs(error).max() < step
    # Standard error ≤ step/2/√n; 4 of them: false-alarm rate 6e-5.
    assert abs(error.mean()) < 4 * step / 2 / math.sqrt(len(values))
    nearest, _ = quantise(values, clip=1.0, sites=2, bits=6, rounding="nearest")
    assert np.abs(nearest * step - values).max() <= step / 2
    edge, _ = quantise([-1.0, 1.0, 1 - step], clip=1.0, sites=2, bits=40, rng=np.random.default_rng(3))
    assert edge.tolist() == [-(2**40), 2**40, 2**40 - 2**34]  # on the grid nothing is random


RUNS = 200


@pytest.fixture(scope="module")
def views():
    """Masked inputs of many runs of three sites, with the values put in: arrays (RUNS, 3)."""
    rng = np.random.default_rng(5)
    values = rng.normal(size=(RUNS, 3))
    inputs = np.zeros((RUNS, 3), dtype=np.uint64)
    shares = np.zeros((RUNS, 3))
    for i in range(RUNS):
        result = run(values[i], seed=100 + i)
        for message in result.aggregator_view:
            if message.round == "input":
                inputs[i, message.sender] = message.content[message.sender][0]
            if message.round == "unmask":
                shares[i, message.sender] = message.content[0] / shamir.PRIME
    return values, inputs, shares


def test_no_message_and_no_combination_short_of_the_sum_tells_a_value(views):
    values, inputs, shares = views
    # 3 messages, their pairwise sums and differences, and the shares, against each of 3 values.
    combinations = [inputs[:, s] for s in range(3)]
    combinations += [inputs[:, a] + inputs[:, b] for a, b in itertools.combinations(range(3), 2)]
    combinations += [inputs[:, a] - inputs[:, b] for a, b in itertools.combinations(range(3), 2)]
    looks = [c.astype(float) for c in combinations] + [shares[:, s] for s in range(3)]
    pvalues = [stats.spearmanr(look, values[:, s]).pvalue for look in looks for s in range(3)]
    assert min(pvalues) > 1e-4 / len(pvalues)  # false-alarm rate 1e-4 in all
    # The test sees a leak: the same messages without masks.
    unmasked = quantise(values, clip=4.0, sites=3, rounding="nearest")[0].astype(float)
    assert stats.spearmanr(unmasked[:, 0], values[:, 0]).pvalue < 1e-9


def test_masked_inputs_are_uniform_in_the_ring(views):
    for s in range(3):  # false-alarm rate 1e-4 each
        assert stats.kstest(views[1][:, s] / 2.0**64, "uniform").pvalue > 1e-4


def test_masked_inputs_are_uniform_even_when_values_are_not():
    result = run(np.full((3, 4000), 3.0))
    for message in result.aggregator_view:
        if message.round == "input":
            masked = message.content[message.sender]
            assert stats.kstest(masked / 2.0**64, "uniform").pvalue > 1e-4


def test_a_site_never_gives_both_secrets_and_answers_once():
    silent = {"input": [2]}
    result = run(np.ones((5, 1)), silent=silent)
    answers = [m.content for m in result.aggregator_view if m.round == "unmask"]
    assert all(len(a) == 5 for a in answers)  # one share of each site, not two
    site = SumSite.new(0, 3, 2, np.random.default_rng(0).bytes)
    site.share({0: site.keys()}, np.random.default_rng(1).bytes)
    site.unmask([0, 1])
    with pytest.raises(SecureSumFailed, match="answers once"):
        site.unmask([0, 2])
    with pytest.raises(SecureSumFailed, match="2 inputs"):
        SumSite.new(1, 3, 2, np.random.default_rng(0).bytes).unmask([0])


def test_sealed_shares_open_for_their_receiver_alone():
    random = np.random.default_rng(0).bytes
    a, b, c = (crypto.KeyPair(random(32)) for _ in range(3))
    assert a.agree(b.public, "mask") == b.agree(a.public, "mask") != a.agree(b.public, "channel")
    sealed = crypto.seal(a.agree(b.public, "channel"), b"share", b"ab", random=random)
    assert crypto.unseal(b.agree(a.public, "channel"), sealed, b"ab") == b"share"
    for key, label in ((c.agree(a.public, "channel"), b"ab"), (b.agree(a.public, "channel"), b"ba")):
        with pytest.raises(InvalidTag):
            crypto.unseal(key, sealed, label)


def recovered(shares):
    """The secret that shares {x: value} give, as the aggregator computes it."""
    weights = shamir.lagrange(tuple(sorted(shares)))
    return (sum(weights[x] * y for x, y in shares.items()) % shamir.PRIME).to_bytes(32, "big")


@pytest.mark.parametrize(("threshold", "count"), [(1, 1), (2, 3), (3, 3), (6, 10)])
def test_any_threshold_of_shares_gives_the_secret_and_fewer_do_not(threshold, count):
    random = np.random.default_rng(7).bytes
    secret = random(32)
    shares = shamir.split(secret, threshold=threshold, count=count, random=random)
    for chosen in itertools.combinations(range(1, count + 1), threshold):
        assert recovered({x: shares[x - 1] for x in chosen}) == secret
    if threshold > 1:
        # One share fewer fits every secret: for any other there is a polynomial through the same shares.
        few = {x: shares[x - 1] for x in range(1, threshold)}
        for other in (0, 1, 12345):
            weights = shamir.lagrange((*few, threshold))
            rest = other - sum(weights[x] * y for x, y in few.items())
            few_and_forged = few | {threshold: rest * pow(weights[threshold], -1, shamir.PRIME)}
            assert recovered(few_and_forged) == other.to_bytes(32, "big")


def test_shamir_prime_is_prime():
    p = shamir.PRIME
    odd, power = p - 1, 0
    while odd % 2 == 0:
        odd, power = odd // 2, power + 1
    for base in range(2, 42):  # Miller-Rabin
        x = pow(base, odd, p)
        assert x in (1, p - 1) or any((x := x * x % p) == p - 1 for _ in range(power - 1))


def test_traffic_is_counted_and_grows_as_table_1_says():
    """[Cape] Table 1: O(S + D) for a site, O(S² + SD) for the aggregator; exactly, with these messages."""
    for sites, entries in ((4, 1), (4, 100), (8, 100), (16, 9)):
        result = run(np.zeros((sites, entries)))
        number, sealed, share = 4, 12 + 16 + 2 * shamir.SHARE_BYTES, shamir.SHARE_BYTES
        per_site = 64 + sites * (64 + number) + 2 * (sites - 1) * (sealed + number)
        per_site += 8 * entries + sites * number + sites * (share + number)
        assert result.traffic(0) == (7, per_site)
        assert result.traffic(AGGREGATOR) == (7 * sites, sites * per_site)
        assert traffic(sites, entries) == (per_site, sites * per_site)


@pytest.mark.parametrize(
    ("values", "options", "words"),
    [
        (np.zeros((1, 2)), {}, "values must come from at least 2 sites"),
        ([[1.0], [math.nan]], {}, "values must be finite"),
        (np.zeros((3, 1)), {"clip": 0}, "clip must be a positive finite number, got 0"),
        (np.zeros((3, 1)), {"clip": 1e-300}, "clip must leave room for steps of clip / 2.40"),
        (np.zeros((3, 1)), {"clip": 1e308}, "clip must leave room for steps"),
        (np.zeros((3, 1)), {"threshold": 4}, "threshold must be a whole number from 2 to 3, got 4"),
        (np.zeros((3, 1)), {"threshold": 1}, "threshold must be a whole number from 2 to 3, got 1"),
        (np.zeros((3, 1)), {"rounding": "up"}, "rounding must be one of"),
        (np.zeros((3, 1)), {"silent": {"later": [1]}}, "silent must be one of 'keys'"),
        (
            np.zeros((3, 1)),
            {"silent": {"input": [3]}},
            "silent in round .input. must be a whole",
        ),
    ],
)
def test_bad_arguments_are_named(values, options, words):
    with pytest.raises(ValueError, match=words):
        run(values, **options)
