"""Plan as a view: the bold sentence, a row for every scheme, the search behind it, and what it means for one record."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from core.sweep import search
from dashboard.packs.consortium.plan import script as plan_script
from dashboard.packs.consortium.plan.question import FREE, Question
from dashboard.packs.consortium.plan.searches import Outcome
from dashboard.packs.consortium.plan.words import promise, risk, silent, text
from dashboard.packs.consortium.plan.words.answer import headline, holds
from dashboard.packs.consortium.plan.words.rows import rows
from dashboard.plotting.bands import band
from dashboard.plotting.chart import Band, Chart, Line, Points, Scale
from dashboard.sheet.spec import Shown, View
from dashboard.state.html_text import rest
from dashboard.state.number_text import percent_text
from dashboard.theme.scheme_style import LOOKS, ink, label

_STATES = {True: "meets the target", False: "misses it", None: "not decided yet"}


def view(question: Question, shown: Shown) -> View:
    """What is known of the answers to a question."""
    found: Outcome = shown.results
    answers, colluding = found.answers, question.settings.colluding
    searched = question.problem is not None and not question.measured
    promised = (
        text.one_epsilon(question, answers, colluding, again=False)
        if question.problem or question.own
        else ""
    )
    above = f"<p class='promised'>{promised}</p>" if promised else ""
    record = risk.section(found)
    return View(
        headline=headline(question, answers),
        sections={"answer": f"<section class='card'>{above}{rows(question, answers, colluding)}</section>"}
        | ({"record": f"<section class='card'>{record}</section>"} if record else {}),
        charts={"search": _search(found, shown)} if searched else {},
        words=rest(holds(question, answers, colluding), silent.words(question, answers))
        + text.words(question, answers, found.plain, found.reference),
        guarantee=promise.guarantee(found),
        table=plan_script.columns(answers.values()),
    )


def _search(found: Outcome, shown: Shown) -> Chart:
    """Means of the probes along the setting that is sought, with the target and the intervals of the answers on it."""
    question, (low, high) = found.question, (found.question.cells[0][0], found.question.cells[-1][0])
    counted = question.chance is not None
    aim = question.chance if counted else question.target.value
    quiet, ends = ink(dark=shown.dark, quiet=True), (low / 1.3, high * 1.3)
    target = percent_text(aim) if counted else question.metric.text(aim)
    lines = [Line("target", ends, (aim, aim), quiet, dash="dashed", width=1.5, value=target)]
    bands, points = [], []
    for scheme, answer in found.answers.items():
        look, probes = LOOKS[scheme], sorted(answer.probes, key=lambda probe: probe.x)
        drawn = [*_drawn(question, probes)]
        xs, means, lows, highs = ([point[i] for point in drawn] for i in range(4))
        value = text.short(question, answer)
        lines.append(Line(label(scheme), xs, means, look.colour, look.dash, value=value))
        lines += _interval(answer, aim, ends, look.colour)
        bands.append(Band(xs, lows, highs, look.colour))
        points += _probes(label(scheme), probes, means, look)
    # A share of releases has no such floor.
    floor = None if found.reference is None or counted else found.reference.floor
    if floor is not None and math.isfinite(floor):
        lines.append(Line("random components", ends, (floor, floor), quiet, width=1))
    heights = [y for line in lines for y in line.y]
    title = "share of releases that do" if counted else question.metric.axis.format(**question.about)
    return Chart(
        x=Scale(FREE[question.free][0], ends, log=True),
        y=Scale(title, (0.0, 1.0) if counted else _around(heights)),
        title="The search: mean over the runs at each value",
        bands=tuple(bands),
        lines=(*shown.pins, *lines),
        points=tuple(points),
    )


def _drawn(question, probes) -> Iterator[tuple[float, ...]]:
    """x, mean, and the ends of the 95 % band of every probe: of its scores, or of the share that meets the target."""
    for probe in probes:
        counted = question.chance is not None
        scores = (
            list(question.target.margins(probe.scores) + question.chance) if counted else list(probe.scores)
        )
        found = band(scores)
        yield probe.x, *(float(x) for x in (np.clip(found, 0, 1) if counted else found))


def _interval(answer: search.Answer, aim, ends, colour):
    """The interval of an answer, as a broad line at the target."""
    low = ends[0] if math.isnan(answer.low) else answer.low
    high = min(answer.high, ends[1])
    return [Line(label(answer.scheme), (low, high), (aim, aim), colour, width=10, alpha=0.3, listed=False)]


def _probes(name, probes, means, look):
    """The probes: filled where they meet the target, hollow where they miss it."""
    for filled in (True, False):
        chosen = [(p, y) for p, y in zip(probes, means, strict=True) if (p.meets is True) == filled]
        yield Points(
            name,
            [p.x for p, _ in chosen],
            [y for _, y in chosen],
            look.colour,
            look.marker,
            fill=1.0 if filled else 0.0,
            notes=[f"{len(p.scores)} runs: {_STATES[p.meets]}" for p, _ in chosen],
        )


def _around(values):
    low, high = min(values), max(values)
    room = 0.08 * (high - low) or 0.1 * abs(high) or 1.0
    return low - room, high + room
