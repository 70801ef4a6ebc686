"""Sentences as HTML, and escaping of foreign text."""

from __future__ import annotations

import html
from collections.abc import Sequence


def paragraph(*sentences: str) -> str:
    """Join sentences to one HTML paragraph; they are the program's own text and are not escaped."""
    return f"<p>{' '.join(sentences)}</p>"


def plain(text: str) -> str:
    """Escape foreign text for HTML."""
    return html.escape(text)


def listed(parts: Sequence[str]) -> str:
    """Parts as a list in a sentence: "a", "a and b", "a, b and c"."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
