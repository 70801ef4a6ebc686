"""Workbooks (.xlsx, .xlsm, .ods): the sheet that holds the table, its cells as text.

The reader is calamine, of the extra "xlsx". What a file says of its own size is never believed, and formulas are never
computed: the values that were saved count. Old workbooks (.xls) are not read: of a damaged one the reader takes memory
without a bound.
"""

from __future__ import annotations

import importlib
import io
import itertools
import math
import re
import zipfile
import zlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import date, datetime, time, timedelta

from data.check import grouped
from data.columns.cells import text_of
from data.columns.notation import kind_of, only_way
from data.upload.body import Body
from data.upload.heading import top
from data.upload.hidden import Hidden, hidden_in
from data.upload.table import TEXT_CELL, Limits, Table, UploadError, checked, shown

_MEMBERS = 10_000
_PIECE = 1 << 20
_EXACT = 10.0**15  # Numbers of a workbook have 15 digits.
_FIRST = 100  # Rows by which titles and heading are told from records.
# What the standard library raises for damaged or encrypted archives.
_ARCHIVE = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, RuntimeError)
_NO_READER = "To read workbooks, install CAPE Lab with its extra: pip install 'cape-lab[xlsx]'. Or save the table as .csv."
# A cell with a value far to the right or far below: the reader takes room for all cells up to there.
_FAR = re.compile(rb'<(?:\w+:)?c\s[^<>]*?\br="(?:([A-Z]{3})(\d{1,7})|([A-Z]{1,2})(\d{6,7}))"[^<>/]*>')
# Of an open document: a row with a value that stands for more rows than the reader takes, which it cuts without a word.
_MOST_ROWS = 1_048_576
_REPEATED = re.compile(
    rb'<table:table-row\b[^<>]*\bnumber-rows-repeated="(\d{7,})"[^<>/]*>'
    rb"(?:(?!</table:table-row>)[\s\S]){0,2000}?\bvalue-type="
)
_SIZE = re.compile(rb"<(?:\w+:)?dimension\b[^<>]*/>")
# A formula of no value; an empty text (t="str") is one.
_BARE = re.compile(
    rb'<(?:\w+:)?c\b(?![^<>]*\bt="str")[^<>]*>\s*<(?:\w+:)?f\b[^<>]*(?:/>|>[^<]*</(?:\w+:)?f>)\s*'
    rb"(?:<(?:\w+:)?v\s*/>|<(?:\w+:)?v>\s*</(?:\w+:)?v>)?\s*</(?:\w+:)?c>"
)


def read(
    content: bytes, title: str, limits: Limits, header: bool | None = None, sheet: str | None = None
) -> Table:
    """The table of a workbook: of the sheet of that name, or of the largest one that is not hidden.

    Raises
    ------
    UploadError
        For damaged or encrypted files, sheets that expand to more than allowed, and workbooks without a table.
    """
    try:
        reader = importlib.import_module("python_calamine")
    except ImportError:
        raise UploadError(f"{title} cannot be read here. {_NO_READER}") from None
    if content.startswith(b"\xd0\xcf\x11\xe0"):
        raise UploadError(f"{title} is an old or an encrypted workbook. Save it as .xlsx without a password.")
    bare, hidden = _look_through(content, title, limits)
    try:
        try:
            found, notes = _chosen(reader.load_workbook(io.BytesIO(content)), title, sheet)
        except reader.CalamineError:
            book = reader.load_workbook(io.BytesIO(_undimensioned(content)))
            found, notes = _chosen(book, title, sheet)
        return _table(found, title, limits, header, notes, bare, hidden_in(content, found.name, hidden))
    except (UploadError, MemoryError):
        raise
    except BaseException as error:
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        raise UploadError(f"{title} is not a complete workbook ({type(error).__name__}).") from None


