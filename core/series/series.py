"""A series of releases by several sites: fresh zero-sum noise every month, and own noise that is correlated over months.

In month k site s sends y_sk = f_sk + û_sk, û fresh. The sum after the messages reveals Σ (û_sk − (C⁻¹g_s)_k) over
the sites that sent, A_k, and is taken off: what is released has Σ (C⁻¹g_s)_k alone. So each month's sum is an
ordinary matrix mechanism of shares. All in units of w_s f_s. For the derivation see core/README.md, "Every month".
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, get_args

import numpy as np

from core import check
from core.schemes.noise_design import CAP
from core.series.strategies import Strategy

Rival = Literal["cape-after", "secure", "pooled", "conventional"]
RIVALS: tuple[Rival, ...] = get_args(Rival)


@check.arguments
@dataclass(frozen=True, kw_only=True)
class Series:
    """The noise of a whole series of equal sites, held against the aggregator.

    Data of a month may depend on earlier averages: the target holds against the aggregator, who sees all messages. A
    target for single messages alone would not survive this.

    Attributes
    ----------
    strategy : Strategy
    sites : int
        S ≥ 2.
    mu : float
        Target of a person's whole series, with w_s Δ_s = 1/S: errors are in units of one record's move of a site's
        average.
    scheme : {"cape-after", "secure", "pooled", "conventional"}
        Who draws: as above; a secure sum of messages (û is a mask); one curator; every site for itself.
    colluding : int
        c, all sites that collude with the aggregator in any month.
    dropouts : int
        r, how many sites may fall silent in a month; in other months others may. They are never counted on.
    lost : int
        How many sites may lose their history of g and begin anew; each counts as one colluder more.
    cap : float
        D, variance of û in units of what one message needs for the whole series.
    shares : tuple of S float, optional
        Variances of the sites' own noise in proportion, where they differ. Default: all equal.

    Examples
    --------
    Twelve months, every person in one of them: error of the running totals, in units of a curator's single month.

    >>> from core.series.participation import Participation
    >>> from core.series.strategies import queries, strategy
    >>> totals = queries("totals", 12)
    >>> best = strategy(totals, Participation(12, 1))
    >>> plan = Series(strategy=best, sites=10, mu=1.0)
    >>> round(10 * float(np.sqrt(plan.variances(totals).mean())), 2)
    1.62
    """

    strategy: Strategy
    sites: int
    mu: float
    scheme: Rival = "cape-after"
    colluding: int = 0
    dropouts: int = 0
    lost: int = 0
    cap: float = CAP
    shares: tuple[float, ...] | None = None

    def __post_init__(self):
        check.integer("sites", self.sites, low=2)
        check.positive("mu", self.mu)
        check.choice("scheme", self.scheme, RIVALS)
        gone = check.integer("colluding", self.colluding, low=0) + check.integer("lost", self.lost, low=0)
        most = (self.sites - gone - 1) // 2 if self.summed else self.sites - gone - 1
        if gone >= self.sites or not 0 <= self.dropouts <= max(most, 0):
            raise ValueError(
                f"dropouts must be at most {max(most, 0)} of {self.sites} sites beside {gone} that collude or lost their "
                f"history, got {self.dropouts}"
            )
        if not check.positive("cap", self.cap) > 1:
            raise ValueError(f"cap must be above 1, got {self.cap}")
        if self.shares is not None:
            check.positives("shares", self.shares, length=self.sites)
            if self.scheme == "pooled":
                raise ValueError("shares must be left out under 'pooled', where one curator draws all noise")

    @property
    def summed(self) -> bool:
        """Whether a sum over those that sent is revealed."""
        return self.scheme in ("cape-after", "secure")

    @property
    def honest(self) -> float:
        """h_e: how many shares hide a person. h = S − c if nobody may be silent, else (h − r)²/h.

        Of unequal shares the largest collude: (Γ − those of the r largest)²/Γ, Γ their sum over the honest sites.
        """
        return self.hiding(self.colluding + self.lost, self.dropouts)

    @cached_property
    def proportions(self) -> np.ndarray:
        """Variance of each site's own noise in units of γ, of mean 1: shape (S,)."""
        found = np.ones(self.sites) if self.shares is None else np.array(self.shares, dtype=float)
        return found / found.mean()

    @check.arguments
    def hiding(self, gone: int, silent: int) -> float:
        """The same if `gone` sites collude or lost their history, and `silent` may drop out in a month."""
        if self.scheme == "conventional":  # A message has nothing but its own.
            return float(self.proportions.min())
        return self.hiding_in_averages(gone, silent)

    @check.arguments
    def hiding_in_averages(self, gone: int, silent: int) -> float:
        """The same against whoever sees the averages alone: the noise of every other site is in them, too."""
        if self.scheme == "pooled":
            return 1.0
        honest = np.sort(self.proportions)[: self.sites - gone]
        whole = honest.sum()
        return float((whole - honest[len(honest) - silent :].sum()) ** 2 / whole) if silent else float(whole)

    @cached_property
    def fresh(self) -> float:
        """D: variance of û in a month, in units of (w_s Δ_s)²; ∞ where masks hide the messages."""
        if self.scheme != "cape-after":
            return math.inf
        return self.cap * self.strategy.participation.times / self.mu**2

    @cached_property
    def own(self) -> float:
        """γ: variance of a site's z, whose C⁻¹z is its own noise, in units of (w_s Δ_s)²; a curator's, under "pooled"."""
        spent = 0.0 if math.isinf(self.fresh) else self.strategy.participation.times / self.fresh
        return 1 / (self.honest * (self.mu**2 - spent))

    @check.arguments(pattern=check.reals)
    def mu_of(self, pattern, *, colluding: int | None = None, silent: bool | None = None) -> float:
        """μ of a person whose records move month k's statistic by pattern_k Δ, against aggregator and colluders.

        A bound: √(‖x‖²/D + ‖Cx‖²/(γ h_e)), proved for own noise in the sum.

        Parameters
        ----------
        pattern : array of shape (K,)
            Between −1 and 1.
        colluding : int, optional
            Default: the planned number, with those that lost their history.
        silent : bool, optional
            Whether sites fall silent. Default: as planned.
        """
        x = np.asarray(check.reals("pattern", pattern), dtype=float)
        if x.shape != (self.strategy.months,) or (np.abs(x) > 1).any():
            raise ValueError(
                f"pattern must be {self.strategy.months} numbers from -1 to 1, got {check.shown(pattern)}"
            )
        known = self.colluding + self.lost if colluding is None else colluding
        check.integer("colluding", known, low=0, high=self.sites - 1)
        gone = self.dropouts if silent is None or silent else 0
        if self.summed and self.sites - known <= gone:
            return math.inf
        hiding = self.hiding(known, gone)
        moved = float(np.sum((self.strategy.matrix @ x) ** 2))
        return math.sqrt(float(x @ x) / self.fresh + moved / (self.own * hiding))

    @check.arguments(senders=check.optional(check.reals))
    def covariance(self, senders=None) -> np.ndarray:
        """Covariance over months of the noise in the released averages, in units of (Δ_s)²: shape (K, K).

        γ M ∘ (P Pᵀ), P_k the weights of month k's senders.

        Parameters
        ----------
        senders : bool array of shape (K, S), optional
            Who sent in each month. Default: everybody.
        """
        months = self.strategy.months
        if self.scheme == "pooled":
            return self.own * self.strategy.covariance / self.sites**2
        there = np.ones((months, self.sites)) if senders is None else np.asarray(senders, dtype=float)
        if there.shape != (months, self.sites) or not there.any(axis=1).all():
            raise ValueError(
                f"senders must have shape {(months, self.sites)} with a sender in every month, got {there.shape}"
            )
        shares = there / there.sum(axis=1, keepdims=True)
        return self.own * self.strategy.covariance * ((shares * self.proportions) @ shares.T)

    @check.arguments(asked=check.reals, senders=check.optional(check.reals))
    def variances(self, asked, senders=None) -> np.ndarray:
        """aᵀVa of the noise in each query, a row of `asked`."""
        asked = self._asked(asked)
        return np.einsum("nk,kl,nl->n", asked, self.covariance(senders), asked)

    def _asked(self, asked):
        asked = check.matrix("asked", asked)
        if asked.shape[1] != self.strategy.months:
            raise ValueError(
                f"asked must have {self.strategy.months} columns, one a month, got {asked.shape[1]}"
            )
        return asked

    @check.arguments(asked=check.reals)
    def expected(self, asked) -> np.ndarray:
        """The same, on average over which r sites are silent in each month, independently of each other."""
        asked = self._asked(asked)
        if self.scheme == "pooled":
            return self.variances(asked)
        together = np.full((self.strategy.months,) * 2, 1 / self.sites)
        np.fill_diagonal(together, 1 / (self.sites - self.dropouts))
        return np.einsum("nk,kl,nl->n", asked, self.own * self.strategy.covariance * together, asked)

    @check.arguments
    def begin(self, *, rng: np.random.Generator) -> Running:
        """The first month's state, with nothing drawn."""
        return Running(self, rng)


