"""The page's sentences."""

from __future__ import annotations

import html
import math
from dataclasses import replace
from urllib.parse import urlencode

from core.schemes import named
from dashboard.packs.consortium.limits.model import (
    NEAR,
    Plan,
    last_help,
    ratio,
    without_sum,
)
from dashboard.state import packs
from dashboard.state.html_text import paragraph
from dashboard.state.number_text import at_most_text, count_text, exact_text, number_text, percent_text
from dashboard.theme.scheme_style import label


def verdict(plan: Plan) -> str:
    """How much noise is left in both orders, and how many may drop out while CAPE still helps, as HTML.

    It is of the amplitude as published; of another one, what is left there stands behind.
    """
    found = _verdict(plan)
    if not plan.as_published:
        at = exact_text(plan.chosen[0])
        found += f" That is as published: at amplitude {at} it is <b>{_share(plan, plan.chosen)}</b>."
    return found + _orders(plan)


def _verdict(plan):
    asked, share = plan.question, plan.ratios["cape"] / plan.ratios["conventional"]
    has = f"{percent_text(share, digits=2)} of the noise variance"
    than = f"of independent noise, {_held(asked)}"
    if share > NEAR:
        return (
            f"<b>{_fails(asked)}: CAPE does not help here.</b> Its average has {has} {than}{_before(asked)}."
        )
    if share > 1 / NEAR:
        alike = f"Its average is as noisy as with independent noise{_before(asked)}."
        return f"<b>{_fails(asked)}: CAPE does not help here.</b> {alike}"
    return f"{_fails(asked)}: CAPE's average has <b>{has}</b> {than}."


def at_amplitude(plan: Plan) -> str:
    """How much noise is left at the chosen amplitude, as HTML."""
    beside = "" if plan.as_published else f", as published <b>{_share(plan, plan.published)}</b>"
    return (
        f"{_fails(plan.question)}: at amplitude {exact_text(plan.chosen[0])} CAPE's average has "
        f"<b>{_share(plan, plan.chosen)}</b> of the noise variance of independent noise{beside}."
    )


def _share(plan, point):
    return percent_text(point[1] / plan.ratios["conventional"], digits=2)


def _orders(plan):
    """Up to how many dropouts CAPE helps in the published order, and what the other order has, as a sentence."""
    asked = plan.question
    if asked.sites < 3:
        return ""
    if not asked.allows("cape-after"):
        return f" The sum after the messages allows {asked.most_after or 'none'} to drop out here."
    if asked.colluding or asked.dropouts:
        share = percent_text(plan.ratios["cape-after"] / plan.ratios["conventional"], digits=2)
        return f" With the sum after the messages it has <b>{share}</b>."
    most, _ = last_help(replace(asked, dropouts=asked.sites - 1))
    helps = f"while <b>at most {most}</b> drop out" if most else "<b>only if all send</b>"
    worst = replace(asked, dropouts=asked.most_after)
    share = percent_text(ratio("cape-after", worst) / ratio("conventional", worst), digits=2)
    after = f"with the sum after the messages it has <b>{share}</b> with {asked.most_after} out"
    return f" As published CAPE helps {helps}; {after}."


def _before(asked):
    """At how many dropouts CAPE still helped, as the end of a sentence; empty if it never did."""
    found = last_help(asked) if asked.dropouts else None
    if found is None:
        return ""
    dropouts, share = found
    return f"; with {dropouts or 'none'} dropped out it had <b>{percent_text(share, digits=2)}</b>"


def _fails(asked):
    """Who fails, in words that begin a sentence."""
    of, found = f" of {asked.sites} sites", []
    if asked.colluding:
        found.append(f"{asked.colluding}{of} {'collude' if asked.colluding > 1 else 'colludes'}")
        of = ""
    if asked.dropouts:
        found.append(f"{asked.dropouts}{of} dropped out")
    return " and ".join(found) or ("Both sites send" if asked.sites == 2 else f"All {asked.sites} sites send")


def _held(asked):
    """The observer against whom all schemes are compared."""
    others = asked.colluding and f" and {count_text(asked.colluding, 'colluding site')}"
    observer = f"against the aggregator{others or ''}" if asked.same else "of one message"
    # The promise is made for a run in which all send: after dropouts the messages of CAPE tell less than it allows.
    return f"at the same promised ε {observer}"


def words(plan: Plan) -> str:
    """Why it is so."""
    cape, secure = plan.ratios["cape"], plan.ratios["secure"]
    less = (
        "Secure aggregation has less noise than CAPE, if its cryptography holds."
        if cape > secure * NEAR
        else ""
    )
    return paragraph(*filter(None, (_why(plan.question), less, _end_of_after(plan.question))))


def _end_of_after(asked):
    """Where the curve of the sum after the messages ends, and why."""
    return (
        f"The curve of the sum after the messages ends at {count_text(asked.most_after, 'dropout')}: with more, an "
        "aggregator could have two sums of one run."
    )


def _spread(plan):
    """The gain in the units of the pages on equal sites."""
    less = plan.ratios["conventional"] / plan.ratios["cape"]
    if less <= NEAR:
        return ""
    # Gain counts standard deviations, this page variances.
    return (
        f"CAPE has {number_text(less)} times less noise variance than independent noise. In spread, which "
        f"<a href='?page=gain'>Gain</a> counts, that is {number_text(math.sqrt(less))} times less."
    )


