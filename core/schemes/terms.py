"""Terms of a release: the adversary that the privacy target holds against, planned dropouts, and free parameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from core import check
from core.hashed import hashed
from core.schemes.graph_noise import graph_option
from core.schemes.noise_design import amplitude_option

Adversary = Literal["message", "aggregator", "colluders"]
ADVERSARIES: tuple[Adversary, ...] = get_args(Adversary)
OwnNoise = Literal["message", "sum"]
OWN_NOISE: tuple[OwnNoise, ...] = get_args(OwnNoise)
OPTIONS = ("against", "colluding", "dropouts", "amplitude", "graph", "cap", "own_noise", "designs", "pure")


@hashed
@check.arguments(amplitude=amplitude_option, graph=graph_option)
@dataclass(frozen=True)
class Terms:
    """What the noise of a release is planned for.

    Attributes
    ----------
    against : {"message", "aggregator", "colluders"}
        The adversary that the privacy target holds against.
    colluding : int
        c, the number of colluding sites, with against="colluders" only.
    dropouts : int
        r, how many sites may fall silent after noise was agreed.
    amplitude : float, "published", "best" or None
        Variance of the contributions to zero-sum noise, in units of the published one. None: the scheme's own.
    graph : Graph, "complete", "ring", int or None
        For noise on a graph; see `core.schemes.graph_noise.graph_of`. None: the scheme's own.
    cap : float, optional
        Above 1: largest variance of ê_s where its sum comes after the messages, in units of what one message needs; of
        unequal sites with own noise in the message, of what the most demanding site's needs. The larger ê_s, the nearer
        the average is to a curator's, and the worse is what is left if the sum never comes.
    own_noise : {"message", "sum"}, optional
        Where a site adds its own noise if the sum comes after the messages; see `core.schemes.after_design`.
    designs : tuple of S pairs of float, optional
        Standard deviations of ê_s and g_s that were agreed on, in the statistic's units, for schemes in which sites draw
        both. Nothing is searched then, and a design that misses a target is refused.
    pure : bool
        Whether the target's ε holds with δ = 0: noise is two-sided geometric, in whole numbers; see
        `core.discrete.geometric`. The target's δ is then not used, and sensitivities are l1. `cap` is then 400 by default,
        which spends ε/20 on messages.
    """

    against: Adversary = "message"
    colluding: int = 0
    dropouts: int = 0
    amplitude: Any = None
    graph: Any = None
    cap: float | None = None
    own_noise: OwnNoise | None = None
    designs: tuple[tuple[float, float], ...] | None = None
    pure: bool = False

    def __post_init__(self):
        if self.cap is not None and not 1 < check.positive("cap", self.cap) <= 1e12:
            raise ValueError(
                f"cap must be above 1, what one message alone needs, and at most 1e12, got {self.cap}"
            )
        if self.pure and self.own_noise == "message":
            raise ValueError(
                "own_noise must be 'sum' under pure epsilon, got 'message': the sum of two geometric laws is none"
            )
        check.integer("colluding", self.colluding, low=0)
        check.integer("dropouts", self.dropouts, low=0)
        if self.colluding and self.against != "colluders":
            raise ValueError(
                f"colluding must be left out unless against='colluders', got {self.colluding} with "
                f"against={self.against!r}; what so many colluders learn of a release is its mu(colluding)"
            )

    def agreed(self, numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
        """Standard deviations of ê_s and g_s of the sites of these numbers, if they were agreed on: shape (S,) each."""
        if self.designs is None:
            return None
        if max(numbers) >= len(self.designs) or not all(len(pair) == 2 for pair in self.designs):
            raise ValueError(
                f"designs must be two numbers for each of at least {max(numbers) + 1} sites, got {check.shown(self.designs)}"
            )
        seed, local = (check.at_least("designs", [self.designs[n][k] for n in numbers], 0.0) for k in (0, 1))
        if not (local > 0).all():
            raise ValueError(
                f"designs must have noise of its own for every site, got {check.shown(self.designs)}"
            )
        return seed, local

    @property
    def message_only(self) -> bool:
        """Whether the target holds against an observer of one message alone."""
        return self.against == "message"

    @check.arguments
    def fitting(self, sites: int) -> Terms:
        """Return the terms if so many sites can meet them, or raise a ValueError that says what they can meet."""
        check.integer("sites", sites, low=1)
        check.integer("colluding", self.colluding, low=0, high=sites - 1)
        most = sites - 1 - self.colluding
        if self.dropouts > most:
            rest = f" beside {self.colluding} colluding ones" if self.colluding else ""
            raise ValueError(
                f"dropouts must be at most {most}, so that one of the {sites} sites{rest} is honest and sends, "
                f"got {self.dropouts}"
            )
        return self
