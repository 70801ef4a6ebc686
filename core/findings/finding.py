"""What a finding is: a place in a paper, what it says, what is true, and a computation that shows it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from core import check

PAPERS = {
    "Fact": "H. Imtiaz, A. Sarwate: Distributed Differentially-Private Algorithms for Matrix and Tensor "
    "Factorization, IEEE JSTSP 2018",
    "Cape": "H. Imtiaz, J. Mohammadi, A. Sarwate: Distributed Differentially Private Computation of Functions "
    "with Correlated Noise, 2019",
    "Lda": "C. DeCarolis, M. Ram, S. Esmaeili, Y.-X. Wang, F. Huang: An End-to-end Differentially Private LDA "
    "Using a Spectral Algorithm, ICML 2020",
    "Power": "Y. Wang, A. Anandkumar: Online and Differentially-Private Tensor Decomposition, NeurIPS 2016",
}

KINDS = {
    "overstated": "less privacy than stated",
    "understated": "more privacy than stated",
    "accuracy": "accuracy",
    "notation": "notation",
    "valid": "no error",
}
"""What a finding is about: less privacy than stated; more than stated (noise to spare); how good an answer is;
a sign in a formula, which nobody need have followed; or no error: what is stated holds, and another choice would give
the same or more, or the paper says itself that a step is not private."""


@dataclass(frozen=True)
class Curve:
    """A small figure: several lines over one x.

    Attributes
    ----------
    x_name, y_name : str
    x : ndarray of shape (points,)
    lines : mapping of str to ndarray of shape (points,)
        By name; the published one first.
    log : tuple of two bools
        Whether x and y are shown on logarithmic scales.
    """

    x_name: str
    y_name: str
    x: np.ndarray
    lines: Mapping[str, np.ndarray]
    log: tuple[bool, bool] = (False, False)


@dataclass(frozen=True)
class Shown:
    """What a demonstration computes.

    Attributes
    ----------
    published : float
        The number that follows from the paper as printed.
    correct : float
        The correct number.
    unit : str
        What both numbers measure.
    names : tuple of two str
        Labels of the two numbers.
    curve : Curve, optional
        Both numbers as functions of a setting.
    """

    published: float
    correct: float
    unit: str
    names: tuple[str, str] = ("as published", "in truth")
    curve: Curve | None = field(default=None, repr=False)

    @property
    def ratio(self) -> float:
        """Larger absolute value divided by the smaller; ∞ if the smaller is 0."""
        low, high = sorted((abs(self.published), abs(self.correct)))
        return high / low if low > 0 else math.inf


@check.arguments
@dataclass(frozen=True)
class Finding:
    """An error in a paper, or a noteworthy point.

    Attributes
    ----------
    key : str
        Short name, for links.
    papers : tuple of str
        Of `PAPERS`.
    place : str
        Equation, algorithm, theorem or section, in the journal's or proceedings' numbering.
    kind : str
        Of `KINDS`.
    plain : str
        What it means for a user, in one line without the field's terms; numbers as in `changes`.
    title, says, true : str
        The finding in one line; what the paper says; what is correct. Plain text.
    changes : str
        The effect on a figure or a guarantee, with {published}, {correct} and {ratio} where the
        demonstration's numbers go.
    ours : tuple of str
        Dotted names of the correct implementation in this package.
    demonstrate : callable
        `demonstrate(rng)` computes a `Shown`; a deterministic one ignores `rng`.
    """

    key: str
    papers: tuple[str, ...]
    place: str
    kind: str
    plain: str
    title: str
    says: str
    true: str
    changes: str
    ours: tuple[str, ...]
    demonstrate: Callable[[np.random.Generator], Shown] = field(repr=False)

    def __post_init__(self):
        check.choice("kind", self.kind, KINDS)
        for paper in self.papers:
            check.choice("papers", paper, PAPERS)

    @check.arguments
    def consequence(self, shown: Shown, *, write: Callable[[float], str] = "{:.3g}".format) -> str:
        """`changes` with the numbers of a demonstration; `write` turns a number into text."""
        names = ("published", "correct")
        ratio = write(self.plain_ratio(shown) if "{ratio}" in self.plain else shown.ratio)
        return self.changes.format(ratio=ratio, **{name: write(getattr(shown, name)) for name in names})

    @staticmethod
    def plain_ratio(shown: Shown) -> float:
        """The ratio of a demonstration with the two digits that `plain` says."""
        return float(f"{shown.ratio:.2g}")


def finding(**texts) -> Callable[[Callable], Finding]:
    """Make a `Finding` of the demonstration that it decorates."""
    return lambda demonstrate: Finding(demonstrate=demonstrate, **texts)
