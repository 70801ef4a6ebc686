"""What Plan says of sites that fall silent: how many may, what an error holds of them, and whose silence is the worst."""

from __future__ import annotations

import numpy as np

from core.desk.agreement import SCHEMES, most_dropouts
from core.schemes import PRIVATE, Request, Terms, named, planned_std
from core.schemes.sites import sites_of
from core.sweep import search
from dashboard.packs.consortium.plan.question import Question, silences_of, terms_of, worst_silence
from dashboard.packs.consortium.plan.words import text
from dashboard.packs.consortium.plan.words.joining import sizes_of
from dashboard.state.html_text import listed, plain
from dashboard.state.number_text import at_most_text, count_text, number_text
from dashboard.theme.scheme_style import label
from data.upload.table import shown

_FEW = 4  # Silent sites that are named.


def words(question: Question, answers: dict[str, search.Answer]) -> str:
    """All of it, as HTML; "" where no site may fall silent."""
    scheme = text.best(question, answers)
    answer = answers.get(scheme)
    sites = dict(question.here)["sites"] if answer is None else question.sites(answer)
    said = (
        _error(question, scheme, answer),
        fewer_silent(question, sites).strip(),
        fallback(question, scheme, answer),
        desk(question, scheme, answer),
    )
    return " ".join(filter(None, said))


def desk(question: Question, scheme: str | None, answer: search.Answer | None) -> str:
    """That a desk refuses the plan because more sites may drop out than it lets; "" if it does not."""
    if answer is None or scheme not in SCHEMES:
        return ""
    sites, terms = question.sites(answer), dict(question.terms(answer))
    most = most_dropouts(sites, terms.get("colluding", 0))
    if terms.get("dropouts", 0) <= most:
        return ""
    return (
        f"A desk carries this plan out only if at most {count_text(most, 'site')} of {sites} may drop out: with more, an "
        "aggregator that holds a copy of one site's folder could open two sums of one run."
    )


def fallback(question: Question, scheme: str | None, answer: search.Answer | None) -> str:
    """What is left if a sum that is due after the messages never comes; "" under another scheme."""
    if answer is None or scheme is None or not named(scheme).summed or named(scheme).sum_only:
        return ""
    counts = np.array(sizes_of(question, answer, question.sites(answer)), dtype=float)
    std, weights = 1 / counts, counts / counts.sum()
    terms = dict(question.terms(answer))
    lost, held = terms.get("dropouts", 0), Terms(**terms)
    after = named(scheme).parts(Request(sites_of(std, weights), held)).after
    times = after.fallback_std(lost) / planned_std(scheme, std, weights, silent=lost, **terms)
    return (
        f"If the sum after the messages never comes, their own average has {number_text(times, digits=2, way='up')} times "
        "as much noise."
    )


def fewer_silent(question: Question, sites: int) -> str:
    """Under which schemes fewer of so many sites may drop out than was asked; "" for none."""
    asked, found = question.settings.terms(sites), []
    for scheme in (s for s in question.schemes if s in PRIVATE):
        most = dict(terms_of(question.settings, scheme, sites)).get("dropouts", 0)
        if most < asked.get("dropouts", 0):
            could = "open a message" if named(scheme).sum_only else "have two sums of one run"
            found.append(
                f" Under {label(scheme)} at most {count_text(most, 'site')} of {sites} may drop out: more than half of all "
                f"sites{' and colluding ones' if asked.get('colluding') else ''} must answer, or the aggregator could "
                f"{could}."
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
