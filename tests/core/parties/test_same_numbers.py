"""Parties over a queue and over TCP release the same average as one process, bit for bit."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import socket
import threading
import time

import numpy as np
import party_plans
import pytest
from party_plans import FORMS, WAYS

from core import parties
from core.parties import Aggregator, Site, TooFewSites, TrustedParty, exchange, streams
from core.parties.messages import letter
from core.parties.tcp import run_aggregator, run_site, run_trusted


def rng():
    return np.random.default_rng(11)


def both(plan, *, absent=(), dropped=(), silent=None):
    """The release of one process, and that of parties with the same draws."""
    statistics = np.random.default_rng(3).random((len(plan.sites), *plan.statistic.shape))
    at = "input" if plan.form == "secure" and plan.parts().summed else "message"
    silent = {at: dropped, "join": absent} if silent is None else silent
    own = streams(plan, rng(), absent=absent, dropped=dropped)
    released = plan.release(statistics, rng=rng(), absent=absent, dropped=dropped)
    return released, exchange(plan, statistics, rng=own, silent=silent)


def assert_same(one, other):
    assert np.array_equal(one.value, other.value)
    for field in dataclasses.fields(one):
        if field.name.startswith("mu_") or field.name in ("sites", "dropped", "absent", "std", "grid"):
            assert getattr(one, field.name) == getattr(other, field.name), field.name


@pytest.mark.parametrize("form", FORMS, ids="-".join)
@pytest.mark.parametrize("sites", [2, 5])
def test_all_sites_answer(form, sites):
    assert_same(*both(party_plans.plan(sites, *form, seed=sites)))


@pytest.mark.parametrize("form", [f for f in WAYS if f[1] != "secure" or f[0] == "graph"], ids="-".join)
def test_many_sites_some_of_which_fall_silent(form):
    lost = (
        {"dropouts": 3} if form[0] in ("secure", "cape-after") else {}
    )  # A sum goes on without the planned ones alone.
    plan = party_plans.plan(13, *form, seed=1, shape=(2,), **lost)
    unequal = plan.form == "nothing" and form[2] == "discrete"
    dropped = () if unequal or form[0] == "local" else (4, 7, 9)
    assert_same(*both(plan, dropped=dropped, absent=(0, 12)))


@pytest.mark.parametrize("shape, noise", [((), "iid"), ((4, 4), "symmetrised"), ((3, 3, 3), "copied")])
def test_any_shape_and_noise_that_keeps_symmetry(shape, noise):
    plan = party_plans.plan(4, "cape", "secure", noise, shape=shape)
    statistics = np.full((4, *shape), 0.5)
    parts = streams(plan, rng())
    assert np.array_equal(
        exchange(plan, statistics, rng=parts).value, plan.release(statistics, rng=rng()).value
    )


@pytest.mark.parametrize("against, colluding", [("aggregator", 0), ("colluders", 2)])
@pytest.mark.parametrize("scheme", ["cape", "cape-best", "graph"])
def test_targets_against_more_than_a_message(scheme, against, colluding):
    plan = party_plans.plan(6, scheme, "broadcast", against=against, colluding=colluding, dropouts=1)
    assert_same(*both(plan, dropped=(2,)))


@pytest.mark.parametrize("dropped, silent", [((3,), {"message": (3,)}), ((3, 6), {"message": (3, 6)})])
def test_dropouts_after_a_secure_sum(dropped, silent):
    assert_same(*both(party_plans.plan(7, "cape", "secure"), dropped=dropped, silent=silent))
    by_sum = party_plans.plan(7, "secure", "secure", "discrete", dropouts=2)
    assert_same(*both(by_sum, dropped=dropped, silent={"input": dropped}))


@pytest.mark.parametrize("equal", [True, False])
def test_a_site_that_falls_silent_within_the_secure_sum(equal):
    # Equal targets: the others keep their contributions. Otherwise they agree a second time.
    plan = party_plans.plan(7, "cape", "secure", equal=equal)
    assert_same(*both(plan, absent=(2,), silent={"input": (2,)}))


@pytest.mark.parametrize(
    "scheme, zero_sum, at", [("cape", "broadcast", "seed"), ("graph", "secure", "shares")]
)
def test_a_site_that_falls_silent_while_noise_is_agreed(scheme, zero_sum, at):
    plan = party_plans.plan(8, scheme, zero_sum)
    messages = []
    released = exchange(plan, np.full((8, 3), 0.5), silent={at: (5,)}, on_message=messages.append)
    assert released.absent == (5,) and 5 not in released.sites
    assert released.std == pytest.approx(plan.stated(absent=(5,)).std)
    # The zero-sum noise of the others cancels: each message has it, but their average has local noise alone.
    assert np.abs(released.value - 0.5).max() < 6 * released.std
    assert max(letter.read(m).attempt for m in messages) == 2


def test_sites_that_send_whole_numbers_and_one_that_does_not():
    plan = party_plans.plan(5, "conventional", "broadcast", "discrete")
    released = exchange(plan, np.full((5, 3), 0.5), silent={"message": (1,)})
    assert released.absent == (1,)
    assert np.abs(released.value - 0.5).max() < 6 * released.std  # False alarm 6e-9.
    lone = exchange(party_plans.plan(5, "local"), np.full((5, 3), 0.5), silent={"message": (0,)})
    assert lone.sites == (1, 2, 3, 4)


def test_a_scheme_that_a_stranger_registers():
    with party_plans.registered():
        plan = party_plans.plan(6, "loud")
        assert_same(*both(plan, dropped=(1,)))
        assert_same(*both(plan, absent=(0,)))


def test_too_few_sites_reveal_nothing():
    plan = party_plans.plan(6, "cape", "secure")
    with pytest.raises(TooFewSites, match=r"5 sites.*'input', got 3"):
        exchange(plan, np.full((6, 3), 0.5), silent={"input": (0, 1, 2)})
    with pytest.raises(ValueError, match=r"silent must.*'unmask'.*'roster'"):
        exchange(plan, np.full((6, 3), 0.5), silent={"roster": (0,)})
    with pytest.raises(TooFewSites, match=r"2 sites.*got 1"):
        exchange(plan, np.full((6, 3), 0.5), silent={"join": range(5)})


def test_no_site_goes_on_with_fewer_than_the_plan_asks_for():
    plan = party_plans.plan(6, "cape", "broadcast", threshold=4)
    assert exchange(plan, np.full((6, 3), 0.5), silent={"join": (0, 1)}).absent == (0, 1)
    with pytest.raises(TooFewSites, match=r"4 sites.*got 3"):
        exchange(plan, np.full((6, 3), 0.5), silent={"join": (0, 1, 2)})
    site = Site(plan, 0, np.full(3, 0.5))
    site.join()
    roster = letter.Letter(plan.id, "roster", 1, "aggregator", 0, {"sites": [0, 1]})
    with pytest.raises(parties.Malformed, match=r"sites must.*4.*'roster'.*2"):
        site.receive(roster.data())


def free_ports(count):
    held = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [s.getsockname()[1] for s in held]
    for s in held:
        s.close()
    return [("127.0.0.1", port) for port in ports]


BY_TCP = [(4, *f) for f in FORMS if f[0] in ("cape", "graph", "secure", "pooled")]


@pytest.mark.parametrize("sites, scheme, zero_sum, noise", [*BY_TCP, (12, "cape", "broadcast", "iid")])
def test_over_tcp(sites, scheme, zero_sum, noise, tmp_path):
    plan = party_plans.plan(sites, scheme, zero_sum, noise, seed=4, shape=(5, 5))
    statistics = np.random.default_rng(3).random((sites, 5, 5))
    here, beside = free_ports(2)
    own, got = streams(plan, rng()), {}

    def take_part(s):
        got[s] = run_site(
            party_plans.site(plan, s, statistics[s], rng=own[s]), here, beside, keep=tmp_path / f"{s}"
        )

    threads = [threading.Thread(target=take_part, args=(s,)) for s in plan.numbers]
    if plan.needs_trusted:
        trusted = TrustedParty(plan, rng=own["trusted"])
        threads.append(threading.Thread(target=run_trusted, args=(trusted, beside, here)))
    for thread in threads:
        thread.start()
    released = run_aggregator(Aggregator(plan, rng=own["aggregator"]), here)
    for thread in threads:
        thread.join(20)
    assert np.array_equal(released.value, plan.release(statistics, rng=rng()).value)
    assert all(np.array_equal(got[s], released.value) for s in plan.numbers)


def test_a_trusted_party_that_reaches_the_aggregator_last_loses_no_message():
    plan = party_plans.plan(2, "cape", "broadcast", seed=4)
    statistics = np.random.default_rng(3).random((2, 3))
    here, beside, late = free_ports(3)
    own, got = streams(plan, rng()), []
    jobs = [
        lambda s=s: got.append(run_site(Site(plan, s, statistics[s], rng=own[s]), here, beside))
        for s in plan.numbers
    ]
    jobs.append(lambda: run_trusted(TrustedParty(plan, rng=own["trusted"]), beside, late))
    jobs.append(lambda: forward_once(late, here, after=0.5))
    threads = [threading.Thread(target=job) for job in jobs]
    for thread in threads:
        thread.start()
    released = run_aggregator(Aggregator(plan, rng=own["aggregator"]), here, patience=10)
    for thread in threads:
        thread.join(20)
    assert len(got) == 2 and np.array_equal(released.value, plan.release(statistics, rng=rng()).value)


def forward_once(here, there, *, after):
    """Listen after so many seconds, and pass the bytes of one connection on, in both directions."""
    time.sleep(after)
    with socket.create_server(here) as server:
        first, second = server.accept()[0], socket.create_connection(there)

    def copy(source, target):
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)

    back = threading.Thread(target=copy, args=(second, first))
    back.start()
    copy(first, second)
    back.join(20)
    first.close()
    second.close()


def test_who_connects_and_says_no_name_is_sent_away(capfd):
    plan = party_plans.plan(2, "conventional")
    (here,), got = free_ports(1), []

    def aggregate():
        with pytest.raises(TooFewSites) as stopped:
            run_aggregator(Aggregator(plan), here, patience=0.5)
        got.append(stopped.value)

    thread = threading.Thread(target=aggregate)
    thread.start()
    for _ in range(100):
        with contextlib.suppress(ConnectionRefusedError):
            silent, slow = (socket.create_connection(here) for _ in range(2))
            break
        time.sleep(0.02)
    slow.sendall(b"\x01")  # The beginning of a length.
    for line in (silent, slow):
        line.settimeout(5)
        assert line.recv(1) == b""
        line.close()
    thread.join(20)
    assert got and capfd.readouterr().err == ""


class Dies(Site):
    """A site whose program is stopped when its third message comes."""

    def receive(self, data):
        self.count = getattr(self, "count", 0) + 1
        if self.count == 3:
            raise SystemExit
        return super().receive(data)


def test_a_site_that_is_stopped_and_started_again_over_tcp(tmp_path):
    plan = party_plans.plan(4, "cape", "secure", seed=4)
    statistics = np.random.default_rng(3).random((4, 3))
    (here,), own, got = free_ports(1), streams(plan, rng()), {}

    def take_part(s):
        got[s] = run_site(Site(plan, s, statistics[s], rng=own[s]), here)

    def take_part_twice():
        with pytest.raises(SystemExit):
            run_site(Dies(plan, 0, statistics[0], rng=own[0]), here, keep=tmp_path / "0")
        if os.name == "posix":
            assert (tmp_path / "0").stat().st_mode & 0o077 == 0  # Nobody else may read its secrets.
        got[0] = run_site(Site.restore(plan, (tmp_path / "0").read_bytes()), here)

    threads = [threading.Thread(target=take_part, args=(s,)) for s in (1, 2, 3)]
    threads.append(threading.Thread(target=take_part_twice))
    for thread in threads:
        thread.start()
    released = run_aggregator(Aggregator(plan, rng=own["aggregator"]), here)
    for thread in threads:
        thread.join(20)
    assert released.sites == (0, 1, 2, 3) and released.dropped == ()
    assert np.array_equal(got[0], plan.release(statistics, rng=rng()).value)
