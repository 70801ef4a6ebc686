"""What we found in the papers this package stands on: where, what is true, and a computation that shows it.

Every `Finding` holds its texts beside a demonstration that calls the real mathematics of `core`, so that no number is
typed. The papers were published in full, with programs and results; without that nothing of this could have been seen.
"""

from core.findings import (
    components,
    configurations,
    deltas,
    estimator,
    learning,
    mechanism,
    power,
    protocol,
)
from core.findings.finding import KINDS, PAPERS, Curve, Finding, Shown

__all__ = ["FINDINGS", "KINDS", "PAPERS", "Curve", "Finding", "Shown"]

FINDINGS: dict[str, Finding] = {
    found.key: found
    for module in (mechanism, protocol, deltas, components, learning, estimator, configurations, power)
    for found in vars(module).values()
    if isinstance(found, Finding)
}
"""All findings by key, in the order of the papers' sections."""
