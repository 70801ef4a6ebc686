"""The style sheets of the frame: one layout for a projector, a laptop and a phone."""

from __future__ import annotations

from dashboard.theme.assets import beside

HEAD = beside(__file__, "head.css")
FINE = beside(__file__, "fine.css")
STEP = beside(__file__, "step.css")
NOTICE = beside(__file__, "notice.css")
TABLE = beside(__file__, "table.css")
# What a printed page has no use for.
SCREEN = "@media print { :host { display: none !important } }"
