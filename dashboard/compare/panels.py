"""The panels that the server draws: what each scheme releases, and its noise."""

from __future__ import annotations

import base64
import html
import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from PIL import Image

from dashboard.compare.observers import Observed
from dashboard.state.number_text import number_text
from dashboard.theme.scheme_style import GLOSSES, colour_of, coloured, label

_SAME = 5e-3  # Two ratios of so small a difference are one.
_BESIDE = 5  # So many square pictures stand beside each other.
NONE = "<p>No scheme of several sites is chosen.</p>"


@dataclass(frozen=True)
class Row:
    """What one method releases.

    Attributes
    ----------
    method : str
    picture : str
        HTML; "" while it is being computed.
    value : str
        Its number, plain text.
    more : str
        A smaller number below it, plain text.
    name : str
        What the method is called here, plain text; default: its label.
    """

    method: str
    picture: str
    value: str
    more: str = ""
    name: str = ""


def card(title: str, about: str, inside: str) -> str:
    """A panel with its title and a small line beside it, as HTML."""
    small = f"<small>{about}</small>" if about else ""
    return f"<section class='card'><h2>{title} {small}</h2>{inside}</section>"


def rows(found: Sequence[Row]) -> str:
    """One row a method: its name and number, and its picture."""
    parts = []
    for row in found:
        value, more = (
            html.escape(row.value) or "…",
            f"<small class='more'>{html.escape(row.more)}</small>" if row.more else "",
        )
        drawn = row.picture or "<span class='awaited'>computing …</span>"
        parts.append(
            f"<div class='row'><div class='who'>{coloured(row.method, row.name or label(row.method), 'b')}"
            f"{gloss(row.method)}<strong>{value}</strong>{more}</div>"
            f"<div class='drawn'>{drawn}</div></div>"
        )
    return f"<div class='rows'>{''.join(parts)}</div>"


def gloss(method: str) -> str:
    """What is special about a scheme, in three words, as HTML; "" for a method that has a name of its own."""
    return f"<small class='gloss'>{GLOSSES[method]}</small>" if method in GLOSSES else ""


def tiles(found: Sequence[Row], *, square: bool = False) -> str:
    """The methods side by side: name and number, and the picture below; beside many `square` ones, for more room."""
    kinds = "rows tiles many" if square and len(found) > _BESIDE else "rows tiles"
    return rows(found).replace("<div class='rows'>", f"<div class='{kinds}'>", 1)


