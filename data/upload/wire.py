"""A table or documents as bytes between two processes: lengths first, then raw arrays; nothing is pickled."""

from __future__ import annotations

import json
import struct
import sys
from array import array
from collections.abc import Iterable
from typing import BinaryIO

import numpy as np
import pandas as pd

from data.columns import Facts
from data.text import Documents
from data.upload.table import Table

_LENGTH = struct.Struct("<q")
_MOST = 50_000_000  # Bytes of a heading.
_PIECE = 1 << 20


class Ended(Exception):
    """The other process ended, or closed its side."""


def send(stream: BinaryIO, heading: dict, parts: Iterable = ()) -> None:
    """Write a heading, and after it parts whose sizes it tells."""
    line = json.dumps(heading).encode()
    stream.write(_LENGTH.pack(len(line)) + line)
    for part in parts:
        stream.write(part)
    stream.flush()


def receive(stream: BinaryIO) -> dict:
    """Read a heading.

    Raises
    ------
    Ended
        If there is none, or not all of it.
    """
    (length,) = _LENGTH.unpack(exactly(stream, _LENGTH.size).tobytes())
    if not 0 <= length <= _MOST:
        raise Ended
    return json.loads(exactly(stream, length).tobytes())


def exactly(stream: BinaryIO, size: int) -> np.ndarray:
    """Read so many bytes, or raise `Ended`."""
    content = np.empty(size, dtype=np.uint8)
    view, came = content.data, 0
    read = stream.readinto  # type: ignore[attr-defined]  # Of every binary stream, but not in its type.
    while came < size:
        count = read(view[came : came + _PIECE])
        if not count:
            raise Ended
        came += count
    return content


def send_found(stream: BinaryIO, found: Table | Documents) -> None:
    """Write what was read of a file, and last how many bytes it takes in memory."""
    if isinstance(found, Documents):
        about = {"source": found.source, "unit": found.unit, "dropped": found.dropped}
        send(stream, {"found": "documents", **about})
        memory = sum(_send_parts(stream, *_packed(texts)) for texts in (found.texts, found.names))
        send(stream, {"memory": memory})
        return
    kinds = [str(kind.newbyteorder("=")) if _is_plain(kind) else "text" for kind in found.frame.dtypes]
    facts = [one.to_dict() for one in found.facts]
    about = {
        "name": found.name,
        "notes": found.notes,
        "columns": found.columns,
        "kinds": kinds,
        "written": found.frame.attrs.get("written", ""),
        "facts": facts,
    }
    send(stream, {"found": "table", "rows": len(found.frame), **about})
    memory = 0
    # A column at a time, so that there is never a second copy of all.
    for place, kind in enumerate(kinds):
        cells = found.frame.iloc[:, place]
        memory += 8 * len(cells)
        if kind == "text":
            codes, *texts = _text_parts(cells)
            memory += _send_parts(stream, *texts, codes)
        else:
            _send_parts(stream, 0, cells.to_numpy(dtype=kind).tobytes())
    send(stream, {"memory": memory})


def receive_found(stream: BinaryIO, heading: dict) -> tuple[Table | Documents, int]:
    """Read what `send_found` wrote, whose heading was read; and how many bytes it takes in memory."""
    if heading["found"] == "documents":
        texts, names = (_unpacked(*_receive_parts(stream)) for _ in range(2))
        about = {key: heading[key] for key in ("source", "unit", "dropped")}
        return Documents(texts, names, **about), receive(stream)["memory"]
    columns = {}
    for name, kind in zip(heading["columns"], heading["kinds"], strict=True):
        parts = _receive_parts(stream)
        columns[name] = _text_column(*parts) if kind == "text" else parts[0].view(kind)
    frame = pd.DataFrame(columns, index=pd.RangeIndex(heading["rows"]), copy=False)
    frame.attrs["written"] = heading["written"]
    facts = tuple(map(Facts.from_dict, heading["facts"]))
    return Table(heading["name"], frame, tuple(heading["notes"]), facts), receive(stream)["memory"]


def _send_parts(stream, memory, *parts):
    send(stream, {"sizes": [len(part) for part in parts]}, parts)
    return memory


def _receive_parts(stream):
    return [exactly(stream, size) for size in receive(stream)["sizes"]]


def _is_plain(kind):
    return isinstance(kind, np.dtype) and kind.kind in "fiub"


def _packed(texts):
    """Bytes that texts take in memory; all of them in one row of bytes; and where each ends."""
    memory, content, ends = 0, bytearray(), array("q")
    for text in texts:
        content += text.encode("utf-8", "surrogatepass")
        ends.append(len(content))
        memory += 8 + sys.getsizeof(text)
    return memory, content, ends.tobytes()


def _unpacked(content, ends):
    view, ends = memoryview(content), ends.view(np.int64).tolist()
    pairs = zip([0, *ends[:-1]], ends, strict=True) if ends else ()
    return tuple(str(view[start:end], "utf-8", "surrogatepass") for start, end in pairs)


def _text_parts(cells):
    """A column of text: the number of each row's text, −1 for none; and every different text once."""
    codes, texts = pd.factorize(cells.to_numpy(dtype=object), use_na_sentinel=True)
    return codes.astype(np.int64).tobytes(), *_packed(map(str, texts))


def _text_column(content, ends, codes):
    texts = np.array([*_unpacked(content, ends), np.nan], dtype=object)
    cells = texts[codes.view(np.int64)]
    return pd.Series(cells, dtype=_TEXT)


# What pandas makes of a column of texts: a type of its own since version 3.
_TEXT = pd.DataFrame({"a": ["text"]}).dtypes["a"]
