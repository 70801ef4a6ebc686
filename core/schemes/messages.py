"""Messages of a scheme: drawing their noise and averaging them.

`schemes.release` decides how much noise each site needs. This module draws it site by site in the order of
[Cape] Algorithms 1-2: contributions ê_s, broadcast of their sum T, messages, average.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, cast, get_args

import numpy as np

from core import noise
from core.schemes.noise_design import NoiseDesign
from core.secure_sum import SecureSum, secure_sum

ZeroSum = Literal["broadcast", "generator", "secure"]
ZERO_SUM: tuple[ZeroSum, ...] = get_args(ZeroSum)
DISCRETE = "discrete"
Keep = Literal["all", "value"]
KEEP: tuple[Keep, ...] = get_args(Keep)
# Secure aggregation clips contributions to the zero-sum noise at this many standard deviations, which a
# Gaussian exceeds with probability 1e-57.
CLIP = 16.0


@dataclass(frozen=True)
class Draw:
    """Noise for one statistic's shape: `distribution` names one of `core.noise`, or is an object that draws it.

    Exact discrete noise ("discrete") is drawn by `core.schemes.discrete_noise`.
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


def average(arrays, weights) -> np.ndarray:
    """Σ w_s f_s."""
    return sum(w * f for w, f in zip(weights, arrays, strict=True))


def independent(statistics, std, weights, draw: Draw, keep: Keep) -> dict:
    """Perturb every site's statistic with independent noise and average (the conventional scheme)."""
    if keep == "all":
        messages = np.stack([f + draw(t) for f, t in zip(statistics, std, strict=True)])
        return {"value": average(messages, weights), "messages": messages}
    value = np.zeros(draw.shape)
    for f, w, t in zip(statistics, weights, std, strict=True):
        _add(value, w, draw(t), f)
    return {"value": value}


def correlated(
    statistics, plan: NoiseDesign, draw: Draw, *, zero_sum: ZeroSum, keep: Keep, lost=None, agreed=None
) -> dict:
    """Run the CAPE protocol: contributions, broadcast of their sum, messages, average over the remaining sites.

    Parameters
    ----------
    zero_sum : {"broadcast", "generator", "secure"}
        "generator": every message also carries noise that the aggregator generated and subtracts again.
    keep : {"all", "value"}
        "value" makes the same draws in the same order but holds only running sums.
    lost : bool array of shape (S,), optional
        Sites that send nothing after the zero-sum noise is drawn.
    agreed : tuple of arrays, optional
        Contributions ê_s and T from secure aggregation (see `agree`).
    """
    lost = np.zeros(plan.sites, dtype=bool) if lost is None else lost
    masks = plan.zero_sum_std if zero_sum == "generator" else np.zeros(plan.sites)
    weights = np.where(lost, 0.0, plan.weights) / plan.weights[~lost].sum()
    if keep == "value" and agreed is None:
        return {"value": _streamed(statistics, plan, draw, weights, masks)}
    seeds, total = (np.stack([draw(t) for t in plan.seed_std]), None) if agreed is None else agreed
    zero_sum_noise = plan.cancel(seeds, total)
    local, aggregator = np.empty_like(zero_sum_noise), np.zeros_like(zero_sum_noise)
    for s, (t, mask) in enumerate(zip(plan.local_std, masks, strict=True)):
        local[s] = draw(t)
        if mask:
            aggregator[s] = draw(mask)
    messages = np.asarray(statistics) + zero_sum_noise + local + aggregator
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
        Design of all sites, in case some are `absent`: they agree on keys, then send no input. The
        sum over the others is recovered. If it fits their design (equal targets), they reuse their
        contributions; otherwise the present sites run the protocol again.

    Returns
    -------
    (contributions, T), and the transcripts of secure aggregation.
    """
    runs: tuple[SecureSum, ...] = ()
    absent = tuple(absent)
    if absent and planned is not None:
        run = _secure(planned, draw, threshold, absent)
        there = list(run.included)
        runs = (run,)
        if np.allclose(planned.seed_std[there], plan.seed_std, rtol=1e-9, atol=0):
            # The others' weights are renormalised, and with them T.
            share = planned.weights[there].sum()
            return (_contributions(run.quantised[there], planned.weights[there]), run.total / share), runs
        threshold = None if threshold is None else min(threshold, plan.sites)
    run = _secure(plan, draw, threshold, ())
    return (_contributions(run.quantised, plan.weights), run.total), (*runs, run)


def _secure(plan, draw, threshold, absent):
    weighted = np.stack([w * draw(t) for w, t in zip(plan.weights, plan.seed_std, strict=True)])
    # Noise seen through a matrix has entries of other deviations than `std`: the largest counts. All noise
    # in the messages may be local; the sum of nothing is then still sent.
    clip = CLIP * float(np.max(draw.std((plan.weights * plan.seed_std).max()))) or 1.0
    silent = {"input": absent}
    # Each site uses its own rounded noise, so rounding adds no bias, and symmetry is kept.
    return secure_sum(
        weighted, clip=clip, threshold=threshold, silent=silent, rounding="nearest", rng=draw.rng
    )


def _contributions(quantised, weights):
    return quantised / weights.reshape(-1, *[1] * (quantised.ndim - 1))


def _streamed(statistics, plan, draw, weights, masks):
    """Compute the average alone, keeping only a few arrays in memory."""
    value, total = np.zeros(draw.shape), None
    if not weights.all():
        total = np.zeros(draw.shape)
    for w, share, t in zip(plan.weights, weights, plan.seed_std, strict=True):
        seed = draw(t)
        if total is not None:
            total += w * seed
        _add(value, share, seed)
    # Σ w_s e_s over the remaining sites: zero up to rounding if all remain, because T is then Σ w_s ê_s.
    value -= (weights * plan.correction).sum() * (value if total is None else total)
    for f, w, t, mask in zip(statistics, weights, plan.local_std, masks, strict=True):
        _add(value, w, draw(t), f)
        if mask:
            draw(mask)
    return value


def _add(value, weight, noise, statistic=0.0):
    """Add weight · (statistic + noise) to `value`; overwrites `noise`, makes no further array."""
    noise += statistic
    noise *= weight
    value += noise
