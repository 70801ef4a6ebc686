"""Rows of the form, one a column of the table: texts that a user types, to and from `data.columns.Column`."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from functools import partial

from dashboard.state.typed_number import typed_number
from data.columns import Column, Facts
from data.columns.cells import Spellings
from data.columns.description import WRITTEN, Kind
from data.upload.table import shown

# Kinds and notations as the form offers them.
KINDS: Mapping[str, tuple[Kind, str]] = {
    "number": ("number", "1,234.5"),
    "number 1.234,5": ("number", "1.234,5"),
    "date 2024-12-31": ("date", "2024-12-31"),
    "date 31.12.2024": ("date", "31.12.2024"),
    "date 12/31/2024": ("date", "12/31/2024"),
    "yes / no": ("yes/no", ""),
    "category": ("category", ""),
}
NAMES = {kind: name for name, kind in KINDS.items()}
LEAVE_OUT, MARK = "leave row out", "constant + mark"
_MISSING = {LEAVE_OUT: "leave out", MARK: "mark"}
NO_UNIT = "none"  # Cells without a unit, among the spellings of one.
BLANK = "(blank)"  # An empty cell, where it is an answer: x = yes, blank = no.
_ALSO = re.compile(r"also\b\s*:?\s*", re.IGNORECASE)
_CODE = re.compile(r"[-−+]?\d+(?:[.,]\d+)?", re.ASCII)
_MOST_LETTERS = 20_000  # Of a list of categories that is typed.


@dataclass(frozen=True)
class Row:
    """A column as the user describes it; `least`, `most` and `values` are the typed texts.

    `kind` is one of `KINDS`, `missing` one of `LEAVE_OUT` and `MARK`, and `also` lists what else stands for no value, as
    typed: "999; -9". `unit` is the unit that cells carry, with its other spellings as typed: "days = d". `more` holds what
    only a description file sets: centre, shares, fill, since. Where its cells fit a second notation, it is `other`.
    """

    column: str
    examples: tuple[str, ...]
    used: bool = True
    least: str = ""
    most: str = ""
    kind: str = "number"
    values: str = ""
    missing: str = LEAVE_OUT
    unit: str = ""
    more: Column | None = None
    other: str = ""
    also: str = ""

    @property
    def if_empty(self) -> str:
        """What becomes of a missing value, and what else is one: "leave row out; also: 999"."""
        return f"{self.missing}; also: {self.also}" if self.also else self.missing

    def with_if_empty(self, text: str) -> Row:
        """The row with what was typed or chosen there; what is neither an offer nor a list of codes changes nothing.

        Another offer that is chosen keeps the codes, and the same one without them clears them.
        """
        chosen = next((offer for offer in _MISSING if offer in text), "")
        # An editor may append what is typed to an offer.
        rest = (text.replace(chosen, " ") if chosen else text).strip(" ;,")
        also, codes = _ALSO.match(rest), _codes(_ALSO.sub(";", rest))
        if also or (codes and all(map(_CODE.fullmatch, codes))):
            return replace(self, missing=chosen or self.missing, also="; ".join(codes))
        if rest or not chosen:
            return self
        return replace(self, missing=chosen, also="" if chosen == self.missing else self.also)


def row_of(facts: Facts, examples: tuple[str, ...]) -> Row:
    """A column as it looks; dates, and what needs a list of categories, are for the user to tick."""
    return Row(
        facts.name,
        examples,
        # That a blank cell is a no is offered alone.
        used=facts.fits and facts.kind in ("number", "yes/no") and "" not in facts.values,
        kind=NAMES[facts.kind, facts.written],
        values=_answers_text(facts.values, facts.spellings),
        unit=list_text((facts.unit,)) if facts.unit else "",
        other=facts.other,
    )


def column_of(row: Row, *, used: bool) -> Column:
    """What a row of the form says.

    Raises
    ------
    ValueError
        If a range or a list is missing or makes no sense; the message may quote foreign text.
    """
    kind, written = KINDS[row.kind]
    more = row.more if row.more is not None and row.more.kind == kind else Column(row.column, kind)
    told = written if row.other or written != WRITTEN[kind][0] else ""  # Otherwise the cells of a file tell.
    about = {"used": used, "written": told, "missing": _MISSING[row.missing], "gaps": tuple(_codes(row.also))}
    if not used:
        about |= _unchecked(row, kind)
    elif kind in ("yes/no", "category"):
        about["values"], about["spellings"] = _answers_of(row.values, kind)
        if kind == "category" and len(about["values"]) < 2:
            raise ValueError(
                f"Enter the categories of column {shown(row.column)}, such as: low; middle; high."
            )
        if kind == "yes/no" and len(about["values"]) != 2:
            raise ValueError(
                f"Enter what counts as 1 and what as 0 in column {shown(row.column)}, such as: yes; no."
            )
        if len(more.shares) != len(about["values"]):
            more = replace(more, values=(), spellings=(), shares=())
    else:
        read = partial(day if kind == "date" else number, written=written)
        low = read(row.least, f"the smallest value of column {shown(row.column)}")
        high = read(row.most, f"the largest value of column {shown(row.column)}")
        if not low < high:  # type: ignore[operator]  # Both are numbers, or both texts of dates.
            raise ValueError(
                f"The largest value of column {shown(row.column)} must be more than the smallest, {row.least}, "
                f"got {row.most}."
            )
        about |= {"lower": low, "upper": high}
    if kind == "number":
        about["unit"], about["spellings"] = _unit_of(row, used)
    elif kind == "date":
        about["unit"], about["spellings"] = "", ()
    else:
        about["unit"] = ""
    if twice := {*about["gaps"]} & {
        *about.get("values", ()),
        *(text for text, _ in about.get("spellings", ())),
    }:
        raise ValueError(
            f"In column {shown(row.column)}, {shown(min(twice))} is a value and stands for no value: choose one."
        )
    return replace(more, public=True, **about)


def gaps_of(row: Row) -> Column:
    """What a row says of missing values, and of words that are values; the rest of it may be unfinished."""
    kind, codes = KINDS[row.kind][0], tuple(_codes(row.also))
    try:
        values, spellings = _answers_of(row.values, kind) if kind in ("yes/no", "category") else ((), ())
        return Column(row.column, kind, values=values, spellings=spellings, gaps=codes)
    except ValueError:
        return Column(row.column, kind, gaps=codes)


def put(row: Row, column: Column) -> Row:
    """A row with what a description says of its column; how cells are written is this file's own."""
    kind, written = KINDS[row.kind]
    if kind != column.kind or column.written == row.other != "":
        written = column.written or WRITTEN[column.kind][0]
    return replace(
        row,
        used=column.used,
        kind=NAMES[column.kind, written],
        least=limit_text(column.lower, written=written),
        most=limit_text(column.upper, written=written),
        values="" if column.kind == "number" else _answers_text(column.values, column.spellings),
        missing=MARK if column.missing == "mark" else LEAVE_OUT,
        unit=list_text((column.unit,), tuple((text or NO_UNIT, unit) for text, unit in column.spellings))
        if column.unit
        else "",
        more=column,
        also="; ".join(column.gaps),
    )


