"""CSV and TSV: separator, header, decimal sign and encoding found out from the first lines."""

from __future__ import annotations

import csv
import io
import itertools
import re
from dataclasses import dataclass

import pandas as pd

from data.upload.plain import encoding_of
from data.upload.table import Limits, Table, UploadError, checked, shown

_SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar", " ": "space"}
_SAMPLE_LINES = 50
_POINT = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?(inf|infinity)|nan|na|n/a|", re.IGNORECASE)
_COMMA = re.compile(r"[+-]?(\d+,?\d*|,\d+)([eE][+-]?\d+)?")


@dataclass(frozen=True)
class _Dialect:
    separator: str
    decimal: str
    numeric: float  # share of cells below the first line that are numbers
    rows: list[list[str]]


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
    dialect = _dialect(_first_lines(content, encoding), title)
    first = dialect.rows[0]
    if len(first) > limits.columns:
        raise UploadError(f"{title} has {len(first):,} columns; at most {limits.columns:,} are read.")
    named = _has_header(dialect) if header is None else header
    if len(dialect.rows) > 1 and len(dialect.rows[1]) > len(first):
        raise UploadError(
            f"{title} has {len(dialect.rows[1])} values in its second line but {len(first)} in its first. "
            "Every line needs one value for each column."
        )
    frame = _parse(content, title, limits, dialect, encoding, named)
    if named and len(first) != frame.shape[1]:
        raise UploadError(f"{title} begins with a line of empty cells. Remove it.")
    frame.columns = _names(first if named else [""] * frame.shape[1])
    _convert_large_integers(frame)
    return checked(frame, title, limits, _notes(note, dialect, named, first))


def _first_lines(content, encoding):
    """The first lines as text; at least one whole line, however long."""
    stream = io.TextIOWrapper(io.BytesIO(content), encoding=encoding, newline="")
    return "".join(itertools.islice(stream, _SAMPLE_LINES))


def _dialect(sample, title):
    """The separator that cuts the first lines most evenly into numbers."""
    if not re.sub(r"[\s,;|\"]", "", sample):
        raise UploadError(f"{title} has no values in its first {_SAMPLE_LINES} lines.")
    candidates = [d for separator in _SEPARATORS if (d := _cut(sample, separator)) is not None]
    if not candidates:
        raise UploadError(f"{title} has a cell too long to be read as a table.")

    def merit(dialect):
        widths = [len(row) for row in dialect.rows]
        even = widths.count(widths[-1]) / len(widths) > 0.9 and widths[-1] > 1
        plausible = even and (dialect.separator != " " or dialect.numeric == 1)
        return plausible, dialect.numeric, plausible * widths[-1]

    best = max(candidates, key=merit)
    return best if merit(best)[0] else candidates[0]


def _cut(sample, separator):
    reader = csv.reader(io.StringIO(sample), delimiter=separator, skipinitialspace=True)
    try:
        rows = [[cell.strip() for cell in row] for row in reader if any(cell.strip() for cell in row)]
    except csv.Error:  # A cell longer than the reader takes, under this separator.
        return None
    if not rows:
        return None
    cells = [cell for row in rows[1:] or rows for cell in row]
    with_comma = [cell for cell in cells if "," in cell and _COMMA.fullmatch(cell)]
    with_point = [cell for cell in cells if "." in cell and _POINT.fullmatch(cell)]
    decimal = "," if with_comma and not with_point else "."
    numbers = sum(_is_number(cell, decimal) for cell in cells)
    return _Dialect(separator, decimal, numbers / len(cells), rows)


def _is_number(cell, decimal):
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
    try:
        return pd.read_csv(
            io.BytesIO(content),
            sep=dialect.separator,
            decimal=dialect.decimal,
            header=0 if named else None,
            encoding=encoding,
            index_col=False,
            skipinitialspace=True,
            low_memory=False,
            nrows=limits.rows + 1,
        )
    except pd.errors.EmptyDataError:
        raise UploadError(f"{title} has no values.") from None
    except (pd.errors.ParserError, ValueError, OverflowError) as error:
        raise UploadError(f"{title} cannot be read as a table: {_plainly(str(error))}.") from None


def _convert_large_integers(frame):
    """Turn columns of numbers that fit no integer type, which pandas leaves as text, into floats."""
    for column in frame.columns:
        cells = frame[column]
        if not pd.api.types.is_numeric_dtype(cells):
            numbers = pd.to_numeric(cells, errors="coerce")
            if numbers.isna().equals(cells.isna()):
                frame[column] = numbers.astype(float)


def _plainly(message):
    """pandas' parser errors in words."""
    found = re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", message)
    if found:
        expected, line, saw = found.groups()
        return f"line {line} has {saw} values where {expected} were expected"
    if "EOF inside string" in message:
        return "a quotation mark is opened and never closed"
    return message.splitlines()[0].rstrip(".") if message else "it is malformed"


def _names(first):
    """Distinct column names: numbered where empty, with a number added where repeated."""
    names, seen = [], set()
    for i, cell in enumerate(first):
        base = cell or f"column {i + 1}"
        numbered = (f"{base} ({k})" for k in itertools.count(2))
        name = next(n for n in itertools.chain([base], numbered) if n not in seen)
        seen.add(name)
        names.append(name)
    return names


def _notes(note, dialect, named, first):
    notes = [note] if note else []
    if dialect.separator != ",":
        notes.append(f"Values are separated by a {_SEPARATORS[dialect.separator]}.")
    if dialect.decimal == ",":
        notes.append("Decimals are written with a comma.")
    if not named:
        notes.append("No header was found: columns are numbered.")
    elif len(set(first)) < len(first):
        repeated = next(cell for cell in first if first.count(cell) > 1)
        notes.append(f"Column name {shown(repeated)} occurs more than once: later ones are numbered.")
    return notes
