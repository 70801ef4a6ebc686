"""Texts of the page Clusters: what releases find on average, how far they are off, and what a share means."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from core.schemes import PLAIN, is_private
from dashboard.page import guarantee as guarantees
from dashboard.page.sweep_plan import means_text
from dashboard.pages.analyse.components.clusters import counted, share
from dashboard.pages.analyse.components.model import Plan, Spot
from dashboard.state.html_text import listed
from dashboard.state.number_text import count_text, number_text, percent_text
from dashboard.theme.scheme_style import label, subject

COMPARED = {scheme: subject(scheme) for scheme in ("cape", "conventional")}
_DRAWN = {**COMPARED, "local": subject("local")}
_ERRORS = {
    "matched": "centres are off by",
    "error": "the distance to the nearest true component is",
    "weights": "the error of the weights is",
}


def found(plan: Plan, spots: Mapping[str, Spot]) -> str:
    """How many centres each drawn scheme finds on average, or how many documents it sorts right."""
    known = [m for m in _DRAWN if m in spots]
    if not COMPARED.keys() & spots:
        return ""
    counts = {m: share(spots[m]) if _sorts(plan) else counted(spots[m]) for m in known}
    counts = {m: count.replace(" ", "\u00a0") for m, count in counts.items()}
    counts |= {m: f"<b>{counts[m]}</b>" for m in COMPARED if m in counts}
    but = {m: " (not the smallest)" if _misses_smallest(plan, spots[m]) else "" for m in known}
    what = "centres" if plan.own is None else "of the centres that the fit without noise finds"
    verb, what = ("sorts", "of the documents to the right topic") if _sorts(plan) else ("finds", what)
    first, *others = known
    where = guarantees.where(plan.settings, plan.here)
    on, release = ("on average ", "") if plan.settings.repeats > 1 else ("", " in this release")
    words = [f"{where} {_DRAWN[first]} {verb} {on}{counts[first]} {what}{but[first]}{release}"]
    return ", ".join([*words, *(f"{_DRAWN[m]} {counts[m]}{but[m]}" for m in others)]) + "."


def all_found(plan: Plan, spots: Mapping[str, Spot]) -> dict[str, bool]:
    """For each drawn scheme, in words, whether all its releases find all centres; {} where documents are sorted."""
    if _sorts(plan):
        return {}
    return {who: spots[m].figures["found"] >= len(spots[m].true) for m, who in _DRAWN.items() if m in spots}


def scale(plan: Plan, spots: Mapping[str, Spot]) -> str:
    """What the numbers are means of."""
    if not COMPARED.keys() & spots:
        return ""
    drawn = "the picture shows" if _sorts(plan) else "+ and ✓ are of"
    many = means_text(plan.settings.repeats, drawn=drawn, own=plan.own is not None)
    if _sorts(plan):
        best = f"Without noise: {share(spots[PLAIN])}." if PLAIN in spots else ""
        return f"{many} {best}".strip()
    lost = any(_misses_smallest(plan, spots[m]) for m in _DRAWN if m in spots)
    return f"{'The smallest cluster has few points: noise hides it first. ' if lost else ''}{many}"


def smallest(plan: Plan, spots: Mapping[str, Spot]) -> str:
    """How small the cluster is whose centre no release of some scheme finds; "" where each finds it."""
    if not any(_misses_smallest(plan, spots[m]) for m in _DRAWN if m in spots):
        return ""
    return f"The smallest cluster has 1/{10 * plan.here['k']} of the points of the largest."


def _misses_smallest(plan, spot):
    """Whether no release finds the centre of the smallest cluster, while every one finds all others."""
    if plan.own is not None or _sorts(plan) or len(spot.true) < 2:
        return False
    return spot.finds[0] == 0 and (spot.finds[1:] == 1).all()


def drawing(plan: Plan) -> str:
    """How the picture draws so many dimensions, and clusters of unequal size; of a user's own, no record is drawn."""
    k, width = plan.here["k"], plan.here["dimension"]
    if _sorts(plan):
        return "In the picture, each topic has its share of the documents."
    half = "half way to the next centre" if k > 1 else "half way to the origin"
    rule = (
        f"In the picture, a circle is {half}, and a + is in it if it is as near in all {width} dimensions. "
        "Any other + is drawn outside of all circles."
    )
    if plan.own is not None or k == 1:
        return rule
    plane = "through the true centres" if k <= 3 else "in which the true centres are on a circle"
    return f"{rule} The plane is one {plane}."


def errors(plan: Plan, spots: Mapping[str, Spot]) -> str:
    """The mean error of the releases at the present settings; "" without any."""
    compared = [m for m in (*COMPARED, PLAIN) if m in spots]
    if not COMPARED.keys() & spots:
        return ""
    percent = plan.measure == "matched" and not _sorts(plan)
    found = {m: spots[m].figures[plan.measure] for m in compared}
    text = {m: percent_text(e, digits=2) if percent else number_text(e) for m, e in found.items()}
    error = (
        "the topics' error is"
        if _sorts(plan) and plan.measure == "matched"
        else _ERRORS[plan.measure].replace("component", kind(plan))
    )
    of = " of their distance from the origin" if percent else ""
    numbers = listed([f"{text[m]} ({label(m)})" for m in found])
    return f"On average over {count_text(plan.settings.repeats, 'release')}, {error} {numbers}{of}."


def best_shares(means: pd.DataFrame | None) -> dict[str, tuple[float, float]]:
    """For every private method, the budget share with the smallest mean error, and that error."""
    if means is None:
        return {}
    private = means[[is_private(m) and m != "random" for m in means.scheme]]
    rows = private.loc[private.groupby("scheme")["mean"].idxmin()]
    return {r.scheme: (r.share, r.mean) for r in rows.itertuples(index=False)}


def kind(plan: Plan) -> str:
    """What a component of these records is."""
    return "topic" if _sorts(plan) else "centre"


def _sorts(plan):
    """Whether the records are documents, which are sorted to topics."""
    return plan.here["model"] == "topics"
