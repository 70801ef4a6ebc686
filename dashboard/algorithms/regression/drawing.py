"""The predictions themselves: under every scheme, each record's prediction against its true response."""

from __future__ import annotations

import html
from collections.abc import Callable

import numpy as np
from scipy.stats import rankdata

from core.schemes import is_private
from dashboard.algorithms.regression.model import MOST_DOTS, Plan, Spot
from dashboard.compare import panels
from dashboard.compare.chart import Axis, Line, chart
from dashboard.compare.panels import Row
from dashboard.compare.store import Results
from dashboard.state.html_text import plain
from dashboard.state.number_text import number_text
from dashboard.theme.scheme_style import LOOKS, label

SCORES = {"explained": "R²", "auc": "AUC"}
# What one record is, and what is predicted of it.
_SUBJECTS = {
    "diabetes": {"one": "a patient", "value": "progression of diabetes"},
    "linear": {"one": "an invented patient", "value": "score"},
    "logistic": {"one": "an invented patient", "no": "well", "yes": "ill"},
    "breast_cancer": {"one": "a tumour", "no": "malignant", "yes": "benign"},
}
_RECORD = {"one": "a record", "value": "value", "no": "label 0", "yes": "label 1"}
_TOLD = {
    "linear": "each dot is {one}: true {value} to the right, predicted upwards; on the line the prediction is right, at the "
    "thin line it is the mean: R² = 0",
    "logistic": "each dot is {one}: {no} on the left, {yes} on the right; upwards as the model ranks them: an AUC of 1 "
    "parts them at the thin line, 0.5 is chance",
    "own": "each dot is a feature: its coefficient without noise to the right, as released upwards; no record is drawn",
}
_DRAWN = {"own": "Coefficients", "logistic": "Rankings"}
_MARGIN, _STRIP, _SIDE = 0.08, 0.38, 1000

# Places of the dots, and the ends of two lines: (across, upwards) in the unit square, or beyond.
Drawn = tuple[np.ndarray, np.ndarray]


def about(plan: Plan) -> tuple[str, str]:
    """The title of the picture, and the line beside it."""
    kind = _kind(plan)
    return _DRAWN.get(kind, "Predictions"), _TOLD[kind].format(
        **(_RECORD | _SUBJECTS.get(plan.source.name, {}))
    )


def score_text(value: float) -> str:
    """An R² or AUC: two digits behind the point, three next to 1."""
    if not abs(value) < 10:
        return number_text(value, digits=2)
    digits = 3 if 0.985 <= value < 1 else 2
    return f"{round(value, digits) + 0.0:.{digits}f}".replace("-", "−")  # Zero has no sign.


def result(plan: Plan, results: Results) -> str:
    """The methods side by side, in the order of legends."""
    name, found = SCORES[plan.score], results.spots
    dots = _dots(plan, next(iter(found.values()))) if found else None
    return panels.tiles(
        [
            Row(
                m,
                _scatter(m, *dots(found[m])) if m in found else "",
                f"{name} {score_text(found[m].figures[plan.score])}" if m in found else "",
            )
            for m in LOOKS
            if m in plan.shown
        ]
    )


def _kind(plan):
    return plan.source.response if plan.dots else "own"


def _dots(plan: Plan, known: Spot) -> Callable[[Spot], tuple[Drawn, np.ndarray, float]]:
    """What draws the dots of a spot: their places, the two lines, the size of a dot."""
    x, y = known.records.features[:MOST_DOTS], known.records.target[:MOST_DOTS]
    if _kind(plan) == "own":
        w = known.records.truth
        reach = 1.15 * float(np.abs(w).max()) or 1.0
        lines = np.array([[0, 0, 1, 1], [0.5, 0.5, 0.5, 0.5]])
        return lambda spot: (_unit(w, spot.drawn, -reach, reach), lines, 7.0)
    if plan.source.response == "logistic":
        across, level = _strips(y.astype(int)), 1 - float(y.mean())
        lines = np.array([[0.5, 0, 0.5, 1], [0, level, 1, level]])
        return lambda spot: ((across, (rankdata(x @ spot.drawn) - 0.5) / len(y)), lines, 4.0)
    low, high = float(y.min()), float(y.max())
    edge = _MARGIN * (high - low) or 1.0
    level = (float(y.mean()) - low + edge) / (high - low + 2 * edge)
    lines = np.array([[0, 0, 1, 1], [0, level, 1, level]])
    return lambda spot: (_unit(y, x @ spot.drawn, low - edge, high + edge), lines, 4.0)


