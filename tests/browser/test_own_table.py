"""A user's own table in a real browser: it changes the picture, and never becomes more than text."""

from __future__ import annotations

import re

import numpy as np
import pytest

from browser.visit import Visit

pytest.importorskip("playwright.sync_api")

HOSTILE = '<img src=x onerror="window.hacked=1">'
SCRIPT = "<script>window.hacked=1</script>"
NAMES = (HOSTILE, SCRIPT, "$$\\href{javascript:window.hacked=1}{x}$$", "plain")
PAGE = "?page=pca&repeats=1&k=2&sites=4&schemes=nonprivate,cape,conventional&dpdispca=0"


def button(visit, name):
    return visit.tab.get_by_role("button", name=name)


def hand_in(visit, name, content, words):
    """Hand in a file and wait for words about it that were not there before."""
    if not visit.tab.get_by_text("goes to this server alone").is_visible():
        button(visit, "Use your own table").click()
    file, before = {"name": name, "mimeType": "", "buffer": content}, len(visit.shown())
    field = visit.tab.locator("input[type=file]").first
    visit.hand_in(field, file, lambda: re.search(words, " ".join(" ".join(visit.shown()[before:]).split())))


def csv(names, last, cells):
    values = np.random.default_rng(4).normal(size=(300, len(names))).round(3)
    lines = [";".join([*names, last])]
    lines += [";".join([*map(str, row), cells[i % len(cells)]]) for i, row in enumerate(values)]
    return "\n".join(lines).encode()


def settled(visit):
    """Wait for the end of the run; returns the numbers of the picture."""
    visit.wait_until(lambda: visit.tab.get_by_text(re.compile(r"^\d+ runs? done$")).count())
    return visit.numbers()


def cell(visit, row, name):
    return visit.tab.locator(".tabulator-row").nth(row).locator(f"[tabulator-field={name}]")


def test_a_hostile_table_is_refused_described_used_left_and_used_again_and_stays_text(browser, server):
    with Visit(browser, server) as visit:
        visit.record().delayable().open(PAGE)
        before = visit.wait_until(visit.numbers) and settled(visit)
        words = "no column of numbers"
        hand_in(visit, f"{HOSTILE}.csv", f"{HOSTILE},b\n{SCRIPT},{HOSTILE}\n{SCRIPT},c\n".encode(), words)
        visit.tab.get_by_role("alert").get_by_text(words).wait_for()
        content = csv(names=NAMES, last=f"{HOSTILE}2", cells=(HOSTILE, SCRIPT))
        hand_in(visit, f"{HOSTILE}$$x$$.csv", content, "300 rows, 5 columns")
        assert visit.tab.get_by_text("'<img src=x onerror").first.is_visible()
        assert visit.tab.locator(".tabulator-cell", has_text=SCRIPT).first.is_visible()
        assert visit.numbers() == before  # A table alone changes nothing.
        typed_faster_than_the_server_answers(visit)
        before = settled(visit)
        visit.tab.get_by_role("combobox", name="Which column names").click()
        visit.tab.get_by_text(f"{HOSTILE}2 (2 sites)").click()
        button(visit, "Use these records").click()
        visit.tab.get_by_role("alert").get_by_text("<img src=x").first.wait_for()
        warns_of_bounds_from_the_data(visit)
        visit.wait_until(lambda: visit.numbers() != before and settled(visit))
        visit.wait_until(lambda: visit.slider("Sites S").count() == 0)  # The table fixes them.
        assert visit.slider("Privacy δ").count() == 1
        visit.wait_until(lambda: "own_records=1" in visit.tab.url)
        assert "img" not in visit.tab.url
        names_in_words_and_program_are_text(visit)
        after = settled(visit)
        button(visit, "Use the built-in records again").click()
        visit.wait_until(lambda: visit.slider("Sites S").count() == 1)
        visit.wait_until(lambda: visit.numbers() != after)
        button(visit, "Use '<img").click()
        visit.wait_until(lambda: visit.slider("Sites S").count() == 0)
        visit.wait_until(lambda: visit.numbers() == after)  # The same release, not a second one.
        assert visit.asked == [] and visit.errors == [] and visit.foreign == []
        assert visit.tab.evaluate("window.hacked") is None
        visit.tab.goto("about:blank")  # Asked first: the server forgets the table.
        assert visit.asked == ["beforeunload"]


