"""What a user says of a table so far, as raw texts, and the `Description` that it is, or its errors by field."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from dashboard.own_table.description import Sheet, cell_text
from dashboard.own_table.rows import KINDS, MARK, Row, column_of, gaps_of, number, put
from data.columns import Column, Description
from data.columns.description import CENTRINGS, SUMMARY_ROWS, UNITS
from data.upload.table import shown

# How records are bounded: by a range for every column, or by one length for all records.
BOUNDS = ("ranges", "length")
_OFFERED = {"record": UNITS, "summary_rows": SUMMARY_ROWS, "centring": CENTRINGS, "kind": BOUNDS}


@dataclass(frozen=True)
class Draft:
    """The form, as it is filled in; an edit gives another one.

    Attributes
    ----------
    rows : tuple of Row
        The columns.
    site_column : str or None
        "": the records are assigned to the sites at random; None: nobody chose yet.
    local, target : str
        As `Description` has them.
    record, per_person : str
        What one record is, and the most records of one person as typed, which is asked for visits alone.
    summary_rows : str
        What becomes of rows that may sum up others; "": nobody said.
    centring : str
    kind : "ranges" or "length"
    length : str
        The bound on a record's length, as typed.
    computed, declared : tuple of str
        Kinds of bounds that were computed from the records, and those that were then declared public knowledge.
    taken : tuple of str
        Columns whose range or categories were taken from the records.
    """

    rows: tuple[Row, ...] = ()
    site_column: str | None = None
    local: str = ""
    target: str = ""
    record: str = ""
    per_person: str = ""
    summary_rows: str = ""
    centring: str = "public"
    kind: str = "ranges"
    length: str = ""
    computed: tuple[str, ...] = ()
    taken: tuple[str, ...] = ()
    declared: tuple[str, ...] = ()

    def __post_init__(self):
        for name, offered in _OFFERED.items():
            if getattr(self, name) not in offered:
                raise ValueError(f"{name} must be one of {offered}, got {shown(getattr(self, name))}")

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of a record."""
        return tuple(row.column for row in self.rows if row.used and row.column != self.site_column)

    @property
    def offered(self) -> tuple[Row, ...]:
        """The rows of columns that may be part of a record."""
        return tuple(row for row in self.rows if row.column != self.site_column)

    @property
    def predicted(self) -> str:
        """The column to predict: the last one that is used unless the user chose; "" for none."""
        names = [row.column for row in self.offered]
        return self.target if self.target in names else next(reversed(self.columns), "")

    @property
    def from_data(self) -> bool:
        """Whether the bounds in force were computed from the records, and so are not private."""
        return self.kind in self.computed

    @property
    def is_declared(self) -> bool:
        """Whether the bounds in force were computed from the records, and the user declared them public knowledge."""
        return self.kind in self.declared

    @property
    def bounded_but_unused(self) -> tuple[Row, ...]:
        """Rows whose range or categories are given and that are not ticked."""
        left = (row for row in self.offered if not row.used)
        return tuple(row for row in left if row.least or row.most or (row.values and row.kind == "category"))

    @property
    def described(self) -> dict[str, Column]:
        """What is said of missing values so far, by column."""
        return {row.column: gaps_of(row) for row in self.rows}

    def left_out(self, sheet: Sheet) -> tuple[str, ...]:
        """Columns whose rows without a value are left out: of the target and the sites, of others unless they are marked."""
        marked = {row.column for row in self.rows if row.missing == MARK} if self.kind == "ranges" else set()
        asked = [self.site_column] if self.site_column else []
        found = [name for name in self.columns if name not in marked or name == self.target]
        described = self.described
        return tuple(name for name in (*asked, *found) if len(sheet.gaps(described[name])))

    def suggested(self, sheet: Sheet) -> tuple[str, ...]:
        """The columns of answers that are as `survey` found them in the records; a description counts as the user's."""
        found = {row.column: row.values for row in sheet.rows}
        answers = (r for r in self.rows if r.column in self.columns and KINDS[r.kind][0] == "yes/no")
        return tuple(row.column for row in answers if row.more is None and row.values == found[row.column])

    # Edits that concern several fields.

    def filled(self, least: str, most: str) -> Draft:
        """The same range for all columns of numbers."""
        rows = (
            replace(row, least=least, most=most) if KINDS[row.kind][0] == "number" else row
            for row in self.rows
        )
        return replace(self, rows=tuple(rows))

    def marked(self, sheet: Sheet) -> Draft:
        """Rows are left out for the answer alone: elsewhere a public constant stands for a missing value, and is marked."""
        gaps = {name for name, column in self.described.items() if len(sheet.gaps(column))} - {self.predicted}
        rows = (replace(row, missing=MARK) if row.column in gaps else row for row in self.rows)
        return replace(self, rows=tuple(rows))

    def cleared(self) -> Draft:
        """Without the bounds of this kind, whether typed or computed from the records."""
        kinds = {name: _without(getattr(self, name), self.kind) for name in ("computed", "declared")}
        if self.kind == "length":
            return replace(self, length="", **kinds)
        return replace(self, rows=tuple(map(_bare, self.rows)), taken=(), **kinds)

    def made_public(self) -> Draft:
        """The user states that what was taken from the records is public knowledge, whatever the records hold."""
        taken = () if self.kind == "ranges" else self.taken
        declared = (*_without(self.declared, self.kind), self.kind)
        return replace(self, computed=_without(self.computed, self.kind), taken=taken, declared=declared)

    def asking(self) -> list[Column]:
        """The columns whose bounds are to be found in the records."""
        rows = (row for row in self.rows if row.column in self.columns and not _is_complete(row))
        return [column_of(_open(row), used=False) for row in rows]

    def with_length(self, found: float, asked: Draft) -> Draft:
        """With the longest record's length, unless another was typed since it was asked for."""
        if self.length != asked.length:
            return self
        # Rounded to four digits, but never below the longest record.
        text = cell_text(float(f"{1.001 * found:.4g}"))
        return replace(self, length=text, computed=tuple({*self.computed, "length"}))

    def with_columns(self, found: Sequence[Column], asked: Draft) -> Draft:
        """With what the records show of these columns, but for those that were edited since they were asked for."""
        before = {row.column: _typed(row) for row in asked.rows}
        shows = {column.name: column for column in found if not column.public}
        shows = {
            r.column: shows[r.column]
            for r in self.rows
            if r.column in shows and _typed(r) == before.get(r.column)
        }
        rows = tuple(
            replace(put(row, shows[row.column]), used=row.used, missing=row.missing, unit=row.unit)
            if row.column in shows
            else row
            for row in self.rows
        )
        taken = tuple(dict.fromkeys((*self.taken, *shows)))
        computed = tuple({*self.computed, "ranges"}) if taken else self.computed
        return replace(self, rows=rows, taken=taken, computed=computed)

    def with_description(self, found: Description, sheet: Sheet) -> Draft:
        """As a description of the same columns says."""
        about = {column.name: column for column in found.columns}
        site = found.site_column if found.site_column in sheet.site_columns else ""
        taken = tuple(column.name for column in found.columns if not column.public)
        kind = "ranges" if found.length is None else "length"
        computed = (*(("ranges",) if taken else ()), *(() if found.length_public else ("length",)))
        return Draft(
            rows=tuple(put(row, about[row.column]) for row in self.rows),
            site_column=site,
            local=found.local if found.local in sheet.sites(site) else "",
            target=found.target,
            record=found.record,
            per_person=str(found.per_person) if found.record == "visit" else "",
            summary_rows=found.summary_rows,
            centring=found.centring,
            kind=kind,
            length="" if found.length is None else cell_text(found.length),
            computed=computed,
            taken=taken,
            declared=(kind,) if found.declared else (),
        )

    def over(self, sheet: Sheet, before: Sheet) -> Draft:
        """The same said of another choice of the table's rows: what was typed stays, suggestions are made anew."""
        was = {row.column: row for row in before.rows}
        now = {row.column: row for row in sheet.rows}
        rows = tuple(now[row.column] if row == was[row.column] else row for row in self.rows)
        site = self.site_column if not self.site_column or self.site_column in sheet.site_columns else None
        return replace(self, rows=rows, site_column=site)


