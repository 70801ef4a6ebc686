"""Links and settings files: what is written comes back as the same picture, and foreign text does no harm."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dashboard import settings_file
from dashboard.app import App, _parse
from dashboard.pages import PAGES
from dashboard.settings import Controls

MODELS = {kind.name: kind.model_type for kind in PAGES}
# Pages that answer at once, in a state that differs from the default in every way.
STATES = {
    "start": {"sites": 7},
    "averaging": {"epsilon": 0.3, "sites": 7, "schemes": ["cape"], "draws": 500, "noise_seed": 5, "step": 4},
    "gain": {"imbalance": 37.5, "family": "geometric", "sites": 12, "colluding": 11},
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
    other = App(_parse(one.browser.query))
    assert other._notice.object == ""
    assert other.page.name == name
    assert drawn(other.page) == drawn(one.page)
    assert other.page.settings_text() == one.page.settings_text()


def test_a_settings_file_brings_the_same_picture_on_every_page_that_was_visited():
    one = App({"page": "averaging"})
    for name in ("averaging", "guarantee", "gain"):
        one.open(name)
        one.page.set(STATES[name])
    text = one.settings_text()
    other = App({"page": "gain"})  # One page is built already, the others are when they are opened.
    other.take_settings(text.encode())
    assert other._notice.object == ""
    for name in ("gain", "averaging", "guarantee"):
        one.open(name), other.open(name)
        assert drawn(other.page) == drawn(one.page)
        assert other.page.search() == one.page.search()


def test_settings_of_pages_that_are_not_opened_again_are_kept_for_the_next_file():
    one = App({"page": "guarantee", "noise": "20"})
    other = App({"page": "start"})
    other.take_settings(file_of(page="start", pages=json.loads(one.settings_text())["pages"]))
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
        (b"\xff\xfe{", "must be JSON"),
        (b"epsilon,1", "must be JSON"),
        (b"[" * 90_000, "must be JSON"),
        (b"1" * 90_000, "must be JSON|JSON object"),
        (b"[]", "JSON object"),
        (b'{"format": "other"}', "JSON object"),
        (file_of(version=2), "version '2'"),
        (file_of(version=True), "version 'True'"),
        (file_of(version="<b>" * 100), "version '<b><b>"),
        (b" " * (settings_file.LIMIT + 1), "at most 100 kB"),
    ],
)
def test_what_is_no_settings_file_is_refused_in_words_and_changes_nothing(app, content, words):
    before = app.page.search()
    with pytest.raises(ValueError, match=words):
        app.take_settings(content)
    app.settings_dialog.receive(content)
    assert "<b>" not in app.settings_dialog._problem.object
    assert app.settings_dialog._problem.visible
    assert app.page.search() == before


def test_bad_values_in_a_file_are_named_and_the_good_ones_taken():
    payload = "<img src=x onerror=alert(1)>"
    app = App({"page": "start"})
    app.take_settings(
        file_of(
            page="gain",
            controls={"epsilon": "nan", "sites": 7, "samples": [1], payload: 1},
            pages={"gain": {"imbalance": 50, "family": payload}, payload: {}, "guarantee": 3},
        )
    )
    notice = app._notice.object
    assert app.page.name == "gain" and app.controls.sites == 7 and app.page.model.imbalance == 50
    for part in (
        "epsilon must be",
        "samples must be a text",
        "family must be of",
        "there is no page",
        "guarantee",
    ):
        assert part in notice
    assert payload not in notice and "&lt;img" in notice


def test_a_thousand_bad_values_make_a_short_notice():
    app = App({"page": "start"})
    app.take_settings(file_of(controls={f"x{i}": 1 for i in range(3000)}))
    assert "and 2992 more" in app._notice.object
    assert len(app._notice.object) < 1000
