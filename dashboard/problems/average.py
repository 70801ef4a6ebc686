"""The average of numbers in [0, 1] that several sites hold, as a problem, and its standard error as a formula."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from core import Privacy
from core.schemes import average_std, is_private, message_std, named, planned
from dashboard.problems.protocol import site_averages

SPREADS = {
    "alike": 0.0,
    "differ": 0.05,
}  # Standard deviation of the sites' means, see `data.synthetic.bounded`.


@dataclass(frozen=True)
class Problem:
    """Numbers in [0, 1] at several sites; `statistics` are the averages of the sites, which one record changes by 1/Nₛ."""

    data_settings: ClassVar = ("data", "sites", "samples", "data_seed")

    def statistics(self, settings: Mapping[str, Any]) -> np.ndarray:
        """The sites' averages, shape (S,)."""
        sizes = settings["sites"], settings["samples"]
        return site_averages(*sizes, settings["data_seed"], SPREADS[settings["data"]])


def standard_error(scheme: str, cell: Mapping[str, Any], apart: float = 0.0) -> float:
    """Root mean square error of the released average under a scheme, at all settings of a point.

    One site alone releases its own average, which is `apart` from that of all records, see `distance`.
    """
    bias = apart if named(scheme).one_site else 0.0
    return float(np.hypot(noise_std(scheme, cell), cell.get("span", 1.0) * bias))


def noise_std(scheme: str, cell: Mapping[str, Any]) -> float:
    """Standard deviation of the noise of the released average under a scheme, at all settings of a point.

    "samples" are of each site, or of every site. Of numbers in [0, 1] one record changes n times a site's average by
    "change", 1 if it is left out, and they are "span" units of their column wide.
    """
    if not is_private(scheme):
        return 0.0
    sites, privacy = cell["sites"], Privacy(cell["epsilon"], cell["delta"])
    sizes = np.broadcast_to(np.array(cell["samples"], dtype=float), sites)
    change = cell.get("change", 1.0) / sizes
    _, std = message_std(change, privacy, calibration="published" if cell["published"] else "exact")
    return cell.get("span", 1.0) * average_std(scheme, std, sizes / sizes.sum(), **terms_of(scheme, cell))


def distance(averages: np.ndarray, samples: int | Sequence[int]) -> float:
    """How far the average of one site alone is from that of all records: root mean square over cells.

    Of alike sites every one works alone in turn; of sites with names and sizes of their own, the first.

    Parameters
    ----------
    averages : array of shape (S,) or (S, cells)
    samples : int or sequence of S int
        Records at each site, or at every site.
    """
    weights = np.broadcast_to(np.array(samples, dtype=float), len(averages))
    away = averages - weights @ averages / weights.sum()
    return float(np.sqrt(np.mean((away if np.ndim(samples) == 0 else away[:1]) ** 2)))


def terms_of(scheme: str, cell: Mapping[str, Any]) -> dict[str, Any]:
    """What the noise is planned for, and who falls silent: those who leave the most noise, see `core.schemes.planned`."""
    sizes = cell["samples"]
    return planned(cell, sizes if isinstance(sizes, tuple) else cell["sites"], scheme)
