"""The page of a sheet: it turns a change of a setting into a plan, and shows the view of it."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import pandas as pd
import panel as pn

from dashboard.page.base import SessionPage
from dashboard.plotting.chart import Line
from dashboard.sheet.first import first
from dashboard.sheet.layout import Board
from dashboard.sheet.spec import Sheet, Shown, View
from dashboard.state.controls import Controls
from dashboard.theme.scheme_style import ink

_MOST_PINS = 3


class SheetPage(SessionPage):
    """A sheet in a session.

    Class attributes
    ----------------
    spec : Sheet
    """

    spec: ClassVar[Sheet]

    def __init__(self, controls: Controls):
        super().__init__(controls)
        self.shown: View | None = None
        self.board: Board | None = None
        self.kept: tuple[tuple[Line, ...], ...] = ()  # Copies of the first chart's curves.

    @classmethod
    def of(cls, spec: Sheet, **words: str) -> type[SheetPage]:
        """The page of a sheet; its words are those of the navigation's file if they are not given."""
        names = ("name", "shared", "opens", "primary", "presets", "equation", "code", "hidden")
        facts = {name: getattr(spec, name) for name in names}
        more = {"spec": spec, "model_type": spec.model, "calls": spec.labels, "__module__": __name__, **words}
        return type(f"{spec.name.capitalize()}Page", (cls,), facts | more)

    def refresh(self) -> None:
        """Show the view of the present settings."""
        try:
            self.plan, problem = self.compute(), ""
        except ValueError as error:
            problem = str(error)
        self.said.problem = problem
        self.paint_view()

    def paint_view(self) -> None:
        """Show the view of the latest plan; without any, why there is none."""
        with pn.io.hold():
            if self.plan is not None:
                self.shown = self.look(Shown(self.dark, self._pinned()))
                words = self.shown.headline + self.shown.words
                self.said.param.update(words=words, guarantee=self.shown.guarantee, shown=self.said.shown + 1)
            if self.board is not None:
                self.board.show(self.shown, self.said.problem, self.settings_words())

    def look(self, shown: Shown) -> View:
        """The view of the latest plan."""
        found = self.spec.view(self.plan, shown)
        if found.guarantee is None:
            return found
        return replace(found, guarantee=replace(found.guarantee, secret=self.model.hides_seed))

    def press(self, name: str, number: int) -> None:
        """A choice in a part that the server draws."""
        if name == "example":
            if number < len(self.presets):
                self.set(self.presets[number].values)
        elif self.plan is not None:
            self.spec.press(self, name, number)

    def pin(self) -> bool:
        """Keep a copy of the first chart's curves; with copies, forget the oldest beyond three."""
        chart = next(iter(self.shown.charts.values()), None) if self.shown is not None else None
        lines = [line for line in chart.lines if line.listed] if chart else []
        words = "; ".join(
            f"{name} {value}" for name, value in self.settings_words().items() if len(value) < 40
        )
        if lines:
            copied = tuple(replace(line, name=f"{line.name}; {words}", listed=False) for line in lines)
            self.kept = (*self.kept, copied)[-_MOST_PINS:]
            self.paint_view()
        return bool(lines)

    def unpin(self) -> None:
        """Forget all copies."""
        self.kept = ()
        self.paint_view()

    def _pinned(self):
        colour = ink(dark=self.dark, quiet=True)
        return tuple(
            replace(line, colour=colour, dash="dashed", width=1.5, alpha=0.8, value="")
            for copied in self.kept
            for line in copied
        )

    def content(self) -> pn.viewable.Viewable:
        """The parts of the page, made when they are first needed."""
        if self.board is None:
            self.board = Board(self)
            if self.shown is not None:
                self.board.show(self.shown, self.said.problem, self.settings_words())
        return self.board.stage

    def clear(self) -> None:
        """Forget what was computed."""
        self.plan = self.shown = None
        self.kept = ()

    def set_dark(self, dark: bool) -> None:
        changed = self.dark != dark
        super().set_dark(dark)
        if changed:
            self.paint_view()

    def first_html(self, *, slide: bool = False) -> str:
        """The page in the answer to a request."""
        return first(self, slide=slide)

    def table(self) -> pd.DataFrame:
        """The numbers of the page."""
        if self.plan is None:
            self.plan = self.compute()
        return pd.DataFrame(dict(self.look(Shown()).table))

    def script(self) -> str:
        return self.spec.script(self.plan or self.compute())

    def figures(self) -> tuple:
        self.content()
        return tuple(chart.figure for chart in self.board.charts.values())

    def exhibits(self) -> tuple:
        self.content()
        return self.board.exhibits
