"""The frame around the pages: broken pages, pins, controls."""

from __future__ import annotations

import pytest
from bokeh.document import Document
from compared import TopicsPage
from sheets import AuditPage, SecureSumPage

from dashboard import pages
from dashboard.page.broken import BrokenPage
from dashboard.plotting.comparison_curve import Curve
from dashboard.plotting.pins import MOST_PINS
from dashboard.session import app
from dashboard.sheet.layout import laid_out
from dashboard.shell.browser import Browser
from dashboard.state.controls import Controls
from data.catalogue import corpora
from data.text import Documents

# Broken pages.


def test_every_page_of_the_app_can_be_imported():
    assert [kind.name for kind in pages.PAGES if issubclass(kind, BrokenPage)] == []


@pytest.mark.parametrize(
    ("name", "source", "words"),
    [
        ("frame_torn", "def (:\n", "SyntaxError: invalid syntax"),
        ("frame_lacking", "import not_installed_anywhere\n", "No module named 'not_installed_anywhere'"),
        ("frame_empty", "", "named 'frame_empty'"),
    ],
)
def test_a_page_that_cannot_be_imported_says_why_in_its_place_and_the_rest_works(
    monkeypatch, tmp_path, name, source, words
):
    (tmp_path / name).mkdir()
    (tmp_path / name / "page.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    before, after = (entry for entry in pages.LISTED if entry.name in ("gain", "guarantee"))
    listed = (before, pages.Listed(name, name, "Learn", module=f"{name}.page"), after)
    monkeypatch.setattr(app, "LISTED", listed)
    session = app.App({"page": name, "epsilon": "2"})
    assert words in session.page.said.problem
    listed = [kind.name for kinds in session.navigation.groups.values() for kind in kinds]
    assert listed == ["gain", name, "guarantee"]
    session.open("guarantee")
    assert session.page.said.problem == "" and session.page.said.words


# Pinned curves.


def ghosts(pins):
    """Points and legend text of every pinned copy, the oldest first."""
    return [
        ([line.data_source.data["y"] for line in pin.lines], pin.item.label.value.strip()) for pin in pins
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
    assert not any(line.visible for pin in curve.pins for line in pin.lines)
    count = len(curve.figure.renderers)
    curve.pins.clear()
    assert not curve.pins and len(curve.figure.renderers) == count - 2
    assert list(curve.columns["cape"]["mean"]) == [7, 8]


def test_the_oldest_of_too_many_pins_goes():
    curve = Curve("x", "y")
    for i in range(MOST_PINS + 2):
        curve.start(["cape"], str(i))
        curve.update("cape", [1], [i], [i], [i])
        curve.pins.pin({"i": str(i)})
    assert [points for points, _ in ghosts(curve.pins)] == [[[i]] for i in range(2, MOST_PINS + 2)]


class Browsed:
    """What a browser gets of a page."""

    def __init__(self, root):
        self._document = Document()
        self._document.add_root(root.get_root(self._document))

    def __contains__(self, text):
        return text in str(self._document.to_json())


def test_a_page_that_was_told_before_it_is_laid_out_prints_its_settings():
    page = AuditPage(Controls())
    page.opened()
    root = laid_out(page, Browser())
    assert "Settings." in Browsed(root)


# Controls that mean nothing at the moment.


@pytest.mark.parametrize(
    ("changes", "own", "absent"),
    [
        ({"data": "synthetic"}, False, set()),
        ({"data": "docstrings"}, False, {"documents", "data_seed"}),
        (
            {"data": "synthetic", "compare": "configurations"},
            False,
            {"sites", "adversary", "colluding", "dropouts"},
        ),
        ({"data": "synthetic"}, True, {"data", "documents", "data_seed"}),
    ],
)
def test_topics_shows_no_control_that_its_documents_do_not_ask_for(changes, own, absent):
    page = TopicsPage(Controls())
    page.set(changes)
    page.model.own_text = (
        corpora.OwnText(Documents(("a b",), ("line 1",), "a.txt", "one line")) if own else None
    )
    assert set(page.spec.absent(page.compute())) == absent


@pytest.mark.parametrize(
    ("kind", "changes", "absent"),
    [
        (AuditPage, {"mechanism": "laplace"}, {"sites", "colluding"}),
        (AuditPage, {"mechanism": "cape_aggregator"}, {"colluding"}),
        (SecureSumPage, {"lost": 0}, {"round"}),
        (SecureSumPage, {"lost": 1}, set()),
    ],
)
def test_pages_show_no_control_that_means_nothing(kind, changes, absent):
    page = kind(Controls())
    page.content()
    page.model.param.update(changes)
    page.begin(page.compute())
    assert set(page.said.absent) == absent
