"""Upload of a file from the browser to the server: in pieces, within a limit of memory for all sessions."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import panel as pn

from dashboard.compat.widgets.browser_messages import FileMessages
from data.check import grouped

PIECE = 1 << 20
LAPSE = 30.0  # Seconds without a piece after which the upload of an announced file is cancelled.
MEGABYTE = 1_000_000


class Room:
    """The bytes of files that all sessions of this process may hold at once: `size` of them."""

    def __init__(self, size: int):
        self.size, self._taken, self._lock = size, 0, threading.Lock()

    @property
    def free(self) -> int:
        """Bytes that are still available."""
        return self.size - self._taken

    def take(self, size: int) -> bool:
        """Reserve `size` bytes; returns False and reserves nothing if there is not enough room."""
        with self._lock:
            if size > self.free:
                return False
            self._taken += size
            return True

    def give(self, size: int) -> None:
        """Release `size` reserved bytes."""
        with self._lock:
            self._taken -= size


class Upload(FileMessages):
    """A button and drop area that uploads one file to the server.

    The library's widget sends a file in pieces. Its server part has no limit, and stores the file as a value that
    is sent back to the browser. This class refuses a file that is too large at its first piece, and stores
    nothing. It cancels a file whose pieces stop arriving for `LAPSE` seconds.

    It accepts files of all names, since the library's `accept` drops other files without a message. The server
    checks the content and reports what is wrong.

    Parameters
    ----------
    limit : int
        Maximal size of a file in bytes.
    started : callable
        Called with the size of an announced file, in bytes rounded up to pieces; returns "" to accept it,
        or the reason for a refusal.
    progressed : callable
        Called after every piece with the received bytes and that size; may return a reason to refuse the rest.
    arrived : callable
        Called with the file's name (foreign text) and its pieces.
    refused : callable
        Called with an error message, which may quote foreign text.
    """

    def __init__(
        self,
        *,
        limit: int,
        started: Callable[[int], str],
        progressed: Callable[[int, int], str | None],
        arrived: Callable[[str, list[bytes]], None],
        refused: Callable[[str], None],
        **params,
    ):
        super().__init__(chunk_size=PIECE, max_file_size=None, **params)
        self._limit = limit
        self._started, self._progressed = started, progressed
        self._arrived, self._refused = arrived, refused
        self._begin()

    def _begin(self):
        self._name: str | None = None
        self._pieces: list[bytes] = []
        self._came, self._expected, self._last = 0, 0, time.monotonic()
        self._closed = False

    def received(self, message) -> None:
        """A piece of a file, or what became of the rest."""
        status = message.get("status")
        if status == "initializing":
            self._begin()
        elif status == "upload_event" and not self._closed:
            self._take(message)
        elif status == "finished" and not self._closed:
            self._finish()
        elif status == "error":
            self._refuse(f"The browser could not send the file: {str(message.get('error', ''))[:200]}")

    def _take(self, message):
        name, data, total = (message.get(key) for key in ("name", "data", "total_chunks"))
        told = isinstance(name, str) and isinstance(total, int) and total >= 1
        # bytes(n) of a number n would make n zeros.
        if not told or not isinstance(data, bytes | bytearray | memoryview):
            self._refuse("The server received something that is not a piece of a file. Try again.")
            return
        piece = bytes(data)
        if self._name is None:
            self._name, self._expected = name, PIECE * total
            if self._expected >= self._limit + PIECE:
                self._refuse(self._too_large())
                return
            if problem := self._started(self._expected):
                self._refuse(problem)
                return
            self._expect_more(self._pieces)
        self._came += len(piece)
        if name != self._name:
            self._refuse("Upload one file at a time.")
        elif message.get("chunk") != len(self._pieces) + 1:
            self._refuse("A piece of the file was lost during the upload. Try again.")
        elif self._came > min(self._limit, self._expected):
            self._refuse(self._too_large())
        else:
            self._pieces.append(piece)
            self._last = time.monotonic()
            if problem := self._progressed(self._came, self._expected):
                self._refuse(problem)

    def _expect_more(self, pieces):
        """Cancel the file of these pieces if no further piece arrives in time."""
        doc = pn.state.curdoc
        if doc is None or doc.session_context is None:
            return

        def look():
            if self._pieces is not pieces:  # The file has arrived or was refused in the meantime.
                return
            left = self._last + LAPSE - time.monotonic()
            if left > 0:
                doc.add_timeout_callback(look, 1 + int(1000 * left))
            else:
                self._refuse(f"No further piece of the file arrived for {LAPSE:.0f} seconds. Try again.")

        doc.add_timeout_callback(look, 1 + int(1000 * LAPSE))

    def _too_large(self):
        most = (
            f"{grouped(round(self._limit / MEGABYTE))} MB"
            if self._limit >= MEGABYTE
            else f"{self._limit / 1000:.0f} kB"
        )
        return f"The file is larger than {most}, the maximal size."

    def _finish(self):
        name, pieces = self._name, self._pieces
        if name is None:
            self._refuse("The file is empty (0 bytes).")
            return
        self._begin()
        self._closed = True
        self.send({"status": "finished"})
        self._arrived(name, pieces)

    def _refuse(self, problem):
        self._begin()
        self._closed = True
        self.send({"status": "error", "error": problem})
        self._refused(problem)


def upload_for(own, *, limit: int, **button) -> Upload:
    """An upload for a file of its user's own: whatever `expect`, `progress`, `receive` and `refuse` take."""
    return Upload(
        limit=limit,
        started=own.expect,
        progressed=own.progress,
        arrived=own.receive,
        refused=own.refuse,
        variant="outlined",
        size="small",
        **button,
    )


def small_upload(
    taken: Callable[[bytes], None], *, limit: int, refused: Callable[[str], None], **button
) -> Upload:
    """Button that uploads a small file without showing progress; its style is quiet unless `button` says otherwise."""
    quiet = {"variant": "text", "color": "default", "size": "small", "margin": 0}
    return Upload(
        limit=limit,
        started=lambda size: "",
        progressed=lambda came, expected: "",
        arrived=lambda name, pieces: taken(b"".join(pieces)),
        refused=refused,
        **quiet | button,
    )
