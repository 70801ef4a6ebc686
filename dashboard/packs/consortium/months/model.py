"""What the page computes: strategies of a participation, and the errors of every query under every scheme."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import ClassVar

import numpy as np
import param

from core import Privacy, series
from core.privacy import gdp_mu
from core.sweep.workers import Call
from dashboard.packs.consortium.months.unit import MOST_RECORDS, MOST_SPAN, Unit, UnitText
from dashboard.page.model import Model
from dashboard.theme.scheme_style import label

MOST_MONTHS = 36
MOST_PATTERNS = 1000  # More take minutes to search.
QUICK = 40  # Patterns that are searched before anything is shown.
NAMES = {
    "months": "each month",
    "totals": "running total",
    "window": "moving window",
    "differences": "month less the one before",
    "months and totals": "months and totals",
}
STRATEGIES = {
    "independent": "independent",
    "best": "best for what is asked",
    "buffer": "one buffer",
    "tree": "tree",
    "square root": "square root",
}
SCHEMES: tuple[series.Rival, ...] = ("pooled", "secure", "cape-after", "conventional")
READ = ("months", "totals", "window", "differences")


@dataclass(frozen=True)
class Question:
    """What strategies depend on: who is in which months, and what is asked."""

    person: series.Participation
    asked: series.Query
    window: int

    @property
    def read(self) -> series.Query:
        """What the charts show: totals, where months are asked for beside them."""
        return "totals" if self.asked == "months and totals" else self.asked

    def rows(self, kind: series.Query) -> np.ndarray:
        """The queries of a kind, a row each."""
        return series.queries(kind, self.person.months, window=self.window)


@dataclass(frozen=True)
class Plan:
    """One picture. Errors are standard deviations in units of range/N: what one record moves the average of all."""

    question: Question
    privacy: Privacy
    sites: int
    colluding: int
    dropouts: int
    missing: int  # The month without a release, from 1; 0 for none.
    chosen: str
    seed: int
    scheme: series.Rival = "cape-after"
    unit: Unit | None = None

    @property
    def key(self) -> Hashable:
        """Of the search for strategies."""
        return ("strategies", self.question)

    @cached_property
    def mu(self) -> float:
        """The target of the whole series."""
        return float(gdp_mu(self.privacy))

    def series(self, strategy: series.Strategy, scheme: series.Rival | None = None) -> series.Series:
        """The noise of a series under a scheme; None: under the chosen one."""
        return series.Series(strategy=strategy, mu=self.mu, **dict(self._terms(scheme or self.scheme)))

    def _terms(self, scheme):
        curator = scheme == "pooled"
        gone = (0, 0) if curator else (self.colluding, self.dropouts)
        return (("sites", self.sites), ("scheme", scheme), ("colluding", gone[0]), ("dropouts", gone[1]))

    def errors(
        self,
        strategy: series.Strategy,
        scheme: series.Rival | None = None,
        kind: series.Query | None = None,
        *,
        whole: bool = False,
        silent: bool = True,
    ) -> np.ndarray:
        """Standard error of every query of a kind; `whole`: as if no month were missing; not `silent`: all sites send."""
        missing = 0 if whole else self.missing
        about = (self.question, kind or self.question.read, missing, silent)
        # All of it is in proportion to 1/μ: whoever moves ε computes nothing anew.
        return _errors(_Same(strategy), self._terms(scheme or self.scheme), about) / self.mu

    def root_mean_square(self, *args, **options) -> float:
        """The root mean square of `errors`."""
        return float(np.sqrt(np.square(self.errors(*args, **options)).mean()))

    def path(self, strategy: series.Strategy) -> np.ndarray:
        """Running sums of the noise of one series of averages, everybody sending; the same draws for every strategy."""
        running = self.series(strategy).begin(rng=np.random.default_rng(self.seed))
        nothing = np.zeros(self.sites)
        return self.sites * np.cumsum([running.release(nothing) for _ in range(strategy.months)])

    @property
    def always(self) -> float:
        """Root mean square error of the charts' query if nobody says that a person is in few months, months independent."""
        person = series.Participation(self.question.person.months, self.question.person.months)
        return self.root_mean_square(series.independent(person))


class _Same:
    """A strategy as a key."""

    def __init__(self, strategy):
        self.strategy = strategy
        self._key = strategy.participation, strategy.matrix.tobytes()

    def __eq__(self, other):
        return self._key == other._key

    def __hash__(self):
        return hash(self._key)


@lru_cache(maxsize=1024)
def _errors(same, terms, about):
    """Standard errors of a series at μ = 1, in units of range/N."""
    question, kind, missing, silent = about
    asked = question.rows(kind)
    if missing:
        asked = series.without(asked, (missing - 1,))
    noise = series.Series(strategy=same.strategy, mu=1.0, **dict(terms))
    found = noise.sites * np.sqrt(noise.expected(asked) if silent else noise.variances(asked))
    found.setflags(write=False)
    return found


