"""The releases of every scheme as histograms around the true average, on one axis."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from core.schemes import named
from dashboard.algorithms.average.model import RELEASES, WORST, Plan, Spot, errors
from dashboard.compare.histograms import histograms
from dashboard.compare.panels import Row
from dashboard.compare.store import Results
from dashboard.problems.average import one_size, site_name
from dashboard.state.html_text import listed, plain
from dashboard.state.number_text import at_most_text, count_text, number_text, short_text
from dashboard.theme.scheme_style import label

_DIGITS = 1e-12  # What rounding leaves of an error that is zero, in units of the range.
_FEW = 4  # Silent sites that are named.


def about(plan: Plan) -> tuple[str, str]:
    """The title of the picture, and the line beside it."""
    if plan.released is None:
        return f"Errors of {RELEASES} averages", ""
    part = plan.released.first
    each = {"counts": "every category of ", "histogram": "every bin of "}.get(part.summary.kind, "")
    unit = f", in {part.unit}" if part.unit else ""
    return f"Errors of {RELEASES} releases", f"of {each}the {plain(part.words)}{unit}"


def result(plan: Plan, results: Results) -> str:
    """One histogram a scheme, in the order of legends, and their axis."""
    stds, rows = errors(plan, results.spots), {}
    for method in plan.shown:
        spot = results.spots.get(method)
        value = (
            "" if spot is None or method not in stds else short_text(stds[method]) if stds[method] else "0"
        )
        rows[method] = Row(method, "", value, _parts(spot, stds.get(method))), spot and spot.errors
    return histograms(rows, stds)


def _parts(spot: Spot | None, error: float | None) -> str:
    """The noise in an error that is not noise alone: that of one site, or of those that send."""
    return f"noise alone {short_text(spot.std)}" if apart(spot, error) and spot.std else ""


def apart(spot: Spot | None, error: float | None) -> float:
    """How far, root mean square, a method is from the average of all sites without its noise; 0 where it is not known."""
    if spot is None or error is None or error <= spot.std * (1 + 1e-9):
        return 0.0
    return math.sqrt(error**2 - spot.std**2)


def measured(results: Results) -> str:
    """What the releases show beside what the design says, as a table; with dropouts also the worst for these records."""
    plan, stds = results.plan, errors(results.plan, results.spots)
    spots = [spot for spot in results.shown() if spot.method in stds]
    worst = results.spots.get(WORST, {})
    rows = "".join(
        f"<tr><th scope='row'>{html.escape(label(s.method))}</th><td>{number_text(stds[s.method])}</td>"
        f"<td>{_figure(plan, np.sqrt(np.mean(s.errors**2)))}</td><td>{_figure(plan, np.mean(s.errors))}</td>"
        f"{_worst(plan, worst.get(s.method)) if worst else ''}</tr>"
        for s in spots
    )
    names = ["", "standard error", f"root mean square of {RELEASES}", "their mean error"]
    names += ["the worst for these records"] if worst else []
    head = "".join(f"<th scope='col'>{name}</th>" for name in names)
    said = []
    if any(named(s.method).one_site for s in spots):
        said.append(_EACH if one_size(plan.here) else _ONE)
    if lost := plan.here.get("dropped", 0):
        said.append(_SILENT.format("is the site" if lost == 1 else f"are the {lost} sites"))
    return (
        f"<div class='scroll'><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
        + "".join(f"<p>{words}</p>" for words in said)
    )


_EACH = (
    "One site alone releases its own average. The standard error counts how far this is from that of all records, "
    "as root mean square over the sites; of its releases, each is of the next site."
)
_ONE = (
    "One site alone, always the same, releases its own average. The standard error counts how far this is from that of all "
    "records."
)
_SILENT = (
    "The releases are of the sites that send. The standard error counts how far their average is from that of all records. "
    "Dropped out {} without which the most noise is left: sizes and scheme tell which, no record does. Which dropouts are "
    "the worst for these records, only the records tell: the last column is not private."
)


def _figure(plan, value):
    """A figure of errors, without what the last digits of a sum leave."""
    return number_text(0.0 if abs(value) < _DIGITS * plan.here.get("span", 1.0) else value)


def silent_names(cell: Mapping[str, Any], silent: Sequence[int]) -> str:
    """The silent sites, a few by name, as plain text."""
    names = [site_name(cell, s) for s in silent[:_FEW]]
    more = len(silent) - _FEW
    return listed(names + [count_text(more, "other site")] * (more > 0)) if names else "none"


def _worst(plan, found):
    """A cell: the largest standard error of these records, whose silence brings it, and what it is at most."""
    if found is None:
        return "<td></td>"
    bound = f", at most {at_most_text(found.bound)}" if found.bound > found.error * (1 + 1e-9) else ""
    sites = html.escape(silent_names(plan.here, found.silent))
    return f"<td>{number_text(found.error)} without {sites}{bound}</td>"
