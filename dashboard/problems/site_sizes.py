"""How many records each of unequal sites holds: by a shape, and by the ratio of the largest to the smallest."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from dashboard.state.number_text import directed
from data.sites import site_sizes

FAMILIES = ("geometric", "one giant", "two halves")  # Pages open with the first one.
_DIGITS = 3  # Of the largest ratio that a slider offers.


def sizes(total: float, sites: int, ratio: float, family: str) -> np.ndarray:
    """Site sizes that sum to `total`, the largest `ratio` times the smallest, in ascending order.

    They need not be whole: the gain is a smooth function of them.
    """
    if family == "one giant":
        shape = np.r_[np.ones(sites - 1), ratio]
    elif family == "two halves":
        shape = np.r_[np.ones((sites + 1) // 2), np.full(sites // 2, ratio)]
    else:
        shape = np.geomspace(1, ratio, sites)
    return total * shape / shape.sum()


@lru_cache(maxsize=256)
def largest_ratio(total: float, sites: int, family: str) -> float:
    """The ratio of largest to smallest size at which the smallest site holds one record; of N/m, at which it holds m."""
    if family != "geometric":
        small = sites - 1 if family == "one giant" else (sites + 1) // 2
        return (total - small) / (sites - small)
    low, high = 1.0, float(total)
    for _ in range(80):
        middle = np.sqrt(low * high)
        low, high = (middle, high) if np.geomspace(1, middle, sites).sum() <= total else (low, middle)
    return float(low)


@lru_cache(maxsize=256)
def largest_imbalance(total: int, sites: int, least: int = 1) -> float:
    """The largest ratio, in three digits, that leaves the smallest of geometric sizes `least` records."""
    if total < sites * least:
        return 1.0
    return max(1.0, directed(largest_ratio(total / least, sites, "geometric"), _DIGITS, "down"))


def divided(samples: int, sites: int, imbalance: float, *, least: int = 1) -> dict[str, tuple[int, ...]]:
    """The setting "sizes" of S sites with N/S = `samples`: `sizes` as whole numbers, the largest first; {} at imbalance 1.

    The smallest keeps `least` records, which ends the imbalance.
    """
    if imbalance <= 1:
        return {}
    ratio = min(imbalance, largest_imbalance(samples * sites, sites, least))
    return {"sizes": tuple(site_sizes(samples * sites, sites, sizes="skewed", imbalance=ratio).tolist())}


def total_of(settings: Mapping[str, Any]) -> int:
    """N of the sites at these settings."""
    each = settings["sizes"] if "sizes" in settings else settings["samples"]
    return sum(each) if isinstance(each, tuple) else each * settings["sites"]


def mean_of(settings: Mapping[str, Any]) -> float:
    """N/S of the sites at these settings."""
    each = settings["sizes"] if "sizes" in settings else settings["samples"]
    return math.fsum(each) / len(each) if isinstance(each, tuple) else each


def unequal(settings: Mapping[str, Any]) -> bool:
    """Whether the sites at these settings have different sizes."""
    each = settings["sizes"] if "sizes" in settings else settings["samples"]
    return isinstance(each, tuple) and min(each) < max(each)
