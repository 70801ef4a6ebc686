"""What private principal components release, what it costs, and what is not private."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from core import pca, sweep
from dashboard.algorithms.pca.model import Plan
from dashboard.compare.law import Law
from dashboard.guarantee import guarantee as guarantees
from dashboard.guarantee.guarantee import Exposure, Guarantee, Unprotected
from dashboard.problems.site_sizes import mean_of
from dashboard.state.ledger import Drawn

_DATA_SCALE = (
    "Not covered: the scale of the records was computed from the records. The following treats it as public."
)


def sensitivity(plan: Plan) -> float:
    """Of an entry of the second moment."""
    change = float(plan.problem.sensitivity({"samples": mean_of(plan.here)}))
    if plan.problem.centre == "mean":  # Noise on √((1−t)/2) A, where the mean takes a share t of the budget.
        change /= np.sqrt((1 - plan.problem.share) / 2)
    return change


def understated(plan: Plan, here: dict) -> float:
    """Factor by which the true μ exceeds the nominal one: true over assumed sensitivity."""
    return pca.sensitivity(1) / pca.sensitivity(
        1, form="published" if plan.settings.calibration == "published" else "exact"
    )


def cost(law: Law, plan: Plan, job: sweep.Job) -> Drawn | None:
    """Privacy cost of one run, for the ledger."""
    if job.scheme != "dpdispca":
        return law.spent(plan, job)
    # Its result depends on the single messages, not only on their average.
    sent = law.spent(plan, replace(job, scheme="conventional"))
    return replace(sent, method=job.scheme, public=sent.aggregator)


# Weighted by their shares n_s/N, sites of unequal size reveal what equal ones of N/S records do.
LAW = Law(
    sensitivity=sensitivity,
    statistic=lambda plan: "the noise in the result",
    understated=understated,
    cost=cost,
)


def guarantee(plan: Plan, table) -> Guarantee:
    """The guarantee of the picture; `table` is the user's own, or None."""
    s, (privacy, _), against = plan.settings, LAW.target(plan), LAW.against(plan)
    published, found = s.calibration == "published", LAW.exposures(plan, plan.methods)
    if "dpdispca" in plan.methods:
        factor = understated(plan, plan.here)
        found += (_square_roots(privacy, plan.here["sites"], s.calibration, factor),)
    sentence = guarantees.sentence(privacy, found, **against)
    if found and (published if table is None else not table.public_bounds):
        sentence = f"{_DATA_SCALE} {sentence}"
    slip = "the published sensitivity 1/nₛ is too small by √2; the exact δ below account for this"
    return Guarantee(
        sentence=sentence,
        nominal=privacy,
        colluding=against["colluding"],
        exposures=found,
        unit=f"{plan.source.unit} at one site, replaced by any other; the number of records is public",
        not_private=(slip,) if published else (),
    )


def unprotected(plan: Plan, table) -> tuple[Unprotected, ...]:
    """What the page shows of records without noise."""
    answer = "the non-private answer, and all energies and errors, which are computed from it"
    found = [Unprotected("answer", answer)]
    if plan.settings.calibration == "published" and table is None:
        found.append(Unprotected("centres", "centre and scale, which were computed from the records"))
    if plan.source.image_shape:
        images = f"one image of each class of {plan.source.title}, rebuilt"
        found.append(Unprotected("records", images))
    figure, own = f"the {plan.problem.measure} kept", plan.source.name == "own"
    return tuple(found) + guarantees.chosen(plan.settings.repeats, figure, own=own)


def _square_roots(privacy, sites, calibration, factor):
    """Exposure of DPdisPCA, whose result depends on the single conventional messages, not only on their average."""
    (messages,) = guarantees.exposures(
        ("conventional",), privacy, sites=sites, colluding=0, calibration=calibration, understated=factor
    )
    return Exposure("dpdispca", *(messages.aggregator,) * 4)
