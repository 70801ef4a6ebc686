"""What *Compare* shows, as a pure function of plan and results: the first answer, the live page and the tests call it."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import numpy as np

from core import cape
from core.schemes import OFFERED, PLAIN, SCHEMES, is_private
from dashboard.compare import panels
from dashboard.compare.curve import Pinned, curve, moved
from dashboard.compare.observers import Observed
from dashboard.compare.spec import Comparison
from dashboard.compare.store import Results
from dashboard.guarantee import guarantee as guarantees
from dashboard.guarantee import observer
from dashboard.guarantee.guarantee import Guarantee
from dashboard.plotting import printed_points
from dashboard.plotting.chart import Chart
from dashboard.runs.axes import Axis
from dashboard.sheet import controls
from dashboard.sheet.progress import Progress, progress
from dashboard.state.number_text import at_most_text, exactly
from dashboard.theme.scheme_style import DASHES, LOOKS, colour_of, label


@dataclass(frozen=True)
class Shown:
    """What a view depends on besides plan and results.

    Attributes
    ----------
    dark : bool
    pins : tuple of Pinned
    offered : tuple of (str, bool)
        Schemes and methods that chips offer, and whether each is chosen.
    axes : mapping of str to Axis
    measures : tuple of (str, str)
        Value and label of every measure in the menu; () for none.
    problem : str
        Why the settings have no plan; plain text.
    progress : Progress
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

    dark: bool = False
    pins: tuple[Pinned, ...] = ()
    offered: tuple[tuple[str, bool], ...] = ()
    axes: Mapping[str, Axis] | None = None
    measures: tuple[tuple[str, str], ...] = ()
    problem: str = ""
    progress: Progress = field(default_factory=Progress)
    table: Any = None
    unprotected: tuple[Any, ...] = ()
    secret: bool = False
    printed: str = ""
    observers: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class View:
    """The named sections of the page; all but `curve` are HTML. `of` is what they show."""

    headline: str
    result: str
    curve_title: str
    curve: Chart
    curve_words: str
    noise: str
    privacy: str
    runs: str
    guarantee: Guarantee
    guaranteed: str
    further: str
    chips: str
    stale: bool
    words: str = ""
    of: tuple[Results, Results, Shown] | None = field(default=None, compare=False, repr=False)


def view(
    spec: Comparison,
    plan,
    results: Results,
    drawn: Results | None,
    shown: Shown,
    before: View | None = None,
) -> View:
    """All sections.

    Parameters
    ----------
    results : Results
        What is known of the plan.
    drawn : Results or None
        The latest complete results, which stand until those of the plan are complete.
    before : View, optional
        An earlier view of the same page: sections that depend on nothing that changed are taken from it.
    """
    standing = results if results.complete or drawn is None else drawn
    asked = replace(shown, progress=Progress())
    earlier = before.of if before is not None else None
    found: dict[str, Any] = {}
    if earlier is not None and earlier[2] == asked:
        found |= _taken(before, _OF_STANDING) if earlier[1].same(standing) else {}
        if earlier[0].plan is plan:
            found |= _taken(before, _OF_PLAN)
            found |= _taken(before, _OF_CURVE) if earlier[0].same(results) else {}
    if "result" not in found:
        found |= _of_standing(spec, plan, standing, shown)
    if "noise" not in found:
        found |= _of_plan(spec, plan, shown)
    if "curve" not in found:
        same = earlier is not None and earlier[2] == asked and results.means is earlier[0].means is not None
        found |= _of_curve(spec, plan, results, shown, before.curve if same else None)
    of = results, standing, asked
    return View(**found, runs=progress(shown.progress), stale=standing is not results, of=of)


_OF_STANDING = ("headline", "result", "further")
_OF_CURVE = ("curve", "curve_words")
_OF_PLAN = ("curve_title", "noise", "privacy", "guarantee", "guaranteed", "chips")


def _taken(before, names):
    return {name: getattr(before, name) for name in names}


def _of_standing(spec, plan, standing, shown):
    """The sections of the results that stand."""
    title, about = spec.about(standing.plan)
    return {
        "headline": _headline(spec, plan, standing, shown),
        "result": panels.card(title, about, spec.result(standing.plan, standing)),
        "further": _further(spec, standing),
    }


def _of_plan(spec, plan, shown):
    """The sections of the settings alone."""
    observed, guarantee = seen(spec, plan), _guarantee(spec, plan, shown)
    return {
        "curve_title": _curve_title(spec, plan, shown),
        "noise": panels.noise(observed, _gains(plan) if observed else None, spec.statistic(plan)),
        "privacy": panels.privacy(
            observed,
            epsilon=(guarantee.nominal or plan.settings).epsilon,
            delta=plan.settings.delta,
            colluding=min(plan.settings.colluding, plan.here["sites"] - 1),
            sites=plan.here["sites"],
        ),
        "guarantee": guarantee,
        "guaranteed": _guaranteed(spec, plan, guarantee, shown),
        "chips": chips(shown.offered),
    }


def _of_curve(spec, plan, results, shown, stands):
    """The sections of what is known of the curve; `stands` is a chart of the same points at another place on the axis."""
    name = spec.measure(plan)
    measure, axis = spec.measures[name], (shown.axes or {})[plan.axis]
    printed = printed_points.printed(shown.printed, axis=plan.axis, measure=name, relative=measure.relative)
    chart = None if stands is None else moved(stands, plan, axis)
    return {
        "curve": chart or curve(results, measure, axis, dark=shown.dark, pins=shown.pins, printed=printed),
        "curve_words": _curve_words(spec, plan, results, printed),
    }


