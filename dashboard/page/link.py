"""A page as a link: its settings, and the settings of its pinned curves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dashboard.plotting.pins import MOST_PINS
from dashboard.state import url


def search(page: Any) -> str:
    """The query part of the URL that opens a page in its current state, with its pinned curves if `links_pins`."""
    pinned = url.nested(page.pins.values) if page.pins and page.links_pins else {}
    # What a bare link opens with is always named, so that a link means the same whatever its values are.
    opening = url.encode(page.controls, page.opens, full=True)
    return url.search(page.name, opening | page.settings.texts() | pinned)


def take(page: Any, query: Mapping[str, str]) -> list[str]:
    """Put a page into the state that a URL names; returns a sentence (foreign text) for each ignored value."""
    names = {"page", *([url.PINNED] if page.links_pins else [])}
    values, problems = page.settings.decode({n: text for n, text in query.items() if n not in names})
    # A link of which nothing can be used opens the page as a bare one does.
    bare = len(problems) == len(set(query) - {"page"})
    if page.links_pins:
        problems += _pin_again(page, url.unnested(query))
    page.set(values | dict(page.opens) if bare else values)
    return problems


def _pin_again(page, states):
    """Draw and pin the curves of a link, in place of those that were pinned before."""
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
        page.life.outdate()  # Otherwise the last pinned curve stays if the settings of the link equal its own.
    return problems
