"""Small pictures side by side, one a scheme: the same dots under each, which move when a setting changes."""

from dashboard.components.dot_panels.component import DotPanels
from dashboard.components.dot_panels.picture import ARM, SIDE, Panel, Picture
from dashboard.components.dot_panels.still import still

__all__ = ["ARM", "SIDE", "DotPanels", "Panel", "Picture", "still"]
