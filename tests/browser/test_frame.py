"""The frame in a real browser: navigation, links, light and dark, lecture, ledger, files, pinned and hidden curves."""

from __future__ import annotations

import csv
import io
import itertools
import json
import math
import re
from urllib.parse import urlsplit

import numpy as np
import pytest
from browser.visit import HEARS, Visit
from PIL import Image

from dashboard.plotting.log_ticks import GAP, LABEL, MAJOR

pytest.importorskip("playwright.sync_api")

FEW = "repeats=1&samples=60&schemes=cape"  # Runs that are soon over, where a test is about words or places.


def test_on_a_phone_the_drawer_is_shut_and_a_page_opened_from_it_shuts_it_again(browser, server):
    with Visit(browser, server, width=420, dark=True) as visit:
        visit.open("?page=protocol")
        visit.wait_until(visit.numbers)
        visit.wait_until(lambda: visit.sideways() == 0)
        visit.tab.get_by_role("button", name="Open drawer").click()
        visit.tab.get_by_role("link", name="Gain", exact=True).click()
        visit.tab.get_by_role("heading", name="Gain", level=1).wait_for()
        visit.tab.get_by_role("button", name="Open drawer").wait_for()
        assert visit.errors == []


# The heights of all parts of a kind that are drawn, wherever they are.
_LOOK_INSIDE = """window.heights = (part, root = document) => [...root.querySelectorAll("*")].flatMap((e) => [
  ...(e.shadowRoot ? heights(part, e.shadowRoot) : []),
  ...(e.matches(part) && e.getBoundingClientRect().height ? [e.getBoundingClientRect().height] : []),
])"""


def test_a_thumb_scrolls_over_a_slider_and_slides_it_and_finds_what_it_needs(browser, server):
    context = browser.browser.new_context(
        viewport={"width": 420, "height": 900}, has_touch=True, is_mobile=True
    )
    with Visit(context, server, width=420) as visit:
        visit.open("?page=gain")
        tab, keys = visit.tab, context.new_cdp_session(visit.tab)
        slider = visit.slider("Sites S")

        def drag(across, along):
            box = slider.bounding_box()
            x, y = box["x"] + 0.45 * box["width"], box["y"] + box["height"] / 2
            for kind, part in [("Start", 0), *(("Move", i / 10) for i in range(1, 11)), ("End", None)]:
                points = [] if part is None else [{"x": x + part * across, "y": y + part * along}]
                keys.send("Input.dispatchTouchEvent", {"type": f"touch{kind}", "touchPoints": points})
                tab.wait_for_timeout(16)  # A slow finger: what it scrolls stops with it.
            tab.wait_for_timeout(300)
            return box["y"]

        was = drag(0, -300)
        visit.wait_until(lambda: slider.bounding_box()["y"] < was - 100)
        assert slider.input_value() == "10"
        drag(80, 4)
        visit.wait_until(lambda: slider.input_value() not in ("10", "23"))
        visit.wait_until(lambda: f"sites={slider.input_value()}" in tab.url)
        help_ = tab.get_by_label("Help: Sites S").first
        hits = "(part) => getComputedStyle(part, '::before')"
        assert help_.evaluate(f"{hits}.height") == "44px" and help_.evaluate(f"{hits}.width") == "44px"
        for name in ("Lecture", "Ledger", "Settings file"):
            assert tab.get_by_text(name, exact=True).bounding_box()["height"] > 10
        visit.go(f"?page=pca&{FEW}")

        def side_by_side():
            own = tab.get_by_role("button", name="Use your own table").bounding_box()
            menu = tab.get_by_role("combobox", name="Records").bounding_box()
            apart = menu["x"] + menu["width"] < own["x"] and own["x"] + own["width"] <= 404
            return apart and abs(menu["y"] - own["y"]) < 12 and visit.sideways() == 0

        visit.wait_until(side_by_side)
        tab.evaluate(f"() => {{ {_LOOK_INSIDE} }}")
        for part in (".field button", ".chip"):
            assert min(tab.evaluate("(part) => heights(part)", part)) >= 44, part
        visit.go("?page=limits&lecture=1")
        forward = tab.get_by_role("button", name="Next step")
        visit.wait_until(lambda: forward.bounding_box()["y"] > 840)
        slider = visit.slider("Sites S")
        visit.wait_until(lambda: slider.bounding_box()["y"] + slider.bounding_box()["height"] < 844)
        # A lecture that begins on an open page sends the letters of a hall to its figures.
        visit.go("?page=gain")
        tab.get_by_role("button", name="Lecture").click()
        tab.get_by_text("Gain · 1 of 4").wait_for()
        letters = (
            "title => [...Bokeh.documents[0].all_models].find(m => m.text?.startsWith(title))?.text_font_size"
        )
        visit.wait_until(lambda: tab.evaluate(letters, "Gain at") == "16px")
        assert visit.errors == []
    context.close()


