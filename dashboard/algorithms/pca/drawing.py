"""The result of PCA as HTML: rebuilt images or components, the spectrum, and what each method keeps."""

from __future__ import annotations

import numpy as np

from core.schemes import PLAIN, is_private
from dashboard.algorithms.pca.model import EXAMPLES, Plan
from dashboard.compare import panels
from dashboard.compare.chart import Axis, Line, chart
from dashboard.compare.panels import Row
from dashboard.compare.store import Results
from dashboard.state.number_text import count_text, percent_text
from dashboard.theme.scheme_style import LOOKS, label

_IMAGES, _AT_ONCE, _COMPONENTS = 10, 5, 8


def about(plan: Plan) -> tuple[str, str]:
    """The title of the picture, and the line beside it: for images, which of them are in sight."""
    k = plan.here["k"]
    if plan.source.image_shape:
        what = "Digits" if plan.source.name == "digits" else "Images"
        return f"{what} rebuilt from {count_text(k, 'component')}", _sets(what)
    few = count_text(min(k, _COMPONENTS), "component")
    return f"The first {few}", f"a bar for each of {plan.source.width} numbers"


def _sets(what):
    """A menu of the images in sight, which needs no answer of the server; on a slide all are."""
    first = what == "Images"  # Digits begin with 0.
    ends = [(at + first, min(at + _AT_ONCE, _IMAGES) - 1 + first) for at in range(0, _IMAGES, _AT_ONCE)]
    options = "".join(f"<option>{low}–{high}</option>" for low, high in ends)
    return f"<select class='which' aria-label='{what} in sight'>{options}</select>"


def value(results: Results, method: str) -> str:
    """What a method keeps of the measure, in per cent; "" while it is not known."""
    spot = results.spots.get(method)
    return "" if spot is None else percent_text(spot.energy)


def result(plan: Plan, results: Results) -> str:
    """One row a method, in the order of legends."""
    ordered = [m for m in LOOKS if m in plan.shown]
    draw = _images if plan.source.image_shape else _vectors
    return panels.rows([Row(m, draw(plan, results, m), value(results, m)) for m in ordered])


def _images(plan, results, method):
    images, spot = results.spots.get(EXAMPLES), results.spots.get(method)
    if images is None or spot is None:
        return ""
    low, high = images.min(), images.max()
    rebuilt = images[:_IMAGES] @ spot.components.T @ spot.components
    ink = (rebuilt - low) / (high - low)
    name = f"images under {label(method)}"
    sets = [ink[at : at + _AT_ONCE] for at in range(0, len(ink), _AT_ONCE)]
    strips = [panels.strip(one, plan.source.image_shape, name) for one in sets]
    return f"<div class='sets'>{''.join(strips)}</div>"


def _vectors(plan, results, method):
    best, spot = results.spots.get(PLAIN), results.spots.get(method)
    if spot is None or best is None:
        return ""
    count = min(plan.here["k"], _COMPONENTS)
    return panels.bars(_aligned(spot.components[:count], best.components[:count]), _colour(method))


def components(plan: Plan, results: Results) -> str:
    """The components of each method as images; "" where records are none."""
    best = results.spots.get(PLAIN)
    if not plan.source.image_shape or best is None:
        return ""
    count = min(plan.here["k"], _COMPONENTS)
    found = []
    for spot in results.shown():
        vectors = _aligned(spot.components[:count], best.components[:count])
        found.append(
            Row(spot.method, panels.strip(0.5 + 0.5 * vectors, plan.source.image_shape, "components"), "")
        )
    return panels.rows(found)


def spectrum(results: Results) -> str:
    """The eigenvalues of every released second moment, as a chart."""
    spots = results.shown()
    if not spots:
        return ""
    most = max(len(spot.values) for spot in spots)
    high = max(float(np.max(spot.values)) for spot in spots)
    low = min(0.0, min(float(np.min(spot.values)) for spot in spots))
    lines = [
        Line(np.arange(1, len(s.values) + 1), s.values, _colour(s.method), name=label(s.method))
        for s in spots
    ]
    x, y = Axis("component", 1, max(most, 2)), Axis("eigenvalue", low, 1.05 * high or 1.0)
    return chart(lines, x, y, label="eigenvalues of each released second moment")


def _aligned(vectors, like):
    """Vectors with the signs of those of the non-private answer, scaled to 1."""
    signs = np.where(np.einsum("kd,kd->k", vectors, like) < 0, -1, 1)
    return (signs / np.abs(vectors).max(axis=1))[:, None] * vectors


def _colour(method):
    return LOOKS[method].colour if is_private(method) else "currentColor"
