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
cape-best     the same, with the best amplitude of zero-sum noise         see there
graph         the average of messages with noise that neighbours share    see there
secure        the sum alone, of messages with shares of the noise         τ²/S²
cape-after    the average of messages, less a sum of noise over senders   see there
============  ==========================================================  ========

Each is a record in `core.schemes.known`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from core import check
from core.discrete import OperatingSystem
from core.privacy import Calibration, Privacy
from core.schemes.graph_noise import graph_option
from core.schemes.messages import Keep, ZeroSum
from core.schemes.noise_design import amplitude_option, members, site_weights
from core.schemes.registry import named
from core.schemes.repeated import Release, repeated
from core.schemes.silence import noise_left, planned_std
from core.schemes.sites import Held, message_std, sites_of
from core.schemes.terms import Adversary, OwnNoise, Terms

WITHIN = 1.959964  # Standard deviations within which 95 % of normal errors stay.
PURELY_WITHIN = 2.118301  # ln 20/√2, of Laplace's law; the sum of several is within less.


@check.arguments(
    statistics=check.sequence,
    sensitivity=check.positives_in(1e-150, 1e150),
    assumed=check.optional(check.positives_in(1e-150, 1e150)),
    amplitude=amplitude_option,
    graph=graph_option,
    designs=check.optional(check.matrix),
)
def release(
    statistics,
    sensitivity,
    privacy: Privacy | Iterable[Privacy] | None,
    *,
    scheme: str,
    rng: np.random.Generator | OperatingSystem,
    weights=None,
    calibration: Calibration = "exact",
    against: Adversary = "message",
    colluding: int = 0,
    dropouts: int = 0,
    amplitude=None,
    graph=None,
    cap: float | None = None,
    own_noise: OwnNoise | None = None,
    designs=None,
    pure: bool = False,
    noise="iid",
    zero_sum: ZeroSum = "broadcast",
    keep: Keep = "all",
    absent: Iterable[int] = (),
    dropped: Iterable[int] = (),
    threshold: int | None = None,
    leaky: bool = False,
    assumed=None,
    grid: float | None = None,
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
    rng : numpy.random.Generator or core.discrete.OperatingSystem
        Source of the noise. NumPy's PCG64 is no cryptographic generator: who sees enough of its output can tell the rest,
        however secret its seed. The operating system's is, only with noise="discrete", and nothing repeats it.
    weights : array of shape (S,), optional
        w_s of the average, positive, Σ w_s = 1; default 1/S. For unequal sizes pass n_s/N.
    calibration : {"exact", "published"}
        Formula from (ε, δ) to τ; see `core.privacy.gaussian_std`.
    against : {"message", "aggregator", "colluders"}
        The adversary that the privacy target holds against. The papers assume one who sees a single
        "message"; the target then holds for the released value, too, but not for both together: at equal sites
        CAPE's message and value tell what the aggregator learns. The aggregator sees S correlated messages, and
        `colluding` sites know their own noise: CAPE then needs more noise (`NoiseDesign.leakage`); the other
        schemes reveal nothing more.
    colluding : int
        S_C, with against="colluders" only.
    dropouts : int
        r, how many sites may fall silent after noise was agreed. The target holds with up to so many: under "secure"
        every share of the noise is then larger. The best amplitude depends on it.
    amplitude : float, "published", "best" or None
        How loud zero-sum noise is, where there is any; see `core.schemes.amplitude.design`. None: the scheme's own, which
        is "published" for "cape" and "best" for "cape-best" and "graph".
    graph : Graph, "complete", "ring", int or None
        For scheme "graph"; see `core.schemes.graph_noise.graph_of`.
    cap : float, optional
        For "cape-after": largest variance of ê_s, in units of what one message alone needs; above 1, default 102.
    own_noise : {"message", "sum"}, optional
        For "cape-after": where a site adds its own noise; see `core.schemes.after_design`. Default: in the message; with
        discrete noise in the sum.
    designs : sequence of S pairs of float, optional
        Standard deviations of ê_s and g_s that were agreed on, in the statistic's units: they are checked, not searched.
    pure : bool
        The target's ε with δ = 0, whatever its δ: noise is two-sided geometric, drawn exactly in whole numbers, and where
        the sum alone has it in parts that add up to it (`core.discrete.geometric`). `sensitivity` is then in l1, and each μ
        of the result is the least one that its ε implies, see `core.privacy.accountant.pure_epsilon`. Under the schemes
        that have discrete noise.
    noise : {"iid", "symmetrised", "copied", "discrete"} or object
        Distribution of the noise; see `core.noise`. All except "iid" require symmetric statistics: the
        antisymmetric part of any other statistic would be released without noise. Or an object that draws it:
        `gaussian(std, *, rng)` of the statistics' shape, a linear image of iid noise of that `std`, and
        `entry_std(std)`; see `core.schemes.projected_noise`. "discrete": iid noise in whole numbers on a public grid,
        sampled exactly, whose rounding every μ includes; under the schemes that have it (`Scheme.discrete`). Arithmetic
        that computes a statistic must be in its sensitivity, see `core.discrete.grid.summing`.
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
        (`NoiseDesign.average_std`). Under "secure" the noise of their shares is missing; with more than the planned
        `dropouts` the targets are missed (`Release.below_plan`). Under the other schemes it is as if they had been absent.
    threshold : int, optional
        How many sites must answer in secure aggregation; see `core.secure_sum`.
    leaky : bool
        Allow symmetric noise on statistics that are not symmetric, to demonstrate the failure: every μ is ∞.
    assumed : float or array of shape (S,), optional
        Sensitivity that the noise is calibrated for, if a publication states one that differs from the true one.
        If it is too small, the result misses the privacy target, and its μ quantify by how much.
    grid : float, optional
        Step of the grid for noise="discrete", in units of the weighted average, rounded down to a power of two. A public
        number. Default: so fine that it raises the variance by less than 0.1 %.

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
        dropouts=dropouts,
        amplitude=amplitude,
        graph=graph,
        cap=cap,
        own_noise=own_noise,
        designs=designs,
        pure=pure,
        noise=noise,
        zero_sum=zero_sum,
        keep=keep,
        absent=absent,
        dropped=dropped,
        threshold=threshold,
        leaky=leaky,
        assumed=assumed,
        grid=grid,
    )
    return noisy.of(statistics, rng)


