"""What the page Protocol shows beside its play, as a pure function of its plan."""

from __future__ import annotations

from dashboard.components.sketch import SHEET as SKETCH
from dashboard.guarantee.guarantee import Guarantee, exposures, sentence
from dashboard.pages.learn.protocol import drawing, learned
from dashboard.pages.learn.protocol.dropout import dropout
from dashboard.pages.learn.protocol.model import ProtocolPlan
from dashboard.pages.learn.protocol.text import below
from dashboard.problems.protocol import WHOLE
from dashboard.sheet.spec import Shown, View

SHEET = SKETCH + drawing.SHEET + learned.SHEET
_NOT_PRIVATE = (
    "this figure: it shows values and noise that nobody sees in the protocol",
    "repetitions on the same records: in a real release, the privacy loss of each would add up",
)


def view(plan: ProtocolPlan, shown: Shown) -> View:
    """The averages of all runs, and who learns how much; the play above them says the answer at its end."""
    (cape,) = _exposures(plan, ["cape"])
    return View(
        headline="",
        sections={
            "averages": drawing.averages_html(plan),
            "learned": learned.learned(plan, cape),
            **({} if plan.dropout is None else {"dropout": dropout(plan.dropout, plan.settings.sites)}),
        },
        words=below(plan, aggregator=cape.aggregator),
        guarantee=_guarantee(plan),
        table={
            "scheme": plan.chosen,
            "predicted_std": [law.std for law in plan.laws],
            "measured_std": [law.measured_std for law in plan.laws],
            "first_error": [float(law.errors[0]) for law in plan.laws],
        },
    )


def _exposures(plan, schemes):
    """What every observer learns under some schemes."""
    return exposures(schemes, plan.privacy, colluding=plan.settings.colluding, **plan.law)


def _guarantee(plan):
    found, colluding = _exposures(plan, plan.chosen), plan.settings.colluding
    here = "" if plan.share == WHOLE else f" CAPE has {plan.share} % of its noise that cancels here."
    return Guarantee(
        sentence=sentence(plan.privacy, found, terms=plan.terms, colluding=colluding) + here,
        nominal=plan.privacy,
        colluding=colluding,
        exposures=found,
        not_private=_NOT_PRIVATE,
    )
