"""What Plan says of sites that fall silent: how many may, what an error holds of them, and whose silence is the worst."""

from __future__ import annotations

import numpy as np

from core.schemes import PRIVATE
from core.sweep import search
from dashboard.packs.consortium.plan.question import Question, silences_of, terms_of, worst_silence
from dashboard.packs.consortium.plan.words import text
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
            "If sites drop out, the error is that of the average of the sites that send; what a missing site's "
            "difference adds is not in it."
        )
    known = [one for one in question.schemes if question.knows(one)]
    if not known:
        return ""
    said = "The error holds how far the average of the sites that send is from that of all, whoever drops out"
    if answer is None:
        return f"{said}{_no_way(question, silences_of(question, known[0]))}."
    return f"{said}: {_worst(question, scheme, answer)}." if scheme in known else f"{said}."


def _no_way(question, found):
    """That no noise is little enough for what is asked; "" where some is."""
    place = int(np.argmax(found.away[: len(found.sets)]))
    if question.measured or found.away[place] * question.released.first.summary.span < question.level:
        return ""
    far = _amount(question, found.away[place])
    return f". Without {_sites(question, found.sets[place])} that is {far}: no noise is little enough"


def _worst(question, scheme, answer):
    """Whose silence is the worst for the first summary, and how far the others are then from all."""
    at = question.settings.epsilon if question.measured else question.epsilon(answer)
    found = worst_silence(question, scheme, at)[0]
    worst = f"with {label(scheme)} the worst for these records is"
    if not found.sites:
        return f"{worst} that nobody does"
    tried = "" if found.every else ". Not all dropouts were tried: the error is a bound on all"
    return f"{worst} {_amount(question, found.away)}, without {_sites(question, found.sites)}{tried}"


def _sites(question, silent):
    """Their names, as HTML."""
    names = [plain(shown(question.names[s])) for s in silent[:_FEW]]
    more = len(silent) - _FEW
    return listed(names + [count_text(more, "other site")] * (more > 0))


def _amount(question, away):
    """A distance in units of the range, in those of the column."""
    part = question.released.first
    return " ".join(filter(None, (at_most_text(away * part.summary.span), part.unit)))
