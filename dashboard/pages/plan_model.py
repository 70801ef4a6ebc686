"""What the Plan page asks: which target, on which records, by the least of which setting."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import param

from core import Privacy, plan, release
from core.schemes import SCHEMES
from core.targets import Target
from dashboard.own_page import OwnTableModel
from dashboard.pages.components_model import ComponentsModel
from dashboard.pages.pca_model import PcaModel
from dashboard.pages.regression_model import RegressionModel
from dashboard.pages.topics_model import TopicsModel
from dashboard.settings import Controls, LogNumber, Settings
from dashboard.wording import equals, number_text, percent_text
from data import corpora, labelled, tables

FREE = {
    "epsilon": ("Privacy ε", "ε"),
    "samples": ("Records a site Nₛ", "Nₛ"),
    "sites": ("Sites S", "S"),
}
EPSILONS = tuple(float(f"{e:.3g}") for e in np.geomspace(1e-2, 10, 61))
SITES = (2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 16, 18, 20, 22, 25, 28, 32, 36, 40, 45, 50)
SAMPLES = tuple(sorted({int(float(f"{n:.2g}")) for n in np.geomspace(10, 100_000, 81)}))
MOST_RECORDS = 100_000  # Of all sites together: a search draws many data sets.
CHANCE = 0.9
WITHIN = 1.959964  # Standard deviations within which 95 % of normal errors stay.
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
        "95 % of errors stay within",
        level=0.01,
    ),
    "energy": Metric(
        "energy",
        "captured energy",
        "keep {} of the captured energy",
        "energy kept",
        kept=True,
        relative=True,
    ),
    "matched": Metric(
        "matched",
        "distance of components",
        "miss the {known} components by at most {} on average",
        "distance to the {known} component",
        level=0.1,
    ),
    "weights": Metric(
        "weights",
        "error of their weights",
        "miss the {known} mixing weights by at most {}",
        "error of the mixing weights",
        level=0.1,
    ),
    "overlap": Metric(
        "value",
        "shared top words",
        "keep {} of the topics' top words",
        "top words kept",
        kept=True,
        level=0.2,
    ),
    "excess": Metric(
        "excess",
        "lost prediction",
        "lose at most {} of what can be predicted",
        "prediction lost",
        share=True,
    ),
    "coefficients": Metric(
        "error",
        "error of coefficients",
        "find the coefficients with err_w of at most {}",
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
        {"documents": "Documents with one topic each", "gaussians": "Mixture of Gaussians"},
        ("matched", "weights"),
    ),
    "topics": Kind("topics of documents", _titles(corpora.KNOWN), ("overlap",)),
    "regression": Kind("a regression", _titles(labelled.regressions()), ("excess", "coefficients")),
}


@dataclass(frozen=True)
class Question:
    """A plan's question, frozen.

    Attributes
    ----------
    cells : tuple of (float, tuple of pairs)
        Values of the free setting by rising cost, and all settings there.
    here : mapping as pairs
        The settings but for the free one.
    problem
        Of `core.sweep`; None for averaging, whose answer is exact.
    absent : tuple of str
        Controls that mean nothing for it.
    uncovered : str
        What no guarantee covers, because it was taken from the records; "" for nothing.
    """

    settings: Settings
    kind: str
    metric: Metric
    level: float
    free: str
    chance: float | None
    most: int
    schemes: tuple[str, ...]
    title: str
    unit: str
    own: bool
    synthetic: bool
    absent: tuple[str, ...]
    uncovered: str
    problem: Any
    cells: tuple[tuple[float, tuple], ...]
    here: tuple[tuple[str, Any], ...]

    @property
    def target(self) -> Target:
        """What a search looks for."""
        return self.metric.target(self.level, self.chance)

    @property
    def known(self) -> str:
        """What components are held against: nobody knows the true ones of one's own table."""
        return "non-private" if self.own else "true"

    @property
    def key(self):
        """What answers depend on."""
        return (
            self.problem,
            self.cells,
            self.target,
            self.schemes,
            self.most,
            self.settings.noise_seed,
            self.here,
        )

    @property
    def changes(self) -> dict[float, dict[str, Any]]:
        """What each value of the free setting changes, and nothing else does."""
        here = dict(self.here)
        moved = {n for _, cell in self.cells for n, v in cell if here[n] != v}
        return {x: {n: v for n, v in cell if n in moved} for x, cell in self.cells}

    @property
    def label(self) -> str:
        """The settings in a line."""
        here = dict(self.here)
        samples = here["samples"] if "samples" in here else here["documents"] // here["sites"] or None
        known = {"epsilon": here["epsilon"], "samples": samples, "sites": here["sites"]}
        parts = [
            equals(FREE[n][1], _range_text(v)) for n, v in known.items() if n != self.free and v is not None
        ]
        parts.append(equals("δ", here["delta"]))
        parts += [equals("k", here["k"])] if "k" in here else []
        return f"{self.title}: {', '.join(parts)}"

    def epsilon(self, answer: plan.Answer) -> float | None:
        """The ε at which the target is met as far as an answer goes; None if it is not."""
        if not np.isfinite(answer.high):
            return None
        return answer.high if self.free == "epsilon" else self.settings.epsilon

    def sites(self, answer: plan.Answer) -> int:
        """The number of sites of that release."""
        return int(answer.high) if self.free == "sites" else dict(self.here)["sites"]


