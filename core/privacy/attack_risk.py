"""What a guarantee means for one record: the best attacker on a μ-GDP release, in numbers a person can weigh.

The attacker knows every record but one, and for that one two candidates; from the release it is to tell which of
them was used. All follows from the trade-off function T(α) = Φ(Φ⁻¹(1−α) − μ), [Gdp]: no attack does better, and
for Gaussian noise the likelihood ratio does as well. δ and ε are one point of that curve; these are the others.
"""

from __future__ import annotations

import numpy as np
from scipy.special import erf

from core import check
from core.privacy import tradeoff

_LEAST_RATE = 1e-100  # Products of two rates must not vanish.


@check.arguments(mu=check.mus)
def advantage(mu):
    """Total variation 2Φ(μ/2) − 1: by how much true positives can exceed false ones, at the best threshold.

    Between two candidates equally likely before, the attacker is right in (1 + advantage)/2 of cases.
    """
    return erf(np.asarray(mu, dtype=float) / (2 * np.sqrt(2)))[()]


@check.arguments(mu=check.mus)
def detection(mu, false_alarms=0.01):
    """Largest true-positive rate 1 − T(α) of any attack with false-positive rate α = `false_alarms`."""
    false_alarms = _rates("false_alarms", false_alarms)
    return 1 - tradeoff(false_alarms, mu)


@check.arguments(mu=check.mus)
def certainty(mu, prior, false_alarms=0.01):
    """Share of right accusations, when an attacker with that false-positive rate accuses as it best can.

    The posterior probability of what the attacker says, by Bayes' rule from its `prior` probability: ½ for even
    odds, 0.001 for a rare record. Near the prior: an accusation proves nothing.
    """
    prior, false_alarms = _rates("prior", prior), _rates("false_alarms", false_alarms)
    right = prior * detection(mu, false_alarms)
    return right / (right + (1 - prior) * np.asarray(false_alarms, dtype=float))


def _rates(name, values):
    array = check.at_least(name, values, 0, strict=True)
    if not array.size:
        raise ValueError(f"{name} must hold at least one rate, got none")
    if (array >= 1).any():
        raise ValueError(f"{name} must be below 1, got {array.max()}")
    if (array < _LEAST_RATE).any():
        raise ValueError(f"{name} must be at least {_LEAST_RATE:g}, got {array.min()}")
    return array
