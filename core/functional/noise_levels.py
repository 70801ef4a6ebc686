"""Noise on one entry of Λ2 under each mechanism, by the number of features."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from core import check
from core.functional.losses import Loss, named
from core.privacy import Calibration, Form, Privacy, gaussian_mu
from core.schemes import PRIVATE, noise_factor


@check.arguments(records=check.whole(1), sites=check.whole(1))
def noise_by_width(
    loss: str | Loss,
    widths: Iterable[int],
    *,
    privacy: Privacy,
    records: int,
    sites: int,
    schemes: Iterable[str] | None = None,
    form: Form = "exact",
    calibration: Calibration = "exact",
    **terms,
) -> dict[str, np.ndarray]:
    """Standard deviation of the noise on one off-diagonal entry of Λ2, by mechanism and number of features.

    Parameters
    ----------
    loss : {"linear", "logistic"} or Loss
    widths : iterable of int
        Numbers of features d.
    records, sites : int
        N over all sites, and S equal sites.
    schemes : iterable of str, optional
        Default: all private ones.
    form : {"exact", "published"}
        See `core.functional.fit`; of the schemes.
    calibration : {"exact", "published"}
        See `core.privacy.gaussian_std`.
    **terms
        dropped, against, colluding, dropouts, amplitude and graph, as in `core.schemes.noise_factor`.

    Returns
    -------
    dict of str to ndarray of shape (number of widths,)
        Every scheme, the same at all d; "dpfm"; and "dpfm published", the constant of Zhang et al. 2012 with
        its copied noise.
    """
    known = named(loss)
    widths = [check.integer("widths", width, low=1) for width in widths]
    mu = gaussian_mu(privacy, calibration=calibration)
    curator = (
        (1.0 if form == "published" else known.joint) * known.sensitivities[2] / math.sqrt(2) / records / mu
    )
    laplace = math.sqrt(2) / records / privacy.epsilon
    levels = {
        scheme: np.full(len(widths), curator * noise_factor(scheme, sites, **terms))
        for scheme in (PRIVATE if schemes is None else schemes)
    }
    return levels | {
        "dpfm": laplace * np.array([known.l1(d) for d in widths]) / 2,
        "dpfm published": laplace * np.array([known.l1(d, form="published") for d in widths]),
    }
