"""Text that goes into a CSV file: names are foreign text, and a spreadsheet program computes what begins with "="."""

from __future__ import annotations

import re
from collections.abc import Iterable

import pandas as pd

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufeff]+")
_SIGN = "[=+\\-@\uff1d\uff0b\uff0d\uff20]"  # The wide forms are signs, too, in some programs.
_FORMULA = re.compile(rf"\s*{_SIGN}")
_GUARD = re.compile(rf"'+(?=\s*{_SIGN})")
_NUMBER = re.compile(r"\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*", re.ASCII)
_INSIDE = re.compile(rf"([,;]\s*)(?={_SIGN}(?!\d))")  # Programs part a comment at its commas, too.


def one_line(text: str) -> str:
    """A text without control letters and marks that turn its direction: they become spaces."""
    return _CONTROL.sub(" ", text).strip()


def neutral(text: str) -> str:
    """A text that no program takes for a formula: an apostrophe stands before its sign."""
    text = one_line(text)
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def original(text: str) -> str:
    """What `neutral` was given, without control letters."""
    return _GUARD.sub("", one_line(text), count=1) if text.lstrip().startswith("'") else one_line(text)


def written(table: pd.DataFrame, comments: Iterable[str] = ()) -> str:
    """A table as CSV, below lines of comment; no cell, heading or comment can be a formula or break its line."""
    head = "".join(f"# {_INSIDE.sub(_guarded, one_line(comment))}\n" for comment in comments)
    safe = table.rename(columns=lambda name: neutral(str(name)))
    for place, kind in enumerate(safe.dtypes):
        if not pd.api.types.is_numeric_dtype(kind):
            cells = safe.iloc[:, place].map(lambda cell: neutral(cell) if isinstance(cell, str) else cell)
            safe.isetitem(place, cells)
    return head + safe.to_csv(index=False, lineterminator="\n")


def _guarded(found):
    return f"{found[1]}'"
