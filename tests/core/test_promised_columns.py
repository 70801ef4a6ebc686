"""Several columns as one release: the promised ε against everybody who sees it, and the errors that are stated.

What each observer sees is written down by hand as linear forms of all noise that the protocol draws; 400 releases show
that the noise has this law.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from laws import ALARM, assert_variance
from scipy import stats

from core import Privacy, summaries
from core.privacy import gaussian_mu, gdp_epsilon
from core.schemes import error_of_average, release
from core.summaries import Summary
from core.sweep import search

RELEASES = 400
CHOSEN = (Summary("mean", 0.0, 250.0), Summary("proportion"), Summary("counts", cells=3))
DELTA, LEVEL = 1e-5, 0.2  # The allowed error, of a column's range.
# Sizes of the sites, how many collude with the aggregator, and how many fall silent.
PLANS = (
    ((90, 300), 0, 0),
    ((40, 500, 120, 75, 310), 1, 1),
    ((35, 60, 900, 410, 80, 120, 55, 300, 40, 220, 150, 70), 3, 2),
)
SCHEMES = ("conventional", "cape", "cape-best", "secure")


def columns(sizes, rng):
    return [
        np.column_stack([rng.exponential(60, n), rng.integers(0, 2, n), rng.integers(0, 3, n)]) for n in sizes
    ]


def promised(scheme, sizes, terms):
    """The ε at which 95 % of errors stay within the level, when most are silent."""
    options = {"sites": len(sizes), "samples": sizes, "change": summaries.sensitivity(1, CHOSEN), **terms}

    def error(epsilon):
        return error_of_average(scheme, privacy=Privacy(epsilon, DELTA), dropped=terms["dropouts"], **options)

    return search.solve(error, 1e-3, 50.0, LEVEL)


def forms(found):
    """The messages, and all that is drawn, as rows over all noise at standard deviation one."""
    sites, design = len(found.sites), found.design
    if design is None:  # Nothing is agreed on.
        return np.diag(found.parts.local_std), np.zeros((0, sites))
    shared = np.eye(2 * sites)[:sites] * design.seed_std[:, None]
    local = np.eye(2 * sites)[sites:] * design.local_std[:, None]
    total = design.weights @ shared
    return shared - np.outer(design.correction, total) + local, np.vstack([total, shared, local])


def mu_of(found, sensitivities, known):
    """μ of the worst honest site for an aggregator that also sees all noise of the sites `known`."""
    messages, others = forms(found)
    sites = len(found.sites)
    sent = [s for s in range(sites) if s not in known and found.sites[s] not in found.dropped]
    rows = [messages[sent]]
    if len(others):
        rows += [others[:1], others[[1 + s for s in known]], others[[1 + sites + s for s in known]]]
    seen, mus = np.vstack(rows), []
    for row, s in enumerate(sent):
        change = np.zeros(len(seen))
        change[row] = sensitivities[s]
        noise = np.linalg.lstsq(seen, change, rcond=1e-13)[0]
        assert np.allclose(seen @ noise, change, atol=1e-9 * sensitivities[s])
        mus.append(np.linalg.norm(noise))
    return max(mus)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize(("sizes", "colluding", "dropouts"), PLANS)
def test_the_promised_epsilon_and_errors_hold_in_400_releases(scheme, sizes, colluding, dropouts):
    """False-alarm rate 3e-4 a case: two of `assert_variance`, and one of the share within the interval."""
    rng = np.random.default_rng(len(sizes))
    sites, terms = columns(sizes, rng), {"against": "colluders", "colluding": colluding, "dropouts": dropouts}
    target = Privacy(promised(scheme, sizes, terms), DELTA)
    statistics = np.array([summaries.statistic(x, CHOSEN) for x in sites])
    changes, weights = [summaries.sensitivity(n, CHOSEN) for n in sizes], np.array(sizes) / sum(sizes)
    lost = [gone for r in range(dropouts + 1) for gone in itertools.combinations(range(len(sizes)), r)]
    lost = lost[:: 1 + len(lost) // 8]
    each = -(-RELEASES // len(lost))  # Entries have noise of their own: copies side by side are releases.
    within, errors, drawn = [], [], []
    for gone in lost:
        options = {"scheme": scheme, "rng": rng, "weights": weights, "dropped": gone, **terms}
        found = release(np.tile(statistics, each), changes, target, **options)
        accounted(found, gaussian_mu(target), colluding, scheme)
        left = np.concatenate([x for s, x in enumerate(sites) if s not in gone])
        error = found.value - np.tile(summaries.statistic(left, CHOSEN), each)
        errors.append(error / found.std)
        within.append(np.abs(error) <= LEVEL)
        if found.design is not None and not gone:
            messages, _ = forms(found)
            noise = found.messages - np.tile(statistics, each)
            drawn.append(np.linalg.solve(np.linalg.cholesky(messages @ messages.T), noise))
    assert_variance(np.concatenate(errors), 1.0)
    if drawn:
        assert_variance(drawn, 1.0)
    assert np.sum(within) >= stats.binom.ppf(ALARM, np.size(within), 0.95)


def accounted(found, promised, colluding, scheme):
    """No observer that is planned for learns more than was promised, whoever colludes; exact."""
    for seen in (found.mu_public, found.mu_message, found.mu_aggregator, found.mu(colluding)):
        assert seen <= promised * (1 + 1e-9)
    assert gdp_epsilon(DELTA, promised) == pytest.approx(found.privacy[0].epsilon, rel=1e-6)
    if scheme == "secure":  # Nobody sees a message.
        return
    sites = range(len(found.sites))
    known = list(itertools.combinations(sites, colluding))[:: 1 + math.comb(len(sites), colluding) // 6]
    worst = [
        mu_of(found, found.sensitivities, who) for who in known if len(who) < len(sites) - len(found.dropped)
    ]
    assert max(worst) <= promised * (1 + 1e-9)
    assert found.mu(list(np.array(found.sites)[list(known[0])])) == pytest.approx(worst[0], rel=1e-6)
