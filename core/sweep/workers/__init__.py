"""Workers: where runs take place, in warm processes or in a thread.

Both have one interface, `Workers`: calls are submitted with an owner, owners take turns, a call can be cancelled
while it runs, and a problem can be forgotten. `default` returns the workers that everything in this process shares.
The variable `CAPE_LAB_WORKERS` selects them: a number of processes, or "threads".
"""

from core.sweep.workers.pool import Workers
from core.sweep.workers.shared import (
    THREADS,
    close,
    default,
    existing,
    make,
    parse,
    replaced,
    use,
)
from core.sweep.workers.tasks import Call, Overdue, Signal, Task, WorkerDied
from core.sweep.workers.worker import VARIABLE, when_dropped

__all__ = [
    "THREADS",
    "VARIABLE",
    "Call",
    "Overdue",
    "Signal",
    "Task",
    "WorkerDied",
    "Workers",
    "close",
    "default",
    "existing",
    "make",
    "parse",
    "replaced",
    "use",
    "when_dropped",
]
