"""Secure aggregation with distributed noise: each site adds its share of the noise, and only the sum is ever seen.

With c colluders and at most r dropouts every share has the variance γ = Δ²/(μ² (S − c − r)), so that the honest senders
alone have enough. The masks are those of `core.secure_sum`. With noise="discrete" the shares are discrete Gaussians in
its ring, and zero_sum="secure" runs the protocol itself. Gaussian shares serve the comparison of schemes: no mask hides
real numbers, so their μ of 0 for a message is that of the discrete release. If the cryptography fails, a message has its
own share only.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from core.discrete import gdp_step
from core.discrete.grid import Grid, noise
from core.schemes.messages import average
from core.schemes.noise_design import members, sum_of_smallest
from core.schemes.parts import Parts
from core.schemes.scheme import Drawn, Learned, Request, Scheme, Sends, leakage_to_colluders
from core.schemes.terms import Terms
from core.secure_sum import default_threshold, secure_sum

BITS = 51  # Of the levels that are put in; whole numbers up to there are exact in floating point.


@dataclass(frozen=True)
class Shares:
    """Shares of the noise.

    Attributes
    ----------
    weights : ndarray of shape (S,)
    share_std : float
        Standard deviation of each share, in units of the weighted average.
    grid : Grid or None
        Of discrete shares.
    """

    weights: np.ndarray
    share_std: float
    grid: Grid | None = None

    @property
    def sites(self) -> int:
        """The number of sites S."""
        return len(self.weights)

    @property
    def std(self) -> np.ndarray:
        """Noise of each message below its mask, in the statistic's units: shape (S,)."""
        return self.share_std / self.weights

    def average_std(self, dropped: Iterable[int] = ()) -> float:
        """Noise of the average over the sites that remain."""
        left = ~members("dropped", dropped, self.sites)
        return self.share_std * math.sqrt(left.sum()) / float(self.weights[left].sum())

    def leakage(
        self, sensitivities, colluding: int | Iterable[int] = 0, *, dropped: Iterable[int] = ()
    ) -> np.ndarray:
        """μ² of each honest site against the aggregator, who sees the sum, and colluders, who know their shares."""
        changes = self.weights * np.broadcast_to(np.asarray(sensitivities, dtype=float), self.sites)
        silent = members("dropped", dropped, self.sites)
        sent = np.where(silent, 0.0, 1.0)
        if isinstance(colluding, Iterable):
            known = members("colluding", colluding, self.sites)
            changes = np.where(known, np.nan, changes)
            shares = np.full(self.sites, sent[~known].sum())
        else:
            # Silent sites collude last: their shares are not in the sum.
            shares = sent + sum_of_smallest(sent, self.sites - 1 - int(colluding))
        return np.where(silent, np.where(np.isnan(changes), np.nan, 0.0), self._mu(changes, shares) ** 2)

    def _mu(self, changes, shares):
        with np.errstate(divide="ignore", invalid="ignore"):
            if self.grid is None:
                return changes / (self.share_std * np.sqrt(shares))
            own = self.share_std / self.grid.step
            return self.grid.steps(changes) * gdp_step.trusted(np.maximum(own * np.sqrt(shares), 1e-9))

    def unmasked(self, sensitivities) -> float:
        """μ of the worst site's message if its mask is known."""
        return float(np.max(self._mu(self.weights * sensitivities, 1.0)))


def _parts(sites: int, terms: Terms) -> int:
    """Honest senders that are sure to be there: S − c − r."""
    terms = terms.fitting(sites)
    return sites - terms.colluding - terms.dropouts


def _planned_std(std: np.ndarray, weights: np.ndarray, dropped: np.ndarray, terms: Terms) -> float:
    share = float((weights * std).max()) / math.sqrt(_parts(len(std), terms))
    return Shares(weights, share).average_std(np.flatnonzero(dropped).tolist())


def _average_std(std: np.ndarray, weights: np.ndarray, dropped: np.ndarray) -> float:
    return _planned_std(std, weights, dropped, Terms())


