"""Random plans for tests of `core.parties`, and a scheme that a stranger registers with its parties."""

from __future__ import annotations

import math

import further_scheme
import numpy as np

from core import Privacy, schemes
from core.parties import (
    AGGREGATOR,
    TRUSTED,
    Aggregator,
    Member,
    Plan,
    Site,
    Statistic,
    TrustedParty,
)
from core.parties.messages.letter import read
from core.schemes import SCHEMES
from core.schemes.sites import sites_of


def _forms():
    """Every scheme in every form of agreement: name, zero_sum, noise."""
    request = schemes.Request(sites_of(np.ones(4), np.full(4, 0.25)))
    for name in SCHEMES:
        scheme = schemes.named(name)
        parts = scheme.parts(request)
        ways = ("broadcast", "generator", "secure") if parts.contributions is not None else ("broadcast",)
        ways = ("broadcast", "secure") if parts.after is not None else ways
        yield from ((name, way, "iid") for way in (("secure",) if parts.edges is not None else ways))
        if scheme.discrete:
            yield from (
                (name, way, "discrete") for way in ("broadcast", *(("secure",) if parts.summed else ()))
            )


FORMS = list(_forms())


def plan(sites, scheme, zero_sum="secure", noise="iid", *, shape=(3,), seed=0, equal=False, **options):
    """A plan of sites with random sizes, weights and privacy targets."""
    rng = np.random.default_rng(seed)
    records = np.full(sites, 100) if equal else rng.integers(80, 300, sites)
    weights = records / records.sum()
    private = schemes.named(scheme).private
    members, statistic = [], Statistic("mean", shape, 0.0, 1.0)
    for s in range(sites):
        epsilon = 1.0 if equal else float(rng.uniform(0.8, 1.5))
        target = Privacy(epsilon, 1e-5) if private else None
        members.append(
            Member(
                f"site {s}", float(weights[s]), statistic.change / float(records[s]), target, int(records[s])
            )
        )
    return Plan(statistic, tuple(members), scheme, zero_sum, noise, **options)


# One form of each way in which messages pass: how sites agree, and on what.
WAYS = list(
    {
        (found.form, found.parts().sum_only, found.parts().after is None, form[2]): form
        for form in FORMS
        if (found := plan(3, *form))
    }.values()
)


def site(plan, number, statistic, **options):
    """A site that takes part whatever the scheme shows."""
    return Site(plan, number, statistic, consent=(plan.scheme,), **options)


def rng():
    """The generator of all noise of a run."""
    return np.random.default_rng(11)


def statistics(plan):
    """One for each site."""
    return np.random.default_rng(3).random((len(plan.sites), *plan.statistic.shape))


def new_parties(plan, own):
    """All parties of a plan, by address."""
    made = {s: site(plan, s, f, rng=own[s]) for s, f in enumerate(statistics(plan))}
    made[AGGREGATOR] = Aggregator(plan, rng=own[AGGREGATOR])
    if plan.needs_trusted:
        made[TRUSTED] = TrustedParty(plan, rng=own[TRUSTED])
    return made


def deliver(plan, made, each):
    """Deliver all messages in order; `each(party, letter, data)` is called before each and returns the party."""
    queue = [data for s in plan.numbers for data in made[s].join()]
    while queue:
        data = queue.pop(0)
        letter = read(data)
        made[letter.receiver] = each(made[letter.receiver], letter, data)
        queue += made[letter.receiver].receive(data)
    return made


# What a hostile message says where a party expects another thing.
VALUES = (
    None,
    True,
    -1,
    0,
    9,
    2.5,
    "x",
    b"",
    b"\0" * 32,
    [],
    [0],
    [0, 1, 2],
    [b"\0" * 32] * 2,
    {},
    {0: b"x"},
    {"a": 1},
)


# As somebody writes it who copies `core.schemes.known.conventional` and changes its noise.
SCHEME = schemes.Scheme(
    name="loud",
    explanation="every site adds twice the variance",
    order=36,
    seen_by="nobody",
    noise=lambda request: schemes.Parts(local_std=math.sqrt(2) * request.sites.std),
)


def registered(scheme=SCHEME):
    """The scheme is registered inside."""
    return further_scheme.registered(scheme)


def largest_mu(rows, draws, changes):
    """μ of the best linear distinguisher for each site: rows of (noise | change of each site), by brute force.

    The rows are jointly Gaussian with covariance A Aᵀ, and a record of site s moves their mean by b_s.
    """
    rows = np.asarray(rows)
    noise, moves = rows[:, :draws], rows[:, draws : draws + changes]
    u, s, _ = np.linalg.svd(noise, full_matrices=True)
    rank = int((s > 1e-9 * max(s.max(initial=0.0), 1e-300)).sum())
    inside, outside = u[:, :rank].T @ moves, u[:, rank:].T @ moves
    mu = np.linalg.norm(inside / s[:rank, None], axis=0)
    bare = np.linalg.norm(outside, axis=0) > 1e-8 * np.linalg.norm(moves, axis=0).clip(1e-300)
    return np.where(bare, math.inf, mu)
