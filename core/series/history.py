"""A site's own noise over a series: a secret file, kept like the site's ledger, that lets no month be sent a second time.

A month is open, then left (its packet may have left the site), then released or missed (its sum never came). The file says
"left" before anybody gets the month's noise, so that a crash never frees a month again: the same g with another set of
senders would tell up to nine times the target's μ². For the derivation see core/README.md, "Every month".
"""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np

from core import check
from core.series.strategies import Strategy

State = Literal["open", "left", "released", "missed"]
STATES: tuple[State, ...] = get_args(State)
FORMAT = "CAPE Lab noise history"
MOST_BYTES = 200_000_000


class LostHistory(ValueError):
    """A site's file is gone, of another plan, or older than what the site has charged: it stays out, or begins anew."""


@dataclass(frozen=True)
class History:
    """What one site has drawn for one series.

    Attributes
    ----------
    path : Path
        Its file, for the owner's eyes alone.
    plan : str
        Identifier of the plan.
    strategy : Strategy
        C.
    shape : tuple of int
        Of a month's statistic.
    std : float
        √γ, of the site's own z.
    states : tuple of str
        Of every month, see `STATES`.
    drawn : ndarray of shape (months drawn, *shape)
        z of the months so far, also of those in which the site did not send.
    start : int
        The first month of the present block: above 0 if the site lost its history and began anew.
    """

    path: Path
    plan: str
    strategy: Strategy
    shape: tuple[int, ...]
    std: float
    states: tuple[State, ...]
    drawn: np.ndarray
    start: int = 0

    @property
    def charged(self) -> int:
        """How many months of this block the site has charged: those whose packet may have left."""
        return sum(state != "open" for state in self.states)

    @property
    def missing(self) -> tuple[int, ...]:
        """Months whose packet left, and of which no release is known; see `core.series.without`."""
        return tuple(k for k, state in enumerate(self.states) if state in ("left", "missed"))

    @check.arguments(charged=check.whole(0))
    def noise(self, month: int, *, charged: int, rng: np.random.Generator) -> tuple[History, np.ndarray]:
        """The site's own noise of a month, (C⁻¹g)_month; the file says that it left before this returns.

        Parameters
        ----------
        month : int
            From 0; later than every month that was sent.
        charged : int
            How many months of this block the site's ledger has charged.

        Returns
        -------
        History
            To go on from.
        ndarray of shape `shape`

        Raises
        ------
        ValueError
            If the month was sent, or a later one was.
        LostHistory
            If the ledger has charged another number of months than the file: an old copy of it would send one twice.
        """
        check.integer("month", month, low=self.start, high=self.strategy.months - 1)
        if charged != self.charged:
            raise LostHistory(
                f"charged must be {self.charged}, the months that this history has sent, got {charged}: the file is an old "
                "copy, or of another ledger. Stay out of the series, or begin anew if the plan allows it"
            )
        if resume(self.path, plan=self.plan, strategy=self.strategy, charged=charged).states != self.states:
            raise LostHistory("path must say what this history says: it has gone on since")
        if self.states[month] != "open":
            raise ValueError(
                f"month must be one that was never sent, got {month}, which is {self.states[month]}: it is never sent again"
            )
        if any(state != "open" for state in self.states[month:]):
            raise ValueError(f"month must be later than all that were sent, got {month}")
        count = month + 1 - self.start - len(self.drawn)
        new = self.std * rng.standard_normal((count, *self.shape))
        drawn = np.concatenate([self.drawn, new])
        left: State = "left"
        states = (*self.states[:month], left, *self.states[month + 1 :])
        after = replace(self, drawn=drawn, states=states)
        _write(after)
        return after, np.tensordot(self.strategy.inverse[month, self.start : month + 1], drawn, axes=1)

    @check.arguments
    def closed(self, month: int, *, released: bool) -> History:
        """The same once it is known whether a month that left was released; one that was missed stays without a release."""
        check.integer("month", month, low=0, high=self.strategy.months - 1)
        if self.states[month] != "left":
            raise ValueError(
                f"month must be one whose packet left, got {month}, which is {self.states[month]}"
            )
        state: State = "released" if released else "missed"
        after = replace(self, states=(*self.states[:month], state, *self.states[month + 1 :]))
        _write(after)
        return after


