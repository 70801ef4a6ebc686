"""Texts on a figure: count of reproduced points, conventions, caveats. None contains text of a user."""

from __future__ import annotations

import math

import pandas as pd

from dashboard.pages.decide.papers.changes import Change, change, rings, widest_gap
from dashboard.pages.decide.papers.model import Plan
from dashboard.plotting.printed_points import all_settings, symbol
from dashboard.problems.finding_links import HARMLESS, findings_of
from dashboard.reproduce import comparison
from dashboard.state.html_text import plain, rich
from dashboard.state.number_text import count_text, number_text, percent_text
from dashboard.theme.scheme_style import label
from data.published import experiments
from data.published.experiments import AXES

BEFORE, ERRORS = "before", "errors alone"
_ERRORS_ONLY = ("delta", "spectrum", "power")  # Problems whose revised figures change nothing but errors.
_ONE_MESSAGE = (
    "As in the papers, ε and δ hold against an adversary who sees one message alone. The aggregator sees all messages, "
    "and learns more from those of CAPE."
)
_NOTHING = 1e-3  # A value without noise below this share of all others is not named.
# What a corrected run changes, by problem: it is more than errors in most.
_HOW = {
    "pca": "With exact calibration, symmetrised noise and the errors corrected",
    "decomposition": "With exact calibration and composition, a better power method and the errors corrected",
    "regression": "With one joint release, exact calibration and damped directions",
    "network": "With ε for the whole training, exact composition and exact calibration",
    "delta": "With the exact δ",
    "topics": "With exact calibration and composition",
    "spectrum": "With the moment of Lemma 3",
    "power": "With the corrected settings",
}


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
        improved = "" if e.problem in _ERRORS_ONLY else ", and its methods improved"
        first = f"The same figure with its errors corrected{improved}."
        if rings(plan, ()):
            first += " The rings show the printed points for comparison."
        if e.y_published:
            first += (
                f" The print draws another quantity, {rich(e.y_published)}, so its values do not compare."
            )
    else:
        first = "No measured numbers of this figure are available. We computed this figure with the paper's conventions."
    return [first, *_changed(plan, rows)]


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


def axes(plan: Plan, rows: pd.DataFrame) -> str:
    """What the axes, rings and lines of the figure are, for a reader who does not know its letters."""
    e, as_published = plan.experiment, plan.runs.published
    up = _UPWARDS[e.measure]
    if as_published and e.y_published:
        up = "a larger minimum of the noisy objective, which is no loss"
    parts = [f"→ {_RIGHTWARDS[e.axis]}", f"↑ {up}"]
    parts += ["○ the paper's points"] if rings(plan, ()) else []
    parts.append("— our run")
    if not as_published and plan.other is not None and change(plan, rows) is not None:
        parts.append("┄ as published" + (f", at the stated {_axis(e)}" if _is_only_stated(e) else ""))
    said = " · ".join(parts)
    if as_published and e.measure == "failure" and len(rows) and rows["failure"].max() > 1:
        said += ". Where the printed δ is above 1, it states nothing."
    return f"<p>{rich(said)}</p>"


def seen(plan: Plan, rows: pd.DataFrame, *, running: bool = False) -> str:
    """What the figure shows, in one bold sentence: the two methods that differ most at one point, or the correction."""
    e = plan.experiment
    if rows.empty:
        return "<p class='seen'>Computing the first points …</p>"
    found = None if running or plan.runs.published else change(plan, rows)
    if found is not None:
        credit = "" if found.errors is None else f"<p>{_credit(found)}</p>"
        return f"<p class='seen'>{_instead(plan, found)}.</p>{credit}"
    drawn = rich(e.y_drawn(published=plan.runs.published))
    if (gap := widest_gap(e, rows)) is None:
        return _course(e, rows, drawn)
    at = _at(plan, gap.x, running=running)
    if not e.available:  # Values of a stand-in are not those of the paper: only their order is.
        means = gap.means.drop("nonprivate", errors="ignore").dropna()
        order = means.sort_values(ascending=e.better == "less", kind="stable").index
        best = "smallest" if plan.runs.published and e.y_published else "best"
        return f"<p class='seen'>{at}, {best} {drawn} first: {', '.join(map(called, order))}.</p>"
    ours, theirs = (number_text(float(gap.means[m])) for m in (gap.first, gap.rival))
    return (
        f"<p class='seen'>{at}, {drawn}: {_has(gap.first)}&nbsp;{ours}, {_has(gap.rival)}&nbsp;{theirs}"
        f"{_without_noise(gap.means)}.</p>"
    )


def reading(plan: Plan, rows: pd.DataFrame) -> tuple[float, dict[str, float]] | None:
    """Where the bold sentence reads the figure: x, and the values that it names, by method; None for no such place.

    The value before a correction is named `BEFORE`, that with the errors corrected alone `ERRORS`.
    """
    if rows.empty:
        return None
    e = plan.experiment
    if plan.convention == "corrected" and (found := change(plan, rows)) is not None:
        errors = {} if found.errors is None else {ERRORS: found.errors}
        return found.x, {found.method: found.now, BEFORE: found.was, **errors}
    if (gap := widest_gap(e, rows)) is None:
        ends = _ends(e, rows)
        return None if ends is None else (ends.index[-1], {rows.method.iloc[0]: float(ends.iloc[-1])})
    named = [gap.first, gap.rival] if e.available else []
    named += ["nonprivate"] if named and _without_noise(gap.means) else []
    return gap.x, {method: float(gap.means[method]) for method in named}


