"""A site: it has a statistic, draws its noise, and sends one message."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from typing import Any, ClassVar

import numpy as np

from core import check
from core.parties.edge_line import Line
from core.parties.messages.letter import AGGREGATOR, TRUSTED, Letter, is_blob
from core.parties.messages.refusals import Forged, Malformed
from core.parties.party import FROM_AGGREGATOR, Party, flat
from core.parties.plan import Plan
from core.schemes import Promise
from core.schemes.messages import Draw, clip_of, fits
from core.schemes.parts import message
from core.secure_sum import SumSite, crypto, quantise, shamir

SEALED = crypto.SEAL_BYTES + 2 * shamir.SHARE_BYTES  # Bytes of two sealed shares.
_BITS = 51  # Of levels in a secure sum of messages: whole numbers up to there are exact in floating point.


class Site(Party):
    """A site of a plan.

    Parameters
    ----------
    plan : Plan
    number : int
        Its number in the plan, from 0.
    statistic : array
        Of the plan's shape and within its bounds. Only its message depends on it.
    records : int, optional
        How many records it has. Default: as many as the plan says.
    sensitivity : float, optional
        Δ of its statistic, as the site itself knows it. Default: what the bounds and its records imply, if the statistic
        is a known one.
    consent : collection of str
        Names of schemes that show records to somebody, such as "pooled" and "nonprivate", in which the site takes part
        all the same.
    rng : numpy.random.Generator, OperatingSystem or Source, optional
        Source of its noise. Default: with discrete noise the operating system's generator, which never draws the same
        again; else see `Source`. A generator's seed is part of the state: a site that comes back from its last state
        draws the same noise and does not release its statistic twice.
    random : callable, optional
        Returns the given number of random bytes, for keys. Default: those of the operating system.

    Raises
    ------
    ValueError
        For another shape, a statistic outside the bounds, an unknown number, a sensitivity above the plan's or one that
        nobody knows, and a scheme without the consent that it needs. No error quotes an entry of the statistic, and
        after this none depends on it.
    """

    kind = "site"
    remembers: ClassVar[bool] = False  # Whether it knows the noise of earlier months.

    def __init__(
        self,
        plan: Plan,
        number: int,
        statistic: Any,
        *,
        records: int | None = None,
        sensitivity: float | None = None,
        consent: Collection[str] = (),
        rng: Any = None,
        random: Callable[[int], bytes] | None = None,
    ):
        super().__init__(plan, number, rng, random)
        if plan.correlated and not self.remembers:
            raise ValueError(
                "plan must not correlate months for a site without a history of noise, got one that does; see "
                "core.parties.SeriesSite"
            )
        self.number = check.integer("number", number, low=0, high=len(plan.sites) - 1)
        self.sensitivity = self._own_sensitivity(records, sensitivity)
        plan.refuse_sensitivity(self.number, self.sensitivity)
        if plan.shows_records and plan.scheme not in consent:
            raise ValueError(
                f"consent must name {plan.scheme!r}, a scheme that shows what a site holds, got {check.shown(consent)}"
            )
        self._statistic = plan.statistic.checked(statistic, name="statistic")
        plan.repeated().refuse_unfit(self.number, self._statistic, math.inf)

    @classmethod
    def of(cls, plan: Plan, number: int, records: Any, **options: Any) -> Site:
        """A site that computes the plan's statistic of its records, clipped to the public bounds.

        Parameters
        ----------
        records : array of shape (n, d)
            As many as the plan says.
        **options
            consent, rng and random, as above.
        """
        table = check.matrix("records", records)
        return cls(plan, number, plan.statistic.of(table), records=len(table), **options)

    def _own_sensitivity(self, records, sensitivity):
        asked = self.plan.sites[self.number].records
        count = asked if records is None else check.integer("records", records, low=1)
        if asked not in (None, count):
            raise ValueError(f"records must be {asked}, as the plan says of site {self.number}, got {count}")
        if sensitivity is not None:
            return check.positive("sensitivity", sensitivity)
        known = self.plan.statistic.change is not None
        if count is None or not known:
            missing = "records" if known else "sensitivity"
            raise ValueError(
                f"{missing} must be given, since the plan does not imply the sensitivity, got None"
            )
        return self.plan.sensitivity(count)

    @property
    def promise(self) -> Promise:
        """The largest μ of its records in this release, from its own sensitivity: what it agrees to by joining."""
        return self.plan.promise(self.number, self.sensitivity)

    @property
    def result(self) -> np.ndarray | None:
        """The released average, when the aggregator has sent it."""
        return self._held.get("result")

    def holds(self, records: Any) -> bool:
        """Whether its statistic is that of these records; a site that `restore` gave back has no others."""
        return np.array_equal(self.plan.statistic.of(records), self._statistic)

    def join(self) -> tuple[bytes, ...]:
        """The first message, to the aggregator."""
        if self.phase != "new":
            raise ValueError(f"site {self.number} must join once, and is in phase {self.phase!r}")
        return self._whole(self._join)

    def _own(self):
        return {"number": self.number, "statistic": self._statistic, "sensitivity": self.sensitivity}

    @classmethod
    def _again(cls, plan, own, random):
        # Who has a state has consented before.
        sensitivity, consent = own.get("sensitivity"), (plan.scheme,)
        return cls(
            plan, own["number"], own["statistic"], sensitivity=sensitivity, consent=consent, random=random
        )

    def _awaits(self):
        rounds = {
            "joined": {"roster": FROM_AGGREGATOR},
            "sharing": {"relay": FROM_AGGREGATOR},
            "masked": {"included": FROM_AGGREGATOR},
            "unmasked": {"total": FROM_AGGREGATOR},
            "seeded": {"total": FROM_AGGREGATOR},
            "asked": {"zero-sum": (TRUSTED,)},
            "sent": {},
        }.get(self.phase)
        if rounds is None:
            return {}
        # The others may have gone on without this site.
        rounds = rounds | {"average": FROM_AGGREGATOR}
        # After its statistic left in any form, a further message about it would cost privacy again.
        if not self._held.get("spoken"):
            rounds = rounds | {"again": FROM_AGGREGATOR}
        return rounds

    def _handle(self, letter):
        return {
            "roster": self._on_roster,
            "relay": self._on_relay,
            "included": self._on_included,
            "total": self._on_total,
            "zero-sum": self._on_zero_sum,
            "again": self._on_again,
            "average": self._on_average,
        }[letter.round](letter)

    def _join(self) -> list[Letter]:
        keys: list[bytes] = []
        if self.plan.form == "secure":
            # The threshold is set when it is known who is there.
            summing = SumSite.new(self.number, len(self.plan.sites), 2, self._random)
            keys = list(summing.keys())
            self._held["summing"] = summing.to_dict()
        elif self.plan.form == "edges":
            pair = crypto.KeyPair(self._random(crypto.KEY_BYTES))
            keys = [pair.public]
            self._held["secret"] = pair.secret
        self._held["phase"] = "joined"
        return [self._letter("join", AGGREGATOR, {"keys": keys})]

    def _on_roster(self, letter):
        roster = self._named(letter, self.plan.numbers)
        if self.number not in roster:
            raise Malformed(f"sites must contain site {self.number} in round 'roster'")
        self._held["roster"] = list(roster)
        form, parts = self.plan.form, self._parts()
        if form in ("secure", "edges"):
            count = 2 if form == "secure" else 1
            keys = letter.mapping("keys", roster, lambda v: _are_keys(v, count))
            self._held["phase"] = "sharing"
            try:
                return self._shares(keys) if form == "secure" else self._edges(keys)
            except ValueError as error:  # No key pair agrees with such a key.
                raise Forged(f"keys must be public keys of the other sites: {error}") from None
        if form == "nothing":
            return self._message([])
        if form == "generator":
            self._held["mask"] = letter.array("mask", self.plan.statistic.shape)
            self._held["phase"] = "asked"
            return [self._letter("seed", TRUSTED, {"sites": list(roster)})]
        if parts.sum_only:
            return self._message([], TRUSTED)
        if parts.after is not None:
            return self._packet(list(roster))
        seed = self._source.draw(parts.contributions.seed_std[self._place()])
        self._held["seed"], self._held["phase"] = seed, "seeded"
        return [self._letter("seed", TRUSTED, {"sites": list(roster), "seed": seed})]

    # A secure sum, of contributions to zero-sum noise or of the messages themselves.

    def _shares(self, keys):
        summing = SumSite.from_dict(self._held["summing"])
        summing.threshold = self._threshold()
        sealed = summing.share({s: (a, b) for s, (a, b) in keys.items()}, self._random)
        self._held["summing"] = summing.to_dict()
        return [self._letter("shares", AGGREGATOR, {"sealed": sealed})]

    def _on_relay(self, letter):
        if self.plan.form == "edges":
            return self._on_edges(letter)
        sharing = letter.sites("sites", tuple(self._held["roster"]))
        sealed = letter.mapping("sealed", set(sharing) - {self.number}, is_blob(SEALED))
        if self.number not in sharing or len(sharing) < self._threshold():
            raise Malformed(
                f"sites must be at least {self._threshold()} with site {self.number} in round 'relay'"
            )
        summing = SumSite.from_dict(self._held["summing"])
        try:
            summing.receive(sealed)
        except Exception as error:  # Of the cryptography package, which may be missing.
            raise Forged(f"sealed shares must open for site {self.number}: {type(error).__name__}") from None
        levels, self._held["scale"], content = self._levels()
        self._held["summing"], self._held["sharing"] = summing.to_dict(), list(sharing)
        self._held["levels"], self._held["phase"] = levels, "masked"
        self._held["spoken"] = self._parts().summed
        return [self._letter("input", AGGREGATOR, {"input": summing.masked(flat(levels))} | content)]

    def _levels(self):
        """Whole numbers to be summed, the statistic's units of one of them, and what goes with them in one packet."""
        parts, place = self._parts(), self._place()
        if parts.sum_only:
            return self._rounded(), 1.0, {}
        if parts.after is None:
            plan = parts.contributions
            levels, step = self._quantised(
                plan, plan.weights[place] * self._source.draw(plan.seed_std[place])
            )
            return levels, step, {}
        message, taken = self._noisy()
        if parts.grid is not None:
            return taken, 1.0, {"message": message}
        levels, step = self._quantised(parts.after, parts.weights[place] * taken)
        if (
            parts.after.own_noise == "message"
        ):  # It uses ê_s as rounded for the sum, so that it is taken off exactly.
            message = message - taken + levels * step / parts.weights[place]
        return levels, step, {"message": message}

    def _quantised(self, plan, value):
        draw = Draw(self.plan.statistic.shape, self.plan.noise, None)
        sites = len(self._held["roster"])
        return quantise(value, clip=clip_of(plan, draw), sites=sites, rounding="nearest")

    def _noisy(self):
        """The message where a sum comes after it, and what that sum takes off: ê_s, or ê_s − g_s."""
        parts, place = self._parts(), self._place()
        seed = self._source.draw(parts.seed_std[place])
        local = self._local(parts)
        late = parts.after.own_noise == "sum"
        bare = self._statistic if parts.grid is None else self._in_steps()
        return message(bare, seed, *(() if late else (local,))), seed - local if late else seed

    def _packet(self, roster):
        """Its message to the aggregator, and to the adder what the sum takes off: both leave at once."""
        sent, taken = self._noisy()
        self._held["spoken"], self._held["phase"] = True, "sent"
        content = {"sites": roster, "seed": taken}
        return [
            self._letter("seed", TRUSTED, content),
            self._letter("message", AGGREGATOR, {"message": sent}),
        ]

    def _on_included(self, letter):
        included = letter.sites("sites", tuple(self._held["sharing"]))
        summing = SumSite.from_dict(self._held["summing"])
        if self.number not in included or len(included) < summing.threshold:
            raise Malformed(
                f"sites must be at least {summing.threshold} with site {self.number} in round 'included'"
            )
        shares = {
            s: share.to_bytes(shamir.SHARE_BYTES, "big") for s, share in summing.unmask(included).items()
        }
        self._held["summing"] = summing.to_dict()
        self._held["phase"] = "sent" if self._parts().summed else "unmasked"
        return [self._letter("unmask", AGGREGATOR, {"shares": shares})]

    def _on_total(self, letter):
        included = self._named(letter, self._held["roster"])
        total = letter.array("total", self.plan.statistic.shape)
        planned, place = self._parts().contributions, self._place()
        if self.plan.form == "secure":
            seed = self._held["levels"] * self._held["scale"] / planned.weights[place]
        else:
            seed = self._held["seed"]
        if list(included) != self._held["roster"]:
            there = [self._held["roster"].index(s) for s in included]
            if self.number not in included:
                raise Malformed(f"sites must contain site {self.number} in round 'total'")
            self._held["roster"] = list(included)
            if not fits(planned, self._parts().contributions, there):
                raise Malformed("sites must be such that their contributions fit, in round 'total'")
        share = self._parts().contributions.correction[self._place()]
        return self._message([seed - share * total])

    # Zero-sum noise of a trusted generator, and of neighbours.

    def _on_zero_sum(self, letter):
        zero_sum = letter.array("noise", self.plan.statistic.shape)
        return self._message([zero_sum], last=[self._held["mask"]])

    def _edges(self, keys):
        plan, roster, place = self._parts().edges, self._held["roster"], self._place()
        numbers = {roster[t]: self._source.draw(plan.edge_std) for s, t in plan.graph.edges if s == place}
        self._held["numbers"], self._held["keys"] = numbers, {s: k[0] for s, k in keys.items()}
        sealed = {t: self._line(t).seal(number, self._random) for t, number in numbers.items()}
        return [self._letter("shares", AGGREGATOR, {"sealed": sealed})]

    def _on_edges(self, letter):
        plan, roster, place = self._parts().edges, self._held["roster"], self._place()
        edges = [edge for edge in plan.graph.edges if place in edge]
        lower = {roster[s] for s, t in edges if t == place}
        sealed = letter.mapping("sealed", lower, lambda v: isinstance(v, bytes))
        shape = self.plan.statistic.shape
        numbers = self._held["numbers"] | {s: self._line(s).opened(text, shape) for s, text in sealed.items()}
        total = np.zeros(shape)
        for s, t in edges:
            number = numbers[roster[t if s == place else s]]
            total = total + number if s == place else total - number
        return self._message([total / plan.weights[place]])

    def _line(self, other):
        return Line(
            self.plan.id, self.attempt, self.number, other, self._held["secret"], self._held["keys"][other]
        )

    # The message.

    def _message(self, agreed, to=AGGREGATOR, *, last=()):
        """Its message of f_s, noise that was agreed, its own noise and what comes last; silent if it sends none."""
        parts = self._parts()
        self._held["phase"] = "sent"
        if not parts.senders[self._place()]:
            return []
        self._held["spoken"] = True
        content: dict[str, Any] = {}
        if parts.grid is not None and parts.local_std is not None:
            content["message"] = self._rounded()
        else:
            noise = [] if parts.local_std is None else [self._local(parts)]
            content["message"] = message(self._statistic, *agreed, *noise, *last)
        if to == TRUSTED:
            content["sites"] = self._held["roster"]
        return [self._letter("message", to, content)]

    def _rounded(self):
        """The statistic in steps of the grid, with noise: int64."""
        parts = self._parts()
        return self._in_steps() + self._local(parts)

    def _local(self, parts):
        """The site's own noise."""
        return self._source.draw(parts.local_std[self._place()], parts.divided)

    def _in_steps(self):
        weight = float(self.plan.repeated(self._absent()).request.sites.weights[self._place()])
        return self._parts().grid.levels(weight * self._statistic, self.number)

    def _on_again(self, letter):
        letter.sites("sites", tuple(self._held.get("roster", self.plan.numbers)))
        kept = {name: self._held[name] for name in ("seen", "outbox")}
        self._held = {"phase": "new", "attempt": self.attempt + 1} | kept
        return self._join()

    def _on_average(self, letter):
        letter.sites("sites", self.plan.numbers)
        self._held["result"] = letter.array("value", self.plan.statistic.shape)
        self._held["phase"] = "done"
        return []

    def _parts(self):
        try:
            self.plan.refuse_unfit(self._absent())
            if self.plan.form == "secure":
                self._threshold()
            return self.plan.parts(self._absent())
        except ValueError as error:
            raise Malformed(f"sites must be able to meet the plan: {error}") from None

    def _place(self):
        return self._held["roster"].index(self.number)


def _are_keys(value, count):
    return isinstance(value, list) and len(value) == count and all(map(is_blob(crypto.KEY_BYTES), value))
