"""Parties over a queue release the same average as one process, bit for bit."""

from __future__ import annotations

import dataclasses

import numpy as np
import party_plans
import pytest
from party_plans import FORMS, WAYS

from core import parties
from core.parties import Site, TooFewSites, exchange, streams
from core.parties.messages import letter


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
