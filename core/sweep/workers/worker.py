"""What a worker is: something that computes a few tasks and then says what came of them."""

from __future__ import annotations

import abc
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from core.sweep.workers.tasks import Task

VARIABLE = "CAPE_LAB_WORKERS"  # Of the environment: what `shared.parse` reads.
# Called with a problem that a worker, or all of this process, no longer needs.
_DROPPING: list[Callable[[Any], None]] = []


def when_dropped(action: Callable[[Any], None]) -> None:
    """Have `action` called with every problem that is forgotten in this process."""
    if action not in _DROPPING:
        _DROPPING.append(action)


def drop(problem: Any) -> None:
    """Call the actions of `when_dropped`."""
    for action in _DROPPING:
        action(problem)


class CannotStart(Exception):
    """No worker of this kind can be started on this system."""


class Died(Exception):
    """A worker ended while it computed; `task` is the task that it ran, if it had begun one."""

    task: Task | None = None


@dataclass(frozen=True)
class Outcome:
    """Results of tasks in their order: (True, result) or (False, exception), and the seconds that each took."""

    results: Sequence[tuple[bool, Any]]
    seconds: Sequence[float]


Done = Callable[[Outcome | BaseException], None]


class Worker(abc.ABC):
    """Computes a few tasks at a time.

    Attributes
    ----------
    most : int
        Tasks that are handed over together, at most.
    apart : bool
        Whether tasks run in another process.
    """

    most: ClassVar[int] = 1
    apart: ClassVar[bool] = False

    @abc.abstractmethod
    def start(self, tasks: list[Task], done: Done) -> None:
        """Begin tasks and return; `done` is called once with what came of them."""

    @abc.abstractmethod
    def end(self) -> None:
        """End at once; `done` of the present tasks is not called any more."""

    @property
    def owes(self) -> bool:
        """Whether there is something to do although no task waits."""
        return False

    @property
    def pid(self) -> int | None:
        """The process of this worker, if it is not this one."""
        return None

    def stop(self, task: Task) -> None:
        """Tell a running task that it is cancelled; its signal is set already."""
        return None

    def overdue(self) -> Task | None:
        """The running task, if it exceeds its limit."""
        return None

    def replace(self) -> None:
        """End the present task by force, and be ready for others."""
        self.end()

    def forget(self, problem: Any) -> None:
        """Remove a problem and its results after the present tasks."""
        return None


def call(task: Task) -> tuple[bool, Any]:
    """Call a task's job in this process; exceptions that would end the process become RuntimeError."""
    try:
        return True, None if task.signal.is_set() else task.job(task.signal)
    except (SystemExit, KeyboardInterrupt) as error:
        return False, RuntimeError(f"a job tried to end the program ({type(error).__name__})")
    except BaseException as error:
        return False, error
