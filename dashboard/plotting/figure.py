"""Bokeh figures in the app's style: they exist as long as their page and are updated in place."""

from __future__ import annotations

from bokeh.models import (
    BasicTicker,
    BasicTickFormatter,
    CustomJS,
    Legend,
    Line,
    LinearScale,
    LogScale,
    Span,
)

from dashboard.plotting.log_ticks import log_ticks
from dashboard.theme.assets import beside
from dashboard.theme.scheme_style import QUIET, ink

_WRAPPED = beside(__file__, "legend.css")
# The page's theme sets all text of a figure for a laptop; on a wide screen it must reach the back row.
_TEXT = {
    "Axis": {"axis_label_text_font_size": "14px", "major_label_text_font_size": "12px"},
    "Title": {"text_font_size": "16px"},
    "Legend": {"label_text_font_size": "14px"},
}
_KEEP = beside(__file__, "keep_text_size.js")
_LARGE = "large"
APART = "\u2002"  # An en space: what stands between a name in a legend and its value.
_LARGER = 1.5  # Text in a hall; the script that keeps it has the same number, and more for a projector of more pixels.
_WIDTH, _THICK = "width ", 3.0  # A tag keeps a line's width outside of a lecture; the least in a hall.


def keep_text(plot, *, axis: dict[str, str], title: dict[str, str], legend: dict[str, str]) -> None:
    """Keep the sizes of a figure's letters against the page's theme, and enlarge them in a hall."""
    keep = CustomJS(args={"sizes": axis | title, "plot": plot}, code=_KEEP)
    for part, sizes in ((plot.xaxis[0], axis), (plot.yaxis[0], axis), (plot.title, title)):
        for name in sizes:
            part.js_on_change(name, keep)
    placed = CustomJS(args={"sizes": axis | title | legend, "plot": plot}, code=_KEEP)
    plot.js_on_change("inner_width", placed)


def enlarge(plot, *, large: bool) -> None:
    """Set a figure's text size for a lecture hall, or back for a single screen."""
    factor = _LARGER if large else 1.0
    plot.tags = [*(tag for tag in plot.tags if tag != _LARGE), *([_LARGE] if large else [])]
    for part in filter(None, (*plot.axis, plot.title)):
        for name, size in _TEXT["Title" if part is plot.title else "Axis"].items():
            setattr(part, name, f"{round(factor * int(size.removesuffix('px')))}px")
    for legend in plot.legend:
        legend.label_text_font_size = f"{round(factor * 14)}px"
    for line in plot.select(Line):
        _thicken(line, large=large)


def _thicken(line, *, large):
    """A curve that the back row can see: thin dots are lost on a projector."""
    kept = next((tag for tag in line.tags if str(tag).startswith(_WIDTH)), "")
    if large and not kept and isinstance(line.line_width, (int, float)) and line.line_width < _THICK:
        line.tags, line.line_width = [*line.tags, f"{_WIDTH}{line.line_width:g}"], _THICK
    elif kept and not large:
        line.tags = [tag for tag in line.tags if tag != kept]
        line.line_width = float(kept.removeprefix(_WIDTH))


def scale_x(plot, *, log: bool) -> None:
    """Change the horizontal axis of an existing figure to logarithmic or linear."""
    plot.x_scale = LogScale() if log else LinearScale()
    _tick(plot, plot.xaxis[0], plot.xgrid[0], log)


def scale_y(plot, *, log: bool) -> None:
    """Change the vertical axis of an existing figure to logarithmic or linear."""
    plot.y_scale = LogScale() if log else LinearScale()
    _tick(plot, plot.yaxis[0], plot.ygrid[0], log)


def _tick(plot, axis, lines, log):
    if log:
        log_ticks(plot, axis, lines)
    else:
        axis.ticker, axis.formatter = BasicTicker(), BasicTickFormatter()
        lines.ticker = axis.ticker


def rule(plot, dimension: str, *, dash: str = "dotted", **options) -> Span:
    """A thin line across the figure; `dimension` is "height" for a vertical line, "width" for a horizontal one."""
    line = Span(
        dimension=dimension,
        line_dash=dash,
        line_color=ink(dark=False, quiet=True),
        line_width=1.5,
        tags=[QUIET],
        **options,
    )
    plot.add_layout(line)
    return line


def drawable(text: str) -> str:
    """Escape text for a figure, which would read a dollar or a backslash as mathematics."""
    return text.replace("$", "").replace("\\", "")


def folding_legend(plot, *, location: str = "above") -> Legend:
    """A legend above or below the figure, whose entries stand in as many rows as the figure's width requires."""
    legend = Legend(
        orientation="horizontal",
        click_policy="mute",
        border_line_color=None,
        margin=0,
        stylesheets=[_WRAPPED],
    )
    legend.background_fill_alpha = 0
    plot.add_layout(legend, location)
    legend.js_on_change(
        "label_text_font_size", CustomJS(args={"sizes": _TEXT["Legend"], "plot": plot}, code=_KEEP)
    )
    return legend