# Everything that a thumb presses, with the height of what it hits: a pseudo-element may be larger than what is drawn.
_LOW = """() => {
  const presses = "button, select, summary, .MuiSelect-select, .box, .switch, .all, .down, .try, nav a, h2 a, header a"
  const reach = (part, which) => {
    const over = getComputedStyle(part, which)
    return over.content !== "none" && over.position === "absolute" ? parseFloat(over.height) : 0
  }
  const inside = (root) => [...root.querySelectorAll("*")].flatMap((part) => {
    const within = part.shadowRoot ? inside(part.shadowRoot) : []
    const drawn = part.matches(presses) && !part.disabled && part.checkVisibility() && part.getBoundingClientRect().height
    const hit = drawn && Math.max(drawn, reach(part, "::before"), reach(part, "::after"))
    const name = part.getAttribute("aria-label") || part.textContent.trim()
    return drawn && hit < 43.9 ? [...within, `${name.slice(0, 40)}: ${hit}`] : within
  })
  return inside(document)
}"""


def test_what_a_thumb_presses_on_a_phone_is_44_pixels_high(browser, server):
    with Visit(browser, server, width=420) as visit:
        for page in ("protocol", "glossary", "pca", "findings", "plan"):
            visit.open(f"?page={page}")
            assert visit.tab.evaluate(_LOW) == [], page
        visit.tab.get_by_role("button", name="Open drawer").click()
        visit.tab.get_by_role("link", name="Gain", exact=True).wait_for()
        assert visit.tab.evaluate(_LOW) == []
        assert visit.errors == []


# The families of all text that stands, but those of signs and of code.
_FAMILIES = """() => {
  const found = new Set(), collect = (root) => root.querySelectorAll("*").forEach((part) => {
    const says = [...part.childNodes].some((one) => one.nodeType === Node.TEXT_NODE && one.data.trim())
    if (says && part.checkVisibility()) found.add(getComputedStyle(part).fontFamily.split(",")[0])
    if (part.shadowRoot) collect(part.shadowRoot)
  })
  collect(document.body)
  return [...found].sort()
}"""


def test_all_text_has_the_letters_of_the_first_picture(visit):
    # Text of a family that the library's style sheets define vanishes while they load.
    for query in ("?page=pca&" + FEW, "?page=protocol", "?page=plan"):
        visit.open(query)
        visit.wait_until(lambda: set(visit.tab.evaluate(_FAMILIES)) - {"Letters"})
        assert {*visit.tab.evaluate(_FAMILIES)} - {"monospace"} == {'"Material Icons"', "Letters"}


def test_navigation_writes_history_and_back_returns_with_its_settings(visit):
    visit.go("?page=gain&imbalance=37")
    visit.tab.get_by_role("link", name="Guarantee", exact=True).click()
    visit.tab.get_by_role("heading", name="Guarantee", level=1).wait_for()
    visit.wait_until(lambda: "page=guarantee" in visit.tab.url)
    visit.tab.go_back()
    visit.tab.get_by_role("heading", name="Gain", level=1).wait_for()
    visit.wait_until(lambda: visit.slider("Imbalance").get_attribute("aria-valuetext") == "37")
    # Models that were built once are shown again after the detour.
    before = visit.numbers()
    visit.push("Imbalance", times=2)
    visit.wait_until(lambda: visit.numbers() != before)


