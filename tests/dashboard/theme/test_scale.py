"""Every style sheet of a page sets sizes of one scale of type, and gaps, margins and paddings of one scale of spaces."""

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


# What repeats heights that others set: controls and the frame those of the library, the first answer those of the live page.
MEASURED = {"control_panel.css", "navigation.css", "first.css", "first_picture.css", "still.css"}
TYPE, SPACES = r"font|font-size", r"(?:row-|column-)?gap|(?:margin|padding)(?:-[\w-]+)?"


def sizes(sheet: str, names: str = TYPE) -> Iterator[tuple[str, str]]:
    """Selector and value of every size that a sheet sets by these names; those of slides and of print are left out."""
    sheet = re.sub(r"/\*.*?\*/", "", sheet, flags=re.DOTALL)
    around: list[str] = []
    for text, end in re.findall(
        r"((?:\([^()]*(?:\([^()]*(?:\([^()]*\)[^()]*)*\)[^()]*)*\)|[^{};()])*)([{};])", sheet
    ):
        if end == "{":
            around.append(" ".join(text.split()))
            continue
        named = re.match(rf"\s*({names})\s*:\s*(.*)", text, flags=re.DOTALL)
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


def between(value: str) -> list[float]:
    """The lengths of a space that are none of the scale.

    Up to two pixels a space is a line's own; beyond the scale it makes room for something; what is pulled back or
    computed follows from other lengths.
    """
    lengths = [] if "(" in value else map(float, re.findall(r"(?<![\d.-])(\d+(?:\.\d+)?)px", value))
    return [length for length in lengths if 2 < length <= max(scale.SPACE) and length not in scale.SPACE]


@pytest.mark.parametrize(
    "path",
    [path for path in SHEETS if path.name not in MEASURED],
    ids=lambda path: path.relative_to(ROOT).as_posix(),
)
def test_a_style_sheet_sets_spaces_of_the_scale(path):
    found = sizes(path.read_text("utf-8"), SPACES)
    assert [(where, value) for where, value in found if between(value)] == []


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
    sheet = "a { gap: 6px 8px; margin: -7px 0 14px } b { padding-inline: 4px; row-gap: 20px; top: 5px }"
    assert [between(value) for _, value in sizes(sheet, SPACES)] == [[6], [14], [], [20]]
    assert between("1px 40px 2px 24px") == between("calc(6px + 1em)") == []
