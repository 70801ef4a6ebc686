"""Texts of the topics page: its sentences, its guarantee, and the program behind its curve."""

from __future__ import annotations

import math
from collections.abc import Mapping

import pandas as pd

from core import Privacy, sweep, topics
from core.privacy import gaussian_mu, gdp_delta
from core.schemes import is_private, named, noise_factor
from core.topics.problem import ONE_CURATOR
from dashboard.page import guarantee as guarantees
from dashboard.page import ledger_costs
from dashboard.page.guarantee import Guarantee, Unprotected
from dashboard.page.sweep_plan import means_text
from dashboard.pages.analyse.topics.model import MEASURES, Background, Plan, Spot
from dashboard.plotting.comparison_curve import crossing
from dashboard.state.html_text import listed, paragraph, plain, rest
from dashboard.state.ledger import Drawn
from dashboard.state.number_text import amount_text, count_text, equals, number_text
from dashboard.theme.scheme_style import label, pictured, planned_order, subject

_CURATOR = "pooled"  # The forecast is for this scheme where one curator holds all documents.
_WEAK = 0.5  # Noise so many times as strong as a topic, or less, lets it be found.
_LOUDER = 1.05  # So many times as much noise as CAPE is said to be more.
ENOUGH = 0.8  # Share of topics, or of top words, for which the page states the needed ε.
_FIGURES = {
    "found": lambda value: f"{value:.0f}",
    "overlap": lambda value: f"{100 * value:.0f} %",
    "mass": lambda value: f"{100 * value:.0f} %",
    "error": lambda value: f"{value:.2f}",
    "perplexity": lambda value: f"{value:.0f}",
}
_SUBJECTS = {
    **{f"configuration-{name}": f"configuration {name.upper()}" for name in ("e", "1", "2", "3", "4")},
    "configuration-1-pure": "configuration 1 with pure ε",
}
_MEASURED = {
    "found": "topics found:",
    "overlap": "top words shared with the non-private topics:",
    "mass": "probability of words shared with the non-private topics:",
    "error": "distance from the true topics (0 to 2):",
    "perplexity": "held-out perplexity (lower is better):",
}


def words(
    plan: Plan,
    known: Background,
    spots: list[Spot],
    average: Mapping[str, float],
    *,
    nearest: bool = False,
) -> str:
    """How many topics each method finds; "" before one is known.

    Parameters
    ----------
    average : mapping of str to float
        What each of the `counted` methods finds on average; {}: the sentence is about the picture's release.
    nearest : bool
        Whether the picture shows the releases nearest to the averages, else the first ones.
    """
    found, shown = {s.method: s for s in spots}, counted(plan, spots)
    if not shown:
        return ""
    total = len(known.reference.words)
    several = bool(average)
    counts = {m: average[m] if several else found[m].found_topics for m in shown}
    others = [m for m in shown[1:] if not plan.by_configuration or counts[m]]
    said = [
        f"{_SUBJECTS.get(m) or subject(m)} {_count(counts[m], total, bold=several and place < 2)}"
        for place, m in enumerate(others, 1)
    ]
    if len(others) < len(shown) - 1:
        said.append("each other one shown none" if others else "no other one shown finds any")
    between = several and len(plan.around) > 1
    how = "about " if between else "on average " if several else ""
    first = (
        f"{_SUBJECTS.get(shown[0]) or subject(shown[0])} finds {how}{_count(counts[shown[0]], total, bold=several)} "
        f"of {count_text(total, 'topic')}{'' if several else ' in one release' + _promised(plan)}"
    )
    where = f"At {equals('ε', plan.settings.epsilon)}{_observer(plan)},"
    means = _averaged(plan, between, nearest) if several else "The picture shows this release."
    why = _louder(plan, shown)
    return paragraph(f"{where} {listed([first, *said])}.", _proposed(plan, known)) + rest(why, means)


def sought(plan: Plan, known: Background) -> str:
    """Before the first scheme's words: what there is to find."""
    total = count_text(len(known.reference.words), "topic")
    ask = f"Which of them does each scheme find at {equals('ε', plan.settings.epsilon)}?"
    if not any(map(is_private, plan.methods)):
        ask = ""
    return paragraph(f"Without noise, {number_text(known.documents)} texts give the {total} above.", ask)


