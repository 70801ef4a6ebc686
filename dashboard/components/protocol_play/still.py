"""The first picture of the play: true values, and for the last step the noise, the messages and the averages."""

from __future__ import annotations

import html
import math

from dashboard.state.number_text import short_text
from dashboard.theme import colours
from dashboard.theme.assets import beside

# Per cent of the width at which rows, and the running sums beside them, begin and end.
_LEFT, _RIGHT, _SUMS = 13, 61, 65
_END = 86  # Where the axis of errors ends.
_AXIS = (_LEFT + _END) / 2
_TOP = 26
_TRUTH = 10  # Per cent of the width that the words about the true average take to each side.
QUESTION = "How large will the average's error be?"
CANCEL = "Will their noise cancel?"
_SHEET = f"<style>{beside(__file__, 'still.css')}</style>"
_HOUSE = "M-11 0L0 -10L11 0M-8 -2V9H8V-2"


def still(run: dict, *, step: int) -> str:
    """HTML of what `dashboard.problems.protocol.played` returns; a step before the last shows the true values alone."""
    partial = [value + noise for value, noise in zip(run["values"], run["zero_sum"], strict=True)]
    drawn = (partial, *(run[name] for name in ("values", "messages", "conventional_messages")))
    reach = 1.06 * max(run["room"]["reach"], *(abs(x - run["truth"]) for xs in drawn for x in xs))

    def x(value):
        return f"{_LEFT + (_RIGHT - _LEFT) * (0.5 + (value - run['truth']) / (2 * reach)):.2f}%"

    rows, ends = len(run["values"]), step == 5
    row = 38.0 if rows <= 6 else 19.0 if rows <= 12 else max(6.0, min(14.5, 260 / rows))
    bottom, middle = _TOP + rows * row, x(run["truth"])
    parts = [
        f'<line x1="{middle}" x2="{middle}" y1="20" y2="{bottom + 10:.0f}" stroke="currentColor" stroke-dasharray="5 5" '
        'stroke-opacity="0.6"/>'
        f'<text x="{middle}" y="14" text-anchor="middle">true '
        f'<tspan class="still-wide">average </tspan>{run["truth"]:.3f}</text>',
        _scale(run["truth"], reach),
        _places(bottom, run["lane"], ends=ends),
    ]
    if ends:
        parts += [_bell(run, "average", bottom + 122), _bell(run, "conventional", bottom + 196)]
    parts += [_row(run, s, x, _TOP + (s + 0.5) * row, ends=ends, named=rows <= 20) for s in range(rows)]
    if ends:
        parts += [
            _released(run, name, y) for name, y in (("average", bottom + 122), ("conventional", bottom + 196))
        ]
    bold = html.escape(run["captions"][-1 if ends else step - 1], quote=True)
    told = bold.replace("*", "")
    return _said(bold) + (
        f'<svg class="still" role="img" aria-label="{told}" width="100%" height="{bottom + 216:.0f}" font-size="12" '
        f'fill="currentColor">{"".join(parts)}</svg>'
    )


def _said(bold):
    """The button, which works once scripts run, and the sentence beside it; stars enclose what is bold."""
    told = "".join(f"<b>{part}</b>" if i % 2 else part for i, part in enumerate(bold.split("*")))
    play = f'<span class="still-go" aria-hidden="true" style="background:{colours.ZERO_SUM}">Play</span>'
    return f'{_SHEET}<div class="still-top">{play}<p class="still-say">{told}</p></div>'


def _released(run, name, y):
    """An average on the axis of errors."""
    error = max(-1.0, min(1.0, (run[name] - run["truth"]) / run["reach"]))
    return (
        f'<circle cx="{_AXIS + (_END - _AXIS) * error:.2f}%" cy="{y - 10:.0f}" r="8" fill="{_colour(run, name)}" '
        f'data-value="{run[name]!r}"/>'
    )


def _colour(run, name):
    return colours.CAPE if name == "average" and run["share"] else colours.CONVENTIONAL


def _bell(run, name, y):
    """Where the averages of many runs fall, and beside it the typical error of the scheme."""
    std = run["bands"]["cape" if name == "average" else "conventional"]
    end = min(3.5, run["reach"] / std)
    outline = "L".join(
        f"{z * end / 24:.3f} {1 - math.exp(-((z * end / 24) ** 2) / 2):.3f}" for z in range(-24, 25)
    )
    half = (_END - _AXIS) * end * std / run["reach"]
    return (
        f'<svg class="still-bell" x="{_AXIS - half:.2f}%" width="{2 * half:.2f}%" y="{y - 34:.0f}" height="34" '
        f'viewBox="{-end:.3f} 0 {2 * end:.3f} 1" preserveAspectRatio="none"><path d="M{outline}L{end:.3f} 1L{-end:.3f} 1z" '
        f'fill="{_colour(run, name)}" fill-opacity="0.3"/></svg>'
        f'<text x="{_END + 1}%" y="{y - 5:.0f}" font-weight="bold">±{short_text(std)}</text>'
    )


