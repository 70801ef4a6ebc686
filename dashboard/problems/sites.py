"""A table of unequal sites, row by row: read, checked, and written as the short text of a link."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from itertools import dropwhile

import numpy as np
import param

from core import check
from dashboard.state.safe_csv import original
from dashboard.state.typed_number import typed_number
from dashboard.state.url import as_text

MOST_SITES = 50
LEAST_EPSILON = 1e-3
COLUMNS = ("site", "size", "epsilon", "delta", "weight", "colludes", "drops")
_MOST_ROUNDING = 0.05  # By so much rounded weights may miss 1.
_TRUE, _FALSE = {"1", "true", "yes", "y", "x"}, {"", "0", "false", "no", "n"}


@dataclass(frozen=True)
class Row:
    """One site as the table says it; weight counts only where weights are taken from the table."""

    site: str
    size: int
    epsilon: float
    delta: float
    weight: float = 0.0
    colludes: bool = False
    drops: bool = False


def own_weights(rows: Iterable[Row]) -> np.ndarray:
    """The weights of the table, scaled to sum to one where they miss it by the rounding of their last digits only.

    Raises
    ------
    ValueError
        If they sum to something else, or a site has none; it names what is wrong.
    """
    rows = tuple(rows)
    if bare := next((row for row in rows if row.weight <= 0), None):
        raise ValueError(
            f"{bare.site}: with own weights, weight must be above 0, got {as_text(bare.weight)}."
        )
    weights = np.array([row.weight for row in rows])
    last = [Decimal(repr(float(weight))).as_tuple().exponent for weight in weights]
    rounding = min(_MOST_ROUNDING, sum(10.0 ** int(digit) for digit in last) / 2) + 1e-9
    if abs(weights.sum() - 1) > rounding:
        raise ValueError(f"Own weights must sum to 1, but they sum to {weights.sum():.12g}.")
    return weights / weights.sum()


def parse_rows(records: Iterable[Mapping[str, object]]) -> tuple[Row, ...]:
    """Rows from mappings of column to value, checked; a ValueError names the site and what is wrong.

    Names have at most 24 letters; a site whose name came before has its number behind it.
    """
    rows: list[Row] = []
    for number, record in enumerate(records, start=1):
        name = check.seen(original(str(record.get("site") or "")))[:24].strip() or f"site {number}"
        if any(row.site == name for row in rows):  # A plan has no two sites of one name.
            name = f"{name[:20]} {number}"
        rows.append(
            Row(
                name,
                int(_number(name, "size", record.get("size"), "a whole number from 1 to 10⁹", whole=True)),
                _number(name, "ε", record.get("epsilon"), "a number from 0.001 to 100", LEAST_EPSILON, 100),
                _number(name, "δ", record.get("delta"), "a number from 10⁻¹² to 0.5", 1e-12, 0.5),
                _number(name, "weight", record.get("weight") or 0.0, "a number from 0 to 1", 0.0, 1.0),
                _flag(name, "colludes", record.get("colludes")),
                _flag(name, "drops", record.get("drops")),
            )
        )
    if not 2 <= len(rows) <= MOST_SITES:
        raise ValueError(f"The table must have from 2 to {MOST_SITES} sites, it has {len(rows)}.")
    return tuple(rows)


def rows_from_csv(text: str) -> tuple[Row, ...]:
    """Rows from a CSV file with at least the columns size, epsilon, delta, between commas, semicolons or tabs.

    Lines with # above the names are comments; below them a site may be called "#7".
    """
    lines = [line for line in text.lstrip("\ufeff").splitlines() if line.strip()]
    lines = list(dropwhile(lambda line: line.startswith("#"), lines))
    mark = max(",;\t", key=lines[0].count) if lines else ","
    reader = csv.DictReader(io.StringIO("\n".join(lines)), delimiter=mark, skipinitialspace=True)
    try:
        names = {(n or "").strip().lower() for n in reader.fieldnames or ()}
        rows = list(reader)
    except csv.Error as error:
        raise ValueError(f"The file cannot be read as CSV: {error}.") from None
    missing = [name for name in ("size", "epsilon", "delta") if name not in names]
    if missing:
        raise ValueError(
            f"The file must have the columns {', '.join(COLUMNS)}; missing: {', '.join(missing)}."
        )
    if cut := next((n for n, row in enumerate(rows, start=1) if None in row or None in row.values()), None):
        raise ValueError(
            f"Every site must have {len(reader.fieldnames or ())} values, site {cut} has another number."
        )
    return parse_rows({(k or "").strip().lower(): v for k, v in row.items()} for row in rows)


def write_rows(rows: Iterable[Row]) -> str:
    """The table as a short text, for the URL."""
    texts = []
    for r in rows:
        flags = "c" * r.colludes + "d" * r.drops
        name = "".join(" " if c in ":;" else c for c in r.site)
        numbers = ":".join(map(as_text, (r.size, r.epsilon, r.delta, r.weight)))
        texts.append(f"{name}:{numbers}:{flags}".rstrip(":"))
    return ";".join(texts)


def read_rows(text: str) -> tuple[Row, ...]:
    """The table from what `write_rows` wrote."""
    records = []
    for part in text.split(";"):
        fields = [*part.split(":"), *[""] * 6]
        record = dict(zip(COLUMNS, fields, strict=False))
        record |= {"colludes": "1" if "c" in fields[5] else "", "drops": "1" if "d" in fields[5] else ""}
        records.append(record)
    return parse_rows(records)


def _number(site, column, value, expected, low=1, high=10**9, *, whole=False):
    try:
        number = typed_number(value, whole=whole) if isinstance(value, str) else float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not low <= number <= high or (whole and number != int(number)):
        shown = "nothing" if value is None or value == "" or value != value else str(value)[:20]
        raise ValueError(f"{site}: {column} must be {expected}, got {shown}.")
    return number


def _flag(site, column, value):
    text = "" if value is None or value != value else str(value).strip().lower()
    if text not in _TRUE | _FALSE:
        raise ValueError(f"{site}: {column} must be yes or no, got {text[:20]}.")
    return text in _TRUE


class Rows(param.String):
    """A table of sites as `write_rows` writes it."""

    def _validate_value(self, val, allow_None):
        super()._validate_value(val, allow_None)
        read_rows(val)
