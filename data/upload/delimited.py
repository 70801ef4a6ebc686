"""CSV and TSV: separator, header, decimal sign and encoding found out from the first lines."""

from __future__ import annotations

import csv
import io
import itertools
import math
import re
import warnings
from collections import Counter
from dataclasses import dataclass

import numpy as np
import pandas as pd

from data.check import grouped
from data.upload.plain import encoding_of, line_count, long_line
from data.upload.table import Limits, Table, UploadError, checked, shown

_SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar", " ": "space"}
_SAMPLE_LINES = 50
_SAMPLE_LETTERS = 1_000_000
_NUMBER_LETTERS = 400  # A longer cell is no number: the largest float has 309 digits.
_SIGN, _POWER = r"[+-]?", r"([eE][+-]?\d+)?"
# A digit can be matched in one way only: otherwise a long row of digits takes quadratic time.
_POINT = re.compile(
    rf"{_SIGN}(\d+(\.\d*)?|\.\d+){_POWER}|{_SIGN}(inf|infinity)|nan|na|n/a|", re.IGNORECASE | re.ASCII
)
_COMMA = re.compile(rf"{_SIGN}(\d+(,\d*)?|,\d+){_POWER}", re.ASCII)
_GROUPS = re.compile(rf"{_SIGN}\d{{1,3}}(,\d{{3}})+(\.\d*)?", re.ASCII)


@dataclass(frozen=True)
class _Dialect:
    separator: str
    decimal: str
    numeric: float  # share of cells below the first line that are numbers
    rows: list[list[str]]
    width: int  # Cells of the first row, of which `rows` may hold fewer.
    unclear: str  # A cell such as "1,234" between commas: it may mean 1234 or 1.234.


def read(content: bytes, title: str, limits: Limits, header: bool | None) -> Table:
    """A table of separated values.

    Parameters
    ----------
    content : bytes
    title : str
        The file's name as messages show it.
    limits : Limits
    header : bool or None
        Whether the first line names the columns; None: it does if it holds text above numbers, or text alone.

    Raises
    ------
    UploadError
        For bytes that are no text, lines of different length, an unclosed quotation mark, no rows, or a
        size beyond the limits.
    """
    encoding, note = encoding_of(content, title)
    lines = _checked_lines(content, encoding, title, limits)
    dialect = _dialect(_first_lines(content, encoding), title, limits)
    first = dialect.rows[0]
    _check_cells(lines, dialect.width, title, limits)
    named = _has_header(dialect) if header is None else header
    if len(dialect.rows) > 1 and len(dialect.rows[1]) > len(first):
        raise UploadError(
            f"{title} has {len(dialect.rows[1])} values in its second line but {len(first)} in its first. "
            "Every line needs one value for each column."
        )
    frame = _parse(content, title, limits, dialect, encoding, named)
    if named and len(first) != frame.shape[1]:
        raise UploadError(f"{title} begins with a line of empty cells. Remove it.")
    frame.columns = names_of(first if named else [""] * frame.shape[1])
    _convert_large_integers(frame)
    return checked(frame, title, limits, _notes(note, dialect, named, first))


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
    """The first lines as text, at least two: each is whole, and none is longer than a line may be."""
    stream = io.TextIOWrapper(io.BytesIO(content), encoding=encoding, newline="")
    lines, letters = [], 0
    for line in itertools.islice(stream, _SAMPLE_LINES):
        lines.append(line)
        letters += len(line)
        if letters > _SAMPLE_LETTERS and len(lines) > 1:
            break
    return "".join(lines)


def _dialect(sample, title, limits):
    """The separator that cuts the first lines most evenly into numbers."""
    if not re.sub(r"[\s,;|\"]", "", sample):
        raise UploadError(f"{title} has no values in its first {_SAMPLE_LINES} lines.")
    cuts = (_cut(sample, separator, limits.columns + 1) for separator in _SEPARATORS)
    candidates = [dialect for dialect in cuts if dialect is not None]
    if not candidates:
        raise UploadError(f"{title} has a cell too long to be read as a table.")

    def merit(dialect):
        widths = [len(row) for row in dialect.rows]
        even = widths.count(widths[-1]) / len(widths) > 0.9 and widths[-1] > 1
        plausible = even and (dialect.separator != " " or dialect.numeric == 1)
        return plausible, dialect.numeric, plausible * widths[-1]

    best = max(candidates, key=merit)
    return best if merit(best)[0] else candidates[0]


def _cut(sample, separator, most):
    """The first lines cut by a separator, `most` cells of each at most."""
    reader = csv.reader(io.StringIO(sample), delimiter=separator, skipinitialspace=True)
    try:
        full = ((len(row), row[:most]) for row in reader if any(cell.strip() for cell in row))
        cut = [(width, [cell.strip() for cell in row]) for width, row in full]
    except csv.Error:  # A cell longer than the reader takes, under this separator.
        return None
    if not cut:
        return None
    rows = [row for _, row in cut]
    cells = [cell for row in rows[1:] or rows for cell in row]
    decimal, unclear = _decimal(cells, separator)
    numbers = sum(_is_number(cell, decimal) for cell in cells)
    return _Dialect(separator, decimal, numbers / len(cells), rows, cut[0][0], unclear)


