"""Average clipped gradients of all sites at once: the records of many sites share matrix products."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from core import check
from core.network.model import Network

_AT_ONCE = (
    2**18
)  # Outputs of hidden units that are computed together: a few such arrays fit in a processor's cache.


@dataclass(frozen=True)
class Pass:
    """One pass over the records of all N = Σ n_s sites' records.

    Attributes
    ----------
    means : ndarray of shape (S, p)
        What `core.network.gradient` gives for each site.
    margins : ndarray of shape (N,)
        Log odds of y = 1 of every record. Like everything below *not private*.
    lengths : ndarray of shape (N,) or None
        Norm of every record's gradient; None if none was clipped.
    labels : ndarray of shape (N,)
    clip : float or None
    """

    means: np.ndarray
    margins: np.ndarray
    lengths: np.ndarray | None
    labels: np.ndarray
    clip: float | None

    @cached_property
    def clipped(self) -> float:
        """Share of records whose gradient was longer than the bound."""
        if self.lengths is None:
            return 0.0
        return float(np.count_nonzero(self.lengths > self.clip) / len(self.lengths))

    @cached_property
    def loss(self) -> float:
        """Mean cross-entropy."""
        return float((np.logaddexp(0, self.margins) - self.labels * self.margins).mean())

    @cached_property
    def accuracy(self) -> float:
        """Share of records on the right side of the decision boundary."""
        return float(np.count_nonzero((self.margins > 0) == (self.labels > 0.5)) / len(self.labels))


class _Block(NamedTuple):
    """Consecutive sites whose records are computed together."""

    records: slice
    sizes: tuple[int, ...]


class Records:
    """Records of all sites side by side, as columns, with room for what a pass computes of them.

    Parameters
    ----------
    sites : sequence of S pairs (X of shape (n_s, d), y of shape (n_s,))
        Entries of at most 1e100 in size, so that their squares are within a float's range.
    hidden : int
        Units of the hidden layer.

    Attributes
    ----------
    sizes : ndarray of shape (S,)
        n_s.
    """

    def __init__(self, sites: Sequence, hidden: int):
        features = np.concatenate([x for x, _ in sites])
        counts = [len(y) for _, y in sites]
        self.sizes = np.array(counts, dtype=float)
        self._labels = np.concatenate([np.asarray(y, dtype=float) for _, y in sites])
        self._centred = self._labels - 0.5
        # Rows one after another: NumPy would stack them column by column, and products with them take longer.
        self._columns = np.ascontiguousarray(np.vstack([features.T, np.ones(len(features))]))
        self._squares = np.einsum("nd,nd->n", features, features) + 1
        self._blocks = list(_blocks(counts, hidden))
        widest = max(sum(block.sizes) for block in self._blocks)
        self._outputs, self._on = (np.empty(hidden * widest) for _ in range(2))

    @check.arguments
    def gradients(self, network: Network, *, clip: float | None) -> Pass:
        """Average clipped gradient of every site, as `core.network.gradient` computes it for one.

        With 1[hidden > 0] = M, records x and their weighted slopes c, the gradient of W1 is w2 ⊙ Mᵀ(c x).
        """
        weights = np.column_stack([network.hidden_weights, network.hidden_bias])
        margins, lengths = np.empty(len(self._labels)), None
        if clip is not None:
            lengths = np.empty(len(self._labels))
        result = [self._block(block, network, weights, clip, margins, lengths) for block in self._blocks]
        return Pass(np.concatenate(result) / self.sizes[:, None], margins, lengths, self._labels, clip)

    def _block(self, block, network, weights, clip, margins, lengths):
        """Sums of the clipped gradients of a block's sites, (sites, p); fills its part of margins and lengths."""
        own, w2 = block.records, network.output_weights
        columns = self._columns[:, own]
        outputs, on = self._layer(weights, columns)
        margin = np.matmul(w2, outputs, out=margins[own])
        margin += network.output_bias
        slope = margin / 2
        np.tanh(slope, out=slope)
        slope /= 2
        slope -= self._centred[own]  # σ(z) − y = tanh(z/2)/2 − (y − 1/2).
        if clip is not None:
            length = np.matmul(w2**2, on, out=lengths[own])
            length *= self._squares[own]
            length += np.einsum("hn,hn->n", outputs, outputs)
            length += 1
            np.sqrt(length, out=length)
            length *= np.abs(slope)
            slope *= clip / np.maximum(length, clip)
        return _sums(block, on, columns * slope, weights, w2)

    def _layer(self, weights, columns):
        """Outputs of the hidden layer and 1 where they are positive, (h, n) each, in the room that is kept."""
        shape = len(weights), columns.shape[1]
        outputs, on = (room[: shape[0] * shape[1]].reshape(shape) for room in (self._outputs, self._on))
        np.matmul(weights, columns, out=outputs)
        on[...] = outputs > 0
        outputs *= on  # ReLU; a maximum with 0 would take longer.
        return outputs, on


def _blocks(counts, hidden) -> Iterator[_Block]:
    """Group sites as long as their hidden outputs stay few; a large site is a block of its own."""
    first = start = 0
    for site in range(1, len(counts) + 1):
        if site == len(counts) or hidden * sum(counts[first : site + 1]) > _AT_ONCE:
            end = start + sum(counts[first:site])
            yield _Block(slice(start, end), tuple(counts[first:site]))
            first, start = site, end


def _sums(block, on, weighted, weights, w2):
    """Sums over the records of each of a block's sites, (sites, p), in the order of `Network.vector`."""
    if len(set(block.sizes)) == 1:
        shape = len(block.sizes), -1
        by_site = (a.reshape(len(a), *shape).transpose(1, 0, 2) for a in (on, weighted))
        return _joined(*by_site, weights, w2)
    ends = np.cumsum([0, *block.sizes])
    pieces = [slice(a, b) for a, b in itertools.pairwise(ends)]
    return np.concatenate([_joined(on[None, :, p], weighted[None, :, p], weights, w2) for p in pieces])


def _joined(on, weighted, weights, w2):
    """Gradients of sites of equal size; `on` and `weighted` are (sites, rows, n), the last row of `weighted` the slopes.

    A unit's output is its weights times the record, where it is positive. So Mᵀ(c x) also gives the gradient of w2.
    """
    through = np.matmul(on, weighted.transpose(0, 2, 1))
    first, last = through * w2[:, None], (through * weights).sum(axis=2)
    parts = first[..., :-1].reshape(len(on), -1), first[..., -1], last, weighted[:, -1].sum(axis=1)[:, None]
    return np.concatenate(parts, axis=1)
