"""The session's ledger: every draw of private noise that was shown, and their composed privacy cost.

It is the ledger of a simulation: the data are synthetic, public or the user's own, and no budget stops a release.
It states the privacy cost of the session if the records were private and every new setting drew its own noise.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, replace

import param

from core.privacy.accountant import Accountant

VIEWS = ("public", "aggregator")


@dataclass(frozen=True)
class Drawn:
    """Draws of private noise that were shown and that all have the same privacy cost.

    Attributes
    ----------
    identity : hashable
        Settings and seed, which identify these draws. The same draws shown again have no further cost.
    data : str
        Name of the data set. Using a different number of its records does not make it a different data set.
    method : str
        A key of `dashboard.theme.scheme_style.LOOKS`.
    settings : str
        The settings of the draws, in words.
    draws : int
        Number of independent draws.
    public, aggregator : float
        μ of the Gaussian part of one draw, for an observer of the result and for an observer of all messages;
        ∞ for no protection.
    pure : float
        The ε of its pure part; 0 for none.
    pure_public : float, optional
        That of whoever sees the result alone, if it is another.
    curator : bool
        Whether one trusted curator saw every record; all others see the result only.
    one_site : bool
        Whether only the records of site 1 were used.
    releases : int
        Of how many releases one draw consists: its cost is that of all together, for one person.
    assumed : str
        What this cost counts on besides the settings, in one sentence; "" for nothing.
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
    pure_public: float | None = None
    releases: int = 1
    assumed: str = ""

    def epsilon(self, view: str) -> float:
        """ε of the pure part for an observer."""
        here = self.curator or view == "public"
        return self.pure_public if here and self.pure_public is not None else self.pure

    def mu(self, view: str) -> float:
        """μ for an observer; a curator is trusted and does not count as one."""
        return self.public if self.curator else getattr(self, view)


@dataclass(frozen=True)
class Entry:
    """All draws of one page under one setting so far; `drawn.identity` is None."""

    page: str
    drawn: Drawn


class Ledger(param.Parameterized):
    """The draws of private noise that were shown in this session."""

    changes = param.Integer(0, doc="Increases whenever a new draw is shown, and at every reset.")

    def __init__(self, **params):
        super().__init__(**params)
        self._seen: set[int] = set()
        self._entries: dict[tuple[str, Drawn], int] = {}
        self._assumed: dict[int, tuple[str, Drawn]] = {}

    def add(self, page: str, drawn: Iterable[Drawn]) -> None:
        """Record draws that a page shows; those that were shown before are left out, or cost what is now assumed."""
        news = False
        for one in drawn:
            # Only the hash is kept: an identity may reference the records of a user whose session has ended.
            mark = hash((page, one.method, one.identity))
            if mark not in self._seen or one.assumed:
                key = page, replace(one, identity=None, draws=0)
                if self._assumed.get(mark) == key:
                    continue
                self._take_back(mark, one.draws)
                self._seen.add(mark)
                self._entries[key] = self._entries.get(key, 0) + one.draws
                if one.assumed:
                    self._assumed[mark] = key
                news = True
        if news:
            self.changes += 1

    def _take_back(self, mark, draws):
        """The same draws count once, whatever was assumed of them before."""
        if (key := self._assumed.pop(mark, None)) is not None:
            self._entries[key] -= draws
            if not self._entries[key]:
                del self._entries[key]

    def reset(self) -> None:
        """Clear the ledger, as for a new session."""
        self._seen.clear()
        self._entries.clear()
        self._assumed.clear()
        self.changes += 1

    @property
    def entries(self) -> list[Entry]:
        """All entries, in the order of their first draw."""
        return [Entry(page, replace(drawn, draws=count)) for (page, drawn), count in self._entries.items()]

    @property
    def data(self) -> list[str]:
        """Names of the data sets of which a draw was shown."""
        return list(dict.fromkeys(entry.drawn.data for entry in self.entries))

    def account(self, data: str, view: str, *, first_site: bool) -> Accountant:
        """The accountant of one record of a data set, of site 1 or of another site, against one observer."""
        account = Accountant()
        for drawn in (entry.drawn for entry in self.entries):
            if drawn.data == data and (first_site or not drawn.one_site):
                account = account.record(mu=drawn.mu(view), epsilon=drawn.epsilon(view), releases=drawn.draws)
        return account

    def worst(self, delta: float) -> tuple[str, float]:
        """The data set with the largest public privacy cost, and its ε at δ."""
        spent = {data: self.account(data, "public", first_site=True).epsilon(delta) for data in self.data}
        return max(spent.items(), key=lambda pair: pair[1], default=("", 0.0))

    def has_one_site(self, data: str) -> bool:
        """Whether a draw used site 1 only, so that the cost of its records is higher than that of others."""
        return any(entry.drawn.one_site for entry in self.entries if entry.drawn.data == data)
