"""The words that no user reads: the left column of `docs/vocabulary.md`."""

from __future__ import annotations

import re
from functools import cache
from html import unescape
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TABLE = ROOT / "docs" / "vocabulary.md"


@cache
def words() -> tuple[str, ...]:
    """The private words, each a line's first cell or a part of it between commas."""
    cells = re.findall(r"^\| ([^|]+) \| [^|]+ \|$", TABLE.read_text(encoding="utf-8"), re.MULTILINE)
    return tuple(word for cell in cells[1:] for word in cell.split(", "))


@cache
def _pattern():
    any_of_them = "|".join(words()).replace(" ", r"\s+")
    return re.compile(rf"\b({any_of_them})\b", re.IGNORECASE)


def private(text: str) -> list[str]:
    """The private words of a text, each with what stands around it."""
    plain = text.casefold()
    if not any(word.split()[0].casefold() in plain for word in words()):
        return []
    return [text[max(0, m.start() - 40) : m.end() + 40] for m in _pattern().finditer(text)]


def read_of(markup: str) -> str:
    """What a reader sees of HTML: neither styles nor tags, but the names that a screen reader says."""
    named = re.findall(r"(?:aria-label|title|alt)=[\"']([^\"']*)", markup)
    text = re.sub(r"<(style|script)\b.*?</\1>|<[^>]+>", " ", markup, flags=re.DOTALL)
    return unescape(" ".join([text, *named]))
