"""The panels that the server draws: what each scheme releases, its noise, and its privacy."""

from __future__ import annotations

import base64
import html
import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter

import numpy as np
from PIL import Image

from core.privacy import gdp_delta
from core.privacy.accountant import pure_epsilon
from dashboard.compare.chart import Axis, Line, chart
from dashboard.compare.observers import Observed, mu_conventional_at_equal_noise
from dashboard.state.number_text import at_most_text, count_text, exactly, number_text
from dashboard.theme.scheme_style import GLOSSES, colour_of, coloured, label

_LEAST_DELTA = 1e-8  # Of the chart, unless δ is near it.
_SAME = 5e-3  # Two ratios of so small a difference are one.
_BESIDE = 5  # So many square pictures stand beside each other.
_SET = 0.46  # How far along its other axis the present ε stands.
# What a name takes in a chart: shares of its width, of a long one from so many letters on, and percent of its height.
_NAME, _LONG, _LETTERS, _HIGH = 0.4, 0.5, 12, 13
# Percent from the top: a name above its dot needs the first, and below the second one has no room under it.
_TOP, _FOOT = 7, 80
_CONV = "δ<sub>conv</sub>"
_NONE = "<p>No scheme of several sites is chosen.</p>"


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
) -> str:
    """The standard deviation of the released average under every scheme, and the two ratios of variances.

    All bars have one scale, from 0, so that lengths compare; numbers stand in columns. `drawn` is a chart of the ratios
    against imbalance, and `weights` are those of the bars where these are not 1/S; HTML.
    """
    known = [one for one in found.values() if one.std > 0]
    if not known:
        return card("Noise", "", _NONE)
    most, pooled = max(one.std for one in known), _curator(found)
    times = "<small>× pooled</small>" if pooled else ""
    head = f"<small title='{html.escape(statistic, quote=True)}'>standard deviation</small>{times}"
    bars = "".join(_bar(one, most, pooled) for one in known)
    return (
        f"<section class='card'><div class='noise{'' if pooled else ' alone'}' style='--rows:{len(known) + 1}'>"
        f"<div class='bar titles'><h2>Noise</h2>{head}</div>{bars}</div><div class='gains'>{_ratios(found, gains, weights)}{drawn}</div></section>"
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


def _ratios(found, gains, weights):
    """G(n) and H(n); the root of G(n) is a ratio of standard deviations, as the bars are."""
    if gains is None:
        return ""
    gain, excess = gains
    own = _of_bars(found)
    bars = own is not None and math.isclose(own[0], gain, rel_tol=_SAME)
    root = f" = {number_text(math.sqrt(gain))}²" if gain > 1 else ""
    published = ", as published" if excess > 1 + 1e-9 else ""
    return (
        f"<p class='ratios'><span>{coloured('conventional', f'G(n) = {number_text(gain)}{root}', 'b')} "
        "<small>variance, conventional ÷ pooled</small></span>"
        f"<span>{coloured('cape', f'H(n) = {number_text(excess)}', 'b')} <small>CAPE ÷ pooled{published}</small></span>"
        f"{_apart(own, gains, weights, smallest=bars and 'all records' in found)}</p>"
    )


def _of_bars(found):
    """The variances of the conventional scheme and of CAPE over one curator's; None where one is not shown."""
    curator, known = _curator(found), [found.get("conventional"), found.get("cape")]
    if not curator or not all(one is not None and one.std for one in known):
        return None
    return [(one.std / curator) ** 2 for one in known]


def _apart(own, gains, weights, *, smallest):
    """What the bars' own ratios are, where weights or the observer make others of them."""
    if own is None or np.allclose(own, gains, rtol=_SAME):
        return ""
    numbers = [f"<b>{number_text(ratio)}</b>" for ratio in own]
    said = f"CAPE's bar: {numbers[1]}, for the smallest site's target"
    if not smallest:
        said = f"of the bars{f', at {weights}' if weights else ''}: {' and '.join(numbers)}"
    return f"<small class='own'>at equal weights 1/S; {said}</small>"


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
    cape, colour = found[scheme], colour_of(scheme)
    if cape.pure:
        return _pure(found, epsilon, colluding)
    end = epsilon / _SET
    mus = [("one message", cape.message if cape.alone is None else cape.alone, "")]
    mus += [] if cape.alone is None else [("one site's", cape.message, "12 3 2 3")]
    mus += [("aggregator", cape.aggregator, "7 4")]
    if colluding:
        mus.append((f"and {count_text(colluding, 'colluder')}", cape.colluders, "2 4"))
    at = np.linspace(end / 400, end, 160)
    seen = [_Seen.of(name, mu, colour, dash, epsilon, at) for name, mu, dash in mus]
    conventional, explained = found.get("conventional"), ""
    if scheme == "cape" and conventional is not None:
        mu = mu_conventional_at_equal_noise(cape, conventional)
        seen.append(_Seen.of(_CONV, mu, colour_of("conventional"), "", epsilon, at))
        explained = _explained(cape, conventional, sites, epsilon)
    lines = [Line(at, one.deltas, one.colour, one.dash, name=_spoken(one.name, scheme)) for one in seen]
    least = min(_LEAST_DELTA, 10.0 ** math.floor(math.log10(delta) - 2))
    x, y = Axis("", 0, end), Axis("", least, 1, log=True)
    points = [(epsilon, one.delta, one.colour) for one in seen]
    name, set_at = f"δ against ε of {label(scheme)}", exactly("ε", epsilon)
    picture = chart(lines, x, y, rule=epsilon, ruled=set_at, points=points, label=name)
    names, others = _named(seen, x, y, epsilon)
    of = "" if scheme == "cape" else f"<small>of {html.escape(label(scheme))}</small>"
    title = f"Privacy: δ against {explained or _CONV} {of}"
    return (
        f"<section class='card'><h2>{title}</h2>{others}<div class='plotted'>{picture}{names}</div></section>"
    )


@dataclass(frozen=True, eq=False)
class _Seen:
    """The curve of one observer."""

    name: str  # HTML.
    colour: str
    dash: str
    delta: float  # At the present ε.
    deltas: np.ndarray  # Along the axis.

    @classmethod
    def of(cls, name, mu, colour, dash, epsilon, at):
        """The curve of a μ."""
        delta, *deltas = _deltas(np.r_[epsilon, at], mu)
        return cls(name, colour, dash, float(delta), np.array(deltas))


def _named(seen, x, y, epsilon):
    """Names and numbers at the dots of the rule, and above the chart those that curves would cross there, as HTML.

    Nothing is above a curve that falls, to the right of its dot, but the curve above it; nothing is to the left of the
    lowest curve, below its dot.
    """
    across = 100 * float(x.place(epsilon))

    def down(delta):
        return 100 * (1 - min(max(float(y.place(delta)), 0), 1))

    others, parts, listed = sorted(seen, key=attrgetter("delta")), [], []
    above = next((one for one in others if one.name == _CONV), None)
    free = 0.0  # Down to here there is a curve or its name where names end.
    if above is not None:
        others.remove(above)
        wide = _LONG if any(len(one.name) >= _LETTERS for one in others) else _NAME
        free = down(above.deltas[int((_SET + wide) * len(above.deltas))])
        if down(above.delta) >= _TOP:
            parts.append(_at(above, "over", across, down(above.delta)))
        elif free < 2 * _TOP:
            parts.append(_at(above, "flat", across, free))
            free += _HIGH
        else:
            listed.append(above)
    if others and down(others[0].delta) < _FOOT:
        parts.append(_at(others[0], "under", 100 - across, down(others.pop(0).delta)))
    if others and down(others[-1].delta) - free > _HIGH:
        parts.append(_at(others[-1], "over", across, down(others.pop().delta)))
    more = "".join(map(_named_by_dash, others + listed))
    return "".join(parts), f"<p class='keys'>{more}</p>" if more else ""


def _at(one, kind, side, top):
    """A name at its dot: left and under it, or right."""
    place = f"{'right' if kind == 'under' else 'left'}:{side:.1f}%;top:{top:.1f}%;--of:{one.colour}"
    return f"<span class='at {kind}' style='{place}'>{one.name} <b>{at_most_text(one.delta)}</b></span>"


def _named_by_dash(one):
    dash = (
        "<svg viewBox='0 0 24 8' aria-hidden='true'><path d='M0 4h24' stroke-width='3' stroke='currentColor' "
        f"stroke-dasharray='{one.dash}'/></svg>"
    )
    return f"<span style='--of:{one.colour}'>{dash}{one.name} <b>{at_most_text(one.delta)}</b></span>"


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
        f"<details class='said'><summary aria-label='What δ conv is'>{_CONV}</summary><p>"
        f"To be as accurate as CAPE, a conventional site must add {less}{number_text(factor)} times less noise. "
        f"{_CONV} is the δ of its {such}: {at_most_text(float(gdp_delta(epsilon, mu)))} at {exactly('ε', epsilon)}. "
        f"Whoever sees all messages of CAPE {learned}.</p></details>"
    )


def _deltas(at, mu):
    return np.ones_like(at, dtype=float) if math.isinf(mu) else gdp_delta(at, mu)


def _spoken(name, scheme):
    return (
        "δ conv: a conventional message whose average is as precise"
        if "conv" in name
        else f"{scheme}: {name}"
    )
