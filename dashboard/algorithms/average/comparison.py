"""The average on *Compare*: settings, measures, presets, and which functions compute, draw and explain."""

from __future__ import annotations

import html
import inspect

from core.schemes import named
from dashboard.algorithms.average import drawing, guarantee
from dashboard.algorithms.average.drawing import silent_names
from dashboard.algorithms.average.model import (
    AverageModel,
    Plan,
    asked,
    distances,
    errors,
    fits,
    means,
)
from dashboard.compare.sheet import comparison
from dashboard.compare.spec import Comparison, Curve, Measure, Result
from dashboard.compare.store import Results
from dashboard.page.lesson import Preset
from dashboard.problems.average import EQUAL, noise_std, silence, sizes_of, standard_error, weights_of
from dashboard.problems.setup import absent_for, imbalance_for, most_for
from dashboard.problems.site_sizes import unequal
from dashboard.runs.sweep_plan import compared
from dashboard.state.html_text import listed, plain
from dashboard.state.number_text import count_text, equals, number_text, percent_text, short_text
from dashboard.theme.scheme_style import coloured, label, spoken


def _headline(plan: Plan, results: Results) -> str:
    """The standard errors at the present settings."""
    stds = errors(plan, results.spots)
    named_first = ("cape-after" if plan.here.get("pure") else "cape", "conventional", "local")
    known = [m for m in named_first if m in stds and m in results.spots]
    if not known:
        return ""
    part = plan.released.first if plan.released else None
    unit = f"\u00a0{part.unit}" if part and part.unit else ""
    said = ", ".join(
        f"{coloured(m, f'{short_text(stds[m])}{unit}', 'b')} {'for' if m == 'local' else 'under'} {spoken(m)}"
        for m in known
    )
    if part is None:
        return f"the standard error of the average is {said}"
    each = {"counts": "each category's share in ", "histogram": "each bin's share in "}
    return f"the standard error of {each.get(part.summary.kind, '')}the {plain(part.words)} is {said}"


def _needed(plan: Plan, results: Results) -> str:
    """How much the noise that cancels saves, and why there is no curve without noise."""
    found = errors(plan, results.spots)
    if plan.here.get("pure"):
        return f"{_PURELY}{_silent(plan)}"
    if not {"cape", "conventional"} <= found.keys():
        return _silent(plan).strip() if "dropped" in plan.here and found else ""
    ratio = number_text(found["conventional"] / found["cape"])
    sites = equals("S", plan.here["sites"])
    missed = drawing.apart(results.spots.get("local"), found.get("local"))
    alone = f" One site alone also misses the average of all by {short_text(missed)}." if missed else ""
    gaps = f" {plain(plan.released.gaps)}" if plan.released else ""
    return f"At {sites} the conventional scheme's standard error is <b>{ratio} times</b> CAPE's.{alone}{_silent(plan)}{gaps}"


_PURELY = (
    "With δ = 0 noise is two-sided geometric. Noise of sum zero, agreed on before the messages, has no such form: in place "
    "of CAPE stands <b>CAPE, sum after</b>, whose sites draw the average's noise in parts that add up to a curator's."
)


def _exact(plan):
    return "The curves are exact" + (
        ", but for a grid that adds at most 0.1 %" if plan.here.get("pure") else ""
    )


def _silent(plan):
    """What the error holds of those that fall silent, and whether the curves are exact."""
    if "dropped" not in plan.here:
        return f" {_exact(plan)}."
    lost = count_text(plan.here["dropped"], "site drops", "sites drop")
    said = f" Where {lost} out, the error contains how far the average of the others is from that of all."
    if plan.here.get("names"):
        sets: dict[tuple, list[str]] = {}
        for scheme in (m for m in plan.shown if not named(m).one_site):
            sets.setdefault(silence(scheme, plan.here).silent, []).append(label(scheme))
        silent = "; ".join(
            f"{html.escape(silent_names(plan.here, lost))}{f' ({listed(schemes)})' * (len(sets) > 1)}"
            for lost, schemes in sets.items()
        )
        said += f" Dropped out: {silent}."
    slack = {m: silence(m, plan.here).slack for m in plan.shown}
    loose = [f"{label(m)} by {percent_text(most, digits=2, way='up')}" for m, most in slack.items() if most]
    exact = _exact(plan) if not loose else f"The noise is a bound, above what was found for {listed(loose)}"
    return f"{said} {exact}."


