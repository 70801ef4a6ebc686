"""The panel of privacy: the exact δ(ε) of CAPE for every observer, and δ_conv, with their names where no curve is."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping
from dataclasses import dataclass
from operator import attrgetter

import numpy as np

from core.privacy import gdp_delta
from core.privacy.accountant import pure_epsilon
from dashboard.compare.chart import Axis, Line, chart
from dashboard.compare.observers import Observed, mu_conventional_at_equal_noise
from dashboard.compare.panels import NONE, card
from dashboard.state.number_text import at_most_text, count_text, exactly, number_text
from dashboard.theme.scheme_style import colour_of, label

_LEAST_DELTA = 1e-8  # Of the chart, unless δ is near it.
_SET = 0.46  # How far along its other axis the present ε stands.
# What a name takes in a chart: a share of its width, more where colluders, too, have one, and percent of its height.
_NAME, _LONG, _HIGH = 0.4, 0.5, 13
# Percent from the top: a name above its dot needs the first, and below the second one has no room under it.
_TOP, _FOOT = 7, 80
_CONV = "δ<sub>conv</sub>"


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
        return card("Privacy", "", NONE)
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
    seen = sorted(seen, key=attrgetter("delta"))
    wide = _LONG if "colluder" in " ".join([one.name for one in seen]) else _NAME
    last = int((_SET + wide) * len(seen[0].deltas))
    # How far down each dot is, and its curve where names end.
    places = 100 - 100 * y.place([[one.delta for one in seen], [one.deltas[last] for one in seen]])
    others, parts, free = [*zip(seen, *places.tolist(), strict=True)], [], 0.0
    listed = [one for one in others if one[0].name == _CONV]
    if listed:
        others.remove(listed[0])
        above, top, free = listed[0]
        free = min(free, 100.0)
        if top >= _TOP:
            parts.append(_at(above, "over", across, top))
        elif free < 2 * _TOP:
            parts.append(_at(above, "flat", across, free))
            free += _HIGH
        listed = [] if parts else listed
    if others and others[0][1] < _FOOT:
        lowest, top, _ = others.pop(0)
        parts.append(_at(lowest, "under", 100 - across, top))
    if others and free + _HIGH < others[-1][1] < 100:
        highest, top, _ = others.pop()
        parts.append(_at(highest, "over", across, top))
    more = "".join([_named_by_dash(one) for one, *_ in others + listed])
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
