"""The gallery's small drawings: one for every figure, from known points or from runs of ours."""

from __future__ import annotations

import numpy as np

from dashboard.packs.papers.reproduce.pictures.sketches import curves, sketches
from data import published
from data.published import experiments


def test_every_figure_has_a_drawing_with_its_methods():
    assert set(sketches()) == set(experiments.names())
    for name, drawing in sketches().items():
        shown = {*experiments.load(name).methods} - {*experiments.load(name).outside}
        assert 1 <= drawing.count("<path") <= len(shown) + 1, name
        assert "NaN" not in drawing and "inf" not in drawing


def test_known_points_are_drawn_as_printed():
    name = published.figures()[0]
    figure, e = published.load(name), experiments.load(name)
    for series, method in e.series.items():
        if method not in e.outside:
            assert np.array_equal(curves(e)[method][1], figure.series[series].mean)
