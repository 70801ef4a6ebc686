"""Write the handout as one file: words, style sheet, tables and programs."""

from __future__ import annotations

import html
import json
from collections.abc import Mapping

from dashboard.packs.handout.facts import facts, style
from dashboard.theme.assets import beside

LARGEST = 1_500_000
"""Bytes of the largest handout that mail and phones take well."""
PROGRAMS = ("formulas.js", "chart.js", "pages.js", "frame.js")


def handout(chosen: Mapping[str, float] | None = None, *, page: str = "protocol") -> str:
    """The handout as HTML.

    Parameters
    ----------
    chosen : mapping of str to float, optional
        Settings with which it opens.
    page : str
        The page in front.

    Raises
    ------
    ValueError
        If a setting is unknown or outside its bounds, or there is no such page.
    """
    known = facts(page=page)
    names = [one["name"] for one in known["pages"]]
    if page not in names:
        raise ValueError(f"page must be one of {', '.join(names)}, got {page!r}")
    for name, value in (chosen or {}).items():
        _require(name, value, known["settings"])
    known = facts(chosen, page=page)
    # "<" starts nothing inside a script if it is written as an escape, so no text can end the script.
    data = json.dumps(known, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    programs = "\n".join(beside(__file__, name) for name in PROGRAMS)
    return (
        beside(__file__, "handout.html")
        .replace("@version@", html.escape(known["version"]))
        .replace("/*style*/", style() + beside(__file__, "handout.css"))
        .replace("/*programs*/", f'"use strict"\nconst FACTS = {data}\n{programs}')
    )


def _require(name, value, settings):
    if name not in settings:
        raise ValueError(f"a setting must be one of {', '.join(settings)}, got {name!r}")
    low, high = settings[name]["low"], settings[name]["high"]
    if not low <= value <= high or (settings[name]["whole"] and value != int(value)):
        kind = "a whole number" if settings[name]["whole"] else "a number"
        raise ValueError(f"{name} must be {kind} from {low:g} to {high:g}, got {value:g}")
