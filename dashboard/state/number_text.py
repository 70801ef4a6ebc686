"""Numbers and settings formatted for readers."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any, Literal, Protocol

import numpy as np
import param

from core import check
from dashboard.state.seeds import Seed
from data.check import grouped

Way = Literal["nearest", "up", "down"]
BOUNDS = ("ε", "δ", "μ")  # Symbols of what bounds a risk.
# Computing brings a number less far from its true value: ε of the μ of an ε is that ε.
_SLACK = 1e-11
LEAST_REPEATS = 3  # With fewer repeats no band is drawn.
_POWERS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


class Target(Protocol):
    """What has an ε and a δ that were chosen: a `Privacy`, a page's settings."""

    @property
    def epsilon(self) -> float: ...
    @property
    def delta(self) -> float: ...


def number_text(value: float, *, digits: int = 3, way: Way = "nearest") -> str:
    """A number with at least `digits` significant digits: 0.05, 1.5, 20 000, 10⁻⁶, 1.8·10⁻¹⁶, ∞.

    Parameters
    ----------
    way : {"nearest", "up", "down"}
        How a positive number is rounded. What bounds a risk (ε, δ, μ, right guesses) goes up, what is left of a budget
        or is shown at least goes down: `at_most_text`, `at_least_text`, `equals`.
    """
    if value == 0 or not math.isfinite(value):
        return "0" if value == 0 else "∞" if value > 0 else "−∞" if value < 0 else "—"
    if way != "nearest" and value > 0:
        value = directed(value, digits, way)
    exponent = int(f"{value:.{digits - 1}e}".partition("e")[2])  # Of the rounded value.
    if -4 < exponent < 6:
        places = f".{digits}g" if exponent < digits else ".0f"
        text = f"{value:{places}}" if exponent < 4 else grouped(round(value))
        return text.replace("-", "−")
    return _with_power(f"{float(f'{value / 10.0**exponent:.{digits}g}'):g}", exponent)


def _with_power(mantissa, exponent):
    power = "10" + str(exponent).translate(_POWERS)
    return power if mantissa == "1" else f"{mantissa}·{power}".replace("-", "−")


def exact_text(value: float) -> str:
    """A number that was chosen, in all its digits: 0.05, 0.9996, 20 000, 10⁻⁶, 9.9999·10⁻⁶.

    A control, a link and what is said of the setting then name one value. `number_text` rounds what was computed.
    """
    if not math.isfinite(value):
        return number_text(value)
    written = Decimal(str(value)).normalize()
    exponent = written.adjusted()
    if written and not -4 < exponent < 6:
        return _with_power(f"{written.scaleb(-exponent):f}", exponent)
    whole, point, rest = f"{written:f}".partition(".")
    return f"{grouped(int(whole)) if abs(int(whole)) >= 10_000 else whole}{point}{rest}".replace("-", "−")


def target_text(target: Target) -> str:
    """A target that was chosen: "ε = 1, δ = 10⁻⁵"."""
    return f"{exactly('ε', target.epsilon)}, {exactly('δ', target.delta)}"


def directed(value: float, digits: int, way: Way) -> float:
    """The number that is written in place of this one; of one up to a million all digits before the point are."""
    exponent = math.floor(math.log10(value))
    written = exponent + 1 if digits <= exponent < 6 else digits
    return check.directed(value, written, up=way == "up", slack=_SLACK)


def at_most_text(value: float, *, digits: int = 3) -> str:
    """A number that something does not exceed: rounded up."""
    return number_text(value, digits=digits, way="up")


def at_least_text(value: float, *, digits: int = 3) -> str:
    """A number that may be used up, or that is reached at least: rounded down."""
    return number_text(value, digits=digits, way="down")


def hundred_text(right: float) -> str:
    """Of a hundred guesses or records, how many are right or found on average at most: rounded up to one decimal."""
    found = math.ceil(right * 10 * (1 - _SLACK)) / 10
    return f"{found:.1f}" if found < 100 else "100" if right >= 100 else "nearly 100"


