"""What the columns of a table look like: suggestions for a description, and why a column cannot name the sites.

A suggestion of kind, notation and unit looks at the form of cells; ranges and lists of categories are not suggested.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np
import pandas as pd

from data import check
from data.columns import cells, codes, dates, notation
from data.columns.description import MOST_VALUES, WRITTEN, Kind
from data.columns.spacing import two_numbers

MOST_SITES = 200
# What a column is called that names the sites.
_SITE = re.compile(
    r"(?<![^\W\d_])(hospital|clinic|klinik|krankenhaus|cent(er|re)|zentrum|site|standort|institut|practice|praxis|branch"
    r"|filiale|school|schule)",
    re.IGNORECASE,
)
_YES, _NO = ({words[place] for words in cells.ANSWERS} for place in (0, 1))
_TICKS = frozenset({"x", "1", "✓", "✔", "☑", "√", "●"})  # Marks beside which a blank cell is a no.
_DIGITS = re.compile(r"[^a-z]*\d[^a-z]*", re.IGNORECASE)
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
        Of yes/no: the answer that counts as 1, and the other; "" is a blank cell.
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
    other : str
        Another notation that its cells fit as well, with other values; of texts, how they are written if they are numbers
        all the same. "" if there is none.
    spellings : tuple of (str, str)
        Of yes/no: what else means one of its two answers, and which.
    units : tuple of str
        Where its cells carry several units: these, and "" for none.
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
    other: str = ""
    spellings: cells.Spellings = ()
    units: tuple[str, ...] = ()

    def to_dict(self) -> dict:
        """As a JSON object."""
        return asdict(self)

    @classmethod
    def from_dict(cls, found: dict) -> Facts:
        """What `to_dict` made."""
        lists = {name: tuple(found[name]) for name in ("values", "site_names", "units")}
        return cls(**(found | lists | {"spellings": tuple(map(tuple, found["spellings"]))}))


@check.arguments
def survey(frame: pd.DataFrame) -> tuple[Facts, ...]:
    """Look at every column of a table."""
    agreed = notation.agreed(frame)
    return tuple(_facts(name, frame[name], agreed) for name in frame.columns)


@check.arguments
def likely_site(facts: Sequence[Facts]) -> str:
    """The first column that can name the sites and is called so, such as "hospital"; "" if there is none."""
    for one in facts:
        if not isinstance(one, Facts):
            raise ValueError(f"facts must be what `survey` says of columns, got {check.shown(one)}")
    return next((one.name for one in facts if one.sites and _SITE.search(one.name)), "")


@dataclass(frozen=True)
class _Look:
    """What the texts of a column suggest."""

    kind: Kind
    written: str = ""
    unit: str = ""
    values: tuple[str, ...] = ()
    note: str = ""
    fits: bool = True
    other: str = ""
    spellings: cells.Spellings = ()
    units: tuple[str, ...] = ()


def _facts(name, found, agreed):
    empty = cells.empty(found)
    gaps, filled = int(empty.sum()), not empty.all()
    known = None if cells.is_plain(found) else cells.texts(found)
    if not filled:
        words = " ".join(("It has no value.", _gap_words(known))).strip()
        look = _Look("number", WRITTEN["number"][0], note=words, fits=False)
        sites, unfit = 0, "has no value"
    elif known is None:
        marks = [cells.text_of(value) for value in found.dropna().unique()] if gaps else ()
        look = _tick(marks, len(found) - gaps) or _of_numbers(found)
        sites, unfit = _as_sites(found, look.kind)
    else:
        look = _of_text(found, len(found) - gaps, known, agreed)
        sites, unfit = _as_sites(found, look.kind, len(cells.different(known)))
    gaps = int(cells.empty(found, look.values).sum()) if "" in look.values else gaps
    # As `described_table` names them.
    names = sorted({label for label in cells.labels(found) if label is not None}) if sites else []
    alike = _alike(known, names)
    if sites and len(names) < 2:
        sites, unfit, names = 0, "has one value in every row", []
    note = " ".join(filter(None, (look.note, _gap_words(known) if filled else "", alike)))
    sites = len(names)
    about = (look.kind, look.written, look.unit, look.values, filled, gaps, sites, unfit, note, look.fits)
    return Facts(str(name), *about, tuple(names), look.other, look.spellings, look.units)


def _of_numbers(found):
    known = found.dropna()
    if pd.api.types.is_bool_dtype(found.dtype):
        return _Look("yes/no", values=("true", "false"))
    head = set(known.head(_HEAD).unique().tolist())
    if head == {0, 1} and known.isin([0, 1]).all():
        return _Look("yes/no", values=("1", "0"))
    note = "Its numbers look like dates such as 20241231: then choose a date." if _are_days(known) else ""
    if codes := _missing_codes(known):
        note = f"{codes} may stand for no value: then say so where a cell is empty, as “also: {codes}”."
    return _Look("number", WRITTEN["number"][0], note=note)


def _tick(texts, filled):
    """A column of marks and blank cells is yes and no; None for any other, and for a mark that stands alone."""
    if filled < 2 or not texts or not {text.casefold() for text in texts} <= _TICKS:
        return None
    mark, *others = texts
    note = f"A blank cell counts as no, {mark!r} as yes. If a blank cell means that nothing is known, choose another kind."
    return _Look("yes/no", values=(mark, ""), spellings=tuple((one, mark) for one in others), note=note)


def _missing_codes(known):
    """Numbers of nines that lie apart from all others, such as 999 above ages or −9 below them; "" for none."""
    found, values = [], known[np.isfinite(known.to_numpy(dtype=float))]
    for code, times in ((values.min(), -1), (values.max(), 1)) if len(values) else ():
        rest = values[values != code]
        nines = code % 1 == 0 and {*str(abs(int(code)))} == {"9"} and len(values) - len(rest) > 1 < len(rest)
        if nines and (rest.min() >= 0 > code if times < 0 else code >= 99 and code > 2 * rest.max()):
            found.append(str(int(code)))
    return "; ".join(found)


def _are_days(known):
    """Whether whole numbers are days of 1900 to 2099, written without a sign between."""
    head = known.head(_HEAD)
    if not pd.api.types.is_integer_dtype(head.dtype) or not head.between(19000101, 20991231).all():
        return False
    return notation.days(head.astype(str), WRITTEN["date"][0]).wrong < 0


def _of_text(found, filled, known, agreed):
    """Kind, notation, unit, answers and note of a column of text with so many cells that are `filled`."""
    if len(known[1]) > notation.MOST_TEXTS:
        note = f"It holds more than {notation.MOST_TEXTS} different texts, which are not read one by one."
        return _Look("category", note=note, fits=False)
    texts = cells.different(known)
    blank = bool((known[0] < 0).any()) or "" in known[1]
    if blank and (tick := _tick(cells.merged(known, abbreviated=False)[0], filled)):
        return tick
    if answers := _answers(known):
        return _Look("yes/no", values=answers[0], spellings=answers[1])
    causes, other, units = [], "", ()
    for kind in ("number", "date"):
        read = notation.notation(found, kind, known=known, agreed=agreed)
        if read is None:
            causes.append(_nearly(found, kind, known, filled))
        elif doubt := _doubt(read, kind, texts, filled):
            causes.append(doubt)
            other = read.written if two_numbers(["\0".join(texts)]) else ""
            units = read.read.units if len(read.read.units) > 1 else ()
        else:
            return _Look(kind, read.written, *_said(read, kind), other=read.other)
    if not any(causes) and all(map(_DIGITS.fullmatch, texts)):
        kinds = {notation.kind_of(text): repr(text[:40]) for text in reversed(texts)}
        if {*kinds} == {"number", "date"}:
            causes.append(
                f"Some cells are numbers such as {kinds['number']}, others dates such as {kinds['date']}."
            )
        else:
            causes.append(
                f"Cells such as {texts[0][:40]!r} are no numbers or dates in a notation that is known."
            )
    why = _no_category(texts, filled)
    return _Look(
        "category", note=" ".join(filter(None, (*causes, why))), fits=not why, other=other, units=units
    )


def _doubt(found, kind, texts, filled):
    """Why what can be read as numbers may be none, or several to a cell."""
    units = found.read.units
    if kind == "date":
        return ""
    if code := codes.codes_in(texts) or (2 * len(texts) <= filled and codes.wards_in(texts)):
        return f"Cells such as {code[:40]!r} are taken for codes; if they are numbers, choose number."
    if notation.month_in(units, found.read.values):
        return (
            f"Cells such as {texts[0][:40]!r} may be days without a year; if they are numbers, choose number."
        )
    if len(units) > 1:
        percent = (
            " A workbook's 0.11 may be shown as 11 %: then write it as 11 %." if {"%", ""} == {*units} else ""
        )
        return (
            f"Its numbers have {notation.listed_units(units)}, so they are no numbers of one kind. If they are, choose "
            f"number and say so: {notation.as_one_unit(units)}.{percent}"
        )
    if pair := two_numbers(["\0".join(texts)]):
        return f"Digits such as {pair!r} may be two numbers; if they are one, choose number."
    return ""


def _no_category(texts, filled):
    if len(texts) < 2:
        return "It holds one text in every row."
    if 2 * len(texts) > filled:
        return "Nearly every row has a text of its own, so it is no category."
    if len(texts) > MOST_VALUES:
        return f"It holds {len(texts)} different texts; a category has at most {MOST_VALUES}."
    return ""


def _nearly(found, kind, known, filled):
    """Which cells keep a column from being read as numbers or dates, if they are few, one word, or of another notation."""
    if ways := notation.two_ways([text for text in known[1] if not cells.is_gap(text)], kind):
        first = {text: int(np.argmax(known[0] == known[1].index(text))) for text in ways}
        one, other = sorted(ways, key=lambda text: first[text])
        row = int(found.index[first[other]]) + 1
        return f"Its {kind}s are written in two ways, such as {one!r} and, in row {row}, {other!r}: write them in one."
    best = min(
        (notation.READERS[kind](found, written, known=known) for written in WRITTEN[kind]),
        key=lambda r: r.bad,
    )
    if not 0 < best.bad < filled or len(best.units) > 1:
        return ""
    text, row = cells.text_of(found.iloc[best.wrong]), int(found.index[best.wrong]) + 1
    others = [one for one in cells.different(known) if one != text]
    if codes.codes_in(others) or codes.wards_in(others):
        return ""
    without = f"in row {row}. Without {'it' if best.bad == 1 else 'them'} these are {kind}s."
    if best.bad == 1:
        return f"One cell is no {kind}: {text[:40]!r} {without}"
    if best.bad == int((known[0] == known[1].index(text)).sum()):
        return f"{best.bad} cells are the word {text[:40]!r}, which is no {kind}; the first is {without}"
    if 5 * best.bad <= filled:
        return f"{best.bad} cells are no {kind}s; the first is {text[:40]!r} {without}"
    return ""


def _answers(known):
    """What counts as yes and as no, and other spellings of these; None unless all texts are answers."""
    names = {cells.key(name): name for name in cells.merged(known, abbreviated=False)[0]}
    pair = next((pair for pair in cells.ANSWERS if {*pair} <= {*names}), None)
    if pair is None or not {*names} <= _YES | _NO:
        return None
    yes, no = (names.pop(word) for word in pair)
    return (yes, no), tuple((name, yes if word in _YES else no) for word, name in names.items())


def _said(found, kind):
    """Unit, no values, and a note of what was read as numbers or dates."""
    read = found.read
    unit = read.units[0] if read.units else ""
    parts = [f"Read as {kind}s from text{f', in {unit}' if unit else ''}."]
    if read.limits:
        many = "1 cell is a limit" if read.limits == 1 else f"{read.limits} cells are limits"
        parts.append(f"{many}, as “<5” is; each counts as the limit itself.")
    if "time" in read.dropped:
        parts.append("Times of day are dropped: a date counts whole days.")
    if len(read.ways) > 1:
        parts.append(f"They are written in two ways, such as {' and '.join(map(repr, read.ways))}.")
    if "century" in read.dropped:
        parts.append(f"Years of two digits are taken for 19{dates.CENTURY} to 20{dates.CENTURY - 1}.")
    if found.other:
        parts.append(f"Both {found.written} and {found.other} would fit: check its kind.")
    return unit, (), " ".join(parts)


def _gap_words(known):
    """Words that count as no value, so that nobody overlooks Namibia."""
    words = sorted({text for text in known[1] if text and cells.is_gap(text)}) if known else []
    shown = ", ".join(map(repr, words[:4]))
    return (
        f"{shown} {'counts' if len(words) == 1 else 'count'} as no value unless listed as a category."
        if words
        else ""
    )


def _alike(known, names):
    """Spellings of a site's name that count as another one."""
    others = sorted({*cells.different(known)} - {*names}) if known and names else []
    some = ", ".join(map(repr, others[:4])) + (" …" if len(others) > 4 else "")
    return (
        f"{some} differ{'s' * (len(others) == 1)} from other names by capitals, spaces or hyphens alone: as sites they are "
        f"{len(names)}."
        if others
        else ""
    )


def _as_sites(found, kind, different=None):
    """How many sites a column names, or 0 and why it cannot name them; `different` texts, if it holds text."""
    head = found.head(_HEAD)
    if kind == "date":
        return 0, "holds dates"
    if kind == "number" and not cells.is_plain(found):
        numbers = notation.certain_numbers(found)
        if numbers is None or (numbers[~np.isnan(numbers)] % 1 != 0).any():
            return 0, "holds measurements: numbers written as text"
    if pd.api.types.is_float_dtype(head.dtype) and (head.dropna() % 1 != 0).any():
        return 0, "holds measurements: numbers with decimals"
    many = different is None and head.nunique() > MOST_SITES
    if many or (count := found.nunique() if different is None else different) > MOST_SITES:
        return 0, f"holds more than {MOST_SITES} different values"
    if count < 2:
        return 0, "has one value in every row"
    return int(count), ""
