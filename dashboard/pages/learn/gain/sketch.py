"""The sites of the Gain page, the noise of their messages, and the averages of many runs, to scale."""

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
.runs button {{ --go: {CAPE} }}
"""
SHEET = ":host { color: var(--mui-palette-text-primary) }" + _TONES + _SKETCH + beside(__file__, "sketch.css")

_HEIGHT = 422
_REACH = 2.6  # At the edges, in units of the noise of one conventional message.
_WIDEST = (
    2 * _REACH / 65
)  # A column of blocks; narrower where CAPE's averages would fill fewer than about ten.
_NAMES = {"conventional": INDEPENDENT, "cape": "CAPE"}
_FLOORS = {"conventional": 214, "cape": 372}  # Pixels at which the blocks of a scheme stand.
_ROOM, _MOST = 82, 9.0  # Pixels for a pile, and for one block of it.
_THIN, _TIMES = 0.09, 5  # A heap of less spread is shown enlarged, too.
_LINE = "fill: none; stroke: var(--tone); stroke-width: 2; vector-effect: non-scaling-stroke"
_DASHED = f"fill: none; stroke: {CONVENTIONAL}; stroke-width: 1.5; stroke-dasharray: 5 4"
_LENS = (1.0, 40.0)  # Its left edge and its width, in per cent.
_GLASS, _OFF = 106, 12  # Its height, and how far it stands above the axis, in pixels.
_LOWER = 0.8  # Heights in it, which leave room for its label.


def markup(runs: NoiseRuns, *, pace: float, key: str) -> str:
    """HTML of the whole picture; with another key everything falls anew."""
    spread = {scheme: _spread(std) for scheme, std in runs.stds.items()}
    said = f"The average of {runs.sites} equal sites has a spread of {spread['conventional']} with independent noise"
    said += f", and of {spread['cape']} with CAPE"
    return (
        '<div class="sketch runs"><div class="sketch rain">'
        f'<svg role="img" aria-label="{said}, in units of the noise of one message." height="{_HEIGHT}">'
        f"{sites_sketch(runs, pace=pace, key=key)}</svg></div>"
        f'<button data-press="runs" data-number="0">▶ New runs</button></div>'
    )


def _spread(std):
    return number_text(
        std
    )  # Of two digits each, two spreads would have another ratio than the one that is told.


def across(value: float) -> float:
    """The place of a number, in per cent of the width; what lies beyond the edge stands at the edge."""
    return float(np.clip(50 + 50 * value / _REACH, 0.7, 99.3))


def sites_sketch(runs: NoiseRuns, *, pace: float, key: str) -> str:
    """SVG elements: the sites, and under each scheme the messages of one run, the averages of all, and their spread.

    Every `pace` milliseconds an average falls into its place.
    """
    wide = min(_WIDEST, 0.6 * min(runs.stds.values()))
    peak = max(len(runs.errors[s]) * wide * norm.pdf(0) / runs.stds[s] for s in _NAMES)
    block = wide, min(_MOST, _ROOM / peak)
    lanes = _lane(runs, "conventional", block, pace, key)
    lanes += _lane(runs, "cape", block, pace, key)
    return _sites(runs) + lanes + _axis()


def _sites(runs):
    sites = runs.sites
    size, rows = (30, 1) if sites <= 12 else (19, 1) if sites <= 20 else (14, 2)  # Faces fit a phone.
    bad, each = sites - runs.colluding, -(-sites // rows)
    faces = "".join(
        f'<svg x="{100 * (s % each + 0.5) / each:.2f}%" y="{45 + 16.5 * (s // each - (rows - 1) / 2):.1f}">'
        f"{_face(size, colluding=s >= bad)}</svg>"
        for s in range(sites)
    )
    told = f"{sites} equal sites send their values with noise"
    if runs.colluding:
        told = f"{sites} equal sites; {runs.colluding} collude{'s' if runs.colluding == 1 else ''} with the aggregator"
    return text(0, 16, told, "name") + faces


def _face(size, *, colluding):
    r = size / 2
    kind = "face bad" if colluding else "face"
    head = (
        f'<rect class="{kind}" x="{-r}" y="{-0.74 * r:.1f}" width="{size}" height="{1.6 * r:.1f}" '
        f'rx="{0.22 * size:.1f}"/>'
    )
    eyes = "".join(
        f'<ellipse class="eyes" cx="{side * 0.21 * size:.1f}" cy="0" rx="{0.07 * size:.1f}" ry="{0.1 * size:.1f}"/>'
        for side in (-1, 1)
    )
    mouth = f"M{-0.16 * size:.1f} {0.2 * size:.1f}Q0 {0.33 * size:.1f} {0.16 * size:.1f} {0.2 * size:.1f}"
    return head + eyes + f'<path class="mouth" d="{mouth}"/>'


def _lane(runs, scheme, block, pace, key):
    floor, std = _FLOORS[scheme], runs.stds[scheme]
    late = 0 if scheme == "conventional" else 7 * pace
    messages = "".join(
        f'<circle class="come" style="--i:{late + pace * s // 4}" cx="{across(value):.2f}%" cy="{floor - 122}" r="4.5"/>'
        for s, value in enumerate(runs.messages[scheme])
    )
    parts = [
        line(0, floor - 122, 100, floor - 122, "axis", stroke_opacity="0.35"),
        messages,
        text(0, floor - 133, _NAMES[scheme], "name"),
        text(100, floor - 133, f"{count_text(runs.sites, 'message')} of one run", "quiet", "end"),
        _heap(runs, scheme, block, late + 12 * pace, pace),
        _above(runs, block) if scheme == "cape" else "",
        line(0, floor, 100, floor),
        text(0, floor - 10, f"{RUNS} averages", "quiet") if std >= _THIN else "",
        *_numbers(runs, scheme, floor),
    ]
    return f'<g class="lane {scheme}" data-key="{key}">{"".join(parts)}</g>'


def _heap(runs, scheme, block, late, pace):
    """The averages of all runs, and how wide they are by design."""
    floor, std = _FLOORS[scheme], runs.stds[scheme]
    blocks = _blocks(runs.errors[scheme], floor, block, late, pace)
    outline = _outline(std, RUNS, floor, block, _LINE)
    return (
        f'<g id="heap-{scheme}">{blocks}{outline}</g>'
        + line(across(-std), floor + 7, across(std), floor + 7, "spread")
        + (_lens(scheme, floor, std) if std < _THIN else "")
    )


def _above(runs, block):
    """The heap with independent noise as a dashed outline, for comparison; a magnifier leaves no room for its name."""
    floor = _FLOORS["cape"]
    name = "" if runs.stds["cape"] < _THIN else text(0, floor - 27, "dashed: as above", "quiet")
    return name + _outline(runs.stds["conventional"], RUNS, floor, block, _DASHED)


def _numbers(runs, scheme, floor):
    """The spread; beside CAPE's, how many times narrower that is than the one above."""
    less = runs.stds["conventional"] / runs.stds[scheme]
    spread = f"expected spread ±{_spread(runs.stds[scheme])}"
    if scheme == "conventional":
        return [text(100, floor - 10, spread, "quiet", "end")]
    return [
        text(100, floor - 54, spread, "quiet", "end"),
        text(100, floor - 26, f"{number_text(less)} times", "big", "end"),
        text(100, floor - 8, "narrower", "quiet", "end"),
    ]