def _louder(plan, shown):
    """Why a scheme finds less than CAPE: how much more noise its averages have."""
    others = [m for m in ("conventional", "local") if m in shown]
    if plan.by_configuration or "cape" not in shown or not others:
        return ""
    terms, sites = dict(guarantees.run_terms_of(plan.here)), plan.here["sites"]
    factors = {m: noise_factor(m, sites, **terms) / noise_factor("cape", sites, **terms) for m in others}
    if min(factors.values()) < _LOUDER:
        return ""
    said = [f"{subject(m)} has {number_text(factor, digits=2)} times" for m, factor in factors.items()]
    ends = [said[0] + " as much noise as CAPE", *(one.replace(" has", "") for one in said[1:])]
    return f"{_capital(listed(ends))}."


def _capital(words):
    return words[0].upper() + words[1:]


def counted(plan: Plan, spots: list[Spot]) -> list[str]:
    """The private methods whose topics the sentence counts."""
    found = {s.method for s in spots}
    return [m for m in (*pictured(plan.methods), *ONE_CURATOR) if m in found and is_private(m)]


def _promised(plan):
    """What the sentence waits for; beyond the curve's ends no averages come."""
    count = plan.settings.repeats
    return f" (averages over {count} follow)" if count > 1 and plan.around else ""


def _averaged(plan, between, nearest):
    """What the averages are of, and what the picture shows of it."""
    if not between:
        return means_text(plan.settings.repeats, drawn="words and ✓ are of", own=not nearest)
    over = f"Means of {count_text(plan.settings.repeats, 'release')}"
    ends = " and ".join(equals("ε", epsilon) for epsilon in plan.around)
    return f"{over}, interpolated between {ends}. The picture shows one release."


def _observer(plan):
    """Against whom ε holds; "" where one curator compares configurations, or where ε is only claimed."""
    if plan.by_configuration or plan.settings.calibration == "published":
        return ""
    return f", {guarantees.observed(guarantees.terms_of(plan.here))}"


def _count(number, total, *, bold):
    """A number of topics as a sentence says it: a mean may be bold."""
    said = amount_text(number, total) if number else "none"
    return f"<b>{said}</b>" if bold else said


def notes(plan: Plan, known: Background, spots: list[Spot], points: pd.DataFrame) -> str:
    """The results at the present ε, the ε that is needed, and the forecast; `points` are those of known curves."""
    found = {s.method: s for s in spots}
    measure = plan.here["measure"]
    figure = _FIGURES[measure]
    shown = [m for m in (*planned_order(), *ONE_CURATOR) if m in found and m in plan.methods]
    listed = ", ".join(f"{plain(label(m))} <b>{figure(found[m].value)}</b>" for m in shown)
    lead = f"At {equals('ε', plan.settings.epsilon)}, in this release, {_MEASURED[measure]}"
    verb = "find" if measure == "found" else "have"
    # At 0 its dashed line is not drawn.
    trivial = (
        f"A single distribution of words for all documents (dashed) would {verb} {figure(known.trivial)}."
    )
    first = f"{lead} {listed}." if listed else "Fitting …"
    said = paragraph(first, trivial if known.trivial else "", _needed(plan, points))
    return said + paragraph(_forecast(plan, known, found))


def _proposed(plan, known):
    if plan.source.name != "own" or known.proposed in (None, plan.here["k"]):
        return ""
    return (
        f"Topics weaken most after number {known.proposed}: k = {known.proposed} may suit these documents. "
        "This is computed without noise."
    )


def _needed(plan, points):
    if plan.here["measure"] not in ("found", "overlap"):
        return ""
    by_topics = plan.here["measure"] == "found"
    enough = ENOUGH * plan.here["k"] if by_topics else ENOUGH
    needs = []
    for method in planned_order():
        if named(method).curator:
            continue
        found = points[points.scheme == method]
        if method in plan.methods and len(found) > 2:
            at = crossing(found.epsilon, found["mean"], enough)
            sign = "≤" if at == found.epsilon.iloc[0] else "≈"
            amount = (
                f"ε {sign} {number_text(at, digits=2)}" if math.isfinite(at) else "more than the largest ε"
            )
            needs.append(f"<b>{amount}</b> ({label(method)})")
    if not needs:
        return ""
    runs = points.repeats[points.scheme.map(is_private)]
    over = f"over {count_text(int(runs.min()), 'release')}"
    average = f"On average {over}" if runs.min() == plan.settings.repeats else f"So far, {over} or more"
    what = "topics" if by_topics else "top words"
    return f"{average}, {100 * ENOUGH:.0f} % of the {what} need {', '.join(needs)}."


