"""Noise design of CAPE: the zero-sum and local noise of every site, and what an adversary learns.

Site s may send its statistic with message noise τ_s; the noise has two parts, zero-sum noise e_s drawn
by all sites together (Σ w_s e_s = 0) and local noise g_s. For the derivations see core/README.md, "The
weighted design" and "What colluders learn".
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
import scipy

from core import check, noise

AMPLITUDES = ("published", "best")
# Largest variance of a contribution ê_s in units of Δ²/μ²: without dropouts louder noise would gain less than 1 %.
CAP = 102.0


class UnreachableTarget(ValueError):
    """Raised if no noise design reaches the requested noise of the average.

    Attributes
    ----------
    site : int or None
        The site whose noise the others cannot cancel; None if the target is too large.
    nearest : float
        The nearest target τ_c that can be reached.
    """

    def __init__(self, message: str, *, site: int | None, nearest: float):
        super().__init__(message)
        self.site, self.nearest = site, nearest


@dataclass(frozen=True)
class NoiseDesign:
    """Standard deviations of every site's zero-sum and local noise. All arrays have shape (S,).

    Attributes
    ----------
    std : ndarray
        τ_s, standard deviation of each message, √(zero_sum_std² + local_std²).
    weights : ndarray
        w_s of the average; they sum to one.
    target : float
        τ_c, standard deviation of the weighted average.
    zero_sum_std, local_std : ndarray
        Standard deviations of e_s and g_s.
    seed_std : ndarray
        Standard deviation of ê_s, what site s contributes to the drawing of the zero-sum noise. Infinite
        for a site that contributes nothing and whose noise cancels that of the others (`published_design`).
    amplitude : float
        Variance of the contributions in units of the published design's, of all together where sites have noise of their
        own; see `core.schemes.amplitude`.
    merged : bool
        Whether similar sites have one pair of variances, see `core.schemes.free_design`.
    """

    std: np.ndarray
    weights: np.ndarray
    target: float
    zero_sum_std: np.ndarray
    local_std: np.ndarray
    seed_std: np.ndarray
    amplitude: float = 1.0
    merged: bool = False

    @property
    def sites(self) -> int:
        """The number of sites S."""
        return len(self.std)

    @property
    def correction(self) -> np.ndarray:
        """Factor of the broadcast sum T that each site subtracts: d_s/(w_s D), with d_s = w_s² Var ê_s, D = Σ d."""
        d = (self.weights * self.seed_std) ** 2
        if np.isinf(d).any():
            return np.isinf(d) / self.weights
        return d / (self.weights * d.sum()) if d.any() else np.zeros(self.sites)

    @property
    def summed_std(self) -> np.ndarray:
        """Standard deviation of what a secure sum adds up for each site, before its weight: that of ê_s."""
        return self.seed_std

    @check.arguments(shape=check.shape)
    def seeds(
        self, shape, *, rng: np.random.Generator, distribution: noise.Distribution = "iid"
    ) -> np.ndarray:
        """Draw every site's contribution ê_s to the zero-sum noise: shape (S, *shape)."""
        drawn = np.where(np.isinf(self.seed_std), 0.0, self.seed_std)
        return np.stack([noise.gaussian.trusted(shape, s, rng=rng, distribution=distribution) for s in drawn])

    @check.arguments(seeds=check.reals)
    def cancel(self, seeds: np.ndarray, total: np.ndarray | None = None) -> np.ndarray:
        """Turn contributions ê_s into zero-sum noise: e_s = ê_s − (d_s/(w_s D)) T. In place.

        Only T = Σ w_j ê_j is broadcast ([Cape] Algorithm 1: e_s = ê_s − T/S). Pass `total` if T was
        computed by secure aggregation.
        """
        if len(np.atleast_1d(seeds)) != self.sites or seeds.dtype.kind != "f":
            raise ValueError(
                f"seeds must be floats, one array for each of {self.sites} sites, got shape {seeds.shape}"
            )
        if total is not None and total.shape != seeds.shape[1:]:
            raise ValueError(f"total must have shape {seeds.shape[1:]}, as seeds have, got {total.shape}")
        if total is None:
            total = self.total(seeds)
        for s, share in enumerate(self.correction):
            seeds[s] -= share * total
        return seeds

    def total(self, seeds: np.ndarray) -> np.ndarray:
        """T = Σ w_s ê_s of contributions of shape (S, ...)."""
        return np.tensordot(self.weights, seeds, axes=1)

    @check.arguments(shape=check.shape)
    def local(
        self, shape, *, rng: np.random.Generator, distribution: noise.Distribution = "iid"
    ) -> np.ndarray:
        """Draw every site's own noise g_s: shape (S, *shape)."""
        return np.stack(
            [noise.gaussian.trusted(shape, s, rng=rng, distribution=distribution) for s in self.local_std]
        )

    @check.arguments(shape=check.shape)
    def sample(
        self, shape, *, rng: np.random.Generator, distribution: noise.Distribution = "iid"
    ) -> tuple[np.ndarray, np.ndarray]:
        """Draw zero-sum and local noise, each of shape (S, *shape)."""
        seeds = self.seeds(shape, rng=rng, distribution=distribution)
        return self.cancel(seeds), self.local(shape, rng=rng, distribution=distribution)

    @check.arguments
    def average_std(self, dropped: Iterable[int] = ()) -> float:
        """Standard deviation of the average over the sites that remain after others dropped out.

        The zero-sum noise of the `dropped` sites stays uncancelled. Weights are renormalised. Equal sites,
        S' of S left: (τ²/S')(1 − S'/S + 1/S).
        """
        left = ~members("dropped", dropped, self.sites)
        if left.all():
            return self.target
        d, gamma = (self.weights * self.seed_std) ** 2, (self.weights * self.local_std) ** 2
        sent, lost = d[left].sum(), d[~left].sum()
        uncancelled = 1 / (1 / sent + 1 / lost) if sent > 0 and lost > 0 else 0.0
        return float(np.sqrt(uncancelled + gamma[left].sum()) / self.weights[left].sum())

    @check.arguments(sensitivities=check.bounded)
    def leakage(
        self, sensitivities, colluding: int | Iterable[int] = 0, *, dropped: Iterable[int] = ()
    ) -> np.ndarray:
        """μ² of each honest site against an adversary who sees all messages and T.

        Parameters
        ----------
        sensitivities : float or array of shape (S,)
            Δ_s of each site's statistic.
        colluding : int or collection of int
            A number of colluding sites (for each honest site, the worst choice of that many others),
            or which sites collude: the adversary then also knows their ê and g.
        dropped : collection of int
            Sites that took part in drawing the zero-sum noise and never sent a message.

        Returns
        -------
        ndarray of shape (S,)
            μ_s² = (w_s Δ_s)² [1/p_s + (d_s/p_s)² / Σ_{j honest} d_j γ_j / p_j], with d_j, γ_j the
            weighted variances of ê_j and g_j and p = d + γ; a dropped site has d_j in the sum and 0 as
            its own value. Colluding sites have NaN. This corrects [Cape] Theorem 1; it equals the μ² of the
            joint Gaussian computed by brute force.
        """
        change = self.weights * np.broadcast_to(np.asarray(sensitivities, dtype=float), self.sites)
        d, gamma = (self.weights * self.seed_std) ** 2, (self.weights * self.local_std) ** 2
        silent = members("dropped", dropped, self.sites)
        change = np.where(silent, 0.0, change)
        with np.errstate(divide="ignore"):
            # d/p, written so that an infinite d has its limit.
            part = np.where(d > 0, 1 / (1 + gamma / np.where(d > 0, d, 1.0)), 0.0)
        hidden = np.where(silent, d, gamma * part)
        if isinstance(colluding, Iterable):
            known = members("colluding", colluding, self.sites)
            rest = np.full(self.sites, hidden[~known].sum())
            change = np.where(known, np.nan, change)
        else:
            check.integer("colluding", colluding, low=0, high=self.sites - 1)
            rest = hidden + sum_of_smallest(hidden, self.sites - 1 - colluding)
        with np.errstate(divide="ignore", invalid="ignore"):
            through_total = np.where(part > 0, part**2 / rest, 0.0)
            return np.where(change == 0, 0.0, change**2 * (1 / (d + gamma) + through_total))


