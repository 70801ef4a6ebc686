"""Links and settings files: what is written comes back as the same picture, and foreign text does no harm."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dashboard.page import link
from dashboard.pages import PAGES
from dashboard.session import settings_file
from dashboard.session.app import App
from dashboard.state import url
from dashboard.state.controls import Controls

KINDS = {kind.name: kind for kind in PAGES}
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
    return page.state.words, [{k: list(map(str, v)) for k, v in source.data.items()} for source in sources]


def opened(name):
    app = App({"page": name})
    app.page.set(STATES[name])
    return app


@pytest.fixture(scope="module")
def app():
    return App({"page": "guarantee", "noise": "20"})


def file_of(**changes):
    """A settings file, as bytes, with some of its entries changed."""
    text = settings_file.write(["?page=gain"], made_with="a test")
    return json.dumps({**json.loads(text), **changes}).encode()


def former_file(**changes):
    """A settings file of version 1."""
    return file_of(**{"version": 1, "page": "gain", "controls": {}, "pages": {}, **changes})


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
    (link,) = json.loads(one.settings_text())["links"]
    other.take_settings(file_of(links=["?page=protocol", link]))
    assert any(
        "page=guarantee" in one and "noise=20" in one for one in json.loads(other.settings_text())["links"]
    )


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
    text = settings_file.write([link.written(KINDS[name], controls, model)], made_with="a test")
    back = settings_file.read(text.encode(), KINDS)
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
        (file_of(version=3), "version '3'"),
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
        {"links": [f"?page={i}" for i in range(30_000)]},
        {"links": list(range(30_000))},
        {"links": ["?page=gain&" + "&".join(f"{i}=1" for i in range(60_000))]},
        {"version": 1, "controls": {f"{i}": 1 for i in range(60_000)}},
        {"version": 1, "pages": {f"page {i}": {} for i in range(30_000)}},
        {"version": 1, "pages": {"pca": {f"name {i}": [1] for i in range(30_000)}}},
        {"version": 1, "controls": {"\n" * 400_000: []}},
    ],
)
def test_however_much_is_wrong_in_a_file_little_is_told(change):
    found = settings_file.read(file_of(**change), KINDS)
    assert 1 <= len(found.problems) <= settings_file.MOST_PROBLEMS + 1
    assert sum(map(len, found.problems)) < 4000
    assert len(found.problems) <= 2 or "more" in found.problems[-1]


@pytest.mark.parametrize(
    "links", [{"a": "?page=pca"}, {"a": 5}, {"1": "?page=pca"}, {"a": {"b": 1}}, 5, "x", None]
)
def test_links_that_are_no_list_are_one_problem(links):
    found = settings_file.read(file_of(links=links), KINDS)
    assert found.pages == {} and len(found.problems) == 1 and "list" in found.problems[0]


def test_bad_links_in_a_file_are_named_and_the_good_ones_taken():
    payload = "<img src=x onerror=alert(1)>"
    app = App({"page": "protocol"})
    links = [
        f"?page=gain&sites=7&imbalance=50&family={payload}",
        3,
        f"?page={payload}",
        "?page=guarantee&epsilon=nan",
    ]
    app.take_settings(file_of(links=links))
    assert app.page.name == "gain" and app.controls.sites == 7 and app.controls.imbalance == 50
    for part in ("links.1", "family", "epsilon", "no page"):
        assert part in app.notice
    assert payload not in app.notice and "&lt;img" in app.notice


def test_a_file_of_version_1_is_read_its_good_values_taken_and_the_others_named():
    payload = "<img src=x onerror=alert(1)>"
    app = App({"page": "protocol"})
    app.take_settings(
        former_file(
            controls={"epsilon": "nan", "sites": 7, "samples": [1], payload: 1},
            pages={"gain": {"imbalance": 50, "family": payload}, payload: {}, "guarantee": {"noise": 20}},
            pins={"gain": []},
        )
    )
    assert app.pages["guarantee"].model.noise == 20
    notice = app.notice
    assert app.page.name == "gain" and app.controls.sites == 7 and app.controls.imbalance == 50
    for part in (
        "epsilon must be",
        "controls.samples: must be a text or a number, got [1]",
        "family must be of",
        "there is no page",
        "pinned",
    ):
        assert part in notice
    assert payload not in notice and "&lt;img" in notice


def test_a_link_to_pinned_curves_opens_the_page_and_says_that_they_are_gone(app):
    app.go({"page": "gain", "sites": "20", "pinned": "colluding=7"})
    assert (app.page.name, app.controls.sites) == ("gain", 20)
    assert "pinned" in app.notice


def test_a_thousand_bad_values_make_a_short_notice():
    app = App({"page": "protocol"})
    app.take_settings(former_file(controls={f"x{i}": 1 for i in range(3000)}))
    assert "and 2993 more" in app.notice
    assert len(app.notice) < 1000
