"""The page of the published search in a stream of records without a browser."""

import base64
from functools import partial

import numpy as np
import power_pages
from power_pages import run_script

from dashboard.page import openings
from dashboard.pages.decide.power_stream import model
from dashboard.pages.decide.power_stream.page import StreamPage

opened = partial(power_pages.opened, StreamPage)


def test_the_stream_shows_what_deflation_loses_and_what_is_held(capsys):
    page = opened({"read": 33})
    assert page.runs.total == 33
    words = page.words(page.picture).replace("\u00a0", " ")
    assert "<b>3 of 3</b>" in words
    last = {p.deflation: p for p in page._points}
    assert last["corrected"].error < 0.3 < 0.5 < last["published"].error
    assert last["corrected"].held < last["corrected"].read / 20
    table, script = page.table(), run_script(page)
    assert list(script.deflation) == list(table.deflation)
    np.testing.assert_array_equal(script.component, table.component)
    np.testing.assert_allclose(script.error, table.error, rtol=1e-9)
    held = {p.held for p in page._points}
    assert max(held) - min(held) < 1000


def test_patterns_come_out_of_the_stream_one_after_the_other():
    assert opened().picture.batches == opened().picture.whole  # The page opens on the end.
    page = opened({"read": 2})
    assert [row["marks"] for row in page.tiles.spec["rows"][2:]] == [["✗"], ["✗"]]
    assert "which search" in page.words(page.picture)
    assert "takes away" not in page.words(page.picture)  # It would answer the question.
    page.set({"read": 10})
    first = page.words(page.picture).replace("\u00a0", " ")
    assert "<b>1 of 3</b> patterns." in first and "which search" in first
    assert [row["marks"] for row in page.tiles.spec["rows"][2:]] == [["✓"], ["✓"]]
    assert page.tiles.spec["title"].startswith("3 patterns hide")
    page.set({"read": 33})
    last = page.words(page.picture).replace("\u00a0", " ")
    assert "?" not in last
    assert page.said.most == {"read": 33} and page.plays_from == 0 and page.plays_to_end
    assert [row["marks"] for row in page.tiles.spec["rows"]] == [
        [],
        [],
        ["✓", "✓", "✓"],
        ["✓", "✗", "✗"],
    ]
    page.set({"read": 10})  # Where both forms have found one.
    opening = page.words(page.picture).replace("\u00a0", " ")
    assert "10 of 33 batches," in opening
    assert [row["note"] for row in page.tiles.spec["rows"][2:]] == ["1 of 3", "1 of 3"]
    hints = [row["hint"] for row in page.tiles.spec["rows"][2:]]
    assert hints == ["takes away what it found", "takes away too much"]
    page.set({"scale": 0.3})
    assert "takes away" in page.tiles.spec["rows"][3]["hint"]
    page.set({"scale": 10.0})
    page.set({"read": 14})  # The printed form stands at what it has found before.
    assert "in negative." in page.words(page.picture)
    assert "finds all?" not in page.words(page.picture)  # It has been seen.
    printed = tile(page.tiles.spec["rows"][3])
    assert printed[0][:, 3:5].mean() > printed[0].mean() and printed[1][:, 3:5].mean() < printed[1].mean()
    page.set({"read": 33})
    runs, whole = page.runs.total, len(page.table())

    def shown():
        rows = page.tiles.spec["rows"]
        return (
            [row["note"] for row in rows[2:]],
            [row["pixels"] for row in rows[2:]],
            page.words(page.picture),
        )

    (corrected, published), ends, _ = shown()
    assert (corrected, published) == ("3 of 3", "1 of 3") and all(ends)
    page.set({"read": 10})  # What was read is drawn; nothing is run again.
    (corrected, published), pixels, words = shown()
    assert (corrected, published) == ("1 of 3", "1 of 3") and "10 of 33 batches" in words
    assert "<b>1 of 3</b>" in words.replace("\u00a0", " ") and pixels != ends
    assert page.runs.total == runs and len(page.table()) == whole
    points, page._points = page._points, page._points[:8]  # While fewer are read than the slider says.
    page.draw(page.picture)
    assert shown()[0] == ["", ""] and "the records …</p>" in page.words(page.picture)
    page._points = points
    page.set({"read": 0})
    assert shown()[:2] == (["", ""], ["", ""]) and "0 of 33 batches" in page.words(page.picture)
    page.set({"read": 33})
    assert shown()[1] == ends


def test_a_played_stream_says_what_both_searches_found_and_how_often():
    page = opened({"read": 33})
    said = page.reached(page.picture).closing.replace("\u00a0", " ")
    found = "The <b>corrected</b> search found all 3 patterns, the one <b>as printed</b> 1 of 3"
    assert said.startswith(f"{found}, and the same one again, in negative.")
    openings.keep(("often", page.picture.stream), partial(model.finds_all, page.picture.stream))
    often = "Of 10 such runs, the corrected search found all 3 in 9, the printed one in none."  # Seeded.
    assert page.reached(page.picture).closing.endswith(often)


def tile(row):
    """The pixels of a row's three pictures."""
    return np.frombuffer(base64.b64decode(row["pixels"]), np.uint8).reshape(3, 8, 8).astype(float)


def test_the_stream_begins_anew_when_asked_again():
    page = opened({"d": 20, "components": 1, "iterations": 3, "per_step": 100})
    before = [p.error for p in page._points]
    page._points = []
    page.runs.again()
    assert [p.error for p in page._points] == before
    page.controls.noise_seed = 5
    assert [p.error for p in page._points] != before
