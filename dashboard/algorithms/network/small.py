"""Small settings for tests of all algorithms, and what moves on the page when a setting does."""

from __future__ import annotations

from dashboard.compare.small import Small

SMALL = Small(
    settings={"sites": 2, "samples": 40, "steps": 12, "batches": 2, "hidden": 3, "repeats": 2},
    controls={"repeats": 2, "sites": 3, "samples": 60},
    values={"steps": 10, "hidden": 3, "step": 10},
    axes={"epsilon": (0.1, 1.0)},
    # Another value, and the sections that stay as they are.
    moves={
        "step": (3, ("curve", "noise", "privacy", "guaranteed")),
        "epsilon": (0.1, ()),
        "delta": (0.001, ()),
        "sites": (5, ()),
        "samples": (80, ("privacy",)),
        "adversary": ("aggregator", ()),
        "steps": (12, ("privacy",)),
    },
)
