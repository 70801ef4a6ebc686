"""Steps of the lecture on the page Averaging: text, settings and figures of each."""

from __future__ import annotations

from dashboard.page.lesson import Step

_HALL = {"sites": 10, "samples": 100, "epsilon": 1.0, "step": 5}

LECTURE = (
    Step(
        "Every site knows only its own average",
        "The points are the true averages. None may leave its site: someone who knows all of the site's "
        "records but one could compute the missing record.",
        _HALL | {"step": 1},
        figures=(0,),
    ),
    Step(
        "Each site adds noise to its message",
        "An open square is the message of a site: its true average plus noise. Drag ε: a smaller ε protects the "
        "record better and adds more noise.",
        _HALL | {"step": 4},
        figures=(0,),
    ),
    Step(
        "Averaging ten noisy messages reduces the noise by √10 only",
        "The narrower distribution is that of the average of all messages. The wide one is a single site's answer; "
        "its mean is also off by the difference between that site and the average.",
        _HALL | {"schemes": ["local", "conventional"]},
        figures=(1,),
        more=True,
    ),
    Step(
        "Part of the noise cancels",
        "The sites draw the blue parts together, so that they sum to zero: beside the rows their running sum comes "
        "home to 0. Only the small yellow parts remain in the average.",
        _HALL,
        figures=(0,),
    ),
    Step(
        "As accurate as one curator, but colluders learn more",
        "CAPE's distribution equals that of a curator who holds all data. The guarantee below states the cost: an "
        "aggregator who sees all messages, with five colluding sites, learns more than from one message.",
        _HALL | {"schemes": ["pooled", "conventional", "cape"], "colluding": 5},
        figures=(1,),
        more=True,
        guarantee=True,
    ),
)
