"""Plain text: its encoding, and one document a line."""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterator

from data.check import grouped
from data.text import Documents
from data.upload.table import Limits, UploadError

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CONTROL = bytes(code for code in range(0x20) if code not in b"\t\n\v\f\r\x1b")
# A file is looked through in pieces, so that other threads get their turn in between.
_PIECE = 1 << 20


def encoding_of(content: bytes, title: str) -> tuple[str, str]:
    """The encoding of a text file and what to tell the user about it ("" if it is UTF-8).

    Raises
    ------
    UploadError
        If the bytes are no text, or text in an encoding that cannot be told.
    """
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            _check(content, encoding, title)
            return encoding, "" if encoding == "utf-8-sig" else "Read as UTF-16."
    if any(len(piece.translate(None, _CONTROL)) < len(piece) for _, piece in _pieces(content)):
        raise UploadError(
            f"{title} is not text: it looks like a binary file or UTF-16 without its mark. Save it as UTF-8."
        )
    if _undecodable(content, "utf-8") is None:
        return "utf-8", ""
    _check(content, "cp1252", title)
    return "cp1252", "Not UTF-8: read as Windows-1252. Check that accented letters look right."


def read(content: bytes, title: str, limits: Limits) -> Documents:
    """One document a line; blank lines are dropped and counted."""
    encoding, _ = encoding_of(content, title)
    lines = [line.rstrip("\n") for line in io.TextIOWrapper(io.BytesIO(content), encoding=encoding)]
    if len(lines) > limits.rows:
        raise UploadError(
            f"{title} has {grouped(len(lines))} lines; at most {grouped(limits.rows)} are read."
        )
    full = [i for i, line in enumerate(lines) if line.strip()]
    if not full:
        raise UploadError(f"{title} has no words: every line is blank.")
    for i in full:
        if len(lines[i]) > limits.document:
            raise UploadError(
                f"{title} has {len(lines[i]):,} characters in line {i + 1}; a document, one a line, "
                f"has at most {limits.document:,}."
            )
    return Documents(
        texts=tuple(lines[i] for i in full),
        names=tuple(f"line {i + 1}" for i in full),
        source=title,
        unit="one line of the file",
        dropped=len(lines) - len(full),
    )


def _check(content, encoding, title):
    place = _undecodable(content, encoding)
    if place is not None:
        raise UploadError(
            f"{title} is neither UTF-8 nor {encoding.upper()} text (byte {place + 1:,} fits neither). "
            "Save it as UTF-8."
        )


def _undecodable(content, encoding) -> int | None:
    """Where the first byte stands that does not fit the encoding; None if all fit."""
    decoder = codecs.getincrementaldecoder(encoding)()
    for start, piece in _pieces(content):
        kept = len(decoder.getstate()[0])  # Bytes of a letter that the last piece cut in two.
        try:
            decoder.decode(piece, final=start + _PIECE >= len(content))
        except UnicodeDecodeError as error:
            return start - kept + error.start
    return None


def _pieces(content: bytes) -> Iterator[tuple[int, bytes]]:
    return ((start, content[start : start + _PIECE]) for start in range(0, len(content), _PIECE))
