"""A class without a browser: its rounds, its refusals, its numbers, and what it says about privacy."""

from __future__ import annotations

import contextlib
import math
import random
from collections import deque

import numpy as np
import pytest
from scipy import stats

from core import Privacy, cape
from core.privacy import gaussian_std
from dashboard.packs.classroom import ring
from dashboard.packs.classroom.facts import (
    FARTHEST,
    FORMS,
    STEPS,
    Round,
    chance,
    checked,
    conventional_average,
)
from dashboard.packs.classroom.phone import Phone, simulate
from dashboard.packs.classroom.room import LIFETIME, MOST_PHONES
from dashboard.packs.classroom.rooms import MOST_ROOMS, Rooms, take
from dashboard.packs.classroom.seats import SHARE, Question, Refused
from dashboard.packs.classroom.words import caption, learnt

TARGET = Privacy(1.0, 1e-5)


def asked(form="generator", **other):
    return Question(
        **{"text": "Hours slept", "low": 0.0, "high": 12.0, "privacy": TARGET, "form": form} | other
    )


class Class:
    """A room with phones that act when they are told to."""

    def __init__(self, form="generator", phones=5, values=None):
        self.room = Rooms().open(asked(form))
        self.waiting = deque()
        self.phones = [self.phone(7.0 if values is None else values[i]) for i in range(phones)]
        self.act()

    def phone(self, value=7.0):
        phone = Phone(
            value, send=lambda message: take(self.room, phone.seat, message), later=self.waiting.append
        )
        phone.seat = self.room.join(phone.hear, key=phone.keys.public)
        return phone

    def act(self, count=10_000):
        """Let so many actions of phones happen, in the order in which they came."""
        while self.waiting and count:
            self.waiting.popleft()()
            count -= 1
        return self


@pytest.mark.parametrize("form", FORMS)
def test_a_round_averages_and_nothing_of_the_zero_sum_noise_is_left(form):
    values = [3.5317, 7.2519, 8.0271, 13.0]  # The last is clipped to 12.
    lesson = Class(form, 4, values)
    lesson.room.start()
    lesson.act()
    room, plan = lesson.room, lesson.room.plan
    assert room.phase == "result" and room.silent == set()
    own = [round(min(v, 12.0) / plan.step) for v in values]
    local = sum(phone.local for phone in lesson.phones)
    # Whole numbers: the sum of the messages is that of the numbers and of g, to the last digit.
    assert sum(room.arrived.messages.values()) == sum(own) + local
    assert room.result.average == pytest.approx((sum(own) + local) * plan.step / 4, abs=1e-9)
    seeds = [phone.seed for phone in lesson.phones]
    assert room.total == sum(seeds)
    if form == "masks":
        assert all(room.arrived.noise[place] != seed for place, seed in enumerate(seeds))
    assert not any(str(v) in str([room.arrived, room.seats]) for v in values)


def test_the_noise_is_that_of_the_design_of_core():
    plan = Round(8, 0.0, 12.0, TARGET, "masks")
    assert plan.std == gaussian_std(12.0, TARGET) and plan.mu_message() == pytest.approx(12 / plan.std)
    assert plan.average_std() == pytest.approx(plan.std / 8)
    assert plan.conventional_std(3) == pytest.approx(plan.std / math.sqrt(5))
    # (τ²/S')(1 − S'/S + 1/S) after three phones dropped out.
    assert plan.average_std(3) ** 2 == pytest.approx(plan.std**2 / 5 * (1 - 5 / 8 + 1 / 8))
    assert plan.uncancelled_std(0) == 0 and plan.uncancelled_std(8) == 0
    # A share of T is what the design's `cancel` subtracts, to one step of the grid.
    seeds = np.array([5.0, -3.0, 11.0, 4.0, -9.0, 2.0, 7.0, 1.0])
    total = int(seeds.sum())
    rest = [seed - ring.share_of_total(total, s, 8) for s, seed in enumerate(seeds)]
    assert sum(rest) == 0 and np.allclose(rest, plan.design.cancel(seeds.copy()), atol=1)


