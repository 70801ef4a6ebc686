"""Sentences on tensor components, and the program behind the curve."""

from __future__ import annotations

import math

from core import power
from core.schemes import PRIVATE, is_private, presented
from dashboard.algorithms.power.model import DATA_SETTINGS, STEPS, WIDE, Plan, Spot
from dashboard.compare.store import Results
from dashboard.page.played import Reached
from dashboard.plotting.bands import crossing
from dashboard.runs.sweep_plan import noise_options
from dashboard.state.html_text import listed
from dashboard.state.number_text import amount_text, count_text, number_text
from dashboard.theme.scheme_style import coloured, label, spoken, subject

_SAID = ("cape", "conventional", "local", "alg3_exact")
_CALLED = {"alg3_exact": "a curator with noise each step"}


def headline(plan: Plan, results: Results) -> str:
    """How many components the schemes find at the present settings, and their mean cosine."""
    spots = results.spots
    known = {m: _found(m, spots[m], of=i == 0) for i, m in enumerate(m for m in _SAID if m in spots)}
    if not known:
        return (
            ""
            if any(map(plan.fits, plan.shown))
            else "Noise on every count is left out: the tensor is too large"
        )
    first, *others = known
    said = f"{spoken(first, _CALLED.get(first, ''))} finds {known[first]}"
    return said + "".join(f", {spoken(m, _CALLED.get(m, ''))} {known[m]}" for m in others)


def _found(method: str, spot: Spot, *, of: bool) -> str:
    """A count with its mean cosine; `of` says of how many, and what is in brackets."""
    k, cosine = len(spot.true), f"{spot.mean('cosine'):.2f}"
    count = amount_text(spot.mean("found"), k)
    number = coloured(method, count, "b")
    return (
        f"{number} of {count_text(k, 'component')} (mean cosine {cosine})" if of else f"{number} ({cosine})"
    )


def needed(plan: Plan, results: Results) -> str:
    """The ε from which on the curve of each method stays above the cosine of a component found."""
    known = [m for m in plan.shown if is_private(m) and (m not in PRIVATE or plan.here["d"] <= WIDE)]
    if plan.axis != "epsilon" or not results.whole or not known or results.means is None:
        return ""
    found = []
    for method in known:
        points = results.points_of(method)
        at = crossing(points["x"], points["mean"], power.FOUND)
        least = f"more than {number_text(max(points['x']))}" if math.isnan(at) else number_text(at, digits=2)
        found.append(f"{least} ({label(method)})")
    return f"A mean cosine of {power.FOUND:g} needs about ε = {listed(found)}."


def reached(plan: Plan, results: Results) -> Reached:
    """Who finds all components in every run."""
    k, spots = plan.here["components"], results.spots
    private = [m for m in (*presented(plan.shown), *STEPS) if m in spots and is_private(m)]
    who = {subject(m): spots[m].mean("found") >= k for m in private}
    return Reached(f"all {k} components were found with", who, short="all found")


def script(plan: Plan, own: None) -> str:
    """A program that leaves the numbers of the curve in `columns`."""
    s, p = plan.settings, plan.problem
    fixed = {n: v for n, v in plan.here.items() if n != plan.axis}
    return f'''"""Correlation with the truth of private tensor components along {plan.axis}."""
import numpy as np

from core import Privacy, power, sweep
from core.schemes import PRIVATE
from data.synthetic.tensors import tensor_components


def load(settings):
    return tensor_components(
        settings["components"], dimension=settings["d"], strength=settings["strength"],
        share=settings["share"], rng=np.random.default_rng(settings["data_seed"]),
    )


problem = power.Problem(
    load, {DATA_SETTINGS!r}, neighbours={p.neighbours!r},
    restarts={p.restarts}, iterations={p.iterations},
)
fixed = {fixed!r}
cells = [fixed | {{"{plan.axis}": x}} for x in {[cell[plan.axis] for cell in plan.cells]!r}]

mean = {{}}
for method in {plan.methods!r}:
    # Noise on d³ counts is slow.
    some = [c for c in cells if method not in PRIVATE or c["d"] <= {WIDE}]
    if some:
        rows = sweep.run(problem, some, schemes=[method], repeats={s.repeats}, {noise_options(plan)})
        mean |= {{(method, x): value for x, value in rows.groupby("{plan.axis}").cosine.mean().items()}}

columns = {{"scheme": [m for m, _ in mean], "{plan.axis}": [x for _, x in mean], "mean": list(mean.values())}}
for row in zip(*columns.values()):
    print("%-16s %10g %8.4f" % row)
'''
