"""The pages of one session, built when they are first opened, and the settings of all of them."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import panel as pn

from dashboard.own_table.shared_table import SharedTable
from dashboard.page import link
from dashboard.page.base import SessionPage
from dashboard.pages.broken import broken
from dashboard.pages.listed import Listed, introduce
from dashboard.session import settings_file
from dashboard.shell.actions import lab_version
from dashboard.state.controls import Controls

_LOG = logging.getLogger("cape-lab")


class OpenPages:
    """Pages by name; a page is built at its first access.

    Parameters
    ----------
    listed : iterable of Listed
        All pages, in the app's order; a page's module is imported when it is needed.
    controls : Controls
        The shared parameters.
    join : callable
        Called with every new page, before it takes its pending settings; connects it to the session.
    view : callable
        Builds the layout around a page; returns the viewable.
    shared : SharedTable, optional
        The user's own table, whose description a settings file holds.

    Attributes
    ----------
    kinds : mapping of str to Page
    """

    def __init__(
        self,
        listed: Iterable[Listed],
        controls: Controls,
        *,
        join: Callable[[SessionPage], None],
        view: Callable[[SessionPage], pn.viewable.Viewable],
        shared: SharedTable | None = None,
    ):
        self._shared = shared
        self._listed = {entry.name: entry for entry in listed}
        self.kinds = _Lazy(self._listed, lambda entry: entry.kind)
        self._controls, self._join, self._view = controls, join, view
        self._pages: dict[str, SessionPage] = {}
        self._views: dict[str, pn.viewable.Viewable] = {}
        self._waiting: dict[str, dict] = {}  # Settings of pages that are not built yet.

    def __getitem__(self, name: str) -> SessionPage:
        if name not in self._pages:
            entry = self._listed[name]
            try:
                self._build(name, entry.kind)
            except Exception as error:
                _LOG.exception("the page %s could not be built", name)
                self._build(name, broken(entry, error))
        return self._pages[name]

    def _build(self, name, kind):
        page = kind(self._controls)
        introduce(page, self._listed.values())
        self._join(page)
        page.set(self._waiting.pop(name, {}))
        self._pages[name], self._views[name] = page, self._view(page)

    def named(self, text: str) -> str:
        """The name of the page that has this name or title; "" for none."""
        titles = {entry.title.lower(): entry.name for entry in self._listed.values()}
        return text if text in self._listed else titles.get(text.lower(), "")

    def __iter__(self) -> Iterator[str]:
        """Names of the pages that are built."""
        return iter(self._pages)

    def view(self, name: str) -> pn.viewable.Viewable:
        """A page with the layout around it."""
        return self._views[self[name].name]

    def settings_text(self, front: str) -> str:
        """The settings file of the session; `front` names the page in front."""
        links = {name: self._pages[name].search() for name in sorted(self._pages, key=lambda n: n != front)}
        for name, values in self._waiting.items():
            kind = self.kinds[name]
            links[name] = link.written(kind, self._controls, kind.model_type(Controls(), **values))
        table = None if self._shared is None else self._shared.table.described()
        return settings_file.write(links.values(), made_with=lab_version(), table=table)

    def take_settings(self, content: bytes, front: str) -> tuple[str, list[str]]:
        """Apply the settings of a file.

        Returns
        -------
        front : str
            The page in front: the file's, otherwise the current one.
        problems : list of str
            What was ignored; foreign text.

        Raises
        ------
        ValueError
            If it is not a settings file.
        """
        found = settings_file.read(content, self.kinds)
        front = found.page or front
        page = self[front]
        for name, values in found.pages.items():
            if name in self._pages and name != front:
                self._pages[name].set(values)
            elif name != front:
                self._waiting[name] = values
        page.set(found.controls | found.pages.get(front, {}))
        if found.table is not None and self._shared is not None:
            self._shared.table.take(found.table)
        return front, list(found.problems)


class _Lazy(Mapping):
    """A value of every page by its name, computed when it is asked for: names are known without importing a page."""

    def __init__(self, entries: Mapping[str, Listed], value: Callable[[Listed], Any]):
        self._entries, self._value = entries, value

    def __getitem__(self, name: str) -> Any:
        return self._value(self._entries[name])

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)
