"""Components of the methods as images where records are images, else their overlap with the true ones."""

from __future__ import annotations

import numpy as np
from bokeh.models import ColumnDataSource, FixedTicker, LinearColorMapper
from bokeh.palettes import diverging_palette

from core.schemes import is_private
from dashboard.plotting.figure import house_figure
from dashboard.theme.scheme_style import label

MOST_IMAGES = 8
_ROW = 74  # Pixels for one method.


def _shades(dark):
    """From a dark colour to white in 128 steps."""
    shades = np.linspace(dark, (255, 255, 255), 128).astype(int)
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
        self._source = ColumnDataSource({n: [] for n in ("image", "x", "y", "dw", "dh")})
        palette = diverging_palette(_shades((8, 64, 129)), _shades((150, 35, 10)), 256)
        self._mapper = LinearColorMapper(palette=palette, low=-1, high=1)
        self.figure.image("image", "x", "y", "dw", "dh", source=self._source, color_mapper=self._mapper)

    def show(self, spots, source) -> None:
        """Draw the components of every method found so far."""
        if not spots:
            return
        best = next((s for s in spots if not is_private(s.method)), spots[0])
        shape = source.image_shape
        if shape:
            rows = [_signed(s.components[:MOST_IMAGES], best.components[:MOST_IMAGES]) for s in spots]
            tiles = [[component.reshape(shape)[::-1] for component in row] for row in rows]
            tiles = [[tile / np.abs(tile).max() for tile in row] for row in tiles]
            title = "The leading components\nof each method, as images"
        else:
            shown = min(len(best.components), 50)
            overlap = [np.abs(s.components[:shown] @ best.components[:shown].T) for s in spots]
            tiles = [[tile[::-1]] for tile in overlap]
            title = "Overlap of each method's components (rows)\nwith the non-private ones (columns)"
        self._place(tiles, square=bool(shape))
        self.figure.title.text = title
        count = len(spots)
        self.figure.y_range.update(start=0, end=count)
        centres = [count - i - 0.5 for i in range(count)]
        self._ticker.ticks = centres
        self.figure.yaxis.major_label_overrides = {
            c: label(s.method) for c, s in zip(centres, spots, strict=True)
        }
        self.figure.height = 60 + _ROW * count

    def _place(self, tiles, *, square):
        columns = max(len(row) for row in tiles)
        data = {n: [] for n in ("image", "x", "y", "dw", "dh")}
        for i, row in enumerate(tiles):
            for j, tile in enumerate(row):
                data["image"].append(tile)
                data["x"].append(j + 0.04)
                data["y"].append(len(tiles) - i - 1 + 0.04)
                data["dw"].append(0.92)
                data["dh"].append(0.92)
        self.figure.x_range.update(start=0, end=columns)
        self._source.data = data


def _signed(components, like):
    """Flip each component, whose sign is arbitrary, to agree with the non-private one of its rank."""
    signs = np.sign(np.einsum("kd,kd->k", components, like[: len(components)]))
    return components * np.where(signs == 0, 1, signs)[:, None]
