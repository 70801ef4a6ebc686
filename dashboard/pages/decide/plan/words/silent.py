"""What Plan says of sites that fall silent: how many may, what an error holds of them, and whose silence is the worst."""

from __future__ import annotations

from core.schemes import PRIVATE
from core.sweep import search
from dashboard.pages.decide.plan.question import Question, terms_of, worst_silence
from dashboard.pages.decide.plan.words import text
from dashboard.state.html_text import listed, plain
from dashboard.state.number_text import at_most_text, count_text
from dashboard.theme.scheme_style import label
from data.upload.table import shown

_FEW = 4  # Silent sites that are named.


def words(question: Question, answers: dict[str, search.Answer]) -> str:
    """All of it, as HTML; "" where no site may fall silent."""
    scheme = text.best(question, answers)
    answer = answers.get(scheme)
    sites = dict(question.here)["sites"] if answer is None else question.sites(answer)
    return " ".join(filter(None, (_error(question, scheme, answer), fewer_silent(question, sites).strip())))


def fewer_silent(question: Question, sites: int) -> str:
    """Under which schemes fewer of so many sites may drop out than was asked; "" for none."""
    asked, found = question.settings.terms(sites), []
    for scheme in (s for s in question.schemes if s in PRIVATE):
        most = dict(terms_of(question.settings, scheme, sites)).get("dropouts", 0)
        if most < asked.get("dropouts", 0):
            found.append(
                f" Under {label(scheme)} at most {count_text(most, 'site')} of {sites} may drop out: more than half of all "
                f"sites{' and colluding ones' if asked.get('colluding') else ''} must answer, or the aggregator could open "
                "a message."
            )
    return "".join(found)


def _error(question, scheme, answer):
    """What the error of an average holds of sites that fall silent."""
    if question.problem is not None or not question.silent:
        return ""
    if not question.averages:
        return (
            "If sites drop out, the error is that of the average of the sites that send; what a missing hospital's "
            "difference adds is not in it."
        )
    said = (
        "The error holds how far the average of the sites that send is from that of all, whoever drops out."
    )
    if answer is None or not question.knows(scheme):
        return said
    return f"{said} {_worst(question, scheme, answer)}"


def _worst(question, scheme, answer):
    """Whose silence is the worst for the first summary, and how far the others are then from all."""
    part = question.released.first
    at = question.settings.epsilon if question.measured else question.epsilon(answer)
    found = worst_silence(question, scheme, at)[0]
    if not found.sites:
        return f"With {label(scheme)} the worst for these records is that nobody drops out."
    names = [plain(shown(question.names[s])) for s in found.sites[:_FEW]]
    more = len(found.sites) - _FEW
    sites = listed(names + [count_text(more, "other site")] * (more > 0))
    away = " ".join(filter(None, (at_most_text(found.away * part.summary.span), part.unit)))
    most = "" if found.every else " of what was tried, and the error a bound on all"
    return (
        f"With {label(scheme)} the worst for these records{most} is without {sites}: {away} from that of all."
    )
