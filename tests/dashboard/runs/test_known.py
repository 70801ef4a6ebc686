"""What every session may have: bounded, fair to visitors, unchangeable, and of the schemes of now."""

from __future__ import annotations

import tracemalloc
from dataclasses import dataclass

import further_scheme
import numpy as np
import pytest

from core import sweep
from core.pca import Problem
from dashboard.runs.known import Known

ROW = {"epsilon": 1.0, "scheme": "cape", "repeat": 0, "energy": 0.5}


def put(known, key, visitor="one", value=None, **options):
    return known.put(
        key, ROW if value is None else value, visitor=visitor, **{"edition": known.edition} | options
    )


@pytest.fixture
def known():
    """Room for about ten rows."""
    return Known(bytes=10 * size())


def size():
    alone = Known()
    put(alone, "row")
    return alone.bytes


def has(known, *keys):
    return [one is not None for one in known.get(keys)]


def test_what_was_put_is_found_by_everybody_and_nothing_else(known):
    put(known, "row")
    assert known.get(["row", "other"]) == [ROW, None] and len(known) == 1


def test_the_oldest_of_the_visitor_who_holds_most_gives_way(known):
    for i in range(3):
        put(known, ("few", i), "few")
    for i in range(20):
        put(known, ("many", i), "many")
    assert has(known, *(("few", i) for i in range(3))) == [True] * 3  # Though they are older.
    kept = has(known, *(("many", i) for i in range(20)))
    assert kept == [False] * 13 + [True] * 7 and known.bytes <= 10 * size()


def test_what_is_asked_for_again_is_young(known):
    for i in range(10):
        put(known, i)
    known.get([0])
    put(known, 10)
    assert has(known, 0, 1, 2, 10) == [True, False, True, True]


@pytest.mark.parametrize("first", ["computed", "named"])
def test_what_pages_open_with_stays_whoever_computed_it(known, first):
    opening = [("opening", i) for i in range(30)]
    if first == "named":
        known.stay(opening)
    for key in opening:
        put(known, key)
        if first == "computed":
            known.stay([key])
    for i in range(30):
        put(known, i, "another")
    assert all(has(known, *opening)) and known.bytes <= 10 * size()
    known.clear()
    assert not len(known) and known.bytes == 0


def test_a_result_too_large_for_all_of_it_is_not_kept(known):
    put(known, "large", value=np.zeros(10 * size()))
    assert len(known) == 0 and known.bytes == 0


@dataclass(frozen=True)
class Spot:
    values: np.ndarray


def test_nobody_changes_what_others_see(known):
    row, spot = put(known, "row", value=dict(ROW)), put(known, "spot", value=Spot(np.zeros(3)))
    with pytest.raises(TypeError):
        row["energy"] = 1.0
    with pytest.raises(ValueError, match="read-only"):
        spot.values[0] = 1.0
    assert put(known, "row", "two", {"energy": 7.0}) is row  # All have one.


def test_other_schemes_begin_it_anew_and_results_of_the_earlier_ones_come_too_late(known):
    put(known, "row")
    before = known.edition
    with further_scheme.registered():
        assert known.edition != before and len(known) == 0
        put(known, "late", edition=before)
        assert len(known) == 0
        put(known, "row")
    assert known.edition != before and len(known) == 0
    put(known, "row")
    assert len(known) == 1


def test_it_holds_about_as_many_bytes_as_it_says():
    settings = [(*sorted({"epsilon": float(i), "delta": 1e-5, "sites": 10}.items()),) for i in range(50)]
    known = Known()
    edition = known.edition
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        for one in settings:
            for repeat in range(20):
                job = sweep.Job(Problem(load), one, "cape", repeat, 7)
                known.put(job, job.row({"energy": repeat + 0.5}), visitor="one", edition=edition)
        taken = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert 0.5 < taken / known.bytes < 1.2


def load(name, sites, samples, seed):
    """No records."""
