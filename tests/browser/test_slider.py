"""A slider and a sweep in a real browser: nothing on the screen is ever of other settings without being pale."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, parse_qsl, urlsplit

import pytest
from read_numbers import number

from dashboard.pages import PAGES
from dashboard.state.controls import Controls
from dashboard.state.url import encode

pytest.importorskip("playwright.sync_api")

SMALL = "samples=500&sites=3&repeats=1&schemes=nonprivate,cape,conventional&dpdispca=0"
PIXELS = "(picture) => picture.style.cssText"
# At one instant: what the slider shows, the sentence, CAPE's part of the picture's heading, and how full both are drawn.
STANDS = """() => {
  const parts = [], collect = (root) => root.querySelectorAll("*").forEach((part) => {
    parts.push(part)
    if (part.shadowRoot) collect(part.shadowRoot)
  })
  collect(document)
  const slider = parts.find((part) => part.matches("input[type=range]") && part.ariaLabel?.startsWith("Privacy ε"))
  const words = parts.find((part) => part.matches(".headline"))
  const picture = parts.find((part) => part.matches(".ink") && part.ariaLabel?.endsWith("CAPE"))
  const full = (part) => {
    let share = 1
    for (let at = part; at; at = at.assignedSlot ?? at.parentElement ?? at.getRootNode().host)
      share *= getComputedStyle(at).opacity
    return Math.round(100 * share) / 100
  }
  return [slider.getAttribute("aria-valuetext"), words.textContent.replaceAll("\u00a0", " "),
    picture.closest(".row").querySelector("strong").textContent.replaceAll("\u00a0", " "),
    [full(words), full(picture)]]
}"""
# The step that the borders are of, and that of the slider.
STEPS = """(result, slider) =>
  [result.shadowRoot.textContent.match(/after step (\\d+)/)?.[1] ?? "0", slider.getAttribute("aria-valuetext")]"""
# A press of Play, and in the same moment the server's next step, which it sent before it heard of the press.
CROSSING = """(button) => {
  button.click()
  for (const { data } of Bokeh.documents[0]._all_models.values())
    if (data?.state?.some?.(({ name }) => name === "step"))
      data.setv({ state: data.state.map((one) => ({ ...one, stamp: one.stamp + 1000 })) }, { sync: false })
}"""
# A slider moves and three presets are clicked before the server can answer to any of it.
BURST = """(names) => {
  const deep = (root) => [...root.querySelectorAll("*")].flatMap((e) => e.shadowRoot ? [e, ...deep(e.shadowRoot)] : [e])
  const buttons = deep(document).filter((e) => e.tagName === "BUTTON")
  const slider = deep(document).find((e) => e.type === "range" && e.getAttribute("aria-label") === "Sites S")
  slider.value = slider.value === "20" ? "21" : "20"
  for (const name of ["input", "change"]) slider.dispatchEvent(new Event(name))
  for (const name of names) buttons.find((button) => button.innerText.trim() === name).click()
}"""


def test_a_slider_reads_out_the_value_of_link_and_guarantee(visit):
    where = "?page=average&sites=3&samples=40"
    small = {
        "ε": ("0.9996", "1.0004", "0.50003", "3.0004"),
        "δ": ("9.9999e-06", "1.0002e-05", "0.0099996", "1e-12"),
    }
    visit.go(where)
    for epsilon, delta in zip(
        *small.values(), strict=True
    ):  # Links within one session, from one to the next.
        visit.go(f"{where}&epsilon={epsilon}&delta={delta}")
        agree(visit, epsilon, delta)
        for key in ("ArrowRight", "ArrowRight", "ArrowLeft", "ArrowLeft"):
            visit.push("Privacy ε", key)
            agree(visit, None, delta)
        agree(visit, epsilon, delta)  # Back at the link's value, which is still one of the stops.


def agree(visit, epsilon, delta):
    """The sliders read out what the guarantee says and the address has; these values, unless None."""
    wanted = {"epsilon": epsilon, "delta": delta}

    def one():
        read = {"epsilon": "Privacy ε", "delta": "Privacy δ"}
        read = {name: visit.slider(label).get_attribute("aria-valuetext") for name, label in read.items()}
        promise = visit.tab.get_by_text("message alone meets").text_content()
        stated = "ε = {epsilon}, δ = {delta},".format(**read) in promise.replace("\u00a0", " ")
        query = {"epsilon": "1", "delta": "1e-5"} | dict(parse_qsl(urlsplit(visit.tab.url).query))
        linked = all(float(query[name]) == number(text) for name, text in read.items())
        return stated and linked and all(number(read[n]) == float(text) for n, text in wanted.items() if text)

    visit.wait_until(one)


def finished(visit):
    """Whether no runs are under way; a page that knew all its results before counts none as done."""
    return not visit.tab.get_by_role("button", name="Stop", exact=True).locator("visible=true").count()


def test_pictures_follow_the_slider_while_it_plays_and_the_last_preset_stands(visit):
    visit.go(f"?page=pca&epsilon=2&{SMALL}")
    row = visit.tab.get_by_role("img", name="images under CAPE").last
    row.wait_for()
    assert visit.slider("Records a site").get_attribute("aria-valuetext") == "500"
    visit.push("Records a site", "End")
    assert visit.slider("Records a site").get_attribute("aria-valuetext") == "599 (all)"
    pixels = row.evaluate(PIXELS)
    # A slider whose move makes another one anew keeps the focus: the next key is not lost.
    visit.push("Sites S")
    visit.wait_until(lambda: visit.slider("Records a site").get_attribute("aria-valuetext") == "449 (all)")
    visit.tab.keyboard.press("ArrowLeft")
    visit.wait_until(lambda: visit.slider("Records a site").get_attribute("aria-valuetext") == "599 (all)")
    play, pause = (visit.tab.get_by_role("button", name=name, exact=True) for name in ("▶ Play", "❚❚ Pause"))
    visit.wait_until(lambda: stays_full(visit))
    visit.note(STANDS)
    play.click()
    visit.wait_until(lambda: len({value for value, *_ in visit.noted()}) > 4)
    assert pixels != row.evaluate(PIXELS)
    for value, sentence, told, full in visit.noted():
        assert f"At ε = {value}," in sentence and f"CAPE is {told} as good" in sentence and full == [1, 1]
    pause.click()
    assert_server_agrees(visit, row)
    play.click()
    visit.wait_until(lambda: visit.tab.evaluate(STANDS)[0] != "2")
    box = visit.slider("Privacy ε").bounding_box()
    visit.tab.mouse.click(box["x"] + 0.9 * box["width"], box["y"] + box["height"] / 2)
    assert_server_agrees(visit, row)  # The play has ended.
    visit.wait_until(lambda: stays_full(visit))
    # What is of earlier settings pales before the server can have said a word, and is full with its answer.
    visit.note(STANDS)
    visit.tab.evaluate("window.latency = 5000")
    pressed = visit.tab.evaluate("performance.now()")
    visit.push("Privacy ε", "ArrowLeft")
    visit.wait_until(lambda: visit.tab.evaluate(STANDS)[3] == [0.45, 0.45])
    assert visit.tab.evaluate("performance.now()") < pressed + 5000
    assert_server_agrees(visit, row)
    noted = visit.noted()
    pale = [full for *_, full in noted].index([0.45, 0.45])
    for value, sentence, told, full in noted[pale:]:
        assert f"CAPE is {told} as good" in sentence and full[0] == full[1]
        assert f"ε = {value}," in sentence or full == [0.45, 0.45]
    visit.tab.evaluate("window.latency = 0")
    the_last_preset_stands(visit)


def stays_full(visit):
    """Whether all is computed and nothing is pale, and a second later still: an answer may be followed by another."""
    for _ in range(5):
        if not finished(visit) or visit.tab.evaluate(STANDS)[3] != [1, 1]:
            return False
        visit.tab.wait_for_timeout(200)
    return True


def assert_server_agrees(visit, row):
    """What the server has is what the slider, the sentence and the picture show, once all results are there."""
    play = visit.tab.get_by_role("button", name="▶ Play", exact=True)
    visit.wait_until(lambda: play.count() and finished(visit))
    # Behind the new sentence a style fades in what was pale.
    value, sentence, told, _ = visit.wait_until(
        lambda: (
            (seen := visit.tab.evaluate(STANDS))
            and f"ε = {seen[0]}," in seen[1]
            and seen[3] == [1, 1]
            and seen
        )
    )
    assert f"CAPE is {told} as good" in sentence
    visit.wait_until(lambda: f"epsilon={value}&" in visit.tab.url + "&")


def the_last_preset_stands(visit):
    """Presets that are clicked in a row leave the last one standing."""
    kind = next(kind for kind in PAGES if kind.name == "pca")
    presets = kind.presets
    visit.go(f"?page=pca&{SMALL}")
    visit.wait_until(visit.numbers)
    visit.slider("Sites S").wait_for()
    visit.tab.get_by_role("button", name=presets[2].name, exact=True).wait_for()
    for turn in range(3):
        order = [presets[(turn + i) % 3] for i in range(3)]
        visit.tab.evaluate(BURST, [preset.name for preset in order])
        visit.tab.wait_for_timeout(150 * turn)
    # The server does one thing after another: when it answers this, it has heard all of them.
    visit.tab.get_by_role("button", name="Export").click()
    visit.tab.get_by_role("button", name="Python", exact=True).click()
    visit.tab.get_by_text("computes the numbers of the picture").wait_for()
    visit.wait_until(lambda: state(visit.tab.url) == wanted(order[-1], kind))
    visit.tab.wait_for_timeout(1000)  # Old values that the browser sends back would undo it.
    assert state(visit.tab.url) == wanted(order[-1], kind)
    assert visit.tab.get_by_role("alert").count() == 0
    sites = str(order[-1].values.get("sites", Controls().sites))
    visit.wait_until(lambda: visit.slider("Sites").get_attribute("aria-valuenow") == sites)


def state(url):
    """The shared settings that an address holds."""
    query = parse_qs(urlsplit(url).query)
    return {name: query[name][0] for name in ("epsilon", "sites", "samples") if name in query}


def wanted(preset, kind):
    controls, names = Controls(), ("epsilon", "sites", "samples")
    controls.take({k: v for k, v in preset.values.items() if k in controls.param})
    # A link always names what its page opens with.
    always = encode(controls, [name for name in names if name in kind.opens], full=True)
    return always | encode(controls, names)


def test_a_training_stops_goes_on_and_plays_at_the_step_of_its_slider(visit):
    visit.go("?page=network&samples=1000&sites=10&repeats=10&steps=100")
    visit.tab.get_by_role("button", name="Stop").click()
    visit.tab.get_by_role("button", name="Continue").click()
    visit.wait_until(lambda: visit.tab.locator("svg.border").count() >= 5)
    play = visit.tab.get_by_role("button", name="Play")
    visit.wait_until(lambda: play.count() and play.is_enabled())
    visit.note(STEPS, visit.tab.locator(".result"), visit.slider("Training step"))
    play.evaluate(CROSSING)
    visit.wait_until(lambda: len(visit.noted()) > 3)
    visit.tab.get_by_role("button", name="Pause").wait_for()
    for told, slider in visit.noted():
        assert told == slider


@pytest.mark.slow
def test_a_play_ends_with_marks_of_what_it_showed_until_a_setting_changes(visit):
    visit.go("?page=power_noise&d=16&repeats=2")
    play = visit.tab.get_by_role("button", name="Play")
    visit.wait_until(lambda: play.count() and play.is_enabled())
    play.click()
    # Under the slider each kind stands where all were found last.
    marks = visit.tab.get_by_role("img", name=re.compile("random [0-9.]+, false patterns [0-9.]+$"))
    visit.wait_until(lambda: marks.count() and play.is_visible())
    assert visit.slider("Noise").get_attribute("aria-valuetext") == "0.9"  # Where it was before.
    boxes = sorted((one.bounding_box() for one in marks.locator("span").all()), key=lambda box: box["x"])
    assert len(boxes) == 2 and boxes[0]["x"] + boxes[0]["width"] < boxes[1]["x"]
    visit.push("Noise")  # They are about the other settings.
    visit.wait_until(lambda: visit.slider("Noise").get_attribute("aria-valuetext") == "1")
    assert marks.count() == 1
    visit.push("Random starts")
    visit.wait_until(lambda: marks.count() == 0)


def test_the_words_at_the_ends_of_a_slider_stay_where_a_play_has_left_marks(visit):
    visit.open("?page=pca&repeats=1&schemes=cape,conventional&epsilon=2")
    ends = visit.tab.locator(".ends:has-text('more private')")
    before = ends.bounding_box()
    play = visit.tab.get_by_role("button", name="Play")
    visit.wait_until(lambda: play.count() and play.is_enabled())
    play.click()
    names = visit.tab.locator(".marks span")
    visit.wait_until(lambda: names.count() and play.is_visible())
    assert ends.bounding_box() == before  # Nothing moves, and nothing stands over them.
    assert ends.get_by_text("more private").is_visible() and ends.get_by_text("more accurate").is_visible()
    assert all(one.bounding_box()["y"] >= before["y"] + before["height"] - 1 for one in names.all())


def test_under_refused_settings_what_stands_is_pale_and_the_reason_is_not(visit):
    visit.go("?page=months&sites=5&dropouts=1")
    pales = """() => ["head", "part-0", "part-4", "tail"].map((name) => {
      const inside = (root) => root.querySelector(`.${name}`) ?? [...root.querySelectorAll("*")]
        .reduce((found, one) => found ?? (one.shadowRoot && inside(one.shadowRoot)), null)
      return Number(getComputedStyle(inside(document)).opacity)
    })"""
    visit.wait_until(lambda: visit.tab.evaluate(pales) == [1, 1, 1, 1])
    visit.push("Sites that drop out", times=3)
    visit.wait_until(lambda: visit.tab.evaluate(pales) == [1, 0.45, 0.45, 0.45])
    assert visit.tab.get_by_role("button", name="Enter this series in the ledger").is_disabled()
    visit.push("Sites that drop out", "ArrowLeft", times=3)
    visit.wait_until(lambda: visit.tab.evaluate(pales) == [1, 1, 1, 1])
