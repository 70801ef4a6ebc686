"""A site's desk: the program that holds records, key, ledger and state. An engine is a pipe of bytes to it.

In every step the desk computes, writes its state, then its ledger, and only then lets bytes leave. So a desk that stops at
any moment goes on from its files: it sends the same bytes again, with the same noise and one entry of the ledger. All that
a run draws is fixed when it joins, so that files of any later moment, put back by a backup, send the same bytes too.
"""

from __future__ import annotations

import contextlib
import io
import json
import math
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from core import check
from core.desk import drawn, letters, receipt, records
from core.desk.agreement import Refused as NotReleasable
from core.desk.agreement import checked_plan, month_of, planned_observer
from core.desk.drawn import Drawn
from core.desk.heads import Heads, chain_of, earlier_of, head_of
from core.desk.keys import NAME as KEY
from core.desk.keys import Key
from core.desk.ledger import HASH_BYTES, BeyondCeiling, Head, Ledger, follows, moment, now
from core.desk.records import Damaged
from core.discrete import OperatingSystem
from core.parties import Plan, Site
from core.parties.messages.letter import AGGREGATOR, Letter, read
from core.parties.messages.refusals import Forged, Malformed, OutOfOrder
from core.parties.plan_file import LIMIT
from core.privacy import gdp_epsilon, gdp_mu

LEDGER, ABOUT = "ledger", "site.json"
SPAN = 30 * 24 * 3600  # Seconds by which joins of one run may lie apart.


@dataclass(frozen=True)
class Taken:
    """What came of some messages.

    Attributes
    ----------
    letters : tuple of bytes
        Signed letters to send, all to the aggregator.
    refused : tuple of str
        Why others were refused; the desk is as it was before these.
    """

    letters: tuple[bytes, ...] = ()
    refused: tuple[str, ...] = ()


