"""Who draws which noise: everything that a scheme says of it. Its variances and every μ are computed from this alone.

`Scheme.noise` makes `Parts`. The release in one process, the one with exact discrete noise, `average_std`, and parties
that are programs of their own (`core.parties`) all draw what they say.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from core import check
from core.discrete.geometric_grid import PureGrid
from core.discrete.grid import Grid
from core.privacy.accountant import pure_mu
from core.schemes.after_design import AfterDesign
from core.schemes.graph_noise import GraphDesign
from core.schemes.noise_design import NoiseDesign, members, sum_of_smallest
from core.schemes.sites import Sites

_LEAST = 1e-9  # Steps: next to no noise, whose μ is as good as infinite.


@dataclass(frozen=True, kw_only=True)
class Parts:
    """Division of a release's noise among its parties. Without a field, nobody draws that noise.

    Attributes
    ----------
    local_std : ndarray of shape (S,) or None
        Standard deviation of the noise g_s that each site draws and adds, in the statistic's units; where there is a grid,
        what its `draw` takes. None: that of the design, or sites draw none, and a curator sees their statistics.
    senders : bool array of shape (S,), optional
        Which sites send a message; the average is over these. Default: all.
    central_std : float
        Noise that the curator of all records adds to the average, in its units; what the grid's `draw` takes.
    contributions : NoiseDesign, optional
        The sites draw ê_s of `seed_std` and take off their share of T = Σ w_s ê_s (`correction`).
    edges : GraphDesign, optional
        Neighbours draw one number together (`edge_std`), which one adds and the other subtracts.
    after : AfterDesign, optional
        The sites draw ê_s, whose sum over those that sent is revealed after the messages, and taken off.
    sum_only : bool
        Whether cryptography shows only the sum of the messages.
    weights : ndarray of shape (S,)
        w_s of the average. `of` fills it in, as the next.
    grid : Grid, optional
        Messages are whole numbers of steps of w_s f_s plus noise.
    seed_std : ndarray of shape (S,) or None
        Standard deviation of ê_s, of `contributions` or of `after`, as `local_std`; `of` fills it in.
    """

    local_std: np.ndarray | None = None
    senders: np.ndarray = None  # type: ignore[assignment]  # `of` fills in what is left out.
    central_std: float = 0.0
    contributions: NoiseDesign | None = None
    edges: GraphDesign | None = None
    after: AfterDesign | None = None
    sum_only: bool = False
    weights: np.ndarray = None  # type: ignore[assignment]
    grid: Grid | None = None
    seed_std: np.ndarray | None = None

    @cached_property
    def design(self) -> NoiseDesign | GraphDesign | AfterDesign | None:
        """How sites share noise that cancels, or that a sum takes off, if they do."""
        return self.contributions or self.edges or self.after

    @property
    def summed(self) -> bool:
        """Whether a sum over those that sent is revealed, whose noise must be enough: too few of them must not answer."""
        return self.sum_only or self.after is not None

    @property
    def divided(self) -> int:
        """Into how many parts of one number own noise is divided, where it is geometric and a sum alone has it; else 1."""
        return self.grid.honest if self.summed and isinstance(self.grid, PureGrid) else 1

    @property
    def agrees(self) -> bool:
        """Whether sites agree on noise, or hide their messages together, before they send them."""
        return self.design is not None or self.sum_only

    def of(self, sites: Sites) -> Parts:
        """The same with the sites' weights and on their grid: noise in whole steps, rounded up.

        Raises
        ------
        ValueError
            If the noise is not that of so many sites.
        """
        count, grid = len(sites.weights), sites.grid
        given = self.local_std, self.central_std or None, self.contributions, self.edges, self.after
        if len([part for part in given if part is not None]) > 1 or (
            self.sum_only and self.local_std is None
        ):
            raise ValueError(
                "local_std, central_std, contributions, edges and after must come alone, and sum_only with local_std"
            )
        local, central = self.local_std, check.nonnegative("central_std", self.central_std)
        if self.design is not None:
            local = self.design.local_std
        if local is not None:
            local = _of_sites("local_std", check.at_least("local_std", local, 0.0), count)
        everyone = np.ones(count, dtype=bool)
        senders = everyone if self.senders is None else _of_sites("senders", self.senders, count).astype(bool)
        if not senders.any():
            raise ValueError(f"senders must mark at least one of {count} sites, got none")
        seeds = getattr(self.design, "seed_std", None)
        if grid is not None:
            parts = replace(self, grid=grid).divided
            local, seeds = (
                None if std is None else grid.whole(sites.weights * std / grid.step, count)
                for std, count in ((local, parts), (seeds, 1))
            )
            central = float(grid.whole(central / grid.step))
        filled = {"local_std": local, "seed_std": seeds, "senders": senders, "central_std": central}
        return replace(self, **filled, weights=sites.weights, grid=grid)

    def average_std(self, lost: np.ndarray | None = None) -> float:
        """Standard deviation of the noise in the average over the senders, without those that a bool array marks."""
        left = self._left(lost)
        noise = self._noise(left) * (1.0 if self.grid is None else self.grid.step)
        return noise / self._share(left)

    def mu_public(self, sensitivities: np.ndarray, lost: np.ndarray | None = None) -> float:
        """μ of the worst site's records against an observer of the average alone."""
        left = self._left(lost)
        largest = (self.weights * sensitivities)[left].max()
        if isinstance(self.grid, PureGrid):
            own = self.central_std if self.local_std is None else self.local_std[left].max()
            return _as_mu(self.grid.epsilons([largest], own, self._shape(left)))[0]
        return float(self._mu(largest, self._noise(left)))

    def bare_mus(self, sensitivities: np.ndarray) -> np.ndarray:
        """μ of each site's message alone, without a mask: shape (S,), ∞ where the records themselves are sent."""
        if self.local_std is None:
            return np.full(len(sensitivities), np.inf)
        if self.grid is not None:
            own = self.local_std if self.after is None else self.seed_std
            if isinstance(self.grid, PureGrid):
                shape = 1.0 if self.after is not None else 1 / self.divided
                return _as_mu(self.grid.epsilons(self.weights * sensitivities, own, shape))
            return self._mu(self.weights * sensitivities, own)
        return self._mu(sensitivities, self.local_std if self.design is None else self.design.std)

    def mus(
        self, sensitivities: np.ndarray, colluding: int | list[int] = 0, lost: np.ndarray | None = None
    ) -> np.ndarray:
        """μ of each site against the aggregator, who sees all messages and what was broadcast, and colluding sites.

        Parameters
        ----------
        sensitivities : ndarray of shape (S,)
        colluding : int or list of int
            A number of colluding sites (the worst choice for each site), or which; they know all noise that they drew.
        lost : bool array of shape (S,), optional
            Which sites agreed on noise and sent nothing.

        Returns
        -------
        ndarray of shape (S,)
            NaN for colluding sites, 0 for those that send nothing.
        """
        left = self._left(lost)
        if self.design is not None and self.grid is None:
            return np.sqrt(self.design.leakage(sensitivities, colluding, dropped=_places(~left)))
        known = np.zeros(len(left), dtype=bool)
        if not isinstance(colluding, int):
            known = members("colluding", colluding, len(left))
        mus = self.bare_mus(sensitivities)
        if self.local_std is not None and self.summed and isinstance(self.grid, PureGrid):
            if isinstance(colluding, int):
                known_of_others = min(colluding, int(left.sum()) - 1)
            else:
                known_of_others = int((left & known).sum())
            shape = (int(left.sum()) - known_of_others) / self.divided
            through = self.grid.epsilons(self.weights * sensitivities, self.local_std.max(), shape)
            own = 0.0 if self.sum_only else self.grid.epsilons(self.weights * sensitivities, self.seed_std)
            mus = _as_mu(own + through)
        elif self.sum_only or self.after is not None:
            hidden = np.where(left & ~known, self._own**2, 0.0)
            if isinstance(colluding, int):  # Silent sites collude last: their noise is not in the sum.
                rest = hidden + sum_of_smallest(hidden, len(left) - 1 - colluding)
            else:
                rest = np.full(len(left), hidden.sum())
            summed = self._mu(self.weights * sensitivities, np.sqrt(rest))
            # Messages and the sum that comes after them are two independent releases.
            mus = summed if self.sum_only else np.hypot(mus, summed)
        curator = self.local_std is None
        return np.where(known, np.nan, np.where(left | curator, mus, 0.0))

    def shares(self, lost: np.ndarray) -> np.ndarray:
        """w_s of the average over the senders without those that a bool array marks, shape (S,): 0 for the others."""
        left = self._left(lost)
        if left.all() and self.contributions is None:
            return self.weights
        return np.where(left, self.weights, 0.0) / self.weights[left].sum()

    def fixed(self) -> Parts:
        """Itself, with arrays that cannot be written to: releases of the same sites share them."""
        for part in (self, self.design):
            for array in () if part is None else vars(part).values():
                if isinstance(array, np.ndarray):
                    array.setflags(write=False)
        return self

    @property
    def _own(self):
        """Noise of each message in units of the average, or what the grid's `draw` takes: shape (S,)."""
        return self.local_std if self.grid is not None else self.weights * self.local_std

    def _left(self, lost):
        return self.senders if lost is None else self.senders & ~lost

    def _share(self, left):
        """Σ w_s of those that send."""
        return 1.0 if left.all() else float(self.weights[left].sum())

    def _noise(self, left):
        """Noise of Σ w_s m_s over those that send, in units of the average, or in steps."""
        if self.local_std is None:
            return self.central_std if self.grid is None else float(self.grid.deviations(self.central_std))
        if self.design is not None and self.after is None:
            return self.design.average_std(_places(~left)) * self._share(left)
        own = self._own if self.grid is None else self.grid.deviations(self._own, self.divided)
        return float(np.linalg.norm(own[left]))

    def _shape(self, left):
        """Of the geometric noise in Σ m_s over those that send: 1 is that of one whole number."""
        return 1.0 if not self.summed else int(left.sum()) / self.divided

    def _mu(self, changes, std):
        """μ of a change of a statistic, in units of the average or of the message, with Gaussian noise of these units."""
        if self.grid is not None:
            return self.grid.mu(changes, np.maximum(std, _LEAST))
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(changes) / std


def message(statistic: np.ndarray, *noise: np.ndarray) -> np.ndarray:
    """f_s + e_s + g_s, what one site sends; the parts of its noise in this order."""
    sent = statistic
    for part in noise:
        sent = sent + part
    return sent


def _of_sites(name, values, count):
    values = np.array(values)
    if values.shape != (count,):
        raise ValueError(f"{name} must be of {count} sites, got an array of shape {values.shape}")
    return values


def _as_mu(epsilons):
    """Pure ε as the least μ that it implies, from which `core.privacy.accountant.pure_epsilon` has it back."""
    return np.array([pure_mu.trusted(e) if 0 < e < np.inf else e for e in epsilons.tolist()])


def _places(marked):
    return np.flatnonzero(marked).tolist()