def _script(plan: Plan, own: object) -> str:
    """A program that leaves the numbers of the curve in `columns`."""
    # The distances are not private: a program has them only where the picture has an error that contains them.
    found = distances(plan.problem, asked(plan), plan.shown)
    points = [(cell, dict(found.get(plan.records(cell), ()))) for cell in plan.cells]
    return f'''"""Standard error of a private average of numbers in [0, 1] along {plan.axis}."""
from collections.abc import Mapping
from typing import Any

import numpy as np

from core import Privacy
from core.schemes import Silence, is_private, message_std, planned_silence
from core.schemes.terms import OPTIONS

EQUAL = {EQUAL!r}


{inspect.getsource(standard_error)}

{inspect.getsource(noise_std)}

{inspect.getsource(silence)}

{inspect.getsource(sizes_of)}

{inspect.getsource(weights_of)}

# The settings of every point, and how far the average of those that send is there from that of all: root mean square.
points = {points!r}
columns = {{"scheme": [], "{plan.axis}": [], "mean": []}}
for scheme in {plan.shown!r}:
    for cell, apart in points:
        columns["scheme"].append(scheme)
        columns["{plan.axis}"].append(cell["{plan.axis}"])
        columns["mean"].append(standard_error(scheme, cell, apart.get(scheme, 0.0)))

for row in zip(*columns.values()):
    print("%-12s %12.6g %12.6g" % row)
'''


def _absent(plan: Plan) -> list[str]:
    own = plan.released is not None
    absent = [] if unequal(plan.here) else ["weights"]  # Of equal sites they are the same.
    pure = ["delta", "calibration"] if plan.here.get("pure") else []
    return [*plan.unused, *absent_for(plan.source), *absent, *([] if own else ["statistic"]), *pure]


def _most(plan: Plan) -> dict:
    return imbalance_for(plan.here) if plan.released is None else most_for(plan.source, plan.here)


AVERAGE = Comparison(
    name="average",
    model=AverageModel,
    shared=compared("k", "repeats", unequal=True),
    opens={"epsilon": 1.0, "sites": 10, "samples": 1000},
    sliders=("epsilon", "law", "delta", "sites", "samples", "statistic", "column", "category", "bins"),
    hidden=("data", "own_records", "axis", "schemes"),
    play=(0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0),
    result=Result(draw=drawing.result, about=drawing.about, fits=fits),
    curve=Curve(
        measures={
            "error": Measure("Standard error of the average", log=True),
            "unit": Measure("Standard error", "in the unit of the column", log=True),
            "share": Measure("Standard error of a share", log=True),
        },
        means=means,
        needed=_needed,
    ),
    law=guarantee.LAW,
    headline=_headline,
    further=lambda plan, results: [("By design and as measured", drawing.measured(results))],
    absent=_absent,
    most=_most,
    guarantee=guarantee.guarantee,
    unprotected=guarantee.unprotected,
    script=_script,
    presets=(
        Preset("Ten sites", {"data": "alike", "sites": 10, "samples": 1000, "epsilon": 1.0}),
        Preset("Fifty small sites", {"data": "alike", "sites": 50, "samples": 100, "epsilon": 0.3}),
        Preset("More sites, less noise", {"data": "alike", "axis": "sites", "sites": 10, "epsilon": 1.0}),
        Preset("Sites differ: one alone is biased", {"data": "differ", "sites": 10, "epsilon": 1.0}),
    ),
    code=("core.schemes.release", "core.schemes.average_std", "core.summaries.release"),
    equation=r"""
Site s holds $$N_s$$ numbers in [0, 1] with the average $$f_s$$, which one record changes by at most $$\Delta=1/N_s$$; its
message needs noise of standard deviation $$\tau=\Delta/\mu(\varepsilon,\delta)$$. Under CAPE

$$\hat f_s=f_s+e_s+g_s,\qquad \sum_{s=1}^S e_s=0,\qquad \operatorname{Var} e_s=\Big(1-\tfrac1S\Big)\tau^2,\qquad
\operatorname{Var} g_s=\tfrac{\tau^2}{S},$$

so that a message carries variance τ², and the average $$\tfrac1S\sum_s\hat f_s$$ has the standard error
$$\tau/S$$, as under one curator (pooled); conventional noise leaves $$\tau/\sqrt S$$, one site alone has $$\tau$$. It
releases its own average: its standard error is $$\sqrt{\tau^2+\tfrac1S\sum_s(f_s-\bar f)^2}$$, over every site in turn.
If sites drop out, what is released is the average of those that send, $$\tilde f$$, and its standard error
$$\sqrt{\sigma^2+(\tilde f-\bar f)^2}$$, where those are silent that leave the most noise σ.
The sites of your own table have the weights n_s/N and a τ of their own; the one that you chose works alone. A column is
scaled to [0, 1] by its public range; a record moves two cells of counts or of a histogram, so that Δ is √2 times larger.
With δ = 0 a message has two-sided geometric noise of $$\sqrt2\,\Delta/\varepsilon$$, and a part of a sum is a difference
of two negative binomials of shape 1/h, of which any h honest senders have a whole number; Δ is then in l1, 2/N for counts.
In code: `core.schemes.release`, `core.summaries.release`; source: [Cape] Algorithm 1.
""",
)
PAGE = comparison(AVERAGE)

__all__ = ["AVERAGE", "PAGE"]
