"""The page of a sheet: it turns a change of a setting into a plan, and shows the view of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar, Self

import pandas as pd

from core.sweep.workers import Call, Signal
from dashboard.plotting.chart import Line
from dashboard.sheet.first import first
from dashboard.sheet.layout import Board
from dashboard.sheet.spec import Sheet, Shown, View
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

    kept: tuple[tuple[Line, ...], ...]  # Of the first chart.
    plays = 0
    _found: tuple[Any, Any] = (None, None)  # Key and result of the latest finished run.

    def __init__(self, controls: Controls):
        super().__init__(controls)
        if self.runs is not None:
            self.runs.param.watch(self._ran, "state")

    def _ran(self, event):
        if event.new == "failed":  # What stands is of earlier settings; the message says why.
            self.said.problem = self.runs.message
            self.paint_view()

    @classmethod
    def of(cls, spec: Sheet, **facts: Any) -> type[Self]:
        return super().of(spec, **{"live": spec.run is None} | facts)

    def begin(self, plan: Any) -> list[Call] | None:
        """Take a new plan; what runs shortly is computed before anything is shown."""
        self.plays = 0
        self.said.param.update(absent=list(self.spec.absent(plan)), most=dict(self.spec.most(plan)))
        if self.spec.run is None:
            return None
        call = self.spec.run(plan)
        if call is None:
            return []
        if self._found[0] != call.key and self.spec.at_once(plan):
            self._found = call.key, call(Signal())
        return [] if self._found[0] == call.key else [call]

    def paint(self, results: list) -> None:
        if results:
            self._found = results[-1]
        super().paint(results)

    def clear(self) -> None:
        self._found = (None, None)
        super().clear()

    def look(self) -> View:
        found = self.spec.view(self.plan, Shown(self.dark, self._pinned(), self._found[1], self.plays))
        if found.guarantee is None:
            return found
        return replace(found, guarantee=replace(found.guarantee, secret=self.model.hides_seed))

    def press(self, name: str, number: int) -> None:
        """A choice in a part that the server draws."""
        if name == "example":
            if number < len(self.presets):
                self.set(self.presets[number].values)
        elif name == "play":
            self.plays += 1
            self.paint_view()
        elif name == "tab":
            if number < len(self.tabs):
                self.visit(self.tabs[number].name)
        elif self.plan is not None:
            self.spec.press(self, name, number)

    def curves(self) -> Sequence[Line]:
        """Those of the first chart."""
        charts = {} if self.shown is None else self.shown.charts
        return next(iter(charts.values())).lines if charts else ()

    def _pinned(self):
        colour = ink(dark=self.dark, quiet=True)
        return tuple(
            replace(line, colour=colour, dash="dashed", width=1.5, alpha=0.8, value="")
            for copied in self.kept
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
        return pd.DataFrame(dict(self.look().table))

    def script(self) -> str:
        return self.spec.script(self.plan or self.compute())
