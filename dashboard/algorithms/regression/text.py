"""Texts on regression: the headline, the needed ε, the table, and the program behind the curve."""

from __future__ import annotations

from core.schemes import is_private
from dashboard.algorithms.regression.drawing import SCORES, score_text
from dashboard.algorithms.regression.model import PERCENT, Plan, Spot
from dashboard.compare.curve import needed as needed_of
from dashboard.compare.store import Results
from dashboard.own_table.description import Choice
from dashboard.page.played import Reached
from dashboard.problems.setup import fewer_text
from dashboard.runs.sweep_plan import program
from dashboard.state.html_text import plain
from dashboard.state.number_text import number_text, percent_text
from dashboard.theme.scheme_style import LOOKS, coloured, label, spoken, subject
from data.upload.table import shown

_ENOUGH = 0.9  # Of what is reached without noise, for the marks of a play and the needed ε.
_CHANCE = {"auc": 0.5, "explained": 0.0}  # Of whoever knows no feature.
_SHRINKS = (
    "Where noise dominates, coefficients shrink towards zero; rescaling them would amplify the noise equally."
)


def headline(plan: Plan, results: Results) -> str:
    """The AUC or R² of every scheme at the present settings."""
    spots = {m: results.spots[m] for m in plan.shown if m in results.spots}
    if not spots:
        return ""
    best = next(iter(spots.values())).records.answer[plan.score]
    noiseless = f"without noise {SCORES[plan.score]} is <b>{score_text(best)}</b>"
    known = [m for m in ("cape", "conventional", "local") if m in spots]
    known = known or [m for m in LOOKS if m in spots and is_private(m)]
    if not known:
        return f"{_predicted(plan)}{noiseless}"
    reached = [f"{spoken(m)} {coloured(m, score_text(spots[m].figures[plan.score]), 'b')}" for m in known]
    first = reached[0].replace(" <b", f" reaches an {SCORES[plan.score]} of <b", 1)
    return f"{_predicted(plan)}{', '.join([first, *reached[1:]])}; without noise it is {score_text(best)}"


def _predicted(plan):
    """The column of a user's own table that is predicted, escaped."""
    if plan.source.name != "own":
        return ""
    found = plan.problem.load
    return f"predicting <b>{plain(shown(found.table.parts[found.response].column))}</b>, "


def kept(plan: Plan, spot: Spot) -> float:
    """The share of the non-private R², or of the AUC above chance, that a mechanism keeps."""
    chance, best = _CHANCE[plan.score], spot.records.answer[plan.score]
    return (spot.figures[plan.score] - chance) / (best - chance) if best > chance else 0.0


def _mark(plan):
    """What a play waits for, in words."""
    above = " above chance" if plan.score == "auc" else ""
    return f"{_ENOUGH:.0%} of {SCORES[plan.score]}{above}".replace("%", "\u00a0%")


def reached(plan: Plan, results: Results) -> Reached | None:
    """Which schemes keep most of what is reached without noise."""
    spots = {m: results.spots[m] for m in LOOKS if m in plan.shown and m in results.spots and is_private(m)}
    who = {subject(m): round(kept(plan, spot), 2) >= _ENOUGH for m, spot in spots.items()}
    return Reached(f"at least {_mark(plan)} without noise was reached by", who, short=_mark(plan))


def needed(plan: Plan, results: Results) -> str:
    """The ε that the schemes need for most of what is reached without noise, once the whole curve is known."""
    parts = [fewer_text(plan.here["samples"], plan.settings.samples)] if plan.axis != "samples" else []
    known = [m for m in LOOKS if m in plan.shown and is_private(m)]
    first = next(iter(results.spots.values()), None)
    ready = plan.axis == "epsilon" and plan.measure == plan.score and results.whole and known
    if ready and first is not None and results.means is not None:
        chance, best = _CHANCE[plan.score], first.records.answer[plan.score]
        level = chance + _ENOUGH * (best - chance)
        needs = ", ".join(needed_of(results.points_of(m), m, level) for m in known)
        parts.insert(
            0, f"{SCORES[plan.score]} = {score_text(level)}, {_mark(plan)} without noise, needs {needs}."
        )
    return " ".join(filter(None, parts))


def table(plan: Plan, results: Results) -> str:
    """The figures of every mechanism: means over the releases."""
    spots = results.shown()
    if not spots:
        return ""
    heads = (
        SCORES[plan.score],
        "err_w",
        "average loss",
        "loss above that without noise,<br>of its gain over a constant",
    )
    rows = "".join(
        f"<tr><th scope='row'>{plain(label(s.method))}</th><td>{score_text(s.figures[plan.score])}</td>"
        f"<td>{number_text(s.figures['error'])}</td><td>{number_text(s.figures['loss'], digits=4)}</td>"
        f"<td>{percent_text(s.figures['lost'])}</td><td>{number_text(s.lifted)}</td></tr>"
        for s in spots
    )
    head = "".join(f"<th scope='col'>{one}</th>" for one in (*heads, "eigenvalues<br>not positive"))
    shrinks = dict(plan.problem.options).get("repair") == "shrink"
    note = f"<p class='told'>{_SHRINKS}</p>" if shrinks else ""
    return f"<div class='scroll'><table><thead><tr><th></th>{head}</tr></thead><tbody>{rows}</tbody></table></div>{note}"


def script(plan: Plan, own: Choice | None) -> str:
    """A program that leaves the numbers of the curve in `columns`."""
    title, paths, load = f": {plan.source.title}", "", "from data.catalogue.labelled import load"
    if own is not None:
        found = plan.problem.load
        column = f"response={found.response}, labels={found.labels}, boxed={found.boxed}"
        title, paths = " of your own table", own.standard
        load = (
            f"from data.catalogue.labelled import LabelledTable\n{own.imports}\n\n"
            f"{own.code()}\nload = LabelledTable(load, {column})"
        )
    p = plan.problem
    options = f"data_settings={p.data_settings!r},\n    loss={p.loss!r},\n    options={p.options!r},\n    gains=True,"
    return program(
        plan,
        title=f"{SCORES.get(plan.measure, plan.measure)} of private regression along {plan.axis}{title}.",
        imports=f"{paths}from core import functional, sweep\n{load}",
        problem=f"functional.Problem(\n    load,\n    {options}\n)",
        measure=plan.measure,
        factor=100 if plan.measure in PERCENT else 1,
    )
