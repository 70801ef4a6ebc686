"""Claims about series that look right and are wrong, each with the counterexample that refutes it.

===========================================================  ======================================================
claim                                                        refuted by
===========================================================  ======================================================
silent sites lower what is learnt, month by month            test_silent_sites_that_differ_by_month_are_not_credited
h − r honest senders hide a person in correlated months      test_series.py, test_honest_senders_are_not_what_hides…
the colluders of the worst month are enough                  test_the_most_colluders_of_one_month_are_not_enough
of unequal noise the mean γ hides                            test_the_mean_of_unequal_noise_is_not_what_hides
a lost history is a new block and no more                    test_a_lost_history_is_more_than_a_new_block
a month may be sent again with its noise                     test_the_same_noise_with_another_set_of_senders_…
the sensitivity has no signs                                 test_signs_of_a_persons_changes_count
a target for one message survives feedback                   test_a_target_for_one_message_does_not_survive_feedback
zero-sum noise is correlated with advantage, too             test_correlating_the_zero_sum_noise_is_worse_…
C⁻¹ of whole numbers is as private as of real ones           test_correlated_whole_numbers_betray_a_record_…
and if each site rounds it                                   test_correlated_whole_numbers_that_are_rounded_…
the best noise for one query is good for others              test_the_best_for_one_query_ruins_another
square root and tree are better than nothing in all months   test_series.py, test_in_all_months_correlation_wins_…
===========================================================  ======================================================
"""

import itertools
import math

import numpy as np
import pytest
import scipy
from party_plans import plan as party_plan
from series_laws import allowed, learned, random_series

from core.parties import SeriesTerms
from core.privacy import gdp_delta
from core.schemes.noise_design import NoiseDesign
from core.series import Participation, Series, independent, queries, scaled, strategy

TWICE = Participation(2, 2)


def two(b, *, sites, **options):
    """Two months, C with one number below its diagonal; û so large that the sums alone tell."""
    lower = scaled(np.array([[1.0, 0.0], [b, 1.0]]), TWICE)
    return Series(strategy=lower, sites=sites, mu=1.0, cap=1e4, **options)


def moved(series, x):
    return float(np.sum((series.strategy.matrix @ x) ** 2))


def test_silent_sites_that_differ_by_month_are_not_credited():
    """The published order: each silent site lowers what is learnt of a month alone, and not what is learnt of a series.

    Month by month T, and y = f + C⁻¹(ê − T/S + g) of those that send. Σ (Cx)²ℓ with the ℓ of a month and its silent sites
    is exceeded; with the ℓ of a month in which all send, never: 300 random settings.
    """
    rng, exceeded, worst = np.random.default_rng(5), 0, 0.0
    for _ in range(300):
        series = random_series(rng)
        months, s, moved_by = series.strategy.months, series.sites, allowed(series, rng)
        d = s * math.exp(rng.uniform(-2, 3))
        senders = np.ones((months, s), dtype=bool)
        for row in senders:
            row[rng.choice(np.arange(1, s), int(rng.integers(0, s - 1)), replace=False)] = False
        ones = np.ones(s)
        one = NoiseDesign(ones, ones / s, 1.0, ones, ones, seed_std=np.full(s, math.sqrt(d)))
        squares = (series.strategy.matrix @ moved_by) ** 2
        credited = sum(
            c * one.leakage(1.0, dropped=np.flatnonzero(~row).tolist())[0]
            for c, row in zip(squares, senders, strict=True)
        )
        right = published(series, moved_by, senders, d)
        assert right <= squares.sum() * one.leakage(1.0)[0] * (1 + 1e-7)
        exceeded, worst = exceeded + (right > credited * (1 + 1e-7)), max(worst, right / credited)
    assert exceeded > 20 and worst > 1.35


def published(series, pattern, senders, d):
    """μ² of a person at site 0 from all T, and the messages of those that send; ê of variance d, g of 1."""
    k, s = senders.shape
    coins = np.eye(2 * s * k).reshape(2, s, k, -1)
    seed, own = math.sqrt(d) * coins[0], coins[1]
    total = seed.sum(axis=0)
    sent = np.einsum("kl,sln->skn", series.strategy.inverse, seed - total / s + own)
    site, month = np.nonzero(senders.T)
    rows = np.vstack([total, sent[site, month]])
    moves = np.concatenate([np.zeros(k), np.where(site == 0, pattern[month], 0.0)])
    return moves @ np.linalg.solve(rows @ rows.T, moves)


