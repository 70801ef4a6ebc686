"""The five findings with the largest consequences: each in a plain sentence, whom it concerns, and two bars."""

from __future__ import annotations

import html
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from core.findings import FINDINGS, FIRST, Finding, Shown
from dashboard.state.html_text import rich
from dashboard.state.number_text import number_text
from dashboard.theme.assets import beside
from data.published import experiments


@dataclass(frozen=True)
class _Told:
    """A finding for readers of no paper.

    Attributes
    ----------
    harm : str
        What goes wrong, and for whom.
    claim, found : str
        Names of the two bars.
    computed : bool
        Whether the first bar, too, is a computed number and no claim or bound; the unit says so.
    unit : str
        What the bars measure; "": as the demonstration says.
    """

    harm: str
    claim: str
    found: str
    computed: bool = False
    unit: str = ""


_TOLD = {
    "several-messages": _Told(
        "It promises a factor exp(ε), plus a probability δ. With noise just enough for one message δ would be 50 times.",
        "paper's promise",
        "all ten messages",
        unit="δ of all messages at ε = 1, 10 sites, with the paper's own, looser noise formula",
    ),
    "honest-gain": _Told(
        "Whoever plans with the full gain gets a noisier average, or the colluders learn more.",
        "paper's claim",
        "at equal privacy",
        unit="times less variance, 3 of 10 sites collude",
    ),
    "asymmetric-moments": _Told(
        "Whoever reads the release sees exactly how much more often the writers put one word before another.",
        "on a number",
        "on a difference",
        computed=True,
        unit="noise (standard deviation) at ε = 0.001; both are computed",
    ),
    "whitened-sensitivity": _Told(
        "Noise for the proof's bound protects the writer of that document far less than promised.",
        "proof's bound",
        "computed",
        unit="change of the result when one document is replaced",
    ),
    "data-bound": _Told(
        "The papers say themselves that this step is not private.",
        "bound √2/n",
        "computed",
        unit="change of the result when one record is replaced",
    ),
}
_ROUNDING = 1e-9  # Of the other number: nothing but rounding.
SHEET = beside(__file__, "first_five.css")
BARS = (
    "<span class='legend'><span><i class='claim'></i> claimed by a paper</span> "
    "<span><i class='found'></i> computed here</span></span>"
)


@lru_cache(maxsize=32)
def shown(key: str, seed: int) -> Shown:
    """The demonstration of one of the five; it takes a few milliseconds."""
    return FINDINGS[key].demonstrate(np.random.default_rng(seed))


def papers_of(key: str) -> str:
    """Authors and years of a finding's papers."""
    return " · ".join(experiments.papers()[paper].authors for paper in FINDINGS[key].papers)


def sketched(key: str, seed: int) -> dict[str, Any]:
    """Plain sentence, whom it concerns, and two bars for the row of a finding; {} unless it is one of the five."""
    if key not in FIRST:
        return {}
    found, told = shown(key, seed), _TOLD[key]
    sizes = {told.claim: found.published, told.found: found.correct}
    most = max(map(abs, sizes.values()))
    bars = [
        {
            "name": name,
            "value": _written(size, most),
            "share": abs(size) / most,
            "claim": not (i or told.computed),
        }
        for i, (name, size) in enumerate(sizes.items())
    ]
    texts = {"published": number_text(found.published), "correct": number_text(found.correct)}
    title = FINDINGS[key].plain.format(ratio=number_text(Finding.plain_ratio(found)), **texts)
    return {"title": title, "harm": told.harm, "unit": told.unit or found.unit, "bars": bars}


def _written(size, most):
    return "0" if abs(size) < _ROUNDING * most else number_text(size)


def _look(bar):
    return " ".join(name for name, given in (("zero", bar["value"] == "0"), ("claim", bar["claim"])) if given)


def still(keys, seed: int) -> str:
    """The bars of those of the five that are listed, as HTML for the first picture."""
    rows = []
    for key in (key for key in keys if key in FIRST):
        row = sketched(key, seed)
        bars = "".join(
            f"<span class='bar'><span>{rich(bar['name'])}</span><i class='{_look(bar)}' "
            f"style='--share:{bar['share']:.4f}'></i>"
            f"<span class='value'>{bar['value']}</span></span>"
            for bar in row["bars"]
        )
        harm = f"<span class='harmed'>{html.escape(row['harm'])}</span>"
        rows.append(
            f"<div class='five'><span><small>{html.escape(papers_of(key))}</small><br>"
            f"<span class='title'>{html.escape(row['title'])}</span><br>{harm}</span>"
            f"<span class='bars'>{bars}<span class='measured'>{rich(row['unit'])}</span></span></div>"
        )
    return f"<style>{SHEET}</style>{''.join(rows)}" if rows else ""
