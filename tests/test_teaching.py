"""The lectures of docs/teaching.md: every link opens as it says, and the answers of the exercises are right."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

from dashboard.session.app import App
from dashboard.state import url
from dashboard.state.background_runs import Runs

GUIDE = Path(__file__).resolve().parents[1] / "docs" / "teaching.md"
LINKS = re.findall(r"\]\(http://localhost:5006/dashboard(\?[^)]*)\)", GUIDE.read_text())


@pytest.mark.parametrize("link", LINKS)
def test_a_link_of_a_lecture_opens_in_its_state(link, monkeypatch):
    monkeypatch.setattr(Runs, "start", lambda self, jobs, *, paint: None)
    query = url.parse(link)
    app = App(query)
    assert app.notice == "" and app.page.said.problem == ""
    assert app.page.name == query["page"] and app.lecture.place == int(query.get("lecture", 0))
    reached = url.parse(app.browser.query)
    named = {name for name in query if name not in {"page", "lecture"}}
    # A value that is the default is not part of an address.
    assert all(reached[name] == query[name] for name in named & reached.keys())


def test_there_are_five_lectures_with_a_question_an_answer_and_an_exercise_each():
    lectures = GUIDE.read_text().split("\n## ")[1:]
    assert len(lectures) == 5 and len(LINKS) >= 15
    for lecture in lectures:
        assert "**Answer.**" in lecture and "**Exercise.**" in lecture and lecture.count("?page=") >= 3


def test_the_answers_of_the_exercises_are_right():
    failed, tried = doctest.testfile(str(GUIDE), module_relative=False)
    assert failed == 0 and tried >= 12
