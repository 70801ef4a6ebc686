"""A room: the rounds of one class, from the first phone to the last question. It knows no network and no screen.

The phases are "lobby" (phones join, and type a number that stays on them), "noise" (every phone draws ê, and the sum
T of all is formed), "messages" (every phone sends its number with noise), "result", and "closed". A phone is told
what concerns it through the function that it joined with; a screen is told through `watch`.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable
from typing import Any

from dashboard.packs.classroom.facts import FARTHEST, STEPS, Round, conventional_average
from dashboard.packs.classroom.ring import RING, centred, public_key, share_of_total
from dashboard.packs.classroom.seats import Arrived, Question, Refused, Result, Seat, Tell, gives_way, whole

MOST_PHONES = 200
LIFETIME = 3600.0  # Seconds.
LEAST_PHONES = 2
_ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"  # Without i, l, o, 0 and 1, which look alike.
_LETTERS = 8
_SPOILT = (
    "The masks did not cancel, or hid impossible noise: a phone did not follow the protocol, and masks hide which. "
    "Open another room."
)


class Room:
    """One room of a class; `asked` is its question.

    Attributes
    ----------
    origin : str
        The network address of the lecturer.
    code : str
        Unguessable: 31⁸ values.
    seats : list of Seat
    plan : Round or None
        The noise of the present round.
    arrived : Arrived
    total : int
        T in steps of the grid, once all contributions are there.
    result : Result or None
    asking : set of str
        What phones are asked for after the result: "reveal", "shout".
    spent : float
        Once closed: μ of a phone that sent its message and kept its ê, for the laptop; 0 if no phone sent one.
    """

    def __init__(self, asked: Question, origin: str = ""):
        self.asked, self.origin = asked, origin
        self.code = "".join(secrets.choice(_ALPHABET) for _ in range(_LETTERS))
        self.phase, self.why = "lobby", ""
        self.seats: list[Seat] = []
        self.playing: list[Seat] = []
        self.round = 0
        self.plan: Round | None = None
        self.arrived = Arrived()
        self.total = 0
        self.result: Result | None = None
        self.asking: set[str] = set()
        self.spent = 0.0
        self.left_out = 0  # Phones without which the noise was agreed anew.
        self._order: dict[str, Any] = {}
        self._sum: dict[str, Any] = {}
        self._watchers: list[Callable[[], None]] = []

    def watch(self, changed: Callable[[], None]) -> None:
        """Call `changed` after every change; it must not raise."""
        self._watchers.append(changed)

    # What a phone does.

    def join(
        self,
        tell: Tell,
        *,
        key: Any = None,
        token: Any = None,
        resume: bool = False,
        simulated: bool = False,
        origin: str = "",
    ) -> Seat:
        """Give a phone a seat; with a token of the room it gets its old seat.

        In a full room a phone that has no number yet makes room (`gives_way`); one that is ready never does.

        Parameters
        ----------
        resume : bool
            The page still has what it drew: it goes on where its connection was lost, and the former one ends.
        origin : str
            The network of the phone, of which one has a share of the seats at most.

        Raises
        ------
        Refused
            If the room is full or closed, its round has begun, or the phone cannot make masks.
        """
        self._open()
        old = next((seat for seat in self.seats if _same(seat.token, token)), None)
        if old is not None and resume:
            self._tell(old, {"t": "moved"})
            old.tell = tell
            self._remind(old)
            self._changed()
            return old
        if old is not None and old.tell is not None:
            raise Refused("This phone is in the room already, in another window. One answer a phone.")
        if self.phase != "lobby":
            raise Refused("The round has begun without this phone. Wait for the next room.")
        held = public_key(key) if self.asked.form == "masks" else None
        if old is None:
            old = self._new_seat(simulated, origin)
        old.tell, old.key, old.ready = tell, held, False
        self._seated(old)
        self._changed()
        return old

    def leave(self, seat: Seat, tell: Tell) -> None:
        """The connection `tell` of a phone ended: in the lobby its place is free again, later it is silent."""
        if seat.tell is None or seat.tell != tell:
            return
        seat.tell = None
        if self.phase == "lobby":
            self.seats.remove(seat)
        self._changed()

    def ready(self, seat: Seat, ready: bool) -> None:
        """A phone has a number now, or its owner changes it."""
        self._in("lobby")
        seat.ready = ready
        self._changed()

    def contribute(self, seat: Seat, value: Any, round_: Any) -> None:
        """Take a phone's ê, masked in the form "masks"; with the last one the sum T goes to all."""
        self._takes(seat, "noise", self.arrived.noise, round_)
        most = RING // 2 if self.asked.form == "masks" else FARTHEST * STEPS
        self.arrived.noise[seat.place] = whole(value, most)
        if len(self.arrived.noise) == len(self.playing):
            self._agreed()
        self._changed()

    def message(self, seat: Seat, value: Any, round_: Any) -> None:
        """Take a phone's message; with the last one the averages are computed."""
        self._takes(seat, "messages", self.arrived.messages, round_)
        low, high = self.plan.message_bounds(self.zero_sum(seat.place))
        if not low <= whole(value, RING) <= high:
            asked = self.asked
            raise Refused(
                f"This is no number from {asked.low:g} to {asked.high:g} with the noise of this round."
            )
        self.arrived.messages[seat.place] = value
        if len(self.arrived.messages) == len(self.playing):
            self._finish()
        self._changed()

    def reveal(self, seat: Seat, value: Any) -> None:
        """Take the number that the owner of a phone chose to reveal."""
        self._asked("reveal", seat)
        if isinstance(value, bool) or not isinstance(value, int | float) or seat.revealed is not None:
            raise Refused("A phone reveals one number, once.")
        if not self.asked.low <= value <= self.asked.high:
            raise Refused(f"The number must be from {self.asked.low:g} to {self.asked.high:g}.")
        seat.revealed = float(value)
        self._changed()

    def shout(self, seat: Seat, value: Any) -> None:
        """Take the ê that the owner of a phone chose to shout."""
        self._asked("shout", seat)
        if seat.place in self.arrived.shouted:
            raise Refused("This phone has disclosed its noise already.")
        self.arrived.shouted[seat.place] = whole(value, FARTHEST * STEPS)
        self._changed()

    # What the lecturer does.

    def start(self) -> None:
        """Begin the round with all phones that have a number."""
        self._in("lobby")
        self._agree([seat for seat in self.seats if seat.ready and seat.tell is not None])

    def empty(self) -> None:
        """Free all seats of phones: whoever is in the class joins again."""
        self._in("lobby")
        left = [seat for seat in self.seats if not seat.simulated]
        self._park(left, "The lecturer has emptied the seats. Load the page to join again.")
        self._changed()

    def go_on(self) -> None:
        """Agree on noise anew without the phones that sent no contribution: this costs nothing."""
        self._in("noise")
        came = [seat for seat in self.playing if seat.place in self.arrived.noise and seat.tell is not None]
        if len(came) == len(self.playing):
            raise Refused("No phone is missing.")
        self.left_out += len(self.playing) - len(came)
        self._agree(came)

    def finish(self) -> None:
        """Compute the averages without the messages that have not come; behind masks, their zero-sum noise stays."""
        self._in("messages")
        if not self.arrived.messages:
            raise Refused("No message has come yet.")
        self._finish()
        self._changed()

    def ask(self, what: str) -> None:
        """Ask the phones to reveal their numbers, or to shout their ê."""
        self._in("result")
        self.asking.add(what)
        self._tell_all(self._ending())
        self._changed()

    def close(self, why: str = "The lecturer has closed the room.") -> None:
        """Tell all phones, and forget everything."""
        if self.phase != "closed":
            self.phase, self.why, self.spent = "closed", why, self._spent()
            self._tell_all({"t": "closed", "words": why}, self.seats)
            self.seats, self.playing, self.arrived, self.result = [], [], Arrived(), None
            self._changed()
            self._watchers = []

    # What everybody may know.

    @property
    def idle(self) -> bool:
        """Whether no phone is in it."""
        return all(seat.simulated for seat in self.seats)

    def counted(self, origin: str) -> str:
        """The address whose share counts: that of the lecturer has none, for a whole class may have it, or a proxy."""
        return "" if origin == self.origin else origin

    def places(self, seats: Iterable[Seat]) -> set[int]:
        """Places of these phones in the round."""
        return {seat.place for seat in seats if seat.place >= 0}

    @property
    def known(self) -> set[int]:
        """Places whose ê the laptop knows: simulated phones run on it, and others have shouted."""
        return self.places(seat for seat in self.playing if seat.simulated) | set(self.arrived.shouted)

    def zero_sum(self, place: int) -> int | None:
        """e_s of a place in steps of the grid, once T is there; None where masks hide ê from the laptop."""
        if self.asked.form == "masks":
            return None
        return self.arrived.noise[place] - share_of_total(self.total, place, self.plan.phones)

    @property
    def silent(self) -> set[int]:
        """Places of the round whose message has not come."""
        return set(range(len(self.playing))) - set(self.arrived.messages)

    @property
    def revealed(self) -> list[float]:
        """Numbers that were revealed."""
        return [seat.revealed for seat in self.playing if seat.revealed is not None]

    # Steps of a round.

    def _agree(self, seats):
        if len(seats) < LEAST_PHONES:
            raise Refused(f"A round needs at least {LEAST_PHONES} phones with a number, got {len(seats)}.")
        for seat in self.playing:
            seat.place = -1
        left = [seat for seat in self.seats if seat not in seats]
        self.phase, self.playing, self.arrived = "noise", seats, Arrived()
        self.round += 1
        asked = self.asked
        self.plan = Round(len(seats), asked.low, asked.high, asked.privacy, asked.form)
        for place, seat in enumerate(seats):
            seat.place = place
        keys = [seat.key.hex() for seat in seats] if asked.form == "masks" else []
        seed = self.plan.seed_std / self.plan.step
        self._order = {"t": "noise", "round": self.round, "phones": len(seats), "keys": keys, "seed": seed}
        for seat in seats:
            self._tell(seat, self._order | {"place": seat.place})
        self._tell_all({"t": "out", "words": "The round has begun without this phone."}, left)
        self._changed()

    def _agreed(self):
        """All contributions are there: masks cancel, and T is public."""
        masks, total = self.asked.form == "masks", sum(self.arrived.noise.values())
        self.total = centred(total) if masks else total
        if masks and abs(self.total) > self.plan.largest_total():
            self.close(_SPOILT)
            return
        self.phase = "messages"
        plan = self.plan
        self._sum = {
            "t": "sum",
            "round": self.round,
            "total": self.total,
            "step": plan.step,
            "local": plan.local_std / plan.step,
        }
        self._tell_all(self._sum)

    def _finish(self):
        plan, came = self.plan, self.arrived.messages
        silent = len(self.silent)
        std, other = plan.result_std(silent), plan.conventional_std(silent)
        total = sum(came.values())
        if silent and self.asked.form == "generator":
            total -= sum(self.zero_sum(place) for place in came)
        average = plan.low + plan.step * total / len(came)
        if silent and self.asked.form == "generator":
            average += secrets.SystemRandom().gauss(0.0, plan.added_std(silent))
        self.result = Result(average, std, conventional_average(average, std, other), other)
        self.phase = "result"
        self._tell_all(self._ending())

    def _ending(self):
        found = self.result
        said = {"average": found.average, "std": found.std, "conventional": found.conventional}
        said |= {"conventional_std": found.conventional_std, "sent": len(self.arrived.messages)}
        return {"t": "result", "phones": len(self.playing), "asking": sorted(self.asking)} | said

    def _spent(self):
        sent = any(not seat.simulated and seat.place in self.arrived.messages for seat in self.playing)
        return self.plan.mu_laptop(self.known) if sent else 0.0

    # Checks and messages.

    def _open(self):
        if self.phase == "closed":
            raise Refused(self.why)

    def _in(self, phase):
        self._open()
        if self.phase != phase:
            raise Refused(f"This belongs to the step “{phase}”, and the room is at “{self.phase}”.")

    def _takes(self, seat, phase, came, round_):
        self._in(phase)
        if seat.place < 0 or round_ != self.round:
            raise Refused("This belongs to a round without this phone, or to an earlier one.")
        if seat.place in came:
            raise Refused("One answer a phone: this phone has sent it already.")

    def _asked(self, what, seat):
        self._in("result")
        if what not in self.asking or seat.place not in self.arrived.messages:
            raise Refused("The lecturer has not asked this phone for it.")

    def _new_seat(self, simulated, origin):
        if not simulated:
            self._make_room(origin)
        elif len(self.seats) >= MOST_PHONES:
            raise Refused(f"The room is full: it has {MOST_PHONES} places.")
        taken = {seat.number for seat in self.seats}
        number = next(number for number in range(MOST_PHONES) if number not in taken)
        self.seats.append(Seat(number, secrets.token_urlsafe(16), None, simulated, None, origin=origin))
        return self.seats[-1]

    def _make_room(self, origin):
        try:
            freed = gives_way(self.seats, self.counted(origin), MOST_PHONES)
        except Refused as full:
            raise Refused(f"{full} The room has {MOST_PHONES}; its lecturer can empty them.") from None
        if freed is not None:
            self._park([freed], "The room is full, and another phone took this place.")

    def _park(self, seats, why):
        for seat in seats:
            self.seats.remove(seat)
            self._tell(seat, {"t": "parked", "words": why})
            seat.tell = None

    def _remind(self, seat):
        """Tell a phone that comes back what it may have missed, or asks for what was lost on its way here."""
        if self.phase == "lobby":
            self._seated(seat)
        elif seat.place < 0:
            self._tell(seat, {"t": "out", "words": "The round has begun without this phone."})
        elif self.phase == "noise" and seat.place not in self.arrived.noise:
            self._tell(seat, self._order | {"place": seat.place})
        elif self.phase == "messages" and seat.place not in self.arrived.messages:
            self._tell(seat, self._sum)
        elif self.phase == "result":
            self._tell(seat, self._ending())

    def _seated(self, seat):
        self._tell(seat, {"t": "seat", "token": seat.token, "number": seat.number + 1} | self._question())

    def _question(self):
        asked = self.asked
        said = {
            "question": asked.text,
            "low": asked.low,
            "high": asked.high,
            "form": asked.form,
            "code": self.code,
        }
        return said | {"epsilon": asked.privacy.epsilon, "delta": asked.privacy.delta}

    def _tell(self, seat, message):
        if seat.tell is not None:
            seat.tell(message)

    def _tell_all(self, message, seats=None):
        for seat in list(self.playing if seats is None else seats):
            self._tell(seat, message)

    def _changed(self):
        for changed in self._watchers:
            changed()


def _same(token, given):
    return isinstance(given, str) and secrets.compare_digest(token.encode(), given.encode("utf-8", "replace"))
