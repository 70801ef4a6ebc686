"""What a comparison releases under each scheme: the noise of the average, and what every observer learns from it.

The noise panel, the privacy panel and the guarantee read these numbers and compute none of their own.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from core import Privacy
from core.privacy import gdp_delta
from core.schemes import is_private, message_std, planned_std
from dashboard.guarantee import guarantee as guarantees
from dashboard.state.controls import Settings


@dataclass(frozen=True)
class Observed:
    """All releases of one run under a scheme.

    Attributes
    ----------
    scheme : str
    std : float
        Standard deviation of the noise of the released average, in the units of the statistic.
    alone : float, optional
        μ of one message seen by itself, where a site sends several that depend on the averages between them: `message` is
        then of all of them.
    public, message, aggregator, colluders : float
        μ of the exact trade-off for whoever sees the average, one message, all messages, and all messages beside the
        colluding sites; composed over all releases. ∞: no privacy.
    name : str
        What a bar is called, plain text; default: the scheme's label.
    pure : bool
        Whether each of them is that of an ε with δ = 0, see `core.privacy.accountant.pure_epsilon`.
    """

    scheme: str
    std: float
    public: float
    message: float
    aggregator: float
    colluders: float
    alone: float | None = None
    name: str = ""
    pure: bool = False

    def delta(self, epsilon, observer: str = "message") -> np.ndarray:
        """The exact δ(ε) for an observer."""
        mu = getattr(self, observer)
        return np.ones_like(epsilon, dtype=float) if math.isinf(mu) else np.asarray(gdp_delta(epsilon, mu))


def mu_conventional_at_equal_noise(cape: Observed, conventional: Observed) -> float:
    """μ of a conventional message whose average would be as noisy as CAPE's: the μ behind δ_conv.

    At equal noise τ of a message the average of the conventional scheme is noisier by √S. To make it as precise, each
    message's noise must shrink by that factor, and its μ grows by it. For one release of equal sites this is
    `core.cape.conventional_delta`; here it is composed over all releases. [Cape] appendix B.
    """
    return conventional.message * conventional.std / cape.std


def one_release(
    scheme: str,
    settings: Settings,
    here: Mapping[str, Any],
    *,
    change: float,
    understated: float = 1.0,
    earlier: float = 0.0,
    target: tuple[Privacy, str] | None = None,
) -> Observed:
    """One release at the present settings, by sites of the weights n_s/N, or 1/S where the settings' "weights" say so.

    At weights n_s/N what is learnt does not depend on sizes: one record changes the weighted statistic of every site alike.

    Parameters
    ----------
    here : mapping
        All settings of the present point.
    change : float
        The sensitivity to which the noise of a message is calibrated, at a site of N/S records.
    understated : float
        The true sensitivity divided by `change`.
    earlier : float
        Share of μ² of releases on which later ones depend, see `core.schemes.over_stages`: `message` is then of all
        messages of one site.
    target : (Privacy, str), optional
        The privacy of a whole run and its calibration, where they are not those of one release.
    """
    sites = here["sites"]
    privacy = Privacy(settings.epsilon, settings.delta)
    whole, calibration = target or (privacy, settings.calibration)
    colluding, terms = min(settings.colluding, sites - 1), guarantees.terms_of(here)
    asked = scheme, whole, guarantees.counted(here), colluding, calibration, understated, terms
    promised = guarantees.promised(*asked, earlier)
    alone = guarantees.promised(*asked).message if earlier else None
    mus = promised.public, promised.message, promised.aggregator, promised.colluders
    std = _noise(scheme, privacy, settings.calibration, here, promised.std)
    return Observed(scheme, change * std, *mus, alone)


def _noise(scheme, privacy, calibration, here, of_equal):
    """Noise of the average, for a sensitivity of 1 at a site of N/S records, without the sites that drop out.

    `of_equal` is that of sites of one size that all send.
    """
    if not is_private(scheme):
        return 0.0
    if not {"sizes", "dropped"} & here.keys() and np.ndim(here.get("samples", 1)) == 0:
        return of_equal
    sizes = np.broadcast_to(np.array(here.get("sizes", here.get("samples", 1)), dtype=float), here["sites"])
    weights = sizes / sizes.sum() if np.ptp(sizes) and here.get("weights") != "equal" else None
    _, std = message_std(sizes.mean() / sizes, privacy, calibration=calibration)
    options = dict(guarantees.terms_of(here))
    return planned_std(scheme, std, weights, silent=here.get("dropped", 0), **options)
