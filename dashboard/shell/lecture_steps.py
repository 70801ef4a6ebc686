"""The steps of lecture mode, page by page: what is said, what is set, and what is looked at."""

from __future__ import annotations

from dashboard.page.base import Step

_HALL = {"sites": 10, "samples": 100, "epsilon": 1.0}

AVERAGING = (
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

GAIN = (
    Step(
        "With equal sites, correlated noise wins a factor S",
        "At the left edge the conventional average has 10 times the noise variance of one curator's, CAPE's exactly "
        "as much.",
        {"imbalance": 1.0},
        figures=(0,),
    ),
    Step(
        "The more sites, the more there is to win",
        "Fifty sites: a factor of 50 at the left edge.",
        {"imbalance": 1.0, "sites": 50},
        figures=(0,),
    ),
    Step(
        "Unequal sites spoil equal weights",
        "One site is 100 times as large as each other. With weights 1/S the smallest sites' noise counts as much as the "
        "giant's: both curves rise. Weights by size mend it; see Sites.",
        {"imbalance": 100.0},
        figures=(0,),
    ),
    Step(
        "Held to the same guarantee against colluders, less is left",
        "Fair comparison: give all schemes the noise that keeps the promise even towards the aggregator and five "
        "colluding sites. Of the factor 10, 3.67 stays.",
        {"imbalance": 1.0, "colluding": 5},
        figures=(2,),
        more=True,
    ),
)

GUARANTEE = (
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

_DIGITS = {"data": "digits", "k": 8, "sites": 5, "delta": 1e-2, "repeats": 3, "dpdispca": False}

PCA = (
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

WORDS = 3  # The table of words, after three figures.
_TEXTS = {"data": "synthetic", "repeats": 3, "epsilon": 0.2}

TOPICS = (
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
