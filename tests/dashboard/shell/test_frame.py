"""The frame around the pages: broken pages, controls."""

from __future__ import annotations

import pytest
from compared import TopicsPage, record
from sheets import AuditPage, SecureSumPage

from dashboard import pages
from dashboard.session import app
from dashboard.state.controls import Controls
from data.catalogue import corpora
from data.text import Documents

# Broken pages.


def test_every_page_of_the_app_can_be_imported():
    assert [kind.name for kind in pages.PAGES if bool(kind.facts.error)] == []


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
    assert words in session.page.state.problem
    listed = [kind.name for kinds in session.navigation.groups.values() for kind in kinds]
    assert listed == ["gain", name, "guarantee"]
    session.open("guarantee")
    assert session.page.state.problem == "" and session.page.state.words


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
    assert set(record(page).absent(page.compute())) == absent


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
    assert set(page.state.absent) == absent
