"""The frame around the pages: broken pages, pins, and answers that are hidden for a class."""

from __future__ import annotations

import panel_material_ui as pmui
import pytest

from dashboard import app, pages
from dashboard.broken import BrokenPage
from dashboard.curve import Curve
from dashboard.pages.gain import GainPage
from dashboard.pages.guarantee import GuaranteePage
from dashboard.pages.pca import PcaPage
from dashboard.pages.pca_model import AXES
from dashboard.pins import MOST_PINS
from dashboard.settings import Controls
from dashboard.tools import picture_tools

# Broken pages.


def test_every_page_of_the_app_can_be_imported():
    assert [kind.name for kind in pages.PAGES if issubclass(kind, BrokenPage)] == []


@pytest.mark.parametrize(
    ("name", "source", "words"),
    [
        ("frame_torn", "def (:\n", "SyntaxError: invalid syntax"),
        ("frame_lacking", "import not_installed_anywhere\n", "No module named 'not_installed_anywhere'"),
        ("frame_empty", "", "must define a Page whose name is 'frame_empty'"),
    ],
)
def test_a_page_that_cannot_be_imported_says_why_in_its_place_and_the_rest_works(
    monkeypatch, tmp_path, name, source, words
):
    (tmp_path / f"{name}.py").write_text(source)
    monkeypatch.setattr(pages, "__path__", [*pages.__path__, str(tmp_path)])
    monkeypatch.setattr(app, "PAGES", pages.load(("gain", name, "guarantee")))
    session = app.App({"page": name, "epsilon": "2"})
    assert words in session.page.said.problem
    assert [item["page"] for _, menu in session._menus for item in menu.items] == ["gain", name, "guarantee"]
    session.open("guarantee")
    assert session.page.said.problem == "" and session.page.said.words


# Pinned curves.


def ghosts(pins):
    """Points and legend text of every pinned copy, the oldest first."""
    return [
        ([line.data_source.data["y"] for line in pin.lines], pin.item.label.value.strip())
        for pin in pins._pins
    ]


def test_a_pin_keeps_the_curves_and_says_what_was_different():
    curve = Curve("x", "y")
    assert not curve.pins.pin({"Sites S": "5"}) and not curve.pins
    curve.start(["cape"], "S = 5")
    curve.update("cape", [1, 2], [3, 4], [3, 4], [3, 4])
    assert curve.pins.pin({"Sites S": "5", "ε": "1"})
    assert ghosts(curve.pins) == [([[3, 4]], "pinned: as now")]
    curve.start(["cape"], "S = 9")
    assert not curve.pins.pin({"Sites S": "9", "ε": "1"})  # What is drawn is of S = 5.
    curve.update("cape", [1, 2], [7, 8], [7, 8], [7, 8])
    curve.pins.follow({"Sites S": "9", "ε": "1"})
    assert ghosts(curve.pins) == [([[3, 4]], "pinned: Sites S = 5")]
    assert curve.pins.pin({"Sites S": "9", "ε": "1"}) and len(curve.pins) == 2
    curve.figure.xaxis.axis_label = "another axis"
    curve.pins.follow({})
    assert not any(line.visible for pin in curve.pins._pins for line in pin.lines)
    count = len(curve.figure.renderers)
    curve.pins.clear()
    assert not curve.pins and len(curve.figure.renderers) == count - 2
    assert list(curve._series["cape"].source.data["mean"]) == [7, 8]


def test_the_oldest_of_too_many_pins_goes():
    curve = Curve("x", "y")
    for i in range(MOST_PINS + 2):
        curve.start(["cape"], str(i))
        curve.update("cape", [1], [i], [i], [i])
        curve.pins.pin({"i": str(i)})
    assert [points for points, _ in ghosts(curve.pins)] == [[[i]] for i in range(2, MOST_PINS + 2)]


@pytest.mark.parametrize(
    ("kind", "change", "name"),
    [
        (GainPage, {"sites": 30}, "pinned: Sites S = 10"),
        (GuaranteePage, {"epsilon": 0.3}, "pinned: Privacy ε = 1"),
    ],
    ids=["gain", "guarantee"],
)
def test_pins_of_a_page_survive_its_sliders_and_its_axis_names_no_difference(kind, change, name):
    page = kind(Controls())
    page.opened()
    source = page.model if page.along in page.own else page.controls
    assert page.pins.pin(page.settings_words())
    kept = ghosts(page.pins)[0][0]
    setattr(source, page.along, 7.0)
    assert ghosts(page.pins)[0] == (kept, "pinned: as now")
    page.set(change)
    assert ghosts(page.pins)[0] == (kept, name)


def test_the_buttons_pin_and_unpin_and_what_is_forgotten_leaves_no_copy(monkeypatch):
    monkeypatch.setitem(AXES, "epsilon", (AXES["epsilon"][0], (0.1, 1.0)))
    page = PcaPage(Controls(schemes=["cape"], repeats=1, k=2, sites=2))
    page.model.dpdispca = False
    tools = picture_tools(page)
    pin, unpin = tools.select(pmui.Button)
    pin.clicks += 1
    assert "nothing to pin yet" in tools[-1].object.text and not unpin.visible
    page.opened()
    pin.clicks += 1
    assert len(page.pins) == 1 and unpin.visible
    page.let_go()
    assert not page.pins and not unpin.visible
    page.opened()
    page.refresh()
    pin.clicks += 1
    unpin.clicks += 1
    assert not page.pins and not unpin.visible