# A draft as it is understood: the description, or None and what is wrong, by field in the order of the form.
Understood = tuple[Description | None, dict[str, str]]


def read(draft: Draft, sheet: Sheet, sites: Iterable[tuple[str, int]] = ()) -> Understood:
    """What a draft says of a sheet whose records are to be used: what must be chosen for it is chosen."""
    (found, wrong), missing = stated(draft, sheet, sites), _missing(draft, sheet)
    if not missing:
        return found, wrong
    return None, missing | {name: words for name, words in wrong.items() if name not in missing}


def stated(draft: Draft, sheet: Sheet, sites: Iterable[tuple[str, int]] = ()) -> Understood:
    """What a draft says of a sheet; errors may quote foreign text.

    Parameters
    ----------
    sites : iterable of (str, int)
        Name and records of every site, where they are known.
    """
    errors: dict[str, str] = {}
    parts: dict = {"columns": _columns(draft, errors)}
    for name, asked, least in (
        ("length", draft.kind == "length", 0),
        ("per_person", draft.record == "visit", 1),
    ):
        if asked:
            parts[name] = _typed_number(draft, name, least, errors)
    if errors:
        return None, errors
    try:
        found = Description(
            site_column=draft.site_column or "",
            target=draft.target,
            centring=draft.centring,
            sites=tuple(sites),
            declared=draft.is_declared,
            local=draft.local if draft.local in sheet.sites(draft.site_column) else "",
            record=draft.record,
            summary_rows=draft.summary_rows,
            length_public="length" not in draft.computed or draft.kind != "length",
            **parts,
        )
    except ValueError as error:
        return None, {"": str(error)}
    return found, {}


