"""The releases that are planned for a year, against one budget: a table to fill in, what it takes, and its file."""

from __future__ import annotations

import html
import math
from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd
import panel as pn
import panel_material_ui as pmui
import param

from core import Privacy
from core.privacy.release_plan import LIMIT, OBSERVERS, Planned, ReleasePlan
from core.schemes import PRIVATE
from dashboard.components.editable_table import show
from dashboard.components.layout import FULL, LiveText, quiet_button, text_download
from dashboard.components.upload import small_upload
from dashboard.page.guarantee import Terms, views
from dashboard.state.number_text import count_text, equals, number_text
from dashboard.theme import css
from dashboard.theme.scheme_style import label

NAME = "cape-lab-releases.json"
WHOM = {
    "who sees the results": "public",
    "who sees all messages, too": "aggregator",
    "who colludes with sites, too": "colluders",
}
_TITLES = {
    "name": "Name",
    "statistic": "What is released",
    "scheme": "Scheme",
    "epsilon": "ε",
    "delta": "δ",
    "times": "Times",
}
_WIDTHS = {"name": 150, "statistic": 200, "scheme": 160, "epsilon": 80, "delta": 90, "times": 80}
_FIRST = ("weekly mean", "mean of every column", "cape", "0.1", "1e-6", "52")


@dataclass(frozen=True)
class Line:
    """A planned release as it is typed."""

    name: str
    statistic: str
    scheme: str
    epsilon: str
    delta: str
    times: str


@dataclass(frozen=True)
class Law:
    """How the sites release: S, S_C, and what the noise is planned for."""

    sites: int
    colluding: int
    terms: Terms


class Year(param.Parameterized):
    """The planned releases of a session and their budget.

    Parameters
    ----------
    law : callable
        The `Law` of the moment, which decides what an observer learns of a release.
    """

    lines = param.ClassSelector(default=(Line(*_FIRST),), class_=tuple, doc="The planned releases, as typed.")
    epsilon = param.String("2", doc="ε of the budget, as typed.")
    delta = param.String("1e-5", doc="δ of the budget, as typed.")
    observer = param.Selector(default="public", objects=list(OBSERVERS), doc="Against whom the budget holds.")
    problem = param.String("", doc="What is wrong with an opened file; may quote foreign text.")

    def __init__(self, law: Callable[[], Law], **params):
        super().__init__(**params)
        self._law = law

    def plan(self) -> ReleasePlan:
        """The releases with the exact μ of each.

        Raises
        ------
        ValueError
            If something that was typed is no number, or out of range.
        """
        law = self._law()
        budget = Privacy(_number(self.epsilon, "ε of the budget"), _number(self.delta, "δ of the budget"))
        releases = tuple(_planned(line, self.observer, law) for line in self.lines)
        return ReleasePlan(budget, releases, self.observer, law.sites, law.colluding)

    def add(self, line: Line) -> None:
        """Plan one more release."""
        self.lines = (*self.lines, line)

    def open(self, content: bytes) -> None:
        """Take the releases, the budget and the observer of a file; sites and colluders are those of this page."""
        try:
            found = ReleasePlan.read(content)
            unknown = next((one.scheme for one in found.releases if one.scheme not in PRIVATE), "")
            if unknown:
                raise ValueError(f"scheme must be one of {', '.join(PRIVATE)}, got {unknown[:40]!r}")
        except ValueError as error:
            self.problem = f"This is no file of planned releases: {error}."
            return
        self.param.update(
            lines=tuple(map(_line, found.releases)),
            epsilon=f"{found.budget.epsilon:g}",
            delta=f"{found.budget.delta:g}",
            observer=found.observer,
            problem="",
        )

    def text(self) -> str:
        """The file; nothing as long as `words` says that something is wrong."""
        try:
            return self.plan().text()
        except ValueError:
            return ""

    def words(self) -> str:
        """What the releases take together, and what is left, in HTML."""
        if self.problem:
            return f"<div class='notice error' role='alert'>{html.escape(self.problem)}</div>"
        try:
            plan = self.plan()
        except ValueError as error:
            return f"<div class='notice error' role='alert'>{html.escape(str(error))}</div>"
        rows = "".join(_row(plan, place) for place in range(len(plan.releases)))
        heads = "".join(
            f"<th scope='col'>{name}</th>" for name in ("", "ε of one, exact", "all times", "more that fit")
        )
        table = f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>" if rows else ""
        return f"<p role='status'>{_sum(plan)}</p><div class='scroll'>{table}</div>"


