"""Numbers as people type them, in every form, table and link: one reading, or a refusal where there are two."""

from __future__ import annotations

import math
import re

WRITTEN = {"1,234.5": ".", "1.234,5": ","}  # Notations of a column, and their decimal signs.
_SPACE = "[ \u00a0\u2009\u202f'’]"
_SPACED = re.compile(rf"([-+]?\d{{1,3}})((?:{_SPACE}\d{{3}})+)(|[.,]\d*)", re.ASCII)
_GROUPED = re.compile(r"[-+]?[1-9]\d{0,2}(?:([.,])\d{3})(?:\1\d{3})*", re.ASCII)
_PLAIN = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?", re.ASCII)
_DIGITS = re.compile(r"[-+]?\d+", re.ASCII)
_POWER = re.compile(r"(?:(.+?)\s*[·×*]\s*)?10(?:\^([-+]?\d+)|([⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+))")
_LETTERS = 200  # Of a number, at most.
_RAISED = str.maketrans("⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "+-0123456789")


def typed_number(text: str, *, whole: bool = False, written: str = "") -> float:
    """The number that was typed: 1000, 1 000, 1’000, 0.5, 0,5, 1,234.5, 1.234,5, −3, 1e-5, 1.2·10⁻⁵.

    Parameters
    ----------
    whole : bool
        Whether only a whole number makes sense; it is returned as an int.
    written : str
        A key of `WRITTEN` where a notation was chosen; digits in groups of three then count as it says.

    Raises
    ------
    ValueError
        If it is no number, or could be two: 1,000 is a thousand among whole numbers, and else one or a thousand. The
        message continues the name of what was typed.
    """
    plain = _point(text[:_LETTERS].strip().replace("−", "-"), whole, WRITTEN.get(written))
    value = float(plain) if _PLAIN.fullmatch(plain) else math.nan
    if len(text) > _LETTERS or not math.isfinite(value) or (whole and value != int(value)):
        raise ValueError(f"must be a {'whole number' if whole else 'number'}, got {text.strip()[:20]!r}")
    if not whole:
        return value
    return int(plain) if _DIGITS.fullmatch(plain) else int(value)  # All digits of a long seed.


def typed_counts(text: str) -> list[int]:
    """Whole numbers that were typed one after another: 1200, 800 or 1,200, 800 or 1.200; 800.

    Raises
    ------
    ValueError
        If one of them is none, or if 200,300 could be one number or two.
    """
    unclear = ValueError(f"must be separated by semicolons, since {text.strip()[:40]!r} has two meanings")
    if ";" in text:
        parts = text.split(";")
    elif re.search(r",\s", text):
        parts = re.split(r",\s+", text)
    elif _GROUPED.fullmatch(text.strip()):
        raise unclear
    else:
        parts = text.split(",")
    parts = [part.strip() for part in parts if part.strip().strip(",")]
    found = [typed_number(part, whole=True) for part in parts]
    grouped = [not part.isdigit() for part in parts]
    # Some thousands in groups and others not: a comma between two numbers may have lost its space.
    if any(grouped) and any(n >= 1000 and not g for n, g in zip(found, grouped, strict=True)):
        raise unclear
    return [int(n) for n in found]


def _point(plain, whole, decimal):
    """The same with a decimal point, and without signs between groups of digits."""
    if power := _POWER.fullmatch(plain):
        mantissa = _point(power[1].strip(), False, decimal) if power[1] else "1"
        return f"{mantissa}e{power[2] or power[3].translate(_RAISED)}"
    if spaced := _SPACED.fullmatch(plain):
        return spaced[1] + re.sub(_SPACE, "", spaced[2]) + spaced[3].replace(",", ".")
    number, letter, exponent = plain.partition("e" if "e" in plain else "E")
    last = max(number.rfind("."), number.rfind(","))
    body, sign, places = number[:last], number[last : last + 1], number[last + 1 :]
    groups = _GROUPED.fullmatch(body)
    if last >= 0 and groups and groups[1] != sign:  # Both signs: the last one is the decimal sign.
        number = f"{body.replace(groups[1], '')}.{places}"
    elif (groups := _GROUPED.fullmatch(number)) and _in_groups(number, sign, whole, decimal):
        number = number.replace(sign, "")
    else:
        number = number.replace(",", ".")
    return f"{number}{letter}{exponent}"


def _in_groups(number, sign, whole, decimal):
    """Whether signs before three digits part groups; ValueError where nobody can tell."""
    if number.count(sign) > 1:
        return True
    if decimal is not None:
        return sign != decimal
    if (whole and sign == ",") or (not whole and sign == "."):
        return whole
    both = f"{number.replace(sign, '')} or {float(number.replace(sign, '.')):g}"
    raise ValueError(f"must have one meaning, got {number[:20]!r}: write {both}")