@dataclass
class Running:
    """All sites of a series in one process, month by month; a simulation.

    A month is released once. A site's numbers g are its secret, and stay for the whole series.

    Attributes
    ----------
    series : Series
    rng : numpy.random.Generator
    month : int
        How many months were released.
    """

    series: Series
    rng: np.random.Generator
    month: int = 0
    _drawn: list = field(default_factory=list, repr=False)

    @check.arguments(statistics=check.reals)
    def release(self, statistics, *, silent: tuple[int, ...] = ()) -> np.ndarray:
        """The average of this month over the sites that send, with its noise: the shape of one statistic.

        Parameters
        ----------
        statistics : array of shape (S, ...)
            In units in which one record moves a site's by at most 1, Δ_s.
        silent : tuple of int
            Sites that send nothing this month, at most `dropouts`.

        Raises
        ------
        ValueError
            If all months were released, or more sites are silent than was planned.
        """
        series, k = self.series, self.month
        f = np.asarray(check.reals("statistics", statistics), dtype=float)
        if k == series.strategy.months:
            raise ValueError(f"month must be below {k}: all months of the series were released")
        if len(f) != series.sites:
            raise ValueError(f"statistics must come from {series.sites} sites, got {len(f)}")
        left = np.ones(series.sites, dtype=bool)
        left[[check.integer("silent", s, low=0, high=series.sites - 1) for s in silent]] = False
        if series.scheme != "pooled" and (~left).sum() > series.dropouts:
            raise ValueError(
                f"silent must be at most {series.dropouts} sites, as planned, got {(~left).sum()}"
            )
        self.month += 1
        curators = series.scheme == "pooled"
        shape = f.shape[1:] if curators else f.shape
        spread = 1.0 if curators else np.sqrt(series.proportions).reshape(-1, *[1] * (f.ndim - 1))
        self._drawn.append(math.sqrt(series.own) * spread * self.rng.standard_normal(shape))
        noise = sum(c * z for c, z in zip(series.strategy.inverse[k], self._drawn, strict=False))
        if curators:
            return f.mean(axis=0) + noise / series.sites
        return (f + noise)[left].mean(axis=0)
