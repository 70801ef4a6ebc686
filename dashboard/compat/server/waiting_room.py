"""A queue for new sessions: they are built one after another, and the number of waiting requests is limited.

Building a session occupies the process for most of a second, and every plain request starts one. Without a queue
all pending sessions are built before any open session is served. Here open sessions are served in between.
"""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Awaitable, Callable
from typing import Any

from bokeh.util.token import get_session_id
from panel.io.liveness import LivenessHandler
from panel.io.resources import LOCAL_DIST, patch_model_css
from panel.io.server import DocHandler, WSHandler

from dashboard.compat.server.message_limits import last_heard

MOST_WAITING = 60  # Requests that wait in a process: up to a minute of building.
MOST_SESSIONS = 400  # Sessions of one process, about 3 MB each while idle.
MOST_CONNECTIONS = 2 * MOST_SESSIONS
RETRY = 10  # Seconds until a refused browser tries again.
_QUIET = (
    0.06  # Seconds without a message after which nobody is waiting: a change waits up to 50 ms for another.
)
_SHARE = 0.5  # Share of the last building time by which messages may delay the next building.
_AGAIN = 1013  # Code of the websocket protocol: try again later.
_FULL = f"""<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="{RETRY}">
<title>CAPE Lab</title><p style="font: 16px/1.5 system-ui, sans-serif; margin: 10vh auto; max-width: 30em">
Many people are opening CAPE Lab at this moment. This page tries again automatically in {RETRY} seconds.</p>"""


class Full(Exception):
    """Too many requests are waiting."""


class Queue:
    """A queue with at most `most` entries.

    Parameters
    ----------
    most : int
        Largest number of entries, including the one being served.
    """

    def __init__(self, most: int):
        self._most, self._took = most, 0.0
        self._waiting: list[Callable[[], bool]] = []  # Whether each has left.
        # Made in the process that serves, not in the one that forks it.
        self._turn: asyncio.Lock | None = None

    async def turn(self, work: Callable[[], Awaitable[Any] | None], *, gone: Callable[[], bool]) -> Any:
        """Run `work` in its turn, unless `gone()` is true by then; raises Full immediately if the queue is full."""
        if len(self._waiting) >= self._most and sum(not left() for left in self._waiting) >= self._most:
            raise Full
        self._turn = self._turn or asyncio.Lock()
        self._waiting.append(gone)
        try:
            async with self._turn:
                if not gone():
                    await self._let_others()
                return None if gone() else await self._timed(work)
        finally:
            self._waiting.remove(gone)

    async def _let_others(self):
        """Wait, for a limited time, while open sessions have pending messages."""
        end = time.monotonic() + _SHARE * self._took
        await asyncio.sleep(0.001)
        while time.monotonic() < min(end, last_heard() + _QUIET):
            await asyncio.sleep(0.01)

    async def _timed(self, work):
        begun = time.monotonic()
        try:
            result = work()
            return await result if inspect.isawaitable(result) else result
        finally:
            self._took = time.monotonic() - begun


_line = Queue(MOST_WAITING)
_PAGE, _OPEN, _PREPARE = DocHandler.get, WSHandler._async_open, WSHandler.prepare


def queue_openings() -> None:
    """Install the queue. Calling this twice has no further effect."""
    DocHandler.get = _queued(_PAGE)
    WSHandler._async_open, WSHandler.prepare = _async_open, _prepare
    LivenessHandler.get = _alive


def _queued(get):
    async def queued(self, *args, **kwargs):
        try:
            if len(self.application_context._sessions) >= MOST_SESSIONS:
                raise Full
            await _line.turn(lambda: get(self, *args, **kwargs), gone=lambda: _left(self))
        except Full:
            self.set_status(503)
            self.set_header("Retry-After", str(RETRY))
            self.set_header("Content-Type", "text/html; charset=utf-8")
            self.write(_FULL)

    return queued


def _left(handler):
    return handler.request.connection.stream.closed()


async def _prepare(self):
    await _PREPARE(self)
    if not self._finished and len(self.application._clients) >= MOST_CONNECTIONS:
        self.set_status(503)
        self.set_header("Retry-After", str(RETRY))
        self.finish()


async def _async_open(self, token):
    """Connect to a session; a session that another process has built is built here as well, in its turn."""
    context, name = self.application_context, get_session_id(token)
    if name in context._sessions:
        return await _OPEN(self, token)
    if len(context._sessions) >= MOST_SESSIONS:
        return self.close(_AGAIN, "try again later")

    async def build():
        await _OPEN(self, token)
        if name in context._sessions:
            _served_from_here(context._sessions[name].document)

    try:
        await _line.turn(build, gone=lambda: self.ws_connection is None)
    except Full:
        self.close(_AGAIN, "try again later")


def _served_from_here(document):
    """Load style sheets from this server, as for a session that is built together with its page."""
    document._template_variables.setdefault("dist_url", LOCAL_DIST)
    for root in document.roots:
        patch_model_css(root, dist_url=document._template_variables["dist_url"])


async def _alive(self):
    """Reply that the process is alive; the library would build a session for any request that names one."""
    self.write({self.request.path: True})
