"""The panels that the server draws: what each scheme releases, its noise, and its privacy."""

from __future__ import annotations

import base64
import html
import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from PIL import Image

from core.privacy import gdp_delta
from core.privacy.accountant import pure_epsilon
from dashboard.compare.chart import Axis, Line, chart
from dashboard.compare.observers import Observed, mu_conventional_at_equal_noise
from dashboard.state.number_text import at_most_text, count_text, exactly, number_text
from dashboard.theme import colours
from dashboard.theme.scheme_style import LOOKS, label

_LEAST_DELTA = 1e-12
_CONV = "δ<sub>conv</sub>"
_NONE = "<p>No scheme of several sites is chosen.</p>"
_ROOM = 1.2  # How far the scale of noise goes beyond the second largest, for a bar that is cut.


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
            f"<small>{html.escape(row.more)}</small>" if row.more else "",
        )
        drawn = row.picture or "<span class='awaited'>computing …</span>"
        parts.append(
            f"<div class='row'><div class='who'><b style='--of:var(--of-{row.method}, {LOOKS[row.method].colour})'>"
            f"{html.escape(row.name or label(row.method))}</b><strong>{value}</strong>{more}</div>"
            f"<div class='drawn'>{drawn}</div></div>"
        )
    return f"<div class='rows'>{''.join(parts)}</div>"


def tiles(found: Sequence[Row], *, small: bool = False) -> str:
    """The methods side by side: name and number, and the picture below; `small` pictures stand in one row."""
    kinds = "rows tiles small" if small else "rows tiles"
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
) -> str:
    """The standard deviation of the released average under every scheme, and the two ratios of variances.

    `drawn` is a chart of these against imbalance, and `weights` are those of the bars where these are not 1/S; HTML.
    """
    known = [one for one in found.values() if one.std > 0]
    # The largest would flatten the others: where it does not fit, it is cut.
    end = _ROOM * sorted(one.std for one in known)[-2:][0] if known else 1.0
    parts = []
    for one in known:
        width, cut = 100 * min(one.std / end, 1), " class='cut'" if one.std > end else ""
        parts.append(
            f"<div class='bar'><span class='who'>{html.escape(one.name or label(one.scheme))}</span><span class='meter'>"
            f"<i{cut} style='width:{width:.1f}%;background-color:{LOOKS[one.scheme].colour}'></i></span>"
            f"<strong>{number_text(one.std)}</strong></div>"
        )
    ratios = "" if gains is None else _ratios(*gains, _of_bars(found, *gains, weights))
    inside = f"<div class='noise'>{''.join(parts)}</div>{ratios}{drawn}" if parts else _NONE
    cut = "; a cut bar is longer than drawn" if any(one.std > end for one in known) else ""
    about = f"standard deviation of {html.escape(statistic)}{cut}"
    return card("Noise", about, inside)


@lru_cache(maxsize=64)
def _ratios(gain, excess, own):
    """G(n) and H(n), and `own` ratios of the bars; a move of ε leaves them as they are."""
    return (
        f"<p class='ratios'><span><b>G(n) = {number_text(gain)} = {number_text(math.sqrt(gain))}²</b> conventional ÷ pooled"
        f"</span><span><b>H(n) = {number_text(excess)}</b> CAPE ÷ pooled, as published</span>"
        f"<small>ratios of variances at equal weights 1/S{own}</small></p>"
    )


def _of_bars(found, gain, excess, weights):
    """What the bars' own ratios are, where weights or the observer make others of them."""
    pooled = found.get("all records") or found.get("pooled")
    known = [pooled, found.get("conventional"), found.get("cape")]
    if not all(one is not None and one.std for one in known):
        return ""
    own = [(one.std / pooled.std) ** 2 for one in known[1:]]
    if np.allclose(own, (gain, excess), rtol=5e-3):
        return ""
    if "all records" in found and math.isclose(own[0], gain, rel_tol=5e-3):
        return f"; CAPE's bar: <b>{number_text(own[1])}</b>, for the smallest site's target"
    at = f", at {weights}" if weights else ""
    return f"; of the bars{at}: <b>{number_text(own[0])}</b> and <b>{number_text(own[1])}</b>"


