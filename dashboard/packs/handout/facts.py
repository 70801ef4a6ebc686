"""What the handout takes from the app and from `core`: settings, words, colours, and tables computed beforehand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.special import erfcx

from dashboard.components.protocol_play import STEPS
from dashboard.pages.learn.gain.page import GAIN
from dashboard.pages.learn.guarantee.model import FLOOR, FORMS, GuaranteeModel
from dashboard.pages.learn.guarantee.page import GUARANTEE
from dashboard.pages.learn.protocol.page import PROTOCOL
from dashboard.problems.protocol import site_averages
from dashboard.problems.site_sizes import FAMILIES
from dashboard.sheet.page import Page
from dashboard.shell.actions import lab_version
from dashboard.state.controls import Controls
from dashboard.theme import colours
from dashboard.theme.scheme_style import LOOKS, ink, paper

LEADS = {"protocol": "How much of the noise cancels? Draw new noise, and compare both averages."}
"""Sentences of pages whose main figure differs from the app's."""
NODES = 32
STOPS = (10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000)
"""Records a site for which the averages of the sites' records are drawn beforehand."""
MOST_SITES = Controls.param.sites.bounds[1]
_WHOLE = ("sites", "samples", "colluding")
_LINEAR = ("sites", "colluding")
_SOURCES = {
    **dict.fromkeys(("sites", "epsilon", "delta", "samples", "imbalance", "colluding"), Controls),
    "noise": GuaranteeModel,
}
_PAGES: tuple[tuple[Page, tuple[str, ...]], ...] = (
    (Page.of(PROTOCOL), ("sites", "epsilon", "samples", "delta")),
    (Page.of(GAIN), ("imbalance", "sites", "samples", "colluding")),
    (Page.of(GUARANTEE), ("noise", "epsilon", "sites", "colluding", "delta")),
)


def mills_table(nodes: int = NODES) -> list[float]:
    """Chebyshev coefficients of log(erfcx(x)/t) in 2t − 1, where t = 2/(2 + x) and x ≥ 0.

    The Mills ratio (1 − Φ(z))/φ(z) is √(π/2) erfcx(z/√2), and every δ(ε) of a Gaussian release follows from it.
    erfcx itself spans all magnitudes; this logarithm lies between −1.3 and 0, so 32 nodes give nearly all digits.
    """
    t = (np.cos(np.pi * (np.arange(nodes) + 0.5) / nodes) + 1) / 2
    return np.polynomial.chebyshev.chebfit(2 * t - 1, np.log(erfcx(2 / t - 2) / t), nodes - 1).tolist()


def facts(chosen: Mapping[str, float] | None = None, *, page: str = "protocol") -> dict[str, Any]:
    """Everything that the programs of the handout read, as JSON types.

    Parameters
    ----------
    chosen : mapping of str to float, optional
        Settings with which the handout opens; the others have the app's defaults.
    page : str
        The page in front.
    """
    settings = {name: _setting(name) for name in _SOURCES}
    for name, value in (chosen or {}).items():
        settings[name]["value"] = value
    return {
        "version": lab_version(),
        "front": page,
        "settings": settings,
        "families": list(FAMILIES),
        "steps": list(STEPS),
        "pages": [_page(kind, names) for kind, names in _PAGES],
        "looks": {name: _look(name) for name in ("cape", "conventional", "local", "pooled")},
        "parts": {"zero_sum": colours.ZERO_SUM, "local": colours.LOCAL_NOISE},
        "forms": [{"key": f.key, "scheme": f.scheme, "label": f.label, "dash": f.dash} for f in FORMS],
        "floor": FLOOR,
        "mills": mills_table(),
        "stops": list(STOPS),
        "values": [site_averages(MOST_SITES, stop, 1).round(5).tolist() for stop in STOPS],
    }


def style() -> str:
    """The app's colours as CSS variables of the light and the dark theme."""
    themes = []
    for dark in (False, True):
        shades = {
            "ink": ink(dark=dark),
            "quiet": ink(dark=dark, quiet=True),
            "paper": paper(dark=dark),
            "accent": colours.ACCENT[dark],
            "header": colours.HEADER,
        }
        themes.append("; ".join(f"--{name}: {shade}" for name, shade in shades.items()))
    light, dark_ = themes
    return f":root {{ {light}; color-scheme: light }}\n:root[data-theme=dark] {{ {dark_}; color-scheme: dark }}\n"


def _setting(name):
    parameter = _SOURCES[name].param[name]
    low, high = parameter.bounds
    return {
        "label": parameter.label,
        "doc": parameter.doc,
        "low": low,
        "high": high,
        "value": parameter.default,
        "log": name not in _LINEAR,
        "whole": name in _WHOLE,
    }


def _page(kind, names):
    known = {*names, "family", "step"}
    presets = [
        {"title": preset.name, "values": {n: v for n, v in preset.values.items() if n in known}}
        for preset in kind.presets
    ]
    return {
        "name": kind.name,
        "title": kind.title,
        "heading": kind.heading or kind.title,
        "lead": LEADS.get(kind.name, kind.lead),
        "controls": list(names),
        "presets": presets,
    }


def _look(name):
    look = LOOKS[name]
    return {"label": look.label, "colour": look.colour, "dash": look.dash}
