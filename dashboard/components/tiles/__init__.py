"""Rows of small pictures, one row for each scheme: images, or components drawn as pixels or as bars."""

from dashboard.components.tiles.component import Row, Tiles, shaded
from dashboard.components.tiles.numerals import LEAST, MOST, drawn, frame_of, pictured, shape_of

__all__ = ["LEAST", "MOST", "Row", "Tiles", "drawn", "frame_of", "pictured", "shaded", "shape_of"]
