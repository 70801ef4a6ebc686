"""Messages of a scheme: drawing their noise and averaging them.

`Scheme.noise` says how much noise each site needs. This module draws it in the order of [Cape] Algorithms 1-2
(`turns`): contributions ê_s, broadcast of their sum T, messages, average.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, cast, get_args

import numpy as np

from core import noise
from core.schemes.after_design import AfterDesign
from core.schemes.known.secure import BITS, answers_needed
from core.schemes.noise_design import NoiseDesign
from core.schemes.parts import Parts, message
from core.schemes.sites import Held, Sites
from core.schemes.terms import Terms
from core.secure_sum import SecureSum, secure_sum

ZeroSum = Literal["broadcast", "generator", "secure"]
ZERO_SUM: tuple[ZeroSum, ...] = get_args(ZeroSum)
DISCRETE = "discrete"
Keep = Literal["all", "value"]
KEEP: tuple[Keep, ...] = get_args(Keep)
Kind = Literal["contribution", "edge", "local", "mask", "central"]
# Secure aggregation clips contributions to the zero-sum noise at this many standard deviations, which a
# Gaussian exceeds with probability 1e-57.
CLIP = 16.0
_AT_ONCE = 2**15  # Numbers that are drawn together: they stay in a processor's cache.


@dataclass(frozen=True)
class Draw:
    """Noise for one statistic's shape: `distribution` names one of `core.noise`, or is an object that draws it.

    Exact discrete noise ("discrete") is drawn by the grid.
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


class Turn(NamedTuple):
    """One draw of a release.

    Attributes
    ----------
    kind : {"contribution", "edge", "local", "mask", "central"}
        To the zero-sum noise; of two neighbours; of a site; of the aggregator, to hide a message; of a curator.
    place : int
        Of the site among those that take part, or of the edge.
    std : float
        Standard deviation; on a grid what its `draw` takes.
    """

    kind: Kind
    place: int
    std: float


def turns(parts: Parts, zero_sum: ZeroSum = "broadcast") -> Iterator[Turn]:
    """All draws of a release in their order, in one process as of parties."""
    masks, local = np.zeros(len(parts.senders)), parts.local_std
    if (seeds := parts.seed_std) is not None:
        yield from (Turn("contribution", s, std) for s, std in enumerate(seeds))
    if parts.contributions is not None and zero_sum == "generator":
        masks = parts.contributions.zero_sum_std
    if parts.edges is not None:
        yield from (Turn("edge", e, parts.edges.edge_std) for e in range(len(parts.edges.graph.edges)))
    for s, std in () if local is None else enumerate(local):
        if parts.senders[s]:
            yield Turn("local", s, std)
        if masks[s]:
            yield Turn("mask", int(s), masks[s])
    if parts.central_std:
        yield Turn("central", 0, parts.central_std)


def remaining(parts: Parts, zero_sum: ZeroSum, lost: np.ndarray) -> np.ndarray:
    """Factors with which the normal numbers of `turns` stay in the average, in their order: shape (draws,).

    Of contributions and of numbers of edges nothing stays unless a site is lost; of contributions whose sum comes after
    the messages, never. The aggregator's masks are subtracted again.
    """
    left, weights = parts.senders & ~lost, parts.shares(lost)
    shares = np.zeros(len(left))
    if parts.contributions is not None and lost.any():
        # Σ w_s e_s over the remaining sites, each of which subtracts its share of T = Σ w_j ê_j.
        shares = weights - (weights * parts.contributions.correction).sum() * parts.weights
    pairs = parts.edges.graph.edges if parts.edges is not None else ()
    total = parts.weights[left].sum()
    stays: dict[Kind, Callable[[int], float]] = {
        "contribution": lambda s: shares[s],
        "edge": lambda e: (float(left[pairs[e][0]]) - float(left[pairs[e][1]])) / total,
        "local": lambda s: weights[s],
        "mask": lambda s: 0.0,
    }
    return np.array([stays[kind](place) * std for kind, place, std in turns(parts, zero_sum)])


@dataclass(frozen=True, kw_only=True)
class Job:
    """One release: what `core.schemes.release` was asked for.

    Attributes
    ----------
    sites : Sites
        Sites that take part. Where sites agree on noise, this includes those that are `lost` afterwards.
    everyone : Sites
        All sites, absent ones included.
    lost : bool array of shape (S,)
        Which of `sites` send nothing after noise was agreed; none if the scheme agrees on no noise.
    draw : Draw
        Draws noise of the statistics' shape.
    terms : Terms
        What the noise is planned for.
    zero_sum, keep, threshold
        As in `core.schemes.release`.
    kept : dict
        What repeated releases that differ in statistics and noise alone share.
    """

    sites: Sites
    everyone: Sites
    lost: np.ndarray
    draw: Draw
    terms: Terms
    zero_sum: ZeroSum = "broadcast"
    keep: Keep = "value"
    threshold: int | None = None
    kept: dict[Any, Any] = field(default_factory=dict, repr=False, compare=False)

    def once(self, name: Any, make: Callable[[], Any]) -> Any:
        """`make()`, called for the first of repeated releases only: it must not depend on statistics or noise."""
        if (made := self.kept.get(name)) is None:  # Threads that come together make the same.
            made = self.kept[name] = make()
        return made


