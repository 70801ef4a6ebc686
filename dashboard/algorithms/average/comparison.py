"""The average as a comparison: what is special about it, as data."""

from __future__ import annotations

import inspect

from dashboard.algorithms.average import drawing, guarantee
from dashboard.algorithms.average.model import AverageModel, Plan, fits, means
from dashboard.compare.spec import Comparison, Measure
from dashboard.compare.store import Results
from dashboard.page.lesson import Preset
from dashboard.page.sweep_plan import compared
from dashboard.problems.average import standard_error
from dashboard.state.number_text import equals, number_text, short_text
from dashboard.theme.scheme_style import label


def _headline(plan: Plan, results: Results) -> str:
    """The standard errors at the present settings."""
    known = [m for m in ("cape", "conventional", "local") if m in results.spots]
    if not known:
        return ""
    said = ", ".join(f"<b>{short_text(results.spots[m].std)}</b> ({label(m)})" for m in known)
    return f"the standard error is {said}"


def _needed(plan: Plan, results: Results) -> str:
    """How much the noise that cancels saves, and why there is no curve without noise."""
    found = {m: standard_error(m, plan.here) for m in plan.shown}
    if not {"cape", "conventional"} <= found.keys():
        return ""
    ratio = number_text(found["conventional"] / found["cape"])
    sites = equals("S", plan.here["sites"])
    return f"At {sites} the conventional scheme's standard error is <b>{ratio} times</b> CAPE's. The curves are exact."


def _script(plan: Plan, own: object) -> str:
    """A program that leaves the numbers of the curve in `columns`."""
    return f'''"""Standard error of a private average of numbers in [0, 1] along {plan.axis}."""
from collections.abc import Mapping
from typing import Any

import numpy as np

from core import Privacy
from core.schemes import average_std, is_private, message_std, planned


{inspect.getsource(standard_error)}

columns = {{"scheme": [], "{plan.axis}": [], "mean": []}}
for scheme in {plan.shown!r}:
    for cell in {list(plan.cells)!r}:
        columns["scheme"].append(scheme)
        columns["{plan.axis}"].append(cell["{plan.axis}"])
        columns["mean"].append(standard_error(scheme, cell))

for row in zip(*columns.values()):
    print("%-12s %12.6g %12.6g" % row)
'''


AVERAGE = Comparison(
    name="average",
    model=AverageModel,
    shared=compared("k", "repeats"),
    opens={"epsilon": 1.0, "sites": 10, "samples": 1000},
    sliders=("delta", "sites", "samples"),
    hidden=("data", "axis", "schemes"),
    measures={"error": Measure("Standard error", "of the average", log=True)},
    measure=lambda plan: "error",
    plays_over=(0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0),
    fits=fits,
    together=lambda plan: plan.shown,
    means=means,
    cost=guarantee.cost,
    observed=guarantee.observed,
    statistic=lambda plan: "the average",
    result=drawing.result,
    about=drawing.about,
    headline=_headline,
    needed=_needed,
    further=lambda plan, results: [("By design and as measured", drawing.measured(results))],
    guarantee=guarantee.guarantee,
    unprotected=guarantee.unprotected,
    script=_script,
    presets=(
        Preset("Ten sites", {"data": "alike", "sites": 10, "samples": 1000, "epsilon": 1.0}),
        Preset("Fifty small sites", {"data": "alike", "sites": 50, "samples": 100, "epsilon": 0.3}),
        Preset("More sites, less noise", {"data": "alike", "axis": "sites", "sites": 10, "epsilon": 1.0}),
        Preset("Sites differ: one alone is off", {"data": "differ", "sites": 10, "epsilon": 1.0}),
    ),
    code=("core.schemes.release", "core.schemes.average_std"),
    equation=r"""
Site s holds $$N_s$$ numbers in [0, 1] with the average $$f_s$$, which one record changes by at most $$\Delta=1/N_s$$; its
message needs noise of standard deviation $$\tau=\Delta/\mu(\varepsilon,\delta)$$. Under CAPE

$$\hat f_s=f_s+e_s+g_s,\qquad \sum_{s=1}^S e_s=0,\qquad \operatorname{Var} e_s=\Big(1-\tfrac1S\Big)\tau^2,\qquad
\operatorname{Var} g_s=\tfrac{\tau^2}{S},$$

so that a message carries variance τ², and the average $$\tfrac1S\sum_s\hat f_s$$ has the standard error
$$\tau/S$$, as under one curator (pooled); conventional noise leaves $$\tau/\sqrt S$$, one site alone has $$\tau$$.
In code: `core.schemes.release`, `core.schemes.average_std`; source: [Cape] Algorithm 1.
""",
)

__all__ = ["AVERAGE"]
