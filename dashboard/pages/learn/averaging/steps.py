"""Steps of the lecture on the page Averaging: text, settings and figures of each."""

from __future__ import annotations

from dashboard.page.lesson import Step

PLAY, LEARNED = 0, 3  # The play, and who learns how much, after the figure and its table.
_HALL = {"sites": 10, "samples": 100, "epsilon": 1.0, "step": 5, "adversary": "message", "share": 100}

LECTURE = (
    Step(
        "Every site knows only its own average",
        "The dots are the true averages. None may leave its site: who knows all records but one could compute the last.",
        _HALL | {"step": 1},
        figures=(PLAY,),
        control="sites",
        short=True,
    ),
    Step(
        "Together, the sites draw noise that sums to zero",
        "A blue bar is a site's part; the running sum comes home to 0. A smaller ε needs more noise.",
        _HALL | {"step": 2},
        figures=(PLAY,),
        control="epsilon",
    ),
    Step(
        "Part of the noise cancels",
        "Drag to the left, as far as the conventional scheme: there, none of the noise cancels.",
        _HALL,
        figures=(PLAY,),
        short=True,
    ),
    Step(
        "At equal noise on a message, CAPE misses less",
        "Every block is the average of one run. Compare how far the two heaps spread.",
        _HALL | {"batches": 5},
        figures=(PLAY,),
        short=True,
    ),
    Step(
        "Whoever sees all messages learns more",
        "The discs are CAPE's exact δ at ε = 1, to scale. Drag the number of colluding sites.",
        _HALL | {"colluding": 5},
        figures=(LEARNED,),
        control="colluding",
        more=True,
        short=True,
    ),
)
