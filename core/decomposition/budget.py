"""Division of one privacy budget between the releases of M2 and M3, and their joint guarantee."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from core import check
from core.moments import sensitivities
from core.moments.sensitivities import Model
from core.privacy import Calibration, Form, Privacy, gaussian_mu, privacy_of
from core.schemes import Release, is_private

Composition = Literal["exact", "published"]
COMPOSITIONS: tuple[Composition, ...] = get_args(Composition)
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
    calibration: Calibration
    joint: float

    def mus(self, second: Release, third: Release | None) -> tuple[float, float, float]:
        """μ of both releases together: public, one site's messages, all the aggregator sees.

        The second message is seen through W, which depends on the first average: see `core.schemes.over_stages`.
        """
        if self.targets[0] is None:
            return math.inf, math.inf, math.inf
        if third is None:
            public, message, aggregator = (getattr(second, view) for view in VIEWS)
        else:
            pairs = [(getattr(second, view), getattr(third, view)) for view in VIEWS]
            public, message, aggregator = (math.sqrt(self.joint) * math.hypot(*pair) for pair in pairs)
            if 0 < second.mu_message < math.inf:
                message = math.sqrt(self.joint) * math.hypot(second.mu_aggregator, third.mu_message)
        return public, message, aggregator


@check.arguments
def message_mus(
    privacy: Privacy,
    *,
    share: float,
    model: Model,
    d: int | None = None,
    variance: float | None = None,
    published: bool = False,
) -> tuple[float, float]:
    """True μ of a site's messages about M2 and about M3, each seen by itself, so that their squares add up.

    Parameters
    ----------
    privacy : Privacy
        The target of both together.
    share : float
        M2's share of the budget.
    d : int, optional
        Width of records of "gaussians".
    variance : float, optional
        σ² of records of "gaussians".
    published : bool
        Whether sensitivities, calibration and composition are those of the publication (`core.decomposition.PUBLISHED`).

    Examples
    --------
    >>> second, third = message_mus(Privacy(1.0, 1e-5), share=0.2, model="topics", d=30)
    >>> round(third / second, 9), round(math.hypot(second, third), 3)
    (2.0, 0.268)
    """
    law: dict[str, Any] = {"calibration": "published", "composition": "published", "form": "published"}
    if not published:
        law = {"calibration": "exact", "composition": "exact", "form": "exact"}
    plan = stages(
        np.ones(1), privacy, scheme="conventional", share=share, model=model, d=d, variance=variance, **law
    )
    second, third = (
        math.sqrt(plan.joint)
        * float(true[0] / assumed[0])
        * gaussian_mu(target, calibration=plan.calibration)
        for true, assumed, target in zip(plan.sensitivities, plan.assumed, plan.targets, strict=True)
    )
    return second, third


def stages(
    samples: np.ndarray,
    privacy: Privacy | None,
    *,
    scheme: str,
    share: float,
    model: Model,
    d: int | None,
    variance: float | None,
    calibration: Calibration,
    composition: Composition,
    form: Form,
) -> Stages:
    """Divide a budget over the two releases; the parameters are those of `core.decomposition.fit`."""
    share = check.fraction("share", share)
    check.choice("composition", composition, COMPOSITIONS)
    noise: dict[str, Any] = {"d": d, "variance": variance} if model == "gaussians" else {}
    forms: tuple[Form, ...] = (form, "exact")
    assumed, exact = (
        (
            sensitivities.second(samples, model=model, form=f, d=noise.get("d")),
            sensitivities.third(samples, model=model, form=f, **noise),
        )
        for f in forms
    )
    parts: tuple[Any, Any] = (None, None)
    formula: Calibration = "exact"
    joint = 1.0
    if is_private(scheme):
        if not isinstance(privacy, Privacy):
            raise ValueError(f"privacy must be a Privacy, got {privacy!r}")
        epsilon, delta = privacy.epsilon, privacy.delta
        if scheme == "avn":
            # The vector noise is pure ε: the whole δ serves M2.
            parts, formula = (Privacy(share * epsilon, delta), (1 - share) * epsilon), calibration
        elif composition == "published":
            parts = (
                Privacy(share * epsilon, share * delta),
                Privacy((1 - share) * epsilon, (1 - share) * delta),
            )
            formula = calibration
        else:
            if form == "exact":
                joint = sensitivities.joint(share, model=model, **noise)
            mu = gaussian_mu(privacy, calibration=calibration)
            parts = privacy_of(mu * math.sqrt(share / joint)), privacy_of(mu * math.sqrt((1 - share) / joint))
    return Stages(exact, assumed, parts, formula, joint)
