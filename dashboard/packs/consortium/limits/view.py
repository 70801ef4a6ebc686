"""What the page Limits shows, as a pure function of its plan and results."""

from __future__ import annotations

import math

import pandas as pd

from core import Privacy
from dashboard.compare.curve import curve
from dashboard.compare.spec import Measure
from dashboard.compare.store import Results as Known
from dashboard.guarantee import guarantee as guarantees
from dashboard.guarantee.guarantee import Guarantee
from dashboard.packs.consortium.limits import text
from dashboard.packs.consortium.limits.model import (
    AMPLITUDES,
    COMPARED,
    EPSILONS,
    Plan,
    counted,
    graph_key,
    means,
    order_of,
    traffic_key,
)
from dashboard.plotting.chart import Chart, Line, Points, Scale
from dashboard.sheet.spec import Shown, View
from dashboard.sheet.store import Results
from dashboard.state.number_text import number_text, percent_text
from dashboard.theme.colours import CAPE_ON_DARK
from dashboard.theme.scheme_style import INDEPENDENT, LOOKS, label

_RATIO = "noise variance ÷ a trusted curator's"
_ENERGY = Measure("Captured energy", "%")
_BARS = ("cape", "conventional", "cape-best", "secure")
_AXIS = 1.25  # Least end of the bars' axis, in units of independent noise.
_NAMES = {
    "conventional": f"{INDEPENDENT}<small>conventional scheme</small>",
    "cape-best": "CAPE, best tuned<small>zero-sum noise chosen in hindsight</small>",
    "secure": "<a href='?page=glossary&amp;term=secure-aggregation'>secure aggregation</a>"
    "<small>if cryptography holds</small>",
}
_ANSWER = "the non-private answer of the digits, and all energies, which are computed from it"


def view(plan: Plan, shown: Shown) -> View:
    """The noise of every design at one guarantee: as bars, along its amplitude and along failures, and as energy of PCA."""
    graph, found = shown.results.get(graph_key(plan.question)), known(plan, shown.results)
    details = text.details(
        plan,
        graph=graph,
        energies=order_of(found.means, plan),
        traffic=shown.results.get(traffic_key(plan.question)),
    )
    return View(
        headline=text.verdict(plan),
        alone={"amplitude": text.at_amplitude(plan)},
        sections={"noise": _bars(plan)},
        charts={
            "amplitude": _along_amplitude(plan, graph, shown),
            "counted": _along_failures(plan, shown),
            "energy": _energy(found, shown),
        },
        words=text.words(plan),
        further=(("All numbers: who learns what, and what it costs", details),),
        guarantee=_guarantee(plan),
        table={"amplitude": AMPLITUDES.tolist(), "cape": plan.curve.tolist()},
    )


def known(plan: Plan, results: Results) -> Known:
    """The runs of PCA, as far as they are known."""
    rows = {job: results[job] for job in plan.jobs if job in results}
    return Known(plan, {}, rows, summary=means)


def _colour(scheme, shown):
    return CAPE_ON_DARK if scheme == "cape" and shown.dark else LOOKS[scheme].colour


def _along_amplitude(plan, graph, shown):
    """CAPE's noise along its amplitude, with the other schemes as levels; the graph's once it is computed."""
    ends, colour = (float(AMPLITUDES[0]), float(AMPLITUDES[-1])), _colour("cape", shown)
    levels = {
        "conventional": plan.ratios["conventional"],
        "graph": graph,
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


def _along_failures(plan, shown):
    """Every scheme's noise along the number of dropouts or of colluders."""
    asked, table = plan.question, counted(plan.question, plan.along)
    lines, points = [], []
    for scheme in (name for name in COMPARED if name != "graph"):
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


def _energy(found, shown):
    """What the noise means for principal components of the digits."""
    drawn = curve(found, _ENERGY, EPSILONS, dark=shown.dark)
    return Chart(
        drawn.x,
        drawn.y,
        "PCA, % of non-private",
        drawn.bands,
        drawn.lines,
        drawn.points,
        drawn.rules,
    )


def _room_around(heights: pd.Series | list[float]) -> tuple[float, float]:
    return float(min(heights)) / 1.3, float(max(heights)) * 1.3


def _bars(plan):
    """Every design beside independent noise: CAPE does not help once its bar passes the dashed line."""
    values = {name: plan.ratios[name] / plan.ratios["conventional"] for name in _BARS}
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
    terms = guarantees.terms_of(plan.here)
    found = guarantees.exposures(
        plan.shown,
        privacy,
        sites=asked.sites,
        colluding=asked.colluding,
        calibration="exact",
        terms=terms,
    )
    sentence = guarantees.sentence(privacy, found, terms=terms, colluding=asked.colluding)
    return Guarantee(sentence, privacy, asked.colluding, found, not_private=(_ANSWER,))
