"""The lecturer's side of a class: a room, its screen, and what the lecturer does with both."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import panel as pn
import panel_material_ui as pmui

from core import Privacy
from dashboard.compat.server.networks import network_of
from dashboard.packs.classroom import words
from dashboard.packs.classroom.address import Address, address_of, qr_path
from dashboard.packs.classroom.facts import FORMS, Checked, Form, checked
from dashboard.packs.classroom.handlers import several
from dashboard.packs.classroom.phone import Paced, simulate
from dashboard.packs.classroom.picture import drawn
from dashboard.packs.classroom.room import Room
from dashboard.packs.classroom.rooms import ROOMS
from dashboard.packs.classroom.screen import ClassScreen
from dashboard.packs.classroom.seats import Question, Refused
from dashboard.state import errors, session_end
from dashboard.state.controls import Controls
from dashboard.state.number_text import exact_text
from dashboard.state.typed_number import typed_number

# The colour of the page, not the lighter one of small dialogs: the colours of the picture are made for it.
_PAPER = {
    "& .MuiDialog-paper": {
        "backgroundColor": "background.default",
        "backgroundImage": "none",
        "margin": "0 !important",
        "maxWidth": "100% !important",
        "width": "100%",
        "minHeight": "100%",
        "borderRadius": 0,
    },
    "& .MuiDialogContent-root": {"padding": "12px 16px"},
    # The dialog's name is for screen readers: the question is the heading.
    "& .MuiDialogTitle-root": {
        "position": "absolute",
        "width": "1px",
        "height": "1px",
        "clipPath": "inset(50%)",
        "padding": 0,
    },
}
SIMULATED = 10  # Phones that join at a press.
EVERY = 120  # Milliseconds between two pictures while messages arrive.
_LOCAL = (
    "Other devices cannot reach this address: the server listens to this machine alone. Start it with "
    "*--address 0.0.0.0*, in a network that lets its devices reach each other; those of universities often do not."
)
_NO_MASKS = "Other devices have no https here, so browsers cannot make masks"
_PLAIN = f"{_NO_MASKS}: the laptop sees every phone's noise that cancels."
_SEVERAL = "This server runs as several processes, and the room is in one of them. A phone may need some seconds to find it."


class LiveClass:
    """A class in a dialog that fills the window.

    Parameters
    ----------
    target : callable
        Returns the page's (ε, δ), with which a new room begins.

    Attributes
    ----------
    layout : viewable
        The dialog.
    room : Room or None
        The open room.
    """

    def __init__(self, target: Callable[[], Privacy]):
        self._target = target
        self.room: Room | None = None
        self._spent: list[float] = []  # μ of a phone for the laptop, in every room that was closed.
        self._address: Address | None = None
        self._no_masks: str | None = (
            None  # Why phones cannot make masks, "" if they can; None: not known yet.
        )
        self._document = pn.state.curdoc
        self._asked = False  # A picture is on its way.
        self._problem = ""
        self._guess: float | None = None
        self._checked: Checked | None = None
        self._checking: set[int] | None = None
        self._paced = Paced()
        self.screen = ClassScreen(act=self._act)
        self.layout = pmui.Dialog(
            self.screen, title="Class", full_screen=True, scroll="body", margin=0, sx=_PAPER
        )
        session_end.at_end(lambda: self._end("The lecturer's page was closed."))

    def open(self) -> None:
        """Show the class: its room, or the question that opens one."""
        self.layout.open = True
        self._show()

    # What the lecturer presses. Nothing of a message can be trusted.

    def _act(self, message):
        name = message.get("act") if isinstance(message, dict) else None
        act = _ACTS.get(name) if isinstance(name, str) else None
        if act is None:
            return
        self._problem = ""
        try:
            act(self, message)
        except ValueError as refused:
            self._problem = str(refused)
        self._show()

    def _look(self, message):
        page = _page(message)
        self._later(lambda: self._looked(page))

    async def _looked(self, page):
        """Tell the form which of its choices phones will have."""
        try:
            secure = (await address_of(page)).secure
        except ValueError:
            return  # Opening the room will say so.
        self._no_masks = "" if secure else f"{_NO_MASKS}."
        self._show()

    def _open(self, message):
        question = Question(
            str(message.get("question", ""))[:1000].strip(),
            _number(message.get("low")),
            _number(message.get("high")),
            Privacy(_epsilon(message.get("epsilon")), self._target().delta),
            _form(message.get("form")),
        )
        if self._document is None or self._document.session_context is None:
            raise Refused("A class needs the app on a server, to which phones connect.")
        page = _page(message)
        self._later(lambda: self._opened(question, page))

    async def _opened(self, question, page):
        try:
            self._address = await address_of(page)
            if question.form == "masks" and not self._address.secure:
                raise Refused(f"{_PLAIN} Choose “the laptop itself”, or serve the app over https.")
            self._end("The lecturer has opened another room.")
            self.room = ROOMS.open(question, self._origin())
        except ValueError as refused:
            self._problem = str(refused)
        else:
            self._guess, self._checked, self._checking = None, None, None
            self.room.watch(self._changed)
            loop = asyncio.get_running_loop()
            loop.call_later(ROOMS.left(self.room) + 1, ROOMS.sweep)
        self._show()

    def _origin(self):
        """The lecturer's network address, "" if unknown."""
        request = self._document.session_context.request
        return network_of(str(getattr(request, "remote_ip", None) or ""))

    def _add(self, message):
        simulate(self._held(), SIMULATED, later=self._paced.later, aside=self._paced.aside)

    def _start(self, message):
        self._held().start()

    def _empty(self, message):
        self._held().empty()

    def _go_on(self, message):
        self._held().go_on()

    def _finish(self, message):
        self._held().finish()

    def _mark(self, message):
        asked = self._held().asked
        self._guess = min(max(_number(message.get("value")), asked.low), asked.high)

    def _reveal(self, message):
        self._held().ask("reveal")

    def _shout(self, message):
        self._held().ask("shout")

    def _again(self, message):
        self._end("The lecturer has closed the room.")

    def _hide(self, message):
        self.layout.open = False

    def _held(self):
        if self.room is None or self.room.phase == "closed":
            raise Refused("There is no open room.")
        return self.room

    def _end(self, why):
        room, self.room = self.room, None
        if room is not None:
            room.close(why)
            self._spent += [room.spent] if room.spent else []
            ROOMS.sweep()

    # The screen follows the room, a few times a second at most, under the lock of its document.

    def _changed(self):
        if not self._asked:
            self._asked = True
            self._later(self._show, EVERY)

    def _later(self, action, milliseconds=None):
        document = self._document
        if document is None or document.session_context is None:
            return
        if milliseconds is None:
            document.add_next_tick_callback(action)
        else:
            document.add_timeout_callback(action, milliseconds)

    def _show(self):
        self._asked = False
        try:
            self._check()  # First: a check of other colluders is not shown beside what is now stated.
            self.screen.state = self._state()
        except Exception as error:
            errors.handle(error)

    def _state(self) -> dict[str, Any]:
        room = self.room
        if room is None:
            target = self._target()
            start = {"phase": "setup", "epsilon": target.epsilon, "delta": exact_text(target.delta)}
            return start | {"problem": self._problem, "no_masks": self._no_masks}
        address = f"{self._address.base}{room.code[:4]}-{room.code[4:]}"
        path, side = qr_path(address) if room.phase == "lobby" else ("", 0)
        return {
            "problem": self._problem,
            "question": room.asked.text,
            "address": address,
            "notes": self._notes() if room.phase == "lobby" else [],
            "qr": path,
            "side": side,
            "say": words.caption(room),
            "agreed": words.agreed(room),
            "learnt": words.learnt(room, self._spent) if room.phase != "closed" else [],
            "standard": words.signs(room),
            "truth": words.truth(room),
            "collusion": words.collusion(room, self._checked),
            "guess": self._guess,
            **drawn(room),
        }

    def _notes(self):
        notes = [] if self._address.reachable else [_LOCAL]
        notes += [_PLAIN] if self.room.asked.form == "generator" and not self._address.secure else []
        return notes + ([_SEVERAL] if several() else [])

    def _check(self):
        """Check what is stated about colluders, in a thread, once for every set of them."""
        room = self.room
        if room is None or "shout" not in room.asking or self._checking == room.known:
            return
        self._checking, self._checked = set(room.known), None
        # Without masks the laptop knows all; what is checked is then what it would know behind them.
        plan, known, silent = replace(room.plan, form="masks"), set(room.known), set(room.silent)

        async def check():
            found = await asyncio.get_running_loop().run_in_executor(None, checked, plan, known, silent)
            if self._checking == known and self.room is room:
                self._checked = found
                self._show()

        self._later(check)


