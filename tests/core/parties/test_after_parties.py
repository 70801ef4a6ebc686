"""Sums over those that sent, `secure` and `cape-after` alike: who is in them, one a run, and nothing that moves a party."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import party_plans
import pytest
from party_plans import VALUES, deliver, new_parties, rng, statistics

from core import parties
from core.parties import AGGREGATOR, TRUSTED, Site, streams
from core.parties.messages.letter import Letter, read

MASKED = (
    ("secure", "secure", "discrete"),
    ("cape-after", "secure", "iid"),
    ("cape-after", "secure", "discrete"),
)
WAYS = (*MASKED, ("cape-after", "broadcast", "iid"))
SITES, SILENT = 7, 2
_KEYS = [b"\0" * 32] * 2  # As good as any others.
ENOUGH, FEW, OTHERS = [0, 1, 2, 3, 4], [0, 1, 2, 3], [1, 2, 3, 4, 5, 6]


def planned(way):
    return party_plans.plan(SITES, *way, equal=True, against="aggregator", dropouts=SILENT)


def refused(party, error, letter, words="must|expected"):
    """The letter is refused by this name, and the party is as it was."""
    before = party.state()
    with pytest.raises(error, match=words):
        party.receive(letter.data())
    assert party.state() == before


def until(plan, round_):
    """All parties when the first message of a round is about to be delivered, and the letters that are under way."""
    made = new_parties(plan, streams(plan, rng()))
    queue = [read(data) for s in plan.numbers for data in made[s].join()]
    while queue[0].round != round_:
        letter = queue.pop(0)
        queue += map(read, made[letter.receiver].receive(letter.data()))
    return made, queue


def naming(letter, sites):
    """The letter with another set of sites, and what is sealed by these alone."""
    content = letter.content | {"sites": sites}
    if "sealed" in content:
        content["sealed"] = {s: text for s, text in content["sealed"].items() if s in sites}
    return replace(letter, content=content)


@pytest.mark.parametrize("way", MASKED, ids="-".join)
@pytest.mark.parametrize("round_, answer", [("relay", "input"), ("included", "unmask")])
def test_a_site_goes_on_only_with_itself_and_all_but_the_planned_dropouts(way, round_, answer):
    """Those that share keys, and A: of 7 sites, of which 2 may drop out, 5 are enough and 4 are refused."""
    made, letters = until(planned(way), round_)
    letter = next(one for one in letters if one.receiver == 0)
    for few in (FEW, OTHERS):
        refused(made[0], parties.Malformed, naming(letter, few), f"at least 5.*'{round_}'")
    (sent,) = made[0].receive(naming(letter, ENOUGH).data())
    assert read(sent).round == answer


def test_an_adder_adds_up_only_all_but_the_planned_dropouts():
    made, letters = until(planned(WAYS[-1]), "included")
    (letter,) = letters
    refused(made[TRUSTED], parties.Malformed, naming(letter, FEW), "at least 5")
    (sent,) = made[TRUSTED].receive(naming(letter, ENOUGH).data())
    assert read(sent).round == "total"
    refused(made[TRUSTED], parties.Refused, naming(letter, OTHERS))


@pytest.mark.parametrize("way", MASKED, ids="-".join)
def test_a_site_unmasks_one_set_a_run(way):
    """Also after it came back from its state, and whatever attempt a second set is said to belong to."""
    plan = planned(way)
    made, letters = until(plan, "included")
    for letter in letters:
        (sent,) = made[letter.receiver].receive(letter.data())
        site = Site.restore(plan, made[letter.receiver].state())
        assert site.outbox == (sent,)
        for attempt in (1, 2):
            for sites in (ENOUGH, OTHERS, letter.content["sites"]):
                second = replace(letter, attempt=attempt, content={"sites": sites})
                refused(site, (parties.OutOfOrder, parties.Replayed), second)


@pytest.mark.parametrize("way", WAYS, ids="-".join)
def test_a_run_is_joined_again_only_before_the_packet_left(way):
    """An aggregator that calls the run stopped gets neither the same g for another A, nor fresh noise for the same run."""
    plan = planned(way)
    leaves = "relay" if plan.form == "secure" else "roster"
    made, letters = until(plan, leaves)
    letter = next(one for one in letters if one.receiver == 0)
    again = Letter(plan.id, "again", 1, AGGREGATOR, 0, {"sites": OTHERS})
    before = made[0].state()
    (joined,) = made[0].receive(again.data())
    assert read(joined).round == "join" and read(joined).attempt == 2
    site = Site.restore(plan, before)
    site.receive(letter.data())
    for _ in range(2):
        for attempt in (1, 2):
            refused(site, parties.OutOfOrder, replace(again, attempt=attempt))
            roster = {"sites": OTHERS, "keys": {}}
            refused(site, parties.Refused, replace(letter, round="roster", attempt=attempt, content=roster))
        site = Site.restore(plan, site.state())


@pytest.mark.parametrize("way", [w for w in WAYS if w[2] == "iid"], ids="-".join)
def test_a_run_that_an_aggregator_calls_stopped_is_charged_in_full(way):
    """A site keeps no ledger: it states `promise`, which a desk charges.

    That is the μ of message and sum before the packet leaves, and no less afterwards, though no sum ever comes: with three
    entries at ε = 1, of all messages and one sum over any five senders it is that of the joint Gaussian.
    """
    plan = planned(way)
    leaves = "relay" if plan.form == "secure" else "roster"
    made, letters = until(plan, leaves)
    letter = next(one for one in letters if one.receiver == 0)
    agreed = made[0].promise
    made[0].receive(letter.data())
    for attempt in (1, 2):
        stop = Letter(plan.id, "again", attempt, AGGREGATOR, 0, {"sites": OTHERS})
        refused(made[0], parties.OutOfOrder, stop)
    site = Site.restore(plan, made[0].state())
    assert site.result is None and site.promise == made[0].promise == agreed
    alone, whole = seen_by_aggregator(plan)
    assert agreed.aggregator == pytest.approx(whole, rel=1e-6) and agreed.message == pytest.approx(
        alone, rel=1e-6
    )
    assert agreed.aggregator > 2 * agreed.message  # What a site would state that counts its message alone.


def seen_by_aggregator(plan):
    """μ of site 0, by the joint Gaussian: of its message, and of all messages and the sum over any five with site 0."""
    parts, shift = plan.parts(), np.zeros(SITES + 1)
    seed, local = (parts.weights * parts.seed_std) ** 2, (parts.weights * parts.local_std) ** 2
    shift[0] = parts.weights[0] * plan.sites[0].sensitivity
    found = []
    for others in itertools.combinations(range(1, SITES), SITES - SILENT - 1):
        summed = np.where(np.isin(np.arange(SITES), [0, *others]), seed, 0.0)
        joint = np.block([[np.diag(seed + local), summed[:, None]], [summed, summed.sum()]])
        found.append(float(shift @ np.linalg.solve(joint, shift)) ** 0.5)
    return shift[0] / (seed + local)[0] ** 0.5, max(found)


def hostile(plan, letter, earlier):
    """Letters like this one, none of which is the right one."""
    for name in letter.content:
        for value in VALUES:
            right = value == _KEYS or (letter.round == "average" and value in ([0], [0, 1, 2]))
            if not right and not np.array_equal(value, letter.content[name]):
                yield replace(letter, content=letter.content | {name: value})
        yield replace(letter, content={n: v for n, v in letter.content.items() if n != name})
    yield replace(letter, attempt=letter.attempt + 1)
    yield replace(letter, plan=replace(plan, run="2").id)
    yield replace(letter, receiver=(plan.numbers[-1] if letter.receiver != plan.numbers[-1] else 0))
    yield replace(letter, sender=TRUSTED if letter.sender != TRUSTED else 3)
    yield from earlier


@pytest.mark.parametrize("way", WAYS, ids="-".join)
def test_a_thousand_hostile_and_replayed_messages_leave_states_unchanged(way):
    plan, earlier, count = planned(way), {}, 0

    def attacked(party, letter, data):
        nonlocal count
        before, seen = party.state(), earlier.setdefault(party.address, [])
        for wrong in hostile(plan, letter, seen):
            with pytest.raises(parties.Refused):
                party.receive(wrong.data())
            assert party.state() == before
            count += 1
        seen.append(letter)
        return party

    made = deliver(plan, new_parties(plan, streams(plan, rng())), attacked)
    assert count > 1000
    # The run ends as if nothing had been said.
    alone = deliver(plan, new_parties(plan, streams(plan, rng())), lambda party, *_: party)
    assert np.array_equal(made[AGGREGATOR].result.value, alone[AGGREGATOR].result.value)
    found = plan.release(statistics(plan), rng=rng()).value
    assert made[AGGREGATOR].result.value == pytest.approx(found, rel=1e-12)
