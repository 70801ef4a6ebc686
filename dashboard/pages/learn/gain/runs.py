"""Runs of both schemes to scale: the messages of one, and the averages of a hundred as they fall into their places."""

from __future__ import annotations

from collections import Counter

import numpy as np
from scipy.stats import norm

from dashboard.components.sketch import SHEET as _SKETCH
from dashboard.components.sketch import curve, line, text
from dashboard.pages.learn.gain.model import RUNS, NoiseRuns
from dashboard.state.number_text import count_text, number_text
from dashboard.theme.assets import beside
from dashboard.theme.colours import CAPE, CONVENTIONAL
from dashboard.theme.scheme_style import INDEPENDENT

# The colour of links is near CAPE's on the light page and light on the dark one: both together are seen on both.
_TONES = f"""
.lane.cape {{ --tone: color-mix(in srgb, {CAPE}, var(--mui-palette-primary-main, var(--primary, {CAPE}))) }}
.lane.conventional {{ --tone: {CONVENTIONAL} }}
"""
SHEET = _TONES + _SKETCH + beside(__file__, "runs.css")
_HEIGHT = 272
_REACH = 2.6  # At the edges, in units of the noise of one conventional message.
_WIDEST = (
    2 * _REACH / 65
)  # A column of blocks; narrower where CAPE's averages would fill fewer than about ten.
_NAMES = {"conventional": INDEPENDENT, "cape": "CAPE"}
_FLOORS = {"conventional": 112, "cape": 232}  # Pixels at which the blocks of a scheme stand.
_ROOM, _MOST = 64, 7.0  # Pixels for the highest column, and for one block of it.
_PACE = 12  # Milliseconds from one average to the next.


def runs(found: NoiseRuns) -> str:
    """The picture, as HTML; with other noise everything falls anew."""
    stds = {scheme: number_text(std) for scheme, std in found.stds.items()}
    said = (
        f"The average of {found.sites} equal sites has a standard deviation of {stds['conventional']} with independent "
        f"noise, and of {stds['cape']} with CAPE, in units of the noise of one message."
    )
    wide = min(_WIDEST, 0.6 * min(found.stds.values()))
    peak = max(RUNS * wide * norm.pdf(0) / std for std in found.stds.values())
    block = wide, min(_MOST, _ROOM / peak)
    lanes = "".join(_lane(found, scheme, block) for scheme in _NAMES)
    return (
        f"<section class='card'><h2>{RUNS} runs of equal sites "
        "<button type='button' class='chip' data-press='runs' data-number='0'>▶ New runs</button></h2>"
        f'<div class="sketch rain"><svg role="img" aria-label="{said}" height="{_HEIGHT}">{lanes}{_axis()}</svg>'
        "</div></section>"
    )


def _across(value):
    """The place of a number, in per cent of the width; what lies beyond the edge stands at the edge."""
    return float(np.clip(50 + 50 * value / _REACH, 0.7, 99.3))


def _lane(found, scheme, block):
    floor, std, errors = _FLOORS[scheme], found.stds[scheme], found.errors[scheme]
    messages = "".join(
        f'<circle class="come" style="--i:{_PACE * s // 4}" cx="{_across(value):.2f}%" cy="{floor - 78}" r="4"/>'
        for s, value in enumerate(found.messages[scheme])
    )
    parts = [
        line(0, floor - 78, 100, floor - 78, "axis", stroke_opacity="0.35"),
        messages,
        text(0, floor - 90, _NAMES[scheme], "name"),
        text(100, floor - 90, f"{count_text(found.sites, 'message')} of one run", "quiet", "end"),
        _blocks(errors, floor, block),
        _outline(std, floor, block),
        line(0, floor, 100, floor),
        text(0, floor - 10, f"{RUNS} averages", "quiet"),
        text(100, floor - 34, number_text(std), "big", "end"),
        text(100, floor - 10, "standard deviation", "quiet", "end"),
    ]
    # Numbers that are drawn: other noise has another key, and no key tells a seed.
    return f'<g class="lane {scheme}" data-key="{errors[0]:.6g}">{"".join(parts)}</g>'


def _blocks(errors, floor, block):
    """The averages as blocks of a width, in units of the axis, and a height in pixels."""
    heights: Counter = Counter()
    parts = []
    wide, tall = block
    width, most = 50 * wide / _REACH, int(_REACH / wide - 0.5)
    gap = min(0.1, 0.15 * width)
    for run, column in enumerate(np.clip(np.round(errors / wide), -most, most).astype(int).tolist()):
        heights[column] += 1
        parts.append(
            f'<rect class="come" style="--i:{_PACE * (12 + run)}" x="{50 + (column - 0.5) * width + gap / 2:.2f}%" '
            f'y="{floor - heights[column] * tall:.1f}" width="{width - gap:.2f}%" height="{max(0.4, tall - 0.7):.2f}"/>'
        )
    return f'<g class="blocks">{"".join(parts)}</g>'


def _outline(std, floor, block):
    """The density by design."""
    wide, tall = block
    errors = std * np.linspace(-3.4, 3.4, 69)
    heights = RUNS * wide * norm.pdf(errors, scale=std) * tall
    room = float(heights.max()) + 2
    points = list(zip(50 + 50 * errors / _REACH, room - heights, strict=True))
    return curve(points, top=floor - room, height=room)


def _axis():
    y = _HEIGHT - 18
    marks = "".join(text(_across(x), y, f"{x:+d}".replace("-", "−"), "quiet", "middle") for x in (-2, 2))
    return (
        line(50, 26, 50, y - 14, "dashed")
        + marks
        + text(50, y, "0: true value; 1: noise of one message", "quiet", "middle")
    )
