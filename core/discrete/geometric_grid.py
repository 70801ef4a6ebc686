"""The public grid of a release under pure ε: statistics in whole steps, two-sided geometric noise, δ = 0."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from core import check
from core.discrete.geometric import deviation, divided, largest_ratio, scale_for
from core.discrete.grid import ROUNDING, Grid, grid_for
from core.discrete.sampler import OperatingSystem


@dataclass(frozen=True)
class PureGrid(Grid):
    """A grid whose noise is geometric. What `draw` takes is its scale t, see `core.discrete.geometric`.

    Attributes
    ----------
    honest : int
        h, the honest senders that a plan guarantees: noise that only their sum has is drawn in so many parts.
    """

    honest: int = 1

    def steps(self, changes):
        """l1 sensitivity in grid steps after rounding: whole numbers move by whole numbers."""
        return np.floor(np.asarray(changes, dtype=float) / self.step + ROUNDING * self.size)

    def scales(self, changes, epsilons) -> np.ndarray:
        """Least whole t at which a change is ε-private: shape (S,)."""
        steps, epsilons = self.steps(changes), np.asarray(epsilons, dtype=float)
        found = np.ceil(steps / epsilons)
        return found + (steps / found > epsilons)  # What a float's last digit may miss.

    def stds(self, changes, mus, *, parts: int = 1) -> np.ndarray:
        """Noise of one of so many parts, in grid steps, so that their sum meets each ε, here `mus`: shape (S,).

        No step is too large: geometric noise is exact at every scale, and a coarse grid only costs more noise.
        """
        return self.deviations(self.scales(np.atleast_1d(changes), np.atleast_1d(mus)), parts)

    def epsilons(self, changes, drawn, shape: float = 1.0) -> np.ndarray:
        """Pure ε of changes under noise of these scales, if what hides them has this shape: 1 for a whole one."""
        found = [
            largest_ratio.trusted(int(t), shape, float(k), self.size) if t > 0 else math.inf
            for k, t in zip(*np.broadcast_arrays(self.steps(changes), drawn), strict=True)
        ]
        return np.array(found)

    def whole(self, std, parts: int = 1):
        """The least scale at which a part has at least so many steps; no noise stays none."""
        std = np.asarray(std, dtype=float)
        found = [scale_for.trusted(one, parts) if one > 0 else 0 for one in std.ravel().tolist()]
        return np.array(found, dtype=float).reshape(std.shape)

    def deviations(self, drawn, parts: int = 1):
        """Standard deviation of a part, in steps."""
        drawn = np.asarray(drawn, dtype=float)
        found = [deviation.trusted(one, parts) if one > 0 else 0.0 for one in drawn.ravel().tolist()]
        return np.array(found).reshape(drawn.shape)[()]

    def draw(
        self, shape, drawn: float, rng: np.random.Generator | OperatingSystem, parts: int = 1
    ) -> np.ndarray:
        """Draw one of so many parts."""
        return divided.trusted(shape, int(drawn), parts, rng=rng)


@check.arguments(changes=check.positives, epsilons=check.positives)
def pure_grid(changes, epsilons, size: int, *, honest: int, grid: float | None = None) -> PureGrid:
    """The grid of a release under pure ε; parameters as of `core.discrete.grid.grid_for`, l1 sensitivities in `changes`.

    All entries of a statistic may be rounded in one direction: its default is finer by √d.
    """
    size = max(check.integer("size", size, low=0), 1)
    if len(changes) != len(epsilons):
        raise ValueError(
            f"changes and epsilons must be one for each site, got {len(changes)} and {len(epsilons)}"
        )
    found = grid_for(changes / size**0.5, epsilons / size**0.5, size, grid=grid)
    check.integer("honest", honest, low=1)
    return PureGrid(found.step, found.size, honest)
