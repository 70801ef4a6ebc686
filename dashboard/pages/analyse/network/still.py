"""The boundaries before scripts run: the training slider and the pictures at their places, without movement."""

from __future__ import annotations

from collections.abc import Mapping

from core.schemes import is_private
from dashboard.pages.analyse.network.figures import TOLD
from dashboard.plotting.static import figure_picture
from dashboard.theme.assets import beside
from dashboard.theme.scheme_style import LOOKS

_SHEET = beside(__file__, "still.css")


def still(step: int, of: int, figures: Mapping) -> str:
    """HTML of the boundaries, Bokeh figures by scheme, at a step of so many of the training."""
    bar = f'<div class="track"><i style="width:{100 * step / of:g}%"></i></div>'
    slider = f'<div class="train">Training step: <b>{step}</b>{bar}</div>'
    panels = "".join(
        f'<div style="--look:{LOOKS[scheme].colour if is_private(scheme) else "currentColor"}">'
        f"{figure_picture.picture(figure)}</div>"
        for scheme, figure in figures.items()
    )
    told = f'<p class="told">{TOLD}</p>'
    return (
        f'<style>{_SHEET}</style><div class="boundaries">{slider}{told}<div class="row">{panels}</div></div>'
    )
