"""The play of the protocol: its numbers are those of the release, its steps name what they draw, its runs count."""

from __future__ import annotations

import re

import numpy as np
import pytest
from sheets import ProtocolPage, play_on

from core import SCHEMES, Privacy, release
from dashboard.problems.protocol import BATCH, COMPARED, MOST_BATCHES, STREAM, site_averages
from dashboard.session.app import App
from dashboard.state.controls import Controls
from dashboard.state.number_text import short_text

EVERYDAY = Privacy(1.0, 1e-5)
# What each word or sign belongs to: the first step that draws it.
DRAWN_FROM = {"blue": 2, "yellow": 3, "message": 4, "square": 4, "CAPE": 6, "conventional": 6}


def opened(**values):
    page = ProtocolPage(Controls())
    page.set({**page.opens, **values})
    page.opened()
    assert page.state.problem == ""
    return page


def test_what_is_played_is_what_was_released_to_the_last_digit():
    values = site_averages(5, 100, 1)
    made = {
        scheme: release(
            values,
            1 / 100,
            EVERYDAY,
            scheme=scheme,
            rng=np.random.default_rng([3, SCHEMES.index(scheme), 0, STREAM]),
        )
        for scheme in COMPARED
    }
    shown = play_on(opened(noise_seed=3)).run
    assert shown["values"] == values.tolist() and shown["truth"] == values.mean()
    for name in ("zero_sum", "local", "messages"):
        assert shown[name] == getattr(made["cape"], name).tolist()
    assert shown["conventional_messages"] == made["conventional"].messages.tolist()
    assert [shown["average"], shown["conventional"]] == [float(made[s].value) for s in COMPARED]


@pytest.mark.parametrize("sites", [2, 5, 20])
def test_the_blue_walk_comes_home_and_the_yellow_stays_with_the_error(sites):
    run = opened(sites=sites, noise_seed=4).plan.run
    walk = np.cumsum(run.zero_sum)
    assert np.abs(walk).max() > 1e-4
    assert abs(walk[-1]) < 1e-13 * sites * np.abs(run.zero_sum).max()
    assert run.local.sum() / sites == pytest.approx(run.average - run.truth, rel=1e-9)


def test_the_play_and_the_table_of_the_page_agree():
    page = opened()
    shown, table = play_on(page).run, page.table().set_index("scheme")
    assert table.first_error["cape"] == shown["average"] - shown["truth"]
    assert table.first_error["conventional"] == shown["conventional"] - shown["truth"]


def test_a_caption_names_only_what_its_step_draws():
    captions = play_on(opened(batches=1)).run["captions"]
    assert len(captions) == 6 and len(set(captions)) == 6
    for place, caption in enumerate(captions, start=1):
        assert caption.count("*") % 2 == 0
        assert [word for word, first in DRAWN_FROM.items() if word in caption and place < first] == []
    assert "21 runs" in captions[-1] and "CAPE" in captions[-1]


def test_the_two_errors_at_the_end_have_the_ratio_that_is_told_and_the_price_stands_beside_it():
    page = opened(step=5)
    run, end = play_on(page).run, play_on(page).run["captions"][-1]
    cape, other = (short_text(run["bands"][s]) for s in COMPARED)
    assert f"{float(other) / float(cape):.2f}" == "2.24" and "2.24 times" in end
    # √((S + 1)/2) for five sites; only one of the two ratios is bold.
    assert end.count("*") == 2 and re.findall(r"[\d.]+", run["learns"])[-2:] == ["1.33", "1"]
    assert "ε\u00a0=\u00a01" in page.state.words and "1.73 times" in page.state.words


def test_the_play_shows_runs_that_were_counted_already_and_new_noise_counts_anew():
    app = App({"page": "protocol"})
    play, before = play_on(app.page), len(app.ledger.entries)
    first = play.run["average"]
    for _ in range(MOST_BATCHES):
        play.received({"wish": "more"})
    assert len(app.ledger.entries) == before and play.run["average"] == first
    assert {entry.drawn.draws for entry in app.ledger.entries} == {101}
    errors = next(law.errors for law in app.page.plan.laws if law.scheme == "cape")
    assert play.run["most"] == len(play.run["further"]["cape"]) == 5 * BATCH
    np.testing.assert_allclose(
        np.array(play.run["further"]["cape"]) - play.run["truth"], errors[1:101], atol=1e-15
    )
    assert all(len({*play.run["further"][s], play.run["average"]}) == 5 * BATCH + 1 for s in COMPARED)
    play.received({"wish": "new noise"})
    assert play.run["average"] != first
    assert {entry.drawn.draws for entry in app.ledger.entries} == {202}


@pytest.mark.parametrize("bad", [0, 6, -1, 2.5, "2", None, True, [2], {"a": 1}, 10**30])
def test_a_step_that_is_none_is_left_and_so_is_a_wish_that_is_none(bad):
    page = opened(step=2)
    play = play_on(page)
    play._process_events({"step": bad})
    play.received({"wish": bad})
    play.received(bad)
    assert (page.model.step, play.step, page.model.batches) == (2, 2, 0)


def test_the_colluders_of_another_page_do_not_stop_few_sites():
    page = opened(sites=2, colluding=9)
    assert page.state.guarantee.colluding == 1


def test_bells_that_somebody_moved_before_the_play_wait_for_it_again_once_a_link_asks_for_a_step():
    """Also in a session whose play has come to its end: what was moved long ago is no wish of the link's."""
    page = opened(step=1)
    play = play_on(page)
    assert not play.run["rests"]
    page.model.share = 60
    assert play.run["rests"]
    play.step = 5  # The play comes to its end in the browser.
    page.model.share = 100
    assert play.run["rests"]
    assert page.take({"samples": "100", "step": "1"}) == []
    assert play.step == 1 and not play.run["rests"]
    # The play's own slide is nobody's wish.
    play.received({"wish": "share", "share": 30, "home": 100})
    play.received({"wish": "share", "share": 100, "home": 100})
    assert not play.run["rests"]
