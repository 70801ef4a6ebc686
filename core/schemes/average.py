"""The five schemes: how statistics held at several sites become one released average.

Every method of this package is: each site computes a statistic of known sensitivity → `release`
perturbs and averages → post-processing. [Fact] section II, [Cape] section 3.

============  ==========================================================  ==================
scheme        what is released                                            variance (equal sites)
============  ==========================================================  ==================
nonprivate    the plain average                                           0
pooled        the average with one curator's noise; the curator sees all  τ²/S²
local         site 1's own statistic                                      τ²
conventional  the average of independently perturbed messages             τ²/S
cape          the average of messages with correlated noise               τ²/S²
============  ==========================================================  ==================
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np

from core import cape, check
from core.noise import LAWS
from core.privacy import CALIBRATIONS, Privacy, gaussian_mu
from core.schemes import messages as protocol
from core.schemes.noise_design import in_range, members
from core.secure_sum import SecureSum

SCHEMES = ("nonprivate", "pooled", "local", "conventional", "cape")
ADVERSARIES = ("message", "aggregator", "colluders")
ZERO_SUM = ("broadcast", "generator", "secure")
DIGITS = 1024  # Noise has to be that many times the distance between floats next to each other.


@dataclass(frozen=True)
class Release:
    """What a scheme released, and what it gives away.

    Attributes
    ----------
    value : ndarray
        The released (weighted) average, shape of one statistic.
    std : ndarray or float
        Standard deviation of the noise in `value`, broadcastable to it.
    scheme : str
        One of `SCHEMES`.
    privacy : tuple of Privacy, or None
        The demand of each site; None for "nonprivate".
    sites : tuple of int
        Numbers of the sites that took part; every (S, ...) array here is about these, in this order.
    dropped : tuple of int
        Those of them that agreed on zero-sum noise and then sent nothing: their rows of `messages` are NaN.
    absent : tuple of int
        Sites that took no part: they were silent before noise was agreed, or, without CAPE, sent nothing.
    sensitivities : ndarray of shape (S,)
        Δ_s of each site's statistic: the true one, whatever the noise was calibrated for.
    mu_public : float
        μ of the released value alone (∞: no privacy). The largest over the sites, as are the next two.
    mu_message : float
        μ of a single site's message alone; for "pooled" ∞, because the records themselves are sent.
    mu_aggregator : float
        μ against whoever sees all messages and the broadcast sum.
    design : NoiseDesign or None
        The noise design, for "cape".
    messages, zero_sum, local, aggregator_noise : ndarray of shape (S, ...) or None
        What each site sent and the parts of its noise (with keep="all"; for "cape" all parts). With
        zero_sum="generator", messages carry the aggregator's own noise too, which it subtracts again.
    agreements : tuple of SecureSum
        The runs of secure aggregation that zero-sum noise was drawn with, for zero_sum="secure".
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
    design: cape.NoiseDesign | None = field(default=None, repr=False)
    messages: np.ndarray | None = field(default=None, repr=False)
    zero_sum: np.ndarray | None = field(default=None, repr=False)
    local: np.ndarray | None = field(default=None, repr=False)
    aggregator_noise: np.ndarray | None = field(default=None, repr=False)
    agreements: tuple[SecureSum, ...] = field(default=(), repr=False)
    absent: tuple[int, ...] = ()

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
        colluding = self._colluding(colluding)
        if self.design is None or math.isinf(self.mu_aggregator):
            return self.mu_aggregator
        leaked = self.design.leakage(
            self.sensitivities, colluding, dropped=[self.sites.index(s) for s in self.dropped]
        )
        return math.sqrt(np.nanmax(leaked))

    def _colluding(self, named):
        """How many sites collude, or the positions of those named among the sites that took part."""
        if not isinstance(named, Iterable):
            return check.integer("colluding", named, low=0, high=len(self.sites) - 1)
        known = np.flatnonzero(members("colluding", named, len(self.sites) + len(self.absent))).tolist()
        found = [self.sites.index(s) for s in known if s in self.sites]
        if len(found) == len(self.sites):
            raise ValueError(f"colluding must leave at least one honest site, got all of {list(self.sites)}")
        return found


