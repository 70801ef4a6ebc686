"""How loud zero-sum noise should be: designs with a free amplitude, and the best one for colluders and dropouts.

With S equal sites ê_s ~ N(0, D) and g_s ~ N(0, γ). Published CAPE has D = τ², γ = τ²/S, which is amplitude
a = D/(Sγ) = 1. For the derivations see core/README.md, "The amplitude of zero-sum noise".
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

import numpy as np
import scipy

from core import check
from core.schemes.free_design import free_design
from core.schemes.noise_design import CAP, NoiseDesign, UnreachableTarget, quietest
from core.schemes.noise_design import amplitude_option as _amplitude
from core.schemes.noise_design import design as published
from core.schemes.silent_sets import Remains, most_noise
from core.schemes.terms import Adversary, Terms

_COUNT = check.numbers_in(0, 1e9)
_SUBSETS = 4000  # Sets of dropouts that are tried one by one.


@check.arguments(sites=check.sized, colluding=_COUNT, dropouts=_COUNT)
def best_amplitude(sites, colluding=0, dropouts=0):
    """Amplitude of the least noise for S equal sites, c colluders and r planned dropouts; broadcasts.

    With h = S − c the best one is a = (√((h − 1)(S − r)/r) − 1)/S, or 0 where this is negative. Without dropouts
    louder is always better, and that of D = 102 Δ²/μ² is returned, which costs less than 1 %.

    Examples
    --------
    One site of ten may fall silent: 0.8 of the published contributions' variance is best.

    >>> float(best_amplitude(10, 0, 1))
    0.8
    """
    sites, colluding, dropouts = _counts(sites, colluding, dropouts)
    honest = sites - colluding
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        inner = np.sqrt((honest - 1) * (sites - dropouts) / dropouts) - 1
    # D μ²/Δ² = u (1 + u/h)/(1 + u) with u = aS, solved for u at D = CAP.
    least = CAP - 1
    limit = honest / 2 * (least + np.sqrt(least**2 + 4 * CAP / honest))
    result = np.where(dropouts > 0, np.minimum(np.nan_to_num(inner, posinf=np.inf), limit), limit)
    return (np.where(honest > 1, np.maximum(result, 0.0), 0.0) / sites)[()]


@check.arguments(
    amplitude=check.numbers_in(0, math.inf), sites=check.sized, colluding=_COUNT, dropouts=_COUNT
)
def variance_ratio(amplitude, sites, *, colluding=0, dropouts=0):
    """Variance of the average over the pooled one, S equal sites, held against the aggregator and c colluders.

    S²/(S − r) · (1 + aS/h)(1 + a r)/(1 + aS), with h = S − c; r sites fall silent after the guarantee was planned
    for all S. a = 0 is the conventional scheme, a = 1 published CAPE with more noise. Broadcasts.

    Examples
    --------
    >>> [round(float(variance_ratio(a, 10)), 3) for a in (0, 1, 100)]
    [10.0, 1.818, 1.009]
    """
    sites, colluding, dropouts = _counts(sites, colluding, dropouts)
    a, honest = np.asarray(amplitude, dtype=float), sites - colluding
    with np.errstate(over="ignore", invalid="ignore"):
        u = a * sites
        held = np.where(np.isinf(u), 1 / honest, (1 + u / honest) / (1 + u))
        loss = np.where(dropouts > 0, 1 + a * dropouts, 1.0)
    return (sites**2 / (sites - dropouts) * held * loss)[()]


@check.arguments
def equal_variances(amplitude: float, sites: int, colluding: int = 0) -> tuple[float, float]:
    """D and γ of equal sites in units of Δ²/μ², held against the aggregator and c colluders.

    γ = (h + aS)/(h (1 + aS)) and D = aSγ: with m = μ²/Δ², γ is the positive root of m h γ² + (m h D − h) γ − D = 0.
    """
    check.integer("sites", sites, low=2)
    honest = sites - check.integer("colluding", colluding, low=0, high=sites - 1)
    u = check.nonnegative("amplitude", amplitude) * sites
    gamma = (honest + u) / (honest * (1 + u))
    return u * gamma, gamma


@check.arguments
def dropouts_that_favour_independent_noise(sites: int, colluding: int = 0) -> int:
    """The least number r of dropouts at which published CAPE is worse than independent noise, at one true guarantee.

    The variances are equal at r = S (h − 1)/(S + h), h = S − c: about half of the sites without colluders.
    """
    sites = check.integer("sites", sites, low=2)
    honest = sites - check.integer("colluding", colluding, low=0, high=sites - 1)
    return sites * (honest - 1) // (sites + honest) + 1


@check.arguments(std=check.positives, amplitude=_amplitude)
def design(
    std,
    weights=None,
    *,
    target: float | None = None,
    amplitude=None,
    against: Adversary = "message",
    colluding: int = 0,
    dropouts: int = 0,
) -> NoiseDesign:
    """CAPE's noise design whose privacy targets hold against an adversary, with a given or the best amplitude.

    Parameters
    ----------
    std : array of shape (S,)
        τ_s = Δ_s/μ_s that each site's message needs when seen alone.
    weights : array of shape (S,), optional
        w_s > 0 with Σ w_s = 1; default 1/S.
    target : float, optional
        τ_c of the weighted average. Default: the least that the privacy targets allow.
    amplitude : float, "published", "best" or None
        Variance of the contributions ê_s, in units of those of the published design; local noise is then as large as
        the privacy targets require. 0 is independent noise. "best": the least noise of the average when any
        `dropouts` sites fall silent. None: "published".
    against, colluding
        The adversary, as in `core.schemes.release`. The guarantee holds with any number of dropouts: silent honest
        sites make the others more private.
    dropouts : int
        r, for which "best" is planned.

    Returns
    -------
    NoiseDesign

    Raises
    ------
    ValueError
        If an argument is malformed; `UnreachableTarget` if `target` cannot be met at this amplitude: it names the
        nearest target and, if there is one, the nearest amplitude that meets it.

    Notes
    -----
    The published amplitude with against="message" is `core.schemes.noise_design.design`. Against one message alone
    louder noise gains nothing, so "best" is the published amplitude there. Equal sites have closed forms
    (`best_amplitude`). Unequal sites are searched, in one number, and where some may fall silent or collude with a pair of
    variances for every class of equal sites (`core.schemes.free_design`); the published design, independent noise and
    noise that is the same for all sites are among the candidates, so that "best" is never worse than any of them.

    Examples
    --------
    Ten sites, held against the aggregator, one of which may fall silent:

    >>> plan = design(np.ones(10), amplitude="best", against="aggregator", dropouts=1)
    >>> round(plan.amplitude, 6), [round(float(v[0] ** 2), 3) for v in (plan.seed_std, plan.local_std)]
    (0.8, [1.6, 0.2])
    """
    std = check.positives("std", std)
    if len(std) < 2:
        raise ValueError(f"std must name at least 2 sites, got {len(std)}")
    amplitude = "published" if amplitude is None else amplitude
    terms = Terms(against, colluding, dropouts, amplitude).fitting(len(std))
    known = terms.colluding
    if terms.message_only and amplitude in ("published", "best", 1.0):
        return published(std, weights, target=target)
    if amplitude == "best":
        result = _best(std, weights, known, dropouts)
    else:
        result = _held(std, weights, 1.0 if amplitude == "published" else amplitude, terms)
    if target is None:
        return result
    if result.target > check.positive("target", target) * (1 + 1e-12):
        raise _unreachable(std, weights, terms, result.target, target)
    return _scaled(result, (target / result.target) ** 2)


@check.arguments(std=check.positives, sensitivities=check.positives)
def calibrated(
    std, sensitivities, weights=None, *, against: Adversary = "message", colluding: int = 0
) -> np.ndarray:
    """Increase τ_s so that under CAPE every site's privacy target also holds against a stronger adversary.

    Equal sites: τ = Δ √leakage(S, S_C) / μ. Otherwise an iteration adjusts each τ_s until the leakage of site s
    equals its own target. If scaling all τ_s by the worst site's factor gives a less noisy average, that is used.
    """
    # `Terms` would refuse a number of colluders with another adversary; here it is ignored.
    colluding = colluding if against == "colluders" else 0
    if Terms(against).message_only:
        return std
    budget = sensitivities / std

    def shortage(trial):
        return np.sqrt(published(trial, weights).leakage(sensitivities, colluding)) / budget

    def average_noise(trial):
        return published(trial, weights).target

    together = std * max(1.0, shortage(std).max())
    apart = together
    for _ in range(50):
        factor = shortage(apart)
        if np.abs(factor - 1).max() < 1e-9:
            break
        apart = apart * factor**0.85
    # A final common factor covers what the iteration left, so that no target is missed.
    apart = apart * max(1.0, shortage(apart).max())
    return min((together, apart), key=average_noise)


@check.arguments
def worst_dropouts(plan: NoiseDesign, dropouts: int) -> tuple[float, tuple[int, ...]]:
    """Largest noise of the average when any r sites fall silent, and the worst sites that were found.

    The noise is that of these sites if all sets are tried or the bound is reached, else a bound above all sets; see
    `core.schemes.planned_silence`.
    """
    count = check.integer("dropouts", dropouts, low=0, high=plan.sites - 1)
    if not count:
        return plan.average_std(), ()
    own, shared = (plan.weights * plan.local_std) ** 2, (plan.weights * plan.seed_std) ** 2
    if np.isinf(shared).any():
        raise ValueError(
            "plan must have contributions of all sites, got one whose noise cancels that of the others"
        )
    silent, noise = most_noise(Remains(plan.weights, own, shared), count)
    return noise, tuple(np.flatnonzero(silent).tolist())


def _counts(sites, colluding, dropouts):
    sites = check.at_least("sites", sites, 2)
    colluding = check.at_least("colluding", colluding, 0)
    dropouts = check.at_least("dropouts", dropouts, 0)
    if (colluding >= sites).any():
        raise ValueError(f"colluding must be fewer than the sites, got {colluding} of {sites}")
    if (dropouts >= sites).any():
        raise ValueError(f"dropouts must be fewer than the sites, got {dropouts} of {sites}")
    return sites, colluding, dropouts


def _worst_found(plan, count):
    """Noise after the worst silence that is found fast, to compare designs by; above 4,000 sets one site after another."""
    if not count:
        return plan.target
    few = math.comb(plan.sites, count) <= _SUBSETS
    sets = np.array(list(itertools.combinations(range(plan.sites), count)) if few else [_greedy(plan, count)])
    return float(_after(plan, sets).max())


def _after(plan, sets):
    """Noise of the average without each of the sets of sites; `sets` has shape (n, r)."""
    d, gamma = (plan.weights * plan.seed_std) ** 2, (plan.weights * plan.local_std) ** 2
    lost = np.zeros((len(sets), plan.sites))
    np.put_along_axis(lost, sets, 1.0, axis=1)
    sent = 1 - lost
    total = d.sum()
    uncancelled = (sent @ d) * (lost @ d) / total if total > 0 else 0.0
    return np.sqrt(uncancelled + sent @ gamma) / (sent @ plan.weights)


def _greedy(plan, count):
    chosen: list[int] = []
    for _ in range(count):
        left = [s for s in range(plan.sites) if s not in chosen]
        noise = _after(plan, np.array([[*chosen, s] for s in left]))
        chosen.append(left[int(noise.argmax())])
    return chosen


def _louder(base: NoiseDesign, amplitude: float) -> NoiseDesign:
    """The design with contributions of `amplitude` times the variance."""
    w = base.weights
    return _of_variances(amplitude * (w * base.seed_std) ** 2, (w * base.local_std) ** 2, w, amplitude)


def agreed(std, weights, terms: Terms, given: tuple[np.ndarray, np.ndarray]) -> NoiseDesign:
    """The design of these standard deviations of ê_s and g_s; ValueError if it misses a target.

    Parameters
    ----------
    std, weights : ndarray of shape (S,)
        τ_s and w_s.
    terms : Terms
    given : pair of ndarray of shape (S,)
    """
    d, gamma = ((weights * part) ** 2 for part in given)
    usual = ((weights * published(std, weights).seed_std) ** 2).sum()
    plan = _of_variances(d, gamma, weights, float(d.sum() / usual) if usual else math.inf)
    if (largest := _excess(plan, std, terms)) > 1 + 1e-9:
        raise ValueError(
            f"designs must meet every site's target, got mu² of {check.upwards(largest)} times what it allows"
        )
    return plan


def _of_variances(d, gamma, w, amplitude, *, merged=False):
    """The design whose w_s ê_s and w_s g_s have these variances."""
    a2 = d * (1 - d / d.sum()) if d.any() else d
    return NoiseDesign(
        std=np.sqrt(a2 + gamma) / w,
        weights=w,
        target=math.sqrt(gamma.sum()),
        zero_sum_std=np.sqrt(a2) / w,
        local_std=np.sqrt(gamma) / w,
        seed_std=np.sqrt(d) / w,
        amplitude=amplitude,
        merged=merged,
    )


def _freed(base, v, known, dropouts):
    """The design with a pair of variances for every class of equal sites; see `core.schemes.free_design`."""
    result = free_design.trusted(v, base.weights, colluding=known, dropouts=dropouts, most=CAP)
    usual = ((base.weights * base.seed_std) ** 2).sum()
    amplitude = float(result.seed.sum() / usual) if usual else math.inf
    return _of_variances(result.seed, result.local, base.weights, amplitude, merged=result.merged)


def _scaled(plan, factor):
    """The design with all variances times `factor`."""
    root = math.sqrt(factor)
    stds = ("std", "target", "zero_sum_std", "local_std", "seed_std")
    return replace(plan, **{name: getattr(plan, name) * root for name in stds})


def _excess(plan, std, terms):
    """Largest μ_s² of any site, in units of its own target."""
    if terms.message_only:
        public = plan.weights * std / plan.target
        return max(float(((std / plan.std) ** 2).max()), float((public**2).max()))
    return float(np.nanmax(plan.leakage(std, terms.colluding)))


def _enough(plan, std, terms):
    return _scaled(plan, _excess(plan, std, terms) * (1 + 1e-14))


def _held(std, weights, amplitude, terms):
    """The design of this amplitude with the least noise that meets all targets, all sites' noise scaled together."""
    if amplitude == 1.0:
        least = calibrated.trusted(std, std, weights, against=terms.against, colluding=terms.colluding)
        return published(least, weights)
    base = published(std, weights)
    # Without zero-sum noise every site needs exactly its own τ_s.
    return _enough(_louder(base, amplitude), std, terms) if amplitude else _independent(std, base.weights)


