"""Ticks of logarithmic axes: as many round numbers as fit, for ranges from a part of a decade to thirty decades."""

from __future__ import annotations

from bokeh.models import CustomJSTicker, CustomJSTickFormatter

from dashboard.theme.assets import beside

GAP = {"inner_width": 52, "inner_height": 30}  # Pixels from one label to the next.
MAJOR = beside(__file__, "log_ticks_major.js")
MINOR = beside(__file__, "log_ticks_minor.js")
LABEL = beside(__file__, "log_ticks_label.js")


def log_ticks(plot, axis, lines) -> None:
    """Set ticks of an axis and its grid lines for a logarithmic scale of any range."""
    side = "inner_width" if axis in plot.xaxis else "inner_height"
    parts = {"plot": plot, "side": side, "gap": GAP[side]}
    axis.ticker = CustomJSTicker(args=parts, major_code=MAJOR, minor_code=MINOR)
    axis.formatter = CustomJSTickFormatter(code=LABEL)
    lines.ticker = axis.ticker
