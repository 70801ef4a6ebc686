"""What goes wrong between a browser and the server: bursts of clicks, impossible numbers, a cut connection."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest
from browser.visit import Visit

from dashboard.pages import PAGES
from dashboard.state.controls import Controls
from dashboard.state.url import encode

pytest.importorskip("playwright.sync_api")

# A slider moves and three presets are clicked before the server can answer to any of it.
BURST = """(names) => {
  const deep = (root) => [...root.querySelectorAll("*")].flatMap((e) => e.shadowRoot ? [e, ...deep(e.shadowRoot)] : [e])
  const buttons = deep(document).filter((e) => e.tagName === "BUTTON")
  const slider = deep(document).find((e) => e.type === "range" && e.getAttribute("aria-label") === "Sites S")
  slider.value = slider.value === "20" ? "21" : "20"
  for (const name of ["input", "change"]) slider.dispatchEvent(new Event(name))
  for (const name of names) buttons.find((button) => button.innerText.trim() === name).click()
}"""
# NaN and 1e308 for whatever a slider can send. The kind of event is that of an ordinary move, which is kept back.
IMPOSSIBLE = """(value) => {
  let sent = 0
  for (const panel of Bokeh.documents[0]._all_models.values()) {
    const sliders = (panel.data?.spec ?? []).map((one) => one instanceof Map ? Object.fromEntries(one) : one)
      .filter((one) => one.kind === "slider")
    const input = Bokeh.index.find_one(panel)?.el?.shadowRoot?.querySelector("input[type=range]")
    if (!sliders.length || !input) continue
    const trigger = panel.trigger_event, before = input.value
    // The kind of a choice's message, once: the server hears of the choice, but of no other value.
    let choice = null
    panel.trigger_event = (event) => { choice = event }
    input.value = before === input.max ? input.min : input.max
    input.dispatchEvent(new Event("change"))
    input.value = before
    panel.trigger_event = trigger
    if (choice) {
      panel.kind = choice.constructor
      panel.trigger_event(new panel.kind({ ...choice.data, value: Number(before) }))
    }
    for (const { name } of sliders) {
      panel.trigger_event(new panel.kind({ name, value }))
      sent += 1
    }
  }
  return sent
}"""
CUT = "for (const socket of window.sockets) socket.close()"
# The sign of a lost connection may be gone before anyone looks: what it said is kept.
REMEMBER_SOCKETS = """
new MutationObserver(() => {
  const sign = document.querySelector(".connection-lost")
  if (sign) sessionStorage.sign = sign.textContent
}).observe(document, {childList: true, subtree: true})
window.sockets = []
window.WebSocket = class extends WebSocket {
  constructor(...given) { super(...given); window.sockets.push(this) }
}
"""


def kind_of(name):
    return next(kind for kind in PAGES if kind.name == name)


@pytest.mark.parametrize("name", ("protocol", "pca"))
def test_presets_clicked_in_a_row_leave_the_last_one_standing(browser, server, name):
    presets = kind_of(name).presets
    with Visit(browser, server) as visit:
        visit.open(f"?page={name}")
        visit.wait_until(visit.numbers)
        visit.slider("Sites S").wait_for()
        visit.tab.get_by_role("button", name=presets[2].name, exact=True).wait_for()
        for turn in range(4):
            order = [presets[(turn + i) % 3] for i in range(3)]
            visit.tab.evaluate(BURST, [preset.name for preset in order])
            visit.tab.wait_for_timeout(150 * turn)
        # The server does one thing after another: when it answers this, it has heard all of them.
        visit.tab.get_by_role("button", name="Python", exact=True).click()
        visit.tab.get_by_text("computes the numbers of the picture").wait_for()
        visit.wait_until(lambda: state(visit.tab.url) == wanted(order[-1], kind_of(name)))
        visit.tab.wait_for_timeout(1000)  # Old values that the browser sends back would undo it.
        assert state(visit.tab.url) == wanted(order[-1], kind_of(name))
        assert visit.tab.get_by_role("alert").count() == 0
        sites = str(order[-1].values.get("sites", Controls().sites))
        visit.wait_until(lambda: visit.slider("Sites").get_attribute("aria-valuenow") == sites)
        assert visit.errors == []


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


def test_impossible_numbers_from_a_browser_are_refused_in_words_and_change_nothing(browser, server):
    with Visit(browser, server) as visit, Visit(browser, server) as other:
        other.open("?page=guarantee&epsilon=0.5&noise=20")
        untouched = other.wait_until(other.numbers)
        visit.open("?page=guarantee")
        for value in ("NaN", "1e308"):
            visit.go("?page=guarantee&epsilon=0.5&noise=20")
            visit.wait_until(lambda: visit.numbers() == untouched)
            visit.wait_until(lambda: visit.tab.get_by_role("alert").count() == 0)
            for label in ("Sites S", "Noise of one message ÷ one record's effect"):
                visit.slider(label).wait_for()
            assert visit.tab.evaluate(f"({IMPOSSIBLE})({value})") >= 4
            visit.tab.get_by_role("alert").first.wait_for()
            assert visit.numbers() == other.numbers() == untouched
            assert "epsilon=0.5" in visit.tab.url and "noise=20" in visit.tab.url
            visit.tab.get_by_role("button", name="Twenty collude").click()
            visit.wait_until(lambda: visit.numbers() != untouched)
            assert other.numbers() == untouched


def test_a_server_that_falls_silent_is_said_to_until_it_answers(browser, server):
    with Visit(browser, server) as visit:
        visit.open("?page=gain")
        visit.tab.route("**/favicon.svg", lambda route: route.abort())
        visit.tab.evaluate("window.dispatchEvent(new Event('offline'))")
        sign = visit.tab.get_by_text("The server does not answer")
        sign.wait_for()
        visit.tab.evaluate("window.dispatchEvent(new Event('offline'))")
        assert sign.count() == 1
        visit.tab.unroute("**/favicon.svg")
        visit.tab.evaluate("window.dispatchEvent(new Event('online'))")
        sign.wait_for(state="detached")


def test_a_cut_connection_comes_back_into_the_same_state(browser, server):
    with Visit(browser, server) as visit:
        visit.tab.add_init_script(REMEMBER_SOCKETS)
        visit.open("?page=pca&epsilon=0.3&sites=7")
        address = visit.tab.url
        with visit.tab.expect_event("load"):
            visit.tab.evaluate(CUT)  # In the middle of a run, if the browser was as fast as the server.
        assert "Connection lost, reconnecting" in visit.tab.evaluate("sessionStorage.sign")
        visit.stands()
        visit.wait_until(visit.numbers)
        visit.wait_until(lambda: visit.tab.url == address)
        visit.wait_until(lambda: visit.slider("Sites").get_attribute("aria-valuenow") == "7")
