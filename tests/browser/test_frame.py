"""The frame in a real browser: what is saved, copied and printed, ways to and fro, dark, ledger and settings files."""

from __future__ import annotations

import csv
import io
import itertools
import json
import math
import re

import numpy as np
import pytest
from browser.visit import HELD
from PIL import Image

from dashboard.plotting.log_ticks import GAP, LABEL, MAJOR

pytest.importorskip("playwright.sync_api")

# Ends of logarithmic axes.
ENDS = ((1e-30, 2), (1e-3, 10), (0.9, 35), (2.5, 37), (2, 9), (3.1, 3.9), (180, 240), (0.0123, 0.0137))


def test_what_is_seen_is_explained_saved_copied_and_printed(visit):
    visit.context.grant_permissions(["clipboard-read", "clipboard-write"])
    visit.go("?page=gain&imbalance=37")
    visit.wait_until(visit.numbers)
    explained(visit.tab, visit)
    saved(visit.tab)
    tab = visit.tab
    tab.get_by_role("button", name="Python").click()
    tab.get_by_role("button", name="Copy", exact=True).click()
    text = visit.wait_until(lambda: tab.evaluate("navigator.clipboard.readText()"))
    assert "from core import cape" in text
    compile(text, "copied", "exec")
    visit.escape()
    tab.emulate_media(media="print")  # Neither buttons nor the frame.
    for name in ("Ledger", "CSV", "Start"):
        visit.wait_until(lambda name=name: not tab.get_by_role("button", name=name, exact=True).count())
    assert visit.main_picture.is_visible()
    tab.emulate_media(media="screen")


def explained(tab, visit):
    """Help opens and closes by keyboard, and a formula leads to its code."""
    mark, note = tab.get_by_label("Help: Sites S"), tab.get_by_text("A whole number from 2 to 50.")
    mark.focus()
    tab.keyboard.press("Enter")
    note.wait_for()
    tab.keyboard.press("Escape")
    visit.wait_until(lambda: not note.is_visible())
    tab.get_by_text("In code", exact=True).click()
    tab.get_by_role("region", name="Source of core.cape.gain").get_by_text("def").first.wait_for()


def saved(tab):
    """The first figure as PNG and SVG, and its numbers with their settings as CSV."""
    found = {}
    for kind in ("PNG", "SVG", "CSV"):
        ending = f".{kind.lower()}"
        with tab.expect_download(lambda one, end=ending: one.suggested_filename.endswith(end)) as file:
            tab.get_by_role("button", name=kind).click()
        found[kind] = file.value.path().read_bytes()
    assert Image.open(io.BytesIO(found["PNG"])).width >= 1920
    drawing = found["SVG"].decode()
    assert drawing.lstrip().startswith("<svg") and len(re.findall("<path", drawing)) > 3
    assert (
        'stroke-width="2.5"' in drawing and 'stroke-width="1.5"' not in drawing
    )  # Curves, and no rule at the setting.
    lines = found["CSV"].decode().splitlines()
    head = [line for line in lines if line.startswith("#")]
    assert "# imbalance = 37.0" in head and len(list(csv.DictReader(lines[len(head) :]))) > 10


def test_a_term_of_the_glossary_comes_into_sight_and_back_returns_with_the_settings(visit):
    visit.go("?page=gain&imbalance=37")
    tab = visit.tab
    tab.get_by_label("Help: Imbalance").click()
    tab.get_by_role("note").get_by_role("link", name="Glossary").locator("visible=true").click()
    tab.get_by_role("heading", name="Glossary", level=1).wait_for()
    tab.get_by_role("heading", name="Gain G").first.wait_for()
    visit.wait_until(lambda: "term=gain" in tab.url)
    # A link far below chooses a term, which stands at the top: it comes into sight.
    tab.get_by_role("link", name="Neighbours").last.click()
    visit.wait_until(lambda: "term=neighbours" in tab.url)
    chosen = tab.get_by_role("heading", name="Neighbours").first
    visit.wait_until(lambda: 0 < chosen.bounding_box()["y"] < 450)
    tab.go_back()
    tab.get_by_role("heading", name="Gain", level=1).wait_for()
    visit.wait_until(lambda: visit.slider("Imbalance").get_attribute("aria-valuetext") == "37")
    # Models that were built once are shown again after the detour.
    before = visit.numbers()
    visit.push("Imbalance", times=2)
    visit.wait_until(lambda: visit.numbers() != before)


def test_back_shows_the_page_of_the_address_whatever_the_server_still_says(visit):
    visit.go("?page=gain")
    tab = visit.tab
    tab.get_by_role("link", name="Sites", exact=True).click()
    tab.get_by_role("heading", name="Sites", level=1).wait_for()
    visit.wait_until(lambda: "page=sites" in tab.url)
    tab.evaluate(HELD)
    tab.get_by_role("link", name="Audit", exact=True).click()  # Its answer will come after the step back.
    tab.evaluate("history.back()")
    visit.wait_until(lambda: "page=gain" in tab.url)
    tab.evaluate("letGo()")
    tab.get_by_role("heading", name="Gain", level=1).wait_for()
    visit.wait_until(lambda: not tab.locator(".page-comes").evaluate("(bar) => Number(bar.style.opacity)"))
    assert "page=gain" in tab.url and tab.title().startswith("Gain")


def brightness(png):
    """Mean brightness of a screenshot, from 0 to 255."""
    return float(np.asarray(Image.open(io.BytesIO(png)).convert("L")).mean())


