"""From what the aggregator and colluders hold, the best linear distinguisher reaches exactly the stated μ.

Every draw of noise is replaced by a unit vector of its own, and every statistic by Δ_s times another one. The protocol
is linear, so each number that a party then sees is the row of its coefficients: the joint Gaussian of the view.
"""

from __future__ import annotations

import math

import numpy as np
import party_plans
import pytest
from party_plans import largest_mu

from core.parties import AGGREGATOR, TRUSTED, Aggregator, TrustedParty
from core.parties.messages import codec
from core.parties.messages.letter import ROUNDS, read
from core.secure_sum import crypto

DRAWS = 60  # Unit vectors kept for draws of noise; no run below takes more.


class UnitVectors(np.random.Generator):
    """A generator whose n-th draw of an array is the unit vector of that draw."""

    def __init__(self, book, owner):
        super().__init__(np.random.PCG64(0))
        self._book, self._owner = book, owner

    def standard_normal(self, size=None, *args, **options):
        self._book.append(self._owner)
        return np.eye(*size if len(size) > 1 else (1, size[0]), k=len(self._book) - 1)[0]


def run(plan, lost=(), at=None, missed=None):
    """All parties of a plan with unit vectors; returns parties, letters and who drew each vector.

    The `lost` sites send nothing from round `at` on; default: the round in which a statistic leaves its site. What they
    would have sent is added to `missed`.
    """
    book: list = []
    names = (*plan.numbers, AGGREGATOR, TRUSTED)
    draw = {who: UnitVectors(book, who) for who in names}
    own = np.zeros((len(plan.sites), DRAWS + len(plan.sites)))
    for s, member in enumerate(plan.sites):
        own[s, DRAWS + s] = member.sensitivity
    sites = {s: party_plans.site(plan, s, own[s], rng=draw[s]) for s in plan.numbers}
    party = {**sites, AGGREGATOR: Aggregator(plan, rng=draw[AGGREGATOR])}
    if plan.needs_trusted:
        party[TRUSTED] = TrustedParty(plan, rng=draw[TRUSTED])
    queue, letters = [d for s in plan.numbers for d in sites[s].join()], []
    at = at or ("input" if plan.form == "secure" and plan.parts().summed else "message")
    while queue or party[AGGREGATOR].result is None:
        if not queue:
            queue = list(party[TRUSTED if party[AGGREGATOR].phase == TRUSTED else AGGREGATOR].close())
        letter = read(queue.pop(0))
        if letter.sender in lost and ROUNDS.index(letter.round) >= ROUNDS.index(at):
            if missed is not None:
                missed.append(letter)
            continue
        letters.append(letter)
        queue += party[letter.receiver].receive(letter.data())
    assert len(book) <= DRAWS
    return party, letters, book


def rows_of(who, party, letters, book):
    """What a party holds: what it received and sent in clear, and the noise that it drew.

    Masked inputs, which are whole numbers, and sealed numbers of others are left out: without their keys they are uniform.
    """
    rows = [np.eye(1, len(book_row(party)), k=i)[0] for i, owner in enumerate(book) if owner == who]
    for letter in letters:
        if who not in (letter.sender, letter.receiver) or letter.round in ("unmask", "shares"):
            continue
        rows += [v for v in letter.content.values() if isinstance(v, np.ndarray) and v.dtype.kind == "f"]
        if letter.round == "relay" and who == letter.receiver and party[who].plan.form == "edges":
            rows += opened(party[who], letter)
    return rows


def book_row(party):
    return np.zeros(party[0].plan.statistic.shape[0])


def opened(site, letter):
    """The numbers of its edges that a site can open with the secret in its own state."""
    held = codec.decode(site.state())[1]["held"]
    found = []
    for other, text in letter.content["sealed"].items():
        key = crypto.KeyPair(held["secret"]).agree(held["keys"][other], "edge")
        label = f"{site.plan.id}/1/{other}/{site.number}".encode()
        found.append(np.frombuffer(crypto.unseal(key, text, label), "<f8"))
    return found


def mu_of_each(plan, observers, seen):
    party, letters, book = seen
    rows = [row for who in observers for row in rows_of(who, party, letters, book)]
    found = largest_mu(np.array(rows), DRAWS, len(plan.sites))
    return {s: float(m) for s, m in enumerate(found) if s not in observers}


def mus(plan, observers, seen):
    return max(mu_of_each(plan, observers, seen).values())


def probe(form, sites=5, **options):
    return party_plans.plan(sites, *form, shape=(DRAWS + sites,), seed=2, **options)


