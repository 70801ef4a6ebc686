"""The plan of a sweep: the points of a curve, their repeats, and their summary."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from core import sweep
from core.schemes import is_private
from dashboard.plotting.bands import band
from dashboard.state.controls import Settings
from dashboard.state.number_text import LEAST_REPEATS, count_text

T = TypeVar("T")
_SHARED = (
    *("epsilon", "delta", "sites", "samples", "k"),
    *("schemes", "adversary", "colluding", "dropouts", "calibration", "repeats"),
)


def compared(*absent: str, unequal: bool = False) -> tuple[str, ...]:
    """The shared controls of a comparison, except those that do not apply to it; `unequal` sites have an imbalance."""
    names = (*_SHARED, *(["imbalance"] if unequal else []), "data_seed", "noise_seed")
    return tuple(name for name in names if name not in absent)


@dataclass(frozen=True, kw_only=True)
class SweepPlan:
    """What the plans of sweeps have in common; a plan of an algorithm adds what it alone has.

    Attributes
    ----------
    settings : Settings
        The shared controls, with the seed of the noise.
    source
        The records; `title` names them.
    problem
        What `core.sweep` runs.
    axis : str
        Name of the setting on the curve's axis.
    shown : tuple of str
        The methods to draw.
    cells : tuple of dict
        All settings of every point of the curve.
    here : dict
        Those of the current point.
    label : str
        The settings in one line.

    It also has a `measure`, the name of what its curve counts.
    """

    settings: Settings
    source: Any
    problem: Any
    axis: str = "epsilon"
    shown: tuple[str, ...]
    cells: tuple[dict, ...]
    here: dict
    label: str

    @property
    def measurable(self) -> tuple[str, ...]:
        """The measures that the records have; () for all."""
        return ()

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods to compute."""
        return self.shown

    @property
    def logarithmic(self) -> bool:
        """Whether the curve's axis is logarithmic."""
        return True

    @property
    def exact(self) -> bool:
        """Whether the curve is a formula, which needs no runs."""
        return False

    @property
    def common(self) -> bool:
        """Whether a scheme draws the same noise at all settings, see `core.sweep.Job`: so a picture changes with a
        setting, not with the draw.
        """
        return False

    @property
    def noise(self) -> dict[str, Any]:
        """What `core.sweep` draws noise from: the seed, and whether it is common to all settings."""
        return {"seed": self.settings.noise_seed} | ({"common": True} if self.common else {})

    @cached_property
    def key(self) -> Hashable:
        """Everything on which the curve depends; plans with equal keys share their runs."""
        cells = tuple(tuple(sorted(cell.items())) for cell in self.cells)
        return self.problem, self.axis, cells, self.methods, self.settings.repeats, self.settings.noise_seed

    def share(self, earlier: SweepPlan | None) -> None:
        """Take the runs of an earlier plan, if the curve is the same."""
        if earlier is None or self.exact:
            return
        if earlier.key == self.key and earlier.common == self.common:
            vars(self)["jobs"] = earlier.jobs

    @cached_property
    def jobs(self) -> list[sweep.Job]:
        """Every run of the curve, in an order in which its coarse shape comes first.

        A point is drawn with its third repeat: the first three of a point come together.
        """
        s, cells = self.settings, coarse_first(self.cells)
        place = {tuple(sorted(cell.items())): number for number, cell in enumerate(cells)}
        jobs = sweep.jobs(self.problem, cells, schemes=self.methods, repeats=s.repeats, **self.noise)
        return sorted(jobs, key=lambda job: (beyond_least(job), place[job.settings]))

    @cached_property
    def batches(self) -> list[list[sweep.Job]]:
        """Every run of the curve, in batches that go to the worker together."""
        return [[job] for job in self.jobs]

    def job_here(self, method: str, repeat: int = 0) -> sweep.Job:
        """The run at the current settings; where the curve has a point there, it is that point's run."""
        here = tuple(sorted(self.here.items()))
        return sweep.Job(self.problem, here, method, repeat, **self.noise)

    def jobs_here(self, method: str) -> tuple[sweep.Job, ...]:
        """All repeats at the current settings; one of what draws no noise."""
        repeats = self.settings.repeats if is_private(method) else 1
        return tuple(self.job_here(method, repeat) for repeat in range(repeats))


