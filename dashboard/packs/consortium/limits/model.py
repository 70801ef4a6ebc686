"""What the page computes: variances of all schemes by formula, and what a message tells if the cryptography fails."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd
import param

from core import Privacy
from core.privacy import gdp_mu
from core.schemes import (
    after_design,
    best_amplitude,
    most_dropouts,
    planned_std,
    presented,
    release,
    variance_ratio,
)
from core.schemes import amplitude as designs
from core.schemes.noise_design import CAP
from core.schemes.terms import Terms
from core.sweep.workers import Call
from dashboard.page.model import Model
from dashboard.state.controls import LogNumber, Settings

COMPARED = (
    "secure",
    "cape-after",
    "cape-best",
    "cape",
    "conventional",
    "graph",
)  # All hold the same guarantee.
AMPLITUDES = np.geomspace(0.01, 100, 61)
NEAR = 1.02  # Ratios of noise that nobody would tell apart.
SPREAD = 10.0  # Largest over smallest site, where sites are unequal.
MOST = 20  # Sites that collude, or drop out.
MOST_COUNTED = 8  # Points of the curve along dropouts or colluders.
DEMAND = Privacy(1.0, 1e-5)  # Any: variances are ratios, and what observers learn is a multiple of it.
_GRAPH_SITES = 20  # The search for the worst colluders on a graph takes seconds beyond.


@dataclass(frozen=True)
class Question:
    """What is compared: S sites, c colluders, r sites that drop out, and what holds the target."""

    sites: int
    colluding: int
    dropouts: int
    unequal: bool
    same: bool
    cap: float = CAP

    @property
    def terms(self) -> dict[str, Any]:
        """Options of `core.schemes.release`."""
        found: dict[str, Any] = {"dropouts": self.dropouts}
        if self.same:
            found |= {"against": "colluders", "colluding": self.colluding}
        return found

    @property
    def capped(self) -> dict[str, Any]:
        """The same, for schemes one of which may have its sum after the messages."""
        return self.terms | ({"cap": self.cap} if self.same and self.cap != CAP else {})

    @property
    def std(self) -> np.ndarray:
        """τ_s of each message, shape (S,): sites with few records need more noise. The last site is the largest."""
        sizes = np.geomspace(1, SPREAD, self.sites) if self.unequal else np.ones(self.sites)
        return sizes.mean() / sizes

    @property
    def optimum(self) -> float | None:
        """Least variance over the curator's that Gaussian noise agreed on before can have; None where nobody knows it."""
        if self.unequal or not self.same:
            return None
        return best(self)[1] if self.dropouts else self.sites / (self.sites - self.colluding)

    @property
    def most_after(self) -> int:
        """How many may drop out, at most, where the sum comes after the messages."""
        return most_dropouts("cape-after", self.sites, colluding=self.colluding if self.same else 0)

    def allows(self, scheme: str) -> bool:
        """Whether so many may drop out of a scheme."""
        return scheme != "cape-after" or self.dropouts <= self.most_after

    @property
    def pooled(self) -> float:
        """Standard deviation of the noise that one curator would add."""
        return float(self.std.max()) / self.sites


@dataclass(frozen=True)
class Plan:
    """One picture: variances over the curator's.

    Attributes
    ----------
    curve : ndarray (61,)
        Along `AMPLITUDES`.
    ratios : dict
        Of every scheme that allows so many dropouts, but the graph, which takes longer.
    chosen, published, best : (float, float)
        Amplitude and ratio.
    unmasked : dict
        See `unmasked`.
    shown : tuple of str
        The private schemes of the guarantee.
    along : str
        What the second chart counts.
    """

    question: Question
    settings: Settings
    curve: np.ndarray
    ratios: dict[str, float]
    chosen: tuple[float, float]
    published: tuple[float, float]
    best: tuple[float, float]
    unmasked: dict[str, float]
    shown: tuple[str, ...]
    along: str

    @property
    def as_published(self) -> bool:
        """Whether the noise that cancels has the variance as published."""
        return self.chosen[0] == self.published[0]


