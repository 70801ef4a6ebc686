"""Parties of a release as programs of their own: sites, aggregator and a trusted party, which exchange bytes.

`release` computes all parties in one process. Here each party has a state of its own and sees its messages alone. What
a plan says is public and the same for all; core/README.md, "Parties", has the rounds and the format of the messages.

>>> import numpy as np
>>> from core import Privacy
>>> plan = plan_of(Statistic("mean", (), 0.0, 1.0), [200] * 5, Privacy(1.0, 1e-5), change=1.0)
>>> released = exchange(plan, np.full(5, 0.5))
>>> released.sites, round(float(released.std), 6) == round(float(plan.stated().std), 6)
((0, 1, 2, 3, 4), True)
"""

from core.parties.aggregator import Aggregator
from core.parties.loop import exchange
from core.parties.messages.letter import AGGREGATOR, ROUNDS, TRUSTED, receiver
from core.parties.messages.refusals import (
    ForeignPlan,
    Forged,
    Malformed,
    OtherVersion,
    OutOfOrder,
    Refused,
    Replayed,
    TooFewSites,
    WrongParty,
)
from core.parties.plan import Plan, plan_of
from core.parties.second_version import Column, SeriesTerms
from core.parties.series_site import SeriesSite
from core.parties.site import Site
from core.parties.source import Source, streams
from core.parties.statistic import Member, Statistic
from core.parties.trusted import TrustedParty

__all__ = [
    "AGGREGATOR",
    "ROUNDS",
    "TRUSTED",
    "Aggregator",
    "Column",
    "ForeignPlan",
    "Forged",
    "Malformed",
    "Member",
    "OtherVersion",
    "OutOfOrder",
    "Plan",
    "Refused",
    "Replayed",
    "SeriesSite",
    "SeriesTerms",
    "Site",
    "Source",
    "Statistic",
    "TooFewSites",
    "TrustedParty",
    "WrongParty",
    "exchange",
    "plan_of",
    "receiver",
    "streams",
]