def beyond_least(job: sweep.Job) -> int:
    """How many repeats a run is beyond those without which its point is not drawn; 0 for these."""
    return max(0, job.repeat - LEAST_REPEATS + 1)


def coarse_first(points: Sequence[T]) -> list[T]:
    """The points of a curve in an order that shows its shape early: both ends, then the middle of the widest gap."""
    last = len(points) - 1
    places = [0, last][: len(points)] if last else [0]
    while len(places) < len(points):
        gap = max(pairwise(sorted(places)), key=lambda ends: ends[1] - ends[0])
        places.append(sum(gap) // 2)
    return [points[place] for place in places]


def by_point(jobs: Sequence[sweep.Job]) -> list[list[sweep.Job]]:
    """Group jobs into batches: the jobs of one point and repeat together."""
    together: dict[tuple, list] = {}
    for job in jobs:
        together.setdefault((job.repeat, job.settings), []).append(job)
    return list(together.values())


def typical(figures: Sequence[float], *, own: bool = False) -> int:
    """Which of several releases a picture draws beside their mean: the one whose figure is nearest to it.

    Of a user's own table it is the first. Figures compare a release with the records: who chooses by them shows more
    of the records than one release does.

    Parameters
    ----------
    figures : sequence of float
        The figure of every release; of equally near ones the first is drawn.
    own : bool
        Whether the records are a user's own.
    """
    if own:
        return 0
    away = np.abs(np.asarray(figures, dtype=float) - np.mean(figures))
    return int(np.argmax(np.isclose(away, away.min())))


def means_text(repeats: int, *, drawn: str, own: bool) -> str:
    """Of how many releases the numbers are means, and which of these is `drawn`, as `typical` chooses; "" for one."""
    which = "the first" if own else "those nearest to them"
    return f"Means of {count_text(repeats, 'release')}; {drawn} {which}." if repeats > 1 else ""


def summary(
    rows: Iterable[Mapping], axis: str, measure: str, *, factor: float = 1.0, relative_to: str | None = None
) -> pd.DataFrame:
    """Mean and 95 % band of a measure, times `factor`, by method and value of the axis.

    Parameters
    ----------
    rows : iterable of mappings
        As `core.sweep.Job.run` returns them.
    relative_to : str, optional
        Divide by this method's value at the same point; points without one are left out.

    Returns
    -------
    DataFrame with columns scheme, the axis, mean, low, high, repeats
    """
    found: dict[str, dict[float, list[float]]] = {}
    for row in rows:
        found.setdefault(row["scheme"], {}).setdefault(row[axis], []).append(row[measure])
    whole = found.get(relative_to, {})
    table = []
    for scheme, points in sorted(found.items()):
        for x, values in sorted(points.items()):
            if relative_to is None or x in whole:
                scaled = factor * np.array(band(values)) / (whole[x][0] if relative_to else 1.0)
                table.append((scheme, x, *scaled.tolist(), len(values)))
    return pd.DataFrame(table, columns=["scheme", axis, "mean", "low", "high", "repeats"])


def program(plan: SweepPlan, title: str, imports: str, problem: str, measure: str, *, factor: int = 1) -> str:
    """A program that repeats a plan's runs without the app and leaves the means of a measure in `columns`.

    Parameters
    ----------
    title : str
        The program's docstring.
    imports : str
        The lines above the problem: imports, `sweep` of `core` among them, and the function that loads the records.
    problem : str
        An expression that makes the problem.
    measure : str
        The figure of each run, times `factor`, whose mean is taken.
    """
    s, times = plan.settings, "" if factor == 1 else f"{factor} * "
    noise = noise_options(plan)
    return f'''"""{title}"""
{imports}

problem = {problem}
cells = {list(plan.cells)!r}
rows = sweep.run(problem, cells, schemes={plan.shown!r}, repeats={s.repeats}, {noise})

mean = {times}rows.groupby(["scheme", "{plan.axis}"])["{measure}"].mean()
columns = mean.rename("mean").reset_index().to_dict("list")
print(mean.unstack(0).to_string(float_format="%.4g"))
'''


def noise_options(plan: SweepPlan) -> str:
    """The arguments of `core.sweep.run` that say which noise it draws."""
    return ", ".join(f"{name}={value!r}" for name, value in plan.noise.items())
