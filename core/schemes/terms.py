"""Terms of a release: the adversary that the privacy target holds against, planned dropouts, and free parameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

from core import check
from core.schemes.graph_noise import graph_option
from core.schemes.noise_design import amplitude_option

Adversary = Literal["message", "aggregator", "colluders"]
ADVERSARIES: tuple[Adversary, ...] = get_args(Adversary)
OPTIONS = ("against", "colluding", "dropouts", "amplitude", "graph")


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
    """

    against: Adversary = "message"
    colluding: int = 0
    dropouts: int = 0
    amplitude: Any = None
    graph: Any = None

    def __post_init__(self):
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
