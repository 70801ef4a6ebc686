"""The live curve."""

from __future__ import annotations

import math

import numpy as np
import pytest
from bokeh.models import LabelSet, Range1d, Title

from dashboard.plotting.comparison_curve import Curve, band
from dashboard.plotting.figure import house_figure, in_lines, rule
from dashboard.state import number_text
from dashboard.theme.scheme_style import follow_theme


def test_the_legend_names_what_has_points():
    """Without points the browser draws no symbol beside a name."""
    curve = Curve("ε", "error", schemes=("cape", "local"))

    def named():
        return [item.label.value.strip() for item in curve.figure.legend[0].items if item.visible]

    curve.start(("cape",), "S = 10", grid=(0.1, 1.0))
    assert named() == []
    curve.update("cape", [0.1], [2.0], [1.5], [2.5])
    curve.start(("cape", "local"), "S = 20", grid=(0.1, 1.0))
    assert named() == ["CAPE"]  # Pale, until the first new point.
    curve.update("local", [0.1], [2.0], [1.5], [2.5])
    assert named() == ["local"]


def test_old_points_go_at_once_when_the_first_new_one_comes():
    curve = Curve("ε", "energy", x_log=True)
    curve.start(["cape", "local"], "ε = 1")
    curve.update("cape", [1, 2], [3, 4], [2, 3], [4, 5])
    curve.update("local", [1, 2], [1, 1], [0, 0], [2, 2])
    curve.start(["cape"], "ε = 2")
    assert curve.stale and curve.label == "ε = 1"
    assert list(curve.columns["local"]["x"]) == [1, 2]
    curve.update("cape", [5], [6], [6], [6])
    assert not curve.stale and curve.label == "ε = 2"
    assert list(curve.columns["local"]["x"]) == []
    assert list(curve.columns["cape"]["x"]) == [5]


def test_the_band_of_five_repeats_holds_the_mean_in_95_of_100_cases():
    # A right interval fails here in 1 of 1000 seeds; the normal one holds the mean in 87.8 % of the cases.
    draws = np.random.default_rng(5).normal(2, 1, (4000, 5))
    held = np.mean([low <= 2 <= high for _, low, high in (band(list(five)) for five in draws)])
    assert abs(held - 0.95) < 3.3 * math.sqrt(0.95 * 0.05 / len(draws))


def test_the_band_is_an_interval_around_the_mean():
    values = np.random.default_rng(3).normal(2, 1, 50)
    mean, low, high = band(list(values))
    half = 2.0096 * values.std(ddof=1) / math.sqrt(50)  # Student's t of 49 degrees of freedom.
    assert (mean, low, high) == pytest.approx(
        (values.mean(), values.mean() - half, values.mean() + half), rel=1e-4
    )
    assert band([4.0]) == (4.0, 4.0, 4.0) and band([1.0, 3.0]) == (2.0, 2.0, 2.0)
    assert "2 repeats: too" in number_text.spread_text(2)
    bands = "Bands: 95 % confidence intervals for the mean of 3 repeats."
    assert f"{bands} Where" in number_text.spread_text(3)
    assert "whole curve" in number_text.spread_text(3, common=True)


def test_inks_follow_the_theme():
    plot = house_figure("x", "y")
    line = rule(plot, "height")
    light = line.line_color
    follow_theme(plot, dark=True)
    assert line.line_color != light
    follow_theme(plot, dark=False)
    assert line.line_color == light


def waiting(curve):
    """Positions of the points of a curve that are shown as not yet run."""
    return next(list(part.source.data["x"]) for part in curve.figure.center if isinstance(part, LabelSet))


def test_the_axis_covers_the_whole_run_and_no_line_or_band_leads_across_points_that_were_not_run():
    curve = Curve("ε", "energy", x_log=True, schemes=("cape", "local"))
    curve.start(("cape", "local"), "S = 10", grid=(0.1, 1.0, 10.0), also=(30.0,))
    axis = curve.figure.x_range
    assert isinstance(axis, Range1d)  # A browser takes a range that follows data back to its first ends.
    assert 0.05 < axis.start < 0.1 and 30 < axis.end < 50
    assert waiting(curve) == [0.1, 1.0, 10.0]
    ends = axis.start, axis.end
    curve.update("cape", [0.1, 10.0], [3, 5], [2, 4], [4, 6])
    drawn = {name: np.array(found) for name, found in curve.columns["cape"].items() if name != "scheme"}
    assert np.isnan(drawn["mean"][1:-1]).all() and drawn["mean"][[0, -1]].tolist() == [3, 5]
    # The browser's band leads from number to number, also across NaN: from end to end of the gap it has no width.
    assert drawn["x"].tolist() == [0.1, 0.1, 10, 10]
    assert (drawn["high"] - drawn["low"]).tolist() == [2, 0, 0, 2]
    assert waiting(curve) == [1.0] and curve.points("cape") == ([0.1, 10.0], [3, 5])
    curve.update("cape", [0.1, 1.0, 10.0], [3, 4, 5], [3, 4, 5], [3, 4, 5])
    assert curve.columns["cape"]["mean"] == [3, 4, 5] and waiting(curve) == []
    assert (axis.start, axis.end) == ends


def test_the_old_picture_is_called_old_until_the_first_new_point():
    curve = Curve("share", "energy", x_log=True, schemes=("cape",))
    curve.start(("cape",), "S = 10", grid=(0.1, 1.0))
    curve.update("cape", [0.1], [3], [3], [3])
    curve.start(("cape",), "S = 20", grid=(0.0, 0.5, 1.0), log=False)
    titles = [" ".join(part.text.split()) for part in curve.figure.above if isinstance(part, Title)]
    assert any("settings: S = 10" in text for text in titles) and curve.figure.x_range.start > 0
    curve.update("cape", [0.5], [3], [3], [3])
    assert [part.text for part in curve.figure.above if isinstance(part, Title)] == ["S\u00a0=\u00a020"]
    assert curve.figure.x_range.start == pytest.approx(-0.05) and waiting(curve) == [0.0, 1.0]


def test_a_subtitle_breaks_where_a_phone_would_cut_it_but_not_between_a_symbol_and_its_value():
    values = [number_text.equals(name, 10) for name in ("S", "k", "Nₛ")]
    text = f"A name of records that takes a line: {', '.join(values * 2)}"
    lines = in_lines(text).split("\n")
    assert len(lines) > 1 and " ".join(lines) == text and max(map(len, lines)) <= 48
