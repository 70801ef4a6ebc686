"""What can be planned for: problems, their records by name, and what a release must be good for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from core.sweep.targets import Target
from dashboard.problems import components
from dashboard.state.number_text import number_text, percent_text
from data.catalogue import corpora, labelled, tables

OWN = ("pca", "components", "regression")  # Problems that take a table of one's own.


@dataclass(frozen=True)
class Metric:
    """What a release is good for, and how it is said.

    Attributes
    ----------
    figure : str
        The problem's name for it.
    title : str
        In the menu.
    phrase : str
        "so that the release …"; `{}` stands for the level, `{known}` for what it is held against.
    allowed : str
        What the level bounds: the label of its control.
    axis : str
        At the axis of the picture.
    kept : bool
        The level says how much may be lost of a share that is to be kept; otherwise it bounds an error.
    relative : bool
        The share is one of the non-private figure.
    share : bool
        The level is a share too, and read as a percentage.
    level : float
        A sensible level.
    """

    figure: str
    title: str
    phrase: str
    allowed: str
    axis: str
    kept: bool = False
    relative: bool = False
    share: bool = False
    level: float = 0.1

    def target(self, level: float, chance: float | None) -> Target:
        """The target of a search."""
        if self.kept:
            return Target(self.figure, round(1 - level, 12), relative=self.relative, chance=chance)
        return Target(self.figure, level, at_least=False, chance=chance)

    def words(self, level: float, known: str = "true") -> str:
        """The phrase with its level."""
        return self.phrase.format(self.text(1 - level if self.kept else level), known=known)

    def text(self, score: float) -> str:
        """A score as it is written."""
        return percent_text(score) if self.kept or self.share else number_text(score, digits=2)


METRICS = {
    "within": Metric(
        "within",
        "error of the average",
        "miss the average by at most {} in 95 % of releases",
        "Allowed error of the average, in 95 % of releases",
        "95 % of errors stay within",
        level=0.01,
    ),
    "energy": Metric(
        "energy",
        "captured energy",
        "keep {} of the captured energy",
        "Allowed loss of captured energy, as a share of the non-private",
        "energy kept",
        kept=True,
        relative=True,
    ),
    "matched": Metric(
        "matched",
        "distance of components",
        "miss the {known} components by at most {} on average",
        "Allowed distance of a component",
        "distance to the {known} component",
        level=0.1,
    ),
    "weights": Metric(
        "weights",
        "error of their weights",
        "miss the {known} mixing weights by at most {}",
        "Allowed error of the mixing weights",
        "error of the mixing weights",
        level=0.1,
    ),
    "overlap": Metric(
        "value",
        "shared top words",
        "keep {} of the topics' top words",
        "Allowed loss of top words, as a share",
        "top words kept",
        kept=True,
        level=0.2,
    ),
    "excess": Metric(
        "excess",
        "lost prediction",
        "lose at most {} of what can be predicted",
        "Allowed loss of what can be predicted, as a share",
        "prediction lost",
        share=True,
    ),
    "coefficients": Metric(
        "error",
        "error of coefficients",
        "find the coefficients with err_w of at most {}",
        "Allowed error err_w of the coefficients",
        "err_w = ‖w* − ŵ‖ / d",
        level=0.05,
    ),
}


@dataclass(frozen=True)
class Kind:
    """A problem that can be planned for: its menu entry, its records by name, its metrics."""

    title: str
    records: Mapping[str, str]
    metrics: tuple[str, ...]


def _titles(sources):
    return {name: source.title for name, source in sources.items()}


KINDS = {
    "averaging": Kind("an average", {"numbers": "Numbers between 0 and 1"}, ("within",)),
    "pca": Kind("principal components", _titles(tables.known()), ("energy",)),
    "components": Kind(
        "components of a mixture",
        {"documents": components.TITLES["topics"], "gaussians": components.TITLES["gaussians"]},
        ("matched", "weights"),
    ),
    "topics": Kind("topics of documents", _titles(corpora.KNOWN), ("overlap",)),
    "regression": Kind("a regression", _titles(labelled.regressions()), ("excess", "coefficients")),
}
