"""The panel in which a user uploads a table, describes its columns, and sets the bounds of its records."""

from __future__ import annotations

import html
from collections.abc import Callable

import numpy as np
import panel as pn
import panel_material_ui as pmui

from dashboard.components.fold import Fold
from dashboard.components.inputs import distinct_options
from dashboard.components.layout import FULL, WRAP, quiet_button, text_download
from dashboard.components.upload import MEGABYTE, upload_for
from dashboard.own_table.columns import ColumnGrid
from dashboard.own_table.exchange import files
from dashboard.own_table.file import LIMITS, reading_text
from dashboard.own_table.state import OwnData
from dashboard.state import packs
from dashboard.state.number_text import count_text, number_text
from dashboard.theme import css
from dashboard.theme.assets import beside
from data.upload import sample
from data.upload.table import shown

PROMISE = (
    f"One record per row: CSV, TSV, XLSX, ODS, NPZ or NPY, up to {LIMITS.size / MEGABYTE:.0f} MB. It goes to this server "
    "alone. Nothing is written to disk, and everything is deleted when this session ends."
)
_DEALT = "No column: assign the records to the sites at random"
_UNDECIDED = "Not chosen yet"
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
_MANY_GAPS = 0.05  # The share of rows from which on marking the gaps is proposed.
_KINDS = {"A range for every column": "ranges", "One length for all records": "length"}
_WHY = {
    "ranges": "Which values can each column take, for anyone who might be in such a table? Answer from what you "
    "know about the measurement, not from these records. Values outside the range are moved to its edge. A category that "
    "is not listed counts as missing.",
    "length": "How long can a record be, √(x₁² + x₂² + …), for anyone who might be in such a table? Answer from "
    "what you know about the measurements, not from these records. Longer records are shortened to this length.",
}
NOT_PUBLIC = (
    "Not private: this bound was computed from the records (a range, a length or a list of categories). No guarantee on "
    "this page covers it."
)
_NOTES = 40  # Columns with a line of their own.
_LARGEST = "The largest site"
_NONE = "No column is in use"
_CENTRES = {"Subtract the middle of every range": "public", "Subtract nothing": "none"}
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
            files(own, ask=ask),
            self._words("objection", shown=lambda: own.sheet is None),
            stylesheets=[_FRAME],
            margin=(0, 0, 16, 0),
            **_WIDE,
        )

    def toggle(self) -> None:
        """Open or close the panel."""
        self.layout.visible = not self.layout.visible

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
        bar = pmui.LinearProgress(value=0, variant="determinate", visible=False, margin=(8, 0), **_WIDE)
        state = _html("", visible=False)

        def follow(*events):
            reading = own.runs.state == "running"
            bar.visible = state.visible = own.came > 0 or reading
            bar.param.update(
                value=int(100 * own.came),
                variant="indeterminate" if own.came >= 1 or reading else "determinate",
            )
            words = "Computing …" if reading and own.came == 0 else reading_text(own) if own.came >= 1 else ""
            state.object = f"<p role='status'>{words or f'{100 * own.came:.0f} % of the file uploaded.'}</p>"

        own.param.watch(follow, "came")
        own.runs.param.watch(follow, ["state", "before"])
        follow()
        row = pn.FlexBox(upload, attempt, download, gap="8px", align_items="center", margin=(10, 0, 0, 0))
        return _html(f"<p><b>Your own table.</b> {PROMISE}</p>"), row, bar, state

    def _words(self, name, shown=lambda: True):
        """An error message beside the controls that it concerns."""
        notice = pn.pane.HTML("", visible=False, stylesheets=[css.NOTICE], margin=(10, 0, 0, 0), **_WIDE)

        def follow(*events):
            words = getattr(self._own, name)
            notice.object = f"<div class='notice error' role='alert'>{html.escape(words)}</div>"
            notice.visible = bool(words) and shown()

        self._own.param.watch(follow, name)
        follow()
        return notice

    def _describe(self):
        """The description of the table, once it was read."""
        own = self._own
        about, found = _html(""), Fold("What was found in the columns", margin=(8, 0, 0, 0))
        use = pmui.Button(label="Use these records", variant="contained", size="small", margin=0)
        remove = quiet_button("Remove the table", "delete")
        use.on_click(lambda event: (self._ask(), own.use()))
        remove.on_click(lambda event: own.forget())
        box = pn.Column(
            about,
            _sums(own),
            _line(*_unit(own)),
            _line(_sites(own), self._local()),
            *self._bounds(),
            *_gaps(own),
            found,
            self._words("objection", shown=lambda: own.sheet is not None),
            pn.FlexBox(use, remove, gap="8px", align_items="center", margin=(14, 0, 0, 0)),
            visible=False,
            margin=(10, 0, 0, 0),
            **_WIDE,
        )

        def follow(*events):
            box.visible = own.sheet is not None
            if own.sheet is not None:
                about.object = _about(own.sheet) + _remark(_waiting(own)) + _remark(own.remark)
                found.text = _found(own.sheet)
                found.visible = bool(found.text)

        follow()
        own.param.watch(follow, ["sheet", "remark", "waiting"])
        return box

    def _local(self):
        """The site that works alone, by name; only where a column names the sites."""
        own = self._own
        menu = pmui.Select(
            label="Which site is “local”, the one that works alone?",
            size="small",
            options={_LARGEST: ""},
            value="",
            **_FIELD,
        )

        def follow(*events):
            names = () if own.sheet is None else own.sheet.sites(own.site_column)
            menu.visible = bool(names)
            chosen = own.local if own.local in names else ""
            menu.param.update(options={_LARGEST: "", **distinct_options(names, names)}, value=chosen)

        own.param.watch(follow, ["sheet", "site_column", "local"])
        menu.param.watch(lambda event: setattr(own, "local", event.new or ""), "value")
        follow()
        return menu

    def _target(self):
        """The column to predict, by name."""
        own = self._own
        menu = pmui.Select(
            label=f"Which column is to be predicted? ({' and '.join(['Regression', *packs.links('own_table.target')])})",
            size="small",
            options={_NONE: ""},
            value="",
            **_FIELD,
        )

        def names():
            return [row.column for row in own.rows if row.column != own.site_column]

        def follow(*events):
            options = {**({} if own.predicted else {_NONE: ""}), **distinct_options(names(), names())}
            menu.param.update(options=options, value=own.predicted)

        def choose(event):
            if event.new != own.predicted:
                own.target = event.new or ""

        own.param.watch(follow, ["rows", "site_column", "target"])
        menu.param.watch(choose, "value")
        follow()
        return menu

    def _bounds(self):
        own = self._own
        kind, length, centre = _chosen_bounds(own)
        why, grid, fill = _html(""), ColumnGrid(own), _fill(own)
        data, clear = _bound_tools(own)
        public = pmui.Button(
            label="They are public knowledge", variant="outlined", size="small", margin=(6, 0)
        )
        public.on_click(lambda event: own.declare_public())
        warning, idle = (
            pn.pane.HTML("", stylesheets=[css.NOTICE], margin=(10, 0, 0, 0), **_WIDE) for _ in range(2)
        )

        def follow(*events):
            kind.value = own.kind
            idle.object = _idle(own)
            idle.visible = bool(idle.object)
            why.object = f"<p>{_WHY[own.kind]}</p>"
            length.visible = own.kind == "length"
            length.value = own.length
            for part in (*fill, centre):
                part.visible = own.kind == "ranges"
            centre.value = own.centring
            warning.visible = own.from_data or own.is_declared
            public.visible = own.from_data
            warning.object = _warning(own)

        watched = [
            "sheet",
            "rows",
            "site_column",
            "kind",
            "length",
            "computed",
            "taken",
            "centring",
            "declared",
        ]
        own.param.watch(follow, watched)
        follow()
        tools = pn.FlexBox(*fill, data, clear, gap="8px", align_items="center", margin=(6, 0, 0, 0))
        return kind, why, grid.cells, idle, length, tools, _line(self._target(), centre), warning, public


