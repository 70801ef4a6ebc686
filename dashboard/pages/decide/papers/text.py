"""Texts on a figure: count of reproduced points, conventions, caveats. None contains text of a user."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd

from dashboard.pages.decide.papers.model import Plan
from dashboard.plotting.printed_points import all_settings, symbol
from dashboard.problems.finding_links import HARMLESS, findings_of
from dashboard.reproduce import comparison
from dashboard.state.html_text import plain, rich
from dashboard.state.number_text import count_text, number_text, percent_text
from dashboard.theme.scheme_style import label
from data import published
from data.published import experiments
from data.published.experiments import AXES

_LEAD = (
    "cape",
    "configuration-1",
    "weak",
    "nonprivate",
)  # The methods for which the text may state the effect of the correction.
BEFORE = "before"
_RIVALS = ("conventional", "configuration-2", "round", "local", "avn", "dpfm", "objpert")


def verdict(plan: Plan, rows: pd.DataFrame, points, *, running: bool) -> list[str]:
    """One or two sentences on the figure."""
    e = plan.experiment
    if rows.empty:
        return ["Computing the first points …"]
    good, total = comparison.counted(points)
    if total:
        kept = f"<b>{good} of {total}</b>"
        what = (
            "values of the axis with the printed order of methods"
            if e.judged == "order"
            else "points reproduced"
        )
        first = f"{'So far ' if running else ''}{kept} {what}: within three combined standard errors, or 3 %."
        if (loose := comparison.looseness(points)) > comparison.LOOSE:
            first += (
                f" For the middle point this is <b>±{percent_text(round(loose, 2))}</b>, because levels depend on the draw "
                "of the records. A wrong factor would therefore be visible only in the shape of the curves."
            )
    elif not e.available:
        first = (
            f"{plain(e.missing)} We ran this on <b>{plain(e.stand_in.title)}</b> instead. "
            "Compare the ranking of the methods, not the values."
        )
    elif plan.convention == "corrected":
        first = "The same figure with its errors corrected."
        if rings(plan, ()):
            first += " The rings show the printed points for comparison."
    else:
        first = "No measured numbers of this figure are available. We computed this figure with the paper's conventions."
    return [first, *change(plan, rows)]


_RIGHTWARDS = {
    "epsilon": "less private",
    "delta": "less private",
    "samples": "more records",
    "records": "more records",
    "noise": "more noise on messages",
    "colluding": "more sites collude",
    "alpha0": "documents mix topics more evenly",
    "k": "more topics",
    "size": "a larger disturbance",
    "dimension": "wider data",
}
_UPWARDS = {
    "energy": "more of the variation is kept",
    "error": "further from the true answer",
    "loss": "worse predictions",
    "train": "more of the known labels are right",
    "test": "more of the new labels are right",
    "failure": "less private",
    "perplexity": "words are predicted worse",
    "singular": "a stronger signal of the topics",
    "gap": "topics are easier to tell apart",
    "found": "found more often",
}


def axes(plan: Plan) -> str:
    """What the axes, rings and lines of the figure are, for a reader who does not know its letters."""
    e = plan.experiment
    printed = " Rings: what the paper printed." if rings(plan, ()) else ""
    return f"<p>Right: {_RIGHTWARDS[e.axis]}. Higher: {_UPWARDS[e.measure]}.{printed} Lines: our run.</p>"


def seen(plan: Plan, rows: pd.DataFrame, *, running: bool = False) -> str:
    """What the figure shows, in one bold sentence: the two methods that differ most at one point, or the correction."""
    e = plan.experiment
    if rows.empty:
        return "<p class='seen'>Computing the first points …</p>"
    if plan.convention == "corrected" and (changed := _changed(plan, rows)) is not None:
        return f"<p class='seen'>{_instead(e, changed, 'So far, at' if running else 'At')}.</p>"
    if (found := _widest_gap(e, rows)) is None:
        return ""
    at = f"{'So far, at' if running else 'At'} {rich(_axis(e))} = {number_text(found.x)}"
    if not e.available:  # Values of a stand-in are not those of the paper: only their order is.
        order = (
            found.means.drop("nonprivate", errors="ignore")
            .dropna()
            .sort_values(ascending=e.better == "less", kind="stable")
            .index
        )
        return f"<p class='seen'>{at}, best {rich(e.y_label)} first: {', '.join(map(label, order))}.</p>"
    ours, theirs = (number_text(float(found.means[m])) for m in (found.first, found.rival))
    return (
        f"<p class='seen'>{at}, {rich(e.y_label)}: {label(found.first)} {ours}, {label(found.rival)} {theirs}"
        f"{_without_noise(found.means, e)}.</p>"
    )


def reading(plan: Plan, rows: pd.DataFrame) -> tuple[float, dict[str, float]] | None:
    """Where the bold sentence reads the figure: x, and the values that it names, by method; None for no such place.

    The value before a correction is named `BEFORE`.
    """
    if rows.empty:
        return None
    if plan.convention == "corrected" and (changed := _changed(plan, rows)) is not None:
        return changed.x, {changed.method: changed.now, BEFORE: changed.was}
    if (found := _widest_gap(plan.experiment, rows)) is None:
        return None
    named = [found.first, found.rival] if plan.experiment.available else []
    named += ["nonprivate"] if named and _without_noise(found.means, plan.experiment) else []
    return found.x, {method: float(found.means[method]) for method in named}


@dataclass(frozen=True)
class _Gap:
    x: float
    first: str
    rival: str
    means: pd.Series


@dataclass(frozen=True)
class _Change:
    x: float
    method: str
    was: float
    now: float
    printed: bool = False  # Whether the paper printed what was, or a run as published gave it.


def _instead(experiment, changed, at):
    method, now, was = label(changed.method), number_text(changed.now), number_text(changed.was)
    at = f"{at} {rich(_axis(experiment))} = {number_text(changed.x)}"
    before = f"the paper printed {was}" if changed.printed else f"as published {was}"
    return f"{at}, {rich(experiment.y_label)}: {method} {now}, {before}"


def _axis(experiment):
    # All but the size of a disturbance end in one symbol.
    return symbol("size") if experiment.axis == "size" else AXES[experiment.axis].split()[-1]


def _widest_gap(experiment, rows):
    """Where the leading method and its rival differ most; None if the figure has no such pair."""
    means = comparison.summary(experiment, rows).pivot_table(index="x", columns="method", values="mean")
    first = next((m for m in _LEAD if m in means and m != "nonprivate"), None)
    rival = next((m for m in _RIVALS if m in means and m != first), None)
    if first is None or rival is None:
        return None
    pair = means[[first, rival]].dropna()
    gaps = abs(pair[first] - pair[rival])
    if experiment.y_log:
        gaps = abs(np.log(pair.clip(lower=1e-300)[first] / pair.clip(lower=1e-300)[rival]))
    if gaps.empty or gaps.max() == 0:
        return None
    x = gaps.idxmax()
    return _Gap(float(x), first, rival, means.loc[x])


def _without_noise(means, experiment):
    """What the non-private method has where the others are compared; "" if the figure has none."""
    value = means.get("nonprivate", math.nan)
    if not math.isfinite(value):
        return ""
    return (
        f" of {number_text(value)}"
        if experiment.better == "more"
        else f"; without noise {number_text(value)}"
    )


def change(plan: Plan, rows: pd.DataFrame) -> list[str]:
    """A sentence on the change by the correction at one point, if both conventions were run."""
    e, found = plan.experiment, _changed(plan, rows)
    if found is None:
        return []
    return [
        f"With exact calibration and the errors corrected, {e.y_label} of {label(found.method)} "
        f"at {rich(_axis(e))} = {number_text(found.x)} "
        f"changes from {'the printed ' if found.printed else ''}{number_text(found.was)} to "
        f"<b>{number_text(found.now)}</b>."
    ]


def _changed(plan, rows):
    """The change of the leading method; None if it has none that can be written, or one convention was not run."""
    e = plan.experiment
    if plan.other is None:
        return _since_print(plan, rows)
    published, corrected = (rows, plan.other) if plan.convention == "published" else (plan.other, rows)
    before, after = comparison.summary(e, published), comparison.summary(e, corrected)
    method = next((m for m in _LEAD if m in {*before.method} & {*after.method}), None)
    before, after = (found[found.method == method].set_index("x")["mean"] for found in (before, after))
    shared = [x for x in before.index if x in after.index and number_text(before[x]) != number_text(after[x])]
    if method is None or not shared:
        return None
    # It is read where the published figure is; else where the relative difference is largest.
    at = _widest_gap(e, published)
    if at is None or at.x not in shared:
        x = max(shared, key=lambda v: abs(math.log(max(after[v], 1e-300) / max(before[v], 1e-300))))
    else:
        x = at.x
    return _Change(float(x), method, float(before[x]), float(after[x]))


def _since_print(plan, rows):
    """The largest change of the leading method from the paper's own points; None if it has none here."""
    if plan.convention != "corrected" or rows.empty:
        return None
    printed = {(method, x): y for method, x, y, _ in rings(plan, ())}
    means = comparison.summary(plan.experiment, rows).set_index(["method", "x"])["mean"]
    method = next((m for m in _LEAD if m in {name for name, _ in printed}), None)
    shared = [x for name, x in means.index if name == method and (method, x) in printed]
    if not shared:
        return None
    scale = (lambda y: math.log(max(y, 1e-300))) if plan.experiment.y_log else float
    x = max(shared, key=lambda v: abs(scale(printed[method, v]) - scale(means[method, v])))
    return _Change(x, method, printed[method, x], float(means[method, x]), printed=True)


