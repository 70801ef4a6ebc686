"""What the page Stream shows, as a pure function of its plan and results."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from core import power
from dashboard.algorithms.power import patterns
from dashboard.algorithms.power.patterns import Row
from dashboard.compare import panels
from dashboard.components.numerals import pictured
from dashboard.guarantee.guarantee import Guarantee
from dashboard.packs.papers.power_stream.model import AGAIN, DRAWN, FORMS, LOST, Plan, Point, points_of
from dashboard.plotting.chart import Chart, Line, Points, Scale
from dashboard.problems.patterns import FOUND, marks
from dashboard.sheet.spec import Shown, View
from dashboard.state.html_text import rest
from dashboard.state.number_text import count_text, number_text
from dashboard.theme.colours import AS_PRINTED, EACH_STEP
from dashboard.theme.scheme_style import ink

LABELS = {"corrected": "corrected", "published": "as printed"}
COLOURS = {"corrected": EACH_STEP, "published": AS_PRINTED}
_LOOKS = {"corrected": ("circle", "solid"), "published": ("diamond", "dashed")}
_LEFT = {"too much": ", so that their negative is left", "too little": ", so that a part of them is left"}
_GUARANTEE = Guarantee(
    sentence="Nothing here is private: reading a record once does not protect it. The private form of this "
    "method is on the page Tensors.",
    unit="none",
    not_private=("everything on this page",),
)


def view(plan: Plan, shown: Shown) -> View:
    """What both searches have found in the records read so far, their errors, and what they hold."""
    results, standing = shown.results, shown.results.standing
    at: Plan = standing.plan
    stood = {form: points_of(at, standing, form=form, read=True) for form in FORMS} if standing.ready else {}
    drawn = {form: points_of(plan, results, form=form, read=True) for form in FORMS}
    rows = sorted(points_of(plan, results), key=lambda p: (p.deflation, p.seen))
    return View(
        headline=_headline(at, stood) if stood else "Reading the records …",
        sections={"found": _found(at, stood), "often": _often(at, stood, standing.get(at.often))},
        charts={"errors": _errors(plan, drawn, shown), "memory": _memory(plan, drawn["corrected"], shown)},
        words=rest(_taken(plan)),
        guarantee=_GUARANTEE,
        table={
            name: [getattr(p, name) for p in rows] for name in ("deflation", "component", "seen", "error")
        },
    )


def found(points: Sequence[Point]) -> int:
    """How many searches of one form ended, or stand, near a pattern that was not found before."""
    return sum(p.error < LOST for p in _ends(points))


def again(points: Sequence[Point], true: np.ndarray) -> str:
    """How one form ended, or stands, at a pattern that it had found: " again", or in negative; "" if it did not."""
    places, cosines = _nearest(_ends(points), true)
    for i, (place, cosine) in enumerate(zip(places, cosines, strict=True)):
        if place in places[:i] and abs(cosine) > power.FOUND:
            return " again, in negative" if cosine < 0 else " again"
    return ""


def _headline(plan, points):
    """What both searches have found."""
    k = plan.components
    corrected, printed = (f"<b>{found(points[form])}\u00a0of\u00a0{k}</b>" for form in FORMS)
    repeated = again(points["published"], plan.truth.vectors) if plan.d <= DRAWN else ""
    same = f": it finds the same one{repeated}" if repeated else ""
    what = "pattern" if k == 1 else "patterns"
    read = f"{plan.batches} of" if plan.batches < plan.whole else "all"
    after = f"after {read} {plan.whole} batches of this run"
    if corrected != printed:
        ours = f"The corrected search has found {corrected} {what} {after}"
        return f"{ours}, the search as the paper prints it {printed}{same}."
    wrong = f", and the one that the paper prints goes wrong{same}" if repeated else ""
    return f"Both searches have found {corrected} {what} {after}{wrong}."


def amount(values: np.ndarray) -> str:
    """What of a component the printed form takes away: λ² times too much of it, at the component."""
    return "too much" if values.min() > 1 else "too little" if values.max() < 1 else "a wrong amount"


def _taken(plan):
    taken = amount(plan.truth.values)
    return (
        "A search takes away the patterns that it has found before it looks for the next one. The printed formula "
        f"takes away {taken}{_LEFT.get(taken, '')}."
    )


def _found(plan, points):
    """The hidden patterns, the last records read, and what both forms have found."""
    k = plan.components
    title = "One pattern hides" if k == 1 else f"{count_text(k, 'pattern')} hide"
    title += f" in records that come in batches of {number_text(plan.per_step)}"
    if plan.d > DRAWN:
        wide = f"<p>Patterns of more than {number_text(DRAWN)} numbers are not drawn.</p>"
        return panels.card(title, "", wide)
    true, took = plan.truth.vectors, amount(plan.truth.values)
    records = [p.record for p in points.get("corrected", ())][-k:]
    rows = [
        Row("hidden", "the truth", pixels=pictured(true, true)),
        Row("single records", "read once, not kept", pixels=_blank_beyond(records, true)),
    ]
    for form, text in LABELS.items():
        hint = f"takes away {'what it found' if form == 'corrected' else took}"
        own, known = points.get(form, []), {}
        if points:
            ends = _ends(own)
            places, _ = _nearest(ends, true)
            known = {
                "pixels": _blank_beyond([p.vector for p in ends], true, places),
                "note": f"{found(own)} of {k}",
                "marks": marks([1 - p.error**2 / 2 for p in ends]),  # From a distance to a cosine.
            }
        rows.append(Row(text, hint, colour=COLOURS[form], **known))
    return panels.card(title, FOUND, patterns.rows(rows, width=plan.d, count=k))


def _blank_beyond(vectors, true, places=None):
    """Pixels of some vectors, and blank places up to the number of patterns."""
    whole = np.zeros(true.shape)
    if vectors:
        whole[: len(vectors)] = vectors
    like = None if places is None else [*places, *[0] * (len(true) - len(places))]
    return pictured(whole, true, like=like) * (np.arange(len(true)) < len(vectors))[:, None]


def _ends(points):
    """The last point of each search."""
    return [p for p in points if p.finished or p is points[-1]]


def _nearest(ends, true):
    """The true component nearest to each point, in either sign, and its cosine."""
    cosines = np.array([true @ p.vector for p in ends]).reshape(len(ends), len(true))
    places = np.abs(cosines).argmax(axis=1)
    return places.tolist(), cosines[np.arange(len(ends)), places]


def _often(plan, points, often):
    """What each form found in this run, and in how many such runs it finds all."""
    k, several = plan.components, plan.counted
    body = "".join(
        f"<tr><th scope='row'>{text}</th><td><b>{found(points[form]) if points else '…'}</b> of {k}</td>"
        + (f"<td><b>{often[form] if often else '…'}</b> of {AGAIN}</td>" if several else "")
        + "</tr>"
        for form, text in LABELS.items()
    )
    all_found = f"<th>all {k} found, such runs</th>" if several else ""
    head = f"<tr><th>search</th><th>found in this run</th>{all_found}</tr>"
    told = (
        "<p class='fine'>Such runs have other records and other random starts, and read all batches.</p>"
        if several
        else ""
    )
    inside = f"<table><thead>{head}</thead><tbody>{body}</tbody></table>{told}"
    return panels.card("How many are found", "", inside)


def _errors(plan, points, shown):
    """The recovery error, a distance to the nearest pattern that is not found yet, along the records."""
    end, grey = plan.whole * plan.per_step, ink(dark=shown.dark, quiet=True)
    lines, dots = [Line("lost", [0, end], [LOST, LOST], grey, "dotted", 1.5, listed=False)], []
    for form, text in LABELS.items():
        marker, dash = _LOOKS[form]
        own = points[form]
        x, y = _with_gaps(own)
        value = f"{found(own)} of {plan.components}" if own else ""
        lines.append(Line(text, x, y, COLOURS[form], dash, value=value))
        notes = [f"pattern {p.component + 1}" for p in own]
        dots.append(
            Points(text, [p.seen for p in own], [p.error for p in own], COLOURS[form], marker, 7, notes=notes)
        )
    errors = [p.error for own in points.values() for p in own] or [LOST]
    return Chart(
        Scale("records seen", (0, end * 1.03)),
        Scale(
            "‖û − u‖, nearest remaining u",
            (min(errors) * 0.8, max(*errors, 1.5) * 1.2),
            log=True,
        ),
        title="Recovery error; lost above the dotted line",
        lines=(*shown.pins, *lines),
        points=tuple(dots),
        rules=(plan.batches * plan.per_step,),
    )


def _with_gaps(points):
    """Points as a curve, with a gap where the search for the next component begins."""
    x, y = [], []
    for before, p in zip([None, *points], points, strict=False):
        if before is not None and before.component != p.component:
            x.append(before.seen)
            y.append(math.nan)
        x.append(p.seen)
        y.append(p.error)
    return x, y


def _memory(plan, points, shown):
    """Megabytes held, and read so far."""
    seen = [p.seen for p in points]
    held, read = [p.held / 1e6 for p in points], [p.read / 1e6 for p in points]
    lines = [
        Line("held", seen, held, COLOURS["corrected"], value=_megabytes(held)),
        Line(
            "read so far", seen, read, ink(dark=shown.dark, quiet=True), "dotted", 2, value=_megabytes(read)
        ),
    ]
    every = [*held, *read] or [1.0]
    return Chart(
        Scale("records seen", (0, plan.whole * plan.per_step * 1.03)),
        Scale("megabytes", (min(every) * 0.7, max(every) * 1.4), log=True),
        title="Data in memory, and data read",
        lines=tuple(lines),
        rules=(plan.batches * plan.per_step,),
    )


def _megabytes(values):
    return f"{number_text(values[-1])} MB" if values else ""
