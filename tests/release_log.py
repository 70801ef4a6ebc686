"""A log of every private release that `core` makes, in this process or in a worker, beside the session's ledger."""

from __future__ import annotations

import functools
import hashlib
import math
import sys
import threading
from dataclasses import dataclass

import numpy as np

from core import decomposition, functional, network, pca, power, schemes
from core.pca import private_mean
from core.topics import configuration_e, configurations, variational


@dataclass(frozen=True)
class Made:
    """A release as `core` made it: what tells it from others, and what it costs."""

    key: str
    public: float
    aggregator: float
    pure: float = 0.0
    draws: int = 1


class Log:
    """Every private release that is made while it stands at core's doors; one inside another is part of it."""

    def __init__(self):
        self.made: dict[str, Made] = {}
        self._inside = threading.local()

    def enter(self, door, call, kwargs):
        """Call a door, and log what it lets out unless another door was passed before."""
        state = repr(kwargs["rng"].bit_generator.state) if "rng" in kwargs else ""
        if getattr(self._inside, "deep", False):
            return call()
        self._inside.deep = True
        try:
            found = call()
        finally:
            self._inside.deep = False
        self.keep(door, state, kwargs, found)
        return found

    def steps(self, door, iterator, kwargs):
        """A training, step by step: it is logged where it ends."""
        state, last = repr(kwargs["rng"].bit_generator.state), None
        while (step := self._next(iterator)) is not None:
            last = step
            yield step
        self.keep(door, state, kwargs, last)

    def keep(self, door, state, kwargs, found):
        cost = COSTS[door](found, kwargs)
        if cost is not None:
            public, aggregator, pure, draws, value = cost
            text = f"{door} {state} {hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()}"
            # A curator, who is trusted, is no onlooker.
            told = public if math.isinf(aggregator) else aggregator
            self.made[text] = Made(text, public, told, pure, draws)

    def _next(self, iterator):
        self._inside.deep = True
        try:
            return next(iterator, None)
        finally:
            self._inside.deep = False


def _plain(kwargs):
    names = ("scheme", "mechanism")
    return any(kwargs.get(name) in ("nonprivate", "random") for name in names)


def _of_release(found, kwargs):
    return None if found.scheme == "nonprivate" else (found.mu_public, found.mu_aggregator)


def _released(found, kwargs):
    costs = _of_release(found, kwargs)
    # Without records it tells what noise there would be: nothing is released.
    if costs is None or not kwargs["records"]:
        return None
    return *costs, 0.0, found.value.size if found.value.ndim == 1 else 1, found.value


def _pca(found, kwargs):
    return (
        None
        if _plain(kwargs)
        else (found.release.mu_public, found.release.mu_aggregator, 0.0, 1, found.values)
    )


def _regression(found, kwargs):
    if _plain(kwargs):
        return None
    if found.release is None:
        return 0.0, math.inf, found.epsilon, 1, found.coefficients
    return *_of_release(found.release, kwargs), 0.0, 1, found.coefficients


def _decomposed(found, kwargs):
    if _plain(kwargs):
        return None
    if kwargs["scheme"] == "avn":
        pure = (1 - kwargs["share"]) * kwargs["privacy"].epsilon
        return found.second.mu_public, math.inf, pure, 1, found.components
    return found.mu_public, found.mu_aggregator, 0.0, 1, found.components


def _trained(found, kwargs):
    return None if _plain(kwargs) else (found.mu_public, found.mu_aggregator, 0.0, 1, found.network.vector)


def _topics(found, kwargs):
    if found.privacy is None or found.scheme == "nonprivate":
        return None
    if isinstance(found.privacy, float):
        return 0.0, math.inf, found.privacy, 1, found.words
    if not found.guarantee.valid:
        return math.inf, math.inf, 0.0, 1, found.words
    return found.guarantee.mu_public, found.guarantee.mu_aggregator, 0.0, 1, found.words


def _iterated(found, kwargs):
    return found.accounting.mu, math.inf, 0.0, 1, found.vectors


def _summed(found, kwargs):
    """Under a scheme, what it tells of a sum it tells of the average, too."""
    if kwargs.get("scheme") is None:
        return _iterated(found, kwargs)
    still = np.zeros(kwargs["sites"]), 1.0, kwargs["privacy"]
    told = schemes.release(*still, scheme=kwargs["scheme"], rng=np.random.default_rng(0))
    return told.mu_public, told.mu_aggregator, 0.0, 1, found.vectors


DOORS = {
    "release": schemes.release,
    "pca": pca.fit,
    "pca about a mean": private_mean.about_mean,
    "regression": functional.fit,
    "decomposition": decomposition.fit,
    "training": network.steps,
    "configuration E": configuration_e.fit,
    "configurations": configurations.fit,
    "variational": variational.fit,
    "power": power.private,
    "input": power.perturbed,
}
COSTS = {
    "release": _released,
    "pca": _pca,
    "pca about a mean": _pca,
    "regression": _regression,
    "decomposition": _decomposed,
    "training": _trained,
    "configuration E": _topics,
    "configurations": _topics,
    "variational": lambda found, kwargs: (found.mu, math.inf, 0.0, 1, found.words),
    "power": _iterated,
    "input": _summed,
}


def watch(replace=setattr):
    """A log at every door of `core`, by whatever name a module knows it; `replace` sets an attribute of a module."""
    kept = Log()
    modules = [
        m for n, m in list(sys.modules.items()) if n.partition(".")[0] in ("core", "dashboard", "data")
    ]
    for door, function in DOORS.items():
        watched = _watched(kept, door, function)
        for module in modules:
            for name, value in list(vars(module).items()):
                if value is function:
                    replace(module, name, watched)
    return kept


def _watched(log, door, function):
    @functools.wraps(function)
    def enter(*args, **kwargs):
        told = dict(kwargs)
        if door == "release":
            told["records"] = any(np.any(statistic) for statistic in args[0])
        if door == "training":
            return log.steps(door, function(*args, **kwargs), told)
        return log.enter(door, lambda: function(*args, **kwargs), told)

    return enter


def rounded(costs):
    """Costs in an order that the last digits do not decide."""
    return sorted(tuple(float(f"{x:.9g}") for x in cost) for cost in costs)


def spent(ledger):
    """(μ for the public, μ for the aggregator, pure ε) of every draw in a ledger."""
    found = []
    for entry in ledger.entries:
        d = entry.drawn
        found += [(d.mu("public"), d.mu("aggregator"), d.pure)] * d.draws
    return rounded(found)


def made(log):
    """The same of every release in a log."""
    return rounded((m.public, m.aggregator, m.pure) for m in log.made.values() for _ in range(m.draws))


_THERE: list[Log] = []


def watch_here() -> None:
    """Have a worker process log its releases; it ends after its tests."""
    if not _THERE:
        import dashboard.pages  # noqa: F401  A name that a page imports later would not be watched.

        _THERE.append(watch())


def logged_here() -> dict[str, Made]:
    """What was logged in this process since the last call."""
    found, _THERE[0].made = _THERE[0].made, {}
    return found
