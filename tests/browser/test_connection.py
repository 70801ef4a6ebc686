"""A connection that is lost, in a real browser: it is said, and the page comes back as it was."""

from __future__ import annotations

import pytest
from browser.visit import Visit

pytest.importorskip("playwright.sync_api")

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


def test_a_lost_connection_is_said_and_comes_back_into_the_same_state(browser, server):
    with Visit(browser, server) as visit:
        visit.tab.add_init_script(REMEMBER_SOCKETS)
        visit.open("?page=gain&sites=7&imbalance=37")
        address, numbers = visit.tab.url, visit.wait_until(visit.numbers)
        visit.tab.route("**/favicon.svg", lambda route: route.abort())
        visit.tab.evaluate("window.dispatchEvent(new Event('offline'))")
        sign = visit.tab.get_by_text("The server does not answer")
        sign.wait_for()
        visit.tab.evaluate("window.dispatchEvent(new Event('offline'))")
        assert sign.count() == 1
        visit.tab.unroute("**/favicon.svg")
        visit.tab.evaluate("window.dispatchEvent(new Event('online'))")
        sign.wait_for(state="detached")
        with visit.tab.expect_event("load"):
            visit.tab.evaluate(CUT)
        assert "Connection lost, reconnecting" in visit.tab.evaluate("sessionStorage.sign")
        visit.stands()
        visit.wait_until(lambda: visit.tab.url == address and visit.numbers() == numbers)