def _release(request: Request) -> Drawn:
    here, lost, draw = request.sites, request.lost, request.draw
    if request.zero_sum == "secure":
        raise ValueError(
            "zero_sum must be 'broadcast' for Gaussian noise under scheme 'secure', got 'secure': masks are of whole "
            "numbers; noise='discrete' runs the protocol"
        )
    share = float((here.weights * here.std).max()) / math.sqrt(_parts(len(here.numbers), request.terms))
    plan = Shares(here.weights, share)
    local = np.stack([draw(t) for t in plan.std])
    sent = [f + g for f, g, gone in zip(here.statistics, local, lost, strict=True) if not gone]
    value = average(sent, here.only(~lost).weights)
    kept = {"local": local} if request.keep == "all" else {}
    return _drawn(request, plan, value, kept)


def _discrete(request: Request, grid: Grid) -> Drawn:
    here, lost, draw = request.sites, request.lost, request.draw
    parts = _parts(len(here.numbers), request.terms)
    std = int(grid.stds(here.weights * here.assumed, here.mus, parts=parts).max())
    own = np.stack([noise(draw.shape, std, draw.rng) for _ in here.numbers])
    levels = np.stack(
        [
            grid.levels(w * f, int(n))
            for n, w, f in zip(here.numbers, here.weights, here.statistics, strict=True)
        ]
    )
    plan = Shares(here.weights, std * grid.step, grid)
    total, runs = _total(request, levels + own, parts)
    value = total * grid.step
    if lost.any():
        value = value / here.weights[~lost].sum()
    shape = (-1, *[1] * (own.ndim - 1))
    kept = {"local": own * grid.step / here.weights.reshape(shape)} if request.keep == "all" else {}
    return _drawn(request, plan, value, kept, agreements=runs, grid=grid.step)


def answers_needed(sites: int, terms: Terms) -> int:
    """As many sites must answer as are sure to be there, and more than may collude."""
    return max(2, terms.colluding + 1, min(default_threshold(sites), sites - terms.dropouts))


def _total(request, levels, parts):
    """The sum over the sites that send, in the ring, and the transcript if the protocol itself runs."""
    lost = request.lost
    if request.zero_sum != "secure":
        return levels[~lost].sum(axis=0), ()
    least = answers_needed(len(levels), request.terms)
    run = secure_sum(
        levels.astype(float),
        clip=2.0**BITS,
        bits=BITS,
        threshold=least if request.threshold is None else request.threshold,
        silent={"input": np.flatnonzero(lost).tolist()},
        rounding="nearest",
        rng=request.draw.rng if isinstance(request.draw.rng, np.random.Generator) else None,
    )
    return run.total.astype(np.int64), (run,)


def _drawn(request, plan, value, kept, **more):
    here, silent = request.sites, np.flatnonzero(request.lost).tolist()
    seen = math.sqrt(plan.leakage(here.sensitivities, dropped=silent).max())
    learned = Learned(public=seen, message=0.0, aggregator=seen, unmasked=plan.unmasked(here.sensitivities))
    return Drawn(value=value, std=plan.average_std(silent), learned=learned, design=plan, **kept, **more)


def _parts_of_noise(request: Request, grid: Grid | None) -> Parts:
    here, parts = request.sites, _parts(len(request.sites.numbers), request.terms)
    if grid is None:
        share = float((here.weights * here.std).max()) / math.sqrt(parts)
        return Parts(local_std=Shares(here.weights, share).std, sum_only=True)
    std = float(grid.stds(here.weights * here.assumed, here.mus, parts=parts).max())
    return Parts(local_std=np.full(len(here.numbers), std), sum_only=True, grid=grid)


SCHEME = Scheme(
    name="secure",
    label="secure aggregation",
    explanation="cryptography shows the sum alone, and every site adds its share of the noise",
    order=12,
    release=_release,
    average_std=_average_std,
    colluders=leakage_to_colluders,
    # Masks are generated from keys, whose size does not grow with the statistic; see `core.secure_sum.traffic`.
    sends=Sends(message=1, agreement=0),
    seen_by="nobody",
    agrees=True,
    planned_std=_planned_std,
    discrete=_discrete,
    parts=_parts_of_noise,
    offered=False,
)
