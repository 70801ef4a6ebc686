"""The plan of a release: a small readable file that every party has. Nothing in it is private.

Whoever reads such a file reads foreign text: everything is checked.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property, lru_cache
from typing import Any, Literal

import numpy as np

from core import check
from core.parties import plan_file, series_noise
from core.parties.plan_file import MOST_DELTA, MOST_SITES, Noise
from core.parties.second_version import DRAWS, Column, SeriesTerms, checked_columns, checked_keys
from core.parties.statistic import SLACK, Member, Statistic, short_text
from core.privacy import Calibration, Privacy, gaussian_mu
from core.schemes import (
    Held,
    Promise,
    Release,
    Repeated,
    Scheme,
    Silence,
    most_dropouts,
    named,
    planned_silence,
    repeated,
)
from core.schemes.exposure import promised
from core.schemes.graph_noise import graph_option
from core.schemes.known.secure import answers_needed
from core.schemes.messages import ZeroSum
from core.schemes.noise_design import amplitude_option
from core.schemes.parts import Parts
from core.schemes.terms import OPTIONS as TERMS
from core.schemes.terms import Adversary, OwnNoise
from core.secure_sum import default_threshold

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
        those that agree on noise; in a secure sum of noise as in `core.secure_sum`, and more where so many collude that
        these could tell the sum apart; in one of messages, and where a trusted
        party adds these up, all sites but the planned dropouts. With fewer messages their sum has less noise:
        `promise` then counts on the threshold.
    run : str
        Tells two releases of the same plan apart, e.g. a date.
    note : str
        For people, at most 1000 letters: e.g. what the plan promises.
    cap, own_noise, designs
        As in `core.schemes.release`. Sites check designs that the plan has, and search none.
    keys : mapping of names to str, optional
        Public keys (Ed25519, 64 hexadecimal digits) of every site, by its name, and of the "aggregator".
    draw : str, optional
        Name of the sampler of discrete noise; see `core.parties.second_version.DRAWS`.
    columns : tuple of Column, optional
        What is released of which column, in its units.
    series : SeriesTerms, optional
        How often, and who is in which months.
    pure : bool
        Whether ε holds with δ = 0, as in `core.schemes.release`: of means, shares and summaries, with noise "discrete".
        Sensitivities of the sites are then l1.

    Raises
    ------
    ValueError
        Naming the parameter, also if no noise meets the targets, if a sensitivity is below the one that the statistic's
        bounds imply, a δ is above 0.1, a calibration does not meet a target, or a secure sum could be told apart: by
        t ≤ (S + c)/2 answers of t sites the aggregator opens one message, if it tells two halves different things.
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
    note: str = ""
    cap: float | None = None
    own_noise: OwnNoise | None = None
    designs: Any = None
    keys: Any = None
    draw: str | None = None
    columns: tuple[Column, ...] | None = None
    series: SeriesTerms | None = None
    pure: bool = False

    def __post_init__(self):
        if not 2 <= len(self.sites) <= MOST_SITES or not all(isinstance(s, Member) for s in self.sites):
            raise ValueError(f"sites must be 2 to {MOST_SITES} Member, got {check.shown(self.sites)}")
        object.__setattr__(self, "sites", tuple(self.sites))
        short_text("run", self.run)
        plan_file.note_text(self.note)
        self._check_second_version()
        if self.pure and (self.noise != "discrete" or self.statistic.l1_change is None):
            raise ValueError(
                "pure must be False unless noise is 'discrete' and the statistic one of means, shares or summaries, got "
                f"{self.noise!r} and {self.statistic.name!r}"
            )
        if self.threshold is not None:
            check.integer("threshold", self.threshold, low=2, high=len(self.sites))
        if self.parts().sum_only and self.zero_sum == "secure" and self.noise != "discrete":
            raise ValueError(
                f"noise must be 'discrete' for a secure sum of messages, whose masks are of whole numbers, got "
                f"{self.noise!r}; zero_sum='broadcast' has a trusted party add them up"
            )
        names = [site.name for site in self.sites]
        if len(set(names)) < len(names):
            raise ValueError(f"names must differ from site to site, got {check.shown(names)}")
        for place, site in enumerate(self.sites):
            self._refuse_promises_of(place, site)
        if self.parts().after is not None and self.zero_sum == "generator":
            raise ValueError(
                "zero_sum must be 'secure' or 'broadcast' where the sum comes after the messages, got 'generator': it "
                "draws noise before anybody knows who will send"
            )
        if self.threshold is None and self.form == "secure" and not self.parts().summed:
            needed = (len(self.sites) + self.colluding) // 2 + 1
            if default_threshold(len(self.sites)) < needed:
                object.__setattr__(self, "threshold", needed)
        self._refuse_dropouts()
        self.refuse_unfit()

    def _check_second_version(self):
        names = [site.name for site in self.sites]
        object.__setattr__(self, "keys", checked_keys(self.keys, names))
        object.__setattr__(self, "columns", checked_columns(self.columns, self.statistic))
        if self.designs is not None:
            rows = check.matrix("designs", self.designs)
            if rows.shape != (len(self.sites), 2):
                raise ValueError(
                    f"designs must be one pair for each of {len(self.sites)} sites, got shape {rows.shape}"
                )
            object.__setattr__(self, "designs", tuple(map(tuple, rows.tolist())))
        if self.draw is not None:
            check.choice("draw", self.draw, DRAWS)
        if self.series is not None and not isinstance(self.series, SeriesTerms):
            raise ValueError(f"series must be SeriesTerms, got {check.shown(self.series)}")
        if self.series is not None and self.noise == "discrete" and self.series.correlated:
            raise ValueError(
                "series must have no matrix, or a diagonal one, where noise is 'discrete': C⁻¹ of whole numbers is no "
                "discrete Gaussian, and its support may tell everything"
            )
        if self.correlated:
            series_noise.refuse_unfit(self)
            least = len(names) - self.dropouts  # Who drops out in any way is one of these.
            object.__setattr__(self, "threshold", max(least, self.threshold or 0))

    def _refuse_dropouts(self):
        """Raise a ValueError if the plan lets more sites drop out than a sum of messages goes on without."""
        most = len(self.sites) - (least := self.answers(len(self.sites)))
        if self.parts().summed and self.dropouts > most:
            if self.threshold is None:
                raise ValueError(
                    f"dropouts must be at most {most}, for {least} of {len(self.sites)} sites must answer, got "
                    f"{self.dropouts}"
                )
            raise ValueError(
                f"threshold must be at most {len(self.sites) - self.dropouts}, for {self.dropouts} of "
                f"{len(self.sites)} sites may drop out, got {self.threshold}"
            )

    def __hash__(self):
        return self._hash

    @cached_property
    def _hash(self):
        # Every look into a memory below asks for it, and a plan can have 2048 sites.
        return hash(tuple(getattr(self, field.name) for field in fields(self)))

    def _refuse_promises_of(self, place, site):
        """Raise a ValueError if a site's row promises more than its numbers keep."""
        if site.records is not None and (implied := self.sensitivity(site.records)) is not None:
            self.refuse_sensitivity(place, implied)
        if site.privacy is None:
            return
        if site.privacy.delta > MOST_DELTA:
            raise ValueError(f"delta of site {place} must be at most {MOST_DELTA}, got {site.privacy.delta}")
        if gaussian_mu(site.privacy, calibration=self.calibration) > gaussian_mu(site.privacy) * (1 + SLACK):
            raise ValueError(
                f"calibration must be 'exact' for epsilon {site.privacy.epsilon:g} and delta {site.privacy.delta:g} of "
                f"site {place}, got {self.calibration!r}, whose noise does not meet this target"
            )

    @check.arguments
    def sensitivity(self, records: int) -> float | None:
        """Δ that statistic and noise imply for a site with so many records; None if they imply none."""
        check.integer("records", records, low=1)
        if (change := self.statistic.l1_change if self.pure else self.statistic.change) is None:
            return None
        return self.statistic.sensitivity(records, change, discrete=self.noise == "discrete", pure=self.pure)

    @check.arguments(own=check.positive)
    def refuse_sensitivity(self, place: int, own: float) -> None:
        """Raise a ValueError if a site's sensitivity in the plan is below `own`, which it has."""
        check.integer("place", place, low=0, high=len(self.sites) - 1)
        if not self.sites[place].sensitivity >= own * (1 - SLACK):
            raise ValueError(
                f"sensitivity of site {place} must be at least {check.upwards(own, 9)}, as bounds, shape and number of "
                f"its records say, got {self.sites[place].sensitivity!r}: its noise would be too small"
            )

    @check.arguments
    def answers(self, sites: int) -> int:
        """How many of so many sites must answer, where messages or noise are added up; ValueError if that is too few."""
        check.integer("sites", sites, low=1, high=len(self.sites))
        terms, summed = self.repeated().request.terms, self.parts().summed
        least = self.threshold or (answers_needed(sites, terms) if summed else default_threshold(sites))
        once = self.form == "secure" or self.parts().after is not None
        if once and 2 * least <= sites + terms.colluding:
            more = f"more than half of {sites} sites and {terms.colluding} colluding ones must answer"
            why = "an aggregator that tells two halves different things would open a message"
            if summed and self.threshold is None:
                most = most_dropouts(self.scheme, sites, colluding=terms.colluding)
                raise ValueError(f"dropouts must be at most {most}, for {more}, got {self.dropouts}: {why}")
            enough = (sites + terms.colluding) // 2 + 1
            raise ValueError(f"threshold must be at least {enough}, for {more}, got {least}: {why}")
        return least

    @check.arguments
    def refuse_unfit(self, absent: Iterable[int] = ()) -> None:
        """Raise a ValueError if a statistic within the bounds can be too large for the noise of those who are left.

        It depends on public numbers alone, so that no refusal says anything of a statistic.
        """
        _refuse_unfit(self, named(self.scheme), self._chosen("absent", absent))

    def _small(self, absent=()):
        """As `stated`, of a statistic of few entries: as many on each axis as show all that symmetric noise makes differ."""
        shape = tuple(min(n, len(self.statistic.shape)) for n in self.statistic.shape)
        return _stated(self, named(self.scheme), tuple(absent), (), shape)

    @cached_property
    def id(self) -> str:
        """Identifier: SHA-256 of what the plan says, in 64 hexadecimal digits. Every message carries it."""
        return plan_file.identifier(self.to_dict())

    @property
    def numbers(self) -> tuple[int, ...]:
        """Numbers of all sites."""
        return tuple(range(len(self.sites)))

    @property
    def correlated(self) -> bool:
        """Whether it is carried out every month, with noise that depends on other months' noise."""
        return self.series is not None and self.series.correlated

    @property
    def months(self) -> SeriesTerms:
        """The series that correlates months; ValueError if there is none."""
        if self.series is None or not self.series.correlated:
            raise ValueError(
                "series must correlate months, got a plan of which each month is a run of its own"
            )
        return self.series

    @check.arguments
    def of_month(self, month: int) -> Plan:
        """What the parties carry out in a month, from 0, of a series that correlates months; see `SeriesSite`."""
        return replace(self, series=replace(self.months, month=month))

    @check.arguments(asked=check.reals, senders=check.optional(check.reals))
    def errors(self, asked, *, missing: tuple[int, ...] = (), senders=None) -> np.ndarray:
        """Standard error of the noise in queries over months that are correlated, in the statistic's units: shape (n,).

        Parameters
        ----------
        asked : array of shape (n, K)
            Queries of the monthly averages, see `core.series.queries`.
        missing : tuple of int
            Months without a release, from 0: queries go on without them; those of nothing else are left out.
        senders : bool array of shape (K, S), optional
            Who sent in each month. Default: everybody.
        """
        return series_noise.errors_of(self, asked, missing=missing, senders=senders)

    @property
    def discrete(self) -> bool:
        """Whether noise is drawn in whole numbers."""
        return self.noise == "discrete" and named(self.scheme).private

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
    def shows_records(self) -> bool:
        """Whether somebody sees what a site holds, without noise."""
        return math.isinf(self._small().mu_aggregator)

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
        """What the plan guarantees if these sites drop out: noise and every μ. Its value is zero."""
        gone, lost = self._chosen("absent", absent), self._chosen("dropped", dropped)
        return _stated(self, named(self.scheme), gone, lost, self.statistic.shape)

    @check.arguments(sensitivity=check.optional(check.positives_in(1e-140, 1e140)))
    def promise(self, number: int, sensitivity: float | None = None) -> Promise:
        """The largest μ of one site's records in this release, if all sites join and follow the protocol.

        Of the sites that the plan allows to drop out afterwards, the worst count: down to the threshold, where
        messages are added up. See `core.schemes.promise`. Of correlated months it is the μ of the whole series.

        Parameters
        ----------
        number : int
            The site's number.
        sensitivity : float, optional
            Its own Δ, as it knows it. Default: the plan's.

        Returns
        -------
        Promise
            Its `colluders` are the planned ones.
        """
        check.integer("number", number, low=0, high=len(self.sites) - 1)
        planned = np.array([site.sensitivity for site in self.sites])
        own = planned[number] if sensitivity is None else check.positive("sensitivity", sensitivity)
        if self.correlated:
            return series_noise.promise(self, number, float(own))
        # Next to nothing is learnt of the others, so that the largest μ is this site's.
        true = np.where(np.arange(len(planned)) == number, own, np.minimum(planned, own) * 1e-9)
        most = len(self.sites) - self.answers(len(self.sites)) if self.parts().summed else self.dropouts
        record, zero_sum = named(self.scheme), _simulated(self)
        noisy = _repeated(self, record, (), (), "value", zero_sum, tuple(true))

        def stated(lost):
            return _stated(self, record, (), lost, self.statistic.shape, tuple(true))

        return promised(noisy, most, self.colluding, stated, self.statistic.shape)

    def planned_silence(self) -> Silence:
        """The sites whose silence leaves the most noise, as many as may drop out: whom a planned error is without.

        Of sites that are alike in this the last names count. See `core.schemes.planned_silence`; on a grid the noise is
        larger by the rounding, as `stated` says of these sites.

        Raises
        ------
        ValueError
            Without privacy.
        """
        sites = self.repeated().request.sites
        if not named(self.scheme).private:
            raise ValueError(f"scheme must be one with noise, got {self.scheme!r}")
        terms = {name: getattr(self, name) for name in TERMS}
        names = [site.name for site in self.sites]
        return planned_silence(self.scheme, sites.exact, sites.weights, names=names, **terms)

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
        plan = cls(**plan_file.attributes(found))
        # As it was written: numbers such as 1 and 1.0 are the same here and two texts there.
        if found.get("id") not in (None, plan.id, plan_file.identifier(found)):
            raise ValueError(
                f"id must be {plan.id}, that of what the plan says: it was changed after it was written. Delete the "
                f"line if that was on purpose"
            )
        return plan

    def text(self) -> str:
        """The file: JSON with one line for each entry and each site."""
        return plan_file.text(self.to_dict())

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
    statistic: Statistic,
    samples: Iterable[int],
    privacy: Privacy | None,
    *,
    change: float | None = None,
    **options,
) -> Plan:
    """The plan of sites with n_s records each and one privacy target, weighted by their records.

    Parameters
    ----------
    statistic : Statistic
    samples : sequence of int
        n_s.
    privacy : Privacy or None
    change : float, optional
        Largest l2 change of n_s times the statistic when one record is replaced. Default: that of a known statistic, see
        `Statistic.change`: √d (upper − lower) for the mean of d numbers, √2 for the second moment of records within the
        unit ball. Less is refused. With noise="discrete" a known statistic's sensitivity has the arithmetic of its mean
        besides, see `Statistic.sensitivity`.
    **options
        Further attributes of `Plan`, and `names` of the sites.

    Examples
    --------
    >>> plan = plan_of(Statistic("mean", (), 0.0, 12.0), [200, 300], Privacy(1.0, 1e-5))
    >>> [site.weight for site in plan.sites], plan.sites[0].sensitivity
    ([0.4, 0.6], 0.06)
    """
    known = {"names", *(f.name for f in fields(Plan))} - {"statistic", "sites"}
    if unknown := sorted(set(options) - known):
        raise TypeError(f"plan_of has no option {unknown[0]!r}; it has {', '.join(sorted(known))}")
    counts = [check.integer("samples", n, low=1) for n in samples]
    if len(counts) < 2:
        raise ValueError(f"samples must be of at least 2 sites, got {len(counts)}")
    implied = statistic.l1_change if options.get("pure") else statistic.change
    change = implied if change is None else change
    if change is None:
        raise ValueError(f"change must be given for statistic {statistic.name!r}, got None")
    check.positives_in(1e-150, 1e150)("change", change)
    if implied is not None and change < implied * (1 - SLACK):
        raise ValueError(
            f"change must be at least {check.upwards(implied, 9)}, as the bounds imply, got {change!r}"
        )
    given = options.pop("names", None)
    names = (
        [f"site {s + 1}" for s in range(len(counts))]
        if given is None
        else list(check.sequence("names", given))
    )
    if len(names) != len(counts):
        raise ValueError(f"names must be one for each of {len(counts)} sites, got {len(names)}")
    discrete, pure = options.get("noise") == "discrete", bool(options.get("pure"))
    sites = tuple(
        Member(
            name, n / sum(counts), statistic.sensitivity(n, change, discrete=discrete, pure=pure), privacy, n
        )
        for name, n in zip(names, counts, strict=True)
    )
    return Plan(statistic, sites, **options)


