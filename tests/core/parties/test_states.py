"""Refusals by name that change nothing, states that are kept, and the plan's file."""

from __future__ import annotations

import contextlib
import struct
import zlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import party_plans
import pytest
from party_plans import VALUES, WAYS, deliver, new_parties, rng, statistics

from core import Privacy, parties
from core.parties import (
    AGGREGATOR,
    TRUSTED,
    Aggregator,
    Plan,
    Site,
    Statistic,
    plan_of,
    streams,
)
from core.parties.messages import codec
from core.parties.messages.letter import Letter, read
from core.schemes import graph_noise


@pytest.mark.parametrize("form", WAYS, ids="-".join)
def test_every_party_dies_and_comes_back_before_every_message(form):
    plan = party_plans.plan(4, *form)
    made = deliver(
        plan,
        new_parties(plan, streams(plan, rng())),
        lambda party, letter, data: type(party).restore(Plan.read(plan.text().encode()), party.state()),
    )
    expected = plan.release(statistics(plan), rng=rng())
    assert np.array_equal(made[AGGREGATOR].result.value, expected.value)
    assert all(np.array_equal(made[s].result, expected.value) for s in plan.numbers)


@pytest.mark.parametrize("form", WAYS, ids="-".join)
def test_every_message_is_refused_by_name_if_it_is_not_the_right_one(form):
    plan = party_plans.plan(3, *form)
    other = replace(plan, run="2")

    def hostile(party, letter, data):
        before = party.state()
        wrong = {
            parties.Malformed: [
                b"",
                b"CAPE",
                data[:-1],
                data[:-9] + data[-8:],
                data[:30] + b"?" + data[31:],
                replace(letter, content={}).data() if letter.content else b"x",
                replace(letter, round="gossip").data(),
            ],
            parties.OtherVersion: [resealed(data[:4] + struct.pack("<I", 9) + data[8:])],
            parties.ForeignPlan: [replace(letter, plan=other.id).data()],
            parties.WrongParty: [
                replace(letter, receiver=2 if letter.receiver != 2 else 1).data(),
                replace(letter, sender=2 if letter.sender in (AGGREGATOR, TRUSTED) else TRUSTED).data(),
            ],
            parties.OutOfOrder: [
                replace(letter, attempt=letter.attempt + 1).data(),
                Letter(plan.id, "sum", 1, letter.sender, letter.receiver).data(),
            ],
        }
        for error, messages in wrong.items():
            for message in messages:
                if message == b"x" or (error is parties.OutOfOrder and party.phase == TRUSTED):
                    continue
                with pytest.raises(error):
                    party.receive(message)
        for seen in list(received.get(party.address, [])):
            with pytest.raises((parties.Replayed, parties.OutOfOrder)):
                party.receive(seen)
        received.setdefault(party.address, []).append(data)
        assert party.state() == before
        return party

    received: dict = {}
    made = deliver(plan, new_parties(plan, streams(plan, rng())), hostile)
    for address, messages in received.items():
        for message in messages:
            with pytest.raises(parties.Replayed, match="data must"):
                made[address].receive(message)
    assert np.array_equal(made[AGGREGATOR].result.value, plan.release(statistics(plan), rng=rng()).value)


@pytest.mark.parametrize("form", WAYS, ids="-".join)
def test_no_content_breaks_a_party(form):
    plan = party_plans.plan(3, *form)
    values = (
        *VALUES,
        np.zeros(3),
        np.zeros((2, 2)),
        np.zeros(3, dtype=np.int64),
        {s: [b"\0" * 32] * 2 for s in range(3)},
    )

    def hostile(party, letter, data):
        before = party.state()
        for name, right in letter.content.items():
            for value in values:
                if type(value) is type(right) and np.array_equal(value, right):
                    continue
                try:
                    party.receive(replace(letter, content=letter.content | {name: value}).data())
                except parties.Refused:
                    assert party.state() == before
                    continue
                # Another array of the right shape, or fewer sites, is a message like any other: go back.
                party = type(party).restore(plan, before)
        return party

    made = deliver(plan, new_parties(plan, streams(plan, rng())), hostile)
    assert np.array_equal(made[AGGREGATOR].result.value, plan.release(statistics(plan), rng=rng()).value)


def resealed(data):
    return data[:-4] + struct.pack("<I", zlib.crc32(data[:-4]))


