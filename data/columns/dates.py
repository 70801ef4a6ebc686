"""Dates in texts: "31.12.2024", "1 Mar 2024", "1 de enero de 2024", "2024年1月1日", "01JAN2024:08:00:00".

A month has the name that one of eleven languages gives it, or the first letters of one, three at least. A name that means
two months is none: "jui" is French for June and for July.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from datetime import date

from data.columns.month_names import NAMES

CENTURY = 30  # Years of two digits are 1930 to 2029, as in spreadsheets.
_ZONE = r"(?:[A-Z]{1,5}|Uhr|h)?(?:[+\-−]\d{1,2}(?::?\d{2})?)?(?: \([^()]*\))?"
_TIME = rf"(?:[T :]\s*(?P<time>\d{{1,2}}:[\d:.,]*(?: ?[AaPp]\.? ?[Mm]\.?)?|(?<=T)\d{{6}}) ?{_ZONE})?"
_TO = r"(?:[-/]|\. ?)"  # 1. 3. 2024, as in Prague.
DATES = {
    "2024-12-31": re.compile(
        rf"(?P<y>\d{{4}})(?:{_TO}(?P<m>\d{{1,2}}){_TO}(?P<d>\d{{1,2}})\.?|(?P<mm>\d\d)(?P<dd>\d\d)){_TIME}",
        re.ASCII,
    ),
    "31.12.2024": re.compile(
        rf"(?P<d>\d{{1,2}}){_TO}(?P<m>\d{{1,2}})(?:{_TO}(?P<y>\d{{4}})|(?:/|\. ?)(?P<yy>\d\d)){_TIME}",
        re.ASCII,
    ),
    "12/31/2024": re.compile(
        rf"(?P<m>\d{{1,2}}){_TO}(?P<d>\d{{1,2}})(?:{_TO}(?P<y>\d{{4}})|(?:/|\. ?)(?P<yy>\d\d)){_TIME}",
        re.ASCII,
    ),
}
# Nobody writes a year first and then the day: these are read beside any notation, as true dates of a workbook are.
_YEAR_FIRST = re.compile(rf"(?P<y>\d{{4}})-(?P<m>\d\d)-(?P<d>\d\d){_TIME}", re.ASCII)
_WORD = r"([^\W\d_]{3,})\.?"
_DAY = r"([0-9]{1,2})(?:\.|st|nd|rd|th|er|[ºª°])?"
_YEAR = r"([0-9]{4}|[0-9]{2})(?![0-9])"
_NAMED = (  # Places of day, month and year. A day of the week may stand before: Mon, 1 Jan 2024; den 1 januari 2024.
    (
        re.compile(rf"(?:[^\W\d_]+\.?,? )?{_DAY}[ /-]?(?:(?:of|de|del) |d['’])?{_WORD}[ /,-]*(?:del? )?{_YEAR}", re.I),
        (1, 2, 3),
    ),
    (re.compile(rf"(?:[^\W\d_]+\.?,? )?{_WORD}[ -]?{_DAY}[ ,-]+{_YEAR}", re.I), (2, 1, 3)),
    (re.compile(rf"([0-9]{{4}})[ /.-]?{_WORD}[ /.-]?{_DAY}(?![0-9])", re.I), (3, 2, 1)),
    (
        re.compile(r"([0-9]{4}) ?[年년] ?([0-9]{1,2}|[一二三四五六七八九十]{1,2}) ?[月월] ?([0-9]{1,2}) ?[日號号일]?"),
        (3, 2, 1),
    ),
)  # fmt: skip
_LETTERS = re.compile(r"[^\W\d_]{3}|[年년]")


def bare(name: str) -> str:
    """The name of a month without regard to capitals, accents and a point at its end."""
    apart = unicodedata.normalize("NFKD", name.casefold().rstrip("."))
    return "".join(one for one in apart if not unicodedata.combining(one))


def _months():
    """Months by their names and by the first letters of these, 0 where they differ."""
    found: dict[str, set[int]] = defaultdict(set)
    for month, names in NAMES.items():
        for name in names.split():
            for end in range(min(3, len(name)), len(name) + 1):
                found[name[:end]].add(month)
    whole = {name: month for month, names in NAMES.items() for name in names.split()}
    return {name: min(months) if len(months) == 1 else 0 for name, months in found.items()} | whole


_MONTHS = _months()


def month_of(name: str) -> int | None:
    """The month that a text names; 0 if it may be two, None if it names none."""
    return _MONTHS.get(bare(name))


def numbered(text: str) -> str:
    """A date with the name of a month as numbers, day first, wherever the name stands; other texts as they are."""
    if not _LETTERS.search(text):
        return text
    for pattern, (day, month, year) in _NAMED:
        if found := pattern.match(text):
            name = found[month]
            place = int(name) if name.isdecimal() else month_of(name) or month_of(f"{name}月")
            if place:
                return f"{found[day]}.{place}.{found[year]}{text[found.end() :]}"
    return text


def is_date(text: str) -> bool:
    """Whether a text looks like a date in any notation."""
    text = numbered(text)
    return any(pattern.fullmatch(text) for pattern in DATES.values())


def day_of(text: str, written: str) -> tuple[int, set[str]] | None:
    """A date as a day from the first of year 1, and what it loses or gains ("time", "century"); None if it is none."""
    plain = numbered(text)
    found = DATES[written if plain == text else "31.12.2024"].fullmatch(plain) or _YEAR_FIRST.fullmatch(plain)
    if found is None:
        return None
    parts = {name: value for name, value in found.groupdict().items() if value}
    dropped = {"time"} if parts.get("time", "").strip("0:.,") else set[str]()
    year = int(parts.get("y", 0))
    if "yy" in parts:
        dropped.add("century")
        year = int(parts["yy"]) + (2000 if int(parts["yy"]) < CENTURY else 1900)
    try:
        day = date(year, int(parts.get("m") or parts["mm"]), int(parts.get("d") or parts["dd"]))
    except ValueError:  # The 31st of February.
        return None
    return day.toordinal(), dropped


def has_own_order(text: str) -> bool:
    """Whether a date tells by itself what is its day: 2024-12-31, or the name of a month."""
    return bool(_YEAR_FIRST.fullmatch(text)) or numbered(text) != text
