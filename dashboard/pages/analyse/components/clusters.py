"""The clusters themselves: under every scheme, the centres or topics that it finds over the true ones."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from core import metrics
from core.schemes import is_private
from dashboard.components.dot_panels import Panel, Picture
from dashboard.pages.analyse.components.model import Plan, Spot
from dashboard.pages.analyse.components.plane import flatten
from dashboard.state.number_text import amount_text, percent_text
from dashboard.theme.scheme_style import LOOKS, pictured

_TOLD = {
    "gaussians": (
        "○ true centre, ✓ if found",
        "+ released centre",
        "● point, in the colour of the nearest +",
    ),
    "topics": (
        "○ true topic",
        "+ released topic",
        "● document, in the colour of the + that fits its words best",
    ),
    "own": ("○ centre without noise, ✓ if found", "+ released centre", "Your records are not drawn."),
}
_LEAST, _MOST = 1.4, 1.9  # Reach of a panel, where true components have length one.


def clusters(plan: Plan, spots: Mapping[str, Spot]) -> Picture:
    """The panels of the schemes that a plan shows, as far as they are found."""
    known = next((s for s in spots.values() if s.sorted is not None), None)
    dots = np.zeros((0, 2)) if known is None else known.sorted.dots
    some = next(iter(spots.values()), None)
    rings = None if some is None else some.true @ flatten(some.true)
    middle = np.zeros(2) if rings is None else (rings.min(axis=0) + rings.max(axis=0)) / 2
    away = np.abs(dots - middle)
    reach = float(np.clip(1.06 * np.quantile(away, 0.99), _LEAST, _MOST)) if len(dots) else _LEAST
    near = None if rings is None or _documents(some) else metrics.spacing(rings) / 2
    if near is not None:  # What lies outside of the panel is drawn on its edge: never inside of a circle.
        reach = max(reach, float((np.abs(rings - middle) + near[:, None]).max()))
    inside = (away <= reach).all(axis=1)
    return Picture(
        tuple(_panel(name, spots.get(name), plan, inside) for name in pictured(plan.shown)),
        # The frame leaves room for half a dot.
        low=middle - 1.03 * reach,
        high=middle + 1.03 * reach,
        told=_TOLD["own" if plan.own is not None else plan.here["model"]],
        rings=rings,
        near=near,
        size=4.5,
    )


def share(spot: Spot) -> str:
    """How many documents a scheme sorts right, on average over its releases."""
    return percent_text(spot.sorted.right, digits=2)


def counted(spot: Spot) -> str:
    """How many centres a scheme finds, on average over its releases."""
    return f"{amount_text(spot.figures['found'], len(spot.true))} of {len(spot.true)}"


def _crosses(spot):
    """Where the crosses of centres are drawn: from their rings in the direction in the plane, at their true distance.

    A distance is drawn in units of that to the nearest other centre, so that a cross is less than half way to the nearest
    other ring if its centre is found. Of topics the plane shows what it shows.
    """
    plane = flatten(spot.true)
    rings, crosses = spot.true @ plane, spot.components @ plane
    if _documents(spot):
        return crosses
    way = crosses - rings
    length = np.linalg.norm(way, axis=1, keepdims=True)
    away = (
        np.linalg.norm(spot.true - spot.components, axis=1)
        * metrics.spacing(rings)
        / metrics.spacing(spot.true)
    )
    return rings + way / np.maximum(length, 1e-12) * away[:, None]


def _panel(name, spot, plan, inside):
    look = LOOKS[name]
    colour = look.colour if is_private(name) else ""
    if spot is None:
        return Panel(name, look.label, colour=colour)
    crosses, drawn = _crosses(spot), {}
    if spot.sorted is not None:
        dots, groups = spot.sorted.dots, spot.sorted.groups
        if groups is None:
            groups = np.linalg.norm(dots[:, None] - crosses, axis=2).argmin(axis=1)
        drawn = {"dots": dots[inside], "groups": groups[inside]}
    if _documents(spot):
        return Panel(name, look.label, f"{share(spot)} sorted right", colour, **drawn, found=crosses)
    verdict = f"{counted(spot)} {'on average' if is_private(name) and plan.settings.repeats > 1 else 'found'}"
    near = metrics.components_found(spot.true, spot.components)
    return Panel(name, look.label, verdict, colour, **drawn, found=crosses, right=near)


def _documents(spot):
    """Whether its components are topics: distributions of words, where centres have σ²."""
    return spot.variance is None
