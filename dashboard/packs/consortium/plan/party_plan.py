"""The file with which sites of their own carry out what Plan answers: `core.parties` reads it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core import Privacy, check
from core.parties import Member, Plan, Statistic
from core.sweep import search
from dashboard.packs.consortium.plan.question import Question
from dashboard.packs.consortium.plan.words import text

NAME = "cape-lab-plan.json"


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
    # Masks of a secure sum of messages are of whole numbers.
    noise = "discrete" if scheme == "secure" else "symmetrised" if len(statistic.shape) == 2 else "iid"
    discrete = noise == "discrete"
    changes = [statistic.sensitivity(n, statistic.change, discrete=discrete) for n in sizes]
    rows = zip(names, samples / samples.sum(), changes, samples, strict=True)
    return Plan(
        statistic,
        tuple(Member(name, float(w), float(change), target, int(n)) for name, w, change, n in rows),
        scheme,
        noise=noise,
        note=note,
        **dict(question.terms(answer)),
    )


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
