"""The description of a table: columns, public ranges and categories, sites, target. It holds no records.

As a file it is JSON that a person can read and write. What such a file says is foreign text.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import date
from typing import Any, Literal, get_args

from data import check
from data.check import HUGE, is_number, is_whole, shown

Kind = Literal["number", "date", "yes/no", "category"]
KINDS: tuple[Kind, ...] = get_args(Kind)
Missing = Literal["leave out", "mark"]
MISSING: tuple[Missing, ...] = get_args(Missing)
Centring = Literal["public", "none"]
CENTRINGS: tuple[Centring, ...] = get_args(Centring)
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
_MOST_COLUMNS, _MOST_SITES, _MOST_LETTERS = 10_000, 1_000, 1_000


@dataclass(frozen=True)
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
        Unit of a number, which its cells may carry.
    lower, upper : float or str, optional
        Public range: numbers, or dates as 2024-12-31. None: not yet known.
    since : str
        The public date that a date's days are counted from; "" is the first of its range.
    values : tuple of str
        Public list of the categories; of yes/no what counts as 1, then what counts as 0.
    centre : float or str, optional
        Public constant that is subtracted; default: the middle of the range.
    shares : tuple of float
        Public constants that are subtracted from a category's indicators; default: equal shares.
    missing : "leave out" or "mark"
        What becomes of a row without a value: it is left out, or the cell is replaced by a constant and an
        indicator of its own is 1.
    fill : float or str, optional
        That constant, for numbers and dates; default: the centre.
    public : bool
        False: range or categories were taken from the records, and no guarantee covers them.
    """

    name: str
    kind: Kind = "number"
    used: bool = True
    written: str = ""
    unit: str = ""
    lower: float | str | None = None
    upper: float | str | None = None
    since: str = ""
    values: tuple[str, ...] = ()
    centre: float | str | None = None
    shares: tuple[float, ...] = ()
    missing: Missing = "leave out"
    fill: float | str | None = None
    public: bool = True

    def __post_init__(self):
        where = f"column {_quoted(self.name)}"
        _text("name", self.name)
        check.choice(f"kind of {where}", self.kind, KINDS)
        check.choice(f"missing of {where}", self.missing, MISSING)
        for name in ("written", "unit", "since"):
            _text(f"{name} of {where}", getattr(self, name))
        check.choice(f"written of {where}", self.written, ("", *WRITTEN[self.kind]))
        for name in ("used", "public"):
            if not isinstance(getattr(self, name), bool):
                raise ValueError(f"{name} of {where} must be true or false, got {shown(getattr(self, name))}")
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
        elif isinstance(value, bool) or not is_number(value) or not -HUGE <= value <= HUGE:
            raise ValueError(f"{name} of {where} must be a finite number, got {shown(value)}")
        else:
            object.__setattr__(self, name, float(value))

    def _check_values(self, where):
        values, shares = _texts(f"values of {where}", self.values), self.shares
        object.__setattr__(self, "values", values)
        if values and self.kind not in ("yes/no", "category"):
            raise ValueError(
                f"values of {where} must be left out: it holds {self.kind}s, got {shown(values)}"
            )
        if len(set(values)) < len(values) or len(values) > MOST_VALUES:
            raise ValueError(
                f"values of {where} must be at most {MOST_VALUES} different texts, got {len(values)}"
            )
        if self.kind == "yes/no" and len(values) not in (0, 2):
            raise ValueError(
                f"values of {where} must be two, the one that counts as 1 first, got {shown(values)}"
            )
        if not isinstance(shares, tuple | list) or not all(map(_is_share, shares)):
            raise ValueError(f"shares of {where} must be numbers from 0 to 1, got {shown(shares)}")
        object.__setattr__(self, "shares", tuple(map(float, shares)))
        if shares and (len(shares) != len(values) or self.kind != "category" or abs(sum(shares) - 1) > 1e-6):
            raise ValueError(
                f"shares of {where} must be one for each of its categories and sum to 1, got {shown(shares)}"
            )


