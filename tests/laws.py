"""Statistical acceptance tests for noise, with their false-alarm rates.

A law is accepted when a Kolmogorov-Smirnov test keeps it at level `ALARM`; power is shown by rejecting the
same sample against 2/3 and 3/2 of the standard deviation.
"""

from __future__ import annotations

import numpy as np
from scipy import stats

ALARM = 1e-4


def assert_normal(sample, std):
    """The sample follows N(0, std²), false-alarm rate 1e-4, and not with 2/3 or 3/2 of std."""
    sample = np.ravel(sample)
    assert stats.kstest(sample / std, "norm").pvalue > ALARM
    for factor in (2 / 3, 3 / 2):
        assert stats.kstest(sample / (factor * std), "norm").pvalue < ALARM


def assert_variance(sample, variance):
    """The mean square equals `variance`, false-alarm rate 1e-4, and not 4/9 or 9/4 of it."""
    sample = np.ravel(sample)
    low, high = stats.chi2.interval(1 - ALARM, len(sample)) / np.float64(len(sample))
    ratio = np.mean(sample**2) / variance
    assert low < ratio < high
    assert not low < ratio * 9 / 4 < high
    assert not low < ratio * 4 / 9 < high
