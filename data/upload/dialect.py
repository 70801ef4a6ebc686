"""How a table is separated, where it begins and what names its columns, from its first lines.

Under the right separator lines are even and cells make sense: numbers (60,5 included), dates, words. Under a wrong one
they hold rests of the right one: "A;60". Of the kept sniffers clevercsv weighs both too and finds most separators; none
finds titles, totals, headings of numbers and encodings as well (`tests/benchmarks/readers.py` prints who reads what).
"""

from __future__ import annotations

import contextlib
import csv
import itertools
import re
from collections import Counter
from dataclasses import dataclass

from data.columns.notation import kind_of
from data.upload.table import UploadError, shown

_SEPARATORS = ",;\t| "
_REST = re.compile(r"[^\s,;|\t][;|\t,][^\s,;|\t]|^\d+ \d")  # What a wrong separator leaves between letters.
_HINT = re.compile(r'\s*"?sep=(.)"?[,;\s]*', re.IGNORECASE)


@dataclass(frozen=True)
class Dialect:
    """How a table is written.

    Attributes
    ----------
    options : dict
        For `csv.reader`.
    skipped : int
        Rows, as `csv.reader` counts them, above the first record.
    names : list of str
        The heading, one text a column, "" where there is none.
    notes : tuple of str
        What was found out, in plain words.
    """

    options: dict
    skipped: int
    names: list[str]
    notes: tuple[str, ...]

    @property
    def separator(self) -> str:
        """What stands between cells."""
        return self.options["delimiter"]

    @property
    def width(self) -> int:
        """The number of columns."""
        return len(self.names)


@dataclass
class _Cut:
    options: dict
    rows: list[list[str]]
    width: int  # Of most rows.
    score: float = -1


def find(lines: list[str], title: str, header: bool | None) -> Dialect:
    """The dialect of a table that begins with these lines.

    Raises
    ------
    UploadError
        For lines without a value, and for headings that are shorter than the rows below.
    """
    hint = _HINT.fullmatch(lines[0]) if lines else None
    cut = _best(lines[1:] if hint else lines, hint and hint[1])
    if hint and cut.width == 1:  # It is not so.
        cut = _best(lines[1:], None)
    skipped, names, notes = top(cut.rows, cut.width, title, header)
    return Dialect(cut.options, bool(hint) + skipped, names, notes)


def top(
    first: list[list[str]], width: int, title: str, header: bool | None
) -> tuple[int, list[str], tuple[str, ...]]:
    """How many of the first rows stand above the first record, a name for each column, and what was found out.

    Raises
    ------
    UploadError
        As for `find`.
    """
    if not any(any(row) for row in first):
        raise UploadError(f"{title} has no values in its first {len(first)} lines.")
    start = _start(first, width)
    rows = [row for row in first[start:] if any(row)]
    named = _has_heading(rows[0], rows[1:]) if header is None else header
    names = _names(rows, width, named, title)
    return start + named, names, tuple(_notes(first[:start], names, named, header))


def _best(lines, hint):
    """The cut that leaves even lines of cells that make sense."""
    escapes: list[dict] = [{}, {"escapechar": "\\"}] if any('\\"' in line for line in lines) else [{}]
    cuts = [_cut(lines, separator, one) for separator in hint or _SEPARATORS for one in escapes]
    return max(cuts, key=lambda cut: round(cut.score, 3))


def _cut(lines, separator, escape):
    """Lines cut by a separator, and how well that went: the share of even lines times that of cells that make sense."""
    options = {"delimiter": separator, "skipinitialspace": True, **escape}
    rows: list[list[str]] = []
    with contextlib.suppress(csv.Error):  # A cell longer than the reader takes, under this separator.
        rows.extend([cell.strip() for cell in row] for row in csv.reader(lines, **options))
    widths = Counter(len(row) for row in rows if any(row))
    width = max(widths, key=lambda long: (widths[long], long), default=1)
    if width == 1:
        return _Cut(options, rows, 1, 0)
    full = [row for row in rows if any(row)]
    if separator == "," and len(full[0]) == 1 and all(_is_comma(row) for row in full[1:]):
        return _Cut(options, rows, width)  # One column of numbers with a decimal comma.
    if separator == " " and not all(kind_of(cell) for row in full[1:] for cell in row if cell):
        return _Cut(options, rows, width)
    found = [cell for row in full if len(row) >= width for cell in row]
    score = sum(map(_makes_sense, found)) / len(found) * widths[width] / widths.total()
    # Most tables begin with their heading, few with a title.
    return _Cut(options, rows, width, score * (1.5 if len(full[0]) == width else 1))


def _is_comma(row):
    return len(row) <= 2 and all(cell.lstrip("+-−").isdecimal() for cell in row)


def _makes_sense(cell):
    return not _REST.search(cell) or bool(kind_of(cell))


def _start(rows, width):
    """The place of the first row that is no title, and neither empty nor above a heading."""
    for place, row in enumerate(rows):
        if any(row) and not (width > 1 and _is_title(row, rows[place + 1 :], width)):
            return place
    return next(place for place, row in enumerate(rows) if any(row))


