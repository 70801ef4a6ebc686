"""What the Network page computes: trainings that are shown step by step, and a sweep over ε."""

from __future__ import annotations

import math
import threading
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import ClassVar
from uuid import uuid4

import numpy as np
import pandas as pd
import param

from core import Privacy, network, sweep
from core.privacy import gaussian_mu, gdp_epsilon
from core.schemes import is_private, presented
from dashboard.page.axes import settings_line
from dashboard.page.fit import Fit
from dashboard.page.model import Model
from dashboard.page.sweep_plan import SweepPlan, average_here, summary, typical
from dashboard.plotting.printed_points import printed_choice
from dashboard.state.controls import LogInteger, LogNumber, Settings
from dashboard.state.kept import KEPT
from dashboard.state.number_text import number_text
from data.catalogue import labelled, tables

EPSILONS = (0.01, 0.03, 0.1, 0.2, 0.5, 2.0, 10.0)  # Close to each other where the curves differ most.
SYMBOLS = {"delta": "δ", "sites": "S", "samples": "Nₛ"}
DATA_SETTINGS = ("data", "sites", "samples", "data_seed")
CHUNKS = 20  # About the number of updates of the figures in a training.
MOST_DOTS = 160
AT_ONCE = 50_000  # Records that the server itself loads for the picture before the first step.
MOST_WORK = 20_000_000  # Records times steps of one training; takes a few seconds.


class Stopped(Exception):
    """The training was cancelled between two steps."""


@dataclass(frozen=True)
class Watched:
    """The state of a training so far.

    Attributes
    ----------
    scheme : str
    losses : ndarray of shape (steps so far,)
        Cross-entropy on the training records.
    step : Step
        The latest, with its network and composed guarantee.
    train, test : float
        Accuracy of its network.
    dots : (ndarray of shape (n, d), ndarray of shape (n,))
        Some of the training records and their labels, to be drawn.
    """

    scheme: str
    losses: np.ndarray
    step: network.Step
    train: float
    test: float
    dots: tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Plan(SweepPlan):
    """Settings of one picture, frozen; `here` are those of the training that is shown."""

    axis: ClassVar[str] = "epsilon"
    settings: Settings
    source: labelled.LabelledSource
    problem: network.Problem
    budget: str
    steps: int
    visits: int
    judged_on: str
    shown: tuple[str, ...]
    cells: tuple[dict, ...]
    here: dict
    label: str

    @property
    def jobs(self) -> list[sweep.Job]:
        """Every run of the curve: first those at the present ε, or beside it, whose means are said."""
        near = self.around
        return sorted(super().jobs, key=lambda job: dict(job.settings)["epsilon"] not in near)

    @property
    def privacy(self) -> Privacy:
        """The privacy target, for the whole training or for every step."""
        return Privacy(self.settings.epsilon, self.settings.delta)

    def total_epsilon(self, epsilon: float, visits: int | None = None) -> float:
        """ε at δ of the networks of all (or the first `visits`) steps that see a record, composed exactly."""
        s = self.settings
        mu = gaussian_mu(Privacy(epsilon, s.delta), calibration=s.calibration)
        share = 1 / math.sqrt(self.visits) if self.budget == "total" else 1.0
        return _epsilon(s.delta, mu * share * math.sqrt(visits or self.visits))

    def step_epsilon(self, epsilon: float) -> float:
        """ε at δ of one step alone."""
        return self.total_epsilon(epsilon, 1)


@lru_cache(maxsize=4096)
def _epsilon(delta, mu):
    return gdp_epsilon(delta, mu)


