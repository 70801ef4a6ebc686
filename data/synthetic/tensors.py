"""Orthogonal tensors with known components, and streams of records that have them as third moment."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from data import check
from data.synthetic.gaussian import orthonormal

_RATE = 0.1  # How often a source is on; rare sources are skewed, and skewness is what third moments see.


@dataclass(frozen=True)
class TensorComponents:
    """The truth of a tensor Σ λ_i v_i⊗v_i⊗v_i.

    Attributes
    ----------
    values : ndarray (k,)
        λ_i, falling.
    vectors : ndarray (k, d)
        Orthonormal rows v_i.
    """

    values: np.ndarray
    vectors: np.ndarray


@check.arguments(dimension=check.whole(1))
def tensor_components(
    components: int = 3,
    *,
    dimension: int = 300,
    strength: float = 1000.0,
    least: float = 0.6,
    share: float = 1.0,
    rng: np.random.Generator,
) -> TensorComponents:
    """Random orthonormal components with eigenvalues that fall evenly from `strength` to `least` of it.

    Parameters
    ----------
    components, dimension : int
        k and d.
    share : float
        Share of the coordinates on which the components live; the fewer, the less flat (the more coherent)
        they are. At least k coordinates are used.
    """
    k = check.integer("components", components, low=1, high=dimension)
    if not 0 < share <= 1:
        raise ValueError(f"share must be above 0 and at most 1, got {share!r}")
    support = max(k, round(share * dimension))
    vectors = np.zeros((k, dimension))
    places = np.sort(rng.choice(dimension, support, replace=False))
    vectors[:, places] = orthonormal(k, support, rng=rng)
    return TensorComponents(strength * np.linspace(1.0, least, k), vectors)


@check.arguments
def skewed_stream(
    truth: TensorComponents, *, batch: int = 1000, spread: float = 0.05, rng: np.random.Generator
) -> Iterator[np.ndarray]:
    """Endless batches of records x = Σ ξ_i v_i + z whose third moment is Σ λ_i v_i⊗v_i⊗v_i exactly.

    The sources ξ_i are independent, centred and on in one record of ten; z is Gaussian with standard deviation
    `spread` on each coordinate, and symmetric, so it leaves no trace in third moments.

    Parameters
    ----------
    truth : TensorComponents
        With positive λ_i.
    batch : int
        Records in a batch.
    """
    batch = check.integer("batch", batch, low=1)
    size = np.cbrt(truth.values / (_RATE * (1 - _RATE) * (1 - 2 * _RATE)))
    while True:
        sources = ((rng.random((batch, len(size))) < _RATE) - _RATE) * size
        records = rng.standard_normal((batch, truth.vectors.shape[1]))
        records *= spread
        records += sources @ truth.vectors
        yield records
