"""A phone in a real browser, by touch and in the dark: drawer, sliders, targets of a thumb, slides, findings, a plan."""

from __future__ import annotations

import re

import pytest

from browser.visit import Visit

pytest.importorskip("playwright.sync_api")

FEW = "repeats=1&samples=60&schemes=cape"  # Runs that are soon over.
# The heights of all parts of a kind that are drawn, wherever they are.
LOOK_INSIDE = """window.heights = (part, root = document) => [...root.querySelectorAll("*")].flatMap((e) => [
  ...(e.shadowRoot ? heights(part, e.shadowRoot) : []),
  ...(e.matches(part) && e.getBoundingClientRect().height ? [e.getBoundingClientRect().height] : []),
])"""
# Everything that a thumb presses, with the height of what it hits: a pseudo-element may be larger than what is drawn.
LOW = """() => {
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


@pytest.fixture(scope="module")
def tour(browser, server):
    """The module's session, on a phone."""
    size = {"width": 420, "height": 900}
    context = browser.browser.new_context(viewport=size, has_touch=True, is_mobile=True)
    with Visit(context, server, width=420, dark=True) as tour:
        yield tour
    context.close()


def test_a_thumb_opens_the_drawer_scrolls_over_a_slider_and_slides_it(visit):
    tab = visit.tab
    visit.go("?page=protocol")
    visit.wait_until(visit.numbers)
    visit.wait_until(lambda: visit.sideways() == 0)
    assert tab.evaluate(LOW) == []
    tab.get_by_role("button", name="Open drawer").click()
    tab.get_by_role("link", name="Gain", exact=True).wait_for()
    assert tab.evaluate(LOW) == []
    tab.get_by_role("link", name="Gain", exact=True).click()
    tab.get_by_role("heading", name="Gain", level=1).wait_for()
    tab.get_by_role("button", name="Open drawer").wait_for()  # A page that is opened from it shuts it.
    visit.stands()
    slider = visit.slider("Sites S")
    slid(visit, slider)
    help_ = tab.get_by_label("Help: Sites S").first
    hits = help_.evaluate(
        "(part) => { const hit = getComputedStyle(part, '::before'); return [hit.width, hit.height].map(parseFloat) }"
    )
    assert min(hits) >= 44
    for name in ("Lecture", "Ledger", "Settings file"):
        assert tab.get_by_text(name, exact=True).bounding_box()["height"] > 10


def slid(visit, slider):
    """A finger along the page scrolls it and leaves the slider; one across the page slides it."""
    keys = visit.context.new_cdp_session(visit.tab)

    def drag(across, along):
        box = slider.bounding_box()
        x, y = box["x"] + 0.45 * box["width"], box["y"] + box["height"] / 2
        for kind, part in [("Start", 0), *(("Move", i / 10) for i in range(1, 11)), ("End", None)]:
            points = [] if part is None else [{"x": x + part * across, "y": y + part * along}]
            keys.send("Input.dispatchTouchEvent", {"type": f"touch{kind}", "touchPoints": points})
            visit.tab.wait_for_timeout(16)  # A slow finger: what it scrolls stops with it.
        visit.tab.wait_for_timeout(300)
        return box["y"]

    # A browser that is busy may take the finger for one that only rests.
    visit.wait_until(lambda: drag(0, -300) - slider.bounding_box()["y"] > 100)
    assert slider.input_value() == "10"
    slider.evaluate("(thumb) => thumb.scrollIntoView({block: 'center'})")  # From below the bar on top.
    visit.wait_until(lambda: drag(80, 4) and slider.input_value() not in ("10", "23"))
    visit.wait_until(lambda: f"sites={slider.input_value()}" in visit.tab.url)


def test_a_plan_a_table_of_ones_own_and_a_slide_fit_and_every_target_is_44_pixels_high(visit):
    tab = visit.tab
    plan_stands(visit)
    visit.go(f"?page=pca&epsilon=1&{FEW}")
    tab.get_by_text("2.72 times").first.wait_for(state="attached")  # What ε means, beside its slider.

    def side_by_side():
        own = tab.get_by_role("button", name="Use your own table").bounding_box()
        menu = tab.get_by_role("combobox", name="Records").bounding_box()
        apart = menu["x"] + menu["width"] < own["x"] and own["x"] + own["width"] <= 404
        return apart and abs(menu["y"] - own["y"]) < 12 and visit.sideways() == 0

    visit.wait_until(side_by_side)
    tab.evaluate(f"() => {{ {LOOK_INSIDE} }}")
    for part in (".field [role=combobox]", ".chip"):
        assert min(tab.evaluate("(part) => heights(part)", part)) >= 44, part
    assert tab.evaluate(LOW) == []
    sample(visit)
    slide(visit)


