"""A user's own file on its way to the server: pieces, refusals, and the room that it takes."""

from __future__ import annotations

import asyncio
import contextlib
import io
import threading
from types import SimpleNamespace

import numpy as np
import pytest
from sessions import Session, until

from dashboard.components import upload
from dashboard.components.upload import PIECE, Room, Upload
from dashboard.own_table import file
from dashboard.own_table.file import ROOM, OwnFile
from dashboard.own_table.state import OwnData

HOSTILE = '<img src=x onerror="window.hacked=1">'
TABLE = b"a,b\n1,2\n3,4\n5,7\n"


def hand_in(own, content, name="table.csv"):
    assert own.expect(PIECE) == ""
    own.receive(name, [content[:10], content[10:]])


class Wire(Upload):
    """An upload whose browser is the test."""

    def __init__(self, limit=3 * PIECE, started=lambda size: ""):
        self.seen, self.sent = [], []
        super().__init__(
            limit=limit,
            started=started,
            progressed=lambda *numbers: self.seen.append(("progressed", *numbers)),
            arrived=lambda name, pieces: self.seen.append(("arrived", name, b"".join(pieces))),
            refused=lambda words: self.seen.append(("refused", words)),
        )

    def _send_msg(self, message):
        self.sent.append(message)

    def begin(self):
        self._handle_msg({"status": "initializing"})

    def piece(self, data, chunk=1, total=1, name="a.csv"):
        message = {"chunk": chunk, "data": data, "name": name, "total_chunks": total}
        self._handle_msg({"status": "upload_event", **message})

    def end(self):
        self._handle_msg({"status": "finished"})


def test_pieces_arrive_as_one_file_and_are_counted():
    wire = Wire()
    for _ in range(2):  # A second file is as good as the first.
        wire.begin()
        wire.piece(b"a" * PIECE, 1, 2)
        wire.piece(b"bc", 2, 2)
        wire.end()
        assert wire.seen[-3:-1] == [
            ("progressed", PIECE, 2 * PIECE),
            ("progressed", PIECE + 2, 2 * PIECE),
        ]
        assert wire.seen[-1] == ("arrived", "a.csv", b"a" * PIECE + b"bc")
    assert wire.sent == [{"status": "finished"}] * 2
    assert wire._pieces == []


def refusals(wire):
    return [words for what, words in [s for s in wire.seen if s[0] == "refused"]]


def test_too_large_a_file_is_refused_with_its_first_piece_whatever_the_browser_does_then():
    wire = Wire()
    wire.begin()
    wire.piece(b"a" * PIECE, 1, 5)
    for chunk in range(2, 6):
        wire.piece(b"a" * PIECE, chunk, 5)
    wire.end()
    assert len(refusals(wire)) == 1 and "3 MB" in refusals(wire)[0]
    assert wire._pieces == [] and not [s for s in wire.seen if s[0] == "arrived"]
    assert wire.sent[0]["status"] == "error"


def test_more_than_was_announced_is_refused():
    wire = Wire()
    wire.begin()
    wire.piece(b"a" * (PIECE + 1), 1, 1)
    wire.end()
    assert "larger than" in refusals(wire)[0]


@pytest.mark.parametrize(
    ("pieces", "words"),
    [
        ([(b"a", 2, 2, "a.csv")], "was lost"),
        ([(b"a", 1, 3, "a.csv"), (b"a", 3, 3, "a.csv")], "was lost"),
        ([(b"a", 1, 2, "a.csv"), (b"a", 1, 1, "b.csv")], "one file at a time"),
        ([], "empty"),
    ],
)
def test_what_comes_in_disorder_is_refused(pieces, words):
    wire = Wire()
    wire.begin()
    for piece in pieces:
        wire.piece(*piece)
    wire.end()
    assert len(refusals(wire)) == 1 and words in refusals(wire)[0]


def test_no_file_comes_in_where_there_is_no_room():
    wire = Wire(started=str)
    wire.begin()
    wire.piece(b"a", 1, 2)
    wire.end()
    assert refusals(wire) == [str(2 * PIECE)]


def test_the_browsers_own_trouble_is_said():
    wire = Wire()
    wire.begin()
    wire._handle_msg({"status": "error", "error": HOSTILE * 20})
    assert "<img" in refusals(wire)[0] and len(refusals(wire)[0]) < 250


def test_room_is_shared_and_given_back(monkeypatch):
    monkeypatch.setattr(file, "ROOM", Room(3 * PIECE))
    one, other = OwnFile(), OwnFile()
    assert one.expect(2 * PIECE) == "" and one.progress(PIECE, 2 * PIECE) == ""
    assert "(1 MB" in other.expect(2 * PIECE)
    assert other.expect(PIECE) == ""
    one.refuse("it was no table")
    assert one.expect(PIECE) == "" and one.expect(2 * PIECE) == ""  # The newer of two takes the older's.
    one.forget()
    other.end()
    assert file.ROOM.free == 3 * PIECE


def test_announcements_keep_nobody_out(monkeypatch):
    monkeypatch.setattr(file, "ROOM", Room(600 * PIECE))
    idle, other = [OwnFile() for _ in range(3)], OwnFile()
    for one in idle:
        assert one.expect(200 * PIECE) == "" and one.progress(1, 200 * PIECE) == ""
    assert other.expect(200 * PIECE) == ""
    assert all(other.progress(came * PIECE, 200 * PIECE) == "" for came in range(1, 201))
    assert file.ROOM.free == (600 - 200 - 3) * PIECE - 3
    # Room that is gone while a file comes is said, and the file gives back what it took.
    assert idle[0].progress(395 * PIECE, 600 * PIECE) == ""
    assert "no room" in idle[1].progress(3 * PIECE, 200 * PIECE)
    for one in (*idle, other):
        one.end()
    assert file.ROOM.free == 600 * PIECE


