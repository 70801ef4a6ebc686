"""A page in a session: a plan from the settings, what is missing of it in runs, one view of it, one board that shows it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd
import panel as pn

from core.sweep.workers import Call
from dashboard.page.base import SessionPage
from dashboard.page.facts import Facts
from dashboard.plotting.chart import Line
from dashboard.runs.sharing import Sharing
from dashboard.sheet.first import first
from dashboard.sheet.layout import Board, laid_out
from dashboard.sheet.progress import Progress
from dashboard.sheet.spec import Pinned, Sheet, Shown, View
from dashboard.sheet.store import Store
from dashboard.state.controls import Controls

_MOST_PINS = 3
_LONG = 40  # Letters of a value, e.g. a table of sites, that names no copy.


class OpenPage(SessionPage):
    """A page in a session.

    Attributes
    ----------
    spec : Sheet
    shown : View or None
        The view of the latest plan.
    board
        What shows it; None until the page is built.
    pins : tuple of Pinned
        Copies of the first chart's curves.
    plays : int
        How often Play was pressed at these settings.
    store : Store
        What was computed in runs.
    held : dict
        What the page's work keeps of its latest plan.
    results
        What is known of the latest plan.
    """

    spec: Sheet

    def __init__(self, spec: Sheet, facts: Facts, controls: Controls):
        super().__init__(spec, facts, controls)
        self.shown: View | None = None
        self.board: Board | None = None
        self.pins: tuple[Pinned, ...] = ()
        self.plays = 0
        self.store = Store()
        self.held: dict[str, Any] = {}
        self.results: Any = None
        self.records = None if spec.above is None else spec.above(self)
        if self.runs is not None:
            self.runs.sharing = lambda: self.sharing
            self.runs.param.watch(self._report, ["state", "done", "total"])

    # What changes: settings, results, the theme.

    def compute(self) -> Any:
        plan = super().compute()
        self.spec.work.check(plan)
        return plan

    def begin(self, plan: Any) -> Sequence[Call] | None:
        """Take a new plan; returns the runs that it needs, or None for none."""
        self.plays = 0
        self.state.param.update(absent=list(self.spec.absent(plan)), most=dict(self.spec.most(plan)))
        return self.spec.work.begin(self, plan)

    def keep(self, plan: Any, results: Iterable) -> None:
        """Take results of a plan by their calls' keys; what they release counts in the ledger, computed or found."""
        self.spec.work.keep(self, plan, results)

    def paint(self, results: list) -> None:
        """Take results of the runs."""
        self.keep(self.plan, results)
        self.paint_view()
        self.spec.work.done(self)

    def unknown(self, plan: Any, calls: Sequence[Call]) -> list[Call]:
        """The calls of a plan whose results nobody has; those that another session computed are taken."""
        if (sharing := self.sharing) is None:
            return list(calls)
        found, left = sharing.parted(calls)
        if found:
            self.keep(plan, found)
        return left

    @property
    def sharing(self) -> Sharing | None:
        """How results are shared with other sessions; None where they are nobody else's."""
        if not self.model.public:
            return None
        return Sharing(self.name, self.controls.name, self.spec.work.several)

    def current_results(self) -> Any:
        """What is known of the plan."""
        return self.spec.work.known(self, self.plan)

    def current_view(self) -> View:
        """The view of the latest plan."""
        self.results = self.current_results()
        asked = None if self.spec.asked is None else self.spec.asked(self)
        shown = Shown(self.dark, self.pins, self.results, self.plays, asked, self.shown)
        found = replace(self.spec.view(self.plan, shown), stale=self.results.stale)
        if found.guarantee is None:
            return found
        return replace(found, guarantee=replace(found.guarantee, secret=self.model.hides_seed))

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
        """Why the settings have no view, or why what the view awaits did not come."""
        return self.state.problem or ("" if self.runs is None else self.spec.work.problem(self))

    def arrived(self) -> bool:
        """Whether everything that the view awaits is there: a playing slider may go on."""
        return self.results is not None and self.results.ready

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
            self.spec.work.refused(self)
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

    # What its user does.

    def press(self, name: str, number: int) -> None:
        """A choice in a part that the server draws; a browser may send any number."""
        if name == "example":
            if number < len(self.presets):
                self.set(self.presets[number].values)
        elif name == "play":
            self.plays += 1
            self.paint_view()
        elif name == "runs" and self.runs is not None:
            self.press_runs()
        elif name == "tab":
            if number < len(self.tabs):
                self.visit(self.tabs[number].name)
        else:
            self.spec.press(self, name, number)

    def curves(self) -> Sequence[Line]:
        """The curves of the first chart, which can be copied; none before there is a view."""
        charts = {} if self.shown is None else self.shown.charts
        lines = next(iter(charts.values())).lines if charts else ()
        return [line for line in lines if len(line.x)]

    def pin(self) -> bool:
        """Keep a copy of the curves; with copies, forget the oldest beyond three. False if there is nothing to copy."""
        lines = tuple(line for line in self.curves() if line.listed)
        if lines:
            short = {name: value for name, value in self.settings_words().items() if len(value) < _LONG}
            words = "; ".join(f"{name} {value}" for name, value in short.items())
            self.pins = (*self.pins, Pinned(words, self.shown.about, lines))[-_MOST_PINS:]
            self.paint_view()
        return bool(lines)

    def unpin(self) -> None:
        """Forget all copies of curves."""
        self.pins = ()
        self.paint_view()

    def forget(self) -> None:
        """Forget what was computed; draws nothing, for at the end of a session there is nothing to draw on."""
        self.plan = self.shown = self.results = None
        self.pins, self.held = (), {}
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

    # What the session asks of every page.

    def content(self) -> pn.viewable.Viewable:
        """The parts of the page, made when they are first needed."""
        if self.board is None:
            self.board = Board(self)
            self.board.paint()
        return self.board.stage

    def laid_out(self, browser: Any) -> pn.viewable.Viewable:
        return laid_out(self, browser)

    def first_html(self, *, slide: bool = False) -> str:
        """The page in the answer to a request."""
        return first(self, slide=slide)

    def above_settings(self) -> pn.viewable.Viewable | None:
        """What chooses the records: it stands above the sliders."""
        return None if self.records is None else self.records.bar()

    def before(self) -> pn.viewable.Viewable | None:
        """Where the user's own table is described."""
        return None if self.own_table is None else self.own_table.place

    def closed(self) -> None:
        super().closed()
        for part in self.board.live.values() if self.board is not None else ():
            part.closed()

    def table(self) -> pd.DataFrame:
        """The numbers of the page."""
        if self.plan is None:
            self.plan = self.compute()
        return pd.DataFrame(dict(self.current_view().table))

    @property
    def programmed(self) -> bool:
        """Whether the page has a program; to write it may need a plan, which may be a release."""
        return self.spec.script is not None

    def script(self) -> str:
        if self.spec.script is None:
            return ""
        own = () if self.own_table is None else (self.own_table.chosen,)
        return self.spec.script(self.plan or self.compute(), *own)
