"""Translation of a figure's settings into runs: problem, cells, number of draws and repeats."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import pandas as pd

from core import check, decomposition, functional, pca, sweep
from core.decomposition import problem as recovery
from core.topics.problem import Problem as TopicsProblem
from dashboard.packs.papers.reproduce import author_programs, datasets
from data.catalogue import labelled
from data.published.experiments import Experiment

CONVENTIONS = ("published", "corrected")
SEED = 5
STEPS = 200  # Of gradient descent.
MEASURED = ("energy", "error", "loss", "train", "test", "failure", "perplexity", "singular", "gap", "found")
_COUNTED = ("data_seed", "sites", "samples", "dimension")
# Some problems make no private release, but the sweep's jobs require a privacy target.
_NO_DEMAND = {"epsilon": 1.0, "delta": 1e-5}
_TOPIC_SETTINGS = {"longest": 100, "spread": 0, "clip": 0, "third": 0.2}


@dataclass(frozen=True)
class Effort:
    """The amount of work for a figure.

    Attributes
    ----------
    name : str
    draws, repeats : mapping of problem to int
        Number of draws of the records, and of runs on each draw.
    every : mapping of problem to int
        n: only every n-th value of the axis is run; default 1.
    left_out : tuple of str
        Methods that are too slow and not run.
    """

    name: str
    draws: dict[str, int]
    repeats: dict[str, int]
    every: dict[str, int] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()


# Third moments of many Gaussian records of large dimension are slow.
WIDE, _WIDE_FROM = "wide mixtures", 20
SLOW = ("topics", WIDE)
_FEW = {"pca": 3, "decomposition": 5, WIDE: 3, "regression": 12, "network": 3, "delta": 1, "topics": 1}
_FEW |= {"spectrum": 5, "power": 2}
_ONCE = dict.fromkeys(_FEW, 1)
EFFORTS = {
    effort.name: effort
    for effort in (
        Effort(
            "full",
            {"pca": 10, "decomposition": 16, WIDE: 6, "regression": 40, "network": 5, "delta": 1}
            | {"topics": 2, "spectrum": 20, "power": 10},
            _ONCE | {"power": 6},
        ),
        Effort(
            "quick",
            _FEW | {"decomposition": 3, WIDE: 1, "network": 2},
            _ONCE | {"power": 4},
            dict.fromkeys(_FEW, 2) | {WIDE: 4, "network": 4, "topics": 3},
            left_out=("variational",),
        ),
        Effort("live", _FEW, _ONCE | {"power": 6}, left_out=("variational",)),
    )
}


@dataclass(frozen=True)
class Batch:
    """The runs on one draw of the records; can be pickled, for any executor."""

    problem: Any
    cells: tuple[dict, ...]
    methods: tuple[str, ...]
    repeats: int
    seed: int

    def run(self, cancelled: threading.Event | None = None) -> pd.DataFrame:
        """All rows, each with its settings; fewer if the run was cancelled."""
        return sweep.run(
            self.problem,
            self.cells,
            schemes=self.methods,
            repeats=self.repeats,
            seed=self.seed,
            cancelled=cancelled,
        )

    def alone(self) -> pd.DataFrame:
        """Run, and then release the records, which may be large, if no later work uses them."""
        try:
            return self.run()
        finally:
            self.forget()

    def forget(self) -> None:
        """Release everything that was computed from the records."""
        sweep.forget(self.problem)

    def pieces(self) -> list[Batch]:
        """The same runs, one cell at a time."""
        return [replace(self, cells=(cell,)) for cell in self.cells]


@dataclass(frozen=True)
class Plan:
    """One figure with one convention and one effort."""

    experiment: Experiment
    convention: str
    effort: Effort

    def __post_init__(self):
        check.choice("convention", self.convention, CONVENTIONS)

    @property
    def published(self) -> bool:
        """Whether the figure is run as published."""
        return self.convention == "published"

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods that are run."""
        e = self.experiment
        chosen = e.methods if self.published else e.corrected_methods
        return tuple(m for m in chosen if m not in self.effort.left_out)

    @property
    def x(self) -> tuple:
        """The values of the axis that are run."""
        return self.experiment.here[1][:: self.effort.every.get(self.kind, 1)]

    @property
    def kind(self) -> str:
        """Key of its effort: the problem, or `WIDE`."""
        e = self.experiment
        slow = e.data == "gaussians" and e.fixed["dimension"] > _WIDE_FROM
        return WIDE if slow else e.problem

    @cached_property
    def batches(self) -> list[Batch]:
        """The runs, one batch per draw of the records."""
        problem, settings = _BUILD[self.experiment.problem](self)
        draws, repeats = self.effort.draws[self.kind], self.effort.repeats[self.kind]
        cells = [tuple(self._cell(settings, x, draw) for x in self.x) for draw in range(draws)]
        return [Batch(problem, c, self.methods, repeats, SEED) for c in cells]

    def rows(self, found: pd.DataFrame) -> pd.DataFrame:
        """Convert rows of batches to results: method, x, draw, repeat, and the measure."""
        axis, measure = self.experiment.axis, self.experiment.measure
        counted = axis == "records" and axis not in found
        x = found["samples"] * found["sites"] if counted else found[axis]
        columns = {"method": found["scheme"], "x": x, "draw": found["data_seed"], "repeat": found["repeat"]}
        found = found.rename(columns={"value": measure})
        return pd.DataFrame(columns | {name: found[name] for name in MEASURED if name in found})

    def key(self, version: str) -> str:
        """A short text of everything on which the results depend; figures with the same runs share it."""
        told = [self.experiment.problem, self.experiment.here[0], self.convention, version]
        told += [(b.cells, b.methods, b.repeats, b.seed) for b in self.batches]
        return hashlib.sha256(repr(told).encode()).hexdigest()[:20]

    def _cell(self, settings, x, draw):
        cell = {**settings, self.experiment.axis: x, "data_seed": draw}
        if "records" in cell and self.experiment.problem in ("regression", "network"):
            cell["samples"] = cell.pop("records") // cell["sites"]
        return cell