class Desk:
    """The desk in a folder.

    Parameters
    ----------
    folder : Path
        Made by `Desk.init`.
    random : callable
        Returns so many random bytes, for keys of its own. Noise comes from the operating system alone; see
        `core.desk.drawn`.
    clock : callable
        The present time, as `core.desk.ledger.now`.
    """

    def __init__(
        self,
        folder: Path | str,
        *,
        random: Callable[[int], bytes] = os.urandom,
        clock: Callable[[], str] = now,
    ):
        self.folder, self._random, self._clock = Path(folder), random, clock
        self.key = Key.kept(self.folder)
        self.ledger = Ledger(self.folder / LEDGER)

    @classmethod
    def init(
        cls,
        folder: Path | str,
        *,
        random: Callable[[int], bytes] = os.urandom,
        clock: Callable[[], str] = now,
    ) -> Desk:
        """A new desk with a key and an empty ledger; ValueError if the folder has a key, see `renew`."""
        path = Path(folder)
        path.mkdir(parents=True, exist_ok=True, mode=0o700)
        key = Key.made(path, random)
        records.whole(
            path / ABOUT, records.canonical({"format": "CAPE Lab site", "version": 1, "key": key.public})
        )
        desk = cls(path, random=random, clock=clock)
        with desk.ledger.locked() as ledger:
            ledger.add("opened", time=clock(), message=records.digest(key.public.encode()))
        return desk

    @classmethod
    def renew(
        cls,
        folder: Path | str,
        *,
        random: Callable[[int], bytes] = os.urandom,
        clock: Callable[[], str] = now,
    ) -> Desk:
        """A new key for a desk; its ledger goes on, with an entry "opened" after the old head. A new key is a new plan.

        Raises
        ------
        NotReleasable
            While a plan with the old key is agreed to or under way.
        """
        old, path = cls(folder, random=random, clock=clock), Path(folder)
        waiting = [plan.id[:8] for plan in old.plans() if old.phase(plan) != "done"]
        if waiting := [*waiting, *old.damaged()]:
            raise NotReleasable(
                f"plans must be done, or their folders deleted, before the key changes, got {', '.join(waiting)}"
            )
        secret = random(32)
        public, about = Key(secret).public, about_site(path)
        with old.ledger.locked() as ledger:
            ledger.add("opened", time=clock(), message=records.digest(public.encode()))
            before = [*about.get("before", ()), about["key"]]
            records.whole(path / ABOUT, records.canonical(about | {"key": public, "before": before}))
            records.whole(path / KEY, secret)
        return cls(path, random=random, clock=clock)

    def set_ceiling(self, epsilon: float, delta: float, *, observer: str = "aggregator", reason: str) -> None:
        """Set what a year may spend: an entry of the ledger, with its reason; receipts of others show that it is there."""
        if not reason.strip():
            raise ValueError("reason must be a text that is not empty")
        with self.ledger.locked() as ledger:
            ledger.add(
                "ceiling",
                time=self._clock(),
                epsilon=float(epsilon),
                delta=float(delta),
                observer=observer,
                reason=reason,
            )

    # Consent.

    def consent(self, plan: Plan, table: Any, *, number: int | None = None) -> int:
        """Agree to a plan with records of the site's own, and keep what was agreed to; returns the site's number.

        Parameters
        ----------
        plan : Plan
            With keys, whole numbers and public bounds; see `core.desk.agreement`.
        table : array of shape (n, d)
            The records, in the plan's columns.
        number : int, optional
            The site's number in the plan. Default: that of its key.

        Raises
        ------
        ValueError
            For a plan that a desk does not carry out, by name; other records than the plan says; a ceiling that is missing
            or would be passed; a run that is under way or done.
        """
        checked_plan(plan)
        number = self._number(plan) if number is None else number
        if dict(plan.keys)[plan.sites[number].name] != self.key.public:
            raise NotReleasable(f"keys of the plan must have this desk's key for {plan.sites[number].name!r}")
        values = np.asarray(check.matrix("records", table), dtype=float)
        Site.of(plan, number, values, rng=OperatingSystem())  # Refuses what cannot be released.
        with self.ledger.locked() as ledger:
            if ledger.ceiling is None:
                raise NotReleasable("ceiling must be set before a site consents; see 'site ceiling'")
            if ledger.has(plan.id, plan.run) or (self.place(plan) / "state").exists():
                raise NotReleasable(
                    f"run must be a new one: {plan.run!r} of this plan is under way or done, and a further release is "
                    "a further run"
                )
            ledger.refuse_beyond(
                self._mu(plan, number), self._clock(), **ledger.further(month_of(plan, values))
            )
            self.place(plan).mkdir(parents=True, exist_ok=True, mode=0o700)
            records.whole(self.place(plan) / "plan.json", plan.text().encode())
            records.whole(self.place(plan) / "records.npy", _saved(values))
            agreed = {"plan": plan.id, "run": plan.run, "number": number, "records": _of_records(values)}
            records.whole(self.place(plan) / "consent.json", records.canonical(agreed))
        return number

    def refuse_unfit(self, plan: Plan, table: Any) -> None:
        """Raise what `consent` would, of the plan and of the year's ceiling: before people compare words of keys."""
        number, ledger = self._number(checked_plan(plan)), self.ledger
        values = np.asarray(check.matrix("records", table), dtype=float)
        ledger.refuse_beyond(self._mu(plan, number), self._clock(), **ledger.further(month_of(plan, values)))

    def plans(self) -> tuple[Plan, ...]:
        """The plans that were consented to, without those whose file is `damaged`."""
        return tuple(found for found in self._plans() if isinstance(found, Plan))

    def damaged(self) -> tuple[str, ...]:
        """Which plans cannot be read, and why; the others go on."""
        return tuple(str(found) for found in self._plans() if not isinstance(found, Plan))

    def _plans(self):
        for folder in sorted((self.folder / "plans").glob("*")):
            try:
                with records.named(path := folder / "plan.json"), contextlib.suppress(FileNotFoundError):
                    yield Plan.read(records.read(path, most=LIMIT))
            except Damaged as error:
                yield error

    # Running.

    def begin(self, plan: Plan) -> tuple[bytes, ...]:
        """The join of a plan, or what was sent last if it is under way: the same bytes.

        Raises
        ------
        ValueError
            If a ceiling would be passed (an entry "refused" is written); if the state is gone while the ledger says that the
            run was spent; if the records are others than were consented to.
        """
        with self.ledger.locked() as ledger:
            state = self._state(plan)
            if state is not None:
                if state.get("done"):  # It may have stopped before they were gone.
                    self._forget(plan)
                return self._outgoing(plan, state, ledger)
            if ledger.has(plan.id, plan.run):
                raise NotReleasable(
                    "state must be there: the ledger says that this run was spent, and its noise is not drawn again"
                )
            agreed, values = self._consented(plan)
            ledger.refuse_earlier(time := self._clock())
            site = Site.of(plan, agreed["number"], values, rng=OperatingSystem(), random=self._random)
            (join,) = site.join()
            told = self._told_join(join, ledger, time)
            state = {"site": site, "time": time, "join": records.digest(told), "out": [told]}
            state["head"], state["month"] = ledger.head.n, month_of(plan, values)
            state["secret"] = (
                drawn.secret().hex()
            )  # On disc with the join: whatever is drawn later is fixed now.
            self._refuse_beyond(plan, ledger, state)
            self._write(plan, state)
            return self._outgoing(plan, state, ledger)

    def take(self, messages: Iterable[bytes]) -> Taken:
        """Take signed letters of the aggregator, in any order, and return what is to be sent."""
        sent: list[bytes] = []
        refused: list[str] = []
        plans = {plan.id: plan for plan in self.plans()}
        for data in messages:
            try:
                sent += self._step(data, plans)
            except ValueError as error:  # `Refused` is one.
                refused.append(f"{type(error).__name__}: {error}")
            except letters.UNFORESEEN as error:
                refused.append(f"Malformed: data must have the shape of its round ({type(error).__name__})")
        return Taken(tuple(sent), tuple(refused))

    def _step(self, data, plans):
        leads = {dict(plan.keys)["aggregator"] for plan in plans.values()}
        plan = plans.get(letters.plan_named(data, leads))
        if plan is None:
            raise Malformed("data must belong to a plan that was consented to")
        letter = letters.opened(data, {AGGREGATOR: dict(plan.keys)["aggregator"]})
        with self.ledger.locked() as ledger:
            state = self._state(plan, records.digest(letters.bare(data)))
            if state is None:
                raise OutOfOrder("the site must join first")
            if state.get("done"):
                return self._outgoing(plan, state, ledger)
            site = state["site"]
            if letter.receiver == site.number and site.heard(letter):
                return self._outgoing(plan, state, ledger)  # Its answer was lost: the same bytes.
            if letter.round == "again":
                raise OutOfOrder(
                    "round must not be 'again': a release goes on with all but the planned dropouts, or not"
                )
            if letter.round in ("roster", "included", "average"):
                letter.sites("sites", plan.numbers)
            if letter.round == "roster":
                self._compare(plan, site, letter, state)
            if letter.round == "included":
                self._compare_spent(plan, letter)
            if letter.round == "average":
                _refuse_false(plan, letter, state, ledger.has(plan.id, plan.run))
            answers = site.receive(letters.bare(data))
            if letter.round in ("roster", "included"):
                state[letter.round] = list(letter.content["sites"])
            state["out"] = list(answers)
            if site.phase == "done":
                state = self._finished(plan, site, letter, state, ledger)
            elif self._spoken(state) and not ledger.has(plan.id, plan.run):
                self._refuse_beyond(plan, ledger, state)
            self._write(plan, state)
            return self._outgoing(plan, state, ledger)

    def _outgoing(self, plan, state, ledger):
        """What is to be sent, signed; what tells of the records is in the ledger first."""
        if not state.get("done") and self._spoken(state) and not ledger.has(plan.id, plan.run):
            packet = next(d for d in state["out"] if _tells(d))
            number = state["site"].number
            # Again: it may have stopped after its state was written, and another run may have spent since.
            self._refuse_beyond(plan, ledger, state)
            ledger.add(
                "spent",
                time=ledger.booked(state["time"]),
                plan=plan.id,
                run=plan.run,
                mu=self._mu(plan, number),
                message=records.digest(packet),
                **ledger.further(state["month"]),
            )
        return [
            letters.sealed(self._with_head(plan, data, ledger, state.get("head", 1)), self.key)
            for data in state["out"]
        ]

    def _told_join(self, data, ledger, time):
        """A join with the ledger's head, the hashes that it goes on from, the desk's earlier keys, and the time."""
        letter = read(data)
        told = {"head": ledger.head.to_list(), "chain": ledger.chain, "before": self._earlier_keys()}
        return replace(letter, content=letter.content | told | {"time": time}).data()

    def _earlier_keys(self):
        try:
            return list(about_site(self.folder).get("before", ()))
        except ValueError:
            raise NotReleasable(
                f"{ABOUT} must be as 'site init' wrote it: a join tells the desk's earlier keys"
            ) from None

    def _with_head(self, plan, data, ledger, begun):
        """A packet tells the head after its own entry: others hold it, so that the entry cannot be put back."""
        if not _tells(data):
            return data
        line = next(
            x for x in ledger.lines if (x["kind"], x["plan"], x["run"]) == ("spent", plan.id, plan.run)
        )
        letter = read(data)
        # From the line that its join told on: who took that join holds it, or a later one.
        chain = ledger.chain[HASH_BYTES * (begun - 1) : HASH_BYTES * line["n"]].hex()
        head = self._told_head(plan, letter.sender, Head(line["n"], line["hash"]), chain=chain)
        return replace(letter, content=letter.content | {"head": head}).data()

    def _told_head(self, plan, number, head, **more):
        """A head in an envelope of its own, signed, for others to keep."""
        name = plan.sites[number].name
        about = {"plan": plan.id, "run": plan.run, "site": name, "head": head.to_list()} | more
        told = receipt.statement(receipt.HEAD, name, head.hash, about)
        return json.dumps(receipt.envelope(told, [receipt.signature(told, self.key)])).encode()

    @staticmethod
    def _spoken(state):
        return any(map(_tells, state["out"]))

    def _compare(self, plan, site, letter, state):
        """The joins of all sites, signed by them: an aggregator cannot put a key in a site's place, or an old head."""
        joins = letter.content.get("joins")
        if not isinstance(joins, dict) or set(joins) != set(letter.content.get("sites", ())):
            raise Malformed("joins must be there for every site of the roster")
        keys = {n: dict(plan.keys)[member.name] for n, member in enumerate(plan.sites)}
        for number, data in joins.items():
            join = letters.opened(data, keys)
            if (join.round, join.sender, join.plan) != ("join", number, plan.id):
                raise Forged(f"joins must be of each site itself, for site {number}")
            if number == site.number and records.digest(letters.bare(data)) != state["join"]:
                raise Forged(f"joins must have its own join of this run for site {number}, got another one")
            if list(join.content["keys"]) != list(letter.content["keys"][number]):
                raise Forged(f"keys must be those that site {number} signed in its join")
            if _apart(join.content.get("time"), state["time"]) > SPAN:
                raise Malformed(
                    f"time of site {number}'s join must be within {SPAN // 86400} days of this one's"
                )
            self._compare_head(plan, number, *joined_head(join))

    def _compare_spent(self, plan, letter):
        """The heads of all whose packets came, after the entries that these cost."""
        told = letter.content.get("heads")
        if not isinstance(told, dict) or set(told) != set(letter.content.get("sites", ())):
            raise Malformed("heads must be there for every site whose packet came")
        for number, data in told.items():
            self._compare_head(plan, number, *signed_head(plan, number, data))

    def _compare_head(self, plan, number, head, chain, earlier=None):
        """A ledger goes on from the head that this desk holds of it."""
        key = dict(plan.keys)[plan.sites[number].name]
        Heads(self.folder).compare(number, key, head, chain, earlier)

    def _finished(self, plan, site, letter, state, ledger):
        """Sign what was released; statistic and secret keys go, a hash stays."""
        average = np.asarray(letter.content["value"], dtype=float)
        payload = receipt.statement(
            receipt.RELEASE,
            "average",
            records.digest(average.astype("<f8").tobytes()),
            about_release(plan, letter),
        )
        content = {
            "signature": json.dumps(receipt.signature(payload, self.key)).encode(),
            "head": self._told_head(plan, site.number, ledger.head, **_year_of(ledger)),
            "chain": ledger.chain,
        }
        signed = Letter(plan.id, "signed", site.attempt, site.number, AGGREGATOR, content).data()
        gone = records.digest(site.state())
        return {"done": True, "out": [signed], "time": state["time"], "hash": gone, "value": average.tolist()}

    # What stands in the folder.

    def place(self, plan: Plan) -> Path:
        """The folder of a plan's run: what was agreed to, state, and the records until the average has come."""
        return self.folder / "plans" / f"{plan.id[:32]}"

    def _number(self, plan):
        names = [name for name, key in plan.keys if key == self.key.public and name != "aggregator"]
        if not names:
            raise NotReleasable(f"keys of the plan must have this desk's key, {self.key.public[:8]}…")
        return [site.name for site in plan.sites].index(names[0])

    def _consented(self, plan):
        path = self.place(plan)
        agreed = records.kept(path / "consent.json", {"plan": str, "number": int, "records": str})
        if agreed is None:
            raise NotReleasable("plan must be consented to first: consent.json is not there")
        if not (table := path / "records.npy").exists():
            raise NotReleasable(f"records must be those that were consented to: {table} is not there")
        with records.named(table):
            values = np.load(io.BytesIO(records.read(table)), allow_pickle=False)
        if agreed["plan"] != plan.id or agreed["number"] not in plan.numbers:
            raise NotReleasable("plan must be the one that was consented to: it was changed")
        if agreed["records"] != _of_records(values):
            raise NotReleasable("records must be those that were consented to: they were changed")
        return agreed, values

    def _mu(self, plan, number):
        ceiling = self.ledger.ceiling
        return planned_observer(plan, number, ceiling.observer if ceiling else "aggregator")

    def _refuse_beyond(self, plan, ledger, state):
        mu = self._mu(plan, state["site"].number)
        try:
            ledger.refuse_beyond(mu, state["time"], **ledger.further(state["month"]))
        except BeyondCeiling:
            if not ledger.has(plan.id, plan.run, "refused"):  # A desk that looks every second says it once.
                ledger.add(
                    "refused",
                    time=ledger.booked(state["time"]),
                    plan=plan.id,
                    run=plan.run,
                    mu=mu,
                )
            raise

    def _state(self, plan, letter=""):
        """What a run has come to; its site draws keys of the letter that it takes now, and noise of its roster alone."""
        held = records.kept(path := self.place(plan) / "state", {"out": list, "time": str})
        if held is None:
            return None
        if not held.get("done") and "secret" not in held:
            raise NotReleasable("state must be of a run that this version began: delete the run's folder")
        with records.named(path):
            moment(held["time"])
            held["out"] = [read(bytes.fromhex(data)).data() for data in held["out"]]
            if not held.get("done"):
                secret = bytes.fromhex(held["secret"])
                noise, keys = Drawn(secret, {"noise": held.get("roster")}), Drawn(secret, {"keys": letter})
                held["site"] = Site.restore(plan, bytes.fromhex(held["site"]), rng=noise, random=keys.bytes)
        return held

    def _write(self, plan, state):
        kept = state | {"out": [data.hex() for data in state["out"]]}
        if "site" in kept:
            kept["site"] = kept["site"].state().hex()
        records.whole(self.place(plan) / "state", records.canonical(kept))
        if kept.get("done"):
            self._forget(plan)

    def _forget(self, plan):
        (self.place(plan) / "records.npy").unlink(missing_ok=True)

    def left(self, year: int) -> float:
        """ε at the ceiling's δ that a year has spent; rounded up by whoever shows it."""
        ceiling = self.ledger.ceiling
        spent = self.ledger.spent(year)
        return 0.0 if ceiling is None or not spent else float(gdp_epsilon(ceiling.privacy.delta, spent))

    def room(self) -> float:
        """ε at the ceiling's δ that one further release of this year may have; 0 without a ceiling."""
        ceiling = self.ledger.ceiling
        if ceiling is None:
            return 0.0
        spent, most = self.ledger.spent(moment(self._clock()).year), gdp_mu(ceiling.privacy)
        if not spent:
            return ceiling.privacy.epsilon
        return (
            float(gdp_epsilon(ceiling.privacy.delta, math.sqrt(most**2 - spent**2))) if spent < most else 0.0
        )

    def phase(self, plan: Plan) -> str:
        """How far a run has come: "agreed", a phase of `core.parties.Site`, or "done"."""
        state = self._state(plan)
        if state is None:
            return "agreed"
        return "done" if state.get("done") else state["site"].phase

    def knows(self, head: Head) -> bool:
        """Whether a head that somebody else keeps is of this ledger."""
        return follows(self.ledger.lines, head)


