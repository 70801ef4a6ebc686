"""What the regression computes: a sweep along one setting, and repeated fits at the present ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
import pandas as pd
import param

from core import Privacy, functional, sweep
from core.schemes import is_private
from dashboard.page.own_table import OwnTableModel
from dashboard.plotting.figure import drawable
from dashboard.plotting.printed_points import printed_choice
from dashboard.problems import regression as problems
from dashboard.problems.setup import axis_for, refuse_given
from dashboard.runs.axes import axes, axis_selector, cells_along, settings_line, shared_axis
from dashboard.runs.fit import Fit
from dashboard.runs.sweep_plan import SweepPlan, by_point, summary, typical
from dashboard.state.controls import NamedPlace
from dashboard.theme.scheme_style import LOOKS
from data.catalogue import labelled
from data.catalogue.tables import OwnTable

AXES = axes(
    shared_axis("epsilon", (0.01, 0.03, 0.1, 0.3, 0.5, 1.0, 2.0, 5.0, 10.0)),
    shared_axis("samples", (50, 100, 200, 500, 1000, 2000, 5000, 10_000)),
    shared_axis("delta", (10.0**-e for e in range(10, 0, -1))),
)
SYMBOLS = {"epsilon": "ε", "delta": "δ", "sites": "S", "samples": "Nₛ", "dimension": "d"}
SCORES = {"linear": "explained", "logistic": "auc"}  # What a number, and what two classes are judged by.
PERCENT = ("excess", "lost")
MOST_DOTS = 260  # Of a picture.
CURATORS = ("dpfm", "objpert")
_TINY = 1e-12  # Below this a value is rounding error, which a logarithmic axis does not show.


@dataclass(frozen=True)
class Spot:
    """Repeated fits of one mechanism at the present settings.

    Attributes
    ----------
    coefficients : ndarray of shape (repeats, d)
    figures : dict of str to float
        Means of everything that `core.functional.figures` and `gains` tell.
    lifted : float
        Mean number of directions in which the noisy polynomial had no minimum.
    records : Records
    nearest : int
        Which of the fits is drawn, see `typical`.
    """

    method: str
    coefficients: np.ndarray
    figures: dict[str, float]
    lifted: float
    records: Records
    nearest: int = 0

    @property
    def drawn(self) -> np.ndarray:
        """Coefficients of the fit that is drawn."""
        return self.coefficients[self.nearest]


@dataclass(frozen=True)
class Records:
    """What is shown of the records themselves.

    Attributes
    ----------
    truth : ndarray of shape (d,)
        The true coefficients, or the non-private ones.
    answer : dict of str to float
        The figures of the non-private fit.
    total : int
        Number of records.
    features, target : ndarray of shape (n, d) and (n,)
        Some records, to be drawn as dots.
    """

    truth: np.ndarray
    answer: dict[str, float]
    total: int
    features: np.ndarray
    target: np.ndarray


@dataclass(frozen=True, kw_only=True)
class Plan(SweepPlan):
    """Settings of one picture, frozen: settings, source, the sweep along an axis."""

    measure: str
    feature: int
    dots: bool

    @property
    def measurable(self) -> tuple[str, ...]:
        """The score of these records, and what every fit has."""
        return (self.score, "error", "loss", "excess", "lost")

    @property
    def score(self) -> str:
        """The figure that a fit is judged by first: AUC of two classes, R² of a number."""
        return SCORES[self.source.response]

    @property
    def common(self) -> bool:
        """Whether a scheme draws the same noise at all settings: never of a user's own records."""
        return self.source.name != "own"

    @cached_property
    def batches(self) -> list[list[sweep.Job]]:
        """Every run of the curve, those of a point together."""
        return by_point(self.jobs)


def spot(jobs: Sequence[sweep.Job], *, own: bool = False) -> Spot:
    """Fit once a job, on a user's own records or not."""
    job, settings = jobs[0], dict(jobs[0].settings)
    statistics = sweep.statistics(job.problem, settings)
    privacy = Privacy(settings["epsilon"], settings["delta"]) if is_private(job.scheme) else None
    fits = [job.problem.fit(statistics, job.scheme, privacy, one.rng, settings) for one in jobs]
    rows = pd.DataFrame([_figures(statistics, f.coefficients) for f in fits])
    return Spot(
        job.scheme,
        np.stack([f.coefficients for f in fits]),
        rows.mean().to_dict(),
        float(np.mean([f.lifted for f in fits])),
        _records(statistics, drawn_rows(len(statistics.moments.target), own=own)),
        typical(rows.lost, own=own),
    )


def _figures(statistics, w):
    return functional.figures(statistics, w) | functional.gains(statistics, w)


def _records(statistics, rows):
    moments = statistics.moments
    return Records(
        statistics.truth,
        dict(statistics.of_answer),
        int(moments.samples.sum()),
        moments.features[rows],
        moments.target[rows],
    )