class LimitsModel(Model):
    """Four complications, each a switch, and the amplitude of CAPE's zero-sum noise."""

    amplitude = LogNumber(
        1.0,
        bounds=(0.01, 100.0),
        label="Amplitude of the noise that cancels",
        doc="Zero-sum noise has this variance, in units of CAPE as published. Local noise is as large as the "
        "target requires.",
    )
    cap = LogNumber(
        CAP,
        bounds=(1.1, 10_000.0),
        label="Cap of noise that is summed after",
        doc="The noise whose sum comes after the messages has at most this variance, in units of what one message"
        " needs. A lower cap costs a little more noise. It leaves less noise if the sum never comes.",
    )
    same = param.Boolean(
        True,
        label="same guarantee for all",
        doc="If on, every scheme has the noise that meets the target against the aggregator and the colluders. If"
        " off, each message alone meets it, as in the papers.",
    )
    collusion = param.Boolean(
        False, label="sites collude", doc="Some sites reveal their noise to the aggregator."
    )
    colluders = param.Integer(
        3,
        bounds=(1, MOST),
        label="How many collude",
        doc="So many sites share what they know with the aggregator.",
    )
    silence = param.Boolean(
        False,
        label="sites drop out",
        doc="Some sites agree on noise and then send nothing. What they hold of the zero-sum noise stays in the "
        "sum.",
    )
    silent = param.Integer(
        1,
        bounds=(1, MOST),
        label="How many drop out",
        doc="So many sites agree on noise and then send nothing.",
    )
    unequal = param.Boolean(
        False,
        label="sites are unequal",
        doc="The largest site has ten times the records of the smallest, and all have the same weight.",
    )
    along = param.Selector(
        default="dropouts",
        objects={"dropouts": "dropouts", "colluders": "colluders"},
        label="Second chart along",
        doc="The axis of the second chart counts this.",
    )

    def question(self) -> Question:
        """The present question.

        Raises
        ------
        ValueError
            If fewer than two sites are honest and send.
        """
        sites = self.controls.sites
        colluding = self.colluders if self.collusion else 0
        dropouts = self.silent if self.silence else 0
        if sites - colluding - dropouts < 2:
            raise ValueError(
                f"of {sites} sites {colluding} collude and {dropouts} drop out: two honest ones must remain. "
                "Choose more sites, or fewer of the others."
            )
        return Question(sites, colluding, dropouts, self.unequal, self.same, self.cap)

    def plan(self) -> Plan:
        """Freeze the present settings, with everything that formulas give."""
        asked = self.question()
        return Plan(
            question=asked,
            settings=self.controls.snapshot(),
            curve=along_amplitudes(asked),
            ratios={name: ratio(name, asked) for name in COMPARED if name != "graph" and asked.allows(name)},
            chosen=(self.amplitude, _at(asked, self.amplitude)),
            published=(1.0, _at(asked, 1.0)),
            best=best(asked),
            unmasked=unmasked(asked),
            shown=tuple(presented(name for name in COMPARED if _in_guarantee(name, asked))),
            along=self.along,
        )


@lru_cache(maxsize=256)
def along_amplitudes(asked: Question) -> np.ndarray:
    """CAPE's variance over the curator's at every amplitude: shape (61,)."""
    return np.array([_at(asked, float(a)) for a in AMPLITUDES])


@lru_cache(maxsize=4096)
def _at(asked: Question, amplitude: float) -> float:
    if asked.same and not asked.unequal:
        numbers = {"colluding": asked.colluding, "dropouts": asked.dropouts}
        return float(variance_ratio(amplitude, asked.sites, **numbers))
    return _noise(asked, amplitude)


def _noise(asked, amplitude):
    """After the worst choice of dropouts."""
    plan = designs.design(asked.std, amplitude=amplitude, **asked.terms)
    return (designs.worst_dropouts(plan, asked.dropouts)[0] / asked.pooled) ** 2


@lru_cache(maxsize=256)
def best(asked: Question) -> tuple[float, float]:
    """The best amplitude and its variance over the curator's; without dropouts a limit, here at the design's cap."""
    if asked.same and not asked.unequal:
        a = float(best_amplitude(asked.sites, asked.colluding, asked.dropouts))
        return a, _at(asked, a)
    plan = designs.design(asked.std, amplitude="best", **asked.terms)
    noise = designs.worst_dropouts(plan, asked.dropouts)[0]
    return float(plan.amplitude), (noise / asked.pooled) ** 2