def _why(asked):
    """What those who fail do to the noise that cancels."""
    said = []
    if not asked.same:
        said.append("Each message alone meets the target here, as in the papers.")
    if asked.colluding:
        said.append(
            "Colluding sites reveal their noise to the aggregator, so the others must add more that does not cancel."
        )
    if asked.dropouts:
        said.append(
            "In the published order the noise of a site that drops out was meant to cancel that of the others: its "
            "counterpart stays in the sum. With the sum after the messages nothing of it does."
        )
    if asked.dropouts and asked.same:
        said.append("ε is promised for a run in which all send; CAPE's fewer messages reveal even less.")
    if not asked.colluding and not asked.dropouts:
        said.append("All sites send and none collude: the noise of the blue ring cancels.")
    return " ".join(said)


def details(plan: Plan, *, graph: float | None = None) -> str:
    """All numbers: the order of the designs, and what they mean on other pages, as HTML.

    Parameters
    ----------
    graph : float, optional
        The graph's ratio, once it is computed.
    """
    asked = plan.question
    about = (
        _spread(plan),
        _order(plan, graph),
        _amplitude(plan),
        _optimal(asked),
        _fallback(asked),
        _edges(asked),
    )
    return paragraph(*filter(None, about)) + paragraph(_unmasked(plan), _sent(asked), _elsewhere(asked))


def _unmasked(plan):
    """What secure aggregation costs if the cryptography fails."""
    secure, cape = (at_most_text(plan.unmasked[name]) for name in ("secure", "cape"))
    return (
        f"If the cryptography fails, one message tells {secure} times the target's μ under secure aggregation, and {cape} "
        "times under CAPE, whose sites draw their zero-sum noise behind masks."
    )


def _sent(asked):
    """The numbers that a site sends for each of its own."""
    sends = {name: named(name).sends for name in ("secure", "cape", "cape-after")}
    secure, cape, after = (one.message + one.agreement for one in sends.values())
    with_after = f", with the sum after them {after}" if asked.allows("cape-after") else ""
    return f"For each number of its own a site sends {secure} under secure aggregation, and under CAPE {cape}{with_after}."


def _elsewhere(asked):
    """Links that carry the settings to the pages that show the rest."""
    against = ("colluders" if asked.colluding else "aggregator") if asked.same else "message"
    settings = {"sites": asked.sites, "adversary": against, "dropouts": asked.dropouts}
    settings |= {"colluding": asked.colluding} if asked.colluding else {}
    link = html.escape(f"?page=pca&data=digits&k=10&{urlencode(settings)}")
    energy = f"<a href='{link}'>PCA</a> shows what such noise leaves of principal components."
    return " ".join([energy, *packs.links("limits", sites=asked.sites)])


def _order(plan, graph):
    ratios = plan.ratios if graph is None else plan.ratios | {"graph": graph}
    # What agrees but for its last digits stands in the order of the page, on every machine.
    found = sorted(ratios.items(), key=lambda item: float(f"{item[1]:.9g}"))
    said = "; ".join(f"{label(scheme)} {number_text(value)}" for scheme, value in found)
    held = "at the same true guarantee" if plan.question.same else "where each message alone meets the target"
    if plan.question.dropouts:
        held += " if all send"
    return f"Noise variances {held}, in units of a trusted curator's: {said}."


def _optimal(asked):
    """What no noise in the published order can have less of; "" where nobody knows, and where order makes no difference."""
    if asked.optimum is None or not asked.dropouts:
        return ""
    return (
        f"No Gaussian noise that equal sites agree on before they send has less than {number_text(asked.optimum)} times a "
        "curator's variance here: CAPE, best tuned, is optimal in this order."
    )


def _fallback(asked):
    """What is left if the sum after the messages never comes."""
    if not asked.allows("cape-after"):
        return ""
    return (
        "If the sum after the messages never comes, their own average has "
        f"{number_text(without_sum(asked), way='up')} times a curator's variance."
    )


def _edges(asked):
    """What one variance for all pairs of neighbours costs."""
    if not (asked.unequal and asked.dropouts):
        return ""
    return (
        "On the graph one variance serves all pairs of neighbours. With one for each pair unequal sites could have up to "
        "2.4 times less variance there."
    )


def _amplitude(plan):
    (at, least), (_, now) = plan.best, plan.published
    if not plan.question.same:
        return "Against an observer of one message, another amplitude gains nothing: the average itself needs its noise."
    if now / least < NEAR:
        return "CAPE as published is close to CAPE, best tuned."
    if plan.question.unequal and (plan.question.dropouts or plan.question.colluding):
        return (
            f"CAPE, best tuned, has noise of its own for every site here: CAPE as published has {number_text(now / least)} "
            "times its variance."
        )
    if at == 0:
        return "No noise that cancels is best here: the sites that drop out would leave too much of it."
    if at < 1:
        better = f"Less noise that cancels is better, at {number_text(at)} times the variance as published"
    elif plan.question.dropouts == 0:
        better = "The more noise cancels, the better"
    else:
        better = f"More noise that cancels is better, up to {number_text(at)} times the variance as published"
    return f"{better}: CAPE as published has {number_text(now / least)} times the noise variance of CAPE, best tuned."
