"""The play of the protocol in a real browser: to its end, by keyboard, in steps, and with further runs."""

from __future__ import annotations

import re

import pytest
from sheets import ProtocolPage, play_on

from browser.visit import Visit
from dashboard.state.controls import Controls
from dashboard.state.number_text import short_text

pytest.importorskip("playwright.sync_api")
SLIDER = "Share of CAPE's cancelling noise"
# The smallest text of the play, in pixels, among those that are seen.
SMALLEST = """(root) => Math.min(...[...root.querySelectorAll("text, p, li, button")]
  .filter((e) => e.textContent.trim()).map((e) => parseFloat(getComputedStyle(e).fontSize)))"""
# What the play says, its button and its legend, at one moment.
SEEN = """(root) => [root.querySelector(".say").innerText, root.querySelector(".go").innerText,
  [...root.querySelectorAll(".legend li")].map((e) => e.innerText.trim())]"""

# The clock of the play goes four times as fast: its eight seconds are only waited for.
QUICK = """
const frame = window.requestAnimationFrame.bind(window), now = performance.now.bind(performance)
window.requestAnimationFrame = (act) => frame((time) => act(4 * time))
performance.now = () => 4 * now()
"""


@pytest.fixture(scope="module")
def tour(browser, server):
    """The module's session, whose plays are soon over."""
    with Visit(browser, server) as tour:
        tour.tab.add_init_script(QUICK)
        yield tour


def moment(visit):
    return visit.tab.get_by_role("slider", name="Moment of the protocol")


def caption(visit):
    return visit.tab.locator(".play .say").inner_text()


def watched(visit):
    """The page notes what the play shows from now on, for `visit.noted`."""
    visit.note(SEEN, visit.tab.locator(".play"))


def has_played(visit):
    """Whether it has played since it was watched."""
    return any(go == "Pause" for _, go, _ in visit.noted())


def plays_to_its_end(visit):
    """It has played since it was watched, and comes to its end."""
    visit.wait_until(lambda: has_played(visit))
    visit.tab.get_by_role("button", name="Play again").wait_for()


def legend(visit):
    return [text.strip() for text in visit.tab.locator(".play .legend li").all_inner_texts()]


def test_it_plays_to_its_end_and_shows_the_released_average_to_the_last_digit(visit):
    page = ProtocolPage(Controls())
    page.set({"samples": 100, "step": 1})
    page.opened()
    run = page.plan.run
    visit.open("?page=protocol&samples=100&step=1")
    visit.wait_until(lambda: legend(visit) == ["a site's average"])
    # No words lie under the marks that wander.
    assert not any(visit.tab.locator(".play .held").all_inner_texts())
    assert not visit.tab.get_by_role("button", name="× 20 runs").is_visible()
    picture = visit.tab.locator(".play svg").first.bounding_box()
    assert picture["y"] + picture["height"] <= visit.tab.viewport_size["height"]
    asked = visit.tab.locator(".play .guess")
    assert [asked.nth(i).is_visible() for i in range(2)] == [True, True]
    # The answer comes with the play.
    bells = visit.tab.locator(".play .bell")
    assert [bells.nth(i).is_visible() for i in range(2)] == [False] * 2
    watched(visit)
    visit.tab.get_by_role("button", name="Play", exact=True).click()
    plays_to_its_end(visit)
    # At no moment does the legend run ahead of what is said.
    blue = next(said for said, *_ in visit.noted() if "blue" in said)
    drawn = {sign for said, _, signs in visit.noted() if said == blue for sign in signs[1:]}
    assert not any("message" in sign or "average" in sign for sign in drawn)
    digits, released = visit.tab.locator(".play .digits"), (run.average, run.conventional, run.truth)
    # The blue noise has slid back with the last picture.
    visit.wait_until(
        lambda: re.findall(r"\d\.\d+", digits.inner_text()) == [f"{value:.4f}" for value in released]
    )
    assert re.findall(r"\d\.\d+", digits.get_attribute("title")) == [repr(value) for value in released]
    visit.wait_until(lambda: caption(visit) == play_on(page).run["captions"][-1].replace("*", ""))
    # Where the page's own slider follows, the lanes alone name the averages.
    assert len(legend(visit)) == 3 and not asked.first.is_visible()
    # The two large numbers have the ratio of the sentence.
    for std in play_on(page).run["bands"].values():
        assert visit.tab.get_by_text(f"±{short_text(std)}", exact=True).is_visible()
    assert visit.tab.locator(".play .said").first.text_content() == "back to 0"
    visit.tab.get_by_text(re.compile("standard deviation is that of the average")).first.wait_for()
    assert visit.tab.locator(".play").evaluate(SMALLEST) >= 12
    slid_away_and_back(visit)
    slide_to_the_conventional_scheme(visit)


