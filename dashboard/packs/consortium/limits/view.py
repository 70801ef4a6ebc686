"""What the page Limits shows, as a pure function of its plan and results."""

from __future__ import annotations

import math
from dataclasses import replace

import pandas as pd

from core import Privacy
from dashboard.guarantee import guarantee as guarantees
from dashboard.guarantee.guarantee import Guarantee
from dashboard.packs.consortium.limits import text
from dashboard.packs.consortium.limits.model import (
    AMPLITUDES,
    COMPARED,
    Plan,
    counted,
    counted_key,
    graph_key,
)
from dashboard.plotting.chart import Chart, Line, Points, Scale
from dashboard.sheet.spec import Shown, View
from dashboard.state.number_text import number_text, percent_text
from dashboard.theme.colours import CAPE_ON_DARK
from dashboard.theme.scheme_style import INDEPENDENT, LOOKS, label

_RATIO = "noise variance ÷ a trusted curator's"
_BARS = ("cape", "conventional", "cape-best", "cape-after", "secure")
_OPTIMAL = "optimal, agreed before"
_AXIS = 1.25  # Least end of the bars' axis, in units of independent noise.
_NAMES = {
    "conventional": f"{INDEPENDENT}<small>conventional scheme</small>",
    "cape-best": "CAPE, best tuned<small>zero-sum noise chosen in hindsight</small>",
    "cape-after": "<a href='?page=glossary&amp;term=sum-after'>CAPE, sum after</a><small>the messages</small>",
    "secure": "<a href='?page=glossary&amp;term=secure-aggregation'>secure aggregation</a>"
    "<small>if cryptography holds</small>",
}


def view(plan: Plan, shown: Shown) -> View:
    """The noise of every design at one guarantee: as bars, along its amplitude and along failures."""
    graph = shown.results.get(graph_key(plan.question))
    return View(
        headline=text.verdict(plan),
        alone={"amplitude": text.at_amplitude(plan)},
        sections={"noise": _bars(plan)},
        charts={
            "amplitude": _along_amplitude(plan, graph, shown),
            "counted": _along_failures(plan, shown),
        },
        words=text.words(plan),
        further=(("All numbers, and what they mean elsewhere", text.details(plan, graph=graph)),),
        guarantee=_guarantee(plan),
        table={"amplitude": AMPLITUDES.tolist(), "cape": plan.curve.tolist()},
    )


def _colour(scheme, shown):
    return CAPE_ON_DARK if scheme == "cape" and shown.dark else LOOKS[scheme].colour


def _along_amplitude(plan, graph, shown):
    """CAPE's noise along its amplitude, with the other schemes as levels; the graph's once it is computed."""
    ends, colour = (float(AMPLITUDES[0]), float(AMPLITUDES[-1])), _colour("cape", shown)
    levels = {
        "conventional": plan.ratios["conventional"],
        "graph": graph,
        # It has a cap in place of an amplitude.
        "cape-after": plan.ratios.get("cape-after"),
        "secure": plan.ratios["secure"],
    }
    curve = plan.curve.tolist()
    lines = [
        Line(
            label("cape"),
            AMPLITUDES.tolist(),
            curve,
            colour,
            width=3,
            value=number_text(plan.chosen[1]),
        )
    ]
    for scheme, level in levels.items():
        if level is not None:
            look = LOOKS[scheme]
            lines.append(
                Line(label(scheme), [*ends], [level] * 2, look.colour, look.dash, value=number_text(level))
            )
    if plan.question.optimum is not None:
        lines.append(_optimal([*ends], [plan.question.optimum] * 2, colour))
    marks = (
        ("CAPE, published", plan.published, "circle"),
        ("CAPE, best tuned", plan.best, "square"),
    )
    points = [Points(name, [min(x, ends[1])], [y], colour, marker, 12) for name, (x, y), marker in marks]
    here, at = plan.chosen
    points.append(Points("CAPE at this amplitude", [here], [at], colour, size=22, fill=0))
    heights = [*curve, plan.best[1], *(level for level in levels.values() if level is not None)]
    return Chart(
        Scale("amplitude (1: as published)", (ends[0] / 1.2, ends[1] * 1.2), log=True),
        Scale(_RATIO, _room_around(heights), log=True),
        title="Noise along the amplitude",
        lines=(*shown.pins, *lines),
        points=tuple(points),
        rules=(here,),
    )


