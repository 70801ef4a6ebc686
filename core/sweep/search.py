"""Plans: search for the least ε, number of sites or records that meets a target, with a stated error probability.

A search examines a row of cells (settings of one problem), ordered by cost, for the first cell from which on
a target is met. It runs a few cells over the whole row, then halves the gap between the last that
misses and the first that meets.

**Stopping rule.** At every cell runs are added in looks at 6, 12, 24, … runs until a test (`Target.verdict`) says that the
target is met or missed, or until `most` runs left it open. A search tries at most P cells, and each may err with
probability error/P, shared by its looks as their runs are (early looks decide what is plain, late ones what is
close); a cell is either met or missed, so only one side can err. By the union bound, whichever cells the search
chose to visit, all its decisions are right with probability at least 1 − error: for any figure if a chance is
asked for, for a mean as far as Student's test holds (`Target.verdict`). Then the target is missed at
`Answer.low` and met at `Answer.high`: *a* crossing lies between them. If the figure only ever improves along the
row, it is *the* crossing; if probes show that it does not, `Answer.earlier` says so, and the answer is about the
last crossing that the probes show.

**Measuring.** With a target without a bound there is nothing to search: at its one cell a search makes `most` runs, and
`Answer.estimate` is the mean of the figure, between the ends `low` and `high` of Student's interval.

These probabilities are over the noise of the releases, for the given records. They do not apply to other records.
"""

from __future__ import annotations

import functools
import itertools
import math
import threading
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import stdtrit

from core import check, sweep
from core.schemes import PLAIN
from core.sweep.targets import Target

FIRST = 6  # Runs before the first test at a cell.


@dataclass(frozen=True)
class Probe:
    """The runs of one cell and the decision.

    Attributes
    ----------
    x : float
        Value of the setting that is sought.
    scores : tuple of float
        The figure of every run (a share, if the target is relative).
    meets : bool or None
        The decision; None: open.
    """

    x: float
    scores: tuple[float, ...]
    meets: bool | None

    @property
    def mean(self) -> float:
        """Mean of the scores."""
        return float(np.mean(self.scores))


@dataclass(frozen=True)
class Answer:
    """Result of a search: the interval in which the target begins to be met, or that of a measured figure.

    Attributes
    ----------
    scheme : str
    state : str
        "running"; "found": between `low` and `high`; "at once": already at the first cell; "out of reach":
        missed even at the last; "open": the runs allowed do not tell whether the last cell meets it.
    low, high : float
        Missed at `low` (NaN: no cell is shown to miss it), met at `high` (∞: none is shown to meet it).
    estimate : float
        Where the means cross the bound, between the two; NaN if there are not two.
    earlier : float
        A value below `low` at which the target was met all the same: the figure does not only improve.
        NaN: none was seen.
    runs : int
    probes : tuple of Probe
        By x.
    """

    scheme: str
    state: str
    low: float
    high: float
    estimate: float
    earlier: float = math.nan
    runs: int = 0
    probes: tuple[Probe, ...] = ()


