"""What the page Gain shows, as a pure function of its plan."""

from __future__ import annotations

import math

from dashboard.guarantee.guarantee import Guarantee
from dashboard.pages.learn.gain.model import GainPlan, public_excess
from dashboard.pages.learn.gain.runs import runs
from dashboard.plotting.chart import Band, Chart, Line, Points, Scale
from dashboard.sheet.spec import Shown, View
from dashboard.state import packs
from dashboard.state.html_text import paragraph
from dashboard.state.number_text import count_text, number_text
from dashboard.theme.colours import CAPE_ON_DARK
from dashboard.theme.scheme_style import LOOKS, ink

_ALIKE = 1.005  # A smaller ratio is none.
_RATIO = "variance ÷ a trusted curator's"
_UNEQUAL = {
    "one giant": "one site holds {} times as many records as each of the others",
    "two halves": "half of the sites hold {} times as many records as the others",
    "geometric": "sizes grow by one factor from site to site, up to {} times the smallest",
}


def view(plan: GainPlan, shown: Shown) -> View:
    """The gains in a sentence, as a picture of runs, against S and against imbalance, and as numbers."""
    return View(
        headline=_headline(plan),
        alone={"imbalance": _of_unequal(plan)},
        sections={"runs": runs(plan.runs), "numbers": _numbers(plan)},
        charts={
            "fair": _fair(plan, shown),
            "imbalance": _against_imbalance(plan, shown),
            "sites": _against_sites(plan, shown),
        },
        words=_words(plan),
        guarantee=_guarantee(plan),
        table={
            "imbalance": plan.along_imbalance.x,
            "gain": plan.along_imbalance.gain,
            "excess": plan.along_imbalance.excess,
        },
    )


def _headline(plan):
    """What is gained by the sites that are set: of equal ones at equal privacy, of others G(n) and H(n)."""
    if plan.imbalance > 1:
        return _of_unequal(plan)
    gain, others = plan.fair_gain, ""
    if plan.colluding:
        others = f" and {count_text(plan.colluding, 'colluding site')}"
    less = (
        f"<b>{number_text(math.sqrt(gain))} times less</b> than with independent noise (variance: {number_text(gain)} times)"
        if gain > _ALIKE
        else "<b>as much</b> as with independent noise"
    )
    return f"CAPE's average varies {less}, at the same privacy against the aggregator{others}."


def _words(plan):
    """The other gain, and what unequal sizes change."""
    first = (
        "CAPE's messages carry more noise, but part of it cancels in the average. Against an observer of the result or one "
        f"message (dashed), its average varies {number_text(plan.sites**0.5)} times less, as on "
        "<a href='?page=protocol'>Protocol</a>."
    )
    return paragraph(first) + paragraph(_unequal(plan), *packs.links("gain"))


def _unequal(plan):
    if plan.imbalance == 1:
        return "All sites hold equally many records here. <i>Imbalance</i> shows what unequal sizes change."
    gain, excess = number_text(plan.gain), number_text(plan.excess)
    shape = _UNEQUAL[plan.family].format(number_text(plan.imbalance))
    said = (
        f"Here {shape}. If each message alone meets the target, the conventional average at equal weights has {gain} "
        f"times a trusted curator's noise variance, CAPE's {excess} times."
    )
    above = public_excess(plan.sizes)  # Of standard deviations.
    if above >= 1 + 1e-3:
        said += f" To keep the smallest site's privacy target, CAPE's would need {number_text(above**2)} times that."
    return said + (" The smallest site then holds a single record." if plan.capped else "")


def _of_unequal(plan):
    """What the chart of unequal sizes says, in a sentence."""
    where, cape = "all sites hold equally many records", "as much"
    if plan.imbalance > 1:
        where, cape = (
            _UNEQUAL[plan.family].format(number_text(plan.imbalance)),
            f"{number_text(plan.excess)} times",
        )
    return (
        f"Where {where}, the conventional average has <b>{number_text(plan.gain)} times</b> a trusted curator's noise "
        f"variance, CAPE's <b>{cape}</b>."
    )


