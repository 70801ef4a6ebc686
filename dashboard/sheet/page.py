"""The page of a sheet: it turns a change of a setting into a plan, and shows the view of it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Self

import pandas as pd
import panel as pn

from core.sweep.workers import Call, Signal
from dashboard.plotting.chart import Line
from dashboard.sheet.first import first
from dashboard.sheet.layout import Board
from dashboard.sheet.spec import Sheet, Shown, View
from dashboard.sheet.store import Results
from dashboard.sheet.viewed import ViewedPage
from dashboard.state.controls import Controls
from dashboard.theme.scheme_style import ink


class SheetPage(ViewedPage):
    """A sheet in a session.

    Class attributes
    ----------------
    spec : Sheet
    """

    spec: ClassVar[Sheet]

    pins: tuple[tuple[Line, ...], ...]  # Of the first chart.
    plays = 0
    results: Results | None

    def __init__(self, controls: Controls):
        super().__init__(controls)
        self._calls: Sequence[Call] = ()  # Of the plan.
        self._under_way: frozenset[Hashable] = frozenset()

    @classmethod
    def of(cls, spec: Sheet, **facts: Any) -> type[Self]:
        """The page of a sheet; what plays in runs takes values of a moving slider a few a second."""
        runs = {"live": False, "follows": bool(spec.play)} if spec.calls else {"live": True}
        return super().of(spec, **runs | {"noise_button": spec.noise_button} | facts)

    def refresh(self) -> None:
        super().refresh()
        if self.state.problem:  # Whichever setting would mend it must be in sight.
            self.state.absent = []

    def begin(self, plan: Any) -> list[Call] | None:
        """The calls of what is not known of a plan, after those that are short; None where these are under way."""
        self.plays = 0
        self.state.param.update(absent=list(self.spec.absent(plan)), most=dict(self.spec.most(plan)))
        if self.spec.releases is not None:
            self.record_releases(self.spec.releases(plan))
        if self.spec.calls is None:
            return None
        self._calls = self.spec.calls(plan)
        jobs = self.unknown(plan, self.store.missing(self._calls))
        if jobs and self.spec.at_once(plan):
            self.keep(plan, [(call.key, self._computed(call)) for call in jobs])
            jobs = []
        keys = frozenset(call.key for call in jobs)
        if self.runs is None or (self.runs.state == "running" and keys and keys <= self._under_way):
            return None
        self._under_way = keys
        return jobs

    def paint(self, results: list) -> None:
        """Take results of the runs."""
        self.keep(self.plan, results)
        self.paint_view()
        if self.results.complete:
            self.spec.finished(self.plan, self.results)

    def opens_with(self, plan: Any) -> Callable[[Call], bool]:
        awaited = frozenset(self.spec.awaited(plan))
        return lambda call: call.key in awaited

    def _computed(self, call):
        return call(Signal()) if self.sharing is None else self.sharing.compute(call, Signal())

    def keep(self, plan: Any, results: Iterable) -> None:
        found = [(key, value) for key, value in results if value is not None]
        self.store.add(found)
        if self.spec.cost is not None:
            costs = (self.spec.cost(plan, key) for key, _ in found)
            self.record_releases(cost for cost in costs if cost is not None)

    def closed(self) -> None:
        super().closed()
        for part in self.board.live.values() if self.board is not None else ():
            part.closed()

    def current_view(self) -> View:
        shown = Shown(self.dark, self._pinned(), self.current_results(), self.plays)
        found = replace(self.spec.view(self.plan, shown), stale=shown.results.stale)
        if found.guarantee is None:
            return found
        return replace(found, guarantee=replace(found.guarantee, secret=self.model.hides_seed))

    def current_results(self) -> Any:
        """The results of the plan."""
        if self.spec.calls is None:
            return Results(self.plan)
        self.results = self.store.of(self.plan, self._calls, self.spec.awaited(self.plan), self.results)
        return self.results

    @property
    def problem(self) -> str:
        """Why the settings have no view, or why what the view awaits did not come."""
        failed = (
            self.runs is not None and self.runs.state == "failed" and not (self.results and self.arrived())
        )
        return self.state.problem or (self.runs.message if failed else "")

    def arrived(self) -> bool:
        """Whether everything that the view awaits is there: a playing slider may go on."""
        return self.results is None or self.results.ready

    def forget(self) -> None:
        self._calls = ()
        super().forget()

    def press(self, name: str, number: int) -> None:
        """A choice in a part that the server draws."""
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
        elif self.plan is not None:
            self.spec.press(self, name, number)

    def above_settings(self) -> pn.viewable.Viewable | None:
        """What stands above the sliders."""
        return None if self.spec.above is None else self.spec.above(self)

    def curves(self) -> Sequence[Line]:
        """Those of the first chart."""
        charts = {} if self.shown is None else self.shown.charts
        lines = next(iter(charts.values())).lines if charts else ()
        return [line for line in lines if len(line.x)]

    def _pinned(self):
        colour = ink(dark=self.dark, quiet=True)
        return tuple(
            replace(line, colour=colour, dash="dashed", width=1.5, alpha=0.8, value="")
            for copied in self.pins
            for line in copied
        )

    def made_board(self) -> Board:
        return Board(self)

    def first_html(self, *, slide: bool = False) -> str:
        return first(self, slide=slide)

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
        return "" if self.spec.script is None else self.spec.script(self.plan or self.compute())
