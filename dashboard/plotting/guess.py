"""Guessing: a question with a number as its answer, the verdict on a guess, and its mark on the picture."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from bokeh.core.properties import value
from bokeh.models import ColumnDataSource, LabelSet

from dashboard.state.number_text import number_text
from dashboard.theme import colours

_CLOSE = 1.05  # A ratio below this is a hit; on a linear scale, a difference of half as much of the scale.
_STOPS = 100
_DIGITS = 3


@dataclass(frozen=True)
class Question:
    """What a class guesses before it sees the picture.

    Attributes
    ----------
    text : str
        The question, plain text; nothing in it depends on the answer.
    low, high : float
        The ends of the scale on which the guess is marked; public, whatever the answer is.
    log : bool
        Whether that scale is logarithmic.
    unit : str
        Follows every number, e.g. " %".
    at : float or None
        Where the guess is marked along the main figure's horizontal axis; None for nowhere.
    free : tuple of str
        Settings that change neither question nor answer, besides the noise seed.
    shows : mapping
        Settings, all of them `free`, under which the picture shows the answer.
    """

    text: str
    low: float
    high: float
    log: bool = True
    unit: str = ""
    at: float | None = None
    free: tuple[str, ...] = ()
    shows: Mapping[str, Any] = field(default_factory=dict)

    def stops(self) -> list[float]:
        """The values on the scale, round and in order."""
        if not self.log:
            return [float(f"{v:.6g}") for v in np.linspace(self.low, self.high, _STOPS + 1)]
        places = np.geomspace(self.low, self.high, _STOPS + 1)
        digits = 1 if self.high / self.low > 1e6 else 2
        return sorted({float(f"{v:.{digits}g}") for v in places})

    def text_of(self, number: float) -> str:
        """A number on the scale, with its unit."""
        return f"{number_text(number, digits=_DIGITS)}{self.unit}"


@dataclass(frozen=True)
class Measured:
    """What the curve of a sweep shows, as a question: its words, and the ends of the scale.

    Attributes
    ----------
    words : str
        The question after "At ε = 1, "; braces stand for the method.
    low, high, log, unit
        See `Question`.
    """

    words: str
    low: float
    high: float
    log: bool = False
    unit: str = ""


def verdict(question: Question, guess: float, answer: float | None) -> str:
    """The guess beside the answer, as HTML; None for an answer that is still computed."""
    said = f"Your guess: {question.text_of(guess)}."
    if answer is None or not math.isfinite(answer):
        return f"{said} The verdict follows when the answer is known."
    truth = f"<b>{question.text_of(answer)}</b>"
    off = _off(question, guess, answer)
    return f"{said} It is {truth}: {off}."


def _off(question, guess, answer):
    side = "too high" if guess > answer else "too low"
    if question.log and guess > 0 and answer > 0:
        ratio = max(guess, answer) / min(guess, answer)
        if ratio < _CLOSE:
            return "a hit"
        if ratio > 1000:
            return f"you were {math.log10(ratio):.1f} powers of ten {side}"
        return f"you were {number_text(ratio, digits=2)} times {side}"
    if abs(guess - answer) < (_CLOSE - 1) / 2 * (question.high - question.low):
        return "a hit"
    return f"you were {number_text(abs(guess - answer), digits=2)}{question.unit} {side}"


class GuessMark:
    """The mark of a guess on a figure, put there when the answer is revealed."""

    def __init__(self, figure):
        self._figure = figure
        self._source: ColumnDataSource | None = None

    @property
    def at(self) -> tuple[float, float] | None:
        """Where it is; None for nowhere."""
        data = {} if self._source is None else self._source.data
        return (data["x"][0], data["y"][0]) if data.get("x") else None

    def put(self, x: float, y: float) -> None:
        """Mark a guess."""
        if self._source is None:
            self._source = ColumnDataSource({"x": [], "y": []})
            look = {"source": self._source, "level": "overlay", "text_color": colours.GUESS}
            self._figure.add_layout(
                LabelSet(
                    text=value("✕"),
                    text_align="center",
                    text_baseline="middle",
                    text_font_size="20px",
                    **look,
                )
            )
            self._figure.add_layout(
                LabelSet(
                    text=value("your guess"),
                    x_offset=14,
                    text_baseline="middle",
                    text_font_size="15px",
                    **look,
                )
            )
        self._source.data = {"x": [x], "y": [y]}

    def clear(self) -> None:
        """Take the mark away."""
        if self._source is not None:
            self._source.data = {"x": [], "y": []}
