"""What the page Audit shows, as a pure function of its plan and results."""

from __future__ import annotations

import numpy as np

from core.audit import promised_mu, promised_tradeoff
from core.privacy.attack_risk import advantage
from dashboard.guarantee.guarantee import Guarantee
from dashboard.packs.trust.audit.attacker import bound_text, key, motion, tone
from dashboard.packs.trust.audit.looks import ALPHA, Look, finished, looks_of
from dashboard.packs.trust.audit.model import MECHANISMS, Plan
from dashboard.plotting.chart import Band, Chart, Line, Points, Scale
from dashboard.sheet.spec import Shown, View
from dashboard.state.html_text import paragraph, rest
from dashboard.state.number_text import (
    at_least_text,
    count_text,
    exact_text,
    exactly,
    hundred_text,
    number_text,
    target_text,
)
from dashboard.theme.colours import FORBIDDEN, OBSERVED
from dashboard.theme.scheme_style import ink

_QUESTION = "The attacker guesses from each release: was your record in the data?"


def view(plan: Plan, shown: Shown) -> View:
    """The verdict of the latest audit, its error rates beside the promised ones, and its bound after every batch."""
    standing = shown.results.standing
    at: Plan = standing.plan
    looks, own = looks_of(at, standing), looks_of(plan, shown.results)
    return View(
        headline=_said(at, looks, shown.plays),
        sections={},
        charts={"errors": _errors(at, looks, shown), "bound": _bounds(at, looks, shown)},
        words=_words(at, looks) + rest(_attack(at)),
        guarantee=_guarantee(at),
        table=_table(plan, own),
    )


def allowed_share(plan: Plan) -> float:
    """The largest share of right guesses against Gaussian noise that keeps the stated (ε, δ)."""
    return (1 + advantage(promised_mu(plan.case.promise))) / 2


def headline(plan: Plan, looks: list[Look]) -> str:
    """The verdict in one sentence, as HTML."""
    if not looks:
        return f"A program states {_epsilon(plan)}. The attacker's first guesses are computed …"
    look = looks[-1]
    if not finished(looks):
        done, runs = number_text(look.trials), number_text(plan.total)
        passed = _passed(plan) if look.epsilon > plan.case.promise.epsilon else ""
        return f"The attacker is guessing: {done} of {runs} releases of each kind. {passed}".strip()
    case, violated = plan.case, look.violated
    share, allowed = look.right, allowed_share(plan)
    # A bound may rest on a threshold that is not the best one for guessing.
    if case.gaussian and (violated or case.sound) and (share > allowed) == violated:
        return (
            f"<em>{'Program caught' if violated else 'Nothing found'}.</em> The attacker is right in "
            f"<b>{_percent(share)}</b> of guesses; Gaussian noise for {_epsilon(plan)} allows "
            f"<b>{hundred_text(100 * allowed)}\u00a0%</b>, a coin 50 %."
        )
    if violated:
        who = "Its Gaussian noise leaks" if case.gaussian else "This program leaks"
        times = at_least_text(look.epsilon / case.promise.epsilon)
        return f"<em>Program caught.</em> {who} <b>at least {times} times</b> the stated ε."
    if case.sound:
        return "<em>Nothing found.</em> The attacker cannot show that this program leaks more than it states."
    return "<em>Not caught yet.</em> This program is broken, but so few releases do not show it."


def _said(plan, looks, plays):
    """The sentence; while the attacker plays, first the question, and from the stated ε on that the bar has passed it."""
    kinds = f"{tone(plan, looks)} {motion(looks, plays)}"
    before = ""
    if plays and finished(looks):
        before = f"<span class='ask' aria-hidden='true'>{_QUESTION}</span>{_crossing(plan, looks)}"
    said = f"<span class='say' role='status'>{headline(plan, looks)}</span>"
    return f"<span class='audit verdict {kinds}' data-key='{key(plan, looks, plays)}'>{before}{said}</span>"


def _crossing(plan, looks):
    """What the big line says from the moment when the bar has passed the mark for good until the last look."""
    stated, bounds = plan.case.promise.epsilon, np.array([look.epsilon for look in looks])
    if not looks[-1].violated or bounds[-1] <= stated:
        return ""
    above = len(bounds) - int(np.argmax(bounds[::-1] <= stated)) if (bounds <= stated).any() else 0
    if above >= len(bounds) - 1:  # Only the last look passes it: its verdict follows at once.
        return ""
    sheet = f"<style>.audit {{--at:{(above + 1) / len(bounds):.2f}}}</style>"
    return f"{sheet}<span class='passed' aria-hidden='true'>{_passed(plan)}</span>"


def _passed(plan):
    """What a bar beyond the mark says on the way: the confidence is that of one look, and there are many."""
    return (
        f"The bar has passed the stated {_epsilon(plan)}: so far the attacker has shown more. "
        "<b>Not a verdict yet.</b>"
    )


