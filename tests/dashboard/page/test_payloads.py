"""Text of users, of links and of files stays text wherever a page shows it; and what went wrong is said."""

from __future__ import annotations

import html
import io
import json
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import panel as pn
import pytest
from bokeh.document import Document
from compared import PcaPage, RegressionPage, TopicsPage
from panel.models.esm import ReactiveESM
from panel.models.markup import HTML
from sheets import SitesPage

from dashboard.algorithms.pca.model import AXES
from dashboard.components.buttons import Buttons
from dashboard.components.upload import Upload
from dashboard.pages import PAGES
from dashboard.session import settings_file
from dashboard.session.app import App
from dashboard.sheet import layout as sheet
from dashboard.sheet.layout import laid_out
from dashboard.sheet.progress import Progress, progress
from dashboard.shell.browser import Browser
from dashboard.state import background_runs
from dashboard.state.controls import Controls

PAYLOADS = (
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(1)</script>",
    "{{7*7}} ${7*7} {% raw %}",
    "$$\\href{javascript:alert(1)}{x}$$ $x$ \\(x\\)",
    "\u202egnp.txt\u202c \u05d0\u0628",
    "'\"><svg onload=alert(1)>",
    "n" * 50_000,
)
ALL = " ".join(PAYLOADS[:-1])


class Tags(HTMLParser):
    """Names and attributes of all elements."""

    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found += [tag, *(f"{name}={value}" for name, value in attrs)]


def harmless(text):
    """Whether HTML holds nothing that runs."""
    bad = ("img", "script", "svg", "iframe", "onerror=", "onload=", "href=javascript")
    return not [part for part in Tags(text).found if part.startswith(bad)]


def shown(root):
    """All HTML of a page, as the browser gets it."""
    models = list(root.select({"type": HTML}))
    assert all(model.disable_math for model in models if "onerror" in model.text)
    folds = [model.data for model in root.select({"type": ReactiveESM}) if hasattr(model.data, "lead")]
    unfolded = [text for fold in folds for text in (fold.lead, fold.text)]
    return "\n".join([*(html.unescape(model.text) for model in models), *unfolded])


def test_the_judge_sees_what_runs():
    assert harmless(f"<p>{html.escape(ALL)}</p>")
    for payload in (PAYLOADS[0], PAYLOADS[1], PAYLOADS[5], "<a href='javascript:x'>"):
        assert not harmless(f"<p>{payload}</p>")


# Links and settings files.


@pytest.mark.parametrize("payload", PAYLOADS)
@pytest.mark.parametrize("kind", [kind for kind in PAGES if kind.live], ids=lambda kind: kind.name)
def test_links_of_pages_that_answer_at_once(apps, kind, payload):
    app = apps
    names = (*kind.shared, *kind.model_type.own(), payload)
    app.go({"page": kind.name, **dict.fromkeys(names, payload)})
    assert "Ignored" in app.notice and len(app.notice) < 2000
    assert harmless(app.notice)
    page = app.pages[kind.name]
    assert harmless(page.state.words) and len(page.state.problem) < 500


@pytest.fixture(scope="module")
def apps():
    return App({"page": "protocol"})


@pytest.mark.parametrize("kind", [kind for kind in PAGES if not kind.live], ids=lambda kind: kind.name)
def test_links_of_pages_with_runs(kind):
    page = kind(Controls())
    for payload in PAYLOADS:
        problems = page.take({**dict.fromkeys((*kind.shared, *page.own), payload), payload: payload})
        assert problems and max(map(len, problems)) < 1000


@pytest.mark.parametrize("payload", PAYLOADS)
@pytest.mark.parametrize("place", ["page", "made_with", "controls", "pages", "version", "links"])
def test_settings_files(apps, place, payload):
    content = json.loads(settings_file.write(["?page=protocol"], made_with=payload))
    content |= {"version": 1, "page": "protocol"} if place in ("page", "controls", "pages") else {}
    own = {payload: payload, "imbalance": payload, "family": payload}
    content[place] = {
        "controls": {payload: payload, "epsilon": payload},
        "pages": {payload: {payload: 1}, "gain": own},
        "links": [payload, f"?page={payload}", f"?page=gain&{payload}={payload}&family={payload}"],
    }.get(place, payload)
    apps.settings_dialog.receive(json.dumps(content).encode())
    said = apps.notice + apps.settings_dialog.notice
    assert harmless(said) and len(said) < 6000
    assert place == "made_with" or "Ignored" in said or "settings file" in said


def test_a_file_with_any_name_is_looked_into_and_its_fault_said(apps):
    """The library's own refusal is a mark without words."""
    uploads = list(apps.settings_dialog.layout.select(Upload))
    uploads += [u for kind in (TopicsPage, SitesPage) for u in _view(kind).select(Upload)]
    assert len(uploads) == 3 and not any(upload.accept for upload in uploads)
    apps.settings_dialog.receive(b"\x89PNG\r\n\x1a\n")
    assert "UTF-8" in apps.settings_dialog.notice


