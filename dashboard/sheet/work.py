"""What a page computes besides its plan, and what it releases: nothing, or the results of calls that are made in runs."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from core.sweep.workers import Call, Signal
from dashboard.sheet.store import Results
from dashboard.state.ledger import Drawn


@dataclass(frozen=True)
class Work:
    """The work of a page without runs; `Calls`, and the sweep of a comparison, are other kinds.

    A work keeps nothing: what it must know of earlier plans stands in the page's `store`, `results` and `held`.

    Attributes
    ----------
    releases : callable
        Maps a plan to every draw of private noise that it shows, for the session's ledger.
    noise_button : bool
        Whether the actions offer new noise; False where a button beside the picture does.
    """

    releases: Callable[[Any], Iterable[Drawn]] | None = None
    noise_button: bool = True

    @property
    def live(self) -> bool:
        """Whether there are no runs."""
        return True

    @property
    def counts(self) -> bool:
        """Whether it releases anything."""
        return self.releases is not None

    @property
    def several(self) -> bool:
        """Whether the key of a call lists parts, see `Sharing`."""
        return False

    def begin(self, page: Any, plan: Any) -> Sequence[Call] | None:
        """Take a new plan; returns the runs that it needs, or None for none."""
        if self.releases is not None:
            page.record_releases(self.releases(plan))
        return None

    def keep(self, page: Any, plan: Any, results: Iterable) -> None:
        """Take results of a plan by their calls' keys; what they release counts in the ledger, computed or found."""
        return None

    def known(self, page: Any, plan: Any) -> Any:
        """What is known of a plan."""
        return Results(plan)

    def opens_with(self, plan: Any) -> Callable[[Call], bool]:
        """Which calls of a plan the server computes before the first visitor comes."""
        return lambda call: False

    def done(self, page: Any) -> None:
        """Results have come, and are shown."""
        return None

    def check(self, plan: Any) -> None:
        """Raise a ValueError if the page cannot show a plan."""
        return None

    def problem(self, page: Any) -> str:
        """Why what the view awaits did not come."""
        return ""

    def refused(self, page: Any) -> None:
        """The settings have no plan: whichever setting would mend it must be in sight."""
        page.state.absent = []


AT_ONCE = Work()


@dataclass(frozen=True)
class Calls(Work):
    """Calls of functions, each with a key of what its result depends on.

    Attributes
    ----------
    calls : callable
        Maps a plan to everything that takes too long for `plan()`.
    awaited : callable
        Maps a plan to the keys without whose results those of earlier settings stand. The server has them at its start.
    at_once : callable
        Whether the calls of a plan are so short that they are made before anything is shown.
    finished : callable
        Takes a plan and its results once all of them are there, e.g. to keep them beyond the session.
    cost : callable, optional
        Maps a plan and the key of a call to what its result costs in the ledger; to None if it releases nothing.
    """

    calls: Callable[[Any], Sequence[Call]] = lambda plan: ()
    awaited: Callable[[Any], Sequence[Hashable]] = lambda plan: ()
    at_once: Callable[[Any], bool] = lambda plan: False
    finished: Callable[[Any, Any], None] = lambda plan, results: None
    cost: Callable[[Any, Any], Drawn | None] | None = None

    @property
    def live(self) -> bool:
        return False

    @property
    def counts(self) -> bool:
        return self.cost is not None

    def begin(self, page: Any, plan: Any) -> Sequence[Call] | None:
        """The calls of what is not known of a plan; None where these are under way."""
        page.held["calls"] = calls = self.calls(plan)
        jobs = page.unknown(plan, page.store.missing(calls))
        if jobs and self.at_once(plan):
            self.keep(page, plan, [(call.key, _computed(page, call)) for call in jobs])
            jobs = []
        keys = frozenset(call.key for call in jobs)
        under_way = page.held.get("under way", frozenset())
        if page.runs is None or (page.runs.state == "running" and keys and keys <= under_way):
            return None
        page.held["under way"] = keys
        # A run of nothing after another one would only show the same picture again.
        return None if not jobs and page.runs.state in ("idle", "finished") and not page.runs.total else jobs

    def keep(self, page: Any, plan: Any, results: Iterable) -> None:
        found = [(key, value) for key, value in results if value is not None]
        page.store.add(found)
        if self.cost is not None:
            costs = (self.cost(plan, key) for key, _ in found)
            page.record_releases(cost for cost in costs if cost is not None)

    def known(self, page: Any, plan: Any) -> Results:
        return page.store.of(plan, page.held.get("calls", ()), self.awaited(plan), page.results)

    def opens_with(self, plan: Any) -> Callable[[Call], bool]:
        awaited = frozenset(self.awaited(plan))
        return lambda call: call.key in awaited

    def done(self, page: Any) -> None:
        if page.results.complete:
            self.finished(page.plan, page.results)

    def problem(self, page: Any) -> str:
        failed = page.runs.state == "failed" and not (page.results and page.arrived())
        return page.runs.message if failed else ""


def _computed(page, call):
    return call(Signal()) if page.sharing is None else page.sharing.compute(call, Signal())
