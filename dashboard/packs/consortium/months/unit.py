"""The unit of a plan: errors in units of range/N as numbers that a reader of the averages knows."""

from __future__ import annotations

from dataclasses import dataclass

import param

from dashboard.problems.columns import plain_unit
from dashboard.state.number_text import number_text

MOST_SPAN, MOST_RECORDS = 1e12, 10**9
_WITHIN = 1.959964  # Standard errors within which 95 % of Gaussian errors stay.


class UnitText(param.String):
    """A unit as links may have it: short, and harmless as it is."""

    def _validate_value(self, val, allow_None):
        super()._validate_value(val, allow_None)
        if val and not plain_unit(val):
            raise ValueError("must be a short unit of letters, digits and signs such as / and %")


@dataclass(frozen=True)
class Unit:
    """What range/N is.

    Attributes
    ----------
    span : float
        The range of the numbers that are averaged, in `name`.
    records : int
        N, at all sites together.
    name : str
        "" for numbers without a unit.
    """

    span: float
    records: int
    name: str = ""

    def text(self, error: float) -> str:
        """A standard error in units of range/N, in this one."""
        return self._named(error * self.span / self.records)

    def within(self, error: float) -> str:
        """What 95 % of errors stay within, of a standard error in units of range/N."""
        return f"±\u00a0{self._named(_WITHIN * error * self.span / self.records)}"

    @property
    def range_text(self) -> str:
        """The range with its unit."""
        return self._named(self.span, digits=4)

    def _named(self, value, digits=2):
        text = number_text(value, digits=digits)
        return f"{text}\u00a0{self.name}" if self.name else text