def _range_text(value):
    if isinstance(value, tuple):
        return f"{number_text(min(value))} to {number_text(max(value))}"
    return number_text(value)


def search(question: Question, scheme: str) -> plan.Search:
    """The search for one scheme's answer, not begun."""
    return plan.Search(
        question.problem,
        question.cells,
        question.target,
        scheme,
        question.settings.noise_seed,
        most=question.most,
    )


def error_of_average(scheme: str, *, sites: int, samples: int, epsilon: float, delta: float) -> float:
    """Within what 95 % of releases of an average of numbers in [0, 1] stay, by their noise."""
    rng = np.random.default_rng(0)
    found = release(np.zeros(sites), 1 / samples, Privacy(epsilon, delta), scheme=scheme, rng=rng)
    return WITHIN * float(found.std)


def exact(question: Question, scheme: str) -> plan.Answer:
    """The answer for an average, whose error is known exactly."""
    low, high = question.cells[0][0], question.cells[-1][0]
    here, whole = dict(question.here), question.free != "epsilon"

    def figure(x):
        return error_of_average(scheme, **here | {question.free: int(x) if whole else x})

    x = plan.solve(figure, low, high, question.level, whole=whole)
    if x == low:
        return plan.Answer(scheme, "at once", np.nan, low, np.nan)
    if not np.isfinite(x):
        return plan.Answer(scheme, "out of reach", high, x, np.nan)
    return plan.Answer(scheme, "found", x, x, x)


