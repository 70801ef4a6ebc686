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
    learning,
    mechanism,
    power,
    protocol,
    unequal,
)
from core.findings.finding import KINDS, PAPERS, Curve, Finding, Shown

__all__ = ["FINDINGS", "KINDS", "PAPERS", "Curve", "Finding", "Shown"]

_MODULES = (
    mechanism,
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

FINDINGS: dict[str, Finding] = {
    found.key: found for module in _MODULES for found in vars(module).values() if isinstance(found, Finding)
}
"""All findings by key, in the order of the papers' sections."""