@dataclass(frozen=True)
class Found:
    """The strategies of a question.

    Attributes
    ----------
    strategies : dict of str to Strategy
        By a key of `STRATEGIES`.
    least : float
        Certified lower bound of the root mean square of the queries of the charts, at μ = 1 and with noise of one curator.
    """

    strategies: dict[str, series.Strategy]
    least: float


@lru_cache(maxsize=64)
def found(question: Question) -> Found:
    """All strategies of a question, and what none of them can be below."""
    asked, person = question.rows(question.asked), question.person
    best = series.strategy(asked, person)
    read = question.rows(question.read)
    bound = best if question.asked == question.read else series.strategy(read, person)
    least = math.sqrt(bound.variances(read).mean() / (1 + bound.gap))
    return Found(
        {
            "independent": series.independent(person),
            "best": best,
            "buffer": series.best_buffer(asked, person),
            "tree": series.tree(person),
            "square root": series.square_root(person),
        },
        least,
    )


def _search(question, cancelled):
    return found(question)


def calls(plan: Plan) -> list[Call]:
    """The search for strategies."""
    return [Call(_search, (plan.question,), key=plan.key)]


def quick(plan: Plan) -> bool:
    """Whether it takes a moment only."""
    person = plan.question.person
    return (
        len(person.patterns) <= QUICK and person.months <= 24 and (person.times == 1 or person.months <= 12)
    )


class MonthsModel(Model):
    """Who is in how many months, what is asked of them, and which months have no release."""

    renames: ClassVar = {"dropouts": "Sites that drop out a month"}

    months = param.Integer(
        12, bounds=(2, MOST_MONTHS), label="Months", doc="There are so many releases, one a month."
    )
    most = param.Integer(
        1,
        bounds=(1, MOST_MONTHS),
        label="Months with the same person",
        doc="A person's records are in at most so many of the months. Nobody can tell this from the data: you say"
        " it. If you do not know it, all months count.",
    )
    apart = param.Integer(
        1,
        bounds=(1, MOST_MONTHS),
        label="Months apart",
        doc="Two months with the same person are at least so many months apart. At 1 they may be neighbours.",
    )
    asked = param.Selector(
        default="months and totals",
        objects={name: key for key, name in NAMES.items()},
        label="What is asked",
        doc="The noise is made for these queries. Their mean squared error is least.",
    )
    window = param.Integer(
        3, bounds=(2, 12), label="Months in the window", doc="A moving window adds up so many months."
    )
    strategy = param.Selector(
        default="best",
        objects={name: key for key, name in STRATEGIES.items()},
        label="Noise over months",
        doc="A site's own noise is correlated over months in this way, in the charts of schemes, of one path and "
        "of C.",
    )
    scheme = param.Selector(
        default="cape-after",
        objects={label(scheme): scheme for scheme in SCHEMES},
        label="Scheme",
        doc="This scheme draws the noise of the first chart, of that of one path, and of the sentence above them.",
    )
    missing = param.Integer(
        0,
        bounds=(0, MOST_MONTHS),
        label="Month without a release",
        doc="This month's packets left, and its sum never came. It is never sent again, and queries go on without"
        " it. At 0 no month is missing.",
    )
    span = param.Number(
        0.0,
        bounds=(0.0, MOST_SPAN),
        label="Range of the numbers",
        doc="A plan brings it. At 0 there is none.",
    )
    records = param.Integer(
        0,
        bounds=(0, MOST_RECORDS),
        label="Records N",
        doc="A plan brings it, of all sites together. At 0 there is none.",
    )
    unit = UnitText("", label="Unit of the numbers", doc="A plan brings it.")

    def plan(self) -> Plan:
        """Freeze the settings.

        Raises
        ------
        ValueError
            If a series does not allow them.
        """
        c, months = self.controls, self.months
        person = series.Participation(months, min(self.most, months), min(self.apart, months))
        if not person.few or len(person.patterns) > MOST_PATTERNS:
            raise ValueError(
                f"A person can be in {person.times} of {months} months in more than {MOST_PATTERNS} ways, too many to "
                "search here. Choose fewer months, or months that are farther apart."
            )
        most = (c.sites - c.colluding - 1) // 2
        if c.dropouts > most:
            raise ValueError(
                f"With {c.sites} sites of which {c.colluding} collude, at most {max(most, 0)} may drop out in a month, for "
                "more than half must answer in every sum. Choose more sites, or fewer that drop out."
            )
        if self.missing > months:
            raise ValueError(f"Month {self.missing} is none of {months}: choose one of them, or 0.")
        return Plan(
            question=Question(person, self.asked, min(self.window, months)),
            privacy=Privacy(c.epsilon, c.delta),
            sites=c.sites,
            colluding=c.colluding,
            dropouts=c.dropouts,
            missing=self.missing,
            chosen=self.strategy,
            seed=c.noise_seed,
            scheme=self.scheme,
            unit=Unit(self.span, self.records, self.unit) if self.span and self.records else None,
        )
