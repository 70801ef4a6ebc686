"""Steps of the lecture on the page Principal components: text, settings and figures of each."""

from __future__ import annotations

from dashboard.page.lesson import Step

_DIGITS = {"data": "digits", "k": 16, "sites": 5, "delta": 1e-2, "repeats": 3, "dpdispca": False}

LECTURE = (
    Step(
        "Sixteen directions rebuild a digit",
        "Above, ten images; below, each is rebuilt from sixteen directions, computed without noise. Move k.",
        _DIGITS | {"schemes": ["nonprivate"]},
        control="k",
    ),
    Step(
        "A single site finds only a blur",
        "The lower row uses the directions of one of five sites at ε = 0.5.",
        _DIGITS | {"schemes": ["nonprivate", "local"], "epsilon": 0.5},
    ),
    Step(
        "With noise that cancels, the digits come back",
        "At the same ε, CAPE's row is closer to the images than that of the conventional scheme. Move ε.",
        _DIGITS | {"schemes": ["nonprivate", "cape", "conventional", "local"], "epsilon": 0.5},
        short=True,
    ),
    Step(
        "Which ε does each scheme need?",
        "Choose a height and follow it to the right. Each curve reaches it at the ε that its scheme needs.",
        _DIGITS | {"epsilon": 0.5},
        figures=(1,),
        more=True,
    ),
)
