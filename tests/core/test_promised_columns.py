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
from core.schemes import error_of_average
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


def forms(release):
    """The messages and the broadcast sum as rows over all noise that is drawn, at standard deviation one."""
    sites, design = len(release.sites), release.design
    if design is None:  # Nothing is agreed on.
        return np.diag(release.parts.local_std), np.zeros((0, sites))
    shared = np.eye(2 * sites)[:sites] * design.seed_std[:, None]
    local = np.eye(2 * sites)[sites:] * design.local_std[:, None]
    total = design.weights @ shared
    return shared - np.outer(design.correction, total) + local, np.vstack([total, shared, local])


def mu_of(release, sensitivities, known):
    """μ of the worst honest site for an aggregator that also sees all noise of the sites `known`."""
    messages, others = forms(release)
    sites = len(release.sites)
    sent = [s for s in range(sites) if s not in known and release.sites[s] not in release.dropped]
    rows = [messages[sent]]
    if len(others):
        rows += [others[:1], others[[1 + s for s in known]], others[[1 + sites + s for s in known]]]
    seen = np.vstack(rows)
    found = []
    for row, s in enumerate(sent):
        change = np.zeros(len(seen))
        change[row] = sensitivities[s]
        noise = np.linalg.lstsq(seen, change, rcond=1e-13)[0]
        assert np.allclose(seen @ noise, change, atol=1e-9 * sensitivities[s])
        found.append(np.linalg.norm(noise))
    return max(found)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize(("sizes", "colluding", "dropouts"), PLANS)
def test_the_promised_epsilon_and_errors_hold_in_400_releases(scheme, sizes, colluding, dropouts):
    """False-alarm rate 3e-4 a case: two of `assert_variance`, and one of the share within the interval."""
    rng = np.random.default_rng(len(sizes))
    sites, terms = columns(sizes, rng), {"against": "colluders", "colluding": colluding, "dropouts": dropouts}
    epsilon = promised(scheme, sizes, terms)
    target = Privacy(epsilon, DELTA)
    options = {"summaries": CHOSEN, "scheme": scheme, "rng": rng, **terms}
    within, errors, drawn = [], [], []
    lost = [gone for r in range(dropouts + 1) for gone in itertools.combinations(range(len(sizes)), r)]
    promised_mu, checked = gaussian_mu(target), set()
    truth = {}
    for release in range(RELEASES):
        gone = lost[release % len(lost)]
        found = summaries.release(sites, target, dropped=gone, **options)
        if gone not in checked:
            left = [x for s, x in enumerate(sites) if s not in gone]
            truth[gone] = summaries.statistic(np.concatenate(left), CHOSEN)
            checked.add(gone)
            accounted(found, promised_mu, colluding, scheme)
        error = found.value - truth[gone]
        errors.append(error / found.std)
        within.append(np.abs(error) <= LEVEL)
        if found.design is not None and not gone:
            noise = found.messages - np.array([summaries.statistic(x, CHOSEN) for x in sites])
            messages, _ = forms(found)
            drawn.append(np.linalg.solve(np.linalg.cholesky(messages @ messages.T), noise))
    assert_variance(errors, 1.0)
    if drawn:
        assert_variance(drawn, 1.0)
    least = stats.binom.ppf(ALARM, np.size(within), 0.95)
    assert np.sum(within) >= least


def accounted(found, promised, colluding, scheme):
    """No observer that is planned for learns more than was promised, whoever colludes; exact."""
    for seen in (found.mu_public, found.mu_message, found.mu_aggregator, found.mu(colluding)):
        assert seen <= promised * (1 + 1e-9)
    assert gdp_epsilon(DELTA, promised) == pytest.approx(found.privacy[0].epsilon, rel=1e-6)
    if scheme == "secure":  # Nobody sees a message.
        return
    sites = range(len(found.sites))
    known = list(itertools.combinations(sites, colluding))[:: 1 + math.comb(len(sites), colluding) // 20]
    worst = [
        mu_of(found, found.sensitivities, who) for who in known if len(who) < len(sites) - len(found.dropped)
    ]
    assert max(worst) <= promised * (1 + 1e-9)
    assert found.mu(list(np.array(found.sites)[list(known[0])])) == pytest.approx(worst[0], rel=1e-6)
