"""What the page Protocol costs: every run under every scheme is a release of the same records."""

from __future__ import annotations

from collections.abc import Iterator

from core.schemes import SCHEMES
from dashboard.guarantee.ledger_costs import settings_words, under_scheme
from dashboard.pages.learn.protocol.dropout import PLANNED, SCHEME
from dashboard.pages.learn.protocol.model import ProtocolPlan, of_scheme
from dashboard.problems.protocol import COMPARED, streams
from dashboard.state.ledger import Drawn


def releases(plan: ProtocolPlan) -> Iterator[Drawn]:
    """Every run under every scheme in the histograms; CAPE and the conventional scheme are always run.

    Below 100 % of CAPE's noise, CAPE with all of it is run, too: the picture's scale is that of both.
    """
    terms, against = dict(plan.terms), dict(plan.against)
    runs = [(s, of_scheme(s, terms)) for s in SCHEMES if s in {*plan.chosen, *COMPARED}]
    if plan.dropout is not None and plan.dropout.after is not None:
        runs.append((SCHEME, against | PLANNED | {"dropped": 1}))
    for scheme, planned in [*runs, *([("cape", against)] if terms != against else [])]:
        for cost in _costs(plan, scheme, tuple(planned.items())):
            if cost is not None:
                yield cost


def _costs(plan, scheme, terms):
    """The cost of the runs under a scheme, for every stream of noise."""
    c = plan.settings
    words = settings_words(c.epsilon, c.delta, c.sites, c.samples)
    if "amplitude" in dict(terms):
        words += f", {plan.share} % of CAPE's noise that cancels"
    law = {"sites": c.sites, "calibration": c.calibration, "terms": terms}
    drawn = streams(plan.draws, together=plan.together)
    # Of a dropout only the first run is computed.
    for stream, count in [(drawn[0][0], 1)] if scheme == SCHEME else drawn:
        yield under_scheme(
            scheme,
            plan.privacy,
            identity=(plan.privacy, *law.items(), c.samples, c.data_seed, c.noise_seed, count, *stream),
            data=f"Made-up numbers in [0, 1], data seed {c.data_seed}",
            settings=words,
            draws=count,
            **law,
        )