def _chosen_bounds(own):
    """How records are bounded, their greatest length, and the public centre: each sets its parameter."""
    kind = pmui.RadioButtonGroup(
        options=_KINDS,
        value=own.kind,
        size="small",
        label="How records are bounded",
        sx=WRAP,
        margin=(10, 0, 4, 0),
    )
    length = pmui.TextInput(
        label="No record is longer than", value="", size="small", margin=(8, 0), width=240
    )
    centre = pmui.Select(label="Public centre", options=_CENTRES, value=own.centring, size="small", **_FIELD)
    for part, name in ((centre, "centring"), (kind, "kind"), (length, "length")):
        part.param.watch(lambda event, name=name: setattr(own, name, event.new), "value")
    return kind, length, centre


def _bound_tools(own):
    """Buttons that take bounds from the records, and clear what was entered."""
    data = quiet_button("Fill what is missing from the records: not private", "query_stats")
    clear = quiet_button("Clear the bounds", "backspace")
    data.on_click(lambda event: own.take_from_data())
    clear.on_click(lambda event: own.clear_bounds())
    return data, clear


def _sums(own):
    """Whether rows that may sum up others are left out: a question, only where there are such rows."""
    words = pn.pane.HTML("", stylesheets=[css.NOTICE], margin=(10, 0, 0, 0), **_WIDE)
    menu = pmui.Select(
        label="Are these rows records?", options=_SUMS, value=own.summary_rows, size="small", **_FIELD
    )
    box = pn.Column(words, menu, visible=False, **_WIDE)

    def follow(*events):
        unsure = () if own.sheet is None else own.sheet.unsure
        box.visible, menu.value = bool(unsure), own.summary_rows
        words.object = _unsure(unsure)

    own.param.watch(follow, ["sheet", "summary_rows"])
    menu.param.watch(lambda event: setattr(own, "summary_rows", event.new or ""), "value")
    follow()
    return box


