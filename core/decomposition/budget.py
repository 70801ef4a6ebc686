"""Division of one privacy budget between the releases of M2 and M3, and their joint guarantee."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from core import check
from core.moments import sensitivities
from core.privacy import Privacy, gaussian_mu, privacy_of
from core.schemes import Release, is_private

COMPOSITIONS = ("exact", "published")
VIEWS = ("mu_public", "mu_message", "mu_aggregator")


@dataclass(frozen=True)
class Stages:
    """Sensitivities and privacy targets of the two releases.

    Attributes
    ----------
    sensitivities : tuple of two arrays of shape (S,)
        Δ2 and Δ3 of every site: the true ones.
    assumed : tuple of two arrays of shape (S,)
        The same as the noise takes them.
    targets : tuple
        What each release is held to: a Privacy, None without privacy, or for AVN's second its ε2.
    calibration : str
        Formula from privacy target to noise.
    joint : float
        J, see `core.moments.sensitivities.joint`.
    """

    sensitivities: tuple[np.ndarray, np.ndarray]
    assumed: tuple[np.ndarray, np.ndarray]
    targets: tuple[Any, Any]
    calibration: str
    joint: float

    def mus(self, second: Release, third: Release | None) -> tuple[float, float, float]:
        """μ of both releases together: public, one site's messages, all the aggregator sees."""
        if self.targets[0] is None:
            return (math.inf,) * 3
        if third is None:
            return tuple(getattr(second, view) for view in VIEWS)
        pairs = ((getattr(second, view), getattr(third, view)) for view in VIEWS)
        return tuple(math.sqrt(self.joint) * math.hypot(*pair) for pair in pairs)


def stages(
    samples: np.ndarray,
    privacy: Privacy | None,
    *,
    scheme: str,
    share: float,
    model: str,
    d: int,
    variance: float | None,
    calibration: str,
    composition: str,
    form: str,
) -> Stages:
    """Divide a budget over the two releases; the parameters are those of `core.decomposition.fit`."""
    share = check.fraction("share", share)
    check.choice("composition", composition, COMPOSITIONS)
    noise = {"d": d, "variance": variance} if model == "gaussians" else {}
    assumed, exact = (
        (
            sensitivities.second(samples, model=model, form=f, d=noise.get("d")),
            sensitivities.third(samples, model=model, form=f, **noise),
        )
        for f in (form, "exact")
    )
    parts, formula, joint = (None, None), "exact", 1.0
    if is_private(scheme):
        if not isinstance(privacy, Privacy):
            raise ValueError(f"privacy must be a Privacy, got {privacy!r}")
        epsilon, delta = privacy.epsilon, privacy.delta
        if scheme == "avn":
            # The vector noise is pure ε: the whole δ serves M2.
            parts, formula = (Privacy(share * epsilon, delta), (1 - share) * epsilon), calibration
        elif composition == "published":
            parts = tuple(Privacy(s * epsilon, s * delta) for s in (share, 1 - share))
            formula = calibration
        else:
            if form == "exact":
                joint = sensitivities.joint(share, model=model, **noise)
            mu = gaussian_mu(privacy, calibration=calibration)
            parts = tuple(privacy_of(mu * math.sqrt(s / joint)) for s in (share, 1 - share))
    return Stages(exact, assumed, parts, formula, joint)
