"""The description of a table: columns, public ranges and categories, sites, target. It holds no records.

As a file it is JSON that a person can read and write. What such a file says is foreign text.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from dataclasses import fields
from datetime import date
from typing import Annotated, Any, Literal, get_args

import pydantic
from pydantic import BeforeValidator, Field
from pydantic.dataclasses import dataclass

from core.check import HUGE, is_number, shown, strict_json, worded
from data.models import in_our_words

Kind = Literal["number", "date", "yes/no", "category"]
KINDS: tuple[Kind, ...] = get_args(Kind)
Missing = Literal["leave out", "mark"]
MISSING: tuple[Missing, ...] = get_args(Missing)
Centring = Literal["public", "none"]
CENTRINGS: tuple[Centring, ...] = get_args(Centring)
SummaryRows = Literal["", "leave out", "keep"]
SUMMARY_ROWS: tuple[SummaryRows, ...] = get_args(SummaryRows)
Unit = Literal["", "person", "visit", "household"]
UNITS: tuple[Unit, ...] = get_args(Unit)
# How numbers and dates may be written; "" is what the file shows.
WRITTEN: Mapping[str, tuple[str, ...]] = {
    "number": ("1,234.5", "1.234,5"),
    "date": ("2024-12-31", "31.12.2024", "12/31/2024"),
    "yes/no": ("",),
    "category": ("",),
}
FORMAT, VERSION = "CAPE Lab table description", 1
LIMIT = 1_000_000  # Bytes of a file.
MOST_VALUES = 500  # Categories of a column.
_KNOWN = pydantic.ConfigDict(extra="forbid")
Truth = pydantic.StrictBool
Text = Annotated[str, Field(strict=True, max_length=1_000)]
Share = Annotated[float, Field(strict=True, ge=0, le=1)]
Size = Annotated[int, Field(strict=True, ge=1, le=10**8)]  # Records of a site.


def _number_or_text(value):
    number = not isinstance(value, bool) and is_number(value) and -HUGE <= value <= HUGE
    if not (value is None or isinstance(value, str) or number):
        raise ValueError(f"must be a finite number, or a date such as 2024-12-31, got {shown(value)}")
    return float(value) if number else value


Limit = Annotated[float | str | None, BeforeValidator(_number_or_text)]


def _texts(codes):
    """Codes as texts; a file may write 999 as a number."""
    return (
        tuple(f"{code:.17g}" if is_number(code) and not isinstance(code, bool) else code for code in codes)
        if isinstance(codes, list | tuple)
        else codes
    )


def _named_error(error, columns):
    """What is wrong in a file, with the names of its columns in place of their numbers."""
    found = error.errors()
    for one in found:
        first, *rest = one["loc"] or ("",)
        if first == "columns" and rest:
            column = columns[rest[0]] if rest[0] < len(columns) else None
            name = column.get("name") if isinstance(column, Mapping) else None
            one["loc"] = (f"column {_quoted(rest[0] if name is None else name)}", *rest[1:])
    return ValueError("; ".join(worded(found)))


def _pairs(sites):
    """Sites as a file writes them, {name: size}, or as pairs."""
    return tuple(sites.items()) if isinstance(sites, Mapping) else sites


@in_our_words
@dataclass(frozen=True, config=_KNOWN)
class Column:
    """One column of a table, as its user describes it without looking at the records.

    Attributes
    ----------
    name : str
        Its heading.
    kind : "number", "date", "yes/no" or "category"
    used : bool
        Whether it is part of a record.
    written : str
        How numbers or dates are written in the file at hand, one of `WRITTEN`, where its cells fit two of them; "" is
        what they show. A description that goes to another file leaves it out.
    unit : str
        Unit of a number, which its cells may carry. Cells of another unit, or of none beside some with one, are an error
        unless `spellings` say that they mean this unit.
    lower, upper : float or str, optional
        Public range: numbers, or dates as 2024-12-31. None: not yet known.
    since : str
        The public date that a date's days are counted from; "" is the first of its range.
    values : tuple of str
        Public list of the categories; of yes/no what counts as 1, then what counts as 0.
    centre : float or str, optional
        Public constant that is subtracted; default: the middle of the range.
    spellings : tuple of (str, str)
        Other spellings of the values, each with the value that it means, {"F": "female"} in a file. What differs by
        capitals, or by hyphens and spaces between words, alone needs none. Of a number other spellings of its unit,
        {"d": "days"}; "", or a word for nothing such as "none", is a cell without a unit.
    shares : tuple of float
        Public constants that are subtracted from a category's indicators; default: equal shares.
    missing : "leave out" or "mark"
        What becomes of a row without a value: it is left out, or the cell is replaced by a constant and an
        indicator of its own is 1.
    fill : float or str, optional
        That constant, for numbers and dates; default: the centre.
    gaps : tuple of str
        What else stands for no value, such as 999; a file may write numbers.
    public : bool
        False: range or categories were taken from the records, and no guarantee covers them.
    """

    name: Text
    kind: Kind = "number"
    used: Truth = True
    written: Text = ""
    unit: Text = ""
    lower: Limit = None
    upper: Limit = None
    since: Text = ""
    values: Annotated[tuple[Text, ...], Field(max_length=MOST_VALUES)] = ()
    spellings: Annotated[
        tuple[tuple[Text, Text], ...],
        Field(max_length=10 * MOST_VALUES),
        BeforeValidator(_pairs, json_schema_input_type=dict[Text, Text]),
    ] = ()
    centre: Limit = None
    shares: Annotated[tuple[Share, ...], Field(max_length=MOST_VALUES)] = ()
    missing: Missing = "leave out"
    fill: Limit = None
    gaps: Annotated[
        tuple[Text, ...],
        Field(max_length=MOST_VALUES),
        BeforeValidator(_texts, json_schema_input_type=tuple[Text | float, ...]),
    ] = ()
    public: Truth = True

    def __post_init__(self):
        where = f"column {_quoted(self.name)}"
        if self.written and self.written not in WRITTEN[self.kind]:
            names = ", ".join(map(repr, WRITTEN[self.kind]))
            raise ValueError(f"written of {where} must be one of {names}, got {shown(self.written)}")
        for name in ("lower", "upper", "centre", "fill"):
            self._limit(name, where)
        if self.since:
            object.__setattr__(self, "since", _day(f"since of {where}", self.since).isoformat())
        self._check_values(where)

    @property
    def low(self) -> float:
        """The least value as a number: of a date, the days since `since`."""
        return self._number("lower", 0.0)

    @property
    def high(self) -> float:
        """The largest value as a number."""
        return self._number("upper", 1.0)

    @property
    def middle(self) -> float:
        """The public constant that is subtracted."""
        return (self.low + self.high) / 2 if self.centre is None else self._number("centre", 0.5)

    @property
    def filled(self) -> float:
        """The public constant that replaces a missing value."""
        return self.middle if self.fill is None else self._number("fill", 0.5)

    @property
    def origin(self) -> int:
        """The day, counted from the first of year 1, that a date's days are counted from."""
        return date.fromisoformat(self.since or str(self.lower)).toordinal()

    def _number(self, name, of_answers):
        if self.kind == "yes/no":
            return of_answers
        value = getattr(self, name)
        if value is None:
            raise ValueError(f"{name} of column {_quoted(self.name)} must be given, got None")
        return float(
            date.fromisoformat(str(value)).toordinal() - self.origin if self.kind == "date" else value
        )

    def _limit(self, name, where):
        value = getattr(self, name)
        if value is None:
            return
        if self.kind in ("yes/no", "category"):
            raise ValueError(
                f"{name} of {where} must be left out: it is no number or date, got {shown(value)}"
            )
        if self.kind == "date":
            object.__setattr__(self, name, _day(f"{name} of {where}", value).isoformat())
        elif isinstance(value, str):
            raise ValueError(f"{name} of {where} must be a finite number, got {shown(value)}")
        else:
            object.__setattr__(self, name, float(value))

    def _check_values(self, where):
        values, shares = self.values, self.shares
        if values and self.kind not in ("yes/no", "category"):
            raise ValueError(
                f"values of {where} must be left out: it holds {self.kind}s, got {shown(values)}"
            )
        if len(set(values)) < len(values):
            raise ValueError(f"values of {where} must be different texts, got {shown(values)}")
        if self.kind == "yes/no" and len(values) not in (0, 2):
            raise ValueError(
                f"values of {where} must be two, the one that counts as 1 first, got {shown(values)}"
            )
        meant = (self.unit,) if self.unit and self.kind == "number" else values
        found = [text for text, _ in self.spellings]
        if any(value not in meant for _, value in self.spellings) or len({*found, *meant}) < len(found) + len(
            meant
        ):
            raise ValueError(
                f"spellings of {where} must be other texts for its values or its unit, got {shown(self.spellings)}"
            )
        if "" in self.gaps or {*self.gaps} & {*values, *found}:
            raise ValueError(
                f"gaps of {where} must be texts that are none of its values, got {shown(self.gaps)}"
            )
        if shares and (len(shares) != len(values) or self.kind != "category" or abs(sum(shares) - 1) > 1e-6):
            raise ValueError(
                f"shares of {where} must be one for each of its categories and sum to 1, got {shown(shares)}"
            )


