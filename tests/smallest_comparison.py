"""The smallest complete algorithm of *Compare*, with its problem: the example of CONTRIBUTING's "Add an algorithm"."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from statistics import fmean

import numpy as np

from core import SCHEMES, release
from core.schemes import planned
from dashboard.compare import panels
from dashboard.compare.law import Law
from dashboard.compare.sheet import comparison
from dashboard.compare.spec import Comparison, Curve, Measure, Result
from dashboard.guarantee import guarantee as guarantees
from dashboard.guarantee import ledger_costs
from dashboard.guarantee.guarantee import Guarantee, Unprotected
from dashboard.page.lesson import Preset
from dashboard.page.model import Model
from dashboard.runs.axes import axes, axis_selector, cells_along, settings_line, shared_axis
from dashboard.runs.fit import Fit
from dashboard.runs.sweep_plan import SweepPlan, compared, program, summary
from dashboard.state.number_text import number_text
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
        terms = planned(settings, len(statistics), scheme)
        found = release(statistics, 1 / settings["samples"], privacy, scheme=scheme, rng=rng, **terms)
        return {"error": abs(float(found.value) - statistics.mean())}


# The model: parameters of its own, and the plan that they and the shared controls make.

AXES = axes(shared_axis("epsilon", (0.1, 0.3, 1.0, 3.0, 10.0)), shared_axis("samples", (20, 100, 500)))
SYMBOLS = {"epsilon": "ε", "delta": "δ", "sites": "S", "samples": "Nₛ"}


@dataclass(frozen=True)
class Source:
    """Of which records a picture is; an algorithm with several has one of `data.catalogue`."""

    title: str = "Numbers"


@dataclass(frozen=True, kw_only=True)
class Plan(SweepPlan):
    """What a picture is computed from, frozen; an algorithm with parameters of its own adds them."""

    measure = "error"


class MeanModel(Model):
    """Along which setting the curve runs."""

    axes = AXES
    axis = axis_selector(AXES)

    def plan(self) -> Plan:
        """Freeze the present settings."""
        s = self.controls.snapshot()
        own = {name: getattr(s, name) for name in (*SYMBOLS, "data_seed")}
        line = settings_line(own, SYMBOLS, without=self.axis)

        def cell(change):
            values = own | change
            return values | s.run_terms(
                values["sites"]
            )  # Against whom the target holds, and planned dropouts.

        cells, here = cells_along(AXES[self.axis], cell), cell({})
        return Plan(
            settings=s,
            source=Source(),
            problem=Problem(),
            axis=self.axis,
            shown=tuple(m for m in LOOKS if m in s.schemes),
            cells=cells,
            here=here,
            label=line,
        )


def means(rows, plan: Plan):
    """What the curve draws."""
    return summary(rows, plan.axis, "error")


def fits(plan: Plan):
    """What is computed at the present settings, beside the curve: every repeat of every method."""
    return [Fit(m, partial(_errors, plan.jobs_here(m)), plan.jobs_here(m)) for m in plan.shown]


def _errors(jobs, cancelled):
    return fmean(job.run()["error"] for job in jobs)


# What one run releases: noise, guarantee and ledger follow from it.
LAW = Law(
    sensitivity=lambda plan: 1 / plan.here["samples"],
    statistic=lambda plan: "the average",
    data=lambda plan, job: ledger_costs.seeded("Numbers", job),
)


# What it shows and says.


def result(plan: Plan, results) -> str:
    """A row for every method, with its error as a bar."""
    most = max(results.spots.values(), default=1.0) or 1.0
    bars = {
        m: f"<svg viewBox='0 0 100 8'><rect width='{100 * e / most:.1f}' height='8'/></svg>"
        for m, e in results.spots.items()
    }
    found = {m: number_text(e, digits=2) for m, e in results.spots.items()}
    return panels.rows([panels.Row(m, bars.get(m, ""), found.get(m, "")) for m in plan.shown])


def headline(plan: Plan, results) -> str:
    """The numbers in a sentence; "" until one is known."""
    found = [f"{label(m)} <b>{number_text(e, digits=2)}</b>" for m, e in results.spots.items()]
    return f"the average is off by {', '.join(found)}" if found else ""


def guarantee(plan: Plan, table) -> Guarantee:
    """What the releases guarantee."""
    (privacy, _), against = LAW.target(plan), LAW.against(plan)
    found = LAW.exposures(plan, plan.shown)
    return Guarantee(guarantees.sentence(privacy, found, **against), privacy, against["colluding"], found)


def unprotected(plan: Plan, table) -> tuple[Unprotected, ...]:
    """What is shown of records without noise."""
    return (Unprotected("answer", "all errors, which compare with the true average"),)


def script(plan: Plan, own) -> str:
    """A program that leaves the numbers of the curve in `columns`."""
    imports = f"from {Problem.__module__} import Problem\n\nfrom core import sweep"
    return program(plan, "How far is the released average from the true one?", imports, "Problem()", "error")


MEAN = Comparison(
    name="mean",
    model=MeanModel,
    shared=compared("k", "calibration"),
    sliders=("epsilon", "delta", "sites", "samples"),
    hidden=("axis", "schemes"),
    records="",
    result=Result(
        draw=result, about=lambda plan: ("Errors", "how far the average is from the true one"), fits=fits
    ),
    curve=Curve(
        measures={"error": Measure("Error", "of the average", log=True)},
        means=means,
    ),
    law=LAW,
    headline=headline,
    further=lambda plan, results: (),
    guarantee=guarantee,
    unprotected=unprotected,
    script=script,
    presets=(Preset("Many records need little noise", {"axis": "samples", "epsilon": 1.0}),),
    code=("core.schemes.release",),
    equation=r"$$\Big|\frac1S\sum_s\hat f_s-\bar x\Big|,\qquad \Delta=\frac1{N_s}$$",
)
PAGE = comparison(MEAN)