def _look_through(content, title, limits):
    """Refuse what would expand without a bound; whether formulas have no value, and what is hidden in each part."""
    bare, hidden = False, defaultdict[str, Hidden](Hidden)
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
                for place, piece in enumerate(_pieces(archive, member)):
                    if not place and (b"<!DOCTYPE" in piece[:4096] or b"<!ENTITY" in piece[:4096]):
                        raise UploadError(f"{title} is an unusual workbook. Save the table as .csv.")
                    _refuse_far(piece, title, limits)
                    bare = bare or bool(_BARE.search(piece))
                    hidden[member.filename].look(piece)
    except _ARCHIVE as error:
        if isinstance(error, UploadError):
            raise
        raise UploadError(f"{title} is not a complete workbook ({type(error).__name__}).") from None
    return bare, hidden


def _undimensioned(content):
    """A workbook without what it says of its own size, which may be no size at all."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as archive, zipfile.ZipFile(made, "w") as other:
        for member in archive.infolist():
            other.writestr(member.filename, _SIZE.sub(b"", archive.read(member)))
    return made.getvalue()


def _pieces(archive, member) -> Iterator[bytes]:
    """A part of the archive; the end of a piece is the beginning of the next, since it may cut a cell."""
    kept = b""
    with archive.open(member) as stream:
        while piece := stream.read(_PIECE):
            yield kept + piece
            kept = piece[-4096:]


def _refuse_far(piece, title, limits):
    for found in _REPEATED.finditer(piece):
        if int(found[1]) >= _MOST_ROWS:
            raise UploadError(
                f"{title} has a row that stands {grouped(int(found[1]))} times; at most {grouped(_MOST_ROWS)} rows are "
                "read of a workbook. Delete it, or save a .csv."
            )
    for found in _FAR.finditer(piece):
        letters, row = (found[1] or found[3]).decode(), int(found[2] or found[4])
        column = sum((ord(letter) - 64) * 26**place for place, letter in enumerate(reversed(letters)))
        if column > limits.columns or row * column > limits.expanded // TEXT_CELL:
            raise UploadError(
                f"{title} has a value in cell {letters}{row}; at most {grouped(limits.columns)} columns and "
                f"{grouped(limits.expanded // TEXT_CELL)} cells are read of a workbook. Delete it, or save a .csv."
            )


def _chosen(book, title, wanted):
    """The sheet that is read, and what is said of the others."""
    about = [one for one in book.sheets_metadata if str(one.typ).endswith("WorkSheet")]
    names = [one.name for one in about]
    if wanted is not None and wanted not in names:
        raise UploadError(
            f"{title} has no sheet {shown(wanted)}; it has {', '.join(map(shown, names[:8])) or 'none'}."
        )
    seen = [one.name for one in about if str(one.visible).endswith(".Visible")]
    hidden = [name for name in names if name not in seen]
    best, size = None, 0.0
    for names_of_kind in ([wanted],) if wanted is not None else (seen, hidden):
        for name in names_of_kind:
            sheet = book.get_sheet_by_name(name)
            if sheet.height > 1 and (merit := _merit(sheet)) > size:
                best, size = sheet, merit
        if best is not None:
            break
    if best is None:
        raise UploadError(f"{title} has no sheet with a heading and rows below it.")
    others = [shown(name) + " (hidden)" * (name in hidden) for name in names if name != best.name]
    if not others or wanted is not None:
        return best, []
    listed = ", ".join(others[:8]) + " …" * (len(others) > 8)
    return best, [
        f"Sheet {shown(best.name)} was read; ignored: {listed}. To read another, save it as a file of its own."
    ]


def _merit(sheet):
    """How much a sheet looks like records: columns count more than rows (codes), numbers more than words (READMEs)."""
    cells = [cell for row in itertools.islice(_rows(sheet), _FIRST) for cell in row if cell]
    numbers = sum(kind_of(cell) in ("number", "measure", "date") for cell in cells)
    return (sheet.width - 0.5) * math.log(sheet.height) * (0.1 + numbers / max(1, len(cells)))


def _table(sheet, title, limits, header, notes, bare, hidden):
    width = sheet.width
    if width > limits.columns:
        raise UploadError(
            f"{title} has {grouped(width)} columns; at most {grouped(limits.columns)} are read."
        )
    if sheet.height * width * TEXT_CELL > limits.expanded:
        raise UploadError(
            f"{title} has {grouped(sheet.height)} rows of {grouped(width)} columns; at most "
            f"{grouped(limits.expanded // TEXT_CELL)} cells are read of a workbook. Save the table as .csv."
        )
    skipped, first, found = top(list(itertools.islice(_rows(sheet), _FIRST)), width, title, header)
    body = _Rows(skipped, first, title, limits)
    body.sheet, body.commas = sheet, _commas(sheet)
    frame = body.frame(".")
    notes = [*notes, *found, *body.notes(), *hidden.notes(sheet.start, sheet.height, skipped, body.names)]
    if body.rounded:
        notes.append(
            f"Whole numbers such as {body.rounded[0]} have more digits than a workbook keeps of a number: two of them may "
            "have become one. Keep identifiers as text."
        )
    if bare:
        empty = [shown(name) for name in frame.columns if frame[name].isna().all()]
        notes.append(
            "Formulas that were never computed have no value"
            + (f", in column {', '.join(empty[:5])}" if empty else "")
            + ". Open the file in a spreadsheet program, save it, and hand it in again."
        )
    return checked(frame, title, limits, notes)


class _Rows(Body):
    """The rows of a sheet, and the first whole number that is too long for a number of a sheet."""

    def cut(self):
        self.rounded: list[str] = []
        return _rows(self.sheet, self.rounded, self.commas)


def _commas(sheet):
    """Columns whose typed numbers have a decimal comma: true numbers beside them are written so, too."""
    ways = defaultdict(set)
    for cells in sheet.iter_rows():
        for place, cell in enumerate(cells):
            if type(cell) is str and "," in cell and (way := only_way(cell.strip())):
                ways[place].add(way)
    return [place for place, found in ways.items() if found == {"1.234,5"}]


def _rows(sheet, rounded: list[str] | None = None, commas: Sequence[int] = ()) -> Iterator[list[str]]:
    """Rows from the first with a value, as text; what is merged over several rows stands in each of them."""
    start, left = sheet.start
    merged = defaultdict(list)
    for (above, first), (below, last) in sheet.merged_cell_ranges or ():
        if below > above:
            merged[above].append((below, first - left, last - left))
    open_: dict[int, tuple[int, str]] = {}  # By column: the last row of what is merged, and its text.
    for number, cells in enumerate(itertools.islice(sheet.iter_rows(), start, None), start=start):
        if cells.count("") == len(cells) and not open_ and number not in merged:
            yield cells
            continue
        row = list(map(_text, cells))
        for place in commas:
            if type(cells[place]) is float:
                row[place] = row[place].replace(".", ",")
        if rounded == []:
            rounded += [
                f"{cell:.0f}" for cell in cells if type(cell) is float and _EXACT <= abs(cell) < math.inf
            ][:1]
        open_ = {column: (below, text) for column, (below, text) in open_.items() if below >= number}
        for column, (_, text) in open_.items():
            row[column] = row[column] or text
        for below, first, last in merged.get(number, ()):
            if 0 <= first < len(row):
                open_ |= dict.fromkeys(range(first, min(last + 1, len(row))), (below, row[first]))
        yield row


def _text(cell):
    """A cell as text; dates as 2024-12-31, whole numbers without decimals."""
    kind = type(cell)
    if kind is str:
        return cell.strip() if cell else ""
    if kind is float:
        return repr(cell).removesuffix(".0")
    if isinstance(cell, datetime):
        return cell.date().isoformat() if cell.time() == time() else cell.isoformat(" ", "minutes")
    if isinstance(cell, date):
        return cell.isoformat()
    return str(cell) if isinstance(cell, time | timedelta) else text_of(cell)