def _view(kind):
    page = kind(Controls(schemes=["cape"]))
    parts = (
        getattr(page, name, lambda: None) for name in ("above_settings", "below_settings", "before", "more")
    )
    view = pn.Column(page.content(), *filter(None, [part() for part in parts]))
    for turn in [b for row in view.select(Buttons) for b in row.buttons if b.label == "Change the sites"]:
        turn.click()
    return view


# Files of one's own.


def csv(names, name):
    values = np.random.default_rng(0).normal(size=(60, len(names))).round(2)
    lines = [",".join(f'"{n}"' for n in [*(n.replace('"', '""') for n in names), "ward"])]
    cells = [f'"{p}"'.replace('>"', '>""', 0) for p in (PAYLOADS[0], PAYLOADS[3])]
    lines += [",".join([*map(str, row), cells[i % 2]]) for i, row in enumerate(values)]
    return f"{name}.csv", "\n".join(lines).encode()


def npz(names, name):
    values, buffer = np.random.default_rng(0).normal(size=(60, len(names))).round(2), io.BytesIO()
    np.savez(buffer, **{n.replace("/", "|"): values[:, i] for i, n in enumerate(names)})
    return f"{name}.npz", buffer.getvalue()


@pytest.mark.parametrize(("kind", "make"), [(PcaPage, npz), (RegressionPage, csv)])
def test_names_in_tables(monkeypatch, kind, make):
    monkeypatch.setitem(AXES, "epsilon", replace(AXES["epsilon"], values=(0.1, 1.0)))
    page = kind(Controls(schemes=["cape", "nonprivate"], repeats=1, sites=2, k=1, delta=1e-2))
    view = laid_out(page, Browser())
    root = view.get_root(Document())
    next(b for row in view.select(Buttons) for b in row.buttons if b.icon == "upload_file").click()
    name, content = make([*PAYLOADS[:4], PAYLOADS[5], "n" * 500], PAYLOADS[0])
    own = page.own_table.data
    own.receive(name, [content])
    assert own.problem == ""
    own.edit(site_column="ward" if "ward" in own.sheet.site_columns else "")
    own.use()
    assert "Enter the" in own.objection
    own.edit(kind="length", length="9")
    own.use()
    assert page.model.own_records and own.used is not None
    text = shown(root)
    assert harmless(text) and "&lt;img src=x onerror" in text
    words = page.settings_words() | dict(page.settings_text())
    assert all(len(value) < 500 for value in words.values())
    for refusal in (b"", b"PK\x03\x04 not all of it", b"a,b\n1,\x81\n", b"name,town\nAnn,Ulm\nBob,Bonn\n"):
        own.receive(name, [refusal])
        assert own.problem and harmless(shown(root)) and html.escape(own.problem) in shown(root)
    page.own_table.end()


def test_tables_of_sites():
    page = SitesPage(Controls())
    root = sheet.laid_out(page, Browser()).get_root(Document())
    page.opened()
    before, table = page.model.rows, page.board.live["table"].table
    for content, words in (
        (b"", "must have the columns"),
        (b"\x89PNG\r\n\x1a\n", "not a text file"),
        (b"PK\x03\x04", "must have the columns"),
        (b"size,epsilon,delta\n" + b"9" * 200_000 + b",1,1\n", "cannot be read"),
        (f"site,size,epsilon,delta\n{ALL},nan,1,1\n".encode(), "must be"),
        (f"site,size,epsilon,delta\n{ALL},1e308,1,1\n".encode(), "must be"),
    ):
        table.take_file(content)
        assert words in page.state.problem and len(page.state.problem) < 400
        assert page.model.rows == before and harmless(shown(root))
    table.take_file(f'site,size,epsilon,delta\n"{PAYLOADS[0]}",50,1,1e-5\nb,60,1,1e-5\n'.encode())
    assert page.state.problem == "" and page.plan.rows[1].size == 60
    assert harmless(shown(root))


# Ledger, runs.


def test_a_run_that_fails_says_so_and_is_tried_again():
    said = progress(Progress("failed", 1, 2, ALL))
    assert "Try again" in said and "&lt;img" in said and harmless(said)


# Pages in states that they refuse.


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("network", {"schemes": []}),
        ("plan", {"schemes": []}),
        ("pca", {"k": 100}),
    ],
)
def test_a_page_is_opened_even_if_it_refuses_the_settings_that_it_finds(monkeypatch, name, values):
    monkeypatch.setattr(background_runs.Runs, "start", lambda self, jobs, paint: None)
    app = App({"page": "protocol"})
    app.controls.take(values)
    app.open(name)
    with pytest.raises(ValueError, match=app.page.state.problem):
        app.page.compute()
    app.controls.take({name: Controls.param[name].default for name in values})
    assert app.page.compute() is not None


def test_no_setting_of_a_page_is_called_like_a_shared_one():
    shared = set(Controls.param)
    assert {
        kind.name: shared & {*kind.model_type.own()} for kind in PAGES if shared & {*kind.model_type.own()}
    } == {}
