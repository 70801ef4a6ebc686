"""Cells as texts: the different ones of a column, what stands for nothing, and which of a list they are."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

import numpy as np
import pandas as pd

# What people and programs write where nothing is known. A description that lists such a word makes it a value.
GAPS = frozenset(
    {
        "",
        "-",
        "–",
        "—",
        "?",
        ".",
        "..",
        "...",
        "*",
        "unknown",
        "missing",
        "not known",
        "not available",
        "unbekannt",
    }
    | {
        "n.d.",
        "k.a.",
        "k. a.",
        "keine angabe",
        "na",
        "n/a",
        "n.a.",
        "nan",
        "-nan",
        "null",
        "none",
        "<na>",
        "#n/a",
        "#na",
    }
    | {"#null!", "#div/0!", "#value!", "#ref!", "#name?", "#num!", "#nv", "#wert!", "#bezug!", "#zahl!"}
)
ANSWERS = (
    ("yes", "no"),
    ("true", "false"),
    ("1", "0"),
    ("y", "n"),
    ("t", "f"),
    ("ja", "nein"),
    ("oui", "non"),
    ("sí", "no"),
    ("si", "no"),
    ("positive", "negative"),
)
Texts = tuple[np.ndarray, list[str]]


def is_plain(cells: pd.Series) -> bool:
    """Whether a column holds numbers that need not be read from text."""
    return pd.api.types.is_numeric_dtype(cells.dtype)


def is_gap(text: str) -> bool:
    """Whether a text stands for nothing, such as "-" or "NA"."""
    return text.casefold() in GAPS


def empty(cells: pd.Series, listed: Sequence[str] = ()) -> np.ndarray:
    """Where a column has no value: nothing, or a word that stands for nothing and is not `listed` as a value."""
    if is_plain(cells):
        return cells.isna().to_numpy()
    codes, found = texts(cells)
    return np.array([*(is_gap(text) and text not in listed for text in found), True])[codes]


def choices(cells: pd.Series, values: tuple[str, ...]) -> tuple[np.ndarray, int]:
    """Places of the cells' texts in a list, −1 for what is empty and −2 for what is not in the list; how many of these.

    Texts are compared without spaces at their ends; where nothing else matches, without regard to capitals. A word
    that stands for nothing elsewhere is a value where the list holds it. Of numbers, 1.50 in a list is 1.5.
    """
    exact = {_composed(value): place for place, value in reversed(list(enumerate(values)))}
    folded = {value.casefold(): place for value, place in reversed(list(exact.items()))}
    if is_plain(cells):
        exact |= {
            text_of(number): place for place, value in enumerate(values) for number in _either(value)
        } | exact
    codes, different_ones = texts(cells)

    def place(text):
        if text in exact:
            return exact[text]
        return folded.get(text.casefold(), -1 if is_gap(text) else -2)

    found = np.array([*(place(text) for text in different_ones), -1], dtype=np.int64)[codes]
    return found, int((found == -2).sum())


def _either(value):
    """What a listed text is as a number, with a decimal point or a comma."""
    for text in (value, value.replace(".", "").replace(",", ".")):
        try:
            return [float(text)]
        except ValueError:
            continue
    return []


def different(known: Texts) -> list[str]:
    """The different texts of a column in order of the alphabet, without what stands for nothing."""
    return sorted({text for text in known[1] if not is_gap(text)})


def gaps(known: Texts) -> int:
    """How many cells hold a text that stands for nothing, such as "-"."""
    codes, found = known
    return int(np.array([is_gap(text) for text in found] + [False])[codes].sum())


def labels(cells: pd.Series, listed: Sequence[str] = ()) -> np.ndarray:
    """The cells as names, None where one is `empty`."""
    codes, found = texts(cells)
    names = [None if is_gap(text) and text not in listed else text for text in found]
    return np.array([*names, None], dtype=object)[codes]


def text_of(value) -> str:
    """A cell as text; whole numbers without decimals."""
    if isinstance(value, float | np.floating):
        return repr(float(value)).removesuffix(".0")
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    return _composed(str(value))


def _composed(text):
    text = text.strip()
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def texts(cells: pd.Series) -> Texts:
    """The number of each cell's text, −1 for none, and the different texts."""
    codes, found = pd.factorize(cells.to_numpy(dtype=object), use_na_sentinel=True)
    return codes, [text_of(value) for value in found]
