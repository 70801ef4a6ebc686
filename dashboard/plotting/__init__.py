"""Bokeh figures that are updated in place: curves, pins, guesses, ticks."""
