"""What the columns of a table look like: suggestions for a description, and why a column cannot name the sites.

A suggestion of kind, notation and unit looks at the form of cells; ranges and lists of categories are not suggested.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np
import pandas as pd

from data import check
from data.columns import cells
from data.columns.description import MOST_VALUES, WRITTEN, Kind

MOST_SITES = 200
_FIRST = 1000  # Rows that tell at once if a column holds no numbers or dates.
_HEAD = 10_000  # Rows that a column of numbers is judged by before all are looked at.


@dataclass(frozen=True)
class Facts:
    """What a column looks like.

    Attributes
    ----------
    name : str
    kind : Kind
        The kind that fits.
    written, unit : str
        How its numbers or dates are written, and their unit.
    values : tuple of str
        Of yes/no: the answer that counts as 1, and the other.
    filled : bool
        Whether any cell has a value.
    gaps : int
        Cells without one.
    sites : int
        Number of sites that it names; 0 if it cannot name them.
    unfit : str
        Why it cannot.
    note : str
        What a reader should know, in plain words; "" for nothing.
    fits : bool
        Whether it can be part of a record as it is; a category of too many texts cannot.
    site_names : tuple of str
        What it calls the sites, in order of the alphabet; empty if it cannot name them.
    """

    name: str
    kind: Kind
    written: str
    unit: str
    values: tuple[str, ...]
    filled: bool
    gaps: int
    sites: int
    unfit: str
    note: str
    fits: bool = True
    site_names: tuple[str, ...] = ()

    def to_dict(self) -> dict:
        """As a JSON object."""
        return asdict(self)

    @classmethod
    def from_dict(cls, found: dict) -> Facts:
        """What `to_dict` made."""
        return cls(**(found | {name: tuple(found[name]) for name in ("values", "site_names")}))


@check.arguments
def survey(frame: pd.DataFrame) -> tuple[Facts, ...]:
    """Look at every column of a table."""
    return tuple(_facts(name, frame[name]) for name in frame.columns)


def _facts(name, found):
    empty = found.isna()
    gaps = int(empty.sum())
    if gaps == len(found):
        kind: Kind = "number"
        return Facts(
            str(name), kind, "1,234.5", "", (), False, gaps, 0, "has no value", "It has no value.", False
        )
    if cells.is_plain(found):
        kind, written, unit, values, note = _of_numbers(found)
        sites, unfit = _as_sites(found, kind)
    else:
        known = cells.texts(found)
        kind, written, unit, values, note, gaps = _of_text(found, gaps, known)
        sites, unfit = _as_sites(found, kind, len(known[1]))
    fits = kind != "category" or not note
    # As `described_table` names them.
    names = sorted({cells.text_of(value) for value in found.dropna().unique()}) if sites else ()
    filled = gaps < len(found)
    return Facts(str(name), kind, written, unit, values, filled, gaps, sites, unfit, note, fits, tuple(names))


def _of_numbers(found):
    known = found.dropna()
    if pd.api.types.is_bool_dtype(found.dtype):
        return "yes/no", "", "", ("true", "false"), ""
    head = set(known.head(_HEAD).unique().tolist())
    if head == {0, 1} and known.isin([0, 1]).all():
        return "yes/no", "", "", ("1", "0"), ""
    return "number", WRITTEN["number"][0], "", (), ""


def _of_text(found, gaps, known):
    """Kind, notation, unit, answers, note and gaps of a column of text."""
    if len(known[1]) > cells.MOST_TEXTS:
        note = f"It holds more than {cells.MOST_TEXTS} different texts, which are not read one by one."
        return "category", "", "", (), note, gaps
    texts = cells.different(known)
    gaps += cells.gaps(known)
    if len(texts) == 2 and (answers := _answers(texts)):
        return "yes/no", "", "", answers, "", gaps
    for kind in ("number", "date"):
        if texts and (read := _written(found, kind, known)):
            return (kind, *read, gaps)
    if len(texts) < 2:
        note = "It holds one text in every row." if texts else "It has no value."
    elif 2 * len(texts) > len(found) - gaps:
        note = "Nearly every row has a text of its own, so it is no category."
    elif len(texts) > MOST_VALUES:
        note = f"It holds {len(texts)} different texts; a category has at most {MOST_VALUES}."
    else:
        note = ""
    return "category", "", "", (), note, gaps


def _answers(texts):
    both = {text.casefold(): text for text in texts}
    pair = next((pair for pair in cells.ANSWERS if set(pair) == set(both)), None)
    return None if pair is None else (both[pair[0]], both[pair[1]])


def _written(found, kind, known):
    """The notation in which all cells can be read, with unit, no values, and a note; None if there is none."""
    look = cells.numbers if kind == "number" else cells.days
    fits = {}
    for written in WRITTEN[kind]:
        if look(found.head(_FIRST), written).wrong >= 0:
            continue
        read = look(found, written, known=known)
        if read.wrong < 0 and len(read.units) <= 1 and not np.isnan(read.values).all():
            fits[written] = read
    if not fits:
        return None
    written, read = next(iter(fits.items()))
    unit = read.units[0] if read.units else ""
    parts = [f"Read as {'numbers' if kind == 'number' else 'dates'} from text"]
    parts[0] += f", in {unit}." if unit else "."
    if read.limits:
        parts.append(f"{read.limits} cells are limits, as “<5” is; each counts as the limit itself.")
    other = next((w for w in fits if w != written), "")
    if other and not np.array_equal(read.values, fits[other].values, equal_nan=True):
        parts.append(f"Both {written} and {other} would fit: check its kind.")
    return written, unit, (), " ".join(parts)


def _as_sites(found, kind, different=None):
    """How many sites a column names, or 0 and why it cannot name them; `different` texts, if it holds text."""
    head = found.head(_HEAD)
    if kind == "date":
        return 0, "holds dates"
    if kind == "number" and not cells.is_plain(found):
        return 0, "holds measurements: numbers written as text"
    if pd.api.types.is_float_dtype(head.dtype) and (head.dropna() % 1 != 0).any():
        return 0, "holds measurements: numbers with decimals"
    many = different is None and head.nunique() > MOST_SITES
    if many or (count := found.nunique() if different is None else different) > MOST_SITES:
        return 0, f"holds more than {MOST_SITES} different values"
    if count < 2:
        return 0, "has one value in every row"
    return int(count), ""
