"""A computation at a page's current settings, beside its curve."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any

from core import sweep


@dataclass(frozen=True)
class Fit:
    """A computation at the current settings, in addition to the curve.

    Attributes
    ----------
    name : str
        Its key in `Sweep.spots`, usually the method.
    make : callable
        Called in a worker with a signal that is set on cancellation; returns the result, or None for none. It must
        pickle: a function of a module, or a `partial` of one.
    runs : tuple of sweep.Job
        The runs that it makes, for the ledger; an existing result stays valid as long as they are the same.
    same : hashable
        Further values on which the result depends.
    each : bool
        Whether the result has the figures of each run, as `each`: a curve with a point there does not compute them again.
    together : bool
        Whether it is shown at once with all others that are: one call computes them.
    """

    name: str
    make: Callable[[Any], Any]
    runs: tuple[sweep.Job, ...] = ()
    same: Hashable = None
    each: bool = False
    together: bool = field(default=False, compare=False)

    @property
    def key(self) -> Hashable:
        """What the result depends on."""
        return self.name, self.runs, self.same

    def rows(self, found: Any) -> dict[sweep.Job, dict]:
        """The rows of its runs, as far as a result has their figures."""
        each = found.each if self.each else ()
        return {job: job.row(figures) for job, figures in zip(self.runs, each, strict=False)}
