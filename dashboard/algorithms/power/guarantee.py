"""What private tensor components release, what it costs, and what is not private."""

from __future__ import annotations

from core import power, sweep
from core.schemes import PLAIN, PRIVATE
from dashboard.algorithms.power.model import Plan, accounts, mu_of
from dashboard.compare.law import Law
from dashboard.guarantee import guarantee as guarantees
from dashboard.guarantee import ledger_costs
from dashboard.guarantee.guarantee import Guarantee, Unprotected
from dashboard.state.ledger import Drawn
from dashboard.state.number_text import at_most_text, target_text

_UNITS = {
    "entry": "one count of one site with its permutations (one entry of the tensor), changed by at most 1",
    "published": "the six-term sum of Definition 4.2: an entry off the diagonal by 1, one on it by 6",
}


def sensitivity(plan: Plan) -> float:
    """Of each count of the sum of all sites."""
    std, _ = power.entry_std(1.0, neighbours=plan.problem.neighbours)
    return plan.here["sites"] * std


def cost(law: Law, plan: Plan, job: sweep.Job) -> Drawn | None:
    """Privacy cost of one run, for the ledger."""
    if job.scheme == PLAIN or job.scheme in PRIVATE:
        return law.spent(plan, job)
    return ledger_costs.of_curator(job, data=law.data(plan, job), mu=mu_of(plan.problem, job))


def _statistic(plan):
    symmetric = ", before it is made symmetric" if plan.problem.neighbours == "published" else ""
    return f"each count of the sum{symmetric}"


LAW = Law(
    sensitivity=sensitivity,
    statistic=_statistic,
    cost=cost,
    data=lambda plan, job: ledger_costs.seeded("Counts of known patterns, one count at one site", job),
)


def guarantee(plan: Plan, table) -> Guarantee:
    """The guarantee of the picture."""
    target, _ = LAW.target(plan)
    found = LAW.exposures(plan, (method for method in plan.methods if plan.fits(method)))
    sentences = []
    if found:  # The sum of equal sites tells what their average tells.
        sentences.append(guarantees.sentence(target, found).replace("average", "sum"))
    if "alg3_exact" in plan.methods:
        sentences.append(
            f"All results of noise each step together have {target_text(target)} by exact composition."
        )
    if "alg3_published" in plan.methods:
        kept = next(one for one in accounts(plan) if one.calibration == "published").epsilon
        sentences.append(f"The exact ε of its published constants is {at_most_text(kept)}.")
    return Guarantee(
        sentence=" ".join(sentences) or guarantees.NOTHING_PRIVATE,
        nominal=target if found else None,
        exposures=found,
        unit=f"{_UNITS[plan.problem.neighbours]}; not one person's record, which changes many counts",
        not_private=(
            "cosines, μ₀ and λ, which are computed from the true components",
            "each curve is a separate release: in a real release, their privacy losses would add up",
        ),
    )


def unprotected(plan: Plan, table) -> tuple[Unprotected, ...]:
    """What the page shows without noise."""
    answer = (Unprotected("answer", "the true components, the non-private answer"),)
    repeats = max(len(plan.jobs_here(method)) for method in plan.methods) if plan.methods else 1
    return (answer if PLAIN in plan.methods else ()) + guarantees.chosen(
        repeats, "a number of found patterns", own=False
    )
