"""A site's history of noise: no month leaves twice, and a lost one is noticed and counted."""

import json
import os
import stat

import numpy as np
import pytest

from core.series import LostHistory, Participation, begin, queries, resume, square_root, strategy, without
from core.series import history as histories

ONCE = Participation(4, 1)
BEST = strategy(queries("totals", 4), ONCE)
PLAN = "0" * 64


@pytest.fixture
def place(tmp_path):
    return tmp_path / "noise.json"


def begun(place, **options):
    return begin(place, plan=PLAN, strategy=BEST, shape=(3,), std=2.0, **options)


def again(place, charged, plan=PLAN, chosen=BEST):
    return resume(place, plan=plan, strategy=chosen, charged=charged)


def test_the_noise_is_that_of_the_strategy_over_months_and_restarts(place):
    """The program ends after every month; (C⁻¹g)_k comes from what the file has."""
    rng, found = np.random.default_rng(0), []
    begun(place)
    for month in range(4):
        history, noise = again(place, month).noise(month, charged=month, rng=rng)
        history.closed(month, released=True)
        found.append(noise)
    drawn = np.random.default_rng(0).standard_normal((4, 3)) * 2
    assert np.allclose(found, BEST.inverse @ drawn, rtol=1e-12)


def test_noise_has_the_covariance_that_a_series_states(place):
    """20 000 entries: every month's variance within 5 standard errors, at 2/3 and 3/2 refused."""
    history = begin(place, plan=PLAN, strategy=BEST, shape=(20_000,), std=1.0)
    rng, months = np.random.default_rng(1), []
    for month in range(4):
        history, noise = history.noise(month, charged=month, rng=rng)
        months.append(noise)
    ratios = np.var(queries("totals", 4) @ np.array(months), axis=1) / BEST.variances(queries("totals", 4))
    error = 5 * np.sqrt(2 / 20_000)
    assert (abs(ratios - 1) < error).all() and (abs(ratios * 4 / 9 - 1) > error).all()
    assert (abs(ratios * 9 / 4 - 1) > error).all()


def test_a_month_that_left_is_never_sent_again(place):
    rng = np.random.default_rng(0)
    after, _ = begun(place).noise(1, charged=0, rng=rng)
    for month in (0, 1):  # Not the month itself, nor one before it.
        with pytest.raises(ValueError, match="month"):
            after.noise(month, charged=1, rng=rng)
    # Whatever became of it.
    for released in (True, False):
        ended = after.closed(1, released=released)
        with pytest.raises(ValueError, match="never sent again"):
            ended.noise(1, charged=1, rng=rng)
        with pytest.raises(ValueError, match="month"):
            ended.closed(1, released=True)


def test_a_crash_after_the_packet_left_frees_no_month(place, monkeypatch):
    """The file says so before anybody gets the noise."""
    before = begun(place)
    before.noise(0, charged=0, rng=np.random.default_rng(0))  # Its result is lost, as in a crash.
    found = again(place, 1)
    assert found.states[0] == "left" and found.missing == (0,)
    with pytest.raises(ValueError, match="never sent again"):
        found.noise(0, charged=1, rng=np.random.default_rng(0))
    # If the file cannot be written, nobody gets the noise.
    monkeypatch.setattr(os, "replace", lambda *paths: (_ for _ in ()).throw(OSError("full")))
    with pytest.raises(OSError, match="full"):
        found.noise(1, charged=1, rng=np.random.default_rng(0))
    monkeypatch.undo()
    assert again(place, 1).states[1] == "open"


def test_an_old_copy_is_noticed_by_the_ledger(place):
    """A backup from before month 0 would draw its noise anew, or send it twice."""
    history = begun(place)
    old = place.read_text()
    history.noise(0, charged=0, rng=np.random.default_rng(0))
    place.write_text(old)
    with pytest.raises(LostHistory, match="charged"):
        again(place, 1)
    with pytest.raises(LostHistory, match="charged"):
        history.noise(1, charged=1, rng=np.random.default_rng(0))


def test_one_program_that_goes_on_twice_draws_once(place):
    """What was begun before a month left knows nothing of it; the file does."""
    history = begun(place)
    history.noise(0, charged=0, rng=np.random.default_rng(0))
    with pytest.raises(LostHistory):
        history.noise(0, charged=0, rng=np.random.default_rng(1))
    assert again(place, 1).states == ("left", "open", "open", "open")


@pytest.mark.parametrize(
    "damage",
    [
        lambda found: {**found, "drawn": found["drawn"][:-12]},
        lambda found: {**found, "states": found["states"][:-1]},
        lambda found: {**found, "states": ["open"] * 4},
        lambda found: {**found, "format": "else"},
        lambda found: {**found, "std": -1.0},
        lambda found: {**found, "start": 9},
        lambda found: {name: value for name, value in found.items() if name != "matrix"},
        lambda found: [found],
    ],
)
def test_a_damaged_file_is_a_lost_history(place, damage):
    begun(place).noise(2, charged=0, rng=np.random.default_rng(0))
    place.write_text(json.dumps(damage(json.loads(place.read_text()))))
    with pytest.raises(LostHistory):
        again(place, 1)


def test_another_plan_or_strategy_is_a_lost_history(place):
    begun(place)
    for found in ({"plan": "1" * 64}, {"chosen": square_root(ONCE)}):
        with pytest.raises(LostHistory):
            again(place, 0, **found)
    with pytest.raises(LostHistory):
        again(place.with_name("none"), 0)
    with pytest.raises(ValueError, match="never begun twice"):
        begun(place)


def test_who_lost_it_stays_out_or_begins_anew_if_the_plan_says_so(place):
    with pytest.raises(ValueError, match="lost"):
        begun(place, start=2)
    history = begun(place, start=2, lost=1)
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="month"):
        history.noise(1, charged=0, rng=rng)
    history, first = history.noise(2, charged=0, rng=rng)
    history, second = history.noise(3, charged=1, rng=rng)
    drawn = np.vstack([np.zeros((2, 3)), 2 * np.random.default_rng(0).standard_normal((2, 3))])
    assert np.allclose([first, second], (BEST.restarted(2) @ drawn)[2:], rtol=1e-12)
    assert again(place, 2).start == 2


def test_queries_go_on_without_a_month_that_was_missed(place):
    history, _ = begun(place).noise(0, charged=0, rng=np.random.default_rng(0))
    history = history.closed(0, released=True)
    history, _ = history.noise(1, charged=1, rng=np.random.default_rng(0))
    history = history.closed(1, released=False)
    totals = without(queries("totals", 4), history.missing)
    assert totals.tolist() == [[1, 0, 0, 0], [1, 0, 0, 0], [1, 0, 1, 0], [1, 0, 1, 1]]
    assert len(without(np.eye(4), history.missing)) == 3
    # Its noise no longer meets that of the months around it: the total of three has more than that of four.
    assert BEST.variances(totals)[-1] > BEST.variances(queries("totals", 4))[-1]


@pytest.mark.skipif(not hasattr(os, "fchmod"), reason="no such permissions here")
def test_the_file_is_for_its_owner_alone(place):
    begun(place)
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    assert [path.name for path in place.parent.iterdir()] == [place.name]
    assert histories.FORMAT in place.read_text()