@check.arguments(std=check.positives)
def average_std(scheme: str, std, weights=None, *, dropped: Iterable[int] = (), **terms) -> float:
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
    **terms
        against, colluding, dropouts, amplitude and graph, as in `release`.
    """
    if not len(std):
        raise ValueError("std must be of at least 1 site, got none")
    lost = members("dropped", dropped, len(std))
    record, held = named(scheme), Terms(**terms)
    held = held.fitting(len(std)) if len(std) > 1 else Terms()
    return noise_left(record, sites_of(std, site_weights(weights, len(std))), held, lost)


@check.arguments
def noise_factor(scheme: str, sites: int, *, dropped: int = 0, **terms) -> float:
    """Standard deviation of the average of S equal sites, in units of one curator's noise τ/S.

    Parameters
    ----------
    scheme : str
    sites : int
    dropped : int
        How many sites send nothing after noise was agreed: on a graph those that leave the most noise, see
        `planned_silence`. A site alone loses nobody.
    **terms
        against, colluding, dropouts, amplitude and graph, as in `release`.

    Examples
    --------
    Variances over the pooled one at one true guarantee against the aggregator, when one of ten sites falls silent:

    >>> held = {"against": "aggregator", "dropouts": 1, "dropped": 1}
    >>> names = ("conventional", "cape", "cape-best", "secure")
    >>> [round(noise_factor(name, 10, **held) ** 2, 2) for name in names]
    [11.11, 4.04, 4.0, 1.23]
    """
    sites = check.integer("sites", sites, low=1)
    record = named(scheme)
    if sites == 1:
        return float(record.private)  # A single site is its own curator.
    silent = check.integer("dropped", dropped, low=0, high=sites - 1)
    return sites * planned_std(scheme, np.ones(sites), silent=silent, **terms)


@check.arguments(change=check.sized)
def error_of_average(
    scheme: str,
    *,
    sites: int,
    samples: int | Sequence[int],
    privacy: Privacy,
    change: float = 1.0,
    calibration: Calibration = "exact",
    dropped: int = 0,
    **terms,
) -> float:
    """Error bound that 95 % of releases of an average of numbers in [0, 1] stay within, due to noise.

    Parameters
    ----------
    sites : int
        S.
    samples : int or sequence of S int
        n_s, the records at each of equal sites, or at every site; the weights are n_s/N.
    change : float
        l2 norm by which one record moves n_s times a site's average, at most; √2 for shares of categories, whose error is
        that of one of them. Under pure ε in l1: 2 for shares.
    dropped : int
        How many sites send nothing after noise was agreed: those that leave the most noise, see `planned_silence`. A
        site alone loses nobody.
    **terms
        against, colluding, dropouts, amplitude and graph, as in `release`.

    Returns
    -------
    float
        1.96 σ of the released average, 2.12 σ under pure ε, the noise alone: what silent sites differ from the others is
        not in it.
    """
    count = check.integer("sites", sites, low=2)
    each: Any = samples if check.is_sequence(samples) else [samples] * count
    sizes = np.array([check.integer("samples", n, low=1) for n in each], dtype=float)
    if len(sizes) != count:
        raise ValueError(f"samples must be one number or {count}, one a site, got {len(sizes)}")
    if not named(scheme).private:
        return 0.0
    pure = bool(terms.get("pure", False))
    _, std = message_std(change / sizes, privacy, calibration=calibration, pure=pure)
    silent = check.integer("dropped", dropped, low=0, high=count - 1)
    weights = None if (sizes == sizes[0]).all() else sizes / sizes.sum()
    within = PURELY_WITHIN if pure else WITHIN
    return within * planned_std(scheme, std, weights, silent=silent, **terms)
