"""What private topics release, what it costs, and what is not private."""

from __future__ import annotations

import math

from core import Privacy, sweep, topics
from core.privacy import gaussian_mu, gdp_delta
from core.topics.problem import ONE_CURATOR
from dashboard.algorithms.topics.model import Plan, at_sites
from dashboard.compare.law import Law
from dashboard.guarantee import guarantee as guarantees
from dashboard.guarantee import ledger_costs
from dashboard.guarantee.guarantee import Guarantee, Unprotected
from dashboard.state.ledger import Drawn
from dashboard.state.number_text import equals, target_text


def sensitivity(plan: Plan) -> float:
    """Of a pair of words in the sum over all documents.

    In the sum it does not depend on their number, which is known only after reading; see `configuration_e.Statistics`.
    """
    return plan.here["sites"] / float(plan.problem.equalisation(plan.privacy, plan.here).scales[2])


def cost(law: Law, plan: Plan, job: sweep.Job) -> Drawn | None:
    """Privacy cost of one run, for the ledger; without a valid guarantee it is unbounded."""
    if job.scheme not in ONE_CURATOR:
        return law.spent(plan, job)
    here, calibration = dict(job.settings), plan.settings.calibration
    data = law.data(plan, job)
    privacy = Privacy(here["epsilon"], here["delta"])
    if job.scheme == "configuration-1-pure":
        return ledger_costs.of_curator(job, data=data, pure=privacy.epsilon)
    if job.scheme == "configuration-1":
        # The size of a real corpus is known only after reading; until then the limit of many documents is used.
        documents = here["documents"] or math.inf
        mu = topics.first_mu(privacy, alpha0=here["alpha0"], documents=documents, calibration=calibration)
    elif job.scheme == "variational":
        mu = gaussian_mu(privacy)
    else:
        valid = job.scheme == "configuration-e"
        mu = gaussian_mu(privacy, calibration=calibration) if valid else math.inf
    return ledger_costs.of_curator(job, data=data, mu=mu)


LAW = Law(
    sensitivity=sensitivity,
    statistic=lambda plan: "each pair of words in the weighted sum over all documents",
    earlier=lambda plan: plan.problem.earlier(plan.here),
    cost=cost,
)


def guarantee(plan: Plan, table=None) -> Guarantee:
    """The guarantee for one document, and what was not private."""
    (privacy, _), against = LAW.target(plan), LAW.against(plan)
    unit = f"{plan.source.unit} at one site, replaced by any other; the number of documents is public"
    found = LAW.exposures(plan, plan.shown)
    said = guarantees.sentence(privacy, found, several=True, **against) if at_sites(plan) else ""
    if plan.curator:
        said = " ".join(filter(None, (said, _of_configurations(plan))))
        unit += "; configurations 1 to 4 use documents of at least three words, whose number is public too"
    return Guarantee(
        said,
        privacy if at_sites(plan) else None,
        colluding=against["colluding"],
        exposures=found,
        unit=unit,
    )


def _of_configurations(plan):
    s = plan.settings
    said = (
        f"E, 1 and DP variational are calibrated for {target_text(s)} for every "
        "document. 2, 3 and 4 have no valid guarantee: one document can change what their noise is scaled by."
    )
    kept = gdp_delta(s.epsilon, gaussian_mu(plan.privacy, calibration=s.calibration))
    if kept > s.delta * (1 + 1e-9):
        said += f" The published calibration misses this for E: its exact guarantee is {equals('δ', kept)}."
    return said


def unprotected(plan: Plan, table=None) -> tuple[Unprotected, ...]:
    """What the page shows of the documents without noise."""
    answers = (
        "non-private topics and their names, a proposed k, all numbers of topics found, overlaps and errors"
    )
    order = "the order of topics in columns: private topics are matched with the non-private ones"
    own = plan.source.name == "own"
    found = [Unprotected("answer", answers), Unprotected("choice", order)]
    found += guarantees.chosen(plan.settings.repeats, "the number of topics found", own=own)
    if plan.source.synthetic or plan.source.name == "notes":
        return tuple(found)
    words = "the vocabulary: the most frequent words of these documents are treated as public"
    return Unprotected("words", words), *found, Unprotected("counts", _left_out(plan.source))


def _left_out(source):
    """The documents that are omitted before counting; the public number then depends on their content."""
    if source.name == "docstrings":
        return "which docstrings repeat each other word for word: repeated ones are left out before they are counted"
    kind = "messages" if source.name == "newsgroups" else "lines of the file"
    return f"which documents are blank: blank {kind} are left out before the documents are counted"