_ACTS: dict[str, Callable[[LiveClass, dict], None]] = {
    "look": LiveClass._look,
    "open": LiveClass._open,
    "add": LiveClass._add,
    "start": LiveClass._start,
    "empty": LiveClass._empty,
    "go on": LiveClass._go_on,
    "finish": LiveClass._finish,
    "guess": LiveClass._mark,
    "reveal": LiveClass._reveal,
    "shout": LiveClass._shout,
    "again": LiveClass._again,
    "hide": LiveClass._hide,
}


def of_page(page: Any) -> LiveClass:
    """The class that a button on a page opens, with the page's (ε, δ)."""
    return LiveClass(lambda: Privacy(page.controls.epsilon, page.controls.delta))


def _number(value) -> float:
    try:
        return typed_number(str(value))
    except ValueError as error:
        raise Refused(f"A number is missing: it {error}.") from None


def _epsilon(value) -> float:
    low, high = Controls.param.epsilon.bounds
    if not low <= (epsilon := _number(value)) <= high:
        raise Refused(f"epsilon must be from {low:g} to {high:g}, got {epsilon:g}.")
    return epsilon


def _page(message) -> str:
    return str(message.get("page", ""))[:400]


def _form(value) -> Form:
    if not isinstance(value, str) or value not in FORMS:
        raise Refused("The form must be “masks” or “generator”.")
    return value
