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
    computed : bool
        Whether the first bar, too, is a computed number and no claim or bound.
    between : tuple of two str, optional
        A bar between the two: its name, and the line of the demonstration's curve that it reads at S = 10.
    unit : str
        What the bars measure; "": as the demonstration says.
    """

    plain: str
    harm: str
    claim: str
    found: str
    computed: bool = False
    between: tuple[str, str] | None = None
    unit: str = ""


_TOLD = {
    "several-messages": _Told(
        "For someone who sees all ten messages, δ is {between} times the promise",
        "With noise that is just enough for one message it is {ratio} times: the papers' formula adds more. δ is the part "
        "of the guarantee that may fail.",
        "paper's promise",
        "just enough noise",
        between=("paper's noise", "classical formula"),
        unit="δ of all messages at ε = 1, S = 10",
    ),
    "honest-gain": _Told(
        "CAPE lowers the variance {correct} times, not {published}, at equal privacy against 3 colluding sites of 10",
        "Whoever plans with the full gain gets a noisier average, or the colluders learn more.",
        "paper's claim",
        "at equal privacy",
    ),
    "asymmetric-moments": _Told(
        "Some differences of the released numbers have no noise at all",
        "Whoever reads the release sees exactly how much more often the writers put one word before another.",
        "on a number",
        "on a difference",
        computed=True,
    ),
    "whitened-sensitivity": _Told(
        "One document can move the result {ratio} times further than the proof allows",
        "Noise for the proof's bound protects the writer of that document far less than promised.",
        "proof's bound",
        "computed",
    ),
    "data-bound": _Told(
        "One long record moves the result {ratio} times further than a valid bound allows",
        "Noise for that bound protects the longest record far less than the bound promises.",
        "a valid bound",
        "computed",
    ),
}
_SITES = 10
_ROUNDING = 1e-9  # Of the other number: nothing but rounding.
SHEET = beside(__file__, "first_five.css")
BARS = "<span><i class='claim'></i> a claim or a bound</span> <span><i class='found'></i> computed</span>"


@lru_cache(maxsize=32)
def shown(key: str, seed: int) -> Shown:
    """The demonstration of one of the five; it takes a few milliseconds."""
    return FINDINGS[key].demonstrate(np.random.default_rng(seed))


def sketched(key: str, seed: int) -> dict[str, Any]:
    """A plain sentence, whom it concerns, and two bars for the row of a finding; {} unless it is one of the five."""
    if key not in FIRST:
        return {}
    found, told = shown(key, seed), _TOLD[key]
    sizes = {told.claim: found.published, **_between(found, told), told.found: found.correct}
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
    texts = {"ratio": _rounded(found.ratio)}
    texts |= {"published": number_text(found.published), "correct": number_text(found.correct)}
    if told.between is not None:
        texts["between"] = _rounded(sizes[told.between[0]] / found.published)
    plain, harm = told.plain.format(**texts), told.harm.format(**texts)
    return {"plain": plain, "harm": harm, "unit": told.unit or found.unit, "bars": bars}


def _between(found, told):
    """Name and size of the bar between the two; {} for none."""
    if told.between is None:
        return {}
    name, line = told.between
    return {name: float(found.curve.lines[line][list(found.curve.x).index(_SITES)])}


def _rounded(ratio):
    return number_text(float(f"{ratio:.2g}"))


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
            f"<span>{bar['value']}</span></span>"
            for bar in row["bars"]
        )
        rows.append(
            f"<div class='five'><span><b>{html.escape(row['plain'])}</b><br>{html.escape(row['harm'])}</span>"
            f"<span class='bars'>{bars}</span></div>"
        )
    return f"<style>{SHEET}</style>{''.join(rows)}" if rows else ""
