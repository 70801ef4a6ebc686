"""The numbers that SECURITY.md and docs/serving.md state about a class are those of the code."""

from __future__ import annotations

import re

import pytest
from conftest import ROOT

from core import Privacy
from dashboard.compat.server import bounded_log, password_brake, waiting_room
from dashboard.packs.classroom import handlers, room, rooms
from dashboard.packs.classroom.facts import FARTHEST, Round
from dashboard.packs.classroom.seats import Question
from dashboard.packs.classroom.words import FAR_OUTSIDE

SECURITY = " ".join((ROOT / "SECURITY.md").read_text().split())

ASKED = Question("Hours", 0.0, 12.0, Privacy(1.0, 1e-5), "generator")


def numbers(before: str, after: str, text: str = SECURITY) -> list[float]:
    """The numbers between two texts that are there once."""
    (found,) = re.findall(re.escape(before) + "(.*?)" + re.escape(after), text)
    return [float(number.replace(",", "")) for number in re.findall(r"\d[\d,]*(?:\.\d+)?", found)]


def test_what_one_phone_can_move_is_that_of_the_code():
    masks, generator = (Round(10, 0.0, 12.0, Privacy(1.0, 1e-5), form) for form in ("masks", "generator"))
    honest = (masks.change + FARTHEST * masks.std) / 10
    found = numbers("knows each ê | ", " | masks"), numbers("is honest | ", " |")
    assert found[0] == [FARTHEST, pytest.approx(generator.reach() / generator.average_std(), rel=0.03)]
    wanted = [reach / masks.average_std() for reach in (masks.reach(), honest)]
    assert found[1] == pytest.approx(wanted, rel=0.03)
    assert numbers("is seen | ", " if its ê") == [FARTHEST, 2 * FARTHEST, FARTHEST]
    assert FARTHEST in numbers("room refuses", "noise away")
    assert numbers("average that", "deviations outside") == [FAR_OUTSIDE]
    assert numbers("sum T that lies more than ", " of its own") == [FAR_OUTSIDE]
    moved = masks.silent_reach() / masks.average_std()
    assert numbers("by at most 12τ√S/(S − 1); S = 10, ε = 1: ", " standard") == [
        pytest.approx(moved, rel=0.03)
    ]


def test_the_limits_of_rooms_and_phones_are_those_of_the_code():
    assert numbers("empty the seats | ", " |") == [rooms.MOST_ROOMS, room.MOST_PHONES, handlers.MOST_LINES]
    per_line = numbers("one connection | ", " | `packs/classroom/handlers")
    assert per_line == [handlers.MOST_BYTES / 1024, handlers.AT_ONCE]
    assert numbers("an hour; ", " |") == [handlers.JOIN_WITHIN, handlers.SILENT]
    assert handlers.PER_SECOND == 2 and room.LIFETIME == 3600  # Stated as "two per second" and "an hour".
    codes = [room.Room(ASKED).code for _ in range(300)]  # A letter is missing from all once in 10³² runs.
    assert numbers("code has ", " letters") == [len(codes[0]), len(set("".join(codes)))]
    assert numbers("of 31 letters, ", " values") == [pytest.approx(31**8 / 1e11, rel=0.01), 10]


def test_the_limits_of_sessions_and_passwords_are_those_of_the_code():
    serving = " ".join((ROOT / "docs/serving.md").read_text().split())
    sessions = [waiting_room.MOST_SESSIONS, waiting_room.MOST_CONNECTIONS]
    assert numbers("| sessions; connections | ", " (some") == sessions[:1]
    assert numbers("3 MB each); ", " | `waiting_room`") == sessions[1:]
    assert numbers("to retry | ", " |") == [waiting_room.MOST_WAITING]
    assert numbers("at once | ", " |", serving) == [
        waiting_room.MOST_SESSIONS,
        waiting_room.MOST_WAITING,
        waiting_room.RETRY,
    ]
    assert password_brake.PAIR == 5 and "an address" in SECURITY
    assert "wrong passwords" in serving
    assert numbers("an address, ", " minutes") == [
        password_brake.ACCOUNT,
        password_brake.ADDRESS,
        password_brake.PAUSE / 60,
        password_brake.LONGEST / 60,
    ]
    assert numbers("minutes. ", " are remembered") == [password_brake.MOST]
    assert numbers("while with ", " wrong passwords.") == [password_brake.ACCOUNT]
    assert numbers("a traceback; ", " at once") == [bounded_log.AT_ONCE]
