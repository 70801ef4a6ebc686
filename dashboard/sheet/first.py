"""The first answer: the same parts as on the live page, in one text that stands before any script has run."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from dashboard.plotting.chart import table
from dashboard.sheet import controls, layout
from dashboard.sheet.look import Look
from dashboard.shell.first_picture import panel
from dashboard.theme.assets import beside

_LONE, _OF = re.compile(r":host(?!\()"), re.compile(r":host\(((?:[^()]|\([^()]*\))*)\)")


def outside(sheet: str, name: str) -> str:
    """A component's style sheet for the same elements outside of a component."""
    return _LONE.sub(f".{name}", _OF.sub(rf".{name}\1", sheet))


def inside(sheet: str) -> str:
    """The style sheet of what stands in a component's text."""
    return _OF.sub(r"\1", sheet).replace(":host", ".board")


def flat(sheet: str) -> str:
    """A style sheet without comments, in one line."""
    return re.sub(r"\s+", " ", re.sub(r"/\*.*?\*/", "", sheet, flags=re.DOTALL))


GRID = flat(outside(layout.GRID, "board") + inside(layout.CARDS) + beside(__file__, "first.css"))


@lru_cache(maxsize=32)
def _sheet(look: Look):
    return GRID + flat(outside(layout.HALL + look.stage, "panels") + inside(look.sheet) + look.first)


def first(page: Any, *, slide: bool = False) -> str:
    """The page as HTML; a `slide` shows the parts that it names, alone."""
    shown, spec, look = page.shown, page.spec, page.spec.look
    sheet = f"<style>{_sheet(look)}{inside(spec.sheet)}</style>"
    if shown is None:
        return f"{sheet}<div class='board'>{controls.problem(page.problem)}</div>"
    said = layout.sentence(page)
    parts = [f"<div class='{' '.join(layout.head_classes(said))}'>{said}</div>"]
    named = page.state.step.figures if slide and not look.named else range(len(spec.places))
    for number, place in enumerate(spec.places):
        if number not in named:
            continue
        kinds = " ".join(layout.part_classes(spec, number, shown))
        parts.append(f"<div class='{kinds}'>{_part(page, place)}</div>")
    if slide:
        shows = "" if look.named else " ".join(["", "hall", *(f"shows-{number}" for number in named)])
        stage = f"<div class='panels stage{shows}'>{''.join(parts)}</div>"
        return f"{sheet}<div class='board lecture'>{stage}</div>"
    tail = "" if look.named else f"<div class='tail'>{layout.tail(page)}</div>"
    line = "" if look.line is None else f"<div class='first-line'>{look.line(page)}</div>"
    return (
        f"{sheet}<div class='board'><div class='tabs{'-place' * look.named}'>{look.heading(page)}</div>{line}"
        f"<div class='side'>{_side(page)}</div><div class='{' '.join(['panels', 'stage', *look.kinds])}'>{''.join(parts)}"
        f"</div><div class='foot{' counts' * (page.runs is not None)}'></div>{tail}</div>"
    )


def _side(page):
    """The controls in their order on the live page."""
    spec, look = page.spec, page.spec.look
    known = [name for name in (*page.shared, *page.own) if name not in page.state.absent]
    primary, sliders = ([n for n in some if n in known] for some in (spec.sliders[:1], spec.sliders[1:]))
    folded = any(name not in (*spec.sliders, *page.hidden, "noise_seed") for name in known)
    data = "" if page.records is None else page.records.still
    parts = [
        f"{data}<div class='primary{' above' * look.search}'>{panel(page, primary, plays=bool(spec.play))}</div>"
    ]
    if look.beside:
        parts.append(f"{panel(page, sliders)}<div class='schemes'>{page.shown.sections[look.beside]}</div>")
    parts.append(panel(page, [] if look.beside else sliders, folded=folded))
    parts.append(f"<div class='examples'>{controls.examples([preset.name for preset in page.presets])}</div>")
    return "".join(parts)


def _part(page, place):
    shown = page.shown
    if place in page.spec.live:
        view = page.board.live[place].view
        picture = getattr(view, "picture", "")  # Buttons and forms come with the live page.
        return picture and f"<style>{inside(''.join(view.stylesheets))}</style>{picture}"
    if place in shown.charts:
        chart = shown.charts[place]
        title = shown.sections[f"{place}_title"] if page.spec.look.titled else f"<h2>{chart.title}</h2>"
        return title + table(chart)
    text = shown.sections.get(place, "")
    return f"<div class='pair'>{text}</div>" if place in page.spec.look.pairs else text
