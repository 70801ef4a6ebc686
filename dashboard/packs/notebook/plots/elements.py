"""HoloViews elements in the style of the project, for whichever backend is loaded."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import cycle
from typing import Any

import holoviews as hv
import numpy as np

from dashboard.packs.notebook.kernel import plain_pictures
from dashboard.theme import colours
from dashboard.theme.scheme_style import LOOKS, Look

# The names that Matplotlib has for the markers and dashes of Bokeh, which `Look` uses.
_MARKERS = {
    "circle": "o",
    "square": "s",
    "diamond": "D",
    "triangle": "^",
    "inverted_triangle": "v",
    "star": "*",
    "hex": "h",
    "cross": "P",
    "square_pin": "p",
}
_DASHES = {"solid": "-", "dashed": "--", "dotted": ":", "dashdot": "-.", "dotdash": (0, (1, 1, 4, 1))}
_MARKER_NAMES = ("circle", "diamond", "square", "triangle", "inverted_triangle", "star", "hex")
_COLOURS = (
    colours.BLUE,
    colours.VERMILION,
    colours.GREEN,
    colours.VIOLET,
    colours.OCHRE,
    colours.PURPLE,
    colours.SKY,
)
GREY = "#7a7f87"

plain_pictures.unwrap()


def backend() -> str:
    """The backend in use, "bokeh" or "matplotlib".

    Raises
    ------
    RuntimeError
        If no backend is loaded.
    """
    plain_pictures.unwrap()  # The app's pages may have been imported in between.
    name = hv.Store.current_backend
    if name not in hv.Store.loaded_backends():
        raise RuntimeError(
            "no HoloViews backend is loaded: run hv.extension('bokeh', inline=True) in the first cell, "
            "or hv.extension('matplotlib') for a printed figure"
        )
    return name


def looks(names: Iterable[str]) -> dict[str, Look]:
    """The styles of schemes and methods in one picture; names without a style take colours that are free there."""
    names = list(names)
    known = {name: LOOKS[name] for name in names if name in LOOKS}
    taken = {found.colour for found in known.values()}
    free = cycle(colour for colour in _COLOURS if colour not in taken)
    markers = cycle(_MARKER_NAMES)
    return {name: known.get(name) or Look(name, next(free), next(markers), "solid", name) for name in names}


def line(x, y, *, label: str, colour: str | None = None, dash: str = "solid", width: float = 2.5):
    """A curve; without a colour it takes the next of the backend's cycle."""
    element = hv.Curve((np.asarray(x), np.asarray(y)), label=label)
    if backend() == "bokeh":
        options: dict[str, Any] = {"line_dash": dash, "line_width": width}
    else:
        options = {"linestyle": _DASHES[dash], "linewidth": 0.6 * width}
    return element.opts(**options, **({} if colour is None else {"color": colour}))


def dots(
    x, y, *, colour: str, marker: str = "circle", size: float = 8, label: str = "", hollow: bool = False
):
    """Points; hollow ones have an outline alone."""
    element = hv.Scatter((np.asarray(x), np.asarray(y)), label=label)
    if backend() == "bokeh":
        fill = {"fill_color": "white"} if hollow else {"fill_color": colour}
        return element.opts(marker=marker, size=size, line_color=colour, **fill)
    face = "white" if hollow else colour
    return element.opts(marker=_MARKERS.get(marker, "o"), s=0.5 * size**2, edgecolors=colour, facecolors=face)


def band(x, low, high, *, colour: str):
    """The area between two curves."""
    element = hv.Area((np.asarray(x), np.asarray(low), np.asarray(high)), vdims=["low", "high"])
    paint = (
        {"color": colour, "line_alpha": 0} if backend() == "bokeh" else {"facecolor": colour, "linewidth": 0}
    )
    return element.opts(alpha=0.15, **paint)


def bars(edges, heights, *, colour: str, label: str):
    """A histogram in a soft colour."""
    element = hv.Histogram((np.asarray(edges), np.asarray(heights)), label=label)
    edge = {"line_color": None} if backend() == "bokeh" else {"linewidth": 0}
    return element.opts(color=colour, alpha=0.25, **edge)


def strokes(x, low, high, *, colour: str, label: str):
    """An upright stroke at every x."""
    element = hv.Segments((np.asarray(x), np.asarray(low), np.asarray(x), np.asarray(high)), label=label)
    return element.opts(color=colour, **{"line_width" if backend() == "bokeh" else "linewidth": 5})


def overlay(
    parts,
    *,
    x_label: str,
    y_label: str,
    x_log: bool = False,
    y_log: bool = False,
    title: str = "",
    legend: bool = True,
):
    """Elements in one frame, with a legend beside it."""
    if backend() == "bokeh":
        size: dict[str, Any] = {"responsive": True, "height": 340, "toolbar": None}
    else:
        size = {"fig_inches": 4.5, "aspect": 1.5}
    axes = {
        "xlabel": x_label,
        "ylabel": y_label,
        "logx": x_log,
        "logy": y_log,
        "title": title,
        "padding": 0.04,
    }
    # Elements keep their options when `*` puts them into another overlay, which takes them from its elements.
    axes |= size | {"show_grid": backend() == "bokeh"}
    # In a DynamicMap the frame follows the numbers.
    framed = [part.opts(**axes, framewise=True, clone=True) for part in parts]
    return hv.Overlay(framed).opts(hv.opts.Overlay(**axes, legend_position="right", show_legend=legend))


def image(values, *, cmap: str, title: str = "", limits=None, size=(90, 90)):
    """A matrix as a picture without axes; with `limits` its colours span them, otherwise they are symmetric."""
    element = hv.Image(np.asarray(values)).opts(
        cmap=cmap,
        xaxis=None,
        yaxis=None,
        title=title,
        **({"clim": limits} if limits else {"symmetric": True}),
    )
    if backend() == "bokeh":
        return element.opts(frame_width=size[0], frame_height=size[1], toolbar=None)
    return element.opts(fig_inches=(size[0] / 72, size[1] / 72))
