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
============  ==========================================================  ========

Each is a record in `core.schemes.known`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from core import check
from core.discrete import OperatingSystem
from core.noise import DISTRIBUTIONS
from core.privacy import Calibration, Privacy
from core.schemes.discrete_noise import grid_for
from core.schemes.graph_noise import graph_option
from core.schemes.messages import DISCRETE, KEEP, ZERO_SUM, Draw, Keep, ZeroSum
from core.schemes.noise_design import amplitude_option, members, site_weights
from core.schemes.registry import SCHEMES, named
from core.schemes.scheme import Learned, Request
from core.schemes.sites import Sites, message_std
from core.schemes.terms import Adversary, Terms
from core.secure_sum import SecureSum

WITHIN = 1.959964  # Standard deviations within which 95 % of normal errors stay.
DIGITS = 1024  # Least ratio of the noise to the spacing of neighbouring floats.


@dataclass(frozen=True)
class Release:
    """A released average, its noise, and its privacy guarantees.

    Attributes
    ----------
    value : ndarray
        The released (weighted) average, shape of one statistic.
    std : ndarray or float
        Standard deviation of the noise in `value`, broadcastable to it.
    scheme : str
        One of `SCHEMES`.
    privacy : tuple of Privacy, or None
        The privacy target of each site; None for "nonprivate".
    sites : tuple of int
        Numbers of the sites that took part; every (S, ...) array here is about these, in this order.
    dropped : tuple of int
        Those that agreed on zero-sum noise and then sent nothing; their rows of `messages` are NaN.
    absent : tuple of int
        Sites that took no part: absent before noise was agreed or, without CAPE, sending nothing.
    sensitivities : ndarray of shape (S,)
        Δ_s of each site's statistic: the true one, even if the noise was calibrated for another.
    mu_public : float
        μ of the released value alone (∞: no privacy). The largest over the sites, as are the next two.
    mu_message : float
        μ of a single site's message alone; for "pooled" ∞, because the records themselves are sent.
    mu_aggregator : float
        μ against an observer of all messages and the broadcast sum.
    mu_unmasked : float or None
        Where cryptography hides messages (mu_message is then 0): μ of one message if it fails.
    grid : float or None
        Step of the grid of discrete noise, in units of the weighted average; None for noise in floating point.
    design : object or None
        How the sites divide noise; for "cape" a `NoiseDesign`, for "graph" a `GraphDesign`.
    messages, zero_sum, local, aggregator_noise : ndarray of shape (S, ...) or None
        What each site sent and the parts of its noise (with keep="all"; for "cape" all parts). With
        zero_sum="generator", messages carry the aggregator's own noise too, which it subtracts again.
    agreements : tuple of SecureSum
        Transcripts of secure aggregation, of zero-sum noise or of the messages, for zero_sum="secure".
    repeatable : bool
        Whether the noise comes from a generator with a seed.
    """

    value: np.ndarray
    std: np.ndarray | float
    scheme: str
    privacy: tuple[Privacy, ...] | None
    sites: tuple[int, ...]
    dropped: tuple[int, ...]
    sensitivities: np.ndarray
    mu_public: float
    mu_message: float
    mu_aggregator: float
    design: Any = field(default=None, repr=False)
    messages: np.ndarray | None = field(default=None, repr=False)
    zero_sum: np.ndarray | None = field(default=None, repr=False)
    local: np.ndarray | None = field(default=None, repr=False)
    aggregator_noise: np.ndarray | None = field(default=None, repr=False)
    agreements: tuple[SecureSum, ...] = field(default=(), repr=False)
    absent: tuple[int, ...] = ()
    mu_unmasked: float | None = None
    grid: float | None = None
    repeatable: bool = True

    @property
    def hardened(self) -> bool:
        """Whether noise is exact in whole numbers and its bits come from the operating system."""
        return self.grid is not None and not self.repeatable

    @property
    def arithmetic(self) -> str:
        """How the noise was drawn, as the statement of a guarantee has to say."""
        if self.privacy is None:
            return "No noise was added."
        if self.grid is None:
            return (
                "The noise is drawn and added in floating-point arithmetic, whose last digits can reveal the value "
                "without noise: the guarantee holds for exact arithmetic."
            )
        exact = (
            "The noise is drawn exactly, in whole numbers, on a public grid, and the guarantee includes the rounding: "
            "it holds for the released digits."
        )
        if self.repeatable:
            return exact + " Its bits come from a generator with a seed, which must stay secret."
        return exact + " Its bits come from the operating system."

    @check.arguments
    def mu(self, colluding: int | Iterable[int] = 0) -> float:
        """μ of the worst honest site against the aggregator and colluding sites.

        Parameters
        ----------
        colluding : int or collection of int
            How many sites collude (the worst choice of them), or the numbers of those that do. A site that was
            absent may collude and knows nothing.

        Raises
        ------
        ValueError
            If a site is named that the release never had, or no honest site is left.
        """
        known: int | list[int] = self._colluding(colluding)
        if math.isinf(self.mu_aggregator):
            return self.mu_aggregator
        return named(self.scheme).colluders(self, known)

    def _colluding(self, chosen):
        """How many sites collude, or the positions of those named among the sites that took part."""
        if not isinstance(chosen, Iterable):
            return check.integer("colluding", chosen, low=0, high=len(self.sites) - 1)
        known = np.flatnonzero(members("colluding", chosen, len(self.sites) + len(self.absent))).tolist()
        found = [self.sites.index(s) for s in known if s in self.sites]
        if len(found) == len(self.sites):
            raise ValueError(f"colluding must leave at least one honest site, got all of {list(self.sites)}")
        return found


