"""Small settings for tests of all algorithms, and what moves on the page when a setting does."""

from __future__ import annotations

from dashboard.compare.small import Small

SMALL = Small(
    settings={"data": "low_rank", "k": 3, "sites": 3, "samples": 40, "repeats": 2},
    controls={"repeats": 2, "sites": 4, "k": 5, "delta": 0.01},
    values={"dpdispca": True},
    axes={"epsilon": (0.03, 0.3, 10.0)},
    # Another value, and the sections that stay as they are.
    moves={
        "epsilon": (2.0, ("curve_words",)),
        "delta": (0.0001, ()),
        "sites": (9, ()),
        "samples": (50, ("privacy", "guaranteed")),
        "k": (2, ("noise", "privacy", "guaranteed")),
        "adversary": ("aggregator", ()),
    },
)
