"""A desk or a centre behind a Unix socket: for an engine's node under another user of the operating system.

One line of JSON asks, one answers. ``{"letters": [BASE64, ...], "close": bool}`` gives letters to the program, none of them
for what it has to say by itself. The answer is ``{"letters": [[SITE or null, BASE64], ...], "refused": [...],
"done": bool}``.
Nothing of a desk but signed letters goes through it. Why it refuses stands on its own output: who asks gets the number of
refusals, and no ceiling, path or reason. A centre guards no records, and says why.
"""

from __future__ import annotations

import base64
import json
import os
import socket
import stat
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from core.desk.centre import Centre
from core.desk.desk import Desk
from core.desk.letters import UNFORESEEN
from core.parties.messages.refusals import TooFewSites

MOST_BYTES = 2**28  # Of one question.
_PATIENCE = (
    10.0  # Seconds that who connects has for the whole question, and then for taking the whole answer.
)
_UNTOLD = "refused: the output of the program behind the socket says why"

Answer = tuple[Iterable[tuple[int | None, bytes]], Iterable[str], bool]


def desk_answer(desk: Desk, letters: list[bytes], close: bool) -> Answer:
    """What a desk says: its joins if it is given nothing, else what answers the letters."""
    if letters:
        taken = desk.take(letters)
        return [(None, data) for data in taken.letters], taken.refused, False
    sent, refused = [], list(desk.damaged())
    for plan in desk.plans():
        try:
            sent += [(None, data) for data in desk.begin(plan)]
        except ValueError as error:
            refused.append(f"plan {plan.id[:8]}: {error}")
    return sent, refused, False


def centre_answer(centre: Centre, letters: list[bytes], close: bool) -> Answer:
    """What a centre says: letters to sites by their number; what it said last if it is given nothing.

    With `close` it ends the round without the silent.
    """
    sent, refused = list(centre.take(letters)), list(centre.refused)
    if not letters and not close:
        sent = list(centre.again())
    if close and centre.phase != "done":
        try:
            sent += centre.close()
        except TooFewSites as error:
            refused.append(str(error))
    waits = bool(letters and sent)  # For a site that comes late: it may sign, too.
    return sent, refused, centre.phase == "done" and centre.enough and not waits


def serve(
    path: Path | str,
    answer: Callable[[list[bytes], bool], Answer],
    *,
    on_refused=None,
    forever: bool = True,
    tells: bool = False,
) -> None:
    """Answer whoever may open the socket: its owner and its group, as far as the folder lets them.

    Parameters
    ----------
    path : Path
    answer : callable
        What is said to letters; see `desk_answer` and `centre_answer`.
    on_refused : callable, optional
        Takes the reasons of refusals, for the program's own output.
    forever : bool
        Whether it goes on when all is done.
    tells : bool
        Whether who asks is told the reasons, too: of a centre, not of a desk.

    Raises
    ------
    ValueError
        Where the system has no Unix sockets, such as Windows; folders are the pipe there. If another file is there.
    """
    if not hasattr(socket, "AF_UNIX"):
        raise ValueError("socket must be one of Unix, which this system does not have: use --files IN OUT")
    place = Path(path)
    if place.exists() and not stat.S_ISSOCK(place.stat().st_mode):
        raise ValueError(f"socket must be a name that is free, got another file: {place.name}")
    place.unlink(missing_ok=True)
    before = os.umask(0o117)
    try:
        listening = socket.socket(socket.AF_UNIX)
        listening.bind(str(place))
    finally:
        os.umask(before)
    try:
        listening.listen(8)
        while True:
            connection, _ = listening.accept()
            with connection:
                done, refused = _answered(connection, answer, tells)
            if refused and on_refused is not None:
                on_refused(refused)
            if done and not forever:
                return
    finally:
        listening.close()
        place.unlink(missing_ok=True)


def ask(path: Path | str, letters: Iterable[bytes], *, close: bool = False) -> dict[str, Any]:
    """Ask a program behind a socket once; letters come back as bytes."""
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(str(path))
        question = {"letters": [base64.b64encode(data).decode() for data in letters], "close": close}
        line.sendall(json.dumps(question).encode() + b"\n")
        with line.makefile("rb") as file:
            found = json.loads(file.readline())
    return found | {"letters": [(to, base64.b64decode(data)) for to, data in found["letters"]]}


def _answered(connection, answer, tells):
    """Whether all is done, and what was refused; a question that is none is answered with a refusal."""
    try:
        asked = json.loads(_question(connection))
        letters = [base64.b64decode(data, validate=True) for data in asked["letters"]]
        sent, refused, done = answer(letters, bool(asked.get("close")))
    except (OSError, ValueError, RuntimeError, *UNFORESEEN) as error:  # RuntimeError: `TooFewSites` is one.
        sent, refused, done, tells = [], [f"{type(error).__name__}: {error}"], False, False
    told = {
        "letters": [[to, base64.b64encode(data).decode()] for to, data in sent],
        "refused": list(refused) if tells else [_UNTOLD for _ in refused],
        "done": done,
    }
    try:
        connection.settimeout(_PATIENCE)  # Of `sendall` as a whole.
        connection.sendall(json.dumps(told).encode() + b"\n")
    except OSError:
        return False, refused  # Whoever asked has gone, and asks again.
    return done, refused


def _question(connection):
    """The line that is asked; OSError if it is not there in time, however its bytes come."""
    end, found, part = time.monotonic() + _PATIENCE, bytearray(), b""
    while b"\n" not in part:
        left = end - time.monotonic()
        if left <= 0 or len(found) > MOST_BYTES:
            raise TimeoutError(f"question must come within {_PATIENCE:g} s, in at most {MOST_BYTES} bytes")
        connection.settimeout(left)
        part = connection.recv(2**16)
        found += part
        if not part:
            break
    return bytes(found)
