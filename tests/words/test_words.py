"""What every page says, in one text file a page: `pytest tests/words --golden` rewrites them, and a person reads the change.

Pages of a pack have theirs in `tests/packs/NAME/words`.

Words must be the same. Numbers must agree to 1 %, for other libraries round otherwise; tests of pages compare them with
`core`. A page is shown as it opens, with each of its presets, and at the addresses of `states.txt`.
"""

from __future__ import annotations

import contextlib
import math
import re
from html import unescape
from pathlib import Path
from unittest import mock

import pytest
from small_pages import SMALL

from dashboard.pages import LISTED
from dashboard.session.app import App
from dashboard.state import url
from dashboard.state.background_runs import Runs
from dashboard.state.controls import Controls

HERE = Path(__file__).parent
STATES = [line for line in (HERE / "states.txt").read_text().splitlines() if line.startswith("?")]
ENTRIES = {entry.name: entry for entry in LISTED}
KINDS = {name: entry.kind for name, entry in ENTRIES.items()}
# A preset of these takes minutes: the page is read as it opens, at small settings.
LONG = {*SMALL, "power_noise", "power_stream"}
_NUMBER = re.compile(r"\d+(?:[.\u202f\u00a0 ]\d+)*")
_ENDS = re.compile(r"</(?:p|div|h\d|li|tr|section|summary|details|header|nav|button|label|figcaption|table)>")
_UNSEEN = re.compile(r"(?s)<(style|script|svg)\b.*?</\1>|<table class=['\"]?numbers.*?</table>")


def lines(markup: str) -> list[str]:
    """The text of HTML, a line a block."""
    blocks = _ENDS.split(_UNSEEN.sub("", markup))
    return [text for b in blocks if (text := " ".join(unescape(re.sub(r"<[^>]+>", " ", b)).split()))]


def states(name: str) -> dict[str, str]:
    """The addresses at which a page is read: {what the state is called: address}."""
    kind = KINDS[name]
    small = {**SMALL.get(name, {}), "repeats": 2} if name in LONG else {}
    page = kind(Controls())
    page.set({**page.opens, **{k: v for k, v in small.items() if k in (*page.own, *page.shared)}})
    found = {"as it opens": page.search()}
    for preset in () if name in LONG else kind.presets:
        page = kind(Controls())
        page.set({**page.opens, **preset.values})
        found[preset.name] = page.search()
    return found | {a.partition("&")[2]: a for a in STATES if a.split("&")[0] == f"?page={name}"}


def told(address: str) -> list[str]:
    """What a page says at an address: its first answer, which has all of its view."""
    with contextlib.ExitStack() as held:
        if address.startswith("?page=limits"):  # What its runs add depends on when they are read.
            held.enter_context(mock.patch.object(Runs, "start"))
        app = App(url.parse(address))
    first = app.first_picture().body.partition("<main>")[2]
    return lines(first)


def told_at_all(name: str) -> str:
    """The text file of a page: all that it says as it opens, and of every other state what is new there."""
    found: list[str] = []
    for state, address in states(name).items():
        new = [line for line in told(address) if line not in found]
        found += [f"## {state}", *new, ""]
    return "\n".join(found)


def same(line: str, other: str) -> bool:
    """Whether two lines have the same words, and numbers that agree."""
    if _NUMBER.sub("#", line) != _NUMBER.sub("#", other):
        return False
    pairs = zip(_NUMBER.findall(line), _NUMBER.findall(other), strict=True)
    return all(math.isclose(_value(a), _value(b), rel_tol=0.01) for a, b in pairs)


def _value(text):
    return float(re.sub(r"[\u202f\u00a0 ]", "", text).replace(".", "", max(0, text.count(".") - 1)))


def file_of(name: str) -> Path:
    """Where the text file of a page is."""
    *_, home, pack = ENTRIES[name].module.split(".")[:3]
    return (HERE.parent / "packs" / pack / "words" if home == "packs" else HERE) / f"{name}.txt"


@pytest.mark.parametrize("name", KINDS)
def test_a_page_says_what_was_read(name, pytestconfig):
    file, now = file_of(name), told_at_all(name)
    if pytestconfig.getoption("--golden"):
        file.write_text(now)
    before = file.read_text().splitlines()
    changed = [f"- {a}\n+ {b}" for a, b in zip(before, now.splitlines(), strict=False) if not same(a, b)]
    assert not changed, "\n".join(changed[:10])
    assert len(before) == len(now.splitlines())


def test_another_word_or_number_is_noticed():
    assert same("keeps 19.5 % of 1 200", "keeps 19.6 % of 1 200")
    assert not same("keeps 19.5 %", "kept 19.5 %")
    assert not same("keeps 19.5 %", "keeps 20.5 %")
    assert lines("<p>A <b>b</b></p><svg>x</svg><div>c &lt; d</div>") == ["A b", "c < d"]
