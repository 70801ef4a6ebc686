"""The first picture of the play: true values, and for the last step the noise, the messages and the averages."""

from __future__ import annotations

import html

from dashboard.theme import colours

_LEFT, _RIGHT = 16, 96  # Per cent of the width between which numbers are drawn.
_TOP, _ROW = 40, 30


def still(run: dict, *, step: int) -> str:
    """SVG of what `dashboard.problems.protocol.played` returns; a step before the last shows the true values alone."""
    names = ("values", "messages", "conventional_messages")
    reach = 1.1 * max(abs(x - run["truth"]) for name in names for x in run[name])

    def x(value):
        return f"{_LEFT + (_RIGHT - _LEFT) * (0.5 + (value - run['truth']) / (2 * reach)):.2f}%"

    rows = len(run["values"])
    height, ends = _TOP + _ROW * (rows + 1) + 20, step == 5
    middle = x(run["truth"])
    parts = [
        f'<line x1="{middle}" x2="{middle}" y1="24" y2="{height - 10}" stroke="currentColor" stroke-dasharray="5 5" '
        'stroke-opacity="0.6"/>'
        f'<text x="{middle}" y="16" text-anchor="middle">true average {run["truth"]:.3f}</text>'
    ]
    parts += [_row(run, s, x, ends=ends) for s in range(rows)]
    if ends:
        y = _TOP + _ROW * rows + 14
        parts += [
            f'<circle cx="{x(run[name])}" cy="{y}" r="8" fill="{colour}" data-value="{run[name]!r}"/>'
            for name, colour in (("average", colours.CAPE), ("conventional", colours.CONVENTIONAL))
        ]
    told = html.escape(run["captions"][-1 if ends else step - 1].replace("*", ""), quote=True)
    play = (
        '<span aria-hidden="true" style="flex:none;width:148px;border-radius:26px;color:#fff;text-align:center;'
        f'line-height:52px;font-weight:600;background:{colours.ZERO_SUM}">Play</span>'
    )
    # The room below the sentence is that of the play's slider, steps and legend.
    return (
        '<div style="display:flex;flex-wrap:wrap;gap:8px 18px;align-items:center;margin:6px 0 88px">'
        f'{play}<p style="flex:1 1 340px;margin:0;font-size:18px;line-height:1.4">{told}</p></div>'
        f'<svg role="img" aria-label="{told}" width="100%" height="{height}" font-size="13" '
        f'fill="currentColor">{"".join(parts)}</svg>'
    )


def _row(run, s, x, *, ends):
    y, value = _TOP + _ROW * s, run["values"][s]
    parts = [
        f'<text x="0" y="{y + 5}">{html.escape(run["names"][s])}</text>'
        f'<line x1="{_LEFT}%" x2="{_RIGHT}%" y1="{y}" y2="{y}" stroke="currentColor" stroke-opacity="0.15"/>'
    ]
    if ends:
        masked, message = value + run["zero_sum"][s], run["messages"][s]
        bars = ((value, masked, -5, colours.ZERO_SUM), (masked, message, 5, colours.LOCAL_NOISE))
        parts += [
            f'<line x1="{x(a)}" x2="{x(b)}" y1="{y + off}" y2="{y + off}" stroke="{colour}" stroke-width="5"/>'
            for a, b, off, colour in bars
        ]
    parts.append(f'<circle cx="{x(value)}" cy="{y}" r="5" data-value="{value!r}"/>')
    return "".join(parts)
