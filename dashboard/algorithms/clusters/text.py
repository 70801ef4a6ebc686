"""Sentences on clusters: what releases find on average, what is drawn of them, and the best share of the budget."""

from __future__ import annotations

import inspect

import pandas as pd

from core.schemes import is_private
from dashboard.algorithms.clusters.drawing import value
from dashboard.algorithms.clusters.model import Plan
from dashboard.compare.store import Results
from dashboard.own_table.description import Choice
from dashboard.problems.components import load
from dashboard.problems.own_mixture import own_code
from dashboard.runs.sweep_plan import means_text, program
from dashboard.state.html_text import listed
from dashboard.state.number_text import amount_text, count_text, number_text
from dashboard.theme.scheme_style import coloured, label, spoken, subject

_NAMED = ("cape", "conventional", "local")
_ERRORS = {"matched": "recovery error", "error": "q_comp", "weights": "error of the weights"}
_LOADING = """import numpy as np

from core import decomposition, moments, sweep
from data import synthetic


{load}"""


def headline(plan: Plan, results: Results) -> str:
    """The error of every scheme at the present settings, and how many centres it finds."""
    known = [m for m in _NAMED if m in results.spots]
    if not known:
        return ""
    errors = listed([coloured(m, value(plan, results, m), "b") for m in known])
    if plan.here["model"] == "topics":  # Documents are sorted, and no topic counts as found.
        named = listed([f"{coloured(m, value(plan, results, m), 'b')} under {spoken(m)}" for m in known])
        return f"the {_ERRORS[plan.measure]} is {named}"
    found = {
        m: coloured(m, amount_text(results.spots[m].figures["found"], plan.here["k"]), "b") for m in known
    }
    first, *others = known
    said = f"{spoken(first)} finds {found[first]} of {count_text(plan.here['k'], 'cluster')}"
    said += "".join(f", {spoken(m)} {found[m]}" for m in others)
    return f"{said}; the {_ERRORS[plan.measure]} is {errors}"


def below(plan: Plan, results: Results) -> str:
    """Below the curve: the best share of the budget, what is drawn, and the smallest cluster that noise hides."""
    parts = [
        _best(plan, results),
        means_text(plan.settings.repeats, drawn="drawn are", own=plan.own is not None),
    ]
    if any(_misses_smallest(plan, spot) for spot in results.shown() if spot.method in _NAMED):
        parts.append(
            f"The smallest cluster has 1/{10 * plan.here['k']} of the points of the largest: noise hides it first."
        )
    if plan.here["model"] == "gaussians":
        half = "half way to the next centre" if plan.here["k"] > 1 else "half way to the origin"
        parts.append(f"A circle is {half}: a centre counts as found if + is as near in all dimensions.")
    return " ".join(filter(None, parts))


def _best(plan, results):
    best = best_shares(results.means) if plan.axis == "share" and results.whole else {}
    known = [m for m in ("cape", "conventional", "avn") if m in best]
    if not known:
        return ""
    shares = ", ".join(f"<b>{number_text(best[m][0])}</b> ({label(m)})" for m in known)
    return f"The error is smallest at a share of {shares}; the published split is 0.5."


def best_shares(means: pd.DataFrame | None) -> dict[str, tuple[float, float]]:
    """For every private method, the budget share with the smallest mean error, and that error."""
    if means is None:
        return {}
    private = means[[is_private(m) and m != "random" for m in means.scheme]]
    rows = private.loc[private.groupby("scheme")["mean"].idxmin()]
    return {r.scheme: (r.share, r.mean) for r in rows.itertuples(index=False)}


def _misses_smallest(plan, spot):
    """Whether no release finds the centre of the smallest cluster, while every one finds all others."""
    if plan.own is not None or plan.here["model"] == "topics" or len(spot.true) < 2:
        return False
    return spot.finds[0] == 0 and (spot.finds[1:] == 1).all()


def all_found(plan: Plan, results: Results) -> dict[str, bool]:
    """For each named scheme, in words, whether all its releases find all centres; {} where documents are sorted."""
    if plan.here["model"] == "topics":
        return {}
    spots = {m: results.spots[m] for m in _NAMED if m in results.spots}
    return {subject(m): spot.figures["found"] >= len(spot.true) for m, spot in spots.items()}


def script(plan: Plan, own: Choice | None) -> str:
    """A program that leaves the numbers of the curve in `columns`."""
    p = plan.problem
    return program(
        plan,
        title=f"Recovery of components along {plan.axis}: {_ERRORS[plan.measure]}.",
        imports=_LOADING.format(load=inspect.getsource(load)) if own is None else own_code(plan.own, own),
        problem=f"decomposition.Problem(load, {p.model!r}, {p.options!r}, {p.data_settings!r})",
        measure=plan.measure,
    )
