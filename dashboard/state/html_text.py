"""Sentences as HTML, and foreign text made safe for it."""

from __future__ import annotations

import html


def paragraph(*sentences: str) -> str:
    """Sentences as one paragraph of HTML; they are the program's own words, already safe."""
    return f"<p>{' '.join(sentences)}</p>"


def plain(text: str) -> str:
    """Foreign text made safe for HTML."""
    return html.escape(text)
