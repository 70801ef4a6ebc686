"""What a desk keeps on disc: canonical text, files that are whole or not there, and a lock for one step at a time."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import secrets
import shlex
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from core import check

MOST_BYTES = 2**30  # Of a file of a desk.
UNFORESEEN = (TypeError, LookupError, AttributeError, ArithmeticError, RecursionError)
"""Of foreign content that no check foresaw: it is refused, and the program goes on."""
_BINARY = getattr(os, "O_BINARY", 0)  # Windows.


class Damaged(ValueError):
    """Raised for a file of a desk that was changed, cut off or is none."""


def canonical(content: Mapping[str, Any]) -> bytes:
    """JSON with sorted keys and without spaces: the same bytes for the same content.

    Numbers are finite; a float is written with as many digits as tell it apart (RFC 8785 has other exponents).
    """
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    return text.encode("ascii")


def digest(data: bytes) -> str:
    """SHA-256 in 64 hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def whole(path: Path, data: bytes, *, mode: int = 0o600) -> None:
    """Write a file so that it has these bytes or those before, whenever the machine stops; readable by its owner alone."""
    # A name that nobody knows before, and no link: others may write into the folder.
    aside = path.with_name(f".{secrets.token_hex(16)}.new")
    handle = os.open(
        aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | _BINARY, mode
    )
    try:
        try:
            _all(handle, data)
            os.fsync(handle)
        finally:
            os.close(handle)
        os.replace(aside, path)
    except BaseException:
        aside.unlink(missing_ok=True)
        raise
    synced(path.parent)


def read(path: Path, *, most: int = MOST_BYTES, links: bool = False) -> bytes:
    """The bytes of a regular file; nobody waits for a pipe.

    Parameters
    ----------
    path : Path
    most : int
        How many bytes at most.
    links : bool
        Whether it may be a link to a regular file: of a file that its user names, not in a folder that others write into.

    Raises
    ------
    FileNotFoundError
        If it is not there.
    OSError
        If it is no regular file (a pipe, a device, a folder, a link to anything), or has more bytes.
    """
    follow = 0 if links else getattr(os, "O_NOFOLLOW", 0)
    try:
        handle = os.open(path, os.O_RDONLY | follow | getattr(os, "O_NONBLOCK", 0) | _BINARY)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise OSError(f"{path.name} must be a regular file that can be read: {error.strerror}") from None
    try:
        about = os.fstat(handle)
        if not stat.S_ISREG(about.st_mode) or about.st_size > most:
            raise OSError(f"{path.name} must be a regular file of at most {most} bytes")
        with open(handle, "rb", closefd=False) as file:
            data = file.read(most + 1)
    finally:
        os.close(handle)
    if len(data) > most:
        raise OSError(f"{path.name} must have at most {most} bytes")
    return data


def refuse_open(path: Path) -> None:
    """Raise a ValueError, with what to do, for a file or folder of a desk that others may open; where modes are POSIX's."""
    mode, right = path.stat().st_mode, 0o700 if path.is_dir() else 0o600
    if os.name == "posix" and mode & 0o077:
        raise ValueError(
            f"{path.name or path} must be open to its owner alone (mode {right:04o}), got mode {stat.S_IMODE(mode):04o}: "
            f"type chmod {right:o} {shlex.quote(str(path))}"
        )


def kept(path: Path, shape: Mapping[str, type] | None = None) -> dict[str, Any] | None:
    """The object of a file of JSON that a desk keeps; None if there is no such file.

    Parameters
    ----------
    path : Path
    shape : mapping of names to types, optional
        What the object must have.

    Raises
    ------
    Damaged
        For what is no regular file, no JSON, nested deeply, no object, or lacks what it must have.
    """
    with named(path):
        try:
            found = check.strict_json(read(path), path.name)
        except FileNotFoundError:
            return None
        for name, kind in ({} if shape is None else shape).items():
            if not isinstance(found, dict) or not isinstance(found.get(name), kind):
                raise ValueError(f"{name} must be there, as a {kind.__name__}")
        if not isinstance(found, dict):
            raise ValueError("it must be an object")
        return found


@contextlib.contextmanager
def named(path: Path) -> Iterator[None]:
    """What goes wrong while a desk reads a file of its own is told with the file's name.

    Raises
    ------
    Damaged
        In place of any other error of what stands in the file.
    """
    try:
        yield
    except Damaged:
        raise
    except Exception as error:  # Bytes of any kind, in parsers of several packages.
        why = str(error) if isinstance(error, OSError | ValueError) else type(error).__name__
        raise Damaged(f"{path.name} in {path.parent} must be as the desk wrote it: {why}") from None


def new(path: Path, data: bytes, *, mode: int = 0o600) -> None:
    """Write a file that must not be there yet.

    Raises
    ------
    ValueError
        If it is there.
    """
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    except FileExistsError:
        raise ValueError(
            f"folder must have no {path.name} yet, got one that has: {check.shown(str(path.parent))}"
        ) from None
    try:
        _all(handle, data)
        os.fsync(handle)
    finally:
        os.close(handle)
    synced(path.parent)


def appended(path: Path, data: bytes) -> None:
    """Add bytes at the end of a file, on disc when this returns."""
    there = path.exists()
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        _all(handle, data)
        os.fsync(handle)
    finally:
        os.close(handle)
    if not there:
        synced(path.parent)


def synced(folder: Path) -> None:
    """Make the names in a folder last; where a system cannot, its own promises hold."""
    with contextlib.suppress(OSError, PermissionError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold a lock file for a step: another process that asks for it waits."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        _lock(handle)
        yield
    finally:
        os.close(handle)  # The lock goes with it.


def _lock(handle):
    try:
        import fcntl
    except ImportError:  # Windows.
        import msvcrt

        os.lseek(handle, 0, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_LOCK, 1)
        return
    fcntl.flock(handle, fcntl.LOCK_EX)


def _all(handle, data):
    while data:
        data = data[os.write(handle, data) :]