def _answers_text(values, spellings):
    """Answers or categories as they are typed; a blank cell among them has a word."""
    return list_text(
        tuple(value or BLANK for value in values),
        tuple((text or BLANK, value or BLANK) for text, value in spellings),
    )


def _answers_of(text, kind):
    """The reverse; among categories the word is a text as any other."""
    values, spellings = list_of(text)
    if kind != "yes/no":
        return values, spellings
    empty = {BLANK: ""}
    return (
        tuple(empty.get(value, value) for value in values),
        tuple((empty.get(text, text), empty.get(value, value)) for text, value in spellings),
    )


def _unit_of(row, used):
    """The unit and its other spellings, as typed; of a row that is not used what can be understood."""
    try:
        units, spellings = list_of(row.unit)
        if len(units) > 1:
            raise ValueError(
                f"Enter one unit of column {shown(row.column)} and its other spellings, such as: days = d."
            )
    except ValueError:
        if used:
            raise
        return "", ()
    return (units[0], spellings) if units else ("", ())


def _codes(text):
    """Codes that were typed one after another: 999; -9 or 999, -9."""
    return list(dict.fromkeys(part.strip() for part in re.split(r";|,\s+", text) if part.strip(" ,")))


def list_text(values: tuple[str, ...], spellings: Spellings = ()) -> str:
    """Categories as they are typed: female = F; male = M. They stand in quotation marks where they hold a semicolon."""
    stream = io.StringIO()
    groups = [(value, *(text for text, meant in spellings if meant == value)) for value in values]
    # An equals sign of a text is doubled, unless it belongs to ≤, ≥ or ≠ as they are typed.
    texts = [" = ".join(re.sub(r"(?<![<>!])=", "==", text) for text in group) for group in groups]
    csv.writer(stream, delimiter=";", lineterminator="").writerow(texts)
    return re.sub(r";(?=\S)", "; ", stream.getvalue()) if '"' not in stream.getvalue() else stream.getvalue()


