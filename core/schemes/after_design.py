"""Noise of "the sum after the messages": what site s draws, what is revealed over whom, and what observers learn.

Site s sends its message together with its masked ê_s. A is the set of sites whose packet came. A secure sum then reveals
T_A = Σ_A w_s ê_s, once, and the average is (Σ_A w_s y_s − T_A)/Σ_A w_s: nothing of a silent site's noise remains. For the
derivations see core/README.md, "The sum after the messages".

=====================  ==================  ========================
own noise              message y_s         revealed
=====================  ==================  ========================
"message"              f_s + ê_s + g_s     Σ_A w_s ê_s
"sum"                  f_s + ê_s           Σ_A w_s (ê_s − g_s)
=====================  ==================  ========================

With own noise in the sum the messages and the sum are two independent releases, whatever the laws of ê_s and g_s.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from core import check
from core.schemes.free_design import excess, free_design, hidden
from core.schemes.noise_design import CAP, members, site_weights, sum_of_smallest
from core.schemes.silent_sets import Remains, most_noise
from core.schemes.terms import OwnNoise, Terms


@dataclass(frozen=True)
class AfterDesign:
    """Standard deviations of the noise of every site. All arrays have shape (S,).

    Attributes
    ----------
    weights : ndarray
        w_s of the average; they sum to one.
    seed_std, local_std : ndarray
        Standard deviations of ê_s and g_s, in the statistic's units.
    own_noise : {"message", "sum"}
        Where g_s is added.
    merged : bool
        Whether similar sites have one pair of variances, see `core.schemes.free_design`.
    """

    weights: np.ndarray
    seed_std: np.ndarray
    local_std: np.ndarray
    own_noise: OwnNoise = "message"
    merged: bool = False

    @property
    def sites(self) -> int:
        """The number of sites S."""
        return len(self.weights)

    @property
    def order(self):
        """As `core.schemes.free_design` names it."""
        return "after" if self.own_noise == "message" else "in the sum"

    @property
    def std(self) -> np.ndarray:
        """Standard deviation of each message, shape (S,)."""
        return np.hypot(self.seed_std, self.local_std) if self.own_noise == "message" else self.seed_std

    @property
    def summed_std(self) -> np.ndarray:
        """Standard deviation of what the sum adds up for each site, before its weight: of ê_s, or of ê_s − g_s."""
        return self.seed_std if self.own_noise == "message" else np.hypot(self.seed_std, self.local_std)

    @property
    def target(self) -> float:
        """Standard deviation of the average over all sites."""
        return self.average_std()

    @check.arguments
    def average_std(self, dropped: Iterable[int] = ()) -> float:
        """Standard deviation of the average over A, without the `dropped` sites: √Σ_A (w_s τ_g,s)² / Σ_A w_s."""
        left = ~members("dropped", dropped, self.sites)
        return float(np.linalg.norm((self.weights * self.local_std)[left]) / self.weights[left].sum())

    @check.arguments
    def fallback_std(self, dropped: int | Iterable[int] = ()) -> float:
        """Standard deviation of the messages' own average, which is what there is if the sum never comes.

        Parameters
        ----------
        dropped : int or collection of int
            A number of sites (the worst choice of that many), or which.
        """
        own = (self.weights * self.std) ** 2
        if isinstance(dropped, Iterable):
            left = ~members("dropped", dropped, self.sites)
            return float(np.sqrt(own[left].sum()) / self.weights[left].sum())
        check.integer("dropped", dropped, low=0, high=self.sites - 1)
        return most_noise(Remains(self.weights, own, np.zeros(self.sites)), dropped)[1]

    @check.arguments(sensitivities=check.bounded)
    def leakage(
        self,
        sensitivities,
        colluding: int | Iterable[int] = 0,
        *,
        dropped: Iterable[int] = (),
        late: Iterable[int] = (),
    ) -> np.ndarray:
        """μ² of each honest site against an adversary who sees all messages and the revealed sum.

        Parameters
        ----------
        sensitivities : float or array of shape (S,)
            Δ_s of each site's statistic.
        colluding : int or collection of int
            A number of colluding sites (for each honest site, the worst choice of that many others), or which.
        dropped : collection of int
            Sites that sent nothing.
        late : collection of int
            Sites whose message came, and that are not in A.

        Returns
        -------
        ndarray of shape (S,)
            With d_s, γ_s the variances of w_s ê_s and w_s g_s and p = d + γ, for s in A:
            (w_s Δ_s)² [1/p_s + (d_s/p_s)² / Σ_{j honest in A} d_j γ_j / p_j]; with own noise in the sum
            (w_s Δ_s)² [1/d_s + 1/Σ_{j honest in A} γ_j]. For a late site its message alone, 0 for a dropped one, NaN
            for a colluding one. It equals the μ² of the joint Gaussian computed by brute force.
        """
        change = self.weights * np.broadcast_to(np.asarray(sensitivities, dtype=float), self.sites)
        silent = members("dropped", dropped, self.sites)
        outside = silent | members("late", late, self.sites)
        if outside.all():
            raise ValueError(f"dropped and late must leave at least one site, got all {self.sites}")
        seed, local = (self.weights * self.seed_std) ** 2, (self.weights * self.local_std) ** 2
        first, factor, q = hidden(seed, local, self.order)
        q, factor = np.where(outside, 0.0, q), np.where(outside, 0.0, factor)
        if isinstance(colluding, Iterable):
            known = members("colluding", colluding, self.sites)
            rest = np.full(self.sites, q[~known].sum())
            change = np.where(known, np.nan, change)
        else:
            check.integer("colluding", colluding, low=0, high=self.sites - 1)
            rest = q + sum_of_smallest(q, self.sites - 1 - colluding)
        with np.errstate(divide="ignore", invalid="ignore"):
            through = np.where(factor > 0, factor / rest, 0.0)
            return np.where(silent, 0.0 * change, np.where(change == 0, 0.0, change**2 * (first + through)))


def most_silent(sites: int, colluding: int = 0) -> int:
    """The largest r whose answers no two sets of senders share: 2 (S − r) > S + c, which is r ≤ (S − c − 1)/2."""
    return max((sites - colluding - 1) // 2, 0)


@check.arguments(std=check.positives)
def design(std, weights=None, *, terms: Terms | None = None, numbers=None) -> AfterDesign:
    """The design of least noise in the average whose privacy targets hold for all allowed colluders and senders.

    Parameters
    ----------
    std : array of shape (S,)
        τ_s = Δ_s/μ_s that each site's message needs when seen alone.
    weights : array of shape (S,), optional
        w_s > 0 with Σ w_s = 1; default 1/S.
    terms : Terms, optional
        Whom the target holds against; how many may fall silent; `cap`, the largest variance of ê_s in units of
        (Δ_s/μ_s)²; where own noise is added; and a design that was agreed on, which is checked.
    numbers : array of shape (S,), optional
        Numbers of the sites in that design, if others are absent. Default: 0 … S − 1.

    Returns
    -------
    AfterDesign

    Raises
    ------
    ValueError
        If more sites may fall silent than (S − c − 1)/2: an aggregator could then have two sums of one run.

    Notes
    -----
    Against one message alone p_s (with own noise in the sum d_s) is what the message needs, and the average of any S − r
    senders holds the target as a curator's does. Else ê_s is as loud as `cap` allows, and γ_s is what the target needs
    if any c others collude and any r are silent: for equal sites the root of m h γ² + (m h D − h) γ − D = 0 with
    h = S − c − r, m = μ²/Δ². Unequal sites are searched.

    Examples
    --------
    Ten sites, held against the aggregator, one of which may fall silent: 1.25 times a curator's variance, where the sum
    before the messages leaves 4.

    >>> from core.schemes.terms import Terms
    >>> plan = design(np.ones(10), terms=Terms("aggregator", dropouts=1))
    >>> round((10 * plan.average_std([9])) ** 2, 2), round((10 * plan.fallback_std([9])) ** 2)
    (1.25, 1135)
    """
    std = check.positives("std", std)
    if (count := len(std)) < 2:
        raise ValueError(f"std must name at least 2 sites, got {count}")
    weights, terms = site_weights(weights, count), (terms or Terms()).fitting(count)
    if terms.dropouts > (most := most_silent(count, terms.colluding)):
        raise ValueError(
            f"dropouts must be at most {most} of {count} sites beside {terms.colluding} colluding ones where the sum "
            f"comes after the messages, got {terms.dropouts}: two sums of one run could be revealed"
        )
    cap = CAP if terms.cap is None else terms.cap
    own = terms.own_noise or "message"
    v = (weights * std) ** 2
    if (given := terms.agreed(np.arange(count) if numbers is None else numbers)) is not None:
        return _refused_unless_enough(AfterDesign(weights, *given, own), v, terms)
    seed, local, merged = (
        _for_message(v, terms.dropouts, own) if terms.message_only else _held(v, weights, terms, cap, own)
    )
    return AfterDesign(weights, np.sqrt(seed) / weights, np.sqrt(local) / weights, own, merged)


def _refused_unless_enough(plan, v, terms):
    """The design itself, or a ValueError that says by how much it misses a target."""
    d, g = (plan.weights * plan.seed_std) ** 2, (plan.weights * plan.local_std) ** 2
    if terms.message_only:
        first, _, _ = hidden(d, g, plan.order)
        few = g + sum_of_smallest(g, len(v) - 1 - terms.dropouts)
        largest = float(np.maximum(v * first, v / few).max())
    else:
        gone = terms.colluding + terms.dropouts
        largest = float(excess(v, d, g, gone=gone, order=plan.order).max())
    if largest > 1 + 1e-9:
        raise ValueError(
            f"designs must meet every site's target, got mu² of {check.upwards(largest)} times what it allows"
        )
    return plan


def _for_message(v, dropouts, own):
    """Variances that hold the target for one message, and for the average of any S − r senders."""
    local = np.full(len(v), v.max() / (len(v) - dropouts))
    return (v if own == "sum" else np.maximum(v - local, 0.0)), local, False


def _held(v, weights, terms, cap, own):
    """Variances against the aggregator and c colluders, whoever is silent."""
    honest = len(v) - terms.colluding - terms.dropouts
    if np.ptp(v) <= 1e-12 * v.max() and np.ptp(weights) <= 1e-12:
        if own == "sum":
            factor = 1 / (honest * (1 - 1 / cap))
        else:
            b = honest * (cap - 1)
            factor = 2 * cap / (b + math.sqrt(b**2 + 4 * honest * cap))
        return cap * v, factor * v, False
    order = "in the sum" if own == "sum" else "after"
    numbers = {"colluding": terms.colluding, "dropouts": terms.dropouts, "order": order, "most": cap}
    result = free_design(v, weights, **numbers)
    return result.seed, result.local, result.merged
