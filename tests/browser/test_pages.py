"""The app in a real browser: every page lives, says no error, and stays on the machine."""

from __future__ import annotations

import csv
import re
from urllib.parse import parse_qs, urlsplit

import pytest
from browser.visit import Visit, cheap

from dashboard.pages import PAGES

pytest.importorskip("playwright.sync_api")


def label(kind):
    """The label of a page's primary slider."""
    from dashboard.state.controls import Controls

    controls = Controls()
    source = kind.model_type(controls) if kind.primary in kind.model_type.own() else controls
    return source.param[kind.primary].label


@pytest.mark.parametrize("kind", [k for k in PAGES if k.primary], ids=lambda kind: kind.name)
def test_every_page_answers_a_slider_without_error_or_foreign_request_and_fits_a_phone(browser, server, kind):
    with Visit(browser, server) as visit:
        visit.open(cheap(kind))
        visit.wait_until(visit.numbers)
        numbers, painted = visit.numbers(), visit.main_picture.screenshot()
        visit.push(label(kind), "ArrowLeft", times=3)
        visit.wait_until(lambda: visit.numbers() != numbers)
        visit.wait_until(lambda: visit.main_picture.screenshot() != painted)
        query = parse_qs(urlsplit(visit.tab.url).query)
        assert query["page"] == [kind.name]
        assert visit.wait_until(lambda: kind.primary in visit.tab.url)
        visit.tab.set_viewport_size({"width": 420, "height": 900})
        visit.wait_until(lambda: visit.sideways() == 0)
        assert visit.errors == []
        assert visit.foreign == []


def test_on_a_phone_the_drawer_is_shut_and_a_page_opened_from_it_shuts_it_again(browser, server):
    with Visit(browser, server, width=420, dark=True) as visit:
        visit.open("?page=averaging")
        visit.wait_until(visit.numbers)
        assert visit.sideways() == 0
        visit.tab.get_by_role("button", name="Open drawer").click()
        visit.tab.get_by_role("link", name="Gain", exact=True).click()
        visit.tab.get_by_role("heading", name="Gain", level=1).wait_for()
        visit.tab.get_by_role("button", name="Open drawer").wait_for()
        assert visit.errors == []


def test_navigation_writes_history_and_back_returns_with_its_settings(browser, server):
    with Visit(browser, server) as visit:
        visit.open("?page=gain&imbalance=37")
        visit.tab.get_by_role("link", name="Guarantee", exact=True).click()
        visit.tab.get_by_role("heading", name="Guarantee", level=1).wait_for()
        visit.wait_until(lambda: "page=guarantee" in visit.tab.url)
        visit.tab.go_back()
        visit.tab.get_by_role("heading", name="Gain", level=1).wait_for()
        visit.wait_until(lambda: visit.slider("Imbalance").get_attribute("aria-valuetext") == "37")
        # Models that were built once are shown again after the detour.
        before = visit.numbers()
        visit.push("Imbalance", times=2)
        visit.wait_until(lambda: visit.numbers() != before)
        assert visit.errors == []


def test_bad_values_in_a_link_are_named_ignored_and_harmless(browser, server):
    with Visit(browser, server) as visit:
        payload = "%3Cimg%20src%3Dx%20onerror%3D%22window.hacked%3D1%22%3E"
        visit.open(f"?page=gain&sites={payload}&samples=-5&imbalance=50&{payload}=1")
        notice = visit.tab.get_by_role("alert").first.inner_text()
        assert "sites must be a whole number from 2 to 50" in notice
        assert "samples must be a whole number" in notice
        assert visit.slider("Imbalance").get_attribute("aria-valuetext") == "50"
        assert visit.slider("Sites").get_attribute("aria-valuenow") == "10"
        assert visit.tab.evaluate("window.hacked") is None