def list_of(text: str) -> tuple[tuple[str, ...], Spellings]:
    """Typed categories, and their other spellings; ValueError if there is one twice, or no end to them."""
    if len(text) > _MOST_LETTERS or "\n" in text or "\r" in text:
        raise ValueError(f"A list of categories has at most {_MOST_LETTERS} letters, in one line.")
    rows = list(csv.reader([text], delimiter=";", skipinitialspace=True))
    groups = [re.split(r"(?<![<>=!])=(?!=)", value) for value in rows[0]] if rows else []
    groups = [[part.replace("==", "=").strip() for part in group] for group in groups]
    groups = [[part for part in group if part] for group in groups]
    texts = [part for group in groups for part in group]
    if twice := next((part for part in texts if texts.count(part) > 1), ""):
        raise ValueError(f"The category {shown(twice)} is listed twice.")
    groups = [group for group in groups if group]
    return tuple(first for first, *_ in groups), tuple(
        (text, first) for first, *rest in groups for text in rest
    )


def limit_text(value, *, written: str = "") -> str:
    """An end of a range as it is typed, with the decimal comma of a column that is written so."""
    if value is None or isinstance(value, str):
        return value or ""
    text = repr(float(value)).removesuffix(".0")
    return text.replace(".", ",") if written == "1.234,5" else text


def number(text: str, what: str, *, written: str = "1,234.5") -> float:
    """Parse a typed number; digits in groups of three count as the column writes them: 150,000 beside 1,234.5 is no 150.

    Raises
    ------
    ValueError
        If it is missing or not a finite number.
    """
    if not text.strip():
        raise ValueError(f"Enter {what}.")
    try:
        return typed_number(text, written=written)
    except ValueError as error:
        raise ValueError(f"{what[0].upper()}{what[1:]} {error}.") from None


def day(text: str, what: str, *, written: str = "") -> str:
    """Parse a typed date, such as 2024-12-31 or 31.12.2024, or 12/31/2024 for a column that is written so.

    Raises
    ------
    ValueError
        If it is missing or no date.
    """
    plain = text.strip()
    if not plain:
        raise ValueError(f"Enter {what}, a date such as 2024-12-31.")
    parts = re.fullmatch(r"(\d{1,2})\.(\d{1,2})\.(\d{4})", plain, re.ASCII)
    slashes = re.fullmatch(r"(\d{1,2})/(\d{1,2})/(\d{4})", plain, re.ASCII)
    try:
        if parts:
            return date(int(parts[3]), int(parts[2]), int(parts[1])).isoformat()
        if slashes and written == "12/31/2024":
            return date(int(slashes[3]), int(slashes[1]), int(slashes[2])).isoformat()
        return date.fromisoformat(plain).isoformat()
    except ValueError:
        raise ValueError(
            f"{what[0].upper()}{what[1:]} must be a date such as 2024-12-31, got {shown(text)}."
        ) from None


def _unchecked(row, kind):
    """What can be understood of a row that is not used, so that a description keeps it."""
    try:
        found = column_of(row, used=True)
    except ValueError:
        return {}
    return {name: getattr(found, name) for name in ("lower", "upper", "values", "spellings")}
