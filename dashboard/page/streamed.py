"""Pages whose picture is computed in runs: a new setting starts them, results are painted as they come."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from typing import Any, ClassVar

from dashboard.page.base import Page
from dashboard.state.background_runs import Job, Runs


class StreamedPage(Page):
    """A page that computes a plan at once and its picture in runs; a subclass says which, and paints results.

    `compute` returns the plan. Only results of the latest plan's runs are ever painted.

    Class attributes
    ----------------
    run_settings : dict
        Parameters of `Runs`, e.g. what a job is called.
    """

    live = False
    run_settings: ClassVar[dict[str, Any]] = {}

    def __init__(self, controls):
        super().__init__(controls)
        self.runs = Runs(**self.run_settings)
        self._plan: Any = None

    @abc.abstractmethod
    def begin(self, plan) -> Sequence[Job] | None:
        """Say what can be said of a new plan at once, and return the runs it asks for; None leaves them as they are."""

    @abc.abstractmethod
    def paint(self, results: list) -> None:
        """Take results of the runs and show what they change."""

    def compute(self):
        return self.model.plan()

    def refresh(self) -> None:
        """Start the runs that the settings ask for; what is wrong with these is said, and stops what ran."""
        self.content()
        try:
            plan = self.compute()
        except ValueError as error:
            self.runs.stop()
            self.said.problem = str(error)
            return
        self._plan = plan
        jobs = self.begin(plan)
        if jobs is not None:
            self.runs.start(jobs, paint=self.paint)

    def let_go(self) -> None:
        """Drop what the page itself holds of its picture."""
        self.picture, self._plan = None, None
        if self.pins:
            self.pins.clear()

    def closed(self) -> None:
        """Other pages have the worker; coming back goes on where this stopped, or begins anew."""
        super().closed()
        if self.runs.state == "running":
            self.runs.stop()
            self._due = True
