"""Jobs for tests of workers: functions of a module, which a worker process imports."""

from __future__ import annotations

import os
import tempfile
import threading
import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from core import sweep
from core.sweep.workers import Call

TESTS = os.path.dirname(os.path.abspath(__file__))


def everywhere(made, action) -> list:
    """What a function returns in each of some workers: none begins it before all have come."""
    with tempfile.TemporaryDirectory() as folder:
        calls = [Call(_met, (folder, made.count, action)) for _ in range(made.count)]
        tasks = [made.submit(call, owner=threading.Event()) for call in calls]
        return [task.future.result(120) for task in tasks]


def _met(folder, count, action, signal):
    open(os.path.join(folder, str(os.getpid())), "w").close()
    while len(os.listdir(folder)) < count:
        time.sleep(0.01)
    return action()


def who(signal) -> int:
    """The process that computes."""
    return os.getpid()


def loaded(signal) -> dict[str, str]:
    """What a worker has in its environment for its threads of linear algebra."""
    return {name: os.environ.get(name, "") for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")}


def name(text, seconds, signal):
    """Work a little, and say when it was done."""
    time.sleep(seconds)
    return text, time.monotonic()


def until_cancelled(path, signal) -> str:
    """Work until it is cancelled, and leave a note that it was; the first line says that it began."""
    with open(path, "a") as file:
        file.write("begun\n")
    if signal.wait(60):
        with open(path, "a") as file:
            file.write("cancelled\n")
    return "over"


def hang(path, signal) -> None:
    """Work on without a look at the signal."""
    with open(path, "a") as file:
        file.write(f"{os.getpid()}\n")
    time.sleep(600)


def die_once(path, signal) -> int:
    """End the process at the first attempt."""
    with open(path, "a") as file:
        file.write("x")
    if os.path.getsize(path) == 1:
        os._exit(1)
    return os.path.getsize(path)


def die(signal) -> None:
    """End the process."""
    os._exit(1)


def fail(signal) -> None:
    """Raise an error of a kind of its own."""
    raise Unusual("k must be at most 4", 9)


class Unusual(Exception):
    """An error that does not pickle: its constructor wants more than its message."""

    def __init__(self, words, value):
        super().__init__(f"{words}, got {value}")


@dataclass(frozen=True, eq=False)
class OwnRecords:
    """A user's table: it equals only itself."""

    records: np.ndarray = field(repr=False)

    def __call__(self, settings):
        return self.records


@dataclass(frozen=True)
class Mean:
    """A problem on a user's table."""

    load: Any
    data_settings = ("sites",)
    methods = ("nonprivate", "cape")

    def statistics(self, settings):
        note("statistics")
        return self.load(settings).mean(axis=0)

    def estimate(self, statistics, scheme, privacy, rng, settings):
        return {"error": float(statistics.sum() + rng.random())}


NOTES: dict[str, int] = {}


def note(event):
    """Count an event in this process."""
    NOTES[event] = NOTES.get(event, 0) + 1


def run(job, signal):
    """One run, and how often this process computed statistics."""
    return job.run(), NOTES.get("statistics", 0), os.getpid()


def held() -> tuple[int, int, int]:
    """What this process still has: tables, problems with statistics, and mapped shared arrays."""
    import gc

    from core.sweep import runs

    gc.collect()
    tables = sum(isinstance(found, OwnRecords) for found in gc.get_objects())
    with open("/proc/self/maps") as file:
        mapped = sum("/memfd:cape-lab-" in line and "board" not in line for line in file)
    return tables, len(list(runs._STATISTICS)), mapped


def owned(job, signal):
    """Whether the records of a job's problem are this process's own memory."""
    records = job.problem.load.records
    base = records
    while base is not None and not hasattr(base, "filename"):
        base = getattr(base, "base", None)
    return not hasattr(base, "filename"), bool(records.flags.writeable), float(records.sum())


def job(problem, repeat=0) -> sweep.Job:
    """A run of a problem."""
    return sweep.Job(problem, (("delta", 1e-5), ("epsilon", 1.0), ("sites", 2)), "cape", repeat, 1)
