"""Steps of the lecture on the page Limits of CAPE: text, settings and figures of each."""

from __future__ import annotations

from dashboard.page.lesson import Step

RING = 3  # The ring of sites with its bars, after three figures.

LECTURE = (
    Step(
        "Against the aggregator, CAPE's variance gain is 5.5, not 10",
        "Ten sites, at equal privacy against whoever sees all messages; against one message alone it is 10 times less.",
        figures=(RING,),
    ),
    Step(
        "Colluders reduce the gain further",
        "Five of ten sites tell the aggregator their noise: 3.67 times less noise variance than independent noise.",
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
        "Colluders and dropouts: CAPE can be worse",
        "Three of ten sites collude, four drop out: more noise than independent noise. Use CAPE where nearly all send.",
        {"collusion": True, "colluders": 3, "silence": True, "silent": 4},
        figures=(RING,),
        short=True,
    ),
)
