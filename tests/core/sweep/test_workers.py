"""Workers: the same interface for processes and a thread; turns, cancellation, deaths, forgetting."""

from __future__ import annotations

import os
import sys
import threading
import time

import numpy as np
import pandas as pd
import pytest
import worker_jobs as jobs

from core import sweep
from core.sweep import workers

LIMIT = 120  # Seconds that a busy machine may take for anything here.


@pytest.fixture(scope="module")
def processes():
    """Two worker processes for all tests of this module."""
    made = workers.make(2)
    yield made
    made.close()


def call(function, *arguments):
    return workers.Call(function, arguments)


def result(task):
    return task.future.result(LIMIT)


def until(condition):
    end = time.monotonic() + LIMIT
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def text(path):
    return path.read_text() if path.exists() else ""


def test_tasks_run_in_two_other_processes_of_one_thread_each(processes):
    both = [processes.submit(call(jobs.name, "a", 0.3), owner=object_()) for _ in range(2)]
    [result(task) for task in both]
    found = set(jobs.everywhere(processes, os.getpid))
    assert len(found) == 2 and os.getpid() not in found and found == set(processes.pids)
    assert result(processes.submit(call(jobs.loaded))) == {
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }


def test_a_cancelled_task_is_told_while_it_runs_and_its_worker_goes_on(processes, tmp_path):
    path = tmp_path / "notes"
    task = processes.submit(call(jobs.until_cancelled, str(path)))
    until(lambda: text(path) == "begun\n")
    processes.cancel(task)
    assert task.future.cancelled()
    until(lambda: text(path) == "begun\ncancelled\n")
    assert result(processes.submit(call(jobs.who))) in processes.pids


def test_what_waits_behind_a_cancelled_task_of_the_same_owner_is_not_cancelled(processes, tmp_path):
    owner, paths = object_(), [tmp_path / "one", tmp_path / "two"]
    first = [processes.submit(call(jobs.until_cancelled, str(path)), owner=owner) for path in paths]
    until(lambda: all(text(path) for path in paths))
    behind = processes.submit(call(jobs.name, "behind", 0), owner=owner)
    for task in first:
        processes.cancel(task)
    assert result(behind)[0] == "behind"


def test_a_killed_worker_is_replaced_and_its_task_repeated(processes, tmp_path):
    path = tmp_path / "attempts"
    other = processes.submit(call(jobs.name, "other", 0.2), owner=object_())
    assert result(processes.submit(call(jobs.die_once, str(path)), owner=object_())) == 2
    assert result(other)[0] == "other"  # One executor a worker: a death breaks nobody else's tasks.
    assert result(processes.submit(call(jobs.who))) in processes.pids


def test_a_task_that_ends_two_processes_says_so_and_the_others_live(processes):
    dying = processes.submit(call(jobs.die), owner=object_())
    others = [processes.submit(call(jobs.name, i, 0.01), owner=object_()) for i in range(6)]
    with pytest.raises(workers.WorkerDied, match="ended again"):
        result(dying)
    assert [result(task)[0] for task in others] == list(range(6))


def test_a_task_beyond_its_limit_is_ended_by_force(processes, tmp_path):
    path = tmp_path / "who"
    task = processes.submit(call(jobs.hang, str(path)), limit=0.3)
    with pytest.raises(workers.Overdue):
        result(task)
    until(lambda: not alive(int(text(path))))
    assert result(processes.submit(call(jobs.who))) in processes.pids


def test_an_error_keeps_its_words_also_if_it_does_not_pickle(processes):
    with pytest.raises(RuntimeError, match=r"Unusual: k.*4.*9"):
        result(processes.submit(call(jobs.fail)))
    with pytest.raises(TypeError, match="must pickle"):
        result(processes.submit(call(jobs.name, threading.Lock(), 0)))
    assert result(processes.submit(call(lambda signal: 3))) == 3


def test_a_problem_travels_once_and_its_statistics_are_found_again(processes):
    records = jobs.OwnRecords(np.random.default_rng(0).random((5000, 4)))
    problem, owner = jobs.Mean(records), object_()
    found = [result(processes.submit(call(jobs.run, jobs.job(problem, r)), owner=owner)) for r in range(8)]
    computed = {}
    for row, count, pid in found:
        computed.setdefault(pid, []).append(count)
        assert row == jobs.job(problem, row["repeat"]).run()  # The same numbers as here.
    # An own table equals only itself, yet a worker computes its statistics once.
    assert all(max(counts) == min(counts) for counts in computed.values())
    sweep.forget(problem)
    processes.forget(problem)


