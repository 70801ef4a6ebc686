"""The parts that a page has: when it works, along which settings its curve runs, how runs are summed up."""

from __future__ import annotations

import numpy as np
import pytest
from compared import PcaPage
from sheets import GainPage

from dashboard.page.lifecycle import Lifecycle
from dashboard.page.model import Model
from dashboard.plotting.bands import band
from dashboard.problems.setup import absent_for, axis_for, refuse_given
from dashboard.runs.axes import Axis, axes, axis_selector, cells_along, settings_line, shared_axis
from dashboard.runs.sweep_plan import summary
from dashboard.sheet.background import background
from dashboard.state.controls import Controls
from dashboard.state.page_settings import PageSettings
from data.catalogue.tables import Source

GIVEN = Source("own", "table", 3, 100, "one row", sizes=(20, 30, 50))
FREE = Source("drawn", "records", 3, 100, "one record")


@pytest.fixture
def life():
    counted = []
    return Lifecycle(lambda: counted.append(1)), counted


def test_a_page_works_in_front_alone_and_once_for_all_that_changed(life):
    life, counted = life
    life.changed()
    assert counted == []
    life.open()
    life.open()
    assert len(counted) == 1
    with life.together():
        life.changed()
        life.changed()
        assert len(counted) == 1
    assert len(counted) == 2
    with life.together():
        pass
    assert len(counted) == 2
    life.close()
    life.changed()
    assert len(counted) == 2
    life.open()
    assert len(counted) == 3


def test_what_is_out_of_date_waits_until_the_page_is_opened(life):
    life, counted = life
    life.open()
    life.outdate()
    assert len(counted) == 1
    life.open()
    assert len(counted) == 2


def test_an_error_between_changes_leaves_the_page_in_front(life):
    life, counted = life
    life.open()
    with pytest.raises(ValueError, match="range"), life.together():
        life.changed()
        raise ValueError("out of range")
    life.changed()
    assert len(counted) == 2


def test_axes_are_offered_by_their_symbols_and_labelled_as_the_controls():
    found = axes(shared_axis("samples", (1, 2)), Axis("d", "d", "Width d", (3,), menu="width"))
    assert (found["samples"].label, found["samples"].symbol) == (Controls.param.samples.label, "Nₛ")
    selector = axis_selector(found)
    assert selector.default == "samples" and selector.names == {"Nₛ": "samples", "width": "d"}


def test_a_curve_has_one_point_for_settings_that_come_to_the_same():
    def cell(change):
        return {"epsilon": 1.0, "samples": min(change["samples"], 50)}

    axis = shared_axis("samples", (10, 50, 100, 200))
    assert [c["samples"] for c in cells_along(axis, cell)] == [10, 50]
    few = cells_along(axis, cell, fits=lambda c: c["samples"] < 50)
    assert few == ({"epsilon": 1.0, "samples": 10},)


def test_a_line_of_settings_leaves_out_the_one_along_the_curve():
    here = {"epsilon": 0.5, "sites": 3, "samples": (20, 300)}
    symbols = {"epsilon": "ε", "sites": "S", "samples": "Nₛ"}
    assert settings_line(here, symbols, without="epsilon") == "S = 3, Nₛ = 20 to 300"


def test_sites_that_a_table_names_are_given():
    refuse_given(GIVEN, "epsilon", others="ε")
    refuse_given(FREE, "sites", others="ε")
    with pytest.raises(ValueError, match="sites of"):
        refuse_given(GIVEN, "sites", others="ε")
    assert axis_for(GIVEN, "samples") == {"axis": "epsilon"} and axis_for(FREE, "samples") == {}
    assert absent_for(GIVEN) == ["sites", "samples", "imbalance", "data_seed"] and absent_for(FREE) == []


def test_a_summary_has_the_mean_and_the_band_of_every_point():
    rng = np.random.default_rng(0)
    rows = [
        {"scheme": scheme, "epsilon": x, "error": float(rng.random())}
        for scheme in ("local", "cape")
        for x in (1.0, 0.1)
        for _ in range(5)
    ]
    found = summary(rows, "epsilon", "error", factor=10.0)
    assert list(zip(found.scheme, found.epsilon, strict=True)) == [
        ("cape", 0.1),
        ("cape", 1.0),
        ("local", 0.1),
        ("local", 1.0),
    ]
    values = [row["error"] for row in rows if row["scheme"] == "cape" and row["epsilon"] == 0.1]
    assert list(found.iloc[0][["mean", "low", "high"]]) == pytest.approx([10 * v for v in band(values)])
    assert (found.repeats == 5).all() and summary([], "epsilon", "error").empty


def test_settings_of_a_page_are_written_and_read_by_name():
    controls = Controls(epsilon=0.5)
    settings = PageSettings(controls, ("epsilon", "sites"), Model(controls), ())
    changed = []
    settings.watch(lambda *events: changed.extend(event.name for event in events))
    settings.put({"sites": 7})
    assert changed == ["sites"] and settings.texts() == {"epsilon": "0.5", "sites": "7"}
    values, problems = settings.decode({"epsilon": "2", "sites": "1", "delta": "0.1"})
    assert values == {"epsilon": 2.0, "sites": Controls.param.sites.default} and len(problems) == 2
    assert settings.words(without={"sites"}) == {"Privacy ε": "0.5"}


@pytest.mark.parametrize("kind", [PcaPage, GainPage])
def test_mathematics_and_source_come_when_their_titles_are_opened(kind):
    page = kind(Controls())
    box = background(page, "")
    harmless = {"name": 3, "number": 0}, {"name": "<b>", "number": 0}, {"name": "In code", "number": -1}
    for message in (None, *harmless):
        box.received(message)
    assert "<math" not in box.picture and box.picture.count("<details ") == 2 and " open" not in box.picture
    box.received({"name": "The mathematics", "number": 0})
    assert box.picture.count("<math") > 3 and box.picture.count(" open>") == 1
    box.received({"name": "In code", "number": 0})
    assert all(function.rpartition(".")[2] in box.picture for function in page.code)
    assert box.picture.count(" open>") == 2
