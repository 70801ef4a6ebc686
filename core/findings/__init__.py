"""What we found in the papers this package stands on: where, what is true, and a computation that shows it.

Every `Finding` holds its texts beside a demonstration that calls the real mathematics of `core`, so that no number is
typed. The papers were published in full, with programs and results; without that nothing of this could have been seen.
"""

from core.findings import (
    components,
    configurations,
    deltas,
    documents,
    estimator,
    learning,
    mechanism,
    power,
    protocol,
    unequal,
)
from core.findings.finding import KINDS, PAPERS, Curve, Finding, Shown

__all__ = ["FINDINGS", "KINDS", "PAPERS", "Curve", "Finding", "Shown"]

_ROOMS = (
    mechanism,
    protocol,
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
    found.key: found for room in _ROOMS for found in vars(room).values() if isinstance(found, Finding)
}
"""All findings by key, in the order of the papers' sections."""