def _sum(plan):
    budget = plan.budget
    whom = next(words for words, name in WHOM.items() if name == plan.observer)
    if plan.observer == "colluders":
        whom = whom.replace("sites", count_text(plan.colluding, "site"))
    count = count_text(sum(one.times for one in plan.releases), "release")
    spent = "no privacy at all" if math.isinf(plan.spent) else f"<b>{equals('ε', plan.spent)}</b>"
    total = f"ε = {number_text(budget.epsilon)} at {equals('δ', budget.delta)}"
    first = f"Against anyone {whom}, {count} at {count_text(plan.sites, 'site')} take {spent} of the budget {total}."
    if plan.over:
        return f"{first} <b>That is more than the budget.</b>"
    return f"{first} Left is <b>{equals('ε', plan.left)}</b> for one further release at the same δ."


def _row(plan, place):
    one, delta = plan.releases[place], plan.budget.delta
    single, together = (
        ReleasePlan(
            plan.budget, (Planned(one.name, one.statistic, one.scheme, one.privacy, times, one.mu),)
        ).spent
        for times in (1, one.times)
    )
    cells = "".join(f"<td>{_epsilon(value)}</td>" for value in (single, together))
    more = number_text(plan.further(place))
    return f"<tr><th scope='row'>{html.escape(one.name)}, δ = {number_text(delta)}</th>{cells}<td>{more}</td></tr>"


def _epsilon(value):
    return "no privacy" if math.isinf(value) else number_text(value)


def _planned(line, observer, law):
    where = f"of {line.name[:40]!r}"
    privacy = Privacy(_number(line.epsilon, f"ε {where}"), _number(line.delta, f"δ {where}"))
    times = _number(line.times, f"times {where}")
    if times != int(times):
        raise ValueError(f"times {where} must be a whole number, got {line.times[:20]!r}")
    mus = views(
        line.scheme, privacy, sites=law.sites, colluding=law.colluding, calibration="exact", terms=law.terms
    )
    return Planned(
        line.name,
        line.statistic,
        line.scheme,
        privacy,
        int(times),
        dict(zip(OBSERVERS, mus, strict=True))[observer],
    )


def _line(one):
    return Line(
        one.name,
        one.statistic,
        one.scheme,
        f"{one.privacy.epsilon:g}",
        f"{one.privacy.delta:g}",
        str(one.times),
    )


def _number(text, what):
    try:
        value = float(str(text).strip().replace(",", "."))
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ValueError(f"{what} must be a number, got {str(text)[:20]!r}")
    return value