def test_every_topic_fits_and_a_control_keeps_its_distance_from_the_picture_above(visit):
    tab = visit.tab
    visit.open("?page=topics&epsilon=1&repeats=1")  # The slide before would go on here.
    cells = tab.locator(".words:not(.whole) td:has(div)")
    ends = "(cells) => Math.max(...cells.map((cell) => cell.getBoundingClientRect().right))"
    visit.wait_until(lambda: cells.count() == 25 and cells.evaluate_all(ends) < 404)
    play = tab.get_by_role("button", name="Play", exact=False).locator("visible=true").first
    visit.wait_until(lambda: play.bounding_box()["y"] - bottom(tab.locator(".stage > .result")) >= 8)
    visit.wait_until(lambda: bottom(visit.slider("Privacy ε")) < 900)
    visit.go("?page=protocol")
    label = tab.locator(".label", has_text="Share of CAPE's cancelling noise").locator("visible=true").first
    visit.wait_until(lambda: label.bounding_box()["y"] - bottom(tab.locator(".stage > .part-0")) >= 8)


def bottom(part):
    """Where a part ends, from the top of the screen."""
    box = part.bounding_box()
    return box["y"] + box["height"]


def sample(visit):
    """Anyone can try with the synthetic patients."""
    tab = visit.tab
    tab.get_by_role("button", name="Use your own table").click()
    download = tab.get_by_role("link", name="Download them as a CSV")
    with tab.expect_download() as file:
        download.or_(tab.get_by_role("button", name="Download them as a CSV")).first.click()
    assert file.value.path().read_bytes().startswith(b"hospital,age,")
    tab.get_by_role("button", name="Try synthetic patients").click()
    tab.get_by_text("3000 rows, 9 columns").wait_for()
    visit.wait_until(lambda: visit.sideways() == 0)
    tab.get_by_role("button", name="Use these records").click()
    tab.get_by_text(re.compile("sites by column 'hospital'")).wait_for()
    visit.wait_until(lambda: visit.sideways() == 0)


def plan_stands(visit):
    """A plan has its rows, its slider and its sentence on the first screen."""
    visit.go("?page=plan&level=0.02")
    tab = visit.tab
    parts = (
        tab.locator(".answers .name").first,
        tab.get_by_text("Allowed error", exact=False).locator("visible=true").first,
        tab.get_by_text(re.compile("CAPE needs")).first,
    )

    def tops():
        return [part.bounding_box()["y"] for part in parts]

    visit.wait_until(lambda: tops() == sorted(tops()) and tops()[-1] < 890)
    assert tab.evaluate(LOW) == [] and visit.sideways() == 0


@pytest.mark.slow
def test_a_finding_opens_by_link_and_by_key_and_leads_to_its_live_page_and_back(visit):
    visit.go("?page=findings&finding=honest-gain")
    tab = visit.tab
    number = tab.get_by_text("4.53", exact=True)
    number.wait_for()
    visit.wait_until(lambda: tab.locator(".bk-Figure").first.is_visible() and visit.sideways() == 0)
    tab.get_by_role("button", name="Close").press("Enter")
    visit.wait_until(lambda: "finding=" not in tab.url)
    tab.get_by_role("heading", name="The gravest").wait_for()
    assert tab.evaluate(LOW) == [] and not tab.locator(".bk-Figure").first.is_visible()
    tab.get_by_role("button", name="CAPE lowers the variance 4.53 times").press("Enter")
    close = tab.get_by_role("button", name="Close")
    close.wait_for()
    visit.wait_until(lambda: 0 < tab.get_by_role("heading", name="The paper says").bounding_box()["y"] < 700)
    tab.get_by_role("button", name="See it live").click()
    tab.get_by_role("heading", name="Limits of CAPE", level=1).wait_for()
    visit.stands()
    tab.go_back()
    number.wait_for()


def slide(visit):
    """A slide has the screen of a phone, and its slider above the buttons."""
    visit.go("?page=limits&lecture=1")
    forward, slider = visit.tab.get_by_role("button", name="Next step"), visit.slider("Sites S")
    visit.wait_until(lambda: forward.bounding_box()["y"] > 840)
    visit.wait_until(lambda: slider.bounding_box()["y"] + slider.bounding_box()["height"] < 844)


@pytest.mark.slow
def test_on_a_slide_the_play_ends_with_its_step(visit):
    tab = visit.tab
    visit.go("?page=protocol&lecture=1")
    tab.get_by_text("Protocol · 1 of 4").wait_for()
    visit.wait_until(lambda: not tab.get_by_role("button", name="Ledger").locator("visible=true").count())
    visit.note("(play) => play.querySelector('.go').innerText", tab.locator(".play"))
    tab.get_by_role("button", name="Play", exact=True).click()
    visit.wait_until(lambda: visit.noted()[-2:] == ["Pause", "Play again"])
    place = tab.get_by_role("slider", name="Moment of the protocol", include_hidden=True)
    assert place.get_attribute("aria-valuetext").startswith("Step 2 ")
