"""Cells that tell of an edit when its value is there, whichever of an edit's two messages comes first."""

from __future__ import annotations

from collections.abc import Callable

import panel as pn


class EditedCells(pn.widgets.Tabulator):
    """The library's table; `on_values` replaces `on_edit`.

    Of an edit a browser sends an event and the value. Panel 1.9 calls at the event, which comes last; Panel 1.10 at
    the value, and keeps each event whose value never comes as long as the session lives. The event says nothing that
    the value does not: no browser need send it.
    """

    def __init__(self, value=None, **params):
        self._changed, self._callbacks_of_values = False, []
        super().__init__(value, **params)

    def on_values(self, callback: Callable[[], object]) -> None:
        """Call `callback` whenever a browser has changed what the cells hold."""
        self._callbacks_of_values.append(callback)

    def _update_column(self, column, array):
        super()._update_column(column, array)
        self._changed = True

    def _process_data(self, data):
        self._changed = False
        super()._process_data(data)
        if self._changed:
            for callback in self._callbacks_of_values:
                pn.state.execute(callback, schedule=False)
