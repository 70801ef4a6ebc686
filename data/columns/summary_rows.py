"""Rows of a table that may sum up others: means, counts and totals at its end, subtotals within it.

Nobody can tell them from records by their form alone, and so they are found here and asked about elsewhere. Whatever its
word, the label of such a row is its own where those of records repeat.
"""

from __future__ import annotations

import re

import numpy as np
import pandas as pd

from data.columns import cells
from data.columns.notation import kind_of

_MOST_AT_END = 20
_MOST_SHARE = 1 / 2  # Of a table that sums itself up within.
_MOST_LABELS = 10_000
_HEAD = 10_000  # Rows that tell whether a column's texts repeat.
# What a row that sums up is called in English, German, French, Italian, Spanish, Portuguese, Dutch, Swedish, Polish,
# Japanese and Chinese; `_LOOSE` are words that may as well name something else.
TOTALS = (
    r"totals?|totaux|sum|gesamt|insgesamt|summe|somme|totale|suma|soma|totaal|summa|razem|ogółem|sub-?totals?|sous-totaux"
    r"|sous-total|zwischensumme|gesamtsumme|subtotale|合計|小計|总计"
)
FIGURES = (
    r"means?|averages?|avg\.?|moyennes?|mittelwert|durchschnitt|promedio|gemiddelde|medelvärde|średnia|平均"
    r"|medians?|médiane|mediana|mediaan|中央値|std\.?(?: ?dev\.?)?|stdev|s\.?d\.?|standard deviation|standard error"
    r"|standardabweichung|écart[- ]type|desviación estándar|desvio padrão|deviazione standard|standaardafwijking"
    r"|standardavvikelse|odchylenie standardowe|標準偏差"
)
_LOOSE = (
    r"media|médias?|minimum|maximum|mínimo|máximo|minimo|massimo|min\.?|max\.?|range|variance|varianz|count|anzahl|nombre"
    r"|número|aantal|antal|liczba"
)
_TOTAL = re.compile(rf"(?:grand )?(?:{TOTALS})", re.IGNORECASE)
_FIGURE = re.compile(
    rf"(?:grand )?(?:{TOTALS}|{FIGURES}|{_LOOSE}|n|se|sem|cv|iqr|var|q[1-4]|p?\d{{1,2}}\s?%)\s*[:.=]?",
    re.IGNORECASE,
)
_NAMED = re.compile(rf"(?<!\w)(?:{TOTALS}|{FIGURES}|{_LOOSE})(?!\w)", re.IGNORECASE)


def summary_rows(frame: pd.DataFrame) -> tuple[int, ...]:
    """Places of the rows, from 0, that may sum up others and be no records.

    They are the last rows whose label occurs once where every label above repeats, or that have half of the values or less
    where all rows above have more, or that are called as figures are; and rows within whose label occurs once and is called
    a total or a mean, or lacks values that all rows with repeated labels have.
    """
    rows = len(frame)
    found = np.zeros(rows, dtype=bool)
    if rows < 5:
        return ()
    filled = _filled(frame)
    for name in frame.columns:
        column = frame[name]
        if not cells.is_plain(column) and _repeats(column.head(_HEAD)):
            found |= _by_label(cells.texts(column), filled)
    found[rows - max(_sparse_end(filled, frame.shape[1]), _figures_end(frame)) :] = True
    return tuple(np.flatnonzero(found).tolist()) if found.mean() <= _MOST_SHARE else ()


def labels_of(frame: pd.DataFrame, rows: tuple[int, ...]) -> tuple[str, ...]:
    """The first text of each of these rows, or else its first value: foreign text."""
    found = []
    for row in rows:
        values = [value for value in frame.iloc[row] if not pd.isna(value)]
        words = [value for value in values if isinstance(value, str) and not kind_of(value)]
        found.append(cells.text_of((words or values or [""])[0]))
    return tuple(found)


def _filled(frame):
    """Cells with a value in each row."""
    count = np.zeros(len(frame), dtype=np.int32)
    for name in frame.columns:
        count += frame[name].notna().to_numpy()
    return count


def _repeats(head):
    return 2 * head.nunique() <= head.count() + min(_MOST_AT_END, len(head) // 4)


def _by_label(known, filled):
    """Where a row's label in one column says that it sums up others."""
    codes, texts = known
    if not 2 <= len(texts) <= _MOST_LABELS:
        return np.zeros(len(codes), dtype=bool)
    counts = np.bincount(codes + 1, minlength=len(texts) + 1)[1:]
    words = np.array([not kind_of(text) for text in texts])
    single = words & (counts == 1)
    repeated = _at(~single, codes, False)
    if not repeated.any():
        return repeated
    named = np.array([bool(_NAMED.search(text)) for text in texts])
    total = np.array([bool(_TOTAL.fullmatch(text)) for text in texts])
    sparse = filled < filled[repeated & ~_at(total, codes, False)].min(initial=filled.max())
    found = (
        _at(single & named, codes, False) | (_at(single, codes, False) & sparse) | _at(total, codes, False)
    )
    return found | _at_end(_at(single, codes, False), repeated | found)


def _at(chosen, codes, empty):
    """What is known of texts, for each cell; `empty` where there is none."""
    return np.append(chosen, empty)[codes]


def _at_end(single, others):
    """The last rows of single labels, if every row above them has a repeated one."""
    count = _run_at_end(single)
    found = np.zeros(len(single), dtype=bool)
    if 0 < count <= _MOST_AT_END and others[: len(single) - count].all():
        found[len(single) - count :] = True
    return found


def _sparse_end(filled, width):
    """How many of the last rows have half of the values or less, where all rows above have more."""
    half = width // 2
    count = _run_at_end(filled <= half)
    above = filled[: len(filled) - count]
    return count if count <= _MOST_AT_END and len(above) and above.min() > half else 0


def _figures_end(frame):
    """How many of the last rows hold a text that is called as a figure is, mean or 25 %, and occurs once."""
    end = frame.tail(_MOST_AT_END)
    flags = np.zeros(len(end), dtype=bool)
    for name in end.columns:
        if not cells.is_plain(end[name]):
            texts = [text if isinstance(text, str) else "" for text in end[name]]
            flags |= [bool(_FIGURE.fullmatch(text)) and (frame[name] == text).sum() == 1 for text in texts]
    return _run_at_end(flags) if flags.any() and not flags.all() else 0


def _run_at_end(flags):
    """How many of the last flags are set without a break."""
    return int(np.argmin(flags[::-1])) if not flags.all() else len(flags)
