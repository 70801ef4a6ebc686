"""Small settings for tests of all algorithms, and what moves on the page when a setting does."""

from __future__ import annotations

from dashboard.compare.small import Small

SMALL = Small(
    settings={"dimension": 3, "sites": 2, "samples": 50, "repeats": 2},
    controls={"repeats": 2, "sites": 4, "samples": 100},
    values={"dimension": 4, "curators": ["dpfm", "objpert"]},
    axes={"epsilon": (0.1, 1.0, 10.0)},
    # Another value, and the sections that stay as they are.
    moves={
        "epsilon": (2.0, ("curve_words",)),
        "delta": (0.0001, ()),
        "sites": (9, ()),
        "samples": (80, ("privacy", "guaranteed")),
        "dimension": (5, ("noise", "privacy", "guaranteed")),
        "noise": (0.2, ("noise", "privacy", "guaranteed")),
        "adversary": ("aggregator", ()),
    },
)
