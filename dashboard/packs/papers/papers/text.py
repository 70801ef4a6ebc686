"""Texts on a figure: count of reproduced points, conventions, caveats. None contains text of a user."""

from __future__ import annotations

import math
from typing import NamedTuple

import pandas as pd

from dashboard.packs.papers.finding_links import HARMLESS, findings_of
from dashboard.packs.papers.papers.axes import (
    counted,
    is_of_one_message,
    learns_more,
    legend,
    place,
    symbol_of,
    written,
)
from dashboard.packs.papers.papers.changes import change, means_of, rings, widest_gap
from dashboard.packs.papers.papers.model import Plan
from dashboard.packs.papers.reproduce import comparison, kept
from dashboard.plotting.printed_points import all_settings, symbol
from dashboard.state.html_text import plain, rich
from dashboard.state.number_text import count_text, number_text, percent_text
from dashboard.theme.scheme_style import LOOKS, label
from data.published import experiments
from data.published.experiments import Experiment

_ERRORS_ONLY = ("delta", "spectrum", "power")  # Problems whose revised figures change nothing but errors.
_ALL_MESSAGES = "Revised, ε holds against whoever sees the result or one message. The aggregator sees all and learns more."
_ONE_MESSAGE = (
    "As in the papers, ε and δ hold against an adversary who sees one message alone. The aggregator sees all messages of "
    "CAPE and learns more. Whoever sees one message and the result learns more, too."
)
_MORE = {  # What the vertical axis counts, exactly.
    "pca": "It is the mean squared length of the records' projections on the components. Where records are not centred, it "
    "contains their mean.",
    "decomposition": "It is the mean distance of each estimate to the true component nearest to it.",
}
_CHANCE = "chance"  # What directions reach that are drawn without looking at the records.
_NOTHING = 1e-3  # A value without noise below this share of all others is not named.
# What a revised run changes, by problem: it is more than errors in most.
_HOW = {
    "pca": "the same ε needs less noise (exact calibration, symmetric noise); {errors}",
    "decomposition": "exact calibration and composition, a better power method; {errors}",
    "regression": "one joint release, exact calibration, damped eigenvalues",
    "network": "ε for the whole training, exact composition, exact calibration",
    "delta": "the exact δ",
    "topics": "exact calibration and composition",
    "spectrum": "the moment of Lemma 3",
    "power": "the corrected settings",
}


class Read(NamedTuple):
    """Where the headline reads the figure, and the values of methods there, in words."""

    x: float | None
    values: dict[str, str]


_UNREAD = Read(None, {})


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
            "Compare the order of the methods, not the values."
        )
    elif plan.convention == "corrected":
        improved = "" if e.problem in _ERRORS_ONLY else ", and its methods improved"
        first = f"The same figure with {corrected(e)}{improved}."
        if rings(plan, ()):
            first += " The rings show the printed points for comparison."
        if e.y_published:
            first += (
                f" The print draws another quantity, {rich(e.y_published)}, so its values cannot be compared."
            )
    else:
        first = "No measured numbers of this figure are available. We computed this figure with the paper's conventions."
    return [first, *_errors_alone(plan, rows)]


def axes(plan: Plan, rows: pd.DataFrame) -> str:
    """What the run is, and what axes, rings and lines are, for a reader who does not know the letters of the figure."""
    e, as_published = plan.experiment, plan.runs.published
    found = change(plan, rows)
    said = legend(
        e,
        published=as_published,
        rings=bool(rings(plan, ())),
        before="" if found is None else "as printed" if plan.other is None else "computed as published",
        chance=bool(e.chance and reading(plan, rows).values),
    )
    if as_published and e.measure == "failure" and len(rows) and rows["failure"].max() > 1:
        said += "<p>Where the printed δ is above 1, it states nothing.</p>"
    return f"{'' if as_published else f'<p>{_revised(plan, found)}</p>'}{said}"


def seen(plan: Plan, rows: pd.DataFrame, points=(), *, running: bool = False) -> str:
    """What the figure shows, in one sentence: the two methods that differ most at one point, or their change.

    Where printed `points` were compared, a bold sentence before it says whether they are reproduced.
    """
    e = plan.experiment
    if rows.empty:
        return "Computing the first points …"
    drawn, published = rich(counted(e, published=plan.runs.published)), plan.runs.published
    found = None if running else change(plan, rows)
    if found is not None:
        at, means = place(e, found.x, published=False), means_of(e, rows).loc[found.x]
        pair = [_step(e, m, *move) for m, move in found.moves.items()]
        # Where the line below tells the steps between, one method is enough here.
        several = f"{', '.join(pair)}{_levels(e, means)}"
        said = f"{drawn} {at}: {pair[0] if _alone(plan, found) else several}"
    elif (gap := widest_gap(e, rows)) is None:
        return _course(e, rows, drawn)
    elif not e.available:  # Values of a stand-in are not those of the paper: only their order is.
        means = gap.means.drop("nonprivate", errors="ignore").dropna()
        order = means.sort_values(ascending=e.better == "less", kind="stable").index
        best = "smallest" if published and e.y_published else "best"
        at = place(e, gap.x, published=published)
        said = f"on other data {at}, {best} {drawn} first: {', '.join(map(called, order))}"
    else:
        pair = [f"{_has(m)}&nbsp;{written(e, gap.means[m])}" for m in (gap.first, gap.rival)]
        said = f"{drawn} {place(e, gap.x, published=published)}: {', '.join(pair)}{_levels(e, gap.means)}"
    said = f"{_capital(f'so far, {said}' if running else said)}."
    if points:
        said = f"<b>{_reproduced(e, points)}</b> {said}"
    return said


