"""The aggregator's desk: it passes letters on, adds up, and collects signatures of what was released."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from core.desk import letters, receipt, records
from core.desk.agreement import checked_plan
from core.desk.desk import about_release, joined_head, signed_head
from core.desk.heads import Heads, chain_of
from core.desk.keys import Key
from core.desk.ledger import moment
from core.parties import Aggregator, Plan
from core.parties.messages.letter import read
from core.parties.messages.refusals import Forged, Malformed, Replayed, TooFewSites
from core.parties.plan_file import LIMIT

_STATE = {"party": str, "out": list, "joins": dict, "spent": dict, "signatures": list, "heads": dict}


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
        self.place = self._place(plan)
        kept = self.place / "plan.json"
        if plan is not None and not kept.exists():
            self.place.mkdir(parents=True, exist_ok=True, mode=0o700)
            records.whole(kept, checked_plan(plan).text().encode())
        with records.named(kept):
            self.plan = Plan.read(records.read(kept, most=LIMIT))
        if dict(self.plan.keys)["aggregator"] != self.key.public:
            raise ValueError("keys of the plan must have this key for the aggregator")
        self._keys = {n: dict(self.plan.keys)[site.name] for n, site in enumerate(self.plan.sites)}
        self._held = self._read()
        self._write_receipt()

    @classmethod
    def init(cls, folder: Path | str, *, random: Callable[[int], bytes] = os.urandom) -> Key:
        """A new folder with a key, whose public half goes into the plan."""
        path = Path(folder)
        path.mkdir(parents=True, exist_ok=True, mode=0o700)
        return Key.made(path, random)

    def _place(self, plan):
        """The folder of one run: of the plan, or the only one."""
        if plan is not None:
            return self.folder / "runs" / plan.id[:32]
        found = sorted((self.folder / "runs").glob("*"))
        if len(found) != 1:
            raise ValueError(f"plan must be given where a folder has {len(found)} runs, got None")
        return found[0]

    @property
    def waits_for(self) -> tuple[str, ...]:
        """Names of the sites whose letter of this round has not come."""
        party = self._party()
        return tuple(self.plan.sites[n].name for n in party.waits_for if isinstance(n, int))

    @property
    def unsigned(self) -> tuple[str, ...]:
        """Names of the sites that have not signed the average."""
        signed = {one["keyid"] for one in self._held["signatures"]}
        return tuple(site.name for n, site in enumerate(self.plan.sites) if self._keys[n] not in signed)

    @property
    def phase(self) -> str:
        """The round, or "done"."""
        return self._party().phase

    @property
    def value(self) -> np.ndarray | None:
        """The released average."""
        found = self._party().result
        return None if found is None else np.asarray(found.value)

    def take(self, messages: Iterable[bytes]) -> tuple[tuple[Any, bytes], ...]:
        """Take letters of sites; returns a site's number and the letter to it, for every letter to send.

        What is refused is in `refused`.
        """
        sent: list[tuple[Any, bytes]] = []
        self.refused: list[str] = []
        with records.locked(self.place / "lock"):
            self._held = self._read()
            for data in messages:
                try:
                    sent += self._step(data)
                except ValueError as error:  # `Refused` is one.
                    self.refused.append(f"{type(error).__name__}: {error}")
                except letters.UNFORESEEN as error:
                    self.refused.append(
                        f"Malformed: data must have the shape of its round ({type(error).__name__})"
                    )
        return tuple(sent)

    def close(self) -> tuple[tuple[Any, bytes], ...]:
        """End the round without the sites that are silent, and return what follows.

        Raises
        ------
        TooFewSites
            If those that answered are too few, with what to do. Nothing is changed, and the round goes on.
        """
        with records.locked(self.place / "lock"):
            self._held = self._read()
            party = self._party()
            try:
                answers = party.close()
            except TooFewSites as error:
                raise TooFewSites(f"{error}; {self._what_to_do(party)}") from None
            return self._after(party, answers)

    def _what_to_do(self, party):
        """Who is silent in this round, what has left until now, and which ways are open."""
        silent = ", ".join(self.plan.sites[n].name for n in party.waits_for) or "nobody"
        if party.phase in ("join", "shares"):
            left = "no number of the records has left and no ledger is charged"
            way = "make a plan with more dropouts or without them"
        else:
            left = "every site whose packet left is charged, and no sum was unmasked"
            way = "a further release is a further run of the plan, 'cape-lab plan --run'"
        return f"not heard from: {silent}; {left}: wait for them and do not close, or {way}"

    def again(self) -> tuple[tuple[Any, bytes], ...]:
        """What was sent last: the same bytes. With an average, what was to be unmasked, too: who lost that signs nothing."""
        asked = self._held.get("asked", []) if self._held["statement"] is not None else []
        every = [*map(bytes.fromhex, asked), *self._held["out"]]
        return tuple((read(data).receiver, letters.sealed(data, self.key)) for data in every)

    def _step(self, data):
        letter = letters.opened(data, self._keys)
        if letter.plan != self.plan.id:
            raise Malformed(
                f"data must belong to the plan of this folder, {self.plan.id[:8]}, got {letter.plan[:8]!a}: another run or "
                "another plan, which is left alone"
            )
        if letter.round == "signed":
            return self._signed(letter)
        party = self._party()
        try:
            answers = party.receive(letters.bare(data))
        except Replayed:
            self._refuse_second(letter, data)
            return [pair for pair in self.again() if pair[0] == letter.sender]
        # After a restart the letters of this run are read again, and ledgers have gone on since: those are no news.
        if letter.round == "join":
            moment(letter.content.get("time"))
            self._compare_head(letter.sender, *joined_head(letter))
        if letter.round == "input":
            self._compare_head(
                letter.sender, *signed_head(self.plan, letter.sender, letter.content.get("head"))
            )
        if letter.round == "join":
            self._held["joins"] = {**self._held["joins"], str(letter.sender): data.hex()}
        if letter.round == "input":
            self._held["spent"] = {**self._held["spent"], str(letter.sender): letter.content["head"].hex()}
        return self._after(party, answers)

    def _after(self, party, answers):
        """Keep the state, then send; the roster goes with the joins that sites have signed."""
        out = []
        for data in answers:
            letter = read(data)
            if letter.round == "roster":
                joins = {n: bytes.fromhex(self._held["joins"][str(n)]) for n in letter.content["sites"]}
                data = replace(letter, content=letter.content | {"joins": joins}).data()
            if letter.round == "included":
                heads = {n: bytes.fromhex(self._held["spent"][str(n)]) for n in letter.content["sites"]}
                data = replace(letter, content=letter.content | {"heads": heads}).data()
            out.append(data)
        if out:
            self._held["out"] = out
            if read(out[0]).round == "included":
                self._held["asked"] = [data.hex() for data in out]
        self._held["party"] = party.state()
        if party.phase == "done" and self._held["statement"] is None:
            self._state_release(read(out[0]))
        self._write()
        self._write_receipt()
        return tuple((read(data).receiver, letters.sealed(data, self.key)) for data in out)

    def _state_release(self, letter):
        average = np.asarray(letter.content["value"], dtype="<f8").tobytes()
        payload = receipt.statement(
            receipt.RELEASE, "average", records.digest(average), about_release(self.plan, letter)
        )
        self._held["statement"] = payload.decode("ascii")
        self._held["signatures"] = [receipt.signature(payload, self.key)]
        records.whole(self.place / "average.f8", average, mode=0o644)

    def _signed(self, letter):
        """A site's signature of the same bytes, and its ledger's head in an envelope of its own."""
        if self._held["statement"] is None:
            raise Malformed("data must come after the average")
        payload = self._held["statement"].encode("ascii")
        signature = receipt.parsed(letter.content["signature"])
        if not isinstance(signature, dict) or set(signature) != {"keyid", "sig"}:
            raise Malformed("signature must have a keyid and a sig")
        if signature["keyid"] != self._keys[letter.sender]:
            raise Forged("signature must be of the site's own key")
        receipt.verified(receipt.envelope(payload, [signature]))
        head, _ = signed_head(self.plan, letter.sender, letter.content.get("head"))
        known = {one["keyid"] for one in self._held["signatures"]}
        if signature["keyid"] not in known:
            if (
                head.n >= Heads(self.folder).of(signature["keyid"]).n
            ):  # It may come after the join of a later run.
                self._compare_head(letter.sender, head, chain_of(letter.content.get("chain")))
            self._held["signatures"] = [*self._held["signatures"], signature]
            self._held["heads"] = {
                **self._held["heads"],
                self._keys[letter.sender]: json.loads(letter.content["head"]),
            }
            self._write()
            self._write_receipt()
        return []

    @property
    def receipt(self) -> dict[str, Any] | None:
        """The receipt with the signatures that have come, its plan and its average; None before there is an average."""
        if self._held["statement"] is None:
            return None
        found = receipt.envelope(self._held["statement"].encode("ascii"), self._held["signatures"])
        about = {"plan": json.loads(self.plan.text()), "average": np.asarray(self.value).tolist()}
        return {"release": found, "ledgers": list(self._held["heads"].values())} | about

    @property
    def enough(self) -> bool:
        """Whether the aggregator and at least t sites have signed."""
        return len(self._held["signatures"]) > self.plan.answers(len(self.plan.sites))

    def _write_receipt(self):
        """The receipt as the state has it; a program that stopped in between writes it when it begins anew."""
        if self._held["statement"] is None:
            return
        path, data = self.place / "receipt.json", json.dumps(self.receipt, indent=1).encode()
        with records.named(path):
            try:
                same = records.read(path) == data
            except OSError:
                same = False
            if not same:
                records.whole(path, data, mode=0o644)

    def _refuse_second(self, letter, data):
        """A site has one join and one packet in a run: another one is of a folder that was put back or copied."""
        held = {"join": ("joins", data), "input": ("spent", letter.content.get("head"))}.get(letter.round)
        if held and self._held[held[0]].get(str(letter.sender)) != held[1].hex():
            raise Forged(
                f"{letter.round} of site {letter.sender} must be the one that came first, got another one"
            )

    def _compare_head(self, number, head, chain, earlier=None):
        """A site's ledger goes on from the last head that it signed, under this key or an earlier one."""
        Heads(self.folder).compare(number, self._keys[number], head, chain, earlier)

    def _party(self):
        return Aggregator.restore(self.plan, self._held["party"], random=self._random)

    def _read(self):
        held = records.kept(path := self.place / "state", _STATE)
        if held is None:
            party = Aggregator(self.plan, random=self._random).state()
            empty: dict[str, Any] = {
                "joins": {},
                "spent": {},
                "statement": None,
                "signatures": [],
                "heads": {},
            }
            return {"party": party, "out": []} | empty
        with records.named(path):
            held["party"] = bytes.fromhex(held["party"])
            held["out"] = [read(bytes.fromhex(data)).data() for data in held["out"]]
            Aggregator.restore(self.plan, held["party"], random=self._random)
            if held["statement"] is not None:
                receipt.verified(receipt.envelope(held["statement"].encode("ascii"), held["signatures"]))
        return held

    def _write(self):
        kept = self._held | {"party": self._held["party"].hex(), "out": [d.hex() for d in self._held["out"]]}
        records.whole(self.place / "state", records.canonical(kept))
