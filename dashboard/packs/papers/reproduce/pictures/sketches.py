"""Small drawings of all figures for the gallery: the authors' points where they are known, else those of quick runs of ours.

`python -m dashboard.reproduce --quick --as published --sketches` runs all figures and writes `sketches.json` anew.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import resources
from pathlib import Path

from dashboard.packs.papers.reproduce import comparison
from dashboard.packs.papers.reproduce.pictures.svg import thumbnail
from dashboard.packs.papers.reproduce.runner import Result
from data import published
from data.published import experiments
from data.published.experiments import LINEAR, Experiment

FILE = "sketches.json"
Curves = Mapping[str, tuple[list[float], list[float]]]


@cache
def sketches() -> dict[str, str]:
    """Every figure's drawing as SVG, by name."""
    return {
        e.name: thumbnail(curves(e), x_log=e.axis not in LINEAR, y_log=e.y_log)
        for e in map(experiments.load, experiments.names())
    }


def curves(e: Experiment) -> Curves:
    """x and y of every method of a figure, without those that leave its scale."""
    if e.name in published.figures():
        figure = published.load(e.name)
        shown = {s: m for s, m in e.series.items() if m not in e.outside}
        return {m: (figure.x.tolist(), figure.series[s].mean.tolist()) for s, m in shown.items()}
    return {m: (x, y) for m, (x, y) in _runs().get(e.name, {}).items() if m not in e.outside}


def write(results: Iterable[Result], path: Path | None = None) -> None:
    """Write the means of runs, to three digits; figures whose authors' points are known are left out."""
    found = {
        result.plan.experiment.name: _means(result)
        for result in results
        if not result.failure
        and result.plan.published
        and result.plan.experiment.name not in published.figures()
    }
    lines = (f"{json.dumps(name)}: {json.dumps(found[name])}" for name in sorted(found))
    (path or Path(__file__).with_name(FILE)).write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def _means(result):
    means = comparison.summary(result.plan.experiment, result.rows)
    return {
        method: [[_short(x) for x in part.x], [_short(y) for y in part["mean"]]]
        for method, part in means.groupby("method", sort=False)
    }


def _short(number):
    return float(f"{number:.3g}")


@cache
def _runs():
    return json.loads(resources.files(__package__).joinpath(FILE).read_text(encoding="utf-8"))