@check.arguments(std=check.positives)
def design(std, weights=None, *, target: float | None = None) -> NoiseDesign:
    """Noise design with given message noise and the least noise in the weighted average.

    Parameters
    ----------
    std : array of shape (S,)
        τ_s that each site's message must have.
    weights : array of shape (S,), optional
        w_s > 0 with Σ w_s = 1; default 1/S.
    target : float, optional
        τ_c of the weighted average. Default: max w_s τ_s, what one curator of all data would add to
        release the same average. With less noise the public average would be less private than a message.

    Raises
    ------
    ValueError
        If an argument is malformed; `UnreachableTarget` if the target is above the conventional noise
        √Σ (w_s τ_s)², or so low that one site's noise cannot be cancelled by the others'.

    Notes
    -----
    Equal sites give [Cape] Algorithms 1-2: Var e = (1 − 1/S) τ², Var g = τ²/S, Var ê = τ².
    The weighted form replaces [Fact] section III-A, which is infeasible for S ≥ 4 equal sites.

    Examples
    --------
    Four equal sites with messages of noise 1: the average keeps 1/4, where independent noise would leave 1/2.

    >>> plan = design([1.0, 1.0, 1.0, 1.0])
    >>> round(plan.average_std(), 12)
    0.25
    >>> plan.zero_sum_std.round(3).tolist(), plan.local_std.round(3).tolist()
    ([0.866, 0.866, 0.866, 0.866], [0.5, 0.5, 0.5, 0.5])
    """
    std, weights, v, target = _checked(std, weights, target)
    d = _seed_variances(_zero_sum_variances(v, target))
    # Recomputed from the seeds, so that rounding of the roots never leaves a message with too little noise.
    a2 = d * (1 - d / d.sum()) if d.any() else d
    return _assemble(std, weights, v, target, a2, d)