def details(plan: Plan, rows: pd.DataFrame, points) -> str:
    """The figure's settings, conventions and caveats as a list."""
    e = plan.experiment
    texts = [("As published", e.published), ("Corrected", e.corrected)]
    if e.caution:
        texts.append(("Caution", e.caution))
    for method in dict.fromkeys(p.method for p in points):
        missed = [p for p in points if p.method == method and not p.reproduced]
        if missed:
            texts.append((f"Not reproduced: {_name(method)}", _missed(e, missed)))
    texts.append(("Settings", f"{all_settings(e)}."))
    if e.chosen:
        texts.append(("Not stated in the paper", f"{', '.join(map(symbol, e.chosen))}: chosen here."))
    draws = rows["draw"].nunique() if len(rows) else 0
    slow = [label(m) for m in (*e.methods, *e.corrected_methods) if m in plan.runs.effort.left_out]
    if slow:
        texts.append(
            ("Too slow for the app", f"{', '.join(dict.fromkeys(slow))}; the command below runs it.")
        )
    if draws:
        texts.append(
            ("Run", f"{count_text(len(rows), 'run')} on {count_text(draws, 'draw')} of the records.")
        )
    texts += [("Source", e.source), ("Without the app", f"python -m dashboard.reproduce {e.name}")]
    said = "".join(f"<p><b>{plain(head)}.</b> {plain(text)}</p>" for head, text in texts)
    return found_here(plan) + said


