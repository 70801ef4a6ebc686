"""What a private training releases over all its steps, what it costs, and what is not private."""

from __future__ import annotations

import math

import numpy as np

from core import Privacy, sweep
from core.schemes import message_std, planned_std
from dashboard.algorithms.network.model import Plan, dots_step
from dashboard.compare.observers import Observed
from dashboard.guarantee import guarantee as guarantees
from dashboard.guarantee import ledger_costs
from dashboard.guarantee.guarantee import Guarantee, Unprotected
from dashboard.problems.site_sizes import total_of
from dashboard.state.ledger import Drawn
from dashboard.state.number_text import count_text, directed, exactly
from data.sites import held


def composed(plan: Plan) -> tuple[Privacy, str]:
    """The privacy of the whole training, and its calibration: its target, or what a target for every step comes to."""
    s = plan.settings
    if plan.budget == "total":
        return Privacy(s.epsilon, s.delta), s.calibration
    return Privacy(max(plan.total_epsilon(s.epsilon), 1e-9), s.delta), "exact"


def observed(plan: Plan, scheme: str) -> Observed:
    """The noise of the average gradient at every step, and every observer's μ of all steps together."""
    s, here = plan.settings, plan.here
    privacy, calibration = composed(plan)
    asked = scheme, privacy, here["sites"], _colluding(plan), calibration, 1.0, guarantees.terms_of(here)
    seen, alone = guarantees.promised(*asked, _earlier(plan)), guarantees.promised(*asked).message
    options = dict(plan.problem.options)
    # The noise of a step is largest on the smallest part of the records.
    sizes = np.broadcast_to(np.array(held(here)), here["sites"])
    change, target = 2 * options["clip"] / (sizes // options["batches"]), Privacy(s.epsilon, s.delta)
    _, tau = message_std(change, target, calibration=s.calibration)
    weights = sizes / sizes.sum() if np.ptp(sizes) else None
    terms = dict(guarantees.terms_of(here))
    std = planned_std(scheme, tau, weights, silent=here.get("dropped", 0), **terms)
    # Of a target for the whole training a step has μ/√T.
    times = math.sqrt(plan.visits) if plan.budget == "total" else 1.0
    return Observed(scheme, times * std, seen.public, seen.message, seen.aggregator, seen.colluders, alone)


def guarantee(plan: Plan, table) -> Guarantee:
    """The guarantee of all steps together."""
    s, terms = plan.settings, guarantees.terms_of(plan.here)
    nominal, calibration = composed(plan)
    found = guarantees.exposures(
        plan.shown,
        nominal,
        sites=plan.here["sites"],
        colluding=_colluding(plan),
        calibration=calibration,
        terms=terms,
        earlier=_earlier(plan),
    )
    # A composed ε is computed: what is said is rounded up.
    said = Privacy(nominal.epsilon if plan.budget == "total" else directed(nominal.epsilon, 3, "up"), s.delta)
    words = guarantees.sentence(said, found, terms=terms, colluding=_colluding(plan), several=plan.steps > 1)
    lead = f"All {plan.steps} steps together:"
    if plan.budget == "step":
        lead = f"Each step has {exactly('ε', s.epsilon)}; all {plan.steps} together:"
    return Guarantee(
        sentence=f"{lead} {words[0].lower()}{words[1:]}",
        nominal=nominal,
        colluding=_colluding(plan),
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


def cost(plan: Plan, job: sweep.Job) -> Drawn | None:
    """Privacy cost of one run, a whole training, for the ledger."""
    # A target for every step is spent once for each use of a record.
    wide = 1.0 if plan.budget == "total" else math.sqrt(plan.visits)
    data = ledger_costs.data_name(plan.source, job)
    return ledger_costs.of_job(job, data=data, calibration=plan.settings.calibration, understated=wide)


def _colluding(plan):
    return min(plan.settings.colluding, plan.here["sites"] - 1)


def _earlier(plan):
    """Messages of later steps depend on the averages before."""
    return float(plan.steps > 1)