def sent(job: Job, parts: Parts, planned: Callable[[], NoiseDesign | None]) -> dict[str, Any]:
    """Draw all noise and average the messages: the fields of `core.schemes.Release` that depend on statistics.

    Parameters
    ----------
    planned : callable
        The zero-sum noise that all sites planned, absent ones included, if a secure sum asks for it.
    """
    if parts.sum_only and parts.grid is None and job.zero_sum == "secure":
        raise ValueError(
            "zero_sum must be 'broadcast' for Gaussian noise of a sum of messages, got 'secure': masks are of whole "
            "numbers; noise='discrete' runs the protocol"
        )
    if parts.after is not None and job.zero_sum == "generator":
        raise ValueError(
            "zero_sum must be 'broadcast' or 'secure' where the sum comes after the messages, got 'generator': its noise is "
            "agreed on before, when nobody knows who will send"
        )
    if parts.grid is not None:
        return _whole_numbers(job, parts)
    if parts.local_std is None:
        return _curated(job, parts)
    if parts.after is not None and job.zero_sum == "secure":
        return _summed_after(job, parts)
    plan = parts.contributions if job.zero_sum == "secure" else None
    if job.keep == "value" and plan is None:
        factors = job.once(("remaining", job.zero_sum), lambda: remaining(parts, job.zero_sum, job.lost))
        left = job.sites.only(parts.senders & ~job.lost)
        return {"value": average(left.statistics, left.weights) + job.draw.weighted(factors)}
    if plan is None:
        return _messages(job, parts, None)
    absent = np.setdiff1d(job.everyone.numbers, job.sites.numbers).tolist()
    agreed, runs = agree(
        plan, job.draw, threshold=job.threshold, planned=planned() if absent else None, absent=absent
    )
    return {"agreements": runs, **_messages(job, parts, agreed)}


def _curated(job, parts):
    """A curator averages the records' statistics, and adds noise if there is any."""
    value = average(job.sites.statistics, job.sites.weights)
    if parts.central_std:
        return {"value": value + job.draw(parts.central_std)}
    bare = np.stack(job.sites.statistics) if job.keep == "all" else None
    return {"value": np.copy(value)[()], "messages": bare}


def _messages(job, parts, agreed):
    """Run the protocol: noise that is agreed on, messages, average over the sites that send.

    `agreed` is ê_s and T of a secure sum. With zero_sum="generator" every message also carries noise that the aggregator
    generated and subtracts again.
    """
    drawn = _drawn(job, parts, agreed)
    cancels, local, masks = _cancelling(job, parts, drawn, agreed), drawn["local"], drawn["mask"]
    late = parts.after is not None and parts.after.own_noise == "sum"
    noise = [part for part in (cancels, None if late else local, masks) if part is not None]
    messages, left = message(np.asarray(job.sites.statistics), *noise), parts.senders & ~job.lost
    bare = messages if masks is None else messages - masks
    value = (
        average(bare[left], parts.shares(job.lost)[left])
        if parts.after is None
        else less(messages, cancels - local if late else cancels, job.sites.weights, left)
    )
    if job.keep == "value":
        return {"value": value}
    messages[~left] = np.nan
    found = {"value": value, "messages": messages, "zero_sum": cancels, "local": local}
    # Nobody sees the messages below a sum's masks.
    return found | ({"messages": None} if parts.sum_only else {"aggregator_noise": masks})


def _drawn(job, parts, agreed):
    """All noise by its kind, in the order in which it is drawn."""
    shape = len(parts.senders), *job.draw.shape
    generator = parts.contributions is not None and job.zero_sum == "generator"
    found = {
        "contribution": np.zeros(shape) if parts.seed_std is not None else None,
        "edge": {},
        "local": np.zeros(shape),
        "mask": np.zeros(shape) if generator else None,
    }
    for kind, place, std in turns(parts, job.zero_sum):
        if kind != "contribution" or agreed is None:
            found[kind][place] = job.draw(std)
    return found


def _cancelling(job, parts, drawn, agreed):
    """Noise of each site that cancels in the average, or that its sum takes off: shape (S, ...), if there is any."""
    if parts.after is not None:
        return drawn["contribution"] if agreed is None else agreed[0]
    if parts.contributions is not None:
        return parts.contributions.cancel(*((drawn["contribution"], None) if agreed is None else agreed))
    return parts.edges.shared(list(drawn["edge"].values()), job.draw.shape) if parts.edges else None


