"""Records divided among sites."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from data import sites


def rng(seed=0):
    return np.random.default_rng(seed)


KINDS = st.sampled_from([None, "even", "skewed", "dirichlet"])


@settings(deadline=None)
@given(st.integers(2, 12), st.integers(0, 200), KINDS, st.integers(0, 9))
def test_every_record_goes_to_exactly_one_site(count, surplus, kind, seed):
    records = np.arange(count + surplus)
    parts = sites.split(records, count, sizes=kind, concentration=0.2, rng=rng(seed))
    assert len(parts) == count
    assert parts.sizes.min() >= 1
    np.testing.assert_array_equal(np.sort(np.concatenate(parts)), records)
    assert parts.dropped == 0


@settings(deadline=None)
@given(st.integers(2, 12), st.integers(0, 200))
def test_equal_sizes_drop_and_count_the_remainder(count, surplus):
    total = count + surplus
    parts = sites.split(np.arange(total), count, sizes="equal", rng=rng())
    assert set(parts.sizes) == {total // count}
    assert parts.dropped == total % count
    assert len(set(np.concatenate(parts))) == total - parts.dropped


def test_even_sizes_differ_by_one_at_most():
    assert np.ptp(sites.split(np.arange(103), 10, rng=rng()).sizes) == 1


def test_given_sizes_are_kept_in_order():
    parts = sites.split(np.arange(10.0), 3, sizes=[5, 1, 4], rng=rng())
    assert parts.sizes.tolist() == [5, 1, 4]
    assert isinstance(parts, list)


@pytest.mark.parametrize("imbalance", [1, 2, 10, 100])
def test_skewed_sizes_have_the_imbalance_asked_for(imbalance):
    n = sites.site_sizes(100_000, 8, sizes="skewed", imbalance=imbalance)
    assert n.sum() == 100_000
    assert n[0] / n[-1] == pytest.approx(imbalance, rel=0.01)
    # Geometric: neighbouring ratios agree.
    np.testing.assert_allclose(n[:-1] / n[1:], imbalance ** (1 / 7), rtol=0.02)


def test_small_concentration_is_more_uneven():
    def mean_spread(concentration):
        options = {"sizes": "dirichlet", "concentration": concentration}
        return np.mean([np.ptp(sites.site_sizes(10_000, 5, **options, rng=rng(i))) for i in range(50)])

    spread = [mean_spread(c) for c in (0.1, 1.0, 100.0)]
    assert spread[0] > 1.3 * spread[1] > 4 * spread[2]


def test_dirichlet_sizes_have_the_laws_first_moments():
    # Var n_1/N = (1/S)(1 − 1/S)/(S c + 1) = 0.04 for S = 5, c = 0.6; 25 % is 4.5 standard errors of 900.
    options = {"sizes": "dirichlet", "concentration": 0.6}
    shares = np.array([sites.site_sizes(10**6, 5, **options, rng=rng(i))[0] for i in range(900)]) / 10**6
    assert shares.mean() == pytest.approx(0.2, abs=5 * 0.2 / np.sqrt(900))
    assert shares.var() == pytest.approx(0.04, rel=0.25)


def test_pairs_stay_together_and_sparse_stays_sparse():
    x = np.arange(20.0)[:, None] * np.ones((1, 3))
    counts = sparse.csr_matrix(x)
    for part, target, words in sites.split((x, np.arange(20), counts), 4, sizes=[2, 3, 5, 10], rng=rng(3)):
        np.testing.assert_array_equal(part[:, 0], target)
        assert sparse.issparse(words)
        np.testing.assert_array_equal(words.toarray(), part)


def test_the_same_seed_deals_the_same_and_another_differently():
    deal = [np.concatenate(sites.split(np.arange(50), 5, rng=rng(s))) for s in (1, 1, 2)]
    np.testing.assert_array_equal(deal[0], deal[1])
    assert (deal[0] != deal[2]).any()


def test_every_record_is_equally_likely_at_the_first_site():
    # 3000 deals to sizes (2, 4): counts ~ Binomial(3000, 1/3); 5σ on 6 counts fails 3e-6 of the time.
    hits = np.zeros(6)
    source = rng(5)
    for _ in range(3000):
        hits[sites.split(np.arange(6), 2, sizes=[2, 4], rng=source)[0]] += 1
    assert abs(hits - 1000).max() < 5 * np.sqrt(3000 * 2 / 9)


def test_group_makes_a_site_of_each_label():
    parts = sites.group(np.arange(6), ["b", "a", "b", "c", "a", "b"])
    assert parts.names == ("a", "b", "c")
    assert [part.tolist() for part in parts] == [[1, 4], [0, 2, 5], [3]]


def test_sites_survive_pickling():
    parts = sites.split(np.arange(11), 2, sizes="equal", rng=rng())
    copy = pickle.loads(pickle.dumps(parts))
    assert copy.dropped == 1
    assert copy.names == parts.names


@settings(deadline=None)
@given(st.integers(2, 60), st.floats(0.01, 0.99))
def test_hold_out_divides_everything_once(total, share):
    halves = sites.hold_out(np.arange(total), share=share, rng=rng())
    assert sorted([*halves.train, *halves.test]) == list(range(total))
    assert min(len(halves.train), len(halves.test)) >= 1
    assert abs(len(halves.test) - share * total) <= 1


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"sites": 1}, "sites must be a whole number of at least 2, got 1"),
        ({"sites": True}, "sites must be"),
        ({"sites": 11}, "at least as many as the 11 sites, got 10"),
        ({"sites": 2, "sizes": [5, 6]}, "sum to the 10 records, got 11"),
        ({"sites": 3, "sizes": [5, 5]}, "sizes must be 3 numbers"),
        ({"sites": 2, "sizes": [0, 10]}, "sizes must be a whole number of at least 1, got 0"),
        ({"sites": 2, "sizes": [2.5, 7.5]}, "sizes must be a whole number"),
        ({"sites": 2, "sizes": "random"}, "sizes must be one of"),
        ({"sites": 2, "sizes": "skewed", "imbalance": 0.5}, "imbalance must be at least 1"),
        ({"sites": 2, "sizes": "dirichlet", "concentration": 0}, "concentration must be"),
    ],
)
def test_bad_divisions_are_refused_in_words(options, words):
    with pytest.raises(ValueError, match=words):
        sites.split(np.arange(10), rng=rng(), **options)


def test_parts_of_different_length_are_refused():
    with pytest.raises(ValueError, match=r"lengths \[4, 3\]"):
        sites.split((np.zeros((4, 2)), np.zeros(3)), 2, rng=rng())
    with pytest.raises(ValueError, match="4 records"):
        sites.group(np.zeros(4), ["a", "b"])
    with pytest.raises(ValueError, match="2 sites"):
        sites.group(np.zeros(2), ["a", "a"])
    with pytest.raises(ValueError, match="2 to hold"):
        sites.hold_out(np.zeros(1), rng=rng())