@check.arguments(std=check.positive)
def begin(
    path: str | os.PathLike,
    *,
    plan: str,
    strategy: Strategy,
    shape: Sequence[int],
    std: float,
    start: int = 0,
    lost: int = 0,
) -> History:
    """A new history, with its file.

    Parameters
    ----------
    path : path
        Where no file is.
    plan : str
        Identifier of the plan.
    strategy : Strategy
    shape : sequence of int
        Of a month's statistic; () for a number.
    std : float
        √γ.
    start : int
        Above 0: the site lost its history after this many months, and begins a new block.
    lost : int
        How many sites may do so, as the plan says.

    Raises
    ------
    ValueError
        If there is a file, or the plan lets nobody begin anew.
    """
    check.integer("start", start, low=0, high=strategy.months - 1)
    if start and check.integer("lost", lost, low=0) < 1:
        raise ValueError(
            f"lost must be at least 1 for a site to begin anew in month {start}, got {lost}: the plan counts on all "
            "histories, and this site stays out"
        )
    place = Path(path)
    if place.exists():
        raise ValueError(
            f"path must be where no file is, got {check.shown(str(path))}: a history is never begun twice"
        )
    shape = tuple(check.integer("shape", n, low=1) for n in shape)
    states: tuple[State, ...] = tuple("open" for _ in range(strategy.months))
    made = History(place, plan, strategy, shape, float(std), states, np.zeros((0, *shape)), start)
    _write(made)
    return made


@check.arguments(charged=check.whole(0))
def resume(path: str | os.PathLike, *, plan: str, strategy: Strategy, charged: int) -> History:
    """The history of a file.

    Parameters
    ----------
    path : path
    plan : str
        Identifier of the plan that the site is about to follow.
    strategy : Strategy
        C, as the plan has it.
    charged : int
        How many months of this block the site's ledger has charged.

    Raises
    ------
    LostHistory
        If it is gone, damaged, of another plan or strategy, or does not agree with the ledger.
    """
    place = Path(path)
    try:
        if place.stat().st_size > MOST_BYTES:
            raise ValueError("it is too large")
        found = _read(place, json.loads(place.read_text(encoding="utf-8")), strategy)
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise LostHistory(
            f"path must be a history that can be read, got {check.shown(str(path))}: {error}"
        ) from None
    if found.plan != plan:
        raise LostHistory(f"plan must be {found.plan}, that of the history, got {check.shown(plan)}")
    if found.charged != charged:
        raise LostHistory(
            f"charged must be {found.charged}, the months that this history has sent, got {charged}"
        )
    return found


def _write(history: History) -> None:
    content: dict[str, Any] = {
        "format": FORMAT,
        "plan": history.plan,
        "shape": list(history.shape),
        "std": history.std,
        "start": history.start,
        "states": list(history.states),
        "matrix": _packed(history.strategy.matrix),
        "drawn": _packed(history.drawn),
    }
    whole_file(history.path, json.dumps(content).encode())


def whole_file(path: Path, data: bytes) -> None:
    """Replace a file at once, for its owner's eyes alone; it is on the disc before this returns."""
    beside = path.with_name(path.name + ".new")
    handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.replace(beside, path)
    _sync(path.parent)


def _sync(folder):
    """The folder's own entry on the disc, where the system knows that."""
    if hasattr(os, "O_DIRECTORY"):
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _read(place, found, strategy):
    if found["format"] != FORMAT or found["matrix"] != _packed(strategy.matrix):
        raise ValueError("it is of another format or of another strategy")
    shape = tuple(check.integer("shape", n, low=1) for n in found["shape"])
    numbers = np.frombuffer(base64.b64decode(found["drawn"], validate=True))
    drawn = numbers.reshape(-1, *shape)
    states: tuple[State, ...] = tuple(check.choice("states", one, STATES) for one in found["states"])
    start = check.integer("start", found["start"], low=0, high=strategy.months - 1)
    sent = [k for k, state in enumerate(states) if state != "open"]
    if len(states) != strategy.months or len(drawn) != (max(sent) + 1 - start if sent else 0):
        raise ValueError("its months and its noise do not agree")
    return History(
        place, str(found["plan"]), strategy, shape, check.positive("std", found["std"]), states, drawn, start
    )


def _packed(array):
    return base64.b64encode(np.ascontiguousarray(array, dtype=float).tobytes()).decode()
