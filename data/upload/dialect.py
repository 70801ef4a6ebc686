"""How a table is separated, from its first lines; `heading` says where it begins and what names its columns.

Under the right separator lines are even and cells make sense: numbers (60,5 included), dates, words. Under a wrong one
they hold rests of the right one: "A;60". Of the kept sniffers clevercsv weighs both too and finds most separators; none
finds titles, totals, headings of numbers and encodings as well (`tests/benchmarks/readers.py` prints who reads what).
"""

from __future__ import annotations

import contextlib
import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from data.columns.notation import kind_of
from data.upload.heading import top
from data.upload.table import UploadError

_SEPARATORS = ",;\t|^~ "
_REST = re.compile(r"[^\s,;|\t][;|\t,][^\s,;|\t]|^\d+ \d")  # What a wrong separator leaves between letters.
_IN_QUOTES = re.compile(r"\s*'[^']*'\s*[,;\t|^~]\s*'")  # 'North','30'
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
    whole : bool
        Whether every line stands in quotation marks as a whole.
    """

    options: dict
    skipped: int
    names: list[str]
    notes: tuple[str, ...]
    whole: bool = False

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
        For lines without a value, headings that are shorter than the rows below, and columns of a fixed width.
    """
    hint = _HINT.fullmatch(lines[0]) if lines else None
    lines = lines[1:] if hint else lines
    cut = _best(lines, hint and hint[1])
    if hint and cut.width == 1:  # It is not so.
        cut = _best(lines, None)
    whole = _within(lines) if cut.width == 1 else None
    if cut.width == 1 and whole is None and _are_fixed(lines):
        raise UploadError(
            f"{title} seems to have columns of a fixed width, with spaces between them, which are not read. Open it in a "
            "spreadsheet program as text of fixed width, and save it as .csv."
        )
    skipped, names, notes = top((whole or cut).rows, (whole or cut).width, title, header)
    if whole:
        notes = ("Every line stands in quotation marks as a whole: what is within was read.", *notes)
    return Dialect((whole or cut).options, bool(hint) + skipped, names, notes, whole is not None)


def _within(lines):
    """The cut of what stands within lines that are quoted as a whole, None if they are not."""
    within = _best(list(unquoted(lines)), None)
    even = all(len(row) == within.width > 2 for row in within.rows if any(row))
    return within if even and within.score > 1 else None


def unquoted(lines: Iterable[str]) -> Iterator[str]:
    """Lines without the quotation marks around them as a whole."""
    return ((row or [""])[0] for row in csv.reader(lines, delimiter="\x1f"))


def _are_fixed(lines):
    """Whether all lines below the first have spaces at the same places, two side by side at least once."""
    below = [line.rstrip() for line in lines[1:] if line.strip()]
    if len(below) < 3:
        return False
    width = max(map(len, below))
    padded = [line.ljust(width) for line in below]
    blank = "".join(" " if all(line[place] == " " for line in padded) else "x" for place in range(width))
    columns = [
        [line[part.start() : part.end()].strip() for line in padded] for part in re.finditer("x+", blank)
    ]
    filled = [sum(map(bool, column)) * 5 >= 4 * len(below) for column in columns]
    return "  " in blank.strip() and sum(filled) > 1


def _best(lines, hint):
    """The cut that leaves even lines of cells that make sense."""
    escapes: list[dict] = [{}, {"escapechar": "\\"}] if any('\\"' in line for line in lines) else [{}]
    if sum(map(bool, map(_IN_QUOTES.match, lines))) * 5 > 4 * len(lines):
        escapes = [{"quotechar": "'"}]
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
