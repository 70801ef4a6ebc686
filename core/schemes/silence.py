"""Who falls silent in a plan: the sites whose silence leaves the most noise in the average, from public numbers alone.

Every error that is stated for planned dropouts is that of this set: of releases, sweeps, parties and pages.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from core import check
from core.schemes.noise_design import site_weights
from core.schemes.parts import Parts
from core.schemes.registry import named
from core.schemes.scheme import Request, Scheme
from core.schemes.silent_sets import TIE, Remains, most_noise, preferred
from core.schemes.sites import Sites, sites_of
from core.schemes.terms import Terms

_FEW = 2000  # Sets that are tried for a scheme whose noise depends on who is left.


@dataclass(frozen=True)
class Silence:
    """The planned silent set of an error.

    Attributes
    ----------
    silent : tuple of int
        Places of the silent sites, by rising number.
    std : float
        Standard deviation of the noise of the average over the others: never below that of any set of so many sites.
    found : float
        That of this very set: `std`, unless the sets are too many to be tried and `std` is a bound.
    """

    silent: tuple[int, ...]
    std: float
    found: float

    @property
    def exact(self) -> bool:
        """Whether no other set of so many sites leaves more noise than this one."""
        return self.std <= self.found * (1 + 1e-9)

    @property
    def slack(self) -> float:
        """How far the bound lies above the noise of this set, as a share of it; 0 if it is exact."""
        return 0.0 if self.exact else self.std / self.found - 1


def _names(name, value):
    found = tuple(check.sequence(name, value))
    of_one_kind = any(all(isinstance(one, kind) for one in found) for kind in (str, int))
    if not of_one_kind or len(set(found)) < len(found):
        raise ValueError(f"{name} must be texts, or whole numbers, all different, got {check.shown(value)}")
    return found


@check.arguments(std=check.positives, names=check.optional(_names))
def planned_silence(
    scheme: str,
    std,
    weights=None,
    *,
    silent: int | None = None,
    names: Sequence | None = None,
    **terms,
) -> Silence:
    """The sites whose silence leaves the most noise in the average, once noise was agreed.

    With r sites silent the noise is never less than with fewer, so that the set has exactly r. Only public numbers
    decide. Of sets that leave the same noise it is the one with the most weight, and then the one whose names come last;
    so the order of the sites decides only where they have no names. A graph is one of places: sites in another order have
    other neighbours. Where one site works alone nobody falls silent.

    Parameters
    ----------
    scheme : str
        One of `SCHEMES`.
    std : array of shape (S,)
        τ_s that each site's message needs when seen alone: Δ_s/μ_s. For records of one privacy target, 1/n_s is enough to
        find the set.
    weights : array of shape (S,), optional
        w_s, positive, Σ w_s = 1; default 1/S. For unequal sizes pass n_s/N.
    silent : int, optional
        r, how many sites fall silent. Default: the planned `dropouts`.
    names : sequence of S str or int, optional
        All different. Default: the places.
    **terms
        against, colluding, dropouts, amplitude and graph, as in `core.schemes.release`.

    Returns
    -------
    Silence
        Exact up to 200,000 sets (equal sites are not told apart), for weights n_s/N at one privacy target except on a
        graph, and wherever the bound is reached. Otherwise `std` is a bound on all sets, and `silent` the worst set found.

    Raises
    ------
    ValueError
        Naming the parameter; also for more than 2,000 sets of sites under a scheme of which the noise of a site depends on
        who else is left.

    Notes
    -----
    For why r silent sites leave no less noise than fewer, take N(L)/w(L)² of `core.schemes.silent_sets`: N(L) without
    site s, added up over the sites of L with |L| = n, is at least (n − 1) N(L). So some site has at most its share
    w_s/w(L) of N(L), and without it the variance rises by at least 1/(1 − w_s/w(L)).

    Examples
    --------
    Hospitals with 120, 60 and 20 records, one of which may fall silent: the largest leaves the most noise.

    >>> sizes = np.array([120, 60, 20])
    >>> found = planned_silence("cape", 1 / sizes, sizes / 200, silent=1)
    >>> found.silent, found.exact
    ((0,), True)

    On a ring those that are silent are apart:

    >>> planned_silence("graph", np.ones(8), graph="ring", dropouts=2).silent
    (5, 7)
    """
    if not len(std):
        raise ValueError("std must be of at least 1 site, got none")
    count = len(std)
    weights = site_weights(weights, count)
    held = Terms(**terms).fitting(count) if count > 1 else Terms()
    silent = held.dropouts if silent is None else silent
    if check.integer("silent", silent, low=0) >= count:
        raise ValueError(f"silent must leave at least one of the {count} sites of std, got {silent}")
    names = tuple(range(count)) if names is None else names
    if len(names) != count:
        raise ValueError(f"names must be one for each of the {count} sites of std, got {len(names)}")
    asked = named(scheme), std.tobytes(), weights.tobytes(), held, silent
    return _planned(*asked, tuple(sorted(range(count), key=names.__getitem__)))


@check.arguments(std=check.positives)
def planned_std(scheme: str, std, weights=None, *, silent: int | None = None, **terms) -> float:
    """Standard deviation of the average's noise when the worst `silent` sites fall silent: `planned_silence(...).std`.

    It is never below that of any set of so many sites. Parameters and errors as there.

    Examples
    --------
    >>> sizes = np.array([120, 60, 20])
    >>> [round(planned_std("cape", 1 / sizes, sizes / 200, silent=r), 4) for r in (0, 1)]
    [0.005, 0.0144]
    """
    return planned_silence(scheme, std, weights, silent=silent, **terms).std


def noise_left(record: Scheme, sites: Sites, terms: Terms, lost: np.ndarray) -> float:
    """Standard deviation of the noise of the average over the sites that a bool array does not mark.

    Without agreement on noise it is as if the others had never been there.
    """
    if not record.agrees:
        sites, lost = sites.only(~lost), np.zeros(int((~lost).sum()), dtype=bool)
    return record.parts(Request(sites, terms)).average_std(lost)


@lru_cache(maxsize=1024)
def _planned(record, std, weights, terms, silent, order):
    sites = sites_of(np.frombuffer(std), np.frombuffer(weights))
    count = len(order)
    if not silent or record.one_site:
        alone = noise_left(record, sites, terms, np.zeros(count, dtype=bool))
        return Silence((), alone, alone)
    lost, bound, places = np.zeros(count, dtype=bool), 0.0, np.array(order)
    remains = remains_of(record.parts(Request(sites, terms)), sites)
    if remains is not None:
        chosen, bound = most_noise(remains.ordered(places), silent)
        lost[places[chosen]] = True
    found = noise_left(record, sites, terms, lost)
    # What is said of `Parts` holds of every scheme; that noise without agreement does not depend on who is left, of most.
    if remains is None or not math.isclose(found, float(remains.std(~lost)), rel_tol=1e-9):
        lost, found = _tried(record, sites, terms, silent, places)
        bound = found
    bound = bound if bound > found * (1 + TIE) else found
    return Silence(tuple(np.flatnonzero(lost).tolist()), bound, found)


def remains_of(parts: Parts, sites: Sites) -> Remains | None:
    """What these parts leave in the average over some sites; None where their noise has no such form."""
    weights, nothing = sites.weights, np.zeros(len(sites.weights))
    if not parts.senders.all():
        return None
    if parts.local_std is None:
        return Remains(
            weights, (weights * sites.std) ** 2 if parts.central_std else nothing, nothing, curated=True
        )
    own = (weights * parts.local_std) ** 2
    if parts.edges is not None:
        return Remains(weights, own, nothing, parts.edges.edge_std**2 * parts.edges.graph.adjacency)
    if parts.contributions is not None:
        shared = (weights * parts.contributions.seed_std) ** 2
        return Remains(weights, own, shared) if np.isfinite(shared).all() else None
    return Remains(weights, own, nothing)


def _tried(record, sites, terms, silent, places):
    """All sets, for a scheme of which nothing is known."""
    if math.comb(len(places), silent) > _FEW:
        raise ValueError(
            f"silent must leave at most {_FEW} sets of sites under scheme {record.name!r}, whose noise depends on who is "
            f"left, got {silent} of {len(places)} sites"
        )
    rows = np.zeros((math.comb(len(places), silent), len(places)), dtype=bool)
    for row, chosen in zip(rows, itertools.combinations(range(len(places)), silent), strict=True):
        row[list(chosen)] = True
    noise = np.array([noise_left(record, sites, terms, row[np.argsort(places)]) for row in rows])
    worst = rows[noise >= noise.max() * (1 - TIE)]
    # Their noise is the same: weight and names decide.
    equal = Remains(sites.weights[places], np.zeros(len(places)), np.zeros(len(places)))
    lost = np.zeros(len(places), dtype=bool)
    lost[places[preferred(equal, worst)]] = True
    return lost, float(noise.max())
