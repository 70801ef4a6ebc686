"""Sentences as HTML, and escaping of foreign text."""

from __future__ import annotations

import html


def paragraph(*sentences: str) -> str:
    """Join sentences to one HTML paragraph; they are the program's own text and are not escaped."""
    return f"<p>{' '.join(sentences)}</p>"


def plain(text: str) -> str:
    """Escape foreign text for HTML."""
    return html.escape(text)
