"""What a lecture shows of the page Gain: what is said, what is set, and what is looked at."""

from __future__ import annotations

from dashboard.page.lesson import Step

LECTURE = (
    Step(
        "With equal sites, correlated noise wins a factor S",
        "At the left edge the conventional average has 10 times the noise variance of one curator's, CAPE's exactly "
        "as much.",
        {"imbalance": 1.0},
        figures=(0,),
    ),
    Step(
        "The more sites, the more there is to win",
        "Fifty sites: a factor of 50 at the left edge.",
        {"imbalance": 1.0, "sites": 50},
        figures=(0,),
    ),
    Step(
        "Unequal sites spoil equal weights",
        "One site is 100 times as large as each other. With weights 1/S the smallest sites' noise counts as much as the "
        "giant's: both curves rise. Weights by size mend it; see Sites.",
        {"imbalance": 100.0},
        figures=(0,),
    ),
    Step(
        "Held to the same guarantee against colluders, less is left",
        "Fair comparison: give all schemes the noise that keeps the promise even towards the aggregator and five "
        "colluding sites. Of the factor 10, 3.67 stays.",
        {"imbalance": 1.0, "colluding": 5},
        figures=(2,),
        more=True,
    ),
)