def caption(plan: Plan) -> str:
    """The figure's name and caption."""
    e = plan.experiment
    place = "appendix A" if e.paper == "Power" else f"Figure {e.label}"
    return f"<h2>{plain(_authors(e))}, {place}</h2><p>{plain(e.caption)}</p>"


def found_here(plan: Plan) -> str:
    """Links to the findings on the figure's method: errors, and what is none; "" if there are none."""
    found = findings_of(plan.experiment)
    parts = (
        ("Errors found in this figure's method", [one for one in found if one.key not in HARMLESS]),
        ("Also found, and no error", [one for one in found if one.key in HARMLESS]),
    )
    return "".join(f"<p><b>{head}.</b> {_links(some)}.</p>" for head, some in parts if some)


def _links(findings):
    return "; ".join(
        f"<a href='?page=findings&amp;finding={one.key}'>{rich(one.title)}</a>" for one in findings
    )


def subtitle(plan: Plan) -> str:
    """The title of the figure: convention and data of the run."""
    e = plan.experiment
    how = "as published" if plan.convention == "published" else "corrected"
    records = e.data_title if e.available else f"other data: {e.stand_in.title}"
    return f"Figure {e.label}, {how} · {records}"


def _authors(experiment):
    return experiments.papers()[experiment.paper].authors


def rings(plan: Plan, points) -> list[tuple[str, float, float, bool]]:
    """Printed points (method, x, y, reproduced); all count as reproduced where nothing is compared."""
    e = plan.experiment
    if e.name not in published.figures() or not e.available:
        return []
    figure = published.load(e.name)
    missed = {(p.method, p.x) for p in points if not p.reproduced}
    return [
        (method, float(x), float(mean), (method, float(x)) not in missed)
        for series, method in e.series.items()
        for x, mean in zip(figure.x, figure.series[series].mean, strict=True)
    ]


def _missed(experiment, missed):
    worst = max(missed, key=lambda p: abs(p.ours - p.published))
    why = experiment.misses.get(worst.method, "")
    return (
        f"{count_text(len(missed), 'point')}; at {number_text(worst.x)} printed {number_text(worst.published)}, "
        f"ours {number_text(worst.ours)}. {why}"
    ).strip()


def _name(method):
    return method if method == "order" else label(method)