@check.arguments(problem=check.problem, seed=check.seed)
@dataclass(frozen=True)
class Search:
    """An immutable state of a search; `step` returns the next. See the module for the stopping rule.

    Parameters
    ----------
    problem
        See `core.sweep`.
    cells : tuple of (float, tuple of pairs)
        The value sought and the settings of every cell, by rising cost; one alone if the target has no bound.
    target : Target
    scheme : str
    seed : int
        Of the noise.
    error : float
        Probability that any decision of the search is wrong, at most; see the module for its proviso.
    most : int
        Runs at one cell, at most.
    budget : int
        Runs of the whole search, at most.
    coarse : int
        How many cells are tried over the whole row before gaps are halved.
    scores : mapping of int to tuple of float
        Scores found so far, by the number of the cell.
    """

    problem: Any
    cells: tuple[tuple[float, tuple], ...]
    target: Target
    scheme: str
    seed: int
    error: float = 0.05
    most: int = 96
    budget: int = 2000
    coarse: int = 7
    scores: Mapping[int, tuple[float, ...]] = field(default_factory=dict, repr=False)

    def __post_init__(self):
        check.fraction("error", self.error)
        check.integer("most", self.most, low=FIRST)
        check.integer("budget", self.budget, low=FIRST)
        check.integer("coarse", self.coarse, low=2)
        check.choice("scheme", self.scheme, self.problem.methods)
        if self.target.value is None and len(self.cells) != 1:
            raise ValueError(f"cells must be 1 where the target has no bound, got {len(self.cells)}")
        if self.target.value is not None and len(self.cells) < 2:
            raise ValueError(f"cells must be at least 2, got {len(self.cells)}")
        values = [x for x, _ in self.cells]
        if not all(a < b for a, b in itertools.pairwise(values)) or not values[0] > 0:
            raise ValueError("cells must have positive values that rise from each to the next")

    @property
    def looks(self) -> tuple[int, ...]:
        """Numbers of runs at which a cell is tested."""
        doublings = int(math.log2(self.most / FIRST))
        return (*(FIRST * 2**i for i in range(doublings)), self.most)

    @property
    def most_cells(self) -> int:
        """P: cells that a search tries, at most.

        Halving leaves two gaps at most, below and above the cells that stay open.
        """
        places = self._places()
        widest = max(b - a for a, b in itertools.pairwise(places))
        return len(places) + 2 * math.ceil(math.log2(widest))

    @property
    def runs(self) -> int:
        """Runs so far."""
        return sum(map(len, self.scores.values()))

    @property
    def outlook(self) -> int:
        """A forecast of the runs still to come, for a progress bar; 0 once it is over."""
        if self.over:
            return 0
        if self.target.value is None:
            return self.most - self.runs
        places = self._places()
        cells = len(places) + math.ceil(math.log2(max(b - a for a, b in itertools.pairwise(places))))
        return 2 * FIRST * max(1, cells - len(self.scores))

    @property
    def over(self) -> bool:
        """Whether there is nothing more to run."""
        return self.runs >= self.budget or self._next() is None

    @check.arguments
    def step(self, *, run=None, most: int | None = None) -> Search:
        """Run at the next cell, up to its next look.

        Parameters
        ----------
        run : callable, optional
            Maps a list of `sweep.Job` to their rows, in order. Default: one after another, here.
        most : int, optional
            No more runs than so many, so that a step stays short.
        """
        place = self._next()
        have = self.scores.get(place, ())
        goal = next(look for look in self.looks if look > len(have))
        end = min(goal, len(have) + (most or goal), len(have) + self.budget - self.runs)
        _, settings = self.cells[place]
        jobs = [self._job(settings, self.scheme, repeat) for repeat in range(len(have), end)]
        best = self._job(settings, PLAIN, 0).run() if self.target.relative else None
        result = tuple(self.target.score(row, best) for row in (run or _here)(jobs))
        return replace(self, scores={**self.scores, place: have + result})

    @property
    def answer(self) -> Answer:
        """What the runs so far say."""
        if self.target.value is None:
            return self._measured()
        low, high = self._bracket()
        last = len(self.cells) - 1
        earlier = [i for i in self.scores if i < low and self._verdict(i)]
        probes = tuple(
            Probe(self.cells[i][0], scores, self._verdict(i)) for i, scores in sorted(self.scores.items())
        )
        return Answer(
            self.scheme,
            self._state(low, high),
            self.cells[low][0] if low >= 0 else math.nan,
            self.cells[high][0] if high <= last else math.inf,
            self._crossing(low, high),
            self.cells[min(earlier)][0] if earlier else math.nan,
            self.runs,
            probes,
        )

    def _measured(self):
        """The mean figure of the one cell, and its interval."""
        scores = self.scores.get(0, ())
        probes = (Probe(self.cells[0][0], scores, None),) if scores else ()
        if not self.over:
            return Answer(self.scheme, "running", math.nan, math.inf, math.nan, runs=self.runs, probes=probes)
        mean, spread = float(np.mean(scores)), float(np.std(scores, ddof=1)) / math.sqrt(len(scores))
        half = -float(stdtrit(len(scores) - 1, self.error / 2)) * spread
        return Answer(self.scheme, "found", mean - half, mean + half, mean, runs=self.runs, probes=probes)

    def _state(self, low, high):
        if not self.over:
            return "running"
        if high == 0:
            return "at once"
        if low == len(self.cells) - 1:
            return "out of reach"
        return "found" if low >= 0 and high < len(self.cells) else "open"

    def _job(self, settings, scheme, repeat):
        return sweep.Job(self.problem, settings, scheme, repeat, self.seed)

    def _places(self):
        """The cells tried first: spread over the row, both ends among them."""
        return sorted({round(i) for i in np.linspace(0, len(self.cells) - 1, self.coarse)})

    def _verdict(self, place):
        scores = self.scores.get(place, ())
        if self.target.value is None or len(scores) not in self.looks:
            return None
        share = len(scores) / sum(self.looks)
        return _verdict(self.target, scores, self.error / self.most_cells * share)

    def _done(self, place):
        return len(self.scores.get(place, ())) >= self.most or self._verdict(place) is not None

    def _next(self):
        """The cell to run next, or None."""
        # All first cells alike, the cheapest (the fastest, as a rule) first.
        unfinished = [i for i in sorted({*self._places(), *self.scores}) if not self._done(i)]
        if unfinished:
            return min(unfinished, key=lambda i: len(self.scores.get(i, ())))
        low, high = self._bracket()
        undecided = [i for i in sorted(self.scores) if low < i < high]
        stops = [low, *undecided, high]
        # Between two open cells nothing more can be decided: only what borders on a decision is halved.
        gaps = {(b - a, a) for a, b in ((stops[0], stops[1]), (stops[-2], stops[-1]))}
        width, start = max(gaps)
        return start + width // 2 if width > 1 else None

    def _bracket(self):
        """The last cell that misses and the first after it that meets; −1 and S if there is none."""
        verdicts = {i: self._verdict(i) for i in self.scores}
        low = max((i for i, verdict in verdicts.items() if verdict is False), default=-1)
        high = min((i for i, verdict in verdicts.items() if verdict and i > low), default=len(self.cells))
        return low, high

    def _crossing(self, low, high):
        if low < 0 or high >= len(self.cells):
            return math.nan
        points = [
            (math.log(self.cells[i][0]), float(self.target.margins(self.scores[i]).mean()))
            for i in sorted(self.scores)
            if low <= i <= high
        ]
        for (x, y), (following, after) in list(itertools.pairwise(points))[::-1]:
            if y < 0 <= after:
                return math.exp(x + (following - x) * -y / (after - y))
        return math.nan


