"""What is said of topics: the sentence, the ε that is needed, the configurations, and the program behind the curve."""

from __future__ import annotations

import html
import math

from core import topics
from core.schemes import is_private, presented
from core.topics.scaled_noise import gap
from dashboard.algorithms.topics.model import DOCUMENTS, Plan
from dashboard.algorithms.topics.words import value
from dashboard.compare import curve
from dashboard.compare.store import Results
from dashboard.page.played import Reached
from dashboard.state.number_text import count_text, number_text
from dashboard.theme.scheme_style import LOOKS, coloured, spoken, subject

ENOUGH = 0.8  # Share of topics, or of top words, for which the page states the needed ε.
# The methods of the sentence: with more it would be none.
_SAID = "cape", "conventional", "local", "configuration-e", "configuration-1", "variational"
NUMBERS = {
    "found": "finds",
    "overlap": "shares with the non-private topics, of their top words,",
    "mass": "shares with the non-private topics, of their probability,",
    "error": "has a recovery error of",
    "perplexity": "has a perplexity of",
}


def headline(plan: Plan, results: Results) -> str:
    """The mean of the measure under every scheme, or configuration."""
    known = results.spots.get(DOCUMENTS)
    told = [m for m in _SAID if m in plan.shown] or [m for m in plan.shown if is_private(m)][:3]
    found = {m: value(plan, results, m) for m in told if m in results.spots}
    if known is None or not found:
        return "" if known is None or any(map(is_private, plan.shown)) else _without_noise(plan, known)
    first, *others = found
    number = {
        m: text.partition(" of ")[0] if plan.here["measure"] == "found" else text for m, text in found.items()
    }
    number = {
        m: coloured(m, "none" if plan.here["measure"] == "found" and n == "0" else n, "b")
        for m, n in number.items()
    }
    of = f" of {count_text(len(known.reference.words), 'topic')}" if plan.here["measure"] == "found" else ""
    said = f"{_who(first)} {NUMBERS[plan.here['measure']]} {number[first]}{of}"
    return said + "".join(f", {_who(m)} {number[m]}" for m in others)


def _without_noise(plan, known):
    return f"without noise, {number_text(known.documents)} documents give {count_text(len(known.reference.words), 'topic')}"


def _who(method):
    name = method.removeprefix("configuration-")
    return spoken(method, f"configuration {name.upper()}") if name != method else spoken(method)


def needed(plan: Plan, results: Results) -> str:
    """The ε that schemes need once the curve is known, what one distribution reaches, and a k that suits own documents."""
    known, measure = results.spots.get(DOCUMENTS), plan.here["measure"]
    parts = []
    if measure in ("found", "overlap") and results.whole:
        enough = ENOUGH * plan.here["k"] if measure == "found" else ENOUGH
        shown = [m for m in presented(plan.shown) if is_private(m)]
        needs = [curve.needed(results.points_of(m), m, enough) for m in shown]
        what = "topics" if measure == "found" else "top words"
        parts += [f"{100 * ENOUGH:.0f} % of the {what} need {', '.join(needs)}."] if needs else []
    if known is not None and known.trivial:
        parts.append(f"One distribution of words for all documents has {number_text(known.trivial)}.")
    if plan.source.name == "own" and known is not None and known.proposed not in (None, plan.here["k"]):
        parts.append(
            f"Topics weaken most after number {known.proposed}: k = {known.proposed} may suit these documents."
        )
    return " ".join(parts)


def reached(plan: Plan, results: Results) -> Reached | None:
    """Who finds most topics."""
    spots = {m: s for m, s in results.spots.items() if m in presented(plan.shown) and is_private(m)}
    total = plan.here["k"]
    least = math.ceil(ENOUGH * total)
    who = {subject(m): spots[m].number >= least for m in presented(spots)}
    said = f"at least {least} of {count_text(total, 'topic')} were found on average by"
    return Reached(said, who, short=f"{least} of {total} found")


