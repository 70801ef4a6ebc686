"""Runs: in order, cancelled, failed, hung, shared between sessions."""

from __future__ import annotations

import asyncio
import gc
import math
import threading
import time

import pytest

from core.sweep import workers
from core.sweep.workers import Call
from dashboard.state import background_runs


def into(painted):
    """Paints what the calls of a run returned."""
    return lambda found: painted.extend(result for _, result in found)


def numbered(count):
    """Calls that return their own number."""
    return [Call(lambda i, stop: i, (i,), key=i) for i in range(count)]


def run_now(jobs, *, limit=60.0, during=None):
    """Run jobs on an event loop; returns the runs, what was painted, and the loop's result."""
    painted = []

    async def main():
        task = background_runs.Runs(limit=limit)
        task.start(jobs, paint=into(painted))
        if during is not None:
            await during(task, painted)
        while task.state == "running":
            await asyncio.sleep(0.005)
        return task

    return asyncio.run(main()), painted


def test_a_run_paints_its_results_in_order():
    task, painted = run_now(numbered(7))
    assert (task.state, task.done, task.total) == ("finished", 7, 7)
    assert painted == list(range(7))


def test_what_a_stopped_job_raises_is_not_logged(caplog):
    """As when reading the docstrings is stopped by a file that takes their place."""
    begun, raised = threading.Event(), threading.Event()

    def stopped(stop):
        begun.set()
        stop.wait(5)
        raised.set()
        raise ValueError("reading the docstrings was stopped")

    async def during(task, painted):
        await asyncio.to_thread(begun.wait, 5)
        task.clear()
        await asyncio.to_thread(raised.wait, 5)
        await asyncio.sleep(0.05)
        gc.collect()

    run_now([Call(stopped)], during=during)
    assert raised.is_set()
    assert [record.getMessage() for record in caplog.records] == []


def test_a_run_without_an_event_loop_is_done_at_once():
    task, painted = background_runs.Runs(), []
    task.start(numbered(3), paint=into(painted))
    assert task.state == "finished" and painted == [0, 1, 2]


def test_without_an_event_loop_results_are_painted_together_and_a_failure_keeps_them():
    def broken(stop):
        raise ValueError("no more records")

    task, painted = background_runs.Runs(), []
    task.start([*numbered(1000), Call(broken)], paint=painted.append)
    assert painted == [[(i, i) for i in range(1000)]]
    assert (task.state, task.message, task.done) == ("failed", "no more records", 1000)


def test_a_new_run_cancels_the_old_one_and_nothing_stale_is_painted():
    begun, go = threading.Event(), threading.Event()

    def slow(stop):
        begun.set()
        go.wait(5)
        return "stale", stop.is_set()

    async def during(task, painted):
        await asyncio.to_thread(begun.wait, 5)
        old = task._run
        task.start([Call(lambda stop: "fresh")], paint=into(painted))
        assert old.cancelled.is_set()
        go.set()

    task, painted = run_now([Call(slow), Call(lambda stop: "stale too")], during=during)
    assert painted == ["fresh"]
    assert (task.state, task.total) == ("finished", 1)


def test_a_stopped_run_keeps_what_it_painted_and_can_go_again():
    async def during(task, painted):
        while not painted:
            await asyncio.sleep(0.005)
        task.stop()
        assert task.state == "stopped"
        kept = list(painted)
        await asyncio.sleep(0.05)
        assert painted == kept and len(kept) < 100
        painted.clear()
        task.again()

    task, painted = run_now(
        [Call(lambda i, stop: time.sleep(0.002) or i, (i,)) for i in range(100)], during=during
    )
    assert task.state == "finished" and painted == list(range(100))


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (ValueError("k must be at most 4, got 9"), "k must be at most 4, got 9"),
        (MemoryError(), "Out of memory"),
        (ZeroDivisionError("division by zero"), "ZeroDivisionError: division by zero"),
    ],
)
def test_a_failure_is_said_in_words_and_the_rest_stays(error, words):
    def fail(stop):
        raise error

    task, painted = run_now([Call(lambda stop: 1), Call(fail), Call(lambda stop: 2)])
    assert task.state == "failed" and task.message.startswith(words)
    assert painted in ([1], [])