def seen(spec: Comparison, plan) -> dict[str, Observed]:
    """What every private scheme of a plan releases, and who learns what."""
    return {m: spec.observed(plan, m) for m in LOOKS if m in plan.shown and m in SCHEMES and is_private(m)}


# Names that are long for a chip.
_SHORT = {"cape-best": "best amplitude", "cape-after": "sum after", "graph": "graph", "secure": "secure agg."}


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
        f"{html.escape(_SHORT.get(name) or label(name))}</button>"
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


def _headline(spec, plan, standing, shown):
    if shown.problem:
        return controls.problem(shown.problem)
    about = standing.plan
    said, own = spec.headline(about, standing), getattr(about.source, "name", "") == "own"
    data = f"{html.escape(about.source.title)}: " if own else ""
    private = any(is_private(method) for method in about.shown)
    if not said and (private or not standing.complete):
        return "<p class='headline'>Computing the first results …</p>"
    if not private:
        return f"<p class='headline'>{html.escape(about.source.title)}: {unbroken(said or 'the answer without noise')}.</p>"
    nominal = "a nominal " if about.settings.calibration == "published" else ""
    set_at = exactly("ε", about.settings.epsilon)
    return f"<p class='headline'>{data}At {nominal}{set_at}, {unbroken(said)}.</p>"


def _curve_title(spec, plan, shown):
    measure = spec.measures[spec.measure(plan)]
    options = "".join(
        f"<option value='{place}'{' selected' if name == plan.axis else ''}>{html.escape(axis.menu or axis.symbol)}"
        "</option>"
        for place, (name, axis) in enumerate((shown.axes or {}).items())
    )
    here = list(shown.axes or {}).index(plan.axis)
    axis = f"<select data-name='axis' data-value='{here}' aria-label='Curve against'>{options}</select>"
    if len(shown.axes or {}) == 1:
        axis = html.escape(shown.axes[plan.axis].symbol)
    counted = html.escape(measure.label)
    if shown.measures:
        place = [name for name, _ in shown.measures].index(spec.measure(plan))
        listed = "".join(
            f"<option value='{i}'{' selected' if i == place else ''}>{html.escape(text)}</option>"
            for i, (_, text) in enumerate(shown.measures)
        )
        counted = f"<select data-name='measure' data-value='{place}' aria-label='Measure'>{listed}</select>"
    return f"<h2>{counted} against {axis} <small>{html.escape(measure.unit)}</small></h2>"


def _curve_words(spec, plan, results, printed):
    said = " ".join(filter(None, (spec.needed(plan, results), results.spread(), printed.words)))
    return f"<p class='told'>{said}</p>" if said else ""


def _gains(plan):
    """G(n) and H(n) of the sizes; equal ones where a site has one size."""
    samples, sites = plan.here.get("samples", 1), plan.here["sites"]
    return _ratios(tuple(samples) if np.ndim(samples) else (samples,) * sites)


@lru_cache(maxsize=256)
def _ratios(sizes):
    return cape.gain(sizes), cape.excess(sizes)


def _guarantee(spec, plan, shown):
    found = guarantees.of_rows(spec.guarantee(plan, shown.table), shown.table)
    words = tuple(one.words for one in (*spec.unprotected(plan, shown.table), *shown.unprotected))
    return replace(found, not_private=(*words, *found.not_private), secret=shown.secret)


def _guaranteed(spec, plan, guarantee, shown):
    """Against whom the target holds, which is chosen in the sentence; it unfolds what is guaranteed, and who learns more.

    Nothing where only the non-private answer is shown.
    """
    if not any(map(is_private, plan.shown)):
        return ""
    against = dict(guarantees.terms_of(plan.here)).get("against", "message")
    means = _meant(spec, plan, against)
    holds = f"(ε, δ) protects against anyone who sees {_observers(shown, plan.settings.adversary)}"
    if guarantee.nominal is None:
        holds, means = "The guarantee is stated for each method", ""
    return (
        f"<p class='promise'>{holds}</p><details class='guarantee'><summary>Who learns more</summary>"
        f"<p><b>Guarantee.</b> {html.escape(guarantee.sentence)} {means}</p>"
        f"{guarantees.details(guarantee)}</details>"
    )


def _observers(shown, against):
    """A menu of those against whom the target may hold; its words where there is no choice."""
    names = [name for _, name in shown.observers]
    if against not in names:
        return observer.SEES[against]
    options = "".join(
        f"<option value='{i}'{' selected' if name == against else ''}>{html.escape(text)}</option>"
        for i, (text, name) in enumerate(shown.observers)
    )
    place = names.index(against)
    return f"<select data-name='against' data-value='{place}' aria-label='Target holds against'>{options}</select>"


def _meant(spec, plan, against):
    """What ε means; nothing where ε is a nominal one, or a target for each of several steps."""
    settings = plan.settings
    if settings.calibration == "published" or getattr(plan, "budget", "total") != "total":
        return ""
    most = at_most_text(math.exp(min(settings.epsilon, 700.0)))
    likely = f"at most {most} times as likely, plus a probability δ"
    return f"Changing {spec.protects} makes {observer.seen(against)} {likely}."


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
