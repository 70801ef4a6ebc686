"""The noise that one party draws, and how parties draw what one release draws in one process."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from typing import Any

import numpy as np

from core import check
from core.discrete import OperatingSystem
from core.parties.messages.letter import AGGREGATOR, TRUSTED, Address
from core.parties.plan import Plan
from core.schemes import named
from core.schemes.messages import Draw, fits, turns
from core.secure_sum import default_threshold

_KINDS = {"PCG64": np.random.PCG64, "PCG64DXSM": np.random.PCG64DXSM}


class Source:
    """Noise of one party, of the shape and distribution that a plan says.

    Parameters
    ----------
    plan : Plan
    rng : numpy.random.Generator, OperatingSystem or None
        None: for discrete noise the operating system's cryptographic generator; else a generator of its own with 256
        bits of the operating system as its seed. That one is NumPy's PCG64, which is not cryptographic: who sees enough
        of its exact output can compute the rest. Gaussian noise in floating point promises no more.
    turns : list, optional
        States of a generator that others use, too: the draws that are this party's.
    """

    def __init__(self, plan: Plan, rng: Any = None, turns: list | None = None):
        discrete = plan.discrete
        if rng is None:
            rng = OperatingSystem() if discrete else np.random.default_rng(secrets.randbits(256))
        if not isinstance(rng, np.random.Generator) and not (discrete and isinstance(rng, OperatingSystem)):
            raise ValueError(
                "rng must be a numpy.random.Generator, or with noise='discrete' an OperatingSystem, got "
                + check.shown(rng)
            )
        self._shape, self._noise = plan.statistic.shape, plan.noise
        self._rng: Any = rng
        self._grid = plan.parts().grid if discrete else None
        self._turns, self._at = turns, 0

    def draw(self, std: float, parts: int = 1) -> np.ndarray:
        """Noise of this standard deviation; on a grid as its `draw`, one of so many parts."""
        if self._turns is not None:
            if self._at == len(self._turns):
                raise ValueError(
                    "rng must hold all draws of this party: it takes another part than was planned"
                )
            self._rng.bit_generator.state = self._turns[self._at]
            self._at += 1
        if self._grid is not None:
            return self._grid.draw(self._shape, std, self._rng, parts)
        return np.asarray(Draw(self._shape, self._noise, self._rng)(std))

    def state(self) -> dict[str, Any]:
        """Where it stands; `restored` goes on from there."""
        if isinstance(self._rng, OperatingSystem):
            return {"kind": "system"}
        if self._turns is not None:
            return {"kind": "turns", "states": self._turns, "at": self._at}
        return {"kind": "own", "states": [self._rng.bit_generator.state], "at": 0}

    def go(self, state: dict[str, Any]) -> None:
        """Go to where it stood."""
        if state["kind"] == "turns":
            self._at = state["at"]
        elif state["kind"] == "own":
            self._rng.bit_generator.state = state["states"][0]

    @classmethod
    def restored(cls, plan: Plan, state: dict[str, Any], system: OperatingSystem | None = None) -> Source:
        """The source that `state` describes, with `system` as the operating system; ValueError for an unknown kind."""
        if state["kind"] == "system":
            return cls(plan, OperatingSystem() if system is None else system)
        states = state["states"]
        kind = states[0]["bit_generator"] if states else "PCG64"
        if kind not in _KINDS:
            raise ValueError(f"rng must be one of {sorted(_KINDS)} to be kept in a state, got {kind!r}")
        rng = np.random.Generator(_KINDS[kind]())
        source = cls(plan, rng, states if state["kind"] == "turns" else None)
        source.go(state)
        return source


@check.arguments
def streams(
    plan: Plan, rng: np.random.Generator, *, absent: Iterable[int] = (), dropped: Iterable[int] = ()
) -> dict[Address, Source]:
    """What each party draws if all of them together draw what `plan.release(..., rng=rng)` draws.

    It serves tests and simulations: whoever knows the seed knows everybody's noise.

    Parameters
    ----------
    plan : Plan
    rng : numpy.random.Generator
        It is used up as by the release.
    absent, dropped : collection of int
        As in `core.schemes.release`. Under a scheme without agreement no noise is drawn for either; with a secure sum,
        `absent` sites join and share keys, and then send nothing.

    Returns
    -------
    dict
        For each site's number, "aggregator" and "trusted", what to pass as `rng` to the party.
    """
    everyone: tuple[Address, ...] = (*plan.numbers, AGGREGATOR, TRUSTED)
    found: dict[Address, list] = {who: [] for who in everyone}
    draws = Source(plan, rng)
    divided = plan.repeated(absent, dropped).parts(plan.statistic.shape).divided
    for who, kind, std in _order(plan, tuple(absent), tuple(dropped)):
        if who is None:
            rng.bytes(int(std))
        else:
            found[who].append(rng.bit_generator.state)
            draws.draw(std, divided if kind == "local" else 1)
    # A dropped site's own noise is no part of the release under a scheme without agreement, and is anybody's.
    lost = () if named(plan.scheme).agrees else tuple(dropped)
    kind = type(rng.bit_generator)
    return {
        who: Source(plan) if who in lost else Source(plan, np.random.Generator(kind()), turns)
        for who, turns in found.items()
    }


def _order(plan: Plan, absent, dropped):
    """Who draws what kind with which standard deviation, in the order of the draws of a release; None: bytes for keys."""
    noisy = plan.repeated(absent, dropped)
    here = [int(n) for n in noisy.request.sites.numbers]
    parts = noisy.parts(plan.statistic.shape)
    by_sum = plan.form == "secure" and parts.contributions is not None
    if by_sum:
        yield from _agreement(plan, parts.contributions, here, absent)
    for kind, place, std in turns(parts, plan.zero_sum):
        if kind == "contribution":
            if not by_sum:
                yield TRUSTED if plan.form == "generator" else here[place], kind, std
        elif kind == "edge" and parts.edges is not None:
            yield here[parts.edges.graph.edges[place][0]], kind, std
        else:
            yield here[place] if kind == "local" else AGGREGATOR, kind, std


def _agreement(plan, design, here, absent):
    """The draws of `core.schemes.messages.agree`."""
    threshold = plan.threshold
    if absent:
        planned = plan.parts().contributions
        yield from ((n, "contribution", std) for n, std in zip(plan.numbers, planned.seed_std, strict=True))
        yield None, "keys", _key_bytes(len(plan.sites), threshold)
        if fits(planned, design, here):
            return
        threshold = None if threshold is None else min(threshold, len(here))
    yield from ((n, "contribution", std) for n, std in zip(here, design.seed_std, strict=True))
    yield None, "keys", _key_bytes(len(here), threshold)


def _key_bytes(sites, threshold):
    """Random bytes of a secure sum: three keys, two polynomials and a nonce for each other site, at each site."""
    threshold = default_threshold(sites) if threshold is None else threshold
    return sites * (3 * 32 + 2 * 48 * (threshold - 1) + 12 * (sites - 1))
