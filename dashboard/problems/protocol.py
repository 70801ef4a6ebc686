"""Runs of the CAPE protocol on made-up numbers, and one of them as the page Protocol plays it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

from core import Privacy, release
from core.schemes import SCHEMES, named, variance_ratio
from dashboard.state.number_text import count_text, equals, number_text, short_text
from data import synthetic

COMPARED = ("cape", "conventional")
BATCH = 20  # Releases that one press of "× 20" shows.
MOST_BATCHES = 10
WHOLE = 100  # Per cent of CAPE's zero-sum noise: CAPE itself.
_LITTLE = 30  # Up to this share δ of all messages is less than 2 % larger than that of one, for any number of sites.
FAIR = 1 + 1e-9  # Noise of a message over that of a conventional one, up to rounding.
HARDLY = 1.005  # Up to here three digits of this ratio show no difference.
# The streams of this number are such that under the first seed, five sites make errors of about a standard deviation
# each: the run that everyone sees first should be a typical one. Further runs show the whole distribution.
STREAM = 368
STREAM_TOGETHER = (
    14  # Of runs that are drawn together; under the first seed those of ten sites begin with a typical one.
)
REACH = 3.3  # Standard deviations of the conventional average at which the axis of errors ends.
NAMES = (
    "Basel", "Kyoto", "Lima", "Oslo", "Quito", "Accra", "Delhi", "Hanoi", "Izmir", "Lyon",
    "Milan", "Natal", "Osaka", "Paris", "Riga", "Seoul", "Tunis", "Turin", "Vigo", "Zagreb",
)  # fmt: skip


@dataclass(frozen=True)
class ProtocolRun:
    """One release under CAPE and one under the conventional scheme, of the same values; arrays of shape (S,).

    Attributes
    ----------
    values : ndarray
        The true average of each site.
    zero_sum, local, messages : ndarray
        CAPE's noise of both kinds, and what the sites send: their sum with the values.
    average : float
        CAPE's released average.
    conventional_messages : ndarray
    conventional : float
        The average that the conventional scheme releases.
    conventional_std : float
        Standard deviation of its noise, by design.
    louder : float
        Noise of CAPE's messages over that of the conventional ones: more than 1 where the target holds against
        somebody who sees several messages.
    further : dict of str to ndarray
        Averages of further releases with new noise, for each scheme of `COMPARED`.
    average_std : float
        Standard deviation of the noise of CAPE's average, by design.
    share : int
        How large the zero-sum noise is beside CAPE's, in per cent of its standard deviation: see `amplitude_of`.
    """

    values: np.ndarray
    zero_sum: np.ndarray
    local: np.ndarray
    messages: np.ndarray
    average: float
    conventional_messages: np.ndarray
    conventional: float
    conventional_std: float
    louder: float = 1.0
    further: dict[str, np.ndarray] = field(default_factory=dict)
    average_std: float = 0.0
    share: int = WHOLE

    @property
    def name(self) -> str:
        """What the blue scheme is called: CAPE, or a step on the way to it; 0 % is the conventional scheme."""
        return "CAPE" if self.share == WHOLE else f"{self.share} % blue"

    @property
    def truth(self) -> float:
        """The true average."""
        return float(self.values.mean())

    def errors(self, scheme: str) -> np.ndarray:
        """Released minus true average of the first and all further releases under a scheme of `COMPARED`."""
        first = self.average if scheme == "cape" else self.conventional
        return np.array([first, *self.further.get(scheme, ())]) - self.truth


def amplitude_of(share: int, sites: int) -> float:
    """The `amplitude` of a release whose zero-sum noise has `share` per cent of the standard deviation of CAPE's.

    With amplitude a, the part q = a(S − 1)/(1 + a(S − 1)) of a message's variance is zero-sum; CAPE, a = 1, has
    1 − 1/S. At equal noise of a message, the share f of the standard deviation is f² of this part, and
    q = f²(1 − 1/S) needs a = f²/(S(1 − f²) + f²).

    Examples
    --------
    >>> [amplitude_of(share, 10) for share in (0, 100)]
    [0.0, 1.0]
    """
    part = (share / WHOLE) ** 2
    return part / (sites * (1 - part) + part)


@lru_cache(maxsize=32)
def site_averages(sites: int, samples: int | tuple[int, ...], seed: int, spread: float = 0.0) -> np.ndarray:
    """The average of each site's records, numbers in [0, 1]; one record changes it by at most 1/n_s."""
    drawn = synthetic.bounded(sites, samples=samples, spread=spread, rng=np.random.default_rng(seed))
    averages = np.array([values.mean() for values in drawn.sites])
    averages.setflags(write=False)
    return averages


