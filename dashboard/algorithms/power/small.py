"""Small settings for tests of all algorithms, and what moves on the page when a setting does."""

from __future__ import annotations

from dashboard.compare.small import Small

SMALL = Small(
    settings={"d": 10, "iterations": 2, "restarts": 1, "components": 2, "repeats": 2},
    controls={"repeats": 2, "sites": 5, "epsilon": 0.3},
    values={"d": 30, "strength": 300.0},
    axes={"epsilon": (0.03, 0.3, 10.0)},
    # Another value, and the sections that stay as they are.
    moves={
        "epsilon": (2.0, ("curve_words",)),
        "delta": (0.01, ()),
        "sites": (20, ()),
        "components": (2, ("noise", "privacy")),
        "d": (31, ("noise", "privacy", "guaranteed")),
        "strength": (1000.0, ("noise", "privacy", "guaranteed")),
        "restarts": (1, ("noise", "privacy")),
    },
)
