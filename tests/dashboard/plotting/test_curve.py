"""The live curve."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dashboard.pages.learn.gain.page import GainPage
from dashboard.plotting.comparison_curve import Curve, band
from dashboard.state import number_text
from dashboard.state.controls import Controls
from dashboard.theme.scheme_style import follow_theme


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


def test_the_band_is_a_normal_interval_of_the_mean():
    values = np.random.default_rng(3).normal(2, 1, 50)
    mean, low, high = band(list(values))
    half = 1.96 * values.std(ddof=1) / math.sqrt(50)
    assert (mean, low, high) == pytest.approx((values.mean(), values.mean() - half, values.mean() + half))
    assert band([4.0]) == (4.0, 4.0, 4.0) and band([1.0, 3.0]) == (2.0, 2.0, 2.0)
    assert number_text.spread_text(2) == "2 repeats: too few for bands."
    assert number_text.spread_text(3) == "Bands: 95 % confidence intervals for the mean of 3 repeats."


def test_inks_follow_the_theme():
    page = GainPage(Controls())
    page.opened()
    rule = page._rule
    follow_theme(page._main, dark=False)
    light = rule.line_color
    page.set_dark(True)
    assert rule.line_color != light
    page.set_dark(False)
    assert rule.line_color == light
