"""The five findings with the largest consequences: each in a plain sentence, whom it concerns, and two bars."""

from __future__ import annotations

import html
from dataclasses import dataclass

from core.findings import FINDINGS, Finding
from dashboard.packs.papers.findings.model import demonstrated
from dashboard.state.html_text import rich
from dashboard.state.number_text import number_text
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
LEGEND = "<small><i class='claim'></i>claimed by a paper <i class='found'></i>computed here</small>"


def papers_of(key: str) -> str:
    """Authors and years of a finding's papers."""
    return " · ".join(experiments.papers()[paper].authors for paper in FINDINGS[key].papers)


def plain(key: str, seed: int) -> str:
    """One of the five in a plain sentence, with the numbers of its demonstration."""
    found = demonstrated(key, seed)
    texts = {"published": number_text(found.published), "correct": number_text(found.correct)}
    return FINDINGS[key].plain.format(ratio=number_text(Finding.plain_ratio(found)), **texts)


def card(key: str, seed: int, *, buttons: tuple[str, str]) -> str:
    """One of the five: its plain sentence between two buttons, whom it concerns, and two bars; HTML."""
    found, told = demonstrated(key, seed), _TOLD[key]
    sizes = {told.claim: found.published, told.found: found.correct}
    most = max(map(abs, sizes.values()))
    bars = "".join(
        _bar(name, size, most, claim=not (i or told.computed)) for i, (name, size) in enumerate(sizes.items())
    )
    none = " · no error" if FINDINGS[key].kind == "valid" else ""
    before, after = buttons
    return (
        f"<div class='five'><div><span class='place'>{html.escape(papers_of(key))}{none}</span>"
        f"{before.format(html.escape(plain(key, seed)))}"
        f"<p><span class='harm'>{html.escape(told.harm)}</span> {after}</p></div>"
        f"<div class='bars'>{bars}<span class='unit'>{rich(told.unit or found.unit)}</span></div></div>"
    )


def _bar(name, size, most, *, claim):
    value = _written(size, most)
    kinds = " ".join(word for word, given in (("zero", value == "0"), ("claim", claim)) if given)
    return (
        f"<div class='bar'><span>{rich(name)}</span><i class='{kinds}' style='--share:{abs(size) / most:.4f}'></i>"
        f"<span class='value'>{value}</span></div>"
    )


def _written(size, most):
    return "0" if abs(size) < _ROUNDING * most else number_text(size)
