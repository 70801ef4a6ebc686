"""Cells of text as the columns of a table: the one place where a number is made of a text, whatever file it came from.

Every reader (delimited text, workbooks, arrays of texts) hands on each cell as text, "" where it is empty: `frame_of`,
or `Cells` block by block. A cell that a format holds as a number, a date or a truth becomes its plain text first:
"5", "0.25", "2024-12-31", "2024-12-31 08:30", "true". Arrays of numbers need no text.

A column becomes numbers here only if nothing is lost by it: every text is a number in one notation, and none is a code.
Codes are numbers that begin with a zero (01), have 16 digits or more, or a bare exponent (1E2), and such as ICD-9 has,
where 250.0 and 250.00 are two. What may be two numbers
(200 300, see `spacing`) is none either. Everything else stays text, words such as "NA" included, until `survey` suggests
a meaning and a description gives it one (`encode`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np
import pandas as pd

from data.columns.cells import is_gap
from data.columns.codes import one_number
from data.columns.description import MOST_VALUES
from data.columns.notation import SPACES
from data.columns.spacing import two_numbers

_BY_SIGN = {".": "1,234.5", ",": "1.234,5"}
_TRUTHS = {"true": True, "false": False}
_DECIMAL = {"1,234.5": (r"\.", ","), "1.234,5": (",", r"\.")}


def _plain(decimal, group):
    """Cells of numbers, each ended by a zero character; nothing is matched in two ways, so that no text takes long."""
    groups = rf"[1-9]\d{{0,2}}(?P<group>[{SPACES}{group}])\d{{3}}(?:(?P=group)\d{{3}}){{0,3}}"
    whole = rf"(?:0|{groups}|[1-9]\d{{0,14}})"
    number = rf"{whole}(?:{decimal}\d*(?:[eE][+-]?\d{{1,3}})?|[eE][+-]\d{{1,3}})?|{decimal}\d+(?:[eE][+-]?\d{{1,3}})?"
    return re.compile(
        rf"(?:(?:[+\-−]?(?:{number}|inf(?:inity)?)|[\-−]\d+[eE]\d{{1,3}})?\0)*+", re.ASCII | re.I
    )


_PLAIN = {written: _plain(*signs) for written, signs in _DECIMAL.items()}
_QUICK = re.compile(r"(?:-?(?:0|[1-9]\d{0,14})(?:\.\d*)?\0)*+", re.ASCII)  # What most numbers look like.
_OTHER = {written: str.maketrans({"−": "-"} | dict.fromkeys(SPACES)) for written in _DECIMAL}
_OTHER["1,234.5"] |= {ord(","): None}
_OTHER["1.234,5"] |= {ord("."): None, ord(","): "."}


class Cells:
    """The cells of one column, added block by block, and what they show of their notation."""

    def __init__(self):
        self._blocks: list[
            bytes
        ] = []  # Joined by zero characters, which takes a fraction of the room of single texts.
        self._fits = dict.fromkeys(_PLAIN, True)
        self._signs: set[str] = set()
        self._some: set[str] = set()  # Different texts, as long as there are few.
        self._words = self._filled = self._spaced = False

    def add(self, texts: Iterable[str]) -> None:
        """Add the next cells; spaces at their ends are dropped, and letters composed: u and ¨ are ü."""
        found = list(map(str.strip, texts))
        joined = "\0".join(found) + "\0"
        if joined.count("\0") > len(found):
            joined = "".join(f"{text.replace(chr(0), '')}\0" for text in found)
        if not joined.isascii():
            joined = unicodedata.normalize("NFC", joined)
        self._blocks.append(joined.encode("utf-8", "surrogatepass"))
        if len(self._some) <= MOST_VALUES:
            self._some.update(joined.split("\0")[:-1])
        self._filled |= joined.count("\0") < len(joined)
        self._look(joined)

    def _look(self, joined):
        open_ = [written for written, fits in self._fits.items() if fits]
        if not open_:
            return
        self._signs |= {sign for sign in ".," if sign in joined}
        if open_ == ["1,234.5"] and _QUICK.fullmatch(joined):
            return
        self._spaced |= " " in joined
        fits = {written for written in open_ if _PLAIN[written].fullmatch(joined)}
        if not fits:
            kept = "".join(f"{text}\0" for text in joined.split("\0")[:-1] if not is_gap(text))
            self._words |= len(kept) < len(joined)
            fits = {written for written in open_ if _PLAIN[written].fullmatch(kept)}
        self._fits = {written: written in fits for written in _PLAIN}

    @property
    def filled(self) -> bool:
        """Whether any cell holds a text."""
        return self._filled

    def notation(self, decimal: str) -> str:
        """The notation of its numbers: "any" if there is no sign to tell, "unclear" if it may be either, "" for text."""
        fits = [written for written, one in self._fits.items() if one and not self._unsure]
        if len(fits) < 2:
            return fits[0] if fits else ""
        if not self._signs:
            return "any"
        return _BY_SIGN[decimal] if decimal and self._signs == {decimal} else "unclear"

    @cached_property
    def _unsure(self):
        """Whether a space may part two numbers of a cell; asked once all cells are there."""
        return self._spaced and bool(
            two_numbers(block.decode("utf-8", "surrogatepass") for block in self._blocks)
        )

    def example(self) -> str:
        """A cell that has another value in the other notation; "" if none is at hand."""
        return min((text for text in self._some if set(".,") & set(text)), default="")

    def column(self, written: str) -> np.ndarray | pd.Series:
        """Numbers in a notation, truths, or text where `written` is ""; the cells are given up."""
        if written and not (self._words and len(self._some) <= MOST_VALUES) and not one_number(self._some):
            return self._numbers("1,234.5" if written == "any" else written)
        same: dict[str, object] = {"": np.nan}  # Every different text is held once.
        if self._some and {text.casefold() for text in self._some} <= set(_TRUTHS):
            same = {text: _TRUTHS[text.casefold()] for text in self._some}
        found: list[object] = []
        while self._blocks:
            texts = self._blocks.pop(0).decode("utf-8", "surrogatepass").split("\0")[:-1]
            found += [same.setdefault(text, text) for text in texts]
        return pd.Series(found, dtype=object).infer_objects()

    def _numbers(self, written):
        blocks, whole = [], "." not in self._signs and "," not in self._signs and "" not in self._some
        table = _OTHER[written]
        while self._blocks:
            text = self._blocks.pop(0).decode("utf-8", "surrogatepass")
            cells = (text.translate(table) if written == "1.234,5" else text).split("\0")[:-1]
            try:
                blocks.append(np.array(list(map(float, cells))))
            except ValueError:  # Empty cells, words that stand for nothing, and groups of digits.
                cells = text.split("\0")[:-1]
                numbers = (np.nan if is_gap(cell) else float(cell.translate(table)) for cell in cells)
                blocks.append(np.fromiter(numbers, dtype=float, count=len(cells)))
        values = np.concatenate(blocks) if blocks else np.empty(0)
        whole = whole and bool(np.isfinite(values).all()) and bool((np.abs(values) < 2**53).all())
        return values.astype(np.int64) if whole and (values % 1 == 0).all() else values


def frame_of(
    names: Sequence[str], columns: Iterable[Cells | Iterable[str]], *, decimal: str = ""
) -> pd.DataFrame:
    """A table of cells that were read as text.

    Its `attrs["written"]` is the notation of its numbers, "1,234.5" or "1.234,5", as far as the cells show it, and
    `attrs["example"]` a cell such as "1,234" of which only `decimal` told what it means.

    Parameters
    ----------
    names : sequence of str
        Names of the columns, all different.
    columns : iterable
        The cells of every column, "" where one is empty.
    decimal : str
        "." or ",": what is a decimal sign in columns without the other one. A point in numbers that were no text, and
        between commas; a comma between semicolons. Otherwise 1.100 is text, if the other columns do not tell.
    """
    made = [one if isinstance(one, Cells) else _cells(one) for one in columns]
    clear, found = ([one.notation(sign) for one in made] for sign in ("", decimal))
    shown = {written for written in found if written in _PLAIN}
    agreed = shown.pop() if len(shown) == 1 else ""
    told = (one.example() for one, a, b in zip(made, clear, found, strict=True) if a != b == "1.234,5")
    example = next(told, "")
    frame = pd.DataFrame(
        {
            name: one.column(agreed if written == "unclear" else written)
            for name, one, written in zip(names, made, found, strict=True)
        },
        copy=False,
    )
    frame.attrs |= {"written": agreed, "example": example}
    return frame


def _cells(texts):
    column = Cells()
    column.add(texts)
    return column
