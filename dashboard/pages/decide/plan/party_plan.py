"""The file with which sites of their own carry out what Plan answers: `core.parties` reads it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core import Privacy, pca
from core.parties import Member, Plan, Statistic
from core.pca.private_mean import joint_sensitivity
from core.sweep import search
from dashboard.pages.decide.plan.question import Question

NAME = "cape-lab-plan.json"


def available(question: Question) -> bool:
    """Whether what is planned is one release of one average; topics, components and regressions take more."""
    return question.kind in ("averaging", "pca")


def plan(
    question: Question,
    scheme: str,
    answer: search.Answer,
    sizes: Sequence[int],
    names: Sequence[str] = (),
) -> Plan:
    """The plan of the release that an answer stands for.

    Parameters
    ----------
    sizes : sequence of int
        n_s of each site.
    names : sequence of str
        What the sites are called: foreign text. Empty: by their numbers.
    """
    samples = np.array(sizes)
    names = [name[:200] or f"site {s + 1}" for s, name in enumerate(names)] or [
        f"site {s + 1}" for s in range(len(samples))
    ]
    target = Privacy(question.epsilon(answer), question.settings.delta)
    statistic, changes = _statistic(question, samples)
    rows = zip(names, samples / samples.sum(), changes, samples, strict=True)
    # Masks of a secure sum of messages are of whole numbers.
    noise = "discrete" if scheme == "secure" else "symmetrised" if len(statistic.shape) == 2 else "iid"
    return Plan(
        statistic,
        tuple(Member(name, float(w), float(change), target, int(n)) for name, w, change, n in rows),
        scheme,
        noise=noise,
        **dict(question.terms(answer)),
    )


def _statistic(question, samples):
    """What each site computes, and its sensitivity at each."""
    problem, width = question.problem, question.width
    if problem is None:
        return Statistic("mean", (), 0.0, 1.0), 1 / samples
    if problem.centre == "mean":
        changes = joint_sensitivity(samples, share=problem.share, width=width)
        name = "second moment and mean"
        return Statistic(name, (width**2 + width,), norm=1.0, share=problem.share), changes
    return Statistic("second moment", (width, width), norm=1.0), pca.sensitivity(samples, width=width)
