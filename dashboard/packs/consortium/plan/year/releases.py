"""The releases that are planned for a year, against one budget: what they take, what is left, and their file."""

from __future__ import annotations

import html
import json
import math
from collections.abc import Callable
from dataclasses import astuple, dataclass, replace
from functools import lru_cache

import param

from core import Privacy
from core.parties import SeriesTerms
from core.privacy import gdp_epsilon, gdp_mu, group_mu
from core.privacy.release_plan import MOST_RELEASES, MOST_TIMES, OBSERVERS, Planned, ReleasePlan
from core.schemes import OFFERED, PRIVATE
from core.series import independent, queries, strategy
from core.series.participation import MOST_MONTHS
from dashboard.guarantee.guarantee import Terms, views
from dashboard.packs.consortium.plan.question import AFTER
from dashboard.state.number_text import at_least_text, at_most_text, count_text, equals, number_text
from dashboard.state.typed_number import typed_number

WHOM = {
    "who sees the results": "public",
    "who sees all messages, too": "aggregator",
    "who colludes with sites, too": "colluders",
}
NOISE = {"of its own each time": "", "correlated over the times": "months and totals"}
_LETTERS = 200
_PATTERNS = 1000  # More take minutes to search.
_WINS = 0.9  # Of the squared error of independent times; what wins less is not worth that no desk takes it.
FIRST = ("weekly mean", "mean of every column", "cape", "0.1", "1e-6", "52")


@dataclass(frozen=True)
class Line:
    """A planned release as it is typed; `most`: in how many of its times a person is at most, "" for all."""

    name: str
    statistic: str
    scheme: str
    epsilon: str
    delta: str
    times: str
    most: str = ""


@dataclass(frozen=True)
class Law:
    """How the sites release: S, S_C, what a scheme's noise is planned for, and the most records that one person has."""

    sites: int
    colluding: int
    terms: Callable[[str], Terms]
    per_person: int = 1


class YearText(param.String):
    """The releases of a year and their budget as a short text, for links and settings files; "": as they begin."""

    def _validate_value(self, val, allow_None):
        super()._validate_value(val, allow_None)
        _read(val)


@dataclass(frozen=True)
class Draft:
    """The planned releases and their budget, as typed, and the observer against whom it holds.

    Attributes
    ----------
    noise : str
        What noise over the times of the page's own answer is made for, in the saved plan: "" for noise of its own each time.
    """

    epsilon: str = "2"
    delta: str = "1e-5"
    observer: str = "public"
    lines: tuple[Line, ...] = ()
    noise: str = ""

    @classmethod
    def read(cls, text: str) -> Draft:
        """What `typed` wrote."""
        return _read(text)

    @property
    def few(self) -> bool:
        """Whether it was typed that a person is in fewer releases than there are."""
        return any(map(_fewer, self.lines))

    @classmethod
    def of_file(cls, content: bytes) -> Draft:
        """The releases, the budget and the observer of a file; sites and colluders are those of the page.

        Raises
        ------
        ValueError
            If it is no such file; the message may quote foreign text.
        """
        found = ReleasePlan.read(content)
        unknown = next((one.scheme for one in found.releases if one.scheme not in PRIVATE), "")
        if unknown:
            raise ValueError(f"scheme must be one of {', '.join(PRIVATE)}, got {unknown[:40]!r}")
        budget = str(found.budget.epsilon), str(found.budget.delta)
        return cls(*budget, found.observer, tuple(map(_line, found.releases)))

    @property
    def typed(self) -> str:
        """What was typed, as `YearText`; "" if nothing was."""
        if self == Draft():
            return ""
        rows = [astuple(line) if line.most else astuple(line)[:-1] for line in self.lines]
        found = [self.epsilon, self.delta, self.observer, rows, *([self.noise] if self.noise else [])]
        return json.dumps(found, ensure_ascii=False, separators=(",", ":"))

    def plan(self, law: Law, *, confirmed: bool = False) -> ReleasePlan:
        """The releases with the exact μ of each.

        Raises
        ------
        ValueError
            If something that was typed is no number, or out of range.
        """
        budget = Privacy(_number(self.epsilon, "ε of the budget"), _number(self.delta, "δ of the budget"))
        releases = tuple(_planned(line, self.observer, law) for line in self.lines)
        if not confirmed:
            releases = tuple(replace(one, most=None) for one in releases)
        return ReleasePlan(budget, releases, self.observer, law.sites, law.colluding)

    def words(self, law: Law, *, confirmed: bool = False) -> str:
        """What the releases take together, and what is left, in HTML; or what was typed wrong."""
        try:
            plan = self.plan(law, confirmed=confirmed)
        except ValueError as error:
            return _error(str(error))
        rows = "".join(_row(plan, place) for place in range(len(plan.releases)))
        heads = "".join(
            f"<th scope='col'>{name}</th>"
            for name in ("", "ε of one, exact", "all times", "further ones that fit")
        )
        table = f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>" if rows else ""
        said = _said(plan) if confirmed else _UNCONFIRMED if self.few else ""
        return f"<p role='status'>{_sum(plan, law)}{said}</p><div class='scroll'>{table}</div>"