def about_release(plan: Plan, letter: Letter) -> Mapping[str, Any]:
    """What a receipt says: who took part, under which plan, and what is promised."""
    sites = [plan.sites[n].name for n in letter.content["sites"]]
    grid = plan.parts().grid
    promise = plan.promise(int(np.argmax([s.sensitivity for s in plan.sites])))
    return {
        "plan": plan.id,
        "run": plan.run,
        "keys": dict(plan.keys),
        "sites": sites,
        "dropped": [site.name for site in plan.sites if site.name not in sites],
        "promised": {site.name: _target(site) for site in plan.sites},
        "observer": plan.against,
        "mu": math.ceil(max(promise.aggregator, promise.colluders) * 1e9) / 1e9,
        "step": None if grid is None else grid.step,
        "draw": plan.draw,
        "unit": "one record, replaced by any other; the number of records is public",
    }


def _refuse_false(plan, letter, state, left):
    """An average is signed of the sites that this one answered to, or without this one if it knows that it dropped out."""
    number, sites = state["site"].number, list(letter.content["sites"])
    roster, included = state.get("roster", list(plan.numbers)), state.get("included")
    if not set(sites) <= set(roster) or len(sites) < plan.answers(len(roster)):
        raise Forged(f"sites must be at least {plan.answers(len(roster))} of those that joined, got {sites}")
    if included is not None and sites != included:
        raise Forged(f"sites must be those whose sum this site has unmasked, {included}, got {sites}")
    if included is None and number in sites:
        what = "has not unmasked a sum" if left else "has sent no packet"
        raise Forged(f"sites must not name site {number}, which {what} in this run")


