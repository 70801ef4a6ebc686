"""Steps of the lecture on the page Guarantee: text, settings and figures of each."""

from __future__ import annotations

from dashboard.page.lesson import Question, Step

GAME, DELTA = 4, 5  # The game, and δ as an area, after three figures and a table.

LECTURE = (
    Step(
        "One guess: was Ada's record used?",
        "A coin decides; the dot is the aggregator's estimate of the record in one run. Guess, then drag the noise.",
        {"noise": 1.5, "colluding": 0},
        figures=(GAME,),
        more=True,
        short=True,
        question=Question(
            "In how many of 100 runs is the best observer right?",
            ("at most 50.1", "at most 67.4", "at most 95"),
            1,
        ),
    ),
    Step(
        "A published bound can be too small",
        "ε = 1, a message's noise 9 × one record's effect, 3 of 10 collude: the theorem's δ is 3.8 powers of ten too small.",
        {"epsilon": 1.0, "noise": 9.0, "colluding": 3},
        figures=(DELTA,),
        more=True,
    ),
    Step(
        "More colluding sites learn more",
        "S = 30, ε = 0.5: CAPE's exact δ (solid) rises; the δ that the paper plots (dotted) falls at first.",
        {"epsilon": 0.5, "noise": 20.0, "sites": 30, "colluding": 20},
        figures=(1,),
        control="colluding",
        more=True,
    ),
    Step(
        "How often an attack must miss",
        "Across: unused records called used. Up: used ones missed (5 of 10 sites collude). Diagonal: mere guessing.",
        {"noise": 4.0, "colluding": 5},
        figures=(2,),
        more=True,
    ),
)
