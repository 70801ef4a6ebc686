"""The joint law of everything that is seen of a series: sites × months, dense, by brute force."""

import itertools
import math

import numpy as np

from core.series import Participation, Series, scaled


def learned(series, pattern, senders, known=(), restarts=None):
    """μ of a person at site 0 from the joint Gaussian of all months' messages, revealed sums and colluders' coins.

    `restarts` has the sites that lost their history, and before which month.
    """
    k, s = senders.shape
    size = s * k
    fresh, own = np.eye(2 * size)[:size].reshape(s, k, -1), np.eye(2 * size)[size:].reshape(s, k, -1)
    scale = np.concatenate(
        [np.full(size, math.sqrt(series.fresh)), np.repeat(np.sqrt(series.own * series.proportions), k)]
    )
    restarts = restarts or {}
    inverse = [series.strategy.restarted(restarts.get(site, k)) for site in range(s)]
    correlated = np.einsum("skl,sln->skn", np.array(inverse), own)
    rows, moves = [], []
    for month, site in itertools.product(range(k), range(s)):
        rows.append(fresh[site, month])
        moves.append(pattern[month] if site == 0 else 0.0)
    for month in range(k):
        rows.append((senders[month][:, None] * (fresh - correlated)[:, month]).sum(axis=0))
        moves.append(0.0)
    for site, month in known:
        rows += [fresh[site, month], own[site, month]]
        moves += [0.0, 0.0]
    rows, moves = np.array(rows) * scale, np.array(moves)
    norms = np.linalg.norm(rows, axis=1)
    unit = rows / norms[:, None]
    values, vectors = np.linalg.eigh(unit @ unit.T)
    kept = values > 1e-9
    return math.sqrt((((vectors.T @ (moves / norms))[kept]) ** 2 / values[kept]).sum())


def random_series(rng, **options):
    months, sites = int(rng.integers(1, 6)), int(rng.integers(3, 7))
    person = Participation(
        months, int(rng.integers(1, months + 1)), int(rng.integers(1, 3)) if months > 1 else 1
    )
    lower = np.tril(rng.normal(0, 0.5, (months, months)), -1) + np.diag(rng.uniform(0.5, 2, months))
    return Series(strategy=scaled(lower, person), sites=sites, mu=1.0, **options)


def allowed(series, rng, unit=False):
    rows = series.strategy.participation.patterns
    return rows[rng.integers(len(rows))] * (1.0 if unit else rng.choice([-1.0, 1.0, 0.4], rows.shape[1]))
