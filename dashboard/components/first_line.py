"""The first line of *Compare*: what happens here, for those who see it for the first time."""

from __future__ import annotations

import param

from dashboard.compat.widgets.light_component import LightComponent
from dashboard.theme.assets import beside

KEY = "cape-lab-met"
"""Under which a browser keeps that its reader has dismissed the line."""
SHEET = beside(__file__, "first_line.css")
# Before the first painting, so that nothing moves; a browser that keeps nothing shows the line.
SCRIPT = f"try {{ if (localStorage.getItem('{KEY}')) document.documentElement.dataset.met = '' }} catch {{}}"
SHOWN = (
    ":root { --first-line-shown: flex; --first-line: 52px } "
    ":root[data-met] { --first-line-shown: none; --first-line: 0px }"
)
_ONES = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_ONES += (
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
)
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]


class FirstLine(LightComponent):
    """The line in the app; a notebook never shows it."""

    events_from_browser = ()

    text = param.String("", doc="What `first_line` returns.")

    _esm = beside(__file__, "first_line.js").replace("@key@", KEY)

    def __init__(self, **params):
        super().__init__(stylesheets=[SHEET], sizing_mode="stretch_width", **params)


def first_line(sites: int | None) -> str:
    """Two sentences with the number of sites, and what can be pressed, as HTML; None: not for the present records."""
    many = "Several" if sites is None else in_words(sites).capitalize()
    return (
        f"<span class='says'>{many} hospitals compute one result without showing their records. "
        "Each adds noise; under <b>CAPE</b> most of it cancels.</span>"
        "<button type='button' class='see' data-press='see' data-number='0'>▶ See it in one minute</button>"
        "<button type='button' class='dismiss' data-press='dismiss' data-number='0' aria-label='Dismiss'>✕</button>"
    )


def in_words(number: int) -> str:
    """A whole number from 1 to 99 in words, others in digits."""
    if not 0 < number < 100:
        return str(number)
    if number < 20:
        return _ONES[number - 1]
    tens, ones = divmod(number, 10)
    return _TENS[tens - 2] + (f"-{_ONES[ones - 1]}" if ones else "")
