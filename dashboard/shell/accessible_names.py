"""Adds names and roles for screen readers to widgets, tables and figures that lack them."""

from __future__ import annotations

from dashboard.compat.widgets.light_component import LightComponent
from dashboard.theme.assets import beside

_ESM = beside(__file__, "accessible_names.js")


class Names(LightComponent):
    """Checks a session's page shortly after every change."""

    events_from_browser = ()

    _esm = _ESM
