"""Numbers as a reader takes them from a page."""

from __future__ import annotations

import re

_POWERS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
_FORM = re.compile(r"(?:([\d.]+)(?:·|$))?(?:10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+))?")


def number(text: str) -> float:
    """The number of a text: "20 000", "10⁻⁵", "9.9999·10⁻⁶", "4.5 %", "599 (all)"."""
    mantissa, power = _FORM.fullmatch(re.sub(r"[\s%]|\(all\)", "", text)).groups()
    exponent = int((power or "0").translate(_POWERS)) - 2 * text.endswith("%")
    return float(f"{mantissa or 1}e{exponent}")