def _missing(draft, sheet):
    """What is still to be chosen, by field."""
    errors = {}
    if not draft.columns:
        errors["rows"] = "Choose at least one column."
    if draft.site_column is None:
        errors["site_column"] = (
            "Choose the column that names the sites, or let the records be assigned at random."
        )
    if draft.target and draft.target not in draft.columns:
        errors["target"] = f"Tick column {shown(draft.target)}, which is to be predicted, or predict another."
    if sheet.unsure and not draft.summary_rows:
        errors["summary_rows"] = (
            f"Say whether these rows are records or sum up others: {', '.join(sheet.unsure)}."
        )
    return errors


def _columns(draft, errors):
    """The columns; under one length their ranges are kept, and none is asked for."""
    taken, found = draft.taken if "ranges" in draft.computed else (), []
    for row in draft.rows:
        used = row.column in draft.columns
        try:
            column = column_of(row, used=used and draft.kind == "ranges")
        except ValueError as error:
            errors.setdefault("rows", str(error))
        else:
            found.append(replace(column, used=used, public=column.name not in taken))
    return tuple(found)


_WHAT = {"length": "the bound on a record's length", "per_person": "the most visits of one person"}


def _typed_number(draft, name, least, errors):
    """A typed number; of visits a whole one."""
    text = getattr(draft, name)
    try:
        found = number(text, _WHAT[name])
        if name == "per_person":
            if found < least or found % 1:
                raise ValueError(f"The most visits of one person must be a whole number, got {text}.")
            return int(found)
        if not found > least:
            raise ValueError(f"The bound on a record's length must be above 0, got {text}.")
        return found
    except ValueError as error:
        errors.setdefault(name, str(error))
        return None


def _without(kinds, kind):
    return tuple(one for one in kinds if one != kind)


def _open(row):
    """A row whose bounds are to be found."""
    return replace(_bare(row), values=row.values if KINDS[row.kind][0] == "yes/no" else "")


def _bare(row: Row) -> Row:
    """A row without range and categories; what counts as yes is no bound."""
    kept = row.values if KINDS[row.kind][0] == "yes/no" else ""
    return replace(row, least="", most="", values=kept, more=None)


def _typed(row):
    return row.kind, row.least, row.most, row.values


def _is_complete(row):
    """Whether nothing is missing in a row."""
    kind = KINDS[row.kind][0]
    return bool(row.values) if kind in ("category", "yes/no") else bool(row.least and row.most)
