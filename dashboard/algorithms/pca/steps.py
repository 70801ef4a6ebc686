"""Steps of the lecture on the page Principal components: text, settings and figures of each."""

from __future__ import annotations

from dashboard.page.lesson import Step

# Forty small sites, as the page opens, and as many releases: what each scheme keeps can be told by eye.
_DIGITS = {
    **{"data": "digits", "k": 16, "sites": 40, "samples": 1000, "epsilon": 2.0, "delta": 1e-5},
    **{"axis": "epsilon", "repeats": 12, "dpdispca": False, "adversary": "message"},
}

LECTURE = (
    Step(
        "A few directions rebuild a digit",
        "Above, five images; below, each is rebuilt from k directions, computed without noise. Move k.",
        _DIGITS | {"schemes": ["nonprivate"]},
        control="k",
    ),
    Step(
        "At ε = 2, one site alone shows hardly a digit",
        "The lowest row uses the directions of one of forty sites. Move ε.",
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
        "Where does each curve cross half of the detail (dotted line)? Only the result or one message is seen.",
        _DIGITS | {"schemes": ["nonprivate", "cape", "conventional", "local"]},
        figures=(1,),
        more=True,
    ),
)
