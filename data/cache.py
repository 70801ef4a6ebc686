"""The user's cache folder, and downloads that are kept there.

Set the environment variable CAPE_LAB_CACHE to keep the files somewhere else.
"""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
import threading
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable, Mapping
from http.client import HTTPException
from pathlib import Path

import numpy as np

from data import check

_LOCK = threading.Lock()
_PATIENCE = 10.0


class DownloadError(RuntimeError):
    """A data set is not on this disk and could not be downloaded; the message says what to do."""


def folder() -> Path:
    """Where this project caches files: CAPE_LAB_CACHE, or `cape-lab` in the system's cache folder."""
    chosen = os.environ.get("CAPE_LAB_CACHE")
    return Path(chosen).expanduser() if chosen else _system_cache() / "cape-lab"


@check.arguments
def kept(name: str) -> bool:
    """Whether the cache has a file `name`.npz."""
    return (folder() / f"{name}.npz").is_file()


@check.arguments
def read(name: str) -> Mapping[str, np.ndarray] | None:
    """The arrays of the cached file `name`.npz; None if it is missing or damaged."""
    try:
        with np.load(folder() / f"{name}.npz", allow_pickle=False) as arrays:
            return {key: arrays[key] for key in arrays.files}
    except (OSError, ValueError, EOFError, zipfile.BadZipFile):
        return None


@check.arguments
def write(name: str, arrays: Mapping[str, np.ndarray], *, compress: bool = False) -> bool:
    """Keep arrays as `name`.npz, whole or not at all. False if the folder cannot be written."""
    try:
        folder().mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder(), suffix=".part", delete=False) as part:
            write: Callable = np.savez_compressed if compress else np.savez
            write(part, **arrays)
        os.replace(part.name, folder() / f"{name}.npz")
    except OSError:
        return False
    return True


def downloaded(
    name: str,
    *,
    title: str,
    address: str,
    fetch: Callable[[str], Mapping[str, np.ndarray]],
    download: bool = True,
) -> Mapping[str, np.ndarray]:
    """The arrays of a data set: from the cache, else fetched once and kept.

    Parameters
    ----------
    name, title : str
        File name in the cache, and what to call the data set in a message.
    address : str
        Where `fetch` goes; asked first with a time limit, since the fetchers have none.
    fetch : callable
        Given a folder for temporary files, returns the arrays.
    download : bool
        False: use the cache alone.

    Raises
    ------
    DownloadError
        If the data set is not in the cache and cannot be had.
    """
    with _LOCK:
        arrays = read(name)
        if arrays is not None:
            return arrays
        if not download:
            raise DownloadError(f"{title} is not on this disk yet. {_advice(name)}")
        try:
            reach(address)
            with tempfile.TemporaryDirectory() as scratch:
                arrays = fetch(scratch)
        except (OSError, ValueError, EOFError, HTTPException, zipfile.BadZipFile) as error:
            reason = str(getattr(error, "reason", error)) or type(error).__name__
            raise DownloadError(
                f"{title} could not be downloaded from {address} ({reason}). {_advice(name)}"
            ) from error
        write(name, arrays)
        return arrays


def reach(address: str) -> None:
    """Raise OSError unless something answers at an address."""
    request = urllib.request.Request(address, method="HEAD", headers={"User-Agent": "cape-lab"})
    # An answer of any kind shows that the machine is on line.
    with contextlib.suppress(urllib.error.HTTPError):
        urllib.request.urlopen(request, timeout=_PATIENCE).close()


def _advice(name):
    return (
        "Connect this machine to the internet and try again, or copy the file "
        f"{folder() / name}.npz from a machine that has it. Bundled data sets need no network."
    )


def _system_cache() -> Path:
    try:
        if sys.platform == "win32":
            return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
        if sys.platform == "darwin":
            return Path.home() / "Library" / "Caches"
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    except RuntimeError:  # A user without a home folder.
        return Path(tempfile.gettempdir())
