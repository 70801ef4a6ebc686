"""A lecture in a real browser: by keyboard, before a hall and on a phone; no key and no slide is lost."""

from __future__ import annotations

import re

import pytest

from browser.visit import HEARS, HELD

pytest.importorskip("playwright.sync_api")

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


def test_a_lecture_is_given_by_keyboard_and_left_with_escape(visit):
    visit.size(1280, 720)
    visit.go("?page=gain")
    tab = visit.tab
    tab.get_by_role("button", name="Lecture", exact=True).click()
    tab.get_by_text("Gain · 1 of 4").wait_for()
    visit.wait_until(lambda: not tab.get_by_text("Examples", exact=True).locator("visible=true").count())
    # A projector's screen shows the whole picture, with its axis.
    picture = tab.locator(".stage > [data-fits] >> visible=true").first
    visit.wait_until(lambda: (box := picture.bounding_box()) and box["y"] + box["height"] <= 720)
    visit.slider("Sites S").focus()
    tab.keyboard.press("ArrowRight")  # Arrows belong to the slider that has the focus.
    visit.wait_until(lambda: visit.slider("Sites S").get_attribute("aria-valuetext") != "10")
    visit.lecture("PageDown")  # A clicker's keys move the lecture from wherever the focus is.
    tab.get_by_text("Gain · 2 of 4").wait_for()
    visit.wait_until(lambda: visit.slider("Sites S").get_attribute("aria-valuetext") == "50")
    tab.locator("h1").first.click()
    tab.evaluate("document.activeElement?.blur()")
    visit.lecture("ArrowRight")
    tab.get_by_text("Gain · 3 of 4").wait_for()
    visit.wait_until(lambda: "lecture=3" in tab.url)
    visit.wait_until(lambda: visit.sideways() == 0)
    visit.lecture("PageUp")
    tab.get_by_text("Gain · 2 of 4").wait_for()
    # A key while a slide is painted counts; keys that come before it are dropped, and a bar shows that it comes.
    tab.wait_for_function(HEARS)
    tab.evaluate(TWICE)
    tab.get_by_text("Gain · 4 of 4").wait_for()
    tab.wait_for_function(HEARS)
    tab.evaluate(HELD)
    for _ in range(4):
        tab.keyboard.press("PageUp")
    assert tab.locator(".page-comes").evaluate("(bar) => bar.style.opacity") == "1"
    tab.evaluate("letGo()")
    tab.get_by_text("Gain · 3 of 4").wait_for()
    visit.lecture("PageUp")
    tab.get_by_text("Gain · 2 of 4").wait_for()
    tab.get_by_role("button", name="Slides").click()
    tab.get_by_role("link", name="Colluders and dropouts").click()
    tab.get_by_text("Limits of CAPE · 4 of 4").wait_for()
    visit.lecture("Escape")
    visit.wait_until(lambda: "lecture" not in tab.url)


@pytest.mark.parametrize(("page", "title", "place"), [("protocol", "Protocol", 1), ("pca", "PCA", 2)])
def test_the_first_page_down_plays_and_the_second_goes_on(visit, page, title, place):
    visit.size(1280, 720)
    visit.go(f"?page={page}&lecture={place}")
    tab = visit.tab
    play, pause = (tab.locator("button:enabled:visible", has_text=word) for word in ("Play", "Pause"))
    tab.get_by_text(f"{title} · {place} of").wait_for()
    play.first.wait_for()  # Some slides compute first what they play.
    visit.lecture("PageDown")
    pause.first.wait_for()
    assert f"lecture={place}" in tab.url
    visit.lecture("PageDown")
    tab.get_by_text(f"{title} · {place + 1} of").wait_for()
    visit.wait_until(lambda: f"lecture={place + 1}" in tab.url)
    play.first.click()  # Whoever clicks has played already.
    pause.first.wait_for()
    visit.lecture("PageDown")
    tab.get_by_text(f"{title} · {place + 2} of").wait_for()


@pytest.mark.parametrize(
    ("slide", "last"),
    [
        ("?page=topics&lecture=1", ".words td b"),
        ("?page=protocol&lecture=4", ".learned text"),
        ("?page=guarantee&lecture=1", ".many"),
        ("?page=sites&lecture=1", ".watch"),
    ],
)
def test_a_slide_s_picture_takes_the_room_that_its_card_has(visit, slide, last):
    visit.size(1280, 720)
    visit.go(slide)
    card = visit.tab.locator(".stage > [data-fits] >> visible=true").first
    bottoms = "(parts) => Math.max(...parts.map((part) => part.getBoundingClientRect().bottom))"

    def full():
        parts, box = card.locator(last), card.bounding_box()
        below = box["y"] + box["height"] - parts.evaluate_all(bottoms) if parts.count() else box["height"]
        return 0 < below < 0.2 * box["height"] and box["y"] + box["height"] <= 720

    visit.wait_until(full)


def test_a_slide_that_would_be_unreadable_on_one_screen_scrolls(visit):
    visit.size(1280, 720)
    visit.go("?page=glossary&lecture=1")
    card = visit.tab.locator(".stage > [data-fits] >> visible=true").first
    terms = card.get_by_role("link")

    def whole():
        last = terms.last.bounding_box() if terms.count() > 1 else None
        box = card.bounding_box()
        return last and last["y"] + last["height"] <= box["y"] + box["height"] and last["y"] > 720

    visit.wait_until(whole)
    terms.last.scroll_into_view_if_needed()
    visit.wait_until(lambda: terms.last.bounding_box()["y"] < 720)
    visit.lecture("Escape")
    visit.wait_until(lambda: "lecture" not in visit.tab.url)


@pytest.mark.slow
def test_a_hall_reads_figures_buttons_and_bars(visit):
    visit.size(1920, 1080)
    visit.go("?page=papers&lecture=1")
    figure = "(figure) => [figure.outer_width, parseInt(figure.below[0].axis_label_text_font_size)]"
    visit.wait_until(lambda: visit.on_figures(figure)[0][0] > 1700 and visit.on_figures(figure)[0][1] >= 18)
    visit.go("?page=audit&lecture=1")
    press = visit.tab.locator("button:visible", has_text=re.compile("Play|Pause|training")).first
    visit.wait_until(lambda: press.count() and press.bounding_box()["height"] >= 40)
    size = "button => parseFloat(getComputedStyle(button).fontSize) * (button.currentCSSZoom || 1)"
    visit.wait_until(lambda: press.evaluate(size) >= 22)
    visit.go("?page=sites&lecture=1")
    bars, numbers = (visit.tab.locator(f".site .{kind}") for kind in ("beam .local", "number"))

    def beside():
        """A number stands at the end of its bar."""
        ends = [bars.nth(s).bounding_box() for s in range(6)]
        gaps = [numbers.nth(s).bounding_box()["x"] - end["x"] - end["width"] for s, end in enumerate(ends)]
        return all(0 < gap < 30 for gap in gaps)

    visit.wait_until(beside)


def test_a_slide_has_its_control_in_sight_and_a_rule_that_its_figure_had_not(visit):
    visit.size(1280, 720)
    visit.go("?page=months&asked=totals&dropouts=1&lecture=3")
    visit.tab.get_by_text("Every month · 3 of 4").wait_for()
    visit.lecture("PageDown")
    visit.tab.get_by_text("Every month · 4 of 4").wait_for()
    visit.slider("Month without a release").wait_for()
    visit.wait_until(lambda: any(6 in rules for rules in visit.rules()))
    assert visit.errors == []
    visit.lecture("Escape")