def privacy(
    found: Mapping[str, Observed],
    *,
    epsilon: float,
    delta: float,
    colluding: int,
    sites: int,
) -> str:
    """The exact δ(ε) of CAPE for each observer, and δ_conv."""
    scheme = "cape" if "cape" in found else next(iter(found), None)
    if scheme is None:
        return card("Privacy", "", _NONE)
    cape = found[scheme]
    if cape.pure:
        return _pure(found, epsilon, colluding)
    end = next((e for e in (1, 2, 3, 5, 8, 12, 20, 30) if e >= 2.2 * epsilon), 30)
    at = np.linspace(end / 400, end, 160)
    mus = [("one message", cape.message if cape.alone is None else cape.alone, "")]
    mus += [] if cape.alone is None else [("one site's messages", cape.message, "12 3 2 3")]
    mus += [("all messages", cape.aggregator, "7 4")]
    if colluding:
        mus.append((f"and {count_text(colluding, 'colluder')}", cape.colluders, "2 4"))
    colour = f"var(--of-{scheme}, {LOOKS[scheme].colour})"
    drawn = [(name, mu, colour, dash) for name, mu, dash in mus]
    conventional = found.get("conventional")
    if scheme == "cape" and conventional is not None:
        mu = mu_conventional_at_equal_noise(cape, conventional)
        drawn.append((_CONV, mu, colours.CONVENTIONAL, ""))
    lines = [
        Line(at, _deltas(at, mu), colour, dash, name=_spoken(name, scheme))
        for name, mu, colour, dash in drawn
    ]
    # A number in the legend: δ at the present ε, which the rule marks.
    legend = "".join(
        f"<li><svg viewBox='0 0 24 8' aria-hidden='true'><path d='M0 4h24' stroke='{colour}' stroke-width='3' "
        f"stroke-dasharray='{dash}'/></svg><span>{name}</span> <b>{at_most_text(float(_deltas(epsilon, mu)))}</b></li>"
        for name, mu, colour, dash in drawn
    )
    picture = chart(
        lines,
        Axis("ε", 0, end),
        Axis("δ", _LEAST_DELTA, 1, log=True),
        rule=epsilon,
        points=[(epsilon, delta, "currentColor")],
        label=f"δ against ε of {label(scheme)}",
    )
    legend += _explained(cape, conventional, sites, epsilon) if drawn[-1][0] == _CONV else ""
    inside = f"<ul class='legend'>{legend}</ul>{picture}"
    about = f"exact δ(ε) of {html.escape(label(scheme))}; numbers at {exactly('ε', epsilon)}"
    return card(f"Privacy: δ against {_CONV}", about, inside)


def _pure(found, epsilon, colluding):
    """The ε of every observer under each scheme, where δ is 0."""
    names = ["one message", "the result", "all messages"] + [count_text(colluding, "colluder")] * bool(
        colluding
    )
    rows = "".join(
        f"<tr><th scope='row'>{html.escape(label(one.scheme))}</th>"
        + "".join(
            f"<td>{'no privacy' if math.isinf(mu) else at_most_text(pure_epsilon(mu)) if mu else '0'}</td>"
            for mu in (one.message, one.public, one.aggregator, one.colluders)[: len(names)]
        )
        + "</tr>"
        for one in found.values()
    )
    head = "".join(f"<th scope='col'>{name}</th>" for name in names)
    inside = (
        f"<div class='scroll'><table><thead><tr><th></th>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
        "<p>Geometric noise meets each ε with δ = 0. Releases add up their ε.</p>"
    )
    return card("Privacy: ε, with δ = 0", f"of every observer; the target is {exactly('ε', epsilon)}", inside)


def _explained(cape, conventional, sites, epsilon):
    """What δ_conv is, and what all messages add to one, at the present settings."""
    factor, mu = conventional.std / cape.std, mu_conventional_at_equal_noise(cape, conventional)
    if not math.isfinite(mu) or not math.isfinite(cape.aggregator):
        return ""
    less = "√S = " if math.isclose(factor, math.sqrt(sites), rel_tol=1e-9) else ""
    together = cape.aggregator / cape.message
    more = (
        "√(2S/(S+1)) = " if math.isclose(together, math.sqrt(2 * sites / (sites + 1)), rel_tol=1e-9) else ""
    )
    one, such = (
        ("one message", "message") if cape.alone is None else ("one site's messages", "site's messages")
    )
    learned = f"has {more}{at_most_text(together)} times the μ of {one}"
    learned = learned if together > 1.005 else f"learns hardly more than from {one}"
    return (
        f"<li><details class='said'><summary>what {_CONV} is</summary><p>"
        f"To be as accurate as CAPE, a conventional site must add {less}{number_text(factor)} times less noise. "
        f"{_CONV} is the δ of its {such}: {at_most_text(float(gdp_delta(epsilon, mu)))} at {exactly('ε', epsilon)}. "
        f"Whoever sees all messages of CAPE {learned}.</p></details></li>"
    )


def _deltas(at, mu):
    return np.ones_like(at, dtype=float) if math.isinf(mu) else gdp_delta(at, mu)


def _spoken(name, scheme):
    return (
        "δ conv: a conventional message whose average is as precise"
        if "conv" in name
        else f"{scheme}: {name}"
    )
