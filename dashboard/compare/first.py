"""A comparison as HTML, for the answer to a request: the sections of the live page, readable before any script runs."""

from __future__ import annotations

from typing import Any

from dashboard.compare import view as views
from dashboard.compare.layout import NO_TABLE, SHEET, STAGE, said_first, stage_classes
from dashboard.plotting.chart import table
from dashboard.sheet import controls
from dashboard.sheet.first import GRID, flat, inside, outside
from dashboard.shell.first_picture import panel
from dashboard.theme.assets import beside

_SHEET = GRID + flat(outside(STAGE, "panels") + inside(SHEET) + beside(__file__, "first.css"))


def first(page: Any, *, slide: bool = False) -> str:
    """The page as HTML; a `slide` shows the panels alone.

    It never shows a user's own table, which can be uploaded on the live page alone.
    """
    shown = page.shown
    if shown is None:
        return f"<style>{_SHEET}</style><div class='board'>{controls.problem(page.state.problem)}</div>"
    sections = {
        "head": shown.headline + shown.guaranteed,
        "result": shown.result,
        "curve": shown.curve_title + table(shown.curve),
        "formulas": f"<div class='pair'>{shown.noise}{shown.privacy}</div>",
    }
    stage = "".join(f"<div class='{name}'>{text}</div>" for name, text in sections.items())
    if slide:
        return (
            f"<style>{_SHEET}</style><div class='board lecture'><div class='panels stage'>{stage}</div></div>"
        )
    spec = page.spec
    named = [name for name in (spec.primary, *spec.sliders) if name in (*page.shared, *page.own)]
    first_of, others = ([n for n in part if n not in page.state.absent] for part in (named[:1], named[1:]))
    examples = controls.examples([preset.name for preset in page.presets])
    side = (
        f"{_data(page)}<div class='primary'>{panel(page, first_of, plays=page.follows)}</div>{panel(page, others)}"
        f"<div class='schemes'>{views.chips(page.offered())}</div>{panel(page, (), folded=True)}"
        f"<div class='examples'>{examples}</div>"
    )
    tabs = views.tabs(page.algorithms(), page.name)
    kinds = " ".join(stage_classes(spec))
    return (
        f"<style>{_SHEET}</style><div class='board'><div class='tabs-place'>{tabs}</div>"
        f"<div class='first-line'>{said_first(page)}</div><div class='side'>{side}</div>"
        f"<div class='panels {kinds}'>{stage}</div></div>"
    )


def _data(page):
    """The menu of records, and what stands in place of the button for a user's own."""
    records = (page.spec.records,) if page.spec.records else ()
    words = "<span>Use your own table</span>" if page.own_table is not None else NO_TABLE
    words = words if page.holder is None else page.holder.still
    bare = "" if page.own_table is not None else " bare"
    return f"<div class='data{bare}'>{panel(page, records) if records else ''}<div class='own'>{words}</div></div>"