def test_bad_values_in_a_link_are_named_ignored_and_harmless(visit):
    payload = "%3Cimg%20src%3Dx%20onerror%3D%22window.hacked%3D1%22%3E"
    visit.open(f"?page=gain&sites={payload}&samples=-5&imbalance=50&{payload}=1")
    notice = visit.tab.get_by_role("alert").first.inner_text()
    assert "sites must be a whole number from 2 to 50" in notice
    assert "samples must be a whole number" in notice
    assert visit.slider("Imbalance").get_attribute("aria-valuetext") == "50"
    assert visit.slider("Sites").get_attribute("aria-valuenow") == "10"
    assert visit.tab.evaluate("window.hacked") is None


def brightness(png):
    """Mean brightness of a screenshot, from 0 to 255."""
    return float(np.asarray(Image.open(io.BytesIO(png)).convert("L")).mean())


def test_dark_reaches_the_figures_and_is_remembered(visit):
    def ground():
        return next(iter(visit.on_figures("(figure) => figure.background_fill_color")), None)

    visit.go("?page=guarantee")
    light = visit.wait_until(ground)
    visit.tab.get_by_role("button", name="Toggle theme").click()
    dark = visit.wait_until(lambda: ground() not in (light, None) and ground())
    visit.go("?page=gain")
    visit.wait_until(lambda: brightness(visit.tab.screenshot()) < 80)
    visit.tab.emulate_media(media="print")
    visit.wait_until(
        lambda: brightness(visit.tab.screenshot()) > 215
    )  # Paper is light, with settings instead of sliders.
    visit.tab.get_by_text("Settings. Records a site Nₛ: 1000").wait_for()
    visit.tab.emulate_media(media="screen")
    visit.open("?page=guarantee")
    visit.wait_until(lambda: ground() == dark)
    visit.tab.get_by_role("button", name="Toggle theme").click()
    visit.wait_until(lambda: ground() == light)


def test_mathematics_is_typeset_without_leaving_the_machine(visit):
    visit.go("?page=guarantee")
    visit.tab.get_by_role("button", name="The mathematics").click()
    formulas = visit.tab.locator("mjx-container svg")
    visit.wait_until(lambda: formulas.count() >= 4)
    visit.wait_until(lambda: visit.tab.get_by_text("$$").count() == 0)


def test_csv_carries_settings_and_numbers(visit):
    visit.go("?page=guarantee&epsilon=0.5&noise=20")
    with visit.tab.expect_download() as download:
        visit.tab.get_by_role("button", name="CSV").click()
    lines = download.value.path().read_text().splitlines()
    head = [line for line in lines if line.startswith("#")]
    assert head[0].startswith("# CAPE Lab")
    assert "# epsilon = 0.5" in head and "# noise = 20.0" in head
    rows = list(csv.DictReader(lines[len(head) :]))
    assert len(rows) > 50
    assert float(rows[0]["cape_exact"]) > float(rows[-1]["cape_exact"])


def test_svg_and_png_are_saved(visit):
    """A file for each figure; the first of each kind is looked at."""
    visit.go("?page=gain")
    found = {}
    for kind in ("PNG", "SVG"):
        ending = f".{kind.lower()}"
        with visit.tab.expect_download(
            lambda file, ending=ending: file.suggested_filename.endswith(ending)
        ) as file:
            visit.tab.get_by_role("button", name=kind).click()
        found[kind] = file.value.path().read_bytes()
    assert found["PNG"].startswith(b"\x89PNG") and Image.open(io.BytesIO(found["PNG"])).width >= 1900
    drawing = found["SVG"].decode()
    assert drawing.lstrip().startswith("<svg")
    assert len(re.findall("<path", drawing)) > 3


def test_python_of_the_picture_is_shown_and_copied(visit):
    visit.context.grant_permissions(["clipboard-read", "clipboard-write"])
    visit.go("?page=gain&imbalance=37")
    visit.tab.get_by_role("button", name="Python").click()
    visit.tab.get_by_role("button", name="Copy", exact=True).click()
    text = visit.wait_until(lambda: visit.tab.evaluate("navigator.clipboard.readText()"))
    assert "from core import cape" in text
    compile(text, "copied", "exec")
    visit.escape()


