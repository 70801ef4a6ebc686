"""Rows of small pictures, which change from one state to the next in the browser."""

from __future__ import annotations

import base64
import html
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import param

from dashboard.compat.widgets.light_component import LightComponent
from dashboard.theme.assets import beside

_BAR, _GAP = (60, 96), 1.12  # Height and width of a picture of bars; from picture to picture, in widths.
_FEW = 4  # As in tiles.js.
_LEVELS = 16  # Shades of grey of an image as SVG,
_SMALL = 100  # and its pixels at most.
Kind = Literal["ink", "bars"]


@dataclass(frozen=True)
class Row:
    """One row of pictures.

    Attributes
    ----------
    label, note : str
        Plain text before and behind the row, e.g. a scheme and how much it keeps.
    hint : str
        Half a line under the label; "" for none.
    marks : sequence of str
        A sign under each picture, "✓" or "✗", and a word; () for none.
    colour : str
        Of the mark before the label; "" for none.
    pixels : ndarray of shape (pictures, pixels) or None
        From −1 to 1; None where they are not known yet.
    steps : ndarray of shape (steps + 1, pictures, pixels) or None
        What a search passes before it comes to `pixels`, which are its last step.
    """

    label: str
    colour: str = ""
    pixels: np.ndarray | None = None
    note: str = ""
    steps: np.ndarray | None = None
    hint: str = ""
    marks: Sequence[str] = ()


class Tiles(LightComponent):
    """Rows of small pictures below each other; every row has as many pictures."""

    spec = param.Dict({}, doc="What is drawn; {} for nothing.")

    _esm = beside(__file__, "tiles.js")
    _stylesheets = [beside(__file__, "tiles.css")]  # noqa: RUF012

    def __init__(self, **params):
        super().__init__(**{"sizing_mode": "stretch_width", **params})

    def show(
        self,
        rows: Sequence[Row],
        *,
        shape: tuple[int, int],
        count: int,
        kind: Kind = "ink",
        title: str = "",
        marked: bool = False,
        searched: bool = False,
    ) -> None:
        """Draw rows of `count` pictures of `shape` (height, width); bars have the shape (1, number of bars).

        Parameters
        ----------
        kind : {"ink", "bars"}
            Positive pixels dark on the page's ground, or bars up and down.
        title : str
            Plain text above the rows.
        marked : bool
            Keep a line for marks under the pictures of every row.
        searched : bool
            Keep a line for the steps of the searches above the rows.
        """
        steps = max((len(row.steps) - 1 for row in rows if row.steps is not None), default=0)
        found = [
            {
                "label": row.label,
                "colour": row.colour,
                "note": row.note,
                "hint": row.hint,
                "marks": list(row.marks),
                "pixels": _packed(row.pixels),
                "steps": _packed(_lasting(row.steps, steps)),
            }
            for row in rows
        ]
        self.spec = {
            "rows": found,
            "shape": list(shape),
            "count": count,
            "kind": kind,
            "title": title,
            "steps": steps,
            "marked": marked,
            "searched": searched,
        }

    def still(self) -> str:
        """The same rows as static HTML: small images as far as they are known, and empty places for what needs runs."""
        if not self.spec:
            return ""
        bars = self.spec["kind"] == "bars"
        height, width = _BAR if bars else self.spec["shape"]
        # As in tiles.js.
        step = width * _GAP if bars else width + max(1, round(width / 9))
        count = self.spec["count"]
        box = f"0 0 {step * count - (step - width):g} {height}"
        rows = "".join(
            f"<div class='row'><b>{html.escape(row['label'])}{_hint(row)}</b>"
            f"<svg viewBox='{box}'>{self._places(row, step, width, height)}</svg></div>"
            for row in self.spec["rows"]
        )
        kind = "tiles" + " pairs" * (count <= _FEW) + " marked" * self.spec["marked"]
        walk = "<div class='walk'></div>" * self.spec["searched"]
        return (
            f"<div class='{kind}' style='--count:{count};--rows:{len(self.spec['rows'])}'>"
            f"{self._title()}{walk}{rows}</div>"
        )

    def _places(self, row, step, width, height):
        """A place for each image of a row, and the images if they are known and small: where a search begins."""
        count, images = self.spec["count"], ""
        packed = row["steps"] or row["pixels"]
        if packed and self.spec["kind"] == "ink" and width * height <= _SMALL:
            found = np.frombuffer(base64.b64decode(packed), np.uint8).reshape(-1, height, width)[:count]
            images = "".join(shaded((image - 128.0) / 127, x=step * i) for i, image in enumerate(found))
        ground = 0.045 if images else 0.07  # As in tiles.js.
        places = "".join(f'<rect x="{step * i:g}" width="{width}" height="{height}"/>' for i in range(count))
        return f"<g fill-opacity='{ground}'>{places}</g>{images}"

    def _title(self):
        return f"<p><span>{html.escape(self.spec['title'])}</span></p>"


def _lasting(found, steps):
    """The steps of a search that ended earlier than others: it stays where it ended."""
    return None if found is None else found[np.minimum(np.arange(steps + 1), len(found) - 1)]


def _hint(row):
    return f"<small>{html.escape(row['hint'])}</small>" if row["hint"] else ""


def shaded(image: np.ndarray, *, x: float = 0) -> str:
    """An image of few pixels, from 0 to 1, as SVG paths: one for each shade of grey."""
    levels, paths = np.rint(_LEVELS * np.clip(image, 0, 1)), []
    for level in np.unique(levels[levels > 0]):
        dots = "".join(f"M{x + column:g} {row}h1v1h-1z" for row, column in np.argwhere(levels == level))
        paths.append(f"<path d='{dots}' fill-opacity='{level / _LEVELS:.2g}'/>")
    return "".join(paths)


def _packed(pixels):
    """Pixels from −1 to 1 as bytes from 1 to 255, in base64; "" for none."""
    if pixels is None:
        return ""
    scaled = np.rint(127 * np.clip(pixels, -1, 1)) + 128
    return base64.b64encode(scaled.astype(np.uint8).tobytes()).decode()
