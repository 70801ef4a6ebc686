"""Workbooks (.xlsx): the first sheet that holds a table; sizes are counted before anything is expanded.

The reader is openpyxl, of the extra "xlsx". Formulas are never computed: the values that were saved count.
"""

from __future__ import annotations

import importlib
import io
import zipfile
import zlib
from datetime import date, datetime, time, timedelta
from xml.etree.ElementTree import ParseError

import numpy as np
import pandas as pd

from data.check import grouped
from data.upload.body import names_of
from data.upload.table import TEXT_CELL, Limits, Table, UploadError, checked, shown

_MEMBERS = 10_000
# What the standard library raises for damaged or encrypted archives.
_ARCHIVE = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, RuntimeError)
# The reader makes objects of whatever the XML says, without a check of its own: a part that is missing is a KeyError,
# an element in the wrong place a TypeError, AttributeError or IndexError.
_BROKEN = (*_ARCHIVE, ParseError, KeyError, TypeError, AttributeError, IndexError)
_NO_READER = "To read .xlsx files, install CAPE Lab with its extra: pip install 'cape-lab[xlsx]'. Or save the table as .csv."


def read(content: bytes, title: str, limits: Limits) -> Table:
    """The first sheet of a workbook that has at least two rows; its first row names the columns.

    Raises
    ------
    UploadError
        For damaged or encrypted files, sheets that expand to more than allowed, and workbooks without a table.
    """
    try:
        reader = importlib.import_module("openpyxl")
    except ImportError:
        raise UploadError(f"{title} cannot be read here. {_NO_READER}") from None
    _check_sizes(content, title, limits)
    try:
        book = reader.load_workbook(io.BytesIO(content), read_only=True, data_only=True, keep_links=False)
        for place, sheet in enumerate(book.worksheets):
            rows = _rows(sheet, title, limits)
            if len(rows) > 1:
                return _table(rows, title, limits, _others(book, place))
    except UploadError:
        raise
    except _BROKEN as error:
        raise UploadError(f"{title} is not a complete workbook ({type(error).__name__}).") from None
    raise UploadError(f"{title} has no sheet with a heading and rows below it.")


def _check_sizes(content, title, limits):
    """Refuse what would expand without a bound, and documents that define entities of their own."""
    if content.startswith(b"\xd0\xcf\x11\xe0"):
        raise UploadError(f"{title} is an old or an encrypted workbook. Save it as .xlsx without a password.")
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = archive.infolist()
            total = sum(member.file_size for member in members)
            if len(members) > _MEMBERS or total > limits.expanded:
                raise UploadError(
                    f"{title} would expand to {total / 1e6:,.0f} MB in {grouped(len(members))} parts; "
                    f"at most {limits.expanded / 1e6:,.0f} MB are read. Save the table as .csv."
                )
            for member in members:
                with archive.open(member) as stream:
                    head = stream.read(4096)
                if b"<!DOCTYPE" in head or b"<!ENTITY" in head:
                    raise UploadError(f"{title} is an unusual workbook. Save the table as .csv.")
    except UploadError:
        raise
    except _ARCHIVE as error:
        raise UploadError(f"{title} is not a complete workbook ({type(error).__name__}).") from None


def _rows(sheet, title, limits):
    """Rows with a value, up to the last column with one."""
    rows, count, width = [], 0, 0
    for cells in sheet.iter_rows(values_only=True):
        row = [_plain(cell) for cell in cells]
        while row and row[-1] is None:
            row.pop()
        if not row:
            continue
        width = max(width, len(row))
        if width > limits.columns:
            raise UploadError(
                f"{title} has {grouped(width)} columns; at most {grouped(limits.columns)} are read."
            )
        count += len(row)
        if len(rows) > limits.rows or count * TEXT_CELL > limits.expanded:
            raise UploadError(
                f"{title} has more than {grouped(min(limits.rows, len(rows)))} rows or "
                f"{grouped(limits.expanded // TEXT_CELL)} cells, which is the most that is read of a workbook. "
                "Save the table as .csv."
            )
        rows.append(row)
    return [row + [None] * (width - len(row)) for row in rows]


def _plain(cell):
    """A cell as a number, an answer or text; dates as 2024-12-31, empty texts as nothing."""
    if isinstance(cell, datetime):
        return cell.date().isoformat() if cell.time() == time() else cell.isoformat(" ", "minutes")
    if isinstance(cell, date):
        return cell.isoformat()
    if isinstance(cell, time | timedelta):
        return str(cell)
    if isinstance(cell, str):
        return cell.strip() or None
    return cell


def _table(rows, title, limits, notes):
    first = [str(cell) if cell is not None else "" for cell in rows[0]]
    if all(isinstance(cell, int | float) and not isinstance(cell, bool) for cell in rows[0]):
        first, body = [""] * len(first), rows
        notes = [*notes, "No header was found: columns are numbered."]
    else:
        body = rows[1:]
    names = names_of(first)
    columns = {}
    for place, name in enumerate(names):
        columns[name] = _column([row[place] for row in body])
        for row in body:
            row[place] = None  # Held as a column from now on.
    return checked(pd.DataFrame(columns), title, limits, notes)


def _column(cells):
    """A column of numbers, of answers, or of text as the cells show it."""
    kinds = {type(cell) for cell in cells if cell is not None}
    if kinds <= {int, float}:
        return np.array([np.nan if cell is None else float(cell) for cell in cells])
    if kinds == {bool} and None not in cells:
        return np.array(cells)
    texts = [np.nan if cell is None else _text(cell) for cell in cells]
    return pd.Series(texts, dtype=object).infer_objects()


def _text(cell):
    if isinstance(cell, bool):
        return "true" if cell else "false"
    return repr(cell).removesuffix(".0") if isinstance(cell, float) else str(cell)


def _others(book, place):
    """What is said of the sheets that are not read."""
    names = [sheet.title for sheet in book.worksheets]
    if len(names) == 1:
        return []
    others = ", ".join(shown(name) for i, name in enumerate(names[:8]) if i != place)
    return [f"Read is the sheet {shown(names[place])}; not read: {others}{' …' if len(names) > 8 else ''}."]
