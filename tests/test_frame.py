"""The frame around the pages: broken pages, pins, and answers that are hidden for a class."""

from __future__ import annotations

import pytest

from dashboard import app, pages
from dashboard.broken import BrokenPage

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