def test_the_most_colluders_of_one_month_are_not_enough():
    """One site colludes in each of two months, others: c = 1 is exceeded, their union c = 2 is not."""
    worst, senders, x = 0.0, np.ones((2, 4)), np.array([1.0, 1.0])
    for b in (-0.5, 0.5):
        few, union = two(b, sites=4, colluding=1), two(b, sites=4, colluding=2)
        for series in (few, union):
            right = learned(series, x, senders, [(1, 0), (2, 0), (2, 1)])
            if series is union:
                assert right <= series.mu_of(x) * (1 + 1e-7)
            else:
                worst = max(worst, right / series.mu_of(x))
    assert worst > 1.1


def test_the_mean_of_unequal_noise_is_not_what_hides():
    """The largest share is of the site that drops out: the mean γ claims several times less than is learnt."""
    x, senders = np.array([1.0, 0.0]), np.ones((2, 4))
    senders[:, 3] = 0
    series = two(0.5, sites=4, dropouts=1, shares=(1.0, 1.0, 1.0, 30.0))
    right = learned(series, x, senders)
    claimed = math.sqrt(1 / series.fresh + moved(series, x) / (series.own * (4 - 1) ** 2 / 4))
    assert right <= series.mu_of(x) * (1 + 1e-7) and right**2 > 4 * claimed**2


def test_a_lost_history_is_more_than_a_new_block():
    """Begun anew without counting as a colluder, it tells more than is stated; counted, never: 300 random settings."""
    rng, worst = np.random.default_rng(4), 0.0
    for _ in range(300):
        plain = random_series(rng, cap=1e4)
        months, sites = plain.strategy.months, plain.sites
        counted = Series(strategy=plain.strategy, sites=sites, mu=1.0, cap=1e4, lost=1)
        x, site = allowed(plain, rng), int(rng.integers(1, sites))
        restarts, senders = {site: int(rng.integers(0, months))}, np.ones((months, sites))
        assert learned(counted, x, senders, restarts=restarts) <= counted.mu_of(x) * (1 + 1e-7)
        worst = max(worst, learned(plain, x, senders, restarts=restarts) / plain.mu_of(x))
    assert 1.01 < worst < 1.3


def test_the_same_noise_with_another_set_of_senders_tells_eight_times_as_much():
    """Month 1 sent again by all but one of ten sites: the difference of both sums is that site's f + g alone."""
    series = Series(strategy=independent(Participation(1, 1)), sites=10, mu=1.0, dropouts=1)
    covariance = series.own * np.array([[10.0, 9.0], [9.0, 9.0]])
    seen = np.array([1.0, 0.0])  # The person is at the site that is left out the second time.
    squared = 2 / series.fresh + seen @ np.linalg.solve(covariance, seen)
    assert squared > 8 * series.mu_of([1.0]) ** 2


def test_signs_of_a_persons_changes_count():
    """A person who raises one month and lowers the next moves C x further than one who raises both."""
    gram = np.array([[1.0, -0.5], [-0.5, 1.0]])
    unsigned = max(float(x @ gram @ x) for x in (np.ones(2), np.eye(2)[0], np.eye(2)[1]))
    assert TWICE.sensitivity(gram) ** 2 == pytest.approx(3.0) and unsigned == pytest.approx(1.0)


def test_a_target_for_one_message_does_not_survive_feedback():
    """The site's second month depends on the first average: whoever sees only its messages then knows that average, too."""
    sites, fresh, own = 10, 10.0, 0.1
    alone = 1 / (fresh + own)
    covariance = np.array([[fresh + own, own], [own, sites * own]])
    together = np.ones(2) @ np.linalg.solve(covariance, np.ones(2))
    assert together > 8 * alone


def test_data_that_are_chosen_by_earlier_averages_learn_no_more():
    """A person whose second change goes against the first average: δ of 400 000 draws below the stated, and near it."""
    series = Series(strategy=scaled(np.array([[1.0, 0.0], [-0.6, 1.0]]), TWICE), sites=5, mu=1.0, cap=1e6)
    c, rng = series.strategy.matrix, np.random.default_rng(0)
    # Sums times C: C x + z of variance γ h; under the neighbour there is no x.
    std = math.sqrt(series.own * series.honest)
    z = std * rng.standard_normal((2, 400_000))
    first = c[0, 0] + z[0]
    second = np.where(first > 0, -1.0, 1.0)
    means = np.array([np.full(len(first), c[0, 0]), c[1, 0] + c[1, 1] * second])
    loss = ((means + z) * means / std**2 - means**2 / (2 * std**2)).sum(axis=0)
    for epsilon in (0.2, 1.0):
        lost = np.maximum(0, 1 - np.exp(epsilon - loss))
        error = 5 * lost.std() / math.sqrt(len(lost))
        stated = float(gdp_delta(epsilon, 1.0))
        assert 0.5 * stated < lost.mean() - error < lost.mean() <= stated + error