class YearPanel:
    """The table of planned releases; built when it is first opened.

    Parameters
    ----------
    year : Year
    answer : callable
        The page's own answer as a `Line`; None if there is none.
    """

    def __init__(self, year: Year, answer: Callable[[], Line | None]):
        self._year, self._answer = year, answer
        self.text = LiveText(css.FINE + css.NOTICE)
        self._open = quiet_button("The releases of a year", "event_note")
        self._open.on_click(lambda event: self.toggle())
        self.layout = pn.Column(self._open, margin=(8, 0), sizing_mode="stretch_width")

    def toggle(self) -> None:
        """Open or close it."""
        if len(self.layout) == 1:
            self.layout.append(self._content())
        else:
            self.layout[1].visible = not self.layout[1].visible

    def refresh(self) -> None:
        """The law may have changed: compose anew."""
        if len(self.layout) > 1:
            self.text.show(self._year.words())

    def _content(self):
        year = self._year
        self.cells = pn.widgets.Tabulator(
            _frame(year),
            show_index=False,
            titles=_TITLES,
            layout="fit_data",
            theme="simple",
            sortable=False,
            height=_height(year),
            formatters={name: {"type": "plaintext"} for name in _TITLES},
            editors={name: {"type": "input"} for name in _TITLES}
            | {"scheme": {"type": "list", "values": [label(scheme) for scheme in PRIVATE]}},
            widths=_WIDTHS,
            configuration={"columnDefaults": {"headerSort": False}},
            stylesheets=[css.TABLE],
            margin=(6, 0),
            sizing_mode="stretch_width",
        )
        self.cells.on_edit(lambda event: self.edited())
        epsilon, delta = (
            pmui.TextInput(label=name, value=getattr(year, key), size="small", width=110, margin=0)
            for name, key in (("Budget ε", "epsilon"), ("at δ", "delta"))
        )
        whom = pmui.Select(
            label="Against anyone", options=WHOM, value=year.observer, size="small", width=260, margin=0
        )
        for widget, name in ((epsilon, "epsilon"), (delta, "delta"), (whom, "observer")):
            widget.param.watch(lambda event, name=name: setattr(year, name, event.new), "value")
            year.param.watch(lambda event, widget=widget: setattr(widget, "value", event.new), name)
        year.param.watch(lambda *events: self._follow(), ["lines", "epsilon", "delta", "observer", "problem"])
        row, answer = (
            quiet_button("Add a release", "add"),
            quiet_button("Add this plan's answer", "playlist_add"),
        )
        row.on_click(lambda event: year.add(Line(*_FIRST)))
        answer.on_click(lambda event: (line := self._answer()) and year.add(line))
        take = small_upload(
            year.open,
            limit=LIMIT,
            refused=lambda words: setattr(year, "problem", words),
            label="Open releases",
            uploaded_label="Open other releases",
            variant="text",
            color="default",
            size="small",
            margin=0,
        )
        save = text_download("Save the releases", NAME, year.text)
        line = {"gap": "8px 12px", "align_items": "center", "margin": (6, 0)}
        self._follow()
        explain = LiveText(css.FINE, text=_EXPLAIN).pane
        first, last = pn.FlexBox(epsilon, delta, whom, **line), pn.FlexBox(row, answer, save, take, **line)
        return pn.Column(explain, first, self.cells, last, self.text.pane, **FULL)

    def edited(self):
        """Take the cells as they are; a line whose name was deleted goes, a scheme that is not offered goes back."""
        keys = {label(scheme): scheme for scheme in PRIVATE}
        lines = []
        for found, before in zip(self.cells.value.to_dict("records"), self._year.lines, strict=True):
            texts = {
                name: "" if found[name] is None or found[name] != found[name] else str(found[name])
                for name in _TITLES
            }
            texts["scheme"] = keys.get(texts["scheme"], before.scheme)
            if texts["name"].strip():
                lines.append(Line(**texts))
        self._year.param.update(lines=tuple(lines), problem="")
        self._follow()

    def _follow(self):
        show(self.cells, _frame(self._year), height=_height(self._year))
        self.text.show(self._year.words())


_EXPLAIN = (
    "<p><b>The releases of a year</b> on the same records, against one budget for each record. All noise is Gaussian, so "
    "that releases compose exactly: μ = √Σ μ². Delete a name to remove its line. Sites and colluding sites are those of "
    "this page.</p>"
)


def _frame(year):
    data = {name: [getattr(line, name) for line in year.lines] for name in _TITLES}
    data["scheme"] = [label(scheme) for scheme in data["scheme"]]
    return pd.DataFrame(data, dtype=object)


def _height(year):
    return 58 + 37 * min(max(len(year.lines), 1), 10)
