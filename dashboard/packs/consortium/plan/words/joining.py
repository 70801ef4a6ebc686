"""What a consortium negotiates about: how many records each site gives, and what it gains."""

from __future__ import annotations

import html

import numpy as np

from core import Privacy
from core.privacy import gdp_epsilon, gdp_mu
from core.schemes import named, planned_std
from core.sweep import search
from dashboard.packs.consortium.plan.question import Question, run_terms_of
from dashboard.packs.consortium.plan.words import text
from dashboard.state.number_text import at_most_text, count_text, number_text
from dashboard.theme.scheme_style import label

_MOST_SITES = 50


def table(question: Question, scheme: str | None, answer: search.Answer | None, names=()) -> str:
    """A row for each site, as HTML: its records, and what the site alone would need.

    Parameters
    ----------
    names : sequence of str
        What the sites are called: foreign text. Empty: they are all alike and share one row.
    """
    if answer is None or named(scheme).one_site:
        return ""
    sites, delta = question.sites(answer), question.settings.delta
    sizes = sizes_of(question, answer, sites)
    rows = [(f"each of {count_text(sites, 'site')}", sizes[0])]
    if len(set(sizes)) > 1 or names:
        rows = list(zip(names or [f"site {s + 1}" for s in range(sites)], sizes, strict=True))
    # Weighted by their records n_s/N, all sites add the same noise to the average: what one learns is the same of each.
    mu = gdp_mu(Privacy(text.promised(question, answer), delta))
    together = _together(question, scheme, sizes)
    body = "".join(
        f"<tr><th scope='row'>{html.escape(name)}</th><td>{number_text(size)}</td>"
        f"{_alone(mu, 1 / size / together, delta)}</tr>"
        for name, size in rows[:_MOST_SITES]
    )
    silent = "" if not question.silent else " when those drop out that leave the most noise"
    loses = " A site with a number below 1 adds less noise alone." if 1 / max(sizes) < together else ""
    more = f"<p>and {len(rows) - _MOST_SITES} more sites.</p>" if len(rows) > _MOST_SITES else ""
    return (
        f"<p><b>What each site gives and gains</b> with {label(scheme)} at {text.epsilon_text(question, answer)}: an "
        "observer learns as much of a record of one site as of another. Alone, a site would need another ε to add as little "
        f"noise as all together{silent}.{loses} It also has fewer records then, which this does not count.</p>"
        "<div class='scroll'><table><thead><tr><th scope='col'>site</th><th scope='col'>records</th>"
        "<th scope='col'>noise alone,<br>times that together</th><th scope='col'>ε it would<br>need alone</th></tr></thead>"
        f"<tbody>{body}</tbody></table></div>{more}"
    )


def _together(question, scheme, sizes):
    """Noise of the release that is planned, where a message of one record needs noise 1: that of the worst silence."""
    counts, terms = np.array(sizes, dtype=float), run_terms_of(question.settings, scheme, len(sizes))
    return planned_std(scheme, 1 / counts, counts / counts.sum(), silent=terms.pop("dropped", 0), **terms)


def sizes_of(question: Question, answer: search.Answer, sites: int) -> list[int]:
    """n_s of every site of the release that is planned."""
    here = dict(question.here)
    samples = here.get("samples", here.get("documents", 0) / here["sites"])
    if question.free == "samples":
        samples = answer.high
    return [int(n) for n in samples] if isinstance(samples, tuple) else [int(samples)] * sites


def _alone(mu, ratio, delta):
    """Cells of one site: its noise alone as a multiple of that together, and the ε at which both would be equal."""
    return f"<td>{number_text(ratio, digits=3)}</td><td>{at_most_text(gdp_epsilon(delta, mu * ratio))}</td>"
