"""What a desk carries out: plans in whole numbers, with keys and public bounds; everything else is refused by name."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from core.desk.records import canonical, digest
from core.parties import Plan
from core.parties.second_version import DRAWS, Column
from core.parties.statistic import KNOWN, MEAN, REGRESSION, SEVERAL
from core.privacy import gdp_mu
from core.summaries import Summary

SCHEMES = ("cape-after", "secure")
COPIES = 1  # Folders of sites that may be copied, beside the colluding sites of the plan.


class Refused(ValueError):
    """Raised for what a desk does not release."""


def checked_plan(plan: Plan) -> Plan:
    """The plan, or `Refused` with the first reason why no desk carries it out."""
    reasons = {
        "series must have noise of its own every month (C = I): no law in whole numbers is known for correlated months": (
            plan.series is not None and plan.series.matrix is not None
        ),
        f"scheme must be one of {', '.join(SCHEMES)} for a release, got {plan.scheme!r}": plan.scheme
        not in SCHEMES,
        f"noise must be 'discrete' for a release, got {plan.noise!r}: floats betray their last digits": plan.noise
        != "discrete",
        f"zero_sum must be 'secure' for a release, got {plan.zero_sum!r}: nobody else is trusted": plan.zero_sum
        != "secure",
        "keys must be in the plan: without them an aggregator could stand in a site's place": plan.keys
        is None,
        f"draw must name the sampler, {DRAWS[0]!r}, got {plan.draw!r}": plan.draw not in DRAWS,
        f"statistic must be one whose bounds are public, got {plan.statistic.name!r}": plan.statistic.name
        not in KNOWN,
        f"against must be 'aggregator' or 'colluders' for a release, got {plan.against!r}": plan.against
        == "message",
        "calibration must be 'exact' for a release": plan.calibration != "exact",
        "records of every site must be in the plan": any(site.records is None for site in plan.sites),
        _two_sums(plan): opening_two(plan) <= plan.colluding + COPIES,
        f"threshold must be all sites but the planned dropouts, {fewest(plan)}, got {plan.threshold}; 'cape-lab plan' "
        "writes it": plan.threshold != fewest(plan),
    }
    for reason, wrong in reasons.items():
        if wrong:
            raise Refused(reason)
    if plan.columns is not None:
        _refuse_other_bounds(plan)
    return plan


def fewest(plan: Plan) -> int:
    """How many sites join, send, help to unmask and sign at least: all but the planned dropouts."""
    return max(2, len(plan.sites) - plan.dropouts)


def opening_two(plan: Plan) -> int:
    """How many sites must be copied or collude, with the aggregator, to open two sums of one run: 2t − S = S − 2r.

    Every other site helps to unmask once. So of S sites and c that answer twice there are S + c answers, and two sums take
    2t. Copies of one folder count as one: they hold the same shares. A further round in which t sites sign what they
    unmask would ask for the same 2t of S + c. [K. Bonawitz et al., *Practical Secure Aggregation*, CCS 2017, section 6.2]
    """
    return 2 * fewest(plan) - len(plan.sites)


def most_dropouts(sites: int, colluding: int = 0) -> int:
    """How many of `sites` sites a desk's plan lets drop out: with one more, `opening_two` would be `colluding` + 1."""
    return max(0, (sites - colluding - COPIES - 1) // 2)


def _two_sums(plan):
    sites, copied = len(plan.sites), plan.colluding + COPIES
    most = most_dropouts(sites, plan.colluding)
    return (
        f"dropouts must be at most {most} of {sites} sites, got {plan.dropouts}: an aggregator with the folders or the help "
        f"of {copied} could open two sums of one run, whose difference is one site's message"
    )


def _refuse_other_bounds(plan):
    """A site agrees to columns in words; the noise is that of the statistic, so both must say the same."""
    statistic = plan.statistic
    if statistic.name == SEVERAL:
        said = [(one.lower, one.upper, one.cells) for one in map(summary_of, plan.columns)]
        meant = [(one.lower, one.upper, one.cells) for one in statistic.parts]
    elif statistic.name == MEAN:
        said = [(0, 1) if column.categories else (column.lower, column.upper) for column in plan.columns]
        meant = [(statistic.lower, statistic.upper)] * len(said)
    else:
        said = [column.lower is not None for column in plan.columns]
        meant = [statistic.name == REGRESSION or said[0]] * len(said)  # All or none.
    if said != meant:
        raise Refused(f"columns must have the bounds of the statistic, {meant}, got {said}")


def summary_of(column: Column) -> Summary:
    """What is released of a column, as `core.summaries` says it."""
    if column.bins is not None:
        return Summary("histogram", column.lower, column.upper, column.bins)  # type: ignore[arg-type]
    if column.categories is None:
        return Summary("mean", column.lower, column.upper)  # type: ignore[arg-type]
    many = len(column.categories)
    return Summary("counts", cells=many) if many > 1 else Summary("proportion")


def series_of(plan: Plan) -> dict[str, Any]:
    """What an entry of the ledger says of a month of a series; nothing for a release alone.

    A series is told by what is released of whom and how often; numbers of records differ from month to month.
    """
    if plan.series is None:
        return {}
    told = plan.to_dict()
    about = canonical({name: told.get(name) for name in ("statistic", "columns", "keys", "series")})
    return {"series": digest(about), "most": plan.series.most, "months": plan.series.months}


def month_of(plan: Plan, table: np.ndarray) -> dict[str, Any]:
    """`series_of` with a hash of the month's records in any order, by which a ledger knows them again."""
    series = series_of(plan)
    if not series:
        return {}
    rows = np.ascontiguousarray(table[np.lexsort(table.T)] + 0.0, dtype="<f8")  # One zero, not two.
    return series | {"records": digest(canonical(series | {"shape": list(rows.shape)}) + rows.tobytes())}


def planned_observer(plan: Plan, number: int, observer: str) -> float:
    """μ that a site's ledger is charged: of the ceiling's observer, or of the plan's where that one is stronger.

    The plan's target at least: with sites that do not join, noise is rounded anew, up to the target and no further.
    """
    found = plan.promise(number)
    mus = {
        "message": found.message,
        "aggregator": found.aggregator,
        "colluders": max(found.colluders, found.aggregator),
    }
    strongest = "colluders" if plan.colluding else plan.against
    target = plan.sites[number].privacy
    least = 0.0 if target is None or plan.pure else float(gdp_mu(target))
    return math.nextafter(max(mus[observer], mus[strongest], least), math.inf)