def _reproduced(experiment, points):
    """Whether our computation gives the printed figure."""
    good, total = comparison.counted(points)
    answer = "Yes" if good == total else "No" if not good else "In part"
    tally = comparison.tally(experiment, points).replace("points", "printed points").replace("tolerance ", "")
    return f"{answer}: {tally}."


def reading(plan: Plan, rows: pd.DataFrame) -> Read:
    """The values that the headline reads, for the legend, and where; nothing where there are none."""
    e = plan.experiment
    if rows.empty:
        return Read(None, {})
    means = means_of(e, rows)
    if (found := change(plan, rows)) is not None:
        x, values = found.x, {m: _moved(e, *move) for m, move in found.moves.items()}
    elif (gap := widest_gap(e, rows)) is None:
        ends = _ends(e, rows)
        return (
            _UNREAD if ends is None else Read(ends.index[-1], {means.columns[0]: written(e, ends.iloc[-1])})
        )
    elif not e.available:  # Values of a stand-in are not those of the paper.
        return _UNREAD
    else:
        x, values = gap.x, {m: written(e, gap.means[m]) for m in (gap.first, gap.rival)}
    if _most(means.loc[x]):
        values["nonprivate"] = written(e, means.loc[x, "nonprivate"])
    return Read(x, {method: value.replace("&nbsp;", " ") for method, value in values.items()})


def corrected(experiment: Experiment) -> str:
    """What a revised run corrects; it does not change that ε holds against whoever sees one message."""
    return "most errors corrected" if learns_more(experiment) else "errors corrected"


def called(method: str) -> str:
    """The name of a method in a sentence."""
    if method.startswith("configuration-"):
        return f"configuration {method[-1].upper()}"
    return "without noise" if method == "nonprivate" else label(method)


def _has(method):
    """A method's name before its value: "configuration 1 0.2" would be misread."""
    return f"{called(method)} has" if called(method)[-1].isdigit() else called(method)


def _step(e, method, was, now):
    """A method's value before and after; one that did not change is written once."""
    name = "" if method == "nonprivate" else f"{_has(method)}&nbsp;"
    return name + _moved(e, was, now)


def _moved(e, was, now):
    return "&nbsp;→&nbsp;".join(dict.fromkeys((written(e, was), written(e, now))))


def _alone(plan, found):
    """The first method with errors corrected and nothing else, in brackets; "" where that is not known."""
    half = None if found is None else kept.halfway(plan.runs)
    if half is None or half[0] != found.x or not found.moves.keys() <= half[1].keys():
        return ""
    first = next(iter(found.moves))
    return f" (these alone: {called(first)}&nbsp;{written(plan.experiment, half[1][first])})"


def _revised(plan, found):
    """What a revised figure changes and, where the axis does not say it, whose view it leaves as it is."""
    e, before = plan.experiment, ""
    if found is not None:
        each = ", with this ε for every step," if e.problem == "network" and plan.other is not None else ""
        before = f"{'Printed' if plan.other is None else 'Published'}{each} → "
    said = f"{_capital(f'{before}revised')}: {_HOW[e.problem].format(errors=corrected(e) + _alone(plan, found))}."
    return f"{said} {_ALL_MESSAGES}" if learns_more(e) and not is_of_one_message(e) else said


def _capital(said):
    # A symbol stays as it is: δ is not Δ.
    return said[0].upper() + said[1:] if said[0].isascii() else said


def _course(e, rows, drawn):
    """The first and the last value of a figure with a single curve; "" for others."""
    if (ends := _ends(e, rows)) is None:
        return ""
    low, high = map(number_text, ends.index)
    was, now = (written(e, value) for value in ends)
    return f"From {rich(symbol_of(e))} = {low} to {high}, {drawn} goes from {was} to {now}."


def _ends(e, rows):
    means = comparison.summary(e, rows)
    curve = means.set_index("x")["mean"]
    return curve.iloc[[0, -1]] if means.method.nunique() == 1 and len(curve) > 1 else None


