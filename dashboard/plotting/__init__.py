"""Bokeh figures that are updated in place, and what is drawn on them."""
