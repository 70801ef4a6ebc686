"""What the releases of an average cost, what they guarantee, and what is not private."""

from __future__ import annotations

from dataclasses import replace

from core import Privacy, sweep
from core.privacy.accountant import pure_epsilon
from core.schemes import is_private, named
from dashboard.algorithms.average.model import RELEASES, Plan
from dashboard.compare.observers import Observed, one_release
from dashboard.guarantee import guarantee as guarantees
from dashboard.guarantee import ledger_costs, observer
from dashboard.guarantee.guarantee import Guarantee, Unprotected
from dashboard.problems.average import noise_std
from dashboard.state.ledger import Drawn
from dashboard.state.number_text import at_most_text, count_text, equals
from dashboard.theme.scheme_style import label

_SHOWN = f"{RELEASES} averages of the same records: in a real release, the privacy loss of each would add up"
_BOUNDS = (
    "Not covered: the bounds of columns were computed from the records. The following treats them as public."
)


def observed(plan: Plan, scheme: str) -> Observed:
    """One release of the average, and every observer's μ.

    Weighted by their shares n_s/N, sites of unequal size reveal what equal ones do.
    """
    pure = bool(plan.here.get("pure"))
    settings = replace(plan.settings, calibration="exact") if pure else plan.settings
    found = one_release(scheme, settings, plan.here, change=1.0)
    return replace(found, std=noise_std(scheme, plan.here), pure=pure)


def guarantee(plan: Plan, table) -> Guarantee:
    """The guarantee of one release."""
    s, sites = plan.settings, plan.here["sites"]
    privacy, colluding = Privacy(s.epsilon, s.delta), min(s.colluding, sites - 1)
    law = {"colluding": colluding, "terms": guarantees.terms_of(plan.here)}
    one = f"{plan.source.unit} at one site, replaced by any other{'' if plan.released else ' in [0, 1]'}"
    told = {"unit": f"{one}; how many there are is public", "not_private": (_SHOWN,)}
    if plan.here.get("pure"):
        return Guarantee(sentence=_bounds(table) + _purely(plan, colluding), whole=True, **told)
    found = guarantees.exposures(plan.shown, privacy, sites=sites, calibration=s.calibration, **law)
    return Guarantee(
        sentence=_bounds(table) + guarantees.sentence(privacy, found, **law),
        nominal=privacy,
        colluding=colluding,
        exposures=found,
        **told,
    )


def _bounds(table):
    """What a table's own bounds leave open; a table that was replaced is gone before its picture."""
    return "" if table is None or table.public_bounds else f"{_BOUNDS} "


def _purely(plan, colluding):
    """The sentence under pure ε: what the target holds against, and who learns more."""
    found = [observed(plan, m) for m in plan.shown if is_private(m)]
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


def cost(plan: Plan, job: sweep.Job) -> Drawn | None:
    """Privacy cost of the releases under one scheme, for the ledger."""
    name = ledger_costs.data_name(plan.source, job)
    calibration = "exact" if plan.here.get("pure") else plan.settings.calibration
    one = ledger_costs.of_job(job, data=name, calibration=calibration)
    return None if one is None else replace(one, draws=RELEASES)