def strip(images: np.ndarray, shape: tuple[int, int], name: str) -> str:
    """Images side by side as one picture: ink from 0 (paper) to 1.

    Parameters
    ----------
    images : array of shape (n, h·w)
    """
    high, wide = shape
    gap = max(1, wide // 8)
    ink = np.zeros((high, len(images) * (wide + gap) - gap))
    for i, image in enumerate(np.clip(images, 0, 1)):
        ink[:, i * (wide + gap) : i * (wide + gap) + wide] = image.reshape(shape)
    pixels = np.zeros((*ink.shape, 2), dtype=np.uint8)
    pixels[..., 1] = np.rint(255 * ink)
    held = io.BytesIO()
    Image.fromarray(pixels, "LA").save(held, "PNG")
    text = base64.b64encode(held.getvalue()).decode()
    alt = html.escape(name, quote=True)
    # As a mask it takes the colour of text, in the light and in the dark.
    return f"<span class='ink' role='img' aria-label='{alt}' style='--ink-of:url(data:image/png;base64,{text})'></span>"


def bars(vectors: np.ndarray, colour: str) -> str:
    """Vectors side by side, each as one bar an entry, from −1 to 1, as SVG."""
    parts = []
    for vector in np.clip(np.nan_to_num(vectors), -1, 1):
        step = 60 / len(vector)
        path = "".join(
            f"M{step * (i + 0.5):.2f} 20v{-19 * value:.1f}"
            for i, value in enumerate(vector)
            if abs(value) > 0.01
        )
        parts.append(
            "<svg class='bars' viewBox='0 0 60 40' preserveAspectRatio='none'><path d='M0 20h60' class='axis'/>"
            f"<path d='{path}' stroke='{colour}' stroke-width='{max(0.4, 0.75 * step):.2f}'/></svg>"
        )
    return f"<div class='vectors'>{''.join(parts)}</div>"


def noise(
    found: Mapping[str, Observed],
    gains: tuple[float, float] | None,
    statistic: str,
    *,
    drawn: str = "",
    weights: str = "",
    curator: float = 0.0,
) -> str:
    """The standard deviation of the released average under every scheme, and the two ratios of variances.

    All bars have one scale, from 0, so that lengths compare; numbers stand in columns. `drawn` is a chart of the ratios
    against imbalance, and `weights` are those of the bars where these are not 1/S; HTML. `curator` is the noise
    of one curator's average where no bar is its.
    """
    known = [one for one in found.values() if one.std > 0]
    if not known:
        return card("Noise", "", NONE)
    most, pooled = max(one.std for one in known), _curator(found)
    times = "<small>× pooled</small>" if pooled else ""
    head = f"<small title='{html.escape(statistic, quote=True)}'>standard deviation</small>{times}"
    bars = "".join(_bar(one, most, pooled) for one in known)
    return (
        f"<section class='card'><div class='noise{'' if pooled else ' alone'}' style='--rows:{len(known) + 1}'>"
        f"<div class='bar titles'><h2>Noise</h2>{head}</div>{bars}</div>"
        f"<div class='gains'>{_ratios(found, gains, weights, pooled or curator)}{drawn}</div></section>"
    )


def _curator(found):
    """The noise of one curator's average of all records; 0 where it is not shown."""
    one = found.get("all records") or found.get("pooled")
    return 0.0 if one is None else one.std


def _bar(one, most, pooled):
    """A scheme's bar; its number, and how many times that of one curator it is."""
    times = f"<strong>{number_text(one.std / pooled)}</strong>" if pooled else ""
    return (
        f"<div class='bar'>{coloured(one.scheme, one.name or label(one.scheme))}"
        f"<span class='meter'><i style='width:{100 * one.std / most:.1f}%;background-color:{colour_of(one.scheme)}'></i>"
        f"</span><span class='number'>{number_text(one.std)}</span>{times}</div>"
    )


def _ratios(found, gains, weights, curator):
    """G(n) and H(n); the root of G(n) is a ratio of standard deviations, as the bars are."""
    if gains is None:
        return ""
    gain, excess = gains
    own = _of_bars(found, curator)
    bars = math.isclose(own[0] or 0.0, gain, rel_tol=_SAME)
    root = f" = {number_text(math.sqrt(gain))}²" if gain > 1 else ""
    published = ", as published" if excess > 1 + 1e-9 else ""
    return (
        f"<p class='ratios'><span>{coloured('conventional', f'G(n) = {number_text(gain)}{root}', 'b')} "
        "<small>variance, conventional ÷ pooled</small></span>"
        f"<span>{coloured('cape', f'H(n) = {number_text(excess)}', 'b')} <small>CAPE ÷ pooled{published}</small></span>"
        f"{_apart(own, gains, weights, smallest=bars and 'all records' in found)}</p>"
    )


def _of_bars(found, curator):
    """The variances of the conventional scheme and of CAPE over one curator's; None where one is not shown."""
    known = [found.get("conventional"), found.get("cape")]
    return [(one.std / curator) ** 2 if curator and one is not None and one.std else None for one in known]


def _apart(own, gains, weights, *, smallest):
    """What the bars' own ratios are, where weights or the observer make others of them."""
    shown = [(ratio, gain) for ratio, gain in zip(own, gains, strict=True) if ratio is not None]
    if all(math.isclose(ratio, gain, rel_tol=_SAME) for ratio, gain in shown):
        return ""
    numbers = [f"<b>{number_text(ratio)}</b>" for ratio, _ in shown]
    said = f"CAPE's bar: {numbers[-1]}, for the smallest site's target"
    if not smallest:
        bars = "bars" if len(numbers) > 1 else "bar"
        said = f"of the {bars}{f', at {weights}' if weights else ''}: {' and '.join(numbers)}"
    return f"<small class='own'>at equal weights 1/S; {said}</small>"
