"""Spaces between digits: "1 234" is one number in groups of three digits, or two numbers side by side.

Signs that nobody puts between two numbers (narrow and no-break spaces, ’) need no such look.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_PAIR = re.compile(r"(?<![\d.,])\d{1,3} \d{3}(?!\d)", re.ASCII)
# No second number begins with a zero, and of two numbers both have decimals.
_GROUPS = re.compile(
    r"\d(?: 0\d\d(?!\d)| \d{3} \d{3}(?!\d)| \d{3}[.,]\d|[\u00a0\u202f\u2009'’]\d{3})", re.ASCII
)
# Numbers without groups, beside which one in groups is unlikely: 12345, and 1234 beside 1 234.
_FIVE = re.compile(r"(?<![\d.,])\d{5}", re.ASCII)
_FOUR, _FOUR_IN_GROUPS = (
    re.compile(rf"(?<![\d.,\u00a0\u202f\u2009'’ ])\d{sign}\d{{3}}(?!\d| \d)", re.ASCII) for sign in ("", " ")
)
_SIGNS = {"pair": _PAIR, "groups": _GROUPS, "five": _FIVE, "four": _FOUR, "four in groups": _FOUR_IN_GROUPS}


def two_numbers(blocks: Iterable[str]) -> str:
    """The first digits with a space that may part two numbers, "" if there are none or they are certainly groups.

    They are groups if some cell can be read in no other way (12 345 678, 1 050, 1 234.5), and every number of the column
    that is long enough has them.

    Parameters
    ----------
    blocks : iterable of str
        The cells of a column, or many of them with characters between that are no part of a number.
    """
    seen: dict[str, str] = {}
    for block in blocks:
        for name, sign in _SIGNS.items():
            if name not in seen and (found := sign.search(block)):
                seen[name] = found[0]
    loose = "five" in seen or {"four", "four in groups"} <= {*seen}
    return "" if "groups" in seen and not loose else seen.get("pair", "")
