"""The first answer: the same parts as on the live page, in one text that stands before any script has run."""

from __future__ import annotations

import re
from typing import Any

from dashboard.plotting.chart import table
from dashboard.sheet import controls, layout
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
_SHEET = GRID + flat(outside(layout.STAGE, "panels"))


def first(page: Any, *, slide: bool = False) -> str:
    """The page as HTML; a `slide` shows the parts that it names, alone."""
    shown, spec = page.shown, page.spec
    sheet = f"<style>{_SHEET}{inside(spec.sheet)}</style>"
    if shown is None:
        return f"{sheet}<div class='board'>{controls.problem(page.problem)}</div>"
    said = layout.sentence(page)
    parts = [f"<div class='{' '.join(layout.head_classes(said))}'>{said}</div>"]
    named = page.state.step.figures if slide else range(len(spec.places))
    for number, place in enumerate(spec.places):
        if number not in named:
            continue
        kinds = " ".join(layout.part_classes(spec, number, shown))
        parts.append(f"<div class='{kinds}'>{_part(page, place)}</div>")
    if slide:
        shows = " ".join(f"shows-{number}" for number in named)
        stage = f"<div class='panels stage hall {shows}'>{''.join(parts)}</div>"
        return f"{sheet}<div class='board lecture'>{stage}</div>"
    known = [n for n in (*page.shared, *page.own) if n not in page.state.absent]
    folded = [n for n in known if n not in (spec.primary, *spec.sliders, *page.hidden, "noise_seed")]
    primary, sliders = ([n for n in part if n in known] for part in ((spec.primary,), spec.sliders))
    above = " above" if spec.primary_above else ""
    side = (
        f"<div class='primary{above}'>{panel(page, primary, plays=bool(spec.play))}</div>"
        f"{panel(page, sliders, folded=bool(folded))}"
        f"<div class='examples'>{controls.examples([preset.name for preset in page.presets])}</div>"
    )
    tail = layout.tail(shown, page.settings_words())
    return (
        f"{sheet}<div class='board'><div class='tabs'>{layout.heading(page)}</div><div class='side'>{side}</div>"
        f"<div class='panels stage'>{''.join(parts)}</div><div class='foot'></div><div class='tail'>{tail}</div></div>"
    )


def _part(page, place):
    shown = page.shown
    if place in page.spec.live:
        view = page.board.live[place].view
        picture = getattr(view, "picture", "")  # Buttons and forms come with the live page.
        return picture and f"<style>{inside(''.join(view.stylesheets))}</style>{picture}"
    if place in shown.charts:
        chart = shown.charts[place]
        return f"<h2>{chart.title}</h2>{table(chart)}"
    return shown.sections.get(place, "")
