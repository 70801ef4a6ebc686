"""The clusters themselves: under every scheme, the centres or topics that it finds over the true ones."""

from __future__ import annotations

import numpy as np

from core.schemes import is_private
from dashboard.components.dot_panels import Panel, Picture
from dashboard.pages.analyse.components.model import Plan, Spot
from dashboard.pages.analyse.components.plane import flatten
from dashboard.state.number_text import percent_text
from dashboard.theme.scheme_style import LOOKS, pictured

_TOLD = {
    "gaussians": "Rings: true centres. Crosses: those found. Dots: points, coloured by the cross nearest in all dimensions.",
    "topics": "Rings: true topics. Crosses: those found. Dots: documents, coloured by the topic that fits their words best.",
    "own": "Rings: centres without noise. Crosses: those found. Your records are not drawn.",
}
_LEAST, _MOST = 1.4, 1.9  # Reach of a panel, where true components have length one.


def clusters(plan: Plan, spots: dict[str, Spot]) -> Picture:
    """The panels of the schemes that a plan shows, as far as they are found."""
    known = next((s for s in spots.values() if s.sorted is not None), None)
    dots = np.zeros((0, 2)) if known is None else known.sorted.dots
    some = next(iter(spots.values()), None)
    rings = None if some is None else some.true @ flatten(some.true)
    middle = np.zeros(2) if rings is None else (rings.min(axis=0) + rings.max(axis=0)) / 2
    away = np.abs(dots - middle)
    reach = float(np.clip(1.06 * np.quantile(away, 0.99), _LEAST, _MOST)) if len(dots) else _LEAST
    inside = (away <= reach).all(axis=1)
    return Picture(
        tuple(_panel(name, spots.get(name), plan, inside) for name in pictured(plan.shown)),
        # The frame leaves room for half a dot.
        low=middle - 1.03 * reach,
        high=middle + 1.03 * reach,
        told=_TOLD["own" if plan.own is not None else plan.here["model"]],
        rings=rings,
        size=4.5,
    )


def share(spot: Spot) -> str:
    """How good one fit is: how far its centres are off, relative to their length; of documents, how many it sorts right."""
    return percent_text(spot.sorted.right if _documents(spot) else float(f"{spot.figures['matched']:.2g}"))


def found(spot: Spot) -> str:
    """How many centres one fit finds: those whose cross lies less than half way to the nearest other centre."""
    true = spot.true
    apart = np.linalg.norm(true[:, None] - true, axis=2)
    np.fill_diagonal(apart, np.inf)
    # Of a single centre, half way to the origin.
    reach = np.minimum(apart.min(axis=1), np.linalg.norm(true, axis=1) if len(true) == 1 else np.inf) / 2
    near = np.linalg.norm(true - spot.components, axis=1) < reach
    return f"{near.sum()} of {len(true)}"


def _panel(name, spot, plan, inside):
    look = LOOKS[name]
    colour = look.colour if is_private(name) else ""
    if spot is None:
        return Panel(name, look.label, colour=colour)
    sorted_ = spot.sorted
    return Panel(
        name,
        look.label,
        f"{share(spot)} sorted right" if _documents(spot) else f"{found(spot)} found, {share(spot)} off",
        colour,
        **({} if sorted_ is None else {"dots": sorted_.dots[inside], "groups": sorted_.groups[inside]}),
        found=spot.components @ flatten(spot.true),
    )


def _documents(spot):
    """Whether its components are topics: distributions of words, where centres have σ²."""
    return spot.variance is None
