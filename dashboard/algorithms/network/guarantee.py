"""What a private training releases over all its steps, what it costs, and what is not private."""

from __future__ import annotations

import math

import numpy as np

from core import Privacy, sweep
from core.schemes import is_private, message_std, planned_std
from dashboard.algorithms.network.model import Plan, dots_step
from dashboard.compare.law import Law
from dashboard.guarantee import guarantee as guarantees
from dashboard.guarantee import ledger_costs
from dashboard.guarantee.guarantee import Guarantee, Unprotected
from dashboard.problems.site_sizes import mean_of, total_of
from dashboard.state.ledger import Drawn
from dashboard.state.number_text import count_text, directed, exactly
from data.sites import held


def composed(plan: Plan) -> tuple[Privacy, str]:
    """The privacy of the whole training, and its calibration: its target, or what a target for every step comes to."""
    s = plan.settings
    if plan.budget == "total":
        return Privacy(s.epsilon, s.delta), s.calibration
    return Privacy(max(plan.total_epsilon(s.epsilon), 1e-9), s.delta), "exact"


def sensitivity(plan: Plan) -> float:
    """Of the average gradient at a step."""
    options = dict(plan.problem.options)
    batch = mean_of(plan.here) // options["batches"]
    return _times(plan) * 2 * options["clip"] / batch


def _times(plan):
    """Of a target for the whole training a step has μ/√T."""
    return math.sqrt(plan.visits) if plan.budget == "total" else 1.0


def std(plan: Plan, scheme: str) -> float:
    """The noise of the average at a step: of unequal sites on the smallest part of their records."""
    s, here, options = plan.settings, plan.here, dict(plan.problem.options)
    if not is_private(scheme):
        return 0.0
    sizes = np.broadcast_to(np.array(held(here)), here["sites"])
    change, asked = 2 * options["clip"] / (sizes // options["batches"]), Privacy(s.epsilon, s.delta)
    _, tau = message_std(change, asked, calibration=s.calibration)
    weights = sizes / sizes.sum() if np.ptp(sizes) else None
    terms = dict(guarantees.terms_of(here))
    return _times(plan) * planned_std(scheme, tau, weights, silent=here.get("dropped", 0), **terms)


def cost(law: Law, plan: Plan, job: sweep.Job) -> Drawn | None:
    """Privacy cost of one run, a whole training, for the ledger."""
    # A target for every step is spent once for each use of a record.
    wide = 1.0 if plan.budget == "total" else math.sqrt(plan.visits)
    data, calibration = law.data(plan, job), plan.settings.calibration
    return ledger_costs.of_job(job, data=data, calibration=calibration, understated=wide)


LAW = Law(
    sensitivity=sensitivity,
    statistic=lambda plan: "each entry of the average gradient, at every step",
    std=std,
    target=composed,
    earlier=lambda plan: float(plan.steps > 1),  # Messages of later steps depend on the averages before.
    cost=cost,
)


def guarantee(plan: Plan, table) -> Guarantee:
    """The guarantee of all steps together."""
    s, (nominal, _), against = plan.settings, LAW.target(plan), LAW.against(plan)
    found = LAW.exposures(plan, plan.shown)
    # A composed ε is computed: what is said is rounded up.
    said = Privacy(nominal.epsilon if plan.budget == "total" else directed(nominal.epsilon, 3, "up"), s.delta)
    words = guarantees.sentence(said, found, several=plan.steps > 1, **against)
    lead = f"All {plan.steps} steps together:"
    if plan.budget == "step":
        lead = f"Each step has {exactly('ε', s.epsilon)}; all {plan.steps} together:"
    return Guarantee(
        sentence=f"{lead} {words[0].lower()}{words[1:]}",
        nominal=nominal,
        colluding=against["colluding"],
        exposures=found,
        unit=f"{plan.source.unit} at one site, features and label, replaced by any other; the number of records is public",
    )


def unprotected(plan: Plan, table) -> tuple[Unprotected, ...]:
    """What the page shows of records without noise."""
    source, total = plan.source, total_of(plan.here)
    answer = "the non-private training; losses and accuracies, which are computed from the records"
    found = [Unprotected("answer", answer)]
    if source.note:
        found.append(Unprotected("ranges", source.note))
    if source.window is not None:
        count = count_text(len(range(0, total, dots_step(total))), "training record")
        found.append(
            Unprotected("records", f"{count} of {source.title}, drawn as dots beside the decision boundary")
        )
    return (*found, *guarantees.chosen(plan.settings.repeats, "an accuracy", own=False))
