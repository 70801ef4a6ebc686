"""Samplers of noise: independent Gaussian, symmetric Gaussian, Laplace.

A statistic that is a symmetric matrix or third-order tensor may be perturbed in three ways, `DISTRIBUTIONS`:

iid
    independent noise on every entry of the whole array.
symmetrised
    the same noise, then averaged over the permutations of the indices. This is post-processing, so the
    guarantee is that of `iid` with the sensitivity of the whole array; the standard deviation of
    off-diagonal entries falls by √2 (matrices) or √6 and √3 (tensors, three or two distinct indices).
copied
    the published way: independent noise on the distinct entries i ≤ j (≤ k), copied to the others.
"""

from __future__ import annotations

import itertools
import math
from functools import lru_cache, reduce
from typing import Literal, get_args

import numpy as np

from core import check

Symmetric = Literal["symmetrised", "copied"]
Distribution = Literal["iid", Symmetric]
SYMMETRIC: tuple[Symmetric, ...] = get_args(Symmetric)
DISTRIBUTIONS: tuple[Distribution, ...] = get_args(Distribution)
_LARGE = 512  # Wider symmetric matrices are drawn without a table of their distinct entries.
_BLOCK = 256


@check.arguments(shape=check.shape)
def gaussian(
    shape, std: float = 1.0, *, rng: np.random.Generator, distribution: Distribution = "iid"
) -> np.ndarray:
    """Gaussian noise of standard deviation `std` on the entries of an array.

    Parameters
    ----------
    shape : tuple of int
        Shape of the array; all axes equal unless `distribution` is "iid".
    std : float
        Standard deviation τ of the independent entries (see `entry_std` for the drawn array's).
    distribution : {"iid", "symmetrised", "copied"}
        How the noise respects symmetry; see the module's description.
    """
    shape = _shape(shape, distribution)
    if distribution == "iid":
        return std * rng.standard_normal(shape)
    if len(shape) == 2 and shape[0] > _LARGE:
        return _large_symmetric(shape[0], std, distribution, rng)
    entries = rng.standard_normal(independent_entries.trusted(shape, distribution=distribution))
    entries *= std
    return spread.trusted(entries, shape, distribution=distribution)


@check.arguments(shape=check.shape)
def independent_entries(shape, *, distribution: Distribution = "iid") -> int:
    """How many independent normal numbers `gaussian` draws for an array of this shape."""
    shape = _shape(shape, distribution)
    if distribution == "iid":
        return math.prod(shape)
    return math.comb(shape[0] + len(shape) - 1, len(shape))


@check.arguments(entries=check.vector, shape=check.shape)
def spread(entries: np.ndarray, shape, *, distribution: Distribution = "iid") -> np.ndarray:
    """Make an array of `shape` of its independent entries, as `gaussian` does.

    Parameters
    ----------
    entries : array of shape (n,)
        As many as `independent_entries`; distinct entries i ≤ j (≤ k) in the order of their indices. With
        "symmetrised" each is divided by the root of the number of its positions.
    """
    shape = _shape(shape, distribution)
    if len(entries) != (count := independent_entries.trusted(shape, distribution=distribution)):
        raise ValueError(f"entries must be {count} numbers for shape {shape}, got {len(entries)}")
    if distribution == "iid":
        return entries.reshape(shape)
    if len(shape) == 2 and shape[0] > _LARGE:
        return _large_spread(entries, shape[0], distribution)
    place, multiplicity = distinct(shape[0], len(shape))
    return (entries / np.sqrt(multiplicity) if distribution == "symmetrised" else entries)[place]


