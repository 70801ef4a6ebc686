"""Definition of a scheme: a frozen record of who draws which noise, and of who sees the records."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, get_args

import numpy as np

from core import check
from core.hashed import hashed
from core.schemes.parts import Parts
from core.schemes.sites import Sites, sites_of
from core.schemes.terms import Terms

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
class Request:
    """What a scheme may choose its noise by: all of it is public, and none of it is known only after noise was agreed.

    Attributes
    ----------
    sites : Sites
        Sites that take part, without statistics: `weights`, `std` and the rest. Where sites agree on noise, those that
        fall silent afterwards are among them.
    terms : Terms
        What the noise is planned for.
    """

    sites: Sites
    terms: Terms = field(default_factory=Terms)


@hashed
@dataclass(frozen=True, kw_only=True)
class Scheme:
    """A way to release the average of the sites' statistics, described completely by one record.

    Register it with `core.schemes.register`; every problem, sweep and page then has it.

    Attributes
    ----------
    name : str
        The value of `scheme=`.
    explanation : str
        What it does, in half a sentence.
    order : float
        Place in legends and tables, by rising number.
    seen_by : {"nobody", "curator", "only site"}
        Who sees a site's records besides the site itself. "only site": a single site releases its own statistic.
    noise : callable
        ``noise(request)`` says who draws which noise, as `Parts`, for a `Request`. The release, its variance and every
        μ follow from it, and `core.parties` runs it.
    label : str, optional
        Its name in legends and tables. Default: `name`.
    sends : Sends, optional
        Numbers sent. Default: one message, without agreement; none to a curator or of a single site.
    private : bool
        Whether it takes a privacy target. A scheme without one releases the plain average.
    offered : bool
        Whether pages choose it when nobody chose. It can be chosen on every page in either case.

    Examples
    --------
    Every site adds twice the variance that its target needs: the average has twice the variance, too.

    >>> import math
    >>> from core.schemes import average_std, register, unregister
    >>> loud = Scheme(
    ...     name="loud",
    ...     explanation="every site adds twice the variance",
    ...     order=31,
    ...     seen_by="nobody",
    ...     noise=lambda request: Parts(local_std=math.sqrt(2) * request.sites.std),
    ... )
    >>> round(average_std(register(loud).name, [1.0, 1.0, 1.0, 1.0]) ** 2, 12)
    0.5
    >>> unregister("loud")
    """

    name: str
    explanation: str
    order: float
    seen_by: SeenBy
    noise: Callable[[Request], Parts]
    label: str = ""
    sends: Sends = None  # type: ignore[assignment]  # Filled in below.
    private: bool = True
    offered: bool = True

    def __post_init__(self):
        for part in ("name", "explanation", "label"):
            text = getattr(self, part)
            if not (isinstance(text, str) and (text.strip() or (part == "label" and not text))):
                raise ValueError(f"{part} must be a text that is not empty, got {text!r}")
        check.choice("seen_by", self.seen_by, SEEN_BY)
        if not callable(self.noise):
            raise TypeError(f"noise must be a function, got {self.noise!r}")
        if not self.label:
            object.__setattr__(self, "label", self.name)
        if self.sends is None:
            object.__setattr__(self, "sends", Sends(message=int(self.seen_by == "nobody"), agreement=0))

    def parts(self, request: Request) -> Parts:
        """Who draws which noise, with the sites' weights; on a grid in whole steps.

        Raises
        ------
        TypeError
            If `noise` returns something else.
        ValueError
            If its noise is not that of these sites.
        """
        if request.terms.pure and self.private and not self.discrete:
            raise ValueError(
                f"pure must be False under scheme {self.name!r}: its noise, agreed on before, is Gaussian alone"
            )
        parts = self._checked(request)
        if parts.agrees != self.agrees:
            raise ValueError(
                f"noise of scheme {self.name!r} must be agreed on for all sites and terms, or for none, got both"
            )
        return parts.fixed()

    @cached_property
    def agrees(self) -> bool:
        """Whether sites agree on noise before they send messages, so that a site may drop out in between."""
        return self._small.agrees

    @cached_property
    def discrete(self) -> bool:
        """Whether it releases with exact discrete noise: noise of neighbours and of zero sum is of real numbers."""
        return self.private and (self._small.design is None or self._small.after is not None)

    @cached_property
    def sum_only(self) -> bool:
        """Whether cryptography shows only the sum of the messages."""
        return self._small.sum_only

    @cached_property
    def summed(self) -> bool:
        """Whether a sum over those that sent is revealed, of messages or of noise."""
        return self._small.summed

    @property
    def curator(self) -> bool:
        """Whether one curator sees all records."""
        return self.seen_by == "curator"

    @property
    def one_site(self) -> bool:
        """Whether one site releases a result from its own records alone."""
        return self.seen_by == "only site"

    @cached_property
    def _small(self) -> Parts:
        """The parts of four equal sites, which show what kinds of noise there are."""
        return self._checked(Request(sites_of(np.ones(4), np.full(4, 0.25))))

    def _checked(self, request):
        parts = self.noise(request)
        if not isinstance(parts, Parts):
            raise TypeError(f"noise of scheme {self.name!r} must return Parts, got {check.shown(parts)}")
        return parts.of(request.sites)
