"""What observers learn: of each unequal site under a CAPE noise design, and at most of a release that is planned."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np

from core import check
from core.privacy import Privacy, gdp_delta
from core.schemes.noise_design import NoiseDesign, members
from core.schemes.released import Promise, Release
from core.schemes.repeated import Repeated, repeated
from core.schemes.silence import told


@dataclass(frozen=True)
class Exposure:
    """Exact δ of each site at its own ε, for four observers: arrays of shape (S,).

    NaN for a site that sends nothing or colludes, and where nothing released depends on a site's records.

    Attributes
    ----------
    message, public, aggregator, colluders : ndarray of shape (S,)
        For whoever sees the site's message alone; the average alone; all messages and the broadcast sum; the same
        together with what colluding sites know of their own noise.
    """

    message: np.ndarray
    public: np.ndarray
    aggregator: np.ndarray
    colluders: np.ndarray


@check.arguments(sensitivities=check.positives, epsilons=check.positives)
def exposure(
    design: NoiseDesign,
    sensitivities,
    epsilons,
    *,
    colluding: Iterable[int] = (),
    dropped: Iterable[int] = (),
) -> Exposure:
    """Exact δ of every honest site that sends a message, for every observer.

    Parameters
    ----------
    design : NoiseDesign
    sensitivities, epsilons : array of shape (S,)
        Δ_s of each site's statistic, and the ε_s at which δ is computed.
    colluding : collection of int
        Sites that share what they know with the aggregator.
    dropped : collection of int
        Sites that send nothing once the zero-sum noise is drawn.

    Raises
    ------
    ValueError
        If all sites collude, or all drop out.
    """
    colluding, dropped = list(colluding), list(dropped)
    known, lost = (
        members(name, chosen, design.sites)
        for name, chosen in (("colluding", colluding), ("dropped", dropped))
    )
    sensitivities = check.positives("sensitivities", sensitivities, length=design.sites, each="site")
    epsilons = check.positives("epsilons", epsilons, length=design.sites, each="site")
    share = np.where(lost, 0, design.weights) / design.weights[~lost].sum()

    def deltas(mu):
        shown = ~known & ~lost & (mu > 0)
        found = [float(gdp_delta(e, m)) if s else np.nan for e, m, s in zip(epsilons, mu, shown, strict=True)]
        return np.array(found)

    return Exposure(
        message=deltas(sensitivities / design.std),
        public=deltas(share * sensitivities / design.average_std(dropped)),
        aggregator=deltas(np.sqrt(design.leakage(sensitivities, dropped=dropped))),
        colluders=deltas(np.sqrt(design.leakage(sensitivities, colluding, dropped=dropped))),
    )


@check.arguments
def measured_std(
    design: NoiseDesign, *, draws: int, rng: np.random.Generator, dropped: Iterable[int] = ()
) -> float:
    """Root mean square of the noise in the average, measured over independent draws from a design.

    `dropped` sites send nothing once the zero-sum noise is drawn. See `NoiseDesign.average_std` for the exact value;
    the relative standard error is 1/√(2 draws).
    """
    draws = check.integer("draws", draws, low=1)
    left = ~members("dropped", dropped, design.sites)
    zero_sum, local = design.sample(draws, rng=rng)
    weights = design.weights[left] / design.weights[left].sum()
    return float(np.sqrt(np.mean((weights @ (zero_sum + local)[left]) ** 2)))


@check.arguments(message=check.extended, aggregator=check.extended)
def over_stages(message, aggregator, earlier: float) -> float:
    """μ of all messages of one site, of which later ones depend on the averages of earlier releases.

    These averages share noise with the site's earlier messages, so that whoever sees the site's messages alone learns of
    them, too: an earlier release counts with all that its aggregator sees.

    Parameters
    ----------
    message, aggregator : float or inf
        μ of all releases together as if each were seen by itself: of the site's messages, and of all messages.
    earlier : float
        Share of μ² that is spent before the last release; 0 for a single one.

    Examples
    --------
    >>> round(over_stages(1.0, 1.3, 0.5), 3), over_stages(1.0, 1.3, 0.0), over_stages(0.0, 1.3, 0.5)
    (1.16, 1.0, 0.0)
    """
    check.numbers_in(0, 1)("earlier", earlier)
    if not 0 < message < aggregator:
        return message
    return math.hypot(math.sqrt(earlier) * aggregator, math.sqrt(1 - earlier) * message)


@check.arguments(sensitivity=check.positives_in(1e-150, 1e150))
def promise(
    sensitivity,
    privacy: Privacy | Iterable[Privacy],
    *,
    sites: int,
    scheme: str,
    seen_with: int = 0,
    dropouts: int = 0,
    earlier: float = 0.0,
    **options,
) -> Promise:
    """What each observer learns at most of a release, of whose sites none to r fall silent, whichever they are.

    Which case is the worst depends on the scheme and on the observer: under CAPE a silent site makes the others more
    private against the aggregator, in a secure sum less. It need not be the case of the largest error.

    Parameters
    ----------
    sensitivity : float or array of shape (S,)
        Δ_s of each site's statistic.
    privacy : Privacy or sequence of S Privacy
    sites : int
        S ≥ 2.
    scheme : str
    seen_with : int
        How many sites collude with the aggregator for `Promise.colluders`: the worst choice of them.
    dropouts : int
        r, how many sites the plan allows to fall silent after noise was agreed.
    earlier : float
        Where there are several releases, of which later ones depend on earlier averages: see `over_stages`.
    **options
        weights, against, colluding, amplitude, graph, calibration and assumed, as in `core.schemes.release`.

    Examples
    --------
    Ten sites plan for four dropouts. If these happen, CAPE's aggregator learns less than the plan has to promise:

    >>> from core.schemes import release
    >>> plan = {"scheme": "cape", "dropouts": 4, "against": "aggregator"}
    >>> target, rng = Privacy(1.0, 1e-5), np.random.default_rng(0)
    >>> found = promise(1.0, target, sites=10, **plan)
    >>> happened = release(np.zeros(10), 1.0, target, rng=rng, dropped=range(6, 10), **plan)
    >>> round(found.aggregator, 3), round(happened.mu_aggregator, 3)
    (0.268, 0.208)
    """
    check.integer("seen_with", seen_with, low=0, high=check.integer("sites", sites, low=2) - 1)
    check.integer("dropouts", dropouts, low=0, high=sites - 1)
    plan = {"scheme": scheme, "dropouts": dropouts, "sites": sites, **options}

    noisy = repeated.trusted(sensitivity, privacy, **plan)

    def case(lost):
        without = repeated.trusted(sensitivity, privacy, dropped=lost, **plan) if lost else noisy
        return without.promise(seen_with)

    largest = _largest(noisy, dropouts, case, ())
    stated = noisy.promise(seen_with)
    return replace(
        largest, message=over_stages.trusted(largest.message, largest.aggregator, earlier), std=stated.std
    )


def promised(
    noisy: Repeated,
    dropouts: int,
    seen_with: int,
    stated: Callable[[tuple[int, ...]], Release],
    shape: tuple[int, ...] = (),
) -> Promise:
    """The same of a prepared release; `stated` says what a release without these sites guarantees."""

    def case(lost):
        # Without agreed noise a silent site takes no part; if it colludes it knows nothing.
        without = stated(lost)
        with_others = without.mu(min(seen_with, len(without.sites) - 1))
        return Promise(without.mu_message, without.mu_public, without.mu_aggregator, with_others)

    std = float(noisy.parts(shape).average_std(noisy.request.lost))
    return replace(_largest(noisy, dropouts, case, shape), std=std)


def _largest(noisy, dropouts, case, shape):
    """The worst case for each observer, over the sets of silent sites that `told` names."""
    sets, bound = told(noisy.scheme, noisy.parts(shape), noisy.request.sites, dropouts)
    cases = [case(lost) for lost in sets]
    learnt = [(one.message, one.public, one.aggregator, one.colluders) for one in cases]
    largest = Promise(*map(max, zip(*learnt, strict=True)))
    bound = min(bound, largest.aggregator)  # Whoever sees the messages can compute their average.
    if bound <= largest.public * (1 + 1e-9):
        return largest
    return replace(largest, public=bound, slack=bound / largest.public - 1)
