"""A page of the app without the app: shown in a notebook, driven from Python."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
import panel as pn

from dashboard.compat.widgets.model_defaults import remember_defaults
from dashboard.components.control_panel import ControlPanel
from dashboard.own_table.shared_table import SharedTable
from dashboard.packs.notebook.explorer import outputs
from dashboard.packs.notebook.explorer.inline import APP, Inline, NotebookBrowser
from dashboard.packs.notebook.explorer.records import OwnRecords
from dashboard.packs.notebook.explorer.settings import PageControls, checked
from dashboard.packs.notebook.kernel.display import Display, carried, is_loaded
from dashboard.page.base import SessionPage
from dashboard.pages import LISTED, former
from dashboard.pages.listed import introduce
from dashboard.state import url
from dashboard.state.controls import Controls

FIRST = 3.0  # Seconds that a cell waits for a picture that is computed in runs.
NO_EXTENSION = (
    "This kernel has not loaded Panel's extension: run hv.extension('bokeh', inline=True) or pn.extension(inline=True) "
    "in the notebook's first cell, then this cell again."
)
remember_defaults()  # As the app does: a page is built in two thirds of the time.
_KINDS = {entry.name: entry for entry in LISTED}


class Explorer:
    """A page with its settings; a notebook shows it as it is in the app.

    Parameters
    ----------
    name : str
        The page.
    settings : mapping
        Settings that differ from those with which the page opens.
    own : OwnRecords, optional
        Records for it.

    Attributes
    ----------
    page : SessionPage
        The page in front.

    Raises
    ------
    ValueError
        For an unknown setting, an invalid value, and records that the page does not take.
    """

    def __init__(self, name: str, settings: Mapping[str, Any], *, own: OwnRecords | None = None):
        self._name, self._own = name, own
        self._settings: dict[str, Any] = {}  # With which the page is built again after `close`.
        self._empty()
        self.page.set(checked(self.page, settings))

    @property
    def page(self) -> SessionPage:
        """The page in front."""
        if self._name not in self._pages:
            page = self._built(self._name)
            page.set(dict(page.opens))
            self._opens = _values(page)
            self._take_records(page)
            page.set(self._settings)
        return self._pages[self._name]

    @property
    def controls(self) -> PageControls:
        """The settings of the page: `controls.epsilon = 2` moves the picture."""
        return PageControls(self.page, self.set)

    @property
    def figure(self):
        """The main figure, a Bokeh model.

        Raises
        ------
        ValueError
            If the page has none.
        """
        self._compute()
        found = self.page.figures()
        if not found:
            raise ValueError(f"page {self.page.name!r} has no figure")
        return found[0]

    def set(self, values: Mapping[str, Any]) -> None:
        """Change settings, by name."""
        self.page.set(checked(self.page, values))

    def table(self) -> pd.DataFrame:
        """The numbers of the picture; runs that are under way are finished first.

        Raises
        ------
        ValueError
            If the settings contradict each other, or the page has no numbers.
        """
        self._compute()
        found = self.page.table()
        if found is None:
            raise ValueError(f"page {self.page.name!r} has no table")
        return found

    def script(self) -> str:
        """A program that computes the numbers of the picture without the app; "" on a page without one."""
        self._compute(wait=False)
        return self.page.program()

    def link(self, app: str = APP) -> str:
        """The address of this page, with its settings, in an app that is served at `app`; `cape-lab` serves one."""
        return app + self.page.search()

    def close(self) -> None:
        """End the output and delete what it computed; the settings stay."""
        outputs.closed(self)
        page = self._pages.get(self._name)
        if page is not None:
            self._settings = {name: getattr(page.source(name), name) for name in self.controls}
        self._end_display()
        for page in self._pages.values():
            page.closed()
            if page.own_table is not None:
                page.own_table.end()
            elif page.runs is not None:
                page.runs.clear()
        self._empty()

    def __repr__(self) -> str:
        page = self.page
        # With records, their sites and what else they fix are no settings; their noise is no one's.
        absent = {"own_records"} if self._own is None else {"own_records", *page.state.absent}
        absent |= {"noise_seed"} if page.model.hides_seed else set()
        own = [] if self._own is None else ["records=...", *["sites=..."] * self._own.labelled, "bounds=..."]
        moved = [
            f"{name}={value!r}"
            for name, value in _values(page).items()
            if name not in absent and value != self._opens.get(name)
        ]
        return f"explore({', '.join([repr(page.name), *own, *moved])})"

    def __panel__(self) -> pn.viewable.Viewable:
        return self._shown()

    def _repr_mimebundle_(self, include=None, exclude=None):
        if not outputs.in_kernel():
            return {"text/plain": repr(self)}
        if not is_loaded():
            return {"text/plain": NO_EXTENSION, "text/html": f"<p><b>{NO_EXTENSION}</b></p>"}
        outputs.shown(self)
        view = self._shown()
        self._compute(seconds=FIRST, strict=False)
        if pn.config.comms != "default":
            with carried():
                return view._repr_mimebundle_(include, exclude)
        self._end_display()
        self._display = Display(view, opened=self._opened)
        data, about = self._display.bundle
        return data | {"text/plain": repr(self)}, about

    def _end_display(self):
        if self._display is not None:
            self._display.close()
            self._display = None

    def _empty(self):
        self._controls, self._shared = Controls(), SharedTable()
        self._opens: dict[str, Any] = {}  # The settings with which the page opens.
        self._pages: dict[str, SessionPage] = {}
        self._view: Inline | None = None
        self._browser: NotebookBrowser | None = None
        self._display: Display | None = None

    def _built(self, name):
        if name not in self._pages:
            page = self._pages[name] = _KINDS[name].kind(self._controls)
            introduce(page, LISTED)
            page.visit = self._visit
            page.use_shared_table(self._shared)
        return self._pages[name]

    def _take_records(self, page):
        if self._own is None:
            return
        if page.own_table is None:
            pages = ", ".join(with_records())
            raise ValueError(f"page {page.name!r} takes no records; pages that do: {pages}")
        page.own_table.ask()
        self._own.hand_to(self._shared.table)

    def _shown(self):
        """The page as a part of a notebook."""
        if self._view is None:
            self._browser = NotebookBrowser()
            self._view = Inline(self._browser)
            self._browser.on_open, self._browser.on_drawn = self._open, self._drawn
            self._browser.param.watch(lambda event: self.page.set_dark(event.new), "dark")
            self._view.show(self.page, self._browser)
        self.page.opened()
        return self._view

    def _drawn(self, by):
        if self._display is not None:
            self._display.drawn(by)

    def _opened(self):
        """A browser has drawn the page as the cell made it: show the controls where the user has moved them since."""
        for panel in self._view.select(ControlPanel):
            panel.show_again()

    def _open(self, query):
        """Open the page of a link in the place of this one."""
        values = former.today(url.parse(query))
        if values.get("page") in _KINDS:
            self._visit(values["page"])
            self._view.say(url.ignored("In the link", self.page.take(values)))

    def _visit(self, name, values=None):
        if name != self._name:
            self.page.closed()
            self._built(name)
            self._name = name
        self.page.set(values or {})
        if self._view is not None:
            self.page.set_dark(self._browser.dark)
            self.page.opened()
            self._view.show(self.page, self._browser)

    def _compute(self, *, seconds=float("inf"), wait=True, strict=True):
        """Bring the picture up to date."""
        page = self.page
        page.opened()
        if wait and page.runs is not None:
            page.runs.wait(seconds)
        if strict and page.state.problem:
            raise ValueError(page.state.problem)
        if strict and page.runs is not None and page.runs.state == "failed":
            raise RuntimeError(page.runs.message)


def _values(page):
    """The settings of a page as its link has them."""
    names = (*page.own, *page.shared)
    return {name: getattr(page.model if name in page.own else page.controls, name) for name in names}


def with_records() -> list[str]:
    """Names of the pages that take records."""
    return [name for name, entry in _KINDS.items() if entry.kind(Controls()).own_table is not None]
