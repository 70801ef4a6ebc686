"""The noise of a plan whose months are correlated: who draws what in a month, and what the whole series tells.

The target of a site is that of all records of one person in all months. All sites draw for the most demanding one, so that
`core.series.Series` holds as it is; a month alone is a release of `cape-after` with designs of its own.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from core import check
from core.privacy import gaussian_mu
from core.schemes import Promise
from core.schemes.noise_design import CAP
from core.series import Series, Strategy, without

if TYPE_CHECKING:
    from core.parties.plan import Plan


def refuse_unfit(plan: Plan) -> None:
    """Raise a ValueError for what a series of correlated months does not allow, naming the parameter."""
    wanted: dict[str, tuple[Any, ...]] = {"scheme": ("cape-after",), "noise": ("iid",), "designs": (None,)}
    wanted["against"] = ("aggregator", "colluders")  # A target for one message does not survive feedback.
    for name, values in wanted.items():
        if getattr(plan, name) not in values:
            raise ValueError(
                f"{name} must be {' or '.join(map(repr, values))} where a series correlates months, got "
                f"{check.shown(getattr(plan, name))}"
            )
    if any(site.privacy is None for site in plan.sites):
        raise ValueError("privacy must be given for every site of a series, got None")
    series_of(plan)


def series_of(plan: Plan) -> Series:
    """The whole series in units of the most demanding site's w_s Δ_s/μ_s: its target is μ = 1."""
    return Series(
        strategy=_strategy(plan),
        sites=len(plan.sites),
        mu=1.0,
        colluding=plan.colluding,
        dropouts=plan.dropouts,
        lost=plan.months.lost,
        cap=CAP if plan.cap is None else plan.cap,
    )


def own_std(plan: Plan, number: int) -> float:
    """√γ of a site: standard deviation of its z, of which (C⁻¹z)_k is its own noise in month k, in its statistic's units."""
    return math.sqrt(series_of(plan).own) * _unit(plan) / plan.sites[number].weight


def options_of(plan: Plan, absent: tuple[int, ...]) -> dict[str, Any]:
    """What a month is released with: designs of every site; who is absent is one of those that may drop out.

    Raises
    ------
    ValueError
        If more are absent.
    """
    if len(absent) > plan.dropouts:
        raise ValueError(f"absent must be at most {plan.dropouts} sites of a series, got {len(absent)}")
    series, month = series_of(plan), plan.months.month or 0
    own = series.own * series.strategy.covariance[month, month]
    pair = np.sqrt([series.fresh, own]) * _unit(plan)
    designs = tuple(tuple((pair / site.weight).tolist()) for site in plan.sites)
    return {"designs": designs, "dropouts": plan.dropouts - len(absent)}


def promise(plan: Plan, number: int, sensitivity: float) -> Promise:
    """The largest μ of all records of one person at a site in the whole series, and the noise of this month's average."""
    series = series_of(plan)
    change = plan.sites[number].weight * sensitivity / _unit(plan)
    messages = series.strategy.participation.times / series.fresh
    alone, colluding = (
        1 / (series.own * series.hiding(gone, series.dropouts))
        for gone in (series.lost, series.lost + series.colluding)
    )
    return Promise(
        message=change * math.sqrt(messages),
        public=change * math.sqrt(alone),
        aggregator=change * math.sqrt(messages + alone),
        colluders=change * math.sqrt(messages + colluding),
        std=plan.repeated().promise().std,
    )


def errors_of(plan: Plan, asked: Any, *, missing: tuple[int, ...] = (), senders: Any = None) -> np.ndarray:
    """Standard error of the noise in each query over months, in the statistic's units; see `Plan.errors`."""
    months, sites = plan.months.months, len(plan.sites)
    there = (
        np.ones((months, sites)) if senders is None else np.asarray(check.reals("senders", senders), float)
    )
    if there.shape != (months, sites) or not there.any(axis=1).all():
        raise ValueError(
            f"senders must have shape {(months, sites)}, a sender in every month, got {there.shape}"
        )
    series, weights = series_of(plan), there @ [site.weight for site in plan.sites]
    shares = there / weights[:, None]
    noise = series.own * series.strategy.covariance * (shares @ shares.T)
    asked = without(asked, missing)
    return _unit(plan) * np.sqrt(np.einsum("nk,kl,nl->n", asked, noise, asked))


def _strategy(plan) -> Strategy:
    return plan.months.strategy


def _unit(plan):
    """The largest w_s Δ_s/μ_s."""
    return max(
        site.weight * site.sensitivity / gaussian_mu(site.privacy, calibration=plan.calibration)
        for site in plan.sites
    )