def planned(form, lost):
    """A sum of messages goes on without the planned dropouts alone."""
    return {"dropouts": len(lost)} if form[0] in ("secure", "cape-after") else {}


LINEAR = [f for f in party_plans.FORMS if f[2] == "iid"]


@pytest.mark.parametrize("form", LINEAR, ids="-".join)
@pytest.mark.parametrize("against, colluding, lost", [("message", 0, ()), ("colluders", 2, (3,))])
def test_aggregator_and_colluders_learn_what_is_stated(form, against, colluding, lost):
    plan = probe(form, against=against, colluding=colluding, **planned(form, lost))
    seen = run(plan, lost)
    released = seen[0][AGGREGATOR].result
    alone = mu_of_each(plan, [AGGREGATOR], seen)
    assert max(alone.values()) == pytest.approx(released.mu_aggregator, rel=1e-6)
    for others in ([1], [0, 4], [1, 2, 4]):
        if math.isinf(released.mu_aggregator):
            continue
        assert mus(plan, [AGGREGATOR, *others], seen) == pytest.approx(released.mu(others), rel=1e-6)


@pytest.mark.parametrize("form", LINEAR, ids="-".join)
@pytest.mark.parametrize("lost", [(), (3,)])
def test_a_message_alone_and_the_average_alone(form, lost):
    plan = probe(form, **planned(form, lost))
    party, letters, _ = run(plan, lost)
    released = party[AGGREGATOR].result
    average = [letter.content["value"] for letter in letters if letter.round == "average"][:1]
    assert largest_mu(average, DRAWS, 5).max() == pytest.approx(released.mu_public, rel=1e-6)
    # Under "secure" the trusted party sees a message, in place of the cryptography.
    alone = released.mu_unmasked if form[0] == "secure" else released.mu_message
    sent = [letter for letter in letters if "message" in letter.content]
    found = [largest_mu([letter.content["message"]], DRAWS, 5).max() for letter in sent]
    if plan.form != "generator":  # There a message carries noise that only the aggregator takes off.
        assert max(found) == pytest.approx(alone, rel=1e-6)
    assert max(found) <= alone * (1 + 1e-6)


@pytest.mark.parametrize("form, at", [("broadcast", "seed"), ("secure", "input")])
@pytest.mark.parametrize("equal", [True, False])
def test_sites_that_agree_without_one_that_fell_silent(form, at, equal):
    plan = party_plans.plan(5, "cape", form, shape=(DRAWS + 5,), equal=equal)
    seen = run(plan, (3,), at)
    released = seen[0][AGGREGATOR].result
    assert released.absent == (3,)
    assert mus(plan, [AGGREGATOR, 1], seen) == pytest.approx(released.mu([1]), rel=1e-6)


@pytest.mark.parametrize("scheme", ["cape-best", "graph"])
def test_a_message_that_comes_late_is_seen(scheme):
    plan = probe((scheme, "secure", "iid"), against="aggregator")
    missed = []
    party, letters, book = run(plan, (3,), missed=missed)
    late = next(letter for letter in missed if letter.round == "message")
    assert mus(plan, [AGGREGATOR], (party, letters, book)) < 0.5 * plan.stated().mu_aggregator
    seen = party, [*letters, late], book
    assert mus(plan, [AGGREGATOR], seen) == pytest.approx(plan.stated().mu_aggregator, rel=1e-6)


def test_a_scheme_of_a_stranger():
    with party_plans.registered():
        plan = probe(("loud", "broadcast", "iid"))
        seen = run(plan)
        released = seen[0][AGGREGATOR].result
        assert mus(plan, [AGGREGATOR, 3], seen) == pytest.approx(released.mu([3]), rel=1e-6)


def test_the_distinguisher_sees_a_leak():
    # If the adder told the aggregator what the sites contributed, a message would have its local noise alone.
    plan = probe(("cape", "broadcast", "iid"))
    seen = run(plan)
    told = mus(plan, [AGGREGATOR, TRUSTED], seen)
    design = plan.parts().contributions
    changes = np.array([site.sensitivity for site in plan.sites])
    assert told == pytest.approx((changes / design.local_std).max(), rel=1e-6)
    assert told > 1.5 * mus(plan, [AGGREGATOR], seen)


def test_sites_learn_no_more_than_the_average_from_each_other():
    plan = probe(("cape", "secure", "iid"))
    seen = run(plan)
    # A site knows T and its own noise; the average tells it what the public learns, less its own noise.
    released = seen[0][AGGREGATOR].result
    assert mus(plan, [2], seen) < released.mu([2])
