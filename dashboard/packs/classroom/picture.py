"""What the screen draws of a room, as plain numbers and letters."""

from __future__ import annotations

from typing import Any

from dashboard.packs.classroom.ring import RING, centred
from dashboard.packs.classroom.room import Room
from dashboard.packs.classroom.words import number, planned, within


def drawn(room: Room) -> dict[str, Any]:
    """The picture of a room.

    Returns
    -------
    dict
        `phase`, `form`, `low`, `high`; `seats`, for each phone its number, its state ("here", "ready", "gone", "out"),
        whether it is simulated, and its place in the round; `phones`, S; `noise` and `messages`, what came, in the
        order of arrival, as pairs of a place and a height; `lens`, the zero-sum noise in the sum of so many messages,
        as standard deviations; `widths`, those of both averages; and of a result `averages`.
    """
    plan, phase = planned(room), room.phase
    found = {
        "phase": phase,
        "form": room.asked.form,
        "round": room.round,
        "low": room.asked.low,
        "high": room.asked.high,
        "seats": [[s.number, _state(room, s), s.simulated, s.place] for s in room.seats],
        "phones": len(room.playing),
        "ready": sum(seat.ready for seat in room.seats),
        "noise": _sums(room),
        "messages": _messages(room),
        "total": 0.0 if room.plan is None else room.total * room.plan.step,
        "lens": [],
        "widths": None,
        "averages": None,
        "revealed": [],
        "asking": sorted(room.asking),
        "shouted": sorted(room.arrived.shouted),
        "silent": len(room.silent) if room.playing else 0,
    }
    if plan is not None:
        found["widths"] = [plan.average_std(), plan.conventional_std()]
        found["texts"] = [f"?\u00a0{within(plan, width)}" for width in found["widths"]]
    if room.plan is not None:
        phones = room.plan.phones
        found["lens"] = [room.plan.uncancelled_std(phones - came) for came in range(phones + 1)]
    if room.result is not None:
        result = room.result
        found["averages"] = [result.average, result.conventional]
        found["widths"] = [result.std, result.conventional_std]
        found["texts"] = [
            within(plan, width, mean) for mean, width in zip(found["averages"], found["widths"], strict=True)
        ]
        if room.revealed:
            mean = sum(room.revealed) / len(room.revealed)
            found["revealed"] = [mean, len(room.revealed), number(plan, mean)]
    return found


def _state(room, seat):
    if room.phase != "lobby" and seat.place < 0:
        return "out"
    if seat.tell is None:
        return "gone"
    return "ready" if seat.ready else "here"


def _sums(room):
    """Running sums of the contributions: of masked ones as parts of the ring, of open ones in the question's unit."""
    total, sums = 0, []
    for place, value in room.arrived.noise.items():
        total += value
        if room.asked.form == "masks":
            total = centred(total)
        height = total / RING if room.asked.form == "masks" else total * room.plan.step
        sums.append([place, height])
    return sums


def _messages(room):
    """Messages as they came; with running sums of e_s where the laptop knows every ê, else None."""
    total, found = 0, []
    for place in room.arrived.messages:
        part = room.zero_sum(place)
        total += part or 0
        found.append([place, None if part is None else total * room.plan.step])
    return found