def drawn_rows(records: int, *, own: bool) -> slice:
    """Which records are drawn as dots: the first; of the user's own, which may be sorted, every n-th."""
    return slice(0, records, max(1, records // MOST_DOTS)) if own else slice(0, MOST_DOTS)


class RegressionModel(OwnTableModel):
    """The records, the setting that the curve varies, and the measure."""

    axes = AXES

    data = param.Selector(
        default="linear",
        objects={source.title: name for name, source in labelled.regressions().items()},
        label="Records",
        doc="Patients are invented, from the distribution of [Cape] section 5.2 or a logistic one: measurements, "
        "and a score or a label that depends on them. Other data sets come with scikit-learn.",
    )
    axis = axis_selector(AXES)
    measure = param.Selector(
        default="suited",
        objects={
            "as suits the records": "suited",
            "AUC": "auc",
            "R²": "explained",
            "err_w": "error",
            "loss": "loss",
            "lost improvement over 0": "excess",
            "lost improvement over the mean": "lost",
        },
        label="Measure",
        doc="AUC judges two classes, R² a number. The papers' err_w is the distance of ŵ from w*. The true "
        "average loss of ŵ is a measure, too. The last one is the share of the non-private improvement that "
        "is lost: of how far the non-private loss is below that of w = 0, of the mean or of the base rate.",
    )
    dimension = param.Integer(
        20,
        bounds=(2, 50),
        label="Features d",
        doc="An invented record has so many features. With more of them, more coefficients share the same budget.",
    )
    noise = param.Number(
        0.05,
        bounds=(0.0, 0.3),
        step=0.01,
        label="Noise of the synthetic response",
        doc="The part of the response that xᵀw does not explain has this standard deviation. The paper has none.",
    )
    curators = param.ListSelector(
        [],
        objects={LOOKS[name].label: name for name in CURATORS},
        label="With one curator",
        doc="These earlier methods need one trusted curator who holds all records. They are pure ε-private and "
        "ignore δ.",
    )
    repair = param.Selector(
        default="shrink",
        objects={"shrink": "shrink", "project": "project", "as it is": "none"},
        label="Noisy curvature",
        doc="Noise can make the polynomial non-convex. “Shrink” damps eigenvectors along which the known noise "
        "dominates. “Project” sets their curvature to zero. “As it is” minimises over the box, as published.",
    )
    response = NamedPlace(1, **problems.RESPONSE)
    labels = param.Boolean(False, **problems.LABELS)
    feature = param.Integer(
        4,  # It matters to the invented patients; of patients with diabetes it is the blood pressure.
        bounds=(1, 50),
        label="Feature to predict along",
        doc="The chart shows how this feature changes the prediction between its public bounds. The others are at"
        " mid-range.",
    )
    dots = param.Boolean(
        False,
        label="Draw records as dots",
        doc="The chart shows the predictions of some of your records. This is not private.",
    )
    printed = param.Selector(**printed_choice("regression"))

    def suited(self, table: OwnTable) -> dict:
        """The columns of the table, and an axis that it allows."""
        return self.suited_response(table) | axis_for(table.source, self.axis) | {"feature": 1}

    def plan(self) -> Plan:
        """Freeze the present settings.

        Raises
        ------
        ValueError
            If they do not fit the records: fewer records than sites, or a curve along a setting that a table fixes.
        """
        settings, own = self.controls.snapshot(), self.table
        setup = problems.setup(
            settings,
            data=self.data,
            dimension=self.dimension,
            noise=self.noise,
            repair=self.repair,
            table=own,
            response=self.response,
            labels=self.labels,
            boxed=self.boxed,
            gains=True,
            imbalance=settings.imbalance,
        )
        here, source = setup.here, setup.source
        refuse_given(source, self.axis, others="ε or δ")
        shown = tuple(m for m in LOOKS if m in settings.schemes or m in self.curators)
        if not shown:
            raise ValueError("choose at least one scheme or curator to show")
        return Plan(
            settings=self.with_noise(settings, setup.problem),
            source=source,
            problem=setup.problem,
            axis=self.axis,
            measure=SCORES[source.response] if self.measure in ("suited", *SCORES.values()) else self.measure,
            # The last of named features is the intercept, which never changes.
            feature=min(self.feature, here["dimension"] - bool(source.features)),
            dots=own is None or self.dots,
            shown=shown,
            cells=cells_along(AXES[self.axis], setup.cell),
            here=here,
            label=f"{drawable(source.title)}: {settings_line(here, SYMBOLS, without=self.axis)}",
        )


def means(rows: Iterable[dict], plan: Plan) -> pd.DataFrame:
    """Mean and 95 % band of the measure by mechanism and axis value; shares in per cent."""
    found = summary(rows, plan.axis, plan.measure, factor=100.0 if plan.measure in PERCENT else 1.0)
    if plan.measure == plan.score:
        return found[np.isfinite(found["mean"])].reset_index(drop=True)
    found = found[found["mean"] > _TINY].reset_index(drop=True)
    # A logarithmic axis cannot show a band that reaches zero.
    return found.assign(low=np.maximum(found.low, found["mean"] / 30))


def fits(plan: Plan) -> list[Fit]:
    """Fits of every mechanism at the present settings, as many as there are repeats."""
    runs = {m: plan.jobs_here(m) for m in plan.shown}
    return [Fit(m, partial(_fit, jobs, not plan.common), jobs, together=True) for m, jobs in runs.items()]


def _fit(jobs, own, cancelled):
    return spot(jobs, own=own)
