"""What the page Guarantee shows, as a pure function of its plan."""

from __future__ import annotations

import html
import math
from functools import lru_cache

import numpy as np

from core import Privacy
from core.privacy import gdp_delta, gdp_epsilon, tradeoff
from dashboard.guarantee.guarantee import Exposure, Guarantee
from dashboard.pages.learn.guarantee.game import best_percent
from dashboard.pages.learn.guarantee.model import FLOOR, FORMS, NEARLY, GuaranteePlan, conventional
from dashboard.pages.learn.guarantee.sketch import area, delta_text, factor
from dashboard.plotting.chart import Chart, Line, Points, Scale
from dashboard.sheet.spec import Shown, View
from dashboard.state.html_text import paragraph, rest
from dashboard.state.number_text import (
    at_least_text,
    at_most_text,
    count_text,
    directed,
    equals,
    exactly,
    number_text,
)
from dashboard.theme.colours import CAPE_ON_DARK
from dashboard.theme.scheme_style import LOOKS, ink

_CEILING = 1.5  # A curve at 1 is drawn whole; what is larger is no δ.
_SHOWN = 1e-12  # The lower end of δ's axes unless a value that the page names is smaller.
_PALE = {"exact": 1.0, "theorem": 0.75, "plotted": 0.75, "published": 0.75}
# The conventional message whose average is as precise as CAPE's has a name in the papers.
_NAMES = {"conventional_exact": "δ conv", "conventional_published": "δ conv, as published"}
_ALPHA = tuple(np.linspace(0, 1, 201).tolist())
# A dash means a form of δ, in every chart: who sees more is drawn stronger. Names, widths and opacities.
_OBSERVERS = (
    ("one message, or the result", 1.5, 0.55),
    ("all messages", 2.2, 0.75),
    ("and colluders", 3, 1.0),
)


def view(plan: GuaranteePlan, shown: Shown) -> View:
    """δ against the noise, against ε and against collusion, as an area, and as what an attack misses."""
    return View(
        headline=_headline(plan),
        sections={"area": area(plan), "observers": _observers(plan)},
        charts={
            "noise": _against_noise(plan, shown),
            "epsilon": _against_epsilon(plan, shown),
            "colluding": _against_collusion(plan, shown),
            "tradeoff": _tradeoff(plan, shown),
        },
        words=_words(plan),
        guarantee=_guarantee(plan),
        table={"noise_multiplier": plan.noise, **plan.along_noise},
    )


def _headline(plan):
    """How often the best observer is right."""
    who = _onlookers(plan.chosen_colluding)
    see, know, guess = (
        ("see", "know", "they guess") if plan.chosen_colluding else ("sees", "knows", "it guesses")
    )
    return (
        f"{who[0].upper()}{who[1:]} {see} all messages and {know} all other records. If a coin decides about Ada's, "
        f"{guess} right in at most <b>{at_most_text(best_percent(plan.setting.mu))}\u00a0% of runs</b>; a blind guess: "
        "50\u00a0%."
    )


def _words(plan):
    exact, theorem = plan.here["cape_exact"], plan.here["cape_theorem"]
    at = exactly("ε", plan.epsilon)
    said = (
        f"Whatever the messages show is at most e<sup>ε</sup> ≈ {factor(plan.epsilon)} times as likely with Ada's record "
        f"as with another's, plus {equals('δ', exact)} ({at}; the point on the solid blue curve)."
        if exact >= FLOOR
        else f"CAPE's exact δ at {at} is below 10⁻³⁰, where the curves end."
    )
    small = plan.published and np.isfinite(theorem) and theorem < exact / NEARLY and exact >= FLOOR
    second = (
        f"The published theorem's δ (dashed) is <b>too small by {_too_small(exact, theorem)}</b>."
        if small
        else ""
    )
    moved = f"It moves the estimate by {equals('μ', plan.setting.mu)} standard deviations."
    note = "Published forms are shown uncorrected. A line is interrupted where its form has no value, or one above 1."
    note = note if plan.published else ""
    return paragraph(said) + rest(moved, second, note)


