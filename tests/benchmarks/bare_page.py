"""The least page of the framework: the app's frame with one slider and one Bokeh figure. For sessions.py."""

import numpy as np
import panel as pn
import panel_material_ui as pmui
from bokeh.plotting import figure

pn.extension()

X = np.geomspace(1, 100, 140)
plot = figure(height=400, sizing_mode="stretch_width", x_axis_type="log")
for i in range(5):
    plot.line(X, X * (i + 1))
slider = pmui.IntSlider(label="bare", start=0, end=100, value=10, sizing_mode="stretch_width")
picture = pn.pane.Bokeh(plot, sizing_mode="stretch_width")
pmui.Page(title="bare", main=[pn.Column(slider, picture, sizing_mode="stretch_width")]).servable()