def _unit(across, upwards, low, high):
    return tuple((np.asarray(one) - low) / (high - low) for one in (across, upwards))


def _strips(labels):
    """Each label's records side by side in a strip of its own."""
    across = np.empty(len(labels))
    for one in (0, 1):
        rows = np.flatnonzero(labels == one)
        across[rows] = 0.25 + 0.5 * one + _STRIP * ((np.arange(len(rows)) + 0.5) / max(1, len(rows)) - 0.5)
    return across


def _scatter(method, dots, lines, size):
    """Dots and two lines as SVG that fills its place; a dot beyond the frame stands on its edge."""
    right, up = (np.rint(_SIDE * np.clip(np.nan_to_num(one, nan=0.5), 0, 1)).astype(int) for one in dots)
    places = "".join([f"M{a} {_SIDE - b}h0" for a, b in zip(right.tolist(), up.tolist(), strict=True)])
    (a, b, c, d), (e, f, g, h) = (_SIDE * lines).tolist()
    return (
        f"<svg class='scatter' viewBox='0 0 {_SIDE} {_SIDE}' preserveAspectRatio='none' role='img' "
        f"aria-label='predictions of {html.escape(label(method), quote=True)}'>"
        f"<path class='level' d='M{e:.0f} {_SIDE - f:.0f}L{g:.0f} {_SIDE - h:.0f}'/>"
        f"<path class='line' d='M{a:.0f} {_SIDE - b:.0f}L{c:.0f} {_SIDE - d:.0f}'/>"
        f"<path class='dots' d='{places}' style='--of:{_colour(method)}' stroke-width='{size:g}'/></svg>"
    )


def along(plan: Plan, results: Results) -> str:
    """The prediction along one feature between its public bounds, the others at mid-range; no record is drawn."""
    lines = lines_along(plan, results)
    if not lines:
        return ""
    seen = np.concatenate([[0, 1] if plan.score == "auc" else [], *(line.y for line in lines)])
    room = 0.05 * float(np.ptp(seen)) or 0.5
    x = Axis(f"{feature(plan)}, scaled; the others at mid-range", *map(float, lines[0].x[[0, -1]]))
    y = Axis("prediction", float(seen.min() - room), float(seen.max() + room))
    return chart(lines, x, y, label=f"prediction along {feature(plan)}")


def lines_along(plan: Plan, results: Results) -> list[Line]:
    """The same as lines, one a method."""
    j = plan.feature - 1
    low, middle, high = plan.source.public_span(plan.here["dimension"])
    ends = np.linspace(low[j], high[j], 41)
    found = {s.method: middle @ s.drawn + (ends - middle[j]) * s.drawn[j] for s in results.shown()}
    if plan.score == "auc":
        found = {m: 0.5 * (1 + np.tanh(z / 2)) for m, z in found.items()}
    return [Line(ends, z, _colour(m), name=label(m)) for m, z in found.items()]


def feature(plan: Plan) -> str:
    """The feature along which predictions are drawn, plain text."""
    names = plan.source.features
    return names[plan.feature - 1][:40] if names else f"feature {plan.feature}"


def coefficients(plan: Plan, results: Results) -> str:
    """The coefficients of every feature: the true ones, and mean and standard deviation of the released ones."""
    spots = results.shown()
    if not spots:
        return ""
    truth = spots[0].records.truth
    names = plan.source.features or [f"feature {j + 1}" for j in range(len(truth))]
    known = {s.method: _cells(s) for s in spots if is_private(s.method)}
    methods = [m for m in plan.shown if m in known]
    head = "truth" if plan.source.synthetic else "without noise"
    rows = "".join(
        [
            f"<tr><th scope='row'>{plain(str(name)[:40])}</th><td>{number_text(true)}</td>{''.join(cells)}</tr>"
            for name, true, *cells in zip(names, truth, *(known[m] for m in methods), strict=False)
        ]
    )
    heads = "".join(f"<th scope='col'>{plain(label(m))}</th>" for m in methods)
    return (
        f"<div class='scroll'><table><thead><tr><th></th><th scope='col'>{head}</th>{heads}</tr></thead>"
        f"<tbody>{rows}</tbody></table></div>"
    )


def _cells(spot):
    """Mean and standard deviation of every released coefficient, as cells of the table."""
    released = spot.coefficients
    both = zip(released.mean(axis=0), released.std(axis=0), strict=True)
    return [f"<td>{number_text(mean)} ± {number_text(std, digits=2)}</td>" for mean, std in both]


def _colour(method):
    return LOOKS[method].colour if is_private(method) else "currentColor"
