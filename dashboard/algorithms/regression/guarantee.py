"""What private regression releases, what it costs, and what is not private."""

from __future__ import annotations

import math

from core import sweep
from core.functional.losses import named
from dashboard.algorithms.regression.model import CURATORS, Plan, drawn_rows
from dashboard.compare.law import Law
from dashboard.guarantee import guarantee as guarantees
from dashboard.guarantee import ledger_costs
from dashboard.guarantee.guarantee import Guarantee, Unprotected
from dashboard.problems.site_sizes import mean_of, total_of
from dashboard.state.html_text import listed
from dashboard.state.ledger import Drawn
from dashboard.state.number_text import count_text, exactly, number_text
from dashboard.theme.scheme_style import label

_DATA_BOUNDS = "Not covered: bounds were computed from the records. The following treats them as public."


def sensitivity(plan: Plan) -> float:
    """Of an entry of Λ2 off its diagonal."""
    here, loss = plan.here, named(plan.source.response)
    joint = 1.0 if plan.settings.calibration == "published" else loss.jointly(here["dimension"])
    return joint * loss.sensitivities[2] / math.sqrt(2) / mean_of(here)


def understated(plan: Plan, here: dict) -> float:
    """Factor by which the true μ exceeds the nominal one: each coefficient is given the whole budget as published."""
    return named(plan.source.response).joint_all if plan.settings.calibration == "published" else 1.0


def cost(law: Law, plan: Plan, job: sweep.Job) -> Drawn | None:
    """Privacy cost of one run, for the ledger."""
    if job.scheme not in CURATORS:
        return law.spent(plan, job)
    return ledger_costs.of_curator(job, data=law.data(plan, job), pure=dict(job.settings)["epsilon"])


# Weighted by their shares n_s/N, sites of unequal size reveal exactly what equal ones of N/S records do.
LAW = Law(
    sensitivity=sensitivity,
    statistic=lambda plan: "each entry of the curvature Λ₂ off its diagonal",
    understated=understated,
    cost=cost,
)


def guarantee(plan: Plan, table) -> Guarantee:
    """The guarantee of the picture; `table` is the user's own, or None."""
    s, (privacy, _), against = plan.settings, LAW.target(plan), LAW.against(plan)
    found = LAW.exposures(plan, plan.shown)
    said = [guarantees.sentence(privacy, found, **against)] if found else []
    if pure := [label(m) for m in CURATORS if m in plan.shown]:
        said.append(f"{listed(pure)}: pure {exactly('ε', s.epsilon)}, but one curator holds all records.")
    if said and (plan.source.note if table is None else not table.public_bounds):
        said.insert(0, _DATA_BOUNDS)
    wide = number_text(understated(plan, plan.here))
    slip = (
        f"the published form gives each coefficient the whole budget: μ is {wide} times the "
        "promised one; the exact δ below account for this"
    )
    return Guarantee(
        sentence=" ".join(said) or guarantees.NOTHING_PRIVATE,
        nominal=privacy,
        colluding=against["colluding"],
        exposures=found,
        unit=f"{plan.source.unit} at one site, features and response, replaced by any other; "
        "the number of records is public",
        not_private=(slip,) if s.calibration == "published" else (),
    )


def unprotected(plan: Plan, table) -> tuple[Unprotected, ...]:
    """What the page shows of records without noise."""
    source, own = plan.source, not plan.common
    answer = "the non-private answer; all losses and errors, which are computed from the records"
    found = [Unprotected("answer", answer)]
    if source.note:
        found.append(Unprotected("ranges", source.note))
    found += guarantees.chosen(plan.settings.repeats, "a loss", own=own)
    if plan.dots:
        total = total_of(plan.here)
        count = len(range(total)[drawn_rows(total, own=own)])
        dots = f"{count_text(count, 'record')} of {source.title}, drawn as dots with their predictions"
        found.append(Unprotected("records", dots))
    return tuple(found)
