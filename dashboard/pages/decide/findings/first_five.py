"""The five findings with the largest consequences: each in a plain sentence, and its two numbers as bars."""

from __future__ import annotations

import html
from functools import lru_cache
from typing import Any

import numpy as np

from core.findings import FINDINGS, FIRST, Shown
from dashboard.state.html_text import rich
from dashboard.state.number_text import number_text
from dashboard.theme import colours
from dashboard.theme.assets import beside

# With the larger of the demonstration's numbers over the smaller as {ratio}.
_PLAIN = {
    "several-messages": "If noise is exact for one message, δ is {ratio} times larger for whoever sees all",
    "honest-gain": "At equal privacy against 3 colluders of 10 sites, CAPE gains {correct} times, not {published}",
    "asymmetric-moments": "Some differences of the released numbers have no noise at all",
    "whitened-sensitivity": "One document can move the result {ratio} times further than the proof allows",
    "data-bound": "One long record moves the result {ratio} times further than a valid bound allows",
}
_ROUNDING = 1e-9  # Of the other number: nothing but rounding.
SHEET = f".bars {{ --published: {colours.PUBLISHED}; --corrected: {colours.CORRECTED} }}" + beside(
    __file__, "first_five.css"
)


@lru_cache(maxsize=32)
def shown(key: str, seed: int) -> Shown:
    """The demonstration of one of the five; it takes a few milliseconds."""
    return FINDINGS[key].demonstrate(np.random.default_rng(seed))


def sketched(key: str, seed: int) -> dict[str, Any]:
    """A plain sentence and two bars for the row of a finding; {} unless it is one of the five."""
    if key not in FIRST:
        return {}
    found = shown(key, seed)
    sizes = found.published, found.correct
    most = max(map(abs, sizes))
    exact = [number_text(size) for size in sizes]
    ratio = number_text(float(f"{found.ratio:.2g}"))
    written = ["0" if abs(size) < _ROUNDING * most else text for size, text in zip(sizes, exact, strict=True)]
    bars = [
        {"name": name, "value": text, "share": abs(size) / most}
        for name, text, size in zip(found.names, written, sizes, strict=True)
    ]
    plain = _PLAIN.get(key, FINDINGS[key].title)
    texts = {"ratio": ratio, "published": exact[0], "correct": exact[1]}
    return {"plain": plain.format(**texts), "unit": found.unit, "bars": bars}


def still(keys, seed: int) -> str:
    """The bars of those of the five that are listed, as HTML for the first picture."""
    rows = []
    for key in (key for key in keys if key in FIRST):
        row = sketched(key, seed)
        bars = "".join(
            f"<span class='bar'><span>{rich(bar['name'])}</span><i style='--share:{bar['share']:.4f}'></i>"
            f"<span>{bar['value']}</span></span>"
            for bar in row["bars"]
        )
        rows.append(
            f"<div class='five'><b>{html.escape(row['plain'])}</b><span class='bars'>{bars}</span></div>"
        )
    return f"<style>{SHEET}</style>{''.join(rows)}" if rows else ""
