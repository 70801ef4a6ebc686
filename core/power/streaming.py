"""Online power method, [Power] Algorithm 2: components of E[x⊗x⊗x] from a stream that is never stored."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal, get_args

import numpy as np
import scipy.sparse as sp

from core import check
from core.tensors import Eigenpairs

Deflation = Literal["corrected", "published"]
DEFLATIONS: tuple[Deflation, ...] = get_args(Deflation)
_BLOCK = 2**20  # Numbers in a temporary array.


class StreamEnded(ValueError):
    """The batches ended before all components were found; `state.feed` goes on from here.

    Attributes
    ----------
    state : OnlinePower
    """

    def __init__(self, state):
        self.state = state
        steps = state.k * state.steps
        wanted, got = f"{steps} batches", f"{state.batches}"
        if state.samples is not None:
            wanted, got = f"{steps * state.samples} records", f"{state.seen}"
        super().__init__(
            f"batches must give {wanted}, got {got}: {state.found} of {state.k} components found; "
            "go on with `error.state.feed(more batches)`"
        )


@check.arguments
class OnlinePower:
    """The state of the online power method: O(d(k + L)) numbers, independent of the number of records read.

    It can be kept, pickled and fed again; two runs over the same records in the same order, however they
    are cut into batches, agree to rounding (with `samples` given).

    Parameters
    ----------
    k : int
        Components sought, one after the other.
    samples : int, optional
        n, records of one power step; batches may be of any size. Default: each batch makes one step.
    restarts, iterations : int
        L vectors that iterate together; R power steps for each component.
    rng : numpy.random.Generator
        For the starting vectors.
    deflation : {"corrected", "published"}
        "corrected" subtracts the components found by ξ = v̂ᵀu_t, the vector that the records were multiplied
        with, and spends one further step on λ̂ = T(v̂,v̂,v̂). "published" is Algorithm 2 as printed: ξ = v̂ᵀũ_{t+1},
        the unnormalised image, and the λ̂ of the vector before the last. It mostly loses the last component.

    Attributes
    ----------
    found, step : int
        Components found, and power steps done for the next.
    seen : int
        Records read.
    """

    def __init__(
        self,
        k: int,
        *,
        samples: int | None = None,
        restarts: int = 10,
        iterations: int = 10,
        rng: np.random.Generator,
        deflation: Deflation = "corrected",
    ):
        self.k = check.integer("k", k, low=1)
        self.samples = None if samples is None else check.integer("samples", samples, low=1)
        self.restarts = check.integer("restarts", restarts, low=1)
        self.iterations = check.integer("iterations", iterations, low=1)
        self.deflation = check.choice("deflation", deflation, DEFLATIONS)
        self.found = self.step = self.seen = self.batches = 0
        self.d: int | None = None
        self._rng = rng
        self._values = np.zeros(self.k)

    @property
    def steps(self) -> int:
        """Passes over n records for each component: R, and one more for λ̂ where deflation is corrected."""
        return self.iterations + (self.deflation == "corrected")

    @property
    def finished(self) -> bool:
        """Whether all components are found; further records are not read."""
        return self.found == self.k

    @property
    def pairs(self) -> Eigenpairs:
        """The components found so far."""
        if self.d is None:
            return Eigenpairs(np.zeros(0), np.zeros((0, 0)))
        return Eigenpairs(self._values[: self.found].copy(), self._vectors[: self.found].copy())

    @property
    def leader(self) -> np.ndarray:
        """The vector that now leads the search for the next component, shape (d,)."""
        return self._u[self._best].copy()

    @property
    def nbytes(self) -> int:
        """Bytes that the state holds: 8 d(k + 2L) and little more."""
        return sum(a.nbytes for a in vars(self).values() if isinstance(a, np.ndarray))

    @check.arguments
    def feed(
        self, batches: Iterable, *, progress: Callable[[OnlinePower], object] | None = None
    ) -> Eigenpairs:
        """Read batches until all components are found, and return them.

        Parameters
        ----------
        batches : iterable of arrays or sparse arrays of shape (n, d)
            Read one at a time, never kept; those after the end are not read.
        progress : callable, optional
            Called with this state after every batch that completed a power step.

        Raises
        ------
        StreamEnded
            If the batches end early; nothing is lost.
        ValueError
            If a batch is empty, of another width, or not finite.
        """
        source = iter(batches)
        while not self.finished:
            batch = next(source, None)
            if batch is None:
                raise StreamEnded(self)
            if self.add(batch) and progress is not None:
                progress(self)
        return self.pairs

    @check.arguments
    def add(self, batch) -> int:
        """Read one batch of shape (n, d); returns how many power steps it completed."""
        batch = self._checked(batch)
        done, start = 0, 0
        while start < batch.shape[0] and not self.finished:
            room = (self.samples or batch.shape[0]) - self._count
            rows = batch[start : start + room] if room < batch.shape[0] - start or start else batch
            self._associate(rows)
            start += rows.shape[0]
            if self._count >= (self.samples or batch.shape[0]):
                self._complete()
                done += 1
        self.batches += 1
        return done

    def _checked(self, batch):
        name = f"batch {self.batches + 1}"
        if not sp.issparse(batch):
            batch = np.asarray(batch)
        if batch.ndim != 2 or 0 in batch.shape:
            raise ValueError(f"{name} must be records in rows, shape (n, d), got shape {batch.shape}")
        if self.d is not None and batch.shape[1] != self.d:
            raise ValueError(f"{name} must have width {self.d} as those before, got {batch.shape[1]}")
        if batch.dtype.kind not in "fiub":
            raise ValueError(f"{name} must hold numbers, got an array of {batch.dtype}")
        check.finite(name, batch.data if sp.issparse(batch) else batch)
        if self.d is None:
            self.d = batch.shape[1]
            if self.k > self.d:
                k, self.d = self.k, None
                raise ValueError(f"k must be at most the records' width {batch.shape[1]}, got {k}")
            self._vectors = np.zeros((self.k, self.d))
            self._restart()
        return batch.tocsr() if sp.issparse(batch) else batch

    def _restart(self):
        u = self._rng.standard_normal((self.restarts, self.d))
        self._u = u / np.linalg.norm(u, axis=1, keepdims=True)
        self._best, self.step = 0, 0
        self._clear()

    def _clear(self):
        self._image = np.zeros((self.restarts, self.d))
        self._value = np.zeros(self.restarts)
        self._count = 0

    def _associate(self, rows):
        """Add Σ (xᵀu)² x and Σ (xᵀu)³ over records x; temporaries are as long as a block of records."""
        u = self._u.astype(rows.dtype, copy=False) if rows.dtype.kind == "f" else self._u
        size = max(1, _BLOCK // self.restarts)
        for start in range(0, rows.shape[0], size):
            block = rows[start : start + size]
            seen = block @ u.T
            squares = seen**2
            self._image += (block.T @ squares).T
            self._value += np.einsum("nl,nl->l", squares, seen)
        self._count += rows.shape[0]
        self.seen += rows.shape[0]

    def _complete(self):
        """One power step: average, deflate, normalise; the last step of a component keeps the best vector."""
        image, value = self._image / self._count, self._value / self._count
        values, vectors = self._values[: self.found], self._vectors[: self.found]
        along = (self._u if self.deflation == "corrected" else image) @ vectors.T
        image -= (along**2 * values) @ vectors
        value -= (along**3) @ values
        self._best = int(value.argmax())
        self.step += 1
        lengths = np.linalg.norm(image, axis=1, keepdims=True)
        moved = np.divide(image, lengths, out=np.zeros_like(image), where=lengths > 0)
        if self.step < self.steps:
            self._u = moved
            self._clear()
            return
        kept = self._u if self.deflation == "corrected" else moved
        self._values[self.found], self._vectors[self.found] = value[self._best], kept[self._best]
        self.found += 1
        self._restart()


@check.arguments
def online(
    batches: Iterable,
    k: int,
    *,
    samples: int | None = None,
    restarts: int = 10,
    iterations: int = 10,
    rng: np.random.Generator,
    deflation: Deflation = "corrected",
    progress: Callable[[OnlinePower], object] | None = None,
) -> Eigenpairs:
    """Eigenpairs of E[x⊗x⊗x] from a stream of records, [Power] Algorithm 2.

    The stream is read once, k (R + 1) n records of it. Parameters as for `OnlinePower` and its `feed`; errors
    as well. After `StreamEnded` its `state` can be fed with more.

    Returns
    -------
    Eigenpairs
        In the order they were found.
    """
    state = OnlinePower(
        k, samples=samples, restarts=restarts, iterations=iterations, rng=rng, deflation=deflation
    )
    return state.feed(batches, progress=progress)