def test_the_link_opens_the_same_picture(browser, server):
    with Visit(browser, server) as visit:
        visit.open("?page=protocol&epsilon=0.3&sites=7&step=5")
        before = visit.wait_until(visit.numbers)
        visit.tab.get_by_role("button", name="New noise").click()
        visit.wait_until(lambda: visit.numbers() != before)
        visit.wait_until(lambda: "noise_seed" in visit.tab.url)
        with Visit(browser, server) as other:
            other.open("?" + urlsplit(visit.tab.url).query)
            other.wait_until(lambda: other.numbers() == visit.numbers() != before)


def legend(visit):
    """Legend entries of all figures."""
    return visit.tab.evaluate(
        """() => [...Bokeh.documents[0]._all_models.values()].filter((m) => m.type === "LegendItem")
                 .map((m) => (m.label?.value ?? "").trim())"""
    )


def test_a_pinned_curve_stays_while_a_slider_moves_and_goes_when_unpinned(visit):
    visit.go("?page=gain")
    visit.tab.get_by_role("button", name="Pin", exact=True).click()
    visit.push("Colluding sites", times=3)
    painted = visit.main_picture.screenshot()
    visit.tab.get_by_role("button", name="Unpin").click()
    visit.wait_until(lambda: visit.main_picture.screenshot() != painted)
    visit.tab.get_by_role("button", name="Unpin").wait_for(state="hidden")


@pytest.fixture(scope="module")
def blank(browser):
    """An empty tab in which functions run."""
    tab = browser.new_page()
    yield tab
    tab.close()


@pytest.mark.parametrize("side", GAP)
@pytest.mark.parametrize(
    ("low", "high"),
    [(1e-30, 2), (1e-3, 10), (0.9, 35), (2.5, 37), (2, 9), (3.1, 3.9), (180, 240), (0.0123, 0.0137)],
)
def test_a_logarithmic_axis_has_round_ticks_that_do_not_touch(blank, low, high, side):
    length = 300
    plot = {side: length, "tags": []}
    data = {"cb_data": {"start": low, "end": high}, "plot": plot, "side": side, "gap": GAP[side]}
    run = "([a, code]) => new Function(...Object.keys(a), code)(...Object.values(a))"
    ticks = blank.evaluate(run, [data, MAJOR])
    labels = blank.evaluate(
        "([ticks, code]) => ticks.map((tick) => new Function('tick', 'ticks', code)(tick, ticks))",
        [ticks, LABEL],
    )
    assert len(ticks) >= 3 and low <= ticks[0] * (1 + 1e-9) and ticks[-1] <= high * (1 + 1e-9)
    places = [length * math.log(tick / low) / math.log(high / low) for tick in ticks]
    assert min(b - a for a, b in itertools.pairwise(places)) > 0.9 * GAP[side]
    assert len(set(labels)) == len(labels) and max(map(len, labels)) <= 7


def test_a_lecture_is_given_by_keyboard_and_left_with_escape(visit):
    visit.size(1280, 720)
    visit.go("?page=gain")
    tab = visit.tab
    tab.get_by_role("button", name="Lecture", exact=True).click()
    tab.get_by_role(
        "heading", name="By what factor does CAPE reduce the standard deviation?", level=1
    ).wait_for()
    tab.get_by_text("Gain · 1 of 4").wait_for()
    visit.wait_until(lambda: not tab.get_by_text("Examples", exact=True).locator("visible=true").count())
    visit.slider("Sites S").focus()
    tab.keyboard.press("ArrowRight")  # Arrows belong to the slider that has the focus.
    visit.wait_until(lambda: visit.slider("Sites S").get_attribute("aria-valuetext") != "10")
    visit.lecture("PageDown")  # A clicker's keys move the lecture from wherever the focus is.
    tab.get_by_role("heading", name="More sites, larger gain", level=1).wait_for()
    visit.wait_until(lambda: visit.slider("Sites S").get_attribute("aria-valuetext") == "50")
    tab.locator("h1").first.click()
    tab.evaluate("document.activeElement?.blur()")
    visit.lecture("ArrowRight")
    tab.get_by_role("heading", name="Equal weights are inefficient", level=1).wait_for()
    visit.wait_until(lambda: "lecture=3" in tab.url)
    visit.wait_until(lambda: visit.sideways() == 0)
    visit.lecture("Escape")
    tab.get_by_role("heading", name="Gain", level=1).wait_for()
    visit.wait_until(lambda: "lecture" not in tab.url)


