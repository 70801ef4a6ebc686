"""What a scheme is: one frozen record of how it releases an average, how noisy that is, and who learns what."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import numpy as np

from core import check
from core.schemes.messages import Draw, Keep, ZeroSum
from core.schemes.sites import Adversary, Sites
from core.secure_sum import SecureSum

SeenBy = Literal["nobody", "curator", "only site"]
SEEN_BY: tuple[SeenBy, ...] = get_args(SeenBy)


@dataclass(frozen=True)
class Sends:
    """How many numbers a site sends and receives for each number of its statistic.

    Attributes
    ----------
    message : int
        As its message: 1, or 0 where no message is sent.
    agreement : int
        To agree on noise with the others before that.
    """

    message: int
    agreement: int

    def numbers(self, size: int, *, noise: int | None = None) -> int:
        """Numbers of one release of a statistic of `size` numbers, whose noise has `noise` numbers (default: as many)."""
        return self.message * size + self.agreement * (size if noise is None else noise)

    @property
    def nothing(self) -> bool:
        """Whether nothing is sent."""
        return not (self.message or self.agreement)


@dataclass(frozen=True)
class Learned:
    """μ of what onlookers learn of a record of the worst site; ∞ is no privacy. Nothing here has a default.

    Attributes
    ----------
    public : float
        For whoever sees the released value alone.
    message : float
        For whoever sees one site's message alone; ∞ where the records themselves are sent.
    aggregator : float
        For whoever sees all messages, and all that was broadcast.
    """

    public: float
    message: float
    aggregator: float


@dataclass(frozen=True)
class Request:
    """What `core.schemes.release` asks of a scheme.

    Attributes
    ----------
    sites : Sites
        Those that take part. Where sites agree on noise, also those that are `lost` afterwards.
    everyone : Sites
        All sites that were asked, absent ones included.
    lost : bool array of shape (S,)
        Which of `sites` send nothing once noise is agreed; none where nothing is agreed.
    draw : Draw
        Draws noise of the statistics' shape.
    against, colluding, zero_sum, keep, threshold
        As in `core.schemes.release`.
    """

    sites: Sites
    everyone: Sites
    lost: np.ndarray
    draw: Draw
    against: Adversary = "message"
    colluding: int = 0
    zero_sum: ZeroSum = "broadcast"
    keep: Keep = "all"
    threshold: int | None = None


@dataclass(frozen=True)
class Drawn:
    """What a scheme drew.

    Attributes
    ----------
    value : ndarray
        The released average.
    std : float
        Standard deviation of the noise in it, as `Draw` takes it.
    learned : Learned
    design : object, optional
        How the noise was divided; what `Scheme.colluders` may need of it.
    messages, zero_sum, local, aggregator_noise : ndarray of shape (S, ...), optional
        See `core.schemes.Release`.
    agreements : tuple of SecureSum
    """

    value: np.ndarray
    std: float
    learned: Learned
    design: object | None = None
    messages: np.ndarray | None = None
    zero_sum: np.ndarray | None = None
    local: np.ndarray | None = None
    aggregator_noise: np.ndarray | None = None
    agreements: tuple[SecureSum, ...] = field(default=())


@dataclass(frozen=True, kw_only=True)
class Scheme:
    """A way to release the average of the sites' statistics.

    Register it with `core.schemes.register`; every problem, sweep and page then has it.

    Attributes
    ----------
    name : str
        The value of `scheme=`.
    label : str
        Its name in legends and tables.
    explanation : str
        What it does, in half a sentence.
    order : float
        Place in legends and tables, by rising number.
    release : callable
        Maps a `Request` to what was `Drawn`, with what everybody learns of it.
    average_std : callable
        ``average_std(std, weights, dropped)``: standard deviation of the noise in the weighted average when each
        site's message has noise τ_s of shape (S,), and the sites marked in the bool array `dropped` send nothing.
    colluders : callable
        ``colluders(release, colluding)``, with a `core.schemes.Release`: μ of the worst honest site against the
        aggregator and the colluding sites: a number of them (the worst choice), or a list of positions among the
        sites that took part.
    sends : Sends
        Numbers sent.
    seen_by : {"nobody", "curator", "only site"}
        Who sees a site's records beside the site itself; "only site": a single site answers by itself.
    private : bool
        Whether it takes a privacy target; without one it releases the plain average.
    agrees : bool
        Whether sites draw noise together before they send, so that a site may drop out in between.
    """

    name: str
    label: str
    explanation: str
    order: float
    release: Callable[[Request], Drawn]
    average_std: Callable[[np.ndarray, np.ndarray, np.ndarray], float]
    colluders: Callable[[Any, int | list[int]], float]
    sends: Sends
    seen_by: SeenBy
    private: bool = True
    agrees: bool = False

    def __post_init__(self):
        for part in ("name", "label", "explanation"):
            if not (isinstance(text := getattr(self, part), str) and text.strip()):
                raise ValueError(f"{part} must be a text that is not empty, got {text!r}")
        check.choice("seen_by", self.seen_by, SEEN_BY)
        for part in ("release", "average_std", "colluders"):
            if not callable(function := getattr(self, part)):
                raise TypeError(f"{part} must be a function, got {function!r}")

    @property
    def curator(self) -> bool:
        """Whether one curator sees all records."""
        return self.seen_by == "curator"

    @property
    def one_site(self) -> bool:
        """Whether one site answers by itself, from its own records alone."""
        return self.seen_by == "only site"
