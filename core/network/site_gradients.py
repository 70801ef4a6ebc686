"""Average clipped gradients of all sites at once: the records of all sites go through the same matrix products."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core import check
from core.network.model import Network, sigmoid


@dataclass(frozen=True)
class Pass:
    """One pass over the records of all sites.

    Attributes
    ----------
    means : ndarray of shape (S, p)
        What `core.network.gradient` gives for each site.
    clipped, loss, accuracy : float
        Over all records, as in `core.network.Gradient`; *not private*.
    """

    means: np.ndarray
    clipped: float
    loss: float
    accuracy: float


class Records:
    """Records of all sites side by side, as columns.

    Parameters
    ----------
    sites : sequence of S pairs (X of shape (n_s, d), y of shape (n_s,))
        Entries of at most 1e100 in size, so that squares are within a float's range.

    Attributes
    ----------
    sizes : ndarray of shape (S,)
        n_s.
    """

    @check.arguments
    def __init__(self, sites: Sequence):
        features = np.concatenate([x for x, _ in sites])
        self.sizes = np.array([len(y) for _, y in sites], dtype=float)
        self._ends = np.cumsum([0, *(len(y) for _, y in sites)])
        self._features = np.vstack([features.T, np.ones(len(features))])
        self._labels = np.concatenate([np.asarray(y, dtype=float) for _, y in sites])
        self._squares = np.einsum("nd,nd->n", features, features) + 1
        self._share = np.repeat(1 / self.sizes, self.sizes.astype(int))
        self._room: dict[int, tuple[np.ndarray, np.ndarray]] = {}

    @check.arguments
    def gradients(self, network: Network, *, clip: float | None) -> Pass:
        """Each site's average clipped gradient: `core.network.gradient` for every site, in one pass.

        With M = 1[hidden > 0] the gradient of W1 is w2 ⊙ Mᵀ(c x), so one weighted product M and two sums over the
        hidden layer give lengths and averages.
        """
        w1 = np.column_stack([network.hidden_weights, network.hidden_bias])
        w2, y = network.output_weights, self._labels
        outputs, on = self._layer(w1)
        margin = w2 @ outputs + network.output_bias
        probability = sigmoid(margin)
        slope = probability - y
        weighted, clipped = slope * self._share, 0.0
        if clip is not None:
            lengths = (w2**2 @ on) * self._squares + np.einsum("hn,hn->n", outputs, outputs) + 1
            lengths = np.sqrt(lengths) * np.abs(slope)
            weighted *= clip / np.maximum(lengths, clip)
            clipped = float(np.count_nonzero(lengths > clip) / len(y))
        # −log of the larger of p and 1 − p, which is at least a half, keeps its digits.
        likely = np.maximum(probability, 1 - probability)
        loss = np.maximum(margin, 0).sum() - margin @ y - np.log(likely).sum()
        right = np.count_nonzero((margin > 0) == (y > 0.5))
        return Pass(
            self._means(on, outputs, weighted, w2), clipped, float(loss / len(y)), float(right / len(y))
        )

    def _layer(self, weights):
        """Outputs of the hidden layer and 1 where they are positive, (h, n) each, in arrays that are used again."""
        hidden = len(weights)
        if hidden not in self._room:
            self._room = {
                hidden: (np.empty((hidden, len(self._labels))), np.empty((hidden, len(self._labels))))
            }
        outputs, on = self._room[hidden]
        np.matmul(weights, self._features, out=outputs)
        np.maximum(outputs, 0.0, out=outputs)
        on[...] = outputs > 0
        return outputs, on

    def _means(self, on, outputs, weighted, w2):
        """Sums over the records of each site, (S, p), in the order of `Network.vector`."""
        through = self._features * weighted
        if (self.sizes == self.sizes[0]).all():
            shape = len(self.sizes), -1
            parts = [a.reshape(len(a), *shape).transpose(1, 0, 2) for a in (on, outputs, through)]
            return _joined(*parts, w2)
        pieces = [slice(a, b) for a, b in zip(self._ends[:-1], self._ends[1:], strict=True)]
        own = [_joined(on[None, :, p], outputs[None, :, p], through[None, :, p], w2) for p in pieces]
        return np.concatenate(own)


def _joined(on, outputs, through, w2):
    """Gradients of sites of equal size; every array is (S, rows, n), the last row of `through` the weights."""
    sites = len(on)
    first = np.matmul(on, through.transpose(0, 2, 1)) * w2[:, None]
    last = np.matmul(outputs, through[:, -1, :, None])[..., 0]
    bias = through[:, -1].sum(axis=1)
    return np.concatenate([first[..., :-1].reshape(sites, -1), first[..., -1], last, bias[:, None]], axis=1)
