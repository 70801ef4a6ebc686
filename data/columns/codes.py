"""Texts that look like numbers and are codes: 01, 1E2, 1A, 250.00."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from data.columns.cells import is_gap

_CODE = re.compile(
    r"[+-]?0\d[\d.,]*|\d{16,}", re.ASCII
)  # 01 and 1 are two wards, and no float tells long numbers apart.
_POWER = re.compile(r"\d+[eE]\d+", re.ASCII)
_DECIMALS_OF_POWER = re.compile(r"\d[.,]\d*[eE]|[eE][+-]", re.ASCII)
_ICD = re.compile(r"\d{3}(?:\.\d\d?)?", re.ASCII)
_WARD, _WARDS = re.compile(r"[1-9]\d{0,2}[A-Za-c]", re.ASCII), 40


def codes_in(found: Sequence[str]) -> str:
    """The first text that looks like a number and is a code: 01, 22 digits, 1E2 where no exponent has decimals, 250.00."""
    code = next((text for text in found if _CODE.fullmatch(text)), "")
    if not code and not any(map(_DECIMALS_OF_POWER.search, found)):
        code = next((text for text in found if _POWER.fullmatch(text)), "")
    return code or one_number(found)


def one_number(found: Iterable[str]) -> str:
    """The second of two codes of ICD-9 that are one number, 250.0 and 250.00; "" if there are none, or other texts."""
    numbers: set[float] = set()
    twice = ""
    for text in found:
        if is_gap(text):
            continue
        if not _ICD.fullmatch(text):
            return ""
        if "." in text and float(text) in numbers:
            twice = twice or text
        numbers |= {float(text)} if "." in text else set()
    return twice


def wards_in(found: Sequence[str]) -> str:
    """The first text if all are small whole numbers with one capital letter and no sign, 1A or 10N; else ""."""
    return found[0] if len(found) <= _WARDS and all(map(_WARD.fullmatch, found)) else ""
