"""The first picture of the play: true values, and for the last step the noise, the messages and the averages."""

from __future__ import annotations

import html

from dashboard.theme import colours

# Per cent of the width at which rows, and the running sums beside them, begin and end.
_LEFT, _RIGHT, _SUMS = 13, 61, 65
_TOP = 26
QUESTION = "How far off will their average be?"
_HOUSE = "M-11 0L0 -10L11 0M-8 -2V9H8V-2"


def still(run: dict, *, step: int) -> str:
    """HTML of what `dashboard.problems.protocol.played` returns; a step before the last shows the true values alone."""
    partial = [value + noise for value, noise in zip(run["values"], run["zero_sum"], strict=True)]
    drawn = (partial, *(run[name] for name in ("values", "messages", "conventional_messages")))
    reach = 1.06 * max(abs(x - run["truth"]) for xs in drawn for x in xs)

    def x(value):
        return f"{_LEFT + (_RIGHT - _LEFT) * (0.5 + (value - run['truth']) / (2 * reach)):.2f}%"

    rows, ends = len(run["values"]), step == 5
    row = 40.0 if rows <= 6 else 21.0 if rows <= 12 else max(6.0, min(14.5, 260 / rows))
    bottom, middle = _TOP + rows * row, x(run["truth"])
    parts = [
        f'<line x1="{middle}" x2="{middle}" y1="20" y2="{bottom + 10:.0f}" stroke="currentColor" stroke-dasharray="5 5" '
        'stroke-opacity="0.6"/>'
        f'<text x="{middle}" y="14" text-anchor="middle">true average {run["truth"]:.3f}</text>',
        _places(bottom, ends=ends),
    ]
    parts += [_row(run, s, x, _TOP + (s + 0.5) * row, ends=ends, named=rows <= 20) for s in range(rows)]
    if ends:
        parts += [
            f'<circle cx="{x(run[name])}" cy="{bottom + 32:.0f}" r="8" fill="{colour}" data-value="{run[name]!r}"/>'
            for name, colour in (("average", colours.CAPE), ("conventional", colours.CONVENTIONAL))
        ]
    bold = html.escape(run["captions"][-1 if ends else step - 1], quote=True)
    told = bold.replace("*", "")
    return _said(bold) + (
        f'<svg role="img" aria-label="{told}" width="100%" height="{bottom + 210:.0f}" font-size="13" '
        f'fill="currentColor">{"".join(parts)}</svg>'
    )


def _said(bold):
    """The button, which works once scripts run, and the sentence beside it; stars enclose what is bold."""
    told = "".join(f"<b>{part}</b>" if i % 2 else part for i, part in enumerate(bold.split("*")))
    play = (
        '<span aria-hidden="true" style="flex:none;width:148px;border-radius:26px;color:#fff;text-align:center;'
        f'line-height:52px;font-weight:600;background:{colours.ZERO_SUM}">Play</span>'
    )
    # The room below the sentence is that of the play's slider, steps and legend.
    return (
        '<div style="display:flex;flex-wrap:wrap;gap:8px 18px;align-items:center;margin:6px 0 88px">'
        f'{play}<p style="flex:1 1 340px;margin:0;font-size:18px;line-height:1.4">{told}</p></div>'
    )


def _places(bottom, *, ends):
    """Where the running sums, the aggregator and the averages come to stand."""
    question = (
        ""
        if ends
        else f'<text x="50%" y="{bottom + 132:.0f}" font-size="20" fill-opacity="0.65" '
        f'text-anchor="middle">{QUESTION}</text>'
    )
    return (
        f'<rect x="{_SUMS}%" width="{100 - _SUMS}%" y="18" height="{bottom + 25:.0f}" rx="8" fill-opacity="0.04"/>'
        f'<svg x="{(_SUMS + 100) / 2}%" y="{bottom + 14:.0f}" overflow="visible"><path d="{_HOUSE}" fill="none" '
        'stroke="currentColor" stroke-opacity="0.6" stroke-width="2"/></svg>'
        f'<text x="44" y="{bottom + 37:.0f}">Aggregator</text><line x1="{_LEFT}%" x2="{_RIGHT}%" y1="{bottom + 32:.0f}" '
        f'y2="{bottom + 32:.0f}" stroke="currentColor" stroke-opacity="0.6"/>'
        f'<rect x="{_LEFT}%" width="{100 - _LEFT}%" y="{bottom + 56:.0f}" height="136" fill-opacity="0.04"/>{question}'
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
            f'<line x1="{x(a)}" x2="{x(b)}" y1="{y + off:.1f}" y2="{y + off:.1f}" stroke="{colour}" stroke-width="4"/>'
            for a, b, off, colour in bars
        ]
    parts.append(f'<circle cx="{x(value)}" cy="{y:.1f}" r="5" data-value="{value!r}"/>')
    return "".join(parts)