class Year(param.Parameterized):
    """The releases of a year on a page: its model's setting `year` holds what is typed.

    Parameters
    ----------
    model : Parameterized
    law : callable
        The `Law` of the moment, which decides what an observer learns of a release.
    """

    problem = param.String("", doc="What is wrong with an opened file; may quote foreign text.")
    stood = param.String(
        "",
        doc="The text of the setting for which the user stands: of how many releases a person is in. No link says so.",
    )

    def __init__(self, model: param.Parameterized, law: Callable[[], Law]):
        super().__init__()
        self.model, self._law = model, law

    @property
    def draft(self) -> Draft:
        """What is typed."""
        return Draft.read(self.model.year)

    @property
    def confirmed(self) -> bool:
        """Whether the user stands for what is typed of how many releases a person is in."""
        return self.draft.few and self.stood == self.model.year

    def stand(self) -> None:
        """The user confirms it."""
        self.stood = self.model.year

    def edit(self, **changes) -> None:
        """Change fields of the draft; whoever types another number of releases confirms it anew."""
        before, stood = self.draft, self.confirmed
        draft = replace(before, **changes)
        said, told = ([line.most if _fewer(line) else "" for line in one.lines] for one in (before, draft))
        same = stood and said == told
        with param.parameterized.batch_call_watchers(self):
            self.problem, self.stood = "", draft.typed if same else ""
        self.model.year = draft.typed

    def series(self, answer: Line | None) -> SeriesTerms | None:
        """How often the releases of a year repeat the page's own answer; None if they do not."""
        try:
            planned = zip(self.draft.lines, self.plan().releases, strict=True)
            same = [one for line, one in planned if repeats(line, answer)]
        except ValueError:
            return None
        if not same or not 2 <= same[0].times <= MOST_MONTHS:
            return None
        terms = SeriesTerms(same[0].times, same[0].charged)
        return _correlated(terms, self.draft.noise) if answer.scheme == AFTER and self.draft.noise else terms

    def add(self, line: Line) -> None:
        """Plan one more release."""
        self.edit(lines=(*self.draft.lines, line))

    def open(self, content: bytes) -> None:
        """Take a file."""
        try:
            found = Draft.of_file(content)
        except ValueError as error:
            self.problem = f"This is no file of planned releases: {error}."
            return
        self.edit(**vars(found))
        self.stood = ""

    @property
    def law(self) -> Law:
        """How the sites release at the moment."""
        return self._law()

    def plan(self, *, observer: str | None = None) -> ReleasePlan:
        """The releases with the exact μ of each against an observer; ValueError as `Draft.plan` has it."""
        draft = self.draft if observer is None else replace(self.draft, observer=observer)
        return draft.plan(self.law, confirmed=self.confirmed)

    def text(self) -> str:
        """The file; nothing as long as `words` says that something is wrong."""
        try:
            return self.plan().text()
        except ValueError:
            return ""

    def planned(self) -> str:
        """What `words` says of releases that somebody planned; "" for those of the beginning, and for wrong ones."""
        return self.words() if self.model.year and not self.problem and self.text() else ""

    def words(self) -> str:
        """What the releases take together, and what is left, in HTML; or what is wrong."""
        if self.problem:
            return _error(self.problem)
        return self.draft.words(self._law(), confirmed=self.confirmed)


@lru_cache(maxsize=64)
def _correlated(terms, noise):
    """The series with the best C for these queries; as it is if that wins nothing, or takes too long to search."""
    person = terms.participation
    if not person.few or len(person.patterns) > _PATTERNS:
        return terms
    asked = queries(noise, terms.months)
    best, plain = strategy(asked, person), independent(person)
    wins = best.variances(asked).mean() < _WINS * plain.variances(asked).mean()
    return replace(terms, matrix=best.matrix) if wins else terms


def _error(words):
    return f"<div class='notice error' role='alert'>{html.escape(words)}</div>"


def _read(text):
    """The draft of a `YearText`; what is typed in a cell may be anything, a text it must be."""
    if not text:
        return Draft()
    try:
        epsilon, delta, observer, rows, *noise = json.loads(text)
        lines = tuple(Line(*row) for row in rows)
        typed = [epsilon, delta, *(cell for line in lines for cell in astuple(line))]
    except (ValueError, TypeError, RecursionError):
        raise ValueError("must be ε, δ, the observer and a list of releases, as JSON") from None
    if not all(isinstance(cell, str) and len(cell) <= _LETTERS for cell in typed):
        raise ValueError(f"must hold texts of at most {_LETTERS} letters")
    if observer not in OBSERVERS or any(line.scheme not in PRIVATE for line in lines):
        raise ValueError("must name an observer and schemes that exist")
    if len(lines) > MOST_RELEASES:
        raise ValueError(f"must hold at most {MOST_RELEASES} releases")
    if noise not in ([], *([name] for name in NOISE.values() if name)):
        raise ValueError("must name noise over the times that exists")
    return Draft(epsilon, delta, observer, lines, *noise)


