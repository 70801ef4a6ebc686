"""Functions that turn results into HoloViews elements, for notebooks.

Every function takes results of `core` and returns an element, which can be combined with others by `*` and `+`.
The colours, markers and dashes of schemes are those of the app's pages.
"""

from __future__ import annotations

from collections.abc import Mapping

import holoviews as hv
import numpy as np
from scipy.stats import norm

from core import Release, cape
from core.privacy import tradeoff as tradeoff_function
from dashboard.theme.colours import LOCAL_NOISE, ZERO_SUM
from dashboard.theme.scheme_style import LOOKS, ink

# Inline resources: a notebook works without a network.
hv.extension("bokeh", inline=True, logo=False)

_WIDE = {"responsive": True, "height": 340, "show_grid": True, "toolbar": None}


def averaging(values, release: Release):
    """One repetition of the protocol: each site's value, its two noise parts, its message, and the averages.

    Parameters
    ----------
    values : array of shape (S,)
        The number that each site computed.
    release : Release
        The release of these values under scheme "cape", with keep="all".
    """
    if release.zero_sum is None:
        raise ValueError(f'release must be of scheme "cape" with keep="all", got {release.scheme!r}')
    values = np.asarray(values, dtype=float)
    sites = np.arange(1, len(values) + 1)
    masked = values + release.zero_sum
    parts = [
        hv.Segments((sites - 0.1, values, sites - 0.1, masked), label="zero-sum part").opts(
            color=ZERO_SUM, line_width=5
        ),
        hv.Segments((sites + 0.1, masked, sites + 0.1, release.messages), label="local part").opts(
            color=LOCAL_NOISE, line_width=5
        ),
        hv.Scatter((sites - 0.3, values), label="site's true value").opts(color=ink(dark=False), size=8),
        hv.Scatter((sites + 0.3, release.messages), label="message").opts(
            fill_color="white", line_color=ink(dark=False), marker="square", size=9
        ),
        hv.HLine(float(values.mean()), label="true average").opts(
            color="grey", line_dash="dashed", line_width=1
        ),
        hv.HLine(float(release.value), label="CAPE's average").opts(color=LOOKS["cape"].colour, line_width=2),
    ]
    return hv.Overlay(parts).opts(
        hv.opts.Overlay(xlabel="site", ylabel="value", legend_position="right", **_WIDE)
    )


def histogram(errors: Mapping[str, np.ndarray], std: Mapping[str, float], *, bins: int = 40):
    """Histograms of the average's error over many repetitions, with the predicted Gaussian densities.

    Parameters
    ----------
    errors : mapping of scheme to array (R,)
        Released minus true average.
    std : mapping of scheme to float
        Predicted standard deviations, positive.
    """
    layers = []
    for scheme, error in errors.items():
        look, scale = LOOKS[scheme], std[scheme]
        edges = np.linspace(-4, 4, bins + 1) * scale
        counts, _ = np.histogram(error, edges)
        height = counts / (len(error) * np.diff(edges))
        layers.append(
            hv.Histogram((edges, height), label=look.label).opts(
                color=look.colour, alpha=0.25, line_color=None, muted_alpha=0
            )
        )
        x = np.linspace(-4, 4, 201) * scale
        layers.append(_line(x, norm.pdf(x, scale=scale), scheme))
    return hv.Overlay(layers).opts(
        hv.opts.Overlay(xlabel="released − true average", ylabel="density", legend_position="right", **_WIDE)
    )


def gains(ratio, gain, sites: int, total: int):
    """G and H against imbalance, with the smallest and the largest G for any sizes.

    Parameters
    ----------
    ratio, gain : array of shape (m,)
        Size of the largest site divided by that of the smallest, and G(n) for these sizes.
    """
    low, high = cape.gain_bounds(total, sites)
    bounds = [hv.HLine(y).opts(color="grey", line_dash="dotted", line_width=1) for y in (low, high)]
    curves = [
        _line(ratio, gain, "conventional", label="G: conventional"),
        _line(ratio, np.asarray(gain) / sites, "cape", label="H: CAPE"),
    ]
    return hv.Overlay([*bounds, *curves]).opts(
        hv.opts.Overlay(
            xlabel="largest site ÷ smallest site",
            ylabel="noise variance ÷ trusted curator's",
            logx=True,
            logy=True,
            legend_position="right",
            **_WIDE,
        )
    )


def deltas(noise, values: Mapping[tuple[str, str], np.ndarray], *, floor: float = 1e-30):
    """δ against the noise multiplier τ/Δ, by several formulas.

    Parameters
    ----------
    noise : array of shape (m,)
        Noise multipliers.
    values : mapping of (scheme, form) to array (m,)
        δ; values that do not exceed `floor` are not drawn.
    """
    dashes = {"exact": "solid", "theorem": "dashed", "published": "dashed", "plotted": "dotted"}
    curves = []
    for (scheme, form), delta in values.items():
        delta = np.asarray(delta, dtype=float)
        shown = np.where(delta > floor, delta, np.nan)
        name = f"{LOOKS[scheme].label}, {form}"
        curves.append(_line(noise, shown, scheme, label=name).opts(line_dash=dashes[form]))
    return hv.Overlay(curves).opts(
        hv.opts.Overlay(
            xlabel="noise multiplier τ/Δ", ylabel="δ", logx=True, logy=True, legend_position="right", **_WIDE
        )
    )


def tradeoffs(mus: Mapping[str, float]):
    """The trade-off function of each named μ: the best test's rate of misses against its rate of false alarms."""
    alpha = np.linspace(0, 1, 201)
    diagonal = hv.Curve((alpha, 1 - alpha), label="nothing learned").opts(color="grey", line_dash="dashed")
    curves = [
        hv.Curve((alpha, tradeoff_function(alpha, mu)), label=f"{name} (μ = {mu:.3g})")
        for name, mu in mus.items()
    ]
    return hv.Overlay([diagonal, *curves]).opts(
        hv.opts.Overlay(xlabel="false alarms α", ylabel="missed T(α)", legend_position="right", **_WIDE)
    )


def comparison(x, bands: Mapping[str, tuple], *, x_label: str, y_label: str, x_log: bool = False):
    """Curves of several schemes with bands over repeats.

    Parameters
    ----------
    x : array of shape (m,)
    bands : mapping of scheme to (mean, low, high), arrays of shape (m,)
    """
    layers = []
    for scheme, (mean, low, high) in bands.items():
        look = LOOKS[scheme]
        layers.append(
            hv.Area((x, low, high), vdims=["low", "high"]).opts(color=look.colour, alpha=0.15, line_alpha=0)
        )
        layers.append(_line(x, mean, scheme))
        layers.append(hv.Scatter((x, mean)).opts(color=look.colour, marker=look.marker, size=8))
    return hv.Overlay(layers).opts(
        hv.opts.Overlay(xlabel=x_label, ylabel=y_label, logx=x_log, legend_position="right", **_WIDE)
    )


def _line(x, y, scheme, *, label=None):
    look = LOOKS[scheme]
    return hv.Curve((np.asarray(x), np.asarray(y)), label=label or look.label).opts(
        color=look.colour, line_dash=look.dash, line_width=2.5
    )
