"""The frame of the app: sessions, address, files, failures, the command line."""

from __future__ import annotations

import io
import math
import runpy
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from bokeh.document import Document
from bokeh.io.doc import patch_curdoc
from compared import PcaPage
from panel.io.state import set_curdoc
from sheets import GainPage, ProtocolPage

from dashboard.__main__ import arguments
from dashboard.session.app import App
from dashboard.shell import actions
from dashboard.state import background_runs, errors, number_text
from dashboard.state.controls import Controls

ROOT = Path(__file__).parents[3]


def test_pages_are_built_when_opened_and_then_kept():
    app = App({"page": "gain"})
    assert list(app.pages) == ["gain"]
    first = app.page
    app.open("guarantee")
    app.open("gain")
    assert app.page is first and list(app.pages) == ["gain", "guarantee"]


def test_sessions_share_nothing():
    one, other = App({"page": "gain"}), App({"page": "gain"})
    one.controls.sites = 33
    assert other.controls.sites == 10 and other.page.plan.sites == 10


def test_the_address_follows_the_settings():
    app = App({"page": "gain"})
    app.controls.sites = 12
    app.controls.imbalance = 5.0
    assert app.browser.query == "?page=gain&sites=12&imbalance=5"
    app.go({"page": "gain"})
    assert app.controls.sites == 10


def test_a_page_opens_on_a_picture_that_shows_something_unless_settings_were_chosen(monkeypatch):
    monkeypatch.setattr(background_runs.Runs, "start", lambda self, jobs, paint: None)
    app = App({"page": "gain"})
    app.open("components")
    assert (app.controls.k, app.controls.sites) == (3, 50)
    assert app.browser.query.startswith("?page=components&k=3&sites=50&samples=1000&epsilon=0.5")
    app.open("gain")
    assert (app.controls.k, app.controls.samples) == (10, 1000)
    app.controls.sites = 7
    app.open("components")
    assert (app.controls.sites, app.controls.k, app.controls.samples) == (7, 10, 1000)
    assert "k=10&sites=7" in app.browser.query  # A bare link opens with other values.
    assert App({"page": "components"}).controls.k == 3
    for link in ({"k": "10", "samples": "1000"}, {"k": "4"}, {"measure": "weights"}):
        opened = App({"page": "components", **link})
        assert opened.controls.k == int(link.get("k", 10)) and opened.controls.samples == 1000


def test_csv_names_version_and_settings():
    page = GainPage(Controls(sites=12))
    page.opened()
    text = actions.csv_text(page)
    head = [line for line in text.splitlines() if line.startswith("#")]
    assert f"# CAPE Lab {actions.lab_version()}, page gain" == head[0]
    assert "# sites = 12" in head
    read = pd.read_csv(io.StringIO(text), comment="#")
    np.testing.assert_allclose(read["gain"], page.table()["gain"], rtol=1e-12)


def test_a_file_says_how_many_records_were_used_where_there_are_fewer_than_chosen():
    page = PcaPage(Controls(**PcaPage.opens))
    page.set({"sites": 10, "samples": 1000, "schemes": ["cape"]})
    page.opened()
    used = page.plan.here["samples"]
    assert used == 179  # 1,797 digits.
    (line,) = (one for one in actions.csv_text(page).splitlines() if one.startswith("# samples = "))
    assert "179" in line and "1000" in line


def test_new_noise_is_another_draw_of_the_same_records():
    page = ProtocolPage(Controls())
    page.opened()
    values, messages = page.plan.run.values, page.plan.run.messages
    actions.new_noise(page)
    np.testing.assert_array_equal(page.plan.run.values, values)
    assert not np.array_equal(page.plan.run.messages, messages)


def test_failures_of_callbacks_are_told_to_their_session(caplog):
    class Speaker:
        def say(self, text):
            told.append(text)

    told, document, speaker = [], Document(), Speaker()
    with set_curdoc(document):
        errors.report_to(speaker.say)
        errors.handle(ValueError("k must be at most 4, got 9"))
        errors.handle(ZeroDivisionError("division by zero"))
    assert "most 4, got 9" in told[0] and "got 9" not in caplog.text  # It may quote what is its user's.
    assert "(ZeroDivisionError)" in told[1] and "Reload the" in told[1]


def test_what_is_missing_is_named_on_a_page_that_is_not_blank(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "dashboard.session.app", None)
    document = Document()
    with patch_curdoc(document):
        runpy.run_path(str(ROOT / "dashboard" / "main.py"))
    (page,) = document.roots
    assert "could not" in page.text and "dashboard.session.app" in page.text
    assert "Traceback" in capsys.readouterr().err


def test_the_command_line_has_defaults_where_it_is_silent():
    assert arguments([])[-3:] == ["--show", "--address", "127.0.0.1"]
    assert arguments(["--no-show", "--port", "80", "--address=0.0.0.0"])[2:] == [
        "--port",
        "80",
        "--address=0.0.0.0",
    ]
    assert Path(arguments([])[1]) == ROOT / "dashboard"


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (1, "1"), (0.05, "0.05"), (20000, "20\u202f000"), (1e-6, "10⁻⁶"), (1.7979e-16, "1.8·10⁻¹⁶"),
     (9.9996e-8, "10⁻⁷"), (2.2228e-4, "2.22·10⁻⁴"), (math.inf, "∞"), (math.nan, "—"), (-3.5, "−3.5"), (1234.5, "1234"),
     (999.96, "1000")],
)  # fmt: skip
def test_numbers_read_as_a_person_writes_them(value, text):
    assert number_text.number_text(value) == text
