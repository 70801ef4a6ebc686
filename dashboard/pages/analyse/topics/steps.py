"""What a lecture shows of the page Topics: what is said, what is set, and what is looked at."""

from __future__ import annotations

from dashboard.page.lesson import Step

WORDS = 3  # The table of words, after three figures.
_TEXTS = {"data": "synthetic", "repeats": 3, "epsilon": 0.2}

LECTURE = (
    Step(
        "A topic is a list of words that go together",
        "Each column is a topic, its words named by the letter they belong to: what 10 000 documents show when none is "
        "protected.",
        _TEXTS | {"schemes": ["nonprivate"]},
        figures=(WORDS,),
    ),
    Step(
        "Alone, a site reads noise",
        "One of ten sites at ε = 0.2: grey words do not belong to the topic.",
        _TEXTS | {"schemes": ["nonprivate", "local"]},
        figures=(WORDS,),
    ),
    Step(
        "Joined with noise that cancels, the words come back",
        "Compare the rows of CAPE and of the conventional scheme, at the same ε for every document.",
        _TEXTS | {"schemes": ["nonprivate", "cape", "conventional", "local"]},
        figures=(WORDS,),
    ),
    Step(
        "What ε does each way of joining need?",
        "Share of top words that are right, against ε: the curves are shifted, and the shift is what correlated noise "
        "saves.",
        _TEXTS,
        figures=(0,),
    ),
)
