"""Where a table begins and what names its columns, from its first rows: of text and of sheets alike."""

from __future__ import annotations

import itertools
import re

from data.columns.notation import kind_of
from data.upload.table import UploadError, shown

_COMMENT = ("#", "%", "//", "--", "!", "*", "@")
_RULE = re.compile(r"[\s|+=:-]*[-=]{3}[\s|+=:-]*")
_LINES = 3  # Rows below the names of columns that may name them, too.


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
    first = [[] if is_rule(row) else row for row in first]
    start = _comments(first, width)
    start += _start(first[start:], width)
    places = [place for place in range(start, len(first)) if any(first[place])]
    rows = [first[place] for place in places]
    named = _has_heading(rows[0], rows[1:]) if header is None else header
    more = _more_headings(rows) if named else 0
    names = _names([rows[0], *rows[more + 1 :]], width, named, title)
    notes = _notes(first[:start], names, named, header)
    if more and not all(names):
        names = _joined(names, rows[1])
        notes.append(f"Names of columns stand in several lines: {', '.join(map(shown, names[:4]))}.")
    elif more:
        second = "; ".join(shown(next(filter(None, row))) for row in rows[1 : more + 1])
        notes.append(f"Not read as records, below the names of columns: {second}.")
    return (places[more] + 1 if named else start), names, tuple(notes)


def is_rule(row: list[str]) -> bool:
    """Whether a row is a line that was drawn: ------+-----."""
    first = next(filter(None, row), "x")
    return first[0] in "-+=:" and all(map(_RULE.fullmatch, filter(None, row)))


def _comments(rows, width):
    """How many rows at the top are comments; a heading may begin with the same sign."""
    full = [(place, row) for place, row in enumerate(rows) if any(row)]
    marked = list(itertools.takewhile(lambda one: one[1][0].startswith(_COMMENT), full))
    below = [row for _, row in full[len(marked) :]]
    if not marked or not below:
        return 0
    last, row = marked[-1]
    if len(marked) > 1 or len(row) < width or _text_above_numbers(below[0], below[1:]):
        is_heading = len(row) >= width and not _text_above_numbers(below[0], below[1:])
        return last if is_heading else full[len(marked)][0]
    return 0


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
    # A column without a name or two may part a table from what stands beside it.
    full = max(max(sum(map(bool, one)) for one in below[:10]), (width + 1) // 2)
    heading = next((one for one in below[:10] if sum(map(bool, one)) >= full), None)
    if heading is None or filled >= full:
        return False
    rest = below[below.index(heading) + 1 :]
    return not any(map(kind_of, filter(None, heading))) and _text_above_numbers(heading, rest)


def _text_above_numbers(first, below):
    """Whether a text stands above a column that holds numbers or dates alone, but for further lines of names."""
    below = below[min(_LINES, (len(below) - 1) // 2) :] if below else below
    return any(first[i] and not kind_of(first[i]) and _is_typed(below, i) for i in range(len(first)))


def _is_typed(rows, place):
    """Whether a column holds numbers or dates, two at least, and nothing else."""
    kinds = [kind_of(row[place]) for row in rows if len(row) > place and row[place]]
    return len(kinds) - kinds.count("gap") > 1 and "" not in kinds


def _more_headings(rows):
    """How many rows below the heading name columns, too, or their units: texts above numbers, and no record's."""
    records = rows[1 + min(_LINES, (len(rows) - 2) // 2) :] if len(rows) > 1 else []
    below = [[row[i] for row in records if len(row) > i and row[i]] for i in range(len(rows[0]))]
    typed = [_is_typed(records, place) for place in range(len(below))]
    count = 0
    for row in rows[1 : 1 + _LINES]:
        filled = [(cell, one, found) for cell, one, found in zip(row, typed, below, strict=False) if cell]
        texts = [cell for cell, one, _ in filled if one]
        others = [(cell, found) for cell, one, found in filled if not one and found]
        if len(texts) < 2 or any(map(kind_of, texts)) or any(cell in found for cell, found in others):
            break
        if others and not any(_is_unlike(*one) for one in others):
            break
        count += 1
    return count


def _joined(upper, lower):
    """Names in two lines, where the upper one names groups of columns."""
    groups = itertools.accumulate(upper, lambda before, now: now or before)
    lower = [*lower, *[""] * (len(upper) - len(lower))]
    return [" ".join(filter(None, pair)) for pair in zip(groups, lower, strict=False)]


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