def _unsure(rows):
    """Which rows may sum up others, in HTML."""
    words = f"These rows may sum up others and be no records: {', '.join(rows)}."
    return f"<div class='notice' role='note'>{html.escape(words)}</div>" if rows else ""


def _unit(own):
    """What one record is, and how many of them a person has at most: each sets its parameter."""
    unit = pmui.Select(
        label="What is one record?", options=_RECORDS, value=own.record, size="small", **_FIELD
    )
    most = pmui.TextInput(label="Most visits of one person", value=own.per_person, size="small", **_FIELD)

    def follow(*events):
        unit.value, most.value, most.visible = own.record, own.per_person, own.record == "visit"

    own.param.watch(follow, ["record", "per_person"])
    unit.param.watch(lambda event: setattr(own, "record", event.new or ""), "value")
    most.param.watch(lambda event: setattr(own, "per_person", event.new), "value")
    follow()
    return unit, most


def _sites(own):
    """The column that names the sites: proposed by its name, or still to be chosen."""
    menu = pmui.Select(label="Which column names the site of a record?", size="small", **_FIELD)

    def follow(*events):
        if own.sheet is not None:
            named = _site_choices(own)
            # A choice is its label: a browser keeps the label of a value that stays, and so an earlier table's count.
            menu.param.update(
                options=[*named], value={named[label]: label for label in named}[own.site_column]
            )

    own.param.watch(follow, ["sheet", "site_column"])
    menu.param.watch(lambda event: setattr(own, "site_column", _site_choices(own)[event.new]), "value")
    follow()
    return menu


def _site_choices(own):
    """Columns by the labels of the menu."""
    open_ = {} if own.site_column is not None else {_UNDECIDED: None}
    columns = () if own.sheet is None else own.sheet.site_columns.items()
    return {**open_, **{f"{name} ({count_text(n, 'site')})": name for name, n in columns}, _DEALT: ""}


def _gaps(own):
    """Which rows are left out for a missing value, and the button that keeps them."""
    notice = pn.pane.HTML("", visible=False, stylesheets=[css.NOTICE], margin=(10, 0, 0, 0), **_WIDE)
    mark = quiet_button("Mark every gap", "rule")
    mark.on_click(lambda event: own.mark_gaps())

    def follow(*events):
        columns = own.left_out if own.sheet is not None else ()
        notice.visible = bool(columns)
        mark.visible = own.kind == "ranges" and any(
            name not in (own.site_column, own.predicted) for name in columns
        )
        if columns:
            notice.object = _left_out(own, columns, marks=mark.visible)

    own.param.watch(follow, ["sheet", "rows", "site_column", "kind", "target"])
    follow()
    return notice, mark


def _left_out(own, columns, *, marks):
    """How many rows are left out for the gaps of these columns, in HTML; a notice where they are many."""
    rows, count = own.sheet.count, own.incomplete(columns)
    some = _some([f"{shown(name)} ({number_text(own.incomplete([name]))})" for name in columns])
    words = (
        f"{count_text(count, 'row')} of {number_text(rows)} ({100 * count / rows:.1f} %) will be left out, because a value "
        f"is missing: {some}. The result then describes complete cases only; a mean, a proportion, counts or a histogram "
        "leaves out the rows without a value in its own columns."
    )
    if not marks or count <= _MANY_GAPS * rows:
        return f"<p>{html.escape(words)}</p>"
    more = (
        " “Mark every gap” keeps these rows: a fixed number stands in for the missing value, and an extra column says so. "
        "The app read from the records which columns have gaps."
    )
    return f"<div class='notice' role='note'>{html.escape(words + more)}</div>"


