"""Messages of a scheme: drawing their noise and averaging them.

`schemes.release` decides how much noise each site needs. This module draws it site by site in the order of
[Cape] Algorithms 1-2: contributions ê_s, broadcast of their sum T, messages, average.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, cast, get_args

import numpy as np

from core import noise
from core.schemes.held import Held
from core.schemes.noise_design import NoiseDesign
from core.schemes.parts import message, remaining_weights
from core.secure_sum import SecureSum, secure_sum

ZeroSum = Literal["broadcast", "generator", "secure"]
ZERO_SUM: tuple[ZeroSum, ...] = get_args(ZeroSum)
DISCRETE = "discrete"
Keep = Literal["all", "value"]
KEEP: tuple[Keep, ...] = get_args(Keep)
# Secure aggregation clips contributions to the zero-sum noise at this many standard deviations, which a
# Gaussian exceeds with probability 1e-57.
CLIP = 16.0
_AT_ONCE = 2**15  # Numbers that are drawn together: they stay in a processor's cache.


@dataclass(frozen=True)
class Draw:
    """Noise for one statistic's shape: `distribution` names one of `core.noise`, or is an object that draws it.

    Exact discrete noise ("discrete") is drawn by `core.discrete.grid`.
    Such an object may have `entries`, the number of the independent normal numbers of one draw, and
    `spread(entries)`, the linear map that makes noise of standard deviation 1 of them.
    """

    shape: tuple[int, ...]
    distribution: Any
    rng: Any

    def __call__(self, std: float) -> np.ndarray:
        """Draw noise of standard deviation τ = `std`."""
        if not isinstance(self.distribution, str):
            return self.distribution.gaussian(std, rng=self.rng)
        return noise.gaussian.trusted(
            self.shape, std, rng=self.rng, distribution=cast(noise.Distribution, self.distribution)
        )

    def std(self, std: float) -> np.ndarray | float:
        """Standard deviation of the drawn entries."""
        if self.distribution == DISCRETE:
            return std
        if not isinstance(self.distribution, str):
            return self.distribution.entry_std(std)
        return noise.entry_std.trusted(
            self.shape, std, distribution=cast(noise.Distribution, self.distribution)
        )

    def weighted(self, factors: np.ndarray) -> np.ndarray:
        """Σ c_i Z_i of n draws Z_i of standard deviation 1; `factors` is c, of shape (n,).

        The numbers are those of n calls, one after another. They are added before they are brought to the statistic's
        shape: a symmetric array has half as many distinct entries.
        """
        if self.distribution == "iid":
            return _sum(self.rng, math.prod(self.shape), factors).reshape(self.shape)
        count, spread = self._linear()
        if count is None:
            return sum(c * self(1.0) for c in factors)
        return spread(_sum(self.rng, count, factors))

    def _linear(self):
        """The number of independent normal numbers in a draw, and how they make it; (None, None) if unknown."""
        if not isinstance(self.distribution, str):
            return getattr(self.distribution, "entries", None), getattr(self.distribution, "spread", None)
        count = noise.independent_entries.trusted(self.shape, distribution=self.distribution)
        return count, lambda entries: noise.spread.trusted(
            entries, self.shape, distribution=self.distribution
        )


def average(arrays, weights) -> np.ndarray:
    """Σ w_s f_s; not to be changed in place."""
    if isinstance(arrays, Held):
        return arrays.average(weights)
    return sum(w * f for w, f in zip(weights, arrays, strict=True))


def independent(statistics, std, weights, draw: Draw, keep: Keep) -> dict:
    """Perturb every site's statistic with independent noise and average (the conventional scheme)."""
    if keep == "all":
        messages = np.stack([message(f, draw(t)) for f, t in zip(statistics, std, strict=True)])
        return {"value": average(messages, weights), "messages": messages}
    return {"value": average(statistics, weights) + draw.weighted(np.asarray(weights) * std)}


def correlated(
    statistics, plan: NoiseDesign, draw: Draw, *, zero_sum: ZeroSum, keep: Keep, lost=None, agreed=None
) -> dict:
    """Run the CAPE protocol: contributions, broadcast of their sum, messages, average over the remaining sites.

    Parameters
    ----------
    zero_sum : {"broadcast", "generator", "secure"}
        "generator": every message also carries noise that the aggregator generated and subtracts again.
    keep : {"all", "value"}
        "value" does not return the messages; see `remaining` for the way without them.
    lost : bool array of shape (S,), optional
        Sites that send nothing after the zero-sum noise is drawn.
    agreed : tuple of arrays, optional
        Contributions ê_s and T from secure aggregation (see `agree`).
    """
    lost = np.zeros(plan.sites, dtype=bool) if lost is None else lost
    masks = plan.zero_sum_std if zero_sum == "generator" else np.zeros(plan.sites)
    weights = remaining_weights(plan.weights, lost)
    seeds, total = (np.stack([draw(t) for t in plan.seed_std]), None) if agreed is None else agreed
    zero_sum_noise = plan.cancel(seeds, total)
    local, aggregator = np.empty_like(zero_sum_noise), np.zeros_like(zero_sum_noise)
    for s, (t, mask) in enumerate(zip(plan.local_std, masks, strict=True)):
        local[s] = draw(t)
        if mask:
            aggregator[s] = draw(mask)
    messages = message(np.asarray(statistics), zero_sum_noise, local, aggregator)
    value = average(messages - aggregator, weights)
    if keep == "value":
        return {"value": value}
    messages[lost] = np.nan
    return {
        "value": value,
        "messages": messages,
        "zero_sum": zero_sum_noise,
        "local": local,
        "aggregator_noise": aggregator if zero_sum == "generator" else None,
    }


