"""Steps of the lecture on the page Gain: text, settings and figures of each."""

from __future__ import annotations

from core import cape
from dashboard.page.lesson import Question, Step
from dashboard.state.number_text import number_text

_TEN, _FIFTY, _FIVE_COLLUDE = (
    number_text(cape.honest_gain(sites, colluding) ** 0.5) for sites, colluding in ((10, 0), (50, 0), (10, 5))
)

LECTURE = (
    Step(
        "How many times narrower is CAPE's heap?",
        "Privacy is equal against the aggregator. CAPE's messages carry more noise, but part of it cancels.",
        {"imbalance": 1.0, "sites": 10, "colluding": 0},
        figures=(3,),
        control="sites",
        question=Question(
            "At ten sites, how many times narrower?", ("1.2 times", f"{_TEN} times", "10 times"), 1
        ),
    ),
    Step(
        "More sites, larger gain",
        f"Fifty sites: CAPE's averages spread {_FIFTY} times less than with independent noise, at equal privacy.",
        {"imbalance": 1.0, "sites": 50, "colluding": 0},
        figures=(3,),
        control="sites",
        short=True,
    ),
    Step(
        "Equal weights are inefficient for unequal sites",
        "Each message alone meets the target. At weights 1/S the noise of small sites counts as much: both curves rise.",
        {"imbalance": 100.0},
        figures=(1,),
        control="imbalance",
        more=True,
    ),
    Step(
        "At equal privacy against colluders, less gain",
        f"Against the aggregator and five of ten sites CAPE's averages spread {_FIVE_COLLUDE} times less, not {_TEN} times.",
        {"imbalance": 1.0, "colluding": 5},
        figures=(3,),
        control="colluding",
    ),
)