def _against_noise(plan, shown):
    # A point at an end of the axis is drawn whole.
    ends = plan.noise[0] / 1.1, plan.noise[-1] * 1.1
    x = Scale("noise of a message ÷ effect of one record, τ/Δ", ends, log=True)
    named = [
        plan.here["cape_exact"],
        plan.here["cape_theorem"] if plan.published else 1.0,
    ]  # The theorem's may be NaN.
    low = FLOOR if np.nanmin(named) < _SHOWN else _SHOWN
    lines = _forms(plan, shown, plan.noise, plan.along_noise)
    return Chart(
        x, _delta(low), title="δ against the noise", lines=(*shown.pins, *lines),
        points=(_here(plan, shown, plan.chosen_noise),), rules=(plan.chosen_noise,),
    )  # fmt: skip


def _against_epsilon(plan, shown):
    """Exactly, for every observer; and the forms of the paper for the last of them, where they are asked for."""
    at = np.array(plan.epsilons)
    lines = [
        Line(name, plan.epsilons, _drawn(tuple(gdp_delta(at, one.mu).tolist())), _cape(shown), width=width, alpha=alpha,
             value=_value(one.delta))
        for name, one, width, alpha in _watching(plan)
    ] + _forms(plan, shown, plan.epsilons, plan.along_epsilon)  # fmt: skip
    low = min((value for line in lines for value in line.y if math.isfinite(value)), default=1.0)
    return Chart(
        Scale("ε", (0, 1.02 * plan.epsilons[-1])), _delta(max(_SHOWN, 0.3 * low)), title="δ against ε", lines=tuple(lines),
        points=(_here(plan, shown, plan.epsilon),), rules=(plan.epsilon,),
    )  # fmt: skip


def _against_collusion(plan, shown):
    lines = _forms(plan, shown, plan.colluding, plan.along_colluding)
    values = [value for line in lines for value in line.y if math.isfinite(value)]
    points = [
        Points(line.name, line.x, line.y, line.colour, size=4)
        for line in lines
        if any(map(math.isfinite, line.y))
    ]
    few = any(math.isfinite(value) for value in _drawn(plan.along_colluding["cape_exact"]))
    return Chart(
        Scale("colluding sites", (-0.5, plan.sites - 0.5)),
        _delta(max(FLOOR, 0.05 * min(values, default=1.0))),
        title="δ against collusion" if few else "Collusion: CAPE's exact δ < 10⁻³⁰",
        # An entry without a line would name nothing.
        lines=tuple(line for line in lines if any(map(math.isfinite, line.y))),
        points=(*points, _here(plan, shown, plan.chosen_colluding)),
        rules=(plan.chosen_colluding,),
    )


def _tradeoff(plan, shown):
    def missed(one):
        return tradeoff(np.array(_ALPHA), one.mu).tolist()

    lines = [
        Line(name, _ALPHA, missed(one), _cape(shown), width=width, alpha=alpha)
        for name, one, width, alpha in _watching(plan)
    ]
    lines.append(
        Line("conventional", _ALPHA, missed(plan.onlookers[-1]), LOOKS["conventional"].colour, width=2.2)
    )
    nothing = Line("nothing learned", (0, 1), (1, 0), ink(dark=shown.dark, quiet=True), width=1)
    return Chart(
        Scale("false alarms α", (0, 1)),
        Scale("misses of a used record, T(α)", (0, 1)),
        title="Trade-off of the best attack",
        lines=(*lines, nothing),
    )