def _lens(scheme, floor, std):
    """A narrow heap drawn again, several times wider."""
    left, width = _LENS
    right = left + width
    inside = 100 * 100 * _TIMES / width  # The width of the whole picture, in per cent of the lens.
    near, foot = across(-3 * std), floor - _OFF
    return (
        f'<rect class="glass" x="{left}%" width="{width}%" y="{foot - _GLASS}" height="{_GLASS}" rx="4"/>'
        + line(right, foot - 30, near, foot - 30, "ray")
        # What is farther out than the glass is cut off at its edges.
        + f'<svg class="cut" x="{left}%" width="{width}%" y="{foot - _GLASS}" height="{_GLASS}">'
        f'<svg x="{50 - inside / 2:.1f}%" width="{inside:.1f}%" height="{_GLASS}">'
        f'<g transform="translate(0 {_GLASS - 4 - _LOWER * floor:.1f}) scale(1 {_LOWER})">'
        f'<use href="#heap-{scheme}"/></g></svg></svg>'
        + text(left + 1, foot - _GLASS + 15, f"magnifier, {_TIMES} × wider", "quiet")
    )


def _blocks(errors, floor, block, late, pace):
    """The averages as blocks of a width, in units of the axis, and a height in pixels."""
    heights: Counter = Counter()
    parts = []
    wide, block = block
    width, most = 50 * wide / _REACH, int(_REACH / wide - 0.5)
    gap = min(0.1, 0.15 * width)
    for run, error in enumerate(errors):
        column = int(np.clip(round(error / wide), -most, most))
        heights[column] += 1
        parts.append(
            f'<rect class="come" style="--i:{late + pace * run}" x="{50 + (column - 0.5) * width + gap / 2:.2f}%" '
            f'y="{floor - heights[column] * block:.1f}" width="{width - gap:.2f}%" height="{max(0.4, block - 0.7):.2f}"/>'
        )
    return f'<g class="blocks" style="fill:var(--tone);fill-opacity:0.65">{"".join(parts)}</g>'


def _outline(std, runs, floor, block, style):
    wide, block = block
    errors = std * np.linspace(-3.4, 3.4, 69)
    heights = runs * wide * norm.pdf(errors, scale=std) * block
    room = float(heights.max()) + 2
    points = [(50 + 50 * x / _REACH, room - y) for x, y in zip(errors, heights, strict=True)]
    return curve(points, top=floor - room, height=room, style=style)


def _axis():
    y = _HEIGHT - 24
    marks = "".join(
        text(across(x), y, f"{x:+d}".replace("-", "−"), "quiet", "middle") for x in (-2, -1, 1, 2)
    )
    truth = line(50, 84, 50, _HEIGHT - 38, "dashed")
    unit = text(50, y + 17, "1 = the noise of one message with independent noise", "quiet", "middle")
    return truth + marks + text(50, y, "0: the true value", "quiet", "middle") + unit
