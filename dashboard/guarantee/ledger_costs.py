"""The privacy cost of draws of noise, as entries of the session's ledger."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from functools import lru_cache

import numpy as np

from core import Privacy
from core.privacy import gdp_epsilon
from core.privacy.accountant import pure_epsilon
from core.schemes import find, planned, planned_silence, repeated
from core.sweep import Job
from dashboard.guarantee.guarantee import Terms, run_terms_of, terms_of
from dashboard.state.ledger import VIEWS, Drawn
from dashboard.state.number_text import count_text, equals, range_text


def under_scheme(
    scheme: str,
    privacy: Privacy,
    *,
    identity: Hashable,
    data: str,
    settings: str,
    sites: int | tuple[int, ...],
    calibration: str,
    understated: float = 1.0,
    draws: int = 1,
    terms: Terms = (),
    equal: bool = False,
) -> Drawn | None:
    """The cost of draws under a scheme, with the dropouts that happened; None for the answer without noise.

    Parameters
    ----------
    identity, data, settings, draws
        See `Drawn`.
    sites : int or tuple of int
        How many there are, or the records at each, which decide who falls silent.
    equal : bool
        Whether these sites have equal weights, not n_s/N.
    understated : float
        True sensitivity divided by the assumed one, or the square root of the number of such releases in one draw.
    terms : tuple of pairs
        As `run_terms_of` finds them.
    """
    if (record := find(scheme)) is None or not record.private:
        return None
    public, aggregator = released(scheme, privacy, sites, calibration, understated, terms, equal)
    pure: dict = {}
    if dict(terms).get("pure"):  # Each μ is that of an ε; a curator's messages are none.
        pure = {"pure": pure_epsilon(aggregator), "pure_public": pure_epsilon(public)}
        public = aggregator = 0.0
    return Drawn(
        identity,
        data,
        scheme,
        settings,
        draws,
        public,
        aggregator,
        curator=record.curator,
        one_site=record.one_site,
        **pure,
    )


def of_job(job: Job, *, data: str, calibration: str, understated: float = 1.0) -> Drawn | None:
    """The cost of one run of a sweep under a scheme."""
    here = dict(job.settings)
    samples = here.get("sizes", here.get("samples"))
    return under_scheme(
        job.scheme,
        Privacy(here["epsilon"], here["delta"]),
        identity=job,
        data=data,
        settings=job_words(job.settings),
        sites=samples if isinstance(samples, tuple) else here["sites"],
        calibration=calibration,
        understated=understated,
        terms=run_terms_of(here),
        equal=here.get("weights") == "equal",
    )


@lru_cache(maxsize=4096)
def released(
    scheme: str,
    privacy: Privacy,
    sites: int | tuple[int, ...],
    calibration: str,
    understated: float,
    terms: Terms,
    equal: bool = False,
) -> tuple[float, float]:
    """μ of one release for whoever sees the average, and for whoever sees all messages.

    Weighted by their shares n_s/N, sites of unequal size reveal what equal ones do.

    Parameters
    ----------
    sites : int or tuple of int
        As in `under_scheme`, like `equal`.
    understated : float
        True sensitivity divided by the assumed one.
    terms : tuple of pairs
        As `run_terms_of` finds them.
    """
    count, change = len(sites) if isinstance(sites, tuple) else sites, np.float64(1.0)
    silent = planned(dict(terms), sites, scheme)
    if equal and isinstance(sites, tuple):
        change, planned_for = 1 / np.array(sites, dtype=float), dict(terms_of(dict(terms)))
        lost = dict(terms).get("dropped", 0)
        silent = planned_for | {"dropped": planned_silence(scheme, change, silent=lost, **planned_for).silent}
    options = {"sites": count, "scheme": scheme, "calibration": calibration, "assumed": change}
    learnt = repeated(understated * change, privacy, **options, **silent).promise()
    return learnt.public, learnt.aggregator


def of_curator(job: Job, *, data: str, mu: float = 0.0, pure: float = 0.0) -> Drawn:
    """The cost of one run by a trusted curator: μ of its Gaussian part, ε of its pure part."""
    return Drawn(
        job, data, job.scheme, job_words(job.settings), public=mu, aggregator=mu, pure=pure, curator=True
    )


def counted_on(name: str, most: int, times: int, *, records: int = 1) -> str:
    """What the cost of releases counts on: in how many of them a person is, with how many records, in one sentence."""
    each = "" if records == 1 else f", with {count_text(records, 'record')} in each"
    if most >= times:
        return f"The cost of “{name}” counts a person in all {times} releases{each}: nobody has said anything else."
    return (
        f"The cost of “{name}” counts on what you say: a person is in at most {most} of {times} releases{each}, at all "
        "sites together."
    )


def data_name(source, job: Job) -> str:
    """The name of a run's data set, from a source of `data`; another data seed means another synthetic data set."""
    drawn = source.synthetic or source.unit == "one synthetic record"
    return seeded(source.title, job) if drawn else source.title


def seeded(title: str, job: Job) -> str:
    """The name of a data set that is drawn with the data seed."""
    return f"{title}, data seed {dict(job.settings)['data_seed']}"


@lru_cache(maxsize=4096)
def job_words(settings: tuple) -> str:
    """The settings of a run, in words."""
    here = dict(settings)
    return settings_words(
        here["epsilon"], here["delta"], here.get("sites"), here.get("samples"), here.get("sizes")
    )


def settings_words(epsilon: float, delta: float, sites: int | None = None, samples=None, sizes=None) -> str:
    """The settings of a release, in words; `samples` of sites with names are a tuple, None is left out."""
    parts = [equals("ε", epsilon), equals("δ", delta)]
    if sites is not None:
        parts.append(equals("S", sites))
    if samples is not None and np.ndim(samples) == 0:
        parts.append(equals("Nₛ", samples if sizes is None else range_text(sizes)))
    return ", ".join(parts)


def entered_words(drawn: Sequence[Drawn], delta: float) -> str:
    """What its user is told who has just entered draws in the ledger: the ε of all of them together, at δ."""
    both = [math.hypot(*(one.mu(view) for one in drawn)) for view in VIEWS]
    results, messages = (
        equals("ε", gdp_epsilon(delta, mu)) if mu < math.inf else "no privacy" for mu in both
    )
    at = f"at {equals('δ', delta)}"
    if messages == results:
        return f"Entered: {messages} counts now in the Ledger, {at}."
    return (
        f"Entered: {messages} counts now in the Ledger for whoever sees all messages, {results} for whoever sees the "
        f"results, {at}."
    )
