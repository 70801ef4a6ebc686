"""What an address of the app opens: its page, its settings and its numbers. A rebuilt app has to supply this alone."""

from __future__ import annotations

import contextlib
from typing import Any
from unittest import mock

import further_scheme

from dashboard.session.app import App
from dashboard.state import url
from dashboard.state.background_runs import Runs

Row = dict[str, Any]


def opened(
    address: str, *, numbers: bool = True, registered: bool = False
) -> tuple[str, dict[str, str], list[Row] | None]:
    """Open an address as a browser does, and answer whatever its page asks.

    Parameters
    ----------
    address : str
        The query, e.g. "?page=gain&sites=5".
    numbers : bool
        Whether the numbers are wanted: of some addresses they take minutes.
    registered : bool
        Whether the scheme of `further_scheme` is registered meanwhile.

    Returns
    -------
    page : str
        The page's name.
    settings : dict of str to str
        Every setting of the page, shared ones first, as a link writes its value.
    rows : list of dict or None
        The table that `explore(page, …).table()` gives, a row each; None without numbers.
    """
    with contextlib.ExitStack() as held:
        if registered:
            held.enter_context(further_scheme.registered())
        if not numbers:
            held.enter_context(mock.patch.object(Runs, "start"))
        app = App(url.parse(address))
        page = app.page
        settings = url.encode(page.controls, page.settings.shared, full=True)
        settings |= url.encode(page.model, page.settings.own, full=True)
        table = page.table() if numbers and not page.state.problem else None
        rows = None if table is None else table.to_dict("records")
    return page.name, settings, rows