def about_site(folder: Path) -> dict[str, Any]:
    """What a desk's folder says of its keys; Damaged if it does not."""
    with records.named(path := folder / ABOUT):
        found = records.kept(path, {"key": str})
        if found is None or not all(isinstance(key, str) for key in found.get("before", [])):
            raise ValueError("it must be there, with the desk's key and those before")
    return found


def _target(site):
    return None if site.privacy is None else [site.privacy.epsilon, site.privacy.delta]


def _tells(data):
    """Whether a letter depends on the records."""
    letter = read(data)
    return letter.round == "input" or "message" in letter.content


def _saved(values):
    file = io.BytesIO()
    np.save(file, values, allow_pickle=False)
    return file.getvalue()


def _of_records(values):
    return records.digest(repr(values.shape).encode() + np.ascontiguousarray(values, dtype="<f8").tobytes())


def joined_head(join: Letter) -> tuple[Head, bytes, tuple[str, ...]]:
    """What a join tells of its ledger: head, hashes of the lines, and the desk's earlier keys."""
    told = join.content
    head, chain = head_of(told.get("head")), chain_of(told.get("chain"))
    if len(chain) != HASH_BYTES * head.n:
        raise Malformed(f"chain of a join must be of all {head.n} lines, got {len(chain) // HASH_BYTES}")
    return head, chain, earlier_of(told.get("before"))


