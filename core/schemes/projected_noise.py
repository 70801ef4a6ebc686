"""Noise of a symmetric d×d×d tensor projected to k directions, drawn without forming the d×d×d array.

Once W of shape (d, k) is public, a site need not add Z to its third moment and send (M3 + Z)(W,W,W): it can
add Z(W,W,W), which has only k³ entries. With W = QR, QᵀQ = I, the three distributions of `core.noise` become

* iid: Z(W,W,W) = Z_k(R,R,R), Z_k iid of shape (k, k, k);
* symmetrised: the same, symmetrised;
* copied: Gaussian on the C(k+2,3) distinct entries with the covariance of `covariance`.

A linear image of zero-sum noise is zero-sum, so CAPE works unchanged.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from core import check, noise
from core.noise import Distribution
from core.tensors import contract


@check.arguments(matrix=check.matrix)
@dataclass(frozen=True, eq=False)
class ProjectedNoise:
    """Z(W,W,W) of tensor noise Z, for `core.schemes.release` or on its own.

    Attributes
    ----------
    matrix : ndarray of shape (d, k)
        W, of full column rank; k ≤ d.
    distribution : {"iid", "symmetrised", "copied"}
        Distribution of Z, see `core.noise`.
    """

    matrix: np.ndarray
    distribution: Distribution = "symmetrised"

    def __post_init__(self):
        matrix = check.finite("matrix", np.asarray(self.matrix, dtype=float))
        if matrix.ndim != 2 or not 1 <= matrix.shape[1] <= matrix.shape[0]:
            raise ValueError(
                f"matrix must have at least one column and no more than rows, got shape {matrix.shape}"
            )
        object.__setattr__(self, "matrix", matrix)

    @check.arguments
    def gaussian(self, std: float = 1.0, *, rng: np.random.Generator) -> np.ndarray:
        """Draw Z(W,W,W), Z of standard deviation `std`: shape (k, k, k), in O(k⁴); copied: O(k⁶)."""
        return contract.trusted(std * self._reduced(rng)[0], self._triangle)

    @property
    def entries(self) -> int:
        """How many independent normal numbers one draw of `gaussian` takes."""
        law: Distribution = "iid" if self.distribution == "iid" else "symmetrised"
        return noise.independent_entries.trusted((self.matrix.shape[1],) * 3, distribution=law)

    @check.arguments(entries=check.vector)
    def spread(self, entries: np.ndarray) -> np.ndarray:
        """Z(W,W,W) of these standard normal numbers, shape (k, k, k); linear in them."""
        return contract.trusted(self._placed(entries), self._triangle)

    @check.arguments
    def entry_std(self, std: float = 1.0) -> np.ndarray:
        """Standard deviation of each entry, shape (k, k, k)."""
        if self.distribution == "iid":
            lengths = np.linalg.norm(self.matrix, axis=0)
            return std * np.einsum("a,b,c->abc", lengths, lengths, lengths)
        k = self.matrix.shape[1]
        if self.distribution == "copied":
            variances = np.diag(covariance(self.matrix))
        else:
            gram = self.matrix.T @ self.matrix
            variances = _orderings(gram, *_distinct_triples(k), diagonal=True) / 6
        return std * np.sqrt(variances)[noise.distinct(k, 3)[0]]

    @check.arguments
    def vector(self, scale: float, *, rng: np.random.Generator) -> np.ndarray:
        """Draw B(W,W,W) for a symmetric tensor B of density ∝ exp(−‖B‖/scale): pure-ε noise with scale Δ/ε.

        The norm is Frobenius' for distribution "symmetrised", or that of the distinct entries for "copied"
        ([Fact] Algorithm 5). B has uniform direction and radius Gamma(C(d+2,3), scale); the part of the
        direction outside the range of W enters only through its length, a χ² variable.
        """
        if self.distribution == "iid":
            raise ValueError('distribution must be "symmetrised" or "copied" for vector noise, got "iid"')
        d, k = self.matrix.shape
        seen, squares = self._reduced(rng)
        unseen = math.comb(d + 2, 3) - math.comb(k + 2, 3)
        squares += rng.chisquare(unseen) if unseen else 0.0
        radius = rng.gamma(math.comb(d + 2, 3), check.positive("scale", scale))
        return contract.trusted(radius / math.sqrt(squares) * seen, self._triangle)

    def _reduced(self, rng):
        """Z(Q,Q,Q) at std 1, and the squared length of the white vector behind it."""
        white = rng.standard_normal(self.entries)
        z = self._placed(white)
        return z, float(white @ white if self.distribution == "copied" else (z**2).sum())

    def _placed(self, white):
        """Z(Q,Q,Q) of standard normal numbers."""
        k = self.matrix.shape[1]
        if self.distribution == "copied":
            return (self._factor @ white)[noise.distinct(k, 3)[0]]
        return noise.spread.trusted(white, (k, k, k), distribution=self.distribution)

    @cached_property
    def _frame(self):
        return np.linalg.qr(self.matrix)

    @property
    def _triangle(self):
        return self._frame[1]

    @cached_property
    def _factor(self):
        return np.linalg.cholesky(covariance(self._frame[0]))


@check.arguments(matrix=check.matrix)
def covariance(matrix: np.ndarray) -> np.ndarray:
    """Covariance of Z(W,W,W) over its distinct entries, Z iid N(0, 1) on its own and copied to the others.

    With M = WᵀW and Q4, Q6 the fourfold and sixfold products Σ_i W_ia W_ib …,

        Cov[abc, a'b'c'] = Σ_π M_aπa' M_bπb' M_cπc' − Σ_{x∈abc, x'∈a'b'c'} M_xx' Q4(abc∖x, a'b'c'∖x') + 4 Q6.

    Parameters
    ----------
    matrix : array of shape (d, k)
        W.

    Returns
    -------
    ndarray of shape (n, n), n = C(k+2,3)
        In the order of `numpy.unique` over flattened a ≤ b ≤ c. O(d n²) time, O(n² + d n) memory.
    """
    matrix = np.asarray(matrix, dtype=float)
    k = matrix.shape[1]
    triples = _distinct_triples(k)
    gram = matrix.T @ matrix
    pairs = np.einsum("ia,ib->iab", matrix, matrix).reshape(len(matrix), k * k)
    fourfold = (pairs.T @ pairs).reshape((k,) * 4)
    threefold = matrix[:, triples[0]] * matrix[:, triples[1]] * matrix[:, triples[2]]
    total = _orderings(gram, *triples) + 4 * threefold.T @ threefold
    for x, y in itertools.product(range(3), repeat=2):
        rest, other = (np.delete(triples, z, axis=0) for z in (x, y))
        total -= (
            gram[np.ix_(triples[x], triples[y])]
            * (fourfold[rest[0][:, None], rest[1][:, None], other[0], other[1]])
        )
    return total


def _orderings(gram, a, b, c, *, diagonal=False):
    """Σ_π M_aπa' M_bπb' M_cπc' between distinct triples, all pairs of them or each with itself."""
    total = 0.0
    for x, y, z in itertools.permutations((a, b, c)):
        if diagonal:
            total = total + gram[a, x] * gram[b, y] * gram[c, z]
        else:
            total = total + gram[np.ix_(a, x)] * gram[np.ix_(b, y)] * gram[np.ix_(c, z)]
    return total


def _distinct_triples(k):
    return np.array(list(itertools.combinations_with_replacement(range(k), 3))).T