def _optimal(x, y, colour):
    """Least variance of all Gaussian noise that equal sites agree on before they know who sends."""
    return Line(_OPTIMAL, x, y, colour, width=9, alpha=0.25)


def _along_failures(plan, shown):
    """Every scheme's noise along the number of dropouts or of colluders; that of the sum after as far as it goes."""
    asked = plan.question
    table = shown.results.get(counted_key(asked, plan.along))
    if table is None:
        table = counted(asked, plan.along, searched=not asked.unequal)
    lines, points = [], []
    if asked.optimum is not None:
        lines.append(_optimum_along(table, asked, plan.along, _colour("cape", shown)))
    for scheme in (name for name in COMPARED if name in {*table.scheme}):
        part, look, colour = table[table.scheme == scheme], LOOKS[scheme], _colour(scheme, shown)
        x, y = part["count"].tolist(), part["ratio"].tolist()
        lines.append(Line(label(scheme), x, y, colour, look.dash))
        points.append(Points(label(scheme), x, y, colour, look.marker, 9))
    fails = "drop out" if plan.along == "dropouts" else "collude"
    return Chart(
        Scale(f"sites that {fails}", (-0.4, float(table["count"].max()) + 0.4)),
        Scale(_RATIO, _room_around(table["ratio"]), log=True),
        title=f"More sites {fails}",
        lines=tuple(lines),
        points=tuple(points),
        rules=(float(asked.dropouts if plan.along == "dropouts" else asked.colluding),),
    )


def _optimum_along(table, asked, along, colour):
    """The optimum at every count of the table."""
    name = "dropouts" if along == "dropouts" else "colluding"
    counts = range(int(table["count"].max()) + 1)
    return _optimal([*counts], [replace(asked, **{name: n}).optimum for n in counts], colour)


def _room_around(heights: pd.Series | list[float]) -> tuple[float, float]:
    return float(min(heights)) / 1.3, float(max(heights)) * 1.3


def _bars(plan):
    """Every design beside independent noise: CAPE does not help once its bar passes the dashed line."""
    values = {name: plan.ratios[name] / plan.ratios["conventional"] for name in _BARS if name in plan.ratios}
    most = _end(max(values.values()))
    names = {name: _NAMES.get(name, label(name)) for name in values}
    if not plan.as_published:
        names["cape"] += "<small>as published, amplitude 1</small>"
    rows = "".join(
        _bar(name, names[name], value, most, _number(plan, name, value)) for name, value in values.items()
    )
    return (
        "<section class='card limits'><h2>Noise variance <small>100 % = independent noise (dashed)</small></h2>"
        f"<div role='list' style='--one:{100 / most:.2f}%'>{rows}</div></section>"
    )


def _end(most):
    """Where the axis ends: it stays while sites join, collude and drop out, and doubles where a bar would leave it."""
    return _AXIS * 2 ** max(0, math.ceil(math.log2(most / _AXIS)))


def _number(plan, name, value):
    """A bar's number; without dropouts the best design is a limit: the more noise cancels, the nearer it comes."""
    asked = plan.question
    if name == "cape-best" and asked.same and not asked.unequal and not asked.dropouts:
        limit = asked.sites / (asked.sites - asked.colluding) / plan.ratios["conventional"]
        return f"<em>near</em> {percent_text(limit, digits=2)}"
    return percent_text(value, digits=2)


def _bar(name, title, value, most, number):
    return (
        f"<div class='row {name}' role='listitem' "
        f"style='--tone:{LOOKS[name].colour}'>"
        f"<span class='name'>{title}</span>"
        f"<span class='beam'><i style='width:{100 * value / most:.2f}%'></i></span>"
        f"<span class='number'>{number}</span></div>"
    )


def _guarantee(plan):
    asked, privacy = plan.question, Privacy(1.0, plan.settings.delta)
    terms = guarantees.terms_of(asked.terms)
    found = guarantees.exposures(
        plan.shown,
        privacy,
        sites=asked.sites,
        colluding=asked.colluding,
        calibration="exact",
        terms=terms,
    )
    sentence = guarantees.sentence(privacy, found, terms=terms, colluding=asked.colluding)
    return Guarantee(sentence, privacy, asked.colluding, found)
