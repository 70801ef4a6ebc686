"""The problems of the Plan page, their records by name, and the metrics of a target."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from core import check, summaries
from core.sweep.targets import Target
from dashboard.problems import components
from dashboard.state.number_text import number_text, percent_text
from data.catalogue import corpora, labelled, tables

# Problems whose error is a formula.
SUMMARIES: Mapping[str, summaries.Kind] = {
    "averaging": "mean",
    "proportion": "proportion",
    "counts": "counts",
    "histogram": "histogram",
}
EXACT = tuple(SUMMARIES)
WITHIN = "within"  # The figure of these: what 95 % of errors stay within.
OWN = (*EXACT, "pca", "components", "regression")  # Problems that accept a user's own table.


@dataclass(frozen=True)
class Metric:
    """A metric of a release, and its texts.

    Attributes
    ----------
    figure : str
        The problem's name for it.
    title : str
        Title in the menu.
    phrase : str
        Completes "so that the release …"; `{}` is the level, `{known}` the reference for components, `{k}` their number,
        `{base}` what a prediction without features is.
    allowed : str
        Label of the control of the level.
    axis : str
        Label of the axis of the figure.
    kept : bool
        Whether the level is the allowed loss of a share that is kept; otherwise it bounds an error.
    relative : bool
        Whether the share is relative to the non-private figure.
    share : bool
        Whether the level is a share too, shown as a percentage.
    level : float
        Default level.
    unit : str
        Of an error; "" for none.
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
    unit: str = ""

    def target(self, level: float | None, chance: float | None) -> Target:
        """The target of a search; without a level the figure is only measured."""
        value = round(1 - level, 12) if self.kept and level is not None else level
        return Target(self.figure, value, at_least=self.kept, relative=self.relative, chance=chance)

    @property
    def lost(self) -> str:
        """What its level bounds: a loss or an error."""
        return self.allowed.removeprefix("Allowed ")

    @property
    def heading(self) -> str:
        """The same with a capital."""
        return self.lost[0].upper() + self.lost[1:]

    def loss(self, score: float) -> float:
        """A score as a loss or an error."""
        return 1 - score if self.kept else score

    def loss_text(self, score: float) -> str:
        """The same as text."""
        loss = self.loss(score)
        if self.kept or self.share:
            return percent_text(loss, digits=2)
        # What 95 % of errors stay within is a bound; a mean over releases is an estimate.
        way = "up" if self.figure == WITHIN else "nearest"
        # Errors of several schemes stand side by side: no power of ten beside decimals.
        if not 1e-4 <= loss < 1:
            return self._with_unit(number_text(loss, digits=2, way=way))
        return self._with_unit(f"{check.directed(loss, 2, up=True, slack=1e-9) if way == 'up' else loss:.2g}")

    def _with_unit(self, text):
        return f"{text}\u00a0{self.unit}" if self.unit else text

    def words(self, level: float, *, known: str = "true", k: int = 0, base: str = "the mean") -> str:
        """The phrase, with the level and the references filled in."""
        return self.phrase.format(self.text(1 - level if self.kept else level), known=known, k=k, base=base)

    def text(self, score: float) -> str:
        """Text of a score; what loses anything never reads as 100 %."""
        if self.kept and 0.9995 <= score < 1:
            return f"{100 - float(f'{100 * (1 - score):.1g}'):.8g} %"
        if self.kept or self.share:
            return percent_text(score)
        return self._with_unit(number_text(score, digits=2))


METRICS = {
    "within": Metric(
        WITHIN,
        "error of the average",
        "come within {} of the true average of numbers from 0 to 1 in 95 % of releases",
        "Allowed error",
        "95 % of errors stay within",
        level=0.01,
    ),
    # Of a column of one's own, in its unit.
    "mean": Metric(
        WITHIN,
        "error of the mean",
        "come within {} of the true mean in 95 % of releases",
        "Allowed error",
        "95 % of errors stay within",
        level=0.01,
    ),
    "proportion": Metric(
        WITHIN,
        "error of the proportion",
        "come within {} of the true proportion in 95 % of releases",
        "Allowed error",
        "95 % of errors stay within",
        level=0.01,
    ),
    "category": Metric(
        WITHIN,
        "error of a category's share",
        "come within {} of a category's true share in 95 % of releases",
        "Allowed error",
        "95 % of errors stay within",
        level=0.01,
    ),
    "bin": Metric(
        WITHIN,
        "error of a bin's share",
        "come within {} of a bin's true share in 95 % of releases",
        "Allowed error",
        "95 % of errors stay within",
        level=0.01,
    ),
    "variance": Metric(
        "variance",
        "variance kept",
        "keep {} of the variance that {k} components can explain",
        "Allowed loss of variance",
        "explained variance, as a share of the most possible",
        kept=True,
    ),
    "energy": Metric(
        "energy",
        "energy kept",
        "keep {} of the captured energy, which includes the mean,",
        "Allowed loss of energy",
        "energy kept",
        kept=True,
        relative=True,
    ),
    "matched": Metric(
        "matched",
        "distance of components",
        "miss the {known} components by a mean distance of at most {}",
        "Allowed distance of a component",
        "distance to the {known} component",
        level=0.3,
    ),
    "weights": Metric(
        "weights",
        "error of their weights",
        "miss the {known} mixing weights by at most {}",
        "Allowed error of the mixing weights",
        "error of the mixing weights",
        level=0.3,
    ),
    "overlap": Metric(
        "value",
        "shared top words",
        "keep {} of the topics' top words",
        "Allowed loss of top words",
        "top words kept",
        kept=True,
        level=0.2,
    ),
    "lost": Metric(
        "lost",
        "what the features add",
        "lose at most {} of what the features add to {base}",
        "Allowed loss of what the features add",
        "share lost of what the features add",
        share=True,
        level=0.3,
    ),
    "auc": Metric(
        "auc_lost",
        "loss of AUC",
        "lose at most {} of the AUC",
        "Allowed loss of AUC",
        "AUC lost",
        level=0.02,
    ),
    "excess": Metric(
        "excess",
        "lost improvement over w = 0",
        "lose at most {} of what is predicted better than by w = 0",
        "Allowed loss of what is predicted better than by w = 0",
        "share lost of the improvement over w = 0",
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
# Records for which CAPE does not reach the default level of a metric with the page's first sites at ε = 10.
LEVELS = {("gaussians", "matched"): 0.8}
GAINS = ("lost", "auc")  # Metrics of what the features of a regression add to a constant prediction.


@dataclass(frozen=True)
class Kind:
    """A problem of the Plan page: its menu entry, its records by name, its metrics."""

    title: str
    records: Mapping[str, str]
    metrics: tuple[str, ...]


def _titles(sources):
    return {name: source.title for name, source in sources.items()}


KINDS = {
    "averaging": Kind("an average", {"numbers": "Numbers between 0 and 1"}, ("within",)),
    "proportion": Kind("a proportion", {"answers": "Answers, yes or no"}, ("proportion",)),
    "counts": Kind("counts by category", {"categories": "Categories"}, ("category",)),
    "histogram": Kind("a histogram", {"bins": "Numbers in bins"}, ("bin",)),
    "pca": Kind("principal components", _titles(tables.known()), ("variance", "energy")),
    "components": Kind(
        "components of a mixture",
        {"documents": components.TITLES["topics"], "gaussians": components.TITLES["gaussians"]},
        ("matched", "weights"),
    ),
    "topics": Kind("topics of documents", _titles(corpora.KNOWN), ("overlap",)),
    "regression": Kind(
        "a regression", _titles(labelled.regressions()), ("lost", "auc", "excess", "coefficients")
    ),
}
