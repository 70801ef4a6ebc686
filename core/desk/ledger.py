"""A site's ledger: what its records have spent, line after line, each with the hash of the one before.

A changed byte breaks the chain. A tail that was cut off does not: so number and hash of the last line, its head, go into
joins and receipts that others keep.
"""

from __future__ import annotations

import contextlib
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from core import check
from core.desk import records
from core.desk.records import Damaged
from core.privacy import Privacy, gdp_epsilon, gdp_mu

KINDS = ("opened", "ceiling", "spent", "refused")
OBSERVERS = ("message", "aggregator", "colluders")
HASH_BYTES = 32
NOTHING = "0" * 2 * HASH_BYTES  # What the first line has in the place of a hash.
_FIELDS = ("n", "prev", "time", "kind", "plan", "run", "mu", "message")
_CEILING = ("reason", "observer", "epsilon", "delta")
_SERIES = ("series", "most", "months")
_RECORDS = "records"  # Entries of months have it since they are told apart by it.


class BeyondCeiling(ValueError):
    """Raised if a release would spend more of a year than the ceiling allows; nothing has left."""


@dataclass(frozen=True)
class Head:
    """The last line of a ledger: its number, from 1, and its hash; 0 for an empty one."""

    n: int = 0
    hash: str = NOTHING

    def to_list(self) -> list:
        """As JSON."""
        return [self.n, self.hash]


@dataclass(frozen=True)
class Ceiling:
    """What a year may spend.

    Attributes
    ----------
    privacy : Privacy
        (ε, δ) of all releases of a year together.
    observer : {"message", "aggregator", "colluders"}
        Against whom at least; a plan against a stronger one is counted at the stronger.
    """

    privacy: Privacy
    observer: str


class Ledger:
    """The ledger in a file.

    Parameters
    ----------
    path : Path
        The file; a lock stands beside it.

    Raises
    ------
    Damaged
        If a line was changed. A last line that was not written to its end counts as none, since nothing left after it; the
        next entry takes its place.

    Attributes
    ----------
    unfinished : int
        Bytes of such a line.
    """

    def __init__(self, path: Path):
        self.path, self.unfinished = Path(path), 0
        self._lines: list[dict[str, Any]] = []
        self._read()

    @property
    def lines(self) -> tuple[Mapping[str, Any], ...]:
        """All entries, in their order."""
        return tuple(self._lines)

    @property
    def head(self) -> Head:
        """Number and hash of the last line."""
        return Head(self._lines[-1]["n"], self._lines[-1]["hash"]) if self._lines else Head()

    @property
    def chain(self) -> bytes:
        """Hashes of all lines, `HASH_BYTES` each: who holds an earlier head finds it among them."""
        return bytes.fromhex("".join(line["hash"] for line in self._lines))

    @property
    def ceiling(self) -> Ceiling | None:
        """The ceiling that was set last."""
        for line in reversed(self._lines):
            if line["kind"] == "ceiling":
                return Ceiling(Privacy(line["epsilon"], line["delta"]), line["observer"])
        return None

    @contextlib.contextmanager
    def locked(self) -> Iterator[Ledger]:
        """Hold the ledger for a whole step: what another process wrote is read first."""
        with records.locked(self.path.with_name(self.path.name + ".lock")):
            self._read()
            yield self

    def spent(self, year: int) -> float:
        """μ of all releases of a calendar year (UTC) together: √Σ μ², of a series over the months that one person is in."""
        return _together(line for line in self._of(year) if line["kind"] == "spent")

    def has(self, plan: str, run: str, kind: str = "spent") -> bool:
        """Whether a run of a plan has been spent, or refused."""
        return any((line["kind"], line["plan"], line["run"]) == (kind, plan, run) for line in self._lines)

    def refuse_beyond(self, mu: float, time: str, **series) -> None:
        """Raise `BeyondCeiling` if a further μ would exceed the ceiling of the year in which it would be booked.

        Parameters
        ----------
        mu : float
        time : str
            When the site joined; see `booked`.
        **series
            Of a month of a series, as `further` says it: series, its identifier; most, in how many of its months a person
            is; months, how many there are; records, a hash of what is sent.

        Raises
        ------
        ValueError
            If there is no ceiling, or a series has all its months.
        """
        ceiling = self.ceiling
        if ceiling is None:
            raise ValueError("ceiling must be set before a site takes part; see 'site ceiling'")
        spent = [line for line in self._lines if line["kind"] == "spent"]
        if series and sum(line.get("series") == series["series"] for line in spent) >= series["months"]:
            raise ValueError(
                f"series must have no more than {series['months']} months, and has had all of them"
            )
        year = moment(self.booked(time)).year
        further = {"mu": check.nonnegative("mu", mu), **series}
        together = _together([*(line for line in self._of(year) if line["kind"] == "spent"), further])
        if together > gdp_mu(ceiling.privacy) * (1 + 1e-12):
            epsilon, delta = ceiling.privacy.epsilon, ceiling.privacy.delta
            raise BeyondCeiling(
                f"release must leave the year within epsilon {epsilon:g} at delta {delta:g}; with it the year would be at "
                f"epsilon {check.upwards(float(gdp_epsilon(delta, together)), 4)} at that delta"
            )

    def add(
        self,
        kind: str,
        *,
        time: str,
        plan: str = "",
        run: str = "",
        mu: float = 0.0,
        message: str = "",
        **more,
    ) -> Head:
        """Append an entry, on disc when this returns.

        Parameters
        ----------
        kind : {"opened", "ceiling", "spent", "refused"}
        time : str
            UTC, as `now` writes it; not before the last entry's.
        plan, run : str
            The plan's identifier, and its run.
        mu : float
        message : str
            SHA-256 of what leaves.
        **more
            Of a ceiling: reason, observer, epsilon, delta. Of a month of a series: see `refuse_beyond`.
        """
        check.choice("kind", kind, KINDS)
        self.refuse_earlier(time)
        if set(more) not in _further(kind):
            raise ValueError(
                f"entry {kind!r} must have {', '.join(_CEILING)} if it is a ceiling, {', '.join(_SERIES)} if it is a month "
                f"that was spent, and nothing else, got {sorted(more)}"
            )
        if kind == "ceiling":
            check.choice("observer", more["observer"], OBSERVERS)
            Privacy(more["epsilon"], more["delta"])
        head = self.head
        about = {"plan": plan, "run": run, "mu": check.nonnegative("mu", mu), "message": message}
        line = {"n": head.n + 1, "prev": head.hash, "time": time, "kind": kind} | about | more
        line["hash"] = _hash(line)
        if self.unfinished:
            with self.path.open("r+b") as file:
                file.truncate(self.path.stat().st_size - self.unfinished)
            self.unfinished = 0
        records.appended(self.path, records.canonical(line) + b"\n")
        self._lines.append(line)
        return self.head

    def further(self, month: Mapping[str, Any]) -> dict[str, Any]:
        """What an entry says of a month of a series: nothing if an earlier run has sent its records, done or failed.

        That run is charged in addition to the series: whoever is in one of the two is in both.
        """
        sent = {line.get("records") for line in self._lines if line["kind"] == "spent"} - {None}
        return {} if month.get("records") in sent else dict(month)

    def booked(self, time: str) -> str:
        """The time of an entry of a run that joined at `time`: that of the last entry, if another run has written since."""
        return max(time, self._lines[-1]["time"]) if self._lines else time

    def refuse_earlier(self, time: str) -> None:
        """Raise a ValueError if a time is before the last entry's: a clock that was set back would empty the year."""
        if self._lines and moment(time) < moment(self._lines[-1]["time"]):
            raise ValueError(
                f"time must not be before the ledger's last entry, {self._lines[-1]['time']}, got {time}; see the clock"
            )

    def _of(self, year):
        return (line for line in self._lines if moment(line["time"]).year == year)

    def _read(self):
        with records.named(self.path):
            try:
                records.refuse_open(self.path)
                data = records.read(self.path)
            except FileNotFoundError:
                data = b""
        whole = data[: data.rfind(b"\n") + 1]
        self.unfinished = len(data) - len(whole)
        self._lines = checked(whole)


