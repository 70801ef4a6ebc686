"""Components, Regression, Network and Topics in a real browser: runs that stream in, stop and go on; foreign text."""

from __future__ import annotations

import re

import pytest

pytest.importorskip("playwright.sync_api")

COMPONENTS = "?page=components&model=topics&dimension=10&k=3&samples=500&sites=3&repeats=1"
SMALL = "samples=60&sites=3&repeats=1"
SCALE = "(figure) => figure.x_scale.type"
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
# What the sentence tells and what the slider shows.
# The step that the borders are of, and that of the slider.
STEPS = """(result, slider) =>
  [result.shadowRoot.textContent.match(/after step (\\d+)/)?.[1] ?? "0", slider.getAttribute("aria-valuetext")]"""
READ = """(slider, words) =>
  [slider.getAttribute("aria-valuetext"), words.shadowRoot.textContent.replaceAll("\u00a0", " ")]"""
SAID = """(parts) => parts.map((part) => part.shadowRoot?.querySelector("p")?.textContent ?? "").join(" ")"""
STANDS_AT = """(slider) => slider.getAttribute("aria-valuetext")"""
# A press of Play, and in the same moment the server's next step, which it sent before it heard of the press.
CROSSING = """(button) => {
  button.click()
  for (const { data } of Bokeh.documents[0]._all_models.values())
    if (data?.state?.some?.(({ name }) => name === "step"))
      data.setv({ state: data.state.map((one) => ({ ...one, stamp: one.stamp + 1000 })) }, { sync: false })
}"""
SCAN = 600  # Seconds: the docstrings are read once, on a busy machine.


def finished(visit):
    return visit.tab.get_by_text(re.compile("runs? done")).locator("visible=true").count()


def test_a_run_streams_and_the_axis_follows_what_it_shows(visit):
    visit.go(COMPONENTS)
    visit.wait_until(lambda: finished(visit))
    assert visit.tab.get_by_text(re.compile("sorted right")).count()
    assert visit.on_figures(SCALE)[0] == "LogScale"
    before = visit.numbers()
    visit.tab.get_by_role("combobox", name="Curve against").select_option(label="budget share")
    visit.wait_until(lambda: visit.on_figures(SCALE)[0] == "LinearScale")
    visit.wait_until(lambda: visit.numbers() != before)
    visit.tab.get_by_text("The error is smallest at a share of").wait_for()


def test_pictures_follow_the_slider_while_it_plays(visit):
    visit.delayable().open(f"?page=pca&epsilon=2&{SMALL.replace('60', '500')}")
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
        assert f"at ε = {value}." in sentence and f"CAPE keeps {told} of" in sentence and full == [1, 1]
    pause.click()
    assert_server_agrees(visit, row)
    play.click()
    visit.wait_until(lambda: visit.tab.evaluate(STANDS)[0] != "2")
    box = visit.slider("Privacy ε").bounding_box()
    visit.tab.mouse.click(box["x"] + 0.9 * box["width"], box["y"] + box["height"] / 2)
    assert_server_agrees(visit, row)  # The play has ended.
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
        assert f"CAPE keeps {told} of" in sentence and full[0] == full[1]
        assert f"ε = {value}." in sentence or full == [0.45, 0.45]


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
            and f"ε = {seen[0]}." in seen[1]
            and seen[3] == [1, 1]
            and seen
        )
    )
    assert f"CAPE keeps {told} of" in sentence
    visit.wait_until(lambda: f"epsilon={value}&" in visit.tab.url + "&")


def test_what_does_not_fit_is_said_and_the_picture_stays(visit):
    visit.open(COMPONENTS)  # Anew: the words of the run before would still stand here.
    visit.wait_until(lambda: finished(visit))
    before = visit.numbers()
    visit.push("Clusters k", "End")
    visit.tab.get_by_text("k must be at most 10, the width of the records").first.wait_for()
    assert visit.numbers() == before


def test_a_preset_brings_real_records_with_their_names(visit):
    visit.go(f"?page=regression&{SMALL}&dimension=5")
    visit.tab.get_by_text("Invented patients: CAPE reaches").first.wait_for()
    visit.tab.get_by_role("button", name="442 patients are too few").click()
    visit.tab.get_by_text("Diabetes progression: CAPE reaches").first.wait_for()
    # Features of synthetic records mean nothing here, and their control goes.
    visit.wait_until(
        lambda: not visit.slider("Features d").count() or not visit.slider("Features d").is_visible()
    )
    visit.wait_until(lambda: "data=diabetes" in visit.tab.url)


def test_a_training_stops_goes_on_and_plays_at_the_step_of_its_slider(visit):
    visit.go("?page=network&samples=1000&sites=10&repeats=50&steps=100")
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


def test_a_diverging_step_size_is_said_in_words(visit):
    visit.go(f"?page=network&{SMALL}&epsilon=0.001&delta=1e-12&learning_rate=50&clip=10&steps=500")
    words = "learning_rate must be smaller or epsilon larger"
    visit.tab.get_by_role("alert").filter(has_text=words).first.wait_for()


def words(visit):
    """The table of top words as text, "" before there is one."""
    table = visit.tab.get_by_role("table", name="Top words of each topic")
    return table.inner_text() if table.count() else ""


def complete(visit):
    text = words(visit)
    return text if " of " in text and "computing" not in text else ""


