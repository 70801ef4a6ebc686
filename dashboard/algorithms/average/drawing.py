"""The releases of every scheme as histograms around the true average, on one axis."""

from __future__ import annotations

import html

import numpy as np

from dashboard.algorithms.average.model import RELEASES, Plan, errors
from dashboard.compare.histograms import histograms
from dashboard.compare.panels import Row
from dashboard.compare.store import Results
from dashboard.state.html_text import plain
from dashboard.state.number_text import number_text, short_text
from dashboard.theme.scheme_style import label


def about(plan: Plan) -> str:
    """The line beside the title of the picture."""
    if plan.released is None:
        return f"errors of {RELEASES} averages; one scale"
    part = plan.released.first
    each = {"counts": "every category of ", "histogram": "every bin of "}.get(part.summary.kind, "")
    unit = f", in {part.unit}" if part.unit else ""
    return f"errors of {RELEASES} releases of {each}the {plain(part.words)}{unit}; one scale"


def result(plan: Plan, results: Results) -> str:
    """One histogram a scheme, in the order of legends, and their axis."""
    stds, rows = errors(plan, results.spots), {}
    for method in plan.shown:
        spot = results.spots.get(method)
        value = (
            "" if spot is None or method not in stds else short_text(stds[method]) if stds[method] else "0"
        )
        rows[method] = Row(method, "", value), spot and spot.errors
    return histograms(rows, stds)


def measured(results: Results) -> str:
    """What the releases show beside what the design says, as a table."""
    stds = errors(results.plan, results.spots)
    spots = [spot for spot in results.shown() if spot.method in stds]
    rows = "".join(
        f"<tr><th scope='row'>{html.escape(label(s.method))}</th><td>{number_text(stds[s.method])}</td>"
        f"<td>{number_text(float(np.sqrt(np.mean(s.errors**2))) if s.std else 0.0)}</td>"
        f"<td>{number_text(float(np.mean(s.errors)) if s.std else 0.0)}</td></tr>"
        for s in spots
    )
    head = "".join(
        f"<th scope='col'>{name}</th>"
        for name in ("", "standard error", f"root mean square of {RELEASES}", "their mean error")
    )
    return (
        f"<div class='scroll'><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
        "<p>One site alone releases its own average. The standard error counts how far this is from that of all records, "
        "as root mean square over the sites; of its releases, each is of the next site.</p>"
    )
