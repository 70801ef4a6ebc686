"""Lecture mode: every step can be set and seen, keys go through all of them, links bring them back."""

from __future__ import annotations

import html
import re

import pytest
from bokeh.plotting import figure
from sheets import GuaranteePage, play_on

from dashboard.components.control_panel import ControlPanel
from dashboard.pages import LECTURED
from dashboard.plotting.figure import enlarge
from dashboard.session.app import App
from dashboard.shell.lecture import settings_of
from dashboard.state import background_runs
from dashboard.state.controls import Controls

PAGES = tuple(entry.kind for entry in LECTURED)
TAUGHT = [kind for kind in PAGES if kind.steps]


@pytest.fixture(autouse=True)
def no_runs(monkeypatch):
    """What a lecture shows is decided before any run: none is made, for a whole sweep takes seconds."""
    monkeypatch.setattr(background_runs.Runs, "start", lambda self, jobs, paint: None)


@pytest.fixture(scope="module")
def app():
    return App({"page": "protocol"})


def browser(app, message):
    """Send what the browser's part of the frame sends."""
    app.browser._handle_msg(message)


def test_the_pages_that_are_lectured_on():
    assert [kind.name for kind in TAUGHT] == [
        "protocol",
        "gain",
        "guarantee",
        "pca",
        "topics",
        "months",
        "limits",
    ]
    assert all(4 <= len(kind.steps) <= 5 for kind in TAUGHT)


@pytest.mark.parametrize("kind", TAUGHT, ids=lambda kind: kind.name)
def test_every_step_names_settings_and_figures_that_exist(kind):
    page = kind(Controls())
    page.content()
    for step in kind.steps:
        assert set(step.values) <= {*page.shared, *page.own}
        page.set(settings_of(page, step))
        for name, value in step.values.items():
            assert getattr(page.controls if name in page.shared else page.model, name) == value
        page.compute()
        assert step.figures and max(step.figures) < len(page.exhibits())
        assert len(step.title) <= 60 and len(step.look) <= 125 and step.look.endswith(".")  # One line each.


def test_keys_walk_through_the_pages_and_leave(app):
    app.open("protocol")
    app.lecture.start()
    assert "1 of 5" in app.lecture.text and app.page.model.step == 1
    play = play_on(app.page)
    assert play.ends == 2  # Play tells no more than its slide.
    assert app.browser.query.endswith("&lecture=1") and app.browser.lecture
    assert not app.frame.sidebar_open
    browser(app, {"move": 1})
    assert app.lecture.place == 2 and app.page.model.step == 5 and play.ends == 5
    shown = [part.visible for part in app.page.exhibits()]
    assert shown == [True, False, False, False]
    for _ in range(4):
        browser(app, {"move": 1})
    assert (app.page.name, app.lecture.place) == ("gain", 1)
    assert app.controls.imbalance == 1.0
    browser(app, {"move": -1})
    assert (app.page.name, app.lecture.place) == ("protocol", 5)
    assert app.page.model.drops and app.page.controls.adversary == "aggregator"
    browser(app, {"leave": True})
    assert app.lecture.place == 0 and "lecture" not in app.browser.query
    assert all(part.visible for part in app.page.exhibits()) and app.page.state.step is None
    assert play.ends == 5
    browser(app, {"move": 1})
    assert app.lecture.place == 0


@pytest.mark.parametrize("kind", [kind for kind in PAGES if not kind.steps], ids=lambda kind: kind.name)
def test_a_page_without_steps_is_one_slide_between_its_neighbours_in_the_menu(kind, app):
    app.open(kind.name)
    epsilon = app.controls.epsilon = 0.5
    app.lecture.start()
    assert (app.page.name, app.lecture.place) == (kind.name, 1)
    title, lead = kind.heading or kind.title, re.sub("<.*?>", "", kind.lead)
    if ". " in lead and lead.endswith("?") and not title.endswith("?"):
        lead, _, title = lead.rpartition(". ")  # A slide's title is its question.
        lead += "."
    assert f"<h1>{html.escape(title)}</h1><p>{html.escape(lead)}</p>" in app.lecture.text
    after = [one.title for one in PAGES[PAGES.index(kind) + 1 :]]
    assert f"{kind.title} · one slide{' · next: ' * bool(after)}{''.join(after[:1])}</p>" in app.lecture.text
    assert app.browser.query.endswith("&lecture=1") and app.controls.epsilon == epsilon
    browser(app, {"leave": True})
    assert (app.page.name, app.lecture.place, app.page.state.step) == (kind.name, 0, None)
    if app.page.runs is not None:
        app.page.runs.stop()


def test_after_the_one_slide_of_a_page_the_lecture_goes_on_and_ends_where_it_was_begun(app):
    app.open("secure_sum")
    app.lecture.start()
    assert "next: Audit" in app.lecture.text
    browser(app, {"move": 1})
    assert (app.page.name, app.lecture.place) == ("audit", 1) and "next: Limits" in app.lecture.text
    browser(app, {"move": 1})
    assert (app.page.name, app.lecture.place) == ("limits", 1) and "1 of 4" in app.lecture.text
    browser(app, {"leave": True})
    assert (app.page.name, app.lecture.place) == ("secure_sum", 0)