def test_a_phone_draws_noise_of_the_announced_size():
    # 3,000 draws of each: Kolmogorov-Smirnov at a false-alarm rate of 1e-4 each; 3/2 σ is refused.
    phone = Phone(7.0, send=lambda message: None, later=lambda action: None)
    phone.hear({"t": "seat", "low": 0.0, "high": 12.0, "code": "x"})
    seeds, local = [], []
    for _ in range(3000):
        phone.hear({"t": "noise", "round": 1, "phones": 4, "place": 0, "keys": [], "seed": 2.0**20})
        phone.hear({"t": "sum", "round": 1, "total": 0, "step": 1e-6, "local": 2.0**19})
        seeds.append(phone.seed / 2**20)
        local.append(phone.local / 2**19)
    for drawn in (seeds, local):
        assert stats.kstest(drawn, "norm").pvalue > 1e-4
        assert stats.kstest(np.array(drawn) * 1.5, "norm").pvalue < 1e-4
    assert abs(np.corrcoef(seeds, local)[0, 1]) < 0.08


@pytest.mark.parametrize("form", FORMS)
def test_an_honest_message_is_within_six_standard_deviations_of_its_noise(form):
    # The law of what is bounded: 160,000 draws, whose standard deviation is off by 1 % once in 10⁷ runs. One message in
    # 5·10⁸ is refused by chance, 2 · (1 − Φ(6)).
    plan = Round(8, 0.0, 12.0, TARGET, form)
    zero_sum, local = plan.design.sample((20_000,), rng=np.random.default_rng(3))
    noise = (local if form == "generator" else zero_sum + local) / plan.step
    for known in (None,) if form == "masks" else (-(2**21), 0, 2**21):
        low, high = plan.message_bounds(known)
        room = (high - low - plan.change / plan.step) / 2
        assert room / np.std(noise) == pytest.approx(6, rel=0.01)
        assert (low + high) / 2 == pytest.approx((known or 0) + plan.change / plan.step / 2)
    assert 2 * stats.norm.sf(FARTHEST) == pytest.approx(2e-9, rel=0.02)


@pytest.mark.parametrize("sign", [-1, 1])
@pytest.mark.parametrize("phones", [2, 3, 60])
@pytest.mark.parametrize("form", FORMS)
def test_a_phone_that_lies_moves_the_average_by_less_than_is_stated(form, phones, sign, monkeypatch):
    # Seeded: the largest total shifts the message of one other phone by 4.2 τ, and a few in a hundred are then refused.
    monkeypatch.setattr("dashboard.packs.classroom.phone._RANDOM", random.Random(3))
    lesson = Class(form, phones - 1)
    room, keys, heard = lesson.room, ring.KeyPair(), []
    liar = room.join(heard.append, key=keys.public)
    take(room, liar, {"t": "ready", "ready": True})
    room.start()
    lesson.act()
    plan, order, others = room.plan, heard[-1], sum(phone.seed for phone in lesson.phones)
    # It draws no ê: the largest that the room takes, and behind masks as if it knew the others'.
    seed = sign * FARTHEST * STEPS if form == "generator" else sign * int(plan.largest_total()) - others
    purpose = ring.purpose(room.code, 1)
    options = {"place": order["place"], "keys": order["keys"], "purpose": purpose}
    sent = seed if form == "generator" else keys.masked(seed, **options)
    take(room, liar, {"t": "noise", "round": 1, "y": sent})
    lesson.act()
    zero_sum = seed - ring.share_of_total(heard[-1]["total"], order["place"], phones)
    low, high = (math.floor(bound) for bound in plan.message_bounds(None if form == "masks" else zero_sum))
    down, own = zero_sum > 0, 12.0 if zero_sum > 0 else 0.0
    for refused in (low - 2, high + 2, -(2**47), 2**47):
        with pytest.raises(Refused):
            take(room, liar, {"t": "message", "round": 1, "m": refused})
    take(room, liar, {"t": "message", "round": 1, "m": low + 1 if down else high - 1})
    honest = sum(round(7.0 / plan.step) + phone.local for phone in lesson.phones) * plan.step
    moved = room.result.average - (honest + own) / phones
    assert moved < 0 if down else moved > 0
    assert abs(moved) < plan.reach()
    if form == "generator":  # The bound is not wider than it must be.
        assert abs(moved) > 0.99 * plan.reach()


