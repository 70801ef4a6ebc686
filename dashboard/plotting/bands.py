"""What curves of repeated runs say: mean and band at a point, and where a curve crosses a level."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import stdtrit

from dashboard.state.number_text import LEAST_REPEATS


def band(values) -> tuple[float, float, float]:
    """Mean of repeats and Student's 95 % interval for it: (mean, low, high); no width for fewer than three repeats.

    A normal interval of five repeats would hold the mean in 88 % of cases only. Two repeats say too little for any.
    """
    n = len(values)
    mean = sum(values) / n
    if n < LEAST_REPEATS:
        return mean, mean, mean
    half = float(stdtrit(n - 1, 0.975)) * math.sqrt(sum((v - mean) ** 2 for v in values) / (n - 1) / n)
    return mean, mean - half, mean + half


def crossing(x, y, level: float) -> float:
    """The x, on a log axis, at which a curve through points last rises through `level`; NaN if it ends below."""
    x, y = np.log(np.asarray(x, dtype=float)), np.asarray(y, dtype=float)
    below = np.flatnonzero(y < level)
    if len(y) == 0 or y[-1] < level:
        return math.nan
    if len(below) == 0:
        return float(np.exp(x[0]))
    i = below[-1]
    return float(np.exp(x[i] + (level - y[i]) / (y[i + 1] - y[i]) * (x[i + 1] - x[i])))