def _observers(plan):
    rows = "".join(
        f"<tr><th scope='row'>{html.escape(one.name)}<small>{html.escape(one.sees)}</small></th>"
        f"<td>{at_most_text(one.mu)}</td><td>{_least(one.delta)}</td>"
        f"<td>{at_least_text(float(tradeoff(0.05, one.mu)))}</td></tr>"
        for one in plan.onlookers
        if plan.chosen_colluding or one is not plan.onlookers[2]
    )
    head = (
        f"<tr><th>who sees what</th><th>μ</th><th>δ at {exactly('ε', plan.epsilon)}</th><th>missed</th></tr>"
    )
    return (
        "<section class='card'><h2>What each observer learns <small>misses at 5 % false alarms</small></h2>"
        f"<div class='scroll'><table class='who'><thead>{head}</thead><tbody>{rows}</tbody></table></div></section>"
    )


def _guarantee(plan):
    public, aggregator, colluders, other = (one.mu for one in plan.onlookers)
    views = (public, aggregator, colluders)
    epsilon = gdp_epsilon(plan.delta, colluders)
    learn = "learn" if plan.chosen_colluding else "learns"
    return Guarantee(
        sentence=f"With noise {exactly('τ/Δ', plan.chosen_noise)}, {_onlookers(plan.chosen_colluding)} {learn} "
        f"at most what {equals('ε', epsilon)} allows at {exactly('δ', plan.delta)}, exactly. "
        "Ada is made up; no record is used on this page.",
        nominal=Privacy(plan.epsilon, _nominal_delta(plan)),
        colluding=plan.chosen_colluding,
        exposures=(
            Exposure("cape", *(float(gdp_delta(plan.epsilon, mu)) for mu in (*views, public))),
            Exposure("conventional", *conventional(plan.epsilon, other, plan.sites)),
        ),
    )


def _nominal_delta(plan):
    """δ of the public view, rounded up as it is written; what would be written as 1 keeps its digits."""
    delta = max(plan.onlookers[0].delta, 1e-300)
    written = directed(delta, 3, "up")
    return written if written < 1 else delta


def _forms(plan, shown, x, along):
    lines = []
    for form in (f for f in FORMS if f.key in along and (plan.published or f.form == "exact")):
        colour = _cape(shown) if form.scheme == "cape" else LOOKS[form.scheme].colour
        name, width = _NAMES.get(form.key, form.label), 3 if form.form == "exact" else 2.2
        y, value = _drawn(along[form.key]), _value(plan.here[form.key])
        lines.append(Line(name, x, y, colour, form.dash, width, _PALE[form.form], value))
    return lines


def _watching(plan):
    """The observers of CAPE that differ: name, what it learns, and how strong its line is."""
    last = len(_OBSERVERS) if plan.chosen_colluding else 2
    looks = [name for name, *_ in _OBSERVERS[:last]], _OBSERVERS[-last:]
    return [(name, one, *look) for name, (_, *look), one in zip(*looks, plan.onlookers, strict=False)]


def _here(plan, shown, x):
    """The point that the words name: CAPE's exact δ."""
    return Points("CAPE, exact", [x], _drawn((plan.here["cape_exact"],)), _cape(shown), size=11)


def _delta(low):
    return Scale("δ", (low, _CEILING), log=True)


@lru_cache(maxsize=256)
def _drawn(values):
    """Values for a logarithmic axis: NaN below its floor and above 1, always the same, so that equal curves are equal."""
    return [float(value) if FLOOR <= value <= 1 + 1e-12 else math.nan for value in values]


def _value(delta):
    return delta_text(delta) if math.isfinite(delta) else ""


def _least(delta):
    """δ in a table; one that is too small to compute is shown as a bound."""
    return "&lt; 10⁻³⁰⁰" if 0 <= delta < 1e-300 else at_most_text(delta)


def _cape(shown):
    return CAPE_ON_DARK if shown.dark else LOOKS["cape"].colour


def _too_small(exact, stated):
    """By how much a stated δ is too small."""
    if stated <= 0 or exact / stated > 1000:
        powers = math.log10(max(exact, 1e-300)) - math.log10(max(stated, 1e-300))
        return f"{powers:.1f} powers of ten"
    return f"a factor of {number_text(exact / stated, digits=2)}"


def _onlookers(colluding):
    if not colluding:
        return "the aggregator"
    return f"the aggregator and {count_text(colluding, 'colluding site')}"