@check.arguments(statistics=check.sequence, sensitivity=check.sized)
def release(
    statistics,
    sensitivity,
    privacy: Privacy | Iterable[Privacy] | None,
    *,
    scheme: str,
    rng: np.random.Generator,
    weights=None,
    calibration: str = "exact",
    against: str = "message",
    colluding: int = 0,
    noise="iid",
    zero_sum: str = "broadcast",
    keep: str = "all",
    absent: Iterable[int] = (),
    dropped: Iterable[int] = (),
    threshold: int | None = None,
    leaky: bool = False,
    assumed=None,
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
        The demand; None only with scheme="nonprivate".
    scheme : {"nonprivate", "pooled", "local", "conventional", "cape"}
    rng : numpy.random.Generator
        Source of the noise.
    weights : array of shape (S,), optional
        w_s of the average, positive, Σ w_s = 1; default 1/S. For unequal sizes pass n_s/N.
    calibration : {"exact", "published"}
        Formula from (ε, δ) to τ; see `core.privacy.gaussian_std`.
    against : {"message", "aggregator", "colluders"}
        Whose view the demand holds for. The papers hold it for one "message" alone. The aggregator sees
        S correlated messages, and `colluding` sites know their own noise: under CAPE that costs more
        noise (`NoiseDesign.leakage`); the other schemes leak nothing more.
    colluding : int
        S_C, with against="colluders" only.
    noise : {"iid", "symmetrised", "copied"} or object
        Law of the noise; see `core.noise`. All but "iid" is for symmetric statistics, and refused for others:
        what is not symmetric in them would leave without any noise. Or an object that draws it:
        `gaussian(std, *, rng)` of the statistics' shape, a linear image of iid noise of that `std`, and
        `entry_std(std)`; see `core.schemes.projected_noise`.
    zero_sum : {"broadcast", "generator", "secure"}
        How zero-sum noise comes about: [Cape] Algorithm 1 with its sum simply added up, or [Fact]
        Algorithm 1 with a trusted generator and noise of the aggregator's own on every message, or
        [Cape] Algorithm 1 with the sum through `core.secure_sum`, rounded there to 1e-11 of the noise
        (its keys come from `rng`, so that runs can be repeated: a simulation, not a deployment).
    keep : {"all", "value"}
        "value" forgets messages as it goes: the same draws, the memory of few statistics.
    absent : collection of int
        Sites that fall silent before noise is agreed. The average and its noise are of the others, with
        their weights renormalised.
    dropped : collection of int
        Sites that fall silent afterwards. Under CAPE their zero-sum noise stays uncancelled
        (`NoiseDesign.average_std`); under the other schemes it is as if they had been absent.
    threshold : int, optional
        How many sites must answer in secure aggregation; see `core.secure_sum`.
    leaky : bool
        Allow symmetric noise on statistics that are not symmetric, to show what comes of it: every μ is ∞.
    assumed : float or array of shape (S,), optional
        Sensitivity that the noise is calibrated for where a publication's differs from the true one. If it is
        too small, the result does not meet the demand, and its μ say by how much.

    Returns
    -------
    Release

    Raises
    ------
    ValueError
        Naming the parameter: unknown option, fewer than two sites, shapes that differ, non-finite
        statistics, symmetric noise for statistics that are not, noise below the last digits of a statistic,
        a missing privacy demand, colluders against whom nothing is held, or an unreachable design.
    """
    check.choice("scheme", scheme, SCHEMES)
    check.choice("against", against, ADVERSARIES)
    check.choice("keep", keep, ("all", "value"))
    check.choice("zero_sum", zero_sum, ZERO_SUM)
    if isinstance(noise, str):
        check.choice("noise", noise, LAWS)
    elif isinstance(noise, type) or not (hasattr(noise, "gaussian") and hasattr(noise, "entry_std")):
        raise ValueError(
            f"noise must be one of {LAWS}, or have gaussian and entry_std, got {check.shown(noise)}"
        )
    if colluding and against != "colluders":
        raise ValueError(
            f"colluding must be left out unless against='colluders', got {colluding} with against={against!r}; "
            "what so many colluders learn of a release is its mu(colluding)"
        )
    statistics = _statistics(statistics)
    count = len(statistics)
    check.integer("colluding", colluding, low=0, high=count - 1)
    sensitivity = _of_sites("sensitivity", sensitivity, count)
    assumed = sensitivity if assumed is None else _of_sites("assumed", assumed, count)
    everyone = _Sites(
        np.arange(count),
        statistics,
        sensitivity,
        assumed,
        cape.site_weights(weights, count),
        *_demands(scheme, assumed, privacy, calibration),
    )
    gone = members("absent", absent, count)
    lost = members("absent and dropped sites together", [*absent, *dropped], count) & ~gone
    here = everyone.only(~gone if scheme == "cape" else ~(gone | lost))
    away = {"absent": tuple(np.setdiff1d(everyone.numbers, here.numbers).tolist())}
    if scheme == "nonprivate":
        messages = np.stack(here.statistics) if keep == "all" else None
        value = protocol.average(here.statistics, here.weights)
        return Release(value, 0.0, scheme, **here.facts(), **_mus(math.inf), messages=messages, **away)
    draw = protocol.Draw(statistics[0].shape, noise, rng)
    bare = _bare(noise, statistics, leaky)
    if scheme == "cape":
        result = _correlated(
            everyone, here, lost[here.numbers], draw, against, colluding, zero_sum, keep, threshold
        )
    else:
        result = _uncorrelated(here, draw, scheme, keep)
    seen = here.only(here.numbers == here.numbers[0]) if scheme == "local" else here
    _digits(seen, float(np.min(result.std)))
    return replace(result, **away, **(_mus() if bare else {}))


def _uncorrelated(here, draw, scheme, keep):
    """The schemes in which nobody draws noise together."""
    weighted = here.weights * here.sensitivities
    if scheme == "pooled":
        std = float((here.weights * here.std).max())
        result = {"value": protocol.average(here.statistics, here.weights) + draw(std)}
        mus = _mus(public=float(weighted.max()) / std)
    elif scheme == "local":
        std = float(here.std[0])
        result = {"value": here.statistics[0] + draw(std)}
        mus = _mus(*(float(here.sensitivities[0]) / std,) * 3)
    else:
        std = float(np.linalg.norm(here.weights * here.std))
        result = protocol.independent(here.statistics, here.std, here.weights, draw, keep)
        message = float((here.sensitivities / here.std).max())
        mus = _mus(public=float(weighted.max()) / std, message=message, aggregator=message)
    return Release(std=draw.std(std), scheme=scheme, **here.facts(), **mus, **result)


def _correlated(everyone, here, lost, draw, against, colluding, zero_sum, keep, threshold):
    """CAPE among the sites that are here; those `lost` send nothing once noise is agreed."""
    plan = here.design(against, colluding)
    agreed, runs = None, ()
    if zero_sum == "secure":
        absent = np.setdiff1d(everyone.numbers, here.numbers).tolist()
        planned = everyone.design(against, colluding) if absent else None
        agreed, runs = protocol.agree(plan, draw, threshold=threshold, planned=planned, absent=absent)
    result = protocol.correlated(
        here.statistics, plan, draw, zero_sum=zero_sum, keep=keep, lost=lost, agreed=agreed
    )
    silent = np.flatnonzero(lost).tolist()
    std = plan.average_std(silent)
    left = here.only(~lost)
    mus = _mus(
        public=float((left.weights * left.sensitivities).max()) / std,
        message=float((left.sensitivities / plan.std[~lost]).max()),
        aggregator=math.sqrt(plan.leakage(here.sensitivities, dropped=silent).max()),
    )
    gone = tuple(here.numbers[lost].tolist())
    facts = here.facts() | {"dropped": gone}
    return Release(std=draw.std(std), scheme="cape", design=plan, agreements=runs, **facts, **mus, **result)


@dataclass(frozen=True)
class _Sites:
    """Some of the sites: their numbers, and what `release` knows of each."""

    numbers: np.ndarray
    statistics: list[np.ndarray]
    sensitivities: np.ndarray
    assumed: np.ndarray  # What the noise is calibrated for: the true sensitivities, but for published forms.
    weights: np.ndarray
    demands: tuple[Privacy, ...] | None
    std: np.ndarray | None  # τ_s that the demand needs of a message seen alone

    def only(self, kept):
        """The sites that a boolean array of shape (S,) marks, weights renormalised."""
        if kept.all():
            return self
        chosen = np.flatnonzero(kept)
        return _Sites(
            self.numbers[chosen],
            [self.statistics[s] for s in chosen],
            self.sensitivities[chosen],
            self.assumed[chosen],
            self.weights[chosen] / self.weights[chosen].sum(),
            None if self.demands is None else tuple(self.demands[s] for s in chosen),
            None if self.std is None else self.std[chosen],
        )

    def design(self, against, colluding):
        if len(self.numbers) < 2:
            raise ValueError("absent must leave at least 2 sites for zero-sum noise, got 1")
        std = calibrated.trusted(self.std, self.assumed, self.weights, against=against, colluding=colluding)
        return cape.design(std, self.weights)

    def facts(self):
        """What a Release says about the sites."""
        return {
            "privacy": self.demands,
            "sites": tuple(self.numbers.tolist()),
            "dropped": (),
            "sensitivities": self.sensitivities,
        }


def _of_sites(name, values, count):
    """One positive number a site, from one number or from one each."""
    values = np.full(count, values, dtype=float) if np.ndim(values) == 0 else values
    return check.positives(name, values, length=count)


def _mus(public=math.inf, message=math.inf, aggregator=math.inf):
    return {"mu_public": public, "mu_message": message, "mu_aggregator": aggregator}


def _demands(scheme, sensitivities, privacy, calibration):
    return (
        (None, None)
        if scheme == "nonprivate"
        else message_std(sensitivities, privacy, calibration=calibration)
    )


def message_std(
    sensitivity, privacy, *, calibration: str = "exact"
) -> tuple[tuple[Privacy, ...], np.ndarray]:
    """The demands, one per site, and τ_s that each site's message needs when seen alone.

    `sensitivity` is an array of shape (S,), `privacy` one demand for all or one per site.
    """
    check.choice("calibration", calibration, CALIBRATIONS)
    sites = len(sensitivity)
    demands = (
        (privacy,) * sites if isinstance(privacy, Privacy) else tuple(() if privacy is None else privacy)
    )
    if len(demands) != sites or not all(isinstance(p, Privacy) for p in demands):
        raise ValueError(f"privacy must be a Privacy, or one for each of the {sites} sites, got {privacy!r}")
    std = sensitivity / np.array([gaussian_mu(p, calibration=calibration) for p in demands])
    in_range("message noise", std)
    return demands, std


@check.arguments(std=check.positives, sensitivities=check.positives)
def calibrated(
    std, sensitivities, weights=None, *, against: str = "message", colluding: int = 0
) -> np.ndarray:
    """Scale τ_s so that under CAPE the demand met by each message alone holds against a stronger view.

    Equal sites: τ = Δ √leakage(S, S_C) / μ. Otherwise each site's τ_s is moved until its own leakage is its
    own demand; where moving all by the worst site's factor leaves less noise in the average, that is done.
    """
    check.choice("against", against, ADVERSARIES)
    if against == "message":
        return std
    colluding = colluding if against == "colluders" else 0
    budget = sensitivities / std

    def shortage(trial):
        return np.sqrt(cape.design(trial, weights).leakage(sensitivities, colluding)) / budget

    def average_noise(trial):
        return cape.design(trial, weights).target

    together = std * max(1.0, shortage(std).max())
    apart = together
    for _ in range(50):
        factor = shortage(apart)
        if np.abs(factor - 1).max() < 1e-9:
            break
        apart = apart * factor**0.85
    # Whatever the iteration left undone is made good, so that no demand is missed.
    apart = apart * max(1.0, shortage(apart).max())
    return min((together, apart), key=average_noise)


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
    """Refuse noise that a statistic rounds off: it would leave as it is, and its neighbours too.

    `std` is the least noise of the average's entries. Where floats are further apart than the noise is wide,
    a sum of both is one of few values, and which ones tells the statistic.
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


def _bare(law, statistics, allowed):
    """Whether symmetric noise leaves a part of some statistic bare, its odd one; refuse unless allowed."""
    shape = statistics[0].shape
    if not isinstance(law, str) or law == "iid" or len(set(shape)) != 1:
        return False
    for site, array in enumerate(statistics):
        for axis in range(len(shape) - 1):
            turned = array.swapaxes(axis, axis + 1)
            # Equal to the last digit as a rule; sums in another order differ by rounding.
            if np.array_equal(array, turned) or np.abs(array - turned).max() <= 1e-9 * np.abs(array).max():
                continue
            if allowed:
                return True
            raise ValueError(
                f"noise {law!r} needs symmetric statistics, but that of site {site} is not: what is not "
                "symmetric in it would get no noise at all"
            )
    return False
