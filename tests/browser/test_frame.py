"""The frame in a real browser: what is saved, copied and printed, back and forth, dark, connection, ledger, files."""

from __future__ import annotations

import csv
import io
import itertools
import json
import math
import re

import numpy as np
import pytest
from PIL import Image

from browser.visit import HELD
from dashboard.plotting.log_ticks import GAP, LABEL, MAJOR

pytest.importorskip("playwright.sync_api")

# Ends of logarithmic axes.
ENDS = ((1e-30, 2), (1e-3, 10), (0.9, 35), (2.5, 37), (2, 9), (3.1, 3.9), (180, 240), (0.0123, 0.0137))

# Whether what is drawn with backgrounds is printed even if the reader's browser prints none: "exact" or "economy".
PRINTED = """() => {
  const roots = [document], found = new Set()
  for (const root of roots)
    for (const element of root.querySelectorAll("*")) {
      if (element.shadowRoot) roots.push(element.shadowRoot)
      const style = getComputedStyle(element)
      if (style.backgroundColor !== "rgba(0, 0, 0, 0)") found.add(style.printColorAdjust)
    }
  return [...found]
}"""


def test_a_page_is_explained_saved_copied_left_for_the_glossary_and_comes_back_from_a_file(visit):
    visit.context.grant_permissions(["clipboard-read", "clipboard-write"])
    visit.go("?page=gain&imbalance=37")
    numbers = visit.wait_until(visit.numbers)
    explained(visit.tab, visit)
    saved(visit.tab)
    copied(visit.tab, visit)
    text = settings_file(visit.tab, visit)
    glossary_and_back(visit.tab, visit)
    visit.push("Imbalance", times=2)  # Models that were built once are shown again after the detour.
    visit.wait_until(lambda: visit.numbers() != numbers)
    comes_back(visit.tab, visit, text, numbers)


def explained(tab, visit):
    """Help opens and closes by keyboard, mathematics is typeset on this machine, and a formula leads to its code."""
    mark, note = tab.get_by_label("Help: Sites S"), tab.get_by_text("A whole number from 2 to 50.")
    mark.focus()
    tab.keyboard.press("Enter")
    note.wait_for()
    tab.keyboard.press("Escape")
    visit.wait_until(lambda: not note.is_visible())
    tab.get_by_text("The mathematics", exact=True).click()
    tab.locator("math").first.wait_for()
    tab.get_by_text("In code", exact=True).click()
    tab.get_by_role("region", name="Source of core.cape.gain").get_by_text("def").first.wait_for()


def saved(tab):
    """The first figure as PNG and SVG, and its numbers with their settings as CSV."""
    found = {}
    for kind in ("PNG", "SVG", "CSV"):
        ending = f".{kind.lower()}"
        with tab.expect_download(lambda one, end=ending: one.suggested_filename.endswith(end)) as file:
            tab.get_by_role("button", name="Export").click()
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


def copied(tab, visit):
    """The program of the page is in the clipboard, and is one."""
    tab.get_by_role("button", name="Export").click()
    tab.get_by_role("button", name="Python").click()
    tab.get_by_role("button", name="Copy", exact=True).click()
    text = visit.wait_until(lambda: tab.evaluate("navigator.clipboard.readText()"))
    assert "from core import cape" in text
    compile(text, "copied", "exec")
    visit.escape()


def settings_file(tab, visit):
    """The text of the file that the settings go into."""
    tab.get_by_role("button", name="Settings file").click()
    # The page's other figures may still be on their way.
    with tab.expect_download(lambda file: file.suggested_filename.endswith(".json")) as download:
        tab.get_by_role("button", name="Save settings").click()
    text = download.value.path().read_text()
    assert "imbalance=37" in text
    visit.escape()
    return text


def glossary_and_back(tab, visit):
    """A term comes into sight, and the step back returns with the settings."""
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


def comes_back(tab, visit, text, numbers):
    """What is no settings file is refused; one with a bad link brings the settings of the others."""
    payload = "<img src=x onerror=window.hacked=1>"
    tab.get_by_role("button", name="Settings file").click()
    field = tab.get_by_role("dialog").locator("input[type=file]")
    bad = {"name": f"{payload}.json", "mimeType": "", "buffer": payload.encode()}
    visit.hand_in(field, bad, tab.get_by_role("alert").get_by_text("not a settings file").count)
    visit.escape()
    tab.get_by_role("button", name="Settings file").click()
    file = json.loads(text)
    file["links"].append(f"?page={payload}")
    good = {"name": "good.json", "mimeType": "", "buffer": json.dumps(file).encode()}
    visit.hand_in(field, good, tab.get_by_role("alert").get_by_text("there is no page").count)
    visit.wait_until(lambda: visit.numbers() == numbers and "imbalance=37" in tab.url)
    assert tab.evaluate("window.hacked") is None