def test_the_wall_says_when_an_average_is_far_outside_the_bounds():
    for far in (0.0, 3.9, 4.1):
        lesson = Class("masks", 5)
        room = lesson.room
        room.start()
        lesson.act(5)
        plan, liar = room.plan, lesson.phones[0]
        wanted = (12.0 + far * plan.average_std()) / plan.step * 5
        lesson.act(1)
        lesson.waiting.clear()
        messages = room.arrived.messages
        for phone in lesson.phones[1:]:
            left = 5 - len(messages)
            share = round((wanted - sum(messages.values())) / left)
            take(room, phone.seat, {"t": "message", "round": 1, "m": share})
        assert room.phase == "result" and liar.seat.place in messages
        assert (f"{far:.1f} of its ±" in caption(room)) == (far > 4)


def test_a_total_that_no_noise_gives_ends_the_round():
    # The limit of ê's of standard deviation τ is 6τ√S: passed once in 5·10⁸ rounds.
    for factor, phase in ((0.99, "messages"), (1.01, "closed")):
        lesson = Class("masks", 9)
        room, keys, heard = lesson.room, ring.KeyPair(), []
        liar = room.join(heard.append, key=keys.public)
        take(room, liar, {"t": "ready", "ready": True})
        room.start()
        lesson.act()
        order = heard[-1]
        total = round(factor * 6 * math.sqrt(10) * STEPS)
        options = {"place": order["place"], "keys": order["keys"], "purpose": ring.purpose(room.code, 1)}
        seed = total - sum(phone.seed for phone in lesson.phones)
        take(room, liar, {"t": "noise", "round": 1, "y": keys.masked(seed, **options)})
        assert room.phase == phase


def test_the_conventional_average_is_drawn_from_capes_without_another_message():
    # Standard deviation over 4,000 draws, 4.4 standard errors of 1/√8000: wrong in one of 10⁵ runs.
    plan = Round(9, 0.0, 1.0, TARGET, "masks")
    noise = np.random.default_rng(1).normal(0, plan.average_std(), 4000)
    drawn = [conventional_average(x, plan.average_std(), plan.conventional_std()) for x in noise]
    assert np.std(drawn) == pytest.approx(plan.conventional_std(), rel=0.05)


def test_what_is_said_about_the_laptop_is_what_core_says():
    masks, generator = (Round(10, 0.0, 12.0, TARGET, form) for form in FORMS)
    tau = masks.std
    assert masks.mu_laptop() ** 2 == pytest.approx((12 / tau) ** 2 * cape.leakage(10))
    assert masks.mu_laptop(range(3)) ** 2 == pytest.approx((12 / tau) ** 2 * cape.leakage(10, 3))
    assert masks.mu_laptop(silent=[4]) < masks.mu_laptop()
    # The laptop that sees every ê: μ² = SΔ²/τ², whoever falls silent.
    for mu in (
        generator.mu_laptop(),
        generator.mu_laptop({1}, {2}),
        masks.mu_alone(),
        masks.mu_laptop(range(9)),
    ):
        assert mu**2 == pytest.approx(10 * (12 / tau) ** 2)
    # Independent noise of the same μ for the laptop: the gain that core calls honest, and none where it sees every ê.
    for known in ((), range(3)):
        gain = (masks.equal_std(known) / masks.average_std()) ** 2
        assert gain == pytest.approx(cape.honest_gain(10, len(known)))
    assert generator.equal_std() == pytest.approx(generator.average_std())
    assert chance(0.0) == 50 and chance(masks.mu_message()) == 56


@pytest.mark.parametrize(("known", "silent"), [((), ()), ((1, 4, 6), ()), ((0, 2), (3, 7))])
def test_a_check_inverts_the_covariance_of_the_whole_view(known, silent):
    # The audit's bound is wrong once in a thousand times in each case.
    found = checked(Round(8, 0.0, 12.0, TARGET, "masks"), known, silent)
    assert found.exact == pytest.approx(found.stated, rel=1e-9)
    assert 0.5 * found.stated < found.shown <= found.stated
    assert checked(Round(8, 0.0, 12.0, TARGET, "generator"), known, silent) is None


def test_missing_phones_cost_nothing_before_the_sum_and_their_noise_after_it():
    lesson = Class("masks", 6)
    room = lesson.room
    room.start()
    lesson.act(4)  # Two contributions do not come.
    room.leave(lesson.phones[4].seat, lesson.phones[4].hear)
    assert room.phase == "noise"
    room.go_on()
    assert [p.seat.place for p in lesson.phones] == [0, 1, 2, 3, -1, -1] and room.left_out == 2
    for _ in range(2):
        lesson.waiting.popleft()
    lesson.act(4)
    assert room.phase == "messages" and room.plan.phones == 4
    lesson.act(3)
    assert room.phase == "messages" and room.result is None  # No result before the last message.
    room.finish()
    assert room.silent == {3} and room.result.std == pytest.approx(room.plan.result_std(1))
    assert room.result.std > 1.6 * room.plan.average_std()
    with pytest.raises(Refused, match="step “messages”"):
        lesson.act()


