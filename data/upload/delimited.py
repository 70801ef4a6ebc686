"""CSV and TSV: separator, heading, titles and encoding found out from the first lines; every cell is read as text.

What the texts mean is `data.columns`' business. Quotation marks, line ends and cells are the standard library's.
"""

from __future__ import annotations

import csv
import itertools
import re
from collections import Counter

from data.check import grouped
from data.columns import Cells, frame_of
from data.columns.cells import kind_of
from data.upload.dialect import Dialect, find
from data.upload.plain import encoding_of, line_count, long_line, open_text
from data.upload.table import Limits, Table, UploadError, checked, shown

_NAMES = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar", " ": "space"}
_DECIMAL = {",": ".", ";": ","}  # A semicolon parts cells where the comma is taken.
_SAMPLE_LINES = 100
_SAMPLE_LETTERS = 1_000_000
_BLOCK = 50_000  # Cells that are single texts at a time.
_END = "\0end"
_FOOT = 20  # Rows at the end that may be remarks or totals.
_TOTAL = re.compile(
    r"(?:grand |sub-?)?(?:totals?|sum|mean|average|gesamt|summe|insgesamt|mittelwert|somme|totale|suma|totaal)"
    r"\s*(?:[:(=].*)?",
    re.IGNORECASE,
)


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
    content = (
        content.rstrip(b"\x1a") if content.endswith(b"\x1a") else content
    )  # The end of a file, long ago.
    encoding, note = encoding_of(content, title)
    lines = _checked_lines(content, encoding, title, limits)
    dialect = find(_first_lines(content, encoding), title, header)
    _check_cells(lines, dialect.width, title, limits)
    body = _Body(content, encoding, dialect, title, limits)
    columns = body.columns()
    frame = frame_of(body.names, columns, decimal=_DECIMAL.get(dialect.separator, ""))
    notes = [note, *_notes(dialect, frame), *body.notes()]
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


class _Body:
    """The rows below the heading: cut, made even, and gathered by columns."""

    def __init__(self, content, encoding, dialect: Dialect, title, limits):
        self._source, self._dialect, self._title, self._limits = (content, encoding), dialect, title, limits
        self._blank = 0
        self._left: list[list[str]] = []  # Remarks and totals at the end.
        self.names = names_of(dialect.names)

    def columns(self) -> list[Cells]:
        """The cells of every column that has a name or a value."""
        width = self._dialect.width
        found = [Cells() for _ in range(width)]
        for block in filter(None, self._blocks(max(_FOOT + 1, _BLOCK // width))):
            for cells, texts in zip(found, zip(*block, strict=True), strict=True):
                cells.add(texts)
        while len(found) > 1 and not found[-1].filled and not self._dialect.names[len(found) - 1]:
            found.pop()  # A separator at the end of every line.
        self.names = self.names[: len(found)]
        return found

    def _blocks(self, size):
        """Rows of one width, those at the end of the file without remarks and totals."""
        count, held = 0, []
        for block in self._cut(size):
            filled = [row for row in block if any(row)]
            self._blank += sum(map(bool, block)) - len(filled)
            count += len(filled)
            if count > self._limits.rows + 1:  # The mark at the end is one.
                raise UploadError(
                    f"{self._title} has more than {grouped(self._limits.rows)} rows, which is the most that is read."
                )
            held += filled
            yield self._even(held[:-_FOOT])
            held = held[-_FOOT:]
        held.pop()  # The mark.
        while held and self._is_remark(held[-1], held[:-1]):
            self._left.insert(0, held.pop())
        yield self._even(held)

    def _cut(self, size):
        """All rows from the first record on; a quotation mark that is never closed swallows the mark at the end."""
        reader = csv.reader(itertools.chain(open_text(*self._source), [_END]), **self._dialect.options)
        row: list[str] = []
        try:
            next(itertools.islice(reader, self._dialect.skipped, self._dialect.skipped), None)
            while block := list(itertools.islice(reader, size)):
                row = block[-1]
                yield block
        except csv.Error:
            raise self._unclosed(reader.line_num) from None
        if row != [_END]:
            raise self._unclosed(reader.line_num)

    def _unclosed(self, line):
        return UploadError(
            f"{self._title} cannot be read as a table: a quotation mark is opened and never closed before line "
            f"{grouped(line)}."
        )

    def _even(self, block):
        width = self._dialect.width
        if any(len(row) != width for row in block):
            for row in block:
                while len(row) > width and not row[-1].strip():
                    row.pop()
                row.extend([""] * (width - len(row)))
            if any(len(row) > width for row in block):
                raise self._uneven(width)
        return block

    def _uneven(self, width):
        """The error for a line of too many values, which names the line of the file."""
        reader = csv.reader(open_text(*self._source), **self._dialect.options)
        next(itertools.islice(reader, self._dialect.skipped, self._dialect.skipped), None)
        row = next(row for row in reader if len(row) > width and any(map(str.strip, row[width:])))
        return UploadError(
            f"{self._title} cannot be read as a table: line {grouped(reader.line_num)} has {len(row)} values where "
            f"{width} were expected."
        )

    def _is_remark(self, row, above):
        """Whether a row at the end is a remark, or a total of those above."""
        texts = [text.strip() for text in row]
        label, width = next(filter(None, texts), ""), self._dialect.width
        if _TOTAL.fullmatch(label):
            return all(label not in map(str.strip, one) for one in above)
        if width < 2 or not texts[0] or any(texts[1:]) or kind_of(label):
            return False
        return len(row) == 1 or (width > 2 and not label.isalnum())

    def notes(self) -> list[str]:
        """What was left out of the end."""
        notes = []
        if self._left:
            first = "; ".join(shown(next(filter(None, map(str.strip, row)))) for row in self._left[:3])
            notes.append(
                f"Not read as records, at the end: {first}. If they are records, give their other values."
            )
        if self._blank:
            notes.append(f"{grouped(self._blank)} rows without any value were left out.")
        return notes


def names_of(first: list[str]) -> list[str]:
    """Distinct column names: numbered where empty, with a number added where repeated."""
    names: list[str] = []
    seen: set[str] = set()
    used: Counter[str] = Counter()
    for i, cell in enumerate(first):
        base = name = cell or f"column {i + 1}"
        while name in seen:
            used[base] += 1
            name = f"{base} ({used[base] + 1})"
        seen.add(name)
        names.append(name)
    return names


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