def checked(data: bytes) -> list[dict[str, Any]]:
    """The entries of a ledger's bytes.

    Raises
    ------
    Damaged
        Naming the first line that does not follow from those before.
    """
    found: list[dict[str, Any]] = []
    head = Head()
    for number, text in enumerate(data.splitlines(), 1):
        line = _line(text)
        if (
            line is None
            or (line["n"], line["prev"]) != (head.n + 1, head.hash)
            or line["hash"] != _hash(line)
            or records.canonical(line) != text
        ):
            raise Damaged(
                f"ledger must be as it was written, and line {number} does not follow from those before"
            )
        found.append(line)
        head = Head(line["n"], line["hash"])
    return found


def follows(lines: tuple[Mapping[str, Any], ...], head: Head) -> bool:
    """Whether a head that somebody else keeps is of a line of this ledger: if not, it was put back or is another one."""
    return head == Head() or any((line["n"], line["hash"]) == (head.n, head.hash) for line in lines)


def goes_on(head: Head, chain: bytes, before: Head) -> bool:
    """Whether a ledger whose last lines have these hashes ends at `head` and has `before` among them, or nothing before."""
    first = head.n - len(chain) // HASH_BYTES  # Lines before these.
    there = {
        (n, chain[HASH_BYTES * (n - 1 - first) : HASH_BYTES * (n - first)].hex())
        for n in (head.n, before.n)
        if n > first
    }
    return first >= 0 and there == {(one.n, one.hash) for one in (head, before) if one.n}


def now() -> str:
    """The present time, UTC to the second."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def moment(time: str) -> datetime:
    """The moment that `now` wrote; ValueError for another text."""
    try:
        return datetime.strptime(time, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
    except (TypeError, ValueError):
        raise ValueError(f"time must be UTC like 2026-11-29T08:00:00Z, got {check.shown(time)}") from None


def _further(kind):
    """Which fields an entry may have besides those that all have."""
    return {"ceiling": (set(_CEILING),), "spent": (set(), set(_SERIES), {*_SERIES, _RECORDS})}.get(
        kind, (set(),)
    )


def _together(lines):
    """√Σ μ², of each series over its largest months, as many as one person is in."""
    squares, series = [], {}
    for line in lines:
        if "series" in line:
            series.setdefault((line["series"], line["most"]), []).append(line["mu"] ** 2)
        else:
            squares.append(line["mu"] ** 2)
    months = [one for (_, most), found in series.items() for one in sorted(found)[-most:]]
    return math.sqrt(math.fsum(squares + months))


def _hash(line):
    return records.digest(records.canonical({name: value for name, value in line.items() if name != "hash"}))


def _line(text):
    try:
        line = json.loads(text)
        if set(line) - {*_FIELDS, "hash"} not in _further(line["kind"]) or not {*_FIELDS, "hash"} <= set(
            line
        ):
            return None
        if line["kind"] not in KINDS or not isinstance(line["mu"], int | float):
            return None
        moment(line["time"])
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
        return None
    return line