def _epsilon(plan):
    return exactly("ε", plan.case.promise.epsilon)


def _percent(share):
    """A share with one decimal, so that those of a sentence can be compared."""
    return f"{100 * share:.1f}\u00a0%"


def _words(plan, looks):
    """What the counts show of the promise, and what it teaches."""
    if not finished(looks):
        return paragraph("The verdict follows when all runs have finished.")
    look, case = looks[-1], plan.case
    promise, bound = target_text(case.promise), bound_text(look.epsilon)
    counts = "For Gaussian noise these counts show" if case.gaussian and bound else "These counts show"
    shown = f"{counts} {bound} at the stated δ" if bound else f"{counts} nothing yet"
    if look.violated:
        judged = f"{shown}: the promise {promise} is broken."
    elif case.sound:
        judged = f"{shown}, which does not refute the promise {promise}."
    else:
        judged = f"{shown}, which does not refute the promise {promise}. More runs would."
    lesson = case.lesson if look.violated or case.sound else ""
    share = _percent(look.right)
    often = f"Over {count_text(look.trials, 'release')} of each kind the attacker is right in {share} of the guesses."
    if f"<b>{share}</b>" in headline(plan, looks):
        often = ""
    return paragraph(*filter(None, (often, judged, lesson)))


def _attack(plan):
    """What the attacker knows and sees, and by what it guesses."""
    learnt = plan.case.score is None
    by = (
        "a score that was chosen, with its threshold,"
        if learnt
        else "the likelihood ratio; its threshold was chosen"
    )
    return (
        f"The attacker knows the program and both data sets, which differ in one record. It sees "
        f"{MECHANISMS[plan.mechanism].seen} and guesses by {by} on "
        f"{count_text(plan.learning, 'other release')} of each kind."
    )


def _promised(plan):
    return promised_tradeoff(plan.case.promise, ALPHA, gaussian=plan.case.gaussian).tolist()


def _errors(plan, looks, shown):
    """The attacker's error rates beside the least that the promise allows."""
    alpha, promised, quiet = ALPHA.tolist(), _promised(plan), ink(dark=shown.dark, quiet=True)
    observed = [Line("observed", alpha, look.observed.tolist(), OBSERVED, width=3) for look in looks[-1:]]
    counts = [
        Points(
            "counts behind the bound",
            [look.false_alarms / look.trials],
            [look.missed / look.trials],
            OBSERVED,
            size=11,
        )
        for look in looks[-1:]
    ]
    return Chart(
        Scale("false alarms α", (0.0, 1.0)),
        Scale("missed β", (0.0, 1.0)),
        title="Error rates, observed and promised",
        bands=(Band(alpha, [0.0] * len(alpha), promised, FORBIDDEN),),
        lines=(
            *shown.pins,
            *observed,
            Line("promised lower limit; shaded: broken", alpha, promised, ink(dark=shown.dark), "dashed"),
            Line("pure guessing", [0.0, 1.0], [1.0, 0.0], quiet, "dotted", 1.5),
        ),
        points=tuple(counts),
    )


def _bounds(plan, looks, shown):
    """The bound on ε after every batch, beside the stated ε."""
    trials, bounds = [look.trials / 1000 for look in looks], [look.epsilon for look in looks]
    stated, end = plan.case.promise.epsilon, 1.02 * plan.total / 1000
    value = bound_text(bounds[-1]).rpartition("\u00a0")[2] if finished(looks) else ""
    level = Line(
        "stated ε",
        [0.0, end],
        [stated] * 2,
        ink(dark=shown.dark),
        "dashed",
        value=exact_text(stated),
    )
    return Chart(
        Scale("thousands of releases of each kind", (0.0, end)),
        Scale("ε", (0.0, 1.15 * max([stated, *bounds]))),
        title="Lower bound on ε against releases",
        lines=(Line("lower bound on ε", trials, bounds, OBSERVED, width=3, value=value), level),
        points=(Points("lower bound on ε", trials, bounds, OBSERVED, size=6),),
    )


def _guarantee(plan):
    confidence = f"{100 * plan.confidence:g} %"
    # ε follows from μ where noise is Gaussian; other bounds use counts alone.
    holds = "If the noise is Gaussian, the" if plan.case.gaussian else "The"
    return Guarantee(
        sentence=f"{holds} bound on ε after all releases is correct with {confidence} confidence, and a mechanism "
        f"that keeps its promise is flagged in at most {100 * (1 - plan.confidence):.3g} % of audits. "
        "An audit that flags nothing proves nothing.",
        unit="one record, or document, replaced by another: the two data sets of the audit",
        not_private=("nothing: both data sets are synthetic",),
    )


def _table(plan, looks):
    """Observed and promised error rates; no rows before there are any."""
    if not looks:
        return {"alpha": [], "observed": [], "promised": []}
    return {"alpha": ALPHA.tolist(), "observed": looks[-1].observed.tolist(), "promised": _promised(plan)}
