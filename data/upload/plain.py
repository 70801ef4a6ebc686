"""Plain text: its encoding, and one document a line."""

from __future__ import annotations

import codecs
import io
import itertools
import sys
from collections.abc import Iterator

from data.check import grouped
from data.text import Documents
from data.upload.table import Limits, UploadError

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    # Before UTF-16, whose mark is the beginning of this one.
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
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
        If the bytes are no text, or text in an encoding that cannot be determined.
    """
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            _check(content, encoding, title)
            return encoding, "" if encoding == "utf-8-sig" else f"Read as {encoding.upper()}."
    if wide := _wide(content):
        _check(content, wide, title)
        return wide, f"Read as {wide.upper()}, which no mark at its beginning says."
    if any(len(piece.translate(None, _CONTROL)) < len(piece) for _, piece in _pieces(content)):
        raise UploadError(
            f"{title} is not text: it looks like a binary file. If it is text, save it as UTF-8."
        )
    if _undecodable(content, "utf-8") is None:
        return "utf-8", ""
    _check(content, "cp1252", title)
    return "cp1252", "Not UTF-8: read as Windows-1252. Check that accented letters look right."


def mended(content: bytes) -> tuple[bytes, str]:
    """A text of UTF-8 with fewer other bytes, these taken for Windows-1252, and what to say; others as they are."""
    place = _undecodable(content, "utf-8")
    if place is None or _wide(content) or content.startswith(tuple(mark for mark, _ in _MARKS)):
        return content, ""
    wrong: list[str] = []
    codecs.register_error("mended", lambda error: _as_windows(error, wrong))
    decoder, pieces, letters = codecs.getincrementaldecoder("utf-8")("mended"), [], 0
    for start, piece in _pieces(content):
        text = decoder.decode(piece, final=start + _PIECE >= len(content))
        letters += len(text) - len(text.encode("ascii", "ignore"))
        if 2 * len(wrong) > letters:  # Those are among them.
            return content, ""
        pieces.append(text.encode())
    line = grouped(content.count(b"\n", 0, place) + 1)
    some = ", ".join(map(repr, dict.fromkeys(wrong[:4])))
    many = "1 letter" if len(wrong) == 1 else f"{grouped(len(wrong))} letters"
    return b"".join(pieces), (
        f"UTF-8 but for {many}, the first in line {line}: read as Windows-1252, {some}. Check that they look right."
    )


def _as_windows(error, wrong):
    found = error.object[error.start : error.end].decode("cp1252", "replace")
    wrong.append(found)
    return found, error.end


def read(content: bytes, title: str, limits: Limits) -> Documents:
    """One document a line; blank lines are dropped and counted.

    Lines are counted and measured before the first one is kept.
    """
    content, _ = mended(content)
    encoding, _ = encoding_of(content, title)
    lines = line_count(content, encoding)
    if lines > limits.rows:
        raise UploadError(f"{title} has {grouped(lines)} lines; at most {grouped(limits.rows)} are read.")
    if long := long_line(content, encoding, limits.document):
        raise UploadError(
            f"{title} has {long[1]:,} characters in line {long[0]}; a document, one a line, "
            f"has at most {limits.document:,}."
        )
    texts, numbers = _full_lines(content, encoding, title, limits)
    if not texts:
        raise UploadError(f"{title} has no words: every line is blank.")
    return Documents(
        texts=tuple(texts),
        names=tuple(f"line {number}" for number in numbers),
        source=title,
        unit="one line of the file",
        dropped=lines - len(texts),
    )


def open_text(content: bytes, encoding: str) -> Iterator[str]:
    """The lines of a text, each ended by a line feed whatever ended it; marks at its beginning are dropped."""
    lines = io.TextIOWrapper(io.BytesIO(content), encoding=encoding)
    return itertools.chain([next(lines, "").lstrip("\ufeff")], lines)


def line_count(content: bytes, encoding: str) -> int:
    """Lines of a text, blank ones included, whatever ends them."""
    count, last = 0, "\n"
    for piece in _decoded(content, encoding):
        count += piece.count("\n")
        last = piece[-1:] or last
    return count + (last != "\n")


def long_line(content: bytes, encoding: str, most: int) -> tuple[int, int] | None:
    """Number and length of the first line of more than `most` characters; None if there is none."""
    number, length = 1, 0
    for piece in _decoded(content, encoding):
        first, *rest = piece.split("\n")
        length += len(first)
        if not rest:
            continue
        for whole in (length, *map(len, rest[:-1])):
            if whole > most:
                return number, whole
            number += 1
        length = len(rest[-1])
    return (number, length) if length > most else None


def _wide(content: bytes) -> str:
    """UTF-16 without its mark, of letters that mostly take one byte, so that every other byte is zero; else ""."""
    head = content[:4096]
    if len(content) % 2 or len(head) < 4:
        return ""
    even, odd = (part.count(0) / len(part) for part in (head[::2], head[1::2]))
    if max(even, odd) < 0.6 or min(even, odd) > 0.02:
        return ""
    return "utf-16-le" if odd > even else "utf-16-be"


def _full_lines(content, encoding, title, limits):
    """Lines that are not blank, and their numbers."""
    texts, numbers, size = [], [], 0
    for number, line in enumerate(open_text(content, encoding), start=1):
        if line.strip():
            text = line.rstrip("\n")
            texts.append(text)
            numbers.append(number)
            # One rare letter makes every letter of its line take four bytes.
            size += sys.getsizeof(text)
            if size > limits.expanded:
                raise UploadError(
                    f"{title} would take more than {limits.expanded / 1e6:,.0f} MB of memory. Hand in less."
                )
    return texts, numbers


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


def _decoded(content: bytes, encoding: str) -> Iterator[str]:
    """The text piece by piece, every line ended by a line feed."""
    decoder = io.IncrementalNewlineDecoder(codecs.getincrementaldecoder(encoding)(), translate=True)
    for start, piece in _pieces(content):
        yield decoder.decode(piece, final=start + _PIECE >= len(content))
