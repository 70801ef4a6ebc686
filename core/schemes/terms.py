"""Terms of a release: the adversary that the privacy target holds against, planned dropouts, and free parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from core import check
from core.schemes.graph_noise import graph_option
from core.schemes.noise_design import amplitude_option

Adversary = Literal["message", "aggregator", "colluders"]
ADVERSARIES: tuple[Adversary, ...] = get_args(Adversary)
OwnNoise = Literal["message", "sum"]
OWN_NOISE: tuple[OwnNoise, ...] = get_args(OwnNoise)
OPTIONS = ("against", "colluding", "dropouts", "amplitude", "graph", "cap", "own_noise")


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
        Above 1: largest variance of ê_s where its sum comes after the messages, in units of what one message needs. The
        louder ê_s, the nearer the average is to a curator's, and the worse is what is left if the sum never comes.
    own_noise : {"message", "sum"}, optional
        Where a site adds its own noise if the sum comes after the messages; see `core.schemes.after_design`.
    """

    against: Adversary = "message"
    colluding: int = 0
    dropouts: int = 0
    amplitude: Any = None
    graph: Any = None
    cap: float | None = None
    own_noise: OwnNoise | None = None

    def __post_init__(self):
        if self.cap is not None and not 1 < check.positive("cap", self.cap) <= 1e12:
            raise ValueError(
                f"cap must be above 1, what one message alone needs, and at most 1e12, got {self.cap}"
            )
        check.integer("colluding", self.colluding, low=0)
        check.integer("dropouts", self.dropouts, low=0)
        if self.colluding and self.against != "colluders":
            raise ValueError(
                f"colluding must be left out unless against='colluders', got {self.colluding} with "
                f"against={self.against!r}; what so many colluders learn of a release is its mu(colluding)"
            )

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


@check.arguments
def planned(settings: Mapping, sites: int) -> dict[str, Any]:
    """Return the options of `core.schemes.release` that a sweep's settings contain.

    Parameters
    ----------
    settings : mapping
        The names of `OPTIONS` are as in `release`. "dropped" is the number of
        sites that send nothing in the run; the last sites are taken.
    sites : int
        The number S of sites.
    """
    sites = check.integer("sites", sites, low=1)
    found = {name: settings[name] for name in OPTIONS if name in settings}
    if lost := check.integer("dropped", settings.get("dropped", 0), low=0, high=sites - 1):
        found["dropped"] = range(sites - lost, sites)
    return found
