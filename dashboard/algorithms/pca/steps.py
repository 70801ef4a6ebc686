"""Steps of the lecture on principal components: text, settings and panels of each."""

from __future__ import annotations

from dashboard.page.lesson import Step

# Forty small sites, as the page opens, and as many releases: what each scheme keeps can be told by eye.
_DIGITS = {
    **{"data": "digits", "k": 16, "sites": 40, "samples": 1000, "epsilon": 2.0, "delta": 1e-5},
    **{"axis": "epsilon", "repeats": 12, "dpdispca": False, "adversary": "message"},
}

LECTURE = (
    Step(
        "A few components rebuild a digit",
        "Each image is rebuilt from k principal components, computed without noise. Move k.",
        _DIGITS | {"schemes": ["nonprivate"]},
        control="k",
    ),
    Step(
        "At ε = 2, one site alone shows hardly a digit",
        "The lower row uses the components of one of forty sites. Move ε.",
        _DIGITS | {"schemes": ["nonprivate", "local"]},
    ),
    Step(
        "With noise that cancels, more digits can be read",
        "At the same ε of the result or one message, CAPE's row is closer to the images than the conventional one. Move ε.",
        _DIGITS | {"schemes": ["nonprivate", "cape", "conventional", "local"]},
        short=True,
    ),
    Step(
        "Which ε does each scheme need?",
        "Where does each curve cross 90 % of the captured energy? Only the result or one message is seen.",
        _DIGITS | {"schemes": ["nonprivate", "cape", "conventional", "local"]},
        figures=(1,),
        more=True,
    ),
)
