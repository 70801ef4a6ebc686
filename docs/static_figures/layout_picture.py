"""What HoloViews renders with Bokeh as a static picture: one figure, or figures in a grid."""

from __future__ import annotations

from html import escape
from typing import Any

from bokeh.models import GridPlot, LayoutDOM, Plot

from dashboard.theme.assets import beside
from dashboard.theme.scheme_style import ink
from static_figures import figure_picture

SHEET = figure_picture.SHEET + beside(__file__, "layout.css")


def picture(model: LayoutDOM) -> str:
    """A figure, or rows and columns of figures, as HTML that needs no script; its style sheet is `SHEET`.

    Raises
    ------
    ValueError
        If there is no figure in it.
    """
    # HoloViews' elements have the colour of text on light pages.
    return _drawn(model).replace(ink(dark=False), "var(--ink)")


def _drawn(model):
    if isinstance(model, Plot):
        return figure_picture.picture(model)
    places = list(_places(model, 0, 0))
    if not places:
        raise ValueError(f"model must hold a figure, got {type(model).__name__}")
    columns = 1 + max(column for _, _, column in places)
    slim = columns > 1
    fixed = all(plot.frame_width or plot.sizing_mode == "fixed" for plot, _, _ in places)
    size = "max-content" if fixed else "minmax(0, 1fr)"
    legends = {found: None for plot, _, _ in places if (found := figure_picture.legend_of(plot))}
    cells = "".join(
        f'<div style="grid-area:{row + 1}/{column + 1}">'
        f"{figure_picture.picture(plot, legend=len(legends) > 1)}</div>"
        for plot, row, column in places
    )
    shared = f'<div class="picture">{"".join(legends)}</div>' if len(legends) == 1 else ""
    kind = "pictures slim" if slim else "pictures"
    return (
        shared
        + f'<div class="{kind}" style="grid-template-columns:repeat({columns},{escape(size)})">{cells}</div>'
    )


def _places(model: Any, row: int, column: int):
    """Every figure with its row and column."""
    if isinstance(model, Plot):
        yield model, row, column
    elif isinstance(model, GridPlot):
        for child, down, across, *_ in model.children:
            yield from _places(child, row + down, column + across)
    else:
        down = type(model).__name__ == "Column"
        for place, child in enumerate(getattr(model, "children", ())):
            yield from _places(child, row + place * down, column + place * (not down))
