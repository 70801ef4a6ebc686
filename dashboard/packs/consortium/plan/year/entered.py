"""The planned releases of a year as entries of the session's ledger, as if they were carried out: composed by persons."""

from __future__ import annotations

import math
from dataclasses import replace

from core.privacy import group_mu
from core.schemes import named
from dashboard.guarantee.ledger_costs import counted_on, settings_words
from dashboard.packs.consortium.plan.year.releases import Year
from dashboard.state.ledger import VIEWS, Drawn


def entries(year: Year, data: str) -> list[Drawn]:
    """What each line costs one person, with all records in all releases that the person is in; none if one is wrong."""
    try:
        plans = [year.plan(observer=view).releases for view in VIEWS]
    except ValueError:
        return []
    pairs = enumerate(zip(*plans, strict=True))
    return [_entry(place, *pair, data, year.law.per_person) for place, pair in pairs if pair[0].times]


def _entry(place, public, aggregator, data, records):
    scheme = named(public.scheme)
    return Drawn(
        identity=(place, replace(public, most=None, mu=0.0)),
        data=data,
        method=public.scheme,
        settings=f"{public.name}, {settings_words(public.privacy.epsilon, public.privacy.delta)}",
        public=_of_person(public, records),
        aggregator=_of_person(aggregator, records),
        curator=scheme.curator,
        one_site=scheme.one_site,
        releases=public.times,
        assumed=counted_on(public.name, public.charged, public.times, records=records),
    )


def _of_person(one, records):
    mu = one.mu * math.sqrt(one.charged)
    return group_mu(mu, records) if 0 < mu < math.inf else mu