@check.arguments(
    statistics=check.sequence,
    sensitivity=check.positives_in(1e-150, 1e150),
    assumed=check.optional(check.positives_in(1e-150, 1e150)),
    amplitude=amplitude_option,
    graph=graph_option,
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
    statistics : array of shape (S, ...) or sequence of S arrays
        One statistic per site, S ≥ 2.
    sensitivity : float or array of shape (S,)
        l2 sensitivity Δ_s of each site's statistic under replacement of one record: the true one. Every μ of
        the result follows from it.
    privacy : Privacy, sequence of S Privacy, or None
        The privacy target; None only under a scheme without privacy ("nonprivate").
    scheme : str
        One of `SCHEMES`.
    rng : numpy.random.Generator or core.discrete.OperatingSystem
        Source of the noise; the operating system only with noise="discrete", where nothing then repeats it.
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
    dropouts : int
        r, how many sites may fall silent after noise was agreed. The target holds with up to so many: under "secure"
        every share of the noise is then larger. The best amplitude depends on it.
    amplitude : float, "published", "best" or None
        How loud zero-sum noise is, where there is any; see `core.schemes.amplitude.design`. None: the scheme's own, which
        is "published" for "cape" and "best" for "cape-best" and "graph".
    graph : Graph, "complete", "ring", int or None
        For scheme "graph"; see `core.schemes.graph_noise.graph_of`.
    noise : {"iid", "symmetrised", "copied", "discrete"} or object
        Distribution of the noise; see `core.noise`. All except "iid" require symmetric statistics: the
        antisymmetric part of any other statistic would be released without noise. Or an object that draws it:
        `gaussian(std, *, rng)` of the statistics' shape, a linear image of iid noise of that `std`, and
        `entry_std(std)`; see `core.schemes.projected_noise`. "discrete": iid noise in whole numbers on a public grid,
        sampled exactly, whose rounding every μ includes; under the schemes that have it (`Scheme.discrete`).
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
    record = named(scheme)
    terms = Terms(against, colluding, dropouts, amplitude, graph)
    check.choice("keep", keep, KEEP)
    check.choice("zero_sum", zero_sum, ZERO_SUM)
    discrete = _distribution(record, noise, rng, grid)
    statistics = _statistics(statistics)
    count = len(statistics)
    terms.fitting(count)
    sensitivity = _of_sites("sensitivity", sensitivity, count)
    assumed = sensitivity if assumed is None else _of_sites("assumed", assumed, count)
    everyone = Sites(
        np.arange(count),
        statistics,
        sensitivity,
        assumed,
        site_weights(weights, count),
        *(
            message_std(assumed, privacy, calibration=calibration)
            if record.private
            else (None, np.zeros(count))
        ),
    )
    gone = members("absent", absent, count)
    lost = members("absent and dropped sites together", [*absent, *dropped], count) & ~gone
    here = everyone.only(~gone if record.agrees else ~(gone | lost))
    draw = Draw(statistics[0].shape, noise, rng)
    bare = record.private and _bare(noise, statistics, leaky)
    request = Request(
        here,
        everyone,
        lost[here.numbers] if record.agrees else np.zeros(len(here.numbers), dtype=bool),
        draw,
        terms=terms,
        zero_sum=zero_sum,
        keep=keep,
        threshold=threshold,
    )
    return _result(record, request, bare, _grid(request, grid) if discrete else None)


def _distribution(record, noise, rng, grid):
    """Whether noise is discrete; ValueError for noise that the scheme, or the source of randomness, does not have."""
    choices = (*DISTRIBUTIONS, DISCRETE)
    if isinstance(noise, str):
        check.choice("noise", noise, choices)
    elif isinstance(noise, type) or not (hasattr(noise, "gaussian") and hasattr(noise, "entry_std")):
        raise ValueError(
            f"noise must be one of {choices}, or have gaussian and entry_std, got {check.shown(noise)}"
        )
    discrete = isinstance(noise, str) and noise == DISCRETE
    if discrete and record.private and record.discrete is None:
        have = ", ".join(repr(s) for s in SCHEMES if named(s).discrete is not None)
        raise ValueError(f"noise 'discrete' must be under one of the schemes {have}, got {record.name!r}")
    if not discrete and not isinstance(rng, np.random.Generator):
        raise ValueError(
            "rng must be a numpy.random.Generator unless noise is 'discrete', got OperatingSystem"
        )
    if not discrete and grid is not None:
        raise ValueError(f"grid must be left out unless noise is 'discrete', got {grid}")
    return discrete and record.private


def _grid(request, step):
    """The grid of discrete noise, from public numbers."""
    here = request.sites
    size = math.prod(request.draw.shape)
    parts = max(len(here.numbers) - request.terms.colluding - request.terms.dropouts, 1)
    return grid_for(here.weights * here.assumed, here.mus, size, parts=parts, grid=step)


def _result(record, request, bare, grid):
    """Turn a scheme's output into a Release; a part without noise means that there is no privacy at all."""
    drawn = record.release(request) if grid is None else record.discrete(request, grid)
    here = request.sites
    std = request.draw.std(drawn.std) if record.private else drawn.std
    if record.private and grid is None:
        _digits(here.only(here.numbers == here.numbers[0]) if record.one_site else here, float(np.min(std)))
    learned = Learned(math.inf, math.inf, math.inf) if bare else drawn.learned
    return Release(
        value=drawn.value,
        std=std,
        scheme=record.name,
        **here.facts(),
        dropped=tuple(here.numbers[request.lost].tolist()),
        absent=tuple(np.setdiff1d(request.everyone.numbers, here.numbers).tolist()),
        mu_public=learned.public,
        mu_message=learned.message,
        mu_aggregator=learned.aggregator,
        design=drawn.design,
        messages=drawn.messages,
        zero_sum=drawn.zero_sum,
        local=drawn.local,
        aggregator_noise=drawn.aggregator_noise,
        agreements=drawn.agreements,
        mu_unmasked=learned.unmasked,
        grid=drawn.grid,
        repeatable=isinstance(request.draw.rng, np.random.Generator),
    )


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
    record, weights, held = named(scheme), site_weights(weights, len(std)), Terms(**terms)
    if record.planned_std is None or len(std) == 1:
        return record.average_std(std, weights, lost)
    return record.planned_std(std, weights, lost, held.fitting(len(std)))


@check.arguments
def noise_factor(scheme: str, sites: int, *, dropped: int = 0, **terms) -> float:
    """Standard deviation of the average of S equal sites, in units of one curator's noise τ/S.

    Parameters
    ----------
    scheme : str
    sites : int
    dropped : int
        How many sites send nothing after noise was agreed.
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
    lost = range(check.integer("dropped", dropped, low=0, high=sites - 1))
    return sites * average_std(scheme, np.ones(sites), dropped=lost, **terms)


@check.arguments
def error_of_average(
    scheme: str,
    *,
    sites: int,
    samples: int,
    privacy: Privacy,
    calibration: Calibration = "exact",
    dropped: int = 0,
    **terms,
) -> float:
    """Error bound that 95 % of releases of an average of numbers in [0, 1] stay within, due to noise.

    Parameters
    ----------
    sites, samples : int
        S equal sites with n_s records each: a record moves a site's average by at most 1/n_s.
    dropped : int
        How many sites send nothing after noise was agreed.
    **terms
        against, colluding, dropouts, amplitude and graph, as in `release`.

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
    lost = range(check.integer("dropped", dropped, low=0, high=count - 1))
    return WITHIN * average_std(scheme, std, dropped=lost, **terms)


def _of_sites(name, values, count):
    """One positive number per site, from a single number or from one for each site."""
    values = np.full(count, values, dtype=float) if np.ndim(values) == 0 else values
    return check.positives(name, values, length=count)


def _statistics(statistics):
    arrays = [
        check.numeric(f"statistics of site {s}", f).astype(float, copy=False)
        for s, f in enumerate(statistics)
    ]
    for site, array in enumerate(arrays):
        check.finite(f"statistics of site {site}", array)
    if len(arrays) < 2:
        raise ValueError(f"statistics must come from at least 2 sites, got {len(arrays)}")
    shapes = {a.shape for a in arrays}
    if len(shapes) > 1:
        raise ValueError(f"statistics must have one shape at all sites, got {sorted(shapes)}")
    return arrays


def _digits(here, std):
    """Raise if floating-point rounding of the statistic would hide the noise and reveal the statistic.

    `std` is the least noise of the average's entries. If neighbouring floats are further apart than the noise is
    wide, statistic plus noise takes only a few values, and these reveal the statistic.
    """
    for site, array, own in zip(here.numbers, here.statistics, here.std, strict=True):
        largest = float(np.abs(array).max(initial=0.0))
        least = min(std, float(own))
        if least < DIGITS * np.spacing(largest):
            raise ValueError(
                f"statistics of site {site} must be small enough for the noise: their floats, up to {largest:.3g}, "
                f"are {np.spacing(largest):.3g} apart, and noise of standard deviation {least:.3g} needs "
                f"{DIGITS} such steps; subtract a public centre, or lower epsilon"
            )


def _bare(distribution, statistics, allowed):
    """Whether symmetric noise misses the antisymmetric part of some statistic; raise unless allowed."""
    shape = statistics[0].shape
    if not isinstance(distribution, str) or distribution == "iid" or len(set(shape)) != 1:
        return False
    for site, array in enumerate(statistics):
        for axis in range(len(shape) - 1):
            turned = array.swapaxes(axis, axis + 1)
            # Usually equal to the last digit; sums in another order differ by rounding.
            if np.array_equal(array, turned) or np.abs(array - turned).max() <= 1e-9 * np.abs(array).max():
                continue
            if allowed:
                return True
            raise ValueError(
                f"noise {distribution!r} needs symmetric statistics, but that of site {site} is not: what is not "
                "symmetric in it would get no noise at all"
            )
    return False
