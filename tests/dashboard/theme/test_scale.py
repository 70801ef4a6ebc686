"""Every style sheet of a page sets sizes of one scale of type."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import dashboard
from dashboard.theme import scale

ROOT = Path(dashboard.__file__).parent
# Scales of their own: a class on phones and its wall, slides, a printed report, and the handout, which is a file alone.
OWN = (
    "packs/classroom",
    "packs/handout",
    "theme/step.css",
    "lecture_slides.css",
    "lecture_bar.css",
    "report.css",
)
_OWN_RULE = re.compile(r"slide|hall\b|lecture|\.step|print|\.paper")
SHEETS = [path for path in sorted(ROOT.rglob("*.css")) if not any(part in path.as_posix() for part in OWN)]


def sizes(sheet: str) -> Iterator[tuple[str, str]]:
    """Selector and value of every size of type that a sheet sets; those of slides and of print are left out."""
    sheet = re.sub(r"/\*.*?\*/", "", sheet, flags=re.DOTALL)
    around: list[str] = []
    for text, end in re.findall(
        r"((?:\([^()]*(?:\([^()]*(?:\([^()]*\)[^()]*)*\)[^()]*)*\)|[^{};()])*)([{};])", sheet
    ):
        if end == "{":
            around.append(" ".join(text.split()))
            continue
        named = re.match(r"\s*(font|font-size)\s*:\s*(.*)", text, flags=re.DOTALL)
        if named and not _OWN_RULE.search(" ".join(around)) and "Icons" not in named[2]:
            yield around[-1] if around else "", " ".join(named[2].split())
        if end == "}" and around:
            around.pop()


def outside(value: str) -> bool:
    """Whether a value's size is none of the scale: its first length in pixels, larger in a hall by a factor."""
    if value in ("inherit", "0"):
        return False
    first = re.search(r"(\d+(?:\.\d+)?)(px|em|rem|%|pt|vw|vh|cqw)", value)
    return not first or first[2] != "px" or float(first[1]) not in scale.TYPE


@pytest.mark.parametrize("path", SHEETS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_style_sheet_sets_sizes_of_the_scale(path):
    assert [(where, value) for where, value in sizes(path.read_text("utf-8")) if outside(value)] == []


def test_sizes_in_programs_are_of_the_scale():
    found = {}
    for path in ROOT.rglob("*.py"):
        if any(part in path.as_posix() for part in (*OWN, "reproduce/pictures")):
            continue
        text = path.read_text("utf-8")
        written = re.findall(r"font(?:-size|Size)\"?[=:] *[\"']?((?:\d[\w.]*|\.\d+)(?:px|em|%)?)", text)
        written += re.findall(r"text_font_size\"?[=:] *\"(\d+px)", text)
        bad = [size for size in written if size.removesuffix("px") not in map(str, scale.TYPE)]
        if bad:
            found[path.name] = bad
    assert found == {}


def test_the_reader_of_sheets_finds_what_is_outside():
    sheet = "a { font: 600 13px / 2 x } @media (max-width: 9px) { b, c:is(d, e) { font-size: 1.1em } }"
    sheet += " .slide f { font-size: 30px }"
    assert [(where, outside(value)) for where, value in sizes(sheet)] == [
        ("a", True),
        ("b, c:is(d, e)", True),
    ]
    assert not outside("calc(14px * var(--large, 1))")
