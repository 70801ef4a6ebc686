"""A picture in HTML and SVG that the server draws: elements keep their place, so that CSS moves what changes."""

from dashboard.components.live_picture import faces
from dashboard.components.live_picture.component import LivePicture

__all__ = ["LivePicture", "faces"]
