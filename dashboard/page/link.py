"""A page as a link: its settings as the query of an address."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dashboard.state import url


def search(page: Any) -> str:
    """The query part of the URL that opens a page in its current state."""
    return written(page, page.controls, page.model)


def written(kind: Any, controls: Any, model: Any) -> str:
    """The query of the link to a page, or kind of page, with these settings."""
    texts = url.encode(controls, kind.shared) | url.encode(model, type(model).own())
    # What a bare link opens with is always named, so that a link means the same whatever its values are.
    return url.search(kind.name, url.encode(controls, kind.opens, full=True) | texts)


def take(page: Any, query: Mapping[str, str]) -> list[str]:
    """Put a page into the state that a URL names; returns a sentence (foreign text) for each ignored value."""
    values, problems = page.settings.decode({n: text for n, text in query.items() if n != "page"})
    # A link of which nothing can be used opens the page as a bare one does.
    bare = len(problems) == len(set(query) - {"page"})
    page.set(values | dict(page.opens) if bare else values)
    return problems
