"""What a plan's file of version 2 may say besides version 1: columns, keys of the parties, the sampler, a series.

Each is public. A plan that says none of it is written as version 1, and keeps its identifier.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from core import check
from core.parties.statistic import JOINT, REGRESSION, SQUARES, Statistic, short_text
from core.series import Participation, Strategy, scaled

DRAWS = ("cape-lab discrete gaussian 1",)
"""Names of samplers whose numbers are frozen: the same entropy gives the same noise in every version."""
UNIT_LETTERS = 40
_SCALED = (
    1e-12  # A sensitivity so near 1 is 1: another version of NumPy may round it otherwise, and g is of one C.
)


@check.arguments
@dataclass(frozen=True)
class Column:
    """What is released of one column, in its own units.

    Attributes
    ----------
    name : str
    unit : str
        Such as "mg/L"; "" for none.
    lower, upper : float, optional
        Public bounds of a number.
    bins : int, optional
        Of a histogram between the bounds.
    categories : tuple of str, optional
        Public categories, in the order of the shares; of a proportion the one that is counted.
    """

    name: str
    unit: str = ""
    lower: float | None = None
    upper: float | None = None
    bins: int | None = None
    categories: tuple[str, ...] | None = None

    def __post_init__(self):
        short_text("name", self.name)
        if self.unit and (len(self.unit) > UNIT_LETTERS or check.seen(self.unit) != self.unit):
            raise ValueError(f"unit must be at most {UNIT_LETTERS} letters, got {check.shown(self.unit)}")
        if (self.lower is None) != (self.upper is None) or (
            self.lower is not None and not self.lower < self.upper
        ):
            raise ValueError(
                f"upper must be above lower, or both left out, got {self.upper} and {self.lower}"
            )
        if self.bins is not None and (self.lower is None or check.integer("bins", self.bins, low=1) < 1):
            raise ValueError("lower and upper must be given for bins, got None")
        if self.categories is not None:
            object.__setattr__(self, "categories", tuple(self.categories))
            for category in self.categories:
                short_text("categories", category)
            if not self.categories or len(set(self.categories)) < len(self.categories):
                raise ValueError(f"categories must differ, got {check.shown(self.categories)}")

    @property
    def cells(self) -> int:
        """How many numbers are released of it."""
        return self.bins or len(self.categories or "1")


@check.arguments
@dataclass(frozen=True)
class SeriesTerms:
    """A plan that is carried out every month.

    Attributes
    ----------
    months, most, apart : int
        As in `core.series.Participation`; most below months is for the user to say.
    matrix : tuple of rows, optional
        C, lower triangular, if noise is correlated over months. None: every month has noise of its own.
        ε and δ of a site are then those of all records of one person in the whole series.
    lost : int
        How many sites may lose their history of noise, and begin anew.
    month : int, optional
        Which of them a plan is, from 0, where months are correlated; see `Plan.of_month`. None: the series as agreed.
    """

    months: int
    most: int
    apart: int = 1
    matrix: Any = None
    lost: int = 0
    month: int | None = None

    def __post_init__(self):
        Participation(self.months, self.most, self.apart)
        check.integer("lost", self.lost, low=0)
        if self.month is not None:
            check.integer("month", self.month, low=0, high=self.months - 1)
        if self.matrix is not None:
            object.__setattr__(
                self, "matrix", tuple(map(tuple, check.matrix("matrix", self.matrix).tolist()))
            )
            _ = self.strategy

    @property
    def correlated(self) -> bool:
        """Whether a month's noise depends on that of others."""
        return self.matrix is not None and bool(np.tril(self.matrix, -1).any())

    @property
    def participation(self) -> Participation:
        """Who is in which months."""
        return Participation(self.months, self.most, self.apart)

    @property
    def strategy(self) -> Strategy | None:
        """C with its sensitivity, if months are correlated: as the plan has it, if it was scaled when it was written."""
        return None if self.matrix is None else _strategy(self.matrix, self.participation)


@lru_cache(maxsize=32)
def _strategy(matrix, participation):
    return scaled(matrix, participation, keep=_SCALED)


def checked_columns(columns: Sequence[Column] | None, statistic: Statistic) -> tuple[Column, ...] | None:
    """The columns of a statistic, or a ValueError: of moments one for each number of a record, else its cells together."""
    if columns is None:
        return None
    found = tuple(columns)
    if not found or not all(isinstance(column, Column) for column in found):
        raise ValueError(f"columns must be Column, at least one, got {check.shown(columns)}")
    if len({column.name for column in found}) < len(found):
        raise ValueError(f"columns must have names of their own, got {check.shown([c.name for c in found])}")
    if statistic.name in (*SQUARES, JOINT):
        wanted = statistic.width - (statistic.name == REGRESSION)  # Its first number is the constant 1.
        if len(found) != wanted or any(column.cells > 1 for column in found):
            raise ValueError(
                f"columns must be {wanted} of one number each for statistic {statistic.name!r}, got {len(found)}"
            )
        return found
    cells = math.prod(statistic.shape)
    if sum(column.cells for column in found) != cells:
        raise ValueError(
            f"columns must have {cells} cells together, as the statistic, got {sum(c.cells for c in found)}"
        )
    return found


def checked_keys(keys: Any, names: Sequence[str]) -> tuple[tuple[str, str], ...] | None:
    """Public keys of every site and of the aggregator, by name and in the order of the sites, or a ValueError."""
    if keys is None:
        return None
    try:
        found = {str(name): value for name, value in (keys.items() if hasattr(keys, "items") else keys)}
    except (TypeError, ValueError):
        raise ValueError(f"keys must be names and public keys, got {check.shown(keys)}") from None
    wanted = (*names, "aggregator")
    if "aggregator" in names:
        raise ValueError("keys must tell the aggregator from a site: no site may be called 'aggregator'")
    if set(found) != set(wanted):
        missing = sorted(set(wanted) ^ set(found))
        raise ValueError(
            f"keys must be of all sites and the aggregator, got a difference in {check.shown(missing)}"
        )
    for name, value in found.items():
        if not isinstance(value, str) or len(value) != 64 or not set(value) <= set("0123456789abcdef"):
            raise ValueError(f"keys must have 64 hexadecimal digits for {name!r}, got {check.shown(value)}")
    if len(set(found.values())) < len(found):
        raise ValueError("keys must differ from party to party")
    return tuple((name, found[name]) for name in wanted)
