"""Sentences as HTML, and escaping of foreign text."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence


def paragraph(*sentences: str) -> str:
    """Join sentences to one HTML paragraph; they are the program's own text and are not escaped."""
    return f"<p>{' '.join(sentences)}</p>"


def rest(*sentences: str) -> str:
    """Join sentences to the paragraph in smaller type that follows the one a reader should see first."""
    found = " ".join(filter(None, sentences))
    return f"<p class='rest'>{found}</p>" if found else ""


def plain(text: str) -> str:
    """Escape foreign text for HTML."""
    return html.escape(text)


def listed(parts: Sequence[str]) -> str:
    """Parts as a list in a sentence: "a", "a and b", "a, b and c"."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def rich(text: str) -> str:
    """Plain text as HTML: S_C and u_{R−1} with indices, n^1.5 with an exponent, *so* with stress."""
    text = html.escape(text, quote=False)
    text = lowered(text)
    text = re.sub(r"\^([\w.]+)", r"<sup>\1</sup>", text)
    return re.sub(r"\*(\w[^*]*\w)\*", r"<em>\1</em>", text)


def lowered(text: str) -> str:
    """HTML whose S_C and u_{R−1} have their indices."""
    return re.sub(r"_(?:\{([^}]*)\}|([^\W_²³]+))", lambda m: f"<sub>{m[1] or m[2]}</sub>", text)


def status(text: str) -> str:
    """Plain text as a paragraph that screen readers say when it comes; "" for none."""
    return f"<p role='status'>{html.escape(text)}</p>" if text else ""
