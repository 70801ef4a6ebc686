"""Links and settings files: what is written comes back as the same picture, and foreign text does no harm."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dashboard.pages import PAGES
from dashboard.session import settings_file
from dashboard.session.app import App
from dashboard.state import url
from dashboard.state.controls import Controls

MODELS = {kind.name: kind.model_type for kind in PAGES}
# Pages that answer at once, in a state that differs from the default in every way.
STATES = {
    "protocol": {
        "epsilon": 0.3,
        "batches": 1,
        "sites": 7,
        "schemes": ["cape"],
        "draws": 500,
        "noise_seed": 5,
        "step": 4,
    },
    "gain": {"imbalance": 37.5, "family": "geometric", "sites": 12},
    "guarantee": {"noise": 20.0, "epsilon": 0.1, "delta": 1e-7, "colluding": 9},
    "sites": {},
}


def drawn(page):
    """All numbers that the figures of a page show, and its words."""
    sources = [r.data_source for plot in page.figures() for r in plot.renderers if r.visible]
    return page.said.words, [{k: list(map(str, v)) for k, v in source.data.items()} for source in sources]


def opened(name):
    app = App({"page": name})
    app.page.set(STATES[name])
    return app


@pytest.fixture(scope="module")
def app():
    return App({"page": "guarantee", "noise": "20"})


def file_of(**changes):
    """A settings file, as bytes, with some of its entries changed."""
    text = settings_file.write("gain", Controls(), {}, made_with="a test")
    return json.dumps({**json.loads(text), **changes}).encode()


@pytest.mark.parametrize("name", STATES)
def test_a_link_brings_the_same_picture(name):
    one = opened(name)
    other = App(url.parse(one.browser.query))
    assert other.notice == ""
    assert other.page.name == name
    assert drawn(other.page) == drawn(one.page)
    assert other.page.settings_text() == one.page.settings_text()


def test_a_settings_file_brings_the_same_picture_on_every_page_that_was_visited():
    one = App({"page": "protocol"})
    for name in ("protocol", "guarantee", "gain"):
        one.open(name)
        one.page.set(STATES[name])
    text = one.settings_text()
    other = App({"page": "gain"})  # One page is built already, the others are when they are opened.
    other.take_settings(text.encode())
    assert other.notice == ""
    for name in ("gain", "protocol", "guarantee"):
        one.open(name), other.open(name)
        assert drawn(other.page) == drawn(one.page)
        assert other.page.search() == one.page.search()


def test_settings_of_pages_that_are_not_opened_again_are_kept_for_the_next_file():
    one = App({"page": "guarantee", "noise": "20"})
    other = App({"page": "protocol"})
    other.take_settings(file_of(page="protocol", pages=json.loads(one.settings_text())["pages"]))
    assert json.loads(other.settings_text())["pages"]["guarantee"]["noise"] == "20"


@settings(max_examples=20, deadline=None)
@given(st.sampled_from(sorted(MODELS)), st.data())
def test_every_parameter_of_every_page_survives_the_file(name, data):
    controls, model = Controls(), MODELS[name](Controls())
    for parameter in MODELS[name].own():
        bounds, options = (getattr(model.param[parameter], n, None) for n in ("bounds", "objects"))
        if isinstance(getattr(model, parameter), bool):
            setattr(model, parameter, data.draw(st.booleans()))
        elif isinstance(getattr(model, parameter), int | float) and bounds:
            whole = isinstance(getattr(model, parameter), int)
            setattr(model, parameter, data.draw(st.integers(*bounds) if whole else st.floats(*bounds)))
        elif isinstance(getattr(model, parameter), str) and options:
            setattr(model, parameter, data.draw(st.sampled_from(list(options))))
    text = settings_file.write(name, controls, {name: model}, made_with="a test")
    back = settings_file.read(text.encode(), MODELS)
    assert back.problems == ()
    assert back.pages[name] == {n: getattr(model, n) for n in MODELS[name].own()}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "must be JSON"),
        (b"\xff\xfe{", "UTF-8"),
        (b"epsilon,1", "must be JSON"),
        (b"[" * 90_000, "not a settings file"),
        (b"1" * 90_000, "not a settings file"),
        (b'{"format": "CAPE Lab settings", "format": "CAPE Lab settings"}', "twice"),
        (b"[]", "JSON object"),
        (b'{"format": "other"}', "JSON object"),
        (file_of(version=2), "version '2'"),
        (file_of(version=True), "version 'True'"),
        (file_of(version="<b>" * 100), "version '<b><b>"),
        (b" " * (settings_file.LIMIT + 1), "at most 1000 kB"),
    ],
)
def test_what_is_no_settings_file_is_refused_in_words_and_changes_nothing(app, content, words):
    before = app.page.search()
    with pytest.raises(ValueError, match=words):
        app.take_settings(content)
    app.settings_dialog.receive(content)
    assert "<b>" not in app.settings_dialog.notice
    assert app.settings_dialog.notice
    assert app.page.search() == before


@pytest.mark.parametrize(
    "change",
    [
        {"controls": {f"{i}": 1 for i in range(60_000)}},
        {"pages": {f"page {i}": {} for i in range(30_000)}},
        {"pages": {"pca": {f"name {i}": [1] for i in range(30_000)}}},
        {"pins": {f"page {i}": [] for i in range(30_000)}},
        {"controls": {"\n" * 400_000: []}},
    ],
)
def test_however_much_is_wrong_in_a_file_little_is_told(change):
    found = settings_file.read(file_of(**change), MODELS)
    assert 1 <= len(found.problems) <= settings_file.MOST_PROBLEMS + 1
    assert sum(map(len, found.problems)) < 4000
    assert len(found.problems) == 1 or "more" in found.problems[-1]


def test_bad_values_in_a_file_are_named_and_the_good_ones_taken():
    payload = "<img src=x onerror=alert(1)>"
    app = App({"page": "protocol"})
    app.take_settings(
        file_of(
            page="gain",
            controls={"epsilon": "nan", "sites": 7, "samples": [1], payload: 1},
            pages={"gain": {"imbalance": 50, "family": payload}, payload: {}, "guarantee": 3},
        )
    )
    notice = app.notice
    assert app.page.name == "gain" and app.controls.sites == 7 and app.page.model.imbalance == 50
    for part in (
        "epsilon must be",
        "controls.samples: must be a text or a number, got [1]",
        "family must be of",
        "there is no page",
        "guarantee",
    ):
        assert part in notice
    assert payload not in notice and "&lt;img" in notice


@pytest.fixture(scope="module")
def pinned_app():
    """A session at Gain with two pinned curves, of other settings than the present ones."""
    app = App({"page": "gain", "sites": "20"})
    assert app.page.pin()
    app.page.set({"imbalance": 50.0, "sites": 10, "family": "geometric"})
    assert app.page.pin()
    app.page.set({"sites": 30, "colluding": 3})
    return app


def pinned(page):
    """Points, legend texts and settings of all that is pinned."""
    return [
        (str([line.data_source.data for line in pin.lines]), pin.item.label.value, dict(pin.settings))
        for pin in page.pins
    ]


def test_a_link_brings_what_is_pinned_on_a_page_that_answers_at_once(pinned_app):
    one = pinned_app
    other = App(url.parse(one.browser.query))
    assert other.notice == "" and other.browser.query == one.browser.query
    assert len(pinned(one.page)) == 2 and pinned(other.page) == pinned(one.page)
    assert drawn(other.page) == drawn(one.page)
    other.go({"page": "gain"})
    assert not other.page.pins and other.page.controls.sites == 10


def test_bad_settings_of_a_pinned_curve_in_a_link_are_named_and_the_good_ones_taken(app):
    app.go({"page": "gain", "pinned": "colluding=7&x=1;family=<b>;;a;b;c"})
    assert [pin.settings["Colluding sites"] for pin in app.page.pins] == ["7", "0", "0"]
    for part in ("a pinned curve: x is not a setting", "a pinned curve: family must be of"):
        assert part in app.notice
    assert "<b>" not in app.notice


def test_a_settings_file_brings_what_is_pinned_even_to_a_page_that_is_opened_later(pinned_app):
    page, text = pinned_app.page, pinned_app.settings_text().replace('"page": "gain"', '"page": "protocol"')
    later = App({"page": "protocol"})
    later.take_settings(text.encode())
    kept = json.loads(later.settings_text())["pins"]
    assert later.notice == "" and kept == json.loads(text)["pins"]
    later.open("gain")
    assert [p[1:] for p in pinned(later.page)] == [p[1:] for p in pinned(page)]
    assert later.browser.query == pinned_app.browser.query
    points = [[p.lines[0].data_source.data[n] for n in "xy"] for p in page.pins]
    back = [[p.lines[0].data_source.data[n] for n in "xy"] for p in later.page.pins]
    assert len(back) == len(points) > 0
    for found, expected in zip(back, points, strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-5)
    later.page.pins.clear()
    later.take_settings(text.encode())
    assert pinned(later.pages["gain"]) and json.loads(later.settings_text())["pins"] == kept


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"lines": [{"line": 0, "x": [1, 1e308], "y": [1, 2]}]}, "at most 1e\\+30"),
        ({"lines": [{"line": 0, "x": [1], "y": [1, 2]}]}, "as many x as y"),
        ({"lines": [{"line": 0, "x": ["<b>"], "y": [1]}]}, "must be numbers"),
        ({"lines": [{"line": 51, "x": [1], "y": [1]}]}, "whole number below 50"),
        ({"lines": [{"line": True, "x": [1], "y": [1]}]}, "whole number below 50"),
        ({"lines": []}, "list of objects"),
        ({"axes": ["x", 1]}, "two texts"),
        ({"settings": {"a": "b" * 600}}, "short texts"),
        ({"values": ["a"]}, "short texts"),
    ],
)
def test_what_cannot_have_been_pinned_is_named_and_left_out(change, words):
    state = {"settings": {}, "values": {}, "axes": ["x", "y"], "lines": [{"line": 0, "x": [1], "y": [None]}]}
    read = settings_file.read(file_of(pins={"gain": [state], "pca": [state | change], "x": []}), MODELS)
    assert list(read.pins) == ["gain"]
    assert re.search(f"pins: 'pca': .*{words}", read.problems[0]) and "no such page" in read.problems[1]


def test_a_thousand_bad_values_make_a_short_notice():
    app = App({"page": "protocol"})
    app.take_settings(file_of(controls={f"x{i}": 1 for i in range(3000)}))
    assert "and 2993 more" in app.notice
    assert len(app.notice) < 1000
