"""The settings of every figure are there, rise along their axis, and agree with the measured numbers."""

import dataclasses
from collections import Counter

import numpy as np
import pytest

from data import published, real
from data.published import experiments

ALL = experiments.names()


def test_every_figure_of_the_papers_is_there():
    panels = Counter(name.rsplit("-", 1)[0] + "-" + name.rsplit("-", 1)[1][:-1] for name in ALL)
    assert panels == {
        "Fact-Fig2": 9,
        "Fact-Fig3": 8,
        "Fact-Fig4": 8,
        "Fact-Fig5": 8,
        "Cape-Fig2": 4,
        "Cape-Fig3": 6,
        "Cape-Fig4": 6,
        "Cape-Fig5": 2,
        "Cape-Fig6": 2,
        "Cape-Fig7": 12,
        "Lda-Fig2": 3,
        "Lda-Fig3": 2,
        "Lda-Fig4": 3,
        "Power-FigA": 2,
    }
    assert {experiments.load(name).paper for name in ALL} == set(experiments.papers())


@pytest.mark.parametrize("name", ALL)
def test_an_experiment_is_told_completely(name):
    e = experiments.load(name)
    assert all((e.caption, e.source, e.published, e.corrected, e.y_label, e.data_title))
    assert e.label[-2] == name[-1]
    assert f"[{e.paper}]" in e.source
    assert len(set(e.methods)) == len(e.methods) > 0
    assert set(e.misses) <= set(e.methods)
    assert set(e.chosen) <= {*e.fixed, e.axis, "x"}
    for x in (e.x, e.here[1]):
        assert (np.diff(x) > 0).all()
        assert min(x) > 0 or e.axis in experiments.LINEAR


@pytest.mark.parametrize("name", published.figures())
def test_measured_curves_have_the_same_axis_and_known_methods(name):
    e, figure = experiments.load(name), published.load(name)
    assert e.x == tuple(figure.x)
    assert set(e.series) <= set(figure.series)
    assert sorted(e.series.values()) == sorted(e.methods)
    # What the two files both say of a figure agrees.
    told, given = e.fixed, figure.settings
    assert told["sites"] == given["S"] and told["delta"] == given["delta"]
    assert told.get("records", told.get("samples", 0) * given["S"]) == given["N"]
    assert told.get("dimension", given["D"]) == given["D"]
    assert told.get("k", given.get("K")) == given.get("K")


def test_records_that_cannot_be_had_have_a_stand_in_that_can():
    missing = {e.data: e for e in map(experiments.load, ALL) if e.missing}
    assert set(missing) == {"mnist", "covertype", "crime", "twitter", "wikipedia"}
    on_disk = {about.name for about in real.available() if about.on_disk}
    for e in missing.values():
        assert e.stand_in.title
        assert e.stand_in.data in on_disk | {"noisy", "lda"}
        assert e.available == (e.data in on_disk)
        assert e.here[0] == (e.data if e.available else e.stand_in.data)


def test_what_contradicts_itself_is_refused():
    good = experiments.load("Fact-Fig2a")
    with pytest.raises(ValueError, match=r"'Fact-Fig2a'.*got 'Fact-Fig9z'"):
        experiments.load("Fact-Fig9z")
    with pytest.raises(ValueError, match=r"Fact-Fig2a.*rise"):
        dataclasses.replace(good, x=(1.0, 0.5))
    with pytest.raises(ValueError, match="axis 'epsilon'"):
        dataclasses.replace(good, fixed={**good.fixed, "epsilon": 1.0})
    with pytest.raises(ValueError, match=r"judged must.*'value'.*'order'.*'taste'"):
        dataclasses.replace(good, judged="taste")
    with pytest.raises(TypeError):
        good.fixed["k"] = 3


def test_a_published_run_has_its_own_axis_and_a_corrected_one_its_own_caption():
    found = [experiments.load(name) for name in ALL]
    for one in found:
        assert (
            one.y_drawn(published=False) == one.y_label and one.shown_caption(published=True) == one.caption
        )
    assert any(one.y_drawn(published=True) != one.y_label for one in found)
    assert any(one.shown_caption(published=False) != one.caption for one in found)
