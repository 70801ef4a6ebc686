"""Steps of the lecture on the page Principal components: text, settings and figures of each."""

from __future__ import annotations

from dashboard.page.lesson import Step

_DIGITS = {"data": "digits", "k": 8, "sites": 5, "delta": 1e-2, "repeats": 3, "dpdispca": False}

LECTURE = (
    Step(
        "The components without privacy",
        "The leading components of handwritten digits, computed without noise.",
        _DIGITS | {"schemes": ["nonprivate"]},
        figures=(1,),
        more=True,
    ),
    Step(
        "A single site's result is mostly noise",
        "The lower row shows one of five sites at ε = 0.3. Its first component is recognisable, the others are not.",
        _DIGITS | {"schemes": ["nonprivate", "local"], "epsilon": 0.3},
        figures=(1,),
        more=True,
    ),
    Step(
        "With noise that cancels, the sites recover the components",
        "At the same ε, CAPE's row is closer to the first row than that of the conventional scheme.",
        _DIGITS | {"schemes": ["nonprivate", "cape", "conventional", "local"], "epsilon": 0.3},
        figures=(1,),
        more=True,
    ),
    Step(
        "Which ε does each scheme need?",
        "Choose a height and follow it to the right. Each curve reaches it at the ε that its scheme needs.",
        _DIGITS | {"epsilon": 0.3},
        figures=(0,),
    ),
)
