"""The clusters themselves: under every method, the centres or topics that it finds over the true ones."""

from __future__ import annotations

import html
from collections.abc import Iterable

import numpy as np

from core import decomposition, metrics
from core.schemes import is_private
from dashboard.algorithms.clusters.model import Plan, Spot
from dashboard.algorithms.clusters.plane import flatten
from dashboard.compare import panels
from dashboard.compare.chart import Axis, Line, chart
from dashboard.compare.panels import Row
from dashboard.compare.store import Results
from dashboard.state.number_text import amount_text, count_text, number_text, percent_text
from dashboard.theme.colours import BLUE, GREEN, OCHRE, ORANGE, PURPLE, SKY, VERMILION, VIOLET
from dashboard.theme.scheme_style import LOOKS, label

_TINTS = (BLUE, ORANGE, GREEN, PURPLE, SKY, VERMILION, OCHRE, VIOLET)
_LEAST, _MOST = 1.4, 1.9  # Reach of a panel, where true components have length one.
_SIDE, _ARM = 400, 0.04  # Units along a side of a panel; half of a cross, as a share of it.
_EDGE = 1.03  # The frame leaves room for half a dot.


def about(plan: Plan) -> tuple[str, str]:
    """The title of the picture, and its key."""
    what, width = ("topic", 0) if _documents(plan) else ("centre", plan.here["dimension"])
    known = f"○ {what} without noise" if plan.own is not None else f"○ true {what}"
    view = f", {width} dimensions drawn in 2" if width > 2 else ""
    found = "" if _documents(plan) else ", ✓ found"
    return f"Released {what}s", f"{known}, + released{found}{view}"


def value(plan: Plan, results: Results, method: str) -> str:
    """A method's mean error; "" while it is not known."""
    spot = results.spots.get(method)
    return "" if spot is None else number_text(spot.figures[plan.measure])


def counted(plan: Plan, spot: Spot) -> str:
    """How many centres a method finds, or how many documents it sorts right, on average over its releases."""
    if _documents(plan):
        return f"{percent_text(spot.sorted.right, digits=2)} sorted right"
    return f"{amount_text(spot.figures['found'], len(spot.true))} of {len(spot.true)} found"


def result(plan: Plan, results: Results) -> str:
    """One square a method, in the order of legends."""
    frame = _Frame(plan, results)
    found = (
        Row(
            m,
            frame.picture(results.spots[m]) if m in results.spots else "",
            value(plan, results, m),
            counted(plan, results.spots[m]) if m in results.spots else "",
        )
        for m in plan.shown
    )
    return panels.tiles(tuple(found), square=True)