def test_dark_reaches_the_figures_is_remembered_and_stays_off_paper(visit):
    def ground():
        return next(iter(visit.on_figures("(figure) => figure.background_fill_color")), None)

    visit.go("?page=guarantee")
    light = visit.wait_until(ground)
    visit.tab.get_by_text("The mathematics", exact=True).click()
    visit.wait_until(lambda: visit.tab.locator("math").count() >= 4)
    visit.tab.get_by_role("button", name="Toggle theme").click()
    dark = visit.wait_until(lambda: ground() not in (light, None) and ground())
    visit.wait_until(lambda: brightness(visit.tab.screenshot()) < 80)
    visit.tab.emulate_media(media="print")
    visit.wait_until(lambda: brightness(visit.tab.screenshot()) > 215)
    # On paper there are settings instead of sliders.
    visit.tab.get_by_text(re.compile(r"^Settings\. ")).locator("visible=true").first.wait_for()
    visit.tab.emulate_media(media="screen")
    visit.open("?page=guarantee")
    visit.wait_until(lambda: ground() == dark)
    visit.tab.get_by_role("button", name="Toggle theme").click()
    visit.wait_until(lambda: ground() == light)


def test_an_edited_cell_changes_the_picture_and_a_bad_one_is_named(visit):
    visit.size(1400, 1200)
    visit.go("?page=sites")
    visit.tab.get_by_role("button", name="Change the sites").click()
    visit.tab.locator(".tabulator-cell:visible").first.wait_for()
    numbers = visit.wait_until(visit.numbers)

    def write(text):
        cell = visit.tab.locator(".tabulator-row:nth-child(1) .tabulator-cell[tabulator-field=size]")
        cell.click()
        cell.locator("input").fill(text)
        cell.locator("input").press("Enter")

    write("-5")
    problem = visit.tab.get_by_text("size must be a whole number")
    problem.wait_for()
    assert visit.numbers() == numbers
    write("700")
    visit.wait_until(lambda: visit.numbers() != numbers and "700" in visit.tab.url)
    problem.wait_for(state="hidden")


def test_the_ledger_counts_what_was_shown_and_forgets_it(visit):
    visit.open("?page=protocol&draws=100&schemes=cape")  # Anew, with an empty ledger.
    tab = visit.tab
    tab.get_by_role("button", name="Ledger").click()
    tab.get_by_text("This is a simulation").wait_for()
    tab.get_by_text("202 draws").wait_for()  # The conventional average is drawn beside CAPE's.
    tab.get_by_role("button", name="Reset").click()
    tab.get_by_text("Nothing was released yet").wait_for()
    tab.get_by_role("button", name="Close the ledger").click()
    visit.wait_until(lambda: not tab.get_by_text("Nothing was released yet").is_visible())


def test_settings_go_into_a_file_and_come_back(visit):
    visit.go("?page=gain&imbalance=37")
    tab = visit.tab
    visit.wait_until(visit.numbers)
    tab.get_by_role("button", name="Settings file").click()
    with tab.expect_download() as download:
        tab.get_by_role("button", name="Save settings").click()
    text, numbers, payload = (
        download.value.path().read_text(),
        visit.numbers(),
        "<img src=x onerror=window.hacked=1>",
    )
    assert "imbalance=37" in text
    visit.escape()
    visit.go("?page=protocol")
    tab.get_by_role("button", name="Settings file").click()
    field = tab.get_by_role("dialog").locator("input[type=file]")
    bad = {"name": f"{payload}.json", "mimeType": "", "buffer": payload.encode()}
    visit.hand_in(field, bad, tab.get_by_role("alert").get_by_text("not a settings file").count)
    visit.escape()
    tab.get_by_role("button", name="Settings file").click()
    file = json.loads(text)
    file["links"].append(f"?page={payload}")
    good = {"name": "good.json", "mimeType": "", "buffer": json.dumps(file).encode()}
    visit.hand_in(field, good, tab.get_by_role("heading", name="Gain", level=1).count)
    # The figures of the page that was left are still there for a while.
    visit.wait_until(lambda: set(numbers.splitlines()) <= set(visit.numbers().splitlines()))
    tab.get_by_role("alert").get_by_text("there is no page").first.wait_for()
    assert tab.evaluate("window.hacked") is None


@pytest.mark.parametrize("side", GAP)
def test_a_logarithmic_axis_has_round_ticks_that_do_not_touch(visit, side):
    length = 300
    run = "([a, code]) => new Function(...Object.keys(a), code)(...Object.values(a))"
    name = "([ticks, code]) => ticks.map((tick) => new Function('tick', 'ticks', code)(tick, ticks))"
    visit.ready()
    for low, high in ENDS:
        data = {"start": low, "end": high}
        plot = {"cb_data": data, "plot": {side: length, "tags": []}, "side": side, "gap": GAP[side]}
        ticks = visit.tab.evaluate(run, [plot, MAJOR])
        labels = visit.tab.evaluate(name, [ticks, LABEL])
        assert len(ticks) >= 3 and low <= ticks[0] * (1 + 1e-9) and ticks[-1] <= high * (1 + 1e-9)
        places = [length * math.log(tick / low) / math.log(high / low) for tick in ticks]
        assert min(b - a for a, b in itertools.pairwise(places)) > 0.9 * GAP[side]
        assert len(set(labels)) == len(labels) and max(map(len, labels)) <= 7