@lru_cache(maxsize=256)
def _repeated(plan: Plan, record: Scheme, absent, dropped, keep, zero_sum, true=None) -> Repeated:
    # The record is part of the key: another may be registered under its name.
    private = record.private
    targets = tuple(site.privacy for site in plan.sites if site.privacy is not None)
    if len(targets) != private * len(plan.sites):
        raise ValueError(
            f"privacy must be {'given' if private else 'None'} for every site under scheme {plan.scheme!r}"
        )
    planned = np.array([site.sensitivity for site in plan.sites])
    terms = {name: getattr(plan, name) for name in _SHARED}
    if absent and plan.threshold is not None and record.summed:
        # Who is absent has dropped out: of the others the sum is shown down to the threshold.
        terms["dropouts"] = min(plan.dropouts, max(0, len(plan.sites) - len(set(absent)) - plan.threshold))
    return repeated(
        planned if true is None else np.array(true),
        targets if private else None,
        assumed=planned,
        sites=len(plan.sites),
        weights=np.array([site.weight for site in plan.sites]),
        absent=absent,
        dropped=dropped,
        keep=keep,
        zero_sum=zero_sum,
        **terms | (series_noise.options_of(plan, absent) if plan.correlated else {}),
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
    "cap",
    "own_noise",
    "designs",
    "pure",
    "threshold",
    "grid",
)


