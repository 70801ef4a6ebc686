"""Cells that stand for no value: those that are empty, and those that a description says so of, such as 999 or "n.r."."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

import numpy as np
import pandas as pd

from data.columns import cells, notation
from data.columns.description import Column


def without_codes(found: pd.Series, column: Column) -> pd.Series:
    """The cells of a column, empty where they hold one of its `gaps`."""
    return found.mask(coded(found, column)) if column.gaps else found


def missing(found: pd.Series, column: Column) -> np.ndarray:
    """Where a column has no value as it is described: a word is one where its list holds it."""
    listed = (*column.values, *(text for text, _ in column.spellings))
    return cells.empty(found, listed) | coded(found, column)


def coded(found: pd.Series, column: Column) -> np.ndarray:
    """Where cells hold one of the column's `gaps`: as texts, and numbers and dates also by their value."""
    if not column.gaps:
        return np.zeros(len(found), dtype=bool)
    numbers = _numbers(column.gaps)
    if cells.is_plain(found):
        return found.isin(numbers).to_numpy()
    codes, texts = cells.texts(found)
    keys = {cells.key(cells.text_of(code)) for code in column.gaps}
    held = np.array([*(cells.key(text) in keys for text in texts), False])
    if column.kind in notation.READERS and len(texts) <= notation.MOST_TEXTS:
        series = pd.Series(texts, dtype=object)
        values = numbers if column.kind == "number" else _days(column.gaps)
        for written in notation.NOTATIONS[column.kind] if values else ():
            held[:-1] |= np.isin(notation.READERS[column.kind](series, written).values, values)
    return held[codes]


def _numbers(codes: Iterable[str]) -> list[float]:
    """Those of the codes that are numbers, with a decimal point or a comma."""
    plain = (code.strip().replace("−", "-").replace(",", ".") for code in codes)
    return [float(code) for code in plain if cells.NUMERAL.fullmatch(code)]


def _days(codes: Iterable[str]) -> list[int]:
    found = []
    for code in codes:
        try:
            found.append(date.fromisoformat(code.strip()).toordinal())
        except ValueError:  # It is compared as a text.
            continue
    return found