def stops(steps: int) -> range:
    """The steps of a training at which the figures are updated, the last among them."""
    most = max(1, round(steps / CHUNKS))
    # One that divides the steps lets a slider that begins at 0 reach them all.
    stride = next((part for part in range(most, most // 2, -1) if steps % part == 0), most)
    return range(steps - stride * ((steps - 1) // stride), steps + 1, stride)


class Watch:
    """Trainings under several schemes from the same start, advanced together in the worker.

    Parameters
    ----------
    plan : Plan
    drawn : mapping of str to int
        Which repetition of a scheme is trained; default: the first.
    """

    def __init__(self, plan: Plan, drawn: Mapping[str, int] | None = None):
        self.plan, self._drawn = plan, drawn or {}
        self._running: dict[str, Iterator[network.Step]] = {}
        self._losses: dict[str, list[float]] = {scheme: [] for scheme in plan.shown}
        self._last: dict[str, network.Step] = {}

    def advance(self, scheme: str, to: int, cancelled: threading.Event) -> Watched | None:
        """Train until step `to` or cancellation; None if no step was taken."""
        statistics = sweep.statistics(self.plan.problem, self.plan.here)
        if scheme not in self._running:
            self._running[scheme] = self._start(scheme, statistics)
        while len(self._losses[scheme]) < to and not cancelled.is_set():
            step = next(self._running[scheme])
            self._last[scheme] = step
            self._losses[scheme].append(step.loss)
        if scheme not in self._last:
            return None
        found = self._last[scheme]
        figures = self.plan.problem.figures(statistics, found.network)
        losses = np.array(self._losses[scheme])
        return Watched(scheme, losses, found, figures["train"], figures["test"], _dots(statistics[0]))

    def _start(self, scheme, statistics):
        plan = self.plan
        job = plan.job_here(scheme, self._drawn.get(scheme, 0))
        privacy = plan.privacy if is_private(scheme) else None
        return plan.problem.training(statistics, scheme, privacy, job.rng, plan.here)


def before(plan: Plan) -> Watched | None:
    """The state before the first step, which all schemes share; None where so many records take a while to load.

    The network is random and public. Its accuracy is computed from the records, as those of later steps are.
    """
    if plan.here["samples"] * plan.here["sites"] > AT_ONCE:
        return None
    sites, held_out = statistics = sweep.statistics(plan.problem, plan.here)
    untrained = plan.problem.begin(np.shape(held_out[0])[1])
    figures = plan.problem.figures(statistics, untrained)
    step = network.Step(0, untrained, None, ())
    return Watched("", np.zeros(0), step, figures["train"], figures["test"], _dots(sites))


def dots_step(records: int) -> int:
    """The step n such that every n-th record is drawn as a dot."""
    return max(1, records // MOST_DOTS)


def _dots(sites):
    x, y = (np.concatenate(part) for part in zip(*sites, strict=True))
    step = dots_step(len(y))
    return x[::step], y[::step]


def _advance(plan: Plan, name: str, scheme: str, to: int, repeat: int, cancelled) -> Watched | None:
    """Continue the training of a scheme that this worker keeps under a name, or begin it."""
    watch = KEPT.take((name, scheme)) or Watch(plan, {scheme: repeat})
    found = watch.advance(scheme, to, cancelled)
    if to < plan.steps and not cancelled.is_set():
        numbers = plan.here["samples"] * plan.here["sites"] * (plan.source.width or 1)
        KEPT.put((name, scheme), watch, bytes=8 * numbers)
    return found


def opening(plan: Plan, cancelled) -> tuple[dict[sweep.Job, dict], list[Watched]]:
    """All runs at the present settings, and the whole of the trainings nearest to their means, for a first visit."""
    jobs = [job for scheme in plan.shown for job in plan.jobs_here(scheme)]
    rows = {job: row(job, cancelled) for job in jobs}
    watch = Watch(plan, nearest(rows, plan))
    return rows, [watch.advance(scheme, to, cancelled) for to in stops(plan.steps) for scheme in plan.shown]


def nearest(rows: Mapping[sweep.Job, dict], plan: Plan) -> dict[str, int]:
    """For each private scheme the training nearest to the mean, see `typical`; {} before all at these settings are done."""
    private = [scheme for scheme in plan.shown if is_private(scheme)]
    jobs = {scheme: plan.jobs_here(scheme) for scheme in private}
    if plan.settings.repeats < 2 or not all(job in rows for every in jobs.values() for job in every):
        return {}
    return {s: typical([rows[job][plan.judged_on] for job in every]) for s, every in jobs.items()}


def row(job: sweep.Job, cancelled: threading.Event) -> dict | None:
    """One run of the curve, as `Job.run` returns it, and its accuracies at all `stops`; None if it was cancelled."""
    if not is_private(job.scheme):
        return job.run()  # It does not depend on ε, so it is run once and cached.
    settings = dict(job.settings)
    privacy = Privacy(settings["epsilon"], settings["delta"])
    statistics = sweep.statistics(job.problem, settings)
    seen, unseen = stops(dict(job.problem.options)["steps"]), statistics[1]
    course: dict[int, float] = {}

    def look(step):
        if cancelled.is_set():
            raise Stopped
        if step.number in seen:
            course[step.number] = step.network.accuracy(*unseen)

    try:
        found = job.problem.estimate(statistics, job.scheme, privacy, job.rng, settings, on_step=look)
    except Stopped:
        return None
    return {**settings, "scheme": job.scheme, "repeat": job.repeat, **found, "course": course}


class NetworkModel(Model):
    """The records, and the settings of the training."""

    data = param.Selector(
        default="moons",
        objects={source.title: name for name, source in labelled.classifications().items()},
        label="Records",
        doc="Shapes in the plane, where the decision boundary is visible; the distribution of [Cape] section 5.1; "
        "or a set that comes with scikit-learn.",
    )
    budget = param.Selector(
        default="total",
        objects={"whole training": "total", "every step": "step"},
        label="(ε, δ) is for",
        doc="The privacy target holds for all steps together or, as published, for every single step.",
    )
    steps = LogInteger(
        100, bounds=(10, 500), label="Steps", doc="More steps give less error without noise, and more noise."
    )
    hidden = param.Integer(
        16,
        bounds=(1, 64),
        label="Hidden units",
        doc="More units give finer boundaries, and more numbers to perturb.",
    )
    clip = LogNumber(
        1.0,
        bounds=(0.05, 10.0),
        label="Clipping norm C",
        doc="A record's gradient is shortened to this norm if it is longer. A larger C gives less bias and more noise.",
    )
    learning_rate = LogNumber(
        2.0,
        bounds=(0.05, 50.0),
        label="Step size",
        doc="The length of one step, in units of the noisy gradient.",
    )
    batches = param.Integer(
        1,
        bounds=(1, 10),
        label="Batches",
        doc="Number of parts that the records are split into. Steps use them in turn, so each record is used less often.",
    )
    judged_on = param.Selector(
        default="test",
        objects={"unseen": "test", "trained on": "train"},
        label="Accuracy on records",
        doc="Held-out records or the training records. Neither accuracy is private.",
    )
    printed = param.Selector(**printed_choice("network"))

    def plan(self) -> Plan:
        """Freeze the present settings.

        Raises
        ------
        ValueError
            If they do not fit the records, or ask for more work than one session may.
        """
        settings = self.controls.snapshot()
        source = labelled.classifications()[self.data]
        if not settings.schemes:
            raise ValueError("choose at least one scheme to show")
        here = self._cell(settings, source, settings.epsilon)
        if here["samples"] < self.batches:
            raise ValueError(
                f"batches must be at most the {here['samples']} records a site, got {self.batches}"
            )
        if (work := here["samples"] * here["sites"] * self.steps) > MOST_WORK:
            raise ValueError(
                f"steps times records must be at most {number_text(MOST_WORK)} for one session, "
                f"got {number_text(work)}: choose fewer records or steps"
            )
        options = {
            "steps": self.steps,
            "budget": self.budget,
            "hidden": self.hidden,
            "clip": self.clip,
            "learning_rate": self.learning_rate,
            "batches": self.batches,
            "calibration": settings.calibration,
        }
        return Plan(
            settings=settings,
            source=source,
            # All trainings have the same start, so their curves differ by the noise only.
            problem=network.Problem(
                labelled.load_classes, DATA_SETTINGS, tuple(options.items()), start_seed=settings.data_seed
            ),
            budget=self.budget,
            steps=self.steps,
            visits=math.ceil(self.steps / self.batches),
            judged_on=self.judged_on,
            shown=presented(settings.schemes),
            cells=tuple(self._cell(settings, source, epsilon) for epsilon in EPSILONS),
            here=here,
            label=f"{source.title}: {settings_line(here, SYMBOLS)}, {self.steps} steps",
        )

    def _cell(self, settings, source, epsilon):
        samples = tables.samples_at(source, sites=settings.sites, samples=settings.samples)
        return {
            "epsilon": epsilon,
            "delta": settings.delta,
            "sites": settings.sites,
            "samples": samples,
            "data": source.name,
            "data_seed": settings.data_seed,
            **settings.run_terms(settings.sites),
        }


def means(rows: Iterable[dict], plan: Plan) -> pd.DataFrame:
    """Accuracy in per cent, averaged, by scheme and ε."""
    return summary(rows, plan.axis, plan.judged_on, factor=100.0)


def average_after(rows: Iterable[dict], plan: Plan, steps: int) -> dict[str, float]:
    """Each private scheme's mean accuracy after so many steps at the present ε; see `average_here`.

    Before the last step the accuracy on unseen records alone is known.
    """
    if not steps:
        return {}  # Of a network that nobody has trained there is one.
    if steps == plan.steps:
        return average_here(rows, plan, plan.judged_on)
    if plan.judged_on != "test":
        return {}
    after = ({**one, "accuracy": one["course"][steps]} for one in rows if "course" in one)
    return average_here(after, plan, "accuracy")


def fits(plan: Plan, drawn: Mapping[str, int], *, same: Hashable = None) -> list[Fit]:
    """Jobs for the training runs shown; each job does part of the steps of one scheme, all from the same start.

    Parameters
    ----------
    drawn : mapping of str to int
        Which repetition of a scheme is shown, if not the first.
    same : hashable, optional
        Of trainings that are known already; default: they begin anew.
    """
    name = same or uuid4().hex
    return [
        Fit(
            scheme,
            partial(_advance, plan, name, scheme, to, drawn.get(scheme, 0)),
            (plan.job_here(scheme, drawn.get(scheme, 0)),),
            same=name,
            keep=scheme,
        )
        for to in stops(plan.steps)
        for scheme in plan.shown
    ]
