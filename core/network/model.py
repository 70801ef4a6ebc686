"""A two-layer classifier and the average of its clipped per-example gradients. [Cape] section 5.1."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from core import check

_SQUARED = 1e-140  # Lengths below this, or above its inverse, have no square with all its digits.


@check.arguments(hidden_weights=check.matrix, hidden_bias=check.vector, output_weights=check.vector)
@dataclass(frozen=True)
class Network:
    """p(y = 1 | x) = σ(w2ᵀ ReLU(W1 x + b1) + b2).

    Attributes
    ----------
    hidden_weights : ndarray of shape (h, d)
    hidden_bias, output_weights : ndarray of shape (h,)
    output_bias : float
    """

    hidden_weights: np.ndarray
    hidden_bias: np.ndarray
    output_weights: np.ndarray
    output_bias: float

    @property
    def vector(self) -> np.ndarray:
        """All parameters in a row, shape (h (d + 2) + 1,)."""
        return np.concatenate(
            [self.hidden_weights.ravel(), self.hidden_bias, self.output_weights, [self.output_bias]]
        )

    @check.arguments(vector=check.vector)
    def at(self, vector: np.ndarray) -> Network:
        """A network of this shape with other parameters."""
        h, d = self.hidden_weights.shape
        if len(vector) != (size := h * (d + 2) + 1):
            raise ValueError(f"vector must hold {size} numbers, got {len(vector)}")
        w1, b1, w2 = (vector[h * a : h * b] for a, b in ((0, d), (d, d + 1), (d + 1, d + 2)))
        made = object.__new__(Network)
        # Parts of numbers that were checked: a training makes a network in every step.
        Network.__init__.trusted(made, w1.reshape(h, d), b1, w2, float(vector[-1]))  # type: ignore[attr-defined]
        return made

    @check.arguments(features=check.matrix)
    def hidden(self, features: np.ndarray) -> np.ndarray:
        """ReLU outputs of the hidden layer, shape (n, h)."""
        outputs = features @ self.hidden_weights.T
        outputs += (
            self.hidden_bias
        )  # In place: a fresh array for every operation would take longer than to compute it.
        return np.maximum(outputs, 0.0, out=outputs)

    @check.arguments(features=check.matrix)
    def margin(self, features: np.ndarray) -> np.ndarray:
        """Log odds of y = 1, shape (n,)."""
        return self.hidden(features) @ self.output_weights + self.output_bias

    @check.arguments(features=check.matrix)
    def probability(self, features: np.ndarray) -> np.ndarray:
        """p(y = 1 | x), shape (n,)."""
        return _sigmoid(self.margin(features))

    @check.arguments(features=check.matrix, labels=check.vector)
    def accuracy(self, features: np.ndarray, labels: np.ndarray) -> float:
        """Share of records on the right side of the decision boundary."""
        return float(((self.margin(features) > 0) == (labels > 0.5)).mean())

    @check.arguments(features=check.matrix, labels=check.vector)
    def loss(self, features: np.ndarray, labels: np.ndarray) -> float:
        """Mean cross-entropy."""
        return float(_cross_entropy(self.margin(features), labels).mean())


@dataclass(frozen=True)
class Gradient:
    """Average of clipped per-example gradients at one site, with what the pass saw on the way.

    Attributes
    ----------
    mean : ndarray, shape of `Network.vector`
    clipped : float
        Share of examples whose gradient was longer than the bound. Like the next two a diagnostic of the
        data: *not private*.
    loss, accuracy : float
        Of the network the gradient was taken at.
    """

    mean: np.ndarray
    clipped: float
    loss: float
    accuracy: float


@check.arguments
def start(dimension: int, hidden: int = 5, *, rng: np.random.Generator) -> Network:
    """A random network to start from: weights N(0, 2/inputs), biases 0. It has seen no data."""
    d, h = (check.integer(n, v, low=1) for n, v in (("dimension", dimension), ("hidden", hidden)))
    w1 = rng.standard_normal((h, d)) * math.sqrt(2 / d)
    return Network(w1, np.zeros(h), rng.standard_normal(h) * math.sqrt(2 / h), 0.0)


@check.arguments(features=check.matrix, labels=check.vector)
def gradient(network: Network, features, labels, *, clip: float | None) -> Gradient:
    """Average gradient of the cross-entropy, each example's clipped to norm `clip` (None: not at all).

    No example's gradient is formed: its length follows from δ2 = p − y and δ1 = δ2 w2 ⊙ 1[hidden > 0] as
    ‖g‖² = ‖δ1‖² (‖x‖² + 1) + δ2² (‖hidden‖² + 1), and the clipped average from one weighted product.
    """
    if labels.shape != features.shape[:1]:
        raise ValueError(f"labels must be one for each of {len(features)} features, got shape {labels.shape}")
    outputs = network.hidden(features)
    margin = outputs @ network.output_weights + network.output_bias
    d2 = _sigmoid(margin) - labels
    d1 = (outputs > 0) * network.output_weights * d2[:, None]
    weight, clipped = np.full(len(labels), 1 / len(labels)), 0.0
    if clip is not None:
        lengths = np.hypot(
            _lengths(d1) * np.hypot(_lengths(features), 1), np.abs(d2) * np.hypot(_lengths(outputs), 1)
        )
        weight *= clip / np.maximum(lengths, clip)
        clipped = float((lengths > clip).mean())
    d1, d2 = d1 * weight[:, None], d2 * weight
    parts = (d1.T @ features).ravel(), d1.sum(axis=0), outputs.T @ d2, [d2.sum()]
    return Gradient(
        np.concatenate(parts),
        clipped,
        float(_cross_entropy(margin, labels).mean()),
        float(((margin > 0) == (labels > 0.5)).mean()),
    )


def _lengths(rows):
    """‖row‖ of every row, also where its square is out of a float's range."""
    with np.errstate(over="ignore"):
        lengths = np.sqrt(np.einsum("nd,nd->n", rows, rows))
    extreme = ~((lengths > _SQUARED) & (lengths < 1 / _SQUARED))
    if extreme.any():
        peaks = np.abs(rows[extreme]).max(axis=1)
        scaled = rows[extreme] / np.where(peaks > 0, peaks, 1.0)[:, None]
        lengths[extreme] = peaks * np.linalg.norm(scaled, axis=1)
    return lengths


def _sigmoid(z):
    return 0.5 * (1 + np.tanh(z / 2))


def _cross_entropy(z, y):
    return np.logaddexp(0, z) - y * z