@pytest.mark.skipif(sys.platform != "linux", reason="needs anonymous shared memory")
def test_records_are_shared_and_leave_every_worker_when_they_are_forgotten(processes):
    before = jobs.everywhere(processes, jobs.held)
    records = jobs.OwnRecords(np.random.default_rng(1).random((50_000, 4)))
    problem = jobs.Mean(records)
    tasks = [processes.submit(call(jobs.run, jobs.job(problem, r)), owner=object_()) for r in range(40)]
    assert {pid for _, _, pid in map(result, tasks)} == set(processes.pids)
    private, writeable, total = result(processes.submit(call(jobs.owned, jobs.job(problem))))
    assert not private and not writeable and total == pytest.approx(records.records.sum())
    during = jobs.everywhere(processes, jobs.held)
    assert all(now[0] == then[0] + 1 and now[2] > then[2] for then, now in zip(before, during, strict=True))

    late = processes.submit(call(jobs.run, jobs.job(problem, 99)), owner=object_())
    processes.cancel(late)
    processes.forget(problem)
    assert jobs.everywhere(processes, jobs.held) == before


def test_owners_take_turns():
    line = workers.make(workers.THREADS)
    hold, order = threading.Event(), []
    blocker = line.submit(call(lambda signal: hold.wait(LIMIT)))
    owners = [object_() for _ in range(3)]
    for i in range(9):
        line.submit(call(lambda i, signal: order.append(i // 3), i), owner=owners[i // 3])
    hold.set()
    result(blocker)
    until(lambda: len(order) == 9)
    assert order == [0, 1, 2] * 3
    line.close()


def test_workers_say_whether_they_have_anything_to_do_and_whether_anybody_waits():
    pool, go = workers.make(workers.THREADS), threading.Event()
    assert pool.idle and not pool.crowded
    first = pool.submit(workers.Call(lambda signal: go.wait(60)))
    assert not pool.idle and not pool.crowded
    second = pool.submit(workers.Call(lambda signal: None))
    assert pool.crowded
    go.set()
    for task in (first, second):
        task.future.result(60)
    assert pool.idle
    pool.close()


def test_who_waits_behind_an_owner_of_many_tasks_is_next_and_is_told_how_many_come_first():
    thread, gate, order = workers.make(workers.THREADS), threading.Event(), []
    busy, honest = object_(), object_()

    def job(name):
        return call(lambda signal: (gate.wait(LIMIT), order.append(name)))

    first = thread.submit(job("busy 0"), owner=busy)
    many = [thread.submit(job(f"busy {i}"), owner=busy) for i in (1, 2, 3)]
    one = thread.submit(job("honest"), owner=honest)
    other = thread.submit(job("other"), owner=object_())
    assert [thread.before(task) for task in (first, one, other, *many)] == [0, 1, 2, 3, 4, 5]
    gate.set()
    [result(task) for task in (first, *many, one, other)]
    assert order == ["busy 0", "honest", "other", "busy 1", "busy 2", "busy 3"]
    assert thread.before(one) == 0
    thread.close()


def test_where_no_process_starts_a_thread_computes(monkeypatch, caplog):
    from core.sweep.workers import processes

    def refuse(*args, **options):
        raise PermissionError("none-here")

    monkeypatch.setattr(processes, "ProcessPoolExecutor", refuse)
    made = workers.make(2)
    assert result(made.submit(call(jobs.who))) == os.getpid()
    assert made.count == 1 and not made.apart
    assert "none-here" in caplog.text
    made.close()


@pytest.mark.parametrize("given, expected", [("3", 3), (" Threads ", "threads")])
def test_the_variable_is_read(given, expected):
    assert workers.parse(given) == expected
    assert 1 <= workers.parse("") == max(1, os.cpu_count() - 1)


@pytest.mark.parametrize("given", ["0", "-1", "many", "1.5", "10000"])
def test_a_wrong_variable_is_named(given):
    with pytest.raises(ValueError, match=r"workers must.*1.*256"):
        workers.parse(given)


def test_closing_ends_the_processes_at_once(tmp_path):
    made = workers.make(1)
    path = tmp_path / "who"
    task = made.submit(call(jobs.hang, str(path)))
    until(lambda: text(path))
    made.close()
    assert task.future.cancelled()
    until(lambda: not alive(int(text(path))))
    with pytest.raises(RuntimeError, match="closed"):
        made.submit(call(jobs.who))


def test_a_sweep_on_warm_processes_gives_the_table_of_a_sweep_here(processes):
    from core import pca
    from data.catalogue import tables

    settings = ("data", "sites", "samples", "data_seed", "published")
    problem = pca.Problem(tables.load, data_settings=settings)
    fixed = {"data": "low_rank", "sites": 2, "samples": 20, "data_seed": 0, "published": False, "k": 2}
    cells = sweep.grid(epsilon=[0.1, 1.0], delta=1e-5, **fixed)
    options = {"schemes": ("nonprivate", "cape"), "repeats": 3, "seed": 1}
    here = sweep.run(problem, cells, **options)
    with workers.replaced(processes):
        for _ in range(2):
            there = sweep.run(problem, cells, executor=sweep.warm(), **options)
            pd.testing.assert_frame_equal(there, here, rtol=1e-9)  # Threads of linear algebra differ.


def object_():
    """An owner."""
    return threading.Event()


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False
