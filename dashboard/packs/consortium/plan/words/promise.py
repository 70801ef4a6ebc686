"""What a plan promises, what it shows without noise, and what its runs cost."""

from __future__ import annotations

from core import Privacy
from dashboard.guarantee import guarantee as guarantees
from dashboard.guarantee import ledger_costs
from dashboard.guarantee.guarantee import Guarantee, Unprotected
from dashboard.packs.consortium.plan.question import Question, terms_of
from dashboard.packs.consortium.plan.searches import Outcome, Step
from dashboard.packs.consortium.plan.words import text
from dashboard.packs.consortium.plan.words.silent import fewer_silent
from dashboard.state.ledger import Drawn
from dashboard.state.number_text import exactly


def guarantee(picture: Outcome) -> Guarantee:
    """What a release at the planned ε would give: a plan itself gives nothing."""
    question, s = picture.question, picture.question.settings
    scheme = text.best(question, picture.answers)
    answer = picture.answers.get(scheme)
    unit = f"{question.unit} at one site, replaced by any other; the number of records is public"
    if question.problem is None and not picture.answers:
        return Guarantee("A plan is not a release and gives no guarantee.", unit=unit)
    if answer is None:
        return Guarantee(text.nothing_to_weigh(picture.answers), unit=unit)
    privacy = Privacy(text.promised(question, answer), s.delta)
    colluding = min(s.colluding, question.sites(answer) - 1)
    sites, about = question.sites(answer), {"colluding": colluding, "calibration": "exact"}
    found = tuple(
        row
        for one in question.schemes
        for row in guarantees.exposures(
            (one,),
            privacy,
            sites=sites,
            terms=terms_of(s, one, sites),
            earlier=question.earlier(answer),
            **about,
        )
    )
    why = (
        f"where an attacker may {question.risk_text}"
        if question.measured
        else f"where {guarantees.label(scheme)} is shown to meet the target"
    )
    sentence = (
        f"A plan is not a release and gives no guarantee. {_uncovered(question)}"
        f"A release at {exactly('ε', privacy.epsilon)}, {why}, would give: "
        + guarantees.sentence(
            privacy,
            found,
            terms=tuple(s.terms(sites).items()),
            colluding=colluding,
            several=question.earlier(answer) > 0,
        )
        + fewer_silent(question, sites)
    )
    return Guarantee(sentence, privacy, colluding, found, unit)


def unprotected(question: Question) -> list[Unprotected]:
    """What a plan shows of the records without noise."""
    found = []
    if question.problem is not None:
        search = "the search itself: every probe is compared with the answer without noise, whose figures are shown"
        found.append(Unprotected("answer", search))
    if any(map(question.knows, question.schemes)):
        apart = "how far the average of the sites that send is from that of all, which the errors hold"
        found.append(Unprotected("answer", f"{apart}, and which dropouts are the worst"))
    if question.uncovered:
        found.append(Unprotected("ranges", f"{question.uncovered}, computed from the records"))
    return found


def cost(question: Question, step: Step) -> Drawn:
    """Privacy cost of the runs of a step, for the ledger."""
    here = dict(step.first.settings)
    title = question.title
    return ledger_costs.under_scheme(
        step.first.scheme,
        Privacy(here["epsilon"], here["delta"]),
        identity=(step.first, step.runs),
        data=ledger_costs.seeded(title, step.first) if question.synthetic else title,
        settings=ledger_costs.job_words(step.first.settings),
        sites=here["sites"],
        calibration="exact",
        draws=step.runs,
        terms=guarantees.run_terms_of(here),
    )


def _uncovered(question):
    if not question.uncovered:
        return ""
    return (
        f"Not covered: {question.uncovered}, computed from the records. The following treats them as public. "
    )
