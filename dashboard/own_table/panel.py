"""The panel in which a user uploads a table, describes its columns, and sets the bounds of its records."""

from __future__ import annotations

import html
import io
from collections.abc import Callable

import numpy as np
import panel as pn
import panel_material_ui as pmui

from dashboard.components.layout import FULL, WRAP, quiet_button
from dashboard.components.upload import MEGABYTE, Upload
from dashboard.own_table.columns import ColumnGrid
from dashboard.own_table.file import LIMITS
from dashboard.own_table.state import OwnData
from dashboard.state.number_text import count_text, number_text
from dashboard.theme import css
from dashboard.theme.assets import beside
from data.upload import sample
from data.upload.table import shown

PROMISE = (
    f"One record per row: CSV, TSV or NPZ, up to {LIMITS.size / MEGABYTE:.0f} MB. Nothing leaves this server, "
    "nothing is written to disk, and everything is deleted when this session ends."
)
_DEALT = "No column: assign the records to the sites at random"
_KINDS = {"A range for every column": "ranges", "One length for all records": "length"}
_WHY = {
    "ranges": "Which values can each column take, for anyone who might be in such a table? Answer from what you "
    "know about the measurement, not from these records. Values outside the range are moved to its edge.",
    "length": "How long can a record be, √(x₁² + x₂² + …), for anyone who might be in such a table? Answer from "
    "what you know about the measurements, not from these records. Longer records are shortened to this length.",
}
NOT_PUBLIC = "Not private: this bound was computed from the records. No guarantee on this page covers it."
_FRAME = beside(__file__, "panel.css")


