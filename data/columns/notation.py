"""Numbers and dates in texts: "1,234", "<5 mg/dL", "$5", "12 %", "31.12.2024", "1 Mar 2024", in two and three notations.

Every different text is read once. A text of more than `_LETTERS` letters is no number, so that no cell takes long.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

import numpy as np
import pandas as pd

from data.columns.cells import Texts, is_gap, is_plain, text_of, texts
from data.columns.spacing import two_numbers

MOST_TEXTS = 200_000  # Different texts of a column that are read as numbers or dates.
_LETTERS = 64
_NUMERAL = 400  # The largest float has 309 digits.
SPACES = " \u00a0\u202f\u2009'’"  # Between groups of three digits.
_SIGNS = {"1,234.5": (r"\.", ","), "1.234,5": (",", r"\.")}  # The decimal sign, and that between groups.
_COIN = r"[$€£¥]|(?:CHF|EUR|USD|GBP)\b"
# ½, ², ₂, ⅓, ① belong to the number, and what they make of it is not known.
_FIRST, _REST = r"[^\W\d_²³¹¼-¾⁰-₉⅐-↉①-⒛]|[%‰°µ€$£]", r"[^\W\d_]|[%‰°µ²³/€$£\d.^*·\- ]"  # Letters of a unit.
# Behind digits, what makes them a code, a product or another program's number, and no number with a unit: 1e, 1d5, 0b1,
# 3a2, 0xFF, 3x4, 1 e5. Units are m2, and x10^9/L as laboratories write it.
_NO_UNIT = (
    r"[eE](?![^\W\d_])|(?![mM][23](?!\d)|[xX])[A-Za-z]\d|[bodqBODQ][+\-−]\d|(?<![\d.,]0)(?<=0)[xX][\da-fA-F]+(?!\w)"
    r"|\s*[xX×]\s*(?!10(?:[\^*⁰¹²³⁴-⁹]|[eE\d]*/))\d|\s*[eE][+\-−]?\d"
)
_NUMBER = {  # Digits are 0 to 9: those of other scripts are words, as in every other place where numbers are typed.
    written: re.compile(
        rf"(?P<limit>[<>≤≥]=?)?\s*(?P<coin>{_COIN})?\s*(?P<sign>[+\-−]?)\s*(?:(?P<between>{_COIN})\s*)?"
        rf"(?P<body>(?:[1-9][0-9]{{0,2}}(?P<group>[{SPACES}{group}])[0-9]{{3}}(?:(?P=group)[0-9]{{3}})*|[0-9]+)"
        rf"(?:{decimal}(?:[0-9]+|(?!\S)))?|{decimal}[0-9]+)"
        rf"(?P<power>[eE][+-]?[0-9]+)?(?!{_NO_UNIT})\s*(?P<unit>(?:{_FIRST})(?:{_REST}){{0,19}})?"
    )
    for written, (decimal, group) in _SIGNS.items()
}
_CODE = re.compile(
    r"[+-]?0\d[\d.,]*|\d{16,}", re.ASCII
)  # 01 and 1 are two wards, and no float tells long numbers apart.
_POWER = re.compile(r"\d+[eE]\d+", re.ASCII)
_TIME = r"(?:[T ]\s*(?P<time>\d{1,2}:[\d:.,]*(?: ?[AaPp][Mm])?) ?(?:[A-Z]{1,5}|[+\-−]\d{1,2}(?::?\d{2})?)?)?"
_MONTHS = ("jan", "feb", "m[aä]r", "apr", "ma[iy]", "jun", "jul", "aug", "sep", "o[ck]t", "nov", "de[cz]")
_MONTH = rf"({'|'.join(_MONTHS)})[a-z]*\.?"
# 1 March 2024, 01-Mar-24, 1. März 2024, March 1, 2024: no number with the unit "March 2024".
_NAMED = re.compile(
    rf"(?:(\d{{1,2}})(?:\.|st|nd|rd|th)?[ -]?(?:of )?{_MONTH}[ ,-]*"
    rf"|\b{_MONTH}[ -]?(\d{{1,2}})(?:st|nd|rd|th)?[ ,-]+)(\d{{4}}|\d\d)\b",
    re.IGNORECASE,
)
_DATE = {
    "2024-12-31": re.compile(
        rf"(?P<y>\d{{4}})(?:[-/.](?P<m>\d{{1,2}})[-/.](?P<d>\d{{1,2}})|(?P<mm>\d\d)(?P<dd>\d\d)){_TIME}",
        re.ASCII,
    ),
    "31.12.2024": re.compile(
        rf"(?P<d>\d{{1,2}})[-/.](?P<m>\d{{1,2}})(?:[-/.](?P<y>\d{{4}})|[/.](?P<yy>\d\d)){_TIME}", re.ASCII
    ),
    "12/31/2024": re.compile(
        rf"(?P<m>\d{{1,2}})[-/.](?P<d>\d{{1,2}})(?:[-/.](?P<y>\d{{4}})|[/.](?P<yy>\d\d)){_TIME}", re.ASCII
    ),
}
CENTURY = 30  # Years of two digits are 1930 to 2029, as in spreadsheets.


@dataclass(frozen=True)
class Read:
    """A column as numbers.

    Attributes
    ----------
    values : ndarray (N,)
        NaN where the cell is empty.
    wrong : int
        The place of the first cell that could not be read; −1 if there is none.
    units : tuple of str
        Units that cells carry; mg/dL and mg/dl are one. Last "", if some carry none and are not zero.
    limits : int
        Cells such as "<5", which count as 5.
    bad : int
        Cells that could not be read.
    dropped : tuple of str
        What a date loses or gains: "time" of day, "century".
    """

    values: np.ndarray
    wrong: int = -1
    units: tuple[str, ...] = ()
    limits: int = 0
    bad: int = 0
    dropped: tuple[str, ...] = ()


class TooMany(ValueError):
    """A column has more different texts than are read one by one."""


class Unclear(ValueError):
    """The cells of a column have different values in two notations, or may hold two numbers each."""


def numbers(cells: pd.Series, written: str, *, known: Texts | None = None) -> Read:
    """Numbers of cells, written as "1,234.5" or "1.234,5", with or without units; `known` are their `texts`."""
    if is_plain(cells):
        return Read(cells.to_numpy(dtype=float, na_value=np.nan))
    units: dict[str, str] = {}
    limited, bare = set(), []

    def read(text):
        found = _NUMBER[written].fullmatch(text)
        if found is None or _NAMED.match(text):
            return None
        if unit := (found["unit"] or found["coin"] or found["between"] or "").strip():
            units.setdefault(unit_key(unit), unit)
        if found["limit"]:
            limited.add(text)
        body = re.sub(rf"[{SPACES}]", "", found["body"])
        body = body.replace(",", "") if written == "1,234.5" else body.replace(".", "").replace(",", ".")
        value = float(("-" if found["sign"] in ("-", "−") else "") + body + (found["power"] or ""))
        if not unit and value:  # Zero is zero in every unit.
            bare.append(text)
        return value

    codes, found = known or texts(cells)
    values, wrong, bad = _each(codes, found, read)
    places = np.array([text in limited for text in [*found, ""]])
    carried = (*units.values(), "") if units and bare else tuple(units.values())
    return Read(values, wrong, carried, int(places[codes].sum()), bad)


def unit_key(unit: str) -> str:
    """A unit without regard to capitals, spaces and a point at its end."""
    return re.sub(r"\s", "", unit.casefold()).removesuffix(".")


def listed_units(units: Sequence[str]) -> str:
    """Units that cells carry, in words."""
    named = list(map(repr, filter(None, units[:4])))
    some = " and ".join(named) + ", …" * (len(units) > 4)
    return f"the unit{'s' * (len(named) > 1)} {some}" + (
        " in some cells and none in others" if "" in units else ""
    )


def as_one_unit(units: Sequence[str], unit: str = "") -> str:
    """How units are merged where a list of them is typed: days = d = none."""
    return " = ".join(one or "none" for one in dict.fromkeys(([unit] if unit else []) + list(units)))


def days(cells: pd.Series, written: str, *, known: Texts | None = None) -> Read:
    """Dates of cells as days from the first of year 1, written as one of the keys of `_DATE`; times are dropped."""
    dropped: dict[str, None] = {}

    def read(text):
        plain = _NAMED.sub(_numbered, text)
        found = _DATE[written if plain == text else "31.12.2024"].fullmatch(plain)
        if found is None:
            return None
        parts = {name: value for name, value in found.groupdict().items() if value}
        if parts.get("time", "").strip("0:.,"):
            dropped["time"] = None
        year = int(parts.get("y", 0))
        if "yy" in parts:
            dropped["century"] = None
            year = int(parts["yy"]) + (2000 if int(parts["yy"]) < CENTURY else 1900)
        try:
            day = date(year, int(parts.get("m") or parts["mm"]), int(parts.get("d") or parts["dd"]))
        except ValueError:  # The 31st of February.
            return None
        return float(day.toordinal())

    values, wrong, bad = _each(*(known or texts(cells)), read)
    return Read(values, wrong, bad=bad, dropped=tuple(dropped))


def _numbered(found):
    """A date with the name of a month as numbers, day first, wherever the name stands."""
    day, name = found[1] or found[4], found[2] or found[3]
    month = next(place for place, one in enumerate(_MONTHS, start=1) if re.match(one, name, re.IGNORECASE))
    return f"{day}.{month}.{found[5]}"


READERS: dict[str, Callable[..., Read]] = {"number": numbers, "date": days}
NOTATIONS = {"number": tuple(_NUMBER), "date": tuple(_DATE)}
_HEAD = 1000  # Rows that tell at once if a column holds no numbers or dates.


@dataclass(frozen=True)
class Notation:
    """How the numbers or dates of a column are written.

    Attributes
    ----------
    written : str
    read : Read
    other : str
        Another notation in which the cells have other values; "" if there is none.
    """

    written: str
    read: Read
    other: str = ""


def notation(cells: pd.Series, kind: str, *, known: Texts | None = None, agreed: str = "") -> Notation | None:
    """The notation in which all cells of a column are numbers or dates of one unit; None if there is none.

    Of two that fit it is the one `agreed` on by the other columns of a table.
    """
    fits = {}
    head = cells.head(_HEAD)
    for written in NOTATIONS[kind]:
        if known is not None and len(known[1]) > 20 and READERS[kind](head, written).wrong >= 0:
            continue
        read = READERS[kind](cells, written, known=known)
        if read.wrong < 0 and not np.isnan(read.values).all():
            fits[written] = read
    if not fits:
        return None
    if agreed in fits:
        return Notation(agreed, fits[agreed])
    written, read = next(iter(fits.items()))
    others = (w for w, one in fits.items() if not np.array_equal(read.values, one.values, equal_nan=True))
    if kind == "date" and not any(set("/-") & set(text) for text in (known or texts(head))[1]):
        return Notation(written, read)  # Between points the day comes first.
    return Notation(written, read, next(others, ""))


def agreed(frame: pd.DataFrame) -> str:
    """The notation of numbers that the columns of a table agree on, "" if none tells or they differ."""
    if known := frame.attrs.get("written", ""):
        return known
    shown: set[str] = set()
    for name in frame.columns:
        if not is_plain(frame[name]) and not frame[name].isna().all():
            head = frame[name].head(_HEAD)
            known = texts(head)
            if len(known[1]) > MOST_TEXTS:
                continue
            reads = {written: numbers(head, written, known=known) for written in _NUMBER}
            fits = {
                written
                for written, read in reads.items()
                if read.wrong < 0 and not np.isnan(read.values).all()
            }
            shown |= fits if len(fits) == 1 else set()
    return shown.pop() if len(shown) == 1 else ""


def read_as(cells: pd.Series, kind: str, written: str, *, agreed: str = "") -> Read:
    """Numbers or dates of cells in the notation that the cells show; `written` decides where they show none.

    Raises
    ------
    TooMany
        For more different texts than are read one by one.
    Unclear
        If two notations fit and nothing tells which is meant, or a space may part two numbers.
    """
    if kind == "number" and is_plain(cells):
        return numbers(cells, "")
    known = texts(cells)
    likely = written or (agreed if kind == "number" else "")
    found = notation(cells, kind, known=known, agreed=likely)
    if found is None:
        return READERS[kind](cells, likely or NOTATIONS[kind][0], known=known)
    if found.other:
        raise Unclear(f"its cells may be written as {found.written} or as {found.other}: say which")
    if kind == "number" and not written and (pair := two_numbers(["\0".join(known[1])])):
        raise Unclear(f"{pair!r} may be two numbers: say how they are written if it is one")
    return found.read


def certain_numbers(cells: pd.Series, *, agreed: str = "") -> np.ndarray | None:
    """A column as numbers, NaN where it has none; None for units, limits, codes, words, and what may be read otherwise."""
    if is_plain(cells):
        return cells.to_numpy(dtype=float, na_value=np.nan)
    known = texts(cells)
    if len(known[1]) > MOST_TEXTS or codes_in(known[1]) or two_numbers(["\0".join(known[1])]):
        return None
    found = notation(cells, "number", known=known, agreed=agreed)
    if found is None or found.other or found.read.units or found.read.limits:
        return None
    return found.read.values


def no_number(cells: pd.Series) -> tuple[int, str]:
    """Where a column that has no `certain_numbers` has the first text that is none, and why if it looks like one."""
    reads = [numbers(cells, written) for written in _NUMBER]
    best = max(reads, key=lambda read: len(cells) if read.wrong < 0 else read.wrong)
    if best.wrong >= 0:
        return best.wrong, ""
    if code := codes_in(texts(cells)[1]):
        return int(np.argmax(cells.map(text_of) == code)), ", which may be a code"
    if pair := two_numbers(["\0".join(texts(cells)[1])]):
        return int(np.argmax([pair in text_of(cell) for cell in cells])), ", which may be two numbers"
    if min(read.wrong for read in reads) < 0 and not best.units and not best.limits:
        unlike = ~np.isclose(reads[0].values, reads[1].values, equal_nan=True)
        return int(unlike.argmax()), ", which may be written with groups of three digits or with decimals"
    return 0, ", with a unit or a limit"


@lru_cache(maxsize=100_000)
def kind_of(text: str) -> str:
    """What one text looks like: "number", "measure" (a number with a unit or a limit), "date", "gap", or "" for words."""
    if is_gap(text):
        return "gap"
    if len(text) > _NUMERAL:
        return ""
    text = _NAMED.sub(_numbered, text)
    for pattern in _NUMBER.values():
        if found := pattern.fullmatch(text):
            return (
                "measure" if any(found[name] for name in ("limit", "coin", "between", "unit")) else "number"
            )
    return "date" if any(pattern.fullmatch(text) for pattern in _DATE.values()) else ""


def codes_in(found: Sequence[str]) -> str:
    """The first text that looks like a number and is a code: 01, 22 digits, or 1E2 where no number has decimals."""
    code = next((text for text in found if _CODE.fullmatch(text)), "")
    if not code and not any(sign in text for text in found for sign in ".,"):
        code = next((text for text in found if _POWER.fullmatch(text)), "")
    return code


def _each(codes, found, read: Callable[[str], float | None]):
    """Values of cells whose different texts are read one by one; the first that cannot be read, and how many."""
    if len(found) > MOST_TEXTS:
        raise TooMany(f"it has more than {MOST_TEXTS} different texts, too many to be read one by one")
    values, bad = np.full(len(found) + 1, np.nan), np.zeros(len(found) + 1, dtype=bool)
    for place, text in enumerate(found):
        if is_gap(text):
            continue
        number = read(text) if len(text) <= _LETTERS else None
        bad[place] = number is None
        values[place] = np.nan if number is None else number
    wrong = np.flatnonzero(bad[codes])
    return values[codes], int(wrong[0]) if len(wrong) else -1, len(wrong)