def typed_faster_than_the_server_answers(visit):
    """Cells keep what was typed while the answers to them come late, and a column is left out."""
    visit.tab.evaluate("window.latency = 1500")
    for name, text in (("least", "-4"), ("most", "4,5")):
        cell(visit, 2, name).click()
        cell(visit, 2, name).locator("input").press_sequentially(text)
        visit.tab.keyboard.press("Enter")
        cell(visit, 2, name).locator("input").wait_for(state="detached")
    box = visit.tab.locator(".tabulator-row").nth(3).get_by_role("checkbox")
    visit.tab.wait_for_timeout(
        300
    )  # A hand needs longer from the keys to the mouse; the row is drawn anew meanwhile.
    box.click()  # One click a tick.
    visit.push("Components k", "ArrowLeft")
    visit.wait_until(lambda: "&k=1&" in visit.tab.url)
    # Whatever the server had to say to the edits came before that.
    assert [cell(visit, 2, name).inner_text() for name in ("least", "most")] == ["-4", "4,5"]
    assert not box.is_checked()
    visit.tab.evaluate("window.latency = 0")


def warns_of_bounds_from_the_data(visit):
    warning = visit.tab.get_by_text("Not private: this bound was computed from the records").first
    button(visit, "Fill what is missing").click()
    warning.wait_for()
    button(visit, "Use these records").click()
    visit.tab.get_by_text(re.compile(r"300 records of 3 numbers, 2 sites by column '<img src=x")).wait_for()
    assert warning.is_visible()


def names_in_words_and_program_are_text(visit):
    visit.tab.get_by_text("Who learns more").last.click()
    button(visit, "Export").click()
    button(visit, "Python").click()
    visit.tab.get_by_text("Your own table, in the folder").wait_for()
    # The program quotes names; what looks like mathematics in them stays as it was written.
    assert "$$x$$.csv" in visit.tab.locator("pre code").inner_text()
    assert visit.tab.locator("a[href^=javascript], img[src=x], math a").count() == 0
    visit.tab.get_by_label("close", exact=True).click()


DESCRIPTION = b"""{"format": "CAPE Lab table description", "version": 1, "site_column": "", "columns": [
  {"name": "kg", "kind": "number", "lower": 30, "upper": 200},
  {"name": "sex", "kind": "category", "values": ["m", "f"]},
  {"name": "age", "kind": "number", "used": false}]}"""
RECORDS = b"kg,sex,age\n" + b"70,m,40\n80,f,50\n" * 40


def test_what_a_description_ticks_is_what_is_used(browser, server):
    with Visit(browser, server) as visit:
        visit.record().open("?page=plan")
        hand_in(visit, "kg.csv", RECORDS, "80 rows, 3 columns")
        described = {"name": "d.json", "mimeType": "", "buffer": DESCRIPTION}
        boxes = [visit.tab.locator(".tabulator-row").nth(n).get_by_role("checkbox") for n in range(3)]
        visit.wait_until(lambda: [box.is_checked() for box in boxes] == [True, False, True])
        visit.hand_in(
            visit.tab.locator("input[type=file]").nth(1),
            described,
            lambda: [box.is_checked() for box in boxes] == [True, True, False],
        )
        button(visit, "Use these records").click()
        visit.tab.get_by_text(re.compile(r"\b80\b.* 3 numbers")).wait_for()
        assert visit.errors == []


CODED = "\n".join(
    ["site,age,stay", *(f"{'ab'[i % 2]},{999 if i % 10 == 0 else 40},{i % 9 + 0.5} d" for i in range(80))]
).encode()


def test_codes_and_units_are_typed_into_the_grid_and_an_offer_is_chosen_from_its_list(browser, server):
    with Visit(browser, server) as visit:
        visit.record().open("?page=plan")
        hand_in(visit, "coded.csv", CODED, "80 rows, 3 columns")
        for row, name, text in ((0, "missing", "also: 999"), (1, "unit", " = days")):
            cell(visit, row, name).click()
            field = cell(visit, row, name).locator("input")
            field.press("End")
            field.press_sequentially(text)
            visit.tab.keyboard.press("Enter")
            field.wait_for(state="detached")
        visit.tab.get_by_text(re.compile(r"8 rows of 80")).wait_for()
        assert "also: 999" in cell(visit, 0, "missing").inner_text()
        assert cell(visit, 1, "unit").inner_text() == "d = days"
        cell(visit, 0, "missing").click()
        visit.tab.locator(".tabulator-edit-list-item", has_text="constant + mark").click()
        visit.wait_until(lambda: cell(visit, 0, "missing").inner_text() == "constant + mark; also: 999")
        assert visit.errors == []
