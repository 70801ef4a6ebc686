"""A user's own table in a real browser: it changes the picture, and never becomes more than text."""

from __future__ import annotations

import io
import re
import zipfile

import numpy as np
import pytest
from browser.visit import Visit

from dashboard.components.upload import PIECE

pytest.importorskip("playwright.sync_api")

HOSTILE = '<img src=x onerror="window.hacked=1">'
SCRIPT = "<script>window.hacked=1</script>"
PAGE = "?page=pca&repeats=1&k=2&sites=4&schemes=nonprivate,cape,conventional&dpdispca=0"


@pytest.fixture
def visit(browser, server):
    with Visit(browser, server) as visit:
        visit.record().delayable().open(PAGE)
        visit.wait_until(visit.numbers)
        yield visit
        assert visit.tab.evaluate("window.hacked") is None
        assert visit.errors == []
        assert visit.foreign == []


def button(visit, name):
    return visit.tab.get_by_role("button", name=name)


def hand_in(visit, name, content, words):
    """Hand in a file and wait for words about it that were not there before."""
    if not visit.tab.get_by_text("goes to this server alone").is_visible():
        button(visit, "Use your own table").click()
    file, before = {"name": name, "mimeType": "", "buffer": content}, len(visit.shown())
    field = visit.tab.locator("input[type=file]").first
    visit.hand_in(field, file, lambda: re.search(words, " ".join(" ".join(visit.shown()[before:]).split())))


def csv(rows=300, names=("age", "height", "weight", "pulse"), last="clinic", cells=("east", "west")):
    values = np.random.default_rng(4).normal(size=(rows, len(names))).round(3)
    lines = [";".join([*names, last])]
    lines += [";".join([*map(str, row), cells[i % len(cells)]]) for i, row in enumerate(values)]
    return "\n".join(lines).encode()


def settled(visit):
    """Wait for the end of the run; returns the numbers of the picture."""
    visit.wait_until(lambda: visit.tab.get_by_text(re.compile(r"^\d+ runs? done$")).count())
    return visit.numbers()


def use_all(visit):
    visit.tab.get_by_label("Minimum of all").fill("-3")
    visit.tab.get_by_label("Maximum of all").fill("3")
    button(visit, "Set every range").click()
    visit.tab.get_by_text("-3", exact=True).first.wait_for()
    button(visit, "Use these records").click()


def test_a_table_changes_the_picture_and_the_built_in_records_bring_it_back(visit):
    visit.open(PAGE)
    assert visit.asked == []
    before = settled(visit)
    hand_in(visit, "patients.csv", csv(), "300 rows, 5 columns")
    assert visit.numbers() == before  # A table alone changes nothing.
    use_all(visit)
    visit.tab.get_by_text("300 records of 4 numbers, 2 sites by column 'clinic'").wait_for()
    after = visit.wait_until(lambda: visit.numbers() != before and settled(visit))
    assert after != before
    visit.wait_until(lambda: visit.slider("Sites S").count() == 0)  # The table fixes them.
    assert visit.slider("Privacy δ").count() == 1
    visit.wait_until(lambda: "own_records=1" in visit.tab.url)
    assert "patients" not in visit.tab.url
    button(visit, "Use the built-in records again").click()
    visit.wait_until(lambda: visit.slider("Sites S").count() == 1)
    visit.wait_until(lambda: visit.numbers() == before)
    button(visit, "Use 'patients.csv' again").click()
    visit.wait_until(lambda: visit.numbers() == after)
    visit.open(PAGE)  # Asked first: the server forgets the table.
    assert visit.asked == ["beforeunload"]


def test_bounds_from_the_data_warn_as_long_as_they_are_used(visit):
    warning = visit.tab.get_by_text("Not private: this bound was computed from the records")
    hand_in(visit, "a.csv", csv(), "300 rows, 5 columns")
    button(visit, "Use these records").click()
    visit.tab.get_by_role("alert").get_by_text("Enter the smallest value of column 'age'").wait_for()
    button(visit, "Fill what is missing").click()
    visit.wait_until(lambda: warning.first.is_visible())
    button(visit, "Use these records").click()
    visit.tab.get_by_text("300 records of 4 numbers").wait_for()
    assert warning.first.is_visible()
    settled(visit)
    headline = visit.tab.locator(".headline").last
    before = headline.inner_text()
    visit.push("Privacy ε")
    visit.wait_until(lambda: headline.inner_text() != before and settled(visit))
    assert warning.first.is_visible()


def cell(visit, row, name):
    return visit.tab.locator(".tabulator-row").nth(row).locator(f"[tabulator-field={name}]")


def test_ranges_typed_faster_than_the_server_answers_stay_and_a_column_is_left_out(visit):
    hand_in(visit, "a.csv", csv(names=("age", "height")), "300 rows, 3 columns")
    visit.tab.evaluate("window.latency = 1500")
    for name, text in (("least", "-4"), ("most", "4,5")):
        cell(visit, 0, name).click()
        cell(visit, 0, name).locator("input").press_sequentially(text)
        visit.tab.keyboard.press("Enter")
    box = visit.tab.locator(".tabulator-row").nth(1).get_by_role("checkbox")
    box.click()  # One click a tick.
    visit.push("Components k", "ArrowLeft")
    visit.wait_until(lambda: "&k=1&" in visit.tab.url)
    # Whatever the server had to say to the edits came before that.
    assert [cell(visit, 0, name).inner_text() for name in ("least", "most")] == ["-4", "4,5"]
    assert not box.is_checked()
    button(visit, "Use these records").click()
    visit.tab.get_by_text("300 records of 1 number").wait_for()


