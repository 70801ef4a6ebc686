"""Text with mathematics, prepared for the shell's Markdown."""

from __future__ import annotations

import re

from dashboard.state.html_text import lowered

_SIGNS = {"<": r"\lt ", ">": r"\gt "}  # Markdown escapes the signs themselves, and TeX then reads an "&".
_CODE = re.compile(r"(`[^`]*`)")


def sheltered(text: str) -> str:
    r"""Protect TeX from Markdown: backslashes, as in `\,` or `\{`, and < and >; τ_s in the text gets its index."""
    parts = text.split("$$")
    parts[::2] = ["".join(map(_prose, _CODE.split(part))) for part in parts[::2]]
    parts[1::2] = [re.sub(r"\\(?=[^A-Za-z])", r"\\\\", _signs(part)) for part in parts[1::2]]
    return "$$".join(parts)


def _signs(formula):
    return re.sub("[<>]", lambda sign: _SIGNS[sign[0]], formula)


def _prose(part):
    return part if part.startswith("`") else lowered(part)