def called(method: str) -> str:
    """The name of a method in a sentence."""
    return f"configuration {method[-1].upper()}" if method.startswith("configuration-") else label(method)


def _has(method):
    """A method's name before its value: "configuration 1 0.2" would be misread."""
    return f"{called(method)} has" if called(method)[-1].isdigit() else called(method)


def _at(plan, x, *, running=False):
    e = plan.experiment
    stated = "the stated " if plan.runs.published and _is_only_stated(e) else ""
    at = f"at {stated}{rich(_axis(e))} = {number_text(x)}"
    at = at if e.available else f"on other data, {at}"
    return f"So far, {at}" if running else at[0].upper() + at[1:]


def _is_only_stated(experiment):
    """Whether a figure's axis is a guarantee that its method, as published, does not give."""
    errors = (one for one in findings_of(experiment) if one.key not in HARMLESS)
    return experiment.axis in ("epsilon", "delta") and any(one.kind == "overstated" for one in errors)


def _instead(plan, found: Change):
    e, before = plan.experiment, "the paper printed" if found.printed else "as published"
    before += ", at this ε for every step," if e.problem == "network" and not found.printed else ""
    now, was = number_text(found.now), number_text(found.was)
    named = "" if found.method == "nonprivate" else f"{_has(found.method)}&nbsp;"
    return f"{_at(plan, found.x)}, {rich(e.y_label)}: {named}{now}, {before}&nbsp;{was}"


def _credit(found):
    return (
        f"For one message, errors corrected: {number_text(found.was)} → {number_text(found.errors)}. "
        f"Better noise: {number_text(found.errors)} → {number_text(found.now)}."
    )


def _axis(experiment):
    # All but the size of a disturbance end in one symbol.
    return symbol("size") if experiment.axis == "size" else AXES[experiment.axis].split()[-1]


def _course(e, rows, drawn):
    """The first and the last value of a figure with a single curve; "" for others."""
    if (ends := _ends(e, rows)) is None:
        return ""
    low, high = map(number_text, ends.index)
    was, now = map(number_text, ends)
    return f"<p class='seen'>From {rich(_axis(e))} = {low} to {high}, {drawn} goes from {was} to {now}.</p>"


def _ends(e, rows):
    means = comparison.summary(e, rows)
    curve = means.set_index("x")["mean"]
    return curve.iloc[[0, -1]] if means.method.nunique() == 1 and len(curve) > 1 else None


def _without_noise(means):
    """What the non-private method has where the others are compared; "" if the figure has none."""
    value, least = means.get("nonprivate", math.nan), means.drop("nonprivate", errors="ignore").min()
    if not math.isfinite(value) or value < _NOTHING * least:
        return ""
    return f"; without noise&nbsp;{number_text(value)}"


def _changed(plan, rows):
    """A sentence on the change by the correction at one point, if both conventions were run."""
    e, found = plan.experiment, change(plan, rows)
    if found is None:
        return []
    of = "" if found.method == "nonprivate" else f" of {called(found.method)}"
    how = _HOW[e.problem]
    return [
        f"{how}, {rich(e.y_label)}{of} at {rich(_axis(e))} = {number_text(found.x)} "
        f"changes from {'the printed ' if found.printed else ''}{number_text(found.was)} to "
        f"<b>{number_text(found.now)}</b>."
    ]


def details(plan: Plan, rows: pd.DataFrame, points) -> str:
    """The figure's settings, conventions and caveats as a list."""
    e = plan.experiment
    texts = [("As published", e.published), ("Revised", e.corrected)]
    if "several-messages" in {one.key for one in findings_of(e)}:
        texts.append(("Not revised", _ONE_MESSAGE))
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
        before = "" if plan.kept is None else " They were made before; the command below makes them anew."
        runs = f"{count_text(len(rows), 'run')} on {count_text(draws, 'draw')} of the records."
        texts.append(("Run", runs + before))
    texts += [("Source", e.source), ("Without the app", f"python -m dashboard.reproduce {e.name}")]
    said = "".join(f"<p><b>{plain(head)}.</b> {plain(text)}</p>" for head, text in texts)
    return found_here(plan) + said


def caption(plan: Plan) -> str:
    """The figure's name and caption."""
    e = plan.experiment
    place = "appendix A" if e.paper == "Power" else f"Figure {e.label}"
    told = plain(e.told(published=plan.runs.published))
    at = f" δ = {number_text(e.fixed['delta'])}." if "delta" in e.fixed else ""
    return f"<h2>{plain(_authors(e))}, {place}</h2><p>{told}{at}</p>"


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
