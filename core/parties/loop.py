"""All parties of a plan in one process: messages wait in one queue. For simulations and tests."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from core import check
from core.parties.aggregator import Aggregator
from core.parties.messages.letter import AGGREGATOR, TRUSTED, Address, read
from core.parties.plan import Plan
from core.parties.site import Site
from core.parties.trusted import TrustedParty
from core.schemes import Release
from core.secure_sum.protocol import first_missed

_FROM_SITES = ("join", "seed", "shares", "input", "unmask", "message")


@check.arguments(statistics=check.sequence)
def exchange(
    plan: Plan,
    statistics,
    *,
    rng: Mapping[Address, Any] | None = None,
    silent: Mapping[str, Iterable[int]] | None = None,
    on_message: Callable[[bytes], None] | None = None,
) -> Release:
    """Run a plan with all parties in this process, message by message.

    Parameters
    ----------
    plan : Plan
    statistics : sequence of arrays
        One for each site; or the sites themselves, as `SeriesSite.begin` makes them.
    rng : mapping, optional
        The noise of each site's number, of "aggregator" and of "trusted": generators, or `streams`. Default: the
        operating system seeds a generator for each.
    silent : mapping of a round to sites, optional
        Which sites send nothing from that round on: "join", "seed", "shares", "input", "unmask" or "message".
    on_message : callable, optional
        Is called with the bytes of every message that is delivered.

    Returns
    -------
    Release
        As `plan.release` returns it, without the parts that no party knows.

    Raises
    ------
    TooFewSites
        If too few sites answer.
    """
    if len(statistics) != len(plan.sites):
        raise ValueError(f"statistics must come from {len(plan.sites)} sites, got {len(statistics)}")
    missed = first_missed(silent or {}, _FROM_SITES, len(plan.sites))
    parties = _parties(plan, statistics, {} if rng is None else rng)
    aggregator = parties[AGGREGATOR]
    queue = deque(data for s in plan.numbers for data in parties[s].join())
    while True:
        while queue:
            data = queue.popleft()
            letter = read(data)
            sender = letter.sender
            if isinstance(sender, int) and _FROM_SITES.index(letter.round) >= missed[sender]:
                continue
            if on_message is not None:
                on_message(data)
            queue.extend(parties[letter.receiver].receive(data))
        if aggregator.result is not None:
            return aggregator.result
        # Nothing is on its way: the deadline of the round has passed.
        queue.extend(parties[TRUSTED if aggregator.phase == TRUSTED else AGGREGATOR].close())


def _parties(plan, statistics, own) -> dict[Address, Any]:
    found: dict[Address, Any] = {AGGREGATOR: Aggregator(plan, rng=own.get(AGGREGATOR))}
    for s, f in enumerate(statistics):
        if isinstance(f, Site):
            found[s] = f
            continue
        array = plan.statistic.checked(f, name=f"statistics of site {s}")
        # Whoever has all statistics in one process needs no site's word.
        own_word = {"sensitivity": plan.sites[s].sensitivity, "consent": (plan.scheme,)}
        found[s] = Site(plan, s, array, rng=own.get(s), **own_word)
    if plan.needs_trusted:
        found[TRUSTED] = TrustedParty(plan, rng=own.get(TRUSTED))
    return found
