"""What a release does: one repetition of the protocol, errors of many, and what observers can tell."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy.stats import norm

from core import Release
from core.privacy import tradeoff as tradeoff_function
from dashboard.packs.notebook.plots import elements
from dashboard.state.number_text import at_most_text
from dashboard.theme.colours import LOCAL_NOISE, ZERO_SUM
from dashboard.theme.scheme_style import LOOKS, ink


def averaging(release: Release):
    """One repetition of the protocol: each site's value, its two noise parts, its message, and the averages.

    Parameters
    ----------
    release : Release
        A release of one number under scheme "cape", with keep="all".
    """
    if release.zero_sum is None or np.ndim(release.value):
        shape = np.shape(release.value)
        raise ValueError(
            'release must be of one number under scheme "cape" with keep="all", '
            f"got scheme {release.scheme!r} and a value of shape {shape}"
        )
    masked = release.messages - release.local
    values = masked - release.zero_sum
    sites, dark = np.asarray(release.sites) + 1, ink(dark=False)
    truth = float(release.design.weights @ values)
    ends = [sites[0] - 0.5, sites[-1] + 0.5]
    parts = [
        elements.strokes(sites - 0.1, values, masked, colour=ZERO_SUM, label="zero-sum part"),
        elements.strokes(sites + 0.1, masked, release.messages, colour=LOCAL_NOISE, label="local part"),
        elements.dots(sites - 0.3, values, colour=dark, label="site's true value"),
        elements.dots(
            sites + 0.3, release.messages, colour=dark, marker="square", size=9, label="message", hollow=True
        ),
        elements.line(ends, [truth] * 2, colour=elements.GREY, dash="dashed", width=2, label="true average"),
        elements.line(
            ends, [float(release.value)] * 2, colour=LOOKS["cape"].colour, label="released average"
        ),
    ]
    return elements.overlay(parts, x_label="site", y_label="value")


def errors(releases: Mapping[str, Release], truth: float | Mapping[str, float], *, bins: int = 40):
    """Histograms of released minus true averages, with the predicted Gaussian densities.

    Parameters
    ----------
    releases : mapping of scheme to Release
        Each of an array (R,) whose entries repeat the same average.
    truth : float, or mapping of scheme to float
        The true average.
    """
    layers = []
    for scheme, look in elements.looks(releases).items():
        release = releases[scheme]
        scale = float(np.max(release.std))
        error = np.ravel(release.value) - (truth[scheme] if isinstance(truth, Mapping) else truth)
        edges = np.linspace(-4, 4, bins + 1) * scale
        counts, _ = np.histogram(error, edges)
        height = counts / (len(error) * np.diff(edges))
        layers.append(elements.bars(edges, height, colour=look.colour, label=look.label))
        x = np.linspace(-4, 4, 201) * scale
        layers.append(
            elements.line(x, norm.pdf(x, scale=scale), label=look.label, colour=look.colour, dash=look.dash)
        )
    return elements.overlay(layers, x_label="released − true average", y_label="density")


def tradeoffs(mus: Mapping[str, float]):
    """The trade-off function of each named μ: the best test's rate of misses against its rate of false alarms."""
    alpha = np.linspace(0, 1, 201)
    parts = [
        elements.line(
            alpha, 1 - alpha, label="nothing learned", colour=elements.GREY, dash="dashed", width=1.5
        )
    ]
    for name, look in elements.looks(mus).items():
        misses, label = tradeoff_function(alpha, mus[name]), f"{name} (μ = {at_most_text(mus[name])})"
        parts.append(elements.line(alpha, misses, label=label, colour=look.colour))
    return elements.overlay(parts, x_label="false alarms α", y_label="missed T(α)")
