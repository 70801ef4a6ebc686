"""One site's side of secure aggregation, and the aggregator's last step; `core.secure_sum.protocol` has the rounds."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from core.secure_sum import crypto, shamir


class SecureSumFailed(RuntimeError):
    """Raised if too few sites remain to recover the sum; nobody has learnt anything.

    `messages` is everything that was sent until then, in order; empty if a single site or the aggregator stops.
    """

    def __init__(self, why: str, messages: tuple = ()):
        super().__init__(why)
        self.messages = messages


@dataclass
class SumSite:
    """What one site knows of a secure sum, and no more.

    Attributes
    ----------
    number : int
        The site's number, from 0.
    sites : int
        How many sites there are: each secret is split into so many shares.
    threshold : int
        t, how many shares recover a secret.
    channel, mask : KeyPair
        For sealed messages, and for the masks that two sites share.
    own_mask : bytes
        Seed of a mask of its own.
    held : dict
        Shares of each site's mask key and own mask that this site holds.
    roster : dict
        The public keys of the sites that take part.
    answered : bool
        Whether it has handed out shares.
    """

    number: int
    sites: int
    threshold: int
    channel: crypto.KeyPair
    mask: crypto.KeyPair
    own_mask: bytes
    held: dict[int, tuple[int, int]] = field(default_factory=dict)
    roster: dict[int, tuple[bytes, bytes]] = field(default_factory=dict)
    answered: bool = False

    @classmethod
    def new(cls, number: int, sites: int, threshold: int, random: Callable[[int], bytes]) -> SumSite:
        """A site with keys of its own; `random` returns that many random bytes."""
        channel, mask = crypto.KeyPair(random(32)), crypto.KeyPair(random(32))
        return cls(number, sites, threshold, channel, mask, random(32))

    def to_dict(self) -> dict[str, Any]:
        """Everything it knows as plain values: secrets."""
        return {
            "number": self.number,
            "sites": self.sites,
            "threshold": self.threshold,
            "channel": self.channel.secret,
            "mask": self.mask.secret,
            "own_mask": self.own_mask,
            "held": {s: list(pair) for s, pair in self.held.items()},
            "roster": {s: list(pair) for s, pair in self.roster.items()},
            "answered": self.answered,
        }

    @classmethod
    def from_dict(cls, kept: Mapping[str, Any]) -> SumSite:
        """The site that `to_dict` described."""
        return cls(
            kept["number"],
            kept["sites"],
            kept["threshold"],
            crypto.KeyPair(kept["channel"]),
            crypto.KeyPair(kept["mask"]),
            kept["own_mask"],
            {s: (a, b) for s, (a, b) in kept["held"].items()},
            {s: (a, b) for s, (a, b) in kept["roster"].items()},
            kept["answered"],
        )

    def keys(self) -> tuple[bytes, bytes]:
        """The public keys, which it sends in round "keys"."""
        return self.channel.public, self.mask.public

    def share(
        self, roster: Mapping[int, tuple[bytes, bytes]], random: Callable[[int], bytes]
    ) -> dict[int, bytes]:
        """Shares of its secrets, sealed for every other site: round "shares"."""
        self.roster = dict(roster)
        keys, owns = (
            shamir.split(secret, threshold=self.threshold, count=self.sites, random=random)
            for secret in (self.mask.secret, self.own_mask)
        )
        self.held[self.number] = keys[self.number], owns[self.number]
        sealed = {}
        for other in roster:
            if other != self.number:
                text = b"".join(p[other].to_bytes(shamir.SHARE_BYTES, "big") for p in (keys, owns))
                sealed[other] = crypto.seal(
                    self._channel(other), text, _label(self.number, other), random=random
                )
        return sealed

    def receive(self, sealed: Mapping[int, bytes]) -> None:
        """Open the shares that other sites sealed for it; cryptography's InvalidTag if anything was changed."""
        for other, text in sealed.items():
            opened = crypto.unseal(self._channel(other), text, _label(other, self.number))
            key, own = (
                int.from_bytes(part, "big")
                for part in (opened[: shamir.SHARE_BYTES], opened[shamir.SHARE_BYTES :])
            )
            self.held[other] = key, own

    def masked(self, value: np.ndarray) -> np.ndarray:
        """Its value in Z_{2^64}, a flat array, plus its masks: round "input"."""
        sent = value + crypto.stretch(self.own_mask, value.size)
        for other in self.held:
            if other != self.number:
                key = self.mask.agree(self.roster[other][1], "mask")
                sent += _pairwise(key, sent.size, self.number, other)
        return sent

    def unmask(self, included: Collection[int]) -> dict[int, int]:
        """Shares of the own masks of those whose input arrived, and of the mask keys of the others: round "unmask"."""
        if self.answered or len(included) < self.threshold:
            raise SecureSumFailed(
                f"site {self.number} answers once, and only for at least {self.threshold} inputs"
            )
        self.answered = True
        return {other: own if other in included else key for other, (key, own) in self.held.items()}

    def _channel(self, other):
        return self.channel.agree(self.roster[other][0], "channel")


def recovered(
    keys: Mapping[int, tuple[bytes, bytes]],
    sharing: Collection[int],
    inputs: Mapping[int, np.ndarray],
    answers: Mapping[int, Mapping[int, int]],
    threshold: int,
) -> np.ndarray:
    """The sum of the inputs in Z_{2^64}: the aggregator recovers masks from shares and takes them off.

    Parameters
    ----------
    keys : mapping of a site to its public keys
    sharing : collection of int
        Sites that sent shares.
    inputs : mapping of a site to its masked value
    answers : mapping of a site to the shares that it handed out
        Of at least `threshold` sites.
    threshold : int
    """
    total = np.add.reduce(np.stack(list(inputs.values())))
    chosen = sorted(answers)[:threshold]
    weights = shamir.lagrange(tuple(s + 1 for s in chosen))
    for owner in sharing:
        number = sum(weights[s + 1] * answers[s][owner] for s in chosen) % shamir.PRIME
        secret = number.to_bytes(crypto.KEY_BYTES, "big")
        if owner in inputs:
            total -= crypto.stretch(secret, total.size)
            continue
        pair = crypto.KeyPair(secret)
        for other in inputs:
            # `other` had put in this mask for a partner whose input never came.
            total -= _pairwise(pair.agree(keys[other][1], "mask"), total.size, other, owner)
    return total


def _pairwise(key, entries, site, partner):
    """What `site` adds for `partner`: the mask if the partner comes later, its negative if earlier."""
    mask = crypto.stretch(key, entries)
    return mask if site < partner else np.negative(mask)


def _label(sender, receiver):
    return sender.to_bytes(4, "big") + receiver.to_bytes(4, "big")
