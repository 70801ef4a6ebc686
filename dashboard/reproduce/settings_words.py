"""The settings of a paper's figure in words."""

from __future__ import annotations

from dashboard.state.number_text import number_text
from data.published.experiments import Experiment

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
