"""Text with mathematics, prepared for the shell's Markdown."""

from __future__ import annotations

import re


def sheltered(text: str) -> str:
    r"""Protect TeX's backslashes, as in `\,` or `\{`, which Markdown would read as escapes."""
    parts = text.split("$$")
    parts[1::2] = [re.sub(r"\\(?=[^A-Za-z])", r"\\\\", part) for part in parts[1::2]]
    return "$$".join(parts)
