"""The clusters themselves: under every scheme, the centres or topics that it finds over the true ones."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from core import metrics
from core.schemes import is_private
from dashboard.components.dot_panels import ARM, SIDE, Panel, Picture
from dashboard.pages.analyse.components.model import Plan, Spot
from dashboard.pages.analyse.components.plane import flatten
from dashboard.state.number_text import amount_text, percent_text
from dashboard.theme.scheme_style import LOOKS, pictured

_TOLD = {
    "gaussians": (
        "● point",
        "○ true centre",
        "+ released centre",
        "✓ found: + is in the large circle, else grey",
    ),
    "topics": (
        "○ true topic",
        "+ released topic",
        "● document, in the colour of the + that fits its words best",
    ),
    "own": (
        "○ centre without noise",
        "+ released centre",
        "✓ found: + is in the large circle",
        "Your records are not drawn.",
    ),
}
_LEAST, _MOST = 1.4, 1.9  # Reach of a panel, where true components have length one.
_EDGE = 1.03  # The frame leaves room for half a dot.
_ARM = 2 * _EDGE * ARM / SIDE  # Of a cross, in reaches.


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
    if near is not None:  # Around all circles there is room for whole crosses.
        reach = max(reach, float((np.abs(rings - middle) + near[:, None]).max()) / (1 - 2 * _ARM))
    inside = (away <= reach).all(axis=1)
    return Picture(
        tuple(_panel(name, spots.get(name), plan, inside, reach) for name in pictured(plan.shown)),
        low=middle - _EDGE * reach,
        high=middle + _EDGE * reach,
        told=_told(plan),
        rings=rings,
        near=near,
        size=4.5,
    )


def _told(plan):
    """The legend; of points it says how many dimensions they have, of which a plane shows a view."""
    kind, width = "own" if plan.own is not None else plan.here["model"], plan.here["dimension"]
    first, *others = _TOLD[kind]
    view = f": {width} dimensions, drawn in 2" if kind == "gaussians" and width > 2 else ""
    return (first + view, *others)


def share(spot: Spot) -> str:
    """How many documents a scheme sorts right, on average over its releases."""
    return percent_text(spot.sorted.right, digits=2)


def counted(spot: Spot) -> str:
    """How many centres a scheme finds, on average over its releases."""
    return f"{amount_text(spot.figures['found'], len(spot.true))} of {len(spot.true)}"


def _crosses(spot, reach):
    """Where the crosses of centres are drawn: from their rings in the direction in the plane, at their true distance.

    A distance is drawn in units of that to the nearest other centre, so that the cross of a centre that is found is in
    its circle. Any other that would be in a circle is drawn beyond its ring, seen from the middle, outside of all
    circles. Of topics the plane shows what it shows.
    """
    plane = flatten(spot.true)
    rings, crosses = spot.true @ plane, spot.components @ plane
    if _documents(spot):
        return crosses
    middle, room = (rings.min(axis=0) + rings.max(axis=0)) / 2, metrics.spacing(rings)
    found = metrics.components_found(spot.true, spot.components)
    away = np.linalg.norm(spot.true - spot.components, axis=1) * room / metrics.spacing(spot.true)
    away[found] = np.minimum(away[found], 0.98 * room[found] / 2)  # Places are rounded.
    places = _clipped(rings + away[:, None] * _unit(crosses - rings), middle, reach)
    clear = np.linalg.norm(places[:, None] - rings, axis=2) > room / 2 + _ARM * reach
    beyond = np.maximum(away, room / 2 + _ARM * reach)[:, None] * _unit(rings - middle)
    parked = _clipped(rings + beyond, middle, reach)
    return np.where((found | clear.all(axis=1))[:, None], places, parked)


def _clipped(places, middle, reach):
    """In the panel, with all of the cross."""
    inner = (1 - _ARM) * reach
    return np.clip(places, middle - inner, middle + inner)


def _unit(ways):
    """Directions of length one; of none, upwards."""
    length = np.linalg.norm(ways, axis=1, keepdims=True)
    return np.where(length > 1e-9, ways / np.maximum(length, 1e-9), [0.0, 1.0])


def _panel(name, spot, plan, inside, reach):
    look = LOOKS[name]
    colour = look.colour if is_private(name) else ""
    if spot is None:
        return Panel(name, look.label, colour=colour)
    crosses, drawn = _crosses(spot, reach), {}
    near = None if _documents(spot) else metrics.components_found(spot.true, spot.components)
    if spot.sorted is not None:
        dots, groups = spot.sorted.dots, spot.sorted.groups
        if near is not None:  # In the circle of a centre that is not found there is no cross.
            groups = np.where(near[groups], groups, -1)
        drawn = {"dots": dots[inside], "groups": groups[inside]}
    if near is None:
        return Panel(name, look.label, f"{share(spot)} sorted right", colour, **drawn, found=crosses)
    verdict = f"{counted(spot)} {'on average' if is_private(name) and plan.settings.repeats > 1 else 'found'}"
    return Panel(name, look.label, verdict, colour, **drawn, found=crosses, right=near)


def _documents(spot):
    """Whether its components are topics: distributions of words, where centres have σ²."""
    return spot.variance is None