@dataclass(frozen=True)
class Averages:
    """Averages that one scheme releases in independent runs of the protocol, and the first run in full.

    Attributes
    ----------
    scheme : str
    truth : float
        The true average.
    std : float
        Standard deviation of the noise of the average, by design.
    design : NoiseDesign, GraphDesign or None
        How the noise is planned; None for schemes without a plan.
    bias : float
        Mean error of the average: the first site's deviation from the true average where one site is alone, else 0.
    values : ndarray of shape (R,)
        The released averages.
    zero_sum, local : ndarray of shape (S,), or None
        Both kinds of noise in the first run; None under a scheme that has not both.
    messages : ndarray of shape (S,)
        What the sites send in the first run.
    """

    scheme: str
    truth: float
    std: float
    design: Any
    bias: float
    values: np.ndarray
    zero_sum: np.ndarray | None
    local: np.ndarray | None
    messages: np.ndarray

    @property
    def errors(self) -> np.ndarray:
        """Released minus true averages."""
        return self.values - self.truth

    @property
    def measured_std(self) -> float:
        """Standard deviation of the released averages; their mean is known by design and not estimated."""
        return float(np.sqrt(np.mean((self.errors - self.bias) ** 2)))


def averages(
    values: np.ndarray,
    samples: int,
    privacy: Privacy,
    scheme: str,
    *,
    seed: int,
    runs: int,
    together: bool = False,
    **terms: Any,
) -> Averages:
    """Release the average of `values` in independent runs.

    Parameters
    ----------
    values : array of shape (S,)
        Averages of `samples` numbers in [0, 1] each.
    seed : int
        Noise seed. Every scheme has streams of its own.
    together : bool
        Whether all runs are drawn from one stream. Otherwise the first has one, and every `BATCH` further ones, which
        are drawn as a whole: more runs then change no earlier one.
    **terms
        Options of `core.schemes.release`.
    """
    given = tuple(values.tolist()), samples, privacy, scheme, named(scheme), SCHEMES.index(scheme)
    return _averages(*given, seed, runs, together, tuple(sorted(terms.items())))


@lru_cache(maxsize=64)
def _averages(values, samples, privacy, scheme, known, place, seed, runs, together, terms):
    repeated, found = np.array(values), []
    for stream, count in streams(runs, together=together):
        rng = np.random.default_rng([seed, place, *stream])
        columns = np.repeat(repeated[:, None], count, axis=1)
        found.append(release(columns, 1 / samples, privacy, scheme=scheme, rng=rng, **dict(terms)))
    first, truth = found[0], float(repeated.mean())
    parts = (None if part is None else part[:, 0] for part in (first.zero_sum, first.local, first.messages))
    bias = values[0] - truth if known.one_site else 0.0
    return Averages(
        scheme,
        truth,
        float(np.max(first.std)),
        first.design,
        bias,
        np.concatenate([np.asarray(one.value) for one in found]),
        *parts,
    )


