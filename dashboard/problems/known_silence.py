"""Which sites' silence moves an average of known records, and how far: the difference of those that are missing."""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from scipy.special import ndtr

from core.schemes import Request, Terms, named
from core.schemes.silence import noise_left
from core.schemes.sites import sites_of

MOST_SETS = 300  # Sets of silent sites that are all tried; of more, those that move the average most.


def apart(averages: np.ndarray, weights: np.ndarray, silent: Collection[int] = ()) -> np.ndarray:
    """The average of the sites that send minus that of all, shape (cells,).

    Parameters
    ----------
    averages : array of shape (S,) or (S, cells)
    weights : array of shape (S,)
        Σ w_s = 1.
    silent : collection of int
        Sites that send nothing; those left have the weights w_s / Σ w_s.
    """
    away = np.reshape(averages, (len(averages), -1))
    left = np.array(weights, dtype=float)
    left[list(silent)] = 0.0
    return (left / left.sum() - weights) @ away if len(silent) else np.zeros(away.shape[1])


def sets_of(
    averages: np.ndarray, weights: np.ndarray, most: int, also: Iterable[tuple[int, ...]] = ()
) -> tuple[list[tuple[int, ...]], bool]:
    """Sets of at most so many silent sites, and whether these are all; else those farthest in a cell, and `also`."""
    count = len(weights)
    if sum(math.comb(count, k) for k in range(most + 1)) <= MOST_SETS:
        return [lost for k in range(most + 1) for lost in itertools.combinations(range(count), k)], True
    cells = np.reshape(averages, (count, -1)).T
    found = {_farthest(way * cell, weights, most) for cell in cells for way in (1, -1)}
    return [(), *sorted(found | {*also})], False


def farthest(averages: np.ndarray, weights: np.ndarray, most: int) -> np.ndarray:
    """The largest |average of those that send minus that of all|, whichever so many sites are silent: shape (cells,)."""
    cells = np.reshape(averages, (len(weights), -1)).T
    ends = [
        [abs(apart(cell, weights, _farthest(way * cell, weights, most))[0]) for way in (1, -1)]
        for cell in cells
    ]
    return np.max(ends, axis=1)


def noises(
    scheme: str,
    sizes: np.ndarray,
    sets: Sequence[tuple[int, ...]],
    options: Mapping[str, Any],
    *,
    weights: np.ndarray | None = None,
) -> np.ndarray:
    """Noise of the average without each of these sets of sites, where a message of one record needs noise 1.

    Parameters
    ----------
    sizes : array of shape (S,)
        n_s.
    weights : array of shape (S,), optional
        w_s; default n_s/N.
    options : mapping
        against, colluding, dropouts, amplitude and graph, as in `core.schemes.release`.
    """
    record, sites, terms = (
        named(scheme),
        sites_of(1 / sizes, sizes / sizes.sum() if weights is None else weights),
        Terms(**options),
    )
    marked = [np.isin(np.arange(len(sizes)), lost) for lost in sets]
    if not record.agrees:
        return np.array([noise_left(record, sites, terms, lost) for lost in marked])
    parts = record.parts(
        Request(sites, terms)
    )  # Agreed on before anybody falls silent: one design for all sets.
    return np.array([parts.average_std(lost) for lost in marked])


def stays_within(noise, away) -> np.ndarray:
    """What 95 % of errors N(away, noise²) stay within; arrays that broadcast, of noise above zero."""
    noise, away = np.broadcast_arrays(np.asarray(noise, dtype=float), np.abs(away))
    low, high = away, away + 1.959964 * noise
    for _ in range(60):
        middle = (low + high) / 2
        few = ndtr((middle - away) / noise) - ndtr((-middle - away) / noise) < 0.95
        low, high = np.where(few, middle, low), np.where(few, high, middle)
    return np.where(away > 0, high, 1.959964 * noise)


def place_of_worst(errors: np.ndarray, sets: Sequence[tuple[int, ...]], names: Sequence[str]) -> int:
    """The place of the largest error; of equal ones that of the set whose names come first, whatever the sites' order."""
    near = np.flatnonzero(errors >= errors.max() * (1 - 1e-9))
    return int(min(near, key=lambda place: sorted(names[s] for s in sets[place]) if names else place))


def _farthest(values, weights, most):
    """The silent set T that leaves the average lowest: the largest ratio Σ_T w d / (1 − Σ_T w), by Dinkelbach's method.

    T of the largest Σ_T w (d + λ) − λ is the best for a ratio λ, and the best ratio is where this is zero.
    """
    away, ratio, best = values - weights @ values, 0.0, ()
    while True:
        score = weights * (away + ratio)
        chosen = [int(s) for s in np.argsort(-score, kind="stable")[:most] if score[s] > 0]
        found = weights[chosen] @ away[chosen] / (1 - weights[chosen].sum()) if chosen else 0.0
        if not found > ratio * (1 + 1e-12):
            return best
        ratio, best = found, tuple(sorted(chosen))
