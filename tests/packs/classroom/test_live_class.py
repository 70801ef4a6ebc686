"""The lecturer's side of a class in a session: what each press does, and what the screen then says."""

from __future__ import annotations

import asyncio
from collections import deque

import panel as pn
import pytest
from hostile import VALUES
from sessions import Session, until

from core import Privacy
from dashboard.packs.classroom import address, live_class
from dashboard.packs.classroom.facts import Round
from dashboard.packs.classroom.live_class import LiveClass
from dashboard.packs.classroom.phone import Paced, Phone
from dashboard.packs.classroom.rooms import ROOMS, take
from dashboard.packs.classroom.seats import Refused
from dashboard.packs.classroom.words import within
from dashboard.state.number_text import number_text

PAGE = "http://localhost:9/dashboard?page=protocol"
OPEN = {"act": "open", "question": "Hours", "low": "0", "high": "12", "epsilon": "1", "page": PAGE}


class Lesson:
    """A session with an open class."""

    async def __aenter__(self):
        self.session = await Session(self._build).__aenter__()
        return self

    async def __aexit__(self, *exception):
        await self.session.__aexit__(*exception)

    def _build(self, document):
        self.live = LiveClass(lambda: Privacy(1.0, 1e-5))
        self.live.open()
        pn.Column(self.live.layout).server_doc(document)

    async def press(self, act, **more):
        message = act if isinstance(act, dict) else {"act": act, **more}
        await self.session.locked(lambda: self.live.screen.received(message))
        await asyncio.sleep(0.01)
        return self.state

    @property
    def state(self):
        return self.live.screen.state

    async def phase(self, name):
        await until(lambda: self.state["phase"] == name)
        return self.state


@pytest.fixture(autouse=True)
def fast(monkeypatch):
    monkeypatch.setattr(live_class, "Paced", lambda: Paced(0.0))
    monkeypatch.setattr(live_class, "EVERY", 1)


def run(work):
    async def main():
        async with Lesson() as lesson:
            await work(lesson)
            if lesson.live.room is not None:
                await lesson.press("again")

    asyncio.run(main())


@pytest.mark.parametrize("form", ["masks", "generator"])
def test_a_class_of_simulated_phones_goes_from_the_question_to_collusion(form):
    async def work(lesson):
        assert lesson.state["phase"] == "setup" and lesson.state["epsilon"] == 1.0
        await lesson.press(OPEN | {"form": form})
        state = await lesson.phase("lobby")
        room = lesson.live.room
        assert state["address"] == f"http://localhost:9/class/{room.code[:4]}-{room.code[4:]}"
        assert state["side"] > 20 and any("--address 0.0.0.0" in note for note in state["notes"])
        await lesson.press("add")
        await until(lambda: lesson.state["ready"] == 10)
        plan = Round(10, 0.0, 12.0, Privacy(1.0, 1e-5), form)
        # The room stays while the lecturer looks at the page.
        await lesson.press("hide")
        assert not lesson.live.layout.open
        await lesson.session.locked(lesson.live.open)
        assert lesson.live.layout.open and lesson.state["ready"] == 10
        assert within(plan, plan.average_std()) in lesson.state["say"] and lesson.state["averages"] is None
        await lesson.press("start")
        state = await lesson.phase("result")
        assert len(state["messages"]) == 10 and state["lens"][-1] == 0 and state["lens"][5] > 0
        # Behind masks the laptop knows no zero-sum noise; else its running sum comes home.
        heights = [height for _, height in state["messages"]]
        assert heights == [None] * 10 if form == "masks" else heights[-1] == 0 and heights[4] != 0
        learnt = " ".join(state["learnt"])
        assert "cancelled to 0" in state["say"] and "protect nobody" in learnt
        assert "gain against" in learnt  # It knows every ê: as its own phones', or without masks.
        await lesson.press("guess", value=40)
        await lesson.press("reveal")
        await lesson.press("shout")
        assert lesson.state["guess"] == 12.0 and lesson.state["asking"] == ["reveal", "shout"]
        assert ("nothing new" in " ".join(lesson.state["collusion"])) == (form == "generator")
        await lesson.press("again")
        assert lesson.state["phase"] == "setup" and room.phase == "closed"

    run(work)


