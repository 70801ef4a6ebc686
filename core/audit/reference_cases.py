"""Reference cases: mechanisms known to be correct or broken, which an audit must classify correctly.

Each is built on `core`'s own releases, on two data sets that differ in one record.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from core import audit, check, noise, schemes
from core.audit.case import Case
from core.audit.frontier_cases import discrete, graph, secure
from core.privacy import Calibration, Privacy, gaussian_std, gdp_mu, laplace_scale
from core.schemes import Adversary


@check.arguments(samples=check.whole(1), factor=check.sized)
def message(
    privacy: Privacy, *, samples: int = 100, factor: float = 1.0, calibration: Calibration = "exact"
) -> Case:
    """One Gaussian release of a mean of values in [0, 1]; `factor` times the noise it needs."""
    std = factor * gaussian_std(1 / samples, privacy, calibration=calibration)
    spent = 1 / samples / std / gdp_mu(privacy)  # of the μ that the promise allows
    sound = spent <= 1 + 1e-12
    return Case(
        title=f"Gaussian release, {calibration} calibration"
        + (f", noise × {factor:.3g}" if factor != 1 else ""),
        lesson="Too little noise: the best test does better than promised."
        if not sound
        else "The observed curve touches the promised one: hardly more noise than needed, as far as these runs can tell."
        if spent > 1 - 1e-6
        else f"The observed curve stays above the promised one: {1 / spent:.3g} times the noise needed.",
        sound=sound,
        promise=privacy,
        mechanism=lambda mean, runs, rng: mean + noise.gaussian(runs, std, rng=rng),
        first=0.5,
        second=0.5 + 1 / samples,
        score=np.ravel,
        gaussian=True,
    )


@check.arguments(samples=check.whole(1))
def laplace(privacy: Privacy, *, samples: int = 100) -> Case:
    """A mean with Laplace noise: pure ε, so (ε, δ) for every δ."""
    scale = laplace_scale(1 / samples, privacy.epsilon)
    return Case(
        title="Laplace release",
        lesson="Another distribution with the same guarantee: its trade-off curve has corners.",
        sound=True,
        promise=privacy,
        mechanism=lambda mean, runs, rng: mean + noise.laplace(runs, scale, rng=rng),
        first=0.5,
        second=0.5 + 1 / samples,
    )


@check.arguments(sites=check.whole(2), samples=check.whole(1))
def cape(
    privacy: Privacy,
    *,
    sites: int = 10,
    samples: int = 100,
    against: Adversary = "aggregator",
    colluding: int = 0,
    seen_by: Adversary | None = None,
) -> Case:
    """CAPE calibrated `against` one view and attacked from another (`seen_by`, default the same).

    The record belongs to site 0; the last `colluding` sites collude where the view is theirs.
    """
    seen_by = against if seen_by is None else check.choice("seen_by", seen_by, schemes.ADVERSARIES)
    known = range(sites - colluding, sites) if seen_by == "colluders" else ()
    zeros = np.zeros(sites)

    def run(runs, shift, rng):
        means = np.full((sites, runs), 0.5)
        means[0] += shift
        held = {"against": against, "colluding": colluding if against == "colluders" else 0}
        return schemes.release(means, 1 / samples, privacy, scheme="cape", rng=rng, **held)

    def mechanism(shift, runs, rng):
        result = run(runs, shift, rng)
        if seen_by == "message":
            return result.messages[0]
        return audit.adversary_view(result.messages, result.zero_sum, known).T

    result = run(1, 0.0, np.random.default_rng(0))
    change = zeros.copy()
    change[0] = 1 / samples
    score = (
        np.ravel
        if seen_by == "message"
        else audit.likelihood_ratio(change, audit.view_covariance(result.design, known))
    )
    mu = {"message": result.mu_message, "aggregator": result.mu_aggregator}.get(seen_by) or result.mu(known)
    sound = mu <= gdp_mu(privacy) * (1 + 1e-9)
    views = {"message": "one message", "aggregator": "the aggregator", "colluders": f"{colluding} colluders"}
    return Case(
        title=f"CAPE calibrated against {views[against]}, seen by {views[seen_by]}",
        lesson="The guarantee holds against this view."
        if sound
        else f"Correlated messages tell more than one alone: μ is {mu / gdp_mu(privacy):.2f} times as large.",
        sound=sound,
        promise=privacy,
        mechanism=mechanism,
        first=0.0,
        second=1 / samples,
        score=score,
        gaussian=True,
    )


@check.arguments(samples=check.whole(1))
def fixed_seed(privacy: Privacy, *, samples: int = 100) -> Case:
    """The noise has the right distribution but the same known seed in every run."""
    std = gaussian_std(1 / samples, privacy)
    return Case(
        title="One known seed",
        lesson="Noise that can be drawn again can be taken off again.",
        sound=False,
        promise=privacy,
        mechanism=lambda mean, runs, rng: np.full(
            runs, mean + noise.gaussian((), std, rng=np.random.default_rng(0))
        ),
        first=0.5,
        second=0.5 + 1 / samples,
    )


@check.arguments(samples=check.whole(1))
def shared_seed(privacy: Privacy, *, samples: int = 100, broken: bool = True) -> Case:
    """Yesterday's and today's means are released; `broken`: with noise of one (secret) seed.

    The neighbours differ in a record that only today's data have.
    """
    std = gaussian_std(1 / samples, privacy)

    def mechanism(means, runs, rng):
        drawn = noise.gaussian((runs, 1 if broken else 2), std, rng=rng)
        return np.asarray(means) + drawn

    return Case(
        title="Two releases with one seed" if broken else "Two releases with fresh noise",
        lesson="Each release alone is sound; their difference has no noise at all."
        if broken
        else "Fresh noise every time: yesterday's release does not help against today's.",
        sound=not broken,
        promise=privacy,
        mechanism=mechanism,
        first=(0.5, 0.5),
        second=(0.5, 0.5 + 1 / samples),
        gaussian=not broken,
    )


@check.arguments(words=check.whole(2), samples=check.whole(1))
def moment(
    privacy: Privacy, *, words: int = 4, samples: int = 100, distribution: noise.Distribution = "iid"
) -> Case:
    """Case: release the word-pair moment E[t₁t₂ᵀ] of documents, a matrix that is not symmetric.

    distribution="copied" adds symmetric noise, which breaks the promise: the two mirrored entries have the same noise, so
    their difference has none. The neighbouring data replace one document, first word 0 and second word 1, by (1, 0).
    [Fact] Algorithm 3, section 4.
    """
    others = np.full((words, words), (samples - 1) / samples / words**2)
    std = gaussian_std(math.sqrt(2) / samples, privacy)
    first, second = others.copy(), others.copy()
    first[0, 1] += 1 / samples
    second[1, 0] += 1 / samples
    broken = distribution == "copied"
    return Case(
        title="Symmetric noise on a moment that is not symmetric" if broken else "Full noise on a moment",
        lesson="The difference M − Mᵀ leaves without any noise, exactly."
        if broken
        else "Independent noise on every entry: the order of words is as private as the words.",
        sound=not broken,
        promise=privacy,
        mechanism=audit.repeated(
            lambda m, rng: m + noise.gaussian(m.shape, std, rng=rng, distribution=distribution)
        )
        if broken
        else lambda m, runs, rng: m + noise.gaussian((runs, *m.shape), std, rng=rng),
        first=first,
        second=second,
        score=None if broken else audit.likelihood_ratio((second - first).ravel(), std**2 * np.eye(words**2)),
        gaussian=not broken,
    )


@check.arguments
def sound_cases(privacy: Privacy) -> dict[str, Callable[[], Case]]:
    """The mechanisms that meet their privacy claim."""
    return {
        "message": lambda: message(privacy),
        "laplace": lambda: laplace(privacy),
        "cape, one message": lambda: cape(privacy, against="message"),
        "cape, aggregator": lambda: cape(privacy, against="aggregator"),
        "cape, colluders": lambda: cape(privacy, against="colluders", colluding=3),
        "two releases": lambda: shared_seed(privacy, broken=False),
        "moment": lambda: moment(privacy),
        "graph, colluders": lambda: graph(privacy, against="colluders"),
        "secure aggregation, colluders": lambda: secure(privacy, against="colluders"),
        "discrete noise": lambda: discrete(privacy),
    }


@check.arguments
def broken_cases(privacy: Privacy) -> dict[str, Callable[[], Case]]:
    """The mechanisms that violate their privacy claim; the classical calibration always breaks at ε = 10."""
    return {
        "noise a third too small": lambda: message(privacy, factor=2 / 3),
        "classical at epsilon 10": lambda: message(Privacy(10, 0.01), calibration="published"),
        "known seed": lambda: fixed_seed(privacy),
        "shared seed": lambda: shared_seed(privacy),
        "symmetric noise": lambda: moment(privacy, distribution="copied"),
        "cape, message promise seen by aggregator": lambda: cape(
            privacy, against="message", seen_by="aggregator"
        ),
        "cape, message promise seen by colluders": lambda: cape(
            privacy, against="message", colluding=3, seen_by="colluders"
        ),
        "graph, honest sites cut apart": lambda: graph(privacy, against="aggregator"),
        "secure aggregation, noise for all sites": lambda: secure(privacy, against="aggregator"),
        "discrete noise, half the variance": lambda: discrete(privacy, factor=0.5),
    }
