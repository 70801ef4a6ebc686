"""Secure aggregation protocol: the sum of the sites' values with dropouts, without revealing any value.

K. Bonawitz et al.: Practical Secure Aggregation for Privacy-Preserving Machine Learning, CCS 2017, for
parties who follow the protocol; [Cape] Algorithm 1 computes T = Σ w_s ê_s with it. Four rounds, `ROUNDS`:

keys
    Every site sends two public keys: for sealed messages, and for masks.
shares
    It splits its mask key and the seed of a mask of its own into shares, any t of which recover them,
    and sends every other site one of each, sealed.
input
    It sends its value in Z_{2^64} plus its own mask, plus (minus) a mask for every later (earlier) site.
    In the sum of all inputs the pairwise masks cancel.
unmask
    When a site learns who sent an input, it sends its shares: of the own masks of those who did, of the mask
    keys of those who did not. Never both of one site: together they would bare its value.

A site may fall silent before any round; as long as t sites answer the last one, the sum over those who
sent an input is exact in the ring.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np

from core import check
from core.secure_sum import crypto, shamir
from core.secure_sum.site import SecureSumFailed, SumSite, recovered

ROUNDS = ("keys", "shares", "input", "unmask")
Rounding = Literal["stochastic", "nearest"]
ROUNDINGS: tuple[Rounding, ...] = get_args(Rounding)
AGGREGATOR = None
_NUMBER_BYTES = 4  # a site's number in a message


@dataclass(frozen=True)
class Message:
    """What one party sent another in one round; `AGGREGATOR` (None) is the aggregator.

    `content` maps the site that it speaks of to what is said: keys, sealed shares, a masked input, shares.
    """

    round: str
    sender: int | None
    receiver: int | None
    content: Mapping[int, object] = field(repr=False)
    size: int  # bytes


@dataclass(frozen=True)
class SecureSum:
    """The sum, and the transcript of the protocol.

    Attributes
    ----------
    total : ndarray
        Sum over the sites in `included`, within `error_bound` of the sum of their clipped values.
    included : tuple of int
        Sites whose input arrived.
    threshold : int
        t, how many sites must answer the last round, and how many colluding ones could break it.
    resolution : float
        Step of the quantisation.
    quantised : ndarray of shape (S, ...)
        Each site's value as it was put in. Known to that site alone.
    messages : tuple of Message
        Everything that was sent, in order.
    """

    total: np.ndarray
    included: tuple[int, ...]
    threshold: int
    resolution: float
    quantised: np.ndarray = field(repr=False)
    messages: tuple[Message, ...] = field(repr=False)

    @property
    def error_bound(self) -> float:
        """Largest possible distance of each entry of `total` from the sum of the clipped values.

        One step for every site, and the rounding of the total to floating point.
        """
        return len(self.included) * self.resolution + float(np.abs(self.total).max(initial=0)) * 2.0**-52

    @property
    def aggregator_view(self) -> tuple[Message, ...]:
        """All that the aggregator ever receives."""
        return tuple(m for m in self.messages if m.receiver is AGGREGATOR)

    @check.arguments
    def traffic(self, party: int | None) -> tuple[int, int]:
        """Number of messages and of bytes that a site, or the `AGGREGATOR`, sends and receives."""
        sizes = [m.size for m in self.messages if party in (m.sender, m.receiver)]
        return len(sizes), sum(sizes)


@check.arguments(values=check.reals, clip=check.positive)
def secure_sum(
    values,
    *,
    clip: float,
    threshold: int | None = None,
    silent: Mapping[str, Iterable[int]] | None = None,
    bits: int = 40,
    rounding: Rounding = "stochastic",
    rng: np.random.Generator | None = None,
) -> SecureSum:
    """Sum the sites' arrays so that the aggregator learns the sum alone.

    Parameters
    ----------
    values : array of shape (S, ...)
        One array per site, S ≥ 2.
    clip : float
        Public bound C: entries are clipped to [−C, C].
    threshold : int, optional
        t, from 2 to S; default ⌊2S/3⌋ + 1, so that up to ⌈S/3⌉ − 1 sites may be lost ([Cape] section 3.3).
        Fewer than t colluding sites learn nothing but the sum, even with the aggregator.
    silent : mapping of a round to sites, optional
        Which sites send nothing from that round of `ROUNDS` on.
    bits : int
        Values are rounded to multiples of C/2^bits. The sum cannot wrap around: S · 2^bits < 2^63 is checked.
    rounding : {"stochastic", "nearest"}
        "stochastic" is unbiased. "nearest" is for values that a site draws itself and can replace
        by what it put in, like noise; it keeps their symmetries.
    rng : numpy.random.Generator, optional
        Makes a run repeatable. Default: keys come from the operating system, as real use requires.

    Raises
    ------
    ValueError
        Naming a malformed argument.
    SecureSumFailed
        If fewer than t sites are left in a round.
    """
    values = check.finite("values", np.asarray(values, dtype=float))
    if values.ndim < 1 or len(values) < 2:
        raise ValueError(f"values must come from at least 2 sites, got shape {values.shape}")
    sites = len(values)
    threshold = default_threshold(sites) if threshold is None else threshold
    check.integer("threshold", threshold, low=2, high=sites)
    last_round = first_missed(silent or {}, ROUNDS, sites)
    random = os.urandom if rng is None else rng.bytes
    levels, resolution = quantise(values, clip=clip, bits=bits, rounding=rounding, sites=sites, rng=rng)
    flat = levels.reshape(sites, -1).astype(np.uint64)
    parties = [SumSite.new(s, sites, threshold, random) for s in range(sites)]
    ring_total, included, messages = _exchange(parties, flat, random, last_round, threshold)
    total = ring_total.astype(np.int64).reshape(values.shape[1:]) * resolution
    return SecureSum(total, included, threshold, resolution, levels * resolution, tuple(messages))


@check.arguments
def traffic(sites: int, entries: int) -> tuple[int, int]:
    """Bytes that a site, and the aggregator, send and receive in a run that nobody drops out of.

    [Cape] Table 1: O(S + D) and O(S² + SD), with the constants of these messages.
    """
    sites = check.integer("sites", sites, low=2)
    keys, number = 2 * crypto.KEY_BYTES, _NUMBER_BYTES
    sealed = crypto.SEAL_BYTES + 2 * shamir.SHARE_BYTES
    site = keys + sites * (keys + number)  # its keys, and everybody's
    site += 2 * (sites - 1) * (sealed + number)  # sealed shares, sent and received
    site += 8 * check.integer("entries", entries, low=0)  # its input
    site += sites * number + sites * (shamir.SHARE_BYTES + number)  # who is there; shares handed over
    return site, sites * site


@check.arguments
def default_threshold(sites: int) -> int:
    """⌊2S/3⌋ + 1: one more than the sites that may collude or be lost leave over."""
    return 2 * sites // 3 + 1


@check.arguments(values=check.reals, sites=check.whole(1), clip=check.positive)
def quantise(
    values,
    *,
    clip: float,
    sites: int,
    bits: int = 40,
    rounding: Rounding = "stochastic",
    rng: np.random.Generator | None = None,
) -> tuple[np.ndarray, float]:
    """Clip to [−C, C] and round to whole multiples of C/2^bits: the multiples (int64), and that step.

    Each entry moves by less than one step; "stochastic" rounding is unbiased. The sum of `sites` such
    numbers lies inside ±2^63.
    """
    clip = check.positive("clip", clip)
    check.integer("bits", bits, low=1, high=min(52, 62 - math.ceil(math.log2(sites))))
    step = clip / 2**bits
    if not (step >= np.finfo(float).tiny and clip * sites < math.inf):
        raise ValueError(f"clip must leave room for steps of clip / 2^{bits} and for the sum, got {clip}")
    levels = np.clip(values, -clip, clip) / step
    if rounding == "nearest":
        return np.rint(levels).astype(np.int64), step
    rng = np.random.default_rng() if rng is None else rng
    low = np.floor(levels)
    return (low + (rng.random(levels.shape) < levels - low)).astype(np.int64), step


def first_missed(silent: Mapping[str, Iterable[int]], rounds: Sequence[str], sites: int) -> list[int]:
    """For each site the place of the first round that it misses (`len(rounds)`: none)."""
    missed = [len(rounds)] * sites
    for name, chosen in silent.items():
        check.choice("silent", name, rounds)
        for site in chosen:
            site = check.integer(f"silent in round {name!r}", site, low=0, high=sites - 1)
            missed[site] = min(missed[site], rounds.index(name))
    return missed


def _exchange(parties, values, random, first_missed, threshold):
    """Run the four rounds; returns the total in the ring, who is in it, and all messages."""
    messages = []

    def speakers(number, among):
        return [s for s in among if first_missed[s] > number]

    def enough(number, left):
        """Those who answer a round do so before the aggregator can count them."""
        if len(left) < threshold:
            raise SecureSumFailed(
                f"only {len(left)} sites answered in round {ROUNDS[number]!r}, {threshold} are needed: "
                "the sum cannot be recovered, and nothing was revealed",
                tuple(messages),
            )

    def up(number, site, content, size):
        messages.append(Message(ROUNDS[number], site, AGGREGATOR, content, size))

    def down(number, site, content, size):
        messages.append(Message(ROUNDS[number], AGGREGATOR, site, content, size))

    everyone = speakers(0, range(len(parties)))
    keys = {s: parties[s].keys() for s in everyone}
    for s in everyone:
        up(0, s, {s: keys[s]}, 2 * crypto.KEY_BYTES)
    enough(0, everyone)

    for s in everyone:
        down(1, s, keys, len(keys) * (2 * crypto.KEY_BYTES + _NUMBER_BYTES))
    sharing = speakers(1, everyone)
    sealed = {s: parties[s].share(keys, random) for s in sharing}
    for s in sharing:
        up(1, s, sealed[s], sum(len(c) + _NUMBER_BYTES for c in sealed[s].values()))
    enough(1, sharing)

    for s in sharing:
        received = {u: sealed[u][s] for u in sharing if u != s}
        down(2, s, received, sum(len(c) + _NUMBER_BYTES for c in received.values()))
        parties[s].receive(received)
    included = speakers(2, sharing)
    inputs = {s: parties[s].masked(values[s]) for s in included}
    for s in included:
        up(2, s, {s: inputs[s]}, inputs[s].nbytes)
    enough(2, included)

    for s in included:
        down(3, s, dict.fromkeys(included, True), len(included) * _NUMBER_BYTES)
    answering = speakers(3, included)
    answers = {s: parties[s].unmask(included) for s in answering}
    for s in answering:
        up(3, s, answers[s], len(answers[s]) * (shamir.SHARE_BYTES + _NUMBER_BYTES))
    enough(3, answering)
    return recovered(keys, sharing, inputs, answers, threshold), tuple(included), messages
