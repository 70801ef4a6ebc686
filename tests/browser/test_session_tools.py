"""What the header holds, in a real browser: lecture by keyboard, ledger, settings file."""

from __future__ import annotations

import json

import pytest
from browser.visit import Visit

pytest.importorskip("playwright.sync_api")


def test_a_lecture_is_given_by_keyboard_and_left_with_escape(browser, server):
    with Visit(browser, server, width=1280, height=720) as visit:
        visit.open("?page=gain")
        tab = visit.tab
        tab.get_by_role("button", name="Lecture", exact=True).click()
        tab.get_by_role("heading", name="With equal sites", level=1).wait_for()
        tab.get_by_text("Gain · 1 of 4").wait_for()
        assert (
            tab.get_by_text("Settings", exact=True).count() == 0
            or not tab.get_by_text("Settings", exact=True).is_visible()
        )
        visit.slider("Imbalance").focus()  # A clicker's keys move the lecture from wherever the focus is.
        tab.keyboard.press("PageDown")
        tab.get_by_role("heading", name="The more sites", level=1).wait_for()
        visit.wait_until(lambda: visit.slider("Imbalance").get_attribute("aria-valuetext") == "1")
        tab.keyboard.press("ArrowRight")  # Arrows belong to the slider that has the focus.
        visit.wait_until(lambda: visit.slider("Imbalance").get_attribute("aria-valuetext") != "1")
        tab.locator("h1").first.click()
        tab.evaluate("document.activeElement?.blur()")
        tab.keyboard.press("ArrowRight")
        tab.get_by_role("heading", name="Unequal sites", level=1).wait_for()
        visit.wait_until(lambda: "lecture=3" in tab.url)
        visit.wait_until(lambda: visit.sideways() == 0)
        tab.keyboard.press("Escape")
        tab.get_by_role("heading", name="Gain", level=1).wait_for()
        visit.wait_until(lambda: "lecture" not in tab.url)
        assert visit.errors == []


def test_escape_closes_a_dialog(browser, server):
    with Visit(browser, server) as visit:
        visit.open("?page=gain")
        for name, words in (("Settings file", "The file holds"), ("Python", "computed by the package alone")):
            visit.tab.get_by_role("button", name=name, exact=True).click()
            visit.tab.get_by_text(words).wait_for()
            visit.tab.keyboard.press("Escape")
            visit.tab.get_by_text(words).wait_for(state="hidden")


def test_printed_are_neither_buttons_nor_the_frame(browser, server):
    with Visit(browser, server) as visit:
        visit.open("?page=gain")
        visit.wait_until(visit.numbers)
        visit.tab.emulate_media(media="print")
        for name in ("Ledger", "CSV", "Start"):
            visit.wait_until(
                lambda name=name: not visit.tab.get_by_role("button", name=name, exact=True).count()
            )
        assert visit.main_picture.is_visible()
        visit.tab.emulate_media(media="screen")


def test_the_ledger_counts_what_was_shown_and_forgets_it(browser, server):
    with Visit(browser, server) as visit:
        visit.open("?page=averaging&draws=100&schemes=cape")
        tab = visit.tab
        tab.get_by_role("button", name="Ledger").click()
        tab.get_by_text("This is a simulation").wait_for()
        tab.get_by_text("200 draws").wait_for()  # The conventional average is drawn beside CAPE's.
        tab.get_by_role("button", name="Reset").click()
        tab.get_by_text("Nothing was released yet").wait_for()
        tab.get_by_role("button", name="Close the ledger").click()
        visit.wait_until(lambda: not tab.get_by_text("Nothing was released yet").is_visible())
        assert visit.errors == []


def test_settings_go_into_a_file_and_come_back(browser, server, tmp_path):
    with Visit(browser, server) as visit:
        visit.open("?page=gain&imbalance=37")
        tab = visit.tab
        visit.wait_until(visit.numbers)
        tab.get_by_role("button", name="Settings file").click()
        with tab.expect_download() as download:
            tab.get_by_role("button", name="Save settings").click()
        text = download.value.path().read_text()
        assert json.loads(text)["pages"]["gain"]["imbalance"] == "37"
        numbers = visit.numbers()
        visit.open("?page=start")
        payload = "<img src=x onerror=window.hacked=1>"
        for name, content in (
            ("bad.json", payload),
            ("notes.txt", payload),
            ("good.json", text.replace('"pages": {', f'"pages": {{"{payload}": {{}}, ', 1)),
        ):
            (tmp_path / name).write_text(content)
            if not tab.get_by_role("dialog").count():
                tab.get_by_role("button", name="Settings file").click()
            tab.locator("input[type=file]").last.set_input_files(tmp_path / name)
            if name != "good.json":
                tab.get_by_role("alert").get_by_text("This is no settings file").wait_for()
                tab.get_by_label("close", exact=True).click()
                tab.get_by_text("This is no settings file").wait_for(state="hidden")
        tab.get_by_role("heading", name="Gain", level=1).wait_for()
        # The figures of the page that was left are still there for a while.
        visit.wait_until(lambda: set(numbers.splitlines()) <= set(visit.numbers().splitlines()))
        tab.get_by_role("alert").get_by_text("there is no page").first.wait_for()
        assert tab.evaluate("window.hacked") is None


def test_help_code_and_glossary_by_keyboard(browser, server):
    with Visit(browser, server) as visit:
        visit.open("?page=gain&imbalance=37")
        tab = visit.tab
        mark, note = tab.get_by_label("Help: Sites S"), tab.get_by_text("A whole number from 2 to 50.")
        mark.focus()
        tab.keyboard.press("Enter")
        note.wait_for()
        tab.keyboard.press("Escape")
        visit.wait_until(lambda: not note.is_visible())
        tab.get_by_role("button", name="In code").click()
        tab.get_by_role("region", name="Source of core.cape.gain").get_by_text("def").first.wait_for()
        tab.get_by_label("Help: Imbalance").click()
        tab.get_by_role("note").get_by_role("link", name="Glossary").locator("visible=true").click()
        tab.get_by_role("heading", name="Glossary", level=1).wait_for()
        tab.get_by_role("heading", name="Gain G").first.wait_for()
        visit.wait_until(lambda: "term=gain" in tab.url)
        tab.go_back()
        tab.get_by_role("heading", name="Gain", level=1).wait_for()
        visit.wait_until(lambda: visit.slider("Imbalance").get_attribute("aria-valuetext") == "37")
        assert visit.errors == []
