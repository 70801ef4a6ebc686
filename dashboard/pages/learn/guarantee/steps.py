"""Steps of the lecture on the page Guarantee: text, settings and figures of each."""

from __future__ import annotations

from dashboard.page.lesson import Step

LECTURE = (
    Step(
        "One guess: was Ada's record used?",
        "A coin decides. The dot is what the aggregator makes of all messages of one run. Guess a few runs, then drag the "
        "noise: both curves come together, and the best observer is right less often.",
        {"noise": 1.5, "colluding": 0},
        figures=(0, 3),
    ),
    Step(
        "A published bound can be too small",
        "With more noise the theorem's dashed blue curve falls orders of magnitude below the exact one. Its "
        "proof inverts a covariance wrongly and ignores what colluders know of their own noise.",
        {"epsilon": 1.0, "noise": 9.0, "colluding": 3},
        figures=(0, 4),
        more=True,
    ),
    Step(
        "More colluding sites learn more",
        "The exact δ (solid) rises with every colluder. The form plotted in the paper (dotted) first falls.",
        {"epsilon": 0.5, "noise": 20.0, "sites": 30, "colluding": 20},
        figures=(1,),
        more=True,
    ),
    Step(
        "How often an attack must miss",
        "An attacker guesses whether a record was used, with 5 % false alarms. The curves bound how often it misses. "
        "On the diagonal it learns nothing.",
        {"noise": 4.0, "colluding": 5},
        figures=(2,),
        more=True,
    ),
)
