"""Sessions are built one after another, and those that wait for it are bounded.

Building a session keeps the process busy for most of a second, and every bare request asks for one. Without a line
all that are ready are built before any open session is answered; here an open session is answered between two.
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
from panel.io.server import AutoloadJsHandler, DocHandler, WSHandler

from dashboard.compat.message_limits import last_heard

MOST_WAITING = 60  # Openings that wait in a process: up to a minute of building.
MOST_SESSIONS = 400  # Of one process, of some 3 MB each while they idle.
MOST_CONNECTIONS = 2 * MOST_SESSIONS
RETRY = 10  # Seconds after which to come again.
_QUIET = 0.06  # Seconds without a message that count as nobody waiting: a change waits 50 ms for another.
_SHARE = 0.5  # Of a building's time that messages may put off the next one.
_AGAIN = 1013  # Code of the websocket protocol: try again later.
_FULL = f"""<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="{RETRY}">
<title>CAPE Lab</title><p style="font: 18px/1.5 system-ui, sans-serif; margin: 10vh auto; max-width: 30em">
Many people are opening CAPE Lab at this moment. This page tries again by itself in {RETRY} seconds.</p>"""


class Full(Exception):
    """Too many wait already."""


class Queue:
    """One that waits after another; at most `most` of them.

    Parameters
    ----------
    most : int
        How many may wait, the one whose turn it is included.
    """

    def __init__(self, most: int):
        self._most, self._waiting, self._took = most, 0, 0.0
        self._turn: asyncio.Lock | None = (
            None  # Made in the process that serves, not in the one that forks it.
        )

    async def turn(self, work: Callable[[], Awaitable[Any] | None], *, gone: Callable[[], bool]) -> Any:
        """Do work when its turn comes, unless whoever wants it has gone by then; raises Full at once."""
        if self._waiting >= self._most:
            raise Full
        self._turn = self._turn or asyncio.Lock()
        self._waiting += 1
        try:
            async with self._turn:
                await self._let_others()
                return None if gone() else await self._timed(work)
        finally:
            self._waiting -= 1

    async def _let_others(self):
        """Wait while open sessions have something to be answered, but not for long."""
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
_PAGE, _SCRIPT, _OPEN, _PREPARE = (
    DocHandler.get,
    AutoloadJsHandler.get,
    WSHandler._async_open,
    WSHandler.prepare,
)


def queue_openings() -> None:
    """Have sessions built in a line; once is enough, twice does no harm."""
    DocHandler.get = _queued(_PAGE)
    AutoloadJsHandler.get = _queued(_SCRIPT)
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
    """Connect to a session; one that another process has built is built here, too, in its turn."""
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
    """Have style sheets come from this server, as they do for a session that is built with its page."""
    document._template_variables.setdefault("dist_url", LOCAL_DIST)
    for root in document.roots:
        patch_model_css(root, dist_url=document._template_variables["dist_url"])


async def _alive(self):
    """Say that the process answers; the library would build a session for whoever names one."""
    self.write({self.request.path: True})
