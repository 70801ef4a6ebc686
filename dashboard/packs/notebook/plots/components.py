"""Pictures of what was learnt: components, topics, and the classes of a network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import holoviews as hv
import numpy as np

from core import check, metrics
from core.network import Network
from dashboard.packs.notebook.plots import elements
from dashboard.theme.colours import CAPE

_PIXELS = 60  # Along each side of a picture of classes.


def components(found: Mapping[str, np.ndarray], *, shape: tuple[int, int], count: int = 6):
    """The first principal components as images: a row for each name, signs as in the first row.

    Parameters
    ----------
    found : mapping of name to array (k, d)
        Components as rows; d is the number of pixels.
    shape : (int, int)
        Rows and columns of an image.
    """
    first = next(iter(found.values()))[:count]
    pictures = []
    for name, rows in found.items():
        signs = np.sign(np.einsum("kd,kd->k", rows[: len(first)], first))
        for place, (row, sign) in enumerate(zip(rows, signs, strict=False)):
            title = name if place == 0 else ""
            pictures.append(elements.image(sign * row.reshape(shape), cmap="RdBu", title=title))
    return hv.Layout(pictures).cols(len(first))


def topics(
    found: Mapping[str, np.ndarray],
    truth: np.ndarray | None = None,
    *,
    vocabulary: Sequence[str] | None = None,
):
    """Topics as rows of word probabilities, or the likeliest words of each as bars.

    Parameters
    ----------
    found : mapping of name to array (k, d)
        Topics as rows.
    truth : array of shape (k, d), optional
        Topics by whose order the rows are sorted; drawn first.
    vocabulary : sequence of str, optional
        The d words: the six likeliest of every topic are drawn instead.
    """
    known = {} if truth is None else {"truth": truth}
    every = known | {name: _ordered(rows, truth) for name, rows in found.items()}
    if vocabulary is None:
        high = float(np.quantile(np.concatenate(list(every.values())), 0.995))
        strips = [
            elements.image(rows, cmap="Blues", limits=(0, high), size=(560, 60), title=name)
            for name, rows in every.items()
        ]
        return hv.Layout(strips).cols(1)
    if any(rows.shape[1] != len(vocabulary) for rows in every.values()):
        raise ValueError(f"vocabulary must have a word for every column of topics, got {len(vocabulary)}")
    bars = [
        _words(row, vocabulary, f"{name}, topic {i + 1}")
        for name, rows in every.items()
        for i, row in enumerate(rows)
    ]
    return hv.Layout(bars).cols(2).opts(shared_axes=False)


def classes(networks: Mapping[str, Network], records: tuple[np.ndarray, np.ndarray], *, reach: float = 2.0):
    """The probability of the second class over a square of the plane, with records and the share of right answers.

    Parameters
    ----------
    networks : mapping of name to Network
        Networks of two inputs and two classes.
    records : (array of shape (N, 2), array of shape (N,))
        Points and their classes, for the share; the first 200 are drawn.
    reach : float
        The square is [−reach, reach]².
    """
    check.positive("reach", reach)
    across = np.linspace(-reach, reach, _PIXELS)
    cells = np.stack(np.meshgrid(across, across), axis=-1).reshape(-1, 2)
    points, labels = records[0][:200], records[1][:200]
    pictures = []
    for name, network in networks.items():
        square = network.probability(cells).reshape(_PIXELS, _PIXELS)[::-1]
        area = hv.Image(square, bounds=(-reach,) * 2 + (reach,) * 2).opts(cmap="RdBu", clim=(0, 1), alpha=0.6)
        dots = hv.Points((*points.T, labels), vdims="label").opts(color="label", cmap="RdBu")
        title = f"{name}: {network.accuracy(*records):.1%}"
        pictures.append((area * dots).opts(_square(title, reach)))
    return hv.Layout(pictures).cols(3)


def _square(title, reach):
    if elements.backend() == "bokeh":
        size: dict[str, Any] = {"frame_width": 220, "frame_height": 220, "toolbar": None}
    else:
        size = {"fig_inches": (2.2, 2.2)}
    size |= {"xlim": (-reach, reach), "ylim": (-reach, reach)}
    return hv.opts.Overlay(xaxis=None, yaxis=None, title=title, show_legend=False, **size)


def _ordered(rows, truth):
    return rows if truth is None else rows[metrics.matching(truth, rows)]


def _words(row, vocabulary, title):
    best = np.argsort(-row)[:6][::-1]
    data = [(str(vocabulary[i]), float(row[i])) for i in best]
    size = {"width": 340, "height": 190, "toolbar": None} if elements.backend() == "bokeh" else {}
    return hv.Bars(data, "word", "probability").opts(
        invert_axes=True, color=CAPE, xlabel="", ylabel="", title=title, **size
    )
