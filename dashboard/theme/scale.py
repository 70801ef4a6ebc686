"""The sizes of type and of spaces: every style sheet of a page sets these alone, a test reads them all.

Slides, printed pages and the class on phones have scales of their own: they are read from afar, or on paper.
"""

from __future__ import annotations

SMALL, PLAIN, BODY, LARGE, HEADLINE = TYPE = (12, 14, 16, 20, 24)
"""Pixels: ticks and glosses; controls, tables and notes; text and titles of cards; numbers; the sentence of a page."""
SPACE = (4, 8, 12, 16, 24)
"""Pixels: between what belongs together, and between parts of a page."""
