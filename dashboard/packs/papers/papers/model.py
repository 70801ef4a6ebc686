"""What the Papers page shows: a figure of a paper, run as published or corrected, and the page that shows it live."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import pandas as pd
import param

from core.sweep.workers import Call
from dashboard.packs.papers.reproduce import cache, kept
from dashboard.packs.papers.reproduce.experiments import STEPS, Batch, plan
from dashboard.packs.papers.reproduce.experiments import Plan as Runs
from dashboard.page.model import Model
from dashboard.plotting.printed_points import with_points
from dashboard.problems.components import MOST_NUMBERS
from dashboard.sheet.store import Results
from data.catalogue import labelled, tables
from data.published import experiments
from data.published.experiments import Experiment

# Cached results are shown if there are any, those with most runs first; else the figure is run live.
KEPT = ("full", "live")
OTHER = {"published": "corrected", "corrected": "published"}


@dataclass(frozen=True)
class Plan:
    """Settings of one picture.

    Attributes
    ----------
    experiment : Experiment
    convention : str
    runs : dashboard.packs.papers.reproduce.experiments.Plan
        The runs behind the picture.
    kept : DataFrame or None
        Their rows, if they are in the cache or come with the app.
    other : DataFrame or None
        Kept rows of the other convention.
    """

    experiment: Experiment
    convention: str
    runs: Runs
    kept: pd.DataFrame | None
    other: pd.DataFrame | None

    @cached_property
    def calls(self) -> tuple[Call, ...]:
        """The runs that no cache has, in small pieces: one value of the axis and one draw of the records each."""
        if self.kept is not None:
            return ()
        key = self.runs.key(cache.version()) + self.experiment.measure
        pieces = [piece for batch in self.runs.batches for piece in batch.pieces()]
        values = len(self.runs.x)
        return tuple(
            Call(step, (piece, (i + 1) % values == 0), key=(key, i)) for i, piece in enumerate(pieces)
        )


class PapersModel(Model):
    """The figure, and the convention of its run."""

    run_settings: ClassVar = {"unit": "step", "units": "steps", "limit": 300.0}

    figure = param.Selector(default="Fact-Fig2a", objects=list(experiments.names()), label="Figure")
    convention = param.Selector(
        default="published",
        objects={"as published": "published", "revised": "corrected"},
        label="Run",
        doc="“As published” keeps all conventions of the paper, with its errors. “Revised” corrects the errors "
        "and, where it can, uses a more accurate method.",
    )

    def plan(self) -> Plan:
        """Freeze the choice, and look for results that are kept."""
        experiment = experiments.load(self.figure)
        runs, kept = _kept(experiment, self.convention)
        return Plan(experiment, self.convention, runs, kept, _kept(experiment, OTHER[self.convention])[1])


def step(batch: Batch, last: bool, cancelled: threading.Event) -> pd.DataFrame | None:
    """The rows of a piece of the runs; None if it was cancelled. `last` says that it is the last on its records."""
    found = batch.run(cancelled)
    if last or cancelled.is_set():
        batch.forget()  # The next draw, and another figure, need other records, so free the memory.
    return None if cancelled.is_set() or found.empty else found


def keep(plan: Plan, results: Results) -> None:
    """Write a finished figure into the cache."""
    if plan.calls:
        found = pd.concat([results[call.key] for call in plan.calls], ignore_index=True)
        cache.write(plan.runs, plan.runs.rows(found))


def _kept(experiment, convention):
    for effort in KEPT:
        runs = plan(experiment, convention, effort)
        rows = cache.read(runs)
        rows = kept.read(runs) if rows is None else rows
        if rows is not None:
            break
    return runs, rows


def live(experiment: Experiment, convention: str) -> tuple[str, dict[str, Any]]:
    """The page with a figure's problem, and the settings that match the figure.

    Where a control's range does not reach the paper's value, the end of the range is used. Printed points go along.
    """
    data, x, fixed = experiment.here
    # Along ε the schemes differ most in the upper half: below, all of them find noise.
    middle = 2 * len(x) // 3 if experiment.axis == "epsilon" else len(x) // 2
    at = {**fixed, experiment.axis: x[middle]}
    page, values = _LIVE[experiment.problem](experiment, at, convention, data)
    if experiment.name in with_points(experiment.problem):
        values["printed"] = experiment.name
    return page, values


def _shared(at: Mapping, *names) -> dict[str, Any]:
    return {name: at[name] for name in names if name in at}


def _calibration(convention):
    return "published" if convention == "published" else "exact"


def _pca(experiment, at, convention, data):
    known = data if data in tables.known() else "digits"
    values = _shared(at, "epsilon", "delta", "sites", "samples", "k")
    return "pca", {
        **values,
        "data": known,
        "axis": experiment.axis,
        "calibration": _calibration(convention),
        "dpdispca": True,
    }


def _components(experiment, at, convention, data):
    values = _shared(at, "epsilon", "delta", "sites", "samples", "k", "dimension")
    most = MOST_NUMBERS // (values["sites"] * values["dimension"])
    values["samples"] = min(values["samples"], most, 100_000)
    return "components", {
        **values,
        "model": data,
        "measure": "error",
        "axis": experiment.axis,
        "calibration": _calibration(convention),
    }


def _regression(experiment, at, convention, data):
    values = _shared(at, "epsilon", "delta", "sites")
    values["samples"] = at["records"] // at["sites"]
    known = data if data in labelled.regressions() else "linear"
    return "regression", {
        **values,
        "data": known,
        "dimension": min(at["dimension"], 50),
        "noise": 0.05 if data == "noisy" else 0.0,
        "curators": ["dpfm", "objpert"],
        "axis": {"records": "samples"}.get(experiment.axis, experiment.axis),
        "measure": experiment.measure,
        "calibration": _calibration(convention),
    }


def _network(experiment, at, convention, data):
    return "network", {
        **_shared(at, "epsilon", "delta", "sites", "hidden"),
        "samples": at["records"] // at["sites"],
        "data": "classes",
        "steps": STEPS,
        "budget": "step" if convention == "published" else "total",
        "judged_on": experiment.measure,
        "calibration": _calibration(convention),
    }


def _guarantee(experiment, at, convention, data):
    return "guarantee", {
        **_shared(at, "epsilon", "sites", "colluding"),
        "noise": max(at["noise"] * at["samples"], 0.1),
        "published": True,
    }


def _topics(experiment, at, convention, data):
    wide = min((100, 200, 500, 1000), key=lambda d: abs(d - at["dimension"]))
    measure = experiment.measure if experiment.measure in ("error", "perplexity") else "error"
    values = _shared(at, "epsilon", "delta")
    return "topics", {
        **values,
        "data": "synthetic",
        "compare": "configurations",
        "topics": min(at["k"], 100),
        "vocabulary": wide,
        "documents": min(at.get("records", 10_000), 50_000),
        "alpha0": min(at["alpha0"], 10.0),
        "measure": measure,
        "calibration": _calibration(convention),
    }


def _noise(experiment, at, convention, data):
    values = {"components": at["k"], "d": max(at["dimension"], 16), "size": at["size"]}
    axis = {"dimension": "d"}.get(experiment.axis, experiment.axis)
    return "power_noise", {**values, **_shared(at, "restarts", "iterations"), "axis": axis}


_LIVE = {
    "pca": _pca,
    "decomposition": _components,
    "regression": _regression,
    "network": _network,
    "delta": _guarantee,
    "topics": _topics,
    "spectrum": _topics,
    "power": _noise,
}
