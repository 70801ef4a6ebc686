"""Steps of the lecture on the page Topics: text, settings and figures of each."""

from __future__ import annotations

from dashboard.page.lesson import Step

WORDS = 3  # The table of words, after three figures.
# As on the page: one number for one question.
_TEXTS = {"data": "notes", "repeats": 6, "epsilon": 0.2, "sites": 20}

LECTURE = (
    Step(
        "A topic is a list of words that go together",
        "Each row is a topic of 27\u202f500 invented notes, found without privacy. Drag k to 3: two wards share one.",
        _TEXTS | {"schemes": ["nonprivate"]},
        figures=(WORDS,),
        control="topics",
    ),
    Step(
        "At ε = 0.2, a single site finds mostly noise",
        "On the right, one of twenty sites: grey words do not belong to the topic.",
        _TEXTS | {"schemes": ["nonprivate", "local"]},
        figures=(WORDS,),
    ),
    Step(
        "With noise that cancels, the words come back",
        "Compare the columns of CAPE and of the conventional scheme, at the same ε for every document.",
        _TEXTS | {"schemes": ["nonprivate", "cape", "conventional", "local"]},
        figures=(WORDS,),
    ),
    Step(
        "Which ε does each scheme need for the same topics?",
        "Topics found against ε: the curves are shifted, and the shift is what correlated noise saves.",
        _TEXTS,
        figures=(0,),
        more=True,
    ),
)
