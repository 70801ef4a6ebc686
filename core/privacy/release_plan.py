"""Releases that are planned over a time, and a budget that they share: exact composition against one observer.

The file is JSON that a person can read and write. What such a file says is foreign text.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from core import check
from core.privacy import Privacy, gdp_epsilon
from core.privacy.accountant import Accountant

Observer = Literal["public", "aggregator", "colluders"]
OBSERVERS: tuple[Observer, ...] = get_args(Observer)
FORMAT, VERSION = "CAPE Lab release plan", 1
LIMIT = 200_000  # Bytes of a file.
MOST_RELEASES, MOST_TIMES = 200, 1_000_000
_LETTERS = 200


@check.arguments(mu=check.extended)
@dataclass(frozen=True)
class Planned:
    """A release that is planned, once or several times, with noise of its own each time.

    Attributes
    ----------
    name : str
        What the plan calls it, such as "weekly mean".
    statistic : str
        What is released.
    scheme : str
        Of `core.schemes`.
    privacy : Privacy
        What each release is calibrated for.
    times : int
        How often.
    mu : float
        μ of one such release against the observer of the plan; ∞ for no privacy.
    most : int, optional
        In how many of these releases any of one person's records is, at most, at whichever sites. It is for the user to
        say, and cannot be told from data. None: in all of them.
    """

    name: str
    statistic: str
    scheme: str
    privacy: Privacy
    times: int = 1
    mu: float = math.inf
    most: int | None = None

    def __post_init__(self):
        for name in ("name", "statistic", "scheme"):
            _text(name, getattr(self, name))
        check.integer("times", self.times, low=0, high=MOST_TIMES)
        if not self.mu >= 0:
            raise ValueError(f"mu must be at least 0, got {self.mu}")
        if self.most is not None:
            check.integer("most", self.most, low=1, high=MOST_TIMES)

    @property
    def charged(self) -> int:
        """How many of them one person pays for."""
        return self.times if self.most is None else min(self.times, self.most)


@check.arguments
@dataclass(frozen=True)
class ReleasePlan:
    """Planned releases of the same records, and the budget that they share.

    Attributes
    ----------
    budget : Privacy
        What all releases together shall meet for each record.
    releases : tuple of Planned
    observer : "public", "aggregator" or "colluders"
        Against whom: who sees the results, who sees all messages too, or who colludes with sites besides.
    sites, colluding : int
        S, and how many of them collude in the last case.
    """

    budget: Privacy
    releases: tuple[Planned, ...] = ()
    observer: Observer = "public"
    sites: int = 2
    colluding: int = 0

    def __post_init__(self):
        check.choice("observer", self.observer, OBSERVERS)
        check.integer("sites", self.sites, low=1)
        check.integer("colluding", self.colluding, low=0, high=self.sites - 1)
        given = self.releases
        if not isinstance(given, tuple | list) or not all(isinstance(one, Planned) for one in given):
            raise ValueError(f"releases must be a sequence of Planned, got {check.shown(given)}")
        if len(given) > MOST_RELEASES:
            raise ValueError(f"releases must be at most {MOST_RELEASES}, got {len(given)}")
        object.__setattr__(self, "releases", tuple(given))

    @property
    def account(self) -> Accountant:
        """All releases together, for one person: of each at most so many as the person is in."""
        account = Accountant()
        for one in self.releases:
            account = account.record(mu=one.mu, releases=one.charged)
        return account

    @property
    def spent(self) -> float:
        """ε of all releases at the δ of the budget: exact; ∞ for no privacy."""
        return self.account.epsilon(self.budget.delta)

    @property
    def left(self) -> float:
        """ε, at the δ of the budget, of one further release that would use the budget up; 0 if nothing is left."""
        mu = self.account.left(self.budget)
        return gdp_epsilon(self.budget.delta, mu) if mu > 0 else 0.0

    @property
    def over(self) -> bool:
        """Whether the releases exceed the budget."""
        return self.spent > self.budget.epsilon * (1 + 1e-9)

    @check.arguments(place=check.whole(0))
    def further(self, place: int) -> int:
        """How many times more one of the releases fits into what is left, at most `MOST_TIMES`."""
        one = self.releases[check.integer("place", place, low=0, high=len(self.releases) - 1)]
        if one.mu == 0:
            return MOST_TIMES
        ratio = self.account.left(self.budget) / one.mu
        more = min(MOST_TIMES, math.floor(ratio * ratio * (1 + 1e-9)))
        # Of releases that a person is in the most already, further ones cost this person nothing.
        free = one.most is not None and one.charged + more >= one.most and not self.over
        return MOST_TIMES if free else more

    def to_dict(self) -> dict[str, Any]:
        """As a JSON object; μ of ∞ is None."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "budget": {"epsilon": self.budget.epsilon, "delta": self.budget.delta},
            "observer": self.observer,
            "sites": self.sites,
            "colluding": self.colluding,
            "releases": [_row(one) for one in self.releases],
            "account": self.account.to_dict(),
        }

    @classmethod
    def from_dict(cls, found: Mapping) -> ReleasePlan:
        """The plan that `to_dict` wrote; its account is composed anew.

        Raises
        ------
        ValueError
            For what is no such plan; the message may quote foreign text.
        """
        if not isinstance(found, Mapping) or found.get("format") != FORMAT or found.get("version") != VERSION:
            raise ValueError(f'found must be a release plan: "format": "{FORMAT}", "version": {VERSION}')
        rows = found.get("releases", [])
        if not isinstance(rows, list | tuple) or len(rows) > MOST_RELEASES:
            raise ValueError(f"releases must be a list of at most {MOST_RELEASES}, got {check.shown(rows)}")
        about = {name: found[name] for name in ("observer", "sites", "colluding") if name in found}
        return cls(_privacy("budget", found.get("budget")), tuple(map(_planned, rows)), **about)

    def text(self) -> str:
        """The file."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=1) + "\n"

    @classmethod
    def read(cls, content: bytes) -> ReleasePlan:
        """Read such a file.

        Raises
        ------
        ValueError
            If it is none.
        """
        if not isinstance(content, bytes) or len(content) > LIMIT:
            raise ValueError(f"content must be a release plan, of at most {LIMIT // 1000} kB")
        return cls.from_dict(check.strict_json(content))


def _row(one):
    return {
        "name": one.name,
        "statistic": one.statistic,
        "scheme": one.scheme,
        "epsilon": one.privacy.epsilon,
        "delta": one.privacy.delta,
        "times": one.times,
        "mu": one.mu if math.isfinite(one.mu) else None,
        **({} if one.most is None else {"most": one.most}),
    }


def _planned(found):
    if not isinstance(found, Mapping):
        raise ValueError(f"releases must be objects, got {check.shown(found)}")
    texts = [found.get(name, "") for name in ("name", "statistic", "scheme")]
    mu = found.get("mu")
    mu = math.inf if mu is None else check.nonnegative("mu", mu)
    return Planned(*texts, _privacy("releases", found), found.get("times", 1), mu, found.get("most"))


def _privacy(name, found):
    if not isinstance(found, Mapping) or not {"epsilon", "delta"} <= set(found):
        raise ValueError(f"{name} must have epsilon and delta, got {check.shown(found)}")
    return Privacy(found["epsilon"], found["delta"])


def _text(name, value):
    if not isinstance(value, str) or len(value) > _LETTERS:
        raise ValueError(f"{name} must be a text of at most {_LETTERS} letters, got {check.shown(value)}")