def test_what_was_read_takes_room_by_its_size_in_memory_not_by_the_files(monkeypatch):
    monkeypatch.setattr(file, "ROOM", Room(10 * PIECE))
    content = io.BytesIO()
    np.savez_compressed(content, x=np.zeros((100_000, 4)))  # Some kilobytes: 3.2 MB, and the records as much.
    owns = [OwnData() for _ in range(2)]
    for own in owns:
        hand_in(own, content.getvalue(), "a.npz")
    assert owns[0].sheet is not None and owns[0].problem == ""
    assert owns[1].sheet is None and "(3 MB" in owns[1].problem
    owns[0].forget()
    assert file.ROOM.free == 10 * PIECE


def test_a_file_whose_pieces_stop_coming_lapses(monkeypatch):
    clock, asked = [0.0], []

    def monotonic():
        asked.append(clock[0])
        return clock[0]

    monkeypatch.setattr(upload, "time", SimpleNamespace(monotonic=monotonic))
    monkeypatch.setattr(upload, "LAPSE", 0.1)
    monkeypatch.setattr(file, "ROOM", Room(10 * PIECE))
    own = OwnFile()

    def build(document):
        button = Upload(
            limit=10 * PIECE,
            started=own.expect,
            progressed=own.progress,
            arrived=own.receive,
            refused=own.refuse,
        )
        document.add_root(button.get_root(document))

    async def visit():
        async with Session(build) as session:
            model = session.document.roots[0]
            piece = {"status": "upload_event", "name": "a.csv", "total_chunks": 9}
            await session.tell(model, status="initializing")
            for chunk in (1, 2):  # Who goes on sending is waited for.
                before = len(asked)
                await session.tell(model, chunk=chunk, data=b"1", **piece)
                await until(lambda before=before: len(asked) > before)
                clock[0] += 0.06
            await asyncio.sleep(0.25)
            assert own.problem == "" and file.ROOM.free < 10 * PIECE
            clock[0] += 1
            await until(lambda: own.problem)
            assert "0 seconds" in own.problem
            assert file.ROOM.free == 10 * PIECE

    asyncio.run(visit())


def test_a_file_holds_its_room_until_another_takes_its_place():
    own = OwnData()
    free = ROOM.free
    hand_in(own, TABLE)
    assert ROOM.free == free - PIECE
    hand_in(own, TABLE.upper())
    assert ROOM.free == free - PIECE
    hand_in(own, b"no table")
    assert ROOM.free == free - PIECE
    own.end()
    assert ROOM.free == free


def test_a_small_file_waits_for_no_large_ones_of_its_address(monkeypatch):
    """Eight slow workbooks of one address made the ninth, of somebody else there, wait for all of them."""
    gate, order = threading.Event(), []

    class Slow:
        warm = rest = staticmethod(lambda: None)

        def read(self, pieces, name, **options):
            gate.wait(60)
            order.append(name)
            return SimpleNamespace(found=name, memory=1)

    monkeypatch.setattr(file, "PARSER", Slow())

    async def visit():
        async with contextlib.AsyncExitStack() as stack:
            owns = []
            for i, content in enumerate([*[TABLE + b"1,2\n" * 300_000] * 4, TABLE]):
                build = lambda document: owns.append(OwnFile())  # noqa: E731
                session = await stack.enter_async_context(Session(build, visitor="10.0.0.1"))
                session.loaded()
                await session.locked(lambda i=i, content=content: hand_in(owns[-1], content, f"{i}.csv"))
            await until(lambda: owns[-1].runs.before == 1)
            gate.set()
            await until(lambda: all(own.used for own in owns))

    asyncio.run(visit())
    assert order == ["0.csv", "4.csv", "1.csv", "2.csv", "3.csv"]


def test_many_files_of_one_visitor_keep_another_waiting_for_one_and_say_how_many(monkeypatch):
    gate, order, told = threading.Event(), [], []

    class Slow:
        warm = staticmethod(lambda: None)

        def read(self, pieces, name, **options):
            gate.wait(60)
            order.append(name)
            return SimpleNamespace(found=name, memory=1)

    monkeypatch.setattr(file, "PARSER", Slow())

    async def visit():
        async with contextlib.AsyncExitStack() as stack:
            owns = []
            for i, visitor in enumerate(["10.0.0.1"] * 4 + ["10.0.0.2"]):

                def build(document):
                    owns.append(OwnFile())

                session = await stack.enter_async_context(Session(build, visitor=visitor))
                session.loaded()
                await session.locked(lambda i=i: hand_in(owns[-1], TABLE, f"{i}.csv"))
            await until(lambda: [own.runs.before for own in owns] == [0, 2, 3, 4, 1])
            told.extend(file.reading_text(own) for own in owns)
            gate.set()
            await until(lambda: all(own.used for own in owns))

    asyncio.run(visit())
    assert order == ["0.csv", "4.csv", "1.csv", "2.csv", "3.csv"]
    assert [words.split()[0] for words in told[1:]] == ["2", "3", "4", "1"]
    assert not any(digit in told[0] for digit in "01234")
