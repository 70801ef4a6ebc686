"""Small moving drawings of the terms that come first; their numbers are those of `core`."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from itertools import accumulate

import numpy as np

from core import Privacy, cape
from core.privacy import gaussian_mu, gdp_delta
from dashboard.state.number_text import at_most_text, number_text
from dashboard.theme.colours import (
    AGGREGATOR,
    CAPE,
    COLLUDERS,
    CONVENTIONAL,
    FIRST_DATA,
    FORBIDDEN,
    LOCAL_NOISE,
    SECOND_DATA,
    ZERO_SUM,
)

WIDE, HIGH = 150, 66  # Units of a drawing.
SITES = 10  # Of the gain.
_FLOOR = 48  # Where curves stand.
_SEED = 6  # Of the noise that is drawn; any other shows the same.


def _moved(shape: str, kind: str, at: float = 0.0, lasts: float = 1.0, **steps: str) -> str:
    """A shape that moves from `a` (and over `b`) to its place; `at` and `lasts` are seconds."""
    given = "".join(f"--{name}:{value};" for name, value in steps.items())
    return f'<g class="m {kind}" style="--at:{at:g}s;--for:{lasts:g}s;{given}">{shape}</g>'


def _text(x: float, y: float, words: str, anchor: str = "middle") -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}">{words}</text>'


def _labels(*words: str, lasts: float) -> str:
    """Labels below the drawing, one after the other; the last one stays."""
    kinds = ["pass"] * (len(words) - 1) + ["appear"]
    return "".join(
        _moved(_text(75, 63, said), kind, at=i * lasts, lasts=lasts if kind == "pass" else 0.3)
        for i, (said, kind) in enumerate(zip(words, kinds, strict=True))
    )


def _bell(spread: float, tall: float, reach: float = 3.2) -> str:
    """The path of a normal density around the origin, from left to right."""
    points = (
        (x, -tall * math.exp(-((x / spread) ** 2) / 2))
        for x in np.linspace(-reach * spread, reach * spread, 33)
    )
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)


def _curve(path: str, colour: str) -> str:
    return f'<path d="{path}" fill="{colour}" fill-opacity="0.22" stroke="{colour}" stroke-width="2"/>'


def _at(x: float, y: float, shape: str) -> str:
    return f'<g transform="translate({x:g} {y:g})">{shape}</g>'


def _epsilon() -> str:
    """What is seen with and without one record, as far apart as ε allows at δ = 10⁻⁵."""
    sigma, targets = 15.0, (0.1, 10.0, 1.0)  # It rests at 1.
    shifts = [sigma * gaussian_mu(Privacy(epsilon, 1e-5)) for epsilon in targets]
    path, middle = _bell(sigma, 42), 75 - shifts[-1] / 2
    start, between = (f"translateX({shift - shifts[-1]:.1f}px)" for shift in shifts[:2])
    second = _moved(_curve(path, SECOND_DATA), "over", at=1.2, lasts=2, a=start, b=between)
    first = _at(middle, _FLOOR, _curve(path, FIRST_DATA))
    words = [f"ε = {number_text(epsilon)} (δ = 10⁻⁵)" for epsilon in targets]
    return first + _at(middle + shifts[-1], _FLOOR, second) + _labels(*words, lasts=1.35)


def _delta() -> str:
    """δ of a release with μ = 1.25: what exceeds e^ε times the curve without the record."""
    sigma, tall, mu, epsilon = 18.0, 42.0, 1.25, 2.0
    floor, middle = _FLOOR, 58
    without, blue = _bell(sigma, tall * math.exp(epsilon), 5), _bell(sigma, tall)
    step = {"at": 1.2, "lasts": 1.6, "a": f"scaleY({math.exp(-epsilon):.3f})"}
    hidden = _at(middle, floor, _moved(f'<path d="{without}" fill="#000"/>', "from", **step))
    line = f'<path d="{without}" fill="none" stroke="{FIRST_DATA}" stroke-width="2" stroke-dasharray="4 3"/>'
    area = _at(
        middle + sigma * mu,
        floor,
        f'<path d="{blue}" fill="{FORBIDDEN}" stroke="{FORBIDDEN}" stroke-width="2"/>',
    )
    words = [f"ε = {e:g}: δ = {at_most_text(float(gdp_delta(float(e), mu)), digits=2)}" for e in (0, epsilon)]
    return (
        f'<mask id="excess" maskUnits="userSpaceOnUse" x="0" y="0" width="{WIDE}" height="{floor}">'
        f'<rect width="{WIDE}" height="{floor}" fill="#fff"/>{hidden}</mask>'
        f'<clipPath id="above"><rect width="{WIDE}" height="{floor}"/></clipPath>'
        + _at(middle + sigma * mu, floor, _curve(blue, SECOND_DATA))
        + f'<g mask="url(#excess)">{area}</g>'
        f'<g clip-path="url(#above)">{_at(middle, floor, _moved(line, "from", **step))}</g>'
        + _labels(*words, lasts=2.2)
    )


def _person(x: float, y: float, colour: str = "currentColor") -> str:
    faint = 0.45 if colour == "currentColor" else 1
    shape = '<circle cy="-14" r="5"/><path d="M-8 6v-5a8 8 0 0 1 16 0v5z"/>'
    return f'<g transform="translate({x:g} {y:g})" fill="{colour}" fill-opacity="{faint}">{shape}</g>'


def _neighbours() -> str:
    """Two data sets: the second is the first, with another last record."""
    places = [19 + 22 * i for i in range(6)]
    first = "".join(_person(x, 23) for x in places[:-1]) + _person(places[-1], 23, FIRST_DATA)
    same = "".join(_person(x, 57) for x in places[:-1])
    old = _moved(_person(places[-1], 57, FIRST_DATA), "leave", at=1.4, lasts=0.8, a="translateX(24px)")
    copied = _moved(same, "from", at=0.4, lasts=0.9, a="translateY(-34px)")
    new = _moved(_person(places[-1], 57, SECOND_DATA), "fly", at=2.0, lasts=0.9, a="translateX(30px)")
    return first + copied + _moved(old, "from", at=0.4, lasts=0.9, a="translateY(-34px)") + new


def _bar(x: float, value: float, colour: str, y: float = 0.0, *, width: float = 14) -> str:
    """An upright bar of this height, upwards from `y` if positive."""
    return f'<rect x="{x:.1f}" y="{y - max(value, 0):.1f}" width="{width:g}" height="{abs(value):.1f}" fill="{colour}"/>'


@lru_cache(maxsize=4)
def _noise(sites: int) -> tuple[list[float], list[float]]:
    """Zero-sum and local noise of these sites; one message has standard deviation 1."""
    drawn = cape.design(np.ones(sites)).sample((), rng=np.random.default_rng(_SEED))
    zero_sum, local = (np.ravel(part).tolist() for part in drawn)
    return zero_sum, local


def _zero_sum() -> str:
    """The zero-sum noise of five sites: each bar slides onto the end of the one before; the last ends at 0."""
    values = _noise(5)[0]
    ends = list(accumulate(values))
    high, low = max(0.0, *ends, *values), min(0.0, *ends, *values)
    unit = 52 / (high - low)
    floor, parts = 7 + unit * high, []
    for i, (value, end) in enumerate(zip(values, ends, strict=True)):
        start = unit * (end - value)  # Where the bar before ends.
        bar = _bar(6 + 18 * i, unit * value, ZERO_SUM, floor - start)
        parts.append(_moved(bar, "from", at=1 + 0.5 * i, lasts=0.6, a=f"translateY({start:.1f}px)"))
    line = f'<path d="M2 {floor:.1f}H98" stroke="currentColor" stroke-opacity="0.6"/>'
    told = _moved(_text(104, floor + 4, "sum 0", "start"), "appear", at=3.6, lasts=0.4)
    return "".join(parts) + line + told


def _house(x: float, y: float, colour: str = "currentColor") -> str:
    return f'<path d="M{x:g} {y - 9:g}l10 8h-3v9h-14v-9h-3z" fill="{colour}"/>'


def _beam(x: float, y: float, value: float, colour: str) -> str:
    """A lying bar of this length, to the right of `x` if positive."""
    return f'<rect x="{x + min(value, 0):.1f}" y="{y - 4:.1f}" width="{abs(value):.1f}" height="8" fill="{colour}"/>'


def _cape() -> str:
    """Three messages with blue and yellow noise; in their average the blue cancels and a little yellow stays."""
    (zero_sum, local), rows, start, end = _noise(3), (12, 32, 52), 58.0, 122.0
    unit = 25 / max(max(abs(e), abs(e + g)) for e, g in zip(zero_sum, local, strict=True))
    parts, spent = [], 0.0
    for y, e, g in zip(rows, zero_sum, local, strict=True):
        parts.append(_house(12, y))
        noise = _beam(start, y, unit * e, ZERO_SUM) + _beam(start + unit * e, y, unit * g, LOCAL_NOISE)
        parts.append(_moved(noise, "fly", at=0.3, lasts=0.9, a=f"translateX({14 - start:g}px)"))
        # A copy of the blue part travels to the average, onto the end of the one before it, and cancels there.
        near = 32 + (y - 32) // 2
        copy = _beam(end + unit * spent / 3, near, unit * e / 3, ZERO_SUM)
        parts.append(
            _moved(copy, "cancel", at=1.4, lasts=2.6, a=f"translate({start - end:g}px,{y - near}px)")
        )
        spent += e
    stays = unit * sum(local) / 3
    parts += [
        f'<path d="M{start:g} 2V62" stroke="currentColor" stroke-opacity="0.3"/>',
        f'<path d="M{end:g} 18V46" stroke="currentColor" stroke-opacity="0.7"/>',
        _moved(_beam(end, 32, stays, LOCAL_NOISE), "appear", at=3.8, lasts=0.4),
        _text(end - 3, 62, "average"),
    ]
    return "".join(parts)


def _letters(rows: tuple[int, ...], target: tuple[float, float], secrets: tuple[int, ...] = ()) -> str:
    """Messages on their way from the houses; those of `secrets` carry the zero-sum noise of their site, too."""
    parts = []
    for i, y in enumerate(rows):
        x, goal = 54, y + (target[1] - y) * 26 / (target[0] - 50)
        move = {"a": f"translate({30 - x}px,{y - goal:.1f}px)"}
        told = f'<circle cx="{x}" cy="{goal:.1f}" r="5" fill="currentColor"/>'
        if i in secrets:
            told += f'<rect x="{x + 8}" y="{goal - 4.5:.1f}" width="9" height="9" fill="{ZERO_SUM}"/>'
        parts.append(
            f'<path d="M28 {y}L{target[0] - 22} {target[1]}" stroke="currentColor" stroke-opacity="0.4"/>'
        )
        parts.append(_moved(told, "fly", at=0.3 + 0.5 * i, lasts=1.2, **move))
    return "".join(parts)


def _eye(x: float, y: float, colour: str, at: float) -> str:
    iris = _at(x, y, _moved(f'<circle r="7" fill="{colour}"/>', "from", at=at, lasts=0.5, a="scale(0.3)"))
    lid = f'<path d="M{x - 20} {y}q20 -24 40 0q-20 24 -40 0z" fill="none" stroke="{colour}" stroke-width="2.5"/>'
    return lid + iris


def _views(*, colluding: tuple[int, ...], colour: str) -> str:
    rows = (14, 33, 52)
    houses = "".join(_house(14, y, colour if i in colluding else "currentColor") for i, y in enumerate(rows))
    return houses + _letters(rows, (122, 33), colluding) + _eye(122, 33, colour, at=1.7)


def _gain() -> str:
    """The average of ten equal sites, with independent and with correlated noise at equal privacy."""
    wide, tall = 26.0, 44.0
    ratio = math.sqrt(cape.honest_gain(SITES))
    narrow = _curve(_bell(wide / ratio, tall), CAPE)
    moved = _moved(narrow, "from", at=0.8, lasts=1.6, a=f"scale({ratio:.3f},{1 / ratio:.3f})")
    words = _moved(_text(75, 63, f"spread: {number_text(ratio)} times less"), "appear", at=2.4, lasts=0.4)
    return _at(75, _FLOOR, _curve(_bell(wide, tall / ratio), CONVENTIONAL) + moved) + words


_SHAPES: dict[str, Callable[[], str]] = {
    "epsilon": _epsilon,
    "delta": _delta,
    "neighbours": _neighbours,
    "zero-sum": _zero_sum,
    "cape": _cape,
    "aggregator": lambda: _views(colluding=(), colour=AGGREGATOR),
    "colluders": lambda: _views(colluding=(1, 2), colour=COLLUDERS),
    "gain": _gain,
}


@lru_cache(maxsize=len(_SHAPES))
def drawing(key: str) -> str:
    """The drawing of a term, as SVG; a reader of the screen has the text beside it."""
    size = f'viewBox="0 0 {WIDE} {HIGH}" width="{WIDE}" height="{HIGH}"'
    return f'<svg {size} aria-hidden="true">{_SHAPES[key]()}</svg>'
