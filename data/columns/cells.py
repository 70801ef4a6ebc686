"""Cells of text as numbers, dates or answers: units, "<5", "1,234", "12 %", "31.12.2024", "yes".

Every different text is read once. A text of more than `_LETTERS` letters is no number, so that no cell takes long.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date

import numpy as np
import pandas as pd

MOST_TEXTS = 200_000  # Different texts of a column that are read as numbers or dates.
_LETTERS = 64
# What people write where nothing is known; pandas reads "NA", "null" and the like itself.
GAPS = frozenset({"", "-", "–", "—", "?", ".", "unknown", "missing", "not known", "n.d.", "k.a."})
ANSWERS = (
    ("yes", "no"),
    ("true", "false"),
    ("1", "0"),
    ("y", "n"),
    ("t", "f"),
    ("ja", "nein"),
    ("oui", "non"),
    ("positive", "negative"),
)
_SPACE = " \u00a0\u202f'"
_BODY = {
    "1,234.5": rf"(?:\d{{1,3}}(?:[,{_SPACE}]\d{{3}})+|\d+)(?:\.\d*)?|\.\d+",
    "1.234,5": rf"(?:\d{{1,3}}(?:[.{_SPACE}]\d{{3}})+|\d+)(?:,\d*)?|,\d+",
}
_FIRST, _REST = r"[^\W\d_]|[%‰°µ€$£]", r"[^\W\d_]|[%‰°µ²³/€$£\d.^*·\- ]"  # Letters of a unit.
_NUMBER = {
    written: re.compile(
        rf"(?P<limit>[<>≤≥]=?)?\s*(?P<sign>[+\-−]?)\s*(?P<body>{body})(?P<power>[eE][+-]?\d+)?\s*"
        rf"(?P<unit>(?:{_FIRST})(?:{_REST}){{0,19}})?"
    )
    for written, body in _BODY.items()
}
_DATE = {
    "2024-12-31": re.compile(
        r"(?P<y>\d{4})[-/.](?P<m>\d{1,2})[-/.](?P<d>\d{1,2})(?:[T ][\d:.+Z]*)?", re.ASCII
    ),
    "31.12.2024": re.compile(r"(?P<d>\d{1,2})[-/.](?P<m>\d{1,2})[-/.](?P<y>\d{4})(?: [\d:.]*)?", re.ASCII),
    "12/31/2024": re.compile(r"(?P<m>\d{1,2})[-/.](?P<d>\d{1,2})[-/.](?P<y>\d{4})(?: [\d:.]*)?", re.ASCII),
}


Texts = tuple[np.ndarray, list[str]]


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
        Units that cells carry.
    limits : int
        Cells such as "<5", which count as 5.
    """

    values: np.ndarray
    wrong: int = -1
    units: tuple[str, ...] = ()
    limits: int = 0


class TooMany(ValueError):
    """A column has more different texts than are read one by one."""


def is_plain(cells: pd.Series) -> bool:
    """Whether a column holds numbers that need not be read from text."""
    return pd.api.types.is_numeric_dtype(cells.dtype)


def numbers(cells: pd.Series, written: str, *, known: Texts | None = None) -> Read:
    """Numbers of cells, written as "1,234.5" or "1.234,5", with or without units; `known` are their `texts`."""
    if is_plain(cells):
        return Read(cells.to_numpy(dtype=float, na_value=np.nan))
    units: dict[str, None] = {}
    limited = set()

    def read(text):
        found = _NUMBER[written].fullmatch(text)
        if found is None:
            return None
        if found["unit"]:
            units.setdefault(found["unit"].strip())
        if found["limit"]:
            limited.add(text)
        body = re.sub(rf"[{_SPACE}]", "", found["body"])
        body = body.replace(",", "") if written == "1,234.5" else body.replace(".", "").replace(",", ".")
        return float(("-" if found["sign"] in ("-", "−") else "") + body + (found["power"] or ""))

    codes, found = known or texts(cells)
    values, wrong = _each(codes, found, read)
    places = np.array([text in limited for text in [*found, ""]])
    return Read(values, wrong, tuple(units), int(places[codes].sum()))


def days(cells: pd.Series, written: str, *, known: Texts | None = None) -> Read:
    """Dates of cells as days from the first of year 1, written as one of the keys of `_DATE`."""

    def read(text):
        found = _DATE[written].fullmatch(text)
        try:
            return None if found is None else float(date(*(int(found[part]) for part in "ymd")).toordinal())
        except ValueError:  # The 31st of February.
            return None

    return Read(*_each(*(known or texts(cells)), read))


def choices(cells: pd.Series, values: tuple[str, ...]) -> tuple[np.ndarray, int]:
    """Places of the cells' texts in a list, −1 for what is empty and −2 for what is not in the list; how many of these.

    Texts are compared without spaces at their ends; where nothing else matches, without regard to capitals.
    """
    exact = {value.strip(): place for place, value in reversed(list(enumerate(values)))}
    folded = {value.casefold(): place for value, place in reversed(list(exact.items()))}
    codes, different_ones = texts(cells)

    def place(text):
        if text in exact:
            return exact[text]
        if text.casefold() in folded:
            return folded[text.casefold()]
        return -1 if text.casefold() in GAPS else -2

    found = np.array([*(place(text) for text in different_ones), -1], dtype=np.int64)[codes]
    return found, int((found == -2).sum())


def different(known: Texts) -> list[str]:
    """The different texts of a column in order of the alphabet, without what stands for nothing."""
    return sorted({text for text in known[1] if text.casefold() not in GAPS})


def gaps(known: Texts) -> int:
    """How many cells hold a text that stands for nothing, such as "-"."""
    codes, found = known
    return int(np.array([text.casefold() in GAPS for text in found] + [False])[codes].sum())


def text_of(value) -> str:
    """A cell as text; whole numbers without decimals."""
    if isinstance(value, float | np.floating):
        return repr(float(value)).removesuffix(".0")
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    return str(value).strip()


def texts(cells: pd.Series) -> Texts:
    """The number of each cell's text, −1 for none, and the different texts."""
    codes, found = pd.factorize(cells.to_numpy(dtype=object), use_na_sentinel=True)
    return codes, [text_of(value) for value in found]


def _each(codes, found, read: Callable[[str], float | None]):
    """Values of cells whose different texts are read one by one, and the place of the first that cannot be read."""
    if len(found) > MOST_TEXTS:
        raise TooMany(f"it has more than {MOST_TEXTS} different texts, too many to be read one by one")
    values, bad = np.full(len(found) + 1, np.nan), np.zeros(len(found) + 1, dtype=bool)
    for place, text in enumerate(found):
        if text.casefold() in GAPS:
            continue
        number = read(text) if len(text) <= _LETTERS else None
        bad[place] = number is None
        values[place] = np.nan if number is None else number
    wrong = np.flatnonzero(bad[codes])
    return values[codes], int(wrong[0]) if len(wrong) else -1
