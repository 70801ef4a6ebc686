"""The predictions themselves: under every scheme, each record's prediction against its true response."""

from __future__ import annotations

import numpy as np

from core.schemes import is_private
from dashboard.components.dot_panels import Panel, Picture
from dashboard.pages.analyse.regression.model import Plan, Spot
from dashboard.state.number_text import percent_text
from dashboard.theme.scheme_style import LOOKS, pictured

_MOST = 260  # Dots of a panel.
_TOLD = {
    "linear": "Each dot is {one}: {value} →, predicted{unit} ↑. On the line, the prediction is right.",
    "logistic": "Each dot is {one}: {no} on the left, {yes} on the right. Upwards, the released model is surer of {yes}.",
    "own": "Each dot is a feature: its coefficient without noise to the right, the released one upwards. On the line, they "
    "agree. Your records are not drawn.",
}
# What one record is, and what is predicted of it.
_SUBJECTS = {
    "diabetes": {
        "one": "a patient",
        "value": "true progression of diabetes in one year",
        "short": "progression",
        "unit": " (0 to 400 points)",
    },
    "linear": {
        "one": "an invented patient",
        "value": "true score",
        "short": "score",
        "unit": " from {dimension} measurements",
    },
    "logistic": {"one": "an invented patient with {dimension} measurements", "no": "well", "yes": "ill"},
    "breast_cancer": {"one": "a tumour", "no": "malignant", "yes": "benign"},
}
_RECORD = {
    "one": "a record",
    "value": "true value",
    "short": "value",
    "unit": "",
    "no": "label 0",
    "yes": "label 1",
}
_MARGIN, _STRIP = 0.08, 0.38


def predictions(plan: Plan, spots: dict[str, Spot]) -> Picture:
    """The panels of the schemes that a plan shows, as far as they are found."""
    names, known = pictured(plan.shown), next(iter(spots.values()), None)
    kind = "own" if plan.source.name == "own" else plan.source.response
    words = _RECORD | _SUBJECTS.get(plan.source.name, {})
    told = _TOLD[kind].format(**words).format(**plan.here)
    private = any(is_private(name) for name in names)
    thin = "" if kind == "own" else " (thin line)"
    scale = f"As good as the fit without noise: 100 %. As {constant(plan)} for everyone{thin}: 0 %."
    under = scale if private else ""
    if known is None:
        return Picture(tuple(_panel(name, None, plan, None) for name in names), told=told, under=under)
    draw = {"own": _coefficients, "linear": _values, "logistic": _labels}[kind]
    dots, frame = draw(known.records, words)
    return Picture(
        tuple(_panel(name, spots.get(name), plan, dots) for name in names), told=told, under=under, **frame
    )


def kept(spot: Spot) -> float:
    """The share of the non-private fit's gain over the `rival` that a mechanism keeps, at least 0."""
    return min(max(1 - spot.figures["lost"], 0.0), 1.0)


def kept_text(share: float) -> str:
    """A kept share, of few repetitions: whole per cents, and a tenth only to tell it from 100 %; little is about none."""
    if 0 < share < 0.005:
        return "about 0\u00a0%"
    return percent_text(round(share, 2 if share < 0.99 else 3)).replace(" ", "\u00a0")


def rival(plan: Plan) -> str:
    """The prediction from which gains are counted: the best that knows no feature."""
    return f"predicting {constant(plan)}"


def constant(plan: Plan) -> str:
    """What is predicted for everyone by whoever knows no feature."""
    return "the base rate" if plan.source.response == "logistic" else "the mean"


def _panel(name, spot, plan, dots):
    look = LOOKS[name]
    if spot is None:
        return Panel(name, look.label, colour=look.colour if is_private(name) else "")
    if not is_private(name):
        best = (
            "no noise, 100\u00a0%" if any(is_private(other) for other in pictured(plan.shown)) else "no noise"
        )
        return Panel(name, look.label, best, "", **dots(spot))
    return Panel(name, look.label, _verdict(spot, plan), look.colour, **dots(spot))


def _verdict(spot, plan):
    """How good the fits of all releases are on average: the dots show one of them."""
    share = kept(spot)
    if share:
        return f"{kept_text(share)} as good"
    return f"{'worse' if spot.worse else 'no better'} than {constant(plan)}"


def _values(records, words):
    """A number that is predicted: true and predicted values, in the range of the true ones."""
    x, y = _some(records)
    low, high = float(y.min()), float(y.max())
    edge = _MARGIN * (high - low) or 1.0
    ends = np.array([low - edge, high + edge])
    frame = {
        "low": ends[[0, 0]],
        "high": ends[[1, 1]],
        "line": np.column_stack([ends, ends]),
        "level": np.column_stack([ends, np.full(2, y.mean())]),
        "home": np.column_stack([y, y]),
        "across": f"true {words['short']} →",
        "up": f"↑ predicted {words['short']}",
    }
    return lambda spot: {"dots": np.column_stack([y, x @ spot.drawn])}, frame


def _labels(records, words):
    """One of two labels that is predicted: a strip for each, and the probability of label 1 as height."""
    x, y = _some(records)
    label = y.astype(int)
    across = np.empty(len(y))
    for one in (0, 1):
        rows = np.flatnonzero(label == one)
        across[rows] = 0.25 + 0.5 * one + _STRIP * ((np.arange(len(rows)) + 0.5) / max(1, len(rows)) - 0.5)
    frame = {
        "low": (0.0, -_MARGIN),
        "high": (1.0, 1 + _MARGIN),
        "line": np.array([[0.0, 0.5], [1.0, 0.5]]),
        "level": np.array([[0.0, y.mean()], [1.0, y.mean()]]),
        "home": np.column_stack([across, np.full(len(y), 0.5)]),
        "across": f"{words['no']} · {words['yes']}",
        "up": f"↑ sure of {words['yes']}",
    }

    def dots(spot):
        surely = 0.5 * (1 + np.tanh(x @ spot.drawn / 2))
        return {"dots": np.column_stack([across, surely]), "groups": label}

    return dots, frame


def _coefficients(records, words):
    """A user's own table, of which no record is drawn: coefficients without noise, and released ones."""
    w = records.truth
    reach = 1.15 * float(np.abs(w).max()) or 1.0
    frame = {
        "low": (-reach, -reach),
        "high": (reach, reach),
        "line": np.array([[-reach, -reach], [reach, reach]]),
        "home": np.column_stack([w, w]),
        "across": "without noise →",
        "up": "↑ released",
        "size": 9.0,
    }
    return lambda spot: {"dots": np.column_stack([w, spot.drawn])}, frame


def _some(records):
    return records.features[:_MOST], records.target[:_MOST]
