"""A two-layer classifier trained through a scheme: clipped gradients, averaged with noise at every step.

[Cape] section 5.1: a hidden layer of ReLU units, one sigmoid output, cross-entropy. Every example's gradient
is clipped as one vector over all parameters to a public norm C; replacing a record then moves a site's average
gradient by at most 2C/n. Steps compose exactly, μ² = Σ μ_t² [Gdp].
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import numpy as np

from core import check
from core import privacy as accounting
from core.hashed import hashed
from core.network.model import Network, start
from core.network.site_gradients import Pass, Records
from core.privacy import Calibration, Privacy
from core.schemes import SCHEMES, Held, Release, is_private, over_stages, planned, repeated

Budget = Literal["total", "step"]
BUDGETS: tuple[Budget, ...] = get_args(Budget)
SEEN = ("loss", "accuracy", "clipped")
HIDDEN = 5  # Default number of units of the hidden layer.
_START = zlib.crc32(b"start weights")
# A weight this large is no longer learning; nothing overflows before it is seen.
DIVERGED = 1e6
LARGEST = 1e100  # Of a feature. Products with weights below `DIVERGED` are then within a float's range.


@dataclass(frozen=True)
class Step:
    """State of a training after a step.

    Attributes
    ----------
    number : int
        Steps taken, from 1.
    network : Network
        After the update.
    seen : Pass
        The pass over the records of this step, before the update; *not private*.
    releases : tuple of (Release, int)
        The latest release of every part of the records, and how often it has been released so far.
    """

    number: int
    network: Network
    seen: Pass = field(repr=False)
    releases: tuple[tuple[Release, int], ...] = field(repr=False)

    @property
    def loss(self) -> float:
        """Cross-entropy over the records of this step, before the update; a diagnostic, *not private*."""
        return self.seen.loss

    @property
    def accuracy(self) -> float:
        """Share of these records on the right side of the boundary, before the update; *not private*."""
        return self.seen.accuracy

    @property
    def clipped(self) -> float:
        """Share of these records whose gradient was clipped; *not private*."""
        return self.seen.clipped

    @property
    def mu_public(self) -> float:
        """μ of all steps so far for whoever sees the networks alone."""
        return self._composed(lambda r: r.mu_public)

    @property
    def mu_message(self) -> float:
        """μ of all steps so far for whoever sees one site's messages alone.

        From the second step on messages depend on averages that the observer does not see, and that share noise with
        the messages before: no less than what is proved with these averages in view, `mu_aggregator`, is claimed.
        """
        alone = self._composed(lambda r: r.mu_message)
        return over_stages.trusted(alone, self.mu_aggregator, float(self.number > 1))

    @property
    def mu_aggregator(self) -> float:
        """μ of all steps so far for whoever sees all messages and the broadcast sums."""
        return self._composed(lambda r: r.mu_aggregator)

    @check.arguments
    def mu(self, colluding=0) -> float:
        """μ of all steps so far against the aggregator and colluding sites (how many, or which)."""
        return self._composed(lambda r: r.mu(colluding))

    def _composed(self, mu):
        # A record is in one part; each visit is one more release of it.
        return max(math.sqrt(visits) * mu(r) for r, visits in self.releases)


@dataclass(frozen=True)
class Training:
    """A finished (or stopped) training.

    Attributes
    ----------
    network : Network
    last : Step
        Where it ended, with the composed guarantee.
    losses, accuracies, clipped : ndarray of shape (steps,)
        Of every step, as in `Step`.
    """

    network: Network
    last: Step
    losses: np.ndarray
    accuracies: np.ndarray
    clipped: np.ndarray


@check.arguments(clip=check.optional(check.sized))
def steps(
    sites: Sequence,
    *,
    scheme: str,
    privacy: Privacy | None,
    rng: np.random.Generator,
    steps: int = 100,
    budget: Budget = "total",
    hidden: int = HIDDEN,
    clip: float | None = 1.0,
    learning_rate: float = 0.5,
    batches: int = 1,
    begin: Network | None = None,
    **options,
) -> Iterator[Step]:
    """Train step by step: a generator of the state after each step; stop iterating to stop the training.

    Parameters
    ----------
    sites : sequence of S pairs (X of shape (n_s, d), y of {0, 1} of shape (n_s,))
        Records need no bound, for the gradients are clipped; entries must be at most 1e100 in size, so that
        no record can stop a training that has begun.
    scheme : str
        One of `core.schemes.SCHEMES`.
    privacy : Privacy or None
        The privacy target, for the whole training or for every step; None for "nonprivate". With against="message"
        it holds for the networks of all steps, and for one message, seen alone.
    steps : int
        Steps to take.
    budget : {"total", "step"}
        "total": all steps together meet the privacy target. "step": each step alone, published; what that comes to
        in all is `Step.mu_public`.
    hidden : int
        Hidden units.
    clip : float or None
        Public bound C of a gradient's norm. None only for "nonprivate".
    learning_rate : float
    batches : int
        Each site deals its records once, at random, to this many parts, and steps take them in turn. A record
        is then in every `batches`-th step only, which is counted; no amplification by sampling is claimed.
    begin : Network, optional
        Where to start; default `start` with `rng`.
    **options
        Passed to `core.schemes.release`: calibration, against, colluding, zero_sum.

    Raises
    ------
    ValueError
        For bad records or options, at once; while training, if it diverges.
    """
    check.choice("scheme", scheme, SCHEMES)
    count = check.integer("steps", steps, low=1)
    rate = check.positive("learning_rate", learning_rate)
    parts = check.integer("batches", batches, low=1)
    if clip is not None or is_private(scheme):
        clip = check.positive("clip", clip)
    pairs = _records(sites, parts)
    if begin is None:
        begin = start(pairs[0][0].shape[1], hidden, rng=rng)
    target = None
    if is_private(scheme):
        target = _step_target(privacy, budget, math.ceil(count / parts), options)
        if budget == "total":
            options = {**options, "calibration": "exact"}
    return _run(begin, _deal(pairs, parts, rng), scheme, target, count, clip, rate, rng, options)


@check.arguments
def train(sites: Sequence, *, on_step: Callable[[Step], None] | None = None, **options) -> Training:
    """Train to the end; parameters as in `steps`. `on_step` is called after every step."""
    history = []
    for step in steps(sites, **options):
        history.append((step.loss, step.accuracy, step.clipped))
        if on_step is not None:
            on_step(step)
    return Training(step.network, step, *np.array(history).T)


@check.arguments
def step_privacy(privacy: Privacy, releases: int, *, calibration: Calibration = "exact") -> Privacy:
    """Privacy target of each of several releases that together meet (ε, δ): μ/√releases."""
    releases = check.integer("releases", releases, low=1)
    mu = accounting.gaussian_mu(privacy, calibration=calibration)
    return accounting.privacy_of(mu / math.sqrt(releases))


@hashed
@check.arguments(start_seed=check.optional(check.seed))
@dataclass(frozen=True)
class Problem:
    """Private training as a problem for `core.sweep`.

    Attributes
    ----------
    load : callable
        Maps the settings named in `data_settings` to (sites, held out): pairs (X, y), and one pair to test on.
    data_settings : tuple of str
        Settings that `load` depends on.
    options : tuple of (str, value)
        Options of `steps`; the settings' "steps", if there, goes before.
    start_seed : int, optional
        Seed of the start weights, which are then those of every run, and are drawn from a stream of their own:
        start weights are public, and the stream of the noise is not. Default: a run draws its own with its rng.
    """

    load: Callable[[Mapping], tuple[Sequence, tuple[np.ndarray, np.ndarray]]]
    data_settings: tuple[str, ...] = ("sites", "samples", "dimension", "data_seed")
    options: tuple[tuple[str, Any], ...] = ()
    start_seed: int | None = None

    methods = SCHEMES

    @check.arguments
    def earlier(self, settings: Mapping) -> float:
        """Share of μ² before the last step, for `core.schemes.over_stages`: 1 bounds it."""
        return float(settings.get("steps", dict(self.options).get("steps", 2)) > 1)

    @check.arguments
    def statistics(self, settings: Mapping):
        """The settings' records: nothing of a training can be computed before."""
        return self.load(settings)

    @check.arguments
    def estimate(
        self,
        statistics: tuple,
        scheme: str,
        privacy,
        rng,
        settings: Mapping,
        *,
        on_step: Callable[[Step], object] | None = None,
    ) -> dict[str, float]:
        """Accuracy on records trained on and held out, and the last loss; `on_step` as in `train`."""
        for step in self.training(statistics, scheme, privacy, rng, settings):
            if on_step is not None:
                on_step(step)
        return self.figures(statistics, step.network)

    @check.arguments
    def training(self, statistics, scheme: str, privacy, rng, settings: Mapping) -> Iterator[Step]:
        """The training behind `estimate`, step by step: the same release, whoever asks for its steps."""
        if len(statistics) != 2:
            raise ValueError(f"statistics must be (sites, held out), got {len(statistics)} parts")
        sites, _ = statistics
        options = dict(self.options) | planned(settings, [len(y) for _, y in sites], scheme)
        if "steps" in settings:
            options["steps"] = settings["steps"]
        if self.start_seed is not None:
            options["begin"] = self.begin(np.shape(sites[0][0])[1])
        return steps(sites, scheme=scheme, privacy=privacy, rng=rng, **options)

    @check.arguments
    def begin(self, width: int) -> Network:
        """The network of `start_seed`, from which every training begins: random, public, and free of records.

        Parameters
        ----------
        width : int
            Features of a record.

        Raises
        ------
        ValueError
            If `width` is below 1, or without a `start_seed`: every run then draws a network of its own.
        """
        width = check.integer("width", width, low=1)
        if self.start_seed is None:
            raise ValueError("start_seed must be given for a common start, got None")
        own = np.random.default_rng([self.start_seed, _START])
        return start(width, dict(self.options).get("hidden", HIDDEN), rng=own)

    @check.arguments
    def figures(self, statistics, network: Network) -> dict[str, float]:
        """What `estimate` says of a network: diagnostics, *not private*."""
        sites, held_out = statistics
        features, labels = (np.concatenate(part) for part in zip(*sites, strict=True))
        return {
            "train": network.accuracy(features, labels),
            "test": network.accuracy(*held_out),
            "loss": network.loss(features, labels),
        }


