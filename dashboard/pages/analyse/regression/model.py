"""What the Regression page computes: a sweep along one setting, and repeated fits at the present ones."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pandas as pd
import param

from core import Privacy, functional, sweep
from core.functional.losses import named
from core.privacy import gaussian_mu
from dashboard.page.own_table import OwnTableModel
from dashboard.page.swept import SweptPlan, by_point, summary
from dashboard.plotting.figure import drawable
from dashboard.state.controls import Settings
from dashboard.state.number_text import number_text
from dashboard.theme.scheme_style import LOOKS
from data.catalogue import labelled

AXES = {
    "epsilon": ("Privacy ε", (0.01, 0.03, 0.1, 0.3, 0.5, 1.0, 2.0, 5.0, 10.0)),
    "samples": ("Records a site Nₛ", (50, 100, 200, 500, 1000, 2000, 5000, 10_000)),
    "delta": ("Failure probability δ", tuple(10.0**-e for e in range(10, 0, -1))),
}
MEASURES = {
    "loss": "true average loss",
    "error": "err_w = ‖w* − ŵ‖ / d",
    "excess": "loss above non-private, % of predicting with w = 0",
}
DATA_SETTINGS = ("data", "sites", "samples", "dimension", "noise", "data_seed")
WIDTHS = (2, 3, 5, 8, 10, 20, 30, 50, 100, 200, 500)
_TINY = 1e-12  # Below this a figure is rounding, which a logarithmic axis need not show.


@dataclass(frozen=True)
class Spot:
    """Repeated fits of one mechanism at the present settings.

    Attributes
    ----------
    coefficients : ndarray of shape (repeats, d)
    figures : dict of str to float
        Means of "loss", "error" and "excess".
    lifted : float
        Mean number of directions in which the noisy polynomial had no minimum.
    """

    method: str
    coefficients: np.ndarray
    figures: dict[str, float]
    lifted: float


@dataclass(frozen=True)
class Plan(SweptPlan):
    """What a picture is computed from, frozen: settings, source, the sweep along an axis."""

    settings: Settings
    source: labelled.LabelledSource
    problem: functional.Problem
    axis: str
    measure: str
    feature: int
    dots: bool
    shown: tuple[str, ...]
    cells: tuple[dict, ...]
    here: dict
    label: str

    @property
    def batches(self) -> list[list[sweep.Job]]:
        """Every run of the curve, those of one point and repeat together."""
        return by_point(self.jobs)


def judged(plan: Plan) -> functional.Judged:
    """The records of the present settings, averaged; computed once."""
    return sweep.statistics(plan.problem, plan.here)


def spot(plan: Plan, mechanism: str) -> Spot:
    """Fit one mechanism as often as the settings say."""
    statistics, s = judged(plan), plan.settings
    repeats = 1 if mechanism == "nonprivate" else s.repeats
    privacy = None if mechanism == "nonprivate" else Privacy(s.epsilon, s.delta)
    fits = [
        plan.problem.fit(statistics, mechanism, privacy, plan.spot_job(mechanism, r).rng)
        for r in range(repeats)
    ]
    rows = pd.DataFrame([functional.figures(statistics, f.coefficients) for f in fits])
    return Spot(
        mechanism,
        np.stack([f.coefficients for f in fits]),
        rows.mean().to_dict(),
        float(np.mean([f.lifted for f in fits])),
    )


@lru_cache(maxsize=64)
def noise_by_width(settings: Settings, loss: str, total: int) -> dict[str, np.ndarray]:
    """Standard deviation of the noise on one off-diagonal entry of Λ2, by mechanism and width `WIDTHS`.

    Beside the mechanisms "dpfm published", the constant of Zhang et al. with its copied noise.
    """
    known = named(loss)
    published = settings.calibration == "published"
    mu = gaussian_mu(Privacy(settings.epsilon, settings.delta), calibration=settings.calibration)
    one = (1.0 if published else known.joint) * known.sensitivities[2] / math.sqrt(2) / total / mu
    flat = np.ones(len(WIDTHS))
    laplace = math.sqrt(2) / total / settings.epsilon
    exact = np.array([known.l1(d) for d in WIDTHS]) / 2
    return {
        "pooled": one * flat,
        "cape": one * flat,
        "conventional": one * math.sqrt(settings.sites) * flat,
        "local": one * settings.sites * flat,
        "dpfm": laplace * exact,
        "dpfm published": laplace * np.array([known.l1(d, form="published") for d in WIDTHS]),
    }


class RegressionModel(OwnTableModel):
    """Which records, along which setting the curve runs, and what is measured."""

    data = param.Selector(
        default="linear",
        objects={source.title: name for name, source in labelled.regressions().items()},
        label="Records",
        doc="The laws of [Cape] section 5.2 and its logistic kin, or sets that come with scikit-learn.",
    )
    axis = param.Selector(
        default="epsilon",
        objects={"ε": "epsilon", "Nₛ": "samples", "δ": "delta"},
        label="Curve along",
        doc="The setting that the curve runs along; all others stay as they are set.",
    )
    measure = param.Selector(
        default="loss",
        objects={"loss": "loss", "err_w": "error", "excess": "excess"},
        label="Measured",
        doc="The true average loss of ŵ, its distance from w*, or the loss above the non-private one as a "
        "share of what predicting with w = 0 loses.",
    )
    dimension = param.Integer(
        20,
        bounds=(2, 50),
        label="Features d of synthetic records",
        doc="More features: more coefficients share the same budget.",
    )
    noise = param.Number(
        0.05,
        bounds=(0.0, 0.3),
        step=0.01,
        label="Noise of the synthetic number",
        doc="Standard deviation of what xᵀw does not explain. The paper has none.",
    )
    curators = param.ListSelector(
        ["dpfm", "objpert"],
        objects={LOOKS[name].label: name for name in ("dpfm", "objpert")},
        label="With one curator",
        doc="Earlier methods for one trusted curator who holds all records; pure ε-private, they ignore δ.",
    )
    repair = param.Selector(
        default="shrink",
        objects={"shrink": "shrink", "project": "project", "as it is": "none"},
        label="Noisy curvature",
        doc="Noise can bend the polynomial down. Shrink: damp directions that the known noise drowns. "
        "Project: flatten them. As it is: minimise over the box, as published.",
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
    feature = param.Integer(
        1,
        bounds=(1, 50),
        label="Feature to predict along",
        doc="Whose effect on the prediction is drawn, between its public bounds; the others stay at the middle of theirs.",
    )
    dots = param.Boolean(
        False,
        label="Draw records as dots",
        doc="Some of your records, as they are, beside the predictions. That is not private.",
    )

    def plan(self) -> Plan:
        """Freeze the present settings.

        Raises
        ------
        ValueError
            If they do not fit the records: fewer records than sites, or a curve along what a table fixes.
        """
        settings = self.controls.snapshot()
        own = self._own()
        source = own.source if own else labelled.regressions()[self.data]
        if source.sizes and self.axis == "samples":
            raise ValueError(f"the records of every site of {source.title} are given; draw along ε or δ")
        shown = tuple(m for m in LOOKS if m in settings.schemes or m in self.curators)
        if not shown:
            raise ValueError("choose at least one scheme or curator to show")
        here = self._cell(settings, source, {})
        cells = {
            tuple(cell.items()): cell
            for value in AXES[self.axis][1]
            for cell in [self._cell(settings, source, {self.axis: value})]
        }
        return Plan(
            settings=settings,
            source=source,
            problem=self._problem(settings, source, own or labelled.load),
            axis=self.axis,
            measure=self.measure,
            # The last of named features is the intercept, which never changes.
            feature=min(self.feature, here["dimension"] - bool(source.features)),
            dots=own is None or self.dots,
            shown=shown,
            cells=tuple(cells.values()),
            here=here,
            label=self._label(here, source),
        )

    def _problem(self, settings, source, load):
        conventions = {"repair": self.repair, "calibration": settings.calibration}
        if settings.calibration == "published":
            conventions = functional.PUBLISHED
        options = {"box": source.box, "norm": source.norm, **conventions}
        return functional.Problem(load, DATA_SETTINGS, loss=source.response, options=tuple(options.items()))

    def _own(self):
        if self.table is None:
            return None
        width = len(self.table.columns)
        if width < 2:
            raise ValueError("choose at least two columns: one to predict, and one to predict it from")
        return labelled.LabelledTable(self.table, min(self.response, width) - 1, self.labels, self.boxed)

    def _cell(self, settings, source, change):
        values = {
            "epsilon": settings.epsilon,
            "delta": settings.delta,
            "sites": settings.sites,
            "samples": settings.samples,
            "dimension": self.dimension if source.synthetic else source.width,
            "noise": float(self.noise) if source.name == "linear" else 0.0,
            "data": source.name,
            "data_seed": settings.data_seed,
        } | change
        return values | self.sizes(source, values)

    def _label(self, here, source):
        names = {"epsilon": "ε", "delta": "δ", "sites": "S", "samples": "Nₛ", "dimension": "d"}
        parts = [f"{names[n]} = {_value_text(here[n])}" for n in names if n != self.axis]
        return f"{drawable(source.title)}: {', '.join(parts)}"


def _value_text(value):
    if isinstance(value, tuple):
        return f"{number_text(min(value))} to {number_text(max(value))}"
    return number_text(value)


def means(rows: pd.DataFrame, axis: str, measure: str) -> pd.DataFrame:
    """Mean and 95 % band of a measure by mechanism and axis value; "excess" in per cent."""
    found = summary(rows, axis, measure, factor=100.0 if measure == "excess" else 1.0)
    found = found[found["mean"] > _TINY].reset_index(drop=True)
    # A logarithmic axis has no place for a band that reaches zero.
    return found.assign(low=np.maximum(found.low, found["mean"] / 30))
