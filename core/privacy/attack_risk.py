"""Risk for one record: success rates of the best possible attack on a μ-GDP release.

The attacker knows every record except one, and two candidates for that one. From the release the attacker decides
which candidate was used. All rates follow from the trade-off function T(α) = Φ(Φ⁻¹(1−α) − μ) [Gdp]: no attack does
better, and for Gaussian noise the likelihood-ratio test attains it. A pair (ε, δ) is one point of that curve.
"""

from __future__ import annotations

import numpy as np
import scipy

from core import check
from core.privacy import tradeoff

_LEAST_RATE = 1e-100  # Products of two rates must not vanish.
_ERROR = 1e-12  # Relative, of Φ and its inverse at such rates.


@check.arguments(mu=check.mus)
def advantage(mu):
    """Total variation 2Φ(μ/2) − 1: the largest difference of true-positive and false-positive rate.

    If both candidates are equally likely beforehand, the attacker is right in (1 + advantage)/2 of all cases.
    """
    return scipy.special.erf(np.asarray(mu, dtype=float) / (2 * np.sqrt(2)))[()]


@check.arguments
def mu_of_advantage(advantage: float) -> float:
    """The μ whose `advantage` this is, 2Φ⁻¹((1 + advantage)/2): the largest that a stated risk allows."""
    return 2 * float(scipy.special.ndtri((1 + check.fraction("advantage", advantage)) / 2))


@check.arguments(mu=check.mus)
def detection(mu, false_alarms=0.01):
    """Largest true-positive rate 1 − T(α) of any attack with false-positive rate α = `false_alarms`."""
    false_alarms = _rates("false_alarms", false_alarms)
    return 1 - tradeoff(false_alarms, mu)


@check.arguments(mu=check.mus)
def success(mu, base_rate):
    """Largest success rate 1 − T(b) of any attack on one record whose success rate without the release is b.

    The attack may re-identify the record among others, infer an attribute or reconstruct the record: for one of N
    equally likely candidates b = 1/N [Kulynych et al. 2025, "Unifying Re-Identification, Attribute Inference, and Data
    Reconstruction Risks in Differential Privacy", arXiv 2507.06969].

    Whatever the attacker's candidates and their prior, let β_z be the probability that the attack succeeds where z is
    the record, and α_z that its answer would also fit z if a fixed other record was used. Then β_z ≤ 1 − T(α_z). The
    answer to the fixed record does not depend on z, so the mean of α_z is at most b. As 1 − T is concave and rising,
    the mean of β_z is at most 1 − T(b).

    Parameters
    ----------
    mu : float or array
        μ of the release for the attacker, of several releases √Σ μ_i²; ∞ for no privacy.
    base_rate : float or array
        b strictly between 0 and 1: the success rate of the best guess without the release.

    Returns
    -------
    float or array
        The bound, at least b; numerical error is rounded up.

    Raises
    ------
    ValueError
        If `base_rate` is not strictly between 0 and 1.

    Notes
    -----
    For two equally likely candidates the exact rate is smaller, (1 + `advantage`)/2.

    Examples
    --------
    At μ = 1, one of 100 people is singled out in at most 9.3 % of releases.

    >>> round(float(success(1.0, 0.01)), 4)
    0.0924
    """
    base_rate = _rates("base_rate", base_rate)
    result = scipy.special.ndtr(np.asarray(mu, dtype=float) + scipy.special.ndtri(base_rate))
    return np.minimum(1.0, result * (1 + _ERROR))[()]


@check.arguments(mu=check.mus)
def certainty(mu, prior, false_alarms=0.01):
    """Probability that the best attack with this false-positive rate is right when it reports a record.

    This is the posterior probability by Bayes' rule from the `prior` probability: ½ for even odds, 0.001 for a rare
    record. A value near the prior means that the report gives hardly any evidence.
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
