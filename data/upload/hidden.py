"""Rows and columns of a sheet that a filter or a person has hidden: they are read, and named."""

from __future__ import annotations

import contextlib
import html
import io
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from xml.etree import ElementTree

from data.check import grouped
from data.upload.table import shown

_ROW = re.compile(rb'<(?:\w+:)?row\b(?=[^<>]*\shidden="(?:1|true)")[^<>]*?\sr="(\d{1,7})"')
_COLUMN = re.compile(rb'<(?:\w+:)?col\b(?=[^<>]*\shidden="(?:1|true)")[^<>]*>')
# LibreOffice writes rows and columns that are alike once, with their number.
_TAG = re.compile(rb"<table:table-(row|column)\b([^<>]*)>")
_REPEATED = re.compile(rb'-repeated="(\d{1,7})"')
_MOST = 2_000_000  # Rows.
_MOST_BYTES = 100_000_000  # Of an .ods whose hidden rows are looked for.


class Hidden:
    """Places of hidden rows and columns, from 0."""

    def __init__(self) -> None:
        self.rows: set[int] = set()
        self.columns: set[int] = set()

    def look(self, piece: bytes) -> None:
        """Add what a piece of a sheet of .xlsx says; it may have been seen before."""
        self.rows |= {int(row) - 1 for row in _ROW.findall(piece)}
        for column in _COLUMN.findall(piece):
            first, last = (re.search(rb'\s%b="(\d{1,5})"' % end, column) for end in (b"min", b"max"))
            if first and last:
                self.columns |= set(range(int(first[1]) - 1, int(last[1])))

    def notes(self, start: tuple[int, int], height: int, skipped: int, names: Sequence[str]) -> Iterator[str]:
        """What is said of those of a sheet: where its cells start, how many rows it has, and how many above the records."""
        rows = sum(start[0] + skipped <= row < start[0] + height for row in self.rows)
        columns = [shown(name) for place, name in enumerate(names, start=start[1]) if place in self.columns]
        if rows:
            many = "1 row is" if rows == 1 else f"{grouped(rows)} rows are"
            yield f"{many} hidden in the sheet, as a filter does, and read all the same: delete what is no record."
        if columns:
            some = ", ".join(columns[:5]) + " …" * (len(columns) > 5)
            yield f"Hidden in the sheet, and read all the same: column{'s' * (len(columns) > 1)} {some}."


def hidden_in(content: bytes, name: str, parts: Mapping[str, Hidden]) -> Hidden:
    """What is hidden in the sheet of a name, by what was found in each part of the file; nothing where it is not known."""
    with (
        zipfile.ZipFile(io.BytesIO(content)) as archive,
        contextlib.suppress(KeyError, StopIteration, ElementTree.ParseError),
    ):
        if "content.xml" in archive.namelist():
            return _of_ods(archive, name)
        return parts.get(_part(archive, name), Hidden())
    return Hidden()


def _part(archive, name):
    """The part of an .xlsx that holds the sheet of a name."""
    sheets = ElementTree.fromstring(archive.read("xl/workbook.xml")).iter()
    about = next(one.attrib for one in sheets if one.tag.endswith("}sheet") and one.get("name") == name)
    number = next(value for key, value in about.items() if key.endswith("}id"))
    places = ElementTree.fromstring(archive.read("xl/_rels/workbook.xml.rels"))
    target = next(one.get("Target", "") for one in places if one.get("Id") == number)
    return target[1:] if target.startswith("/") else f"xl/{target}"


def _of_ods(archive, name):
    found = Hidden()
    if archive.getinfo("content.xml").file_size > _MOST_BYTES:
        return found
    tables = re.split(rb"<table:table\s", archive.read("content.xml"))[1:]
    wanted = (f'table:name="{form}"'.encode() for form in (html.escape(name), html.escape(name, quote=False)))
    text = next(table for want in wanted for table in tables if want in table[: table.find(b">")])
    ends = {b"row": 0, b"column": 0}
    for kind, about in _TAG.findall(text):
        repeated = _REPEATED.search(about)
        first = ends[kind]
        ends[kind] = min(_MOST, first + (int(repeated[1]) if repeated else 1))
        if b":visibility=" in about and b':visibility="visible"' not in about:
            (found.rows if kind == b"row" else found.columns).update(range(first, ends[kind]))
    return found
