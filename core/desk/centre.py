"""The aggregator's desk: it passes letters on, adds up, and collects signatures of what was released."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from core.desk import letters, receipt, records
from core.desk.agreement import checked_plan
from core.desk.desk import about_release, _head
from core.desk.keys import Key
from core.desk.ledger import Head, now
from core.parties import Aggregator, Plan
from core.parties.messages.letter import AGGREGATOR, Letter, read
from core.parties.messages.refusals import Forged, Malformed, Refused, Replayed


class Centre:
    """The aggregator of one plan, in a folder; it goes on from its files.

    Parameters
    ----------
    folder : Path
        Made by `Centre.init`, or of a run that is under way.
    plan : Plan, optional
        Needed for the first time.
    """

    def __init__(
        self, folder: Path | str, plan: Plan | None = None, *, random: Callable[[int], bytes] = os.urandom
    ):
        self.folder, self._random = Path(folder), random
        self.key = Key.kept(self.folder)
        kept = self.folder / "plan.json"
        if plan is not None and not kept.exists():
            records.whole(kept, checked_plan(plan).text().encode())
        self.plan = Plan.read(kept.read_bytes())
        if plan is not None and plan.id != self.plan.id:
            raise ValueError("plan must be the one of this folder: another run has a folder of its own")
        if dict(self.plan.keys)["aggregator"] != self.key.public:
            raise ValueError("keys of the plan must have this key for the aggregator")
        self._keys = {n: dict(self.plan.keys)[site.name] for n, site in enumerate(self.plan.sites)}
        self._held = self._read()

    @classmethod
    def init(cls, folder: Path | str, *, random: Callable[[int], bytes] = os.urandom) -> Key:
        """A new folder with a key, whose public half goes into the plan."""
        path = Path(folder)
        path.mkdir(parents=True, exist_ok=True, mode=0o700)
        return Key.made(path, random)

    @property
    def waits_for(self) -> tuple[str, ...]:
        """Names of the sites whose letter of this round has not come."""
        party = self._party()
        return tuple(self.plan.sites[n].name for n in party.waits_for if isinstance(n, int))

    @property
    def phase(self) -> str:
        """The round, or "done"."""
        return self._party().phase

    @property
    def value(self) -> np.ndarray | None:
        """The released average."""
        found = self._party().result
        return None if found is None else np.asarray(found.value)

    def take(self, messages: Iterable[bytes]) -> tuple[tuple[int, bytes], ...]:
        """Take letters of sites; returns a site's number and the letter to it, for every letter to send.

        What is refused is in `refused`.
        """
        sent: list[tuple[int, bytes]] = []
        self.refused: list[str] = []
        with records.locked(self.folder / "lock"):
            self._held = self._read()
            for data in messages:
                try:
                    sent += self._step(data)
                except (Refused, ValueError) as error:
                    self.refused.append(f"{type(error).__name__}: {error}")
        return tuple(sent)

    def close(self) -> tuple[tuple[int, bytes], ...]:
        """End the round without the sites that are silent, and return what follows.

        Raises
        ------
        TooFewSites
            If those that answered are too few.
        """
        with records.locked(self.folder / "lock"):
            self._held = self._read()
            party = self._party()
            return self._after(party, party.close())

    def again(self) -> tuple[tuple[int, bytes], ...]:
        """What was sent last: the same bytes."""
        return tuple((read(data).receiver, letters.sealed(data, self.key)) for data in self._held["out"])

    def _step(self, data):
        letter = letters.opened(data, self._keys)
        if letter.plan != self.plan.id:
            raise Malformed("data must belong to the plan of this folder")
        if letter.round == "signed":
            return self._signed(letter)
        if letter.round == "join":
            self._compare_head(letter)
        party = self._party()
        try:
            answers = party.receive(letters.bare(data))
        except Replayed:
            return [pair for pair in self.again() if pair[0] == letter.sender]
        if letter.round == "join":
            self._held["joins"] = {**self._held["joins"], str(letter.sender): data.hex()}
        return self._after(party, answers)

    def _after(self, party, answers):
        """Keep the state, then send; the roster goes with the joins that sites have signed."""
        out = []
        for data in answers:
            letter = read(data)
            if letter.round == "roster":
                joins = {n: bytes.fromhex(self._held["joins"][str(n)]) for n in letter.content["sites"]}
                address = letter.plan, letter.round, letter.attempt, letter.sender, letter.receiver
                data = Letter(*address, letter.content | {"joins": joins}).data()
            out.append(data)
        if out:
            self._held["out"] = out
        self._held["party"] = party.state()
        self._write()
        if party.phase == "done" and self._held["statement"] is None:
            self._state_release(party, read(out[0]))
        return tuple((read(data).receiver, letters.sealed(data, self.key)) for data in out)

    def _state_release(self, party, letter):
        average = np.asarray(letter.content["value"], dtype="<f8").tobytes()
        payload = receipt.statement(
            receipt.RELEASE, "average", records.digest(average), about_release(self.plan, letter)
        )
        self._held["statement"] = payload.decode("ascii")
        self._held["signatures"] = [receipt.signature(payload, self.key)]
        records.whole(self.folder / "average.f8", average, mode=0o644)
        self._write()
        self._write_receipt()

    def _signed(self, letter):
        """A site's signature of the same bytes, and its ledger's head in an envelope of its own."""
        if self._held["statement"] is None:
            raise Malformed("data must come after the average")
        payload = self._held["statement"].encode("ascii")
        signature = json.loads(letter.content["signature"])
        if signature["keyid"] != self._keys[letter.sender]:
            raise Forged("signature must be of the site's own key")
        receipt.verified(receipt.envelope(payload, [signature]))
        head = json.loads(letter.content["head"])
        told = receipt.verified(head, kind=receipt.HEAD)
        if told.signed != (self._keys[letter.sender],) or told.predicate.get("plan") != self.plan.id:
            raise Forged("head must be signed by the site itself, for this plan")
        known = {one["keyid"] for one in self._held["signatures"]}
        if signature["keyid"] not in known:
            self._held["signatures"] = [*self._held["signatures"], signature]
            self._held["heads"] = {**self._held["heads"], self._keys[letter.sender]: head}
            self._write()
            self._write_receipt()
        return []

    @property
    def receipt(self) -> dict[str, Any] | None:
        """The receipt with the signatures that have come, or None before there is an average."""
        if self._held["statement"] is None:
            return None
        found = receipt.envelope(self._held["statement"].encode("ascii"), self._held["signatures"])
        return {"release": found, "ledgers": list(self._held["heads"].values())}

    @property
    def enough(self) -> bool:
        """Whether the aggregator and at least t sites have signed."""
        return len(self._held["signatures"]) > self.plan.answers(len(self.plan.sites))

    def _write_receipt(self):
        records.whole(self.folder / "receipt.json", json.dumps(self.receipt, indent=1).encode(), mode=0o644)

    def _compare_head(self, join):
        """A site's ledger goes on from the head that an earlier receipt of this folder's owner holds."""
        path = self.folder / "heads.json"
        held = json.loads(path.read_bytes()) if path.exists() else {}
        key, head = self._keys[join.sender], _head(join.content.get("head"))
        before = Head(*held.get(key, Head().to_list()))
        if head.n < before.n or (head.n == before.n and head.hash != before.hash):
            raise Forged(f"ledger of site {join.sender} must have gone on from line {before.n}, got {head.n}")
        now_ = join.content.get("time")
        if not isinstance(now_, str) or len(now_) != len(now()):
            raise Malformed("time must be in a join")
        records.whole(path, records.canonical(held | {key: head.to_list()}))

    def _party(self):
        return Aggregator.restore(self.plan, self._held["party"], random=self._random)

    def _read(self):
        path = self.folder / "state"
        if not path.exists():
            party = Aggregator(self.plan, random=self._random).state()
            return {"party": party, "out": [], "joins": {}, "statement": None, "signatures": [], "heads": {}}
        held = json.loads(path.read_bytes())
        held["party"], held["out"] = bytes.fromhex(held["party"]), [bytes.fromhex(d) for d in held["out"]]
        return held

    def _write(self):
        kept = self._held | {"party": self._held["party"].hex(), "out": [d.hex() for d in self._held["out"]]}
        records.whole(self.folder / "state", records.canonical(kept))