def _line(*parts):
    return pn.FlexBox(*parts, gap="0 16px", align_items="flex-start", **_WIDE)


def _fill(own):
    """One range for all columns at once: two fields and a button."""
    least, most = (
        pmui.TextInput(label=label, value="", size="small", margin=0, width=152)
        for label in ("Minimum of all", "Maximum of all")
    )
    button = quiet_button("Set every range", "done_all")
    button.on_click(lambda event: own.fill(least.value_input or "", most.value_input or ""))
    return least, most, button


def _about(sheet):
    table = sheet.table
    size = f"{number_text(sheet.count)} rows, {count_text(len(table.columns), 'column')}"
    parts = [f"<b>{html.escape(table.name)}</b>: {size}."]
    unused = [shown(row.column) for row in sheet.rows if not row.used]
    if unused:
        parts.append(html.escape(f"Not used unless you tick them: {_some(unused)}."))
    parts += [html.escape(note) for note in table.notes]
    return f"<p>{' '.join(parts)}</p>"


def _some(names, most=5):
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def _waiting(own):
    """Whose records the pages show while a new table is described."""
    return (
        f"Not in use yet: the pages keep to {own.used.name} until you use these records."
        if own.waiting
        else ""
    )


def _remark(text):
    return f"<p role='status'>{html.escape(text)}</p>" if text else ""


def _found(sheet):
    """What was found in single columns, and why some cannot name the sites, in HTML."""
    unfit = _unfit(sheet)
    return _notes(sheet) + (f"<p>{unfit}</p>" if unfit else "")


def _unfit(sheet):
    """Why the other columns cannot name the sites."""
    reasons: dict[str, list[str]] = {}
    for name, why in sheet.unfit.items():
        reasons.setdefault(why, []).append(shown(name))
    parts = [f"{_some(names)} {why if len(names) == 1 else _plural(why)}" for why, names in reasons.items()]
    return html.escape(f"Not offered for the sites: {'; '.join(parts)}.") if parts else ""


def _plural(why):
    """A reason said of several columns: "hold dates" for "holds dates"."""
    verb, rest = why.split(" ", 1)
    return " ".join([{"holds": "hold", "has": "have"}.get(verb, verb), rest])


def _notes(sheet):
    """What is known of single columns, a line each."""
    lines = [
        f"<li><b>{html.escape(shown(f.name))}</b>: {html.escape(_note(f))}</li>"
        for f in sheet.facts
        if _note(f)
    ]
    more = f"<li>and {len(lines) - _NOTES} more columns</li>" if len(lines) > _NOTES else ""
    return f"<ul>{''.join(lines[:_NOTES])}{more}</ul>" if lines else ""


def _note(facts):
    gaps = f"{count_text(facts.gaps, 'cell')} without a value." if facts.gaps and facts.filled else ""
    return " ".join(filter(None, (facts.note, gaps)))


def _warning(own):
    """What was taken from the records, or declared public after that."""
    if own.from_data:
        names = f" Taken from the records: {_some([shown(name) for name in own.taken])}." if own.taken else ""
        return f"<div class='notice' role='note'>{NOT_PUBLIC}{html.escape(names if own.kind == 'ranges' else '')}</div>"
    return (
        "<div class='notice' role='note'>You declared ranges or categories that were taken from the records public "
        "knowledge. The guarantee relies on it.</div>"
    )


def _idle(own):
    """A warning of rows whose bounds are filled in and that no record holds."""
    names = [shown(row.column) for row in own.bounded_but_unused]
    if not names or own.kind != "ranges":
        return ""
    words = f"Bounds are given, but the column is not ticked and so in no record: {_some(names)}."
    return f"<div class='notice' role='note'>{html.escape(words)}</div>"


def _html(text, **options):
    return pn.pane.HTML(text, stylesheets=[css.FINE, css.NOTICE], **FULL, **options)


_WIDE = {"sizing_mode": "stretch_width"}
_FIELD = {"margin": (10, 0, 4, 0), "sizing_mode": "stretch_width", "max_width": 374}
