"""The five findings with the largest consequences: each in a plain sentence, whom it concerns, and two bars."""

from __future__ import annotations

import html
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from core.findings import FINDINGS, FIRST, Shown
from dashboard.state.html_text import rich
from dashboard.state.number_text import number_text
from dashboard.theme.assets import beside


@dataclass(frozen=True)
class _Told:
    """A finding for readers of no paper.

    Attributes
    ----------
    plain : str
        What is found, with the larger of the demonstration's numbers over the smaller as {ratio}.
    harm : str
        What goes wrong, and for whom.
    claim, found : str
        Names of the two bars.
    """

    plain: str
    harm: str
    claim: str
    found: str


_TOLD = {
    "several-messages": _Told(
        "With just enough noise for one message, δ is {ratio} times larger for someone who sees all ten",
        "δ is the part of the guarantee that may fail. The aggregator sees every message.",
        "promised",
        "all messages",
    ),
    "honest-gain": _Told(
        "CAPE lowers the variance {correct} times, not {published}, at equal privacy against 3 colluding sites of 10",
        "Whoever plans with the full gain gets a noisier average, or the colluders learn more.",
        "claimed",
        "at equal privacy",
    ),
    "asymmetric-moments": _Told(
        "Some differences of the released numbers have no noise at all",
        "Whoever reads the release sees exactly how much more often the writers put one word before another.",
        "on a number",
        "on a difference",
    ),
    "whitened-sensitivity": _Told(
        "One document can move the result {ratio} times further than the proof allows",
        "Noise for the proof's bound protects the writer of that document far less than promised.",
        "bound in the proof",
        "computed",
    ),
    "data-bound": _Told(
        "One long record moves the result {ratio} times further than a valid bound allows",
        "Noise for that bound protects the longest record far less than the bound promises.",
        "valid bound",
        "computed",
    ),
}
_ROUNDING = 1e-9  # Of the other number: nothing but rounding.
SHEET = beside(__file__, "first_five.css")
BARS = (
    "<span><i class='claim'></i> the paper's claim or bound</span> "
    "<span><i class='found'></i> what a computation finds</span>"
)


@lru_cache(maxsize=32)
def shown(key: str, seed: int) -> Shown:
    """The demonstration of one of the five; it takes a few milliseconds."""
    return FINDINGS[key].demonstrate(np.random.default_rng(seed))


def sketched(key: str, seed: int) -> dict[str, Any]:
    """A plain sentence, whom it concerns, and two bars for the row of a finding; {} unless it is one of the five."""
    if key not in FIRST:
        return {}
    found, told = shown(key, seed), _TOLD[key]
    sizes = found.published, found.correct
    most = max(map(abs, sizes))
    exact = [number_text(size) for size in sizes]
    ratio = number_text(float(f"{found.ratio:.2g}"))
    written = ["0" if abs(size) < _ROUNDING * most else text for size, text in zip(sizes, exact, strict=True)]
    bars = [
        {"name": name, "value": text, "share": abs(size) / most}
        for name, text, size in zip((told.claim, told.found), written, sizes, strict=True)
    ]
    texts = {"ratio": ratio, "published": exact[0], "correct": exact[1]}
    return {"plain": told.plain.format(**texts), "harm": told.harm, "unit": found.unit, "bars": bars}


def still(keys, seed: int) -> str:
    """The bars of those of the five that are listed, as HTML for the first picture."""
    rows = []
    for key in (key for key in keys if key in FIRST):
        row = sketched(key, seed)
        bars = "".join(
            f"<span class='bar'><span>{rich(bar['name'])}</span><i class='{'zero' if bar['value'] == '0' else ''}' "
            f"style='--share:{bar['share']:.4f}'></i>"
            f"<span>{bar['value']}</span></span>"
            for bar in row["bars"]
        )
        rows.append(
            f"<div class='five'><span><b>{html.escape(row['plain'])}</b><br>{html.escape(row['harm'])}</span>"
            f"<span class='bars'>{bars}</span></div>"
        )
    return f"<style>{SHEET}</style>{''.join(rows)}" if rows else ""
