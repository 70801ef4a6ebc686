"""Small settings for tests of all algorithms, and what moves on the page when a setting does."""

from __future__ import annotations

from dashboard.compare.small import Small

SMALL = Small(
    settings={"dimension": 10, "k": 2, "sites": 2, "samples": 3000, "repeats": 2, "epsilon": 10.0},
    controls={"repeats": 2, "sites": 3, "k": 2, "samples": 1000, "delta": 0.01, "epsilon": 2.0},
    values={"dimension": 10},
    axes={"epsilon": (0.5, 10.0)},
    # Another value, and the sections that stay as they are.
    moves={
        "epsilon": (4.0, ()),
        "delta": (0.001, ()),
        "sites": (5, ()),
        "samples": (2000, ("privacy", "guaranteed")),
        "k": (3, ("noise", "privacy", "guaranteed")),
        "share": (0.3, ()),
        "adversary": ("aggregator", ()),
    },
)
