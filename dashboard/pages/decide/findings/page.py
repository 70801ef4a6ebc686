"""Findings: errors that we found in the papers, each with a demonstration that runs when it is opened."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from itertools import groupby
from typing import ClassVar

import numpy as np
import pandas as pd
import panel as pn
import param

from core.findings import FINDINGS, FIRST, KINDS, PAPERS, Finding, Shown
from core.sweep.workers import Call
from dashboard.components.inputs import control
from dashboard.components.layout import FULL, LiveText, grid
from dashboard.page.base import Page
from dashboard.page.lesson import Preset
from dashboard.page.model import Model
from dashboard.pages.decide.findings.detail import Detail
from dashboard.pages.decide.findings.first_five import BARS, SHEET, papers_of, sketched, still
from dashboard.pages.decide.findings.table import MARKS, FindingsTable
from dashboard.problems.finding_links import LIVE
from dashboard.state.html_text import paragraph, rich
from dashboard.state.number_text import count_text, number_text
from dashboard.theme import css
from data.published import experiments

ALL = "all"
_FEW = 12  # Rows that need no folding.
# Four of the first five are errors.
_FIVE = "the four gravest first, then a step that the papers call not private themselves."
_FOLDED = " The others are folded by kind."
_MENU = "@media (max-width: 899px) { .MuiInputBase-root { min-height: 44px } }"  # For a thumb.
# The live pages of the first five, as the navigation names them.
_PAGES = {
    "audit": "Audit",
    "guarantee": "Guarantee",
    "limits": "Limits of CAPE",
    "pca": "PCA",
    "topics": "Topics",
}


def _authors(key):
    return experiments.papers()[key].authors


class Key(param.String):
    """The key of a finding; empty: none."""

    def _validate_value(self, val, allow_None):
        super()._validate_value(val, allow_None)
        if val and val not in FINDINGS:
            raise ValueError("must be the name of a finding")


@dataclass(frozen=True)
class Plan:
    """What the page shows.

    Attributes
    ----------
    listed : tuple of str
        Keys of the findings that pass the filters.
    opened : Finding or None
    seed : int
        Seed of the demonstration.
    """

    listed: tuple[str, ...]
    opened: Finding | None
    seed: int


class FindingsModel(Model):
    """The filters of the list, and the open finding."""

    paper = param.Selector(
        default=ALL,
        objects={"all papers": ALL, **{_authors(key): key for key in PAPERS}},
        label="Paper",
        doc="Findings that concern this paper.",
    )
    kind = param.Selector(
        default=ALL,
        objects={"everything": ALL, **{text: kind for kind, text in KINDS.items()}},
        label="About",
        doc="What a finding is about: less privacy than stated, more privacy than stated, the accuracy of an answer, "
        "a sign in a formula, or what is no error.",
    )
    finding = Key("", label="Open")

    def plan(self) -> Plan:
        """Freeze the present settings; an open finding is listed even if the filters exclude it."""
        listed = tuple(
            key
            for key, found in FINDINGS.items()
            if key == self.finding or (self.paper in (ALL, *found.papers) and self.kind in (ALL, found.kind))
        )
        return Plan(listed, FINDINGS.get(self.finding), self.controls.noise_seed)

    def demonstrate(self, plan: Plan) -> Shown:
        """Run the demonstration of the open finding."""
        return demonstrate(plan.opened.key, plan.seed)


def demonstrate(key: str, seed: int, cancelled=None) -> Shown:
    """Run the demonstration of a finding."""
    return FINDINGS[key].demonstrate(np.random.default_rng(seed))


class FindingsPage(Page):
    """The list of findings; the open one has texts, a demonstration and a link."""

    name = "findings"
    model_type = FindingsModel
    live = False
    first_figure = False  # The figure belongs to an open finding.
    above = (54, 62)
    presets_last = True
    shared = ("noise_seed",)
    hidden = ("paper", "kind", "finding")
    presets = (
        Preset(
            "An adversary who sees all messages", {"finding": "several-messages", "paper": ALL, "kind": ALL}
        ),
        Preset(
            "Symmetric noise reveals differences",
            {"finding": "asymmetric-moments", "paper": ALL, "kind": ALL},
        ),
        Preset(
            "One document changes everything", {"finding": "whitened-sensitivity", "paper": ALL, "kind": ALL}
        ),
    )
    run_settings: ClassVar = {"unit": "demonstration", "units": "demonstrations"}

    def before(self):
        """The keys of the listed findings."""
        menus = [control(self.model, name, live=True, help=False) for name in ("paper", "kind")]
        for menu in menus:
            menu.stylesheets = [*menu.stylesheets, _MENU]
        row = grid(*menus, least=150)
        # Its own `display` would win over that of a part that is not visible: a slide has no menus.
        row.param.watch(
            lambda event: setattr(row, "styles", {} if event.new else {"display": "none"}), "visible"
        )
        return row

    def opening(self) -> str:
        """The first five with their bars, and the others in a plain line each, folded as on the live page."""
        listed = () if self.plan is None else self._listed(self.plan)
        whole = () if self.plan is None else self.plan.listed
        count = _count(whole, slide=listed != whole)
        five = "" if self.plan is None else still(listed, self.plan.seed)
        folds = _folds(listed)
        groups = (
            f"<details{'' if name else ' open'}><summary>{name}</summary><ul class='fine'>"
            + "".join(f"<li>{rich(FINDINGS[key].plain)}</li>" for key in keys)
            + "</ul></details>"
            for name, keys in groupby((key for key in listed if key not in FIRST), key=folds.get)
        )
        return f"{paragraph(count)}{five}{''.join(groups)}"

    def body(self):
        self._detail = Detail()
        self._detail.see.on_click(lambda event: self.visit(*LIVE[self.model.finding]))
        self._table = FindingsTable(
            detail=self._detail.view, sizing_mode="stretch_width", margin=(4, 0, 0, 0)
        )
        self._table.param.watch(self._chosen, "chosen")
        self._table.param.watch(self._visited, "visited")
        self.said.param.watch(self._slid, "step")
        self._count = LiveText(css.FINE + SHEET + "p { max-width: none }", margin=(8, 0, 0, 0))
        return pn.Column(self._count.pane, self._table, **FULL)

    def _listed(self, plan):
        """The rows: a slide has room for the first five, in large letters, and for an open one."""
        if self.said.step is None:
            return plan.listed
        opened = plan.opened.key if plan.opened else ""
        return tuple(key for key in plan.listed if key in FIRST or key == opened) or plan.listed

    def _slid(self, event):
        if self.plan is not None:
            self.refresh()

    def _chosen(self, event):
        if event.new in ("", *FINDINGS):
            self.model.finding = event.new

    def _visited(self, event):
        if event.new in LIVE:
            self._table.visited = ""  # The next click counts again.
            self.visit(*LIVE[event.new])

    def begin(self, plan: Plan):
        listed = self._listed(plan)
        folds = _folds(listed)
        rows = [_row(FINDINGS[key], plan.seed) | {"fold": folds.get(key, "")} for key in listed]
        key = plan.opened.key if plan.opened else ""
        if plan.opened:
            self._detail.open(plan.opened)
            self._detail.see.visible = key in LIVE
        if rows != self._table.rows or key != self._table.chosen:
            self._table.param.update(rows=rows, chosen=key)
        self._count.show(paragraph(_count(plan.listed, slide=listed != plan.listed)))
        self.picture = None
        self.said.words = self.words(None)
        return [Call(demonstrate, (key, plan.seed))] if plan.opened else []

    def paint(self, results: list) -> None:
        self.show(results[-1])

    def draw(self, picture: Shown) -> None:
        if self.plan.opened:
            self._detail.show(self.plan.opened, picture)

    def words(self, picture: Shown | None) -> str:
        opened = self.plan.opened
        if opened is None or picture is None:
            return paragraph("Open a finding to compute its numbers, with the noise seed of the session.")
        return paragraph(f"The open finding: {rich(opened.consequence(picture, write=number_text))}")

    def table(self) -> pd.DataFrame:
        plan = self.plan or self.model.plan()
        if plan.opened is None:
            names = ("key", "place", "kind", "title", "says", "true")
            return pd.DataFrame({n: [getattr(FINDINGS[key], n) for key in plan.listed] for n in names})
        shown = self.picture or self.model.demonstrate(plan)
        return pd.DataFrame(_columns(shown))

    def script(self) -> str:
        plan = self.plan or self.model.plan()
        if plan.opened is None:
            return f'''"""Findings in the papers, with the code that shows them."""
from core.findings import FINDINGS

listed = {list(plan.listed)!r}
names = ("key", "place", "kind", "title", "says", "true")
columns = {{name: [getattr(FINDINGS[key], name) for key in listed] for name in names}}
'''
        return f'''"""{plan.opened.title}: both numbers, and the same along a setting where there is one."""
import numpy as np

from core.findings import FINDINGS

finding = FINDINGS[{plan.opened.key!r}]
shown = finding.demonstrate(np.random.default_rng({plan.seed}))
print(finding.consequence(shown))
columns = {{name: [value] for name, value in zip(shown.names, (shown.published, shown.correct))}}
if shown.curve is not None:
    columns = {{shown.curve.x_name: shown.curve.x.tolist()}}
    columns |= {{name: np.asarray(y).tolist() for name, y in shown.curve.lines.items()}}
'''

    def figures(self) -> tuple:
        self.content()
        return (self._detail.plot,)


def _count(keys, *, slide=False):
    counts = Counter(FINDINGS[key].kind for key in keys)
    kinds = [f"{text} ({counts[kind]})" for kind, text in KINDS.items() if counts[kind] and kind != "valid"]
    errors, rest = len(keys) - counts["valid"], counts["valid"]
    if _folds(keys) and {*FIRST} <= {*keys}:
        return f"<b>{count_text(errors, 'error')}</b>: {_FIVE}{'' if slide else _FOLDED} {BARS}"
    parts = [f"<b>{count_text(errors, 'error')}</b>: {', '.join(kinds)}."] if errors else []
    if rest:
        parts.append(f"{count_text(rest, 'further finding')} {'is' if rest == 1 else 'are'} no error.")
    return " ".join([*parts, *([BARS] if {*FIRST} <= {*keys} else [])])


def _folds(keys):
    """The line below which a finding is folded away, by key: one for each kind, after the first five; {} for few."""
    rest = [key for key in keys if key not in FIRST]
    counts = Counter(FINDINGS[key].kind for key in rest)
    if len(counts) < 2 or len(rest) < _FEW:
        return {}
    above = Counter(FINDINGS[key].kind for key in keys if key in FIRST)
    lines = {
        kind: f"{KINDS[kind].capitalize()}: {count}{_beside(above[kind], count)}"
        for kind, count in counts.items()
    }
    return {key: lines[FINDINGS[key].kind] for key in rest}


def _beside(above, count):
    """What a fold's number leaves out of the number of its kind: those that stand above."""
    return f" more, {above} of {above + count} above" if above else ""


def _row(finding, seed):
    return {
        "key": finding.key,
        "title": finding.plain,
        "papers": papers_of(finding.key),
        "place": re.sub(r"\[(\w+)\]", lambda found: f"{_authors(found[1])},", finding.place),
        "kind": finding.kind,
        "about": KINDS[finding.kind],
        "mark": MARKS[finding.kind],
        "first": finding.key in FIRST,
        **(sketched(finding.key, seed) | _live(finding.key)),
    }


def _live(key):
    """The title of the page that shows one of the five live."""
    return {"live": _PAGES[LIVE[key][0]]} if key in FIRST and key in LIVE else {}


def _columns(shown):
    if shown.curve is None:
        return {n: [v] for n, v in zip(shown.names, (shown.published, shown.correct), strict=True)}
    return {shown.curve.x_name: shown.curve.x, **shown.curve.lines}