def test_dark_reaches_the_figures_and_is_remembered(browser, server):
    ground = """() => { for (const model of Bokeh.documents[0]._all_models.values())
                         if (model.type === "Figure") return model.background_fill_color }"""
    with Visit(browser, server) as visit:
        visit.open("?page=averaging")
        light = visit.tab.evaluate(ground)
        visit.tab.get_by_role("button", name="Toggle theme").click()
        visit.wait_until(lambda: visit.tab.evaluate(ground) != light)
        dark = visit.tab.evaluate(ground)
        visit.open("?page=averaging")
        visit.wait_until(lambda: visit.tab.evaluate(ground) == dark)
        assert visit.errors == []


def test_the_protocol_is_uncovered_step_by_step(browser, server):
    shown = """() => { for (const model of Bokeh.documents[0]._all_models.values())
                        if (model.type === "Figure") return model.renderers.filter((r) => r.visible).length }"""
    with Visit(browser, server) as visit:
        visit.open("?page=averaging&samples=100")
        everything = visit.tab.evaluate(shown)
        visit.tab.get_by_role("button", name="1 values").click()
        visit.wait_until(lambda: visit.tab.evaluate(shown) < everything)
        few = visit.tab.evaluate(shown)
        visit.tab.get_by_role("button", name="3 local").click()
        visit.wait_until(lambda: visit.tab.evaluate(shown) > few)


def test_mathematics_is_typeset_without_leaving_the_machine(browser, server):
    with Visit(browser, server) as visit:
        visit.open("?page=guarantee")
        visit.tab.get_by_role("button", name="The mathematics").click()
        formulas = visit.tab.locator("mjx-container svg")
        formulas.first.wait_for()
        assert formulas.count() >= 4
        assert visit.tab.get_by_text("$$").count() == 0
        assert visit.errors == []
        assert visit.foreign == []


def test_csv_carries_settings_and_numbers(browser, server):
    with Visit(browser, server) as visit:
        visit.open("?page=guarantee&epsilon=0.5&noise=20")
        with visit.tab.expect_download() as download:
            visit.tab.get_by_role("button", name="CSV").click()
        lines = download.value.path().read_text().splitlines()
        head = [line for line in lines if line.startswith("#")]
        assert head[0].startswith("# CAPE Lab")
        assert "# epsilon = 0.5" in head and "# noise = 20.0" in head
        rows = list(csv.DictReader(lines[len(head) :]))
        assert len(rows) > 50
        assert float(rows[0]["cape_exact"]) > float(rows[-1]["cape_exact"])


def test_svg_and_png_are_saved(browser, server):
    with Visit(browser, server) as visit:
        visit.open("?page=start")
        with visit.tab.expect_download() as download:
            visit.tab.get_by_role("button", name="PNG").click()
        assert download.value.path().read_bytes().startswith(b"\x89PNG")
        with visit.tab.expect_download() as download:
            visit.tab.get_by_role("button", name="SVG").click()
        drawing = download.value.path().read_text()
        assert drawing.lstrip().startswith("<svg")
        assert len(re.findall("<path", drawing)) > 3


def test_python_of_the_picture_is_shown_and_copied(browser, server):
    with Visit(browser, server) as visit:
        visit.context.grant_permissions(["clipboard-read", "clipboard-write"])
        visit.open("?page=gain&imbalance=37")
        visit.tab.get_by_role("button", name="Python").click()
        visit.tab.get_by_role("button", name="Copy", exact=True).click()
        text = visit.wait_until(lambda: visit.tab.evaluate("navigator.clipboard.readText()"))
        assert "from core import cape" in text
        compile(text, "copied", "exec")
        assert visit.errors == []


def test_the_link_opens_the_same_picture(browser, server):
    with Visit(browser, server) as visit:
        visit.open("?page=averaging&epsilon=0.3&sites=7")
        before = visit.wait_until(visit.numbers)
        visit.tab.get_by_role("button", name="New noise").click()
        visit.wait_until(lambda: visit.numbers() != before)
        visit.wait_until(lambda: "noise_seed" in visit.tab.url)
        with Visit(browser, server) as other:
            other.open("?" + urlsplit(visit.tab.url).query)
            other.wait_until(lambda: other.numbers() == visit.numbers() != before)
