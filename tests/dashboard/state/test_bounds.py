"""Rounding of numbers that bound something: ε, δ and risk go up, what is left goes down."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest
from sheets import ProtocolPage

from core import Privacy, check
from core.privacy import attack_risk, gdp_epsilon, gdp_mu
from dashboard.guarantee import guarantee
from dashboard.packs.consortium.plan.year.releases import Draft, Law, Line
from dashboard.state.controls import Controls
from dashboard.state.number_text import (
    at_least_text,
    at_most_text,
    equals,
    hundred_text,
    number_text,
    percent_text,
)

ROUNDING = 1e-10  # Relative: an error of a computation is no number of its own.
_DIGITS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


def number(text):
    """The number that a text of a page stands for."""
    mantissa, _, power = text.replace("\u202f", "").replace("−", "-").partition("10")
    if re.fullmatch(r"[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+", power):
        return float(mantissa.rstrip("·") or 1) * 10.0 ** int(power.translate(_DIGITS))
    return float(text.replace("\u202f", ""))


def random_numbers(count=400):
    return 10 ** np.random.default_rng(5).uniform(-20, 8, count)


def test_what_bounds_is_never_written_smaller_and_what_is_left_never_larger():
    for value in random_numbers():
        most, least = number(at_most_text(value)), number(at_least_text(value))
        assert value * (1 - ROUNDING) <= most <= value * 1.011
        assert value * 0.989 <= least <= value * (1 + ROUNDING)
        assert number(equals("ε", value).split("=")[1].strip()) == most
        assert number(at_most_text(value, digits=2)) >= value * (1 - ROUNDING)


@pytest.mark.parametrize("value", [1.0, 0.1, 0.3, 1e-5, 1e-300, 2.5, 1200.0, 20_000.0, 0.1 + 0.2, 3e7])
def test_a_number_of_few_digits_is_itself_either_way(value):
    assert at_most_text(value) == at_least_text(value) == number_text(value)


def test_the_epsilon_of_a_target_is_that_target():
    rng = np.random.default_rng(3)
    for _ in range(100):
        epsilon, delta = float(f"{10 ** rng.uniform(-3, 1):.3g}"), float(f"{10 ** rng.uniform(-12, -1):.1g}")
        found = gdp_epsilon(delta, gdp_mu(Privacy(epsilon, delta)))
        assert at_most_text(found) == number_text(epsilon)


@pytest.mark.parametrize(
    "right, text", [(55.331, "55.4"), (50.0, "50.0"), (99.93, "nearly 100"), (100.0, "100"), (64.9, "64.9")]
)
def test_right_guesses_of_a_hundred_are_rounded_up(right, text):
    assert hundred_text(right) == text
    assert percent_text(right / 100, way="up").startswith(text.replace(".0", "")[:4]) or right > 99


def test_errors_that_name_the_nearest_value_round_it_without_slack():
    assert check.upwards(0.1234561) == "0.123457" and check.downwards(0.1234569) == "0.123456"
    assert float(check.upwards(1 + 1e-13, 4)) > 1


def test_at_most_on_protocol_and_in_a_guarantee_is_an_upper_bound():
    rng = np.random.default_rng(7)
    page = ProtocolPage(Controls())
    page.content()
    for _ in range(25):
        epsilon, delta = float(10 ** rng.uniform(-2, 0.9)), float(10 ** rng.uniform(-10, -2))
        page.controls.take(
            {"epsilon": epsilon, "delta": delta, "sites": int(rng.integers(2, 12)), "colluding": 1}
        )
        page.set({"step": 5})
        page.opened()
        right = 50 + 50 * attack_risk.advantage(gdp_mu(Privacy(epsilon, delta)))
        said = re.search(r"at most (nearly )?([\d.]+) of 100", page.state.words)
        assert right * (1 - ROUNDING) <= float(said[2]) <= right + 0.11
        promise = page.state.guarantee
        rows = re.findall(r"<td>([^<]*)</td>", guarantee.details(promise))
        true = [x for row in promise.exposures for x in (row.public, row.aggregator, row.colluders)]
        assert all(
            text == "no privacy" or number(text) >= x * (1 - ROUNDING)
            for text, x in zip(rows, true, strict=True)
        )


@pytest.mark.parametrize(
    ("scheme", "observer"), [("cape", "colluders"), ("conventional", "public"), ("secure", "aggregator")]
)
def test_what_is_left_of_a_year_fits_as_one_more_release(scheme, observer):
    rng = np.random.default_rng(11)
    fitted = 0
    for _ in range(8):
        law = Law(int(rng.integers(2, 20)), 1, lambda scheme: ())
        epsilon, times = f"{10 ** rng.uniform(-1.7, -0.7):.3g}", int(rng.integers(1, 40))
        line = Line("week", "mean", scheme, epsilon, "1e-6", str(times))
        year = Draft(epsilon=f"{rng.uniform(1, 4):.4g}", observer=observer, lines=(line,))
        said = re.search(r"<b>ε\s=\s([^<]+)</b> is left", year.words(law))
        if said is None or number(said[1]) == 0:
            continue
        fitted += 1
        for further in ("cape", "conventional", scheme):
            more = Line("more", "mean", further, said[1], "1e-5", "1")
            year = replace(year, lines=(line, more))
            assert "is left" in year.words(law) and not year.plan(law).over
        spent = year.plan(law).spent
        shown = re.findall(r"ε\s=\s([^<\s]+)", year.words(law))
        assert number(shown[0]) >= spent * (1 - ROUNDING)
    assert fitted >= 4


def test_a_guarantee_of_a_secure_sum_speaks_of_no_message():
    privacy = Privacy(1.0, 1e-5)
    law = {"sites": 6, "calibration": "exact"}
    for colluding in (0, 2):
        found = guarantee.exposures(("secure",), privacy, colluding=colluding, **law)
        said = guarantee.sentence(privacy, found, colluding=colluding)
        assert "all messages" not in said and (equals("δ", 1e-5) in said)
        assert (number_text(found[0].colluders)[:3] in said) == (colluding > 0) or math.isclose(
            found[0].colluders, 1e-5
        )
