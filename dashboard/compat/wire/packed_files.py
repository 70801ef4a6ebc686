"""Files are sent compressed, from memory, and browsers keep files whose address changes with their content.

Tornado has an option that compresses every answer anew, 0.2 s of processor time for the scripts of one visit. Here
each file is compressed once. Pages are compressed as they are sent: their tokens are new in every answer, so a
compressed size tells nothing of a token that another answer contains.
"""

from __future__ import annotations

import gzip
import os
import re
import threading
from collections.abc import Iterable
from pathlib import Path

from bokeh.server.tornado import BokehTornado
from bokeh.settings import settings
from panel.io.resources import DIST_DIR
from panel_material_ui.base import BUNDLE_PATH
from tornado.web import GZipContentEncoding, StaticFileHandler

YEAR = 365 * 24 * 3600
_PACKED = re.compile(r"\.(js|mjs|css|svg|html|json|map|ttf)$")
# Bytes of a file that is worth the effort, and of one that is kept in memory.
_LEAST, _MOST = 1024, 8_000_000
_MOST_FILES = 400
# `?v=…` or a bare hash as the query, or a hash in the file's name, as esbuild writes it.
_HASHED = re.compile(r"[?&]v=[^&]+|\?[0-9a-f]{20,}$|-[A-Z0-9]{8}\.(woff2?|js|css)($|\?)")
_SET_HEADERS, _CACHE_TIME = StaticFileHandler.set_headers, StaticFileHandler.get_cache_time
_packed: dict[tuple, bytes] = {}
_lock = threading.Lock()


class Packed(GZipContentEncoding):
    """Compresses pages and messages; leaves parts of files, and what is compressed already, as they are."""

    def transform_first_chunk(self, status_code, headers, chunk, finishing):
        short = int(headers.get("Content-Length", self.MIN_LENGTH)) < self.MIN_LENGTH
        if short or status_code in (204, 206, 304) or "Content-Range" in headers:
            self._gzipping = False
        known = headers.get("Vary", "")
        status_code, headers, chunk = super().transform_first_chunk(status_code, headers, chunk, finishing)
        if "Accept-Encoding" in known:
            headers["Vary"] = known
        return status_code, headers, chunk


def pack_files() -> None:
    """Install this; call it before the server is built. Calling it twice has no further effect."""
    StaticFileHandler.set_headers = _set_headers
    StaticFileHandler.get_cache_time = _get_cache_time
    if not getattr(BokehTornado.__init__, "packs", False):
        BokehTornado.__init__ = _packing(BokehTornado.__init__)


def _packing(build):
    """A constructor of the application that also compresses its answers."""

    def init(self, *args, **kwargs):
        build(self, *args, **kwargs)
        self.add_transform(Packed)

    init.packs = True
    return init


def _set_headers(self):
    """Answer with the packed content if the browser takes it and asks for the whole file."""
    asked = self.request.headers
    takes = "gzip" in asked.get("Accept-Encoding", "") and "Range" not in asked
    content = packed(self.absolute_path) if takes else None
    if content is not None:
        etag = self.compute_etag()
        self.get_content = lambda path, start=None, end=None: content
        self.get_content_size = lambda: len(content)
        # Another representation of the file has another tag.
        self.compute_etag = lambda: None if etag is None else etag[:-1] + '-gzip"'
    _SET_HEADERS(self)
    if content is not None:
        self.set_header("Content-Encoding", "gzip")
    if _PACKED.search(self.absolute_path):
        self.set_header("Vary", "Accept-Encoding")


def _get_cache_time(self, path, modified, mime_type):
    """A year for an address that changes with the file's content; the browser asks again for all others."""
    return YEAR if _HASHED.search(self.request.uri) else _CACHE_TIME(self, path, modified, mime_type)


def packed(path: str) -> bytes | None:
    """The compressed content of a file, kept until the file changes; None if it is not worth it."""
    facts = os.stat(path)
    if not _PACKED.search(path) or not _LEAST <= facts.st_size <= _MOST:
        return None
    key = (path, facts.st_mtime_ns, facts.st_size)
    found = _packed.get(key)
    if found is None:
        with _lock:
            found = _packed.get(key)
            if found is None:
                with open(path, "rb") as file:
                    found = gzip.compress(file.read(), 9, mtime=0)
                if len(_packed) < _MOST_FILES:
                    _packed[key] = found
    return found


def libraries() -> list[str]:
    """The large files that every visitor loads."""
    bokeh = Path(settings.bokehjs_path()) / "js"
    files = [bokeh / f"{name}.min.js" for name in ("bokeh", "bokeh-widgets", "bokeh-tables")]
    files += [DIST_DIR / "panel.min.js", *BUNDLE_PATH.parent.glob(f"{BUNDLE_PATH.stem}.*")]
    return [str(path) for path in files if path.is_file()]


def warm(paths: Iterable[str]) -> threading.Thread:
    """Compress files in a thread, before the first visitor asks for them."""
    thread = threading.Thread(target=lambda: [packed(path) for path in paths], daemon=True, name="packing")
    thread.start()
    return thread
