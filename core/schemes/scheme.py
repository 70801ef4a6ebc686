"""Definition of a scheme: a frozen record of how it releases an average, its noise, and who learns what."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import numpy as np

from core import check
from core.schemes.messages import Draw, Keep, ZeroSum
from core.schemes.parts import Parts
from core.schemes.sites import Sites
from core.schemes.terms import Adversary, Terms
from core.secure_sum import SecureSum

SeenBy = Literal["nobody", "curator", "only site"]
SEEN_BY: tuple[SeenBy, ...] = get_args(SeenBy)


@dataclass(frozen=True)
class Sends:
    """How many numbers a site sends and receives for each number of its statistic.

    Attributes
    ----------
    message : int
        In its message: 1, or 0 where no message is sent.
    agreement : int
        To agree on noise with the other sites beforehand.
    """

    message: int
    agreement: int

    def numbers(self, size: int, *, noise: int | None = None) -> int:
        """Count for one release of a statistic of `size` numbers, whose noise has `noise` numbers (default: `size`)."""
        return self.message * size + self.agreement * (size if noise is None else noise)

    @property
    def nothing(self) -> bool:
        """Whether nothing is sent."""
        return not (self.message or self.agreement)


@dataclass(frozen=True)
class Learned:
    """Guarantee μ of the worst site's records against three observers; ∞ means no privacy. No field has a default.

    Attributes
    ----------
    public : float
        Against an observer of the released value alone.
    message : float
        Against an observer of one site's message alone, without the released value; ∞ where the records themselves
        are sent.
    aggregator : float
        Against an observer of all messages and of everything that was broadcast.
    unmasked : float, optional
        Where cryptography hides messages: against an observer of one message if it fails. Then `message` is 0.
    """

    public: float
    message: float
    aggregator: float
    unmasked: float | None = None


@dataclass(frozen=True)
class Request:
    """Input of a scheme's `release` function, made by `core.schemes.release`.

    Attributes
    ----------
    sites : Sites
        Sites that take part. Where sites agree on noise, this includes those that are `lost` afterwards.
    everyone : Sites
        All sites, absent ones included.
    lost : bool array of shape (S,)
        Which of `sites` send nothing after noise was agreed; none if the scheme agrees on no noise.
    draw : Draw
        Draws noise of the statistics' shape.
    terms : Terms
        What the noise is planned for; `against` and `colluding` are short for its own.
    zero_sum, keep, threshold
        As in `core.schemes.release`.
    kept : dict
        What `once` computed; repeated releases that differ in statistics and noise alone share it.
    """

    sites: Sites
    everyone: Sites
    lost: np.ndarray
    draw: Draw
    terms: Terms = field(default_factory=Terms)
    zero_sum: ZeroSum = "broadcast"
    keep: Keep = "all"
    threshold: int | None = None
    kept: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    def once(self, name: str, make: Callable[[Request], Any]) -> Any:
        """`make(request)`, computed for the first of repeated releases only: it must not depend on statistics or noise."""
        if name not in self.kept:
            self.kept[name] = make(self)
        return self.kept[name]

    @property
    def against(self) -> Adversary:
        """The adversary that the privacy target holds against."""
        return self.terms.against

    @property
    def colluding(self) -> int:
        """The number of colluders that the privacy target holds against."""
        return self.terms.colluding


@dataclass(frozen=True)
class Drawn:
    """Output of a scheme's `release` function: the released average, its noise and its guarantees.

    Attributes
    ----------
    value : ndarray
        The released average.
    std : float
        Standard deviation of the noise in it, before symmetrisation (as `Draw` takes it).
    learned : Learned
    design : object, optional
        How the noise was divided among sites; `Scheme.colluders` may need it.
    messages, zero_sum, local, aggregator_noise : ndarray of shape (S, ...), optional
        See `core.schemes.Release`.
    agreements : tuple of SecureSum
    grid : float, optional
        Step of the grid on which discrete noise was drawn, in units of the weighted average.
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
    grid: float | None = None


def learned_from(plan, request: Request) -> tuple[float, Learned]:
    """Noise of the average and what everybody learns, of a design with `average_std`, `std` and `leakage`."""
    here, left = request.sites, request.sites.only(~request.lost)
    silent = np.flatnonzero(request.lost).tolist()
    std = plan.average_std(silent)
    learned = Learned(
        public=float(left.changes.max()) / std,
        message=float((left.sensitivities / plan.std[~request.lost]).max()),
        aggregator=math.sqrt(plan.leakage(here.sensitivities, dropped=silent).max()),
    )
    return std, learned


def leakage_to_colluders(release, colluding: int | list[int]) -> float:
    """`Scheme.colluders` of schemes whose design has a method `leakage`."""
    dropped = [release.sites.index(s) for s in release.dropped]
    return math.sqrt(np.nanmax(release.design.leakage(release.sensitivities, colluding, dropped=dropped)))


@dataclass(frozen=True, kw_only=True)
class Scheme:
    """A way to release the average of the sites' statistics, described completely by one record.

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
        Maps a `Request` to a `Drawn`, which includes what each observer learns.
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
        Who sees a site's records besides the site itself. "only site": a single site releases its own statistic.
    private : bool
        Whether it takes a privacy target. A scheme without one releases the plain average.
    agrees : bool
        Whether sites agree on noise before they send messages, so that a site may drop out in between.
    planned_std : callable, optional
        ``planned_std(std, weights, dropped, terms)``: the same as `average_std`, for noise planned on the `Terms` of a
        release. Default: `average_std`, for schemes whose noise does not depend on them.
    discrete : callable, optional
        ``discrete(request, grid)``: release with exact discrete noise on a `Grid`, see `core.discrete.grid`.
        Default: the scheme has no such release.
    parts : callable, optional
        ``parts(request, grid)``: who draws which noise, as `Parts`, so that parties that are programs of their own can
        run the scheme (`core.parties`); `grid` is None except for discrete noise. The statistics of the request are
        empty. Default: the scheme runs in `release` only.
    offered : bool
        Whether pages choose it when nobody chose. It can be chosen on every page in either case.
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
    planned_std: Callable[[np.ndarray, np.ndarray, np.ndarray, Terms], float] | None = None
    discrete: Callable[[Request, Any], Drawn] | None = None
    parts: Callable[[Request, Any], Parts] | None = None
    offered: bool = True

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
        """Whether one site releases a result from its own records alone."""
        return self.seen_by == "only site"