_EDGES = {
    "configuration-e": ("E1, E2, T", "any; best for α₀ ≤ 1"),
    "configuration-1": ("M2, M3", "many documents, few words"),
    "configuration-1-pure": ("M2, M3", "pure ε is required"),
    "configuration-2": ("M2, T", "never for protection; shows the possible gain of whitening first"),
    "configuration-3": ("eigenpairs of T, M2", "never: one document can change γ without bound"),
    "configuration-4": ("the topics", "never: the same, and noise on d words"),
    "variational": ("expected statistics, 10 passes", "real text measured by perplexity"),
}


def configurations(plan: Plan, results: Results) -> str:
    """[Lda] Table 1 at the present settings, what was measured, and when to use each configuration; "" without any."""
    known = results.spots.get(DOCUMENTS)
    spots = [results.spots[m] for m in plan.curator if m in results.spots]
    if known is None or not spots:
        return ""
    bounds = _bounds(plan, known)
    rows = []
    for spot in spots:
        bound = bounds.get(spot.method.removeprefix("configuration-"))
        levels = ", ".join(f"{n} {number_text(v, digits=2)}" for n, v in spot.found.noise.items())
        where, when = _EDGES[spot.method]
        found = spot.found
        cells = (
            *(where, html.escape(levels) or "—", number_text(bound, digits=2) if bound else "—"),
            "abstained" if found.abstained else number_text(spot.value),
            f"<span title='{html.escape(found.guarantee.reason, quote=True)}'>"
            f"{'' if found.guarantee.valid else 'not '}valid</span>",
            when,
        )
        rows.append(
            f"<tr><th scope='row'>{html.escape(LOOKS[spot.method].label)}</th>"
            + "".join(f"<td>{cell}</td>" for cell in cells)
            + "</tr>"
        )
    heads = "noise on", "σ of the noise", "[Lda] Table 1", "measured", "guarantee", "use it when"
    return (
        f"<div class='scroll'><table><thead><tr><th></th>{''.join(f'<th scope=col>{h}</th>' for h in heads)}</tr></thead>"
        f"<tbody>{''.join(rows)}</tbody></table></div><p>The bounds of Table 1 are orders of magnitude with constants set "
        "to one, from the true σ₁, σₖ and γ: they rank the configurations; they are no guarantee and not private.</p>"
    )


def _bounds(plan, known):
    """[Lda] Table 1; from the true moments, so not private."""
    reference = known.reference
    eigenvalues = topics.population_eigenvalues(reference.alpha.clip(min=1e-12))
    return topics.utility_bounds(
        documents=known.documents,
        vocabulary=plan.here["vocabulary"],
        k=len(reference.spectrum),
        sigma_1=float(reference.spectrum[0]),
        sigma_k=float(max(reference.spectrum[-1], 1e-12)),
        gamma=max(gap(eigenvalues), 1e-12),
        privacy=plan.privacy,
    )


def script(plan: Plan, own=None) -> str:
    """A program that leaves the numbers of the curve in `columns`."""
    s = plan.settings
    source = "from data.catalogue import corpora\n\nload = corpora.load"
    if plan.source.name == "own":
        file = plan.problem.load.documents.source
        source = (
            "from pathlib import Path\n\nfrom data import upload\nfrom data.catalogue import corpora\n\n"
            f"file = Path({file!r}.strip('\"“”'))  # Your own text, read from where this script runs.\n"
            "load = corpora.OwnText(upload.read(file.read_bytes(), file.name))"
        )
    fixed = {n: v for n, v in plan.here.items() if n != "epsilon"}
    epsilons = [cell["epsilon"] for cell in plan.cells]
    return f'''"""Private topics along ε, measured by {plan.here["measure"]}."""
from core import sweep
from core.topics.problem import Problem
{source}

problem = Problem(load, data_settings={plan.problem.data_settings!r})
fixed = {fixed!r}
cells = [fixed | {{"epsilon": epsilon}} for epsilon in {epsilons!r}]
rows = sweep.run(problem, cells, schemes={plan.shown!r}, repeats={s.repeats}, seed={s.noise_seed})

mean = rows.groupby(["scheme", "epsilon"]).value.mean()
columns = mean.rename("mean").reset_index().to_dict("list")
print(mean.unstack(0).to_string(float_format="%.3f"))
'''
