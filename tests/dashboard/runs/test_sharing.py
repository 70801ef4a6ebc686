"""One computation for all who wait for it: who stops takes their own name off, and the last one ends the call."""

from __future__ import annotations

import threading
from types import SimpleNamespace

import pytest

from core.sweep import workers
from core.sweep.workers import Call
from dashboard.runs.known import Known
from dashboard.runs.sharing import Sharing


@pytest.fixture
def at():
    """A thread that computes; what it computed, and a gate that a call waits at, unless it hears that it is cancelled."""
    pool, gate, begun, calls = workers.make(workers.THREADS), threading.Event(), threading.Event(), []

    def work(name, signal):
        calls.append(name)
        begun.set()
        while not gate.is_set():
            if signal.wait(0.01):
                calls.append(f"{name} cancelled")
                return "partial"
        return f"found {name}"

    known = Known()
    yield SimpleNamespace(
        pool=pool,
        gate=gate,
        begun=begun,
        calls=calls,
        known=known,
        call=lambda key="run": Call(work, (key,), key=key),
        visitor=lambda name, page="pca": Sharing(page, name, known=known, edition=known.edition).over(pool),
    )
    gate.set()
    pool.close()


def submitted(shared, call):
    return shared.submit(call, owner=shared, signal=workers.Signal())


def test_two_who_wait_for_one_call_have_it_computed_once_and_a_third_finds_it(at):
    tasks = [submitted(at.visitor(name), at.call()) for name in "ab"]
    at.gate.set()
    assert [task.future.result(30) for task in tasks] == ["found run"] * 2
    late = submitted(at.visitor("c"), at.call())
    assert late.future.done() and late.future.result() == "found run" and at.calls == ["run"]


@pytest.mark.parametrize("leaves", [0, 1])
def test_who_leaves_takes_nothing_from_who_stays(at, leaves):
    visitors = [at.visitor(name) for name in "ab"]
    tasks = [submitted(visitor, at.call()) for visitor in visitors]
    at.begun.wait(30)
    visitors[leaves].cancel(tasks[leaves])
    assert tasks[leaves].future.cancelled() and not tasks[1 - leaves].future.done()
    at.gate.set()
    assert tasks[1 - leaves].future.result(30) == "found run" and at.calls == ["run"]


def test_the_last_who_leaves_ends_the_call_and_half_a_result_is_not_kept(at):
    visitors = [at.visitor(name) for name in "ab"]
    tasks = [submitted(visitor, at.call()) for visitor in visitors]
    at.begun.wait(30)
    for visitor, task in zip(visitors, tasks, strict=True):
        visitor.cancel(task)
    other = submitted(at.visitor("c"), at.call("another"))
    at.gate.set()
    assert other.future.result(30) == "found another"
    assert at.calls == ["run", "run cancelled", "another"] and len(at.known) == 1
    assert submitted(at.visitor("d"), at.call()).future.result(30) == "found run"  # Begun anew.


def test_who_waits_hears_of_an_error_and_the_next_one_tries_again(at):
    def fail(signal):
        at.calls.append("fail")
        at.gate.wait(30)
        raise ValueError("no such records")

    tasks = [submitted(at.visitor(name), Call(fail, key="run")) for name in "ab"]
    at.gate.set()
    for task in tasks:
        with pytest.raises(ValueError, match="no such"):
            task.future.result(30)
    with pytest.raises(ValueError, match="no such"):
        submitted(at.visitor("c"), Call(fail, key="run")).future.result(30)
    assert at.calls == ["fail", "fail"]


def test_calls_without_a_key_and_those_of_other_pages_are_others(at):
    tasks = [submitted(at.visitor("a", page), at.call()) for page in ("pca", "topics")]
    tasks += [submitted(at.visitor("a"), Call(at.call().function, ("alone",))) for _ in range(2)]
    at.gate.set()
    assert [task.future.result(30) for task in tasks] == ["found run"] * 2 + ["found alone"] * 2
    assert at.calls == ["run", "run", "alone", "alone"] and len(at.known) == 2


def test_who_joins_is_told_how_many_come_first(at):
    submitted(at.visitor("a"), at.call("first"))
    at.begun.wait(30)
    visitors = [at.visitor(name) for name in "ab"]
    tasks = [submitted(visitor, at.call()) for visitor in visitors]
    assert [visitor.before(task) for visitor, task in zip(visitors, tasks, strict=True)] == [1, 1]


def test_workers_that_are_closed_let_nobody_wait(at):
    tasks = [submitted(at.visitor(name), at.call()) for name in "ab"]
    at.pool.close()
    assert all(task.future.cancelled() for task in tasks)
