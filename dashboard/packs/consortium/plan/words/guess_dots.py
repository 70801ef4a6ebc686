"""A hundred guesses at one record as dots, in two lines: right by chance, right because of the release, and wrong."""

from __future__ import annotations

import math

_COLUMNS = 50  # Of two dots each.
_CHANCE = 50  # Right guesses of 100 that a coin makes.
LEGEND = (
    "Of 100 guesses by the best attacker, 50 are right by chance (grey); the release adds the coloured ones."
)


def guess_dots(least: float, most: float) -> str:
    """HTML of a hundred dots of which so many are right, for certain and at most."""
    sure, perhaps = (max(math.ceil(right - 1e-9) - _CHANCE, 0) for right in (least, most))
    more = f"<i class='perhaps' style='width:{_width(math.ceil(perhaps / 2))}'></i>" if perhaps > sure else ""
    pairs, odd = divmod(sure, 2)
    one = f"<i class='one' style='left:calc(50% + {_width(pairs)})'></i>" if odd else ""
    said = f"{_CHANCE + sure} of 100 guesses are right"
    return (
        f"<span class='dots' role='img' aria-label='{said}'><i class='luck'></i>{more}"
        f"<i class='sure' style='width:{_width(pairs)}'></i>{one}</span>"
    )


def _width(columns):
    return f"{100 * columns / _COLUMNS:g}%"
