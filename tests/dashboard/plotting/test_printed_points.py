"""Printed points behind a live page's curve: they come with *Open it live*, in the page's own unit."""

from __future__ import annotations

import numpy as np
import pytest

from dashboard.packs.papers.papers.model import live
from dashboard.pages import PAGES
from dashboard.plotting.printed_points import with_points
from dashboard.state.controls import Controls
from data import published
from data.published import experiments

KINDS = {kind.name: kind for kind in PAGES}


def opened(figure, **changes):
    """The page that a figure opens live, with its settings."""
    name, values = live(experiments.load(figure), "published")
    page = KINDS[name](Controls())
    page.content()
    page.set({**values, **changes})
    page.plan = page.compute()
    page.paint_view()
    return page


def rings(page):
    """The points of the rings: (x, y) of the hollow circles of 14 pixels."""
    found = [one for one in page.shown.charts["curve"].points if (one.size, one.fill) == (14, 0)]
    return [at for one in found for at in zip(one.x, one.y, strict=True)]


def said(page):
    """The words below the curve."""
    return page.shown.sections["curve_words"]


@pytest.mark.parametrize("problem", ["pca", "decomposition", "regression", "network"])
def test_every_figure_with_known_points_takes_them_along(problem):
    for name in with_points(problem):
        page, figure, e = opened(name), published.load(name), experiments.load(name)
        found = rings(page)
        cape = next(figure.series[s].mean for s, method in e.series.items() if method == "cape")
        whole = next(figure.series[s].mean for s, method in e.series.items() if method == "nonprivate")
        wanted = 100 * cape / whole if problem == "pca" else cape
        for x, y in zip(figure.x, wanted, strict=True):
            assert any(np.isclose((x, y), point).all() for point in found), (name, x, y)
        assert f"Figure {e.label}" in said(page)


def test_another_axis_shows_no_points_and_says_where_they_are():
    page = opened("Fact-Fig2a", axis="sites")
    assert rings(page) == []
    assert "printed along" in said(page)


def test_without_a_choice_nothing_is_drawn_or_said():
    page = opened("Fact-Fig2a", printed="")
    assert rings(page) == [] and said(page) == ""
