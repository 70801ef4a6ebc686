"""Matrices over months as heat maps, and the table of all errors, as HTML."""

from __future__ import annotations

import base64
import io
import math
from functools import lru_cache

import numpy as np
from PIL import Image

from core.series import Strategy
from dashboard.packs.consortium.months.model import NAMES, READ, SCHEMES, STRATEGIES, Found, Plan
from dashboard.state.number_text import number_text
from dashboard.theme.assets import beside
from dashboard.theme.colours import CAPE, CONVENTIONAL
from dashboard.theme.scheme_style import LOOKS, label

SHEET = beside(__file__, "months.css")
_SHADE = 0.6  # Power of a number that is its opacity.
_KEY = (-1.0, -0.3, -0.1, 0.1, 0.3, 1.0)
_POSITIVE, _NEGATIVE = (tuple(bytes.fromhex(colour[1:])) for colour in (CAPE, CONVENTIONAL))


def matrices(plan: Plan, strategy: Strategy) -> str:
    """C, by which a site's noise is correlated, and the correlation of what is released."""
    largest = np.abs(strategy.matrix).max()
    unit = "" if math.isclose(largest, 1) else f", in units of {number_text(largest)}"
    parts = (
        ("C", f"of a site's noise{unit}", strategy.matrix / largest),
        ("Correlation", "of what is released", strategy.correlation),
    )
    figures = "".join(
        f"<figure>{heat_map(found, name)}<figcaption><b>{name}</b> {of}</figcaption></figure>"
        for name, of, found in parts
    )
    key = "".join(f"<i>{heat_map(np.array([[value]]), '')}</i>{number_text(value)}" for value in _KEY)
    title = f"Between months <small>noise: {STRATEGIES[plan.chosen]}</small>"
    return (
        f"<section class='card matrices'><h2>{title}</h2><div class='maps'>{figures}</div>"
        f"<small class='key'>{key}</small></section>"
    )


def heat_map(values: np.ndarray, name: str) -> str:
    """A matrix of numbers from −1 to 1, a pixel an entry: red below 0, blue above, and small ones still seen."""
    return _drawn(np.asarray(values, dtype=float).tobytes(), values.shape, name)


@lru_cache(maxsize=128)
def _drawn(content, shape, name):
    values = np.frombuffer(content).reshape(shape)
    pixels = np.zeros((*values.shape, 4), dtype=np.uint8)
    pixels[..., :3] = np.where(values[..., None] < 0, _NEGATIVE, _POSITIVE)
    pixels[..., 3] = np.rint(255 * np.clip(np.abs(values), 0, 1) ** _SHADE)
    held = io.BytesIO()
    Image.fromarray(pixels, "RGBA").save(held, "PNG")
    text = base64.b64encode(held.getvalue()).decode()
    return f"<img alt='{name}' src='data:image/png;base64,{text}'>"


def numbers(plan: Plan, found: Found) -> str:
    """Every strategy under CAPE, and every scheme with the chosen strategy: root mean square error of every query."""
    chosen = found.strategies[plan.chosen]
    strategies = "".join(
        _row(
            plan,
            STRATEGIES[name],
            [plan.root_mean_square(one, kind=kind) for kind in READ],
            name == plan.chosen,
        )
        for name, one in found.strategies.items()
    )
    schemes = "".join(
        _row(
            plan,
            label(scheme),
            [plan.root_mean_square(chosen, scheme, kind) for kind in READ],
            scheme == plan.scheme,
            scheme,
        )
        for scheme in SCHEMES
    )
    units = f"range/N and in {plan.unit.name or 'its unit'}" if plan.unit else "range/N"
    return (
        f"<section class='card errors'><h2>Standard error <small>root mean square over months, in {units}</small></h2>"
        f"<div class='both'>{_table(label(plan.scheme), strategies)}{_table(STRATEGIES[plan.chosen], schemes)}</div>"
        "</section>"
    )


def _table(title, body):
    heads = "".join(f"<th scope='col'>{NAMES[kind]}</th>" for kind in READ)
    return (
        f"<div class='scroll'><table><thead><tr><th scope='col'>{title}</th>{heads}</tr></thead>"
        f"<tbody>{body}</tbody></table></div>"
    )


def _row(plan, name, values, chosen, scheme=""):
    mark = f"<i style='background:{LOOKS[scheme].colour}'></i>" if scheme else ""
    beside = plan.unit.text if plan.unit else lambda value: ""
    cells = "".join(f"<td>{number_text(value)}{_aside(beside(value))}</td>" for value in values)
    kind = " class='chosen'" if chosen else ""
    return f"<tr{kind}><th scope='row'>{mark}{name}</th>{cells}</tr>"


def _aside(words):
    return words and f" <small>{words}</small>"
