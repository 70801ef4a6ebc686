"""What the page Papers shows, as a pure function of its plan and results: a figure, its answer, and all others as cards."""

from __future__ import annotations

import html
import math

import numpy as np
import pandas as pd

from core.schemes import is_private
from dashboard.packs.papers.papers import axes, changes, text
from dashboard.packs.papers.papers.model import Plan
from dashboard.packs.papers.reproduce import comparison
from dashboard.packs.papers.reproduce.pictures.sketches import sketches
from dashboard.plotting.chart import Band, Chart, Line, Points, Scale
from dashboard.sheet.spec import Shown, View
from dashboard.state.html_text import paragraph
from dashboard.theme.colours import CAPE_ON_DARK
from dashboard.theme.scheme_style import LOOKS, ink, label
from data import published
from data.published import experiments
from data.published.experiments import LINEAR

NAMES = tuple(experiments.names())  # A press sends the place of a figure among them.
_BAND = 1.96  # Standard errors of a 95 % band.
_LEAST = 1 / 30  # Of the mean: a logarithmic axis cannot show a band that reaches zero.
_PALE = "66"  # Opacity of printed points beside a revised figure, at the end of a colour.
_ROOM = 0.05  # Share of an axis that is left free at each end.
_ASIDE = 0.02  # Of the axis: where the second of two arrows stands beside the first.


def view(plan: Plan, shown: Shown) -> View:
    """The figure with the printed points, its answer, and the cards of its paper's figures."""
    rows = _rows(plan, shown)
    running = plan.kept is None and not shown.results.complete
    compared = comparison.compare(plan.experiment, rows) if plan.runs.published and len(rows) else ()
    points = () if running else compared  # No point is called missed before all draws of the records are run.
    whole = rows.iloc[:0] if running else rows
    return View(
        headline=text.seen(plan, rows, points, running=running),
        sections={
            "about": _about(plan, whole),
            "others": _cards(plan),
            "details": _details(plan, rows, points),
        },
        charts={"figure": _chart(plan, rows, whole, points, shown)},
        words=paragraph(*text.verdict(plan, rows, compared, running=running)),
        table=_table(plan, rows),
    )


def _rows(plan, shown):
    """All rows that are known, those of the first draws of the records first."""
    if plan.kept is not None:
        return plan.kept
    found = [shown.results[call.key] for call in plan.calls if call.key in shown.results]
    return plan.runs.rows(pd.concat(found, ignore_index=True)) if found else pd.DataFrame()


def _about(plan, rows):
    live = (
        "<button type='button' class='chip example' data-press='live' data-number='0'>Open it live</button>"
    )
    inside = f"{text.caption(plan)}{text.axes(plan, rows)}{live}{text.found_here(plan)}"
    return f"<section class='card'>{inside}</section>"


def _details(plan, rows, points):
    return (
        f"<section class='card details'><h2>How it is made</h2>{text.details(plan, rows, points)}</section>"
    )


def _cards(plan):
    """All papers, and the figures of this one."""
    found = [experiments.load(name) for name in NAMES]
    papers, drawn = [], sketches()
    for key, paper in experiments.papers().items():
        own = [e for e in found if e.paper == key]
        # The first with the authors' numbers.
        first = next((e for e in own if e.name in published.figures()), own[0])
        title = html.escape(f"[{key}] {paper.citation}", quote=True)
        papers.append(
            f"<button type='button' class='chip' title='{title}' aria-pressed='{_said(key == plan.experiment.paper)}' "
            f"data-press='figure' data-number='{NAMES.index(first.name)}'>{html.escape(paper.authors)} "
            f"<small>{html.escape(paper.title)}, {len(own)} figures</small></button>"
        )
    cards = "".join(_card(e, drawn.get(e.name, ""), plan) for e in found if e.paper == plan.experiment.paper)
    return (
        "<section class='card'><h2>All figures <small>○ with the authors' numbers · ≈ run on other data</small></h2>"
        f"<div class='chips' role='group' aria-label='Paper'>{''.join(papers)}</div>"
        f"<div class='cards'>{cards}</div></section>"
    )


def _card(e, sketch, plan):
    caption = html.escape(e.caption + ("" if e.available else " Run on other data."), quote=True)
    mark = "<small class='mark'>○</small>" if e.name in published.figures() else ""
    return (
        f"<button type='button' class='figure' title='{caption}' aria-label='Figure {e.label}: {caption}' "
        f"aria-pressed='{_said(e is plan.experiment)}' data-press='figure' data-number='{NAMES.index(e.name)}' data-rise>"
        f"{sketch}<b>{html.escape(e.label)}{mark}</b>"
        f"<small>{'' if e.available else '≈ '}{html.escape(e.data_title)}</small></button>"
    )


def _said(pressed):
    return str(pressed).lower()


