"""The menu of a comparison's records, and its user's own beside it."""

from __future__ import annotations

from typing import Any

import panel as pn

from dashboard.compare.spec import Comparison
from dashboard.compat.widgets.light_component import Stack
from dashboard.components.control_panel import ControlPanel
from dashboard.components.layout import FULL, LiveText
from dashboard.own_table.picker import records
from dashboard.page.own_table import OwnTable, OwnTableModel
from dashboard.shell.first_picture import panel
from dashboard.theme import css

_NO_TABLE = "<small>No table of your own can be used here.</small>"


class Records:
    """The menu of a page's records; its user's own are a table, what `Comparison.above` makes, or none."""

    def __init__(self, spec: Comparison, page: Any):
        self._page, self._menu = page, tuple(name for name in (spec.records,) if name)
        if isinstance(page.model, OwnTableModel):
            page.own_table = OwnTable(page, records=spec.records, suited=page.model.suited)
        self.own = None if spec.above is None else spec.above(page)

    def bar(self) -> pn.viewable.Viewable:
        """The menu."""
        menu = ControlPanel([(self._page.model, name) for name in self._menu])
        if self._page.own_table is not None:
            return self._page.own_table.bar(menu)
        own = LiveText(css.FINE, text=_NO_TABLE).pane if self.own is None else self.own.bar()
        return Stack(menu, own, **FULL)

    @property
    def still(self) -> str:
        """The menu, and what stands in place of the button for the user's own, in the first answer."""
        menu = panel(self._page, self._menu) if self._menu else ""
        if self._page.own_table is not None:
            return records(menu)
        words = _NO_TABLE if self.own is None else self.own.still
        return f"<div class='data bare'>{menu}<div class='own'>{words}</div></div>"