def _decimal(cells, separator):
    """The decimal sign, and a cell whose comma may as well part thousands ("" if there is none).

    Between semicolons a comma is a decimal sign. Between commas it is one if a cell shows it: "1,5", not "1,234".
    """
    short = [cell for cell in cells if len(cell) <= _NUMBER_LETTERS]
    with_comma = [cell for cell in short if "," in cell and _COMMA.fullmatch(cell)]
    with_point = any("." in cell and _POINT.fullmatch(cell) for cell in short)
    in_groups = next((cell for cell in short if "," in cell and _GROUPS.fullmatch(cell)), "")
    if separator == "," and all(_GROUPS.fullmatch(cell) for cell in with_comma):
        return ".", in_groups
    return ("," if with_comma and not with_point else "."), ""


def _is_number(cell, decimal):
    if len(cell) > _NUMBER_LETTERS:
        return False
    return bool(_POINT.fullmatch(cell) or (decimal == "," and _COMMA.fullmatch(cell)))


def _has_header(dialect):
    """Text in the first line above a number in the second, or text everywhere in the first."""
    first = dialect.rows[0]
    texts = [not _is_number(cell, dialect.decimal) for cell in first]
    if len(dialect.rows) == 1:
        return any(texts)
    second = dialect.rows[1] + [""] * len(first)
    above = any(text and _is_number(cell, dialect.decimal) for text, cell in zip(texts, second, strict=False))
    return above or (all(texts) and len(set(first)) == len(first))


def _parse(content, title, limits, dialect, encoding, named):
    options = {
        "sep": dialect.separator,
        "decimal": dialect.decimal,
        "header": 0 if named else None,
        "encoding": encoding,
        "index_col": False,
        "skipinitialspace": True,
        "nrows": limits.rows + 1,
    }
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", pd.errors.DtypeWarning)
            # Row block by row block, which takes a third of the memory.
            frame = pd.read_csv(io.BytesIO(content), low_memory=True, **options)
        _read_mixed_as_text(frame, content, options)
        return frame
    except pd.errors.EmptyDataError:
        raise UploadError(f"{title} has no values.") from None
    except (pd.errors.ParserError, ValueError, OverflowError) as error:
        if "out of memory" in str(error):
            raise MemoryError from None
        raise UploadError(f"{title} cannot be read as a table: {_plainly(str(error)[:300])}.") from None


def _read_mixed_as_text(frame, content, options):
    """Columns that hold numbers in one block of rows and text in another are text in every row, as written."""
    mixed = [
        place
        for place, kind in enumerate(frame.dtypes)
        if pd.api.types.is_object_dtype(kind)
        and pd.api.types.infer_dtype(frame.iloc[:, place], skipna=True) not in ("string", "boolean", "empty")
    ]
    if mixed:
        texts = pd.read_csv(io.BytesIO(content), usecols=mixed, dtype=str, **options)
        for k, place in enumerate(mixed):
            frame.isetitem(place, texts.iloc[:, k])


def _convert_large_integers(frame):
    """Turn columns of numbers that fit no integer type, which pandas leaves as text, into floats."""
    for place in range(frame.shape[1]):
        cells = frame.iloc[:, place]
        if pd.api.types.is_numeric_dtype(cells):
            continue
        # The first cells tell of nearly every column of text that it holds no numbers.
        if _as_numbers(cells.head(_SAMPLE_LINES)) is None or (numbers := _as_numbers(cells)) is None:
            continue
        frame.isetitem(place, np.array([_float(number) for number in numbers]))


def _as_numbers(cells):
    """Cells of text as numbers; None if one is none, or so long that to read it as a number would take long."""
    if any(len(str(cell)) > _NUMBER_LETTERS for cell in cells):
        return None
    numbers = pd.to_numeric(cells, errors="coerce")
    return numbers if numbers.isna().equals(cells.isna()) else None


def _float(number):
    """A number as a float; a whole one beyond all floats is infinite."""
    try:
        return float(number)
    except OverflowError:
        return math.copysign(math.inf, number)


def _plainly(message):
    """pandas' parser errors in words."""
    found = re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", message)
    if found:
        expected, line, saw = found.groups()
        return f"line {line} has {saw} values where {expected} were expected"
    if "EOF inside string" in message:
        return "a quotation mark is opened and never closed"
    return message.splitlines()[0].rstrip(".") if message else "it is malformed"


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


def _notes(note, dialect, named, first):
    notes = [note] if note else []
    if dialect.separator != ",":
        notes.append(f"Values are separated by a {_SEPARATORS[dialect.separator]}.")
    if dialect.decimal == ",":
        notes.append("Decimals are written with a comma.")
    if dialect.unclear:
        notes.append(
            f"Cells such as {shown(dialect.unclear)} may be written with groups of three digits or with a decimal comma."
        )
    if not named:
        notes.append("No header was found: columns are numbered.")
    elif len(set(first)) < len(first):
        repeated = Counter(first).most_common(1)[0][0]
        notes.append(f"Column name {shown(repeated)} occurs more than once: later ones are numbered.")
    return notes