def _is_title(row, below, width):
    """Whether a row with few cells stands above the heading of all columns."""
    filled = sum(map(bool, row))
    below = [one for one in below if any(one)]
    if not below or not row[0] or filled >= width:
        return False
    if len(row) == 1:
        return any(len(one) >= width for one in below)
    heading = next((one for one in below[:10] if sum(map(bool, one)) >= width), None)
    if heading is None or (filled > 1 and filled > width // 2):
        return False
    rest = below[below.index(heading) + 1 :]
    return not any(map(kind_of, heading)) and any(kind_of(cell) for one in rest[:3] for cell in one if cell)


def _names(rows, width, named, title):
    """A text for each column: the heading, longer by one for the row names that R writes."""
    first, below = rows[0], rows[1:]
    most = max(map(len, below), default=0)
    while most > len(first) and not any(cell for row in below for cell in row[most - 1 : most]):
        most -= 1  # A separator at the end of every line.
    if not named:
        return [""] * max(len(first), min(width, most))
    if len(first) == width - 1 == most - 1 and _are_names([row[0] for row in below]):
        return ["", *first]
    if below and len(first) < width <= most and len(below[0]) > len(first):
        raise UploadError(
            f"{title} has {len(below[0])} values in its second line but {len(first)} in its first. "
            "Every line needs one value for each column."
        )
    return first


def _are_names(found):
    """Whether cells are what R calls the rows: 1, 2, 3, or texts of their own."""
    counted = found == [str(place) for place in range(1, len(found) + 1)]
    return counted or (len(set(found)) == len(found) > 1 and not any(map(kind_of, found)))


def _has_heading(first, below):
    """Text above a number, text alone, or numbers that count."""
    kinds = [cell and kind_of(cell) for cell in first]
    texts = [bool(cell) and not kind for cell, kind in zip(first, kinds, strict=True)]
    if not below:
        return any(texts)
    columns = [[row[i] for row in below if len(row) > i and row[i]] for i in range(len(first))]
    typed = [sum(map(bool, map(kind_of, column))) * 2 > len(column) for column in columns]
    if any(text and number for text, number in zip(texts, typed, strict=True)):
        return True
    if all(texts) and len(set(first)) == len(first):
        return True
    # 2019-01-01 or 2019Q1 above bare numbers; a limit such as <5 is a record's.
    other = (
        one for one in zip(first, kinds, columns, strict=True) if one[1] in ("date", "measure") and one[2]
    )
    if any(cell[0] not in "<>≤≥" and not _has(column, kind) for cell, kind, column in other):
        return True
    numbered = [i for i, kind in enumerate(kinds) if kind == "number"]
    if any(kind not in ("", "number") for kind in kinds) or not all(first[1:]) or not numbered:
        return False
    if _count([first[i] for i in numbered], [columns[i] for i in numbered]):
        return True
    return any(text and _is_unlike(first[i], columns[i]) for i, text in enumerate(texts))


def _has(column, kind):
    return any(kind_of(cell) == kind for cell in column)


def _count(cells, columns):
    """Whether numbers are such as programs and people give to columns: 0, 1, 2; 1, 2, 3 above decimals; years."""
    if not cells or not all(cell.isdecimal() and len(cell) <= 4 for cell in cells):
        return False
    numbers = [int(cell) for cell in cells]
    steps = {after - before for before, after in itertools.pairwise(numbers)}
    shares = [
        sum(not cell.lstrip("+-−").isdecimal() for cell in column) / max(len(column), 1) for column in columns
    ]
    if numbers[0] in (0, 1) and steps <= {1}:
        return min(shares) > 0 or (numbers[0] == 0 and len(numbers) > 1)
    if all(1900 <= number < 2100 for number in numbers) and all(step > 0 for step in steps):
        return not all(cell.isdecimal() and 1900 <= int(cell) < 2100 for cell in columns[0])
    # Whole numbers, all different, above decimals alone: five rows of two columns are no chance.
    return len(set(numbers)) == len(numbers) > 1 and min(shares) == 1 and min(map(len, columns)) >= 5


def _is_unlike(cell, column):
    """Whether a text is none of those that a column repeats, or has no digit where all of them do."""
    digits = [any(map(str.isdigit, text)) for text in (cell, *column)]
    return cell not in column and (2 * len(set(column)) <= len(column) or (not digits[0] and all(digits[1:])))


def _notes(above, names, named, header):
    """What was found out of titles and heading."""
    notes = []
    if titles := [next(filter(None, row)) for row in above if any(row)]:
        notes.append(f"Not read, above the table: {'; '.join(map(shown, titles[:3]))}.")
    if not named:
        notes.append("No header was found: columns are numbered, and the first line is a record.")
    elif header is None and not any(name and not kind_of(name) for name in names):
        notes.append(f"The first line was read as names of columns: {', '.join(map(shown, names[:4]))}.")
    return notes
