"""Texts of the page Clusters: what one release finds, what a share means, and what releases find on average."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from core.schemes import PLAIN, is_private
from dashboard.page import guarantee as guarantees
from dashboard.pages.analyse.components.clusters import counted, share
from dashboard.pages.analyse.components.model import Plan, Spot
from dashboard.state.html_text import listed
from dashboard.state.number_text import count_text, equals, number_text, percent_text
from dashboard.theme.scheme_style import label, subject

COMPARED = {scheme: subject(scheme) for scheme in ("cape", "conventional")}
_DRAWN = {**COMPARED, "local": subject("local")}
_ERRORS = {
    "matched": "centres miss by",
    "error": "the distance to the nearest true component is",
    "weights": "the error of the weights is",
}


def found(plan: Plan, spots: Mapping[str, Spot], average: Mapping[str, float]) -> str:
    """How many centres each drawn scheme finds on average, or in the drawn release, or how that sorts documents."""
    known = [m for m in _DRAWN if m in spots]
    if not COMPARED.keys() & spots:
        return ""
    counts = {m: share(spots[m]) if _sorts(plan) else _joined(spots[m], average) for m in known}
    if not _sorts(plan):  # Of how many is said once.
        counts |= {m: counts[m].split("\u00a0")[0] for m in known[1:]}
    counts |= {m: f"<b>{counts[m]}</b>" for m in COMPARED if m in counts}
    what = "centres" if plan.own is None else "of the centres that the fit without noise finds"
    verb, what = ("sorts", "of the documents to the right topic") if _sorts(plan) else ("finds", what)
    first, *others = known
    where = guarantees.where(plan.settings, plan.here)
    on, release = ("on average ", "") if average else ("", " in this release")
    words = [f"{where} {_DRAWN[first]} {verb} {on}{counts[first]} {what}{release}"]
    return ", ".join([*words, *(f"{_DRAWN[m]} {counts[m]}" for m in others)]) + "."


def averaged(plan: Plan, average: Mapping[str, float]) -> str:
    """What the averages are of, and what the picture shows of it; "" without averages."""
    if not average:
        return ""
    over = f"Averages over {count_text(plan.settings.repeats, 'release')}"
    if len(plan.around) > 1:
        symbol = {"samples": "Nₛ", "sites": "S", "epsilon": "ε", "delta": "δ"}.get(plan.axis, plan.axis)
        over += f", interpolated between {' and '.join(equals(symbol, x) for x in plan.around)}"
    return f"{over}. The picture shows one."


def scale(plan: Plan, spots: Mapping[str, Spot]) -> str:
    """When a centre counts as found, and why one of them is found last; of documents, the level without noise."""
    if not COMPARED.keys() & spots:
        return ""
    if _sorts(plan):
        best = f"Without noise: {share(spots[PLAIN])}." if PLAIN in spots else ""
        return f"{best} As many documents are drawn of each topic.".strip()
    k = plan.here["k"]
    half = f"less than half way to the {'next centre' if k > 1 else 'origin'}"
    space = f"Distances and colours are those in {plan.here['dimension']} dimensions."
    rule = f"Found: the + is in the circle around its ○, {half}. {space}"
    if plan.own is not None or k == 1:
        return rule
    return f"{rule} The top cluster has 1/{10 * k} of the points of the largest; as many are drawn of each."


def misses(plan: Plan, spots: Mapping[str, Spot]) -> str:
    """How far the centres of this release are off, for who reads on."""
    if _sorts(plan):
        return ""
    off = [f"{share(spots[m])} ({label(m)})" for m in (*COMPARED, PLAIN) if m in spots]
    from_ = "the true ones" if plan.own is None else "those without noise"
    return (
        f"In the release that is drawn, centres are off {from_} by {listed(off)} of their distance from the origin."
        if off
        else ""
    )


def average(plan: Plan, curves: Mapping[str, tuple[Sequence[float], Sequence[float]]]) -> str:
    """The mean error of many releases at the present settings, as the curves show it; "" without curves.

    Parameters
    ----------
    curves : mapping of str to (x, mean)
        Points of each method's curve; the mean between two points is interpolated, along a logarithm as drawn.
    """
    if not curves:
        return ""
    scale = np.log if plan.logarithmic else np.asarray
    at = scale(plan.here[plan.axis])
    found = {m: float(np.interp(at, scale(np.asarray(x)), mean)) for m, (x, mean) in curves.items()}
    percent = plan.measure == "matched" and not _sorts(plan)
    text = {m: percent_text(e, digits=2) if percent else number_text(e) for m, e in found.items()}
    error = _ERRORS[plan.measure] if not _sorts(plan) or plan.measure != "matched" else "the topics' error is"
    numbers = listed([f"{text[m]} ({label(m)})" for m in found])
    return f"On average over {count_text(plan.settings.repeats, 'release')} (see the curve), {error} about {numbers}."


def best_shares(means: pd.DataFrame | None) -> dict[str, tuple[float, float]]:
    """For every private method, the budget share with the smallest mean error, and that error."""
    if means is None:
        return {}
    private = means[[is_private(m) and m != "random" for m in means.scheme]]
    rows = private.loc[private.groupby("scheme")["mean"].idxmin()]
    return {r.scheme: (r.share, r.mean) for r in rows.itertuples(index=False)}


def _sorts(plan):
    """Whether the records are documents, which are sorted to topics."""
    return plan.here["model"] == "topics"


def _joined(spot, average):
    """The count of found centres, which no line breaks."""
    return counted(spot, average).replace(" ", "\u00a0")
