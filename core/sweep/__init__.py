"""Experiments: a problem on a grid of settings under several schemes, and the search for the least sufficient setting."""

from core.sweep.runs import (
    Job,
    forget,
    grid,
    jobs,
    run,
    statistics,
)
from core.sweep.warm import warm

__all__ = [
    "Job",
    "forget",
    "grid",
    "jobs",
    "run",
    "statistics",
    "warm",
]
