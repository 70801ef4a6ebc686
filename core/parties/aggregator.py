"""The aggregator: it leads through the rounds, passes sealed messages on, and averages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from core.parties.averaging import Averaging
from core.parties.messages.letter import AGGREGATOR, TRUSTED, is_blob
from core.parties.messages.refusals import Malformed, TooFewSites
from core.parties.party import Party
from core.parties.plan import Plan
from core.parties.site import SEALED
from core.schemes import Release
from core.schemes.messages import Draw, clip_of, fits
from core.secure_sum import crypto, quantise, recovered, shamir

_COLLECTS = ("join", "shares", "input", "unmask", "message")


class Aggregator(Party):
    """The aggregator of a plan.

    A round ends by itself when all sites that it waits for have answered; `close` ends it with those that have.

    Parameters
    ----------
    plan : Plan
    rng : numpy.random.Generator or Source, optional
        Source of the noise that the aggregator itself draws: under zero_sum="generator", and where it sees records.
    """

    kind = AGGREGATOR

    def __init__(self, plan: Plan, *, rng: Any = None, random: Callable[[int], bytes] | None = None):
        super().__init__(plan, AGGREGATOR, rng, random)
        self._held |= {"phase": "join", "expected": list(plan.numbers), "arrived": {}}

    @property
    def result(self) -> Release | None:
        """What is released, when all is done: value, noise, μ against every observer, and who took part.

        A site that dropped has sent nothing by then. If its message comes later it is refused, but the aggregator has
        seen it: against the aggregator, the μ of ``plan.stated(absent)`` then holds.
        """
        if (value := self._held.get("value")) is None:
            return None
        absent, dropped = tuple(self._held["absent"]), tuple(self._held["dropped"])
        return replace(self.plan.stated(absent, dropped), value=value[()], messages=self._held["messages"])

    @property
    def waits_for(self) -> tuple[int | str, ...]:
        """Sites, or "trusted", whose message of this round has not come."""
        if self.phase == TRUSTED:
            return (TRUSTED,)
        if self.phase == "done":
            return ()
        return tuple(s for s in self._held["expected"] if s not in self._held["arrived"])

    def close(self) -> tuple[bytes, ...]:
        """End the round without the sites that have not answered, and return the messages that follow.

        Raises
        ------
        TooFewSites
            If those that answered are too few. The round goes on.
        """
        if self.phase == "done":
            return ()
        if self.phase == TRUSTED:
            raise TooFewSites("the trusted party must answer; it ends its own round")
        return self._whole(self._next)

    @classmethod
    def _again(cls, plan, own, random):
        return cls(plan, random=random)

    def _awaits(self):
        if self.phase in _COLLECTS:
            return {self.phase: self._held["expected"]}
        if self.phase == TRUSTED:
            return {"sum" if self.plan.parts().sum_only else "total": (TRUSTED,)}
        return {}

    def _handle(self, letter):
        if self.phase == TRUSTED:
            return self._on_trusted(letter)
        content = {
            "join": self._joined,
            "shares": self._shared,
            "input": self._input,
            "unmask": self._unmasked,
            "message": self._message,
        }[letter.round](letter)
        self._held["arrived"] = {**self._held["arrived"], letter.sender: content}
        return [] if self.waits_for else self._next()

    # What a site's message must contain.

    def _joined(self, letter):
        return list(letter.blobs("keys", {"secure": 2, "edges": 1}.get(self.plan.form, 0), crypto.KEY_BYTES))

    def _shared(self, letter):
        if self.plan.form == "secure":
            return letter.mapping("sealed", set(self._held["roster"]) - {letter.sender}, is_blob(SEALED))
        roster = self._held["roster"]
        place, edges = roster.index(letter.sender), self._parts().edges.graph.edges
        size = crypto.SEAL_BYTES + 8 * self._size()
        return letter.mapping("sealed", {roster[t] for s, t in edges if s == place}, is_blob(size))

    def _input(self, letter):
        found = {"input": letter.array("input", (self._size(),), "u")}
        return found | ({} if self._parts().after is None else {"message": self._message(letter)})

    def _unmasked(self, letter):
        return letter.mapping("shares", self._held["sharing"], is_blob(shamir.SHARE_BYTES))

    def _message(self, letter):
        parts = self._parts()
        whole = parts.grid is not None and parts.local_std is not None
        return letter.array("message", self.plan.statistic.shape, "i" if whole else "f")

    # What follows when a round ends.

    def _next(self):
        here = sorted(self._held["arrived"])
        return {
            "join": self._after_join,
            "shares": self._after_shares,
            "input": self._after_input,
            "unmask": self._after_unmask,
            "message": self._after_messages,
        }[self.phase](here)

    def _after_join(self, here):
        if len(here) < self.plan.least:
            raise TooFewSites(f"at least {self.plan.least} sites must join, got {len(here)}")
        keys, form = self._held["arrived"], self.plan.form
        self._held["roster"] = here
        masks = self._masks(here) if form == "generator" else {}
        content: dict[str, Any] = {"sites": here}
        if form in ("secure", "edges"):
            if form == "secure":
                self._enough(here)
            content["keys"] = self._held["keys"] = {s: keys[s] for s in here}
            self._wait("shares", here)
        elif form == "adder" and self._parts().after is None:
            self._wait(TRUSTED, [])
        else:
            self._wait_for_messages()
        self._parts()  # Whether these sites can meet the plan shows before anybody sends more.
        return [self._letter("roster", s, content | ({"mask": masks[s]} if masks else {})) for s in here]

    def _masks(self, here):
        """Noise that the aggregator gives each site for its message, and subtracts from the message again."""
        stds, zero = self._parts().contributions.zero_sum_std, np.zeros(self.plan.statistic.shape)
        masks = {s: self._source.draw(t) if t else zero for s, t in zip(here, stds, strict=True)}
        self._held["masks"] = masks
        return masks

    def _after_shares(self, here):
        sealed = self._held["arrived"]
        # A sum of messages needs all but the planned dropouts; until now nobody has spoken of a statistic.
        few = self._parts().summed and len(here) < self._threshold()
        if here != self._held["roster"] and (few or self.plan.form == "edges"):
            return self._again_without(here)
        if self.plan.form == "secure":
            self._enough(here)
        self._held["sharing"] = here
        content: dict[str, Any] = {"sites": here}
        letters = [
            self._letter("relay", s, content | {"sealed": {u: sealed[u][s] for u in here if s in sealed[u]}})
            for s in here
        ]
        if self.plan.form == "secure":
            self._wait("input", here)
        else:
            self._wait_for_messages()
        return letters

    def _after_input(self, here):
        self._enough(here)
        packets = self._held["arrived"]
        self._held["inputs"] = {s: packet["input"] for s, packet in packets.items()}
        self._held["messages"] = {s: p["message"] for s, p in packets.items() if "message" in p}
        self._wait("unmask", here)
        return [self._letter("included", s, {"sites": here}) for s in here]

    def _after_unmask(self, here):
        self._enough(here)
        ring = self._ring_sum(here)
        included = sorted(self._held["inputs"])
        levels = ring.view(np.int64).reshape(self.plan.statistic.shape)
        parts = self._parts()
        if parts.sum_only:
            return self._finish(included, total=levels)
        if parts.after is not None and parts.grid is not None:
            return self._finish(included, total=levels)
        draw = Draw(self.plan.statistic.shape, self.plan.noise, None)
        clip = clip_of(parts.contributions or parts.after, draw)
        _, step = quantise(0.0, clip=clip, sites=len(self._held["roster"]), rounding="nearest")
        if parts.after is not None:
            return self._finish(included, total=levels * step)
        return self._agreed(included, levels * step)

    def _ring_sum(self, here):
        answers = {
            s: {owner: int.from_bytes(share, "big") for owner, share in self._held["arrived"][s].items()}
            for s in here
        }
        keys = {s: (a, b) for s, (a, b) in self._held["keys"].items()}
        try:
            return recovered(keys, self._held["sharing"], self._held["inputs"], answers, self._threshold())
        except (OverflowError, ValueError):
            raise Malformed("shares must recover the masks, and some were changed") from None

    def _agreed(self, included, total):
        """Send T to the sites whose contributions are in it, if these fit; else they agree again."""
        if included != self._held["roster"]:
            planned = self._parts().contributions
            there = [self._held["roster"].index(s) for s in included]
            before, self._held["roster"] = self._held["roster"], included
            if len(included) < self.plan.least or not fits(planned, self._parts().contributions, there):
                self._held["roster"] = before
                return self._again_without(included)
            total = total / planned.weights[there].sum()
        self._wait_for_messages()
        return [self._letter("total", s, {"sites": included, "total": np.asarray(total)}) for s in included]

    def _on_trusted(self, letter):
        included = list(self._named(letter, self._held["roster"]))
        shape = self.plan.statistic.shape
        whole = "i" if self._parts().grid is not None else "f"
        if self._parts().after is not None:
            if included != sorted(self._held["messages"]):
                raise Malformed("sites must be those whose messages came, in round 'total'")
            return self._finish(included, total=letter.array("total", shape, whole))
        if letter.round == "total":
            return self._agreed(included, letter.array("total", shape))
        return self._finish(included, total=letter.array("sum", shape, whole))

    def _again_without(self, left):
        """The sites that are left agree anew: nobody has sent anything that depends on a statistic."""
        if len(left) < self.plan.least:
            raise TooFewSites(
                f"at least {self.plan.least} sites must be left to agree again, got {len(left)}"
            )
        letters = [self._letter("again", s, {"sites": left}) for s in left]
        kept = {name: self._held[name] for name in ("seen", "outbox")}
        self._held = {"phase": "join", "attempt": self.attempt + 1, "expected": left, "arrived": {}} | kept
        return letters

    def _after_messages(self, here):
        if not here:
            expected = self._held["expected"]
            left = [s for s in self._held["roster"] if s not in expected]
            if self.plan.parts().agrees or not left:
                raise TooFewSites("no site sent a message")
            return self._again_without(left)
        if self.plan.parts().after is not None:
            self._enough(here)
            self._held["messages"] = self._held["arrived"]
            self._wait(TRUSTED, [])
            return [self._letter("included", TRUSTED, {"sites": here})]
        return self._finish(here)

    def _finish(self, here, total=None):
        roster, arrived = self._held["roster"], self._held["arrived"]
        senders = (
            here
            if total is not None
            else [s for s in roster if s in arrived or s not in self._held["expected"]]
        )
        absent, dropped = self._absent(), tuple(s for s in roster if s not in senders)
        noisy = self.plan.repeated(absent, dropped)
        if total is None:
            value, messages = self._averaging(noisy).of(arrived)
        elif self._parts().after is not None:
            value, messages = self._averaging(noisy).less(self._held["messages"], total)
        else:
            value, messages = self._averaging(noisy).from_sum(total), None
        self._held |= {"absent": list(absent), "dropped": list(dropped), "messages": messages}
        self._held["value"] = np.asarray(value, dtype=float)
        self._held["phase"] = "done"
        content = {"value": self._held["value"], "sites": senders}
        return [self._letter("average", s, content) for s in roster]

    def _averaging(self, noisy):
        agreed = self.plan.repeated(self._absent())
        return Averaging(
            agreed, noisy, self.plan.statistic.shape, self._held.get("masks", {}), self._source.draw
        )

    # Waiting.

    def _wait(self, phase, expected):
        self._held |= {"phase": phase, "expected": list(expected), "arrived": {}}

    def _wait_for_messages(self):
        roster, senders = self._held["roster"], self._parts().senders
        self._wait("message", [s for s, sends in zip(roster, senders, strict=True) if sends])

    def _enough(self, here):
        try:
            least = self._threshold()
        except ValueError as error:
            raise TooFewSites(f"the sites that are left cannot meet the plan: {error}") from None
        if len(here) < least:
            raise TooFewSites(f"at least {least} sites must answer in round {self.phase!r}, got {len(here)}")

    def _parts(self):
        try:
            return self.plan.parts(self._absent())
        except ValueError as error:
            raise TooFewSites(f"the sites that are left cannot meet the plan: {error}") from None

    def _size(self):
        return int(np.prod(self.plan.statistic.shape))
