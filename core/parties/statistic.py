"""What a plan says of the statistic and of each site."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core import check
from core.privacy import Privacy

MOST_NUMBERS = 2**27
_LETTERS = 200


@check.arguments
@dataclass(frozen=True)
class Statistic:
    """What every site computes of its records.

    Attributes
    ----------
    name : str
        Such as "mean" or "second moment".
    shape : tuple of int
        Of the array; () for one number.
    lower, upper : float, optional
        Public bounds: records are clipped to them, and so every entry of the statistic lies within.
    norm : float, optional
        Public bound on the norm of a record.
    share : float, optional
        Of the budget μ², for the mean, where the statistic is a second moment and a mean side by side; see
        `core.pca.fit_about_mean`.
    """

    name: str
    shape: tuple[int, ...] = ()
    lower: float | None = None
    upper: float | None = None
    norm: float | None = None
    share: float | None = None

    def __post_init__(self):
        short_text("name", self.name)
        shape = tuple(check.integer("shape", n, low=0, high=MOST_NUMBERS) for n in self.shape)
        if len(shape) > 4 or np.prod(shape, dtype=float) > MOST_NUMBERS:
            raise ValueError(f"shape must have at most 4 axes and {MOST_NUMBERS} numbers, got {shape}")
        object.__setattr__(self, "shape", shape)
        if self.lower is not None and self.upper is not None and not self.lower < self.upper:
            raise ValueError(f"upper must be above lower, {self.lower}, got {self.upper}")
        if self.norm is not None:
            check.positive("norm", self.norm)
        if self.share is not None:
            check.fraction("share", self.share)

    @check.arguments
    def checked(self, values, *, name: str = "values") -> np.ndarray:
        """The statistic as an array, or a ValueError that calls it `name` if it has another shape or leaves the bounds."""
        array = check.finite(name, values).astype(float, copy=True)
        if array.shape != self.shape:
            raise ValueError(f"{name} must have shape {self.shape}, as the plan says, got {array.shape}")
        for bound, beyond in ((self.lower, np.less), (self.upper, np.greater)):
            if bound is not None and beyond(array, bound).any():
                raise ValueError(
                    f"{name} must lie within the plan's bounds, {self.lower} and {self.upper}: clip the records first"
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
    """Return `value` if it is a short text that is not empty, else raise ValueError."""
    if not isinstance(value, str) or not value or len(value) > _LETTERS:
        raise ValueError(f"{name} must be a text of at most {_LETTERS} letters, got {check.shown(value)}")
    return value
