"""G(n) and H(n) against the imbalance of the sites, as one small chart with the present sizes marked."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from core import cape
from dashboard.compare.chart import Axis, Line, chart
from dashboard.problems.site_sizes import largest_imbalance, sizes, total_of
from dashboard.state.number_text import equals, number_text
from dashboard.theme.scheme_style import LOOKS

_POINTS = 40
_IN_SIGHT = 100.0  # The axis ends here, or a little beyond the present imbalance.
_BEYOND = 3.0
_TOP, _HIGH = 8, 48  # Pixels of `imbalance.css`.


def gains(settings: Mapping[str, Any]) -> tuple[float, float]:
    """G(n) and H(n) of the sites at these settings: at equal weights, whatever weights they have."""
    each = settings["sizes"] if "sizes" in settings else settings.get("samples", 1)
    return _gains(each if isinstance(each, tuple) else (each,) * settings["sites"])


def against_imbalance(settings: Mapping[str, Any], imbalance: float, *, least: int = 1) -> str:
    """A small chart as HTML; "" where the axis has no room, because the sites hold few records.

    Parameters
    ----------
    settings : mapping
        With "sites" and what `data.sites.held` reads.
    imbalance : float
        What was chosen: it counts up to where the smallest site holds `least` records.
    """
    each = settings["sizes"] if "sizes" in settings else settings["samples"]
    return _drawn(each, settings["sites"], imbalance, least)


@lru_cache(maxsize=64)
def _drawn(each, count, imbalance, least):
    """The chart: most moves, such as that of ε, leave it as it is."""
    settings = {"sites": count, "samples": each}
    total = total_of(settings)
    end = largest_imbalance(total, count, least)
    here = min(imbalance, end)
    end = min(end, max(_IN_SIGHT, _BEYOND * here))
    if end <= 1:
        return ""
    gain, excess = gains(settings)
    x, above = _along(total, count, end)
    ends = Axis("imbalance", 1, end, log=True), Axis("", 1, 1.3 * max(above[-1], gain), log=True)
    colours = [f"var(--of-{name}, {LOOKS[name].colour})" for name in ("conventional", "cape")]
    lines = [
        Line(x, y, colour, name=name)
        for name, y, colour in zip(("G(n)", "H(n)"), (above, above / count), colours, strict=True)
    ]
    points = [(here, gain, colours[0]), (here, excess, colours[1])]
    said = f"{equals('G(n)', gain)} and {equals('H(n)', excess)} at {equals('imbalance', here)}"
    picture = chart(
        lines,
        *ends,
        rule=here,
        points=points,
        label=f"G(n) and H(n) against imbalance, geometric sizes: {said}",
    )
    names = "".join(
        f"<span class='name' style='top:{_TOP + _HIGH * (1 - float(ends[1].place(line.y[-1]))):.0f}px;--of:{line.colour}'>"
        f"{line.name} {number_text(float(line.y[-1]))}</span>"
        for line in lines
    )
    return f"<div class='against'>{picture}{names}</div>"


@lru_cache(maxsize=256)
def _gains(each):
    return cape.gain(each), cape.excess(each)


@lru_cache(maxsize=64)
def _along(total, sites, end):
    x = np.geomspace(1, end, _POINTS)
    return x, cape.gain([sizes(total, sites, ratio, "geometric") for ratio in x])
