"""The releases of every scheme as histograms around the true average, on one axis."""

from __future__ import annotations

import html

import numpy as np

from dashboard.algorithms.average.model import RELEASES, Plan
from dashboard.compare.histograms import histograms
from dashboard.compare.panels import Row
from dashboard.compare.store import Results
from dashboard.problems.average import standard_error
from dashboard.state.html_text import plain
from dashboard.state.number_text import number_text, short_text
from dashboard.theme.scheme_style import label


def about(plan: Plan) -> str:
    """The line beside the title of the picture."""
    if plan.released is None:
        return f"{RELEASES} averages, minus the true one"
    part = plan.released.first
    each = {"counts": "every category of ", "histogram": "every bin of "}.get(part.summary.kind, "")
    unit = f", in {part.unit}" if part.unit else ""
    return f"{RELEASES} releases of {each}the {plain(part.words)}, minus the true one{unit}"


def value(results: Results, method: str) -> str:
    """A scheme's standard error; "" while it is not known."""
    spot = results.spots.get(method)
    return "" if spot is None else short_text(spot.std) if spot.std else "0"


def result(plan: Plan, results: Results) -> str:
    """One histogram a scheme, in the order of legends, and their axis."""
    found = {m: results.spots.get(m) for m in plan.shown}
    rows = {m: (Row(m, "", value(results, m)), spot and spot.errors) for m, spot in found.items()}
    return histograms(rows, {m: standard_error(m, plan.here) for m in plan.shown})


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
