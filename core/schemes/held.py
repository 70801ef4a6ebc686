"""Statistics of several sites, as they are released: checked once, however often they are released."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np

from core import check


class Held(Sequence):
    """One statistic for each of S ≥ 2 sites: finite arrays of one shape, which must not change any more.

    What a release needs to know of them besides the noise, their sizes, symmetry and average, is computed once.

    Parameters
    ----------
    statistics : array of shape (S, ...) or sequence of S arrays

    Attributes
    ----------
    shape : tuple of int
        Of one statistic.

    Raises
    ------
    ValueError
        For fewer than two sites, shapes that differ, or an entry that is not finite.
    """

    def __init__(self, statistics: Sequence | np.ndarray):
        arrays = [
            check.finite(f"statistics of site {s}", f).astype(float, copy=False)
            for s, f in enumerate(check.sequence("statistics", statistics))
        ]
        if len(arrays) < 2:
            raise ValueError(f"statistics must come from at least 2 sites, got {len(arrays)}")
        shapes = {a.shape for a in arrays}
        if len(shapes) > 1:
            raise ValueError(f"statistics must have one shape at all sites, got {sorted(shapes)}")
        self._take(arrays)

    @classmethod
    def trusted(cls, arrays: Sequence[np.ndarray] | np.ndarray) -> Held:
        """Float arrays, or one of shape (S, ...), that are known to be finite and of one shape."""
        held = cls.__new__(cls)
        held._take(arrays)
        return held

    def _take(self, arrays):
        self._arrays = arrays
        self.shape = arrays[0].shape
        self._averages: dict[bytes, np.ndarray] = {}

    def __len__(self) -> int:
        return len(self._arrays)

    def __getitem__(self, site):
        return self._arrays[site]

    def only(self, chosen: Iterable[int] | np.ndarray) -> Held:
        """Those of some of the sites."""
        return Held.trusted([self._arrays[s] for s in chosen])

    @cached_property
    def largest(self) -> np.ndarray:
        """The largest absolute value of an entry at each site, shape (S,)."""
        if isinstance(self._arrays, np.ndarray) and self._arrays.size:
            return np.abs(self._arrays.reshape(len(self), -1)).max(axis=1)
        return np.array([np.abs(a).max(initial=0.0) for a in self._arrays])

    @cached_property
    def asymmetric(self) -> int | None:
        """The first site whose statistic is not symmetric in all its axes, to rounding; None for no site."""
        axes = range(len(self.shape) - 1)
        for site, array in enumerate(self._arrays):
            for turned in (array.swapaxes(axis, axis + 1) for axis in axes):
                # Usually equal to the last digit; sums in another order differ by rounding.
                if (
                    np.array_equal(array, turned)
                    or np.abs(array - turned).max() <= 1e-9 * np.abs(array).max()
                ):
                    continue
                return site
        return None

    def average(self, weights: np.ndarray) -> np.ndarray:
        """Σ w_s f_s, kept for the latest weights; not to be changed in place."""
        key = np.asarray(weights).tobytes()
        if key not in self._averages:
            if isinstance(self._arrays, np.ndarray):
                total = (weights @ self._arrays.reshape(len(self), -1)).reshape(self.shape)
            else:
                total = sum(w * f for w, f in zip(weights, self._arrays, strict=True))
            self._averages = {key: np.asarray(total)}
        return self._averages[key]
