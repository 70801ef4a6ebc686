"""`release`: how statistics held at several sites become one released average, under any registered scheme.

Every method of this package has three steps: each site computes a statistic of known sensitivity, `release`
perturbs and averages the statistics, and post-processing turns the average into a result.
[Fact] section II, [Cape] section 3. The variance of the average, with S equal sites
whose messages need noise of variance τ²:

============  ==========================================================  ========
scheme        what is released                                            variance
============  ==========================================================  ========
nonprivate    the plain average                                           0
pooled        the average with one curator's noise; the curator sees all  τ²/S²
local         site 1's own statistic                                      τ²
conventional  the average of independently perturbed messages             τ²/S
cape          the average of messages with correlated noise               τ²/S²
============  ==========================================================  ========

Each is a record in `core.schemes.known`.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from core import check
from core.privacy import Calibration, Privacy
from core.schemes.held import Held
from core.schemes.messages import Keep, ZeroSum
from core.schemes.noise_design import members, site_weights
from core.schemes.registry import named
from core.schemes.repeated import Release, repeated
from core.schemes.sites import Adversary, message_std

WITHIN = 1.959964  # Standard deviations within which 95 % of normal errors stay.


@check.arguments(
    statistics=check.sequence,
    sensitivity=check.positives_in(1e-150, 1e150),
    assumed=check.optional(check.positives_in(1e-150, 1e150)),
)
def release(
    statistics,
    sensitivity,
    privacy: Privacy | Iterable[Privacy] | None,
    *,
    scheme: str,
    rng: np.random.Generator,
    weights=None,
    calibration: Calibration = "exact",
    against: Adversary = "message",
    colluding: int = 0,
    noise="iid",
    zero_sum: ZeroSum = "broadcast",
    keep: Keep = "all",
    absent: Iterable[int] = (),
    dropped: Iterable[int] = (),
    threshold: int | None = None,
    leaky: bool = False,
    assumed=None,
) -> Release:
    """Perturb and average the sites' statistics under a scheme.

    Parameters
    ----------
    statistics : array of shape (S, ...), sequence of S arrays, or Held
        One statistic per site, S ≥ 2. Those that are released many times are checked once as `Held`.
    sensitivity : float or array of shape (S,)
        l2 sensitivity Δ_s of each site's statistic under replacement of one record: the true one. Every μ of
        the result follows from it.
    privacy : Privacy, sequence of S Privacy, or None
        The privacy target; None only under a scheme without privacy ("nonprivate").
    scheme : str
        One of `SCHEMES`.
    rng : numpy.random.Generator
        Source of the noise.
    weights : array of shape (S,), optional
        w_s of the average, positive, Σ w_s = 1; default 1/S. For unequal sizes pass n_s/N.
    calibration : {"exact", "published"}
        Formula from (ε, δ) to τ; see `core.privacy.gaussian_std`.
    against : {"message", "aggregator", "colluders"}
        The adversary that the privacy target holds against. The papers assume one who sees a single
        "message". The aggregator sees S correlated messages, and `colluding` sites know their own noise: CAPE
        then needs more noise (`NoiseDesign.leakage`); the other schemes reveal nothing more.
    colluding : int
        S_C, with against="colluders" only.
    noise : {"iid", "symmetrised", "copied"} or object
        Distribution of the noise; see `core.noise`. All except "iid" require symmetric statistics: the
        antisymmetric part of any other statistic would be released without noise. Or an object that draws it:
        `gaussian(std, *, rng)` of the statistics' shape, a linear image of iid noise of that `std`, and
        `entry_std(std)`; see `core.schemes.projected_noise`.
    zero_sum : {"broadcast", "generator", "secure"}
        How zero-sum noise is generated: [Cape] Algorithm 1 with its sum simply added up, or [Fact]
        Algorithm 1 with a trusted generator and noise of the aggregator's own on every message, or
        [Cape] Algorithm 1 with the sum through `core.secure_sum`, rounded there to 1e-11 of the noise
        (its keys come from `rng`, so that results can be reproduced: a simulation, not a deployment).
    keep : {"all", "value"}
        "value" does not store the messages: the same random draws with the memory of a few statistics.
    absent : collection of int
        Sites that take no part. The average is over the other sites, with renormalised weights.
    dropped : collection of int
        Sites that send nothing after noise was agreed. Under CAPE their zero-sum noise stays uncancelled
        (`NoiseDesign.average_std`); under the other schemes it is as if they had been absent.
    threshold : int, optional
        How many sites must answer in secure aggregation; see `core.secure_sum`.
    leaky : bool
        Allow symmetric noise on statistics that are not symmetric, to demonstrate the failure: every μ is ∞.
    assumed : float or array of shape (S,), optional
        Sensitivity that the noise is calibrated for, if a publication states one that differs from the true one.
        If it is too small, the result misses the privacy target, and its μ quantify by how much.

    Returns
    -------
    Release

    Raises
    ------
    ValueError
        Naming the parameter: unknown option, fewer than two sites, shapes that differ, non-finite
        statistics, symmetric noise for statistics that are not, noise below the last digits of a statistic,
        a missing privacy target, `colluding` without against="colluders", or an unreachable design.

    Examples
    --------
    Ten sites with 100 records each in [0, 1] release a mean. Under CAPE the variance of its noise is a tenth of the
    conventional scheme's, and every message alone is as private.

    >>> target, means = Privacy(1.0, 1e-5), np.full(10, 0.5)
    >>> runs = {
    ...     scheme: release(means, 0.01, target, scheme=scheme, rng=np.random.default_rng(0))
    ...     for scheme in ("cape", "conventional")
    ... }
    >>> round(float((runs["conventional"].std / runs["cape"].std) ** 2), 6)
    10.0
    >>> round(runs["cape"].mu_message / runs["conventional"].mu_message, 6)
    1.0
    """
    statistics = statistics if isinstance(statistics, Held) else Held(statistics)
    noisy = repeated.trusted(
        sensitivity,
        privacy,
        sites=len(statistics),
        scheme=scheme,
        weights=weights,
        calibration=calibration,
        against=against,
        colluding=colluding,
        noise=noise,
        zero_sum=zero_sum,
        keep=keep,
        absent=absent,
        dropped=dropped,
        threshold=threshold,
        leaky=leaky,
        assumed=assumed,
    )
    return noisy.of(statistics, rng)


@check.arguments(std=check.positives)
def average_std(scheme: str, std, weights=None, *, dropped: Iterable[int] = ()) -> float:
    """Standard deviation of the noise in the weighted average, from that of the sites' messages.

    Parameters
    ----------
    scheme : str
        One of `SCHEMES`.
    std : array of shape (S,)
        τ_s that each site's message needs when seen alone.
    weights : array of shape (S,), optional
        w_s, positive, Σ w_s = 1; default 1/S.
    dropped : collection of int
        Sites that send nothing, as in `release`.
    """
    if not len(std):
        raise ValueError("std must be of at least 1 site, got none")
    lost = members("dropped", dropped, len(std))
    return named(scheme).average_std(std, site_weights(weights, len(std)), lost)


@check.arguments
def noise_factor(scheme: str, sites: int) -> float:
    """Standard deviation of the average of S equal sites, in units of one curator's noise τ/S."""
    sites = check.integer("sites", sites, low=1)
    record = named(scheme)
    if sites == 1:
        return float(record.private)  # A single site is its own curator.
    return sites * average_std(scheme, np.ones(sites))


@check.arguments
def error_of_average(
    scheme: str, *, sites: int, samples: int, privacy: Privacy, calibration: Calibration = "exact"
) -> float:
    """Error bound that 95 % of releases of an average of numbers in [0, 1] stay within, due to noise.

    Parameters
    ----------
    sites, samples : int
        S equal sites with n_s records each: a record moves a site's average by at most 1/n_s.

    Returns
    -------
    float
        1.96 σ of the released average; differences between sites are not included.
    """
    change = 1 / check.integer("samples", samples, low=1)
    count = check.integer("sites", sites, low=2)
    if not named(scheme).private:
        return 0.0
    _, std = message_std(np.full(count, change), privacy, calibration=calibration)
    return WITHIN * average_std(scheme, std)
