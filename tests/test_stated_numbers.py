"""The numbers that SECURITY.md and docs/serving.md state are those of the code.

A row of `STATED` is a file, the words around its numbers, and the numbers of the code in the same units. In the words
"#" stands for a number; the rest is a regular expression, which must match at one place of the file. Keep the words
few: two or three tell a limit from the others.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from bokeh.server.tornado import DEFAULT_KEEP_ALIVE_MS, DEFAULT_UNUSED_LIFETIME_MS

from core.sweep import runs
from dashboard.compat.server import allowed_changes, bounded_log, message_limits, password_brake, waiting_room
from dashboard.components import upload
from dashboard.own_table import file
from dashboard.pages import LISTED
from dashboard.problems import pca, topics
from dashboard.runs import kept, known
from dashboard.state.background_runs import Runs
from dashboard.state.controls import Controls
from data.upload import Limits, apart, worker

ROOT = Path(__file__).parents[1]
SECURITY, SERVING = "SECURITY.md", "docs/serving.md"
MB, GB = 1e6, 1e9
_WORDS = {
    "a": 1.0,
    "an": 1.0,
    "one": 1.0,
    "two": 2.0,
    "three": 3.0,
    "four": 4.0,
    "five": 5.0,
    "eight": 8.0,
    "ten": 10.0,
}
_NUMBER = rf"(\d[\d,]*(?:\.\d+)?|\b(?:{'|'.join(_WORDS)})\b)"
_STATISTICS = max(pca.MOST_NUMBERS, topics.MOST_NUMBERS) * 8 / GB

STATED = [
    (SECURITY, r"decompression \| # MiB", [message_limits.MOST_BYTES / 2**20]),
    (
        SECURITY,
        r"depth of nesting \| #; #; #",
        [allowed_changes.MOST_VALUES, allowed_changes.MOST_EVENTS, allowed_changes.DEEPEST],
    ),
    (SECURITY, r"session openings.* \| # \|", [waiting_room.MOST_WAITING]),
    (
        SECURITY,
        r"sessions; connections \| # \(.*\); # \|",
        [waiting_room.MOST_SESSIONS, waiting_room.MOST_CONNECTIONS],
    ),
    (SECURITY, r"sessions share.* \| # MB", [known.MOST_BYTES / 1e6]),
    (
        SECURITY,
        r"log entries \| # characters, and # of .*; # at once, then # per second",
        [bounded_log.LONGEST, bounded_log.TRACEBACK, bounded_log.AT_ONCE, bounded_log.EACH_SECOND],
    ),
    (
        SECURITY,
        r"passwords \| # for .*, # for a name, # for .* wait of # to # minutes. # are",
        [
            password_brake.PAIR,
            password_brake.ACCOUNT,
            password_brake.ADDRESS,
            password_brake.PAUSE / 60,
            password_brake.LONGEST / 60,
            password_brake.MOST,
        ],
    ),
    (SECURITY, "with # wrong passwords", [password_brake.ACCOUNT]),
    (SERVING, "After # wrong passwords", [password_brake.PAIR]),
    (
        SERVING,
        r"holds # sessions and .* of # that .* in # s \|",
        [waiting_room.MOST_SESSIONS, waiting_room.MOST_WAITING, waiting_room.RETRY],
    ),
    (
        SERVING,
        "file has at most # MB, and # MB once",
        [Limits().size / MB, file.LIMITS.expanded / MB],
    ),
    (SERVING, "files of all sessions .* at most # GB, until", [file.ROOM.size / GB]),
    (SERVING, r"process 1 GB plus # GB of files", [file.ROOM.size / GB]),
    (
        SERVING,
        "It may use # GB. It may take # s of a processor for a file below # MB, and # s plus 1 s for every # MB",
        [
            apart.MEMORY / GB,
            apart.SECONDS_SMALL,
            apart.SMALL / MB,
            apart.SECONDS,
            apart.BYTES_A_SECOND / MB,
        ],
    ),
    (SERVING, "and ends after # minutes", [worker.IDLE / 60]),
    (SERVING, "files of up to # MB are parsed in the server", [apart.MOST_HERE / MB]),
    (SERVING, "removed # s after", [DEFAULT_UNUSED_LIFETIME_MS / 1000]),
    (SERVING, "pings every # s", [DEFAULT_KEEP_ALIVE_MS / 1000]),
    (
        SERVING,
        "keeps # problems' statistics of at most # GB each, and # GB of unfinished",
        [runs.MOST_STATISTICS, pytest.approx(_STATISTICS, abs=0.005), kept.MOST_BYTES / GB],
    ),
    (SERVING, "job of more than # minute", [Runs.param.limit.default / 60]),
    (SERVING, "stalls for # s", [upload.LAPSE]),
]


def stated(name: str, words: str) -> list[float]:
    """The numbers at the one place of a file that has these words."""
    # Lines of a paragraph are one; a row of a table is a line of its own.
    text = re.sub(r"\n(?![|\n])", " ", (ROOT / name).read_text(encoding="utf-8"))
    found = [match.groups() for match in re.finditer(words.replace("#", _NUMBER), text)]
    assert len(found) == 1, f"{name}: {len(found)} places match {words!r}"
    return [_WORDS[word] if word in _WORDS else float(word.replace(",", "")) for word in found[0]]


@pytest.mark.parametrize(("name", "words", "meant"), STATED, ids=[f"{n} {w}" for n, w, _ in STATED])
def test_a_stated_number_is_the_one_of_the_code(name, words, meant):
    assert stated(name, words) == meant


def test_the_pages_that_draw_the_same_noise_at_all_settings_are_named():
    said = re.search(r"reveal it\. ([\w, ]+?)\s+draw the\s+same noise", (ROOT / SECURITY).read_text())[1]
    common = []
    for entry in LISTED:
        if "Compare" in entry.group:
            page = entry.kind(Controls())
            page.set(page.opens)
            common += [entry.title] if page.model.plan().common else []
    assert re.split(r", | and ", said) == common
