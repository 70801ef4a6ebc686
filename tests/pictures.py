"""What the pictures of a page show, as plain numbers."""

from __future__ import annotations


def finished(page):
    """The page, opened, with its run done."""
    page.content()
    page.opened()
    assert page.runs.state == "finished", page.runs.message
    return page


def drawn(page):
    """The main figure's curves that have points: {name: its columns}."""
    return {scheme: columns for scheme, columns in page.curve.columns.items() if len(columns["x"])}


def held(page):
    """All numbers that the figures and plays of a page hold."""
    plays = [part.run for part in page.exhibits() if hasattr(part, "run")]
    sources = [r.data_source for plot in page.figures() for r in plot.renderers]
    return [{k: list(map(str, v)) for k, v in source.data.items()} for source in sources] + plays
