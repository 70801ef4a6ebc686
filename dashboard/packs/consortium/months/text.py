"""The sentences of the page; each follows from its numbers."""

from __future__ import annotations

import math

from core import series
from core.schemes.noise_design import CAP
from dashboard.packs.consortium.months.model import NAMES, STRATEGIES, Found, Plan
from dashboard.state.html_text import listed, paragraph
from dashboard.state.number_text import (
    at_most_text,
    count_text,
    number_text,
    percent_text,
    target_text,
)

_ALIKE = 0.995  # A ratio of errors above it is no gain.


def headline(plan: Plan, known: Found) -> str:
    """The error of what is asked, what correlation over months wins of it, and what it would be if a person were in all."""
    best, alone = (plan.root_mean_square(known.strategies[name]) for name in ("best", "independent"))
    of = NAMES[plan.question.read]
    said = f"The {of}" if plan.question.read != "months" else "Each month"
    first = f"{said} has a standard error of <b>{number_text(best)}</b> range/N, {_won(best / alone)}"
    if plan.question.asked == "months and totals":
        each, other = (
            plan.root_mean_square(known.strategies[n], kind="months") for n in ("best", "independent")
        )
        if each > other * 1.005 and plan.unit is None:
            first += f"; each month alone has {percent_text(each / other - 1, digits=2)} more"
    last = _lost(plan, known) or _participation(plan, alone)
    return f"{_in_unit(plan, known)}{first}. {last}"


def _in_unit(plan, known):
    """The errors of each month and of the mean of all in the unit of a plan, as bounds on 95 % of releases; "" without."""
    if plan.unit is None:
        return ""
    count = plan.question.person.months - bool(plan.missing)

    def within(name):
        one = known.strategies[name]
        each, total = plan.errors(one, kind="months").max(), plan.errors(one, kind="totals")[-1]
        return plan.unit.within(each), plan.unit.within(total / count)

    (each, mean), alone = within("best"), within("independent")
    return (
        f"In 95 % of releases each month comes within <b>{each}</b> and the mean of {count} months within <b>{mean}</b> "
        f"({' and '.join(alone)} with independent noise). "
    )


def _won(ratio):
    if ratio > _ALIKE:
        return "as with independent noise: correlation over months wins nothing"
    return f"<b>{percent_text(1 - ratio, digits=2)} less</b> than with independent noise every month"


def _participation(plan, alone):
    person = plan.question.person
    if person.times == person.months:
        return "A person may be in all months: nobody has said anything else."
    return (
        f"This counts on a person being in at most {person.times} of {person.months} months. If a person may be in all, "
        f"independent noise has <b>{number_text(plan.always)}</b>."
    )


def of_path(plan: Plan, known: Found) -> str:
    """What one path of noise shows: how far the last running sum lies from 0, as a standard error."""
    last, alone = (
        plan.errors(known.strategies[n], kind="totals", whole=True)[-1] for n in (plan.chosen, "independent")
    )
    if last > alone * _ALIKE:
        return (
            f"The running sum of noise wanders off: its standard error grows to <b>{number_text(last)}</b>."
        )
    return (
        "A month's noise takes back part of the noise before it: the standard error of the running sum grows to "
        f"<b>{number_text(last)}</b> only, of independent noise to {number_text(alone)}."
    )


def words(plan: Plan, known: Found) -> str:
    """What stays below the charts: when correlation wins nothing, strategies worse than none, and a lost month's cost."""
    parts = [
        _participation(plan, plan.root_mean_square(known.strategies["independent"])) if plan.missing else "",
        f"range/N is what one record can move the average of all sites{_range(plan)}. Which noise over months is best "
        "depends on the question: noise that is best for running totals alone makes each month worse, so that months and "
        "totals are asked for together at first.",
        _nothing(plan, known),
        _worse(plan, known),
        _missing(plan, known),
        _fallback(plan),
    ]
    return "".join(paragraph(part) for part in parts if part)


def _range(plan):
    """What range/N is here."""
    if plan.unit is None:
        return "; to read errors in a unit of yours, come from the releases of a year on <a href='?page=plan'>Plan</a>"
    unit = plan.unit
    return f", here {unit.range_text} over {number_text(unit.records)} records: {unit.text(1.0)}"


def _nothing(plan, known):
    person, asked = plan.question.person, plan.question.asked
    if asked == "months":
        return "For each month's own average independent noise is the best there is."
    if person.times < person.months:
        return ""
    ratio = plan.root_mean_square(known.strategies["best"]) / plan.root_mean_square(
        known.strategies["independent"]
    )
    won = "nothing" if ratio > _ALIKE else f"only {percent_text(1 - ratio, digits=2)}"
    return (
        f"A person who may be in all months is hidden in their sum alone: correlation over months wins <b>{won}</b>. "
        "If you know that a person is in fewer, say so: that wins most."
    )


