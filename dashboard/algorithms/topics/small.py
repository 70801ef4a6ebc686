"""Small settings for tests of all algorithms, and what moves on the page when a setting does."""

from __future__ import annotations

from dashboard.compare.small import Small

SMALL = Small(
    settings={
        "data": "synthetic",
        "documents": 600,
        "vocabulary": 100,
        "topics": 2,
        "sites": 2,
        "repeats": 2,
    },
    controls={"repeats": 2, "sites": 4, "delta": 1e-06, "epsilon": 1.0},
    values={"data": "synthetic", "documents": 600, "vocabulary": 100, "topics": 3},
    axes={"epsilon": (0.1, 1.0, 10.0)},
    # Another value, and the sections that stay as they are.
    moves={
        "epsilon": (0.1, ()),
        "delta": (0.001, ()),
        "sites": (6, ()),
        "documents": (800, ("noise", "privacy", "guaranteed")),
        "topics": (2, ("noise", "privacy", "guaranteed")),
        "adversary": ("aggregator", ()),
    },
)
