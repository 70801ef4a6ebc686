"""A site's program for a series whose months are correlated: its noise, and what it has charged, are files of its own.

Month k is a release by `plan.of_month(k)`. The order on the disc is: noise history ("left"), charge, state, and then the
wire; so that wherever the program stops, no month is sent a second time with the g that it used. What the site cannot say
again it does not send: that month then goes on without it.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Callable, Collection
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from core import check
from core.parties import series_noise
from core.parties.plan import Plan
from core.parties.site import Site
from core.series import History, LostHistory, begin, resume
from core.series.history import whole_file

NOISE, CHARGED = "noise.json", "charged.json"


class SeriesSite:
    """One site of a series, with a folder on its disc that nobody else reads.

    Parameters
    ----------
    folder : path
        Of this series alone, and of one program at a time; begun if it is empty or missing.
    plan : Plan
        Whose series correlates months.
    number : int
        Its number in the plan, from 0.
    anew : bool
        If the history is lost, begin a new block in the month after the last that was charged. Only where the plan counts
        on such sites (`SeriesTerms.lost`); else it stays out.
    sensitivity, consent, random
        As `Site` has them.
    rng : numpy.random.Generator, optional
        Of all noise, for tests. Default: a generator of its own for every month, seeded by the operating system.

    Raises
    ------
    LostHistory
        If months were charged, and the history is gone, damaged or older: an old copy would send one twice.
    ValueError
        For another plan.
    """

    def __init__(
        self,
        folder: str | os.PathLike,
        plan: Plan,
        number: int,
        *,
        anew: bool = False,
        sensitivity: float | None = None,
        consent: Collection[str] = (),
        rng: np.random.Generator | None = None,
        random: Callable[[int], bytes] | None = None,
    ):
        if not isinstance(plan, Plan) or not plan.correlated or plan.months.month is not None:
            raise ValueError(
                "plan must have a series that correlates months, and be none of its months, got another"
            )
        self.folder, self.plan = Path(folder), plan
        self.number = check.integer("number", number, low=0, high=len(plan.sites) - 1)
        self._sensitivity, self._consent = sensitivity, consent
        self._rng, self._random = rng, random
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._strategy = series_noise.series_of(plan).strategy
        self._start, self._charged = self._read_charged()
        self.history = self._opened(anew)

    @property
    def charged(self) -> tuple[int, ...]:
        """The months, from 0, whose packet may have left: they are charged, whatever became of them."""
        return tuple(self._charged)

    @property
    def spent(self) -> float:
        """μ of all records of one person here so far: of the whole series as soon as a packet left, which it covers."""
        mu = self.plan.promise(self.number, self._sensitivity)
        return max(mu.aggregator, mu.colluders) if self._charged else 0.0

    @property
    def missing(self) -> tuple[int, ...]:
        """Months whose packet left, and of which no release is known: `plan.errors(…, missing=…)` says what that costs."""
        return self.history.missing

    def month(self, month: int, statistic: Any, *, records: int | None = None) -> MonthSite:
        """The site in a month: new, or as it was when the program stopped, with the same letters in its `outbox`.

        Parameters
        ----------
        month : int
            From 0; later than all that were sent, unless it is under way.
        statistic : array
            Of the month's records.
        records : int, optional
            How many these are.
        """
        check.integer("month", month, low=self.history.start, high=self.plan.months.months - 1)
        kept = self._state(month)
        if kept.exists():
            site = MonthSite.restore(self.plan.of_month(month), kept.read_bytes(), random=self._random)
        elif any(state != "open" for state in self.history.states[month:]):
            raise ValueError(f"month must be later than all that were sent, got {month}: none is sent again")
        else:
            rng = None if self._rng is None else self._rng.spawn(1)[0]
            site = MonthSite(
                self.plan.of_month(month),
                self.number,
                statistic,
                records=records,
                sensitivity=self._sensitivity,
                consent=self._consent,
                rng=rng,
                random=self._random,
            )
        site.program = self
        return site

    def missed(self, month: int) -> None:
        """Its sum never came: the month stays without a release."""
        self.history = self.history.closed(month, released=False)
        self._state(month).unlink(missing_ok=True)

    def _noise(self, month):
        """Own noise of a month; once this returns, history and charge say that it left."""
        rng = np.random.default_rng(secrets.randbits(256)) if self._rng is None else self._rng
        self.history, noise = self.history.noise(month, charged=self._in_block(), rng=rng)
        self._charge(month)
        return noise

    def _keep(self, site):
        """The state of a month under way, before anything of it is sent."""
        month = site.plan.months.month
        whole_file(self._state(month), site.state())
        if site.phase == "done" and self.history.states[month] == "left":
            self.history = self.history.closed(month, released=True)
            self._state(month).unlink()  # With the statistic and secret keys.

    def _state(self, month):
        return self.folder / f"month-{month:03d}.state"

    def _in_block(self):
        """How many months of the present block were charged."""
        return sum(month >= self._start for month in self._charged)

    def _opened(self, anew):
        """The history of the folder, or a first one; if that is lost and `anew`, one of a new block."""
        if not self._charged and not (self.folder / NOISE).exists():
            return self._begun()
        try:
            return self._resumed()
        except LostHistory:
            if not anew:
                raise
        self._start = self._charged[-1] + 1 if self._charged else 0
        if self._start and not self.plan.months.lost:
            raise LostHistory(
                "lost must be at least 1 for a site to begin anew, as the plan has it, got 0: it stays out"
            )
        self._write_charged()
        if (self.folder / NOISE).exists():
            os.replace(self.folder / NOISE, self.folder / f"lost-before-{self._start:03d}.json")
        return self._begun()

    def _begun(self):
        return begin(
            self.folder / NOISE,
            plan=self.plan.id,
            strategy=self._strategy,
            shape=self.plan.statistic.shape,
            std=series_noise.own_std(self.plan, self.number),
            start=self._start,
            lost=self.plan.months.lost,
        )

    def _resumed(self) -> History:
        """The history of the folder. It may be one month ahead: the program stopped after it, and before the charge."""
        read = partial(resume, self.folder / NOISE, plan=self.plan.id, strategy=self._strategy)
        try:
            found = read(charged=self._in_block())
        except LostHistory as lost:
            try:
                found = read(charged=self._in_block() + 1)
            except LostHistory:
                raise lost from None
            self._charge(max(k for k, state in enumerate(found.states) if state != "open"))
        if found.start != self._start:
            raise LostHistory(
                f"path must be the history of months from {self._start} on, got from {found.start}"
            )
        return found

    def _charge(self, month):
        self._charged.append(month)
        self._write_charged()

    def _write_charged(self):
        content = {"plan": self.plan.id, "start": self._start, "months": self._charged}
        whole_file(self.folder / CHARGED, json.dumps(content).encode())

    def _read_charged(self):
        """From which month the present block is, and the months that were charged."""
        path = self.folder / CHARGED
        if not path.exists():
            return 0, []
        found = check.strict_json(path.read_bytes())
        if not isinstance(found, dict) or found.get("plan") != self.plan.id:
            raise ValueError(f"folder must be of plan {self.plan.id[:8]}, got one that has charged another")
        months = [
            check.integer("months", month, low=0) for month in check.sequence("months", found.get("months"))
        ]
        return check.integer("start", found.get("start"), low=0), months


class MonthSite(Site):
    """The site in one month: as `Site`, with own noise of the series' history, and its state on the disc at every step."""

    remembers: ClassVar[bool] = True
    program: SeriesSite

    def _local(self, parts):
        return self.program._noise(self.plan.months.month)

    def _whole(self, step, seen=None):
        sent = super()._whole(step, seen)
        self.program._keep(self)
        return sent
