"""What the releases of an average cost, what they guarantee, and what is not private."""

from __future__ import annotations

from dataclasses import replace

from core import sweep
from core.schemes import named
from dashboard.algorithms.average.model import RELEASES, Plan
from dashboard.compare.law import Law
from dashboard.compare.observers import Observed, one_release
from dashboard.guarantee import guarantee as guarantees
from dashboard.guarantee.guarantee import Guarantee, Unprotected
from dashboard.problems.average import EQUAL, all_records_std, noise_std
from dashboard.state.ledger import Drawn

_BOUNDS = (
    "Not covered: the bounds of columns were computed from the records. The following treats them as public."
)


def cost(law: Law, plan: Plan, job: sweep.Job) -> Drawn | None:
    """Privacy cost of the releases under one scheme, for the ledger."""
    one = law.spent(plan, job)
    return None if one is None else replace(one, draws=RELEASES)


def curator(plan: Plan) -> Observed | None:
    """One curator's average of all records, beside sites of equal weights."""
    if plan.here.get("weights") != EQUAL:
        return None
    one = {name: value for name, value in plan.here.items() if name != "weights"}
    found = one_release("pooled", plan.settings, one, change=1.0)
    return replace(found, std=all_records_std(plan.here), name="pooled, all records")


# At weights n_s/N sites of unequal size reveal what equal ones do; at equal weights the smallest reveals most.
LAW = Law(
    sensitivity=lambda plan: 1.0,
    statistic=lambda plan: "the noise in the result",
    std=lambda plan, scheme: noise_std(scheme, plan.here),
    curator=curator,
    cost=cost,
)


def guarantee(plan: Plan, table) -> Guarantee:
    """The guarantee of one release."""
    privacy, _ = LAW.target(plan)
    found, against = LAW.exposures(plan, plan.shown), LAW.against(plan)
    sentence, own = guarantees.sentence(privacy, found, **against), plan.released is not None
    if table is not None and not table.public_bounds:  # A table that was replaced is gone before its picture.
        sentence = f"{_BOUNDS} {sentence}"
    one = f"{plan.source.unit} at one site, replaced by any other{'' if own else ' in [0, 1]'}"
    return Guarantee(
        sentence=sentence,
        nominal=privacy,
        colluding=against["colluding"],
        exposures=found,
        unit=f"{one}; how many there are is public",
        not_private=(
            f"{RELEASES} averages of the same records: in a real release, the privacy loss of each would add up",
        ),
    )


def unprotected(plan: Plan, table) -> tuple[Unprotected, ...]:
    """What the page shows of records without noise."""
    found = ["the true average, from which the errors are counted"]
    if any(named(scheme).one_site for scheme in plan.shown):
        found[0] += (
            ", and how far the average of one site alone is from it: the standard error of local has it"
        )
    if "dropped" in plan.here:
        found.append(
            "how far the average of the sites that send is from that of all: the standard errors hold it"
        )
        found.append("which dropouts are the worst for these records")
    return tuple(Unprotected("answer", words) for words in found)