def slid_away_and_back(visit):
    """The play went on to take the blue noise away through the slider, and has ended where it began."""
    stops = [re.match(r"At (\d+) % the", said.replace("\u00a0", " ")) for said, *_ in visit.noted()]
    shares = [int(stop[1]) for stop in stops if stop]
    lowest = shares.index(min(shares))
    assert min(shares) <= 30 and shares[: lowest + 1] == sorted(shares[: lowest + 1], reverse=True)
    assert any("this is the conventional scheme's standard deviation" in said for said, *_ in visit.noted())
    assert visit.tab.get_by_role("slider", name=SLIDER).input_value() == "100"
    visit.wait_until(lambda: "share" not in visit.tab.url)


def slide_to_the_conventional_scheme(visit):
    """Without zero-sum noise no blue bar is left, and the sentence, the lane and the slider say so together."""
    play = visit.tab.locator(".play")
    yellow = play.locator(".row .local.bar").first
    before = yellow.bounding_box()["width"]
    slider = visit.tab.get_by_role("slider", name=SLIDER)
    slider.focus()
    slider.press("Home")
    visit.wait_until(lambda: "the conventional scheme's standard deviation" in caption(visit))
    visit.wait_until(lambda: yellow.bounding_box()["width"] > 2 * before)
    assert play.locator(".row .zero.bar:visible").count() == 0
    assert play.get_by_text("0 % blue", exact=True).first.is_visible()
    visit.wait_until(lambda: "share=0" in visit.tab.url)
    bell_at_rest(visit, slider)
    # Within the play, the slider plays on to the end.
    visit.tab.get_by_role("button", name="2 shared").click()
    watched(visit)
    slider.press("Home")
    visit.wait_until(lambda: has_played(visit))
    assert "standard deviation" not in visit.noted()[0][0]


def bell_at_rest(visit, slider):
    """Before the play, the slider moves CAPE's bell and plays nothing."""
    visit.tab.get_by_role("button", name="1 values").click()
    bell, wide = (visit.tab.locator(f".play .{scheme} .bell") for scheme in ("cape", "conventional"))
    assert bell.bounding_box()["width"] == pytest.approx(wide.bounding_box()["width"], rel=0.02)
    watched(visit)
    slider.press("End")
    visit.wait_until(lambda: bell.bounding_box()["width"] < 0.4 * wide.bounding_box()["width"])
    assert "Each knows only its own dot" in caption(visit) and not has_played(visit)
    assert visit.tab.locator(".play .mark:visible").count() == 0
    # A link to the first step asks anew.
    visit.go("?page=protocol&samples=100&step=5")
    visit.go("?page=protocol&samples=100&step=1")
    visit.wait_until(lambda: not bell.is_visible() and not wide.is_visible())


def test_keys_and_steps_move_it_the_blue_noise_comes_back_and_further_runs_fall_into_histograms(visit):
    visit.go("?page=protocol&samples=100&sites=5&step=1")
    keys_and_steps(visit)
    visit.tab.get_by_role("button", name="5 average").click()
    the_blue_noise_comes_back(visit)
    visit.go("?page=protocol&samples=100&sites=5&step=5")
    visit.tab.get_by_role("button", name="Was it luck? × 20 runs").click()
    visit.wait_until(lambda: "21 runs" in caption(visit))
    visit.tab.get_by_role("button", name="× 20 runs", exact=True).wait_for()
    for scheme in ("cape", "conventional"):
        blocks = visit.tab.locator(f".play .result .{scheme} .block")
        visit.wait_until(lambda blocks=blocks: blocks.count() == 21)
    visit.wait_until(lambda: "batches=1" in visit.tab.url)
    before = visit.numbers()
    watched(visit)
    visit.tab.get_by_role("button", name="New noise").click()
    visit.wait_until(lambda: visit.numbers() != before)
    plays_to_its_end(visit)


