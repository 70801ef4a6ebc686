"""A plan's sensitivity has the arithmetic of the mean where discrete noise leaves no digit to it."""

from __future__ import annotations

import json
import math
from fractions import Fraction

import numpy as np
import party_plans
import pytest

from core import Privacy
from core.parties import Plan, Site, Statistic, plan_of
from core.privacy import gaussian_mu
from core.summaries import Summary

TARGET = Privacy(1.0, 1e-5)
SECURE = {"scheme": "secure", "noise": "discrete"}
SECOND = Statistic("second moment", (3, 3), norm=2.0)
KNOWN = [
    (Statistic("mean", (), -1.0, 3.0), 3.0),
    (Statistic("mean", (4,), 0.0, 12.0), 24.0),
    (Statistic("shares", (5,), 0.0, 1.0), 1.0),
    (
        Statistic("summaries", (4,), parts=(Summary("mean", 0.0, 9.0), Summary("counts", cells=3))),
        math.sqrt(2),
    ),
    (SECOND, 4.0),
    (
        Statistic("second moment and mean", (12,), norm=1.0, share=0.2),
        math.hypot(math.sqrt(0.4), math.sqrt(0.2) / 2),
    ),
]


def test_two_neighbours_are_further_apart_in_floats_than_the_change_and_within_what_is_stated():
    statistic, n = Statistic("mean", (2,), 0.0, 1.0), 10**5
    records = np.full((n, 2), 0.1)
    records[0] = 0.0
    one = statistic.of(records)
    records[0] = 1.0
    apart = math.sqrt(
        sum((Fraction(a) - Fraction(b)) ** 2 for a, b in zip(one, statistic.of(records), strict=True))
    )
    assert apart > statistic.change / n * (1 + 1e-13)  # Else this says nothing.
    plan = plan_of(statistic, [n, n], TARGET, **SECURE)
    assert apart <= plan.sites[0].sensitivity


@pytest.mark.parametrize(("statistic", "length"), KNOWN)
def test_a_promise_counts_what_floats_add_to_a_mean(statistic, length):
    """Higham's bound is 2 (n + 2) u per unit of a record's length: two percent and more of Δ at 10⁷ records."""
    n = 10**7
    plan = plan_of(statistic, [n, n], TARGET, **SECURE)
    true = statistic.change / n + 2 * length * n * 2.0**-53
    assert true > 1.005 * statistic.change / n
    assert plan.promise(0, true).aggregator <= gaussian_mu(TARGET)
    assert plan.sites[0].sensitivity == pytest.approx(true, rel=1e-6)


def test_noise_in_floats_keeps_the_plain_sensitivity():
    for n in (200, 10**7):
        assert plan_of(SECOND, [n, n], TARGET).sites[0].sensitivity == SECOND.change / n
    other = plan_of(Statistic("median", (), 0.0, 1.0), [10**7] * 2, TARGET, change=3.0, **SECURE)
    assert other.sites[0].sensitivity == 3.0 / 10**7  # Nobody knows how it is computed.


def test_a_plan_or_a_site_that_leaves_the_sums_out_is_refused():
    honest = plan_of(Statistic("mean", (), 0.0, 1.0), [10**6, 10**6], TARGET, **SECURE)
    found = honest.to_dict()
    assert Site(Plan.from_dict(found), 0, 0.5, consent=("secure",)).sensitivity == honest.sites[0].sensitivity
    found["sites"][1]["sensitivity"] = 1e-6
    with pytest.raises(ValueError, match=r"^sensitivity .*1"):
        Plan.read(json.dumps(found).encode())
    found["noise"], found["zero_sum"] = "iid", "broadcast"
    assert Plan.read(json.dumps(found).encode()).sites[1].sensitivity == 1e-6


def test_small_sites_agree_as_before():
    plan = party_plans.plan(4, "secure", "secure", "discrete")
    assert Plan.read(plan.text().encode()) == plan