class _Frame:
    """What the squares of one picture have in common: corners, true components, circles around them, dots."""

    def __init__(self, plan: Plan, results: Results):
        self._plan = plan
        self._known = next((s for s in results.shown() if s.sorted is not None), None)
        some = next(iter(results.shown()), None)
        if some is None:
            return
        dots = np.zeros((0, 2)) if self._known is None else self._known.sorted.dots
        self.rings = some.true @ flatten(some.true)
        self.middle = (self.rings.min(axis=0) + self.rings.max(axis=0)) / 2
        away = np.abs(dots - self.middle)
        reach = float(np.clip(1.06 * np.quantile(away, 0.99), _LEAST, _MOST)) if len(dots) else _LEAST
        self.near = None if _documents(plan) else metrics.spacing(self.rings) / 2
        if self.near is not None:  # Around all circles there is room for whole crosses.
            least = float((np.abs(self.rings - self.middle) + self.near[:, None]).max())
            reach = max(reach, least / (1 - 4 * _EDGE * _ARM))
        self.reach = reach
        self.inside = (away <= reach).all(axis=1)
        self.box = self._box(results)

    def _box(self, results):
        """What the squares hold, as the view of every picture: circles and crosses with their arms, on one scale."""
        drawn = np.concatenate([self._places(crosses(self, spot)) for spot in results.shown()])
        rings, room = self._places(self.rings), np.full(len(self.rings), 1.0 * _SIDE // 22)
        if self.near is not None:
            room = _SIDE * self.near / (2 * _EDGE * self.reach)
        arm = _ARM * _SIDE + 8
        low = np.minimum((rings - room[:, None]).min(axis=0) - 12, drawn.min(axis=0) - arm)
        high = np.maximum((rings + room[:, None]).max(axis=0) + 4, drawn.max(axis=0) + arm)
        if self.near is None:  # Topics have no circles: their dots are all there is to see.
            low, high = np.minimum(low, 0), np.maximum(high, _SIDE)
        low, high = (
            np.floor(np.maximum(low, -arm)).astype(int),
            np.ceil(np.minimum(high, _SIDE + arm)).astype(int),
        )
        return f"{low[0]} {low[1]} {high[0] - low[0]} {high[1] - low[1]}"

    def picture(self, spot: Spot) -> str:
        """Dots, true components and crosses of one method, as SVG."""
        right = (
            None if self.near is None else metrics.components_found(spot.true, spot.components)
        )  # Of topics none is drawn as found.
        parts = [*self._dots(spot, right), *self._rings(right), *self._crosses(spot, right)]
        spoken = f"{label(spot.method)}: {counted(self._plan, spot)}"
        return (
            f"<svg class='plane' viewBox='{self.box}' role='img' aria-label='{html.escape(spoken, quote=True)}'>"
            f"{''.join(parts)}</svg>"
        )

    def _dots(self, spot, right):
        if spot.sorted is None:
            return
        groups = spot.sorted.groups[self.inside]
        if right is not None:  # In the circle of a centre that is not found there is no cross.
            groups = np.where(right[groups], groups, -1)
        places = self._places(spot.sorted.dots[self.inside])
        for group in np.unique(groups):
            path = "".join(f"M{x} {y}h0" for x, y in places[groups == group])
            yield f"<path class='dot' d='{path}' style='--tint:{_tint(group)}'/>"

    def _rings(self, right):
        for i, (x, y) in enumerate(self._places(self.rings)):
            if right is not None:
                r = round(_SIDE * self.near[i] / (2 * _EDGE * self.reach))
                yield f"<circle class='near{' hit' * bool(right[i])}' cx='{x}' cy='{y}' r='{r}'/>"
            yield f"<circle class='ring' cx='{x}' cy='{y}' r='{_SIDE // 22}'/>"

    def _crosses(self, spot, right):
        arm = round(_ARM * _SIDE)
        for i, (x, y) in enumerate(self._places(crosses(self, spot))):
            missed = right is not None and not right[i]
            d = f"M{x - arm} {y}h{2 * arm}m-{arm} -{arm}v{2 * arm}"
            yield f"<path class='halo' d='{d}'/><path class='cross' d='{d}' style='--tint:{_tint(-1 if missed else i)}'/>"
            if right is not None and right[i]:
                across, down = self._places(self.rings)[i]
                r = _SIDE * self.near[i] / (2 * _EDGE * self.reach)
                side = 0.71 if across > _SIDE / 2 else -0.71
                yield f"<path class='tick' d='M{across + side * r - 13:.0f} {down - 0.71 * r:.0f}l9 11l17 -23'/>"

    def _places(self, points):
        """Whole numbers, across and down."""
        share = np.clip((points - self.middle + _EDGE * self.reach) / (2 * _EDGE * self.reach), 0, 1)
        share[:, 1] = 1 - share[:, 1]
        return np.rint(_SIDE * share).astype(int)


def crosses(frame: _Frame, spot: Spot) -> np.ndarray:
    """Where the crosses of centres are drawn: from their rings in the direction in the plane, at their true distance.

    A distance is drawn in units of that to the nearest other centre, so that the cross of a centre that is found is in
    its circle. Any other that would be in a circle is drawn beyond its ring, seen from the middle, outside of all
    circles. Of topics the plane shows what it shows.
    """
    rings, drawn, reach = frame.rings, spot.components @ flatten(spot.true), frame.reach
    if frame.near is None:
        return drawn
    room, arm = 2 * frame.near, 2 * _EDGE * _ARM * reach
    found = metrics.components_found(spot.true, spot.components)
    away = np.linalg.norm(spot.true - spot.components, axis=1) * room / metrics.spacing(spot.true)
    away[found] = np.minimum(away[found], 0.98 * room[found] / 2)  # Places are rounded.
    # Beyond all circles there is room for whole crosses, and for no more: circles are as large as they can be.
    inner = np.minimum(
        (np.abs(rings - frame.middle) + frame.near[:, None]).max(axis=0) + 1.2 * arm, reach - arm
    )

    def clipped(places):
        return np.clip(places, frame.middle - inner, frame.middle + inner)

    places = clipped(rings + away[:, None] * _unit(drawn - rings))
    clear = np.linalg.norm(places[:, None] - rings, axis=2) > room / 2 + arm
    beyond = np.maximum(away, room / 2 + arm)[:, None] * _unit(rings - frame.middle)
    return np.where((found | clear.all(axis=1))[:, None], places, clipped(rings + beyond))


def _unit(ways):
    """Directions of length one; of none, upwards."""
    length = np.linalg.norm(ways, axis=1, keepdims=True)
    return np.where(length > 1e-9, ways / np.maximum(length, 1e-9), [0.0, 1.0])


def _tint(group):
    return _TINTS[group % len(_TINTS)] if group >= 0 else "var(--quiet)"


def spectrum(results: Results) -> str:
    """The eigenvalues of every released second moment, and below which ones noise alone would stand."""
    spots = [s for s in results.shown() if len(s.values)]
    if not spots:
        return ""
    high = max(float(np.max(s.values)) for s in spots)
    low = min(0.0, *(float(np.min(s.values)) for s in spots))
    many = max(2, *(len(s.values) for s in spots))
    lines = []
    for s in spots:
        colour = LOOKS[s.method].colour if is_private(s.method) else "currentColor"
        i = np.arange(1, len(s.values) + 1)
        lines.append(Line(i, s.values, colour, name=label(s.method)))
        if s.edge:
            lines.append(
                Line(i, np.full(len(i), s.edge), colour, "2 4", f"{label(s.method)}: noise alone", 1.5)
            )
    x, y = Axis("component", 1, many), Axis("eigenvalue", low, 1.05 * high or 1.0)
    told = "<p>Dotted: the largest eigenvalue that noise alone would give.</p>"
    return chart(lines, x, y, label="eigenvalues of each released M2") + told


def numbers(plan: Plan, spots: Iterable[Spot]) -> str:
    """All errors of every method, as a table, and how many numbers are sent."""
    rows = "".join(
        f"<tr><th scope='row'>{html.escape(label(s.method))}</th><td>{_above(s)}</td>"
        + "".join(f"<td>{s.figures[name]:.3f}</td>" for name in ("matched", "error", "weights"))
        + f"<td>{_sent(plan, s.method)}</td></tr>"
        for s in spots
    )
    titles = ("", "M₂ above its noise", "recovery error", "q_comp", "weights", "numbers sent")
    head = "".join(f"<th scope='col'>{title}</th>" for title in titles)
    many = plan.settings.repeats
    means = (
        f"Errors are means of {count_text(many, 'release')}; the rest is of the drawn one. "
        if many > 1
        else ""
    )
    return (
        f"<div class='scroll'><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
        f"<p>{means}M₂ above its noise: eigenvalues of the second moment that its noise alone would not give. The noise "
        "of the third moment can still hide these components.</p>"
    )


def _above(spot):
    return "—" if spot.method == "random" else f"{spot.above_noise} of {len(spot.values)}"


def _sent(plan, method):
    law = {name: plan.here[name] for name in ("sites", "k")}
    return number_text(decomposition.communication(method, width=plan.here["dimension"], **law))


def _documents(plan):
    return plan.here["model"] == "topics"
