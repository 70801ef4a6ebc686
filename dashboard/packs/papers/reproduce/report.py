"""The output of a run: a CSV and an SVG file for every figure, and a table of counts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pandas as pd

from dashboard.packs.papers.reproduce import comparison
from dashboard.packs.papers.reproduce.pictures.svg import Line, svg
from dashboard.packs.papers.reproduce.runner import Result
from dashboard.state import safe_csv
from data.published import experiments
from data.published.experiments import LINEAR


def write(result: Result, folder: Path) -> None:
    """Write one figure's points as CSV and its picture as SVG."""
    e, convention = result.plan.experiment, result.plan.convention
    means = comparison.summary(e, result.rows)
    if result.points and e.judged == "value":
        theirs = pd.DataFrame(
            [(p.method, p.x, p.published, p.published_error, p.reproduced) for p in result.points]
        )
        theirs.columns = ["method", "x", "published", "published_error", "reproduced"]
        means = means.merge(theirs, how="left", on=["method", "x"])
    means.insert(0, "convention", convention)
    text = safe_csv.written(means.rename(columns={"x": e.axis}))
    (folder / f"{e.name}-{convention}.csv").write_text(text, encoding="utf-8")
    (folder / f"{e.name}-{convention}.svg").write_text(picture(result), encoding="utf-8")


def picture(result: Result) -> str:
    """The figure as SVG."""
    e = result.plan.experiment
    means = comparison.summary(e, result.rows)
    lines = []
    for method in result.plan.methods:
        part = means[means.method == method]
        points = [(p.x, p.published, p.reproduced) for p in result.points if p.method == method]
        drawn = list(part.x), list(part["mean"]), list(part.error)
        lines.append(Line(method, *drawn, points, outside=method in e.outside))
    how = "as published" if result.plan.published else "revised"
    note = ", ".join(filter(None, [how, records(e), comparison.tally(e, result.points)]))
    axis = experiments.AXES[e.axis]
    return svg(
        lines,
        title=f"[{e.paper}] {e.label}",
        note=note,
        x_label=axis,
        y_label=e.y_drawn(published=result.plan.published),
        x_log=e.axis not in LINEAR,
        y_log=e.y_log,
    )


def records(experiment: experiments.Experiment) -> str:
    """Name the data set from which this figure is computed here."""
    if experiment.available:
        return experiment.data_title
    return f"substitute for {experiment.data_title}: {experiment.stand_in.title}"


def table(results: Iterable[Result]) -> pd.DataFrame:
    """The counts of every figure and convention, in the order of the papers."""
    rows = []
    for result in sorted(results, key=_place):
        e, (good, total) = result.plan.experiment, comparison.counted(result.points)
        rows.append((e.name, result.plan.convention, e.judged, good, total, records(e), result.cached))
    return pd.DataFrame(
        rows, columns=["figure", "convention", "judged", "reproduced", "points", "records", "cached"]
    )


def _place(result):
    return experiments.names().index(result.plan.experiment.name), result.plan.convention != "published"


def report(results: Sequence[Result], counts: pd.DataFrame) -> str:
    """A text of the reproduced points, the missed points, and the totals."""
    lines = []
    for result in sorted(results, key=_place):
        e = result.plan.experiment
        if result.failure:
            lines.append(f"{e.name:12} {result.plan.convention} failed: {result.failure}")
            continue
        if not result.plan.published:
            continue
        lines.append(f"{e.name:12} {comparison.tally(e, result.points) or records(e)}")
        lines += _misses(e, result.points)
    sums = counts.groupby("judged")[["reproduced", "points"]].sum()
    for judged, words in (("value", "points reproduced"), ("order", "orders of methods kept")):
        if judged in sums.index and sums.points[judged]:
            lines.append(f"Total: {sums.reproduced[judged]} of {sums.points[judged]} {words}")
    return "\n".join(lines)


def _misses(experiment, points) -> Iterator[str]:
    """One line for every method with points that are not reproduced, with the reason if it is known."""
    for method in dict.fromkeys(p.method for p in points):
        missed = [p for p in points if p.method == method and not p.reproduced]
        if missed:
            at = ", ".join(f"{p.x:g}" for p in missed)
            worst = max(missed, key=lambda p: abs(p.ours - p.published))
            why = experiment.misses.get(method, "")
            yield (
                f"{'':13}{method} at {experiment.axis} {at}; at {worst.x:g} published {worst.published:.4g} ± "
                f"{worst.published_error:.2g}, ours {worst.ours:.4g} ± {worst.error:.2g}. {why}".rstrip()
            )
