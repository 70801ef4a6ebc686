"""What the pictures of a page show, as plain numbers."""

from __future__ import annotations

import contextlib
import re
from html import unescape

import numpy as np
from compared import compares
from static_figures.marks import GRID


def finished(page):
    """The page, opened, with its run done."""
    page.content()
    page.opened()
    assert page.runs.state == "finished", page.runs.message
    return page


@contextlib.contextmanager
def back(page):
    """Have a page that tests share its settings again afterwards."""
    before = page.settings.texts()
    yield page
    if page.settings.texts() != before:
        page.set(page.settings.decode(before)[0])


class Shared:
    """One page for the tests of a module. Whoever leaves it otherwise than it was has the next test get a new one.

    Parameters
    ----------
    make : callable
        Makes the page, with its runs done.
    """

    def __init__(self, make):
        self.make, self.page, self.shown = make, None, None

    @contextlib.contextmanager
    def lent(self):
        """The page for one test."""
        page = self.page or self.make()
        self.page, shown = None, self.shown if self.page else _still(page)
        with back(page):
            yield page
        if _still(page) == shown and page.runs.state == "finished" and page.state.problem == "":
            self.page, self.shown = page, shown


def _still(page):
    """What a page shows, but for how many runs were made on the way."""
    return page.shown


def drawn(page):
    """The main figure's curves that have points: {name: its columns}."""
    if compares(page):
        found = page.table()
        return {
            m: part.to_dict("list") | {"x": part[page.plan.axis].tolist()}
            for m, part in found.groupby("scheme")
        }
    return {scheme: columns for scheme, columns in page.curve.columns.items() if len(columns["x"])}


def held(page):
    """All numbers that the figures and plays of a page hold; a curve that was drawn once on request may stand empty."""
    sources = [r.data_source for plot in page.figures() for r in plot.renderers]
    columns = [{k: list(map(str, v)) for k, v in source.data.items()} for source in sources]
    live = page.board.live.values()
    runs = [part.view.run for part in live if hasattr(part.view, "run")]
    # Whether the bells rest is how the play stands, and no number of it.
    plays = [{name: value for name, value in run.items() if name != "rests"} for run in runs]
    return [data for data in columns if any(data.values())] + plays


def decoded(markup: str) -> dict:
    """The numbers of a static picture: {name in the legend: array of points (x, y)}, of lines only."""
    scales = [re.search(rf'data-{side}="(\w+) ?([^ "]*) ?([^"]*)"', markup) for side in "xy"]
    found = {}
    for path, name in re.findall(r'<path d="([^"]*)" fill="none"[^>]*><title>([^<]*)</title>', markup):
        points = np.array(re.findall(r"[ML](-?\d+) (-?\d+)", path), dtype=float).reshape(-1, 2) / GRID
        if scales[1].group(1) != "unknown" and len(points):
            points[:, 1] = 1 - points[:, 1]
            for column, scale in zip(points.T, scales, strict=True):
                low, high = float(scale.group(2)), float(scale.group(3))
                column[:] = low + column * (high - low)
                if scale.group(1) == "log":
                    column[:] = 10**column
            found[unescape(name)] = points
    return found
