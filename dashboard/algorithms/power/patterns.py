"""Hidden patterns and what searches found of them, a row each, as the server draws it."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dashboard.compare import panels
from dashboard.components.numerals import LEAST, shape_of
from dashboard.theme.assets import beside

SHEET = beside(__file__, "patterns.css")


@dataclass(frozen=True)
class Row:
    """One row of pictures.

    Attributes
    ----------
    label, hint, note : str
        Plain text before the row: of what, half a line, and a number.
    pixels : ndarray of shape (k, pixels) or None
        As `components.numerals.pictured` gives them; None where they are not known.
    colour : str
    marks : sequence of str
        A sign under each picture; () for none.
    """

    label: str
    hint: str = ""
    note: str = ""
    pixels: np.ndarray | None = None
    colour: str = "currentColor"
    marks: Sequence[str] = ()


def rows(found: Sequence[Row], *, width: int, count: int) -> str:
    """Rows of `count` pictures of patterns of so many numbers, as HTML."""
    return f"<div class='patterns'>{''.join(_row(row, width, count) for row in found)}</div>"


def _row(row, width, count):
    marks = [*row.marks, *[""] * (count - len(row.marks))]
    figures = "".join(
        f"<figure>{one(None if row.pixels is None else row.pixels[i], width, row.label, row.colour)}"
        f"<figcaption>{html.escape(marks[i])}</figcaption></figure>"
        for i in range(count)
    )
    hint = f"<small>{html.escape(row.hint)}</small>" if row.hint else ""
    note = f"<strong>{html.escape(row.note)}</strong>" if row.note else ""
    who = f"<b style='--of:{row.colour}'>{html.escape(row.label)}</b>{hint}{note}"
    return f"<div class='of'><div class='who'>{who}</div><div class='ones'>{figures}</div></div>"


def one(pixels: np.ndarray | None, width: int, name: str, colour: str) -> str:
    """One pattern of so many numbers: pixels that show its digit, or bars; an empty place where it is not known."""
    if width < LEAST:
        return panels.bars(np.zeros((1, width)) if pixels is None else pixels[None], colour)
    high, wide = shape_of(width)
    image = "" if pixels is None else panels.strip(pixels[None], (high, wide), f"pattern: {name}")
    return f"<span class='drawn' style='aspect-ratio:{wide}/{high}'>{image}</span>"
