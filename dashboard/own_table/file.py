"""A user's own file: it comes, is read off the event loop, and is forgotten. No widgets.

Everything lives in the memory of this process, for one session: nothing is written to disk, nothing is sent
on, and `end` drops it all.
"""

from __future__ import annotations

import time

import param

from dashboard.components.upload import MEGABYTE, PIECE, Room
from dashboard.state.background_runs import Runs, Worker
from data.upload import Limits
from data.upload.apart import Parser

LIMITS = Limits(expanded=400 * MEGABYTE, columns=1000)
# One thread waits for all files of this process, so that a large one delays no session's runs, and one process
# parses them, so that none holds Python's lock or takes more memory than it may.
READER, PARSER = Worker(), Parser()
# For files that come, and for what was read of those that came.
ROOM = Room(1200 * MEGABYTE)
TELL_EVERY = (
    0.5  # Seconds: progress is told less often than pieces come, for every telling costs more than one.
)


class OwnFile(param.Parameterized):
    """A file that one session hands in; what was read of it is used as it is, unless a subclass asks more."""

    came = param.Number(0.0, bounds=(0, 1), doc="Share of the file that came; 1 while it is read.")
    problem = param.String("", doc="What is wrong, in words that may quote foreign text.")
    used = param.Parameter(None, doc="What pages compute with; None: nothing yet.")

    def __init__(self, **params):
        super().__init__(**params)
        self.runs = Runs(worker=READER, limit=180)
        self.runs.param.watch(self._follow, "state")
        self._coming = self._held = 0  # Bytes of `ROOM`.
        self._told = 0.0

    def read(self, found, file: str):
        """Look over what `data.upload.read` found, in another thread; `opened` takes what this returns."""
        return found

    def weight(self, found, memory: int) -> int:
        """Bytes that this session holds with what was read, which itself takes `memory`."""
        return memory

    def opened(self, found) -> None:
        """Take what was read."""
        self.used = found

    def nothing(self) -> dict:
        """The values of all parameters before there is a file."""
        return {"came": 0.0, "problem": "", "used": None}

    def expect(self, size: int) -> str:
        """A file of so many bytes is about to come; "" if there is room for it, else words.

        Room is taken as pieces come: a mere announcement keeps nobody out.
        """
        self._give_back("_coming")
        if size > ROOM.free or not ROOM.take(min(size, PIECE)):
            return _full()
        self._coming = min(size, PIECE)
        PARSER.warm()
        self.param.update(problem="", came=0.0)
        return ""

    def progress(self, came: int, expected: int) -> str:
        """So many bytes came; "" if there is room for the next piece, else words."""
        more = min(expected, came + PIECE) - self._coming
        if more > 0:
            if not ROOM.take(more):
                return _full()
            self._coming += more
        if time.monotonic() - self._told >= TELL_EVERY:
            self._told = time.monotonic()
            self.came = min(came / expected, 0.99)
        return ""

    def receive(self, name: str, pieces: list[bytes]) -> None:
        """Read a file that came."""
        file = name.rsplit("/", 1)[-1]

        def read(cancelled):
            parsed = PARSER.read(pieces, file, limits=LIMITS, cancelled=cancelled)
            return self.read(parsed.found, file), parsed.memory

        self.param.update(problem="", came=1.0)
        self.runs.start([read], paint=lambda found: self._opened(*found[0]))

    def refuse(self, problem: str) -> None:
        """Say why a file was not taken; what was there stays."""
        self._give_back("_coming")
        self.param.update(problem=problem, came=0.0)

    def forget(self) -> None:
        """Drop the file and all that was said of it."""
        self.runs.clear()
        self._give_back("_coming")
        self._give_back("_held")
        self.param.update(**self.nothing())

    def end(self) -> None:
        """The session is over: forget without telling anyone."""
        with param.parameterized.discard_events(self), param.parameterized.discard_events(self.runs):
            self.forget()

    def _opened(self, found, memory):
        held = max(self._coming, self.weight(found, memory))
        more = held - self._coming - self._held
        if not ROOM.take(more):
            self.refuse(_full())
            return
        self._held, self._coming = held, 0
        self.came = 0.0
        self.opened(found)

    def _follow(self, event):
        if event.new == "failed":
            self.refuse(self.runs.message)

    def _give_back(self, which):
        ROOM.give(getattr(self, which))
        setattr(self, which, 0)


def _full():
    free = f"{ROOM.free / MEGABYTE:.0f} MB are free"
    return f"This server holds as many tables as it has room for ({free}). Try again later."