class PlanModel(OwnTableModel):
    """The question's own part; the rest are shared controls."""

    problem = param.Selector(
        default="pca",
        objects={kind.title: name for name, kind in KINDS.items()},
        label="To release",
        doc="What is computed from the records of all sites.",
    )
    data = param.Selector(
        default="digits",
        objects={t: n for kind in KINDS.values() for n, t in kind.records.items()},
        label="Records",
        doc="Plan on records like those that it is for, but public or drawn: a plan looks at them.",
    )
    metric = param.Selector(
        default="energy",
        objects={metric.title: name for name, metric in METRICS.items()},
        label="Judged by",
        doc="What the release must be good for.",
    )
    free = param.Selector(
        default="epsilon",
        objects={"ε": "epsilon", "Nₛ": "samples", "S": "sites"},
        label="The least",
        doc="The setting that is sought: privacy, records a site, or sites. The others stay as they are set.",
    )
    level = LogNumber(
        0.1,
        bounds=(1e-4, 0.8),
        label="Allowed loss or error",
        doc="How much of the non-private quality may be lost (0.1 keeps 90 %), or how large the error may be.",
    )
    how = param.Selector(
        default="mean",
        objects={"on average": "mean", "in 9 of 10": "chance"},
        label="The target is met",
        doc="By the mean over releases, or by at least nine of ten single releases. The second is what one release "
        "needs, and takes more runs to show.",
    )
    most = param.Selector(
        default=48,
        objects=[24, 48, 96, 192],
        label="Runs at a point, at most",
        doc="More: narrower intervals, later. A point that is plain takes fewer.",
    )
    dimension = param.Selector(
        default=20,
        objects=[10, 20, 50],
        label="Width d of synthetic records",
        doc="Features, coordinates or words. More: more numbers share the same budget.",
    )
    response = param.Integer(
        1,
        bounds=(1, 200),
        label="Column to predict",
        doc="Which column of your own table is predicted from the others.",
    )
    labels = param.Boolean(
        False,
        label="It holds two labels",
        doc="What lies above the middle of its range counts as 1, what lies below as 0.",
    )

    deviation = param.Number(
        0.0,
        bounds=(0.0, 1.0),
        step=0.01,
        label=ComponentsModel.param.deviation.label,
        doc=ComponentsModel.param.deviation.doc,
    )

    def __init__(self, controls, **values):
        super().__init__(controls, **values)
        self.boxed = True  # Whether the columns of one's own table were mapped from ranges.
        self.param.watch(self._agree, ["problem", "data", "metric", "level"])

    def _agree(self, *events):
        """Records and metric of another problem give way to this one's first; a level that was named stays."""
        kind, changes = KINDS[self.problem], {}
        if self.data not in kind.records:
            changes["data"] = "digits" if self.problem == "pca" else next(iter(kind.records))
        if self.metric not in kind.metrics:
            changes["metric"] = kind.metrics[0]
            if all(event.name != "level" for event in events):
                changes["level"] = METRICS[kind.metrics[0]].level
        self.param.update(**changes)

    @property
    def table(self):
        """The user's own table, where it is to be computed with."""
        return super().table if self.problem in OWN else None

    def question(self) -> Question:
        """Freeze the present settings.

        Raises
        ------
        ValueError
            If they do not fit the records, or what is sought is fixed by them.
        """
        settings = self.controls.snapshot()
        schemes = tuple(s for s in SCHEMES if s in settings.schemes and s != "nonprivate")
        if not schemes:
            raise ValueError("choose at least one private scheme to plan for")
        source, problem, here = _SETUPS[self.problem](self, self._controls())
        metric = METRICS[self.metric]
        return Question(
            settings=settings,
            kind=self.problem,
            metric=metric,
            level=self.level,
            free=self.free,
            chance=CHANCE if self.how == "chance" and problem is not None else None,
            most=self.most,
            schemes=schemes,
            title=source.title,
            unit=source.unit,
            own=source.name == "own",
            synthetic=source.synthetic,
            absent=tuple(self._absent(source)),
            uncovered=self._uncovered(source),
            problem=problem,
            cells=self._cells(source, here),
            here=tuple(sorted(here.items())),
        )

    def _uncovered(self, source):
        """What was taken from the records themselves."""
        table = self.table
        parts = (
            ["bounds"]
            if (table is not None and not table.public_bounds) or getattr(source, "note", "")
            else []
        )
        parts += ["σ²"] if table is not None and self.problem == "components" and not self.deviation else []
        return " and ".join(parts)

    def _absent(self, source):
        own, drawn = self.table is not None, source.synthetic
        absent = [self.free]
        absent += ["sites", "samples", "data_seed"] if getattr(source, "sizes", None) else []
        absent += [] if self.problem in ("pca", "components", "topics") else ["k"]
        absent += [] if drawn and self.problem in ("components", "regression") else ["dimension"]
        absent += [] if own and self.problem == "regression" else ["response", "labels"]
        absent += [] if own and self.problem == "components" else ["deviation"]
        absent += ["how", "most", "data_seed"] if self.problem == "averaging" else []
        return absent + (["samples"] if self.problem == "topics" and not drawn else [])

    def _controls(self) -> Controls:
        """The shared controls with what a plan takes for granted: exact calibration, enough records for the rest."""
        values = self.controls.param.values()
        values = {n: values[n] for n in ("epsilon", "delta", "sites", "samples", "k", "data_seed")}
        if self.problem != "averaging":
            values["samples"] = min(values["samples"], max(10, MOST_RECORDS // values["sites"]))
        scratch = Controls()
        scratch.take(values)
        return scratch

    def _cells(self, source, here):
        name = KINDS[self.problem].title
        values = EPSILONS
        if self.free != "epsilon":
            if getattr(source, "sizes", None) or (self.problem == "topics" and not source.synthetic):
                raise ValueError(
                    f"how {source.title} is divided is given: only the least ε can be sought for {name}"
                )
            values = self._counts(source, here)
            if len(values) < 2:
                raise ValueError(
                    f"{source.title} has too few records to seek {FREE[self.free][0]}: choose fewer sites or records"
                )
        return tuple((float(x), tuple(sorted((here | self._change(x, here)).items()))) for x in values)

    def _counts(self, source, here):
        """Numbers of sites or of records that there are records for."""
        if self.problem == "averaging":
            return SAMPLES if self.free == "samples" else SITES
        records = min(getattr(source, "records", MOST_RECORDS), MOST_RECORDS)
        if self.free == "samples":
            return [n for n in SAMPLES if n * here["sites"] <= records]
        each = self._each(here)
        return [s for s in SITES if s * each <= records]

    def _each(self, here):
        return here["documents"] // here["sites"] if self.problem == "topics" else here["samples"]

    def _change(self, x, here):
        """The settings that differ where the free one is x."""
        if self.problem != "topics" or self.free == "epsilon":
            return {self.free: x}
        # Topics count documents of all sites together.
        if self.free == "samples":
            return {"documents": x * here["sites"]}
        return {"sites": x, "documents": x * self._each(here)}


def _averaging(model, controls):
    here = {n: getattr(controls, n) for n in ("epsilon", "delta", "sites", "samples")}
    return tables.Source("numbers", "Numbers between 0 and 1", 1, MOST_RECORDS, "one number"), None, here


def _pca(model, controls):
    found = PcaModel(controls, data=model.data, dpdispca=False)
    return _planned(found, model)


def _regression(model, controls):
    found = RegressionModel(
        controls, data=model.data, dimension=model.dimension, curators=[], labels=model.labels
    )
    found.param.response.bounds = model.param.response.bounds
    found.response, found.boxed = model.response, model.boxed
    return _planned(found, model)


def _planned(found, model):
    found.own_table, found.own_records = model.own_table, model.table is not None
    made = found.plan()
    return model.table.source if model.table is not None else made.source, made.problem, made.here


def _components(model, controls):
    kind = {"documents": "topics", "gaussians": "gaussians"}[model.data]
    found = ComponentsModel(controls, model=kind, dimension=model.dimension, deviation=model.deviation)
    found.boxed = model.boxed
    if model.table is not None:
        return _planned(found, model)
    made = found.plan()
    unit = "one document" if kind == "topics" else "one point"
    title = KINDS["components"].records[model.data]
    source = tables.Source(model.data, title, model.dimension, MOST_RECORDS, unit, synthetic=True)
    return source, made.problem, made.here


def _topics(model, controls):
    most = TopicsModel.param.documents.bounds
    documents = int(np.clip(controls.sites * controls.samples, *most))
    k = int(np.clip(controls.k, *TopicsModel.param.topics.bounds))
    made = TopicsModel(controls, data=model.data, topics=k, documents=documents).plan()
    return made.source, made.problem, made.here


_SETUPS: dict[str, Callable[[PlanModel, Controls], tuple]] = {
    "averaging": _averaging,
    "pca": _pca,
    "components": _components,
    "topics": _topics,
    "regression": _regression,
}
