"""What a release was: the average, its noise, and what every observer learns of it, happened or promised."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from core import check
from core.discrete.geometric_grid import PureGrid
from core.privacy import Privacy
from core.schemes.after_design import AfterDesign
from core.schemes.graph_noise import GraphDesign
from core.schemes.noise_design import NoiseDesign, members
from core.schemes.parts import Parts
from core.secure_sum import SecureSum


@dataclass(frozen=True)
class Release:
    """A released average, its noise, and its privacy guarantees.

    Attributes
    ----------
    value : ndarray
        The released (weighted) average, shape of one statistic.
    std : ndarray or float
        Standard deviation of the noise in `value`, broadcastable to it.
    scheme : str
        One of `SCHEMES`.
    privacy : tuple of Privacy, or None
        The privacy target of each site; None for "nonprivate".
    sites : tuple of int
        Numbers of the sites that took part; every (S, ...) array here is about these, in this order.
    dropped : tuple of int
        Those that agreed on zero-sum noise and then sent nothing; their rows of `messages` are NaN.
    absent : tuple of int
        Sites that took no part: absent before noise was agreed or, without CAPE, sending nothing.
    sensitivities : ndarray of shape (S,)
        Δ_s of each site's statistic: the true one, even if the noise was calibrated for another.
    mu_public : float
        μ of the released value alone (∞: no privacy). The largest over the sites, as are the next two.
    mu_message : float
        μ of a single site's message alone; for "pooled" ∞, because the records themselves are sent. Together with
        `value` a message of CAPE tells more: at equal sites `mu_aggregator`, never more than that.
    mu_aggregator : float
        μ against an observer of all messages and the broadcast sum.
    mu_unmasked : float or None
        Where cryptography hides messages (mu_message is then 0): μ of one message if it fails.
    grid : float or None
        Step of the grid of discrete noise, in units of the weighted average; None for noise in floating point.
    parts : Parts
        Who drew which noise.
    messages, zero_sum, local, aggregator_noise : ndarray of shape (S, ...) or None
        What each site sent and the parts of its noise (with keep="all"). With zero_sum="generator", messages carry the
        aggregator's own noise too, which it subtracts again.
    agreements : tuple of SecureSum
        Transcripts of secure aggregation, of zero-sum noise or of the messages, for zero_sum="secure".
    repeatable : bool
        Whether the noise comes from a generator with a seed.
    dropouts : int
        r, how many sites the noise was planned to lose.
    """

    value: np.ndarray
    std: np.ndarray | float
    scheme: str
    privacy: tuple[Privacy, ...] | None
    sites: tuple[int, ...]
    dropped: tuple[int, ...]
    sensitivities: np.ndarray
    mu_public: float
    mu_message: float
    mu_aggregator: float
    parts: Parts = field(repr=False)
    messages: np.ndarray | None = field(default=None, repr=False)
    zero_sum: np.ndarray | None = field(default=None, repr=False)
    local: np.ndarray | None = field(default=None, repr=False)
    aggregator_noise: np.ndarray | None = field(default=None, repr=False)
    agreements: tuple[SecureSum, ...] = field(default=(), repr=False)
    absent: tuple[int, ...] = ()
    mu_unmasked: float | None = None
    grid: float | None = None
    repeatable: bool = True
    dropouts: int = 0

    @property
    def design(self) -> NoiseDesign | GraphDesign | AfterDesign | None:
        """How the sites divide noise that cancels: for "cape" a `NoiseDesign`, for "graph" a `GraphDesign`."""
        return self.parts.design

    @property
    def pure(self) -> bool:
        """Whether every guarantee is an ε with δ = 0: `core.privacy.accountant.pure_epsilon` of each μ."""
        return isinstance(self.parts.grid, PureGrid)

    @property
    def below_plan(self) -> bool:
        """Whether more sites dropped out of a sum than its noise was planned for: targets are missed, as every μ says.

        Parties of their own would have stopped (`core.parties`).
        """
        return self.parts.sum_only and len(self.dropped) > self.dropouts

    @property
    def hardened(self) -> bool:
        """Whether noise is exact in whole numbers and its bits come from the operating system."""
        return self.grid is not None and not self.repeatable

    @property
    def arithmetic(self) -> str:
        """How the noise was drawn, as the statement of a guarantee has to say."""
        if self.privacy is None:
            return "No noise was added."
        if self.grid is None:
            return (
                "The noise is drawn and added in floating-point arithmetic, whose last digits can reveal the value "
                "without noise: the guarantee holds for exact arithmetic."
            )
        exact = (
            "The noise is drawn exactly, in whole numbers, on a public grid, and the guarantee includes the rounding: "
            "it holds for the released digits."
        )
        if self.repeatable:
            return (
                exact
                + " Its bits come from a generator that is not cryptographic, with a seed, which must stay secret."
            )
        return exact + " Its bits come from the operating system."

    @check.arguments
    def mu(self, colluding: int | Iterable[int] = 0) -> float:
        """μ of the worst honest site against the aggregator and colluding sites.

        Parameters
        ----------
        colluding : int or collection of int
            How many sites collude (the worst choice of them), or the numbers of those that do. A site that was
            absent may collude and knows nothing.

        Raises
        ------
        ValueError
            If a site is named that the release never had, or no honest site is left.
        """
        known: int | list[int] = self._colluding(colluding)
        if math.isinf(self.mu_aggregator):
            return self.mu_aggregator
        lost = np.isin(self.sites, self.dropped)
        return float(np.nanmax(self.parts.mus(self.sensitivities, known, lost)))

    def _colluding(self, chosen):
        """How many sites collude, or the positions of those named among the sites that took part."""
        if not isinstance(chosen, Iterable):
            return check.integer("colluding", chosen, low=0, high=len(self.sites) - 1)
        known = np.flatnonzero(members("colluding", chosen, len(self.sites) + len(self.absent))).tolist()
        found = [self.sites.index(s) for s in known if s in self.sites]
        if len(found) == len(self.sites):
            raise ValueError(f"colluding must leave at least one honest site, got all of {list(self.sites)}")
        return found


@dataclass(frozen=True)
class Promise:
    """The largest μ that a release on its plan's terms can have, for four observers; ∞: no privacy.

    Attributes
    ----------
    message, public, aggregator, colluders : float
        As in `core.schemes.Exposure`: of one message alone; of the average alone; of all messages and what was broadcast;
        of these and the noise of the colluding sites.
    slack : float
        How far `public` may lie above the largest μ, as a share of the largest that was found: 0 unless there are too many
        sets of silent sites for all to be tried.
    std : float
        Standard deviation of the noise of the average while nobody falls silent; in the units of the sensitivity.
    """

    message: float
    public: float
    aggregator: float
    colluders: float
    slack: float = 0.0
    std: float = math.nan
