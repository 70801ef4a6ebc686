"""CSV and TSV: separator, heading, titles and encoding found out from the first lines; every cell is read as text.

What the texts mean is `data.columns`' business. Quotation marks, line ends and cells are the standard library's.
"""

from __future__ import annotations

import csv
import itertools
import re
from collections import Counter

from data.check import grouped
from data.upload.body import Body
from data.upload.dialect import Dialect, find, unquoted
from data.upload.plain import encoding_of, line_count, long_line, mended, open_text
from data.upload.table import Limits, Table, UploadError, checked, shown

_NAMES = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar", " ": "space", "^": "caret", "~": "tilde"}
_DECIMAL = {",": ".", ";": ","}  # A semicolon parts cells where the comma is taken.
_SAMPLE_LINES = 100
_SAMPLE_LETTERS = 1_000_000
_END = "\0end"


def read(content: bytes, title: str, limits: Limits, header: bool | None) -> Table:
    """A table of separated values.

    Parameters
    ----------
    content : bytes
    title : str
        The file's name as messages show it.
    limits : Limits
    header : bool or None
        Whether the first line names the columns; None: it does if it holds text above numbers, text alone, or numbers
        that count (0, 1, 2; 2019, 2020).

    Raises
    ------
    UploadError
        For bytes that are no text, lines of different length, an unclosed quotation mark, no rows, or a
        size beyond the limits.
    """
    if end := re.search(rb"\x1a[\x1a\r\n]*\Z", content[-1000:]):  # Ctrl-Z was the end of a file, long ago.
        content = content[: len(content) - len(end[0])]
    content, *said = mended(content)
    encoding, note = encoding_of(content, title)
    lines = _checked_lines(content, encoding, title, limits)
    dialect = find(_first_lines(content, encoding), title, header)
    _check_cells(lines, dialect.width, title, limits)
    body = _Lines(content, encoding, dialect, title, limits)
    frame = body.frame(_DECIMAL.get(dialect.separator, ""))
    notes = [*said, note, *_notes(dialect, frame), *body.notes()]
    return checked(frame, title, limits, filter(None, notes))


def _checked_lines(content, encoding, title, limits):
    """How many lines there are, blank ones included; refused if they are too many or one is too long."""
    lines = line_count(content, encoding)
    most = 2 * limits.rows + 2  # Some programs leave a blank line after each.
    if lines > most:
        raise UploadError(
            f"{title} has {grouped(lines)} lines, and so more than {grouped(limits.rows)} rows, which is the most "
            "that is read."
        )
    if long := long_line(content, encoding, limits.line):
        raise UploadError(
            f"{title} has {grouped(long[1])} characters in line {grouped(long[0])}; a line of a table has at most "
            f"{grouped(limits.line)}, and at most {grouped(limits.columns)} columns are read. Is one record a row?"
        )
    return lines


def _check_cells(lines, width, title, limits):
    """Refuse more columns than allowed, or more cells than fit into the memory that a table may take."""
    if width > limits.columns:
        raise UploadError(
            f"{title} has {grouped(width)} columns; at most {grouped(limits.columns)} are read."
        )
    most = limits.expanded // 8
    if min(lines, limits.rows) * width > most:
        raise UploadError(
            f"{title} has {grouped(lines)} lines of {grouped(width)} columns; at most {grouped(most)} cells "
            "are read. Leave out rows or columns."
        )


def _first_lines(content, encoding):
    """The first lines, at least two: each is whole, and none is longer than a line may be."""
    lines, letters = [], 0
    for line in itertools.islice(open_text(content, encoding), _SAMPLE_LINES):
        lines.append(line)
        letters += len(line)
        if letters > _SAMPLE_LETTERS and len(lines) > 1:
            break
    return lines


class _Lines(Body):
    """The rows of separated values."""

    def __init__(self, content, encoding, dialect: Dialect, title, limits):
        super().__init__(dialect.skipped, dialect.names, title, limits)
        self._source, self._options, self._whole = (content, encoding), dialect.options, dialect.whole

    def _lines(self):
        lines = open_text(*self._source)
        return unquoted(lines) if self._whole else lines

    def cut(self):
        """All rows; a quotation mark that is never closed swallows the mark at the end."""
        reader = csv.reader(itertools.chain(self._lines(), [_END]), **self._options)
        previous = None
        try:
            for row in reader:
                if previous is not None:
                    yield previous
                previous = row
        except csv.Error:
            previous = None
        if previous != [_END]:
            raise UploadError(
                f"{self.title} cannot be read as a table: a quotation mark is opened and never closed before line "
                f"{grouped(reader.line_num)}."
            )

    def uneven(self, width):
        """The error for a line of too many values, which names the line of the file."""
        reader = csv.reader(self._lines(), **self._options)
        rows = itertools.islice(reader, self.skipped, None)
        row = next(row for row in rows if len(row) > width and any(map(str.strip, row[width:])))
        return UploadError(
            f"{self.title} cannot be read as a table: line {grouped(reader.line_num)} has {len(row)} values where "
            f"{width} were expected."
        )


def _notes(dialect, frame):
    if dialect.separator != "," and dialect.width > 1:
        yield f"Values are separated by a {_NAMES.get(dialect.separator, repr(dialect.separator))}."
    if frame.attrs["written"] == "1.234,5":
        yield "Decimals are written with a comma."
    if example := frame.attrs["example"]:
        yield f"Cells such as {shown(example)} may be written with groups of three digits instead."
    yield from dialect.notes
    repeated, times = (
        Counter(filter(None, dialect.names)).most_common(1)[0] if any(dialect.names) else ("", 0)
    )
    if times > 1:
        yield f"Column name {shown(repeated)} occurs more than once: later ones are numbered."