def _scale(truth, reach):
    """The scale on which the sites' values stand: round numbers, as in the play."""
    rough = reach / 1.5
    power = 10.0 ** math.floor(math.log10(rough))
    step = power * next(times for times in (5, 2, 1) if times * power <= rough)
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    ticks = range(math.ceil((truth - reach) / step), math.floor((truth + reach) / step) + 1)
    places = {k * step: (_LEFT + _RIGHT + (_RIGHT - _LEFT) * (k * step - truth) / reach) / 2 for k in ticks}
    return "".join(
        f'<text class="still-wide" x="{x:.2f}%" y="14" text-anchor="middle" fill-opacity="0.65">'
        f"{_decimal(value, digits)}</text>"
        for value, x in places.items()
        if abs(x - (_LEFT + _RIGHT) / 2) > _TRUTH
    )


def _decimal(value, digits):
    return f"{value:.{digits}f}".replace("-", "−")


def _questions(bottom):
    """What both boxes ask until the play answers; nobody can place the two marks yet."""
    asked = (
        ("still-wide", f"{(_SUMS + 100) / 2}%", bottom / 2 + 19, CANCEL),
        ("still-asks", f"{_AXIS}%", bottom + 82, QUESTION),
    )
    words = "".join(
        f'<text class="{kind}" x="{x}" y="{y:.0f}" font-size="20" fill-opacity="0.65" text-anchor="middle">{text}</text>'
        for kind, x, y, text in asked
    )
    marks = "".join(
        f'<circle cx="{_AXIS}%" cy="{bottom + down:.0f}" r="12" fill="none" stroke="{colour}" stroke-width="2" '
        f'stroke-dasharray="4 3"/><text x="{_AXIS}%" y="{bottom + down + 5:.0f}" text-anchor="middle">?</text>'
        for down, colour in ((108, colours.CAPE), (182, colours.CONVENTIONAL))
    )
    return words + marks


def _lane(name, y):
    return (
        f'<text class="still-wide" x="4" y="{y - 6:.0f}">{name}</text>'
        f'<line x1="{_LEFT}%" x2="{_END}%" y1="{y:.0f}" y2="{y:.0f}" stroke="currentColor" '
        'stroke-opacity="0.6"/>'
    )


def _places(bottom, lane, *, ends):
    """Where the running sums, the aggregator and the averages come to stand."""
    lanes = _lane(html.escape(lane), bottom + 122) + _lane("conventional", bottom + 196)
    asked = lanes + ("" if ends else _questions(bottom))
    return (
        f'<rect x="{_SUMS}%" width="{100 - _SUMS}%" y="18" height="{bottom + 25:.0f}" rx="8" fill-opacity="0.04"/>'
        f'<svg x="{(_SUMS + 100) / 2}%" y="{bottom + 14:.0f}" overflow="visible"><path d="{_HOUSE}" fill="none" '
        'stroke="currentColor" stroke-opacity="0.6" stroke-width="2"/></svg>'
        f'<text x="44" y="{bottom + 37:.0f}">Aggregator</text><line x1="{_LEFT}%" x2="{_RIGHT}%" y1="{bottom + 32:.0f}" '
        f'y2="{bottom + 32:.0f}" stroke="currentColor" stroke-opacity="0.6"/>'
        f'<rect x="{_LEFT}%" width="{100 - _LEFT}%" y="{bottom + 56:.0f}" height="150" fill-opacity="0.04"/>{asked}'
    )


def _row(run, s, x, y, *, ends, named):
    value = run["values"][s]
    name = f'<text x="44" y="{y + 5:.1f}">{html.escape(run["names"][s])}</text>' if named else ""
    parts = [
        f'{name}<line x1="{_LEFT}%" x2="{_RIGHT}%" y1="{y:.1f}" y2="{y:.1f}" stroke="currentColor" stroke-opacity="0.15"/>'
    ]
    if ends:
        masked, message = value + run["zero_sum"][s], run["messages"][s]
        bars = ((value, masked, -3, colours.ZERO_SUM), (masked, message, 3, colours.LOCAL_NOISE))
        parts += [
            f'<line x1="{x(a)}" x2="{x(b)}" y1="{y + off:.1f}" y2="{y + off:.1f}" stroke="{colour}" stroke-width="4" '
            'stroke-opacity="0.6"/>'
            for a, b, off, colour in bars
        ]
    parts.append(
        f'<circle cx="{x(value)}" cy="{y:.1f}" r="5" fill-opacity="{0.35 if ends else 1}" data-value="{value!r}"/>'
    )
    if ends and run.get("order") and s == len(run["values"]) - 1:  # This site has dropped out.
        return f'<g opacity="0.4">{"".join(parts)}</g>'
    return "".join(parts)
