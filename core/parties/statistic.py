"""What a plan says of the statistic and of each site."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from core import check, pca, summaries
from core.discrete.grid import summing
from core.pca.private_mean import checked_share, joint_sensitivity
from core.privacy import Privacy
from core.summaries import Summary

MOST_NUMBERS = 2**27
MOST_AXES = 4
LETTERS = 200
MEAN, SHARES, MOMENT, JOINT = "mean", "shares", "second moment", "second moment and mean"
SEVERAL, REGRESSION = "summaries", "regression"
KNOWN = (MEAN, SHARES, SEVERAL, MOMENT, JOINT, REGRESSION)
SQUARES = (MOMENT, REGRESSION)
SLACK = 1e-9  # Of a sensitivity, for the rounding of whoever wrote it.
_BOUNDS = {MOMENT: ("norm",), REGRESSION: ("norm",), JOINT: ("norm", "share"), SEVERAL: ("parts",)}


@check.arguments
@dataclass(frozen=True)
class Statistic:
    """What every site computes of its records.

    Attributes
    ----------
    name : str
        "mean", "shares", "summaries", "second moment", "second moment and mean" or "regression", whose sensitivity follows
        from the bounds; or another, of which each site has to know the sensitivity itself. Shares are of categories or of a
        histogram's bins: a record is 1 in one cell and 0 in the others. Summaries are of several columns side by side, in
        [0, 1], as in `core.summaries`. A regression is the second moment of (1, x, y): its answer follows from that alone.
    shape : tuple of int
        Of the array; () for one number, (d, d) for a second moment, (d² + d,) for both, (Σ cells,) for summaries.
    lower, upper : float
        Public bounds of every entry: records are clipped to them for a mean. Of shares 0 and 1.
    norm : float
        Public bound on the norm of a record, for second moments; 1 for both.
    share : float
        Of the budget μ², for the mean, where the statistic is a second moment and a mean side by side; see
        `core.pca.fit_about_mean`.
    parts : tuple of Summary
        What summaries are of the columns, in their order.

    Raises
    ------
    ValueError
        If a bound that the statistic needs is missing, or another one is there.
    """

    name: str
    shape: tuple[int, ...] = ()
    lower: float | None = None
    upper: float | None = None
    norm: float | None = None
    share: float | None = None
    parts: tuple[Summary, ...] | None = None

    def __post_init__(self):
        short_text("name", self.name)
        shape = tuple(check.integer("shape", n, low=0, high=MOST_NUMBERS) for n in self.shape)
        if len(shape) > MOST_AXES or np.prod(shape, dtype=float) > MOST_NUMBERS:
            raise ValueError(
                f"shape must have at most {MOST_AXES} axes and {MOST_NUMBERS} numbers, got {shape}"
            )
        object.__setattr__(self, "shape", shape)
        needed = _BOUNDS.get(self.name, ("lower", "upper"))
        for bound in ("lower", "upper", "norm", "share", "parts"):
            value = getattr(self, bound)
            if (value is None) == (bound in needed):
                kind = "given, a public bound," if bound in needed else "left out"
                raise ValueError(
                    f"{bound} must be {kind} for statistic {self.name!r}, got {check.shown(value)}"
                )
        self._refuse_contradictions()

    def _refuse_contradictions(self):
        if self.name not in _BOUNDS:
            if not self.lower < self.upper:
                raise ValueError(f"upper must be above lower, {self.lower}, got {self.upper}")
            if self.name == SHARES and (self.lower, self.upper) != (0, 1):
                raise ValueError(f"upper must be 1 and lower 0 for shares, got {self.upper} and {self.lower}")
            return
        if self.name == SEVERAL:
            cells = sum(one.cells for one in self.parts)
            if self.shape != (cells,):
                raise ValueError(f"shape must be ({cells},) for summaries of so many cells, got {self.shape}")
            return
        check.sized("norm", self.norm)
        d = self.width
        if self.name in SQUARES and self.shape != (d, d):
            raise ValueError(f"shape must be (d, d) for a second moment, got {self.shape}")
        if self.name == JOINT:
            checked_share(self.share)
            if self.shape != (d * d + d,):
                raise ValueError(f"shape must be (d² + d,) for a second moment and a mean, got {self.shape}")
            if self.norm != 1:
                raise ValueError(f"norm must be 1 for a second moment and a mean, got {self.norm}")

    @property
    def width(self) -> int:
        """d, the numbers of a record; of a mean, those of the statistic."""
        if self.name == SEVERAL:
            return len(self.parts)  # type: ignore[arg-type]
        if self.name == JOINT:
            return max(1, math.isqrt(max(self.shape[:1], default=0)))
        return max(self.shape[:1], default=0) if self.name in SQUARES else math.prod(self.shape)

    @property
    def change(self) -> float | None:
        """Largest l2 change of n_s times the statistic when one record is replaced; None if it is not known.

        √d (upper − lower) for the mean of d numbers, √2 for shares, for summaries as `core.summaries.sensitivity`; for
        second moments see `core.pca.sensitivity` and `core.pca.private_mean.joint_sensitivity`.
        """
        if self.name == MEAN:
            return math.sqrt(self.width) * (self.upper - self.lower)  # type: ignore[operator]
        if self.name == SHARES:
            return math.sqrt(2) if self.width > 1 else 1.0
        if self.name == SEVERAL:
            return summaries.sensitivity(1, self.parts)  # type: ignore[arg-type]
        if self.name in SQUARES:
            return float(pca.sensitivity(1, bound=self.norm, width=self.width))  # type: ignore[arg-type]
        if self.name == JOINT:
            return float(joint_sensitivity(1, share=self.share, width=self.width))  # type: ignore[arg-type]
        return None

    @check.arguments
    def sensitivity(self, records: int, change: float, *, discrete: bool) -> float:
        """Δ of a site with so many records, from the `change` of n_s times the statistic.

        Discrete noise leaves no digit to arithmetic. So what floats add to a known mean belongs to Δ there, as
        `core.discrete.grid.summing` bounds it.

        Parameters
        ----------
        records : int
            n_s.
        change : float
            Such as the implied `change`, in the statistic's units.
        discrete : bool
            Whether the plan's noise is "discrete".
        """
        added = self._length * float(summing(records, 1.0)) if discrete and self.name in KNOWN else 0.0
        return change / records + added

    @property
    def _length(self) -> float:
        """Largest l2 norm of what one record adds to the sum that is divided by n."""
        if self.name == MEAN:
            return math.sqrt(self.width) * self.largest
        if self.name == SHARES:
            return 1.0
        if self.name == SEVERAL:
            return math.sqrt(self.width)
        return self.norm**2 if self.name in SQUARES else math.hypot(*self.scales)  # type: ignore[operator]

    @property
    def largest(self) -> float:
        """Largest absolute value that an entry can have within the bounds."""
        if self.name not in _BOUNDS:
            return max(abs(self.lower), abs(self.upper))  # type: ignore[arg-type]
        if self.name == SEVERAL:
            return 1.0
        return self.norm**2 if self.name in SQUARES else max(self.scales)  # type: ignore[operator]

    @property
    def scales(self) -> tuple[float, float]:
        """What second moment and mean are multiplied by where they stand side by side, as in `core.pca.fit_about_mean`."""
        return math.sqrt((1 - self.share) / 2), math.sqrt(self.share) / 2  # type: ignore[operator,arg-type]

    @check.arguments(records=check.matrix)
    def of(self, records: np.ndarray) -> np.ndarray:
        """The statistic of records, which are clipped to the public bounds first.

        Parameters
        ----------
        records : array of shape (n, d)

        Raises
        ------
        ValueError
            For another width, or if the statistic is none of those whose name says what to compute.
        """
        if self.name not in KNOWN:
            raise ValueError(f"name of the statistic must be one of {', '.join(KNOWN)}, got {self.name!r}")
        if records.shape[1] != self.width:
            raise ValueError(
                f"records must have {self.width} columns, as the plan says, got {records.shape[1]}"
            )
        if self.name == SEVERAL:
            return np.clip(summaries.statistic(records, self.parts), 0.0, 1.0)  # type: ignore[arg-type]
        if self.name == SHARES:
            inside = np.clip(records, 0.0, 1.0)
            # Within the simplex, whose points are at most √2 apart.
            inside = inside / np.maximum(inside.sum(axis=1, keepdims=True), 1.0)
            return np.clip(inside.mean(axis=0), 0.0, 1.0).reshape(self.shape)
        if self.name == MEAN:
            found = np.clip(records, self.lower, self.upper).mean(axis=0)
            return np.clip(found, self.lower, self.upper).reshape(self.shape)  # The mean is rounded, too.
        # Divided by their largest entries first: squares of large numbers overflow.
        sizes = np.abs(records).max(axis=1, keepdims=True)
        unit = records / np.where(sizes > 0, sizes, 1.0)
        lengths = np.linalg.norm(unit, axis=1, keepdims=True)
        inside = unit * np.minimum(sizes, self.norm / np.maximum(lengths, 1.0))
        moment = inside.T @ inside / len(inside)
        if self.name in SQUARES:
            return moment
        square, linear = self.scales
        return np.hstack([square * moment.ravel(), linear * inside.mean(axis=0)])

    def checked(self, values, *, name: str = "values") -> np.ndarray:
        """The statistic as an array, or a ValueError that calls it `name` if it has another shape or leaves the bounds.

        The error quotes no entry: whoever reads it may be another party.
        """
        check.unmasked(name, values)
        try:
            array = np.asarray(values)
        except (TypeError, ValueError):  # Rows of different length.
            array = np.empty(0, dtype=object)
        if array.dtype.kind not in "fiub" or array.shape != self.shape:
            raise ValueError(
                f"{name} must have shape {self.shape}, as the plan says, and be real numbers, got shape {array.shape}"
            )
        array = array.astype(float, copy=True)
        low, high = self.lower, self.upper
        if self.name == SEVERAL:
            low, high = 0.0, 1.0
        if low is None or high is None:
            high = self.largest * (1 + SLACK)  # Lengths are rounded after clipping.
            low = -high
        if not ((array >= low) & (array <= high)).all():  # NaN is not within anything.
            raise ValueError(
                f"{name} must be finite and lie within the plan's bounds, {low} and {high}: clip the records first"
            )
        return array


@check.arguments
@dataclass(frozen=True)
class Member:
    """What the plan says of one site.

    Attributes
    ----------
    name : str
    weight : float
        w_s of the average.
    sensitivity : float
        Δ_s, the largest change of its statistic when one record is replaced.
    privacy : Privacy or None
        Its privacy target; None under a scheme without privacy.
    records : int, optional
        n_s, if it is public.
    """

    name: str
    weight: float
    sensitivity: float
    privacy: Privacy | None
    records: int | None = None

    def __post_init__(self):
        short_text("name", self.name)
        if self.records is not None:
            check.integer("records", self.records, low=1)


def short_text(name: str, value) -> str:
    """Return `value` if it is a short text that is not empty and all of which can be seen, else raise ValueError."""
    if not isinstance(value, str) or not value or len(value) > LETTERS or not check.seen(value):
        raise ValueError(f"{name} must be a text of at most {LETTERS} letters, got {check.shown(value)}")
    if (plain := check.seen(value)) != value:
        raise ValueError(f"{name} must be {check.shown(plain)}, which looks the same, got {value!a}")
    return value