def _independent(std, weights):
    zero = np.zeros(len(std))
    target = float(np.linalg.norm(weights * std))
    return NoiseDesign(std, weights, target, zero, std.astype(float), zero, amplitude=0.0)


def _best(std, weights, known, dropouts):
    """The design of least noise after the worst dropouts, against the aggregator and colluders."""
    given = None if weights is None else tuple(np.asarray(weights, dtype=float).tolist())
    return _searched(tuple(std.tolist()), given, known, dropouts)


@lru_cache(maxsize=256)
def _searched(std, weights, known, dropouts):
    """A sweep asks for the same design in every repeat."""
    std = np.array(std)
    base = published(std, weights)
    terms = Terms("colluders", known)
    v = (base.weights * std) ** 2
    a = float(best_amplitude(base.sites, known, dropouts))
    # All sites as noisy as the most demanding one: the equal-site problem, which colluders cannot use unevenly.
    flat = published(math.sqrt(v.max()) / base.weights, base.weights)
    candidates = [_independent(std, base.weights)]
    candidates += [_enough(_louder(flat, a), std, terms)] if a else []
    if np.ptp(v) > 1e-12 * v.max() or np.ptp(base.weights) > 1e-12:
        candidates.append(_held(std, weights, 1.0, terms))
        if (base.seed_std > 0).any():
            candidates.append(_search(lambda x: _enough(_louder(base, x), std, terms), v.sum(), dropouts))
        if known or dropouts:
            candidates.append(_freed(base, v, known, dropouts))
    return min(candidates, key=lambda plan: _worst_found(plan, dropouts))