def test_correlated_whole_numbers_betray_a_record_by_their_support():
    """C⁻¹ = [[1, 0], [−½, 1]]: whether 2 y₂ + y₁ is even says what month 1 was, for certain; a plan refuses it."""
    whole = range(-6, 7)

    def support(f):
        return {(f + a, b - a / 2) for a, b in itertools.product(whole, whole)}

    assert support(0).isdisjoint(support(1))
    matrix = np.linalg.inv([[1.0, 0.0], [-0.5, 1.0]])
    with pytest.raises(ValueError, match="series"):
        party_plan(3, "conventional", noise="discrete", series=SeriesTerms(2, 2, matrix=matrix))
    assert (
        party_plan(3, "conventional", noise="discrete", series=SeriesTerms(2, 2, matrix=np.eye(2))).series
        is not None
    )


@pytest.mark.parametrize("sites", [1, 3])
def test_correlated_whole_numbers_that_are_rounded_tell_more_than_is_stated(sites):
    """The same C⁻¹, every site rounds z₂ − z₁/2: the exact δ(0.5) of a person in month 1, and the continuous one."""
    std, bound = 2.0, 16
    z = np.arange(-bound, bound + 1)
    chance = np.exp(-(z**2) / (2 * std**2))
    chance /= chance.sum()
    first, second = np.meshgrid(z, z, indexing="ij")
    law = np.zeros((2 * bound + 1, 4 * bound + 1))
    np.add.at(
        law, (first + bound, np.rint(second - first / 2).astype(int) + 2 * bound), np.outer(chance, chance)
    )
    summed = law
    for _ in range(sites - 1):
        summed = scipy.signal.fftconvolve(summed, law)
    summed = np.pad(np.maximum(summed, 0.0), 1)
    exact = np.maximum(summed - math.exp(0.5) * np.roll(summed, 1, axis=0), 0.0).sum()
    stated = float(gdp_delta(0.5, math.sqrt(1.25 / sites) / std))  # C = [[1, 0], [½, 1]], x = (1, 0).
    assert exact > 2 * stated


def test_the_best_for_one_query_ruins_another():
    """Noise for whole moving years has over seven times the error on months; that for months and totals 5 % more."""
    person = Participation(36, 1)
    years = queries("window", 36, window=12)[11:]

    def months(asked):
        return math.sqrt(strategy(asked, person).variances(np.eye(36)).mean())

    assert months(years) > 7 and months(queries("months and totals", 36)) < 1.1


def test_correlating_the_zero_sum_noise_is_worse_than_none_when_sites_drop_out():
    """Running total of ten sites, one silent a month, the published order: what stays of D is correlated, and adds up.

    In month k the average of those that sent has Σ_A (C⁻¹(ê + g))_k / 9: over months the silent sites differ.
    """
    person, months, sites = Participation(12, 1), 12, 10
    totals = queries("totals", months)

    def least(chosen):
        """Root mean square error of totals at the best amplitude of one release, in units of a curator's month."""
        found = []
        for a in np.geomspace(0.01, 100, 401):
            gamma = (1 + a) / (1 + sites * a)  # μ² = (1 + D/(γS)) / (D + γ) = 1, D = aSγ.
            d = a * sites * gamma
            # Of the zero-sum part minus the silent site's stays, of variance D (1 − 1/S); the silent sites of two months
            # are the same one time in S, so that its covariance over months is 0 on average.
            over = np.full((months, months), gamma / sites)
            np.fill_diagonal(over, (gamma + d / sites) / (sites - 1))
            variances = np.einsum("nk,kl,nl->n", totals, chosen.covariance * over, totals)
            found.append(sites * math.sqrt(variances.mean()))
        return min(found)

    errors = [least(strategy(totals, person)), least(independent(person))]
    assert errors == pytest.approx([5.26, 5.10], abs=0.02)
