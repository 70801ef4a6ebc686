"""Plan, Papers and Findings in a real browser: answers that stream in, cards and rows that open, links to and fro."""

from __future__ import annotations

import re

import pytest
from browser.visit import Visit

from core.findings import FINDINGS

pytest.importorskip("playwright.sync_api")


def test_answers_stream_in_and_another_question_is_answered_at_once(visit):
    visit.size(1400, 1400)
    visit.record().open(
        "?page=plan&problem=pca&level=0.1&sites=5&samples=300&k=8&schemes=cape,conventional&most=24"
    )
    visit.tab.get_by_text("steps done").wait_for()
    # On a slow machine all of it may be over before the page is found open.
    assert any(re.search(r"over the noise: CAPE .*, so far", text) for text in visit.shown())
    assert any(re.fullmatch(r"[1-9]\d* of \d+ steps", text) for text in visit.shown())
    visit.tab.get_by_text("variance that 8 components can explain").wait_for()
    visit.tab.get_by_text(re.compile("^CAPE needs ε\u00a0≈.* conventional ")).wait_for()
    visit.tab.get_by_role("button", name="What it means for one record").click()
    visit.tab.get_by_text("right of 100 guesses").wait_for()
    visit.tab.get_by_role("textbox", name="Data seed").wait_for()
    visit.tab.get_by_text("Column to predict").first.wait_for(state="hidden")
    numbers = visit.numbers()
    visit.tab.get_by_role("button", name="Fewer hospitals").click()
    visit.tab.get_by_text("come within 0.005 of the true average").wait_for()
    visit.wait_until(lambda: visit.numbers() != numbers)
    visit.tab.get_by_role("button", name="Use your own table").wait_for()
    visit.tab.get_by_role("button", name="error", exact=True).click()
    visit.slider("Risk").wait_for()
    visit.tab.get_by_text(re.compile("^CAPE has an error of\u00a0.*, conventional ")).wait_for()
    visit.tab.get_by_role("button", name="records", exact=True).click()
    visit.slider("Allowed error").wait_for()
    visit.wait_until(lambda: "free=samples" in visit.tab.url)
    visit.tab.set_viewport_size({"width": 390, "height": 900})
    visit.wait_until(lambda: visit.sideways() == 0)


def test_a_card_brings_its_figure_and_a_button_the_live_page(visit):
    visit.go("?page=papers&figure=Cape-Fig6a")
    visit.tab.get_by_text(re.compile("with the paper's conventions")).wait_for()
    visit.tab.get_by_role(
        "button", name=re.compile("^Wang & Anandkumar 2016")
    ).click()  # The figure changes with the paper.
    visit.tab.get_by_role("heading", name=re.compile("^Wang & Anandkumar 2016")).wait_for()
    visit.go("?page=papers&figure=Cape-Fig6a")
    visit.tab.get_by_role("button", name=re.compile("^Figure 6\\(b\\)")).click()
    visit.tab.get_by_role("heading", name="Imtiaz et al. 2019, Figure 6(b)").wait_for()
    visit.wait_until(lambda: "figure=Cape-Fig6b" in visit.tab.url)
    visit.tab.get_by_role("button", name="revised").click()
    visit.tab.get_by_text(re.compile("revised: the exact δ")).wait_for()
    visit.wait_until(lambda: visit.sideways() == 0)
    visit.tab.get_by_role("button", name="Open it live").click()
    visit.tab.get_by_role("heading", level=1, name="Guarantee").wait_for()
    visit.wait_until(lambda: "sites=30" in visit.tab.url)


def row(visit, title):
    return visit.tab.get_by_role("button", name=re.compile("^" + re.escape(title)))


