"""Steps of the lecture on the page Guarantee: text, settings and figures of each."""

from __future__ import annotations

from dashboard.page.lesson import Step

LECTURE = (
    Step(
        "More noise gives a smaller δ",
        "Drag the noise. The solid blue curve is the exact δ of CAPE's messages. The solid orange curve is that of "
        "conventional messages whose average has the same variance.",
        {"noise": 5.0},
        figures=(0, 3),
    ),
    Step(
        "A published bound can be too small",
        "With more noise the theorem's dashed blue curve falls orders of magnitude below the exact one. Its "
        "proof inverts a covariance wrongly and ignores what colluders know of their own noise.",
        {"epsilon": 1.0, "noise": 9.0, "colluding": 3},
        figures=(0, 3),
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
