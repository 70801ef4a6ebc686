"""Numbers and dates in texts: "1,234", "<5 mg/dL", "$5", "12 %", "31.12.2024", "1 Mar 2024", in two and three notations.

Every different text is read once. A text of more than `_LETTERS` letters is no number, so that no cell takes long.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pandas as pd

from data.columns import dates
from data.columns.cells import Texts, is_gap, is_plain, text_of, texts
from data.columns.codes import codes_in
from data.columns.spacing import two_numbers

MOST_TEXTS = 200_000  # Different texts of a column that are read as numbers or dates.
_LETTERS = 64
_NUMERAL = 400  # The largest float has 309 digits.
SPACES = " \u00a0\u202f\u2009'’"  # Between groups of three digits.
_SIGNS = {"1,234.5": (r"\.", ","), "1.234,5": (",", r"\.")}  # The decimal sign, and that between groups.
_COIN = (
    r"(?:US|CA|AU|NZ|HK|MX|[ACRS])?\$|[€£¥₹₽₩₺₪]|(?:CHF|EUR|USD|GBP|BRL|CAD|AUD|JPY|CNY|INR|SEK|NOK|DKK|PLN|CZK|Rs\.?|kr\.?|Fr\.)"
    r"(?![^\W\d_])"
)
# ½, ², ₂, ⅓, ① belong to the number, and what they make of it is not known.
_FIRST, _REST = (
    r"[^\W\d_²³¹¼-¾⁰-₉⅐-↉①-⒛]|[%‰°µ€$£¥₹₽₩₺₪]",
    r"[^\W\d_]|[%‰°µ²³/€$£\d.^*·\- ]",
)  # Letters of a unit.
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
# No unit ends with a year: "1 janv 2024" is a day, in whatever language.
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d$")


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
    ways : tuple of str
        A date of each way in which they are written: in one that tells what is the day, and in another.
    """

    values: np.ndarray
    wrong: int = -1
    units: tuple[str, ...] = ()
    limits: int = 0
    bad: int = 0
    dropped: tuple[str, ...] = ()
    ways: tuple[str, ...] = ()


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
        found = _number(text, written)
        if found is None:
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


def _number(text, written):
    """The parts of a number; None for what is none, and for dates."""
    found = _NUMBER[written].fullmatch(text)
    is_day = found and found["unit"] and (_YEAR.search(found["unit"]) or dates.numbered(text) != text)
    return None if is_day else found


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
    """Dates of cells as days from the first of year 1, written as one of `dates.DATES`; times are dropped."""
    dropped: dict[str, None] = {}
    ways: dict[bool, str] = {}

    def read(text):
        found = dates.day_of(text, written)
        if found is None:
            return None
        dropped.update(dict.fromkeys(sorted(found[1])))
        ways.setdefault(dates.has_own_order(text), text)
        return float(found[0])

    values, wrong, bad = _each(*(known or texts(cells)), read)
    return Read(values, wrong, bad=bad, dropped=tuple(dropped), ways=tuple(ways.values()))


READERS: dict[str, Callable[..., Read]] = {"number": numbers, "date": days}
NOTATIONS = {"number": tuple(_NUMBER), "date": tuple(dates.DATES)}
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
    unsure = (text for text in (known or texts(head))[1] if kind == "date" and not dates.has_own_order(text))
    if kind == "date" and not any(set("/-") & set(text) for text in unsure):
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
    for written in _NUMBER:
        if found := _number(text, written):
            return (
                "measure" if any(found[name] for name in ("limit", "coin", "between", "unit")) else "number"
            )
    return "date" if dates.is_date(text) else ""


def month_in(units: Sequence[str], values: np.ndarray) -> bool:
    """Whether whole numbers with these units may be days of months without a year, or years: 1 Mar, 2024 Mar."""
    whole = values[~np.isnan(values)]
    are_days = ((whole % 1 == 0) & (((whole > 0) & (whole < 32)) | ((whole > 1899) & (whole < 2100)))).all()
    return bool(units) and bool(are_days) and all(dates.month_of(unit.strip()) is not None for unit in units)


def two_ways(found: Sequence[str], kind: str) -> tuple[str, ...]:
    """A text of each of two notations that numbers or dates have between them; () if there are none."""
    fits: dict[str, set[str]] = {written: set() for written in NOTATIONS[kind]}
    for text in found:
        read = [written for written in fits if len(text) <= _LETTERS and _is_read(text, kind, written)]
        if not read:
            return ()
        for written in read:
            fits[written].add(text)
    for one, other in itertools.combinations(fits, 2):
        if len(fits[one] | fits[other]) == len(found):
            apart = (fits[one] - fits[other], fits[other] - fits[one])
            return tuple(next(text for text in found if text in some) for some in apart if some)
    return ()


def only_way(text: str) -> str:
    """The one notation in which a text is a number; "" if it is none, or one in both."""
    fits = [written for written in _NUMBER if len(text) <= _LETTERS and _number(text, written)]
    return fits[0] if len(fits) == 1 else ""


def _is_read(text, kind, written):
    return (dates.day_of if kind == "date" else _number)(text, written) is not None


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
