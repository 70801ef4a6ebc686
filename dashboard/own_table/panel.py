"""The panel in which a user uploads a table, describes its columns, and sets the bounds of its records.

Its parts show what `view` says of the table's state; each of its controls edits one field of the draft.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import panel as pn
import panel_material_ui as pmui

from dashboard.components.fold import Fold
from dashboard.components.layout import FULL, WRAP, quiet_button, text_download
from dashboard.components.upload import MEGABYTE, upload_for
from dashboard.own_table import exchange
from dashboard.own_table.columns import ColumnGrid
from dashboard.own_table.file import LIMITS, reading_text
from dashboard.own_table.state import OwnData
from dashboard.own_table.view import FIELDS, LARGEST, Form, site_choices, view
from dashboard.state import packs
from dashboard.theme import css
from dashboard.theme.assets import beside
from data.upload import sample

PROMISE = (
    f"One record per row: CSV, TSV, XLSX, ODS, NPZ or NPY, up to {LIMITS.size / MEGABYTE:.0f} MB. It goes to this server "
    "alone. Nothing is written to disk, and everything is deleted when this session ends."
)
_RECORDS = {
    "Not said: a row of the file": "",
    "A person: a patient, a client, a student": "person",
    "A visit or event: a person may have several": "visit",
    "A household or another group of persons": "household",
}
_SUMS = {
    "Not said yet": "",
    "No, they sum up others: leave them out": "leave out",
    "Yes: keep them": "keep",
}
_KINDS = {"A range for every column": "ranges", "One length for all records": "length"}
_CENTRES = {"Subtract the middle of every range": "public", "Subtract nothing": "none"}
_FRAME = beside(__file__, "panel.css")
_WIDE = {"sizing_mode": "stretch_width"}
_FIELD = {"margin": (10, 0, 4, 0), "sizing_mode": "stretch_width", "max_width": 374}
_SHOWN = ("sheet", "draft", "errors", "template", "problem", "objection", "remark", "waiting", "came")
# Controls that each edit the field of their name.
_EDITING = (
    "summary_rows", "record", "per_person", "site_column", "local", "target", "kind", "length", "centring"
)  # fmt: skip


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
        self._own, self._ask, self._showing = own, ask, False
        alone, about_alone = exchange.files(own, ask=ask)
        self._parts = _controls() | about_alone | {name: _notice() for name in ("problem", "objection_alone")}
        self._parts |= {name: _notice() for name in ("objection", *(f"wrong_{name}" for name in FIELDS))}
        self.layout = pn.Column(
            *self._file(),
            self._parts["problem"],
            self._describe(),
            alone,
            self._parts["objection_alone"],
            stylesheets=[_FRAME],
            margin=(0, 0, 16, 0),
            **_WIDE,
        )
        for name in _EDITING:
            self._parts[name].param.watch(partial(self._edit, name), "value")
        for source, names in ((own, _SHOWN), (own.runs, ("state", "before"))):
            source.param.watch(self._show, list(names))
        self._show()

    def toggle(self) -> None:
        """Open or close the panel."""
        self.layout.visible = not self.layout.visible

    def _form(self):
        own = self._own
        same = {name: getattr(own, name) for name in _SHOWN if name != "waiting"}
        in_use = own.used.name if own.waiting and own.used is not None else ""
        return Form(**same, in_use=in_use, reading=own.runs.state == "running", waits=reading_text(own))

    def _show(self, *events):
        """Let every part show the present state."""
        self._showing = True
        try:
            for name, values in view(self._form()).items():
                part = self._parts[name]
                if any(getattr(part, key) != value for key, value in values.items()):
                    part.param.update(**values)
        finally:
            self._showing = False

    def _edit(self, name, event):
        """Take what was typed or chosen; what the panel itself shows is in the draft already."""
        if self._showing:
            return
        if name == "site_column":
            self._own.edit(site_column=site_choices(self._form()).get(event.new))
        elif name != "target" or event.new != self._own.draft.predicted:
            self._own.edit(**{name: event.new or ""})

    def _file(self):
        own = self._own
        upload = upload_for(
            own,
            limit=LIMITS.size,
            label="Choose a file, or drop it here",
            uploaded_label="Choose another file",
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
        download = text_download(
            "Download them as a CSV",
            sample.SAMPLE_NAME,
            lambda: sample.sample_csv(rng=np.random.default_rng(1)),
        )
        row = pn.FlexBox(upload, attempt, download, gap="8px", align_items="center", margin=(10, 0, 0, 0))
        return (
            _html(f"<p><b>Your own table.</b> {PROMISE}</p>"),
            row,
            self._parts["bar"],
            self._parts["state"],
        )

    def _describe(self):
        """The description of the table, once it was read."""
        own, parts = self._own, self._parts
        use = pmui.Button(label="Use these records", variant="contained", size="small", margin=0)
        remove = quiet_button("Remove the table", "delete")
        use.on_click(lambda event: (self._ask(), own.use()))
        remove.on_click(lambda event: own.forget())
        parts["mark"].on_click(lambda event: own.take_draft(own.draft.marked(own.sheet)))
        parts["sums"].extend([parts["sums_words"], parts["summary_rows"], parts["wrong_summary_rows"]])
        parts["box"].extend(
            [
                parts["about"],
                parts["sums"],
                _line(parts["record"], parts["per_person"]),
                parts["wrong_per_person"],
                _line(parts["site_column"], parts["local"]),
                parts["wrong_site_column"],
                *self._bounds(),
                parts["gaps"],
                parts["mark"],
                parts["found"],
                parts["objection"],
                pn.FlexBox(use, remove, gap="8px", align_items="center", margin=(14, 0, 0, 0)),
            ]
        )
        return parts["box"]

    def _bounds(self):
        """How records are bounded: column by column, or together."""
        own, parts, least, most = self._own, self._parts, self._parts["least"], self._parts["most"]
        data = quiet_button("Fill what is missing from the records: not private", "query_stats")
        clear = quiet_button("Clear the bounds", "backspace")
        data.on_click(lambda event: own.take_from_data())
        clear.on_click(lambda event: own.take_draft(own.draft.cleared()))
        parts["fill"].on_click(
            lambda event: own.take_draft(own.draft.filled(least.value_input or "", most.value_input or ""))
        )
        parts["public"].on_click(lambda event: own.take_draft(own.draft.made_public()))
        tools = pn.FlexBox(
            least, most, parts["fill"], data, clear, gap="8px", align_items="center", margin=(6, 0, 0, 0)
        )
        return (
            parts["kind"],
            parts["why"],
            ColumnGrid(own).cells,
            parts["wrong_rows"],
            parts["idle"],
            parts["length"],
            parts["wrong_length"],
            tools,
            _line(parts["target"], parts["centring"]),
            parts["wrong_target"],
            parts["warning"],
            parts["public"],
        )


def _controls():
    """The parts that show the state, by name."""
    pages = " and ".join(["Regression", *packs.links("own_table.target")])
    return {
        "bar": pmui.LinearProgress(
            value=0, variant="determinate", visible=False, margin=(8, 0), **_WIDE
        ),
        "state": _html("", visible=False),
        "box": pn.Column(visible=False, margin=(10, 0, 0, 0), **_WIDE),
        "about": _html(""),
        "found": Fold("What was found in the columns", margin=(8, 0, 0, 0)),
        "sums": pn.Column(visible=False, **_WIDE),
        "sums_words": _notice(visible=True),
        "summary_rows": _menu("Are these rows records?", _SUMS),
        "record": _menu("What is one record?", _RECORDS),
        "per_person": pmui.TextInput(label="Most visits of one person", size="small", **_FIELD),
        "site_column": pmui.Select(
            label="Which column names the site of a record?", size="small", **_FIELD
        ),
        "local": _menu("Which site is “local”, the one that works alone?", {LARGEST: ""}),
        "target": _menu(f"Which column is to be predicted? ({pages})", {}),
        "kind": pmui.RadioButtonGroup(
            options=_KINDS,
            value="ranges",
            size="small",
            label="How records are bounded",
            sx=WRAP,
            margin=(10, 0, 4, 0),
        ),
        "why": _html(""),
        "idle": _notice(),
        "length": pmui.TextInput(label="No record is longer than", size="small", margin=(8, 0), width=240),
        "least": pmui.TextInput(label="Minimum of all", value="", size="small", margin=0, width=152),
        "most": pmui.TextInput(label="Maximum of all", value="", size="small", margin=0, width=152),
        "fill": quiet_button("Set every range", "done_all"),
        "centring": _menu("Public centre", _CENTRES, value="public"),
        "warning": _notice(),
        "public": pmui.Button(
            label="They are public knowledge", variant="outlined", size="small", margin=(6, 0)
        ),
        "gaps": _notice(),
        "mark": quiet_button("Mark every gap", "rule"),
    }  # fmt: skip


def _menu(label, options, value=""):
    return pmui.Select(label=label, options=options, value=value if options else None, size="small", **_FIELD)


def _notice(visible=False):
    return pn.pane.HTML("", visible=visible, stylesheets=[css.NOTICE], margin=(10, 0, 0, 0), **_WIDE)


def _line(*parts):
    return pn.FlexBox(*parts, gap="0 16px", align_items="flex-start", **_WIDE)


def _html(text, **options):
    return pn.pane.HTML(text, stylesheets=[css.FINE, css.NOTICE], **FULL, **options)
