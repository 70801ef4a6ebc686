"""The lecture's one curtain: it covers a slide until a choice is pressed, and only a link that asks lays it."""

from __future__ import annotations

import re

import pytest

from core import cape
from dashboard.pages import PAGES
from dashboard.session.app import App
from dashboard.state.number_text import number_text


@pytest.mark.parametrize(("place", "verdict"), [(0, "You said"), (1, "Right")])
def test_a_link_that_asks_covers_the_answer_until_a_choice_is_pressed(place, verdict):
    app = App({"page": "gain", "ask": "1"})
    curtain, right = app.lecture.curtain, number_text(cape.honest_gain(10, 0) ** 0.5)
    assert app.lecture.place == 1 and curtain.covers and curtain.card.visible
    assert right not in re.sub("<[^>]*>", "", app.first_picture().body)
    curtain.card.received({"name": "choice", "number": 99})
    assert curtain.covers
    curtain.card.received({"name": "choice", "number": place})
    assert not curtain.covers and verdict in curtain.card.picture and right in curtain.card.picture
    assert right in app.first_picture().body
    app.lecture.leave()
    assert not curtain.covers and not curtain.card.visible


@pytest.mark.parametrize(
    "query",
    [{"page": "gain"}, {"page": "gain", "lecture": "1"}, {"page": "gain", "ask": "1", "sites": "20"}],
)
def test_nothing_else_asks(query):
    assert not App(query).lecture.curtain.covers


def test_an_ask_that_is_none_is_said():
    app = App({"page": "gain", "ask": "please"})
    assert "ask" in app.notice and not app.lecture.curtain.covers


def test_every_question_has_its_right_choice():
    asked = [step.question for kind in PAGES for step in kind.steps if step.question]
    assert len(asked) >= 3 and all(0 <= one.right < len(one.choices) for one in asked)