@lru_cache(maxsize=256)
def _parts(plan: Plan, record: Scheme, absent) -> Parts:
    return _repeated(plan, record, absent, (), "value", plan.zero_sum).parts(plan.statistic.shape)


@lru_cache(maxsize=256)
def _refuse_unfit(plan: Plan, record: Scheme, absent) -> None:
    noisy, largest = plan.repeated(absent), plan.statistic.largest
    if not record.private:
        return
    parts, here = plan.parts(absent), noisy.request.sites
    if parts.grid is not None:
        for number, weight in zip(here.numbers.tolist(), here.weights, strict=True):
            parts.grid.levels(np.array(weight * largest), number)
        return
    least = float(np.min(plan._small(absent).std))
    for number in here.numbers.tolist():
        noisy.refuse_unfit(number, np.full((1,) * len(plan.statistic.shape), largest), least)


def _simulated(plan) -> ZeroSum:
    """What is stated does not depend on who adds up the sum, but a secure one takes long."""
    return "broadcast" if plan.zero_sum == "secure" else plan.zero_sum


@lru_cache(maxsize=256)
def _stated(plan: Plan, record: Scheme, absent, dropped, shape, true=None) -> Release:
    # What a scheme states does not depend on the statistics.
    noisy = _repeated(plan, record, absent, dropped, "value", _simulated(plan), true)
    held = Held.trusted(np.zeros((len(plan.sites), *shape)))
    return replace(noisy.of(held, np.random.default_rng(0)), value=np.zeros(shape))
