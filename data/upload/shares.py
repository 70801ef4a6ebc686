"""Cells that a sheet shows as percentages and holds as shares: 0.97, shown as 97 %."""

from __future__ import annotations

import contextlib
import io
import re
import zipfile
from collections import defaultdict
from collections.abc import Iterator, Mapping
from xml.etree import ElementTree

from data.upload.hidden import ods_table, part_of

_BUILT_IN = {"9", "10"}  # 0% and 0.00%
_QUOTED = re.compile(r'"[^"]*"|\\.')  # Of a format: what it shows as it stands.
_ROW = rb"<table:table-row\b(?P<row>[^<>]*)>"
_ODS = re.compile(_ROW + rb"|<table:(?:covered-)?table-cell\b(?P<cell>[^<>]*)>")
_REPEATED = re.compile(rb'-repeated="(\d{1,7})"')
_PERCENTAGE = b'value-type="percentage"'
_PIECE = 1 << 20
_MOST = 1_048_576  # Rows and columns that a sheet has at most.


def shares_in(content: bytes, name: str) -> Mapping[int, set[int]]:
    """The rows of such cells by column, both from 0, in the sheet of a name; nothing where it is not known."""
    found: defaultdict[int, set[int]] = defaultdict(set)
    with (
        zipfile.ZipFile(io.BytesIO(content)) as archive,
        contextlib.suppress(KeyError, StopIteration, ElementTree.ParseError),
    ):
        cells = _of_ods(archive, name) if "content.xml" in archive.namelist() else _of_xlsx(archive, name)
        for row, column in cells:
            found[column].add(row)
    return found


def _of_xlsx(archive, name) -> Iterator[tuple[int, int]]:
    styles = _styles(ElementTree.fromstring(archive.read("xl/styles.xml")))
    if not styles:
        return
    cell = re.compile(
        rb'<(?:\w+:)?c\b(?=[^<>]*\sr="([A-Z]{1,3})(\d{1,7})")(?=[^<>]*\ss="(?:%b)")'
        % "|".join(styles).encode()
    )
    kept = b""
    with archive.open(part_of(archive, name)) as stream:
        while piece := stream.read(_PIECE):
            for letters, row in cell.findall(kept + piece):
                column = 0
                for letter in letters:
                    column = 26 * column + letter - 64
                yield int(row) - 1, column - 1
            kept = piece[-4096:]  # It may cut a cell.


def _styles(about) -> list[str]:
    """Numbers of the styles whose format shows a percentage."""
    formats = {
        one.get("numFmtId"): one.get("formatCode", "") for one in about.iter() if one.tag.endswith("}numFmt")
    }
    shown = _BUILT_IN | {number for number, form in formats.items() if "%" in _QUOTED.sub("", form)}
    cells = next(one for one in about if one.tag.endswith("}cellXfs"))
    return [str(place) for place, style in enumerate(cells) if style.get("numFmtId") in shown]


def _of_ods(archive, name) -> Iterator[tuple[int, int]]:
    text = ods_table(archive, name)
    if _PERCENTAGE not in text:
        return
    row, more, column = -1, 1, 0
    for found in _ODS.finditer(text):
        repeated = _REPEATED.search(found[0])
        times = min(_MOST, int(repeated[1])) if repeated else 1
        if found["row"] is not None:
            row, more, column = row + more if row >= 0 else 0, times, 0
            continue
        if _PERCENTAGE in found["cell"]:
            yield from (
                (one, place) for one in range(row, row + more) for place in range(column, column + times)
            )
        column += times
