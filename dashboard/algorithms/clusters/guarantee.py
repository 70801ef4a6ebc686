"""What the two releases of a decomposition guarantee and cost, and what is not private."""

from __future__ import annotations

import math

from core import Privacy, sweep
from core.decomposition import message_mus
from core.moments import sensitivities
from core.privacy import gaussian_mu, gdp_delta
from dashboard.algorithms.clusters.model import Plan
from dashboard.compare.law import Law
from dashboard.guarantee import guarantee as guarantees
from dashboard.guarantee import ledger_costs
from dashboard.guarantee.guarantee import Guarantee, Unprotected
from dashboard.problems.components import TITLES, UNITS
from dashboard.problems.site_sizes import mean_of
from dashboard.state.ledger import Drawn
from dashboard.state.number_text import equals, exactly
from dashboard.theme.scheme_style import label

_DATA_SCALE = "Not covered: bounds or σ² were computed from the records. The following treats them as public."


def mus(plan: Plan, here: dict) -> tuple[float, float]:
    """True μ of a site's messages about M2 and about M3, each seen by itself."""
    return message_mus(
        Privacy(here["epsilon"], here["delta"]),
        share=here["share"],
        model=here["model"],
        published=plan.published,
        **_law(plan, here),
    )


def _law(plan, here):
    return {"d": here["dimension"], "variance": plan.variance} if here["model"] == "gaussians" else {}


def understated(plan: Plan, here: dict) -> float:
    """Factor by which the exact μ of both published releases exceeds that of the published formula."""
    if not plan.published:
        return 1.0
    target = Privacy(here["epsilon"], here["delta"])
    return math.hypot(*mus(plan, here)) / gaussian_mu(target, calibration="published")


def earlier(plan: Plan) -> float:
    """Share of μ² that the first release costs, on which the second one depends."""
    second, third = mus(plan, plan.here)
    return second**2 / (second**2 + third**2)


def sensitivity(plan: Plan) -> float:
    """Of an entry of the average of M2. Its noise is calibrated to its own share; one release takes the whole of ε and δ."""
    s, here = plan.settings, plan.here
    size = mean_of(here)
    law = {"model": here["model"], **_law(plan, here)}
    joint = 1.0 if plan.published else sensitivities.joint(here["share"], **law)
    true = sensitivities.second(size, model=here["model"], d=here["dimension"])
    whole = gaussian_mu(Privacy(s.epsilon, s.delta), calibration=s.calibration)
    return math.sqrt(joint) * true * whole / mus(plan, here)[0]


def avn_mu(plan: Plan, here: dict) -> float:
    """μ of AVN's noise on M2 at the settings `here`."""
    part = Privacy(here["share"] * here["epsilon"], here["delta"])
    form = "published" if plan.published else "exact"
    exact, taken = (sensitivities.second(1, model=here["model"], form=f) for f in ("exact", form))
    return exact / taken * gaussian_mu(part, calibration=plan.settings.calibration)


def _avn_delta(plan):
    """Exact δ of AVN at the nominal ε: that of M2's noise at its share of ε, since M3's noise is pure-ε."""
    return float(gdp_delta(plan.here["share"] * plan.settings.epsilon, avn_mu(plan, plan.here)))


def _data(plan, job):
    if plan.own is not None:
        return plan.own.table.name
    topics = dict(job.settings)["model"] == "topics"
    kind = "Documents of one topic each" if topics else "Points of a mixture of Gaussians"
    return ledger_costs.seeded(kind, job)


def cost(law: Law, plan: Plan, job: sweep.Job) -> Drawn | None:
    """Privacy cost of one run, for the ledger."""
    if job.scheme != "avn":
        return law.spent(plan, job)
    here = dict(job.settings)
    pure = (1 - here["share"]) * here["epsilon"]
    return ledger_costs.of_curator(job, data=law.data(plan, job), mu=avn_mu(plan, here), pure=pure)


LAW = Law(
    sensitivity=sensitivity,
    statistic=lambda plan: "each entry of the average second moment, before it is made symmetric",
    understated=understated,
    earlier=earlier,
    cost=cost,
    data=_data,
)


def guarantee(plan: Plan, table) -> Guarantee:
    """The guarantee of both releases together; `table` is the user's own, or None."""
    s, (privacy, _), against = plan.settings, LAW.target(plan), LAW.against(plan)
    found = LAW.exposures(plan, plan.shown)
    sentence = guarantees.sentence(privacy, found, several=True, **against)
    if "avn" in plan.shown:
        # The classical formula and the published sensitivity of Gaussians may miss the privacy target.
        delta = _avn_delta(plan)
        kept = math.isclose(delta, s.delta, rel_tol=1e-9)
        target = f"({exactly('ε', s.epsilon)}, {exactly('δ', s.delta) if kept else equals('δ', delta)})"
        sentence += f" {label('avn').capitalize()}: {target}, but one curator holds all records."
    if table is not None and not (table.public_bounds and plan.own.variance):
        sentence = f"{_DATA_SCALE} {sentence}"
    record = UNITS[plan.here["model"]] if table is None else table.source.unit
    return Guarantee(
        sentence=sentence,
        nominal=privacy,
        colluding=against["colluding"],
        exposures=found,
        unit=f"{record} at one site, replaced by any other; the number of records is public",
        not_private=tuple(_public(plan)),
    )


def _public(plan):
    """What the guarantee takes for public."""
    if plan.own is not None:
        return ["σ², which is public"] if plan.own.variance is not None else []
    if plan.here["model"] == "topics":
        return ["the vocabulary, which is public"]
    return ["σ² and the bound ζ on norms, which are public here"]


def unprotected(plan: Plan, table) -> tuple[Unprotected, ...]:
    """What the page shows of records without noise."""
    known = "true" if table is None else "non-private"
    answer = f"the non-private answer and all errors, which are computed from the {known} components"
    found = [Unprotected("answer", answer)]
    if table is None:
        by = "a share sorted right" if plan.here["model"] == "topics" else "a number of found centres"
        found += guarantees.chosen(plan.settings.repeats, by, own=False)
        dots = f"{TITLES[plan.here['model']]}: some of these records, drawn as dots"
        return (*found, Unprotected("records", dots))
    order = "order and signs of the components, which are matched with the non-private ones"
    found.append(Unprotected("choice", order))
    if plan.own.variance is None:
        found.append(Unprotected("centres", "σ², taken from the records"))
    return tuple(found)
