"""Sixty-six small files as people and programs write them, each with the table that it holds.

Values are numbers, texts, or None where a cell is empty or holds a word for nothing; `texts` are the same cells as the
file spells them, for readers that interpret nothing.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass

Value = float | str | None


@dataclass(frozen=True)
class Case:
    """A file and its table.

    Attributes
    ----------
    name : str
    content : bytes
    names : list of str
        The heading; "" for a column that has none.
    values : list of list
        The records.
    texts : list of list of str
        The records as the file spells them.
    """

    name: str
    content: bytes
    names: list[str]
    values: list[list[Value]]
    texts: list[list[str]]


def plain(value: Value) -> str:
    """A value as most programs write it."""
    return "" if value is None else value if isinstance(value, str) else repr(value).removesuffix(".0")


def german(value: Value) -> str:
    """With a decimal comma."""
    return plain(value).replace(".", ",") if isinstance(value, float) else plain(value)


def german_groups(value: Value) -> str:
    """With a decimal comma and points between thousands."""
    if not isinstance(value, float):
        return plain(value)
    return f"{value:,.2f}".translate(str.maketrans(",.", ".,"))


def us_groups(value: Value) -> str:
    """With commas between thousands."""
    return f"{value:,.2f}" if isinstance(value, float) else plain(value)


def swiss(value: Value) -> str:
    """With ’ between thousands."""
    return us_groups(value).replace(",", "’") if isinstance(value, float) else plain(value)


def spaced(value: Value) -> str:
    """With narrow spaces between thousands and a decimal comma."""
    return (
        us_groups(value).replace(",", "\u202f").replace(".", ",")
        if isinstance(value, float)
        else plain(value)
    )


def minus(value: Value) -> str:
    """With the minus sign of typography."""
    return plain(value).replace("-", "−")


WARDS = [[("A", "B", "C")[i % 3], 30.0 + i, 60.5 + i] for i in range(24)]
TWO = [[("A", "B")[i % 2], 60.5 + i] for i in range(24)]
NUMBERS = [[30.0 + i, 120.0 + 2 * i, 5.25 + i / 4] for i in range(24)]
MONEY = [[("A", "B")[i % 2], 1100.25 + 1037.5 * i] for i in range(24)]
CHANGE = [[("A", "B")[i % 2], (-1.0) ** i * (0.5 + i)] for i in range(24)]
NOTES = [[30.0 + i, 120.0 + i, ("ok, fine", "see; above", "x | y")[i % 3]] for i in range(24)]
LINES = [[30.0 + i, "first line\nsecond, line", 5.5 + i] for i in range(24)]
ARMS = [[("None", "Drug A", "Drug B")[i % 3], ("A", "B")[i % 2], 0.5 + i] for i in range(24)]
CODES = [[("01", "02", "10")[i % 3], 0.5 + i] for i in range(24)]
POWERS = [[("1E2", "2E3", "1E3")[i % 3], 0.5 + i] for i in range(24)]
IDS = [[("1234567890123456789012", "1234567890123456789013")[i % 2], 0.5 + i] for i in range(24)]
YEARS = [[("north", "south", "west")[i % 3], 10.0 + i, 20.0 + i, 30.0 + i] for i in range(24)]
FRAME = [[0.25 + i / 8, 0.5 + i / 4, 0.75 + i / 2] for i in range(24)]
GAPS = [[("A", "B")[i % 2], None if i % 5 == 2 else 1.5 + i, 2.0 + i] for i in range(24)]
PLACES = [[("Zürich", "Genève", "Łódź")[i % 3], 0.5 + i] for i in range(24)]


def _case(
    name: str,
    names: list[str],
    values: list[list[Value]],
    *,
    sep: str = ",",
    write: Callable[[Value], str] = plain,
    head: str = "",
    tail: str = "",
    heading: bool = True,
    end: str = "\n",
    encoding: str = "utf-8",
    change: Callable[[str], str] = str,
    quote: int = csv.QUOTE_MINIMAL,
    said: list[str] | None = None,
) -> Case:
    texts = [[write(value) for value in row] for row in values]
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter=sep, lineterminator="\n", quoting=quote)  # type: ignore[arg-type]
    writer.writerows(([said or names] if heading else []) + texts)
    text = head + change(stream.getvalue()) + tail
    return Case(
        name, text.replace("\n", end).encode(encoding), names if heading else [""] * len(names), values, texts
    )


def _lines(edit: Callable[[int, str], str]) -> Callable[[str], str]:
    return lambda text: "".join(edit(i, line) for i, line in enumerate(text.splitlines(keepends=True)))


def cases() -> Iterator[Case]:
    """All files."""
    yield from _separators()
    yield from _headings()
    yield from _around()
    yield from _ends()
    yield from _meanings()


def _separators() -> Iterator[Case]:
    three, two, note = ["ward", "age", "weight"], ["ward", "weight"], ["age", "sbp", "note"]
    yield _case("commas", three, WARDS)
    for sep, word in ((";", "semicolons"), ("|", "bars"), ("\t", "tabs")):
        yield _case(f"{word}, two columns, decimal commas", two, TWO, sep=sep, write=german)
        yield _case(f"{word}, decimal commas", three, WARDS, sep=sep, write=german)
        yield _case(f"{word}, commas in a note", note, NOTES, sep=sep)
        yield _case(f"{word}, a comma in the heading", ["ward", "weight, kg"], TWO, sep=sep, write=german)
        yield _case(f"{word}, no heading, decimal commas", two, TWO, sep=sep, write=german, heading=False)
    yield _case("semicolons, numbers alone", ["a", "b", "c"], NUMBERS, sep=";", write=german)
    yield _case("semicolons, quoted lines", ["age", "note", "x"], LINES, sep=";")
    yield _case("commas, quoted lines", ["age", "note", "x"], LINES)
    yield _case("tabs, quoted lines", ["age", "note", "x"], LINES, sep="\t")
    yield _case("everything quoted", three, WARDS, quote=csv.QUOTE_ALL)
    yield _case("commas, quoted decimal commas", two, TWO, write=german)
    yield _case("backslashes before quotes", note, [[r[0], r[1], 'he said "ok, fine"'] for r in NOTES],
                change=lambda text: text.replace('""', '\\"'))  # fmt: skip
    yield _case("spaces", ["a", "b", "c"], NUMBERS, sep=" ")
    yield _case("one column", ["x"], [[row[1]] for row in TWO])
    yield _case("one column, decimal commas", ["x"], [[r[1]] for r in TWO], sep=";", write=german)
    yield _case("spaces behind commas", three, WARDS, change=lambda text: text.replace(",", ", "))


def _headings() -> Iterator[Case]:
    yield _case("years as headings", ["region", "2019", "2020", "2021"], YEARS)
    yield _case("years, semicolons", ["2019", "2020", "2021"], NUMBERS, sep=";", write=german)
    counted = [[float(i), *row] for i, row in enumerate(FRAME)]
    yield _case("pandas.to_csv()", ["", "0", "1", "2"], counted)
    yield _case("pandas.to_csv(index=False)", ["0", "1", "2"], FRAME)
    yield _case("R write.table", ["", "x", "y", "z"], [[float(i + 1), *row] for i, row in enumerate(FRAME)], sep=" ",
                change=_lines(lambda i, line: line.replace('"" ', "") if i == 0 else line))  # fmt: skip
    yield _case("no heading", ["", "", ""], NUMBERS, heading=False)
    yield _case("repeated headings", ["a", "a", "b"], NUMBERS)


def _around() -> Iterator[Case]:
    three = ["ward", "age", "weight"]
    yield _case("a title", three, WARDS, head="Patient export 2024\n")
    yield _case("a padded title", three, WARDS, head="Patient export 2024,,\n")
    yield _case(
        "a title and a blank line, semicolons", three, WARDS, sep=";", write=german, head="Export, ward 3\n\n"
    )
    yield _case("a blank first line", three, WARDS, head="\n")
    yield _case("a first line of commas", three, WARDS, head=",,\n")
    yield _case("sep=;", three, WARDS, sep=";", head="sep=;\n")
    yield _case("sep=,", ["ward", "weight"], TWO, head="sep=,\n")
    yield _case("a remark below", three, WARDS, sep=";", write=german, tail="Source: clinic register\n")
    yield _case("a padded remark below", three, WARDS, tail="\nSource: the ward's own list,,\n")
    yield _case("a total below", three, WARDS, tail="Total,1000,2000\n")
    yield _case("empty rows below", three, WARDS, tail=",,\n,,\n")
    yield _case("a comma at every end", three, WARDS, change=lambda text: text.replace("\n", ",\n"))
    short = [[*row[:2], None if i % 4 == 1 else row[2]] for i, row in enumerate(NUMBERS)]
    yield _case("short lines", ["a", "b", "c"], short,
                change=lambda text: text.replace(",\n", "\n"))  # fmt: skip


def _ends() -> Iterator[Case]:
    three, two = ["ward", "age", "weight"], ["ward", "weight"]
    yield _case("carriage returns alone", three, WARDS, end="\r")
    mixed = ("\n", "\r\n", "\r")
    yield _case("mixed ends", three, WARDS, change=_lines(lambda i, line: line[:-1] + mixed[i % 3]))
    yield _case("Ctrl-Z at the end", three, WARDS, end="\r\n", tail="\x1a")
    yield _case("a blank line after each", three, WARDS, change=lambda text: text.replace("\n", "\n\n"))
    yield _case("two byte-order marks", three, WARDS, head="\ufeff\ufeff")
    yield _case("UTF-16, tabs", ["ort", "x"], PLACES, sep="\t", encoding="utf-16")
    yield _case("UTF-16 without its mark", two, TWO, encoding="utf-16-le")
    western = [[row[0] if row[0] != "Łódź" else "Köln", row[1]] for row in PLACES]
    yield _case(
        "Windows-1252, semicolons", ["ort", "größe"], western, sep=";", write=german, encoding="cp1252"
    )


def _meanings() -> Iterator[Case]:
    yield _case("German thousands", ["a", "b"], MONEY, sep=";", write=german_groups)
    yield _case("US thousands", ["a", "b"], MONEY, write=us_groups)
    yield _case("Swiss thousands", ["a", "b"], MONEY, sep=";", write=swiss)
    yield _case("narrow spaces between thousands", ["a", "b"], MONEY, sep=";", write=spaced)
    yield _case("a minus sign", ["a", "b"], CHANGE, write=minus)
    yield _case("an arm called None", ["arm", "site", "x"], ARMS)
    yield _case("codes 01", ["ward", "x"], CODES)
    yield _case("codes 1E2", ["plate", "x"], POWERS)
    yield _case("ids of 22 digits", ["id", "x"], IDS)
    yield _case(
        "gaps as NA", ["a", "b", "c"], GAPS, write=lambda value: "NA" if value is None else plain(value)
    )
    yield _case("gaps as nothing, semicolons", ["a", "b", "c"], GAPS, sep=";", write=german)