def streams(runs: int, *, together: bool) -> list[tuple[list[int], int]]:
    """The last numbers of every seed from which at least `runs` runs are drawn, and how many each draws."""
    if together:
        return [([STREAM_TOGETHER], runs)]
    batches = range(1, 1 + -(-(runs - 1) // BATCH))
    return [([0, STREAM], 1), *(([batch, STREAM], BATCH) for batch in batches)]


def played(run: ProtocolRun, *, noun: str = "site", most: int = BATCH * MOST_BATCHES) -> dict:
    """Everything that the play draws and says, as plain numbers and texts; a still picture can be drawn from it.

    Parameters
    ----------
    noun : str
        What a site is called.
    most : int
        How many further runs there can be under each scheme.

    Returns
    -------
    dict
        Names of the sites; values, zero_sum, local, messages, conventional_messages (lists of S numbers); the numbers
        average, conventional, truth, share, and reach, where the axis of errors ends; bands (the standard deviation of
        each scheme's average); further (a list of numbers for each scheme) and most; captions, one a step and one for
        the end; and rival, what is said in the last step while the conventional messages travel; lane, what the blue
        scheme is called; learns, what the aggregator learns beside one message.
    """
    arrays = ("values", "zero_sum", "local", "messages", "conventional_messages")
    sites = len(run.values)
    return {
        "noun": noun,
        "lane": run.name,
        "learns": f"sees all: {_aggregator(run)}",
        "names": list(NAMES[:sites]) if sites <= len(NAMES) else [str(s + 1) for s in range(sites)],
        **{name: getattr(run, name).tolist() for name in arrays},
        "average": run.average,
        "conventional": run.conventional,
        "truth": run.truth,
        "reach": REACH * run.conventional_std,
        "bands": {"cape": run.average_std, "conventional": run.conventional_std},
        "share": run.share,
        "most": most,
        "further": {scheme: run.further[scheme].tolist() if run.further else [] for scheme in COMPARED},
        "captions": captions(run, noun),
        "rival": _rival(run),
    }


def captions(run: ProtocolRun, noun: str) -> list[str]:
    """One caption a step and one for the end, in plain text; stars enclose what is bold.

    Each names only what its step draws.
    """
    sites, cancels = len(run.values), "The blue noise" if run.share else "None of the noise"
    return [
        f"{count_text(sites, noun)} want their patients' average (0 to 1, invented). Each knows only its own dot. "
        "*We see all.*",
        _zero_sum(run),
        "Each adds a little *yellow noise* of its own. Its running sum does not return to 0: *it stays*.",
        f"Only messages travel, value plus noise. The aggregator sees the squares, and *no {noun}'s true value*.",
        f"The aggregator averages the messages. *{cancels} cancels*; the yellow noise stays, divided by {sites}.",
        _verdict(run),
    ]


def _zero_sum(run):
    if run.share == 0:
        return "*No noise sums to zero* under the conventional scheme."
    return (
        "Together they draw *blue noise that sums to zero*, a part for each. "
        "Its running sum wanders, and it *must return to 0*."
    )


def _rival(run):
    return (
        f"Now without CAPE: {_of_messages(run)} (*orange*), but *none of it is made to cancel*: "
        "its average is the error."
    )


def _of_messages(run):
    if run.louder > FAIR:
        return f"{number_text(run.louder)} times less noise in every message"
    return "as much noise in every message"


def _verdict(run):
    """What the end says: one run's typical error and its condition, or the errors of all runs that are shown."""
    if len(run.errors("cape")) > 1:
        return _of_all_runs(run)
    if run.share == 0:
        return "*Without the blue noise, none cancels*: this is the conventional scheme's standard deviation."
    smaller = f"standard deviation is {ratio_text(run)} times smaller"
    if run.louder > FAIR:
        whose = "CAPE's" if run.share == WHOLE else f"at {run.share}\u00a0% the"
        loud = f"{number_text(run.louder)} times the" if run.louder > HARDLY else "hardly more"
        return (
            f"*Only the blue noise cancels: {whose} {smaller}* than conventional, with {loud} noise in every message: "
            "all of them together meet the target."
        )
    whose = "CAPE's" if run.share == WHOLE else f"At {run.share}\u00a0% the"
    return (
        # The text below the play says how many times if all messages are seen.
        f"*{whose} {smaller}* than conventional at the same ε, if only the result or one message is seen."
    )


def _aggregator(run):
    if run.louder > FAIR:
        return "the target holds"
    more = "no more" if run.share == 0 else "hardly more" if run.share <= _LITTLE else "more"
    return f"learns {more} than ε promises"


def _of_all_runs(run):
    cape_error, other_error = (short_text(typical_error(run, scheme)) for scheme in COMPARED)
    whose = "CAPE's" if run.share == WHOLE else f"those at {run.share} %"
    fair = f", with {_of_messages(run)}" if run.louder <= FAIR and run.share else ""
    return (
        f"{len(run.errors('cape'))} runs: the standard deviation of {whose} is {cape_error}, of the conventional ones "
        f"{other_error}. *The ratio tends to {number_text(run.conventional_std / run.average_std)}*{fair}."
    )


def ratio_text(run: ProtocolRun) -> str:
    """How many times smaller the typical error of the blue scheme is; √S under CAPE for equally noisy messages."""
    if run.share == WHOLE and run.louder <= FAIR:
        return equals(f"√{len(run.values)}", len(run.values) ** 0.5)
    return number_text(run.conventional_std / run.average_std)


def equal_privacy_text(sites: int, share: int = WHOLE) -> str:
    """How many times smaller CAPE's error is where both schemes are equally private for whoever sees all messages.

    With zero-sum noise of `share` per cent of CAPE's; see `amplitude_of`.
    """
    ratio = variance_ratio(0, sites) / variance_ratio(amplitude_of(share, sites), sites)
    return number_text(float(ratio) ** 0.5)


def typical_error(run: ProtocolRun, scheme: str) -> float:
    """The root of the mean squared error over all releases that a run shows under a scheme."""
    return float(np.sqrt(np.mean(run.errors(scheme) ** 2)))