def test_refusals_are_in_words_and_change_nothing():
    lesson = Class(phones=3)
    room, phone = lesson.room, lesson.phones[0]
    refuse = lambda message, words: _refuses(room, phone.seat, message, words)  # noqa: E731
    refuse({"t": "noise", "round": 1, "y": 5}, "step “noise”")
    refuse({"t": "dance"}, "does not know")
    refuse("text", "does not know")
    room.start()
    for value in (2**60, 1.5, True, None, "7"):
        refuse({"t": "noise", "round": 1, "y": value}, "outside of its bounds")
    refuse({"t": "noise", "round": 2, "y": 5}, "round without this phone")
    lesson.act(1)
    refuse({"t": "noise", "round": 1, "y": 5}, "One answer a phone")
    with pytest.raises(Refused, match="begun without"):
        room.join(lambda message: None)
    lesson.act(2)
    refuse({"t": "message", "round": 1, "m": 2**50}, "outside of its bounds")
    refuse({"t": "reveal", "x": 7.0}, "step “result”")
    lesson.act()
    refuse({"t": "reveal", "x": 7.0}, "has not asked")
    room.ask("reveal")
    refuse({"t": "reveal", "x": 13.0}, "from 0 to 12")
    take(room, phone.seat, {"t": "reveal", "x": 7.0})
    refuse({"t": "reveal", "x": 7.0}, "once")
    assert room.revealed == [7.0]
    room.close("Over.")
    assert phone.heard[-1] == {"t": "closed", "words": "Over."} and room.seats == []
    refuse({"t": "ready", "ready": True}, "Over")


def _refuses(room, seat, message, words):
    before = room.phase, dict(room.arrived.noise), dict(room.arrived.messages)
    with pytest.raises(Refused, match=words):
        take(room, seat, message)
    assert before == (room.phase, room.arrived.noise, room.arrived.messages)


def test_a_phone_has_one_seat_and_a_room_two_hundred():
    lesson = Class(phones=1)
    room, seat = lesson.room, lesson.phones[0].seat
    with pytest.raises(Refused, match="another window"):
        room.join(lambda message: None, token=seat.token)
    simulate(room, MOST_PHONES - 1, later=lambda action: None)
    with pytest.raises(Refused, match="200"):
        room.join(lambda message: None)
    room.leave(seat, lesson.phones[0].hear)
    assert len(room.seats) == MOST_PHONES - 1
    again = room.join(lambda message: None, token=seat.token)
    assert again.number == 0
    with pytest.raises(Refused, match="at least 2"):
        Class(phones=1).room.start()
    with pytest.raises(ValueError, match="cannot make"):
        Rooms().open(asked("masks")).join(lambda message: None, key="00" * 65)


def test_a_thousand_joins_from_one_machine_leave_the_room_open():
    lesson = Class(phones=3)  # Ready, and at the address of all: as behind a proxy that does not name them.
    room, heard = lesson.room, [[] for _ in range(1000)]
    joined = [room.join(heard[i].append) for i in range(1000)]
    assert len(room.seats) == MOST_PHONES and all(phone.seat in room.seats for phone in lesson.phones)
    assert room.seats[-1] is joined[-1] and joined[0] not in room.seats
    assert [message["t"] for message in heard[0]] == ["seat", "parked"]
    honest = room.join(lambda message: None)
    room.ready(honest, True)
    assert honest in room.seats and f"{MOST_PHONES - 4} phones" in caption(room)


SHARED = round(SHARE * MOST_PHONES)  # Seats of one address at most.


def test_phones_that_are_ready_keep_their_seats_whoever_comes_from_however_many_addresses():
    room, heard = Rooms().open(asked()), []
    school = [room.join(heard.append, origin="school") for _ in range(30)]
    for seat in school[:29]:
        room.ready(seat, True)
    for i in range(1000):
        with contextlib.suppress(Refused):
            room.ready(room.join(lambda message: None, origin=f"machine {i}"), True)
    assert len(room.seats) == MOST_PHONES and all(seat in room.seats for seat in school[:29])
    assert school[29] not in room.seats and [m["t"] for m in heard].count("parked") == 1
    with pytest.raises(Refused, match=str(MOST_PHONES)):
        room.join(heard.append, origin="another")
    with pytest.raises(Refused, match=str(MOST_PHONES)):
        simulate(room, 1, later=lambda action: None)
    room.empty()
    assert room.seats == [] and [m["t"] for m in heard].count("parked") == 30
    room.ready(room.join(heard.append, origin="school"), True)


