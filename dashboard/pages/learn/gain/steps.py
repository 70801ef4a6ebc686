"""Steps of the lecture on the page Gain: text, settings and figures of each."""

from __future__ import annotations

from dashboard.page.lesson import Step

LECTURE = (
    Step(
        "With equal sites, correlated noise reduces the variance by a factor S",
        "At the left edge the conventional average has 10 times the noise variance of a curator's. CAPE's average has "
        "the same variance as the curator's.",
        {"imbalance": 1.0},
        figures=(0,),
    ),
    Step(
        "More sites, larger gain",
        "With fifty sites the factor is 50 at the left edge.",
        {"imbalance": 1.0, "sites": 50},
        figures=(0,),
    ),
    Step(
        "Equal weights are inefficient for unequal sites",
        "One site is 100 times as large as each other. With weights 1/S the smallest sites' noise counts as much as the "
        "large site's, so both curves rise. Weights by size correct this; see Sites.",
        {"imbalance": 100.0},
        figures=(0,),
    ),
    Step(
        "The factor between both curves is the number of sites, at any sizes",
        "The curves rise together. Here each message alone meets its privacy target; the lecture on Limits of CAPE asks for "
        "the same guarantee against the aggregator.",
        {"imbalance": 100.0, "family": "two halves"},
        figures=(0,),
    ),
)
