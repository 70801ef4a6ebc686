"""Curves of several schemes or methods, from the rows of a sweep or from arrays."""

from __future__ import annotations

from collections.abc import Mapping

import holoviews as hv
import numpy as np
import pandas as pd
from scipy.special import stdtrit

from core import check
from dashboard.packs.notebook.plots import elements

# What axes say for the names of settings and figures.
LABELS = {
    "epsilon": "ε",
    "delta": "δ",
    "sites": "sites S",
    "samples": "records at each site",
    "energy": "captured energy",
    "variance": "share of the variance",
    "matched": "distance of matched components",
    "cosine": "mean |cos| with the truth",
}
_MOST_POINTS = 25
_SPAN = 20  # From this ratio of largest to smallest positive x on the axis is logarithmic.


def comparison(
    rows: pd.DataFrame,
    *,
    x: str | None = None,
    y: str | None = None,
    by: str = "scheme",
    panels: str | None = None,
):
    """Means over repeats against a setting, a curve for each scheme, with 95 % intervals of the means.

    Parameters
    ----------
    rows : DataFrame
        One row a run, as `core.sweep.run` returns them: settings, `by`, "repeat", then what was measured.
    x : str, optional
        The setting along the axis; by default the one that varies.
    y : str, optional
        What was measured; by default the first column of it.
    by : str
        The column of schemes or methods.
    panels : str, optional
        A further setting that varies: the result is a Layout with a picture for each of its values.

    Returns
    -------
    holoviews.Overlay, or holoviews.Layout with `panels`

    Raises
    ------
    ValueError
        If a column is missing, or if more than one setting varies and `x` and `panels` do not name them.
    """
    settings, measured = _columns(rows, by)
    x, y = x or _axis(rows, settings, panels), y or _first(measured)
    for name, column in {"x": x, "y": y, "panels": panels or x}.items():
        check.choice(name, column, tuple(rows.columns))
    others = [name for name in settings if name not in (x, panels) and rows[name].nunique() > 1]
    if others:
        raise ValueError(
            f"rows must vary in x={x!r} and panels={panels!r} alone, got several values of {', '.join(others)}: "
            "choose rows first"
        )
    if panels is None:
        return _picture(rows, x, y, by, "")
    name, values = LABELS.get(panels, panels), sorted(rows[panels].unique().tolist())
    parts = [
        _picture(
            rows[rows[panels] == value],
            x,
            y,
            by,
            f"{name} = {value:g}",
            first=not i,
            last=value == values[-1],
        )
        for i, value in enumerate(values)
    ]
    layout = hv.Layout(parts).cols(len(parts))
    return layout.opts(sublabel_format="") if elements.backend() == "matplotlib" else layout


def lines(
    x,
    values: Mapping[str, np.ndarray],
    *,
    x_label: str,
    y_label: str,
    x_log: bool = False,
    y_log: bool = False,
):
    """Curves of a formula or of means, by name; schemes have their own colours.

    Parameters
    ----------
    x : array of shape (m,)
    values : mapping of name to array (m,)
        On a logarithmic axis values that are not positive are left out.
    """
    x, drawn = np.asarray(x, dtype=float), []
    for name, look in elements.looks(values).items():
        y = np.asarray(values[name], dtype=float)
        y = np.where(y > 0, y, np.nan) if y_log else y
        drawn.append(elements.line(x, y, label=look.label, colour=look.colour, dash=look.dash))
    return elements.overlay(drawn, x_label=x_label, y_label=y_label, x_log=x_log, y_log=y_log)


def _columns(rows, by):
    """Names of settings, which stand before `by`, and of what was measured."""
    if not isinstance(rows, pd.DataFrame) or by not in rows.columns:
        raise ValueError(f"rows must be a DataFrame with a column {by!r}, got {check.shown(rows)}")
    names = list(rows.columns)
    place = names.index(by)
    return names[:place], [name for name in names[place + 1 :] if name != "repeat"]


def _axis(rows, settings, panels):
    varying = [name for name in settings if name != panels and rows[name].nunique() > 1]
    if len(varying) != 1:
        raise ValueError(f"x must be named unless exactly one setting varies, got {varying or 'none'}")
    return varying[0]


def _first(measured):
    if not measured:
        raise ValueError("rows must have a column of what was measured after the schemes, got none")
    return measured[0]


def _picture(rows, x, y, by, title, *, first=True, last=True):
    means = rows.groupby([by, x])[y].agg(["mean", "sem", "count"]).fillna(0.0)
    layers = []
    for name, look in elements.looks(rows[by].unique()).items():
        found = means.loc[name]
        at, mean = found.index.to_numpy(), found["mean"].to_numpy()
        # Student's 95 % interval of the mean; a single run has none.
        half = stdtrit(np.maximum(found["count"].to_numpy() - 1, 1), 0.975) * found["sem"].to_numpy()
        if half.any():
            layers.append(elements.band(at, mean - half, mean + half, colour=look.colour))
        layers.append(elements.line(at, mean, label=look.label, colour=look.colour, dash=look.dash))
        # A dashed line stands for a method without noise, which needs no points.
        if len(at) <= _MOST_POINTS and look.marker != "dash":
            layers.append(elements.dots(at, mean, colour=look.colour, marker=look.marker))
    at = rows[x]
    log = bool(at.min() > 0 and at.max() / at.min() >= _SPAN)
    y_label = LABELS.get(y, y) if first else ""
    return elements.overlay(
        layers, x_label=LABELS.get(x, x), y_label=y_label, x_log=log, title=title, legend=last
    )