@in_our_words
@dataclass(frozen=True, config=_KNOWN)
class Description:
    """A table as its user describes it: enough to make records of it, or to invent some.

    Attributes
    ----------
    columns : tuple of Column
    site_column : str
        The column that names the site of a record; "" if none does.
    target : str
        The column to predict; "" if none is.
    centring : "public" or "none"
        Whether public constants are subtracted: the middle of every range, equal shares of categories.
    length : float, optional
        One bound on the length of a record instead of ranges, for columns of numbers alone.
    length_public : bool
        False: this length was taken from the records, and no guarantee covers it.
    sites : tuple of (str, int)
        Name and number of records of every site, which are public.
    declared : bool
        Ranges or categories were taken from the records, and the user has declared them public knowledge.
    local : str
        The site that works alone under the scheme "local"; "" is the largest.
    record : "person", "visit", "household" or ""
        What one record is; "" if nobody said.
    per_person : int
        The most records that one person may have, which is public: more than 1 of visits alone. A release that is μ-GDP
        for one record is μ times `per_person` for one person (`core.privacy.group_mu`).
    summary_rows : "", "leave out" or "keep"
        What becomes of rows that may sum up others (`data.columns.summary_rows`); "" if nobody said: they are kept.
    """

    columns: Annotated[tuple[Column, ...], Field(max_length=10_000)]
    site_column: Text = ""
    target: Text = ""
    centring: Centring = "public"
    length: Annotated[float, Field(strict=True, gt=0, le=HUGE)] | None = None
    sites: Annotated[
        tuple[tuple[Text, Size], ...],
        Field(max_length=1_000),
        BeforeValidator(_pairs, json_schema_input_type=dict[Text, Size]),
    ] = ()
    declared: Truth = False
    local: Text = ""
    record: Unit = ""
    per_person: Size = 1
    summary_rows: SummaryRows = ""
    length_public: Truth = True

    def __post_init__(self):
        names = self.names
        if not names or len(set(names)) < len(names):
            raise ValueError(f"columns must be at least one and of different names, got {len(names)}")
        for name in ("site_column", "target"):
            value = getattr(self, name)
            if value and value not in names:
                raise ValueError(f"{name} must be one of the columns, got {_quoted(value)}")
        if self.target and self.target == self.site_column:
            raise ValueError(f"target must not be the site column, got {_quoted(self.target)}")
        if len(self.sites) == 1 or len(dict(self.sites)) < len(self.sites):
            raise ValueError(f"sites must be at least two of different names, got {len(self.sites)}")
        if self.local and not self.site_column and not self.sites:
            raise ValueError(
                f"local must be left out where no column names the sites, got {_quoted(self.local)}"
            )
        if self.per_person > 1 and self.record != "visit":
            raise ValueError(f"per_person must be 1 unless record is 'visit', got {self.per_person}")

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all columns, in order."""
        return tuple(column.name for column in self.columns)

    @property
    def used(self) -> tuple[Column, ...]:
        """The columns of a record."""
        return tuple(column for column in self.columns if column.used and column.name != self.site_column)

    @property
    def public(self) -> bool:
        """Whether all bounds in use, ranges and categories or one length, are public constants."""
        if self.length is not None:
            return self.length_public
        return all(column.public for column in self.used)

    def to_dict(self) -> dict[str, Any]:
        """A JSON object with all that differs from the defaults."""
        names = ("site_column", "target", "length", "local", "record", "summary_rows")
        about = {name: getattr(self, name) for name in names}
        about = {name: value for name, value in about.items() if value}
        about["centring"] = self.centring
        if self.declared:
            about["declared"] = True
        if not self.length_public:
            about["length_public"] = False
        if self.per_person > 1:
            about["per_person"] = self.per_person
        if self.sites:
            about["sites"] = dict(self.sites)
        return {
            "format": FORMAT,
            "version": VERSION,
            **about,
            "columns": [_column_dict(column) for column in self.columns],
        }

    @classmethod
    def from_dict(cls, found: Mapping) -> Description:
        """The description that `to_dict` wrote, or a person.

        Raises
        ------
        ValueError
            For what is no description; the message may quote foreign text.
        """
        if not isinstance(found, Mapping) or found.get("format") != FORMAT:
            raise ValueError(f'found must be a table description: a JSON object with "format": "{FORMAT}"')
        if found.get("version") != VERSION or isinstance(found["version"], bool):
            raise ValueError(f"found must be of version {VERSION}, got {shown(found.get('version'))}")
        about = {name: value for name, value in found.items() if name not in ("format", "version")}
        try:
            return _file().validate_python(about)
        except pydantic.ValidationError as error:
            columns = found.get("columns")
            raise _named_error(error, columns if isinstance(columns, list | tuple) else ()) from None

    def text(self) -> str:
        """The file: JSON, one column a line."""
        found = self.to_dict()
        columns = ",\n  ".join(json.dumps(one, ensure_ascii=False) for one in found.pop("columns"))
        head = json.dumps(found, ensure_ascii=False, indent=1)[:-2]
        return f'{head},\n "columns": [\n  {columns}\n ]\n}}\n'

    @classmethod
    def read(cls, content: bytes) -> Description:
        """Read such a file.

        Raises
        ------
        ValueError
            If it is none.
        """
        if not isinstance(content, bytes) or len(content) > LIMIT:
            raise ValueError(f"content must be a description of a table, of at most {LIMIT // 1000} kB")
        return cls.from_dict(strict_json(content))


def _column_dict(column):
    found = {}
    for one in fields(Column):
        value = getattr(column, one.name)
        if value != one.default or one.name in ("name", "kind"):
            found[one.name] = list(value) if isinstance(value, tuple) else value
    if column.spellings:
        found["spellings"] = dict(column.spellings)
    return found


@functools.cache
def _file():
    return pydantic.TypeAdapter(Description)


def schema() -> str:
    """The JSON Schema of the file, as docs/schemas/table-description.json publishes it."""
    found = _file().json_schema()
    marks = {"format": {"const": FORMAT}, "version": {"const": VERSION}}
    found["properties"] = marks | found["properties"]
    found["required"] = [*marks, *found["required"]]
    return json.dumps(found, indent=1, ensure_ascii=False) + "\n"


def _day(name, value):
    try:
        return date.fromisoformat(value)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be a date such as 2024-12-31, got {shown(value)}") from None


def _quoted(value):
    text = str(value)
    return repr(text if len(text) <= 40 else text[:39] + "…")
