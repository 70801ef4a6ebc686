"""Names and roles for screen readers, where the libraries' widgets, tables, formulas and figures have none."""

from __future__ import annotations

from panel.custom import JSComponent

from dashboard.theme.assets import beside

_ESM = beside(__file__, "accessible_names.js")


class Names(JSComponent):
    """Looks a session's page over after every change, a moment later."""

    _esm = _ESM