def test_a_class_that_has_its_lecturers_address_may_fill_the_room():
    room = Rooms().open(asked(), "school")
    for _ in range(MOST_PHONES):
        room.ready(room.join(lambda message: None, origin="school"), True)
    assert len(room.seats) == MOST_PHONES


def test_one_address_has_a_share_of_the_seats_and_changes_its_own_beyond():
    room, heard = Rooms().open(asked()), []
    waiting = [room.join(heard.append, origin="machine") for _ in range(SHARED)]
    last = room.join(heard.append, origin="machine")
    assert len(room.seats) == SHARED and last in room.seats and waiting[0] not in room.seats
    for seat in (*waiting[1:], last):
        room.ready(seat, True)
    with pytest.raises(Refused, match="share"):
        room.join(heard.append, origin="machine")
    for i in range(MOST_PHONES - SHARED):
        room.ready(room.join(heard.append, origin=f"phone {i}"), True)
    assert sum(seat.origin == "machine" for seat in room.seats) == SHARED


def one_falls_silent(form, phones, lie=None):
    """A round whose first phone sends its ê, or a false one, and no message."""
    lesson = Class(form, phones)
    lesson.room.start()
    if lie is not None:
        lesson.phones[0].hear = lambda message: None
        place = lesson.phones[0].seat.place
        lesson.waiting.popleft()
        take(lesson.room, lesson.phones[0].seat, {"t": "noise", "round": 1, "y": lie})
        assert place == 0
    while lesson.room.phase != "messages":
        lesson.act(1)
    take_message = lesson.room.message

    def message(seat, value, round_):
        if seat.place:
            take_message(seat, value, round_)

    lesson.room.message = message
    lesson.act()
    lesson.room.finish()
    return lesson.room


def test_a_false_noise_without_a_message_moves_nothing_where_the_laptop_knows_it():
    """It moved the average by 0.6 τ. False alarms: 2 in 10⁹."""
    room = one_falls_silent("generator", 10, lie=FARTHEST * STEPS)
    assert room.silent == {0} and room.plan.silent_reach() == 0
    assert abs(room.result.average - 7.0) < 6 * room.result.std < 0.7 * room.plan.std


def test_a_round_without_a_phone_has_the_noise_that_is_stated():
    """Of 300 rounds; accepts σ and refuses 2/3 and 3/2 of it. False alarms: 1 in 10⁵."""
    rooms = [one_falls_silent("generator", 4) for _ in range(300)]
    off = np.array([(room.result.average - 7.0) / room.plan.result_std(1) for room in rooms])
    low, high = stats.chi2.ppf([5e-6, 1 - 5e-6], len(off)) / len(off)
    assert low < np.mean(off**2) < high and low > (2 / 3) ** 2 and high < (3 / 2) ** 2


def test_a_phone_that_spoils_the_masks_ends_the_round_in_words():
    lesson = Class("masks", 3)
    lesson.room.start()
    take(lesson.room, lesson.phones[0].seat, {"t": "noise", "round": 1, "y": 2**45})
    with pytest.raises(Refused, match="One answer"):
        lesson.act()
    lesson.act(2)
    assert lesson.room.phase == "closed" and "not cancel" in lesson.phones[2].heard[-1]["words"]


def test_a_phone_that_comes_back_goes_on_where_it_was():
    lesson = Class("masks", 3)
    room, phone = lesson.room, lesson.phones[0]
    room.start()
    lesson.act(3)
    room.leave(phone.seat, phone.hear)
    again = []
    assert room.join(again.append, token=phone.seat.token, resume=True) is phone.seat
    assert again == [phone.heard[-1]] and again[0]["t"] == "sum"
    room.leave(phone.seat, phone.hear)  # The end of the old connection is noticed late.
    assert phone.seat.tell == again.append
    with pytest.raises(Refused, match="another window"):
        room.join(lambda message: None, key=phone.keys.public, token=phone.seat.token)