def _whole_numbers(job, parts):
    """Exact discrete noise: all messages and their sum are whole numbers of steps of the grid."""
    here, grid, left = job.sites, parts.grid, parts.senders & ~job.lost
    own, levels = {}, np.zeros((len(left), *job.draw.shape), dtype=np.int64)
    for kind, place, std in turns(parts):
        own[kind, place] = grid.draw(
            job.draw.shape, std, job.draw.rng, parts.divided if kind == "local" else 1
        )
    for s in np.flatnonzero(parts.senders):
        levels[s] = grid.levels(here.weights[s] * here.statistics[s], int(here.numbers[s]))
        levels[s] += own.get(("contribution" if parts.after is not None else "local", s), 0)
    total, runs = _total(job, parts, _in_sum(parts, own, levels)[left], left)
    if parts.after is not None:
        total = levels[left].sum(axis=0) - total
    total = total + own.get(("central", 0), 0)
    value = total * grid.step
    found = {"value": value if left.all() else value / here.weights[left].sum(), "agreements": runs}
    if job.keep == "value" or parts.local_std is None:
        return found
    weights, sends = (x.reshape(-1, *[1] * (levels.ndim - 1)) for x in (here.weights, left))
    local = np.stack([own.get(("local", s), np.zeros(job.draw.shape)) for s in range(len(left))])
    messages = None if parts.sum_only else np.where(sends, levels * grid.step / weights, np.nan)
    return found | {"messages": messages, "local": local * grid.step / weights}


def _in_sum(parts, own, levels):
    """What a secure sum adds up: the messages, or ê_s − g_s where it comes after them."""
    if parts.after is None:
        return levels
    rows = [own["contribution", s] - own["local", s] for s in range(len(levels))]
    return np.stack(rows).reshape(levels.shape)


def _total(job, parts, levels, left):
    """The sum over the sites that send, in the ring, and the transcript if the protocol itself runs."""
    if not parts.summed or job.zero_sum != "secure":
        return levels.sum(axis=0), ()
    every = np.zeros((len(left), *job.draw.shape))
    every[left] = levels
    least = answers_needed(len(left), job.terms)
    run = secure_sum(
        every,
        clip=2.0**BITS,
        bits=BITS,
        threshold=least if job.threshold is None else job.threshold,
        silent={"input": np.flatnonzero(job.lost).tolist()},
        rounding="nearest",
        rng=job.draw.rng if isinstance(job.draw.rng, np.random.Generator) else None,
    )
    return run.total.astype(np.int64), (run,)


def less(messages, taken, weights, left):
    """The average over the sites that are left, less the sum of noise that is revealed over them; see `AfterDesign`.

    `taken` is what each site put into that sum, or the sum itself if it is of a single statistic's shape.
    """
    shares = weights[left]
    total = average(taken[left], shares) if np.ndim(taken) == np.ndim(messages) else taken
    return (average(messages[left], shares) - total) / shares.sum()


def _summed_after(job, parts):
    """Messages first, then a secure sum over those that sent, of ê_s, or of ê_s − g_s."""
    drawn, weights = _drawn(job, parts, None), job.sites.weights.reshape(-1, *[1] * len(job.draw.shape))
    late = parts.after.own_noise == "sum"
    run = secure_sum(
        weights * (drawn["contribution"] - drawn["local"] if late else drawn["contribution"]),
        clip=clip_of(parts.after, job.draw),
        threshold=answers_needed(len(job.lost), job.terms) if job.threshold is None else job.threshold,
        silent={"input": np.flatnonzero(job.lost).tolist()},
        rounding="nearest",
        rng=job.draw.rng,
    )
    # Each site uses its noise as rounded for the sum, so that it is taken off exactly.
    revealed = run.quantised / weights
    seeds = drawn["contribution"] if late else revealed
    local = drawn["contribution"] - revealed if late else drawn["local"]
    messages = message(np.asarray(job.sites.statistics), seeds, *(() if late else (local,)))
    left = parts.senders & ~job.lost
    value = less(messages, run.total, job.sites.weights, left)
    if job.keep == "value":
        return {"value": value, "agreements": (run,)}
    messages[~left] = np.nan
    return {"value": value, "messages": messages, "zero_sum": seeds, "local": local, "agreements": (run,)}


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


def clip_of(plan: NoiseDesign | AfterDesign, draw: Draw) -> float:
    """Bound on the entries of w_s ê_s, or of w_s (ê_s − g_s), in secure aggregation."""
    # Noise seen through a matrix has entries of other deviations than `std`: the largest counts. All noise
    # in the messages may be local; the sum of nothing is then still sent.
    return CLIP * float(np.max(draw.std((plan.weights * plan.summed_std).max()))) or 1.0


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
