"""Points that a paper printed, as rings on pale lines behind a page's own curve; and a figure's settings in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from core.schemes import PLAIN, is_private
from dashboard.state.number_text import number_text
from dashboard.theme.scheme_style import LOOKS
from data import published
from data.published import experiments
from data.published.experiments import Experiment

_GREY = "#7f8790"  # Of the non-private points: seen on white and on dark.
_SYMBOLS = {
    "epsilon": "ε",
    "delta": "δ",
    "sites": "S",
    "samples": "Nₛ",
    "records": "N",
    "dimension": "d",
    "alpha0": "α₀",
    "noise": "τ",
    "colluding": "colluding sites",
    "length": "words a document",
    "hidden": "hidden units",
    "size": "‖E‖ / λ",
    "restarts": "L",
    "iterations": "R",
    "x": "the values of the axis",
}


def printed_choice(problem: str) -> dict[str, Any]:
    """Arguments of the selector of a problem's figures whose printed numbers are known."""
    return {
        "default": "",
        "objects": {"none": "", **{_place(e): e.name for e in map(experiments.load, with_points(problem))}},
        "label": "Printed points",
        "doc": "The points that a paper printed stand behind the curve. They belong to the settings of the paper.",
    }


def with_points(problem: str) -> list[str]:
    """Names of a problem's figures whose printed numbers are known and whose records are available."""
    found = map(experiments.load, published.figures())
    return [e.name for e in found if e.problem == problem and e.available]


@dataclass(frozen=True)
class Printed:
    """The points of one figure, and to which settings they belong.

    Attributes
    ----------
    figure : str
        Where they are printed, as plain text.
    series : tuple of (str, list of float, list of float)
        Method, values of the axis, and printed values; none where the picture shows another axis or measure.
    words : str
        HTML.
    """

    figure: str = ""
    series: tuple[tuple[str, list[float], list[float]], ...] = ()
    words: str = ""


def printed(name: str, *, axis: str, measure: str, relative: bool = False) -> Printed:
    """The printed points of a figure, "" for none, for a picture along an axis.

    Parameters
    ----------
    relative : bool
        The picture shows per cent of the non-private method's value, which the papers print in units of the records.
    """
    if not name:
        return Printed()
    e = experiments.load(name)
    drawn = (e.axis, e.measure) == (axis, measure)
    return Printed(
        _place(e), _series(e, relative) if drawn else (), _words(e, drawn=drawn, relative=relative)
    )


def colour_of(method: str) -> str:
    """The colour of a method's printed points."""
    return LOOKS[method].colour if is_private(method) else _GREY


def _series(e, relative):
    figure = published.load(e.name)
    means = {e.series[name]: curve.mean for name, curve in figure.series.items() if name in e.series}
    unit = means[PLAIN] / 100 if relative else 1.0
    # What leaves the scale in print would flatten every curve here.
    kept = {method: mean / unit for method, mean in means.items() if method not in e.outside}
    return tuple((method, figure.x[y > 0].tolist(), y[y > 0].tolist()) for method, y in kept.items())


def _words(e, *, drawn, relative):
    if not drawn:
        return (
            f"The points of {_place(e)} are printed along {symbol(e.axis)}, as {e.y_label}: choose that axis and "
            "that measure to see them."
        )
    unit = " Its values are divided by the printed non-private ones." if relative else ""
    return (
        f"Rings on pale lines: printed in {_place(e)}, with the paper's conventions, for {fixed_settings(e)}."
        f"{unit} They stay where they are when the settings change."
    )


def _place(e: Experiment) -> str:
    return f"[{e.paper}] Figure {e.label}"


def symbol(name: str) -> str:
    """The symbol of a setting, or its name."""
    return _SYMBOLS.get(name, name)


def fixed_settings(experiment: Experiment) -> str:
    """The settings that are the same for all points of a figure."""
    _, _, fixed = experiment.here
    return ", ".join(f"{symbol(name)} = {number_text(value)}" for name, value in fixed.items())


def all_settings(experiment: Experiment) -> str:
    """The range of the axis, and the other settings."""
    _, x, fixed = experiment.here
    ends = f"{symbol(experiment.axis)} from {number_text(x[0])} to {number_text(x[-1])}"
    return ", ".join([ends, fixed_settings(experiment)] if fixed else [ends])
