"""Static pictures of figures: the numbers, ticks and names of the live figure, without scripts."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from bokeh.models import FactorRange, Range1d
from bokeh.plotting import figure
from pictures import decoded
from static_figures.figure_picture import picture

from dashboard.packs.papers.reproduce.pictures.scale import (
    Scale,
    linear_label,
    linear_ticks,
    log_label,
    log_ticks,
)


@pytest.mark.parametrize("log", (False, True))
def test_a_line_has_its_numbers(log):
    plot = figure(**dict.fromkeys(("x_axis_type", "y_axis_type"), "log" if log else "linear"))
    x, y = np.geomspace(1, 300, 40), np.geomspace(2, 0.01, 40)
    y[7] = math.nan
    plot.line(x, y, line_color="#123456", legend_label="a curve")
    found = decoded(picture(plot))["a curve"]
    kept = np.isfinite(y)
    tolerance = {"rtol": 0.003} if log else {"atol": 0.1}
    np.testing.assert_allclose(found[:, 0], x[kept], **tolerance)
    np.testing.assert_allclose(found[:, 1], y[kept], **({"rtol": 0.003} if log else {"atol": 0.001}))


def test_the_same_colours_dashes_and_labels():
    plot = figure(x_axis_label="Privacy ε", y_axis_label="δ < 1", title="A & B")
    plot.line([0, 1], [0, 1], line_color="#0072b2", line_dash="dotted")
    plot.scatter([0, 1], [0, 1], marker="diamond", fill_color="#d55e00", line_color=None)
    drawn = picture(plot)
    assert 'stroke="#0072b2"' in drawn and 'stroke-dasharray="2 4"' in drawn and 'fill="#d55e00"' in drawn
    assert "Privacy ε" in drawn and "δ &lt; 1" in drawn and "A &amp; B" in drawn
    assert "<script" not in drawn and "δ < 1" not in drawn


def test_bars_over_names():
    plot = figure(x_range=FactorRange(factors=["north", "south"]))
    plot.y_range = Range1d(0, 2)
    plot.vbar(["north", "south"], 0.5, [1.0, 2.0], fill_color="#009e73")
    drawn = picture(plot)
    bars = re.findall(r'<rect x="([\d.]+)%" y="([\d.]+)%" width="([\d.]+)%" height="([\d.]+)%"', drawn)
    assert [tuple(map(float, bar)) for bar in bars] == [(12.5, 50, 25, 50), (62.5, 0, 25, 100)]
    assert ">north<" in drawn and ">south<" in drawn


def test_points_beside_names():
    plot = figure(x_range=FactorRange(factors=["north", "south"]))
    plot.y_range = Range1d(0, 2)
    plot.scatter([("north", -0.25), ("south", 0.25)], [1.0, 2.0], size=8, fill_color="#009e73")
    points = re.findall(r'<circle cx="([\d.]+)%" cy="([\d.]+)%" r="4"', picture(plot))
    assert [tuple(map(float, point)) for point in points] == [(12.5, 50), (87.5, 0)]


def test_a_hidden_answer_is_not_in_the_markup():
    plot = figure()
    plot.line([0, 1, 2], [10.5, 11.5, 12.5])
    plot.scatter([1], [11.5])
    assert "<path" in picture(plot) and "<circle" in picture(plot) and ">11.5<" in picture(plot)
    covered = picture(plot, covered=True)
    assert "<path" not in covered and "<circle" not in covered
    assert 'data-y="unknown"' in covered and ">11.5<" not in covered and ">1.0<" in covered


@pytest.mark.parametrize(
    ("low", "high", "length", "labels"),
    (
        (0.00063, 15.8, 728, ["0.001", "0.003", "0.01", "0.03", "0.1", "0.3", "1", "3", "10"]),
        (0.63, 15_834, 306, ["10⁰", "10¹", "10²", "10³", "10⁴"]),
        (0.63, 15_834, 728, ["1", "3", "10", "30", "100", "300", "1000", "3000", "10\u202f000"]),
        (1e-30, 10, 520, ["10⁻²⁸", "10⁻²⁴", "10⁻²⁰", "10⁻¹⁶", "10⁻¹²", "10⁻⁸", "10⁻⁴", "10⁰"]),
        (11.2, 90, 277, ["20", "50"]),
        (2.0, 2.4, 728, ["2", "2.05", "2.1", "2.15", "2.2", "2.25", "2.3", "2.35", "2.4"]),
    ),
)
def test_logarithmic_ticks_are_those_of_the_live_figure(low, high, length, labels):
    ticks = log_ticks(low, high, length=length, gap=52)
    assert [log_label(tick, ticks) for tick in ticks] == labels


def test_linear_ticks_and_labels():
    ticks = linear_ticks(-3, 3)
    assert [linear_label(tick, ticks) for tick in ticks] == ["−3", "−2", "−1", "0", "1", "2", "3"]
    ticks = linear_ticks(0.4865, 0.5109)
    assert [linear_label(tick, ticks) for tick in ticks] == ["0.490", "0.495", "0.500", "0.505", "0.510"]


def test_a_scale_goes_both_ways_from_its_ends():
    scale = Scale.between(1e-3, 10, 0, 100, log=True)
    np.testing.assert_allclose(scale.places([1e-3, 0.1, 10]), [0, 50, 100])
    assert np.isnan(scale.places([-1.0])).all()


def test_pictures_of_holoviews_are_drawn_one_by_one_and_in_a_grid():
    hv = pytest.importorskip("holoviews")
    from static_figures import layout_picture

    hv.extension("bokeh", logo=False)
    x = np.arange(1.0, 5.0)
    band = hv.Area((x, x - 1, x + 1), vdims=["low", "high"]).opts(color="#123456", line_alpha=0)
    curve = hv.Curve((x, x**2), label="a curve").opts(color="#1a1f27")
    picture = layout_picture.picture(hv.render((band * curve * hv.HLine(2.0)).opts(legend_position="right")))
    np.testing.assert_allclose(decoded(picture)["a curve"], np.stack([x, x**2], axis=1), rtol=0.01)
    assert 'fill="#123456"' in picture and ">a curve</li>" in picture
    # What has the colour of text on a light page follows the page.
    assert 'stroke="var(--ink)"' in picture and "#1a1f27" not in picture

    image = hv.Image(np.array([[0.0, 1.0], [1.0, 0.0]])).opts(
        cmap="RdBu", xaxis=None, yaxis=None, frame_width=40, frame_height=40
    )
    grid = layout_picture.picture(hv.render(hv.Layout([image.relabel("one"), image, image]).cols(2)))
    assert grid.count('href="data:image/png;base64,') == 3
    assert "grid-area:2/1" in grid and "repeat(2,max-content)" in grid and "script" not in grid
    with pytest.raises(ValueError, match=r"model.*Div"):
        from bokeh.models import Div

        layout_picture.picture(Div())
