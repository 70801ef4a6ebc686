"""The open rooms of this process, and what a phone's message means to its room."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from dashboard.packs.classroom.room import LIFETIME, Room
from dashboard.packs.classroom.seats import Question, Refused, Seat, gives_way

MOST_ROOMS = 20


class Rooms:
    """Rooms by their codes; each is closed after an hour.

    Parameters
    ----------
    clock : callable
        Returns seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic):
        self._clock = clock
        self._open: dict[str, tuple[Room, float]] = {}

    def open(self, asked: Question, origin: str = "") -> Room:
        """Open a room, for a lecturer at a network address; where there is none left, another one may close for it.

        Raises
        ------
        Refused
            If this process has its largest number of rooms, and none makes room (`gives_way`).
        """
        self.sweep()
        self._make_room(origin)
        room = Room(asked, origin)
        self._open[room.code] = room, self._clock() + LIFETIME
        return room

    def _make_room(self, origin):
        try:
            freed = gives_way([room for room, _ in self._open.values()], origin, MOST_ROOMS)
        except Refused as full:
            words = f"{full} This server has {MOST_ROOMS} rooms, which close after an hour at most."
            raise Refused(words) from None
        if freed is not None:
            freed.close("The rooms of this server were taken, and another class needed this one.")
            self.sweep()

    def find(self, code: str) -> Room | None:
        """The open room of a code; None if there is none."""
        self.sweep()
        found = self._open.get(code.lower().replace("-", ""))
        return None if found is None else found[0]

    def left(self, room: Room) -> float:
        """Seconds until a room closes by itself."""
        return max(0.0, self._open[room.code][1] - self._clock()) if room.code in self._open else 0.0

    def sweep(self) -> None:
        """Close the rooms whose hour is over, and forget those that are closed."""
        for code, (room, end) in list(self._open.items()):
            if self._clock() >= end:
                room.close("The room was open for an hour and has closed.")
            if room.phase == "closed":
                del self._open[code]


ROOMS = Rooms()


def take(room: Room, seat: Seat, message: Any) -> None:
    """Do what a phone asks for; nothing of the message can be trusted.

    Raises
    ------
    Refused
        In words for the phone.
    """
    kind = message.get("t") if isinstance(message, dict) else None
    if kind == "ready":
        room.ready(seat, message.get("ready") is True)
    elif kind == "noise":
        room.contribute(seat, message.get("y"), message.get("round"))
    elif kind == "message":
        room.message(seat, message.get("m"), message.get("round"))
    elif kind == "reveal":
        room.reveal(seat, message.get("x"))
    elif kind == "shout":
        room.shout(seat, message.get("e"))
    elif kind != "beat":
        raise Refused("The room does not know this message.")
