"""Reference cases beyond CAPE: noise on a graph, secure aggregation, and discrete noise, sound and broken."""

from __future__ import annotations

import math

import numpy as np

from core import audit, check, schemes
from core import discrete as whole_numbers
from core.audit.case import Case
from core.privacy import Privacy, gdp_mu
from core.schemes import Adversary, graph_noise

_COLLUDING = 2  # The neighbours of site 0 on the ring.


@check.arguments(sites=check.whole(4), samples=check.whole(1))
def graph(privacy: Privacy, *, sites: int = 10, samples: int = 100, against: Adversary = "colluders") -> Case:
    """Noise on a ring, where both neighbours of site 0 collude: the honest sites are cut apart.

    Calibrated against the aggregator alone, site 0 keeps nothing but its own noise, which is too little.
    """
    ring = graph_noise.ring(sites)
    mu = gdp_mu(privacy)
    colluding = _COLLUDING if against == "colluders" else 0
    message = np.full(sites, 1 / samples / mu)
    plan = graph_noise.design(message, ring, amplitude="best", colluding=colluding)
    known = np.isin(np.arange(sites), (1, sites - 1))

    def mechanism(shift, runs, rng):
        numbers = plan.edge_std * rng.standard_normal((len(ring.edges), runs))
        hidden = np.zeros((sites, runs))
        for (s, t), number in zip(ring.edges, numbers, strict=True):
            if not (known[s] or known[t]):
                # What colluders know of a message's noise they take off.
                hidden[s] += number
                hidden[t] -= number
        own = plan.weights[:, None] * plan.local_std[:, None] * rng.standard_normal((sites, runs))
        seen = hidden + own
        seen[0] += shift / sites
        return seen[~known].T

    change = np.zeros(sites)
    change[0] = 1 / samples / sites
    neighbours = np.flatnonzero(known).tolist()
    seen = math.sqrt(plan.leakage(1 / samples, neighbours)[0])
    return _case(
        privacy,
        seen,
        title=f"Noise on a ring calibrated against {_words(against, _COLLUDING)}, both neighbours collude",
        sound="A site whose neighbours collude has its own noise alone, and that is enough.",
        broken="The honest sites are cut apart: nothing is left of the noise that site 0 shares",
        mechanism=mechanism,
        second=1 / samples,
        score=audit.likelihood_ratio(change[~known], plan.covariance(neighbours)),
    )


@check.arguments(sites=check.whole(2), samples=check.whole(1), colluding=check.whole(1))
def secure(
    privacy: Privacy,
    *,
    sites: int = 10,
    samples: int = 100,
    colluding: int = 5,
    against: Adversary = "colluders",
) -> Case:
    """Secure aggregation, where colluders take their own shares of the noise off the sum.

    Calibrated against the aggregator alone, the noise of all S sites is just enough, and that of S − c is too little.
    """
    held = {"against": against, "colluding": colluding if against == "colluders" else 0}

    def run(runs, shift, rng):
        means = np.full((sites, runs), 0.5)
        means[0] += shift
        return schemes.release(means, 1 / samples, privacy, scheme="secure", rng=rng, **held)

    def mechanism(shift, runs, rng):
        result = run(runs, shift, rng)
        return result.value - result.local[sites - colluding :].sum(axis=0) / sites

    seen = run(1, 0.0, np.random.default_rng(0)).mu(range(sites - colluding, sites))
    return _case(
        privacy,
        seen,
        title=f"Secure aggregation with noise for {_words(against, colluding)}, seen by {colluding} colluders",
        sound="The honest sites' shares alone have enough noise.",
        broken="Colluders know their shares of the noise: it must be enough without them",
        mechanism=mechanism,
        second=1 / samples,
        score=np.ravel,
    )


@check.arguments(samples=check.whole(1), factor=check.sized)
def discrete(privacy: Privacy, *, samples: int = 100, factor: float = 1.0) -> Case:
    """A mean with exact discrete noise on a grid of 1/32 of its sensitivity; `factor` times the variance it needs."""
    step, mu = 1 / samples / 32, gdp_mu(privacy)
    std = max(round(math.sqrt(factor) * whole_numbers.std_for(mu, 32.0)), 1)

    def mechanism(mean, runs, rng):
        return (round(mean / step) + whole_numbers.gaussian(runs, std, rng=rng)) * step

    return _case(
        privacy,
        32 * float(whole_numbers.gdp_step(std)),
        title="Discrete noise" + (f", variance × {factor:.3g}" if factor != 1 else ""),
        sound="Whole numbers have the guarantee of Gaussian noise, and no last digits that reveal more.",
        broken="Noise in whole numbers needs its variance too",
        mechanism=mechanism,
        first=0.5,
        second=0.5 + 1 / samples,
        score=np.ravel,
    )


def _words(against, colluding):
    words = {"message": "one message", "aggregator": "the aggregator"}
    return words.get(against, f"the aggregator and {colluding} colluders")


def _case(privacy, seen, *, title, sound, broken, first=0.0, **parts):
    allowed = gdp_mu(privacy)
    kept = seen <= allowed * (1 + 1e-9)
    return Case(
        title=title,
        lesson=sound if kept else f"{broken}. μ is {seen / allowed:.2f} times as large as promised.",
        sound=kept,
        promise=privacy,
        gaussian=True,
        first=first,
        **parts,
    )