@pytest.mark.parametrize("scheme", ["cape", "graph"])
def test_what_was_sealed_and_changed_is_forged(scheme):
    plan = party_plans.plan(3, scheme)

    def forge(party, letter, data):
        if letter.round == "relay" and letter.content["sealed"]:
            first = min(letter.content["sealed"])
            text = letter.content["sealed"][first]
            changed = letter.content["sealed"] | {first: bytes([text[0] ^ 1]) + text[1:]}
            before = party.state()
            with pytest.raises(parties.Forged, match="must open"):
                party.receive(replace(letter, content=letter.content | {"sealed": changed}).data())
            assert party.state() == before
        return party

    made = deliver(plan, new_parties(plan, streams(plan, rng())), forge)
    assert np.array_equal(made[AGGREGATOR].result.value, plan.release(statistics(plan), rng=rng()).value)


def test_a_site_speaks_once_of_its_statistic():
    plan = party_plans.plan(4, "cape", "broadcast")
    made = deliver(plan, new_parties(plan, streams(plan, rng())), lambda party, *_: party)
    with pytest.raises(parties.OutOfOrder):
        made[0].receive(Letter(plan.id, "again", 1, AGGREGATOR, 0, {"sites": [0, 1, 2]}).data())
    sent = []
    site = Site(plan, 0, np.full(3, 0.5))
    site.join()
    roster = Letter(plan.id, "roster", 1, AGGREGATOR, 0, {"sites": [0, 1, 2, 3]}).data()
    site.receive(roster)
    kept = site.state()
    total = Letter(plan.id, "total", 1, AGGREGATOR, 0, {"sites": [0, 1, 2, 3], "total": np.zeros(3)}).data()
    for _ in range(2):
        # It comes back from a state before it spoke, and says the same: a second message would cost privacy.
        back = Site.restore(plan, kept)
        sent.append(back.receive(total))
    assert sent[0] == sent[1] == back.outbox
    with pytest.raises(parties.OutOfOrder):
        back.receive(Letter(plan.id, "again", 1, AGGREGATOR, 0, {"sites": [0, 1, 2]}).data())


def test_a_state_belongs_to_its_plan_and_kind():
    plan = party_plans.plan(3, "cape", "broadcast")
    state = Site(plan, 1, np.full(3, 0.5)).state()
    with pytest.raises(parties.ForeignPlan, match="state must"):
        Site.restore(replace(plan, run="2"), state)
    with pytest.raises(parties.Malformed, match=r"state must.*'aggregator'.*'site'"):
        Aggregator.restore(plan, state)
    with pytest.raises(parties.Malformed, match=r"state must.*'CAPE'.*b'xx'"):
        Site.restore(plan, b"xx")


def test_an_aggregator_whose_site_dropped_comes_back():
    plan = party_plans.plan(4, "cape", "broadcast")
    made = new_parties(plan, streams(plan, rng()))
    queue = [data for s in plan.numbers for data in made[s].join()]
    for data in queue:
        letter = read(data)
        if (letter.sender, letter.round) != (3, "message"):
            queue += made[letter.receiver].receive(data)
    made[AGGREGATOR].close()
    back = Aggregator.restore(plan, made[AGGREGATOR].state()).result
    assert np.array_equal(back.value, made[AGGREGATOR].result.value) and np.isnan(back.messages).any()


def test_a_message_of_numbers_that_are_not_finite_is_refused():
    plan = party_plans.plan(3, "cape", "generator")

    def hostile(party, letter, data):
        for name in {"message", "noise", "mask", "value"} & set(letter.content):
            wrong = letter.content | {name: np.full_like(letter.content[name], np.nan)}
            with pytest.raises(parties.Malformed, match=rf"{name} must.*finite"):
                party.receive(replace(letter, content=wrong).data())
        return party

    deliver(plan, new_parties(plan, streams(plan, rng())), hostile)


def test_a_trusted_party_that_refuses_a_new_attempt_stays_closed():
    plan = party_plans.plan(3, "cape", "broadcast")
    made = deliver(plan, new_parties(plan, streams(plan, rng())), lambda party, *_: party)
    before = made[TRUSTED].state()
    for content in ({"sites": [0, 1]}, {"sites": [1, 2], "seed": np.zeros(3)}):
        with pytest.raises(parties.Malformed):
            made[TRUSTED].receive(Letter(plan.id, "seed", 2, 0, TRUSTED, content).data())
        assert made[TRUSTED].state() == before


def test_a_trusted_party_passes_on_no_sum_of_too_few():
    # The sum of two of nine messages would have two ninths of the noise variance that was planned.
    plan = party_plans.plan(9, "secure", "broadcast", equal=True, dropouts=2)
    with pytest.raises(parties.TooFewSites, match=r"7 sites.*got 2"):
        parties.exchange(plan, np.full((9, 3), 0.5), silent={"message": range(7)})
    plan = party_plans.plan(6, "cape", "broadcast", threshold=4)
    with pytest.raises(parties.TooFewSites, match=r"4 sites.*got 3"):
        parties.exchange(plan, np.full((6, 3), 0.5), silent={"seed": range(3)})


