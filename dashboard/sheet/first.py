"""The first answer: the same parts as on the live page, in one text that stands before any script has run."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from dashboard.plotting.chart import table
from dashboard.sheet import controls, layout
from dashboard.sheet.look import Look
from dashboard.shell.first_picture import slider
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
    sliders = "".join(slider(page, n) for n in spec.sliders if n not in page.state.absent)
    side = sliders + shown.sections.get(look.beside, "")
    side += controls.examples([preset.name for preset in page.presets])
    tail = "" if look.named else f"<div class='tail'>{layout.tail(page)}</div>"
    return (
        f"{sheet}<div class='board'><div class='tabs{'-place' * look.named}'>{look.heading(page)}</div>"
        f"<div class='side'>{side}</div>"
        f"<div class='{' '.join(['panels', 'stage', *look.kinds])}'>{''.join(parts)}</div>{tail}</div>"
    )


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
