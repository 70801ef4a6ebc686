"""The frame around the pages: broken pages, pins, and answers that are hidden for a class."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import panel as pn
import panel_material_ui as pmui
import pytest

from dashboard import pages
from dashboard.components.layout import LiveText
from dashboard.page.broken import BrokenPage
from dashboard.pages.analyse.pca.model import AXES
from dashboard.pages.analyse.pca.page import PcaPage
from dashboard.pages.analyse.power_noise.page import NoisePage
from dashboard.pages.analyse.topics.page import TopicsPage
from dashboard.pages.learn.gain.page import GainPage
from dashboard.pages.learn.guarantee.page import GuaranteePage
from dashboard.pages.trust.audit.page import AuditPage
from dashboard.pages.trust.secure_sum.page import SecureSumPage
from dashboard.plotting.comparison_curve import Curve
from dashboard.plotting.figure import house_figure
from dashboard.plotting.guess import NAMES, Answer, GuessLayer
from dashboard.plotting.pins import MOST_PINS
from dashboard.session import app
from dashboard.shell.toolbar import FigureToolbar
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
        ("frame_empty", "", "must define a Page whose name is 'frame_empty'"),
    ],
)
def test_a_page_that_cannot_be_imported_says_why_in_its_place_and_the_rest_works(
    monkeypatch, tmp_path, name, source, words
):
    (tmp_path / name).mkdir()
    (tmp_path / name / "page.py").write_text(source)
    monkeypatch.setattr(pages, "__path__", [*pages.__path__, str(tmp_path)])
    monkeypatch.setattr(app, "LISTED", pages.load(("learn.gain", name, "learn.guarantee")))
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


def small_pca(monkeypatch):
    """A PCA page with one scheme and two points."""
    monkeypatch.setitem(AXES, "epsilon", replace(AXES["epsilon"], values=(0.1, 1.0)))
    page = PcaPage(Controls(schemes=["cape"], repeats=1, k=2, sites=2))
    page.model.dpdispca = False
    return page


def test_the_buttons_pin_and_unpin_and_what_is_forgotten_leaves_no_copy(monkeypatch):
    page = small_pca(monkeypatch)
    tools = FigureToolbar(page)
    pin, unpin = tools.buttons.buttons[:2]
    pin.click()
    assert "nothing to pin yet" in tools.said and not unpin.visible
    page.opened()
    pin.click()
    assert len(page.pins) == 1 and unpin.visible
    page.clear()
    assert not page.pins and not unpin.visible
    page.opened()
    page.refresh()
    pin.click()
    unpin.click()
    assert not page.pins and not unpin.visible


# Predict, then reveal.


def styled(tools, part):
    """Whether a part of the page is taken out of sight."""
    shown = part.object if hasattr(part, "object") and hasattr(part.object, "styles") else part
    return shown.styles.get("display") == "none"


def test_a_hidden_answer_covers_the_main_figure_and_takes_the_rest_away(monkeypatch):
    page = small_pca(monkeypatch)
    words = LiveText("").pane
    tools = FigureToolbar(page)
    more = page.more()
    tools.veil(words, more, None)
    main, rest = page.content()[0], [more, words]
    hover = page.curve.figure.hover[0].renderers
    tools.hide()
    tools.hide()
    assert tools.covered and not styled(tools, main) and all(styled(tools, part) for part in rest)
    assert all(tool.renderers == [] for tool in page.curve.figure.hover)
    tools.reveal()
    assert not tools.covered and not any(styled(tools, part) for part in (main, *rest))
    assert page.curve.figure.hover[0].renderers == hover
    assert page.answer() is None
    page.opened()
    answer = page.answer()
    assert (answer.what, answer.here, answer.where) == ("the curve of CAPE", 1.0, "Privacy ε = 1")
    assert list(answer.y) == list(page.sweep.means.query("scheme == 'cape'")["mean"])


class GainWithMenu(GainPage):
    """A page with a control inside its picture."""

    def body(self):
        self.menu, self.note = pmui.Select(options=["a", "b"]), LiveText("").pane
        return pn.Column(self.menu, self.note, super().body())


def test_controls_inside_a_hidden_picture_stay():
    page = GainWithMenu(Controls())
    tools = FigureToolbar(page)
    tools.hide()
    assert [styled(tools, part) for part in (page.menu, page.note)] == [False, True]


def test_guesses_are_judged_when_the_answer_is_revealed():
    page = GainPage(Controls(sites=10, samples=1000))
    page.opened()
    tools = FigureToolbar(page)
    tools.hide()
    picture, typed = page.picture, tools.view.select(pmui.TextInput)[0]
    assert typed.visible and "4" in typed.label
    typed.value = "many"
    assert "A guess must be a number" in tools.said
    typed.value = str(3 * picture.chosen_gain / picture.sites)
    tools.layer.put(picture.ratio[40], picture.excess[40] / 5e4)
    tools.layer.put(picture.ratio[-1], picture.excess[-1])
    assert "3 of 5 guesses" in tools.said and "too" not in tools.said
    tools.reveal()
    assert not typed.visible
    phrases = [re.sub("<.*?>", "", phrase) for phrase in tools.said.split(";")]
    for phrase, words in zip(
        phrases, ("3 times too high", "4.7 powers of ten too low", "a hit"), strict=True
    ):
        assert words in phrase
    np.testing.assert_allclose(tools.layer._gaps.data["truth"][1:], picture.excess[[40, -1]], rtol=1e-9)
    page.model.imbalance = 9.0
    assert tools.said == "" and list(tools.layer.guesses.data["x"]) == []


def test_there_are_no_more_guesses_than_names_and_a_linear_axis_counts_differences():
    layer, average = GuessLayer(house_figure("x", "y")), 0.4987
    layer.cover()
    for i in range(len(NAMES) + 2):
        layer.put(1.0, average + i)
    assert list(layer.guesses.data["name"]) == list(NAMES)
    layer.reveal()
    told = layer.judge(Answer("the average", 1.0, x=[1.0], y=[average]))
    assert "a hit" in told[0] and "<b>2 too high</b>" in told[2]


# Controls that mean nothing at the moment.


@pytest.mark.parametrize(
    ("changes", "own", "absent"),
    [
        ({"data": "synthetic"}, False, set()),
        ({"data": "docstrings"}, False, {"documents", "data_seed"}),
        (
            {"data": "synthetic", "compare": "configurations"},
            False,
            {"sites", "schemes", "adversary", "colluding", "dropouts"},
        ),
        ({"data": "synthetic"}, True, {"data", "documents", "data_seed"}),
    ],
)
def test_topics_shows_no_control_that_its_documents_do_not_ask_for(changes, own, absent):
    page = TopicsPage(Controls())
    page.model.param.update(changes)
    page.model.own_text = (
        corpora.OwnText(Documents(("a b",), ("line 1",), "a.txt", "one line")) if own else None
    )
    assert set(page.absent(page.compute())) == absent


@pytest.mark.parametrize(
    ("kind", "changes", "absent"),
    [
        (AuditPage, {"mechanism": "laplace"}, {"sites", "colluding"}),
        (AuditPage, {"mechanism": "cape_aggregator"}, {"colluding"}),
        (NoisePage, {"axis": "size"}, {"size"}),
        (NoisePage, {"axis": "d"}, {"d"}),
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