def test_a_failing_painter_is_said_too():
    async def main():
        task = background_runs.Runs()
        task.start([Call(lambda stop: 1)], paint=lambda results: 1 / 0)
        while task.state == "running":
            await asyncio.sleep(0.005)
        return task

    assert "ZeroDivisionError" in asyncio.run(main()).message


def test_a_job_that_hangs_is_given_up_and_does_not_block_others():
    release_it = threading.Event()

    async def main():
        hanging, other, painted = background_runs.Runs(limit=0.2), background_runs.Runs(), []
        hanging.start([Call(lambda stop: release_it.wait(20))], paint=into(painted))
        await asyncio.sleep(0.05)
        other.start([Call(lambda stop: "other")], paint=into(painted))
        while "running" in (hanging.state, other.state):
            await asyncio.sleep(0.02)
        return hanging, other, painted

    try:
        hanging, other, painted = asyncio.run(main())
    finally:
        release_it.set()
    assert hanging.state == "failed" and "0.2 seconds" in hanging.message
    assert other.state == "finished" and painted == ["other"]


def test_sessions_share_the_worker_in_turn():
    order = []

    async def main():
        tasks = [background_runs.Runs() for _ in range(3)]
        for name, task in enumerate(tasks):
            jobs = [Call(lambda name, stop: time.sleep(0.003) or order.append(name), (name,))] * 10
            task.start(jobs, paint=lambda results: None)
        while any(task.state == "running" for task in tasks):
            await asyncio.sleep(0.005)

    asyncio.run(main())
    # Whoever comes first has at most a few jobs done before the last has its first.
    assert order.index(2) < 6
    assert sorted(order) == [0] * 10 + [1] * 10 + [2] * 10


class Halving:
    """Jobs of which each depends on the result of the one before; their number is an estimate."""

    def __init__(self):
        self.left, self.taken = 100, 0

    def __len__(self):
        return self.taken + int(math.log2(max(self.left, 1)))

    def __iter__(self):
        while self.left > 1:
            yield Call(self.job)

    def job(self, cancelled):
        self.left //= 2
        self.taken += 1
        return self.left


def test_jobs_that_depend_on_results_are_drawn_one_by_one():
    alone, painted_alone = background_runs.Runs(), []
    alone.start(Halving(), paint=into(painted_alone))
    for task, painted in (run_now(Halving()), (alone, painted_alone)):
        assert painted == [50, 25, 12, 6, 3, 1]
        assert (task.state, task.done, task.total) == ("finished", 6, 6)


def test_a_caller_may_wait_for_a_run_and_has_each_result_once():
    """As a cell of a notebook does, while the event loop stands still."""

    def jobs():
        found = yield Call(lambda stop: 0)
        while found < 19:
            found = yield Call(lambda last, stop: last + 1, (found,))

    class Chain(list):
        __iter__ = staticmethod(jobs)

    for run in (numbered(20), Chain([0] * 20)):
        painted = []

        async def during(run=run, painted=painted):
            task = background_runs.Runs(worker=workers.make(workers.THREADS))
            task.start(run, paint=into(painted))
            await asyncio.sleep(0)
            assert task.wait() and task.state == "finished"
            assert painted == list(range(20))
            await asyncio.sleep(0.02)  # The loop turns again.
            assert painted == list(range(20)) and task.wait()

        asyncio.run(during())


def test_a_run_for_which_a_caller_waits_no_longer_goes_on_by_itself():
    go = threading.Event()
    jobs = [Call(lambda stop: 1), Call(lambda stop: go.wait(5) and 2), Call(lambda stop: 3)]

    async def during(task, painted):
        await asyncio.sleep(0.02)
        assert not task.wait(0.05)
        assert task.state == "running" and painted == [1]
        go.set()

    task, painted = run_now(jobs, during=during)
    assert (task.state, painted) == ("finished", [1, 2, 3])


def test_a_caller_who_waits_for_a_run_that_fails_finds_its_message():
    def broken(stop):
        raise ValueError("no more records")

    async def during(task, painted):
        assert task.wait()

    task, painted = run_now([Call(lambda stop: 1), Call(broken), Call(lambda stop: 2)], during=during)
    assert (task.state, task.message, painted) == ("failed", "no more records", [1])