def test_a_lecture_goes_on_after_the_last_page_with_steps_and_back_before_the_first(app):
    app.open("limits")
    app.lecture.start(4)
    assert "4 of 4 · next:" in app.lecture.text
    browser(app, {"move": 1})
    assert (app.page.name, app.lecture.place) == ("plan", 1) and "next: Papers" in app.lecture.text
    browser(app, {"move": -1})
    assert (app.page.name, app.lecture.place) == ("limits", 4)
    app.open("protocol")
    browser(app, {"move": -1})  # Nothing is before the first.
    assert (app.page.name, app.lecture.place) == ("protocol", 1)


def test_a_lecture_goes_from_the_power_method_to_sites_and_ends_with_the_tabs_of_papers(app):
    app.open("power")
    app.lecture.start()
    assert "next: Sites" in app.lecture.text
    app.open("papers")
    app.lecture.start()
    seen = [app.page.name]
    for _ in range(4):
        browser(app, {"move": 1})
        seen.append(app.page.name)
        if app.page.runs is not None:
            app.page.runs.stop()
    assert seen == ["papers", "findings", "power_stream", "power_noise", "power_noise"]
    browser(app, {"move": -1})
    assert app.page.name == "power_stream"


def test_the_slide_of_a_page_without_steps_has_its_picture_alone(app):
    app.open("audit")
    app.page.runs.stop()
    stage = app.page.board.stage
    app.lecture.start()
    assert set(stage.css_classes) == {"stage", "hall", "shows-0"}
    app.lecture.leave()
    assert stage.css_classes == ["stage"]


def test_the_menu_of_slides_names_every_step_and_its_links_open_them(app):
    app.open("gain")
    app.lecture.start(2)
    menu = app.lecture.bar.objects[1].objects[0]
    assert menu.description == "Slides" and app.lecture.slides == ""
    menu.clicks += 1
    links = re.findall(
        r"<a href='(\?page=\w+&amp;lecture=\d)'( aria-current='step')?>([^<]+)</a>", app.lecture.slides
    )
    assert [title for *_, title in links] == [
        html.escape(step.title) for kind in TAUGHT for step in kind.steps
    ]
    assert [link for link, here, _ in links if here] == ["?page=gain&amp;lecture=2"]
    link = next(html.unescape(link) for link, *_ in links if "limits" in link and link.endswith("4"))
    browser(app, {"query": link})
    assert (app.page.name, app.lecture.place) == ("limits", 4) and app.page.model.silent == 4
    assert app.lecture.slides == ""
    app.lecture.leave()
    app.page.runs.stop()


def test_the_ten_minute_lecture_is_a_selection_that_keys_links_and_menu_keep(app):
    short = [(kind.name, place) for kind in TAUGHT for place, step in enumerate(kind.steps, 1) if step.short]
    assert 6 <= len(short) <= 10
    app.go({"page": "protocol", "lecture": "1", "short": "1"})
    shown = [(app.page.name, app.lecture.place)]
    assert f"· 1 of {len(short)}" in app.lecture.text
    for _ in short[1:]:
        browser(app, {"move": 1})
        shown.append((app.page.name, app.lecture.place))
    assert shown == short and app.browser.query.endswith("&short=1")
    browser(app, {"move": 1})
    assert (app.page.name, app.lecture.place) == short[-1]
    browser(app, {"move": -1})
    assert (app.page.name, app.lecture.place) == short[-2]
    menu = app.lecture.bar.objects[1].objects[0]
    menu.clicks += 1
    assert app.lecture.slides.count("&amp;short=1") == len(short) and "All slides" in app.lecture.slides
    app.lecture.leave()
    assert "short" not in app.browser.query
    app.page.runs.stop()


def test_a_bad_length_of_a_lecture_is_named_and_ignored(app):
    app.go({"page": "gain", "lecture": "1", "short": "<b>"})
    assert app.lecture.place == 0 and "must be 1" in app.notice and ("<b>" not in app.notice)


def on_slide(app):
    """The controls above the picture of a slide."""
    panels = [panel for panel in app.frame.select(ControlPanel) if panel.visible]
    marked = [panel for panel in panels if {"primary", "on-slide"} & {*panel.css_classes}]
    return [name for panel in marked for name, one in panel.controls.items() if one.visible]


def test_the_slider_of_a_step_moves_what_its_figure_shows(app):
    app.open("gain")
    assert on_slide(app) == ["sites"]
    app.lecture.start(3)
    assert on_slide(app) == ["imbalance"]
    app.lecture.start(4)
    assert on_slide(app) == ["colluding"]
    app.lecture.start(1)
    app.lecture.leave()
    assert on_slide(app) == ["sites"]


def folded(app):
    """The controls above the picture of a slide that stand behind *More settings*."""
    panels = [panel for panel in app.frame.select(ControlPanel) if panel.visible]
    marked = [panel for panel in panels if {"primary", "on-slide"} & {*panel.css_classes}]
    behind = [list(panel.controls.values())[panel.first :] for panel in marked if panel.first >= 0]
    return [one.name for controls in behind for one in controls if one.visible]