def test_hostile_text_in_file_name_header_and_cells_is_text(visit):
    names = (HOSTILE, SCRIPT, "$$\\href{javascript:window.hacked=1}{x}$$", "plain")
    content = csv(names=names, last=f"{HOSTILE}2", cells=(HOSTILE, SCRIPT))
    hand_in(visit, f"{HOSTILE}$$x$$.csv", content, "300 rows, 5 columns")
    assert visit.tab.get_by_text("'<img src=x onerror").first.is_visible()
    assert visit.tab.locator(".tabulator-cell", has_text=SCRIPT).first.is_visible()
    visit.tab.get_by_role("combobox", name="Which column names").click()
    visit.tab.get_by_text(f"{HOSTILE}2 (2 sites)").click()
    button(visit, "Use these records").click()
    visit.tab.get_by_role("alert").get_by_text("<img src=x").first.wait_for()
    use_all(visit)
    visit.tab.get_by_text("2 sites by column '<img src=x").wait_for()
    settled(visit)
    visit.tab.get_by_text("Who else learns what").last.click()
    button(visit, "Python").click()
    visit.tab.get_by_text("Your own table, in the folder").wait_for()
    # The program quotes names; what looks like mathematics in them stays as it was written.
    assert "$$x$$.csv" in visit.tab.locator("pre code").inner_text()
    assert visit.tab.locator("a[href^=javascript], img[src=x], math a").count() == 0
    visit.tab.get_by_label("close", exact=True).click()
    button(visit, "Use the built-in records again").click()
    button(visit, "Use '<img").wait_for()
    button(visit, "Use '<img").click()
    visit.tab.get_by_text("2 sites by column '<img src=x").wait_for()
    button(visit, "Change").click()
    visit.tab.get_by_text("goes to this server alone").wait_for()
    words = "no column of numbers"
    hand_in(visit, f"{HOSTILE}.csv", f"{HOSTILE},b\n{SCRIPT},{HOSTILE}\n{SCRIPT},c\n".encode(), words)
    visit.tab.get_by_role("alert").get_by_text(words).wait_for()


def npz(**arrays):
    stream = io.BytesIO()
    np.savez_compressed(stream, **arrays)
    return stream.getvalue()


def bomb():
    """A small archive whose one array is said to have four gigabytes."""
    stream, header = io.BytesIO(), io.BytesIO()
    shape = {"descr": "<f8", "fortran_order": False, "shape": (500_000, 1000)}
    np.lib.format.write_array_header_1_0(header, shape)
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.npy", header.getvalue() + bytes(3_000_000))
    content, true = bytearray(stream.getvalue()), len(header.getvalue()) + 3_000_000
    size = (len(header.getvalue()) + 4_000_000_000).to_bytes(4, "little")
    place = content.rindex(true.to_bytes(4, "little"))  # In the directory at the end.
    content[place : place + 4] = size
    return bytes(content)


BAD = {
    "empty.csv": (b"", "0 bytes"),
    "cut.npz": (npz(a=np.random.default_rng(0).normal(size=(50, 4)))[:900], "not a complete NPZ file"),
    "bomb.npz": (bomb(), "would expand to"),
    "words.csv": (b"name,town\nAnn,Ulm\nBob,Bonn\n", "no column of numbers"),
    "latin.csv": (b"a,b\n1,\x81\n2,3\n", "neither UTF-8 nor"),
    "picture.png": (b"\x89PNG\r\n\x1a\n", "is of no kind that can be read"),
    "objects.npz": (npz(a=np.array([{}, []], dtype=object)), "Python objects, which are never loaded"),
}


def test_what_is_no_table_is_said_and_a_large_one_comes_in_pieces_while_another_session_goes_on(
    visit, browser, server
):
    before = settled(visit)
    with Visit(browser, server) as other:
        other.open(PAGE)
        other.wait_until(lambda: other.numbers() == before)
        for name, (content, words) in BAD.items():
            hand_in(visit, name, content, words)
            visit.tab.get_by_role("alert").get_by_text(words).wait_for()
            assert visit.numbers() == before
        head, *lines = csv(rows=3000).split(b"\n")
        content = b"\n".join([head, *lines * 30])
        assert len(content) > 2 * PIECE
        hand_in(visit, "large.csv", content, "% of the file (uploaded|came)|Reading the file")
        headline = other.tab.locator(".headline").last
        said = headline.inner_text()
        other.push("Privacy ε")
        other.wait_until(lambda: headline.inner_text() != said)
        visit.tab.get_by_text("90 000 rows, 5 columns").wait_for()
        assert other.errors == []
    good = npz(a=np.random.default_rng(0).normal(size=(300, 4)).round(2))
    hand_in(visit, "good.npz", good, "300 rows, 4 columns")
    visit.wait_until(lambda: not visit.tab.get_by_role("alert").locator("visible=true").count())
    use_all(visit)
    visit.wait_until(lambda: visit.numbers() != before)


def test_anyone_can_try_with_the_sample_on_a_phone(browser, server):
    with Visit(browser, server, width=420, dark=True) as visit:
        visit.open(PAGE)
        button(visit, "Use your own table").click()
        with visit.tab.expect_download() as download:
            visit.tab.get_by_role("link", name="Download them as a CSV").or_(
                button(visit, "Download them as a CSV")
            ).first.click()
        assert download.value.path().read_bytes().startswith(b"hospital,age,")
        button(visit, "Try synthetic patients").click()
        visit.tab.get_by_text("3000 rows, 9 columns").wait_for()
        visit.wait_until(lambda: visit.sideways() == 0)
        button(visit, "Use these records").click()
        visit.tab.get_by_text("4 sites by column 'hospital'").wait_for()
        settled(visit)
        visit.wait_until(lambda: visit.sideways() == 0)
        assert visit.errors == [] and visit.foreign == []