def _year_of(ledger):
    """What a receipt tells of a site's year: its ceiling, and μ that is spent."""
    year, ceiling = moment(ledger.lines[-1]["time"]).year, ledger.ceiling
    limit = [ceiling.privacy.epsilon, ceiling.privacy.delta, ceiling.observer]
    spent = ledger.spent(year)  # Nothing yet, if the site dropped out before its first packet of the year.
    return {"year": year, "spent": float(check.upwards(spent, 9)) if spent else 0.0, "ceiling": limit}


def signed_head(plan: Plan, number: int, data: Any) -> tuple[Head, bytes]:
    """Head and hashes of the lines that a site tells in an envelope of its own; refused if it is of another site or plan.

    The envelope of a receipt has no hashes: those stand beside it.
    """
    try:
        told = receipt.verified(receipt.parsed(data), kind=receipt.HEAD)
    except ValueError:
        raise Malformed("head must be an envelope of a ledger's head") from None
    if told.signed != (dict(plan.keys)[plan.sites[number].name],) or told.predicate.get("plan") != plan.id:
        raise Forged(f"head must be signed by site {number} itself, for this plan")
    try:
        chain = bytes.fromhex(told.predicate.get("chain", ""))
    except (TypeError, ValueError):
        raise Malformed("chain must be hexadecimal digits") from None
    return head_of(told.predicate.get("head")), chain_of(chain)


def _apart(first, second):
    return abs((moment(first) - moment(second)).total_seconds())
