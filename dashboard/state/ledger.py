"""The session's ledger: every draw of private noise that was shown, and what all of them add up to.

It is a simulation's ledger: the data are made up, public or the user's own, and nothing stops. It tells what the
session would have cost, had the records been private and had every new setting drawn noise of its own.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, replace

import param

from core.privacy.accountant import Accountant

VIEWS = ("public", "aggregator")


@dataclass(frozen=True)
class Drawn:
    """Draws of private noise that were shown, alike in all that they cost.

    Attributes
    ----------
    identity : hashable
        Settings and seed: what tells these draws from others. The same draws shown again cost nothing more.
    data : str
        Name of the data set. Settings that only choose how many records of it are used do not make it another.
    method : str
        A key of `dashboard.theme.scheme_style.LOOKS`.
    settings : str
        What they were drawn under.
    draws : int
        How many independent draws this is.
    public, aggregator : float
        μ of the Gaussian part of one draw, for whoever sees the result, and for whoever sees all messages;
        ∞ for no protection.
    pure : float
        The ε of its pure part, for all onlookers alike; 0 for none.
    curator : bool
        One trusted curator saw every record; all others see the result alone.
    one_site : bool
        Only the records of site 1 were used.
    """

    identity: Hashable
    data: str
    method: str
    settings: str
    draws: int = 1
    public: float = 0.0
    aggregator: float = 0.0
    pure: float = 0.0
    curator: bool = False
    one_site: bool = False

    def mu(self, view: str) -> float:
        """μ for an onlooker; a curator, who is trusted, does not count as one."""
        return self.public if self.curator else getattr(self, view)


@dataclass(frozen=True)
class Entry:
    """Draws of one page under one setting so far; `drawn.identity` is None."""

    page: str
    drawn: Drawn


class Ledger(param.Parameterized):
    """What was shown in this session."""

    changes = param.Integer(0, doc="Counts up whenever something new was shown, or all was forgotten.")

    def __init__(self, **params):
        super().__init__(**params)
        self._seen: set[int] = set()
        self._entries: dict[tuple[str, Drawn], int] = {}

    def add(self, page: str, drawn: Iterable[Drawn]) -> None:
        """Enter draws that a page shows; those that were shown before are left out."""
        news = False
        for one in drawn:
            # Their hash alone is kept: identities may hold on to the records of a user who leaves.
            mark = hash((page, one.method, one.identity))
            if mark not in self._seen:
                self._seen.add(mark)
                key = page, replace(one, identity=None, draws=0)
                self._entries[key] = self._entries.get(key, 0) + one.draws
                news = True
        if news:
            self.changes += 1

    def reset(self) -> None:
        """Forget everything: a new session."""
        self._seen.clear()
        self._entries.clear()
        self.changes += 1

    @property
    def entries(self) -> list[Entry]:
        """All entries, in the order of their first draw."""
        return [Entry(page, replace(drawn, draws=count)) for (page, drawn), count in self._entries.items()]

    @property
    def data(self) -> list[str]:
        """Names of the data sets of which something was shown."""
        return list(dict.fromkeys(entry.drawn.data for entry in self.entries))

    def account(self, data: str, view: str, *, first_site: bool) -> Accountant:
        """What a record of a data set has spent: one of site 1, or of another site, against an onlooker."""
        account = Accountant()
        for drawn in (entry.drawn for entry in self.entries):
            if drawn.data == data and (first_site or not drawn.one_site):
                account = account.record(mu=drawn.mu(view), epsilon=drawn.pure, releases=drawn.draws)
        return account

    def worst(self, delta: float) -> tuple[str, float]:
        """The data set of which the public has learned most, and the ε that it spent at δ."""
        spent = {data: self.account(data, "public", first_site=True).epsilon(delta) for data in self.data}
        return max(spent.items(), key=lambda pair: pair[1], default=("", 0.0))

    def has_one_site(self, data: str) -> bool:
        """Whether something was shown of site 1 alone, so that its records have spent more than others'."""
        return any(entry.drawn.one_site for entry in self.entries if entry.drawn.data == data)
