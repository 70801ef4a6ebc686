"""The two addresses of a phone: its page, and the line over which it sends and hears messages.

Both are apart from the app: no session, no Bokeh, no password. Whoever knows a room's code is in it.
"""

from __future__ import annotations

import json
import time
from typing import Any

from tornado.ioloop import IOLoop
from tornado.process import task_id
from tornado.web import RequestHandler
from tornado.websocket import WebSocketClosedError, WebSocketHandler

from dashboard.compat.server.networks import network_of
from dashboard.compat.server.security_headers import allowed_origins, allows
from dashboard.packs.classroom.phone_page.page import CLOSED, policy
from dashboard.packs.classroom.phone_page.page import page as phone_page
from dashboard.packs.classroom.room import MOST_PHONES, Room
from dashboard.packs.classroom.rooms import ROOMS, take
from dashboard.packs.classroom.seats import Refused, Seat, gives_way

MOST_BYTES = 1024  # Of one message of a phone.
MOST_LINES = 2 * MOST_PHONES  # Connections to one room: phones that join again before the old line has ended.
AT_ONCE, PER_SECOND = 20, 2.0  # Messages of one line.
JOIN_WITHIN = 15.0  # Seconds until a line that has not joined is closed.
SILENT = 45.0  # Seconds after which a phone that sends no beat is taken for asleep; a beat comes every 10 s.
UNKNOWN, FULL, FAST, IDLE = 4404, 4403, 4429, 4408  # Codes of a line's end.

_ENDS = {"closed": "closed", "moved": "this phone has another connection", "parked": "another phone is here"}
_lines: dict[Room, list[Line]] = {}


class PhonePage(RequestHandler):
    """The page of a phone; it holds nothing of its room."""

    def get(self, code: str) -> None:
        """Answer with the page, or say that the room is not there."""
        found = several() or ROOMS.find(code) is not None
        self.set_status(200 if found else 404)
        self.set_header(
            "Content-Security-Policy", policy(self.request.host or "", allowed_origins(self.application))
        )
        self.set_header("Cache-Control", "no-store")
        self.write(phone_page() if found else CLOSED)

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        """An error in one sentence."""
        self.finish(f"The server refused this request ({status_code}).")


class Line(WebSocketHandler):
    """A phone's connection to its room. What it sends is JSON of at most 1 kB."""

    seat: Seat | None = None
    room: Room | None = None

    @property
    def max_message_size(self) -> int:
        """Bytes of a message; a longer one ends the line."""
        return MOST_BYTES

    def check_origin(self, origin: str) -> bool:
        """Whether a page of this origin may connect: one of this host, or of a host that the operator named."""
        return super().check_origin(origin) or allows(self.application, origin)

    def get_compression_options(self) -> None:
        """No compression: messages are short, and what unpacks is one thing more to bound."""
        return None

    @property
    def origin(self) -> str:
        """The network of the phone."""
        return network_of(self.request.remote_ip or "")

    @property
    def idle(self) -> bool:
        """It has not joined."""
        return self.seat is None

    def open(self, code: str) -> None:
        """Look for the room, and wait for the phone to join."""
        self._free, self._at = float(AT_ONCE), time.monotonic()
        self._heard = self._at
        self.room = ROOMS.find(code)
        if self.room is None:
            # Another process of the server may have it: the phone then tries again.
            self.close(UNKNOWN, "several" if several() else "there is no such room")
            return
        try:
            freed = gives_way(_lines.get(self.room, []), self.room.counted(self.origin), MOST_LINES)
        except Refused as full:
            self.close(FULL, str(full))
            return
        if freed is not None:
            freed.close(FULL, "too many connections to this room")
            freed.on_close()
        _lines.setdefault(self.room, []).append(self)
        IOLoop.current().call_later(JOIN_WITHIN, self._look)

    def on_message(self, text: str | bytes) -> None:
        """Do what a phone asks for, or tell it in words why not."""
        if not self._in_time():
            self.close(FAST, "too many messages")
            return
        try:
            message = json.loads(text)
        except (ValueError, RecursionError):
            message = None
        try:
            if self.seat is None:
                self._join(message)
            else:
                take(self.room, self.seat, message)
        except ValueError as refused:
            self.tell({"t": "refused", "words": str(refused), "seated": self.seat is not None})

    def on_close(self) -> None:
        """The phone has gone, or lost its network."""
        if self.room is None:
            return
        self._forget()
        if self.seat is not None and self.room.phase != "closed":
            self.room.leave(self.seat, self.tell)

    def tell(self, message: dict[str, Any]) -> None:
        """Send a message to the phone; nothing waits for it to arrive."""
        try:
            # A line that breaks while it is written to ends by `on_close`, too.
            self.write_message(json.dumps(message)).add_done_callback(lambda done: done.exception())
        except WebSocketClosedError:
            return  # `on_close` follows.
        if message["t"] in _ENDS:
            self._forget()  # At once: its browser may take seconds to end its half.
            self.close(1000, _ENDS[message["t"]])

    def _forget(self):
        lines = _lines.get(self.room, [])
        if self in lines:
            lines.remove(self)
        if not lines:
            _lines.pop(self.room, None)

    def _join(self, message):
        if not isinstance(message, dict) or message.get("t") != "join":
            raise ValueError("A phone joins first.")
        given = {name: message.get(name) for name in ("key", "token")}
        self.seat = self.room.join(
            self.tell, resume=message.get("resume") is True, origin=self.origin, **given
        )

    def _in_time(self):
        """Whether the connection keeps to its rate limit: a token bucket of 20 messages, refilled by 2 per second."""
        now = time.monotonic()
        self._free = min(AT_ONCE, self._free + PER_SECOND * (now - self._at)) - 1
        self._at = self._heard = now
        return self._free >= 0

    def _look(self):
        """End a line that has not joined, or whose phone is asleep."""
        if self.ws_connection is None:
            return
        if self.seat is None or time.monotonic() - self._heard > SILENT:
            self.close(IDLE, "nothing was heard from this phone")
            # A phone that is asleep does not answer: its place is silent from now on.
            if self.seat is not None and self.room.phase != "closed":
                self.room.leave(self.seat, self.tell)
            return
        left = SILENT - (time.monotonic() - self._heard)
        IOLoop.current().call_later(min(JOIN_WITHIN, max(left, 0) + 0.01), self._look)


def several() -> bool:
    """Whether this process is one of several that share an address: a room is in one of them."""
    return task_id() is not None


ROUTES = (
    (r"/class/([A-Za-z0-9\-]{1,20})", PhonePage),
    (r"/class/([A-Za-z0-9\-]{1,20})/line", Line),
)
