"""The smallest complete sweep page, with its problem: the example of CONTRIBUTING's "Add a page"."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from bokeh.models import ColumnDataSource

from core import SCHEMES, Privacy, release
from core.schemes import is_private
from dashboard.components.layout import bokeh_pane
from dashboard.page import guarantee, ledger_costs
from dashboard.page.axes import axes, axis_selector, cells_along, settings_line, shared_axis
from dashboard.page.base import Page
from dashboard.page.fit import fit_of
from dashboard.page.guarantee import Guarantee, Unprotected
from dashboard.page.lesson import Preset
from dashboard.page.model import Model
from dashboard.page.sweep import Sweep
from dashboard.page.sweep_plan import SweepPlan, compared, program, summary
from dashboard.state.controls import Settings
from dashboard.state.html_text import paragraph
from dashboard.state.number_text import number_text, spread_text
from dashboard.theme.scheme_style import LOOKS, label

# The problem: in the app it stands in `core`, with its sensitivity and its tests.


@dataclass(frozen=True)
class Problem:
    """The average of numbers in [0, 1]; `core.sweep` says what a problem has."""

    data_settings: tuple[str, ...] = ("sites", "samples", "data_seed")
    methods = SCHEMES

    def statistics(self, settings):
        """Averages of shape (S,); one record moves its site's by at most 1/Nₛ."""
        rng = np.random.default_rng(settings["data_seed"])
        return rng.random((settings["sites"], settings["samples"])).mean(axis=1)

    def estimate(self, statistics, scheme, privacy, rng, settings):
        """How far a released average is from the true one."""
        found = release(statistics, 1 / settings["samples"], privacy, scheme=scheme, rng=rng)
        return {"error": abs(float(found.value) - statistics.mean())}


# The model: parameters of its own, and the plan that they and the shared controls make.

AXES = axes(shared_axis("epsilon", (0.1, 0.3, 1.0, 3.0, 10.0)), shared_axis("samples", (20, 100, 500)))
SYMBOLS = {"epsilon": "ε", "delta": "δ", "sites": "S", "samples": "Nₛ"}


@dataclass(frozen=True)
class Plan(SweepPlan):
    """What a picture is computed from, frozen."""

    settings: Settings
    problem: Problem
    axis: str
    shown: tuple[str, ...]
    cells: tuple[dict, ...]
    here: dict
    label: str


class MeanModel(Model):
    """Along which setting the curve runs."""

    axis = axis_selector(AXES)

    def plan(self) -> Plan:
        """Freeze the present settings."""
        s = self.controls.snapshot()
        here = {name: getattr(s, name) for name in (*SYMBOLS, "data_seed")}
        cells = cells_along(AXES[self.axis], lambda change: here | change)
        line = settings_line(here, SYMBOLS, without=self.axis)
        return Plan(s, Problem(), self.axis, tuple(m for m in LOOKS if m in s.schemes), cells, here, line)


def means(rows, plan: Plan):
    """What the curve draws."""
    return summary(rows, plan.axis, "error")


def fits(plan: Plan):
    """What is computed at the present settings, beside the curve."""
    return [fit_of(plan.job_here(method), lambda job: job.run()["error"]) for method in plan.shown]


def cost(plan: Plan, job):
    """What a run costs, for the ledger."""
    return ledger_costs.of_job(job, data=ledger_costs.seeded("Numbers", job), calibration="exact")


# The page: what it is, what it draws, and what it says.


class MeanPage(Page):
    """Error of a released average along one setting."""

    name, title, group, icon = "mean", "Mean", "Compare", "functions"
    lead = "How far is the released average from the true one?"
    model_type = MeanModel
    live = False
    shared, primary = compared("k", "calibration"), "epsilon"
    presets = (
        Preset("Many records need little noise", {"axis": "samples", "epsilon": 1.0}),
        Preset("A small ε costs most", {"axis": "epsilon", "samples": 100}),
        Preset("Two sites", {"sites": 2, "axis": "epsilon"}),
    )
    code = ("core.schemes.release",)
    equation = r"$$\Big|\frac1S\sum_s\hat f_s-\bar x\Big|,\qquad \Delta=\frac1{N_s}$$"

    def __init__(self, controls):
        super().__init__(controls)
        self.sweep = Sweep(self, means=means, cost=cost, fits=fits)

    def body(self):
        self.curve = self.sweep.build(AXES["epsilon"].label, "error", y_log=True, schemes=SCHEMES)
        self._rings = ColumnDataSource({"x": [], "y": []})
        self.curve.figure.scatter("x", "y", size=14, fill_alpha=0, source=self._rings)
        return bokeh_pane(self.curve.figure)

    def draw(self, picture: Plan) -> None:
        self.sweep.mark_here(AXES[picture.axis].label)
        errors = self.sweep.shown()
        self._rings.data = {"x": [picture.here[picture.axis]] * len(errors), "y": errors}

    def words(self, picture: Plan) -> str:
        found = [f"{label(m)} {number_text(e, digits=2)}" for m, e in self.sweep.spots.items()]
        return paragraph(f"In one draw: {', '.join(found)}.", spread_text(picture.settings.repeats))

    def guarantee(self, picture: Plan) -> Guarantee:
        s, privacy = picture.settings, Privacy(picture.settings.epsilon, picture.settings.delta)
        views = {"sites": s.sites, "colluding": s.colluding, "calibration": "exact"}
        found = guarantee.exposures(picture.shown, privacy, **views)
        return Guarantee(guarantee.sentence(privacy, found), privacy, s.colluding, found)

    def unprotected(self, picture: Plan) -> tuple[Unprotected, ...]:
        plain = [method for method in picture.shown if not is_private(method)]
        return (Unprotected("answer", "all errors, which compare with the true average"),) if plain else ()

    def script(self) -> str:
        imports = f"from {Problem.__module__} import Problem\n\nfrom core import sweep"
        return program(self.plan or self.compute(), self.lead, imports, "Problem()", "error")

    def figures(self) -> tuple:
        self.content()
        return (self.curve.figure,)