class Panel:
    """The panel: a file, its description, and the bounds of its records.

    Parameters
    ----------
    own : OwnData
        The state that the panel shows and edits; the panels of other pages may share it.
    ask : callable
        Called before the records are used.
    """

    def __init__(self, own: OwnData, ask: Callable[[], None]):
        self._own, self._ask = own, ask
        self.layout = pn.Column(
            *self._file(),
            self._words("problem"),
            self._describe(),
            stylesheets=[_FRAME],
            margin=(0, 0, 16, 0),
            **_WIDE,
        )

    def toggle(self) -> None:
        """Open or close the panel."""
        self.layout.visible = not self.layout.visible

    def _file(self):
        own = self._own
        upload = Upload(
            limit=LIMITS.size,
            started=own.expect,
            progressed=own.progress,
            arrived=own.receive,
            refused=own.refuse,
            label="Choose a file, or drop it here",
            uploaded_label="Choose another file",
            variant="outlined",
            size="small",
            margin=0,
            sx={
                "&:focus-within": {
                    "outline": "2px solid var(--mui-palette-primary-main)",
                    "outlineOffset": "2px",
                }
            },
        )
        attempt = quiet_button("Try synthetic patients", "science")
        attempt.on_click(lambda event: own.take_sample())
        download = pmui.FileDownload(
            callback=lambda: io.StringIO(sample.sample_csv(rng=np.random.default_rng(1))),
            filename=sample.SAMPLE_NAME,
            label="Download them as a CSV",
            size="small",
            margin=0,
        )
        # The constructor would take both for settings of the same property.
        download.param.update(variant="text", color="default")
        bar = pmui.LinearProgress(value=0, variant="determinate", visible=False, margin=(8, 0), **_WIDE)
        state = _html("", visible=False)

        def follow(*events):
            reading = own.runs.state == "running"
            bar.visible = state.visible = own.came > 0 or reading
            bar.param.update(
                value=int(100 * own.came),
                variant="indeterminate" if own.came >= 1 or reading else "determinate",
            )
            words = (
                "Computing …" if reading and own.came == 0 else "Reading the file …" if own.came >= 1 else ""
            )
            state.object = f"<p role='status'>{words or f'{100 * own.came:.0f} % of the file uploaded.'}</p>"

        own.param.watch(follow, "came")
        own.runs.param.watch(follow, "state")
        follow()
        row = pn.FlexBox(upload, attempt, download, gap="8px", align_items="center", margin=(10, 0, 0, 0))
        return _html(f"<p><b>Your own table.</b> {PROMISE}</p>"), row, bar, state

    def _words(self, name):
        """An error message beside the controls that it concerns."""
        notice = pn.pane.HTML("", visible=False, stylesheets=[css.NOTICE], margin=(10, 0, 0, 0), **_WIDE)

        def follow(*events):
            words = getattr(self._own, name)
            notice.object = f"<div class='notice error' role='alert'>{html.escape(words)}</div>"
            notice.visible = bool(words)

        self._own.param.watch(follow, name)
        follow()
        return notice

    def _describe(self):
        """The description of the table, once it was read."""
        own = self._own
        about = _html("")
        sites = pmui.Select(
            label="Which column names the site of a record?",
            size="small",
            options={_DEALT: ""},
            value="",
            margin=(10, 0, 4, 0),
            **_WIDE,
        )
        use = pmui.Button(label="Use these records", variant="contained", size="small", margin=0)
        remove = quiet_button("Remove the table", "delete")
        use.on_click(lambda event: (self._ask(), own.use()))
        remove.on_click(lambda event: own.forget())
        box = pn.Column(
            about,
            sites,
            *self._bounds(),
            self._words("objection"),
            pn.FlexBox(use, remove, gap="8px", align_items="center", margin=(14, 0, 0, 0)),
            visible=False,
            margin=(10, 0, 0, 0),
            **_WIDE,
        )

        def follow(*events):
            box.visible = own.sheet is not None
            if own.sheet is not None:
                about.object = _about(own.sheet)
                found = own.sheet.site_columns
                options = {f"{name} ({count_text(n, 'site')})": name for name, n in found.items()}
                sites.param.update(options={_DEALT: "", **options}, value=own.site_column)

        follow()
        own.param.watch(follow, "sheet")
        own.param.watch(lambda event: setattr(sites, "value", event.new), "site_column")
        sites.param.watch(lambda event: setattr(own, "site_column", event.new or ""), "value")
        return box

    def _bounds(self):
        own = self._own
        kind = pmui.RadioButtonGroup(
            options=_KINDS,
            value=own.kind,
            size="small",
            label="How records are bounded",
            sx=WRAP,
            margin=(10, 0, 4, 0),
        )
        why = _html("")
        grid = ColumnGrid(own)
        length = pmui.TextInput(
            label="No record is longer than", value="", size="small", margin=(8, 0), width=240
        )
        fill = _fill(own)
        data = quiet_button("Compute it from the data", "query_stats")
        clear = quiet_button("Clear the bounds", "backspace")
        warning = pn.pane.HTML(
            f"<div class='notice' role='note'>{NOT_PUBLIC}</div>",
            stylesheets=[css.NOTICE],
            margin=(10, 0, 0, 0),
            **_WIDE,
        )
        data.on_click(lambda event: own.take_from_data())
        clear.on_click(lambda event: own.clear_bounds())

        def follow(*events):
            kind.value = own.kind
            why.object = f"<p>{_WHY[own.kind]}</p>"
            length.visible = own.kind == "length"
            length.value = own.length
            for part in fill:
                part.visible = own.kind == "ranges"
            warning.visible = own.from_data

        own.param.watch(follow, ["kind", "length", "computed"])
        kind.param.watch(lambda event: setattr(own, "kind", event.new), "value")
        length.param.watch(lambda event: setattr(own, "length", event.new), "value")
        follow()
        tools = pn.FlexBox(*fill, data, clear, gap="8px", align_items="center", margin=(6, 0, 0, 0))
        return kind, why, grid.cells, length, tools, warning


def _fill(own):
    """One range for all columns at once: two fields and a button."""
    least, most = (
        pmui.TextInput(label=label, value="", size="small", margin=0, width=110)
        for label in ("Minimum of all", "Maximum of all")
    )
    button = quiet_button("Set every range", "done_all")
    button.on_click(lambda event: own.fill(least.value_input or "", most.value_input or ""))
    return least, most, button


def _about(sheet):
    table = sheet.table
    rows, columns = table.frame.shape
    size = f"{number_text(rows)} rows, {count_text(columns, 'column')}"
    parts = [f"<b>{html.escape(table.name)}</b>: {size}."]
    text = [shown(c) for c in table.text]
    if text:
        more = f" and {len(text) - 5} more" if len(text) > 5 else ""
        parts.append(html.escape(f"Not numeric, so not part of a record: {', '.join(text[:5])}{more}."))
    empty = [shown(row.column) for row in sheet.rows if not row.used]
    if empty:
        more = f" and {len(empty) - 5} more" if len(empty) > 5 else ""
        parts.append(html.escape(f"Without any value, so not used: {', '.join(empty[:5])}{more}."))
    if sheet.gaps:
        parts.append("Rows with a missing value in a chosen column are left out.")
    parts += [html.escape(note) for note in table.notes]
    return f"<p>{' '.join(parts)}</p>"


def _html(text, **options):
    return pn.pane.HTML(text, stylesheets=[css.FINE, css.NOTICE], **FULL, **options)


_WIDE = {"sizing_mode": "stretch_width"}
