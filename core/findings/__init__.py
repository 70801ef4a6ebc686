"""Findings: errors and open points in the underlying papers, each with the correct statement and a computation.

Every `Finding` has texts and a demonstration that computes its numbers with the functions of `core`. The authors published
their papers with programs and results, which made these findings possible.
"""

from core.findings import (
    components,
    configurations,
    deltas,
    documents,
    estimator,
    frontier,
    gaussian_release,
    learning,
    power,
    protocol,
    unequal,
)
from core.findings.finding import KINDS, PAPERS, Curve, Finding, Shown

__all__ = ["FINDINGS", "FIRST", "KINDS", "PAPERS", "Curve", "Finding", "Shown"]

_MODULES = (
    gaussian_release,
    protocol,
    frontier,
    unequal,
    deltas,
    components,
    learning,
    estimator,
    documents,
    configurations,
    power,
)

FIRST = ("whitened-sensitivity", "asymmetric-moments", "several-messages", "honest-gain", "data-bound")
"""Keys of the five findings with the largest consequences. Four are errors, the largest first: two releases that hide a
record far less than stated, an adversary whom the guarantee does not cover, and the gain that remains against him. The
last is none, because the papers say it themselves: one record changes a release far more than the noise hides."""

_BY_CONSEQUENCE = ("overstated", "accuracy", "understated", "notation", "valid")


def _rank(found: Finding) -> tuple[int, int]:
    first = FIRST.index(found.key) if found.key in FIRST else len(FIRST)
    return first, _BY_CONSEQUENCE.index(found.kind)


_ALL = [found for module in _MODULES for found in vars(module).values() if isinstance(found, Finding)]
FINDINGS: dict[str, Finding] = {found.key: found for found in sorted(_ALL, key=_rank)}
"""All findings by key: `FIRST`, then by kind, less privacy than stated first, in the order of the papers' sections."""
