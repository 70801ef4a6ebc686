"""A page as a link: its settings, and the settings of curves that are pinned on it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dashboard.plotting.pins import MOST_PINS
from dashboard.state import url


def search(page: Any) -> str:
    """The query part of the URL that opens a page as it stands, with what is pinned if `links_pins`."""
    pinned = url.nested(page.pins.values) if page.pins and page.links_pins else {}
    return url.search(page.name, page.settings.texts() | pinned)


def take(page: Any, query: Mapping[str, str]) -> list[str]:
    """Bring a page into the state that a URL names; returns a sentence (foreign text) for each ignored value."""
    names = {"page", *([url.PINNED] if page.links_pins else [])}
    values, problems = page.settings.decode({n: text for n, text in query.items() if n not in names})
    if page.links_pins:
        problems += _pin_again(page, url.unnested(query))
    page.set(values)
    return problems


def _pin_again(page, states):
    """Draw and pin what a link holds as pinned, in place of what was pinned before."""
    problems = []
    page.pins.clear()
    for state in states[:MOST_PINS]:
        values, bad = page.settings.decode(state)
        problems += [f"a pinned curve: {problem}" for problem in bad]
        page.set(values)
        page.refresh()
        if not page.said.problem:
            page.pin()
    if states:
        page.life.outdate()  # Else what is pinned stays in front if nothing differs from it.
    return problems