def remaining(plan: NoiseDesign, zero_sum: ZeroSum, lost: np.ndarray) -> np.ndarray:
    """Factors with which the normal numbers of the protocol stay in the average, in the order of their drawing.

    First the contributions ê_s: if no site is lost, nothing of them stays. Then each site's local noise; with
    zero_sum="generator" the aggregator's own noise after it, which it subtracts again.

    Returns
    -------
    ndarray of shape (2 S,) or (3 S,)
    """
    weights = remaining_weights(plan.weights, lost)
    seeds = np.zeros(plan.sites)
    if lost.any():
        # Σ w_s e_s over the remaining sites, each of which subtracts its share of T = Σ w_j ê_j.
        seeds = (weights - (weights * plan.correction).sum() * plan.weights) * plan.seed_std
    local = weights * plan.local_std
    if zero_sum == "generator":
        local = np.stack([local, np.zeros(plan.sites)], axis=1).ravel()
    return np.concatenate([seeds, local])


def agree(
    plan: NoiseDesign,
    draw: Draw,
    *,
    threshold: int | None = None,
    planned: NoiseDesign | None = None,
    absent=(),
) -> tuple[tuple[np.ndarray, np.ndarray], tuple[SecureSum, ...]]:
    """Draw contributions ê_s and their sum T = Σ w_s ê_s by secure aggregation ([Cape] Algorithm 1).

    Each site keeps its contribution as rounded for the protocol, so that the noise still cancels exactly.

    Parameters
    ----------
    plan : NoiseDesign
        Design of the present sites.
    planned : NoiseDesign, optional
        Design of all sites, used if some are `absent`. These agree on keys and then send no input; the protocol
        recovers the sum over the others. If the targets are equal, this sum fits the design of the present sites, and
        they keep their contributions. Otherwise they run the protocol again.

    Returns
    -------
    ((contributions, T), runs)
        Contributions have shape (S, ...); `runs` are the transcripts of secure aggregation.
    """
    runs: tuple[SecureSum, ...] = ()
    absent = tuple(absent)
    if absent and planned is not None:
        run = _secure(planned, draw, threshold, absent)
        there = list(run.included)
        runs = (run,)
        if fits(planned, plan, there):
            # The others' weights are renormalised, and with them T.
            share = planned.weights[there].sum()
            return (_contributions(run.quantised[there], planned.weights[there]), run.total / share), runs
        threshold = None if threshold is None else min(threshold, plan.sites)
    run = _secure(plan, draw, threshold, ())
    return (_contributions(run.quantised, plan.weights), run.total), (*runs, run)


def fits(planned: NoiseDesign, plan: NoiseDesign, there) -> bool:
    """Whether contributions of the sites `there`, drawn for `planned`, are those of `plan`, the design of these sites."""
    return np.allclose(planned.seed_std[there], plan.seed_std, rtol=1e-9, atol=0)


def clip_of(plan: NoiseDesign, draw: Draw) -> float:
    """Bound on the entries of w_s ê_s in secure aggregation."""
    # Noise seen through a matrix has entries of other deviations than `std`: the largest counts. All noise
    # in the messages may be local; the sum of nothing is then still sent.
    return CLIP * float(np.max(draw.std((plan.weights * plan.seed_std).max()))) or 1.0


def _secure(plan, draw, threshold, absent):
    weighted = np.stack([w * draw(t) for w, t in zip(plan.weights, plan.seed_std, strict=True)])
    clip, silent = clip_of(plan, draw), {"input": absent}
    # Each site uses its own rounded noise, so rounding adds no bias, and symmetry is kept.
    return secure_sum(
        weighted, clip=clip, threshold=threshold, silent=silent, rounding="nearest", rng=draw.rng
    )


def _contributions(quantised, weights):
    return quantised / weights.reshape(-1, *[1] * (quantised.ndim - 1))


def _sum(rng, count, factors):
    """Σ c_i z_i of successive vectors z_i of `count` standard normal numbers."""
    if len(factors) * count <= _AT_ONCE:
        return factors @ rng.standard_normal((len(factors), count))
    total, room = np.zeros(count), np.empty(min(count, _AT_ONCE))
    for factor in factors:
        for start in range(0, count, _AT_ONCE):
            part = rng.standard_normal(out=room[: min(_AT_ONCE, count - start)])
            if factor:  # What does not stay in the average is drawn all the same.
                part *= factor
                total[start : start + len(part)] += part
    return total