def plan(experiment: Experiment, convention: str, effort: str = "full") -> Plan:
    """The runs of one figure.

    Parameters
    ----------
    convention : {"published", "corrected"}
    effort : {"full", "quick", "live"}
    """
    return Plan(experiment, convention, EFFORTS[check.choice("effort", effort, EFFORTS)])


def _pca(plan):
    data, _, fixed = plan.experiment.here
    conventions = pca.PUBLISHED if plan.published else {}
    problem = pca.Problem(
        datasets.table, ("data", "sites", "samples", "data_seed", "published"), **conventions
    )
    return problem, {**fixed, "data": data, "published": plan.published}


def _decomposition(plan):
    model = plan.experiment.data
    load, options = getattr(datasets, model), ()
    if plan.published:
        load = {"topics": datasets.leaking_topics, "gaussians": datasets.shared_gaussians}[model]
        options = (*decomposition.PUBLISHED.items(), ("leaky", model == "topics"))
    return recovery.Problem(load, model, options, (*_COUNTED, "k")), dict(plan.experiment.fixed)


def _regression(plan):
    data, _, fixed = plan.experiment.here
    name = {"noisy": "linear"}.get(data, data)
    source = labelled.regressions()[name]
    kind = author_programs.Regression if plan.published else functional.Problem
    options = {"box": source.box, "norm": source.norm, **(functional.PUBLISHED if plan.published else {})}
    problem = kind(labelled.load, (*_COUNTED, "data", "noise"), options=tuple(options.items()))
    return problem, {**fixed, "data": name, "noise": 0.05 if data == "noisy" else 0.0}


def _network(plan):
    fixed = dict(plan.experiment.fixed)
    options = {"steps": STEPS, "hidden": fixed.pop("hidden")}
    options |= {"budget": "step", "calibration": "published"} if plan.published else {"budget": "total"}
    return author_programs.Classifier(datasets.classes, _COUNTED, tuple(options.items())), fixed


def _delta(plan):
    return author_programs.Deltas(plan.published), {**_NO_DEMAND, **plan.experiment.fixed}


def _topics(plan):
    _, _, fixed = plan.experiment.here
    # [Lda] does not state the accounting of the variational method; here ε and δ of the passes are added, as for the
    # edges. For ten passes "advanced" composition would require even more noise.
    accounting = "simple" if plan.published else "exact"
    problem = TopicsProblem(
        datasets.documents, ("records", "dimension", "k", "alpha0", "length", "data_seed"), accounting
    )
    calibration = "published" if plan.published else "exact"
    return problem, {
        **_TOPIC_SETTINGS,
        **fixed,
        "calibration": calibration,
        "measure": plan.experiment.measure,
    }


def _spectrum(plan):
    problem = author_programs.Spectrum(
        datasets.topic_law, ("dimension", "k", "alpha0", "data_seed"), plan.published
    )
    return problem, {**_NO_DEMAND, **plan.experiment.fixed}


def _power(plan):
    problem = author_programs.Survival(datasets.tensor, ("dimension", "k", "data_seed"))
    return problem, {**_NO_DEMAND, **plan.experiment.fixed}


_BUILD: dict[str, Callable] = {
    "pca": _pca,
    "decomposition": _decomposition,
    "regression": _regression,
    "network": _network,
    "delta": _delta,
    "topics": _topics,
    "spectrum": _spectrum,
    "power": _power,
}