def keys_and_steps(visit):
    """The keyboard plays, pauses and moves it, and steps are buttons."""
    slider = moment(visit)
    slider.focus()
    watched(visit)
    visit.tab.keyboard.press("Space")
    visit.wait_until(lambda: has_played(visit))
    visit.tab.keyboard.press("Space")
    visit.tab.get_by_role("button", name="Play", exact=True).wait_for()
    visit.tab.get_by_role("button", name="3 own").click()
    visit.wait_until(lambda: "yellow" in caption(visit))
    place = float(slider.input_value())
    slider.press("ArrowLeft")
    slider.press("ArrowLeft")
    assert float(slider.input_value()) == pytest.approx(place - 20, abs=1)
    slider.press("ArrowRight")
    assert "Step 3 of 5, own" in slider.get_attribute("aria-valuetext")
    visit.wait_until(lambda: "step=3" in visit.tab.url)
    assert visit.tab.locator(".play [role=status]").get_attribute("aria-live") == "polite"


def the_blue_noise_comes_back(visit):
    """Whoever presses anything has it back; whoever moves the slider keeps what is chosen."""
    slider = visit.tab.get_by_role("slider", name=SLIDER)
    away, shown = (
        visit.tab.get_by_role("button", name="Without blue"),
        visit.tab.locator(".play .cape .name"),
    )
    visit.wait_until(lambda: shown.text_content() == "CAPE")
    # Its own button, another step and a key that means nothing: all of them end the slide where it began.
    for press in (
        lambda: visit.tab.get_by_role("button", name="Stop").click(),
        lambda: visit.tab.get_by_role("button", name="4 messages").click(),
        lambda: visit.tab.keyboard.press("Shift"),
    ):
        away.click()
        visit.wait_until(lambda: shown.text_content() != "CAPE")
        press()
        visit.wait_until(lambda: slider.input_value() == "100" and shown.text_content() == "CAPE")
        visit.tab.get_by_role("button", name="Stop").wait_for(state="detached")
    away.click()
    visit.wait_until(lambda: shown.text_content() != "CAPE")
    visit.push(SLIDER, "Home")
    visit.wait_until(lambda: shown.text_content() == "0 % blue")
    visit.wait_until(lambda: "share=0" in visit.tab.url)
    assert slider.input_value() == "0"


def test_with_reduced_motion_it_goes_by_steps_and_on_a_phone_the_end_keeps_its_buttons_in_one_row(visit):
    tab = visit.tab
    tab.emulate_media(reduced_motion="reduce")
    visit.size(420)
    visit.open("?page=protocol&samples=100&step=1")
    go, slider = tab.get_by_role("button", name="Next step"), tab.get_by_role("slider", name=SLIDER)
    watched(visit)
    for _ in range(4):
        go.click()
    tab.get_by_role("button", name="From the start").wait_for()
    tab.wait_for_timeout(800)  # Nothing moves by itself.
    assert len({said for said, *_ in visit.noted()}) == 5 and "3.16 times smaller" in caption(visit)
    assert slider.input_value() == "100"
    away = tab.get_by_role("button", name="Without blue")
    away.click()
    visit.wait_until(lambda: slider.input_value() == "0" and "Without the blue noise" in caption(visit))
    away.click()
    visit.wait_until(lambda: slider.input_value() == "100" and "3.16 times smaller" in caption(visit))
    buttons_in_one_row(visit)
    tab.emulate_media(reduced_motion="no-preference")


def buttons_in_one_row(visit):
    """On a phone the end keeps its numbers, and its buttons in one row."""
    play, number = visit.tab.locator(".play"), r"[+−][0-9.]+"
    words = (rf"^{number} ÷ 10 = {number}$", "^back to 0$", "^sees all: ε is 1.39, not 1$")
    texts = [play.locator("text").filter(has_text=re.compile(part)) for part in words]
    names = ("From the start", "New noise", "Without blue", "× 20 runs")
    boxes = [visit.tab.get_by_role("button", name=name).bounding_box() for name in names]
    for box in (*boxes, *(text.bounding_box() for text in texts)):
        assert box["x"] >= 0 and box["x"] + box["width"] <= 420
    assert len({round(box["y"] + box["height"] / 2) for box in boxes}) == 1
    shown = [text for text in play.locator(".step").all() if text.is_visible()]
    assert [text.inner_text() for text in shown] == ["5 average"]  # Beside the slider of the play.
