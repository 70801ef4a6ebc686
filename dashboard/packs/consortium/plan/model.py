"""Settings of the Plan page: the target, the records, and what is sought."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import param

from core import check
from core.privacy import attack_risk, gdp_epsilon
from core.schemes import PRIVATE, SCHEMES
from core.summaries import Kind
from dashboard.packs.consortium.plan.metrics import EXACT, GAINS, KINDS, METRICS, OWN, SUMMARIES
from dashboard.packs.consortium.plan.question import AFTER, FREE, Question
from dashboard.packs.consortium.plan.year.releases import YearText
from dashboard.page.own_columns import OwnColumnModel
from dashboard.problems import components, pca, regression, topics
from dashboard.problems.columns import Columns, Part
from dashboard.problems.setup import Setup, absent_for, sizes
from dashboard.state.controls import Controls, LogNumber, NamedPlace, Settings
from dashboard.state.number_text import number_text
from dashboard.state.typed_number import typed_number
from dashboard.theme.scheme_style import label
from data.catalogue import tables

EPSILONS = tuple(float(f"{e:.3g}") for e in np.geomspace(1e-2, 10, 61))
SITES = (2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 16, 18, 20, 22, 25, 28, 32, 36, 40, 45, 50)
SAMPLES = tuple(sorted({int(float(f"{n:.2g}")) for n in np.geomspace(10, 100_000, 81)}))
MOST_RECORDS = 100_000  # Of all sites together: a search draws many data sets.
CHANCE = 0.9


class PrivateSchemes(param.Parameterized):
    """The shared choice of schemes without the non-private one; the shared choice itself does not change."""

    schemes = param.ListSelector(
        [],
        objects={label(scheme): scheme for scheme in PRIVATE},
        label=Controls.param.schemes.label,
        doc="The private schemes of the plan.",
    )

    def __init__(self, controls: Controls):
        super().__init__()
        self.param.schemes.objects = {label(scheme): scheme for scheme in PRIVATE}
        self._controls = controls
        self._agree()
        for source in (controls, self):
            source.param.watch(self._agree, "schemes")

    def _agree(self, event=None):
        """Both hold the same private schemes, as the last change has them."""
        shared = self._controls.schemes
        if event is None or event.obj is not self:
            self.schemes = [scheme for scheme in shared if scheme in PRIVATE]
            return
        kept = {*self.schemes, *(scheme for scheme in shared if scheme not in PRIVATE)}
        self._controls.schemes = [scheme for scheme in SCHEMES if scheme in kept]


class PlanModel(OwnColumnModel):
    """The settings of the question; the others are shared controls."""

    run_settings: ClassVar = {"unit": "step", "units": "steps"}

    problem = param.Selector(
        default="averaging",
        objects={kind.title: name for name, kind in KINDS.items()},
        label="To release",
        doc="This statistic is computed from the records of all sites.",
    )
    data = param.Selector(
        default="numbers",
        objects={t: n for kind in KINDS.values() for n, t in kind.records.items()},
        label="Records",
        doc="Choose public or synthetic records that resemble the private ones, because a plan reads them.",
    )
    metric = param.Selector(
        default="within",
        objects={metric.title: name for name, metric in METRICS.items()},
        label="Judged by",
        doc="The target bounds this measure of quality.",
    )
    free = param.Selector(
        default="epsilon",
        objects={"privacy ε": "epsilon", "error": "error", "records": "samples", "sites": "sites"},
        label="What do you want to know?",
        doc="The page seeks ε, records a site or sites for an allowed error, while the others keep their values. "
        "Or it seeks the error for an allowed risk, which fixes ε.",
    )
    risk = param.Integer(
        55,
        bounds=(51, 90),
        label="Risk: right guesses of 100",
        doc="Somebody who knows all other records guesses which of two candidates was used. So many of 100 "
        "guesses of the best attack may be right on average; a coin is right in 50. With δ this fixes ε.",
    )
    level = LogNumber(
        0.01,
        bounds=(1e-4, 0.8),
        label="Allowed loss or error",
        doc="The answer may lose this share (10 % keeps 90 %), or have this error in its own units. The label "
        "states which.",
    )
    how = param.Selector(
        default="mean",
        objects={"on average": "mean", "in 9 of 10": "chance"},
        label="The target is met",
        doc="The mean over releases meets the target, or at least nine of ten single releases do. A single "
        "release needs the second; its search takes more runs.",
    )
    most = param.Selector(
        default=48,
        objects=[24, 48, 96, 192],
        label="Runs at a point, at most",
        doc="More runs give narrower intervals and take longer. A clear case takes fewer.",
    )
    dimension = param.Selector(
        default=20,
        objects=[10, 20, 50],
        label="Width d of synthetic records",
        doc="A record has so many features, coordinates or words. With a larger d, more numbers share the same "
        "budget.",
    )
    centre = param.Selector(default="mean", **pca.CENTRE)
    share = param.Selector(**pca.SHARE)
    response = NamedPlace(1, **regression.RESPONSE)
    labels = param.Boolean(False, **regression.LABELS)
    deviation = param.Number(0.0, **components.DEVIATION)
    per_person = param.Integer(
        1,
        bounds=(1, 1000),
        label="Records of one person, at most",
        doc="ε is of one record. Where one record is a visit, a person has several. The page states what all of "
        "them together risk.",
    )
    year = YearText(
        "",
        label="The releases of a year",
        doc="These releases are planned on the same records and share one budget.",
    )

    def __init__(self, controls, **values):
        super().__init__(controls, **values)
        self.param.watch(self._agree, ["problem", "data", "metric", "level", "own_records"])
        self._agree()

    def _agree(self, *events):
        """Replace records and metric of another problem by this one's first; a level that was set explicitly stays."""
        kind, changes = KINDS[self.problem], {}
        changes |= self.suited_column(self.table)
        if self.data not in kind.records:
            changes["data"] = "digits" if self.problem == "pca" else next(iter(kind.records))
        if self.metric not in kind.metrics:
            changes["metric"] = kind.metrics[0]
            if all(event.name != "level" for event in events):
                changes["level"] = METRICS[kind.metrics[0]].level
        self.param.update(**changes)
        metric = METRICS[self.metric]
        ranged = self.problem == "averaging" and self.table is not None
        self.param.level.percent = metric.kept or metric.share or ranged
        self.param.level.label = f"{metric.allowed}, of the column's range" if ranged else metric.allowed

    counted_by = (*OwnColumnModel.counted_by, "problem")

    @property
    def table(self):
        """The user's own table, if it is chosen."""
        return super().table if self.problem in OWN else None

    @property
    def kind(self) -> Kind | None:
        """What is released of a column; None for other problems."""
        return SUMMARIES.get(self.problem)

    @property
    def mean(self) -> Part | None:
        """The mean of a column of the own table, whose error has a unit; None for anything else."""
        try:
            part = self.released.first if self.released else None
        except ValueError:  # The page says it.
            return None
        return part if part and part.column and part.summary.kind == "mean" else None

    def suited(self, table: tables.OwnTable) -> dict[str, Any]:
        """Also fewer components than the table has columns, and neither sites nor records sought where it fixes them."""
        changes = self.suited_response(table)
        if self.controls.k >= len(table.columns):
            changes["k"] = max(1, len(table.columns) // 2)
        fixed = table.sizes and self.free in ("samples", "sites")
        return changes | ({"free": "epsilon"} if fixed else {})

    def type_error(self, typed: str) -> None:
        """Allow an error of the mean, typed in the unit of its column.

        Raises
        ------
        ValueError
            If it is no number, or none that the control of the error can have.
        """
        span, (least, most) = self.mean.summary.span, self.param.level.bounds
        value = typed_number(typed.strip().removesuffix(self.mean.unit))
        if not least <= value / span <= most:
            raise ValueError(
                f"must be from {number_text(least * span)} to {number_text(most * span)}, got {value:g}"
            )
        self.level = float(f"{value / span:.9g}")

    def plan(self) -> Question:
        """Freeze the present settings.

        Raises
        ------
        ValueError
            If they do not fit the records, or the records fix the setting to minimise.
        """
        settings = self._at_risk(self.controls.snapshot())
        schemes = tuple(s for s in PRIVATE if s in settings.schemes)
        if not schemes:
            raise ValueError("choose at least one private scheme to plan for")
        setup = _SETUPS[self.problem](self, self._settings())
        if self.metric == "auc" and setup.problem.loss != "logistic":
            raise ValueError(
                f"the loss of AUC needs two labels to predict, and {setup.source.title} has numbers: "
                f"judge by {METRICS['lost'].title}"
            )
        source, problem, here = (
            self.counted.source if self.counted else setup.source,
            setup.problem,
            setup.here,
        )
        metric, absent, released = METRICS[self.metric], self._absent(source), self.released
        level, title, cells = self.level, source.title, self._cells(source, here)
        if "cape" in schemes and any("dropped" in dict(cell) for _, cell in cells):
            schemes = tuple(s for s in PRIVATE if s in {*schemes, AFTER})
        if released is not None and released.table:
            part, title = released.first, released.title
            level = float(f"{level * part.summary.span:.6g}")
            if part.summary.kind == "mean":
                metric = replace(METRICS["mean"], unit=part.unit)
        return Question(
            settings=self.with_noise(settings, problem),
            kind=self.problem,
            metric=metric,
            level=level,
            risk=self.risk,
            free=self.free,
            chance=CHANCE if "how" not in absent and self.how == "chance" else None,
            most=self.most,
            schemes=schemes,
            title=title,
            unit=source.unit,
            own=source.name == "own",
            synthetic=source.synthetic,
            absent=tuple(absent),
            uncovered=self._uncovered(source),
            problem=problem,
            cells=cells,
            here=tuple(sorted(here.items())),
            width=source.width if self.problem == "pca" else 1,
            records=self._records(source),
            released=released,
            per_person=(self.table or self).per_person,
            names=() if self.counted is None else self.counted.site_names,
            averages=self._averages(settings, here, released),
        )

    def _averages(self, settings, here, released):
        """Of every summary at every site, where sites may fall silent that the table names: else nobody knows them."""
        table = self.counted
        if released is None or table is None or not table.sizes:
            return ()
        if "dropouts" not in settings.terms(here["sites"]):
            return ()
        parts = [Columns(table, replace(released, parts=(part,))).statistics(here) for part in released.parts]
        return tuple(tuple(map(tuple, shares.tolist())) for shares in parts)

    def _records(self, source):
        if self.problem in EXACT and self.table is None:
            return None
        most = topics.DOCUMENTS[1] if self.problem == "topics" else MOST_RECORDS
        return min(getattr(source, "records", most), most)

    def _uncovered(self, source):
        """The bounds that were computed from the records."""
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
        absent = ["epsilon", "level", "how"] if self.free == "error" else [self.free, "risk"]
        absent += absent_for(source)
        absent += ["level"] if self.mean is not None and self.free != "error" else []  # Typed, in its unit.
        absent += [] if self.problem in ("pca", "components", "topics") else ["k"]
        absent += [] if self.problem == "pca" else ["centre"]
        absent += [] if self.problem == "pca" and self.centre == "mean" else ["share"]
        absent += [] if drawn and self.problem in ("components", "regression") else ["dimension"]
        absent += [] if own and self.problem == "regression" else ["response", "labels"]
        absent += [] if own and self.problem == "components" else ["deviation"]
        exact = self.problem in EXACT
        absent += ["how", "most", "data_seed"] if exact else []
        absent += ["per_person"] if own else []
        absent += self.unused_columns()
        absent += ["dropouts"] if self.controls.adversary == "message" else []
        return absent + (["samples"] if self.problem == "topics" and not drawn else [])

    def _settings(self) -> Settings:
        """The shared settings with exact calibration and enough records."""
        values = self.controls.param.values()
        names = (
            "epsilon",
            "delta",
            "sites",
            "samples",
            "k",
            "adversary",
            "colluding",
            "dropouts",
            "data_seed",
        )
        values = {n: values[n] for n in names}
        if self.problem not in EXACT:
            values["samples"] = min(values["samples"], max(10, MOST_RECORDS // values["sites"]))
        scratch = Controls()
        scratch.take(values)
        return self._at_risk(scratch.snapshot())

    def _at_risk(self, settings: Settings) -> Settings:
        """These settings; where the error is sought, at the ε that the risk allows, rounded down to what can be promised."""
        if self.free != "error":
            return settings
        epsilon = gdp_epsilon(settings.delta, attack_risk.mu_of_advantage(self.risk / 50 - 1))
        if not epsilon > 0:
            raise ValueError(f"δ must be smaller for a risk of {self.risk} of 100: this δ alone allows more")
        return replace(settings, epsilon=check.directed(epsilon, 3, up=False))

    def _cells(self, source, here):
        name = KINDS[self.problem].title
        values = (here["epsilon"],) if self.free == "error" else EPSILONS
        if self.free in ("samples", "sites"):
            if absent_for(source) or (self.problem == "topics" and not source.synthetic):
                raise ValueError(
                    f"the division of {source.title} is fixed: for {name} only ε can be minimised"
                )
            values = self._counts(source, here)
            if len(values) < 2:
                raise ValueError(
                    f"{source.title} has too few records to minimise {FREE[self.free][0]}: choose fewer sites or records"
                )
        settings = self.controls.snapshot()
        points = [(x, here | self._change(x, here)) for x in values]
        return tuple(
            (float(x), tuple(sorted((at | settings.run_terms(at["sites"])).items()))) for x, at in points
        )

    def _counts(self, source, here):
        """Numbers of sites or of records that the data set allows."""
        if self.problem in EXACT and self.table is None:
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
        if self.free in ("epsilon", "error"):
            return {"epsilon": x}
        if self.problem != "topics":
            return {self.free: x}
        # Topics count documents of all sites together.
        if self.free == "samples":
            return {"documents": x * here["sites"]}
        return {"sites": x, "documents": x * self._each(here)}


def _column(model, settings):
    here = {n: getattr(settings, n) for n in ("epsilon", "delta", "sites", "samples")}
    ((name, title),) = KINDS[model.problem].records.items()
    source = tables.Source(name, title, 1, MOST_RECORDS, "one number")
    if model.counted is not None:
        source = model.counted.source
        here |= sizes(source, here)
    return Setup(source, None, lambda change: here | change)


def _pca(model, settings):
    about = {"measure": model.metric, "centre": model.centre, "share": model.share}
    return pca.setup(settings, data=model.data, table=model.table, **about)


def _components(model, settings):
    return components.setup(
        settings,
        model={"documents": "topics", "gaussians": "gaussians"}[model.data],
        dimension=model.dimension,
        deviation=model.deviation,
        table=model.table,
        boxed=model.boxed,
    )


def _topics(model, settings):
    return topics.setup(
        settings,
        data=model.data,
        topics=int(np.clip(settings.k, *topics.TOPICS)),
        documents=int(np.clip(settings.sites * settings.samples, *topics.DOCUMENTS)),
    )


def _regression(model, settings):
    return regression.setup(
        settings,
        data=model.data,
        dimension=model.dimension,
        table=model.table,
        response=model.response,
        labels=model.labels,
        boxed=model.boxed,
        gains=model.metric in GAINS,
    )


_SETUPS: dict[str, Callable[[PlanModel, Settings], Setup]] = {
    **dict.fromkeys(EXACT, _column),
    "pca": _pca,
    "components": _components,
    "topics": _topics,
    "regression": _regression,
}
