"""Steps of the lecture on the page Limits of CAPE: text, settings and figures of each."""

from __future__ import annotations

from dashboard.page.lesson import Step

RING = 3  # The ring of sites with its bars, after three figures.

LECTURE = (
    Step(
        "The aggregator sees all messages: does CAPE help?",
        "Ten sites at the same promised ε. If one message alone were seen, CAPE would have 10 % of the variance.",
        figures=(RING,),
    ),
    Step(
        "Five of ten sites collude: what is left?",
        "They tell the aggregator the noise that they drew, so the others must add more that does not cancel.",
        {"collusion": True, "colluders": 5},
        figures=(RING,),
    ),
    Step(
        "More noise that cancels is free if all send",
        "To the right, CAPE's curve falls to 1: the noise of a trusted curator, as under secure aggregation.",
        {"amplitude": 100.0},
        figures=(0,),
        control="amplitude",
        more=True,
    ),
    Step(
        "Colluders and dropouts: does CAPE still help?",
        "Three of ten sites collude, four drop out. Use CAPE where nearly all send.",
        {"collusion": True, "colluders": 3, "silence": True, "silent": 4},
        figures=(RING,),
        short=True,
    ),
)
