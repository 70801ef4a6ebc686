"""Releases of the same number under several schemes: a histogram each, around the true value, on one axis."""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from core.schemes import is_private
from dashboard.compare import panels
from dashboard.compare.chart import Axis
from dashboard.compare.panels import Row
from dashboard.state.number_text import number_text
from dashboard.theme.assets import beside
from dashboard.theme.scheme_style import LOOKS, label

ROWS = beside(__file__, "rows.css")
"""Style sheet of rows and histograms; it needs the colours --line and --quiet."""
_BINS = 61  # An odd number: the middle one holds releases without noise.
_REACH = 3.3  # Standard deviations that the axis shows at each side.
_HIGH = 100  # Units of a histogram's height.


def histograms(found: Mapping[str, tuple[Row, np.ndarray | None]], stds: Mapping[str, float]) -> str:
    """One row a method, and below them their axis, as HTML; bars of all private methods have one scale of height.

    Parameters
    ----------
    found : mapping of method to (Row, array or None)
        The row without its picture, and released minus true values; None while they are not known.
    stds : mapping of method to float
        Standard deviation of each method's noise, by design.
    """
    axis = _axis(stds)
    bars = {m: _shares(errors, axis) for m, (_, errors) in found.items() if errors is not None}
    most = max((float(bar.max()) for m, (bar, _) in bars.items() if is_private(m)), default=0.0) or 1.0
    drawn = [
        replace(row, picture=_histogram(m, errors, *bars[m], most) if m in bars else "")
        for m, (row, errors) in found.items()
    ]
    ticks = "".join(
        f"<span style='left:{100 * float(axis.place(tick)):.1f}%'>{html.escape(number_text(tick))}</span>"
        for tick in axis.ticks
    )
    return f"{panels.rows(drawn)}<div class='ticks' aria-hidden='true'>{ticks}</div>"


def _axis(stds):
    """The widest distribution would flatten the others: the second widest sets the ends."""
    ordered = sorted(std for std in stds.values() if std > 0)
    reach = _REACH * (ordered[-2:][0] if ordered else 1.0)
    return Axis("", -reach, reach)


def _shares(errors, axis):
    """The share of all in each bin, and how many are beyond the ends."""
    places = axis.place(errors)
    inside = (places >= 0) & (places <= 1)
    counts, _ = np.histogram(places[inside], np.linspace(0, 1, _BINS + 1))
    return counts / len(errors), len(errors) - int(inside.sum())


def _histogram(method, errors, shares, beyond, most):
    """Bars, `most` as high as the row; what is not private stands in one bin, which ends there."""
    bars = "".join(
        f"M{i} {_HIGH}v-{_HIGH * min(share / most, 1):.0f}h1V{_HIGH}z"
        for i, share in enumerate(shares)
        if share
    )
    colour = LOOKS[method].colour if is_private(method) else "currentColor"
    spoken = f"{label(method)}: {len(errors)} averages"
    left = f"<small class='beyond'>{beyond} beyond</small>" if beyond else ""
    return (
        f"<svg class='spread' viewBox='0 0 {_BINS} {_HIGH}' preserveAspectRatio='none' role='img' "
        f"aria-label='{html.escape(spoken, quote=True)}'><path class='axis' d='M0 {_HIGH}h{_BINS}M{_BINS / 2} 0v{_HIGH}'/>"
        f"<path d='{bars}' fill='{colour}'/></svg>{left}"
    )
