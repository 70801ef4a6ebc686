"""The published numbers are complete, consistent and cannot be changed by a reader."""

import dataclasses

import numpy as np
import pytest

from data import published

ALL = published.figures()


def test_all_figures_are_there():
    assert set(ALL) == {
        *("Fact-Fig2a", "Fact-Fig2b", "Fact-Fig2c", "Fact-Fig3a", "Fact-Fig4a", "Fact-Fig4c"),
        *("Cape-Fig2b", "Cape-Fig7a", "Cape-Fig7b"),
    }


@pytest.mark.parametrize("name", ALL)
def test_every_curve_has_a_point_for_every_x(name):
    figure = published.load(name)
    assert (np.diff(figure.x) > 0).all()
    assert figure.source.endswith("(" + name[-1] + ")") or "Figure 7(" + name[-1] + ")" in figure.source
    for curve in figure.series.values():
        assert curve.mean.shape == curve.sd.shape == curve.runs.shape == figure.x.shape
        assert np.isfinite(curve.mean).all()
        assert not (curve.sd < 0).any()
        assert (curve.runs >= 1).all()
        assert np.isfinite(curve.standard_error).all()


@pytest.mark.parametrize("name", ["Fact-Fig2a", "Fact-Fig2b", "Fact-Fig2c"])
def test_captured_energy_orders_the_methods_at_the_largest_epsilon(name):
    last = {method: curve.mean[-1] for method, curve in published.load(name).series.items()}
    assert last["local"] < last["conv"] < last["capePCA"] < last["nonpriv"]


def test_known_values():
    figure = published.load("Fact-Fig2a")
    assert figure.series["nonpriv"].mean[0] == pytest.approx(274.7894, abs=1e-4)
    assert np.isnan(figure.series["nonpriv"].sd).all()
    assert figure.series["capePCA"].mean[6] == pytest.approx(216.4376, abs=1e-4)
    assert figure.settings["delta"] == 0.01
    assert figure.settings["S"] == 10
    assert "One run" in published.load("Cape-Fig2b").caution


def test_a_reader_cannot_change_the_numbers():
    figure = published.load("Fact-Fig2a")
    with pytest.raises(ValueError, match="read-only"):
        figure.series["conv"].mean[0] = 0
    with pytest.raises(TypeError):
        figure.series["conv"] = None
    with pytest.raises(dataclasses.FrozenInstanceError):
        figure.x = None


def test_an_unknown_figure_is_refused_with_the_list():
    with pytest.raises(ValueError, match=r"'Fact-Fig2a'.*got 'Fact-Fig9'"):
        published.load("Fact-Fig9")
