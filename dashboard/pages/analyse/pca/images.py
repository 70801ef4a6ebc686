"""Components of the methods as images where records are images, else their overlap with the true ones."""

from __future__ import annotations

import numpy as np
from bokeh.models import ColumnDataSource, CustomJS, FixedTicker, LinearColorMapper

from core.schemes import is_private
from dashboard.plotting.figure import house_figure
from dashboard.theme.scheme_style import label

MOST_IMAGES = 8
_COLUMNS = ("image", "x", "y", "dw", "dh", "square")
_ROW = 74  # Pixels for one method.
# Negative, middle and positive, in the light and in the dark theme.
_COLOURS = (
    ((8, 64, 129), (255, 255, 255), (150, 35, 10)),
    ((120, 180, 245), (38, 42, 48), (245, 150, 100)),
)
# Images are squares, at most as large as a row is high; the columns of overlaps fill the figure's width.
_SQUARES = """
const { x, square } = source.data
// Before the first layout the width is unset, and to read it is an error.
if (!x.length || !square[0] || plot.properties.inner_width.is_unset || !plot.inner_width) return
const columns = 1 + Math.floor(Math.max(...x)), side = Math.min(row, plot.inner_width / columns)
plot.x_range.end = plot.inner_width / side
plot.height = Math.round(60 + side * plot.y_range.end)
"""


def _palette(*, dark):
    """256 colours from negative over the middle to positive."""
    negative, middle, positive = _COLOURS[dark]
    shades = np.vstack([np.linspace(negative, middle, 128), np.linspace(middle, positive, 128)]).astype(int)
    return [f"#{r:02x}{g:02x}{b:02x}" for r, g, b in shades]


class Gallery:
    """One figure with a row of pictures for every method, updated in place."""

    def __init__(self):
        self.figure = house_figure("", "", height=300, title=" ", x_range=(0, 1), y_range=(0, 1))
        self.figure.grid.visible = False
        self.figure.xaxis.visible = False
        self.figure.yaxis.update(axis_line_color=None, major_tick_line_color=None, minor_tick_line_color=None)
        self.figure.yaxis.major_label_text_font_size = "14px"
        self._ticker = self.figure.yaxis[0].ticker = FixedTicker(ticks=[])
        self._source = ColumnDataSource({n: [] for n in _COLUMNS})
        self._mapper = LinearColorMapper(palette=_palette(dark=False), low=-1, high=1)
        self.figure.image("image", "x", "y", "dw", "dh", source=self._source, color_mapper=self._mapper)
        parts = {"plot": self.figure, "source": self._source, "row": _ROW}
        squares = CustomJS(args=parts, code=_SQUARES)
        self.figure.js_on_change("inner_width", squares)
        self._source.js_on_change("data", squares)

    def show(self, spots, source, *, dark: bool = False) -> None:
        """Draw the components of every method found so far."""
        if not spots:
            return
        best = next((s for s in spots if not is_private(s.method)), spots[0])
        shape = source.image_shape
        if shape:
            rows = [_signed(s.components[:MOST_IMAGES], best.components[:MOST_IMAGES]) for s in spots]
            tiles = [[component.reshape(shape)[::-1] for component in row] for row in rows]
            tiles = [[tile / np.abs(tile).max() for tile in row] for row in tiles]
            title = "The first directions\nof each method, as images"
        else:
            shown = min(len(best.components), 50)
            overlap = [np.abs(s.components[:shown] @ best.components[:shown].T) for s in spots]
            tiles = [[tile[::-1]] for tile in overlap]
            title = "Overlap of each method's directions (rows)\nwith those without noise (columns)"
        self._mapper.palette = _palette(dark=dark)
        self.figure.title.text = title
        count = len(spots)
        self.figure.y_range.update(start=0, end=count)
        centres = [count - i - 0.5 for i in range(count)]
        self._ticker.ticks = centres
        self.figure.yaxis.major_label_overrides = {
            c: label(s.method) for c, s in zip(centres, spots, strict=True)
        }
        self.figure.height = 60 + _ROW * count
        self._place(tiles, square=bool(shape))  # Last: the browser then makes images square.

    def _place(self, tiles, *, square):
        columns = max(len(row) for row in tiles)
        data: dict = {n: [] for n in _COLUMNS}
        for i, row in enumerate(tiles):
            for j, tile in enumerate(row):
                data["image"].append(tile)
                data["x"].append(j + 0.04)
                data["y"].append(len(tiles) - i - 1 + 0.04)
                data["dw"].append(0.92)
                data["dh"].append(0.92)
                data["square"].append(square)
        self.figure.x_range.update(start=0, end=columns)
        self._source.data = data


def _signed(components, like):
    """Flip each component, whose sign is arbitrary, to agree with the non-private one of its rank."""
    signs = np.sign(np.einsum("kd,kd->k", components, like[: len(components)]))
    return components * np.where(signs == 0, 1, signs)[:, None]