@pytest.mark.parametrize("kind", TAUGHT, ids=lambda kind: kind.name)
def test_no_slide_folds_the_control_that_it_names(kind, app):
    app.open(kind.name)
    for place, step in enumerate(kind.steps, 1):
        app.lecture.start(place)
        assert not step.control or on_slide(app) == [step.control]
        assert folded(app) == []
    app.lecture.leave()


def test_no_title_names_the_value_that_the_play_of_its_slide_changes():
    played = 0
    for kind in TAUGHT:
        page = kind(Controls())
        for step in kind.steps if page.spec.play else ():
            if step.control in ("", page.primary):
                played += 1
                sign = page.source(page.primary).param[page.primary].label.split()[-1]
                assert f"{sign} = " not in step.title
    assert played >= 6


@pytest.mark.parametrize(("page", "place", "names"), [("limits", 2, ["amplitude"]), ("guarantee", 4, ["k"])])
def test_a_slide_that_a_key_brings_has_the_control_that_it_names_and_no_other(page, place, names, app):
    app.open(page)
    app.lecture.start(place)
    browser(app, {"move": 1})
    assert on_slide(app) == names
    app.lecture.leave()


def test_a_notice_goes_with_its_slide_and_what_leaves_is_not_pale_for_good(app):
    app.open("gain")
    app.lecture.start()
    gain = app.page
    app.say("The table could not be read.")
    browser(app, {"move": 1})
    assert app.notice == "" and not gain.state.leaves
    app.lecture.move(3)
    assert app.page.name == "guarantee" and not (gain.state.leaves or app.page.state.leaves)
    app.lecture.leave()


def test_curves_are_thicker_in_a_lecture_only():
    plot = figure()
    thin = plot.line([0, 1], [0, 1], line_width=2).glyph
    enlarge(plot, large=True)
    assert thin.line_width >= 3
    enlarge(plot, large=False)
    assert thin.line_width == 2


def test_what_is_called_too_small_is_too_small():
    page = GuaranteePage(Controls())
    given = [settings_of(page, step) for step in page.steps if "too small" in step.title]
    given += [dict(preset.values) for preset in page.presets if "too small" in preset.name]
    assert len(given) == 2
    for values in given:
        page.set(values)
        here = page.compute().here
        assert 1e-300 < here["cape_theorem"] < 1e-3 * here["cape_exact"]
        page.refresh()
        assert "3.8 powers" in page.state.words
    page.set({"noise": 1e6})
    page.refresh()
    assert "powers of" not in page.state.words


def test_a_picture_from_formulas_never_pales_for_its_runs():
    limits = App({"page": "limits"})
    paled = []
    limits.page.state.param.watch(lambda event: paled.append(event.new), "pale")
    limits.lecture.start()
    limits.lecture.move(2)
    limits.page.runs.stop()
    assert limits.lecture.place == 3 and True not in paled


def test_settings_of_a_step_do_not_depend_on_the_way_there(app):
    app.open("guarantee")
    app.lecture.start()
    app.page.set({"sites": 33, "noise": 77.0})
    app.lecture.move(1)
    query = app.browser.query
    app.lecture.move(1)
    app.lecture.move(-1)
    assert app.browser.query == query
    app.lecture.leave()


def test_a_link_opens_a_step_and_keeps_what_was_changed_on_it():
    fresh = App({"page": "gain", "lecture": "2"})
    assert (fresh.lecture.place, fresh.controls.sites) == (2, 50)
    changed = App({"page": "gain", "lecture": "2", "sites": "20"})
    assert (changed.lecture.place, changed.controls.sites) == (2, 20)
    plain = App({"page": "glossary", "lecture": "1"})
    assert (plain.page.name, plain.lecture.place) == ("glossary", 1)


@pytest.mark.parametrize("begun", [{"page": "glossary", "lecture": "1"}, {"page": "pca", "lecture": "1"}])
def test_a_link_that_is_followed_from_a_slide_keeps_its_settings(begun):
    app = App(begun)
    app.go({"page": "gain", "imbalance": "37", "sites": "7"})
    assert app.page.name == "gain" and app.lecture.place == 0
    assert (app.controls.imbalance, app.controls.sites) == (37, 7)
    assert "imbalance=37" in app.browser.query and "lecture" not in app.browser.query


@pytest.mark.parametrize("text", ["0", "9", "-1", "x", "1" * 5000, "٣", "<b>"])
def test_a_bad_step_in_a_link_is_named_and_ignored(app, text):
    app.go({"page": "gain", "lecture": text, "imbalance": "50"})
    assert app.lecture.place == 0 and app.controls.imbalance == 50
    assert "from 1 to 4" in app.notice
    assert "<b>" not in app.notice


def test_opening_a_page_by_the_menu_goes_on_there_or_ends(app):
    app.open("gain")
    app.lecture.start()
    app.open("guarantee")
    assert app.lecture.place == 1 and "Guarantee · 1 of 4" in app.lecture.text
    app.open("glossary")
    assert app.lecture.place == 0
