"""Who draws which noise: a scheme's protocol, for parties that are programs of their own (`core.parties`).

`release` computes all parties in one process. What one site computes is a function of this module, which both call.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.discrete.grid import Grid
from core.schemes.graph_noise import GraphDesign
from core.schemes.noise_design import NoiseDesign


@dataclass(frozen=True, kw_only=True)
class Parts:
    """Division of a release's noise among its parties.

    Attributes
    ----------
    local_std : ndarray of shape (S,) or None
        Standard deviation of the noise g_s that each site draws and adds, in the statistic's units; in steps of the
        grid where there is one. None: sites draw none.
    senders : bool array of shape (S,), optional
        Which sites send a message. Default: all.
    central_std : float
        Noise that the aggregator adds to the average itself, because it sees the records.
    contributions : NoiseDesign, optional
        The sites draw ê_s of `seed_std` and take off their share of T = Σ w_s ê_s (`correction`).
    edges : GraphDesign, optional
        Neighbours draw one number together (`edge_std`), which one adds and the other subtracts.
    sum_only : bool
        Whether the aggregator may see only the sum of the messages.
    grid : Grid, optional
        Messages are whole numbers of steps of w_s f_s plus noise.
    """

    local_std: np.ndarray | None
    senders: np.ndarray | None = None
    central_std: float = 0.0
    contributions: NoiseDesign | None = None
    edges: GraphDesign | None = None
    sum_only: bool = False
    grid: Grid | None = None

    @property
    def agrees(self) -> bool:
        """Whether sites agree on noise, or hide their messages together, before they send them."""
        return self.contributions is not None or self.edges is not None or self.sum_only


def message(statistic: np.ndarray, *noise: np.ndarray) -> np.ndarray:
    """f_s + e_s + g_s, what one site sends; the parts of its noise in this order."""
    sent = statistic
    for part in noise:
        sent = sent + part
    return sent


def remaining_weights(weights: np.ndarray, lost: np.ndarray) -> np.ndarray:
    """w_s of the average over the sites that are left, shape (S,): 0 for the others."""
    return np.where(lost, 0.0, weights) / weights[~lost].sum()
