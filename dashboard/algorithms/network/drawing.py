"""Borders between the classes that each scheme has learnt, and the course of its training, as HTML."""

from __future__ import annotations

import base64
import io
from functools import lru_cache

import numpy as np
from PIL import Image, ImageColor

from core.schemes import is_private
from dashboard.algorithms.network.model import MOST_TRAINED, Plan
from dashboard.compare import panels
from dashboard.compare.chart import Axis, Line, chart
from dashboard.compare.panels import Row
from dashboard.compare.store import Results
from dashboard.state.number_text import percent_text
from dashboard.theme.colours import CAPE, ONE_CLASS, OTHER_CLASS
from dashboard.theme.scheme_style import LOOKS, label

_CELLS = 70  # Across a picture of borders.
_SHADES = 32  # From white, where the network cannot tell, to the colour of a class.
_PALE = 0.55  # Strength of the background: a dot on its own class is seen.
_UNITS = 100  # Of a picture's width, for dots.


def about(plan: Plan) -> tuple[str, str]:
    """The title of the picture, and the line beside it."""
    records = "unseen" if plan.judged_on == "test" else "training"
    drawn = "of one training; dots: records; " if plan.source.window else ""
    what = "Decision boundaries" if plan.source.window else "Accuracy"
    where = f"after step {plan.step} of {plan.steps}" if plan.step else "before the first step"
    repeats = min(plan.settings.repeats, MOST_TRAINED)
    mean = f", mean of {repeats} trainings" if repeats > 1 else ""
    return f"{what} {where}", f"{drawn}accuracy on {records} records{mean}"


def result(plan: Plan, results: Results) -> str:
    """A picture a scheme, side by side; of records with more than two features a bar."""
    if plan.source.window is None:
        return panels.rows([Row(m, _bar(plan, results, m), value(plan, results, m)) for m in plan.shown])
    return panels.tiles([Row(m, _borders(plan, results, m), value(plan, results, m)) for m in plan.shown])


def value(plan: Plan, results: Results, method: str) -> str:
    """The accuracy at the step that is shown; "" while it is not known."""
    spot = results.spots.get(method)
    return "" if spot is None else percent(spot.course[plan.step])


def percent(share: float) -> str:
    """A share in whole per cents: a mean of ten trainings is not known better."""
    return percent_text(share, digits=2)


def courses(plan: Plan, results: Results) -> str:
    """The accuracy of every scheme after each step."""
    lines = [
        Line(range(len(s.course)), 100 * s.course, _colour(s.method), name=label(s.method))
        for s in results.shown()
    ]
    x, y = Axis("training step", 0, plan.steps), Axis("", _least(lines, 100.0), 100.0)
    return chart(lines, x, y, rule=plan.step, label="accuracy in per cent after each step") if lines else ""


def losses(plan: Plan, results: Results) -> str:
    """Cross-entropy of the drawn training before each step."""
    lines = [
        Line(range(len(s.losses)), np.maximum(s.losses, 1e-4), _colour(s.method), name=label(s.method))
        for s in results.shown()
    ]
    if not lines:
        return ""
    every = np.concatenate([line.y for line in lines])
    y = Axis("", every.min() / 1.2, 1.2 * every.max(), log=True)
    return chart(
        lines, Axis("training step", 0, plan.steps), y, rule=plan.step, label="loss before each step"
    )


