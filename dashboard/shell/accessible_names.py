"""Adds names and roles for screen readers to widgets, tables, formulas and figures that lack them."""

from __future__ import annotations

from panel.custom import JSComponent

from dashboard.theme.assets import beside

_ESM = beside(__file__, "accessible_names.js")


class Names(JSComponent):
    """Checks a session's page shortly after every change."""

    _esm = _ESM
