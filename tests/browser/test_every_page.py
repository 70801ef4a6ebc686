"""Every page in a real browser: it fits a phone and a small laptop, and axe judges it, in light or in the dark.

With `--slow` each is on a large screen, too, in the other light, and answers its slider there.
"""

from __future__ import annotations

import time
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from browser.visit import WAIT, cheap
from dashboard.pages import PAGES
from dashboard.state.controls import Controls

pytest.importorskip("playwright.sync_api")
axe = pytest.importorskip("axe_playwright_python", reason="axe-core comes with the extra test")

AXE = Path(axe.__file__).with_name("axe.min.js").read_text(encoding="utf-8")
# The rules whose violation keeps people out; those that axe itself calls experimental are not run.
RULES = """() => axe._audit.rules.filter((rule) => rule.enabled && ["serious", "critical"].includes(rule.impact)
  && !rule.tags.some((tag) => ["experimental", "deprecated"].includes(tag))).map((rule) => rule.id)"""
# What they find: which, where, and why.
RUN = """async (rules) => {
  const found = await axe.run(document, {resultTypes: ["violations"], runOnly: {type: "rule", values: rules}})
  return found.violations.flatMap((v) => v.nodes.map((n) =>
    [v.id, n.target.flat().pop(), n.html.slice(0, 160), n.failureSummary.slice(0, 300)]))
}"""
# Where the keyboard is, and whether one sees it.
FOCUS = """() => {
  let at = document.activeElement
  while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement
  if (!at || at === document.body) return null
  const marks = [at, at.closest(".Mui-focusVisible, .Mui-focused"), at.parentElement].filter(Boolean)
  const seen = marks.some((e) => {
    const style = getComputedStyle(e)
    const named = /Mui-focus/.test(e.className)
    return named || style.boxShadow !== "none" || (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0)
  })
  const name = at.getAttribute("aria-label") || at.innerText || at.tagName
  return [name.split("\\n").pop(), seen]
}"""
# What is written beyond the edge of its panel, except where it can be scrolled to.
CUT = """() => {
  const above = (e) => e.assignedSlot ?? e.parentElement ?? e.getRootNode().host
  const scrolls = (e) => ["auto", "scroll"].includes(getComputedStyle(e).overflowX)
  const panel = (e) => !e || scrolls(e) ? null : e.matches(".part, .result, .formulas .card") ? e : panel(above(e))
  const seen = (e) => e.checkVisibility({opacityProperty: true, visibilityProperty: true})
  const words = (root) => [...root.querySelectorAll("*")].flatMap((e) => [
    ...(e.shadowRoot ? words(e.shadowRoot) : []),
    ...(seen(e) && !/STYLE|SCRIPT/.test(e.tagName) ? e.childNodes : []),
  ]).filter((node) => node.nodeType === Node.TEXT_NODE && node.data.trim())
  const ends = (node) => {
    const range = document.createRange()
    range.selectNodeContents(node)
    return range.getBoundingClientRect().right
  }
  return words(document).filter((node) => ends(node) > panel(node.parentElement)?.getBoundingClientRect().right)
    .map((node) => node.data.trim())
}"""
ON_THE_WAY = ("Noise of one message ÷ one record's effect", "Sites S", "Everyday noise", "Copy link")


@pytest.fixture(scope="module")
def tour(tour):
    """The session of many tests, on a phone."""
    tour.width, wide = 420, tour.width
    yield tour
    tour.width = wide


def slider(kind):
    """The label of a page's primary slider; empty if that setting is a word."""
    controls = Controls()
    source = kind.model_type(controls) if kind.primary in kind.model_type.own() else controls
    return "" if isinstance(getattr(source, kind.primary), str) else source.param[kind.primary].label


def judged(visit, rules):
    """What axe finds, once names and colours have come: they come a moment after the last change."""
    end, found = time.monotonic() + WAIT / 1000, None
    while found is None or (found and time.monotonic() < end):
        visit.tab.wait_for_timeout(100)
        found = visit.tab.evaluate(RUN, rules)
        rules = sorted({rule for rule, *_ in found})  # The others found nothing.
    return found


def judge(visit, *, dark):
    """Axe finds nothing serious on the page in front, in light or in dark."""
    if not visit.tab.evaluate("() => Boolean(window.axe)"):
        visit.tab.evaluate(AXE)
    visit.lit(dark=dark)
    rules = visit.tab.evaluate(RULES)
    assert len(rules) > 50 and "color-contrast" in rules
    assert judged(visit, rules) == []


def push(visit, kind):
    """The page's first slider changes what its figures draw, and the address.

    Where the slider is the curves' own axis, finished curves stay and only the line at the present value moves.
    """
    visit.wait_until(visit.numbers)
    drawn, thumb = (visit.numbers(), visit.rules()), visit.slider(slider(kind))
    now, least = (thumb.get_attribute(f"aria-value{name}") for name in ("now", "min"))
    # With three sites lost there is no sum to draw, and a busy server may pass over the values before.
    times = 2 if kind.name == "secure_sum" else 3
    visit.push(slider(kind), "ArrowRight" if now == least else "ArrowLeft", times=times)
    visit.wait_until(lambda: (visit.numbers(), visit.rules()) != drawn)
    visit.wait_until(lambda: kind.primary in visit.tab.url)


def come(visit, kind):
    """The page of a kind comes by a link that names it."""
    visit.go(cheap(kind))
    visit.tab.get_by_role("heading", name=kind.heading or kind.title, level=1, exact=True).first.wait_for()
    assert parse_qs(urlsplit(visit.tab.url).query)["page"] == [kind.name]


@pytest.mark.parametrize("kind", PAGES, ids=lambda kind: kind.name)
def test_on_a_phone_and_beside_the_controls_it_fits_and_axe_finds_nothing_serious(visit, kind):
    come(visit, kind)
    visit.wait_until(lambda: visit.sideways() == 0)
    judge(visit, dark=PAGES.index(kind) >= len(PAGES) // 2)  # Half of the pages in light, half in the dark.
    visit.size(900)  # Where the panels beside the controls are the narrowest.
    visit.wait_until(lambda: visit.sideways() == 0 and visit.tab.evaluate(CUT) == [])


@pytest.mark.slow
@pytest.mark.parametrize("kind", PAGES, ids=lambda kind: kind.name)
def test_on_a_large_screen_it_answers_its_slider_and_axe_finds_nothing_serious_in_the_other_light(
    visit, kind
):
    visit.size(1400)
    come(visit, kind)
    if kind.primary and slider(kind):
        push(visit, kind)
    judge(visit, dark=PAGES.index(kind) < len(PAGES) // 2)


def test_the_keyboard_alone_reaches_presets_slider_and_actions_and_shows_where_it_is(visit):
    visit.size(1400).open("?page=guarantee")
    numbers = visit.wait_until(visit.numbers)
    reached = []
    for _ in range(90):
        visit.tab.keyboard.press("Tab")
        place = visit.tab.evaluate(FOCUS)
        if place is None:
            break
        reached.append(place)
        if place[0] == "Everyday noise":
            visit.tab.keyboard.press("Enter")
            visit.wait_until(lambda: visit.numbers() != numbers)
            visit.rests()  # A chart that comes anew while the keyboard is in it would let go of it.
    names = [name for name, _ in reached]
    places = [names.index(text) for text in ON_THE_WAY]
    assert places == sorted(places)
    assert [name for name, seen in reached if not seen] == []
    judge(visit, dark=False)  # A large screen has navigation beside the page.