def _fair(plan, shown):
    """How many times less CAPE's average varies, against the number of equal sites."""
    colour, quiet = _colours(shown)
    every = list(range(min(plan.along_sites.sites), max(plan.along_sites.sites) + 1))
    here = math.sqrt(plan.fair_gain)
    times = [f"{number_text(value)} times" for value in (here, plan.sites**0.5)]
    lines = (
        Line("all messages are seen", plan.numbers, [g**0.5 for g in plan.honest], colour, value=times[0]),
        Line("only one message is seen", every, [s**0.5 for s in every], quiet, "dashed", 2, value=times[1]),
    )
    dots = (
        Points(lines[1].name, [plan.sites], [plan.sites**0.5], quiet),
        Points(lines[0].name, [plan.sites], [here], colour, size=12),
    )
    return Chart(
        Scale("sites S", (0, every[-1] + 1)),
        Scale("std. dev., conventional ÷ CAPE", (0, 8)),
        title="Gain of equal sites at equal privacy",
        lines=(*shown.pins, *lines),
        points=dots,
        rules=(plan.sites,),
    )


def _against_imbalance(plan, shown):
    curve = plan.along_imbalance
    low, high = plan.bounds
    band = Band((curve.x[0], curve.x[-1]), (low, low), (high, high), LOOKS["conventional"].colour)
    return _ratios(
        plan, shown, curve, plan.imbalance, Scale("largest ÷ smallest site", _room(curve.x, log=True), log=True),
        title="Noise by imbalance", bands=(band,), top=high,
    )  # fmt: skip


def _against_sites(plan, shown):
    curve = plan.along_sites
    ends = (0, curve.x[-1] + 1)
    title = "Noise by sites S"
    return _ratios(plan, shown, curve, plan.sites, Scale("sites S", ends), title=title, top=max(curve.gain))


def _ratios(plan, shown, curve, here, x, *, title, top, bands=()):
    """G(n), the conventional average's noise variance over a curator's, and H(n), CAPE's as published."""
    colours = LOOKS["conventional"].colour, _colours(shown)[0]
    lines = tuple(
        Line(name, curve.x, y, colour, value=f"= {number_text(value)}")
        for name, y, colour, value in zip(
            ("G(n), conventional", "H(n), CAPE"),
            (curve.gain, curve.excess),
            colours,
            (plan.gain, plan.excess),
            strict=True,
        )
    )
    dots = tuple(
        Points(line.name, [here], [value], line.colour, size=11)
        for line, value in zip(lines, (plan.gain, plan.excess), strict=True)
    )
    y = Scale(_RATIO, _room((1, top), log=True), log=True)
    return Chart(x, y, title=title, bands=bands, lines=lines, points=dots, rules=(here,))


def _numbers(plan):
    """Every ratio of variances, and its root: the ratio of standard deviations."""
    seen = "if the aggregator sees all"
    if plan.colluding:
        seen = f"if {count_text(plan.colluding, 'site colludes', 'sites collude')}, too"
    rows = (
        ("G(n)", "conventional ÷ pooled", plan.gain),
        ("H(n)", "CAPE ÷ pooled, as published", plan.excess),
        ("Gain S = G/H", "if one message is seen", plan.sites),
        *([("Gain at equal privacy", seen, plan.fair_gain)] if plan.imbalance == 1 else []),
    )
    body = "".join(
        f"<tr><th scope='row'><b>{name}</b><small>{of}</small></th><td><b>{number_text(value**0.5)}</b> "
        f"({number_text(value)})</td></tr>"
        for name, of, value in rows
    )
    head = "<tr><th></th><th>std. dev. (variance)</th></tr>"
    return (
        "<section class='card'><h2>Noise of the average <small>as ratios</small></h2>"
        f"<table class='gains'><thead>{head}</thead><tbody>{body}</tbody></table></section>"
    )


def _guarantee(plan):
    beyond = public_excess(plan.sizes)
    words = ""
    if beyond >= 1 + 1e-3:
        words = (
            f" CAPE there is as published: its average would need {number_text(beyond**2)} times the noise variance to "
            "keep this (ε, δ) for the smallest site's records."
        )
    return Guarantee(
        sentence="The solid curve compares the schemes at the same privacy against the aggregator and those who "
        "collude, the dashed one and the charts of unequal sites where every message meets the same (ε, δ)."
        f"{words} No record is used on this page, so it has no privacy cost."
    )


def _colours(shown):
    """CAPE's for thin curves, and that of secondary text."""
    return CAPE_ON_DARK if shown.dark else LOOKS["cape"].colour, ink(dark=shown.dark, quiet=True)


def _room(values, *, log):
    low, high = min(values), max(values)
    room = (high / low) ** 0.04 if high > low else 2.0
    return low / room, high * room
