"""The sentences of the page; each follows from its numbers."""

from __future__ import annotations

import math

import numpy as np

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
    first = f"{said} has a standard error of <b>{number_text(best)}</b> range/N, {_won(best / alone, _uneven(known))}"
    if plan.question.asked == "months and totals":
        each, other = (
            plan.root_mean_square(known.strategies[n], kind="months") for n in ("best", "independent")
        )
        if each > other * 1.005:
            first += f"; each month alone has {percent_text(each / other - 1, digits=2)} more"
    return f"{first}. {_participation(plan, alone)}"


def _won(ratio, uneven):
    if ratio > _ALIKE:
        return "as with independent noise: correlation over months wins nothing"
    alike = "the same" if uneven else "independent"
    return f"<b>{percent_text(1 - ratio, digits=2)} less</b> than with {alike} noise every month"


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
        "range/N is what one record can move the average of all sites. Which noise over months is best depends on the "
        "question: noise that is best for running totals alone makes each month worse, so that months and totals are asked "
        "for together at first.",
        _nothing(plan, known),
        _worse(plan, known),
        _missing(plan, known),
        _fallback(plan),
    ]
    return "".join(paragraph(part) for part in parts if part)


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
    how = ", by less noise in months that count more, and correlation nothing" if _uneven(known) else ""
    return (
        f"A person who may be in all months is hidden in their sum alone: noise over months wins <b>{won}</b>{how}. "
        "If you know that a person is in fewer, say so: that wins most."
    )


def _uneven(known):
    """Whether the best noise is independent, and differs from month to month."""
    return not np.tril(known.strategies["best"].matrix, -1).any()


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


def _missing(plan, known):
    """What a month without a release costs."""
    if not plan.missing:
        return ""
    one, months = known.strategies[plan.chosen], plan.question.person.months
    without, before = (plan.errors(one, kind="totals", whole=whole)[-1] for whole in (False, True))
    alone = plan.errors(known.strategies["independent"], kind="totals")[-1]
    return (
        f"<b>Month {plan.missing} has no release</b>: its packets left, its sum never came, and the same noise is never "
        f"sent again. The total of the other {count_text(months - 1, 'month')} has a standard error of "
        f"{number_text(without)} "
        f"(of all months {number_text(before)}; independent noise without it {number_text(alone)}). The person's privacy is "
        "charged all the same."
    )


def _fallback(plan):
    if not plan.dropouts:
        return ""
    return (
        f"Up to {count_text(plan.dropouts, 'site')} may drop out in a month, others in other months; errors are root mean "
        "squares over who does. No site that drops out is counted on to hide anybody."
    )


def guarantee(plan: Plan) -> str:
    """The guarantee of the whole series."""
    person = plan.question.person
    whom = "the aggregator, who sees all messages"
    if plan.colluding:
        whom += f", and {count_text(plan.colluding, 'site')} that collude in any month"
    who = (
        "a person who may be in all"
        if person.times == person.months
        else f"a person in at most {person.times}"
    )
    fresh = plan.mu / math.sqrt(CAP)
    return (
        f"All {person.months} months together meet {target_text(plan.privacy)} against {whom}, for {who} of them, also if "
        "data are chosen by earlier averages. The messages alone, without the sums, tell "
        f"μ ≤ {at_most_text(fresh)} of μ ≤ {at_most_text(plan.mu)}. Only noise is drawn on this page."
    )