@check.arguments(problem=check.problem, seed=check.seed)
def search(
    problem,
    cells: Mapping[float, Mapping],
    target: Target,
    *,
    schemes: Iterable[str],
    seed: int,
    executor: Executor | None = None,
    on_answer: Callable[[Answer], None] | None = None,
    cancelled: threading.Event | None = None,
    **options,
) -> dict[str, Answer]:
    """The least value at which each scheme meets a target, with its interval. See the module for the stopping rule.

    Parameters
    ----------
    problem
        See `core.sweep`.
    cells : mapping of float to mapping
        Settings for each value of what is sought, by rising cost: usually a logarithmic grid, whose step is the
        sharpest the answer can be. To seek a greatest value (of δ, of k), hand in its inverse.
    target : Target
    schemes : iterable of str
        Private schemes or methods of the problem; they take turns.
    seed : int
        Of the noise; numbers do not depend on the executor.
    executor : concurrent.futures.Executor, optional
        Where the runs of a look take place side by side. Default: here.
    on_answer : callable, optional
        Called in this thread with a scheme's answer so far after each of its tests.
    cancelled : threading.Event, optional
        Once set, the answers so far are returned.
    **options
        Of `Search`: error, most, budget, coarse.

    Returns
    -------
    dict of str to Answer
    """
    cancelled = cancelled or threading.Event()
    for x, cell in cells.items():
        if not isinstance(cell, Mapping):
            raise ValueError(f"cells must be mappings of settings to values, got {check.shown(cell)}")
        check.positive("cells", x)
    row = tuple((float(x), tuple(sorted(cell.items()))) for x, cell in cells.items())
    searches = {s: Search(problem, row, target, s, seed, **options) for s in schemes}
    run = _here if executor is None else lambda jobs: executor.map(sweep.Job.run, jobs)
    while not cancelled.is_set() and (going := [s for s, result in searches.items() if not result.over]):
        for scheme in going:
            if cancelled.is_set():
                break
            searches[scheme] = searches[scheme].step(run=run)
            if on_answer is not None:
                on_answer(searches[scheme].answer)
    return {scheme: result.answer for scheme, result in searches.items()}


@check.arguments(low=check.sized, high=check.sized)
def solve(figure: Callable[[float], float], low: float, high: float, bound: float, *, whole: bool = False):
    """The least x in [low, high] at which a figure that is known exactly, and falls with x, is at most `bound`.

    Returns ∞ if `high` does not suffice; with `whole` only whole numbers x are asked.
    """
    if figure(high) > bound:
        return math.inf
    if figure(low) <= bound:
        return low
    if not whole:
        root = brentq(lambda t: figure(math.exp(t)) - bound, math.log(low), math.log(high), xtol=1e-13)
        return math.exp(root)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if figure(middle) <= bound else (middle, high)
    return high


def _here(jobs):
    return [job.run() for job in jobs]


@functools.lru_cache(maxsize=1024)
def _verdict(target, scores, error):
    # Every step asks for the verdict on every cell, most of which have no new runs.
    return target.verdict(scores, error)
