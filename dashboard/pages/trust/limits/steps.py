"""Steps of the lecture on the page Limits of CAPE: text, settings and figures of each."""

from __future__ import annotations

from dashboard.page.lesson import Step

_THREE_COLLUDE = {"collusion": True, "colluders": 3}

LECTURE = (
    Step(
        "At the same guarantee against the aggregator, the gain is about half",
        "The circle is CAPE as published. Its average has 5.5 times less noise variance than independent noise, not 10 "
        "times, because the aggregator sees messages whose noise is correlated.",
        figures=(0,),
    ),
    Step(
        "Colluders reduce the gain further",
        "Against the aggregator and five colluding sites, CAPE as published has 3.67 times less noise variance than "
        "independent noise.",
        {"collusion": True, "colluders": 5, "along": "colluders"},
        figures=(1,),
        more=True,
    ),
    Step(
        "More noise that cancels costs nothing while every site sends",
        "The curve falls to the trusted curator's noise, as under secure aggregation.",
        {"amplitude": 100.0},
        figures=(0,),
    ),
    Step(
        "Sites that drop out can make CAPE worse than independent noise",
        "Three sites collude and four of ten fall silent: the circle is above the line of the conventional scheme. The star "
        "is the best amplitude for this case.",
        _THREE_COLLUDE | {"silence": True, "silent": 4},
        figures=(0,),
    ),
)
