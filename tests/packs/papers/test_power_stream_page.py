"""The page Stream: both searches read one stream, and what is shown is of the batches read so far."""

import math
import re
from functools import partial

import numpy as np
import power_pages
import pytest
from power_pages import run_script
from sheets import StreamPage

from core import power
from dashboard.packs.papers.power_stream.model import Batch, points_of
from dashboard.packs.papers.power_stream.view import again, view
from dashboard.sheet.spec import Shown
from dashboard.sheet.store import Results
from dashboard.state.controls import Controls
from data.synthetic.tensors import skewed_stream

opened = partial(power_pages.opened, StreamPage)


@pytest.fixture(scope="module")
def page():
    return opened({"read": 33})


def counts(page):
    """What the searches, corrected and as printed, are said to have found, and the marks under their pictures."""
    section = page.shown.sections["found"]
    found = re.findall(r"<strong>(\d+ of \d+)</strong>", section)
    return found, re.findall(r"<figcaption>([✓✗])</figcaption>", section)


def last(page, form):
    return points_of(page.plan, page.results, form=form)[-1]


def test_the_stream_shows_what_deflation_loses_and_what_is_held(page, capsys):
    page.set({"read": 33})
    assert page.results.complete and set(page.state.most.values()) == {33}
    corrected, published = last(page, "corrected"), last(page, "published")
    assert corrected.error < 0.3 < 0.5 < published.error
    assert corrected.held < corrected.read / 20
    table, script = page.table(), run_script(page)
    assert list(script.deflation) == list(table.deflation)
    np.testing.assert_array_equal(script.component, table.component)
    np.testing.assert_allclose(script.error, table.error, rtol=1e-9)
    held = page.shown.charts["memory"].line("held").y
    assert max(held) - min(held) < 1e-3  # Megabytes.
    for form, name in (("corrected", "corrected"), ("published", "as printed")):
        line, errors = page.shown.charts["errors"].line(name), table[table.deflation == form].error
        assert [y for y in line.y if not math.isnan(y)] == errors.tolist()


def test_patterns_come_out_of_the_stream_one_after_the_other(page):
    assert opened().plan.batches == 33  # The page opens on the end.
    for read, found, signs in (
        (2, ["0 of 3", "0 of 3"], "✗✗"),
        (10, ["1 of 3", "1 of 3"], "✓✓"),
        (33, ["3 of 3", "1 of 3"], "✓✓✓✓✗✗"),
    ):
        page.set({"read": read})
        assert counts(page) == (found, list(signs))
        assert (
            page.runs.total == 0 and len(page.table()) == 63
        )  # What was read is drawn; nothing is run again.
        assert page.shown.charts["errors"].rules == (500 * read,)
        seen = page.shown.charts["errors"].line("corrected").x
        assert max(seen) == 500 * read
    page.set({"read": 0})
    assert counts(page) == (["0 of 3"] * 2, []) and not page.shown.charts["errors"].line("corrected").x
    assert page.arrived()


def test_a_search_that_comes_back_is_said_to_and_in_which_sign(page):
    page.set({"read": 33})
    points, true = points_of(page.plan, page.results, form="published"), page.plan.truth.vectors
    ends = [p.vector for p in points if p.finished]
    nearest = [int(np.abs(true @ vector).argmax()) for vector in ends]
    cosine = true[nearest[1]] @ ends[1]
    assert nearest[1] == nearest[0] and cosine < -0.9  # Deflation as printed leaves its negative.
    assert again(points, true) and again(points, true) in page.shown.headline
    assert again(points_of(page.plan, page.results, form="corrected"), true) == ""


def test_how_often_all_are_found_is_counted_with_other_records_and_starts(page):
    often = page.results[page.plan.often]
    assert often["corrected"] == 9 and often["published"] == 0  # Seeded.
    truth, settings = page.plan.truth, page.plan.settings
    rng = np.random.default_rng([settings.data_seed, settings.noise_seed + 1])
    stream = skewed_stream(truth, batch=500, spread=0.7, rng=rng)
    pairs = power.online(
        stream,
        3,
        samples=500,
        restarts=2,
        iterations=10,
        rng=np.random.default_rng([settings.noise_seed + 1, 1]),
    )
    found = int((power.alignment(truth.vectors, pairs.vectors) > power.FOUND).sum())
    assert found == 3  # One of the nine.


def test_results_of_another_stream_stand_until_enough_of_this_one_is_read(page):
    page.set({"read": 33})
    before = page.results
    other = type(page.model)(Controls(), read=2, spread=0.5).plan()
    keys = [Batch(other.stream, index) for index in range(2)]
    waiting = Results(
        other, {keys[0]: before[Batch(before.plan.stream, 0)]}, (keys[1],), frozenset(keys), before
    )
    shown = view(other, Shown(results=waiting))
    assert waiting.stale and shown.headline == view(before.plan, Shown(results=before)).headline
    assert len(shown.charts["errors"].line("corrected").x) == 1  # The curve grows meanwhile.


def test_the_stream_begins_anew_when_asked_again():
    page = opened({"d": 20, "components": 1, "iterations": 3, "per_step": 100})
    before = page.table().error.tolist()
    page.store.clear()
    page.runs.again()
    assert page.table().error.tolist() == before
    page.controls.noise_seed = 5
    assert page.table().error.tolist() != before