def _step_target(privacy, budget, releases, options):
    if not isinstance(privacy, Privacy):
        raise ValueError(f"privacy must be one Privacy for all sites, got {privacy!r}")
    if budget == "step":
        return privacy
    return step_privacy(privacy, releases, calibration=options.get("calibration", "exact"))


def _run(network, parts, scheme, target, count, clip, rate, rng, options):
    packed = [Records(part, len(network.hidden_bias)) for part in parts]
    total = sum(records.sizes for records in packed)
    options = {"keep": "value", "weights": total / total.sum(), **options}
    # The steps of one part differ in gradients and noise alone: their calibration is computed once.
    noisy = [
        repeated(2 * (clip or 1.0) / records.sizes, target, sites=len(total), scheme=scheme, **options)
        for records in packed
    ]
    latest: list = [(None, 0)] * len(parts)
    for number in range(1, count + 1):
        turn = (number - 1) % len(parts)
        seen = packed[turn].gradients.trusted(packed[turn], network, clip=clip)
        result = noisy[turn].of(Held.trusted(seen.means), rng)
        vector = network.vector - rate * result.value
        if not (worst := float(np.abs(vector).max())) < DIVERGED:
            raise ValueError(
                f"learning_rate must be smaller or epsilon larger: training diverged in step {number} "
                f"(a weight reached {worst:.1e}), got learning_rate {rate:g}"
            )
        network = network.at.trusted(network, vector)
        latest[turn] = (result, latest[turn][1] + 1)
        yield Step(number, network, seen, tuple(r for r in latest if r[1]))


