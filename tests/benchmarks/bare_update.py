"""The least that a live picture costs: one slider, one Bokeh figure, one in-place update. For painted.py."""

import numpy as np
import panel as pn
import panel_material_ui as pmui
from bokeh.models import ColumnDataSource
from bokeh.plotting import figure

pn.extension()

X = np.geomspace(1, 100, 140)
source = ColumnDataSource({"x": X, **{f"y{i}": X * (i + 1) for i in range(5)}})
plot = figure(height=400, sizing_mode="stretch_width", x_axis_type="log")
for i in range(5):
    plot.line("x", f"y{i}", source=source)
slider = pmui.IntSlider(label="bare", start=0, end=100, value=10, sizing_mode="stretch_width")


def update(event):
    source.data = {"x": X, **{f"y{i}": X * (i + 1) + event.new for i in range(5)}}


slider.param.watch(update, "value")
pn.Column(slider, pn.pane.Bokeh(plot, sizing_mode="stretch_width"), sizing_mode="stretch_width").servable()
