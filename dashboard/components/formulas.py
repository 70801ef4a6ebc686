"""Text with mathematics, as the frame's Markdown wants it."""

from __future__ import annotations

import re


def sheltered(text: str) -> str:
    r"""Keep Markdown from reading TeX's own backslashes, as in `\,` or `\{`, for its escapes."""
    parts = text.split("$$")
    parts[1::2] = [re.sub(r"\\(?=[^A-Za-z])", r"\\\\", part) for part in parts[1::2]]
    return "$$".join(parts)
