"""The rows of a table below its heading, of a text or a sheet: made even, without remarks at the end, by columns."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterator, Sequence

import pandas as pd

from data.check import grouped
from data.columns import Cells, frame_of
from data.columns.cells import as_seen
from data.columns.notation import kind_of
from data.columns.summary_rows import FIGURES, TOTALS
from data.upload.heading import is_rule
from data.upload.table import Limits, UploadError, shown

_BLOCK = 50_000  # Cells that are single texts at a time.
_FOOT = 20  # Rows at the end that may be remarks or totals, blank ones included.
_TOTAL = re.compile(rf"(?:grand )?(?:{TOTALS}|{FIGURES})\s*(?:[:(=].*)?", re.IGNORECASE)


class Body:
    """The rows below the heading: cut, made even, and gathered by columns."""

    def __init__(self, skipped: int, first: list[str], title: str, limits: Limits):
        self.skipped, self.title = skipped, title
        self._first, self._limits = first, limits
        self._blank, self._again, self._cut_off = 0, 0, False
        self._beside: list[str] = []  # Columns beside the table, such as a legend.
        # Numbers may be names of columns and a record.
        self._tells = len(first) > 1 and not all(map(kind_of, first))
        self._left: list[list[str]] = []  # Remarks and totals at the end.
        self.names = names_of(first)

    def frame(self, decimal: str = "") -> pd.DataFrame:
        """The table, without what an empty column parts from it and few rows have; `decimal` as for `frame_of`."""
        columns = self._columns()
        found = frame_of(self.names, columns, decimal=decimal)
        empty = (place for place, name in enumerate(self._first[: len(columns)]) if place and not name)
        end = next((place for place in empty if found.iloc[:, place].isna().all()), len(columns))
        beside = found.iloc[:, end + 1 :]
        if beside.empty or 2 * beside.notna().any(axis=1).sum() > len(found):
            return found
        self._beside = list(beside.columns)
        return found.iloc[:, :end].dropna(how="all").reset_index(drop=True)

    def _columns(self):
        """The cells of every column that has a name or a value."""
        width = len(self._first)
        found = [Cells() for _ in range(width)]
        for block in filter(None, self._blocks(max(_FOOT + 1, _BLOCK // width))):
            for cells, texts in zip(found, zip(*block, strict=True), strict=True):
                cells.add(texts)
        while len(found) > 1 and not found[-1].filled and not self._first[len(found) - 1]:
            found.pop()  # A separator at the end of every line.
        self.names = self.names[: len(found)]
        return found

    def _blocks(self, size):
        """Rows of one width, those at the end of the file without remarks and totals."""
        rows, count, held = itertools.islice(self.cut(), self.skipped, None), 0, []
        while block := list(itertools.islice(rows, size)):
            block = [[""] if is_rule(row) else row for row in block]
            if self._tells:
                kept = [row for row in block if not self._is_heading(row)]
                self._again += len(block) - len(kept)
                block = kept
            filled = [row for row in block if any(row)]
            self._blank += sum(map(bool, block)) - len(filled)
            count += len(filled)
            if count > self._limits.rows:
                raise UploadError(
                    f"{self.title} has more than {grouped(self._limits.rows)} rows, which is the most that is read."
                )
            held += block
            yield self._even(list(filter(any, held[:-_FOOT])))
            held = held[-_FOOT:]
        yield self._even(self._without_foot(held))

    def _without_foot(self, held):
        """The last rows without blank ones, totals and remarks, such as texts alone in their rows below a blank one."""
        parts = [list(rows) for filled, rows in itertools.groupby(held, key=any) if filled]
        while len(self._first) > 1 and len(parts) > 1 < len(parts[0]) and all(map(_is_label, parts[-1])):
            self._left = parts.pop() + self._left
        rows = list(itertools.chain(*parts))
        while rows and self._is_remark(rows[-1], rows[:-1]):
            self._left.insert(0, rows.pop())
        short = [len(row) < len(self._first) for row in rows]
        self._cut_off = short[-1:] == [True] and sum(short) == 1 < len(short)
        return rows

    def _is_heading(self, row):
        return row[:1] == self._first[:1] and list(map(str.strip, row)) == self._first

    def cut(self) -> Iterator[list[str]]:
        """All rows of the file, titles included."""
        raise NotImplementedError

    def uneven(self, width: int) -> UploadError:
        """The error for the first row of more values than that, which names its place."""
        return UploadError(f"{self.title} has a row of more than {width} values.")

    def _even(self, block):
        width = len(self._first)
        if any(len(row) != width for row in block):
            for row in block:
                while len(row) > width and not row[-1].strip():
                    row.pop()
                row.extend([""] * (width - len(row)))
            if any(len(row) > width for row in block):
                raise self.uneven(width)
        return block

    def _is_remark(self, row, above):
        """Whether a row at the end is a remark, or a total of those above."""
        texts = [text.strip() for text in row]
        label, width = next(filter(None, texts), ""), len(self._first)
        if _TOTAL.fullmatch(label):
            return all(label not in map(str.strip, one) for one in above)
        if (
            width > 1
            and len(above) > 2
            and all(_are_words(text, place, above) for place, text in enumerate(texts) if text)
        ):
            return True
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
        if self._again:
            rows = "1 row" if self._again == 1 else f"{grouped(self._again)} rows"
            notes.append(f"Left out for repeating the names of columns: {rows}.")
        if self._beside:
            notes.append(f"Not read, beside the table: {', '.join(map(shown, self._beside[:4]))}.")
        if self._cut_off:
            notes.append("The last row alone has fewer values than there are columns: is the file whole?")
        if self._blank:
            rows = "1 row" if self._blank == 1 else f"{grouped(self._blank)} rows"
            notes.append(f"Left out for having no value: {rows}.")
        return notes


def _is_label(row):
    """Whether a row has nothing but a text in its first cell."""
    texts = [text.strip() for text in row]
    return bool(texts[0]) and not any(texts[1:]) and not kind_of(texts[0])


def _are_words(text, place, above):
    """Whether a text stands where all rows above have a number."""
    numbers = {"number", "measure"}
    return kind_of(text) not in numbers | {"gap"} and all(
        len(row) > place and kind_of(row[place].strip()) in numbers for row in above
    )


def names_of(first: Sequence[str]) -> list[str]:
    """Distinct column names, `as_seen`: numbered where empty or repeated, by numbers that no other name has."""
    given = [as_seen(cell) for cell in first]
    taken, names = set(given), list[str]()
    seen: set[str] = set()
    used: Counter[str] = Counter()
    for i, cell in enumerate(given, start=1):
        base = name = cell or f"column {i}"
        while name in seen or (name != cell and name in taken):
            used[base] += 1
            name = f"{base} ({used[base] + 1})"
        seen.add(name)
        names.append(name)
    return names
