"""Pages that ask before they answer: what a bare link shows, and what a choice, a setting, a link and a slide change."""

import re

import pytest

from dashboard.page import openings
from dashboard.page.asked import Asked, closest, how_many, markup
from dashboard.pages.analyse.components.page import ComponentsPage
from dashboard.pages.analyse.power.page import PowerPage
from dashboard.pages.analyse.regression.page import RegressionPage
from dashboard.pages.decide.power_noise.page import NoisePage
from dashboard.state.controls import Controls

KINDS = (RegressionPage, ComponentsPage, PowerPage, NoisePage)
RIGHT = {RegressionPage: 0, ComponentsPage: 2, PowerPage: 1, NoisePage: 1}  # About 40 %, 2 and 1 of 3; fakes.


@pytest.fixture(scope="module", params=KINDS)
def kind(request):
    openings.forget()
    request.param.warm()
    yield request.param
    openings.forget()


@pytest.fixture
def page(kind):
    page = bare(kind)
    yield page
    page.closed()


def bare(kind, link=None):
    """A page as a link opens it, with the results that were prepared alone."""
    page = kind(Controls(**kind.opens))
    page.runs.start = lambda jobs, paint: None
    if link is not None:
        page.take({"page": page.name, **link})
    page.opened()
    return page


def drawn(page):
    """The parts of the picture by label: whether each has something drawn, a mark or a number, and a question mark."""
    if hasattr(page, "panels"):
        rows = [(p["label"], p["dots"][0] or p["found"][0], p) for p in page.panels.state["panels"]]
        return {label: (bool(dots), p["asked"]) for label, dots, p in rows}
    return {r["label"]: (bool(r["pixels"] or r["note"]), r["asked"]) for r in page.tiles.spec["rows"]}


def test_a_bare_page_asks_and_shows_nothing_of_the_answer(page, kind):
    parts, hidden = drawn(page), "random" if kind is NoisePage else "conventional"
    assert parts[hidden] == (False, True) and [asked for _, asked in parts.values()].count(True) == 2
    assert any(shown for shown, _ in parts.values())  # The truth, or what needs no guess.
    assert page.said.words == "" and page.said.asked.count("<button") >= 2
    assert "?" in page.still() and "Right" not in page.said.asked


@pytest.mark.parametrize("offset", [0, 1])
def test_one_press_guesses_and_shows_the_answer(page, kind, offset):
    choices = re.findall("<button[^>]*>([^<]*)", page.said.asked)
    page.choose((RIGHT[kind] + offset) % len(choices))
    verdict = f"No: {choices[RIGHT[kind]]}." if offset else "<strong>Right.</strong>"
    assert verdict in page.said.asked and "<button" not in page.said.asked
    assert all(shown and not asked for shown, asked in drawn(page).values()) and "<b>" in page.said.words
    page.set({"noise_seed": 5})  # The verdict was of the settings before.
    assert page.said.asked == "" and not page.asking


def test_a_number_that_is_no_choice_is_no_guess(page):
    page.choose(999)
    assert page.asking and "<button" in page.said.asked


@pytest.mark.parametrize("guess", [None, 0])
def test_the_card_stays_with_its_answer_while_the_slider_moves_and_leaves_with_another_setting(
    page, kind, guess
):
    if guess is not None:
        page.choose(guess)
    before = page.said.asked
    page.set({page.primary: 0.7})
    right = re.findall("<b class='right[^>]*>✓ ([^<]*)", page.said.asked)
    assert not page.asking and len(right) == 1 and "<button" not in page.said.asked
    # It says which value it is of, and is paler at another one.
    assert re.match(r"<div class='asked'><p>At (ε =|noise) ", before)
    assert page.said.asked.startswith(before.partition("</p>")[0].replace("'asked'", "'asked past'"))
    assert ("✗" in page.said.asked or "Right." in page.said.asked) == (guess is not None)
    assert "Right." not in page.said.asked or RIGHT[kind] == guess
    page.set({"noise_seed": 5})
    assert not page.said.asked


def test_a_link_with_settings_answers_and_one_with_seeds_asks(kind):
    page = bare(kind, {kind.primary: "0.7"})
    assert not page.asking and not page.said.asked
    opening = {"sites": str(kind.opens["sites"])} if "sites" in kind.opens else {}
    pages = bare(kind, {}), bare(kind, {**{n: str(v) for n, v in kind.opens.items()}, **opening})
    assert all(page.asking for page in pages)


def test_a_pinned_curve_is_an_answer(page):
    page.pin()
    assert not page.asking


def test_choices_and_verdicts():
    assert how_many(1.2, 3) == (("none", "about 1", "about 2", "all 3"), 1)
    assert how_many(3, 3)[1] == 3 and how_many(0.2, 3)[1] == 0
    assert how_many(None, 1) == (("none", "all 1"), None)
    assert closest((0.9, 0.4), 0.5) == 1
    asked = Asked("How many?", ("one", "two"), 1)
    assert "No: two." in markup(asked, 0) and "✗ one" in markup(asked, 0) and "✓ two" in markup(asked, 0)
    assert "Right." in markup(asked, 1) and "✗" not in markup(asked, 1)
    waiting = markup(Asked("How many?", ("one", "two")), 0)
    assert "Computing" in waiting and "class='right" not in waiting


def test_the_right_choice_is_not_always_at_the_same_place():
    assert len({*RIGHT.values()}) > 2 and 0 in RIGHT.values()
