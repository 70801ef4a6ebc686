"""Rate limit for wrong passwords: after some failures an account, and an address, has to wait.

Panel's `--basic-auth` lets anybody try passwords as fast as the server answers.
"""

from __future__ import annotations

import hmac
import json
import time
from collections import OrderedDict
from pathlib import Path

from panel.auth import BasicLoginHandler
from panel.config import config
from panel.io.state import state

from dashboard.compat.server.networks import network_of

PAIR, ACCOUNT, ADDRESS = (
    5,
    50,
    50,
)  # Failures of a name from one address, of a name, of an address (which a class may share).
PAUSE = 60.0  # Seconds of the first wait; each further failure doubles it.
LONGEST = 900.0  # Longest wait in seconds; older failures are deleted.
MOST = 10_000  # Largest number of stored names and addresses.
_LETTERS = 200  # Characters of a name that are compared.


class Brake:
    """Counts failures and computes waiting times.

    Parameters
    ----------
    clock : callable
        Returns seconds.
    """

    def __init__(self, clock=time.monotonic):
        self._clock = clock
        self._wrong: OrderedDict[tuple[str, ...], tuple[int, float]] = OrderedDict()

    def wait(self, name: str, address: str) -> float:
        """Seconds until this name may be tried from this address; 0 if now."""
        return max(self._left(key, free) for key, free in _keys(name, address))

    def missed(self, name: str, address: str) -> None:
        """A password was wrong."""
        for key, _ in _keys(name, address):
            count, since = self._wrong.pop(key, (0, 0.0))
            self._wrong[key] = (count + 1 if self._clock() - since < LONGEST else 1, self._clock())
        while len(self._wrong) > MOST:
            self._wrong.popitem(last=False)

    def passed(self, name: str, address: str) -> None:
        """A password was right: delete the owner's own failures."""
        self._wrong.pop(("pair", name[:_LETTERS], address), None)

    def _left(self, key, free):
        count, since = self._wrong.get(key, (0, 0.0))
        if count < free:
            return 0.0
        return max(0.0, since + min(PAUSE * 2.0 ** min(count - free, 10), LONGEST) - self._clock())


def _keys(name, address):
    name = name[:_LETTERS]
    return ((("pair", name, address), PAIR), (("name", name), ACCOUNT), (("address", address), ADDRESS))


_brake = Brake()
_POST = BasicLoginHandler.post


def brake_passwords() -> None:
    """Install the rate limit. Calling this twice has no further effect."""
    BasicLoginHandler.post, BasicLoginHandler._validate = _post, _validate


def _post(self):
    name, address = self.get_argument("username", ""), network_of(self.request.remote_ip or "")
    seconds = _brake.wait(name, address)
    if seconds > 0:
        self.set_status(429)
        self.set_header("Retry-After", str(int(seconds) + 1))
        self.set_header("Content-Type", "text/plain; charset=utf-8")
        self.write(f"Too many wrong passwords. Try again in {int(seconds) + 1} seconds.")
        return
    _POST(self)


def _validate(self, username, password):
    """Whether a password is right, by a comparison in constant time."""
    known = state._server_config.get(self.application, {}).get("basic_auth", config.basic_auth)
    if isinstance(known, str) and Path(known).is_file():
        known = json.loads(Path(known).read_text(encoding="utf-8"))
    wanted = known.get(username) if isinstance(known, dict) else known
    right = hmac.compare_digest(password.encode(), str(wanted or "").encode()) and bool(wanted)
    address = network_of(self.request.remote_ip or "")
    (_brake.passed if right else _brake.missed)(username, address)
    return right
