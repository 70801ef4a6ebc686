"""The plan of a release: a small readable file that every party has. Nothing in it is private.

Whoever reads such a file reads foreign text: everything is checked.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property, lru_cache
from typing import Any, Literal

import numpy as np

from core import check
from core.parties import plan_file
from core.parties.plan_file import MOST_SITES
from core.parties.statistic import Member, Statistic, short_text
from core.privacy import Calibration, Privacy
from core.schemes import Held, Release, Repeated, Scheme, named, repeated
from core.schemes.graph_noise import graph_option
from core.schemes.messages import ZeroSum
from core.schemes.noise_design import amplitude_option
from core.schemes.parts import Parts
from core.schemes.terms import Adversary

Noise = Literal["iid", "symmetrised", "copied", "discrete"]
Form = Literal["nothing", "generator", "adder", "secure", "edges"]


@check.arguments(amplitude=amplitude_option, graph=graph_option)
@dataclass(frozen=True)
class Plan:
    """Everything that the parties of a release agree on beforehand. All of it is public.

    Attributes
    ----------
    statistic : Statistic
    sites : tuple of Member
        At least two; a site's number is its place.
    scheme : str
        A registered scheme.
    zero_sum : {"secure", "generator", "broadcast"}
        How noise is agreed on, or a sum is hidden: by a secure sum among the sites; by a trusted party that draws
        the zero-sum noise; or by a trusted party that adds up what the sites draw. Schemes without agreement, and
        noise on a graph, need none.
    noise, calibration, against, colluding, dropouts, amplitude, graph, grid
        As in `core.schemes.release`.
    threshold : int, optional
        How many sites must take part, and answer in a secure sum: a site refuses to go on with fewer. Default: two of
        those that agree on noise; in a secure sum, and where a trusted party adds up messages, as in
        `core.secure_sum`.
    run : str
        Tells two releases of the same plan apart, e.g. a date.

    Raises
    ------
    ValueError
        Naming the parameter, also if no noise meets the targets.
    """

    statistic: Statistic
    sites: tuple[Member, ...]
    scheme: str = "cape"
    zero_sum: ZeroSum = "secure"
    noise: Noise = "iid"
    calibration: Calibration = "exact"
    against: Adversary = "message"
    colluding: int = 0
    dropouts: int = 0
    amplitude: Any = None
    graph: Any = None
    threshold: int | None = None
    grid: float | None = None
    run: str = "1"

    def __post_init__(self):
        if not 2 <= len(self.sites) <= MOST_SITES or not all(isinstance(s, Member) for s in self.sites):
            raise ValueError(f"sites must be 2 to {MOST_SITES} Member, got {check.shown(self.sites)}")
        object.__setattr__(self, "sites", tuple(self.sites))
        short_text("run", self.run)
        if self.threshold is not None:
            check.integer("threshold", self.threshold, low=2, high=len(self.sites))
        if self.parts().sum_only and self.zero_sum == "secure" and self.noise != "discrete":
            raise ValueError(
                f"noise must be 'discrete' for a secure sum of messages, whose masks are of whole numbers, got "
                f"{self.noise!r}; zero_sum='broadcast' has a trusted party add them up"
            )

    @cached_property
    def id(self) -> str:
        """Identifier: SHA-256 of what the plan says, in 64 hexadecimal digits. Every message carries it."""
        text = json.dumps(self.to_dict(), sort_keys=True, separators=(",", ":"), ensure_ascii=True)
        return hashlib.sha256(text.encode()).hexdigest()

    @property
    def numbers(self) -> tuple[int, ...]:
        """Numbers of all sites."""
        return tuple(range(len(self.sites)))

    @property
    def form(self) -> Form:
        """How the sites agree before they send messages."""
        parts = self.parts()
        if parts.edges is not None:
            return "edges"
        if not parts.agrees:
            return "nothing"
        if self.zero_sum == "generator" and parts.sum_only:
            return "adder"
        forms: dict[ZeroSum, Form] = {"broadcast": "adder", "generator": "generator", "secure": "secure"}
        return forms[self.zero_sum]

    @property
    def least(self) -> int:
        """How many sites must join."""
        return self.threshold or (2 if self.parts().agrees else 1)

    @property
    def needs_trusted(self) -> bool:
        """Whether a `TrustedParty` takes part."""
        return self.form in ("generator", "adder")

    @check.arguments
    def parts(self, absent: Iterable[int] = ()) -> Parts:
        """Who draws which noise if the sites `absent` take no part."""
        return _parts(self, named(self.scheme), self._chosen("absent", absent))

    @check.arguments
    def repeated(self, absent: Iterable[int] = (), dropped: Iterable[int] = ()) -> Repeated:
        """The same release in one process, as `core.schemes.repeated` prepares it."""
        return _repeated(
            self,
            named(self.scheme),
            self._chosen("absent", absent),
            self._chosen("dropped", dropped),
            "value",
            self.zero_sum,
        )

    @check.arguments
    def release(
        self, statistics, *, rng: np.random.Generator, absent: Iterable[int] = (), dropped: Iterable[int] = ()
    ) -> Release:
        """Run the plan in one process by `core.schemes.release`, to simulate it."""
        noisy = _repeated(
            self,
            named(self.scheme),
            self._chosen("absent", absent),
            self._chosen("dropped", dropped),
            "all",
            self.zero_sum,
        )
        return noisy.release(check.sequence("statistics", statistics), rng=rng)

    @check.arguments
    def stated(self, absent: Iterable[int] = (), dropped: Iterable[int] = ()) -> Release:
        """What the plan guarantees if these sites fall silent: noise and every μ. Its value is zero."""
        return _stated(
            self, named(self.scheme), self._chosen("absent", absent), self._chosen("dropped", dropped)
        )

    def _chosen(self, name, sites):
        return tuple(check.integer(name, s, low=0, high=len(self.sites) - 1) for s in sites)

    def to_dict(self) -> dict[str, Any]:
        """As a JSON object, without the identifier."""
        return plan_file.content({f.name: getattr(self, f.name) for f in fields(self)})

    @classmethod
    def from_dict(cls, found: Mapping) -> Plan:
        """The plan that `to_dict` wrote; an "id" that is there must be its own.

        Raises
        ------
        ValueError
            For what is no plan; the message may quote foreign text.
        """
        plan = cls(**plan_file.attributes(found, {f.name for f in fields(cls)}))
        if found.get("id", plan.id) != plan.id:
            raise ValueError(
                f"id must be {plan.id}, that of what the plan says: it was changed after it was written. Delete the "
                f"line if that was on purpose"
            )
        return plan

    def text(self) -> str:
        """The file: JSON with one line for each entry and each site."""
        return plan_file.text(self.id, self.to_dict())

    @classmethod
    def read(cls, content: bytes) -> Plan:
        """Read such a file.

        Raises
        ------
        ValueError
            If it is none.
        """
        return cls.from_dict(plan_file.parsed(content))


@check.arguments
def plan_of(
    statistic: Statistic, samples: Iterable[int], privacy: Privacy | None, *, change: float, **options
) -> Plan:
    """The plan of sites with n_s records each and one privacy target, weighted by their records.

    Parameters
    ----------
    statistic : Statistic
    samples : sequence of int
        n_s.
    privacy : Privacy or None
    change : float
        Largest change of n_s times the statistic when one record is replaced: upper − lower for a mean, √2 for the
        second moment of records within the unit ball.
    **options
        Further attributes of `Plan`, and `names` of the sites.

    Examples
    --------
    >>> plan = plan_of(Statistic("mean", (), 0.0, 12.0), [200, 300], Privacy(1.0, 1e-5), change=12.0)
    >>> [site.weight for site in plan.sites], plan.sites[0].sensitivity
    ([0.4, 0.6], 0.06)
    """
    known = {"names", *(f.name for f in fields(Plan))} - {"statistic", "sites"}
    if unknown := sorted(set(options) - known):
        raise TypeError(f"plan_of has no option {unknown[0]!r}; it has {', '.join(sorted(known))}")
    counts = [check.integer("samples", n, low=1) for n in samples]
    if len(counts) < 2:
        raise ValueError(f"samples must be of at least 2 sites, got {len(counts)}")
    check.positives_in(1e-150, 1e150)("change", change)
    given = options.pop("names", None)
    names = (
        [f"site {s + 1}" for s in range(len(counts))]
        if given is None
        else list(check.sequence("names", given))
    )
    if len(names) != len(counts):
        raise ValueError(f"names must be one for each of {len(counts)} sites, got {len(names)}")
    if len(set(map(str, names))) < len(names):
        raise ValueError(f"names must differ from site to site, got {check.shown(names)}")
    sites = tuple(
        Member(name, n / sum(counts), change / n, privacy, n) for name, n in zip(names, counts, strict=True)
    )
    return Plan(statistic, sites, **options)


@lru_cache(maxsize=256)
def _repeated(plan: Plan, record: Scheme, absent, dropped, keep, zero_sum) -> Repeated:
    # The record is part of the key: another may be registered under its name.
    private = record.private
    targets = tuple(site.privacy for site in plan.sites if site.privacy is not None)
    if len(targets) != private * len(plan.sites):
        raise ValueError(
            f"privacy must be {'given' if private else 'None'} for every site under scheme {plan.scheme!r}"
        )
    return repeated(
        np.array([site.sensitivity for site in plan.sites]),
        targets if private else None,
        sites=len(plan.sites),
        weights=np.array([site.weight for site in plan.sites]),
        absent=absent,
        dropped=dropped,
        keep=keep,
        zero_sum=zero_sum,
        **{name: getattr(plan, name) for name in _SHARED},
    )


_SHARED = (
    "scheme",
    "noise",
    "calibration",
    "against",
    "colluding",
    "dropouts",
    "amplitude",
    "graph",
    "threshold",
    "grid",
)


@lru_cache(maxsize=256)
def _parts(plan: Plan, record: Scheme, absent) -> Parts:
    return _repeated(plan, record, absent, (), "value", plan.zero_sum).parts(plan.statistic.shape)


@lru_cache(maxsize=256)
def _stated(plan: Plan, record: Scheme, absent, dropped) -> Release:
    # What a scheme states does not depend on the statistics, nor on who adds up the sum.
    zero_sum: ZeroSum = "broadcast" if plan.zero_sum == "secure" else plan.zero_sum
    noisy = _repeated(plan, record, absent, dropped, "value", zero_sum)
    held = Held.trusted(np.zeros((len(plan.sites), *plan.statistic.shape)))
    return replace(noisy.of(held, np.random.default_rng(0)), value=np.zeros(plan.statistic.shape))