def brightness(png):
    """Mean brightness of a screenshot, from 0 to 255."""
    return float(np.asarray(Image.open(io.BytesIO(png)).convert("L")).mean())


def test_back_wins_over_a_late_page_and_dark_outlives_a_lost_connection_but_not_paper(visit):
    tab = visit.tab
    visit.go("?page=gain&sites=7&imbalance=37")
    back_before_the_answer(tab, visit)
    dark_but_not_on_paper(tab, visit)
    lost_and_found(tab, visit)
    assert brightness(tab.screenshot()) < 80
    ledger(tab, visit)
    visit.lit(dark=False)


def dark_but_not_on_paper(tab, visit):
    """Dark reaches the figures; on paper there are neither buttons nor the frame, and settings instead of sliders."""

    def ground():
        return next(iter(visit.on_figures("(figure) => figure.background_fill_color")), None)

    visit.lit(dark=False)
    light = visit.wait_until(ground)
    visit.lit(dark=True)
    visit.wait_until(lambda: ground() not in (light, None))
    visit.wait_until(lambda: brightness(tab.screenshot()) < 80)
    tab.emulate_media(media="print")
    visit.wait_until(lambda: brightness(tab.screenshot()) > 215)
    for name in ("Ledger", "CSV", "Start"):
        visit.wait_until(lambda name=name: not tab.get_by_role("button", name=name, exact=True).count())
    assert visit.main_picture.is_visible()
    assert tab.evaluate(PRINTED) == ["exact"]
    tab.get_by_text(re.compile(r"^Settings\. ")).locator("visible=true").first.wait_for()
    tab.emulate_media(media="screen")


def lost_and_found(tab, visit):
    """A lost connection is said, and the page comes back into the same state."""
    address, numbers = tab.url, visit.wait_until(visit.numbers)
    tab.route("**/favicon.svg", lambda route: route.abort())
    tab.evaluate("window.dispatchEvent(new Event('offline'))")
    sign = tab.get_by_text("The server does not answer")
    sign.wait_for()
    tab.evaluate("window.dispatchEvent(new Event('offline'))")
    assert sign.count() == 1
    tab.unroute("**/favicon.svg")
    tab.evaluate("window.dispatchEvent(new Event('online'))")
    sign.wait_for(state="detached")
    with tab.expect_event("load"):
        visit.sever()
    assert "Connection lost, reconnecting" in tab.evaluate("sessionStorage.sign")
    visit.stands()
    visit.wait_until(lambda: tab.url == address and visit.numbers() == numbers)
    visit.errors.clear()  # The favicon that was held back.


def back_before_the_answer(tab, visit):
    """The step back shows the page of the address, though another one comes late."""
    tab.get_by_role("link", name="Glossary", exact=True).click()
    tab.get_by_role("heading", name="Glossary", level=1).wait_for()
    visit.wait_until(lambda: "page=glossary" in tab.url)
    tab.evaluate(HELD)
    tab.get_by_role("link", name="Papers", exact=True).click()  # Its answer will come after the step back.
    tab.evaluate("history.back()")
    visit.wait_until(lambda: "page=gain" in tab.url)
    tab.evaluate("letGo()")
    tab.get_by_role("heading", name="Gain", level=1).wait_for()
    visit.wait_until(lambda: not tab.locator(".page-comes").evaluate("(bar) => Number(bar.style.opacity)"))
    assert "page=gain" in tab.url and tab.title().startswith("Gain")


def ledger(tab, visit):
    """The ledger counts what was shown in the session that began with the connection, and forgets it."""
    visit.go("?page=protocol&draws=100&schemes=cape")
    tab.get_by_role("button", name="Ledger").click()
    tab.get_by_text("This is a simulation").wait_for()
    tab.get_by_text("202 draws").wait_for()  # The conventional average is drawn beside CAPE's.
    tab.get_by_role("button", name="Reset").click()
    tab.get_by_text("Nothing was released yet").wait_for()
    tab.get_by_role("button", name="Close the ledger").click()
    visit.wait_until(lambda: not tab.get_by_text("Nothing was released yet").is_visible())


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
