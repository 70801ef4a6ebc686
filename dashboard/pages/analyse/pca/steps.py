"""What a lecture shows of the page Principal components: what is said, what is set, and what is looked at."""

from __future__ import annotations

from dashboard.page.lesson import Step

_DIGITS = {"data": "digits", "k": 8, "sites": 5, "delta": 1e-2, "repeats": 3, "dpdispca": False}

LECTURE = (
    Step(
        "What the records would show",
        "The leading components of handwritten digits, computed as if nobody needed protection.",
        _DIGITS | {"schemes": ["nonprivate"]},
        figures=(1,),
        more=True,
    ),
    Step(
        "Alone, a site sees mostly its own noise",
        "The lower row: one of five sites, ε = 0.3. The first component survives, the others dissolve.",
        _DIGITS | {"schemes": ["nonprivate", "local"], "epsilon": 0.3},
        figures=(1,),
        more=True,
    ),
    Step(
        "Joined with noise that cancels, structure comes back",
        "CAPE's row at the same ε is nearer to the first than what every site's own noise leaves.",
        _DIGITS | {"schemes": ["nonprivate", "cape", "conventional", "local"], "epsilon": 0.3},
        figures=(1,),
        more=True,
    ),
    Step(
        "How much ε is a joint answer worth?",
        "Follow a height to the right: where each curve reaches it is the ε that this way of joining needs.",
        _DIGITS | {"epsilon": 0.3},
        figures=(0,),
    ),
)
