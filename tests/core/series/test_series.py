"""Series of releases: what is learnt against the joint law of sites × months, strategies, and errors of queries."""

import itertools
import math

import numpy as np
import pytest
from series_laws import allowed, learned, random_series

from core.privacy import Privacy, gdp_mu
from core.series import (
    Participation,
    Series,
    best_buffer,
    independent,
    one_buffer,
    queries,
    scaled,
    square_root,
    strategy,
    tree,
)


def test_what_is_stated_bounds_the_joint_law_of_sites_and_months():
    """500 random settings: signs, colluders of single months, silent sites that differ by month, unequal own noise."""
    rng, closest = np.random.default_rng(0), 0.0
    for _ in range(500):
        series = random_series(rng, cap=float(rng.uniform(2, 30)))
        s, k = series.sites, series.strategy.months
        c = int(rng.integers(0, s - 1))
        r = int(rng.integers(0, (s - c - 1) // 2 + 1))
        shares = tuple(rng.uniform(0.3, 3, s)) if rng.random() < 0.5 else None
        options = {"colluding": c, "dropouts": r, "cap": series.cap, "shares": shares}
        series = Series(strategy=series.strategy, sites=s, mu=1.0, **options)
        senders = np.ones((k, s))
        for row in senders:
            row[rng.choice(s, r, replace=False)] = 0
        # Who colludes in a month gives up the coins that it still keeps: û of that month, and all g until then.
        known = [
            (site, month)
            for site in rng.choice(np.arange(1, s), min(c, s - 1), replace=False)
            for month in range(int(rng.integers(1, k + 1)))
        ]
        x = allowed(series, rng)
        right = learned(series, x, senders, known)
        assert right <= series.mu_of(x) * (1 + 1e-7) <= 1 + 1e-6
        closest = max(closest, right / series.mu_of(x))
    assert closest > 0.95


def test_nobody_silent_is_exact():
    """Sites times months: √(‖x‖²/D + ‖Cx‖²/(γh)) is what the joint law says."""
    rng = np.random.default_rng(1)
    for _ in range(50):
        series = random_series(rng, cap=float(rng.uniform(2, 30)))
        senders = np.ones((series.strategy.months, series.sites))
        x = allowed(series, rng)
        assert learned(series, x, senders) == pytest.approx(series.mu_of(x), rel=1e-7)


def test_honest_senders_are_not_what_hides_when_they_differ_by_month():
    """A counterexample to h − r in the place of (h − r)²/h: the noise of a month's silent site still tells of another's."""
    person = Participation(2, 2)
    worst = 0.0
    for b in (-0.9, -0.7, -0.5, 0.5, 0.9):
        series = Series(
            strategy=scaled(np.array([[1.0, 0.0], [b, 1.0]]), person), sites=3, mu=1.0, dropouts=1, cap=1e4
        )
        for first, second in itertools.permutations(range(3), 2):
            senders = np.ones((2, 3))
            senders[0, first] = senders[1, second] = 0
            for x in ([1.0, 1.0], [1.0, -1.0]):
                right = learned(series, np.array(x), senders)
                assert right <= series.mu_of(x) * (1 + 1e-7)
                moved = float(np.sum((series.strategy.matrix @ np.array(x)) ** 2))
                worst = max(worst, right / math.sqrt(2 / series.fresh + moved / (series.own * 2)))
    assert worst > 1.02


@pytest.mark.parametrize("months", range(1, 13))
def test_sensitivity_is_the_worst_of_all_patterns_and_signs(months):
    """All 3^K vectors of −1, 0 and 1 at once; a participation allows those with few months that are far enough apart."""
    rng = np.random.default_rng(months)
    root = rng.normal(size=(months, months))
    gram, steps = root.T @ root, np.arange(3**months)
    x = np.stack([steps // 3**k % 3 - 1 for k in range(months)], axis=1).astype(np.int8)
    x = x[steps >= 3**months // 2]  # Of x and −x one is enough.
    values = np.concatenate([np.einsum("nk,nk->n", part @ gram, part) for part in np.array_split(x, 8)])
    size, gap = np.abs(x).sum(axis=1), np.full(len(x), months)
    for apart in range(months - 1, 0, -1):
        gap[(x[:, apart:] * x[:, :-apart] != 0).any(axis=1)] = apart
    for most, apart in itertools.product(range(1, months + 1), range(1, min(months, 4) + 1)):
        person = Participation(months, most, apart)
        brute = values[(size <= most) & (gap >= apart)].max()
        assert person.sensitivity(gram) == pytest.approx(math.sqrt(brute), rel=1e-12)
        assert person._chained(np.abs(gram)) >= brute * (1 - 1e-12)


def test_many_patterns_have_a_bound():
    person = Participation(60, 20)
    assert not person.few
    assert person.sensitivity(np.eye(60)) == pytest.approx(math.sqrt(20), rel=1e-12)
    with pytest.raises(ValueError, match="patterns"):
        strategy(queries("totals", 60), person)


@pytest.mark.parametrize(
    "months, kind, of_months, of_totals",
    [(12, "totals", 1.363, 1.607), (12, "months and totals", 1.053, 1.852), (36, "totals", 1.522, 1.927)],
)
def test_strategies_of_one_participation(months, kind, of_months, of_totals):
    """Root mean square errors, as two independent solvers of semidefinite programs have them to four digits."""
    found = strategy(queries(kind, months), Participation(months, 1))
    assert found.gap < 2e-4
    each, totals = np.eye(months), queries("totals", months)
    assert math.sqrt(found.variances(each).mean()) == pytest.approx(of_months, rel=1e-3)
    assert math.sqrt(found.variances(totals).mean()) == pytest.approx(of_totals, rel=1e-3)
    # A share of the sensitivity for every month: nobody's records move more than 1.
    assert np.linalg.norm(found.matrix, axis=0).max() == pytest.approx(1, rel=1e-9)


def test_no_random_strategy_is_better_than_the_certified_bound():
    rng = np.random.default_rng(2)
    person, asked = Participation(5, 2, 2), queries("totals", 5)
    for criterion, summary in (("mean", np.mean), ("largest", np.max)):
        found = strategy(asked, person, criterion=criterion)
        least = summary(found.variances(asked)) / (1 + found.gap)
        assert found.gap < 2e-3
        for _ in range(300):
            other = scaled(
                found.matrix + np.tril(rng.normal(0, 0.2, (5, 5)), -1) + np.diag(rng.uniform(0, 0.2, 5)),
                person,
            )
            assert summary(other.variances(asked)) >= least * (1 - 1e-9)


def test_in_all_months_correlation_wins_next_to_nothing():
    """Running totals: 8.83 independent, 8.45 at best; square root and tree are worse than nothing."""
    person, totals = Participation(12, 12), queries("totals", 12)

    def rms(one):
        return math.sqrt(one.variances(totals).mean())

    best = strategy(totals, person)
    errors = [rms(one) for one in (best, independent(person), square_root(person), tree(person))]
    assert errors == pytest.approx([8.45, 8.83, 12.28, 14.46], rel=2e-3)


def test_a_buffer_of_one_number_is_near_the_best():
    totals = queries("totals", 12)
    person = Participation(12, 1)
    largest = [
        math.sqrt(one.variances(totals).max())
        for one in (best_buffer(totals, person), strategy(totals, person, criterion="largest"))
    ]
    assert largest[1] <= largest[0] < 1.16 * largest[1]
    # Month by month with one number of memory, as a site without a horizon does.
    buffer, rng = one_buffer(person, amplitude=0.6, decay=0.8), np.random.default_rng(0)
    z = rng.standard_normal(12)
    scale = buffer.matrix[0, 0]
    kept, noise, last = 0.0, [], 0.0
    for value in z:
        kept = 0.8 * kept + last
        last = value / scale - 0.6 * kept
        noise.append(last)
    assert np.allclose(noise, buffer.inverse @ z, rtol=1e-10)


@pytest.mark.parametrize(
    "kind, expected",
    [
        ("independent", [(1.0, 2.56), (1.18, 3.0), (1.4, 3.58)]),
        ("months and totals", [(1.06, 1.86), (1.24, 2.30), (1.48, 2.89)]),
        ("totals", [(1.37, 1.62), (1.60, 2.25), (1.91, 3.06)]),
    ],
)
def test_ten_sites_and_silent_ones(kind, expected):
    """Root mean square errors of months and totals, in units of a curator's month; r silent sites a month."""
    person, each, totals = Participation(12, 1), np.eye(12), queries("totals", 12)
    chosen = independent(person) if kind == "independent" else strategy(queries(kind, 12), person)
    for dropouts, right in enumerate(expected):
        series = Series(strategy=chosen, sites=10, mu=1.0, dropouts=dropouts)
        found = [10 * math.sqrt(series.expected(asked).mean()) for asked in (each, totals)]
        assert found == pytest.approx(right, abs=0.01)


def test_a_year_at_one_and_ten_to_the_minus_five():
    """Units of range/N: a person once 9.6 independent and 6.0 correlated, in all months 33."""
    mu, totals = gdp_mu(Privacy(1.0, 1e-5)), queries("totals", 12)
    once, always = Participation(12, 1), Participation(12, 12)

    def rms(one):
        return 10 * math.sqrt(Series(strategy=one, sites=10, mu=mu).variances(totals).mean())

    errors = [rms(one) for one in (independent(always), independent(once), strategy(totals, once))]
    assert errors == pytest.approx([33.1, 9.55, 6.0], rel=0.012)


def test_a_month_is_released_once_and_by_those_that_were_planned():
    series = Series(strategy=independent(Participation(2, 1)), sites=4, mu=1.0, dropouts=1)
    running = series.begin(rng=np.random.default_rng(0))
    with pytest.raises(ValueError, match="silent"):
        running.release(np.zeros(4), silent=(0, 1))
    for _ in range(2):
        running.release(np.zeros(4), silent=(0,))
    with pytest.raises(ValueError, match="month"):
        running.release(np.zeros(4))
    with pytest.raises(ValueError, match="dropouts"):
        Series(strategy=independent(Participation(2, 1)), sites=4, mu=1.0, dropouts=2)


def test_a_lost_history_counts_as_a_colluder():
    chosen = strategy(queries("totals", 6), Participation(6, 1))
    lost = Series(strategy=chosen, sites=6, mu=1.0, lost=1)
    known = Series(strategy=chosen, sites=6, mu=1.0, colluding=1)
    assert lost.own == known.own > Series(strategy=chosen, sites=6, mu=1.0).own
