"""Fixtures of the browser tests: one Chromium, and one session that goes through most of them."""

from __future__ import annotations

import pytest
from conftest import CHROMIUM_ARGUMENTS

from browser.visit import Visit


@pytest.fixture(scope="package")
def browser(chromium_path):
    """One headless Chromium: a context whose tabs share what they loaded.

    Playwright keeps an event loop running in this thread until this folder ends. It must not outlive it: pages
    stream into a running loop, and the tests of pages without a browser expect a run to be done at once.
    """
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=chromium_path, args=CHROMIUM_ARGUMENTS)
        yield chromium.new_context(accept_downloads=True)
        chromium.close()


@pytest.fixture(scope="package")
def tour(browser, server):
    """One session for many tests: they go from page to page, as a user does. See `visit`."""
    with Visit(browser, server) as tour:
        yield tour.delayable().severable()


@pytest.fixture
def visit(tour, request):
    """The session of many tests, for one test: begin with `go`. Errors and requests that leave the machine fail it."""
    tour.ready()
    yield tour
    if request.node.has_failed:
        tour.open("?page=protocol")
        return
    assert tour.errors == []
    assert tour.foreign == []