def _levels(e, means):
    """What can be reached without noise, and what chance alone reaches, in brackets; "" if neither is known."""
    best = written(e, means["nonprivate"]) if _most(means) else ""
    most = (
        [f"without noise&nbsp;{best}" if e.better == "less" else f"of&nbsp;{best} without noise"]
        if best
        else []
    )
    chance = [f"{_CHANCE}&nbsp;{written(e, e.chance)}"] if e.chance else []
    return f" ({', '.join([*most, *chance])})" if most or chance else ""


def _most(means):
    """Whether the non-private method has a value worth naming beside the others."""
    value, others = means.get("nonprivate", math.nan), means.drop("nonprivate", errors="ignore")
    return len(others) > 0 and math.isfinite(value) and value >= _NOTHING * others.min()


def _errors_alone(plan, rows):
    """A sentence on what corrected errors do without better noise, where that was run."""
    found, half = change(plan, rows), kept.halfway(plan.runs)
    if found is None or half is None:
        return []
    e, (x, errors) = plan.experiment, half
    some = [m for m in found.moves if m in errors]
    moved = [
        f"{called(m)} would go from {written(e, found.moves[m][0])} to {written(e, errors[m])}" for m in some
    ]
    now = " and ".join(written(e, found.moves[m][1]) for m in some)
    return [
        f"With {corrected(e)} and nothing else, {place(e, x, published=False)} {', '.join(moved)}. "
        "A public scale of the records, less noise for the same ε and components in the order of signed eigenvalues "
        f"make it {now}."
    ]


def details(plan: Plan, rows: pd.DataFrame, points) -> str:
    """The figure's settings, conventions and caveats as a list."""
    e = plan.experiment
    lines = "; ".join(f"{label(method)}: {LOOKS[method].plain}" for method in plan.runs.methods)
    texts = [("Lines", f"{lines}."), ("As published", e.published), ("Revised", e.corrected)]
    if learns_more(e):
        texts.append(("Not revised", _ONE_MESSAGE))
    if e.caution:
        texts.append(("Caution", e.caution))
    for method in dict.fromkeys(p.method for p in points):
        missed = [p for p in points if p.method == method and not p.reproduced]
        if missed:
            texts.append((f"Not reproduced: {_name(method)}", _missed(e, missed)))
    texts.append(
        ("Vertical axis", f"{e.y_drawn(published=plan.runs.published)}. {_MORE.get(e.problem, '')}".strip())
    )
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
        runs = f"{count_text(len(rows), 'run')} on {count_text(draws, 'draw')} of the records."
        texts.append(("Run", f"{runs} The command below makes them anew."))
    texts += [("Source", e.source), ("Without the app", f"python -m dashboard.reproduce {e.name}")]
    said = "".join(f"<p><b>{plain(head)}.</b> {plain(text)}</p>" for head, text in texts)
    return said


def caption(plan: Plan) -> str:
    """The figure's name and caption."""
    e = plan.experiment
    place = "appendix A" if e.paper == "Power" else f"Figure {e.label}"
    words = plain(e.shown_caption(published=plan.runs.published))
    at = f" δ = {number_text(e.fixed['delta'])}." if "delta" in e.fixed else ""
    return f"<h2>{plain(_authors(e))}, {place}</h2><p>{words}{at}</p>"


def found_here(plan: Plan) -> str:
    """Links to the findings on the figure's method: errors, and what is none; "" if there are none."""
    found = findings_of(plan.experiment)
    errors = [one for one in found if one.key not in HARMLESS]
    others = [one for one in found if one.key in HARMLESS]
    said = f"<p><b>This figure's method has errors.</b> {_links(errors)}.</p>" if errors else ""
    if others:
        said += (
            f"<details><summary>What is no error ({len(others)})</summary><p>{_links(others)}.</p></details>"
        )
    return said


def _links(findings):
    return "; ".join(
        f"<a href='?page=findings&amp;finding={one.key}'>{rich(one.title)}</a>" for one in findings
    )


def subtitle(plan: Plan) -> str:
    """The title of the figure: convention and data of the run."""
    e = plan.experiment
    how = "as published" if plan.convention == "published" else "revised"
    records = e.data_title if e.available else f"other data: {e.stand_in.title}"
    return f"Figure {e.label}, {how} · {records}"


def _authors(experiment):
    return experiments.papers()[experiment.paper].authors


def _missed(experiment, missed):
    worst = max(missed, key=lambda p: abs(p.ours - p.published))
    why = experiment.misses.get(worst.method, "")
    return (
        f"{count_text(len(missed), 'point')}; at {number_text(worst.x)} printed {number_text(worst.published)}, "
        f"ours {number_text(worst.ours)}. {why}"
    ).strip()


def _name(method):
    return method if method == "order" else label(method)
