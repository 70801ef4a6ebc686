"""Runs that come with the app are what this version computes, in both conventions."""

from __future__ import annotations

import numpy as np
import pytest

from dashboard.packs.papers.reproduce import comparison, kept
from dashboard.packs.papers.reproduce.experiments import CONVENTIONS, plan
from data.published import experiments

# One value of the axis and one draw of the records each; networks and topics take longer, and share the code.
CHEAP = {"Fact-Fig2a": 1.0, "Fact-Fig3a": 0.5, "Fact-Fig4a": 0.5, "Cape-Fig5a": 10.48, "Cape-Fig6b": 11}


def rows_of(name, convention):
    return kept.read(plan(experiments.load(name), convention, kept.FIGURES[name]))


@pytest.mark.parametrize("convention", CONVENTIONS)
@pytest.mark.parametrize(
    "name", [n if n == "Cape-Fig6b" else pytest.param(n, marks=pytest.mark.slow) for n in CHEAP]
)
def test_kept_runs_are_those_of_this_version(name, convention):
    rows, x = rows_of(name, convention), CHEAP[name]
    e = experiments.load(name)
    for method, found in kept.computed(name, convention, at=[x], draws=1).items():
        one = rows[(rows.method == method) & (rows.x == x) & (rows.draw == 0)][e.measure]
        np.testing.assert_allclose(one, found.ravel(), rtol=1e-4, atol=1e-12)


@pytest.mark.slow
def test_the_errors_alone_make_the_figure_worse_and_the_noise_makes_the_gain():
    name = "Fact-Fig2a"
    e = experiments.load(name)
    means = {
        c: comparison.summary(e, rows_of(name, c)).set_index(["method", "x"])["mean"] for c in CONVENTIONS
    }
    x, errors = kept.halfway(plan(e, "corrected", "full"))
    again = kept.errors_alone(name, draws=2)
    assert errors.keys() == again.keys() == {"cape", "conventional"}
    for method, value in errors.items():
        before, after = (means[c][method, x] for c in CONVENTIONS)
        assert value < before < after
        assert value == pytest.approx(again[method], abs=6)  # Ten draws: ±2 a draw.


@pytest.mark.parametrize("name", kept.FIGURES)
def test_both_conventions_are_kept_whole(name):
    for convention in CONVENTIONS:
        runs = plan(experiments.load(name), convention, kept.FIGURES[name])
        rows = kept.read(runs)
        assert sorted(set(rows.x)) == [float(x) for x in runs.x]
        assert set(rows.method) == set(runs.methods)
    assert kept.read(plan(experiments.load(name), "published", "quick")) is None