def _chart(plan, rows, whole, points, shown):
    """The curves with their bands, the printed points as rings, and what a revision changes."""
    e, read = plan.experiment, text.reading(plan, whole)
    bands, lines, marks = _curves(plan, rows, read.values, shown.dark)
    areas, before, arrows = _change(plan, whole, shown.dark)
    rings = _rings(plan, points, shown.dark)
    far = {name for method in e.outside for name in (label(method), LOOKS[method].legend)}
    inside = [line for line in (*lines, *before) if line.name not in far]
    near = [ring for ring in rings if ring.name not in far]
    across = _ends([*plan.runs.x, *(x for ring in near for x in ring.x)], log=e.axis not in LINEAR)
    chance = [e.chance] if e.chance and read.values else []
    up = _ends([y for part in (*inside, *near) for y in part.y] + chance, log=e.y_log)
    level = (
        [Line("chance", across, chance * 2, ink(dark=shown.dark), "dotted", 1.5, listed=False)]
        if chance
        else []
    )
    copies = [pin for pin in shown.pins if f"Figure {e.name}" in pin.name.split("; ")]
    return Chart(
        Scale(axes.across(e), across, e.axis not in LINEAR),
        Scale(axes.counted(e, published=plan.runs.published), up, e.y_log),
        title=text.subtitle(plan),
        bands=(*areas, *bands),
        lines=(*copies, *level, *before, *lines),
        points=(*rings, *marks, *arrows),
        rules=() if read.x is None else (read.x,),
    )


def _curves(plan, rows, values, dark):
    """Band, line and markers of every method; the line's name has the value that the headline reads."""
    e, bands, lines, marks = plan.experiment, [], [], []
    means = comparison.summary(e, rows) if len(rows) else pd.DataFrame({"method": []})
    for method in plan.runs.methods:
        part = means[means.method == method]
        look, colour = LOOKS[method], _colour(method, dark)
        x, mean = ([] if part.empty else part[name].tolist() for name in ("x", "mean"))
        lines.append(
            Line(look.legend or look.label, x, mean, colour, look.dash, value=values.get(method, ""))
        )
        if part.empty:
            continue
        half = _BAND * np.nan_to_num(part.error)
        low = np.maximum(part["mean"] - half, part["mean"] * _LEAST) if e.y_log else part["mean"] - half
        if half.any():
            bands.append(Band(x, low.tolist(), (part["mean"] + half).tolist(), colour))
        marks.append(Points(look.label, x, mean, colour, look.marker))
    return bands, lines, marks


def _rings(plan, points, dark):
    """The printed points, of each method those that are reproduced and those that are not."""
    found = []
    pale = "" if plan.runs.published else _PALE
    printed = changes.rings(plan, points)
    for method, good in dict.fromkeys((method, good) for method, *_, good in printed):
        some = [(x, y) for m, x, y, g in printed if (m, g) == (method, good)]
        note, marker = ("as printed", "circle") if good else ("as printed: not reproduced", "circle_x")
        found.append(
            Points(
                label(method),
                [x for x, _ in some],
                [y for _, y in some],
                _colour(method, dark) + pale,
                marker,
                14,
                0,
                [note] * len(some),
            )
        )
    return found


def _change(plan, rows, dark):
    """Two curves before a revision, the areas up to the revised ones, and an arrow each."""
    if (found := changes.change(plan, rows)) is None:
        return [], [], []
    areas, before, arrows = [], [], []
    for method, (was, now) in changes.lines(plan, rows).items():
        shared = [x for x in was.index if x in now.index]
        shared = [x for x in shared if not plan.experiment.y_log or min(was[x], now[x]) > 0]
        old, new = was[shared].tolist(), now[shared].tolist()
        areas.append(Band(shared, old, new, _colour(method, dark)))
        before.append(
            Line(f"{label(method)}, before", shared, old, _colour(method, dark), "dashed", listed=False)
        )
    steps = [(found.x, *move) for move in found.moves.values() if move[0] != move[1]]
    if len(steps) == 2 and max(min(step[1:]) for step in steps) < min(max(step[1:]) for step in steps):
        steps[1] = (_beside(found.x, plan), *steps[1][1:])
    for x, was, now in steps:
        before.append(Line("change", (x, x), (was, now), ink(dark=dark), width=3.5, listed=False))
        head = "triangle" if now > was else "inverted_triangle"
        arrows.append(Points("change", [x], [now], ink(dark=dark), head, 15))
    return areas, before, arrows


def _beside(x, plan):
    """A place a little to the right of x, for an arrow that would lie on another."""
    low, high = min(plan.runs.x), max(plan.runs.x)
    return x + _ASIDE * (high - low) if plan.experiment.axis in LINEAR else x * (high / low) ** _ASIDE


def _ends(values, *, log):
    """The ends of an axis, with a little room beyond the values."""
    known = [v for v in map(float, values) if math.isfinite(v) and (v > 0 or not log)] or [0.1, 1.0]
    low, high = min(known), max(known)
    if log:
        room = (high / low) ** _ROOM if high > low else 2.0
        return low / room, high * room
    room = _ROOM * (high - low) or 1.0
    return low - room, high + room


def _colour(method, dark):
    if not is_private(method):
        return ink(dark=dark)
    return CAPE_ON_DARK if method == "cape" and dark else LOOKS[method].colour


def _table(plan, rows):
    """The means, and the printed points beside them."""
    if rows.empty:
        return {"method": [], "x": [], "mean": []}
    means = comparison.summary(plan.experiment, rows)
    printed = pd.DataFrame(
        [ring[:3] for ring in changes.rings(plan, ())], columns=["method", "x", "published"]
    )
    return means.merge(printed, how="left", on=["method", "x"]).to_dict("list")