@check.arguments(std=check.positives)
def published_design(std, weights=None, *, target: float | None = None) -> NoiseDesign:
    """The closed form of [Fact] section III-A, for comparison: the last site cancels the noise of all others.

    With P = Σ w_s² τ_s²: w_s² Var e_s = (P − τ_c²)/(2(S−1)) for s < S and (P − τ_c²)/2 for the last, Var g_s
    = τ_s² − Var e_s. It needs the trusted generator of [Fact] Algorithm 1: there is no sum to broadcast.

    Raises
    ------
    ValueError
        `UnreachableTarget` naming a site whose local noise would need a negative variance; for equal
        sites at the pooled target from S = 4 on, though the publication says that they are reproduced.
    """
    std, weights, v, target = _checked(std, weights, target)
    shared = v.sum() - target**2
    a2 = np.full(len(v), shared / (2 * (len(v) - 1)))
    a2[-1] = shared / 2
    short = a2 - v
    site = int((short / v).argmax())
    if short[site] > 1e-12 * v.sum():
        nearest = math.sqrt(v.sum() - min(2 * (len(v) - 1) * v[:-1].min(), 2 * v[-1]))
        raise UnreachableTarget(
            f"the published form gives site {site} zero-sum noise of {a2[site] / v[site]:.3g} times the "
            f"variance of its message, so its local noise would need a negative one; target must be at least "
            f"{check.upwards(nearest)}, got {target:.6g}",
            site=site,
            nearest=nearest,
        )
    d = a2.copy()
    d[-1] = math.inf
    return _assemble(std, weights, v, target, a2, d)


@check.arguments(sites=check.whole(1))
def site_weights(weights, sites: int) -> np.ndarray:
    """Weights of the average as an array of shape (S,): 1/S unless given; positive, summing to one."""
    if weights is None:
        return np.full(sites, 1 / sites)
    weights = check.positives("weights", weights, length=sites, each="site")
    if abs(weights.sum() - 1) > 1e-9:
        raise ValueError(f"weights must sum to 1, got {weights.sum()}")
    return weights


def amplitude_option(name: str, value):
    """Return an amplitude: "published", "best", None or a number of at least 0, else raise ValueError."""
    if value is None:
        return None
    if isinstance(value, str):
        return check.choice(name, value, AMPLITUDES)
    return float(check.numbers_in(0, check.HUGE)(name, check.nonnegative(name, value)))


def quietest(
    noise: Callable[[float], float],
    size: Callable[[float], float],
    *,
    most: float,
    points: int,
    digits: float,
) -> tuple[float, float]:
    """Search the amplitude of least noise from 1e-4 to `most`, as far as `size` is not positive.

    Both are functions of the amplitude's logarithm, and `size` rises. Returns two logarithms: the best of as many
    `points`, and what a local search near it finds, to so many `digits`.
    """
    low, high = math.log(1e-4), math.log(most)
    high = high if size(high) <= 0 else scipy.optimize.brentq(size, low, high, xtol=1e-6)
    row = np.linspace(low, high, points)
    at = int(np.argmin([noise(x) for x in row]))
    ends = row[max(at - 1, 0)], row[min(at + 1, points - 1)]
    result = scipy.optimize.minimize_scalar(noise, bounds=ends, method="bounded", options={"xatol": digits})
    return float(row[at]), float(result.x)


def members(name: str, chosen: Iterable[int], sites: int) -> np.ndarray:
    """Mark the chosen sites in a boolean array of shape (S,); at least one site must be left unmarked."""
    marked = np.zeros(sites, dtype=bool)
    for site in chosen:
        marked[check.integer(name, site, low=0, high=sites - 1)] = True
    if marked.all():
        raise ValueError(f"{name} must leave at least one site, got all {sites}")
    return marked


