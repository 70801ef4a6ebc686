"""Changes to how Panel, Bokeh and panel-material-ui behave; README.md lists each with its cause."""
