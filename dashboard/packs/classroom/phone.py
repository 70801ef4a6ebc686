"""A phone of the class as a program: for simulated phones, for tests, and for load. `phone.js` does the same."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from typing import Any

from dashboard.packs.classroom import ring
from dashboard.packs.classroom.room import Room
from dashboard.packs.classroom.rooms import take
from dashboard.packs.classroom.seats import Refused

_RANDOM = secrets.SystemRandom()


class Phone:
    """One phone: its number and its noise stay in it, and `send` gets its messages.

    Parameters
    ----------
    value : float
        Its number, in the unit of the question.
    send : callable
        Sends a message, a dictionary, to the room.
    later : callable
        `later(action)` calls an action when the phone gets to it.
    aside : callable, optional
        `aside(work, then)` calls `then(work())`; masks of many phones take a while. Default: at once.

    Attributes
    ----------
    number : float
        The number after clipping; None before the question came.
    seed, local : int
        ê and g of the present round, in steps of the grid.
    """

    def __init__(
        self,
        value: float,
        *,
        send: Callable[[dict[str, Any]], None],
        later: Callable[[Callable[[], None]], None],
        aside: Callable[[Callable[[], Any], Callable[[Any], None]], None] = lambda work, then: then(work()),
    ):
        self._value, self._send, self._later, self._aside = value, send, later, aside
        self.keys = ring.KeyPair()
        self.number: float | None = None
        self.seed = self.local = 0
        self.heard: list[dict[str, Any]] = []

    def hear(self, message: dict[str, Any]) -> None:
        """A message of the room."""
        self.heard.append(message)
        act = getattr(self, f"_{message['t']}", None)
        if act is not None:
            act(message)

    def _seat(self, said):
        self._asked = said
        self.number = min(max(self._value, said["low"]), said["high"])
        self._later(lambda: self._send({"t": "ready", "ready": True}))

    def _noise(self, said):
        self._order = said
        self.seed = round(_RANDOM.gauss(0.0, 1.0) * said["seed"])
        seed = self.seed

        def contribution():
            if not said["keys"]:
                return seed
            purpose = ring.purpose(self._asked["code"], said["round"])
            return self.keys.masked(seed, place=said["place"], keys=said["keys"], purpose=purpose)

        def sent(value):
            self._later(lambda: self._send({"t": "noise", "round": said["round"], "y": value}))

        self._aside(contribution, sent)

    def _sum(self, said):
        order = self._order
        self.local = round(_RANDOM.gauss(0.0, 1.0) * said["local"])
        zero_sum = self.seed - ring.share_of_total(said["total"], order["place"], order["phones"])
        own = round((self.number - self._asked["low"]) / said["step"])
        message = {"t": "message", "round": said["round"], "m": own + zero_sum + self.local}
        self._later(lambda: self._send(message))


def simulate(room: Room, count: int, *, later, aside=None) -> list[Phone]:
    """Let simulated phones join a room; they answer by themselves, and reveal and shout nothing.

    Raises
    ------
    Refused
        If the room is full, or its round has begun.
    """
    return [_join(room, later, aside) for _ in range(count)]


def _join(room, later, aside):
    asked, seats = room.asked, []

    def send(message):
        try:
            take(room, seats[0], message)
        except Refused:
            return  # It came too late: the lecturer went on without it.

    # Numbers around two thirds of the range, as of hours slept.
    value = asked.low + (asked.high - asked.low) * _RANDOM.triangular(0.25, 0.95, 0.62)
    options = {} if aside is None else {"aside": aside}
    # Whoever joins hears of its seat before `join` returns it: the first answer comes later in any case.
    phone = Phone(value, send=send, later=later, **options)
    seats.append(room.join(phone.hear, key=phone.keys.public, simulated=True))
    return phone


class Paced:
    """Lets simulated phones act one after another on the event loop, and compute masks in threads.

    Parameters
    ----------
    between : float
        Seconds between two actions.
    """

    def __init__(self, between: float = 0.12):
        self._between, self._next = between, 0.0

    def later(self, action: Callable[[], None]) -> None:
        """Call an action in its turn."""
        loop = asyncio.get_running_loop()
        self._next = max(self._next + self._between, loop.time() + self._between)
        loop.call_at(self._next, action)

    def aside(self, work: Callable[[], Any], then: Callable[[Any], None]) -> None:
        """Do some work in a thread, and then go on here."""
        future = asyncio.get_running_loop().run_in_executor(None, work)
        future.add_done_callback(lambda done: None if done.cancelled() else then(done.result()))