def test_what_a_site_may_not_release_is_an_error_at_the_site():
    plan = party_plans.plan(3, "cape", "broadcast", "symmetrised", shape=(2, 2))
    with pytest.raises(ValueError, match=r"statistic must.*\(2, 2\)"):
        Site(plan, 0, np.zeros(2))
    with pytest.raises(ValueError, match=r"^statistic must.*0\.0.*1\.0"):
        Site(plan, 0, np.full((2, 2), 2.0))
    with pytest.raises(ValueError, match="site 1 is"):
        Site(plan, 1, np.array([[0, 1.0], [0, 0]]))


def test_a_plan_is_a_file_that_a_person_reads():
    plan = party_plans.plan(
        4, "graph", amplitude=0.5, graph=graph_noise.ring(4), against="aggregator", grid=None
    )
    text = plan.text()
    assert Plan.read(text.encode()) == plan and Plan.read(text.encode()).id == plan.id
    assert len(text.splitlines()) < 30 and len(text) < 2000
    assert plan.id != replace(plan, run="2").id
    changed = text.replace('"scheme": "graph"', '"scheme": "cape"')
    with pytest.raises(ValueError, match=r"^id "):
        Plan.read(changed.encode())


def test_a_plan_of_a_secure_sum_of_messages_has_whole_numbers():
    with pytest.raises(ValueError, match=r"noise must.*'discrete'"):
        party_plans.plan(4, "secure", "secure")
    mean, target = Statistic("mean", (), 0.0, 1.0), Privacy(1.0, 1e-5)
    with pytest.raises(ValueError, match=r"names must.*2.*1"):
        plan_of(mean, [100, 100], target, names=["a"])
    with pytest.raises(ValueError, match=r"names must.*\['a', 'a'\]"):
        plan_of(mean, [100, 100], target, names=["a", "a"])
    with pytest.raises(TypeError, match=r"plan_of.*'schem'.*scheme"):
        plan_of(mean, [100, 100], target, schem="cape")


def test_bytes_are_read_back_and_never_run_over():
    content = {"a": np.arange(6.0).reshape(2, 3), "b": {1: b"x", 2: [np.array(3)]}, "c": None}
    header, found = codec.decode(codec.encode({"x": 1}, content))
    assert header == {"x": 1} and np.array_equal(found["a"], content["a"]) and found["b"][1] == b"x"
    data = codec.encode({}, content)
    rng = np.random.default_rng(0)
    for _ in range(300):
        place = int(rng.integers(len(data) - 4))
        broken = resealed(data[:place] + rng.bytes(1) + data[place + 1 :])
        with contextlib.suppress(parties.Refused):
            codec.decode(broken)
    with pytest.raises(parties.Malformed, match=r"data must.*str$"):
        codec.decode("text")


def test_sites_that_cannot_meet_the_plan_are_too_few():
    plan = party_plans.plan(4, "cape", "broadcast", against="colluders", colluding=2)
    with pytest.raises(parties.TooFewSites, match="colluding"):
        parties.exchange(plan, np.full((4, 3), 0.5), silent={"join": [0, 1]})


def test_the_program_of_the_readme_runs_and_errors_name_parties(capsys):
    text = (Path(__file__).resolve().parents[3] / "core" / "README.md").read_text(encoding="utf-8")
    program = text.split("**A program of your own.**")[1].split("```python\n")[1].split("```")[0]
    found: dict = {}
    exec(program, found)
    first, second = capsys.readouterr().out.split()
    assert float(first) == float(second)
    (data,) = parties.Site(found["plan"], 1, 6.8).join()
    for number, words in (
        (2, "data must be for site 2, got a message for the aggregator"),
        ("aggregator", "got a second message of site 1 in round 'join'"),
    ):
        with pytest.raises(parties.Refused, match=words):
            found["parties"][number].receive(data)
    with pytest.raises(parties.OutOfOrder, match=r"site 0.*'roster'"):
        parties.Site(found["plan"], 0, 7.1).receive(_roster(found["plan"]))


def _roster(plan):
    """The message with which the aggregator begins, to site 0."""
    aggregator = parties.Aggregator(plan)
    answers = [aggregator.receive(parties.Site(plan, s, 7.0).join()[0]) for s in plan.numbers]
    return answers[-1][0]