def test_escape_closes_a_dialog(visit):
    visit.go("?page=gain")
    for name, words in (
        ("Settings file", "The file holds"),
        ("Python", "computes the numbers of the picture"),
    ):
        visit.tab.get_by_role("button", name=name, exact=True).click()
        visit.tab.get_by_text(words).wait_for()
        visit.escape()
        visit.tab.get_by_text(words).wait_for(state="hidden")


def test_printed_are_neither_buttons_nor_the_frame(visit):
    visit.go("?page=gain")
    visit.wait_until(visit.numbers)
    visit.tab.emulate_media(media="print")
    for name in ("Ledger", "CSV", "Start"):
        visit.wait_until(lambda name=name: not visit.tab.get_by_role("button", name=name, exact=True).count())
    assert visit.main_picture.is_visible()
    visit.tab.emulate_media(media="screen")


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


def test_settings_go_into_a_file_and_come_back(visit, tmp_path):
    visit.go("?page=gain&imbalance=37")
    tab = visit.tab
    visit.wait_until(visit.numbers)
    tab.get_by_role("button", name="Settings file").click()
    with tab.expect_download() as download:
        tab.get_by_role("button", name="Save settings").click()
    text = download.value.path().read_text()
    assert json.loads(text)["pages"]["gain"]["imbalance"] == "37"
    numbers = visit.numbers()
    visit.open("?page=protocol")
    payload = "<img src=x onerror=window.hacked=1>"
    for name, content in (
        ("bad.json", payload),
        ("notes.txt", payload),
        ("good.json", text.replace('"pages": {', f'"pages": {{"{payload}": {{}}, ', 1)),
    ):
        (tmp_path / name).write_text(content)
        tab.get_by_role("button", name="Settings file").click()
        field = tab.get_by_role("dialog").locator("input[type=file]")
        if name != "good.json":
            refusal = tab.get_by_role("alert").get_by_text("This is not a settings file")
            visit.hand_in(field, tmp_path / name, refusal.count)
            tab.get_by_label("close", exact=True).click()
            tab.get_by_role("dialog").wait_for(state="hidden")
        else:
            visit.hand_in(field, tmp_path / name, tab.get_by_role("heading", name="Gain", level=1).count)
    # The figures of the page that was left are still there for a while.
    visit.wait_until(lambda: set(numbers.splitlines()) <= set(visit.numbers().splitlines()))
    tab.get_by_role("alert").get_by_text("there is no page").first.wait_for()
    assert tab.evaluate("window.hacked") is None


def test_help_code_and_glossary_by_keyboard(visit):
    visit.go("?page=gain&imbalance=37")
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
    # A link far below chooses a term, which stands at the top: it comes into sight.
    tab.get_by_role("link", name="Neighbours").last.click()
    visit.wait_until(lambda: "term=neighbours" in tab.url)
    chosen = tab.get_by_role("heading", name="Neighbours").first
    visit.wait_until(lambda: 0 < chosen.bounding_box()["y"] < 450)
    tab.go_back()
    tab.get_by_role("heading", name="Gain", level=1).wait_for()
    visit.wait_until(lambda: visit.slider("Imbalance").get_attribute("aria-valuetext") == "37")


HELD = """() => {
  const send = WebSocket.prototype.send
  window.held = []
  WebSocket.prototype.send = function (message) {
    if (window.holds) held.push([this, message])
    else send.call(this, message)
  }
  window.letGo = () => {
    window.holds = false
    for (const [socket, message] of held.splice(0)) send.call(socket, message)
  }
  window.holds = true
}"""