def test_docstrings_read_like_topics_and_change_with_epsilon(visit):
    visit.go("?page=topics&data=docstrings&topics=5&vocabulary=200&sites=5&epsilon=3&delta=1e-06&repeats=1")
    before = visit.wait_until(lambda: complete(visit), seconds=SCAN)
    for word in ("array", "class", "file", "value"):
        assert word in before.split()
    bold = visit.tab.locator(".words td b").count()
    visit.push("Privacy ε", "Home")  # To the least of all ε.
    after = visit.wait_until(lambda: words(visit) != before and complete(visit))
    assert after
    visit.wait_until(lambda: visit.tab.locator(".words td b").count() < bold)
    visit.note(STANDS_AT, visit.slider("Privacy ε"))
    visit.tab.get_by_role("button", name="Play").click()
    played = visit.wait_until(lambda: len(values := visit.noted()) > 3 and values)
    assert played[1:4] == ["0.1", "0.2", "0.5"]  # The curve's points, whose means it has.


def test_a_played_stream_stays_at_its_end_with_the_answer(visit):
    visit.open("?page=power_stream")  # Anew: the answers of a test before may have been made late.
    play = visit.tab.get_by_role("button", name="▶ Play", exact=True)
    visit.tab.get_by_text("after all 33 batches").first.wait_for()  # It opens on its end.
    visit.wait_until(play.is_enabled)
    visit.note(READ, visit.slider("Batches read"), visit.tab.locator(".words").first)
    play.click()
    visit.wait_until(lambda: len(seen := visit.noted()) > 3 and seen[-1][0] == "33" and play.count())
    visit.tab.wait_for_timeout(2500)  # A play that goes back does so after 1.5 seconds.
    value, sentence = visit.noted()[-1]
    assert value == "33" and "after all 33 batches" in sentence and "has found 3 of 3 patterns" in sentence
    assert "as printed 1 of 3, and the same one again, in negative." in visit.tab.locator(
        ".played"
    ).inner_text().replace("\u00a0", " ")


def test_a_search_stands_at_its_end_and_goes_step_by_step_when_asked(visit):
    visit.open("?page=power_noise&d=30&repeats=1")
    scale, place = visit.tab.locator(".walk input"), visit.tab.locator(".walk .place")
    visit.wait_until(lambda: place.count() and re.fullmatch(r"step (\d+) of \1", place.inner_text()))
    end = place.inner_text()
    mark = visit.tab.locator(".marks span").first
    found = visit.tab.locator("canvas.ink").nth(1).evaluate("c => c.toDataURL()")
    scale.fill("0")  # Before the first step.
    visit.wait_until(lambda: place.inner_text() == "random start")
    assert visit.tab.locator("canvas.ink").nth(1).evaluate("c => c.toDataURL()") != found
    visit.tab.get_by_role("button", name="Search again").click()
    visit.wait_until(lambda: place.inner_text() not in (end, "random start"))  # On its way.
    assert mark.is_visible()
    visit.wait_until(lambda: place.inner_text() == end)
    assert visit.tab.locator("canvas.ink").nth(1).evaluate("c => c.toDataURL()") == found


def test_a_play_ends_with_what_it_showed_until_a_setting_changes(visit):
    visit.open("?page=power_noise&d=16&repeats=2")
    play, said = visit.tab.get_by_role("button", name="▶ Play", exact=True), visit.tab.locator(".played")
    visit.wait_until(play.is_enabled)
    assert said.count() == 0
    play.click()
    said.wait_for()
    text = said.inner_text().replace("\u00a0", " ")
    assert text.startswith(
        "In the play from noise 0.3 to 1.2, all 3 patterns were found in at least half of 2 runs "
    )
    assert visit.slider("Noise").get_attribute("aria-valuetext") == "0.9"  # Where it was before.
    # Under the slider each kind stands where all were found last, and says the same.
    marks = visit.tab.get_by_role(
        "img", name=re.compile("^half of runs find all up to random [0-9.]+, false patterns [0-9.]+$")
    )
    boxes = sorted((one.bounding_box() for one in marks.locator("span").all()), key=lambda box: box["x"])
    assert len(boxes) == 2 and boxes[0]["x"] + boxes[0]["width"] < boxes[1]["x"]
    random, fakes = re.findall("[0-9.]+", marks.get_attribute("aria-label"))
    assert f"under random noise up to {random}" in text and f"under false patterns up to {fakes}" in text
    visit.push("Noise")  # Both are about the other settings.
    visit.wait_until(lambda: visit.slider("Noise").get_attribute("aria-valuetext") == "1")
    assert said.count() == 1 and marks.count() == 1
    visit.push("Random starts")
    visit.wait_until(lambda: said.count() == 0 and marks.count() == 0)


def test_hostile_text_is_shown_as_text_and_binary_is_refused(visit):
    hostile = "<img src=x onerror=window.hacked=1> imgtag onerror window hacked plain words here again"
    visit.go("?page=topics&topics=2&vocabulary=100&sites=2&repeats=1&epsilon=10")
    visit.wait_until(lambda: complete(visit))
    chooser = visit.tab.locator("input[type=file]").first
    binary = {"name": "data.txt", "mimeType": "text/plain", "buffer": b"\x00\xff\x01" * 400}
    visit.hand_in(chooser, binary, visit.tab.get_by_text("is not text").count)
    lines = "\n".join([hostile, "other topics about apples pears plums and figs entirely"] * 300)
    name = "<img src=x onerror=window.hacked=1>.txt"
    file = {"name": name, "mimeType": "text/plain", "buffer": lines.encode()}
    visit.hand_in(chooser, file, lambda: "onerror" in words(visit))
    assert visit.tab.evaluate("window.hacked") is None
