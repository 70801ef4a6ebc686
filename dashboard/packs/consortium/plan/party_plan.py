"""The file with which sites of their own carry out what Plan answers: `core.parties` reads it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from core import Privacy, check
from core.parties import Column, Member, Plan, SeriesTerms, Statistic
from core.parties.plan_file import NOTE_LETTERS
from core.parties.second_version import DRAWS, UNIT_LETTERS
from core.parties.statistic import LETTERS
from core.privacy import gdp_epsilon, gdp_mu
from core.sweep import search
from dashboard.packs.consortium.plan.question import AFTER, Question
from dashboard.packs.consortium.plan.words import text

NAME = "cape-lab-plan.json"
_MOST = LETTERS - 10  # What is numbered stays short enough.
_CORRELATED = "Noise is correlated over the times: a site's ε is of all of them together. No desk carries this plan out."


def available(question: Question) -> bool:
    """Whether what is planned is one release of one average; topics, components and regressions take more."""
    return question.kind in ("averaging", "proportion", "pca") or (
        question.released is not None and question.own
    )


def plan(
    question: Question,
    scheme: str,
    answer: search.Answer,
    sizes: Sequence[int],
    names: Sequence[str] = (),
    note: str = "",
    series: SeriesTerms | None = None,
) -> Plan:
    """The plan of the release that an answer stands for.

    Parameters
    ----------
    sizes : sequence of int
        n_s of each site.
    names : sequence of str
        What the sites are called: foreign text. Empty: by their numbers.
    note : str
        What is promised, in words.
    series : SeriesTerms, optional
        How often it is carried out. Every time has noise of its own: sites release whole numbers, or messages one by one.
        With a C that correlates them, targets are those of a person's whole series, which costs what independent times do;
        `core.parties.SeriesSite` carries it out.

    Raises
    ------
    ValueError
        If sites of their own would refuse it.
    """
    samples, statistic = np.array(sizes), _statistic(question)
    names = [check.seen(name)[:200].strip() or f"site {s + 1}" for s, name in enumerate(names)] or [
        f"site {s + 1}" for s in range(len(samples))
    ]
    target = Privacy(text.promised(question, answer), question.settings.delta)
    # Masks of a secure sum of messages are of whole numbers, and a desk releases nothing else.
    square = len(statistic.shape) == 2
    correlated = series is not None and series.correlated
    discrete = not correlated and (scheme == "secure" or (scheme == AFTER and not square))
    noise = "discrete" if discrete else "symmetrised" if square and not correlated else "iid"
    terms = dict(question.terms(answer))
    if correlated:
        target, note = _of_series(target, series), f"{_CORRELATED} {note}"[:NOTE_LETTERS].strip()
        if terms.get("against", "message") == "message":
            terms["against"] = "aggregator"
    changes = [statistic.sensitivity(n, statistic.change, discrete=discrete) for n in sizes]
    rows = zip(names, samples / samples.sum(), changes, samples, strict=True)
    found = Plan(
        statistic,
        tuple(Member(name, float(w), float(change), target, int(n)) for name, w, change, n in rows),
        scheme,
        noise=noise,
        draw=DRAWS[0] if discrete and scheme == AFTER else None,
        note=note,
        columns=_columns(question),
        series=series,
        **terms,
    )
    searched = len(set(sizes)) > 1 and found.against != "message" and not correlated
    return _with_designs(found) if searched else found


def _of_series(target, series):
    """The target of a person's whole series: what so many independent releases cost."""
    mu = gdp_mu(target) * math.sqrt(series.participation.times)
    return Privacy(math.floor(gdp_epsilon(target.delta, mu) * 1e9) / 1e9, target.delta)


def _with_designs(found):
    """Unequal sites have noise of their own, which is searched: the plan carries it, and sites check it."""
    # In whole numbers sites round up what was searched without a grid.
    whole = found.discrete and found.scheme == AFTER
    parts = (replace(found, noise="iid", draw=None) if whole else found).parts()
    design = parts.contributions or parts.after
    if design is None:
        return found
    return replace(found, designs=np.stack([design.seed_std, design.local_std], axis=1))


def _columns(question):
    """What is released of which column of a user's own table."""
    if question.problem is not None or not question.own:
        return None
    return tuple(map(_column, question.released.parts, _distinct(p.column for p in question.released.parts)))


def _column(part, name):
    summary = part.summary
    bounded = summary.kind in ("mean", "histogram")
    return Column(
        name,
        unit=check.seen(part.unit)[:UNIT_LETTERS].strip(),
        lower=float(summary.lower) if bounded else None,
        upper=float(summary.upper) if bounded else None,
        bins=summary.cells if summary.kind == "histogram" else None,
        categories=_distinct(part.categories) if part.categories else None,
    )


def _distinct(texts):
    """Foreign texts as a plan's file may have them; those that would look alike are numbered."""
    found: list[str] = []
    for place, foreign in enumerate(texts):
        plain = check.seen(foreign)[:_MOST].strip() or str(place + 1)
        found.append(plain if plain not in found else f"{plain} ({place + 1})")
    return tuple(found)


def _statistic(question):
    """What each site computes."""
    problem, width = question.problem, question.width
    if problem is None and len(question.released.parts) > 1:
        parts = question.released.summaries
        return Statistic("summaries", (sum(one.cells for one in parts),), parts=parts)
    if problem is None:
        summary = question.released.first.summary
        cells = () if summary.cells == 1 else (summary.cells,)
        if cells:
            return Statistic("shares", cells, 0.0, 1.0)
        return Statistic("mean", (), float(summary.lower), float(summary.upper))
    if problem.centre == "mean":
        return Statistic("second moment and mean", (width**2 + width,), norm=1.0, share=problem.share)
    return Statistic("second moment", (width, width), norm=1.0)