def _quietest(plan, terms):
    """The shown scheme of least noise in its average; among equals, one without a curator."""
    shown = [m for m in planned_order() if m in plan.methods]
    return min(shown, key=lambda m: round(noise_factor(m, plan.here["sites"], **terms), 9), default=_CURATOR)


def _forecast(plan, known, found):
    sigma = known.reference.spectrum
    if len(sigma) < plan.here["k"] or sigma[-1] <= 0:
        return "These documents do not contain that many topics, even without privacy."
    terms = dict(guarantees.run_terms_of(plan.here))
    scheme = _quietest(plan, terms)
    guess = topics.forecast(
        float(sigma[-1]),
        documents=known.documents,
        vocabulary=plan.here["vocabulary"],
        privacy=plan.privacy,
        equalisation=plan.problem.equalisation(plan.privacy, plan.here),
        scheme=scheme,
        sites=plan.here["sites"],
        calibration=plan.here["calibration"],
        **terms,
    )
    name, here = label(scheme), found.get(scheme)
    if plan.by_configuration:
        name, here = "E", found.get("configuration-e")
    total = count_text(len(known.reference.words), "topic")
    outcome = f" In this release {name} finds {here.found_topics} of {total}." if here else ""
    aside = "" if plan.source.synthetic else " (a tenth of the documents, at most 500, is kept aside)"
    return (
        f"<b>Forecast</b> for {name}: noise more than about half as strong as a topic is likely to hide it. "
        f"{_strength(guess, known.documents, sigma)}{aside}.{outcome}"
    )


def _strength(guess, documents, sigma):
    """The noise beside the topics of strengths `sigma`, and how many documents suffice; numbers agree with the verdict."""
    ratio = number_text(guess.ratio, digits=2 if abs(guess.ratio - _WEAK) > 0.005 else 4)
    rounded = int(float(f"{guess.documents:.2g}"))
    agrees = (rounded <= documents) == (guess.ratio <= _WEAK)
    needed = f"about {number_text(rounded)}" if agrees else number_text(guess.documents)
    near = 0.9 < documents / guess.documents < 1.1
    if guess.ratio <= _WEAK:
        verdict, count = "which rules out none of the topics", ""
    else:
        lost = sum(guess.ratio * sigma[-1] / one > _WEAK for one in sigma)
        hidden = f"{lost} of {len(sigma)} topics are" if lost > 1 else "this one is"
        verdict, count = f"so {hidden} likely lost in noise", ", just too few" if near else ", too few"
    return (
        f"Here it is {ratio} times as strong as the weakest, {verdict}: to find all at this ε at least {needed} documents "
        f"are needed, and there are {number_text(documents)}{count}"
    )


def guarantee(plan: Plan) -> Guarantee:
    """The guarantee for one document, and what was not private."""
    s, privacy = plan.settings, plan.privacy
    unit = f"{plan.source.unit} at one site, replaced by any other; the number of documents is public"
    if plan.by_configuration:
        sentence = (
            f"E, 1 and DP variational are calibrated for {equals('ε', s.epsilon)}, {equals('δ', s.delta)} for every "
            "document. 2, 3 and 4 have no valid guarantee; the flow graph says why."
        )
        kept = gdp_delta(s.epsilon, gaussian_mu(privacy, calibration=s.calibration))
        if kept > s.delta * (1 + 1e-9):
            sentence += (
                f" The published calibration misses this for E: its exact guarantee is {equals('δ', kept)}."
            )
        unit += "; 1 to 4 use documents of at least three words, whose number is public too"
        return Guarantee(sentence, None, unit=unit)
    found = guarantees.exposures(
        plan.methods,
        privacy,
        sites=s.sites,
        colluding=s.colluding,
        calibration=s.calibration,
        terms=guarantees.terms_of(plan.here),
        earlier=plan.problem.earlier(plan.here),
    )
    return Guarantee(
        sentence=guarantees.sentence(
            privacy, found, terms=guarantees.terms_of(plan.here), colluding=s.colluding, several=True
        ),
        nominal=privacy,
        colluding=s.colluding,
        exposures=found,
        unit=unit,
    )


