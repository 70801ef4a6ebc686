"""Cells as texts: the different ones of a column, what stands for nothing, and which of a list they are."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pandas as pd

# What people and programs write where nothing is known. A description that lists such a word makes it a value.
GAPS = frozenset(
    {
        "",
        "-",
        "--",
        "---",
        "–",
        "—",
        "?",
        ".",
        "..",
        "...",
        "*",
        "unknown",
        "missing",
        "not known",
        "not available",
        "unbekannt",
    }
    | {
        "n.d.",
        "n/d",
        "s/d",
        "k.a.",
        "k. a.",
        "keine angabe",
        "na",
        "n/a",
        "n.a.",
        "nan",
        "-nan",
        "nat",
        "null",
        "none",
    }
    | {"<na>", "#na", "\\n", "(null)", "(blank)", "1.#ind", "-1.#ind", "1.#qnan", "-1.#qnan"}
    # What spreadsheet programs show where a value is not available, by language; other errors end with ! or ?.
    | {"#n/a", "#n/a n/a", "#nv", "#n/d", "#n/b", "#i/t", "#н/д", "#δ/υ", "#yok", "#hiányzik", "#nedostupný"}
    | {"#není_k_dispozici", "#err"}
)
_ERROR = re.compile(r"#[^\s#!?]{2,20}[!?]")  # #DIV/0!, #WERT!, #¡VALOR!, #NOM?
ANSWERS = (
    ("yes", "no"),
    ("true", "false"),
    ("1", "0"),
    ("y", "n"),
    ("t", "f"),
    ("ja", "nein"),
    ("oui", "non"),
    ("sí", "no"),
    ("si", "no"),
    ("positive", "negative"),
)
NUMERAL = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)  # Python reads 1_000 and ٣, too.
# Zero-width spaces, marks of direction and of possible breaks; joiners, which some scripts need, beside other letters.
_UNSEEN = re.compile(
    r"[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]|(?<![^\s\x00-\x7f])[\u200c\u200d]"
    r"|[\u200c\u200d](?![^\s\x00-\x7f])"
)
Texts = tuple[np.ndarray, list[str]]
Spellings = tuple[tuple[str, str], ...]  # (another spelling, the value that it means)


def is_plain(cells: pd.Series) -> bool:
    """Whether a column holds numbers that need not be read from text."""
    return pd.api.types.is_numeric_dtype(cells.dtype)


def is_gap(text: str) -> bool:
    """Whether a text stands for nothing, such as "-" or "NA"."""
    return text.casefold() in GAPS or (text.startswith("#") and bool(_ERROR.fullmatch(text)))


def empty(cells: pd.Series, listed: Sequence[str] = ()) -> np.ndarray:
    """Where a column has no value: nothing, or a word that stands for nothing, unless it is `listed` as a value."""
    if is_plain(cells):
        return cells.isna().to_numpy() & ("" not in listed)
    codes, found = texts(cells)
    return np.array([*(is_gap(text) and text not in listed for text in found), "" not in listed])[codes]


def choices(cells: pd.Series, values: tuple[str, ...], spellings: Spellings = ()) -> tuple[np.ndarray, int]:
    """Places of the cells' texts in a list, −1 for what is empty and −2 for what is not in the list; how many of these.

    Texts are compared without spaces at their ends; where nothing else matches, by their `key`. A word that stands for
    nothing elsewhere is a value where the list holds it, and so is "", an empty cell. Of numbers, 1.50 in a list is 1.5.
    Each cell has one place at most, however many `spellings` a value has.
    """
    known = [*zip(values, values, strict=True), *spellings]
    pairs = [(_composed(text), values.index(value)) for text, value in reversed(known)]
    exact, folded = dict(pairs), {key(text): place for text, place in pairs}
    if is_plain(cells):
        exact |= {text_of(number): place for text, place in pairs for number in _either(text)} | exact
    codes, different_ones = texts(cells)

    def place(text):
        if text in exact:
            return exact[text]
        return folded.get(key(text), -1 if is_gap(text) else -2)

    found = np.array([*map(place, different_ones), exact.get("", -1)], dtype=np.int64)[codes]
    return found, int((found == -2).sum())


def _either(value):
    """What a listed text is as a number, with a decimal point or a comma."""
    either = (value, value.replace(".", "").replace(",", "."))
    return [float(text) for text in either if NUMERAL.fullmatch(text)][:1]


def key(text: str) -> str:
    """A text without regard to capitals, nor to whether its words are parted by spaces, hyphens or underscores."""
    return re.sub(r"(?<=\w)[\s_-]+(?=\w)", " ", text.casefold())


def merged(known: Texts, *, abbreviated: bool = True) -> tuple[tuple[str, ...], Spellings]:
    """The categories of a column of text, and the other spellings of each that its `key` does not tell.

    Of texts with one key the most frequent stands for all. A single letter is taken for the one longer word of four
    letters or more that begins with it, and so is a text that ends with a point (F for female, surg. for surgery),
    unless `abbreviated` is False.
    """
    names: dict[str, str] = {}
    for text in _by_frequency(known):
        if not is_gap(text):
            names.setdefault(key(text), text)
    short = {one: long for one in names if abbreviated and (long := _longer(one, names)) is not None}
    values = tuple(sorted(name for one, name in names.items() if one not in short))
    return values, tuple((names[one], names[long]) for one, long in sorted(short.items()))


def _by_frequency(known: Texts) -> list[str]:
    counts: Counter[str] = Counter()
    for text, count in zip(known[1], np.bincount(known[0] + 1, minlength=len(known[1]) + 1)[1:], strict=True):
        counts[text] += int(count)
    return sorted(counts, key=lambda text: (-counts[text], text))


def _longer(short: str, names: Mapping[str, str]) -> str | None:
    """The one text that another may be short for."""
    if not (short.isalpha() and len(short) == 1) and not (len(short) > 2 and short.endswith(".")):
        return None
    begin = short.removesuffix(".")
    found = [
        one for one in names if one.isalpha() and one.startswith(begin) and len(one) >= max(4, len(short))
    ]
    return found[0] if len(found) == 1 else None


def different(known: Texts) -> list[str]:
    """The different texts of a column in order of the alphabet, without what stands for nothing."""
    return sorted({text for text in known[1] if not is_gap(text)})


def gaps(known: Texts) -> int:
    """How many cells hold a text that stands for nothing, such as "-"."""
    codes, found = known
    return int(np.array([is_gap(text) for text in found] + [False])[codes].sum())


def labels(cells: pd.Series, listed: Iterable[str] = ()) -> np.ndarray:
    """The cells as names of sites, None where one is `empty`.

    Names that differ by capitals, spaces, hyphens, or letters that cannot be seen are one: the `listed` name, or else the
    most frequent. Names that are listed stay apart.
    """
    codes, found = known = texts(cells)
    one_name = {_site_key(text): text for text in reversed([*listed, *_by_frequency(known)])}
    names = [
        text if text in listed else None if is_gap(text) else one_name[_site_key(text)] for text in found
    ]
    return np.array([*names, None], dtype=object)[codes]


def _site_key(text):
    """A name's `key` without spaces, but for those between digits, and without letters that cannot be seen."""
    seen = "".join(letter for letter in key(text) if letter.isprintable())
    return re.sub(r"(?<!\d) +| +(?!\d)", "", seen)


def as_seen(text: str) -> str:
    """A heading without letters that cannot be seen, and without spaces at its ends; its letters composed."""
    return _composed(_UNSEEN.sub("", text))


def text_of(value) -> str:
    """A cell as text; whole numbers without decimals."""
    if isinstance(value, float | np.floating):
        return repr(float(value)).removesuffix(".0")
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    return _composed(str(value))


def _composed(text):
    text = text.strip()
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def texts(cells: pd.Series) -> Texts:
    """The number of each cell's text, −1 for none, and the different texts."""
    codes, found = pd.factorize(cells.to_numpy(dtype=object), use_na_sentinel=True)
    return codes, [text_of(value) for value in found]
