"""The releases of every scheme as histograms around the true average, on one axis."""

from __future__ import annotations

import html

import numpy as np

from core.schemes import is_private
from dashboard.algorithms.average.model import RELEASES, Plan, Spot
from dashboard.compare import panels
from dashboard.compare.chart import Axis
from dashboard.compare.panels import Row
from dashboard.compare.store import Results
from dashboard.problems.average import standard_error
from dashboard.state.number_text import number_text, short_text
from dashboard.theme.scheme_style import LOOKS, label

_BINS = 61  # An odd number: the middle one holds releases without noise.
_REACH = 3.3  # Standard errors that the axis shows at each side.
_HIGH = 100  # Units of a histogram's height.


def about(plan: Plan) -> str:
    """The line beside the title of the picture."""
    return f"{RELEASES} averages, minus the true one"


def value(results: Results, method: str) -> str:
    """A scheme's standard error; "" while it is not known."""
    spot = results.spots.get(method)
    return "" if spot is None else short_text(spot.std) if spot.std else "0"


def result(plan: Plan, results: Results) -> str:
    """One histogram a scheme, in the order of legends, and their axis."""
    axis = _axis(plan)
    found = [Row(m, _histogram(results.spots.get(m), axis), value(results, m)) for m in plan.shown]
    ticks = "".join(
        f"<span style='left:{100 * float(axis.place(tick)):.1f}%'>{html.escape(number_text(tick))}</span>"
        for tick in axis.ticks
    )
    return f"{panels.rows(found)}<div class='ticks' aria-hidden='true'>{ticks}</div>"


def _axis(plan):
    """The widest distribution would flatten the others: the second widest sets the ends."""
    stds = sorted(standard_error(m, plan.here) for m in plan.shown)
    widest = stds[-2:][0] or stds[-1:][0] or 1.0
    return Axis("", -_REACH * widest, _REACH * widest)


def _histogram(spot: Spot | None, axis: Axis) -> str:
    """Bars as high as the fullest; those beyond the ends are counted beside them."""
    if spot is None:
        return ""
    places = axis.place(spot.errors)
    inside = (places >= 0) & (places <= 1)
    counts, _ = np.histogram(places[inside], np.linspace(0, 1, _BINS + 1))
    most = max(int(counts.max()), 1)
    bars = "".join(
        f"M{i} {_HIGH}v-{_HIGH * count / most:.0f}h1V{_HIGH}z" for i, count in enumerate(counts) if count
    )
    colour = LOOKS[spot.method].colour if is_private(spot.method) else "currentColor"
    out = RELEASES - int(inside.sum())
    spoken = f"{label(spot.method)}: {RELEASES} averages"
    beyond = f"<small class='beyond'>{out} beyond</small>" if out else ""
    return (
        f"<svg class='spread' viewBox='0 0 {_BINS} {_HIGH}' preserveAspectRatio='none' role='img' "
        f"aria-label='{html.escape(spoken, quote=True)}'><path class='axis' d='M0 {_HIGH}h{_BINS}M{_BINS / 2} 0v{_HIGH}'/>"
        f"<path d='{bars}' fill='{colour}'/></svg>{beyond}"
    )


def measured(results: Results) -> str:
    """What the releases show beside what the design says, as a table."""
    spots = results.shown()
    rows = "".join(
        f"<tr><th scope='row'>{html.escape(label(s.method))}</th><td>{number_text(s.std)}</td>"
        f"<td>{number_text(float(np.std(s.errors, ddof=1)) if s.std else 0.0)}</td>"
        f"<td>{number_text(float(np.mean(s.errors)) if s.std else 0.0)}</td></tr>"
        for s in spots
    )
    head = "".join(
        f"<th scope='col'>{name}</th>"
        for name in ("", "standard error", f"standard deviation of {RELEASES}", "their mean error")
    )
    return (
        f"<div class='scroll'><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
        "<p>One site alone estimates its own average: how far this is from that of all sites does not count as noise.</p>"
    )
