"""Repeated releases under one calibration: everything except statistics and noise is checked and computed once."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from core import check
from core.discrete import OperatingSystem
from core.discrete.geometric_grid import pure_grid
from core.discrete.grid import grid_for
from core.noise import DISTRIBUTIONS
from core.privacy import Calibration, Privacy
from core.schemes.graph_noise import graph_option
from core.schemes.messages import DISCRETE, KEEP, ZERO_SUM, Draw, Job, Keep, ZeroSum, sent
from core.schemes.noise_design import amplitude_option, members, site_weights
from core.schemes.parts import Parts
from core.schemes.registry import SCHEMES, named
from core.schemes.released import Promise, Release
from core.schemes.scheme import Request, Scheme
from core.schemes.sites import Held, Sites, message_std
from core.schemes.terms import Adversary, OwnNoise, Terms

DIGITS = 1024  # Least ratio of the noise to the spacing of neighbouring floats.


@dataclass(frozen=True)
class Repeated:
    """Releases that differ in statistics and noise alone; `repeated` makes it.

    Attributes
    ----------
    scheme : Scheme
    request : Job
        What every release has in common; its statistics and its draw are those of no release.
    noise : str or object
    leaky : bool
    grid : float or None
        Step of the grid of discrete noise, if it was chosen.
    """

    scheme: Scheme
    request: Job
    noise: object
    leaky: bool
    grid: float | None = None

    @check.arguments(statistics=check.sequence)
    def release(self, statistics: Sequence, *, rng: np.random.Generator | OperatingSystem) -> Release:
        """Release the statistics of all sites once, with noise of its own.

        Parameters
        ----------
        statistics : array of shape (S, ...), sequence of S arrays, or Held

        Raises
        ------
        ValueError
            For statistics that `core.schemes.release` refuses.
        """
        held = statistics if isinstance(statistics, Held) else Held(statistics)
        if len(held) != (count := len(self.request.everyone.numbers)):
            raise ValueError(f"statistics must come from {count} sites, got {len(held)}")
        return self.of(held, rng)

    def parts(self, shape: tuple[int, ...]) -> Parts:
        """Who draws which noise for statistics of this shape; see `core.parties`."""
        return _parts(self.scheme, _with(self.request, draw=Draw(shape, self.noise, None)), self.grid)

    @check.arguments(seen_with=check.whole(0))
    def promise(self, seen_with: int = 0) -> Promise:
        """What each observer learns of one release, and its noise; nothing is drawn. Computed once for these sites.

        Parameters
        ----------
        seen_with : int
            How many sites collude with the aggregator, the worst choice of them; at most all but one that take part.
        """
        parts, job = self.parts(()), self.request
        colluding = min(seen_with, len(job.sites.numbers) - 1)
        return job.once(("promise", parts.grid, colluding), lambda: _promise(parts, job, colluding))

    def refuse_unfit(self, number: int, statistic: np.ndarray, std: float) -> None:
        """Raise a ValueError if the statistic of a site cannot be released with noise of the average of at least `std`."""
        if not self.scheme.private:
            return
        _bare(self.noise, Held.trusted([statistic]), self.leaky, number)
        if not (isinstance(self.noise, str) and self.noise == DISCRETE):
            here = self.request.sites
            _digits(_with(here.only(here.numbers == number), statistics=Held.trusted([statistic])), std)

    def of(self, statistics: Held, rng: np.random.Generator | OperatingSystem) -> Release:
        """`release` for statistics that were checked before."""
        discrete = isinstance(self.noise, str) and self.noise == DISCRETE
        if not discrete and not isinstance(rng, np.random.Generator):
            raise ValueError(
                "rng must be a numpy.random.Generator unless noise is 'discrete', got OperatingSystem"
            )
        bare = self.scheme.private and _bare(self.noise, statistics, self.leaky)
        common = self.request
        everyone = here = _with(common.everyone, statistics=statistics)
        if len(common.sites.numbers) < len(statistics):
            here = _with(common.sites, statistics=statistics.only(common.sites.numbers))
        draw = Draw(statistics.shape, self.noise, rng)
        request = _with(common, sites=here, everyone=everyone, draw=draw)
        return _result(self.scheme, request, bare, _parts(self.scheme, request, self.grid))


@check.arguments(
    sites=check.whole(2),
    sensitivity=check.positives_in(1e-150, 1e150),
    assumed=check.optional(check.positives_in(1e-150, 1e150)),
    amplitude=amplitude_option,
    graph=graph_option,
    designs=check.optional(check.matrix),
)
def repeated(
    sensitivity,
    privacy: Privacy | Iterable[Privacy] | None,
    *,
    sites: int,
    scheme: str,
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
    keep: Keep = "value",
    absent: Iterable[int] = (),
    dropped: Iterable[int] = (),
    threshold: int | None = None,
    leaky: bool = False,
    assumed=None,
    grid: float | None = None,
) -> Repeated:
    """Choose the noise of many releases once, e.g. for the steps of a training.

    Each release of the result has the privacy target, and costs its own μ. Parameters and errors as for
    `core.schemes.release`; `sites` is S.

    Examples
    --------
    >>> noisy = repeated(0.01, Privacy(1.0, 1e-5), sites=4, scheme="cape")
    >>> rng = np.random.default_rng(0)
    >>> first, second = (noisy.release(np.full(4, 0.5), rng=rng) for _ in range(2))
    >>> bool(first.value == second.value), first.mu_message == second.mu_message
    (False, True)
    """
    record = named(scheme)
    terms = Terms(
        against, colluding, dropouts, amplitude, graph, cap, own_noise, _pairs(designs), pure
    ).fitting(sites)
    noise = _in_whole_numbers(record, noise, calibration) if pure and record.private else noise
    check.choice("keep", keep, KEEP)
    check.choice("zero_sum", zero_sum, ZERO_SUM)
    _distribution(record, noise, grid)
    sensitivity = _of_sites("sensitivity", sensitivity, sites)
    assumed = sensitivity if assumed is None else _of_sites("assumed", assumed, sites)
    numbers = np.stack([sensitivity, assumed, site_weights(weights, sites)]).tobytes()
    targets = privacy if privacy is None or isinstance(privacy, Privacy) else tuple(privacy)
    asked = record, numbers, targets, calibration, terms, tuple(absent), tuple(dropped)
    try:
        request = _request(*asked)
    except TypeError:  # A graph or a site's number that cannot be the key of a memory.
        request = _request.__wrapped__(*asked)
    draw = Draw((), noise, np.random.default_rng(0))
    request = _with(request, draw=draw, zero_sum=zero_sum, keep=keep, threshold=threshold)
    return Repeated(record, request, noise, leaky, grid)


@lru_cache(maxsize=1024)
def _request(record, numbers, privacy, calibration, terms, absent, dropped) -> Job:
    """What releases of these sites have in common, with what `Job.once` computes of it: kept for the next ones.

    `numbers` are the bytes of Δ_s, of the Δ_s that noise is calibrated for and of w_s, in rows. Arrays of the result
    cannot be written to.
    """
    sensitivity, assumed, weights = np.frombuffer(numbers).reshape(3, -1)
    sites = len(weights)
    targets, std = None, np.zeros(sites)
    if record.private:
        targets, std = message_std(assumed, privacy, calibration=calibration, pure=terms.pure)
    nothing = Held.trusted([np.zeros(0)] * sites)
    everyone = Sites(np.arange(sites), nothing, sensitivity, assumed, weights, targets, std, pure=terms.pure)
    gone = members("absent", absent, sites)
    lost = members("absent and dropped sites together", [*absent, *dropped], sites) & ~gone
    here = everyone.only(~gone if record.agrees else ~(gone | lost))
    for array in (std, here.sensitivities, here.assumed, here.weights, here.std):
        array.setflags(write=False)
    return Job(
        sites=here,
        everyone=everyone,
        lost=lost[here.numbers] if record.agrees else np.zeros(len(here.numbers), dtype=bool),
        draw=Draw((), "iid", None),
        terms=terms,
    )


def _parts(record, job, step):
    """Who draws which noise: computed once for all releases of these sites, and of statistics of this size."""
    discrete = isinstance(job.draw.distribution, str) and job.draw.distribution == DISCRETE and record.private
    key = ("parts", step, math.prod(job.draw.shape)) if discrete else "parts"

    def make():
        return record.parts(Request(job.sites.planned(_grid(job, step) if discrete else None), job.terms))

    return job.once(key, make)


def _learned(parts, job, bare):
    """μ of the worst site for everybody; a part without noise means that there is no privacy at all."""
    if bare:
        return {"mu_public": math.inf, "mu_message": math.inf, "mu_aggregator": math.inf}
    here, lost = job.sites.sensitivities, job.lost
    alone = float(parts.bare_mus(here)[parts.senders & ~lost].max())
    return {
        "mu_public": parts.mu_public(here, lost),
        "mu_message": 0.0 if parts.sum_only else alone,
        "mu_aggregator": float(np.nanmax(parts.mus(here, 0, lost))),
        "mu_unmasked": alone if parts.sum_only else None,
    }


def _promise(parts, job, colluding):
    """The same, with colluding sites and the noise of the average, where no noise is drawn."""
    known = job.once(("learned", parts.grid, False), lambda: _learned(parts, job, False))
    with_others = known["mu_aggregator"]
    if colluding and not math.isinf(with_others):
        with_others = float(np.nanmax(parts.mus(job.sites.sensitivities, colluding, job.lost)))
    std = job.once(("std", parts.grid), lambda: parts.average_std(job.lost))
    return Promise(
        known["mu_message"], known["mu_public"], known["mu_aggregator"], with_others, std=float(std)
    )


def _result(record, job, bare, parts):
    """Draw the noise of one release, and state what is known of it."""
    planned = lambda: record.parts(Request(job.everyone.planned(), job.terms)).contributions  # noqa: E731
    drawn, here = sent(job, parts, planned), job.sites
    std = job.once(("std", parts.grid), lambda: parts.average_std(job.lost))
    std = job.draw.std(std) if record.private else std
    if record.private and parts.grid is None:
        _digits(here.only(here.numbers == here.numbers[0]) if record.one_site else here, float(np.min(std)))
    return Release(
        std=std,
        scheme=record.name,
        **here.facts(),
        dropped=tuple(here.numbers[job.lost].tolist()),
        absent=tuple(sorted({*job.everyone.numbers.tolist()} - {*here.numbers.tolist()})),
        parts=parts,
        grid=None if parts.grid is None else parts.grid.step,
        repeatable=isinstance(job.draw.rng, np.random.Generator),
        dropouts=job.terms.dropouts,
        **job.once(("learned", parts.grid, bare), lambda: _learned(parts, job, bare)),
        **drawn,
    )


def _pairs(designs):
    """As the key of a memory."""
    if designs is None:
        return None
    rows = check.matrix("designs", designs)
    if rows.shape[1] != 2:
        raise ValueError(f"designs must be two numbers a site, got rows of {rows.shape[1]}")
    return tuple(map(tuple, rows.tolist()))


def _with(record, **changes):
    """`dataclasses.replace` without the cost of its initialisation, which every release would pay."""
    made = object.__new__(type(record))
    made.__dict__.update(record.__dict__, **changes)
    return made


def _distribution(record, noise, grid):
    """Refuse what is no distribution of noise, or none that the scheme has."""
    choices = (*DISTRIBUTIONS, DISCRETE)
    if isinstance(noise, str):
        check.choice("noise", noise, choices)
    elif isinstance(noise, type) or not (hasattr(noise, "gaussian") and hasattr(noise, "entry_std")):
        raise ValueError(
            f"noise must be one of {choices}, or have gaussian and entry_std, got {check.shown(noise)}"
        )
    discrete = isinstance(noise, str) and noise == DISCRETE
    if discrete and record.private and not record.discrete:
        have = ", ".join(repr(s) for s in SCHEMES if named(s).discrete)
        raise ValueError(f"noise 'discrete' must be under one of the schemes {have}, got {record.name!r}")
    if not discrete and grid is not None:
        raise ValueError(f"grid must be left out unless noise is 'discrete', got {grid}")


def _in_whole_numbers(record, noise, calibration):
    """The discrete noise that pure ε has; whoever names another law, or the papers' formula, is told."""
    if not record.discrete:
        have = ", ".join(repr(s) for s in SCHEMES if named(s).discrete)
        raise ValueError(f"pure must be left out but under one of the schemes {have}, got {record.name!r}")
    if not (isinstance(noise, str) and noise in ("iid", DISCRETE)):
        raise ValueError(f"noise must be 'discrete' under pure epsilon, got {check.shown(noise)}")
    if calibration != "exact":
        raise ValueError(f"calibration must be 'exact' under pure epsilon, got {calibration!r}")
    return DISCRETE