@lru_cache(maxsize=1024)
def ratio(scheme: str, asked: Question) -> float:
    """Variance of the average's noise over the curator's, when the worst choice of sites has fallen silent."""
    if scheme == "cape":
        return _at(asked, 1.0)
    if scheme == "cape-best":
        return best(asked)[1]
    return (planned_std(scheme, asked.std, silent=asked.dropouts, **asked.capped) / asked.pooled) ** 2


def last_help(asked: Question) -> tuple[int, float] | None:
    """The most dropouts below the present number at which CAPE has less noise than independent noise, and its share."""
    for dropouts in range(asked.dropouts - 1, -1, -1):
        fewer = replace(asked, dropouts=dropouts)
        share = ratio("cape", fewer) / ratio("conventional", fewer)
        if share < 1 / NEAR:
            return dropouts, share
    return None


@lru_cache(maxsize=256)
def unmasked(asked: Question) -> dict[str, float]:
    """What one message tells of the worst site if the cryptography fails: μ over the target's, by scheme.

    Under secure aggregation its own share of the noise is left, under CAPE, whose zero-sum noise is drawn behind masks, its
    local noise.
    """
    zeros, rng = np.zeros(asked.sites), np.random.default_rng(0)
    changes = asked.std / asked.std.max()
    about = {"rng": rng, "keep": "value", **asked.terms}
    secure = release(zeros, changes, DEMAND, scheme="secure", **about)
    cape = release(zeros, changes, DEMAND, scheme="cape", **about)
    with np.errstate(divide="ignore"):
        local = float((changes / cape.design.local_std).max())
    return {"secure": secure.mu_unmasked / gdp_mu(DEMAND), "cape": local / gdp_mu(DEMAND)}


@lru_cache(maxsize=256)
def without_sum(asked: Question) -> float:
    """Variance over the curator's of the messages' own average, if the sum after them never comes."""
    plan = after_design.design(asked.std, terms=Terms(**asked.capped))
    return (plan.fallback_std(asked.dropouts) / asked.pooled) ** 2


SEARCHED = (
    "cape-best",
    "cape-after",
)  # Where sites are unequal their noise is searched, which takes seconds for a curve.


def counted_key(asked: Question, along: str) -> Hashable:
    """Of the variances along dropouts or colluders."""
    return "counted", asked, along


@lru_cache(maxsize=256)
def counted(asked: Question, along: str, *, searched: bool = True) -> pd.DataFrame:
    """Variance over the curator's of every scheme but the graph's, along dropouts or colluders, as far as it allows them."""
    name = "dropouts" if along == "dropouts" else "colluding"
    other = asked.colluding if along == "dropouts" else asked.dropouts
    most = min(MOST_COUNTED, asked.sites - 2 - other)
    rows = [
        {"scheme": scheme, "count": n, "ratio": ratio(scheme, at)}
        for scheme in COMPARED
        if scheme != "graph" and (searched or scheme not in SEARCHED)
        for n in range(most + 1)
        if (at := replace(asked, **{name: n})).allows(scheme)
    ]
    return pd.DataFrame(rows)


def graph_key(asked: Question) -> Hashable:
    """Of the graph's ratio."""
    return "graph", asked


def calls(plan: Plan) -> list[Call]:
    """What takes longer than a formula: the graph's worst colluders, and a search for the curves of unequal sites."""
    asked = plan.question
    graph = [Call(_graph, (asked,), key=graph_key(asked))] if _small(asked) else []
    curve = Call(_counted, (asked, plan.along), key=counted_key(asked, plan.along))
    return [*graph, *([curve] if asked.unequal else [])]


def _in_guarantee(scheme, asked):
    """Whether the guarantee states what each observer learns of it within a moment."""
    return asked.allows(scheme) and (scheme != "graph" or _small(asked))


def _small(asked):
    """Whether noise on a graph is planned within a moment."""
    return asked.sites <= _GRAPH_SITES


def _graph(asked, cancelled):
    return ratio("graph", asked)


def _counted(asked, along, cancelled):
    return counted(asked, along)
