"""Steps of the lecture on the page Averaging: text, settings and figures of each."""

from __future__ import annotations

from dashboard.page.lesson import Question, Step

PLAY, LEARNED = 0, 3  # The play, and who learns how much, after the figure and its table.
_HALL = {"sites": 10, "samples": 100, "epsilon": 1.0, "step": 5, "adversary": "message", "share": 100}

LECTURE = (
    Step(
        "Can noise hide every site and still cancel?",
        "Press Play: a blue bar is a site's part of the noise. Watch the running sum on the right.",
        _HALL | {"step": 1},
        figures=(PLAY,),
        control="sites",
        short=True,
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
        question=Question(
            "Ten sites: how many times smaller is CAPE's typical error?",
            ("1 time", "3.16 times", "10 times"),
            1,
        ),
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