@dataclass(frozen=True)
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
    sites : tuple of (str, int)
        Name and number of records of every site, which are public.
    declared : bool
        Ranges or categories were taken from the records, and the user has declared them public knowledge.
    local : str
        The site that works alone under the scheme "local"; "" is the largest.
    """

    columns: tuple[Column, ...]
    site_column: str = ""
    target: str = ""
    centring: Centring = "public"
    length: float | None = None
    sites: tuple[tuple[str, int], ...] = ()
    declared: bool = False
    local: str = ""

    def __post_init__(self):
        given = self.columns
        if not isinstance(given, tuple | list) or not all(isinstance(c, Column) for c in given):
            raise ValueError(f"columns must be a sequence of Column, got {shown(given)}")
        object.__setattr__(self, "columns", tuple(given))
        names = self.names
        if not 0 < len(names) <= _MOST_COLUMNS or len(set(names)) < len(names):
            raise ValueError(f"columns must be 1 to {_MOST_COLUMNS} of different names, got {len(names)}")
        for name in ("site_column", "target"):
            value = _text(name, getattr(self, name))
            if value and value not in names:
                raise ValueError(f"{name} must be one of the columns, got {_quoted(value)}")
        if self.target and self.target == self.site_column:
            raise ValueError(f"target must not be the site column, got {_quoted(self.target)}")
        check.choice("centring", self.centring, CENTRINGS)
        if self.length is not None:
            check.number("length", self.length, low=0)
        if not isinstance(self.declared, bool):
            raise ValueError(f"declared must be true or false, got {shown(self.declared)}")
        object.__setattr__(self, "sites", _sites(self.sites))
        if _text("local", self.local) and not self.site_column and not self.sites:
            raise ValueError(
                f"local must be left out where no column names the sites, got {_quoted(self.local)}"
            )

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
        """Whether all ranges and categories in use are public constants."""
        return all(column.public for column in self.used)

    def to_dict(self) -> dict[str, Any]:
        """A JSON object with all that differs from the defaults."""
        about = {name: getattr(self, name) for name in ("site_column", "target", "length", "local")}
        about = {name: value for name, value in about.items() if value}
        about["centring"] = self.centring
        if self.declared:
            about["declared"] = True
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
        about = {name: value for name, value in found.items() if name not in ("format", "version", "columns")}
        _known(about, {f.name for f in fields(cls)} - {"columns"}, "found")
        if isinstance(about.get("sites"), Mapping):
            about["sites"] = tuple(about["sites"].items())
        columns = found.get("columns")
        if not isinstance(columns, list | tuple) or len(columns) > _MOST_COLUMNS:
            raise ValueError(f"columns must be a list of at most {_MOST_COLUMNS}, got {shown(columns)}")
        return cls(tuple(_column(one) for one in columns), **about)

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
        try:
            found = json.loads(content.decode("utf-8-sig"))
        except (ValueError, RecursionError):
            raise ValueError("content must be a description of a table: JSON in UTF-8") from None
        return cls.from_dict(found)


def _column_dict(column):
    found = {}
    for one in fields(Column):
        value = getattr(column, one.name)
        if value != one.default or one.name in ("name", "kind"):
            found[one.name] = list(value) if isinstance(value, tuple) else value
    return found


def _column(found):
    if not isinstance(found, Mapping) or "name" not in found:
        raise ValueError(f"columns must be objects with a name, got {shown(found)}")
    _known(found, {f.name for f in fields(Column)}, f"column {_quoted(found['name'])}")
    return Column(**found)


def _known(found, names, where):
    if unknown := [name for name in found if name not in names]:
        raise ValueError(f"{where} must have only {', '.join(sorted(names))}, got {_quoted(unknown[0])}")


def _sites(sites):
    whole = isinstance(sites, tuple | list) and len(sites) <= _MOST_SITES
    if not whole or not all(isinstance(s, tuple | list) and len(s) == 2 for s in sites):
        raise ValueError(f"sites must be at most {_MOST_SITES} pairs of name and size, got {shown(sites)}")
    for name, size in sites:
        if not isinstance(name, str) or isinstance(size, bool) or not is_whole(size) or not 0 < size <= 10**8:
            raise ValueError(f"sites must have a name and a number of records each, got {_quoted(name)}")
    if len(sites) == 1 or len({name for name, _ in sites}) < len(sites):
        raise ValueError(f"sites must be at least two of different names, got {len(sites)}")
    return tuple((name, int(size)) for name, size in sites)


def _text(name, value):
    if not isinstance(value, str) or len(value) > _MOST_LETTERS:
        raise ValueError(f"{name} must be a text of at most {_MOST_LETTERS} letters, got {shown(value)}")
    return value


def _texts(name, values):
    if not isinstance(values, tuple | list):
        raise ValueError(f"{name} must be a list of texts, got {shown(values)}")
    return tuple(_text(name, value) for value in values)


def _day(name, value):
    try:
        return date.fromisoformat(value)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be a date such as 2024-12-31, got {shown(value)}") from None


def _is_share(value):
    return is_number(value) and not isinstance(value, bool) and math.isfinite(value) and 0 <= value <= 1


def _quoted(value):
    text = str(value)
    return repr(text if len(text) <= 40 else text[:39] + "…")