def _search(shape: Callable[[float], NoiseDesign], whole: float, dropouts: int) -> NoiseDesign:
    """The best of a family of designs, by amplitude on a logarithmic scale, with Σ d at most CAP times `whole`."""

    def noise(log_a):
        return _worst_found(shape(math.exp(log_a)), dropouts)

    def size(log_a):
        plan = shape(math.exp(log_a))
        return math.log(((plan.weights * plan.seed_std) ** 2).sum() / (CAP * whole))

    return shape(math.exp(min(quietest(noise, size, most=1e9, points=25, digits=1e-8), key=noise)))


def _unreachable(std, weights, terms, needed, target):
    """The error for a target that is too small, with the nearest amplitude that meets it."""
    seen = {"message": "one message", "aggregator": "the aggregator"}.get(
        terms.against, f"the aggregator and {terms.colluding} colluding sites"
    )
    said = (
        f"target must be at least {check.upwards(needed)} at amplitude {terms.amplitude!r} against {seen}, "
        f"got {target:.6g}"
    )
    best = needed
    if terms.amplitude != "best" and not terms.message_only:
        top = _best(std, weights, terms.colluding, 0)
        best = top.target
        if best <= target:
            short = lambda x: _held(std, weights, math.exp(x), terms).target - target  # noqa: E731
            start = 1.0 if terms.amplitude == "published" else max(terms.amplitude, 1e-6)
            ends = math.log(start), math.log(max(top.amplitude, 1e3) * 1e3)
            if short(ends[0]) > 0 >= short(ends[1]):
                nearest = math.exp(scipy.optimize.brentq(short, *ends, xtol=1e-10))
                said += f"; amplitude {check.upwards(nearest * (1 + 1e-9), 4)} or more meets it"
        else:
            said += f"; the best amplitude needs at least {check.upwards(best)}"
    return UnreachableTarget(said, site=None, nearest=min(needed, best) if best > target else needed)
