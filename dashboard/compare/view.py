"""What *Compare* shows, as a pure function of plan and results: the first answer, the live page and the tests call it."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from core.schemes import OFFERED, PLAIN, SCHEMES, is_private
from dashboard.compare import panels
from dashboard.compare.curve import curve, moved
from dashboard.compare.imbalance import against_imbalance, gains
from dashboard.compare.observers import Observed
from dashboard.compare.privacy import privacy
from dashboard.compare.spec import Comparison
from dashboard.guarantee import guarantee as guarantees
from dashboard.guarantee import observer
from dashboard.plotting import printed_points
from dashboard.problems.site_sizes import unequal
from dashboard.runs.axes import Axis
from dashboard.sheet.spec import Shown, View
from dashboard.state.number_text import at_most_text, exactly
from dashboard.theme.scheme_style import DASHES, LOOKS, SHORT, colour_of, label


@dataclass(frozen=True)
class Asked:
    """What a view of a comparison depends on besides plan and results.

    Attributes
    ----------
    offered : tuple of (str, bool)
        Schemes and methods that chips offer, and whether each is chosen.
    axes : mapping of str to Axis
    measures : tuple of (str, str)
        Value and label of every measure in the menu; () for none.
    table
        The user's own table in use, or None.
    unprotected : tuple of Unprotected
        What the page shows of that table beside the picture.
    secret : bool
        Whether the seed of the noise is secret.
    printed : str
        The figure of a paper whose printed points are drawn; "" for none.
    observers : tuple of (str, str)
        Against whom the target may hold: words and value of each; () for no choice.
    """

    offered: tuple[tuple[str, bool], ...] = ()
    axes: Mapping[str, Axis] | None = None
    measures: tuple[tuple[str, str], ...] = ()
    table: Any = None
    unprotected: tuple[Any, ...] = ()
    secret: bool = False
    printed: str = ""
    observers: tuple[tuple[str, str], ...] = ()


def view(spec: Comparison, plan: Any, shown: Shown) -> View:
    """All sections; those that depend on nothing that changed are taken from the view before."""
    results, asked = shown.results, (shown.asked, shown.dark, shown.copies)
    standing, before = results.standing, shown.before
    earlier = before.of if before is not None else None
    found: dict[str, Any] = {}
    if earlier is not None and earlier[2] == asked:
        found |= {"chips": before.sections["chips"]}
        found |= _taken(before, _OF_STANDING) if earlier[1].same(standing) else {}
        if earlier[0].plan is plan:
            found |= _taken(before, _OF_PLAN)
            found |= _taken(before, _OF_CURVE) if earlier[0].same(results) else {}
    if "chips" not in found:
        found["chips"] = chips(shown.asked.offered)
    if "result" not in found:
        found |= _of_standing(spec, plan, standing)
    if "noise" not in found:
        found |= _of_plan(spec, plan, shown.asked)
    if "curve" not in found:
        same = earlier is not None and earlier[2] == asked and results.means is earlier[0].means is not None
        found |= _of_curve(spec, plan, results, shown, before if same else None)
    measure = plan.measure
    chart, guarantee, table = found.pop("curve"), found.pop("guarantee"), found.pop("table")
    return View(
        found.pop("headline"),
        sections=found | {"formulas": found["noise"] + found["privacy"]},
        charts={"curve": chart},
        guarantee=guarantee,
        table=table,
        about=(plan.axis, measure),
        promise=found["guaranteed"],
        below=found["curve_words"] + found["further"],
        of=(results, standing, asked),
    )


_OF_STANDING = ("headline", "result", "further")
_OF_CURVE = ("curve", "curve_words", "table")
_OF_PLAN = ("curve_title", "noise", "privacy", "guarantee", "guaranteed")


def _taken(before, names):
    fields = {"curve": before.charts["curve"], "headline": before.headline}
    fields |= {"guarantee": before.guarantee, "table": before.table}
    return {name: fields[name] if name in fields else before.sections[name] for name in names}


def _of_standing(spec, plan, standing):
    """The sections of the results that stand."""
    title, about = spec.result.about(standing.plan)
    return {
        "headline": _headline(spec, plan, standing),
        "result": panels.card(title, about, spec.result.draw(standing.plan, standing)),
        "further": _further(spec, standing),
    }


def _of_plan(spec, plan, asked):
    """The sections of the settings alone."""
    observed, guarantee = seen(spec, plan), _guarantee(spec, plan, asked)
    return {
        "curve_title": _curve_title(spec, plan, asked),
        "noise": noise_panel(spec, plan, observed),
        "privacy": privacy(
            observed,
            epsilon=(guarantee.nominal or plan.settings).epsilon,
            delta=plan.settings.delta,
            colluding=min(plan.settings.colluding, plan.here["sites"] - 1),
            sites=plan.here["sites"],
        ),
        "guarantee": guarantee,
        "guaranteed": _guaranteed(spec, plan, guarantee, asked),
    }


def _of_curve(spec, plan, results, shown, before):
    """The sections of what is known of the curve; `before` is a view of the same points at another place on the axis."""
    name, asked = plan.measure, shown.asked
    measure, axis = spec.curve.measures[name], (asked.axes or {})[plan.axis]
    printed = printed_points.printed(asked.printed, axis=plan.axis, measure=name, relative=measure.relative)
    chart = None if before is None else moved(before.charts["curve"], plan, axis)
    if chart is None:
        pins = [
            line for c in shown.copies if c.about == (plan.axis, name) for line in c.drawn(dark=shown.dark)
        ]
        chart = curve(results, measure, axis, dark=shown.dark, pins=pins, printed=printed)
    return {
        "curve": chart,
        "curve_words": _curve_words(spec, plan, results, printed),
        "table": _table(results.means, measure) if before is None else before.table,
    }


def _table(means, measure):
    """The numbers of the curve; the last column says what they count."""
    if means is None:
        return {"scheme": [], "mean": [], "measure": []}
    return means.assign(measure=measure.words).to_dict("list")


def seen(spec: Comparison, plan) -> dict[str, Observed]:
    """What every private scheme of a plan releases, and who learns what."""
    return {
        m: spec.law.observed(plan, m) for m in LOOKS if m in plan.shown and m in SCHEMES and is_private(m)
    }


def chips(offered: Sequence[tuple[str, bool]]) -> str:
    """The schemes and methods as chips to press, which are the legend of all pictures; the number of each is its place.

    Those that are not chosen are folded.
    """
    shown = "".join(_chip(place, name, on) for place, (name, on) in enumerate(offered) if on)
    others = [_chip(place, name, on) for place, (name, on) in enumerate(offered) if not on]
    more = (
        f"<details class='others'><summary class='chip'>{len(others)} more</summary>{''.join(others)}</details>"
        if others
        else ""
    )
    return f"<div class='chips' role='group' aria-label='Schemes'>{shown}{more}</div>"


def _chip(place, name, on):
    look = LOOKS[name]
    return (
        f"<button type='button' class='chip' data-key='{name}' data-press='method' data-number='{place}' "
        f"aria-pressed='{'true' if on else 'false'}' title='{html.escape(look.plain, quote=True)}'>"
        f"<svg viewBox='0 0 20 4' aria-hidden='true' style='color:{colour_of(name)}'><path d='M0 2h20' stroke-width='3' "
        f"stroke='currentColor' stroke-dasharray='{' '.join(map(str, DASHES[look.dash]))}'/></svg>"
        f"{html.escape(SHORT.get(label(name), label(name)))}</button>"
    )


def tabs(algorithms: Sequence[tuple[str, str]], front: str) -> str:
    """The choice of the algorithm: tabs, and a menu on phones."""
    parts = [
        f"<button type='button' role='tab' data-press='algorithm' data-number='{place}' "
        f"aria-selected='{'true' if name == front else 'false'}'>{html.escape(title)}</button>"
        for place, (name, title) in enumerate(algorithms)
    ]
    here = [name for name, _ in algorithms].index(front)
    options = "".join(
        f"<option value='{place}'{' selected' if place == here else ''}>{html.escape(title)}</option>"
        for place, (_, title) in enumerate(algorithms)
    )
    return (
        f"<h1>{html.escape(algorithms[here][1])}</h1><div class='tabs'>"
        f"<div role='tablist' aria-label='Algorithm'>{''.join(parts)}</div>"
        f"<label class='choose'>Algorithm <select data-name='algorithm' data-value='{here}' aria-label='Algorithm'>"
        f"{options}</select></label></div>"
    )


def _headline(spec, plan, standing):
    about = standing.plan
    said, own = spec.headline(about, standing), getattr(about.source, "name", "") == "own"
    data = f"{html.escape(about.source.title)}: " if own else ""
    private = any(is_private(method) for method in about.shown)
    if not said and (private or not standing.ready):
        return "<p class='headline'>Computing the first results …</p>"
    if not private:
        return f"<p class='headline'>{html.escape(about.source.title)}: {unbroken(said or 'the answer without noise')}.</p>"
    nominal = "a nominal " if about.settings.calibration == "published" else ""
    return (
        f"<p class='headline'>{data}At {nominal}{exactly('ε', about.settings.epsilon)}, {unbroken(said)}.</p>"
    )


def _curve_title(spec, plan, asked):
    measure = spec.curve.measures[plan.measure]
    options = "".join(
        f"<option value='{place}'{' selected' if name == plan.axis else ''}>{html.escape(axis.menu or axis.symbol)}"
        "</option>"
        for place, (name, axis) in enumerate((asked.axes or {}).items())
    )
    here = list(asked.axes or {}).index(plan.axis)
    axis = f"<select data-name='axis' data-value='{here}' aria-label='Curve against'>{options}</select>"
    if len(asked.axes or {}) == 1:
        axis = html.escape(asked.axes[plan.axis].symbol)
    counted = html.escape(measure.label)
    if asked.measures:
        place = [name for name, _ in asked.measures].index(plan.measure)
        listed = "".join(
            f"<option value='{i}'{' selected' if i == place else ''}>{html.escape(text)}</option>"
            for i, (_, text) in enumerate(asked.measures)
        )
        counted = f"<select data-name='measure' data-value='{place}' aria-label='Measure'>{listed}</select>"
    return f"<h2>{counted} against {axis} <small>{html.escape(measure.unit)}</small></h2>"


def _curve_words(spec, plan, results, printed):
    said = " ".join(filter(None, (spec.curve.needed(plan, results), results.spread(), printed.words)))
    return f"<p class='told'>{said}</p>" if said else ""


def noise_panel(spec: Comparison, plan, observed: Mapping[str, Observed]) -> str:
    """The noise of every scheme, and G(n) and H(n): against imbalance where that can be set."""
    drawn, gaussian = "", any(not one.pure for one in observed.values())
    if gaussian and "imbalance" in spec.shared and not getattr(plan.source, "sizes", None):
        drawn = against_imbalance(plan.here, plan.settings.imbalance, least=spec.least(plan))
    one, sized = spec.law.curator(plan), {"sizes", "samples"} & plan.here.keys()
    weights = "n<sub>s</sub>/N" if one is None and sized and unequal(plan.here) else ""
    found = dict(observed) | ({"all records": one} if one and observed else {})
    return panels.noise(
        found,
        gains(plan.here) if gaussian else None,
        spec.law.statistic(plan),
        drawn=drawn,
        weights=weights,
        curator=spec.law.observed(plan, "pooled").std if gaussian and "pooled" not in observed else 0.0,
    )


def _guarantee(spec, plan, asked):
    found = guarantees.of_rows(spec.guarantee(plan, asked.table), asked.table)
    words = tuple(one.words for one in (*spec.unprotected(plan, asked.table), *asked.unprotected))
    return replace(found, not_private=(*words, *found.not_private), secret=asked.secret)


def _guaranteed(spec, plan, guarantee, asked):
    """Against whom the target holds, which is chosen in the sentence; it unfolds what is guaranteed, and who learns more.

    Nothing where only the non-private answer is shown.
    """
    if not any(map(is_private, plan.shown)):
        return ""
    held = dict(guarantees.terms_of(plan.here))
    means, pure = _meant(spec, plan, held.get("against", "message")), held.get("pure")
    kept = "ε" if pure else "(ε, δ)"
    holds = f"{kept} protects against anyone who sees {_observers(asked, plan.settings.adversary)}"
    if guarantee.nominal is None and not pure:
        holds, means = "The guarantee is stated for each method", ""
    return (
        f"<p class='promise'>{holds}</p><details class='guarantee'><summary>Who learns more</summary>"
        f"<p><b>Guarantee.</b> {html.escape(guarantee.sentence)} {means}</p>"
        f"{guarantees.details(guarantee)}</details>"
    )


def _observers(asked, against):
    """A menu of those against whom the target may hold; its words where there is no choice."""
    names = [name for _, name in asked.observers]
    if against not in names:
        return observer.SEES[against]
    options = "".join(
        f"<option value='{i}'{' selected' if name == against else ''}>{html.escape(text)}</option>"
        for i, (text, name) in enumerate(asked.observers)
    )
    place = names.index(against)
    return f"<select data-name='against' data-value='{place}' aria-label='Target holds against'>{options}</select>"


def _meant(spec, plan, against):
    """What ε means; nothing where ε is a nominal one, or a target for each of several steps."""
    settings = plan.settings
    if settings.calibration == "published" or getattr(plan, "budget", "total") != "total":
        return ""
    most = at_most_text(math.exp(min(settings.epsilon, 700.0)))
    likely = f"at most {most} times as likely" + (
        ", plus a probability δ" if not plan.here.get("pure") else ""
    )
    return f"Changing {spec.model.protects} makes {observer.seen(against)} {likely}."


def _further(spec, standing):
    parts = "".join(
        f"<h3>{html.escape(title)}</h3>{text}"
        for title, text in spec.further(standing.plan, standing)
        if text
    )
    return f"<details class='further'><summary>Further figures</summary>{parts}</details>" if parts else ""


def unbroken(text: str) -> str:
    """Text in which no line ends between a number and its sign."""
    return text.replace(" %", "\u00a0%")


def methods_offered(spec: Comparison, schemes: Sequence[str]) -> tuple[str, ...]:
    """Every scheme and method with a chip, in the order of legends; the non-private answer first."""
    possible = {*schemes, *spec.methods}
    ordered = [name for name in LOOKS if name in possible]
    # Those that pages compare first, then those to add.
    return tuple(sorted(ordered, key=lambda name: (name != PLAIN, name not in OFFERED)))
