"""What stands below every page: the mathematics, and the source code that computes it."""

from __future__ import annotations

import html
from typing import Any

from dashboard.components import formulas, source_code
from dashboard.components.live_picture import LivePicture

_SHEET = source_code.SHEET + formulas.SHEET
_SHEET += ".background > p { max-width: 80ch; margin: 6px 0 } @media print { details:not([open]) { display: none } }"
_KINDS = {"The mathematics": "background-formulas", "In code": "background-code"}


def background(page: Any, sheet: str) -> LivePicture:
    """Titles that unfold; what stands below one comes when its user opens it for the first time."""
    parts = {
        "The mathematics": (page.equation, formulas.markup),
        "In code": (page.code, source_code.as_html),
    }
    came: set[str] = set()

    def drawn():
        return "".join(_part(title, title in came, *part) for title, part in parts.items() if part[0])

    def come(name, number):
        if name in parts:
            came.add(name)
            box.picture = drawn()

    box = LivePicture(sheet=sheet + _SHEET, chosen=come, css_classes=["background"])
    box.picture = drawn()
    return box


def _part(title, came, content, written):
    """A title that asks for its text, or, once it has come, that shows and hides it."""
    if not came:
        title = html.escape(title)
        return f"<details class='{_KINDS[title]}'><summary data-press='{title}' data-number='0'>{title}</summary></details>"
    inside = f"<summary>{html.escape(title)}</summary><div class='background'>{written(content)}</div>"
    return f"<details class='{_KINDS[title]}' open>{inside}</details>"
