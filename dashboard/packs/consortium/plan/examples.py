"""The examples of the Plan page: questions of an average that are answered at once, and one that needs a search."""

from __future__ import annotations

from dashboard.page.lesson import Preset

_AVERAGE = {"problem": "averaging", "metric": "within", "delta": 1e-5, "adversary": "message"}

EXAMPLES = (
    Preset(
        "A risk of 55 of 100",
        {**_AVERAGE, "free": "error", "risk": 55, "sites": 10, "samples": 100},
    ),
    Preset("Fewer patients", {**_AVERAGE, "free": "samples", "level": 0.01, "sites": 10, "epsilon": 0.5}),
    Preset("Fewer hospitals", {**_AVERAGE, "free": "sites", "level": 0.005, "epsilon": 0.3, "samples": 1000}),
    Preset(
        "A search: PCA of digits",
        {"problem": "pca", "data": "digits", "metric": "variance", "free": "epsilon", "level": 0.1}
        | {"how": "mean", "delta": 1e-4, "sites": 5, "samples": 359, "k": 8, "centre": "mean"}
        | {"adversary": "message"},
    ),
)
