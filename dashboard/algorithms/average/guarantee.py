"""What the releases of an average cost, what they guarantee, and what is not private."""

from __future__ import annotations

from dataclasses import replace

from core import sweep
from core.privacy.accountant import pure_epsilon
from core.schemes import is_private, named
from dashboard.algorithms.average.model import RELEASES, Plan
from dashboard.compare.law import Law
from dashboard.compare.observers import Observed, one_release
from dashboard.guarantee import guarantee as guarantees
from dashboard.guarantee import observer
from dashboard.guarantee.guarantee import Guarantee, Unprotected
from dashboard.problems.average import EQUAL, all_records_std, noise_std
from dashboard.state.ledger import Drawn
from dashboard.state.number_text import at_most_text, count_text, equals
from dashboard.theme.scheme_style import label

_SHOWN = f"{RELEASES} averages of the same records: in a real release, the privacy loss of each would add up"
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
    pure = bool(plan.here.get("pure"))
    return replace(found, std=all_records_std(plan.here), name="pooled, all records", pure=pure)


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
    one = f"{plan.source.unit} at one site, replaced by any other{'' if plan.released else ' in [0, 1]'}"
    told = {"unit": f"{one}; how many there are is public", "not_private": (_SHOWN,)}
    against = LAW.against(plan)
    if plan.here.get("pure"):
        return Guarantee(sentence=_bounds(table) + _purely(plan, against["colluding"]), whole=True, **told)
    (privacy, _), found = LAW.target(plan), LAW.exposures(plan, plan.shown)
    return Guarantee(
        sentence=_bounds(table) + guarantees.sentence(privacy, found, **against),
        nominal=privacy,
        colluding=against["colluding"],
        exposures=found,
        **told,
    )


def _bounds(table):
    """What a table's own bounds leave open; a table that was replaced is gone before its picture."""
    return "" if table is None or table.public_bounds else f"{_BOUNDS} "


def _purely(plan, colluding):
    """The sentence under pure ε: what the target holds against, and who learns more."""
    found = [LAW.observed(plan, m) for m in plan.shown if is_private(m)]
    if not found:
        return guarantees.NOTHING_PRIVATE
    against, target = plan.here.get("against", "message"), equals("ε", plan.settings.epsilon)
    messages = [one for one in found if not named(one.scheme).curator]
    if against == "message":
        whom = (
            "Each site's message alone, and the released average alone,"
            if messages
            else "The released average"
        )
        words = f"{whom} meets {target} with δ = 0."
    else:
        words = f"Every scheme meets {target} with δ = 0 against {observer.name(against, colluding)}."
    for one in found:
        name = label(one.scheme)
        if named(one.scheme).curator:
            words += f" Under the {name} scheme only the released average is private: one curator sees every record."
        elif pure_epsilon(one.colluders) > plan.settings.epsilon * (1 + 1e-9):
            beside = f" beside {count_text(colluding, 'colluding site')}" if colluding else ""
            words += f" For an observer of all messages{beside}, ε of {name} is {at_most_text(pure_epsilon(one.colluders))}."
    return words


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
