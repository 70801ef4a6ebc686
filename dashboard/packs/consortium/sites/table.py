"""The editable table of sites: cells, buttons for rows, and a CSV file as input."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
import panel as pn
import panel_material_ui as pmui
from bokeh.models import HTMLTemplateFormatter

from dashboard.compat.widgets.edited_cells import EditedCells
from dashboard.components.editable_table import show
from dashboard.components.layout import FULL, LiveText
from dashboard.components.upload import MEGABYTE, small_upload
from dashboard.own_table.shared_table import SharedTable
from dashboard.packs.consortium.sites.model import SitesModel
from dashboard.problems.sites import COLUMNS, Row, parse_rows, rows_from_csv, write_rows
from dashboard.theme import css

_TITLES = {
    "site": "Site",
    "size": "Records",
    "epsilon": "ε",
    "delta": "δ",
    "weight": "Own weight",
    "colludes": "Colludes",
    "drops": "Drops out",
}


_ALIGNED = {
    **dict.fromkeys(("size", "epsilon", "delta", "weight"), "right"),
    **dict.fromkeys(("colludes", "drops"), "center"),
}
_ROWS = 6
# A small number as everywhere in the app: 10⁻⁶ or 2.5·10⁻⁵. Only a number is shown, whatever the cell holds.
_POWER = """<% var n = Number(value), e = Math.floor(Math.log10(n) + 1e-9), m = Number((n / Math.pow(10, e)).toPrecision(3)),
  p = "10" + String(e).replace(/[-0-9]/g, function (c) { return "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(c)] }) %>\
<%= !(n > 0) ? "" : n >= 0.001 ? n : m === 1 ? p : m + "·" + p %>"""
_BUTTON = {"variant": "text", "size": "small", "margin": 0, "color": "default"}
_IN_LINK = "<p>Names and sizes of the sites count as public: they become part of this page's link.</p>"


class SitesTable:
    """Cells that edit `model.rows`; an invalid entry is reported through `say` and changes nothing.

    Parameters
    ----------
    shared : SharedTable, optional
        The session's own table, whose sites can be taken.
    """

    def __init__(self, model: SitesModel, say: Callable[[str], None], shared: SharedTable | None = None):
        self._model, self._say = model, say
        self._shared = SharedTable() if shared is None else shared
        self._own = False
        whole = {"type": "money", "precision": 0, "thousand": "\u202f"}
        flag = {"type": "tickCross", "crossElement": "·"}
        self.cells = EditedCells(
            frame(model.table_rows()),
            show_index=False,
            titles=_TITLES,
            layout="fit_columns",
            sizing_mode="stretch_width",
            height=_height(model.table_rows()),
            hidden_columns=_hidden(model),
            header_align=_ALIGNED,
            theme="simple",
            sortable=False,
            formatters={
                "colludes": flag,
                "drops": flag,
                "size": whole,
                "delta": HTMLTemplateFormatter(template=_POWER),
            },
            editors={
                "site": {"type": "input"},
                "size": {"type": "number", "step": 1},
                "epsilon": {"type": "number"},
                "delta": {"type": "number"},
                "weight": {"type": "number"},
                "colludes": {"type": "tickCross"},
                "drops": {"type": "tickCross"},
            },
            text_align=_ALIGNED,
            widths={"site": "24%"},
            configuration={"columnDefaults": {"headerSort": False, "minWidth": 44, "headerWordWrap": True}},
            stylesheets=[css.TABLE],
            margin=0,
        )
        self.cells.on_values(self._edited)
        self._sites = pmui.Button(label="", icon="upload_file", **_BUTTON)
        self._in_link = LiveText(css.FINE, text=_IN_LINK)
        self.layout = pn.Column(self.cells, self._buttons(), **FULL)
        for source, names in ((model, ["rows", "weights"]), (self._shared.table, ["used"])):
            source.param.watch(self._show, names)
        self._show()

    def _buttons(self):
        add = pmui.Button(label="Add a site", icon="add", **_BUTTON)
        remove = pmui.Button(label="Remove the last", icon="remove", **_BUTTON)
        upload = small_upload(
            self.take_file,
            limit=MEGABYTE,
            refused=self._say,
            label="Table from CSV",
            uploaded_label="Table from CSV",
        )
        add.on_click(lambda event: self._change(self._with_one_more))
        remove.on_click(lambda event: self._change(lambda rows: rows[:-1]))
        self._sites.on_click(lambda event: self.take_sites())
        return pn.FlexBox(
            add,
            remove,
            upload,
            self._sites,
            self._in_link.pane,
            gap="4px",
            align_items="center",
            margin=(4, 0, 8, 0),
        )

    def take_sites(self) -> None:
        """Replace the table by the sites of the own table, each with the session's ε and δ."""
        used, controls = self._shared.table.used, self._model.controls
        if used is None or used.sizes is None:
            return
        names = [" ".join(name.split())[:20] or f"site {s + 1}" for s, name in enumerate(used.site_names)]
        names = [f"{name} {s + 1}" if names.count(name) > 1 else name for s, name in enumerate(names)]
        rows = [
            Row(name, size, controls.epsilon, controls.delta)
            for name, size in zip(names, used.sizes, strict=True)
        ]
        self._take(lambda: parse_rows(_records(rows)))

    def take_file(self, content: bytes) -> None:
        """Replace the table by that of a CSV file, or report what is wrong with the file."""
        self._take(lambda: rows_from_csv(_text(content)))

    def _with_one_more(self, rows):
        last = rows[-1]
        return (*rows, Row(f"site {len(rows) + 1}", last.size, last.epsilon, last.delta, last.weight))

    def _change(self, change):
        self._take(lambda: parse_rows(_records(change(self._model.table_rows()))))

    def _edited(self):
        self._take(lambda: parse_rows(self.cells.value.to_dict("records")))

    def _take(self, read):
        """Read rows and hand them to the model."""
        try:
            rows = read()
        except ValueError as error:
            self._say(str(error))
            return
        text = write_rows(rows)
        if text == self._model.rows:
            self._say("")
            self._model.param.trigger("rows")
        else:
            self._model.rows = text

    def _show(self, *events):
        """Show the rows of the model, and a button that takes the sites of the own table, while a column names some.

        Only a change of the rows replaces what is typed in the cells.
        """
        used = self._shared.table.used
        if not events or any(event.name == "rows" for event in events):
            rows = self._model.table_rows()
            show(self.cells, frame(rows), height=_height(rows))
        if self.cells.hidden_columns != _hidden(self._model):
            self.cells.hidden_columns = _hidden(self._model)
        there = used is not None and used.sizes is not None
        self._sites.visible = self._in_link.pane.visible = there
        if there:
            self._sites.label = f"Sites of your table {used.name}"


def frame(rows) -> pd.DataFrame:
    """The table as the cells show it."""
    # With an integer column the library would reject an empty cell with a message of its own.
    return pd.DataFrame(_records(rows), columns=list(COLUMNS)).astype({"size": object})


def _height(rows):
    """Height of the heading and up to six rows; a half visible row shows that there are more to scroll to."""
    return 48 + round(37 * (len(rows) if len(rows) <= _ROWS else _ROWS + 0.5))


def _hidden(model):
    return [] if model.weights == "table" else ["weight"]


def _records(rows):
    return [{column: getattr(row, column) for column in COLUMNS} for row in rows]


def _text(content):
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError("The file is not a text file in UTF-8.") from None