def test_keys_that_come_before_a_slide_are_dropped_and_a_bar_shows_that_it_comes(visit):
    visit.go("?page=gain")
    tab = visit.tab
    tab.get_by_role("button", name="Lecture", exact=True).click()
    tab.get_by_text("Gain · 1 of 4").wait_for()
    tab.wait_for_function(HEARS)
    tab.evaluate(HELD)
    for _ in range(4):
        tab.keyboard.press("PageDown")
    assert tab.locator(".page-comes").evaluate("(bar) => bar.style.opacity") == "1"
    tab.evaluate("letGo()")
    tab.get_by_text("Gain · 2 of 4").wait_for()
    visit.lecture("PageDown")
    tab.get_by_text("Gain · 3 of 4").wait_for()
    visit.lecture("Escape")
    visit.wait_until(lambda: "lecture" not in tab.url)


# Presses a key, and again as soon as the next title stands; of the second one the page hears after all is painted.
TWICE = """() => new Promise((done) => {
  const key = () => new KeyboardEvent("keydown", { key: "PageDown", bubbles: true })
  const told = [...Bokeh.documents[0]._all_models.values()].find((model) => model.data?.went_back !== undefined).data
  let again = null
  told.properties.answered.change.connect(() => {
    again ??= setTimeout((event) => { window.dispatchEvent(event); done() }, 300, key())
  })
  window.dispatchEvent(key())
})"""


def test_a_key_that_is_pressed_while_a_slide_is_painted_counts(visit):
    visit.go("?page=gain&lecture=1")
    visit.tab.get_by_text("Gain · 1 of 4").wait_for()
    visit.size(1280, 720)  # A projector's screen shows the whole picture, with its axis.
    picture = visit.tab.locator(".stage > [data-fits] >> visible=true").first
    visit.wait_until(lambda: (box := picture.bounding_box()) and box["y"] + box["height"] <= 720)
    visit.tab.wait_for_function(HEARS)
    visit.tab.evaluate(TWICE)
    visit.tab.get_by_text("Gain · 3 of 4").wait_for()
    visit.lecture("Escape")
    visit.wait_until(lambda: "lecture" not in visit.tab.url)


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


def test_a_slide_on_a_phone_has_the_screen_and_sliders_say_what_their_epsilon_means(visit):
    tab = visit.tab
    visit.size(1400, 900)
    visit.go(f"?page=pca&epsilon=1&adversary=aggregator&{FEW}")
    tab.get_by_text("makes all that is seen at most 2.72 times as likely, plus").wait_for(state="attached")
    visit.go("?page=power&epsilon=0.2")
    tab.get_by_text("one count – not one person's records – makes").wait_for(state="attached")
    visit.size(420, 900)
    visit.go(f"?page=pca&epsilon=1&{FEW}")
    tab.get_by_text("makes the result, or one message, at most 2.72 times").wait_for(state="attached")
    visit.wait_until(lambda: visit.sideways() == 0)
    visit.go("?page=limits")
    visit.size(390, 900)  # The longest heading that has a link beside it, on a small phone.
    down, heading = tab.get_by_role("link", name="Settings ↓"), tab.get_by_role("heading", level=1)
    ends = (
        "part => { const words = document.createRange(); words.selectNodeContents(part);"
        "return words.getBoundingClientRect().right }"
    )
    visit.wait_until(lambda: heading.evaluate(ends) < down.bounding_box()["x"] and visit.sideways() == 0)
    visit.size(420, 900)
    down.click()
    side = tab.get_by_text("Settings", exact=True).last
    visit.wait_until(lambda: 0 <= side.bounding_box()["y"] < 850)
    visit.go("?page=protocol&lecture=1")
    tab.get_by_text("Protocol · 1 of 4").wait_for()
    visit.wait_until(lambda: not tab.get_by_role("button", name="Ledger").locator("visible=true").count())
    visit.note("(play) => play.querySelector('.go').innerText", tab.locator(".play"))
    tab.get_by_role("button", name="Play", exact=True).click()
    visit.wait_until(lambda: visit.noted()[-2:] == ["Pause", "Play again"])
    assert (
        tab.get_by_role("slider", name="Moment of the protocol", include_hidden=True)
        .get_attribute("aria-valuetext")
        .startswith("Step 2 ")
    )