def _grid(request, step):
    """The grid of discrete noise, from public numbers."""
    here = request.sites
    size = math.prod(request.draw.shape)
    parts = max(len(here.numbers) - request.terms.colluding - request.terms.dropouts, 1)
    if request.terms.pure:
        return pure_grid(here.weights * here.assumed, here.mus, size, honest=parts, grid=step)
    return grid_for(here.weights * here.assumed, here.mus, size, parts=parts, grid=step)


def _of_sites(name, values, count):
    """One positive number per site, from a single number or from one for each site."""
    values = np.full(count, values, dtype=float) if np.ndim(values) == 0 else values
    return check.positives(name, values, length=count, each="site")


def _digits(here, std):
    """Raise if floating-point rounding of the statistic would hide the noise and reveal the statistic.

    `std` is the least noise of the average's entries. If neighbouring floats are further apart than the noise is
    wide, statistic plus noise takes only a few values, and these reveal the statistic.
    """
    least, apart = np.minimum(std, here.std), np.spacing(here.statistics.largest)
    for place in np.flatnonzero(least < DIGITS * apart):
        raise ValueError(
            f"statistics of site {here.numbers[place]} must be small enough for the noise: their floats, up to "
            f"{here.statistics.largest[place]:.3g}, are {apart[place]:.3g} apart, and noise of standard deviation "
            f"{least[place]:.3g} needs {DIGITS} such steps; subtract a public centre, or lower epsilon"
        )


def _bare(distribution, statistics, allowed, number=None):
    """Whether symmetric noise misses the antisymmetric part of some statistic; raise unless allowed."""
    shape = statistics.shape
    if not isinstance(distribution, str) or distribution in ("iid", DISCRETE) or len(set(shape)) != 1:
        return False
    if (site := statistics.asymmetric) is None:
        return False
    if allowed:
        return True
    site = site if number is None else number
    raise ValueError(
        f"noise {distribution!r} needs symmetric statistics, but that of site {site} is not: what is not "
        "symmetric in it would get no noise at all"
    )
