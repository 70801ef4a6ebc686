"""What the pages that are pure views have in common: a plan from the settings, one view of it, one board that shows it."""

from __future__ import annotations

import abc
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Self

import panel as pn

from core.sweep.workers import Call
from dashboard.page.base import SessionPage
from dashboard.plotting.chart import Line
from dashboard.runs.sharing import Opening, Sharing
from dashboard.sheet.progress import Progress
from dashboard.sheet.store import Store
from dashboard.state.controls import Controls

_FACTS = ("name", "shared", "opens", "primary", "presets", "equation", "code", "hidden", "run_settings")
_MOST_PINS = 3
_LONG = 40  # Letters of a value, e.g. a table of sites, that names no copy.


class ViewedPage(SessionPage):
    """A sheet or a comparison in a session.

    Class attributes
    ----------------
    spec : Sheet or Comparison

    Attributes
    ----------
    shown : View or None
        The view of the latest plan.
    board
        What shows it; None until the page is built.
    pins : tuple
        Copies of curves.
    store : Store
        What was computed in runs.
    results
        What is known of the latest plan; None for a page without runs.
    """

    spec: ClassVar[Any]
    several: ClassVar[bool] = False  # Whether the key of a call lists parts, see `Sharing`.
    lasting: ClassVar[bool] = False  # Whether what the page opens with has calls of seconds.

    def __init__(self, controls: Controls):
        super().__init__(controls)
        self.shown: Any = None
        self.board: Any = None
        self.pins: tuple[Any, ...] = ()
        self.store = Store()
        self.results: Any = None
        if self.runs is not None:
            self.runs.sharing = lambda: self.sharing
            self.runs.param.watch(self._report, ["state", "done", "total"])

    @classmethod
    def of(cls, spec: Any, **facts: Any) -> type[Self]:
        """The page of a record; its words are those of the navigation's file if they are not given."""
        stated = {name: getattr(spec, name) for name in _FACTS}
        more = {"spec": spec, "model_type": spec.model, "calls": spec.labels, "__module__": cls.__module__}
        return type(f"{spec.name.capitalize()}Page", (cls,), stated | more | facts)

    @abc.abstractmethod
    def current_view(self) -> Any:
        """The view of the latest plan."""

    @abc.abstractmethod
    def made_board(self) -> Any:
        """The board of this page."""

    @abc.abstractmethod
    def first_html(self, *, slide: bool = False) -> str:
        """The page in the answer to a request."""

    def begin(self, plan: Any) -> Sequence[Call] | None:
        """Take a new plan; returns the runs that it needs, or None for a page without runs."""
        return None

    @abc.abstractmethod
    def keep(self, plan: Any, results: Iterable) -> None:
        """Take results of a plan by their calls' keys; what they release counts in the ledger, computed or found."""

    @abc.abstractmethod
    def paint(self, results: list) -> None:
        """Take results of the runs."""

    def unknown(self, plan: Any, calls: Sequence[Call]) -> list[Call]:
        """The calls of a plan whose results nobody has; those that another session computed are taken."""
        if (sharing := self.sharing) is None:
            return list(calls)
        found, left = sharing.parted(calls)
        if found:
            self.keep(plan, found)
        return left

    @classmethod
    def warm(cls) -> Opening | None:
        """Compute at the server's start what the first picture awaits; returns what else the page opens with."""
        page = cls(Controls(**cls.opens))
        if page.sharing is None:  # Every session has noise of its own.
            return None
        plan = page.compute()
        calls = page.begin(plan)
        if not isinstance(calls, list):
            return None
        opening = Opening(replace(page.sharing, visitor=""), calls, lasting=page.lasting)
        opening.compute(page.opens_with(plan))
        return opening

    @abc.abstractmethod
    def opens_with(self, plan: Any) -> Callable[[Call], bool]:
        """Which calls of a plan the server computes before the first visitor comes."""

    @property
    def sharing(self) -> Sharing | None:
        """How results are shared with other sessions; None where they are nobody else's."""
        if not self.model.public:
            return None
        return Sharing(self.name, self.controls.name, self.several)

    @property
    def progress(self) -> Progress:
        """How far the runs have come."""
        return Progress() if self.runs is None else Progress.of(self.runs)

    def press_runs(self) -> None:
        """Stop the runs, or go on with them."""
        if self.runs is not None:
            self.runs.stop() if self.runs.state == "running" else self.runs.again()

    @property
    def problem(self) -> str:
        """Why the settings have no view; what stands is of others."""
        return self.state.problem

    def _report(self, *events):
        if self.board is not None and self.plan is not None:
            self.paint_view() if self.runs.state != "running" else self.board.report(self.progress)

    def refresh(self) -> None:
        """Take the present settings: show what is known of them at once, and run what is not."""
        try:
            plan = self.compute()
        except ValueError as error:
            if self.runs is not None:
                self.runs.stop()
            if self.own_table is not None:
                self.own_table.settings_refused()
            self.state.problem = str(error)
            self.paint_view()
            return
        self.plan = plan
        if self.own_table is not None:
            self.own_table.remember(plan.problem)
        jobs = self.begin(plan)
        self.state.problem = ""
        self.paint_view()
        latest = self.plan is plan  # Whoever follows what is shown may have moved the settings on.
        if latest and jobs is not None and self.runs is not None:
            self.runs.start(jobs, paint=self.paint)

    def paint_view(self) -> None:
        """Show the view of the latest plan; without any, why there is none."""
        if self.plan is not None:
            self.shown = self.current_view()
        with pn.io.hold():  # A playing slider moves together with the picture.
            if self.board is not None:
                self.board.paint()
            if self.plan is not None:
                shown, problem = self.shown, self.problem
                self.state.param.update(
                    words="" if problem else shown.headline + shown.words,
                    guarantee=shown.guarantee,
                    pale=shown.stale,
                    shown=self.state.shown + 1,
                )

    def content(self) -> pn.viewable.Viewable:
        """The parts of the page, made when they are first needed."""
        if self.board is None:
            self.board = self.made_board()
            self.board.paint()
        return self.board.stage

    def before(self) -> pn.viewable.Viewable | None:
        """Where the user's own table is described."""
        return None if self.own_table is None else self.own_table.place

    @abc.abstractmethod
    def curves(self) -> Sequence[Line]:
        """The curves that can be copied; none before there is a view."""

    def copied(self, lines: tuple[Line, ...], words: str) -> Any:
        """The copy of curves; `words` say of which settings they are."""
        return tuple(replace(line, name=f"{line.name}; {words}", listed=False) for line in lines)

    def pin(self) -> bool:
        """Keep a copy of the curves; with copies, forget the oldest beyond three. False if there is nothing to copy."""
        lines = tuple(line for line in self.curves() if line.listed)
        if lines:
            short = {name: value for name, value in self.settings_words().items() if len(value) < _LONG}
            words = "; ".join(f"{name} {value}" for name, value in short.items())
            self.pins = (*self.pins, self.copied(lines, words))[-_MOST_PINS:]
            self.paint_view()
        return bool(lines)

    def unpin(self) -> None:
        """Forget all copies of curves."""
        self.pins = ()
        self.paint_view()

    def forget(self) -> None:
        """Forget what was computed; draws nothing, for at the end of a session there is nothing to draw on."""
        self.plan = self.shown = self.results = None
        self.pins = ()
        self.store.clear()

    def clear(self) -> None:
        """Forget what was computed, and show nothing."""
        self.forget()
        if self.board is not None:
            self.board.clear()

    def set_dark(self, dark: bool) -> None:
        changed = self.dark != dark
        super().set_dark(dark)
        if changed and self.plan is not None:
            self.paint_view()

    def figures(self) -> tuple:
        self.content()
        return self.board.figures

    def exhibits(self) -> tuple:
        self.content()
        return self.board.exhibits
