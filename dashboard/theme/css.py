"""The style sheets of the frame: one layout for a projector, a laptop and a phone."""

from __future__ import annotations

from dashboard.theme.assets import beside

SHELL = beside(__file__, "shell.css")
STAGE = beside(__file__, "stage.css")
HEAD = beside(__file__, "head.css")
WORDS = beside(__file__, "words.css")
FINE = beside(__file__, "fine.css")
STEP = beside(__file__, "step.css")
NOTICE = beside(__file__, "notice.css")
GROUP = beside(__file__, "group.css")
TABLE = beside(__file__, "table.css")
# What only a printed page shows, and what it has no use for.
PAPER = "@media screen { :host { display: none !important } }"
SCREEN = "@media print { :host { display: none !important } }"
