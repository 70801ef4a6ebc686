"""What the released directions keep, as pictures: images rebuilt from them, or the directions themselves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from core.schemes import PLAIN, is_private, named
from dashboard.components.tiles import Row, shaded
from dashboard.pages.analyse.pca.model import EXAMPLES, Plan, Spot
from dashboard.state.number_text import count_text, percent_text
from dashboard.theme.scheme_style import LOOKS, label

LESS = "less than a blur"  # Of detail: a blur is the first direction alone, and 0 %.
_ROWS = 4  # Methods at most: without noise, and those that the page compares first.
_DIRECTIONS = 8
_FIRST = "1st direction alone"
_SMALL = 100  # Pixels at most of the drawing of a sum.
_TERMS, _EXAMPLE = 3, 5  # Its directions, and the image that it rebuilds: each of them adds to a five.
_IMAGES = {1: 5, 2: 6}  # Of few methods fewer and larger images.
_MOST_IMAGES = 10


def methods(plan: Plan) -> list[str]:
    """The methods that are drawn: a curator's and DPdisPCA only where there is room for them."""
    aside = [m for m in plan.methods if m == "dpdispca" or (named(m).curator and is_private(m))]
    chosen = [m for m in plan.methods if m not in aside]
    kept = {*(chosen + aside)[:_ROWS]}
    return [m for m in LOOKS if m in kept]


def asked(plan: Plan) -> list[str]:
    """The fits that the pictures need."""
    return [*methods(plan), *([EXAMPLES] if plan.source.image_shape else [])]


def complete(spots: Mapping[str, Any], plan: Plan) -> bool:
    """Whether everything that is drawn is known for the present settings."""
    return all(name in spots for name in asked(plan))


def tiles(spots: Mapping[str, Any], plan: Plan, hidden: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Arguments of `Tiles.show`: empty places for what is not known yet, question marks for the methods `hidden`."""
    found = _images(spots, plan) if plan.source.image_shape else _directions(spots, plan)
    about = {label(method): words for method, words in (hidden or {}).items()}
    rows = [
        Row(r.label, r.colour, hint=about[r.label], asked=True) if r.label in about else r
        for r in found["rows"]
    ]
    return found | {"rows": rows}


def _images(spots, plan):
    images, k = spots.get(EXAMPLES), plan.here["k"]
    most = _IMAGES.get(len(methods(plan)), _MOST_IMAGES)
    drawn = None if images is None else images[:most]
    count = most if drawn is None else len(drawn)

    def ink(records):
        low, high = images.min(), images.max()
        return (records - low) / (high - low)

    def pixels(spot):
        return ink(drawn @ spot.components.T @ spot.components)

    rows = _rows(spots if images is not None else {}, plan, pixels)
    blurred = plan.problem.measure == "detail" and any(map(is_private, methods(plan)))
    if blurred:
        blur = spots.get(PLAIN) if images is not None else None
        rows.insert(1 if PLAIN in methods(plan) else 0, _blurred(blur, drawn, ink))
    noise = any(map(is_private, methods(plan)))
    head = f"{plan.problem.measure} kept" if noise else ""
    if (
        not noise
    ):  # What is kept counts from the directions without noise: alone they would keep 100 % of any k.
        rows = [replace(row, note="") for row in rows]
    rows.insert(0, Row("the images", pixels=None if drawn is None else ink(drawn), head=head))
    title = (
        f"A direction is a pattern of pixels. Each image is rebuilt as a weighted sum of {k} directions, computed without "
        "noise."
    )
    if noise:
        title = (
            f"The sites release {k} directions: patterns of pixels. Each image stays at its site, rebuilt as a weighted sum "
            "of them. Noise costs detail."
        )
    found = {"rows": rows, "shape": plan.source.image_shape, "count": count, "kind": "ink", "title": title}
    if plan.problem.measure == "detail" and plan.source.width <= _SMALL and k > _TERMS:
        found["drawing"] = _sum(images, spots.get(PLAIN), plan.source.image_shape)
    return found


def _sum(images, best, shape):
    """A drawing of what the first directions add to one image, without noise, and of what all of them rebuild.

    On the grey ground of a direction, dark pixels add ink and pale ones take it away. Empty places before all is known.
    """
    high, wide = shape
    if images is None or best is None:
        shades = [np.full(shape, 0.07)] * (_TERMS + 1)
    else:
        image = images[_EXAMPLE]
        parts = (best.components @ image)[:, None] * best.components / images.max()
        shades = [0.5 + 0.5 * part for part in parts[:_TERMS]] + [parts.sum(axis=0)]
    signs, step = ("+", "+", "+ … ="), wide + 6
    drawn, x = [], 0
    for place, shade in enumerate(shades):
        drawn.append(shaded(shade.reshape(shape), x=x))
        if place < _TERMS:
            x += step + 9 * (place == _TERMS - 1)
            middle = x - (6 + 9 * (place == _TERMS - 1)) / 2
            drawn.append(
                f"<text x='{middle:g}' y='{high / 2 + 2:g}' font-size='5.5' text-anchor='middle'>{signs[place]}</text>"
            )
    box = f"0 0 {x + wide} {high}"
    return f"<svg class='sum' viewBox='{box}' stroke='none' aria-hidden='true'>{''.join(drawn)}</svg>"


def kept_text(spot: Spot, plan: Plan) -> str:
    """How much a scheme keeps of the page's measure; of detail in words where it is less than that of a blur."""
    if plan.problem.measure != "detail":
        return percent_text(spot.energy)
    if spot.energy <= 0:
        return LESS
    return percent_text(spot.energy, digits=2 if spot.energy < 0.99 else 3).replace(" ", "\u00a0")


def _blurred(best, drawn, ink):
    if best is None:
        return Row("a blur", hint=_FIRST)
    first = best.components[:1]
    return Row("a blur", pixels=ink(drawn @ first.T @ first), note="0 %", hint=_FIRST)


def _directions(spots, plan):
    best, width = spots.get(PLAIN), plan.source.width
    count = min(plan.here["k"], _DIRECTIONS)

    def pixels(spot):
        vectors, like = spot.components[:count], best.components[:count]
        signs = np.where(np.einsum("kd,kd->k", vectors, like) < 0, -1, 1)
        return (signs / np.abs(vectors).max(axis=1))[:, None] * vectors

    rows = _rows(spots if best is not None else {}, plan, pixels)
    title = f"The first {count_text(count, 'direction')} of each scheme: one bar for each of {width} numbers"
    title += f"; behind its name, the {plan.problem.measure} kept by all {plan.here['k']}"
    return {"rows": rows, "shape": (1, width), "count": count, "kind": "bars", "title": title}


def _rows(spots: Mapping[str, Spot], plan: Plan, pixels) -> list[Row]:
    found = []
    for method in methods(plan):
        spot = spots.get(method)
        known = {} if spot is None else {"pixels": pixels(spot), "note": kept_text(spot, plan)}
        found.append(Row(label(method), LOOKS[method].colour if is_private(method) else "", **known))
    return found