def test_a_room_asks_again_for_what_was_lost_on_its_way_and_for_nothing_else():
    lesson = Class("masks", 3)
    room, phone = lesson.room, lesson.phones[0]

    def back():
        heard = []
        room.leave(phone.seat, phone.seat.tell)
        room.join(heard.append, token=phone.seat.token, resume=True)
        return [message["t"] for message in heard]

    assert (
        room.join(phone.hear, token=phone.seat.token, resume=True) is phone.seat
    )  # Its old line still stands.
    assert [message["t"] for message in phone.heard] == ["seat", "moved", "seat"] and lesson.act()
    room.start()
    assert back() == ["noise"]
    lesson.act(1)
    assert len(room.arrived.noise) == 1 and back() == []
    lesson.act(2)
    assert back() == ["sum"]
    phone.hear(room_sum := lesson.phones[1].heard[-1])
    take(room, phone.seat, {"t": "message", "round": room_sum["round"], "m": 0})
    assert back() == [] and room.phase == "messages"


def test_a_second_room_adds_what_the_first_told_the_laptop():
    rooms = []
    for simulated in (0, 4):
        lesson = Class("masks", 0 if simulated else 3)
        simulate(lesson.room, simulated, later=lesson.waiting.append)
        lesson.act()
        lesson.room.start()
        lesson.act()
        rooms.append(lesson.room)
    one = rooms[0].plan.mu_laptop()
    words = " ".join(learnt(rooms[0], [one, one]))
    assert f"become {chance(math.sqrt(3) * one)} of 100" in words
    assert "again" not in " ".join(learnt(rooms[0]))
    for room in rooms:
        assert room.spent == 0
        room.close()
    # Simulated phones are nobody's.
    assert rooms[0].spent == one and rooms[1].spent == 0


def test_simulated_phones_protect_nobody_from_the_laptop():
    lesson = Class("masks", 3)
    simulate(lesson.room, 5, later=lesson.waiting.append)
    lesson.act()
    lesson.room.start()
    lesson.act()
    assert lesson.room.phase == "result" and len(lesson.room.known) == 5
    lesson.room.ask("shout")
    take(lesson.room, lesson.phones[0].seat, {"t": "shout", "e": lesson.phones[0].seed})
    assert len(lesson.room.known) == 6


def test_rooms_are_few_and_end_after_an_hour():
    now = [0.0]
    rooms = Rooms(lambda: now[0])
    opened = [rooms.open(asked()) for _ in range(MOST_ROOMS)]
    assert len({room.code for room in opened}) == MOST_ROOMS and all(len(room.code) == 8 for room in opened)
    for room in opened:
        room.join(lambda message: None)
    with pytest.raises(Refused, match="20 rooms"):
        rooms.open(asked())
    code = opened[0].code
    assert rooms.find(f"{code[:4].upper()}-{code[4:]}") is opened[0] and rooms.find("nothing") is None
    changes = []
    opened[1].watch(lambda: changes.append(opened[1].phase))
    now[0] = LIFETIME
    assert rooms.find(code) is None and changes == ["closed"] and "an hour" in opened[1].why
    rooms.open(asked())


def test_one_visitor_does_not_hold_all_rooms():
    rooms, share = Rooms(), round(SHARE * MOST_ROOMS)
    opened = [rooms.open(asked(), "visitor") for _ in range(share + 1)]
    assert opened[0].phase == "closed" and opened[1].phase == "lobby"
    for room in opened[1:]:
        room.join(lambda message: None, origin="visitor")
    with pytest.raises(Refused, match=str(MOST_ROOMS)):
        rooms.open(asked(), "visitor")
    lectures = [rooms.open(asked(), f"lecturer {i}") for i in range(MOST_ROOMS - share + 1)]
    # One that no phone is in makes room; those with phones stay.
    assert [room.phase for room in (*opened[1:], *lectures)] == ["lobby"] * share + ["closed"] + ["lobby"] * (
        MOST_ROOMS - share
    )


@pytest.mark.parametrize(
    ("other", "words"),
    [
        ({"text": " "}, "1 to 120 characters, got 0"),
        ({"text": "x" * 121}, "got 121"),
        ({"low": 12.0}, "largest number must be above"),
        ({"high": math.inf}, "at most 10⁹"),
    ],
)
def test_a_question_states_what_is_wrong_with_it(other, words):
    with pytest.raises(Refused, match=words):
        asked(**other)