def unprotected(plan: Plan) -> tuple[Unprotected, ...]:
    """What the page shows of the documents without noise."""
    answers = (
        "non-private topics, the true eigenvalues in the forecast and behind a proposed k, all overlaps, errors and "
        "perplexities, and the names of topics"
    )
    order = "the order of topics in columns: private topics are matched with the non-private ones"
    found = [Unprotected("answer", answers), Unprotected("choice", order)]
    if plan.source.name != "own" and plan.settings.repeats > 1:
        drawn = (
            "which of several releases is drawn: the one that finds nearest to the average number of topics"
        )
        found.append(Unprotected("choice", drawn))
    if plan.source.synthetic or plan.source.name == "notes":
        return tuple(found)
    words = "the vocabulary: the most frequent words of these documents are treated as public"
    return Unprotected("words", words), *found, Unprotected("counts", _left_out(plan.source))


def _left_out(source):
    """The documents that are omitted before counting; the public number then depends on their content."""
    if source.name == "docstrings":
        return "which docstrings repeat each other word for word: repeated ones are left out before they are counted"
    kind = "messages" if source.name == "newsgroups" else "lines of the file"
    return f"which documents are blank: blank {kind} are left out before the documents are counted"


def cost(plan: Plan, job: sweep.Job) -> Drawn | None:
    """Privacy cost of one run, for the ledger; without a valid guarantee it is unbounded."""
    here, calibration = dict(job.settings), plan.settings.calibration
    data = ledger_costs.data_name(plan.source, job)
    if job.scheme not in ONE_CURATOR:
        return ledger_costs.of_job(job, data=data, calibration=calibration)
    privacy = Privacy(here["epsilon"], here["delta"])
    if job.scheme == "configuration-1-pure":
        return ledger_costs.of_curator(job, data=data, pure=privacy.epsilon)
    if job.scheme == "configuration-1":
        # The size of a real corpus is known only after reading; until then the limit of many documents is used.
        documents = here["documents"] or math.inf
        mu = topics.first_mu(privacy, alpha0=here["alpha0"], documents=documents, calibration=calibration)
    elif job.scheme == "variational":
        mu = gaussian_mu(privacy)
    else:
        valid = job.scheme == "configuration-e"
        mu = gaussian_mu(privacy, calibration=calibration) if valid else math.inf
    return ledger_costs.of_curator(job, data=data, mu=mu)


def script(plan: Plan, own) -> str:
    """A program that leaves the numbers of the curve in `columns`."""
    s = plan.settings
    source = "from data.catalogue import corpora\n\nload = corpora.load"
    if own is not None:
        source = (
            "from pathlib import Path\n\nfrom data import upload\nfrom data.catalogue import corpora\n\n"
            f"file = Path({own.documents.source!r}.strip('\"“”'))  # Your own text, read from where this script runs.\n"
            "load = corpora.OwnText(upload.read(file.read_bytes(), file.name))"
        )
    fixed = {n: v for n, v in plan.here.items() if n != "epsilon"}
    epsilons = [cell["epsilon"] for cell in plan.cells]
    return f'''"""Private topics along ε: {MEASURES[plan.here["measure"]]}."""
from core import sweep
from core.topics.problem import Problem
{source}

problem = Problem(load, data_settings={plan.problem.data_settings!r})
fixed = {fixed!r}
cells = [fixed | {{"epsilon": epsilon}} for epsilon in {epsilons!r}]
rows = sweep.run(problem, cells, schemes={plan.methods!r}, repeats={s.repeats}, seed={s.noise_seed})

mean = rows.groupby(["scheme", "epsilon"]).value.mean()
columns = mean.rename("mean").reset_index().to_dict("list")
print(mean.unstack(0).to_string(float_format="%.3f"))
'''