@check.arguments(shape=check.shape)
def entry_std(shape, std: float = 1.0, *, distribution: Distribution = "iid") -> np.ndarray | float:
    """Standard deviation of each entry that `gaussian` draws: a scalar, or an array of `shape`.

    Examples
    --------
    Symmetrised noise has twice the independent numbers on each entry beside the diagonal:

    >>> entry_std((2, 2), 1.0, distribution="symmetrised").round(3).tolist()
    [[1.0, 0.707], [0.707, 1.0]]
    """
    shape = _shape(shape, distribution)
    if distribution != "symmetrised":
        return std
    if len(shape) == 2:
        deviations = np.full(shape, std / math.sqrt(2))
        np.fill_diagonal(deviations, std)
        return deviations
    place, multiplicity = distinct(shape[0], len(shape))
    return (std / np.sqrt(multiplicity))[place]


@check.arguments(shape=check.shape)
def laplace(shape, scale: float, *, rng: np.random.Generator) -> np.ndarray:
    """Independent Laplace noise of the given scale b (standard deviation √2 b)."""
    return rng.laplace(scale=scale, size=shape)


@check.arguments
def symmetrise(array: np.ndarray, order: int | None = None) -> np.ndarray:
    """Average over all permutations of the last `order` axes (default: all axes)."""
    order = array.ndim if order is None else check.integer("order", order, low=0, high=array.ndim)
    if len(set(array.shape[array.ndim - order :])) > 1:
        raise ValueError(f"array must have equal axes to be averaged over, got shape {array.shape}")
    lead = tuple(range(array.ndim - order))
    axes = range(array.ndim - order, array.ndim)
    total = reduce(np.add, (array.transpose(*lead, *p) for p in itertools.permutations(axes)))
    return total / math.factorial(order)


def _shape(shape, distribution):
    check.choice("distribution", distribution, DISTRIBUTIONS)
    shape = tuple(np.atleast_1d(shape).astype(int)) if np.ndim(shape) == 0 else tuple(shape)
    if distribution != "iid" and (len(shape) < 2 or len(set(shape)) != 1):
        raise ValueError(
            f"distribution {distribution!r} needs an array with at least two axes, all equal; got shape {shape}"
        )
    return shape


def _large_symmetric(size, std, distribution, rng):
    """Draw the triangle i ≤ j row by row and mirror it, which stores only the matrix itself."""
    matrix = np.empty((size, size))
    for i in range(size):
        rng.standard_normal(out=matrix[i, i:])
        matrix[i, i:] *= std / math.sqrt(2) if distribution == "symmetrised" else std
        if distribution == "symmetrised":
            matrix[i, i] *= math.sqrt(2)
    return _mirrored(matrix)


def _large_spread(entries, size, distribution):
    matrix, start = np.empty((size, size)), 0
    for i in range(size):
        matrix[i, i:] = entries[start : start + size - i]
        start += size - i
        if distribution == "symmetrised":
            matrix[i, i + 1 :] /= math.sqrt(2)
    return _mirrored(matrix)


def _mirrored(matrix):
    """Copy the triangle i ≤ j of a matrix to the other one, in blocks and in place."""
    size = len(matrix)
    for a in range(0, size, _BLOCK):
        square = matrix[a : a + _BLOCK, a : a + _BLOCK]
        square[:] = np.triu(square) + np.triu(square, 1).T
        matrix[a + _BLOCK :, a : a + _BLOCK] = matrix[a : a + _BLOCK, a + _BLOCK :].T
    return matrix


@lru_cache(maxsize=16)
def distinct(size, order):
    """Index of each entry's value in a symmetric array, and the number of entries that share each value.

    Returns `place` of shape (size,)*order, indices into the distinct entries, and `multiplicity`,
    the number of positions of each: averaging that many independent draws divides a variance by it.
    """
    grid = np.sort(np.indices((size,) * order).reshape(order, -1), axis=0)
    key = np.ravel_multi_index(grid, (size,) * order)
    _, place, multiplicity = np.unique(key, return_inverse=True, return_counts=True)
    place = place.reshape((size,) * order).astype(np.int32)
    place.setflags(write=False)
    multiplicity.setflags(write=False)
    return place, multiplicity
