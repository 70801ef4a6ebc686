"""The average of numbers in [0, 1] that several sites hold, as a problem, and its standard error as a formula."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from core import Privacy
from core.schemes import average_std, is_private, message_std, planned
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


def standard_error(scheme: str, cell: Mapping[str, Any]) -> float:
    """Standard deviation of the released average of numbers in [0, 1] under a scheme, at all settings of a point."""
    if not is_private(scheme):
        return 0.0
    sites, privacy = cell["sites"], Privacy(cell["epsilon"], cell["delta"])
    change = np.full(sites, 1 / cell["samples"])
    _, std = message_std(change, privacy, calibration="published" if cell["published"] else "exact")
    return average_std(scheme, std, **planned(cell, sites))
