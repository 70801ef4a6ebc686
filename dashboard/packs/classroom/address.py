"""The address that phones open, and its QR code."""

from __future__ import annotations

import ipaddress
import re
import socket
from dataclasses import dataclass
from urllib.parse import urlsplit

from tornado.ioloop import IOLoop

_URL = re.compile(r"https?://[A-Za-z0-9.\-\[\]:]{1,120}(/[A-Za-z0-9._~\-/]{0,120})?")


@dataclass(frozen=True)
class Address:
    """Where phones find a room.

    Attributes
    ----------
    base : str
        The address without the room's code, e.g. "http://192.168.1.5:5006/class/".
    reachable : bool
        Whether another device may reach it; False for an address of this machine alone.
    """

    base: str
    reachable: bool

    @property
    def secure(self) -> bool:
        """Whether browsers there have WebCrypto: with https, and on this machine itself."""
        return self.base.startswith("https:") or not self.reachable


async def address_of(page: str) -> Address:
    """The address of rooms, from that of the lecturer's page.

    A lecturer who opened the app as `localhost` gets this machine's address in its network, if the server
    listens there.

    Raises
    ------
    ValueError
        If `page` is not the address of a page; it comes from a browser.
    """
    page = page.split("?")[0].split("#")[0]
    if not _URL.fullmatch(page):
        raise ValueError("The browser did not say at which address it is.")
    parts = urlsplit(page)
    folder = parts.path.rstrip("/").rpartition("/")[0]
    host, port = parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)
    base = f"{parts.scheme}://{parts.netloc}{folder}/class/"
    if not _loopback(host):
        return Address(base, True)
    near = _own_address()
    if parts.scheme == "http" and near and _listens(near, port):
        return Address(f"http://{near}:{port}{folder}/class/", True)
    return Address(base, False)


def qr_path(text: str) -> tuple[str, int]:
    """A QR code as an SVG path of unit squares, and how many there are along a side, with its quiet zone."""
    import segno  # Needed when a room is opened, not when a page is.

    rows = segno.make(text, error="m", micro=False).matrix
    quiet, path = 4, []
    for y, row in enumerate(rows):
        x = 0
        while x < len(row):
            width = 0
            while x + width < len(row) and row[x + width]:
                width += 1
            if width:
                path.append(f"M{x + quiet} {y + quiet}h{width}v1h-{width}z")
            x += width or 1
    return "".join(path), len(rows) + 2 * quiet


def _loopback(host):
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _own_address():
    """This machine's address in its network; "" if it has none. Nothing is sent: a datagram socket is only aimed."""
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect(("192.0.2.1", 9))  # An address that belongs to nobody (RFC 5737).
            found = probe.getsockname()[0]
    except OSError:
        return ""
    return "" if _loopback(found) or found == "0.0.0.0" else found


def _listens(host, port):
    """Whether this process listens there. Nobody is connected to: `port` is what a browser says, and may be anything."""
    for listener, _ in IOLoop.current().handlers.values():
        if isinstance(listener, socket.socket) and listener.getsockopt(
            socket.SOL_SOCKET, socket.SO_ACCEPTCONN
        ):
            at = listener.getsockname()
            if at[:1] and at[0] in ("0.0.0.0", "::", host) and at[1] == port:
                return True
    return False
