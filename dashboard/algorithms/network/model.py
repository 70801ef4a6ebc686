"""What a private training computes: the trainings at the present settings step by step, and a sweep over ε."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np
import pandas as pd
import param

from core import Privacy, network, sweep
from core.privacy import gaussian_mu, gdp_epsilon
from core.schemes import is_private, presented
from dashboard.page.model import Model
from dashboard.plotting.printed_points import printed_choice
from dashboard.problems.setup import depends_on, sizes
from dashboard.problems.site_sizes import total_of
from dashboard.runs.axes import axes, settings_line, shared_axis
from dashboard.runs.fit import Fit
from dashboard.runs.sweep_plan import SweepPlan, summary, typical
from dashboard.state.controls import LogInteger, LogNumber
from dashboard.state.number_text import number_text
from data.catalogue import labelled
from data.sites import held

# Close to each other where the curves differ most.
AXES = axes(shared_axis("epsilon", (0.01, 0.03, 0.1, 0.2, 0.5, 2.0, 10.0)))
SYMBOLS = {"delta": "δ", "sites": "S", "samples": "Nₛ"}
DATA_SETTINGS = ("data", "sites", "samples", "data_seed")
MOST_STEPS = 500
MOST_DOTS = 160
# Trainings a scheme of which the picture waits for the mean; the curve goes on to all repeats.
MOST_TRAINED = 10
MOST_WORK = 20_000_000  # Records times steps of one training; takes a few seconds.


@dataclass(frozen=True)
class Spot:
    """Repeated trainings of one scheme at the present settings.

    Attributes
    ----------
    method : str
    start : Network
        Before the first step: random, public, and the same for all schemes.
    vectors : ndarray of shape (steps + 1, parameters)
        The networks of the drawn training, see `typical`, from `start` on; empty where no picture shows them.
    losses : ndarray of shape (steps,)
        Cross-entropy of the drawn training on the training records, before each step.
    course : ndarray of shape (steps + 1,)
        Mean accuracy of all trainings after each step.
    each : tuple of dict
        The figures of every training at its end.
    dots : (ndarray of shape (n, d), ndarray of shape (n,))
        Some of the training records and their labels, to be drawn.
    """

    method: str
    start: network.Network
    vectors: np.ndarray
    losses: np.ndarray
    course: np.ndarray
    each: tuple[dict, ...]
    dots: tuple[np.ndarray, np.ndarray]

    def network(self, step: int) -> network.Network:
        """The network of the drawn training after a step; 0 is before the first."""
        return self.start.at(self.vectors[step])


@dataclass(frozen=True, kw_only=True)
class Plan(SweepPlan):
    """Settings of one picture, frozen; `here` are those of the trainings that are shown, `step` the one shown of them."""

    budget: str
    steps: int
    step: int
    visits: int
    judged_on: str

    @property
    def measure(self) -> str:
        """What the curve counts."""
        return self.judged_on

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


def dots_step(records: int) -> int:
    """The step n such that every n-th record is drawn as a dot."""
    return max(1, records // MOST_DOTS)


def fits(plan: Plan) -> list[Fit]:
    """The trainings of every scheme at the present settings: as many as there are repeats, up to `MOST_TRAINED`."""
    drawn = plan.source.window is not None
    found = []
    for method in sorted(plan.shown, key=is_private):
        jobs = plan.jobs_here(method)[:MOST_TRAINED]
        make = partial(train, jobs, plan.judged_on, drawn)
        found.append(Fit(method, make, jobs, same=plan.judged_on, each=True))
    return found


def train(jobs: Sequence[sweep.Job], judged_on: str, drawn: bool, cancelled) -> Spot | None:
    """Train once a job from the same start; None if it was cancelled, which takes effect between two steps.

    Parameters
    ----------
    judged_on : {"test", "train"}
        The records on which the accuracy is counted after every step.
    drawn : bool
        Whether the networks are kept.
    """
    problem = jobs[0].problem
    statistics = sites, held_out = sweep.statistics(problem, dict(jobs[0].settings))
    records = _together(sites)
    judged = held_out if judged_on == "test" else records
    start = problem.begin(records[0].shape[1])
    found, each = [], []
    for job in jobs:
        trained = _trained(job, statistics, start, judged, drawn, cancelled)
        if trained is None:
            return None
        last, *course = trained
        found.append(course)
        each.append(problem.figures(statistics, last))
    courses, losses, vectors = zip(*found, strict=True)
    place = typical([course[-1] for course in courses])
    every = dots_step(len(records[1]))
    dots = records[0][::every], records[1][::every]
    mean = np.mean(courses, axis=0)
    return Spot(jobs[0].scheme, start, vectors[place], losses[place], mean, tuple(each), dots)


def _trained(job, statistics, start, judged, drawn, cancelled):
    """The last network, then accuracies, losses, and what is kept of the networks; None if cancelled."""
    settings = dict(job.settings)
    privacy, rng = Privacy(settings["epsilon"], settings["delta"]), job.rng
    if not is_private(job.scheme):
        privacy, rng = (
            None,
            np.random.default_rng(0),
        )  # As on the curve: `core.sweep` has one such run for all ε.
    course, losses, vectors, last = [start.accuracy(*judged)], [], [start.vector], start
    for step in job.problem.training(statistics, job.scheme, privacy, rng, settings):
        if cancelled.is_set():
            return None
        last = step.network
        course.append(last.accuracy(*judged))
        losses.append(step.loss)
        if drawn:
            vectors.append(last.vector)
    return last, np.array(course), np.array(losses), np.array(vectors if drawn else [])


def _together(sites):
    return tuple(np.concatenate(part) for part in zip(*sites, strict=True))


class NetworkModel(Model):
    """The records, and the settings of the training."""

    axes = AXES
    axis = "epsilon"
    lasting = True

    step = param.Integer(
        MOST_STEPS,
        bounds=(0, MOST_STEPS),
        label="Training step",
        doc="The page shows this step of the training. At 0 all schemes have the same random network.",
    )
    data = param.Selector(
        default="moons",
        objects={source.title: name for name, source in labelled.classifications().items()},
        label="Records",
        doc="Shapes in the plane make the decision boundary visible. Other records follow the distribution of "
        "[Cape] section 5.1 or come with scikit-learn.",
    )
    budget = param.Selector(
        default="total",
        objects={"whole training": "total", "every step": "step"},
        label="(ε, δ) is for",
        doc="The privacy target holds for all steps together or, as published, for every single step.",
    )
    steps = LogInteger(
        100,
        bounds=(10, MOST_STEPS),
        label="Steps",
        doc="More steps give less error without noise, and more noise.",
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
        doc="The gradient of each record is clipped to this norm. A larger C gives less bias and more noise.",
    )
    learning_rate = LogNumber(
        2.0,
        bounds=(0.05, 50.0),
        label="Step size",
        doc="One step has this length, in units of the noisy gradient.",
    )
    batches = param.Integer(
        1,
        bounds=(1, 10),
        label="Batches",
        doc="The records are split into so many parts. Steps use them in turn, so each record is used less often.",
    )
    judged_on = param.Selector(
        default="test",
        objects={"unseen": "test", "trained on": "train"},
        label="Accuracy on records",
        doc="Accuracy counts held-out records or the training records. Neither accuracy is private.",
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
        self._check(here)
        return Plan(
            settings=settings,
            source=source,
            problem=self._problem(settings, depends_on(DATA_SETTINGS, source, settings.imbalance)),
            budget=self.budget,
            steps=self.steps,
            step=min(self.step, self.steps),
            visits=math.ceil(self.steps / self.batches),
            judged_on=self.judged_on,
            shown=presented(settings.schemes),
            cells=tuple(self._cell(settings, source, epsilon) for epsilon in AXES["epsilon"].values),
            here=here,
            label=f"{source.title}: {settings_line(here, SYMBOLS)}, {self.steps} steps",
        )

    def _check(self, here):
        if (least := np.min(held(here))) < self.batches:
            raise ValueError(f"batches must be at most the {least} records a site, got {self.batches}")
        if (work := total_of(here) * self.steps) > MOST_WORK:
            raise ValueError(
                f"steps times records must be at most {number_text(MOST_WORK)} for one session, "
                f"got {number_text(work)}: choose fewer records or steps"
            )

    def _problem(self, settings, data_settings):
        names = ("steps", "budget", "hidden", "clip", "learning_rate", "batches")
        options = (*((name, getattr(self, name)) for name in names), ("calibration", settings.calibration))
        # All trainings have the same start, so their curves differ by the noise only.
        return network.Problem(labelled.load_classes, data_settings, options, start_seed=settings.data_seed)

    def _cell(self, settings, source, epsilon):
        asked = {"sites": settings.sites, "samples": settings.samples}
        return {
            "epsilon": epsilon,
            "delta": settings.delta,
            **sizes(source, asked, imbalance=settings.imbalance, least=self.batches),
            "data": source.name,
            "data_seed": settings.data_seed,
            **settings.run_terms(settings.sites),
        }


def means(rows: Iterable[dict], plan: Plan) -> pd.DataFrame:
    """Accuracy in per cent by scheme and ε, averaged; beside ε what it is for one step, and for all."""
    found = summary(rows, plan.axis, plan.judged_on, factor=100.0)
    found.insert(2, "epsilon_total", [plan.total_epsilon(e) for e in found.epsilon])
    found.insert(2, "epsilon_step", [plan.step_epsilon(e) for e in found.epsilon])
    return found
