"""A user's own file: it is uploaded, parsed outside of the event loop, and deleted. No widgets.

All content stays in the memory of this server, for one session: nothing is written to disk, nothing is sent
to other parties, and `end` deletes everything.
"""

from __future__ import annotations

import contextlib
import gc
import threading
import time
from collections.abc import Iterator
from weakref import WeakValueDictionary

import panel as pn
import param

from core.sweep import workers
from core.sweep.workers import freed
from dashboard.compat.server.child_processes import end_first
from dashboard.compat.server.networks import network_of
from dashboard.components.upload import MEGABYTE, PIECE, Room
from dashboard.state import session_end
from dashboard.state.background_runs import Runs
from dashboard.state.number_text import count_text
from data.upload import Limits
from data.upload.apart import Parser, longest

LIMITS = Limits(expanded=400 * MEGABYTE, columns=1000)
# One thread waits for all files of this process, so that a large file delays no session's runs. A separate process
# parses them, so that parsing neither holds Python's lock nor exceeds its memory limit.
READER, PARSER = workers.make(workers.THREADS), Parser()
# A reader that waits for a file ends with the parser; else the server would wait for the file when it stops.
end_first(PARSER.close)
# For files during their upload, and for the tables that were read from them.
ROOM = Room(1200 * MEGABYTE)
LONGEST = 180.0  # Seconds that a job may take, of whatever file.
WIPE_AFTER = 2.0  # Seconds after a file was deleted, when its session's objects are gone, too.
# Seconds between two updates of the progress: an update costs more than receiving a piece.
REPORT_EVERY = 0.5


class OwnFile(param.Parameterized):
    """A file that one session uploads; its content is used directly unless a subclass asks for a description."""

    came = param.Number(0.0, bounds=(0, 1), doc="Uploaded share of the file; 1 while it is read.")
    problem = param.String("", doc="Error message, which may quote foreign text.")
    here = param.Boolean(False, doc="Whether the session holds a file, which a reload would lose.")
    used = param.Parameter(None, doc="The data that pages compute with; None: none yet.")

    def __init__(self, **params):
        super().__init__(**params)
        self.runs = Runs(worker=READER, owner=_visitor(), limit=LONGEST)
        self.runs.param.watch(self._follow, "state")
        self._coming = self._reserved = 0  # Bytes of `ROOM`.
        self._reported_at = 0.0

    def read(self, found, file: str):
        """Process the result of `data.upload.read`, in another thread; `opened` takes the returned value."""
        return found

    def weight(self, found, memory: int) -> int:
        """Bytes that this session needs for the data that were read, which themselves take `memory`."""
        return memory

    def opened(self, found) -> None:
        """Take the result of `read`."""
        self.used = found

    def nothing(self) -> dict:
        """The values of all parameters without a file."""
        return {"came": 0.0, "problem": "", "used": None}

    def expect(self, size: int) -> str:
        """A file of `size` bytes is announced; returns "" if there is room for it, otherwise a message.

        Room is reserved as pieces arrive: an announcement alone blocks nobody.
        """
        self._give_back("_coming")
        if size > ROOM.free or not ROOM.take(min(size, PIECE)):
            return full_text()
        self._coming = min(size, PIECE)
        PARSER.warm()
        self.param.update(problem="", came=0.0)
        return ""

    def progress(self, came: int, expected: int) -> str:
        """`came` bytes have arrived; returns "" if there is room for the next piece, otherwise a message."""
        more = min(expected, came + PIECE) - self._coming
        if more > 0:
            if not ROOM.take(more):
                return full_text()
            self._coming += more
        if time.monotonic() - self._reported_at >= REPORT_EVERY:
            self._reported_at = time.monotonic()
            self.came = min(came / expected, 0.99)
        return ""

    def receive(self, name: str, pieces: list[bytes]) -> None:
        """Read an uploaded file."""
        file = name.rsplit("/", 1)[-1]

        def read(cancelled):
            parsed = PARSER.read(pieces, file, limits=LIMITS, cancelled=cancelled)
            return self.read(parsed.found, file), parsed.memory

        self.param.update(problem="", came=1.0)
        # A small file waits for no large ones of others at its address.
        self.runs.limit = min(LONGEST, longest(sum(map(len, pieces))))
        self.runs.start([workers.Call(read)], paint=lambda found: self._opened(*found[0][1]))

    def refuse(self, problem: str) -> None:
        """Show why a file was refused; the previous file stays."""
        self._give_back("_coming")
        self.param.update(problem=problem, came=0.0)

    def forget(self) -> None:
        """Delete the file and its description; what they leave in memory is overwritten a little later."""
        self.runs.clear()
        was_here = self.here
        try:
            self.param.update(here=False, **self.nothing())
        finally:  # Room is free when the file is gone.
            self._give_back("_coming")
            self._give_back("_reserved")
            if was_here:
                PARSER.rest()
                session_end.soon(wipe, WIPE_AFTER)

    def end(self) -> None:
        """The session has ended: delete the file without calling any watcher."""
        with param.parameterized.discard_events(self), param.parameterized.discard_events(self.runs):
            self.forget()

    def _opened(self, found, memory):
        held = max(self._coming, self.weight(found, memory))
        more = held - self._coming - self._reserved
        if not ROOM.take(more):
            self.refuse(full_text())
            return
        self._reserved, self._coming = held, 0
        self.param.update(came=0.0, here=True)
        self.opened(found)

    def _follow(self, event):
        if event.new == "failed":
            self.refuse(self.runs.message)

    def _give_back(self, which):
        ROOM.give(getattr(self, which))
        setattr(self, which, 0)


def wipe() -> None:
    """Overwrite, or give back, the memory of what was deleted."""
    gc.collect()
    threading.Thread(target=freed.overwrite, name="wipe", daemon=True).start()


class _Visitor:
    """All sessions of one address: their files have one turn together."""


_VISITORS: WeakValueDictionary[str, _Visitor] = WeakValueDictionary()


def _visitor() -> _Visitor | None:
    """Who opened this session, by the network; None outside of a server."""
    context = None if pn.state.curdoc is None else pn.state.curdoc.session_context
    address = getattr(getattr(context, "request", None), "remote_ip", None)
    return _VISITORS.setdefault(network_of(address), _Visitor()) if address else None


def reading_text(own: OwnFile) -> str:
    """What is said while a file that has arrived is read, or waits for others."""
    before = own.runs.before
    return f"{count_text(before, 'file')} of others first …" if before else "Reading the file …"


def full_text() -> str:
    """What is said where there is no room for a table."""
    free = f"{ROOM.free / MEGABYTE:.0f} MB are free"
    return f"This server has no room for a further table ({free}). Try again later."


@contextlib.contextmanager
def unwatched(*sources: param.Parameterized) -> Iterator[None]:
    """Change these without a call of their watchers: at the end of a session all widgets are gone."""
    with contextlib.ExitStack() as stack:
        for one in sources:
            stack.enter_context(param.parameterized.discard_events(one))
        yield
