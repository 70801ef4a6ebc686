"""What the form of a user's own table shows, as a pure function of its state: values of its parts, by name."""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dashboard.components.inputs import distinct_options
from dashboard.own_table.description import Sheet
from dashboard.own_table.draft import Draft
from dashboard.state.number_text import count_text, number_text
from data.columns import Description
from data.upload.table import shown

NOT_PUBLIC = (
    "Not private: this bound was computed from the records (a range, a length or a list of categories). No guarantee on "
    "this page covers it."
)
DEALT = "No column: assign the records to the sites at random"
UNDECIDED = "Not chosen yet"
LARGEST = "The largest site"
_NONE = "No column is in use"
_WHY = {
    "ranges": "Which values can each column take, for anyone who might be in such a table? Answer from what you "
    "know about the measurement, not from these records. Values outside the range are moved to its edge. A category that "
    "is not listed counts as missing.",
    "length": "How long can a record be, √(x₁² + x₂² + …), for anyone who might be in such a table? Answer from "
    "what you know about the measurements, not from these records. Longer records are shortened to this length.",
}
_MANY_GAPS = 0.05  # The share of rows from which on marking the gaps is proposed.
_NOTES = 40  # Columns with a line of their own.
# Fields with a control of their own, beside which their error stands; any other error stands below the form.
FIELDS = ("summary_rows", "per_person", "site_column", "rows", "length", "target")
Values = dict[str, Any]


@dataclass(frozen=True)
class Form:
    """The state of the form.

    Attributes
    ----------
    sheet : Sheet or None
        The table that is described.
    draft : Draft
    errors : mapping
        What was wrong when it was to be used, by field.
    template : Description or None
        A description without its table.
    problem, objection, remark : str
        What is said of the file, of the choices and of a description; they may quote foreign text.
    in_use : str
        The name of an earlier table that pages still compute on; "" if there is none.
    came : float
        Uploaded share of the file; 1 while it is read.
    reading : bool
        Whether a file is read, or bounds are computed.
    waits : str
        What is said while a file that has arrived is read.
    """

    sheet: Sheet | None = None
    draft: Draft = field(default_factory=Draft)
    errors: Mapping[str, str] = field(default_factory=dict)
    template: Description | None = None
    problem: str = ""
    objection: str = ""
    remark: str = ""
    in_use: str = ""
    came: float = 0.0
    reading: bool = False
    waits: str = ""


def view(form: Form) -> dict[str, Values]:
    """Values of the form's parts, by name."""
    return {
        **_upload(form),
        **_errors(form),
        **_table(form),
        **_choices(form),
        **_bounds(form.draft),
        **_gaps(form),
        **_exchange(form),
    }


def _upload(form):
    """How far the file has come."""
    busy = form.came > 0 or form.reading
    words = "Computing …" if form.reading and form.came == 0 else form.waits if form.came >= 1 else ""
    words = words or f"{100 * form.came:.0f} % of the file uploaded."
    endless = form.came >= 1 or form.reading
    return {
        "bar": {
            "visible": busy,
            "value": int(100 * form.came),
            "variant": "indeterminate" if endless else "determinate",
        },
        "state": {"visible": busy, "object": f"<p role='status'>{words}</p>"},
        "problem": _notice(form.problem),
    }


def _errors(form):
    """Each error beside its field; what concerns no field below the form, or below the file where no table is described."""
    found = {f"wrong_{name}": _notice(form.errors.get(name, "")) for name in FIELDS}
    rest = "" if form.objection in (form.errors.get(name) for name in FIELDS) else form.objection
    found["objection"] = _notice(rest if form.sheet is not None else "")
    found["objection_alone"] = _notice(rest if form.sheet is None else "")
    return found


def _notice(words):
    return {
        "object": f"<div class='notice error' role='alert'>{html.escape(words)}</div>",
        "visible": bool(words),
    }


def _table(form):
    """What was read, and which rows may sum up others."""
    sheet = form.sheet
    if sheet is None:
        return {
            "box": {"visible": False},
            "about": {"object": ""},
            "found": {"text": "", "visible": False},
            "sums": {"visible": False},
            "sums_words": {"object": ""},
        }
    waiting = f"Not in use yet: the pages keep to {form.in_use} until you use these records."
    found = _found(sheet)
    return {
        "box": {"visible": True},
        "about": {"object": _about(sheet) + _remark(waiting if form.in_use else "") + _remark(form.remark)},
        "found": {"text": found, "visible": bool(found)},
        "sums": {"visible": bool(sheet.unsure)},
        "sums_words": {"object": _unsure(sheet.unsure)},
    }