def test_a_row_opens_in_place_with_its_numbers_and_closes_again(visit):
    visit.go("?page=findings&paper=Cape&kind=overstated")
    title = FINDINGS["delta-tail"].plain
    head = row(visit, title)
    head.click()
    inside = visit.tab.get_by_role("region", name=title)
    inside.get_by_text("1.58·10⁻¹⁸", exact=True).wait_for()
    visit.wait_until(lambda: head.get_attribute("aria-expanded") == "true")
    assert visit.wait_until(lambda: "finding=delta-tail" in visit.tab.url)
    # The open row is in sight, its figure is drawn, and its button is dressed.
    visit.wait_until(lambda: 0 <= head.bounding_box()["y"] < 800)
    visit.wait_until(lambda: inside.locator(".bk-Figure").is_visible())
    live = inside.get_by_role("button", name="See it live")
    visit.wait_until(lambda: live.evaluate("e => getComputedStyle(e).borderTopWidth") == "1px")
    head.press("Enter")
    visit.wait_until(lambda: head.get_attribute("aria-expanded") == "false")
    inside.wait_for(state="hidden")


def test_a_link_opens_a_finding_that_fits_a_phone_and_leads_to_its_live_page_and_back(browser, server):
    with Visit(browser, server, width=390, dark=True) as visit:
        visit.open("?page=findings&finding=honest-gain")
        title = "CAPE lowers the variance 4.53 times"
        inside = visit.tab.get_by_role("region", name=title)
        inside.get_by_text("4.53", exact=True).wait_for()
        visit.wait_until(lambda: 0 <= row(visit, title).bounding_box()["y"] < 700)
        visit.wait_until(lambda: visit.sideways() == 0)
        inside.get_by_role("button", name="See it live").click()
        visit.tab.get_by_role("heading", name="When does CAPE not help?", level=1).wait_for()
        visit.stands()
        visit.tab.get_by_role("group", name="3 of them collude").wait_for()
        visit.tab.go_back()
        inside.get_by_text("4.53", exact=True).wait_for()
        assert visit.errors == []


def test_the_number_that_holds_is_larger_than_the_one_that_was_claimed(visit):
    visit.go("?page=findings")
    bars = visit.tab.locator(".row.first .bars").nth(4)
    bars.wait_for()
    visit.wait_until(
        lambda: all(bars.locator(".bar i").evaluate_all("bars => bars.map(b => b.offsetWidth > 0)"))
    )
    small, large = bars.locator(".value").evaluate_all(
        "all => all.map(v => [parseFloat(getComputedStyle(v).fontSize), +getComputedStyle(v).fontWeight])"
    )
    assert large[0] > small[0] and large[1] > small[1]


@pytest.mark.parametrize("width", [1400, 420])
def test_a_plan_has_its_question_then_its_slider_its_answer_and_what_else_it_can_be_asked(visit, width):
    visit.size(width, 900)
    visit.go("?page=plan&level=0.02")
    tab = visit.tab
    parts = (
        tab.get_by_text(re.compile("^Which ε do 10 sites need")),
        tab.get_by_text("Allowed error", exact=False).locator("visible=true").first,
        tab.get_by_text(re.compile("^CAPE needs a .*smaller")),
        tab.get_by_role("button", name="records", exact=True),
    )

    def tops():
        return [part.bounding_box()["y"] for part in parts]

    visit.wait_until(lambda: tops() == sorted(tops()) and tops()[-1] < 890)
    tab.get_by_text("A larger ε is less private.").first.wait_for()
    own = tab.get_by_role("button", name="Use your own table")
    way = tab.get_by_role("link", name="Use your own table")
    if width < 900:  # The settings are screens below.
        way.click()
    assert way.is_visible() == (width < 900)
    visit.wait_until(lambda: 0 <= own.bounding_box()["y"] < 860)


def test_a_slide_of_a_figure_spans_its_screen_in_letters_that_grow_with_the_projector(visit):
    def letters():
        return visit.on_figures("(figure) => parseInt(figure.below[0].axis_label_text_font_size)")

    def width():
        return visit.on_figures("(figure) => figure.outer_width")[0]

    visit.size(1280, 720)
    visit.go("?page=papers&lecture=1")
    visit.wait_until(lambda: width() > 1100)
    near = letters()[0]
    visit.size(1920, 1080)
    visit.go("?page=papers&lecture=1")
    visit.wait_until(lambda: width() > 1700 and letters()[0] >= 1.2 * near)
