"""What stands between a browser and the server: doors that Bokeh, Panel and Tornado leave open."""
