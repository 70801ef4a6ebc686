"""The error of an average whose sites' records are known, whoever falls silent: noise, and the difference of the missing.

All of it is computed from records without noise.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from core import Privacy
from core.schemes import message_std, planned_std
from dashboard.problems.known_silence import apart, farthest, noises, place_of_worst, sets_of, stays_within

Averages = tuple[tuple[float, ...], ...]  # Of every site, those of every cell.


@dataclass(frozen=True)
class Silent:
    """The worst silence for known records.

    Attributes
    ----------
    error : float
        What 95 % of errors of any cell stay within, in units of the range, whoever falls silent.
    sites : tuple of int
        Whose silence is the worst; of very many sets, the worst that was found.
    away : float
        How far the average of the others is then from that of all, in the same units: the largest over cells.
    every : bool
        Whether all sets were tried; otherwise the error is a bound on all of them.
    """

    error: float
    sites: tuple[int, ...]
    away: float
    every: bool


def worst(
    scheme: str,
    sizes: tuple[int, ...],
    averages: Averages,
    names: tuple[str, ...],
    *,
    privacy: Privacy,
    change: float,
    terms: dict[str, Any],
) -> Silent:
    """The worst of at most `terms["dropped"]` silent sites for these records.

    Parameters
    ----------
    sizes : tuple of S int
        n_s; the weights are n_s/N.
    averages
        Those of one summary, scaled to [0, 1].
    change : float
        As in `core.schemes.error_of_average`.
    terms : dict
        Options of `core.schemes.release`, and in "dropped" how many sites may fall silent.
    """
    _, (std,) = message_std(np.array([change]), privacy)
    found = silences(scheme, sizes, averages, tuple(terms.items()))
    errors = stays_within(std * found.noise, found.away)
    place = place_of_worst(errors[: len(found.sets)], found.sets, names)
    return Silent(float(errors.max()), found.sets[place], float(found.away[place]), found.every)


@dataclass(frozen=True)
class Silences:
    """Every silence that is tried, and where these are not all, as the last row a bound on all.

    Attributes
    ----------
    sets : list of tuple of int
    noise : array of shape (sets,) or (sets + 1,)
        Of the average over the others, where a message of one record needs noise 1.
    away : array of the same shape
        How far their average is from that of all: the largest over cells.
    """

    sets: list[tuple[int, ...]]
    noise: np.ndarray
    away: np.ndarray

    @property
    def every(self) -> bool:
        """Whether these are all sets."""
        return len(self.noise) == len(self.sets)


@lru_cache(maxsize=64)
def silences(scheme: str, sizes: tuple[int, ...], averages: Averages, terms: tuple) -> Silences:
    """The silences of at most `terms["dropped"]` sites; parameters as of `worst`."""
    counts, shares, options = np.array(sizes, dtype=float), np.array(averages), dict(terms)
    weights, most = counts / counts.sum(), options.pop("dropped")
    sets, every = sets_of(shares, weights, most)
    noise = noises(scheme, counts, sets, options)
    away = np.array([np.abs(apart(shares, weights, lost)).max() for lost in sets])
    if not every:
        bound = planned_std(scheme, 1 / counts, weights, silent=most, **options)
        noise, away = np.append(noise, bound), np.append(away, farthest(shares, weights, most).max())
    return Silences(sets, noise, away)
