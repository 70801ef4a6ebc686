"""A receipt with its plan and its average, as somebody opens it who was not there: foreign text, all of which is checked."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core import check
from core.desk import receipt
from core.desk.receipt import NoReceipt, Verified
from core.desk.result import Row, rows_of
from core.parties import Plan

LIMIT = 4_000_000  # Bytes of a receipt with its average.
_MOST_LEDGERS = 4096


@dataclass(frozen=True)
class Year:
    """What a site's ledger tells of its year, signed by the site.

    Attributes
    ----------
    site : str
    line : int
        Number of the ledger's last line.
    year : int
    spent : float
        μ of all releases of the year.
    epsilon, delta : float
        The ceiling.
    observer : str
        Against whom.
    """

    site: str
    line: int
    year: int
    spent: float
    epsilon: float
    delta: float
    observer: str


@dataclass(frozen=True)
class Released:
    """What a receipt says, after everything that it can prove was checked.

    Attributes
    ----------
    plan : Plan
    said : Verified
    value : ndarray
        The average that was signed.
    signed, silent : tuple of str
        Who signed, and who did not: names of sites, and "aggregator".
    dropped : tuple of str
    years : tuple of Year
    """

    plan: Plan
    said: Verified
    value: np.ndarray
    signed: tuple[str, ...]
    silent: tuple[str, ...]
    dropped: tuple[str, ...]
    years: tuple[Year, ...]

    @property
    def rows(self) -> tuple[Row, ...]:
        """Numbers in the plan's columns and units; none of a plan without columns."""
        return rows_of(self.plan, self.value, self.dropped) if self.plan.columns else ()


def opened(data: bytes) -> Released:
    """Read a receipt with its plan and average.

    Raises
    ------
    ValueError
        For what is none: too large, no JSON, a plan with another identifier, an average with another hash, signatures that
        are not right, or are of keys that the plan does not have. The message may quote foreign text.
    """
    if not isinstance(data, bytes) or len(data) > LIMIT:
        raise NoReceipt(f"receipt must have at most {LIMIT // 1_000_000} MB")
    found = check.strict_json(data)
    said = receipt.verified(receipt.parts_of(found)["release"])
    plan = Plan.from_dict(found["plan"])
    names = {key: name for name, key in plan.keys or ()}
    if said.predicate.get("plan") != plan.id or said.predicate.get("keys") != dict(plan.keys or ()):
        raise NoReceipt("plan must be the one that was signed, and is another one")
    if not set(said.signed) <= set(names):
        raise NoReceipt("signatures must be of keys that the plan has")
    signed = tuple(names[key] for key in said.signed)
    if "aggregator" not in signed or len(signed) <= plan.answers(len(plan.sites)):
        raise NoReceipt(
            f"receipt must be signed by the aggregator and at least {plan.answers(len(plan.sites))} sites, got {len(signed)}"
        )
    if not isinstance(said.predicate.get("sites"), list):
        raise NoReceipt("sites must be names in a list, and those that dropped out must be all others")
    value = _average(found["average"], plan, said)
    dropped = tuple(site.name for site in plan.sites if site.name not in said.predicate["sites"])
    silent = tuple(name for name in names.values() if name not in signed)
    ledgers = found.get("ledgers", ())
    if not isinstance(ledgers, list) or len(ledgers) > _MOST_LEDGERS:
        raise NoReceipt("ledgers must be a list of envelopes")
    order = [site.name for site in plan.sites]
    years = sorted((_year(one, plan, names) for one in ledgers), key=lambda year: order.index(year.site))
    if len({year.site for year in years}) < len(years):
        raise NoReceipt("ledgers must be of each site at most one")
    return Released(plan, said, value, signed, silent, dropped, tuple(years))


def _average(told, plan, said):
    try:
        value = np.array(told, dtype="<f8")
    except (TypeError, ValueError):
        raise NoReceipt("average must be numbers") from None
    if value.shape != plan.statistic.shape or receipt.digest_of(told) != said.subject:
        raise NoReceipt("average must be the one that was signed, and is another one")
    return value


def _year(envelope, plan, names):
    told = receipt.verified(envelope, kind=receipt.HEAD)
    about = told.predicate
    if (
        len(told.signed) != 1
        or names.get(told.signed[0]) != about.get("site")
        or about.get("plan") != plan.id
    ):
        raise NoReceipt("ledgers must be signed by the site itself, for this plan")
    try:
        epsilon, delta, observer = about["ceiling"]
        numbers = [check.nonnegative("ledgers", value) for value in (about["spent"], epsilon, delta)]
        line, year = (check.integer("ledgers", value, low=0) for value in (about["head"][0], about["year"]))
    except (KeyError, IndexError, TypeError, ValueError):
        raise NoReceipt("ledgers must tell line, year, spent and ceiling") from None
    return Year(str(about["site"]), line, year, *numbers, str(observer)[:20])