def _worse(plan, known):
    """Strategies that are worse than no correlation, here or if a person may be in all months."""
    person = plan.question.person
    here = _worst_of(
        plan, {name: known.strategies[name] for name in ("square root", "tree", "buffer")}, person
    )
    said = f"Here {here} <b>worse than no correlation</b>, by the error of the charts. " if here else ""
    if person.times == person.months:
        return said
    every = series.Participation(person.months, person.months)
    always = _worst_of(plan, {"square root": series.square_root(every), "tree": series.tree(every)}, every)
    if not always:
        return said
    return f"{said}If a person may be in all months, correlation wins next to nothing, and {always} worse than none."


def _worst_of(plan, strategies, person):
    """Those with a larger error than independent noise, with their verb; "" if there are none."""
    alone = plan.root_mean_square(series.independent(person))
    worse = [
        f"{STRATEGIES[name]} ({percent_text(ratio - 1, digits=2)} more)"
        for name, one in strategies.items()
        if (ratio := plan.root_mean_square(one) / alone) > 1.005
    ]
    return f"{listed(worse)} {'is' if len(worse) == 1 else 'are'}" if worse else ""


def _lost(plan, known):
    """What a month without a release costs the total of the others; "" without one."""
    if not plan.missing:
        return ""
    without, before, _ = _of_totals(plan, known, "best")
    others = count_text(plan.question.person.months - 1, "month")
    count = plan.question.person.months
    more = percent_text(without / (count - 1) / (before / count) - 1, digits=2)
    return (
        f"<b>Month {plan.missing} has no release</b>: the total of the other {others} has a standard error of "
        f"<b>{number_text(without)}</b>, that of all had {number_text(before)}; their mean has <b>{more} more</b> than that "
        "of all."
    )


def _of_totals(plan, known, name):
    """Standard errors of the last total: without the lost month, with it, and without it under independent noise."""
    one, independent = known.strategies[name], known.strategies["independent"]
    without, before = (plan.errors(one, kind="totals", whole=whole)[-1] for whole in (False, True))
    return without, before, plan.errors(independent, kind="totals")[-1]


def _missing(plan, known):
    """Why a lost month stays without a release, and what the total of the others has under the chosen noise."""
    if not plan.missing:
        return ""
    without, before, alone = _of_totals(plan, known, plan.chosen)
    return (
        f"The packets of month {plan.missing} left, its sum never came, and the same noise is never sent again: with other "
        "senders it would tell up to nine times as much. Noise that later months take back stays in the total. "
        f"Under noise that is “{STRATEGIES[plan.chosen]}” the other months have {number_text(without)} (all "
        f"months {number_text(before)}), under independent noise {number_text(alone)}. A person's privacy "
        "is charged all the same."
    )


def _fallback(plan):
    if not plan.dropouts or plan.scheme == "pooled":
        return ""
    return (
        f"Up to {count_text(plan.dropouts, 'site')} may drop out in a month, others in other months; errors are root mean "
        "squares over who does, of equally large sites, and of noise alone. No site that drops out is counted on to hide "
        "anybody."
    )


def guarantee(plan: Plan) -> str:
    """The guarantee of the whole series."""
    person = plan.question.person
    who = (
        "a person who may be in all"
        if person.times == person.months
        else f"a person in at most {person.times}"
    )
    return (
        f"All {person.months} months together meet {target_text(plan.privacy)} against {_whom(plan)}, for {who} of them, "
        f"also if data are chosen by earlier averages{_whoever_sends(plan)}. {_messages(plan)}Only noise is drawn on this "
        "page."
    )


def _whom(plan):
    if plan.scheme == "pooled":
        return "anyone who sees the averages"
    seen = "masked messages" if plan.scheme == "secure" else "messages"
    if not plan.colluding:
        return f"the aggregator, who sees all {seen}"
    return f"the aggregator, who sees all {seen}, and {count_text(plan.colluding, 'site')} that collude in any month"


def _whoever_sends(plan):
    if not plan.dropouts or plan.scheme == "pooled":
        return ""
    sites = count_text(plan.dropouts, "site")
    return f", while up to {sites} may drop out in every month, others in other months: none of these is counted on"


def _messages(plan):
    """What is told without the sums, or to a curator."""
    if plan.scheme == "pooled":
        return "One curator sees every record. "
    if plan.scheme != "cape-after":
        return ""
    fresh = at_most_text(plan.mu / math.sqrt(CAP))
    return f"The messages alone, without the sums, tell μ ≤ {fresh} of μ ≤ {at_most_text(plan.mu)}. "
