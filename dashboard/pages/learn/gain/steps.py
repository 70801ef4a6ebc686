"""Steps of the lecture on the page Gain: text, settings and figures of each."""

from __future__ import annotations

from dashboard.page.lesson import Step

LECTURE = (
    Step(
        "With equal sites, correlated noise reduces the variance by a factor S",
        "At the left edge the conventional average has 10 times the noise variance of a curator's. CAPE's average has "
        "the same variance as the curator's.",
        {"imbalance": 1.0},
        figures=(1,),
        control="imbalance",
        more=True,
    ),
    Step(
        "More sites, larger gain",
        "With fifty sites the factor is 50 at the left edge. Drag S: the distance of the curves follows it.",
        {"imbalance": 1.0, "sites": 50},
        figures=(1,),
        control="sites",
        more=True,
    ),
    Step(
        "Equal weights are inefficient for unequal sites",
        "One site is 100 times as large as each other. With weights 1/S the smallest sites' noise counts as much as the "
        "large site's, so both curves rise. Weights by size correct this; see Sites.",
        {"imbalance": 100.0},
        figures=(1,),
        control="imbalance",
        more=True,
    ),
    Step(
        "At equal privacy against colluders, the gain is smaller",
        "For a fair comparison, every scheme has the noise that meets the same (ε, δ) against the aggregator and five "
        "colluding sites. CAPE's messages then carry more noise, and its average still less: 3.67 times less variance "
        "instead of 10 times.",
        {"imbalance": 1.0, "colluding": 5},
        figures=(0, 3),
        control="colluding",
    ),
)