def _sum(plan, law):
    budget = plan.budget
    whom = next(words for words, name in WHOM.items() if name == plan.observer)
    if plan.observer == "colluders":
        whom = whom.replace("sites", count_text(plan.colluding, "site"))
    count = count_text(sum(one.times for one in plan.releases), "release")
    spent = "no privacy at all" if math.isinf(plan.spent) else f"<b>{equals('ε', plan.spent)}</b>"
    total = f"{equals('ε', budget.epsilon)} at {equals('δ', budget.delta)}"
    each = " for each record" if law.per_person > 1 else ""
    first = f"Against anyone {whom}, {count} at {count_text(plan.sites, 'site')} take {spent} of the budget {total}{each}."
    person = _of_a_person(plan, law)
    if plan.over:
        return f"{first} <b>That is more than the budget.</b>{person}"
    left = equals("ε", at_least_text(_left(plan, law)))
    further = "is left for one further release at the same δ, under any scheme without a curator."
    return f"{first} <b>{left}</b> {further}{person}"


_UNCONFIRMED = (
    " <b>Not counted yet</b>: that a person is in fewer releases than there are cannot be told from the data. It counts "
    "once you confirm it."
)


def _said(plan):
    """What the sum counts on, as its user said it."""
    few = [one for one in plan.releases if one.charged < one.times]
    said = [f"in at most {one.charged} of {one.times} of “{html.escape(one.name)}”" for one in few]
    return (
        f" This counts on what you say: a person is {', and '.join(said)}, at all sites together."
        if said
        else ""
    )


def repeats(line, answer):
    """Whether a line is the page's own answer, however often."""
    return answer is not None and (line.statistic, line.scheme, line.epsilon, line.delta) == (
        answer.statistic,
        answer.scheme,
        answer.epsilon,
        answer.delta,
    )


def _of_a_person(plan, law):
    """What the releases take of all records of one person together; "" where a person has one."""
    mu = plan.account.mu
    if law.per_person == 1 or not 0 < mu < math.inf:
        return ""
    epsilon = gdp_epsilon(plan.budget.delta, group_mu(mu, law.per_person))
    return f" For a person with {law.per_person} records they take <b>{equals('ε', epsilon)}</b>."


def _left(plan, law):
    """The target ε of one further release that fits, at the δ of the budget: 0 if none does.

    The observer may learn more of a release than its target says, and how much more depends on the scheme.
    """
    mu = plan.account.left(plan.budget)
    schemes = {*OFFERED, *(one.scheme for one in plan.releases)} & {*PRIVATE}
    learned = [_mu(scheme, plan.budget, plan.observer, law) / gdp_mu(plan.budget) for scheme in schemes]
    most = max((ratio for ratio in learned if math.isfinite(ratio)), default=math.inf)
    return gdp_epsilon(plan.budget.delta, mu / most) if mu > 0 and math.isfinite(most) else 0.0


def _mu(scheme, privacy, observer, law):
    """μ of one release for an observer."""
    about = {
        "sites": law.sites,
        "colluding": law.colluding,
        "calibration": "exact",
        "terms": law.terms(scheme),
    }
    return dict(zip(OBSERVERS, views(scheme, privacy, **about), strict=True))[observer]


def _row(plan, place):
    one, delta = plan.releases[place], plan.budget.delta
    single, together = (
        ReleasePlan(plan.budget, (replace(one, times=times),)).spent for times in (1, one.times)
    )
    cells = "".join(f"<td>{_epsilon(value)}</td>" for value in (single, together))
    more = number_text(plan.further(place))
    more += " without further cost" if one.most is not None and plan.further(place) == MOST_TIMES else ""
    return f"<tr><th scope='row'>{html.escape(one.name)}, δ = {at_most_text(delta)}</th>{cells}<td>{more}</td></tr>"


def _epsilon(value):
    return "no privacy" if math.isinf(value) else at_most_text(value)


def _planned(line, observer, law):
    where = f"of {line.name[:40]!r}"
    privacy = Privacy(_number(line.epsilon, f"ε {where}"), _number(line.delta, f"δ {where}"))
    times = _number(line.times, f"times {where}", whole=True)
    mu = _mu(line.scheme, privacy, observer, law)
    most = _number(line.most, f"most {where}", whole=True) if line.most.strip() else None
    most = None if most is not None and most >= times else most  # All of them: nobody need say so.
    return Planned(line.name, line.statistic, line.scheme, privacy, times, mu, most)


def _fewer(line):
    """Whether fewer than all releases are typed, or what is none of their numbers."""
    if not line.most.strip():
        return False
    try:
        return typed_number(line.most, whole=True) < typed_number(line.times, whole=True)
    except ValueError:
        return True


def _line(one):
    return Line(
        one.name,
        one.statistic,
        one.scheme,
        repr(one.privacy.epsilon),
        repr(one.privacy.delta),
        str(one.times),
        "" if one.most is None else str(one.most),
    )


def _number(text, what, *, whole=False):
    try:
        return typed_number(text, whole=whole)
    except ValueError as error:
        raise ValueError(f"{what} {error}") from None