def _choices(form):
    """The menus about a record, its site and the column to predict."""
    draft, sheet = form.draft, form.sheet
    named = site_choices(form)
    sites = () if sheet is None else sheet.sites(draft.site_column)
    columns = [row.column for row in draft.offered]
    none = {} if draft.predicted else {_NONE: ""}
    return {
        "summary_rows": {"value": draft.summary_rows},
        "record": {"value": draft.record},
        "per_person": {"value": draft.per_person, "visible": draft.record == "visit"},
        # A choice is its label: a browser keeps the label of a value that stays, and so an earlier table's count.
        "site_column": {
            "options": [*named],
            "value": next((text for text, name in named.items() if name == draft.site_column), None),
        },
        "local": {
            "options": {LARGEST: "", **distinct_options(sites, sites)},
            "value": draft.local if draft.local in sites else "",
            "visible": bool(sites),
        },
        "target": {"options": {**none, **distinct_options(columns, columns)}, "value": draft.predicted},
    }


def site_choices(form: Form) -> dict[str, str | None]:
    """Columns that may name the sites, by the labels of the menu: proposed by its name, or still to be chosen."""
    open_ = {} if form.draft.site_column is not None else {UNDECIDED: None}
    columns = () if form.sheet is None else form.sheet.site_columns.items()
    return {**open_, **{f"{name} ({count_text(n, 'site')})": name for name, n in columns}, DEALT: ""}


def _bounds(draft):
    """How records are bounded."""
    ranges, idle = draft.kind == "ranges", _idle(draft)
    return {
        "kind": {"value": draft.kind},
        "why": {"object": f"<p>{_WHY[draft.kind]}</p>"},
        "idle": {"object": idle, "visible": bool(idle)},
        "length": {"value": draft.length, "visible": not ranges},
        "least": {"visible": ranges},
        "most": {"visible": ranges},
        "fill": {"visible": ranges},
        "centring": {"value": draft.centring, "visible": ranges},
        "warning": {"object": _warning(draft), "visible": draft.from_data or draft.is_declared},
        "public": {"visible": draft.from_data},
    }


def _gaps(form):
    """Which rows are left out for a missing value, and the button that keeps them."""
    draft, columns = form.draft, () if form.sheet is None else form.draft.left_out(form.sheet)
    marks = draft.kind == "ranges" and any(
        name not in (draft.site_column, draft.predicted) for name in columns
    )
    return {
        "gaps": {
            "object": _left_out(form, columns, marks=marks) if columns else "",
            "visible": bool(columns),
        },
        "mark": {"visible": marks},
    }


def _exchange(form):
    """The file of a description, and what an opened one without its table is good for."""
    found, no_table = form.template if form.sheet is None else None, form.sheet is None
    return {
        "explain": {"visible": no_table},
        "template": {"visible": no_table},
        "save": {"visible": not no_table or form.template is not None},
        "alone": {"visible": found is not None},
        "alone_words": {"object": "" if found is None else _described(found)},
        "sizes": {"visible": found is not None and not found.sites},
    }


def _described(found):
    """An opened description without its table, in HTML."""
    count = count_text(len(found.used), "column")
    sites = "No sites are named."
    if found.sites:
        total = number_text(sum(size for _, size in found.sites))
        sites = f"{count_text(len(found.sites), 'site')} with {total} records in total."
    target = f" To be predicted: {shown(found.target)}." if found.target else ""
    return (
        f"<p><b>A description without its table</b>: {count} in a record. {html.escape(sites + target)} Hand in a table "
        "with these columns, or compute on invented records: uniform in the public ranges, columns independent. They "
        "show what the noise does to records of this form. They cannot show the structure of the real ones.</p>"
    )


def _unsure(rows):
    """Which rows may sum up others, in HTML."""
    words = f"These rows may sum up others and be no records: {', '.join(rows)}."
    return f"<div class='notice' role='note'>{html.escape(words)}</div>" if rows else ""


def _left_out(form, columns, *, marks):
    """How many rows are left out for the gaps of these columns, in HTML; a notice where they are many."""
    sheet, described = form.sheet, form.draft.described
    rows, count = sheet.count, sheet.incomplete(columns, described)
    some = _some([f"{shown(name)} ({number_text(sheet.incomplete([name], described))})" for name in columns])
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


def _warning(draft):
    """What was taken from the records, or declared public after that."""
    if draft.from_data:
        names = (
            f" Taken from the records: {_some([shown(name) for name in draft.taken])}." if draft.taken else ""
        )
        return f"<div class='notice' role='note'>{NOT_PUBLIC}{html.escape(names if draft.kind == 'ranges' else '')}</div>"
    return (
        "<div class='notice' role='note'>You declared ranges or categories that were taken from the records public "
        "knowledge. The guarantee relies on it.</div>"
    )


def _idle(draft):
    """A warning of rows whose bounds are filled in and that no record holds."""
    names = [shown(row.column) for row in draft.bounded_but_unused]
    if not names or draft.kind != "ranges":
        return ""
    words = f"Bounds are given, but the column is not ticked and so in no record: {_some(names)}."
    return f"<div class='notice' role='note'>{html.escape(words)}</div>"
