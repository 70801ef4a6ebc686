"""What was computed in runs, each under the key of what it depends on; and a frozen view of what a plan needs."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.sweep.workers import Call


@dataclass(frozen=True, eq=False)
class Results(Mapping[Hashable, Any]):
    """What is known of a plan, by the keys of its calls.

    Attributes
    ----------
    plan : object
    found : mapping
    missing : tuple of hashable
        The keys whose results are still to come.
    awaited : frozenset of hashable
        Those without which the results of an earlier plan stand.
    before : Results or None
        These earlier results; None if nothing awaited is missing, or there are none.
    """

    plan: Any
    found: Mapping[Hashable, Any] = field(default_factory=dict)
    missing: tuple[Hashable, ...] = ()
    awaited: frozenset[Hashable] = frozenset()
    before: Results | None = None

    def __getitem__(self, key: Hashable) -> Any:
        return self.found[key]

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self.found)

    def __len__(self) -> int:
        return len(self.found)

    @property
    def complete(self) -> bool:
        """Whether nothing is missing."""
        return not self.missing

    @property
    def ready(self) -> bool:
        """Whether nothing awaited is missing."""
        return self.awaited.isdisjoint(self.missing)

    @property
    def standing(self) -> Results:
        """What the picture shows: the earlier results until these are ready."""
        return self if self.ready or self.before is None else self.before

    @property
    def stale(self) -> bool:
        """Whether what stands is of another plan."""
        return self.standing is not self


class Store:
    """Keeps results of calls by their keys: those that the latest plans name.

    Class attributes
    ----------------
    most_plans : int
        Whose results are kept: whoever moves a slider back finds them again.
    """

    most_plans = 10

    def __init__(self) -> None:
        self._found: dict[Hashable, Any] = {}
        self._named: OrderedDict[frozenset[Hashable], None] = OrderedDict()

    def clear(self) -> None:
        """Forget everything: the records that it was computed from are deleted."""
        self._found.clear()
        self._named.clear()

    def get(self, key: Hashable) -> Any:
        """The result under a key; None if there is none."""
        return self._found.get(key)

    def known(self, keys: Iterable[Hashable]) -> list[Any]:
        """The results under the keys that a plan names, in their order; None where there is none."""
        named = tuple(keys)
        self._keep(frozenset(named))
        return [self._found.get(key) for key in named]

    def of(
        self,
        plan: Any,
        calls: Sequence[Call],
        awaited: Iterable[Hashable] = (),
        before: Results | None = None,
    ) -> Results:
        """What is known of a plan, frozen; `before` is what is known of the one before it."""
        keys = [call.key for call in calls]
        results = zip(keys, self.known(keys), strict=True)
        found = {key: value for key, value in results if value is not None}
        missing = tuple(key for key in keys if key not in found)
        now = Results(plan, found, missing, frozenset(awaited))
        if now.ready or before is None:
            return now
        earlier = before.standing
        return Results(plan, found, missing, now.awaited, earlier if earlier.ready else None)

    def missing(self, calls: Iterable[Call]) -> list[Call]:
        """The calls whose results are not known."""
        return [call for call in calls if call.key not in self._found]

    def add(self, results: Iterable[tuple[Hashable, Any]]) -> None:
        """Take results by their keys; None is no result, but a call that was cancelled."""
        self._found.update((key, value) for key, value in results if value is not None)

    def _keep(self, named):
        """Forget what none of the latest plans names."""
        new = named not in self._named
        self._named[named] = None
        self._named.move_to_end(named)
        while len(self._named) > self.most_plans:
            self._named.popitem(last=False)
        if new:
            wanted = frozenset().union(*self._named)
            self._found = {key: value for key, value in self._found.items() if key in wanted}
