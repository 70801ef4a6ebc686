"""`core.decomposition` as a problem for sweeps, and the search for the best budget share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from core import check, metrics, sweep
from core.decomposition.estimator import METHODS, Decomposition, fit, site_moments
from core.hashed import hashed
from core.moments import Moments
from core.moments.sensitivities import Model
from core.privacy import Privacy
from core.schemes import planned

SHARES = (0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98)


@dataclass(frozen=True)
class Truth:
    """Sites' moments together with the true components of their records.

    Attributes
    ----------
    moments : list of Moments
    components : ndarray of shape (k, d)
        As `fit` gives them: word distributions, or unit vectors along the means.
    weights : ndarray of shape (k,)
    """

    moments: Sequence[Moments]
    components: np.ndarray
    weights: np.ndarray


@hashed
@check.arguments
@dataclass(frozen=True)
class Problem:
    """Private recovery of components as a problem for `core.sweep`.

    Attributes
    ----------
    load : callable
        Maps the settings named in `data_settings` to (sites, components, weights): sites as for `fit` and
        the truth. Must pickle.
    model : {"topics", "gaussians"}
    options : tuple of pairs
        Further options of `fit`, e.g. ``tuple(core.decomposition.PUBLISHED.items())``. The setting "share"
        overrides; "vocabulary", "variance" and "bound" are settings of the data, or are in the moments.
    data_settings : tuple of str
        Settings that `load` depends on.
    """

    load: Callable[[Mapping], tuple[Sequence, np.ndarray, np.ndarray]]
    model: Model = "topics"
    options: tuple[tuple[str, Any], ...] = ()
    data_settings: tuple[str, ...] = ("sites", "samples", "k", "data_seed")

    methods = METHODS

    @check.arguments
    def earlier(self, settings: Mapping) -> float:
        """Share of μ² that M2 costs, for `core.schemes.over_stages`; 1 bounds it where it is not the budget's share."""
        options = dict(self.options)
        if any(options.get(name) == "published" for name in ("composition", "sensitivity_form")):
            return 1.0
        return check.fraction("share", settings.get("share", options.get("share", 0.5)))

    @check.arguments
    def statistics(self, settings: Mapping) -> Truth:
        """Moments of the settings' data, and the truth."""
        sites, components, weights = self.load(settings)
        components = np.asarray(components, dtype=float)
        if self.model == "gaussians":
            components = components / np.linalg.norm(components, axis=1, keepdims=True)
        moments = site_moments(sites, model=self.model, vocabulary=components.shape[1])
        return Truth(moments, components, np.asarray(weights, dtype=float))

    @check.arguments
    def fit(
        self, statistics: Truth, scheme: str, privacy: Privacy | None, rng, settings: Mapping
    ) -> Decomposition:
        """Fit as many components as there are."""
        options = dict(self.options) | planned(settings, [m.samples for m in statistics.moments], scheme)
        if "share" in settings:
            options["share"] = settings["share"]
        k = len(statistics.components)
        return fit(
            statistics.moments, k, model=self.model, scheme=scheme, privacy=privacy, rng=rng, **options
        )

    @check.arguments
    def estimate(self, statistics: Truth, scheme: str, privacy, rng, settings: Mapping) -> dict[str, float]:
        """Figures of one fit, see `figures`."""
        return figures(statistics, self.fit(statistics, scheme, privacy, rng, settings))


@check.arguments
def figures(statistics: Truth, found: Decomposition) -> dict[str, float]:
    """Figures of one fit: "error" is q_comp as published, "matched" the one-to-one error, "found" how many are near."""
    order = metrics.matching(statistics.components, found.components)
    return {
        "error": metrics.component_error(statistics.components, found.components),
        "matched": metrics.matched_error(statistics.components, found.components),
        "weights": metrics.weight_error(statistics.weights, found.weights, order),
        "found": float(metrics.components_found(statistics.components, found.components).sum()),
        "identified": float(found.identified),
        "above_noise": float(found.above_noise),
    }


@dataclass(frozen=True)
class ShareCurve:
    """Error against the budget share of the second moment.

    Attributes
    ----------
    shares : ndarray of shape (n,)
    errors : ndarray of shape (n, repeats)
        Repeat r draws from one seed at every share, so that differences are those of the share.
    best : float
        The share of least mean error.
    """

    shares: np.ndarray
    errors: np.ndarray
    best: float


@check.arguments(problem=check.problem, seed=check.seed)
def best_share(
    problem: Problem,
    settings: Mapping,
    *,
    scheme: str = "cape",
    shares: Sequence[float] = SHARES,
    repeats: int = 10,
    seed: int = 0,
    metric: str = "error",
) -> ShareCurve:
    """Search the budget share by simulation.

    The problem's records should be drawn from a distribution like the real records' own: a share chosen by trying
    it on the private records themselves would not be private.

    Parameters
    ----------
    settings : mapping
        The problem's settings, epsilon and delta among them.
    shares : sequence of floats strictly between 0 and 1
    metric : str
        Which figure of `Problem.estimate` to make small.
    """
    tried = np.array([check.fraction("shares", s) for s in shares])
    if not len(tried):
        raise ValueError("shares must be at least one, got none")
    repeats = check.integer("repeats", repeats, low=1)
    statistics = sweep.statistics(problem, settings)
    privacy = Privacy(check.setting(settings, "epsilon"), check.setting(settings, "delta"))

    def figure(share, r):
        rng = np.random.default_rng([seed, r])
        result = problem.estimate(statistics, scheme, privacy, rng, {**settings, "share": share})
        return result[check.choice("metric", metric, result)]

    errors = np.array([[figure(share, r) for r in range(repeats)] for share in tried])
    return ShareCurve(tried, errors, float(tried[errors.mean(axis=1).argmin()]))