def spent(plan: Plan, results: Results) -> str:
    """The exact ε of all steps so far, and the sum of their ε."""
    epsilon, parts = plan.settings.epsilon, plan.steps / plan.visits
    steps = np.unique(np.geomspace(1, plan.steps, 40).astype(int))
    visits = np.ceil(steps / parts).astype(int)
    exact = np.array([plan.total_epsilon(epsilon, int(v)) for v in visits])
    added = plan.step_epsilon(epsilon) * visits
    known = np.where(exact > 0, exact, np.nan)
    lines = [
        Line(steps, known, CAPE, name="composed exactly"),
        Line(steps, added, "currentColor", "7 4", "ε added up"),
    ]
    positive = np.concatenate([exact, added])
    positive = positive[positive > 0]
    if not len(positive):
        return ""
    x = Axis("training step", 1, plan.steps, log=True)
    y = Axis("", positive.min() / 1.2, 1.2 * positive.max(), log=True)
    said = "<p class='told'>Solid: composed exactly, at the same δ. Dashed: ε added up.</p>"
    return chart(lines, x, y, rule=max(plan.step, 1), label="ε of all steps so far") + said


def _least(lines, most):
    return min(50.0, *(float(np.min(line.y)) for line in lines)) - 2 if lines else most - 1


def _colour(method):
    return LOOKS[method].colour if is_private(method) else "currentColor"


def _bar(plan, results, method):
    spot = results.spots.get(method)
    if spot is None:
        return ""
    return f"<i class='share' style='width:{100 * spot.course[plan.step]:.1f}%;background:{_colour(method)}'></i>"


def _borders(plan, results, method):
    """What one network predicts in the plane, with some of the training records; "" while it is not known."""
    spot = results.spots.get(method)
    if spot is None:
        return ""
    (wide, high), (x, y) = plan.source.window, spot.dots
    network, scale = spot.network(plan.step), _UNITS / (2 * wide)
    tall = 2 * high * scale
    picture = _png(network.probability(_cells(wide, high)).reshape(-1, _CELLS))
    across, down = scale * (x[:, 0] + wide), scale * (high - x[:, 1])
    dots = "".join(
        _dots(across[y == one], down[y == one], colour) for one, colour in ((0, ONE_CLASS), (1, OTHER_CLASS))
    )
    name = f"decision boundary under {label(method)}: {percent(spot.course[plan.step])} right"
    return (
        f"<svg class='border' viewBox='0 0 {_UNITS} {tall:.1f}' preserveAspectRatio='none' role='img' aria-label='{name}'>"
        f"<image href='{picture}' width='{_UNITS}' height='{tall:.1f}' preserveAspectRatio='none'/>{dots}</svg>"
    )


def _dots(across, down, colour):
    """Dots with a light rim, as two paths."""
    path = "".join(f"M{a:.1f} {d:.1f}h0" for a, d in zip(across, down, strict=True))
    return f"<path d='{path}' class='rim'/><path d='{path}' class='dot' stroke='{colour}'/>"


@lru_cache(maxsize=8)
def _cells(wide, high):
    """The middles of the picture's cells, from its upper left corner."""
    rows = round(_CELLS * high / wide)
    across = wide * ((np.arange(_CELLS) + 0.5) / _CELLS * 2 - 1)
    up = high * (1 - (np.arange(rows) + 0.5) / rows * 2)
    return np.stack(np.meshgrid(across, up), axis=-1).reshape(-1, 2)


@lru_cache(maxsize=1)
def _palette():
    """Shades from the colour of class 0 over white to that of class 1; light in a dark theme, too: dots stand out."""
    ends = [255 + _PALE * (np.array(ImageColor.getrgb(c)) - 255) for c in (ONE_CLASS, OTHER_CLASS)]
    strength = np.linspace(1, -1, 2 * _SHADES)[:, None]
    shades = 255 + np.where(strength > 0, strength * (ends[0] - 255), -strength * (ends[1] - 255))
    return np.rint(shades).astype(np.uint8).ravel().tolist()


def _png(probability):
    """Probabilities of class 1 as a picture, as an address that holds it."""
    levels = np.minimum(probability * 2 * _SHADES, 2 * _SHADES - 1).astype(np.uint8)
    image, held = Image.fromarray(levels, "P"), io.BytesIO()
    image.putpalette(_palette())
    image.save(held, "PNG")
    return f"data:image/png;base64,{base64.b64encode(held.getvalue()).decode()}"
