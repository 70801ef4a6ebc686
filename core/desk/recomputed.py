"""The average computed anew from the letters, by whoever holds them: what a receipt alone does not prove."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from core.desk import letters, records
from core.desk.receipt import Verified
from core.parties import Aggregator, Plan
from core.parties.messages.letter import AGGREGATOR
from core.parties.messages.refusals import Refused, TooFewSites

_ROUNDS = ("join", "shares", "input", "unmask")
_FOLLOWS = {"join": "roster", "shares": "relay", "input": "included"}


def recomputed(plan: Plan, said: Verified, folder: Path) -> str | None:
    """SHA-256 of the average that the letters of both folders add up to; None if they are too few.

    Parameters
    ----------
    plan : Plan
    said : Verified
        The receipt: who is in the average.
    folder : Path
        Letters of sites and of the aggregator, in folders at any depth; foreign and altered ones are left out.
    """
    found, sets = _letters(plan, folder)
    party = Aggregator(plan)
    names = [site.name for site in plan.sites]
    for kind in _ROUNDS:
        there = sets.get(_FOLLOWS.get(kind))
        if kind == "input":
            there = [names.index(name) for name in said.predicate["sites"]]
        _collect(party, found.get(kind, {}), there)
    if party.result is None:
        return None
    return records.digest(np.asarray(party.result.value, dtype="<f8").tobytes())


def _collect(party, sent, there):
    before = party.phase
    for number in sorted(sent):
        if (there is None or number in there) and party.phase == before:
            try:
                party.receive(sent[number])
            except Refused:
                continue
    if party.phase == before and party.phase != "done":
        try:
            party.close()
        except TooFewSites:
            return


def _letters(plan, folder):
    """Letters of sites by round and number; whom the aggregator named in which round."""
    keys = {n: dict(plan.keys)[site.name] for n, site in enumerate(plan.sites)}
    keys[AGGREGATOR] = dict(plan.keys)["aggregator"]
    found: dict[str, dict[int, bytes]] = {}
    sets: dict[str | None, list[int]] = {}
    for path in sorted(folder.rglob("*.letter")):
        try:
            letter = letters.opened(data := records.read(path, most=letters.MOST_BYTES), keys)
        except (OSError, ValueError, *letters.UNFORESEEN):
            continue
        if letter.plan != plan.id:
            continue
        if letter.sender == AGGREGATOR:
            sets[letter.round] = list(letter.content.get("sites", ()))
        else:
            found.setdefault(letter.round, {})[letter.sender] = letters.bare(data)
    return found, sets
