"""Small settings for tests of all algorithms, and what moves on the page when a setting does."""

from __future__ import annotations

from dashboard.compare.small import Small

SMALL = Small(
    settings={"sites": 3, "samples": 40},
    controls={"sites": 4, "samples": 50},
    values={},
    axes={},
    # Another value, and the sections that stay as they are.
    moves={
        "epsilon": (2.0, ("curve_words",)),
        "delta": (0.0001, ("curve_words",)),
        "sites": (9, ()),
        "samples": (90, ("curve_words", "privacy", "guaranteed")),
        "adversary": ("aggregator", ()),
        "data": ("differ", ("noise", "privacy")),
    },
)