@pytest.mark.parametrize("form", ["masks", "generator"])
def test_what_shouting_tells_is_checked_beside_the_event_loop(form):
    async def work(lesson):
        await lesson.press(OPEN | {"form": form})
        await lesson.phase("lobby")
        room, waiting, phones = lesson.live.room, deque(), []
        for place in range(5):
            send = lambda message, place=place: take(room, phones[place][1], message)  # noqa: E731
            phone = Phone(7.0, send=send, later=waiting.append)
            phones.append([phone, None])
            phones[-1][1] = room.join(phone.hear, key=phone.keys.public)
        for step in (lambda: None, room.start):
            step()
            while waiting:
                waiting.popleft()()
        await lesson.press("shout")
        for phone, seat in phones[:2]:
            take(room, seat, {"t": "shout", "e": phone.seed})
        # A check of the first words, when nobody had disclosed ê, may come before.
        wanted = ("2 of 5 phones have disclosed", "both agree")
        await until(lambda: all(words in " ".join(lesson.state["collusion"]) for words in wanted))
        mu = Round(5, 0.0, 12.0, Privacy(1.0, 1e-5), "masks").mu_laptop({0, 1})
        told = " ".join(lesson.state["collusion"])
        assert told.count(number_text(mu)) == 2
        with pytest.raises(Refused, match="disclosed its"):
            take(room, phones[0][1], {"t": "shout", "e": 0})

    run(work)


def test_what_is_wrong_is_said_and_nothing_else_happens():
    async def work(lesson):
        for wrong, words in (
            ({"low": "12", "high": "0"}, "largest number must be above"),
            ({"low": ""}, "A number is missing"),
            ({"epsilon": "0"}, "epsilon"),
            ({"form": "other"}, "form must be"),
            ({"question": ""}, "1 to 120"),
            ({"page": "nowhere"}, "at which address"),
            ({"page": "http://192.0.2.7/dashboard"}, "cannot make masks"),
        ):
            await lesson.press(OPEN | {"form": "masks"} | wrong)
            await until(lambda words=words: words in lesson.state["problem"])
            assert lesson.live.room is None
        await lesson.press("start")
        assert "open room" in lesson.state["problem"]
        await lesson.press(OPEN | {"form": "masks"})
        await lesson.phase("lobby")
        assert lesson.state["problem"] == ""
        await lesson.press("start")
        assert "least 2 phones" in lesson.state["problem"]

    run(work)


@pytest.mark.parametrize(
    ("page", "possible"),
    [
        (PAGE, True),
        ("https://192.0.2.7/dashboard", True),
        ("http://192.0.2.7/dashboard", False),
        ("http://localhost:9/dashboard", False),  # Where the server also listens to its network.
    ],
)
def test_the_form_knows_before_a_press_whether_phones_can_make_masks(page, possible, monkeypatch):
    if page == "http://localhost:9/dashboard":
        monkeypatch.setattr(address, "_own_address", lambda: "192.0.2.7")
        monkeypatch.setattr(address, "_listens", lambda host, port: True)

    async def work(lesson):
        assert lesson.state["no_masks"] is None
        await lesson.press("look", page="nowhere")
        assert lesson.state["no_masks"] is None
        await lesson.press("look", page=page)
        await until(lambda: lesson.state["no_masks"] is not None)
        assert (lesson.state["no_masks"] == "") is possible
        await lesson.press(OPEN | {"form": "masks", "page": page})
        await until(lambda: lesson.live.room is not None or lesson.state["problem"])
        assert (lesson.live.room is not None) is possible

    run(work)


def test_without_a_server_no_room_is_opened():
    live = LiveClass(lambda: Privacy(1.0, 1e-5))
    live.screen.received(OPEN | {"form": "masks"})
    assert live.room is None and "needs the" in live.screen.state["problem"]


def test_no_message_of_a_browser_harms_the_screen():
    async def work(lesson):
        for value in VALUES:
            await lesson.press(value if isinstance(value, dict) else {"act": value})
            await lesson.press(OPEN | {"form": "masks", "low": value})
            await lesson.press(OPEN | {"form": value})
        await lesson.press(OPEN | {"form": "masks"})
        await lesson.phase("lobby")
        for value in VALUES:
            await lesson.press("guess", value=value)
        assert lesson.state["phase"] == "lobby"

    run(work)


def test_a_room_ends_with_the_session_of_its_lecturer():
    async def work(lesson):
        await lesson.press(OPEN | {"form": "generator"})
        await lesson.phase("lobby")
        room, heard = lesson.live.room, []
        room.join(heard.append)
        await lesson.session.end()
        assert room.phase == "closed" and heard[-1]["t"] == "closed" and "was closed" in heard[-1]["words"]
        assert ROOMS.find(room.code) is None

    run(work)
