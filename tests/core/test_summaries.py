"""Means, proportions, counts and histograms of columns: exact sensitivities, right noise, NumPy's values without it."""

from __future__ import annotations

import itertools
from fractions import Fraction

import laws
import numpy as np
import pytest

from core import Privacy, summaries
from core.parties import Statistic
from core.schemes import average_std, error_of_average, message_std
from core.summaries import Summary

PRIVACY = Privacy(0.8, 1e-5)
SIZES = (3, 5, 12)
MEAN = Summary("mean", -2.0, 6.0)
SHARE = Summary("proportion")
COUNTS = Summary("counts", cells=3)
AGES = Summary("histogram", 0.0, 10.0, cells=4)
# Values that reach both bounds, lie outside of them, and stand on an edge.
VALUES = {"mean": (-9.0, -2.0, 1.5, 6.0), "proportion": (0.0, 1.0), "counts": (0, 1, 2)}
VALUES["histogram"] = (-1.0, 2.5, 4.9, 10.0)
JOINTS = ((MEAN,), (SHARE,), (COUNTS,), (AGES,), (MEAN, COUNTS), (SHARE, AGES, MEAN))


@pytest.mark.parametrize("chosen", JOINTS)
@pytest.mark.parametrize("n", (1, 2))
def test_the_sensitivity_is_the_largest_change_over_all_pairs_of_small_tables(chosen, n):
    """Unscaled means are multiplied by their range: of a mean alone the change is (b − a)/n."""
    records = list(itertools.product(*(VALUES[one.kind] for one in chosen)))
    found = 0.0
    for others in itertools.combinations_with_replacement(records[:: max(1, len(records) // 4)], n - 1):
        sent = [summaries.statistic(np.array([*others, one], float), chosen) for one in records]
        found = max(found, *(np.linalg.norm(a - b) for a, b in itertools.combinations(sent, 2)))
    assert found == pytest.approx(summaries.sensitivity(n, chosen), rel=1e-12)
    each = [summaries.sensitivity(n, one) for one in chosen]
    assert found == pytest.approx(np.linalg.norm(each))


def table(n, rng):
    return np.column_stack(
        [rng.normal(1, 4, n), rng.integers(0, 2, n), rng.integers(0, 3, n), rng.uniform(-2, 12, n)]
    )


def test_without_noise_the_values_are_those_of_numpy():
    rng = np.random.default_rng(3)
    sites = [table(n, rng) for n in SIZES]
    chosen = (MEAN, SHARE, COUNTS, AGES)
    options = {"summaries": chosen, "scheme": "nonprivate", "rng": rng}
    value = summaries.release(sites, None, **options).value
    mean, share, counts, ages = summaries.in_units(value, chosen)
    whole = np.concatenate(sites)
    assert mean[0] == pytest.approx(np.clip(whole[:, 0], -2, 6).mean(), rel=1e-12)
    assert share[0] == pytest.approx(whole[:, 1].mean(), rel=1e-12)
    np.testing.assert_allclose(counts, np.bincount(whole[:, 2].astype(int), minlength=3) / len(whole))
    expected, _ = np.histogram(np.clip(whole[:, 3], 0, 10), bins=4, range=(0, 10))
    np.testing.assert_allclose(ages * len(whole), expected, atol=1e-12)
    close = summaries.release(sites, Privacy(5e5, 1e-5), **options | {"scheme": "cape"}).value
    np.testing.assert_allclose(close, value, atol=0.02)


@pytest.mark.parametrize("cells", (2, 3, 7, 10, 20, 50))
@pytest.mark.parametrize("bounds", ("0 1", "-1 1", "0 0.7", "0.1 0.9", "-0.3 1.2", "36.5 41.5"))
def test_a_record_on_an_end_of_a_bin_is_in_the_bin_above_it(cells, bounds):
    """Every number of two decimals from below the range to above it, against fractions."""
    low, high = map(Fraction, bounds.split())
    typed = [f"{n / 100:.2f}" for n in range(round(100 * low) - 10, round(100 * high) + 11)]
    found = Summary("histogram", float(low), float(high), cells).of(np.array(typed, dtype=float))
    exact = [(Fraction(text) - low) * cells // (high - low) for text in typed]
    assert found.argmax(axis=1).tolist() == [min(max(int(place), 0), cells - 1) for place in exact]


def test_tenths_are_in_ten_bins():
    found = Summary("histogram", 0, 1, 10).of(np.arange(10) / 10).sum(axis=0)
    assert found.tolist() == [1] * 10


@pytest.mark.parametrize("scheme", ("local", "conventional", "cape", "pooled"))
def test_each_part_of_a_joint_release_has_the_noise_that_is_stated(scheme):
    """False-alarm rate 1e-4 a part; 2/3 and 3/2 of the noise are rejected."""
    rng = np.random.default_rng(4)
    sites = [table(n, rng) for n in SIZES]
    chosen = (MEAN, SHARE, COUNTS, AGES)
    at = sites[:1] if scheme == "local" else sites
    true = summaries.in_units(summaries.statistic(np.concatenate(at), chosen), chosen)
    stated = summaries.standard_errors(scheme, sizes=SIZES, privacy=PRIVACY, summaries=chosen)
    errors = [[] for _ in chosen]
    for _ in range(100):
        got = summaries.release(sites, PRIVACY, summaries=chosen, scheme=scheme, rng=rng)
        for left, part, right in zip(errors, summaries.in_units(got.value, chosen), true, strict=True):
            left.append(part - right)
    for left, std in zip(errors, stated, strict=True):
        laws.assert_variance(np.concatenate(left), std**2)


@pytest.mark.parametrize("scheme", ("local", "conventional", "cape", "pooled"))
def test_the_error_of_an_average_is_that_of_a_summary_alone(scheme):
    for one in (MEAN, SHARE, COUNTS, AGES):
        std = summaries.standard_errors(scheme, sizes=SIZES, privacy=PRIVACY, summaries=one)[0]
        found = error_of_average(scheme, sites=3, samples=SIZES, privacy=PRIVACY, change=one.change)
        assert found * one.span == pytest.approx(1.959964 * std)
    equal = error_of_average(scheme, sites=3, samples=(7, 7, 7), privacy=PRIVACY)
    assert equal == error_of_average(scheme, sites=3, samples=7, privacy=PRIVACY)


@pytest.mark.parametrize("scheme", ("local", "conventional", "cape", "secure"))
def test_the_error_with_silent_sites_is_that_of_the_worst_set_of_them(scheme):
    sizes, terms = (30, 400, 90, 250, 60), {"against": "aggregator", "dropouts": 2}
    _, std = message_std(1 / np.array(sizes, dtype=float), PRIVACY)
    weights = np.array(sizes) / sum(sizes)
    lost = [()] if scheme == "local" else itertools.combinations(range(5), 2)  # One site alone loses nobody.
    worst = max(average_std(scheme, std, weights, dropped=gone, **terms) for gone in lost)
    found = error_of_average(scheme, sites=5, samples=sizes, privacy=PRIVACY, dropped=2, **terms)
    assert found == pytest.approx(1.959964 * worst, rel=1e-9)


@pytest.mark.parametrize(
    ("make", "name"),
    (
        (lambda: Summary("mean", 2.0, 2.0), "upper"),
        (lambda: Summary("counts", cells=1), "cells"),
        (lambda: Summary("mean", cells=2), "cells"),
        (lambda: Summary("proportion", 0.0, 3.0), "lower"),
        (lambda: COUNTS.of([0, 3]), "values"),
        (lambda: COUNTS.of([0.5]), "values"),
        (lambda: summaries.statistic(np.ones((2, 2)), (MEAN,)), "values"),
        (lambda: summaries.in_units(np.ones(2), (MEAN,)), "average"),
        (lambda: summaries.standard_errors("cape", sizes=[4], privacy=PRIVACY, summaries=MEAN), "sizes"),
        (lambda: error_of_average("cape", sites=3, samples=(1, 2), privacy=PRIVACY), "samples"),
    ),
)
def test_what_does_not_fit_is_refused_by_name(make, name):
    with pytest.raises(ValueError, match=name):
        make()


def test_discrete_noise_has_room_for_the_sum_of_floats_as_parties_have():
    chosen, rng = (MEAN, COUNTS), np.random.default_rng(6)
    sites = [table(n, rng)[:, [0, 2]] for n in (200, 3000)]
    options = {"summaries": chosen, "scheme": "conventional", "rng": rng}
    found = [summaries.release(sites, PRIVACY, noise=noise, **options) for noise in ("iid", "discrete")]
    stated = Statistic("summaries", (4,), parts=chosen)
    for n, exact, room in zip((200, 3000), *(one.sensitivities for one in found), strict=True):
        assert room == stated.sensitivity(n, stated.change, discrete=True) > exact
        assert exact == stated.sensitivity(n, stated.change, discrete=False)
