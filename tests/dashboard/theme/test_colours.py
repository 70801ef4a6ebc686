"""A colour is said once: what stands for CAPE in one picture stands for it in all."""

import re
from pathlib import Path

import pytest

from dashboard.theme import colours
from dashboard.theme.scheme_style import LOOKS, SPARE_COLOURS, paper

DASHBOARD = Path(__file__).parents[3] / "dashboard"
SAID = {value for value in vars(colours).values() if isinstance(value, str) and value.startswith("#")}


def test_a_named_colour_is_written_nowhere_else():
    written = [
        (str(path.relative_to(DASHBOARD)), colour)
        for path in DASHBOARD.rglob("*.*")
        if path.suffix in {".py", ".css", ".js"} and path != DASHBOARD / "theme" / "colours.py"
        for colour in SAID
        if colour in path.read_text(encoding="utf-8").lower()
    ]
    assert written == []


@pytest.mark.parametrize("line", ["CAPE", "AGGREGATOR", "CORRECTED", "OBSERVED"])
def test_what_shares_a_colour_with_cape_keeps_it_when_capes_is_changed(line):
    """The line of CAPE is the only one to edit: in the source another colour there leaves the rest alone."""
    source = re.sub("(?m)^CAPE = .*", 'CAPE = "#123456"', Path(colours.__file__).read_text(encoding="utf-8"))
    names = {"__name__": "colours"}
    exec(compile(source, "colours", "exec"), names)
    assert names["ZERO_SUM"] == "#123456"  # It is CAPE's own.
    assert names[line] == ("#123456" if line == "CAPE" else getattr(colours, line))


def luminance(colour):
    """Relative luminance of a colour `#rrggbb` (WCAG 2.2)."""
    parts = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("dark", [False, True])
def test_every_curve_stands_out_from_the_page(dark):
    """At least 3 : 1, as WCAG 2.2 asks of graphics (1.4.11); the non-private curve has the colour of text."""
    drawn = {name: look.colour for name, look in LOOKS.items() if name != "nonprivate"}
    drawn |= {f"spare {place}": colour for place, colour in enumerate(SPARE_COLOURS)}
    page = luminance(paper(dark=dark))
    for name, colour in drawn.items():
        low, high = sorted((luminance(colour), page))
        assert (high + 0.05) / (low + 0.05) >= 3, (name, colour)
