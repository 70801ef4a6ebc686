"""Who falls silent in a plan: the sites whose silence leaves the most noise in the average, from public numbers alone.

Every error that is stated for planned dropouts is that of this set: of releases, sweeps, parties and pages.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from core import check
from core.discrete.geometric_grid import PureGrid
from core.schemes.after_design import most_silent
from core.schemes.noise_design import site_weights
from core.schemes.parts import Parts
from core.schemes.registry import find, named
from core.schemes.scheme import Request, Scheme
from core.schemes.silent_sets import TIE, Remains, few_sets, loudest, most_learnt, most_noise, preferred
from core.schemes.sites import Sites, sites_of
from core.schemes.terms import OPTIONS, Terms

_FEW_RELEASES = 256  # Sets that are tried for whoever sees what, where noise depends on who is left.
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
        Exact up to 20,000 sets (equal sites are not told apart), on a graph 200,000; for weights n_s/N at one privacy
        target except on a graph; and wherever the bound is reached. Otherwise `std` is a bound on all sets, and `silent`
        the worst set that was found.

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


@check.arguments(sites=check.sized)
def planned(
    settings: Mapping, sites: int | Sequence[int] | np.ndarray, scheme: str = "conventional"
) -> dict[str, Any]:
    """Return the options of `core.schemes.release` that a sweep's settings contain.

    Parameters
    ----------
    settings : mapping
        "against", "colluding", "dropouts", "amplitude" and "graph" are as in `release`. "dropped" is the number of
        sites that send nothing in the run: those whose silence leaves the most noise, see `planned_silence`.
    sites : int or sequence of S int
        The number S of sites of one size, or the records n_s at each, with the weights n_s/N.
    scheme : str
        The scheme of the run. For a method that is none, and by default, those with most records fall silent.
    """
    sizes = (
        np.ones(check.integer("sites", sites, low=1))
        if np.ndim(sites) == 0
        else check.positives("sites", sites)
    )
    found = {name: settings[name] for name in OPTIONS if name in settings}
    if lost := check.integer("dropped", settings.get("dropped", 0), low=0, high=len(sizes) - 1):
        record = scheme if find(scheme) else "conventional"
        whole = sizes / sizes.sum() if np.ptp(sizes) else None
        found["dropped"] = planned_silence.trusted(record, 1 / sizes, whole, silent=lost, **found).silent
    return found


@check.arguments
def most_dropouts(scheme: str, sites: int, *, colluding: int = 0) -> int:
    """The most sites that may fall silent of a release that parties run, at the default threshold.

    Where a sum over those that sent is revealed, all but the silent sites must answer, and these must be more than half of
    the sites and the colluding ones: r ≤ (S − c − 1)/2. By fewer answers an aggregator that tells two halves different
    things would open a message. Elsewhere one honest site must be left: r ≤ S − c − 1.

    Examples
    --------
    >>> most_dropouts("cape", 10), most_dropouts("secure", 10), most_dropouts("secure", 10, colluding=2)
    (9, 4, 3)
    """
    check.integer("sites", sites, low=1)
    check.integer("colluding", colluding, low=0, high=sites - 1)
    return most_silent(sites, colluding) if named(scheme).summed else sites - colluding - 1


def told(record: Scheme, parts: Parts, sites: Sites, most: int) -> tuple[list[tuple[int, ...]], float]:
    """Sets of at most r silent sites that include the worst for every observer, and a bound on μ of the average.

    Noise that was agreed on stays as it is. Under noise of sum zero whoever sees fewer messages learns less of each site,
    so that nobody is silent; the average is another matter, see `core.schemes.silent_sets`. In a sum the sites with the
    most noise are silent. Without agreement all sets are tried where they are few, of equal sites one; else what is noisy
    is left out first, and where one site works alone, those before it.

    Returns
    -------
    sets : list of tuple of int
        Places of the silent sites. One of them reaches the largest μ of each observer, but for the next.
    bound : float
        No less than the largest μ for whoever sees the average alone under noise of sum zero; 0 elsewhere, and where noise
        has another form.
    """
    count, changes = len(sites.weights), sites.weights * sites.sensitivities
    remains, bound, rows = remains_of(parts, sites), 0.0, [np.zeros(count, dtype=bool)]
    if remains is not None and parts.design is not None:
        worst, bound = most_learnt(remains, most, changes)
        rows.append(worst)
        if isinstance(
            parts.grid, PureGrid
        ):  # How many are in the sum counts, not which: each site is in with r silent.
            rows.extend(_ordered(count, most))
            bound = 0.0
    elif remains is not None and record.agrees:
        rows.extend(loudest(remains, most))
        rows.extend(_ordered(count, most) if isinstance(parts.grid, PureGrid) else ())
    else:
        noise = (sites.weights * sites.std) ** 2
        known = remains or Remains(sites.weights, noise, np.zeros(count))
        placed = record.one_site or not parts.senders.all()  # Who sends depends on places.
        alike = None if placed else few_sets(known, most, _FEW_RELEASES, noise, sites.std, changes)
        rows.extend(_ordered(count, most) + list(loudest(known, most)) if alike is None else alike)
    return list(dict.fromkeys(tuple(np.flatnonzero(row).tolist()) for row in rows)), bound


def _ordered(count, most):
    """The first sites, and the last, as many as may fall silent."""
    at = np.arange(count)
    return [at < k for k in range(most + 1)] + [at >= count - k for k in range(most + 1)]


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
    """What these parts leave in the average over some sites, on a grid in steps; None where noise has no such form."""
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
