"""Numbers as colours in static pictures: the shades of points, and matrices as small images."""

from __future__ import annotations

import base64
import struct
import zlib

import numpy as np
from bokeh.colors import RGB
from bokeh.models import LinearColorMapper


def shades(mapper, values) -> list[str]:
    """The colour of every value under a linear colour mapper."""
    palette = mapper.palette
    return [palette[i] for i in _places(mapper, np.asarray(values, dtype=float))]


def data_image(mapper, array) -> str:
    """A matrix whose first row is at the bottom as the address of a PNG: a pixel for each entry."""
    places = _places(mapper, np.asarray(array, dtype=float))[::-1]
    colours = np.array([_rgb(name) for name in mapper.palette], dtype=np.uint8)
    return f"data:image/png;base64,{base64.b64encode(_png(places, colours)).decode()}"


def _places(mapper, values):
    """Numbers of the mapper's colours; a value beyond its ends has the last one."""
    if not isinstance(mapper, LinearColorMapper):
        raise ValueError(f"mapper must be a LinearColorMapper, got {type(mapper).__name__}")
    low = np.nanmin(values) if mapper.low is None else mapper.low
    high = np.nanmax(values) if mapper.high is None else mapper.high
    share = (np.nan_to_num(values, nan=low) - low) / ((high - low) or 1.0)
    return np.clip((share * len(mapper.palette)).astype(int), 0, len(mapper.palette) - 1)


def _rgb(name):
    colour = RGB.from_hex_string(name)
    return colour.r, colour.g, colour.b


def _png(places, colours):
    """A PNG with a palette of at most 256 colours."""
    if len(colours) > 256:
        raise ValueError(f"a palette must have at most 256 colours, got {len(colours)}")

    def chunk(kind, content):
        check = zlib.crc32(kind + content)
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", check)

    rows, columns = places.shape
    lines = b"".join(b"\0" + line.astype(np.uint8).tobytes() for line in places)
    head = struct.pack(">IIBBBBB", columns, rows, 8, 3, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"PLTE", colours.tobytes())
        + chunk(b"IDAT", zlib.compress(lines, 9))
        + chunk(b"IEND", b"")
    )