def _checked(std, weights, target):
    """The checked arguments of a design, and v_s = w_s² τ_s²."""
    std = check.positives("std", std)
    if len(std) < 2:
        raise ValueError(f"std must name at least 2 sites, got {len(std)}")
    weights = site_weights(weights, len(std))
    in_range("weights * std", weights * std)
    v = (weights * std) ** 2
    target = math.sqrt(v.max()) if target is None else check.positive("target", target)
    most = math.sqrt(v.sum())
    if target > most * (1 + 1e-12):
        raise UnreachableTarget(
            f"target must be at most {check.downwards(most)}, the noise of the conventional average, got {target:.6g}",
            site=None,
            nearest=most,
        )
    return std, weights, v, target


def in_range(name: str, values: np.ndarray) -> None:
    """Raise if the square of a value would underflow or overflow: noise must not vanish by rounding."""
    low, high = 1e-150, 1e150
    if not ((values > low) & (values < high)).all():
        raise ValueError(
            f"{name} must lie between {low:g} and {high:g} at every site, got from {values.min():g} to "
            f"{values.max():g}; state the statistic in other units"
        )


def _assemble(std, weights, v, target, a2, d):
    return NoiseDesign(
        std=std,
        weights=weights,
        target=target,
        zero_sum_std=np.sqrt(a2) / weights,
        local_std=np.sqrt(np.maximum(v - a2, 0)) / weights,
        seed_std=np.sqrt(d) / weights,
    )


def _zero_sum_variances(v, target):
    """Weighted variances a_s² of the zero-sum parts: Σ a² = Σ v − τ_c², a² ≤ v, none half of the total or more.

    v are the weighted message variances. See core/README.md, "The weighted design".
    """
    total, largest = v.sum(), int(v.argmax())
    slack = 1e-12 * total
    shared = max(total - target**2, 0.0)
    if shared <= slack:  # Nothing to cancel; also if one site has all except 1e-12 of the noise.
        return np.zeros_like(v)
    excess = v[largest] - (total - v[largest])
    if excess - target**2 > (slack if len(v) == 2 else -slack):
        nearest = math.sqrt(excess) * (1 if len(v) == 2 else 1 + 1e-6)
        raise UnreachableTarget(
            f"site {largest} dominates: the other sites' noise cannot cancel its own, so target must be at "
            f"least {check.upwards(nearest, 7)}, got {target:.7g}",
            site=largest,
            nearest=nearest,
        )
    if len(v) == 2:
        return np.full(2, min(shared / 2, v.min()))
    least_cap = _fill(v, shared) / shared
    cap = max(0.45, (least_cap + 0.5) / 2) * shared
    theta = scipy.optimize.brentq(
        lambda x: np.minimum(cap, x * v).sum() - shared, 0.0, 1.0, xtol=1e-16, rtol=1e-15
    )
    a2 = np.minimum(cap, theta * v)
    return a2 * (shared / a2.sum())


def _fill(v, shared):
    """The level c at which Σ min(c, v_s) = shared."""
    levels = np.sort(v)
    below = np.concatenate([[0.0], np.cumsum(levels)[:-1]])
    filled = below + levels * (len(v) - np.arange(len(v)))
    i = min(int(np.searchsorted(filled, shared)), len(v) - 1)
    return (shared - below[i]) / (len(v) - i)


def _seed_variances(a2):
    """d_s with d_s (1 − d_s/D) = a_s²: the contribution variances for which the zero-sum parts have variance a_s²."""
    if not a2.any():
        return np.zeros_like(a2)
    if len(a2) == 2:
        return np.full(2, a2.sum())

    def shares(u):
        return 2 * a2 * u / (1 + np.sqrt(np.maximum(1 - 4 * a2 * u, 0)))

    end = 1 / (4 * a2.max())
    if shares(end).sum() >= 1 - 1e-12:
        u = end
        if shares(end).sum() > 1:
            u = scipy.optimize.brentq(lambda x: shares(x).sum() - 1, 0.0, end, xtol=1e-300, rtol=1e-15)
        return shares(u) / u
    # The largest site then has more than half of D, which is the other root of its quadratic.
    largest = int(a2.argmax())

    def surplus(x):
        share = shares(x)
        return share.sum() - 2 * share[largest]

    u = scipy.optimize.brentq(surplus, end * 1e-16, end, xtol=1e-300, rtol=1e-15)
    share = shares(u)
    share[largest] = 1 - share[largest]
    return share / u


def sum_of_smallest(values, count):
    """For each position, the sum of the `count` smallest of the *other* values."""
    order = np.argsort(values, kind="stable")
    rank = np.empty(len(values), dtype=int)
    rank[order] = np.arange(len(values))
    sums = np.concatenate([[0.0], np.cumsum(values[order])])
    inside = rank < count
    return np.where(inside, sums[min(count + 1, len(values))] - values, sums[count])