def short_text(value: float, *, digits: int = 3) -> str:
    """A positive number in so many digits, never as a power of ten: two of them have the ratio told beside them."""
    if value >= 100:
        return str(round(value))
    return np.format_float_positional(value, precision=digits, unique=False, fractional=False, trim="k")


def allowed_text(value: float, most: float | None) -> str:
    """A chosen number of which there can be at most so many; the largest whole one says so."""
    text = exact_text(value)
    return f"{text} (all)" if value == most and isinstance(most, int) else text


def range_text(value: Any) -> str:
    """A number, or for several (of sites that differ) the smallest and the largest: "20 to 300"."""
    if isinstance(value, tuple):
        return f"{number_text(min(value))} to {number_text(max(value))}"
    return number_text(value)


def equals(symbol: str, value: float | str) -> str:
    """A symbol and its value, joined with no-break spaces; the value of one of `BOUNDS` is rounded up."""
    way: Way = "up" if symbol in BOUNDS else "nearest"
    text = value if isinstance(value, str) else number_text(value, way=way)
    return f"{symbol} = {text}".replace(" ", "\u00a0")


def exactly(symbol: str, value: float) -> str:
    """A symbol and its value that was chosen, in all its digits."""
    return equals(symbol, exact_text(value))


def percent_text(share: float, *, digits: int = 3, way: Way = "nearest") -> str:
    """A share as a percentage."""
    if way != "nearest" and share > 0:
        share = directed(100 * share, digits, way) / 100
    if digits < 3:  # In full, where `g` would write 120 as 1.2e+02.
        return f"{number_text(100 * share, digits=digits)} %"
    return f"{100 * share:.3g} %".replace("-", "−")


def angle_text(cosine: float) -> str:
    """The angle of a cosine, in whole degrees: "26°"."""
    return f"{math.degrees(math.acos(cosine)):.0f}°"


def count_text(count: int, one: str, many: str | None = None) -> str:
    """A count with its noun: 1 site, 3 sites, no sites."""
    noun = one if count == 1 else many or f"{one}s"
    return f"{grouped(count) if count else 'no'} {noun}"


def amount_text(number: float, total: int) -> str:
    """A number of things, or a mean of such; one that is neither none nor all is not rounded to these."""
    # A quarter, of four runs, would be rounded to an even tenth.
    text = f"{number:.2f}" if (4 * number) % 2 == 1 else f"{number:.1f}".removesuffix(".0")
    return f"{number:.2f}" if float(text) in (0, total) and number not in (0, total) else text


def spread_text(repeats: int, *, common: bool = False) -> str:
    """Sentences about the bands of a curve; `common`: a scheme draws the same noise at all its points."""
    if repeats < LEAST_REPEATS:
        return f"{count_text(repeats, 'repeat').capitalize()}: too few for bands."
    bands = f"Bands: 95 % confidence intervals for the mean of {count_text(repeats, 'repeat')}."
    shared = (
        " All points of a scheme share their noise draws, so chance may shift a whole curve."
        if common
        else ""
    )
    return f"{bands} Where they overlap, a difference may be chance.{shared}"


def chosen_text(parameter: param.Number, value: float, most: float | None = None) -> str:
    """A number that was chosen with a control, as it shows it: exactly, with the words of `allowed_text`."""
    if getattr(parameter, "percent", False):
        return f"{exact_text(float(Decimal(str(value)).scaleb(2)))} %"
    return allowed_text(value, most)


def setting_text(parameter: param.Parameter, value: Any) -> str:
    """A setting's value as its control shows it."""
    if isinstance(parameter, param.Boolean):
        return "on" if value else "off"
    if isinstance(parameter, Seed):
        return str(value)
    if isinstance(parameter, param.Number):
        listed = getattr(parameter, "names", ())
        return repr(listed[value - 1][:40]) if 0 < value <= len(listed) else chosen_text(parameter, value)
    if not isinstance(parameter, param.Selector | param.ListSelector):
        return str(value)
    names = {option: name for name, option in parameter.get_range().items()}
    chosen = value if isinstance(parameter, param.ListSelector) else [value]
    return ", ".join(str(names[one]) for one in chosen) or "none"