def _deal(pairs, parts, rng):
    """Each site's records in `parts` parts: parts[b][s] is what site s uses in every b-th step."""
    if parts == 1:
        return [pairs]
    dealt = []
    for x, y in pairs:
        rows = np.array_split(rng.permutation(len(y)), parts)
        dealt.append([(x[r], y[r]) for r in rows])
    return [list(part) for part in zip(*dealt, strict=True)]


def _records(sites, parts):
    pairs = []
    for s, site in enumerate(sites):
        if not (isinstance(site, tuple | list) and len(site) == 2):
            raise ValueError(f"sites must hold pairs (X, y), got {type(site).__name__} at site {s}")
        x, y = (np.asarray(part, dtype=float) for part in site)
        if x.ndim != 2 or len(x) < parts or x.shape[1] == 0:
            raise ValueError(
                f"records of site {s} must be a table with at least {parts} rows, one a batch, got shape {x.shape}"
            )
        check.finite(f"records of site {s}", x)
        if (worst := np.abs(x)).max() > LARGEST:
            record, feature = np.unravel_index(worst.argmax(), x.shape)
            raise ValueError(
                f"records of site {s} must have entries of at most {LARGEST:g} in size, got {x[record, feature]:g} "
                f"in record {record}, feature {feature}"
            )
        if y.shape != (len(x),):
            raise ValueError(f"labels of site {s} must be {len(x)} numbers, got shape {y.shape}")
        if not (ok := (y == 0) | (y == 1)).all():
            first = int(np.argmin(ok))
            raise ValueError(f"labels of site {s} must be 0 or 1, got {y[first]:g} in record {first}")
        pairs.append((x, y))
    if len({x.shape[1] for x, _ in pairs}) > 1:
        raise ValueError(f"sites must have records of one width, got {[x.shape[1] for x, _ in pairs]}")
    if len(pairs) < 2:
        raise ValueError(f"sites must be at least 2, got {len(pairs)}")
    return pairs
