"""What a lecture shows of the page Guarantee: what is said, what is set, and what is looked at."""

from __future__ import annotations

from dashboard.page.lesson import Step

LECTURE = (
    Step(
        "More noise, smaller δ: the exact answer",
        "Drag the noise. The solid blue curve is the whole truth about CAPE's messages; the solid orange one that of "
        "conventional messages whose average is as exact.",
        {"noise": 8.0},
        figures=(0,),
    ),
    Step(
        "A published bound can be too good to be true",
        "At a small ε the dashed curve of the theorem lies below the exact one, by decades. Its "
        "proof inverts a covariance wrongly and leaves out what colluders know of their own noise.",
        {"epsilon": 1e-3, "noise": 1e5, "colluding": 3},
        figures=(0,),
    ),
    Step(
        "The more sites collude, the more they learn",
        "Exactly (solid) δ rises with every colluder. As plotted in the paper (dotted) it would first fall.",
        {"epsilon": 0.5, "noise": 20.0, "sites": 30, "colluding": 20},
        figures=(1,),
        more=True,
    ),
    Step(
        "What it means: how often an attack must miss",
        "Whoever guesses whether a record was used, at 5 % false alarms, misses it as often as the curves say. On the "
        "diagonal nothing is learned.",
        {"noise": 4.0, "colluding": 5},
        figures=(2,),
        more=True,
    ),
)
