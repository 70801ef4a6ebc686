"""What a lecture shows of the page Averaging: what is said, what is set, and what is looked at."""

from __future__ import annotations

from dashboard.page.lesson import Step

_HALL = {"sites": 10, "samples": 100, "epsilon": 1.0}

LECTURE = (
    Step(
        "Every site knows only its own average",
        "The black points are true, and none may leave its site: whoever knows all of its records but one could "
        "compute that one.",
        _HALL | {"step": 1},
        figures=(0,),
    ),
    Step(
        "Add noise, and a message is safe to send",
        "An open square is what a site sends: its point, moved by noise. Drag ε: the safer the record, the wilder "
        "the message.",
        _HALL | {"step": 4},
        figures=(0,),
    ),
    Step(
        "Averaging ten noisy messages helps, by √10 only",
        "The narrower hill is the average of all messages, the wide one a single site's answer, which is also off by "
        "what makes that site special.",
        _HALL | {"schemes": ["local", "conventional"]},
        figures=(2,),
        more=True,
    ),
    Step(
        "Let part of the noise cancel",
        "The blue parts are drawn together so that they sum to zero: below, their sum walks back to 0. What stays in "
        "the average is the small orange rest.",
        _HALL,
        figures=(0, 1),
    ),
    Step(
        "As exact as one curator, and what colluders learn",
        "CAPE's hill lies on that of a curator who holds all data. The price stands below: whoever sees all messages, "
        "and five sites that tell what they know, learn more than from one message.",
        _HALL | {"schemes": ["pooled", "conventional", "cape"], "colluding": 5},
        figures=(2,),
        more=True,
        guarantee=True,
    ),
)
