"""The picture of one record on the page Guarantee: δ is the drawn area, and its words are its number."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from scipy.stats import norm

from core.privacy import gdp_delta
from dashboard.pages.learn.guarantee.page import GuaranteePage
from dashboard.pages.learn.guarantee.sketch import beyond, chance, delta_text, excess, record_sketch
from dashboard.session.app import App
from dashboard.state.controls import Controls

DASHED = 'stroke-dasharray="4 3"'


def opened(**values):
    page = GuaranteePage(Controls())
    page.set(values)
    page.opened()
    return page


@pytest.mark.parametrize("mu", [0.1, 0.2248, 1.0, 3.0])
def test_the_area_between_the_curves_is_delta(mu):
    seen, over = excess(mu, 1.0)
    # The window leaves out the last per cent of the tail.
    assert np.trapezoid(over, seen) == pytest.approx(gdp_delta(1.0, mu), rel=0.03)
    assert over[0] == 0 and (over[1:] > 0).all()


def areas(markup):
    """Areas of the exact and of the published δ as drawn, per cent times pixels."""
    found = []
    for path in re.findall(r'd="M([^Z]*)Z"', markup)[2:]:  # The first two are the bell curves.
        x, y = np.array([point.split() for point in path.split("L")], dtype=float).T
        found.append(abs(np.dot(x, np.roll(y, 1)) - np.dot(y, np.roll(x, 1))) / 2)
    return found


@pytest.mark.parametrize("noise", [2.0, 4.0, 6.0])
def test_exact_and_published_delta_are_drawn_to_scale(noise):
    picture = opened(noise=noise).picture
    markup = record_sketch(picture)
    exact, published = areas(markup)
    ratio = picture.here["cape_theorem"] / picture.here["cape_exact"]
    assert DASHED in markup and published / exact == pytest.approx(ratio, rel=0.05)
    assert ("too small" in markup) == (ratio < 1) and ("too large" in markup) == (ratio > 1)


def test_the_page_opens_on_numbers_that_can_be_read():
    page = opened()
    assert "3.27·10⁻⁷" in page.said.words and "3.3·10⁻⁷" in page.still()
    assert "1.6·10⁻⁸" in page.still() and "21 times too small" in page.still()
    assert page.picture.here["cape_exact"] / page.picture.here["cape_theorem"] > 10


@pytest.mark.parametrize(
    ("noise", "epsilon"), [(0.1, 1.0), (0.1, 10.0), (100.0, 1.0), (1e6, 0.001), (6.0, 1e-3)]
)
def test_every_noise_has_a_picture(noise, epsilon):
    page = opened(noise=noise, epsilon=epsilon)
    assert page.said.problem == "" and not re.search(r"\b(nan|inf)\b", page.still())


def test_the_picture_comes_once_and_stands_still_in_the_first_answer():
    page = opened()
    sketch = page.exhibits()[-1]
    assert "sketch rain" in sketch.text and "sketch rain" not in page.still()
    page.model.noise = 5.0
    assert "sketch rain" not in sketch.text
    assert App({"page": "guarantee", "lecture": "3"}).page.still() == ""


@pytest.mark.parametrize(
    ("delta", "words"),
    [
        (0.5, "50 in 100"),
        (0.0094, "9 in 1 000"),
        (0.00999, "1 in 100"),
        (1e-6, "1 in a million"),
        (9.7e-7, "1 in a million"),
        (6e-11, "6 in 100 billion"),
        (1.74e-15, "1.7·10⁻¹⁵"),
        (0.0, "less than 10⁻³⁰⁰"),
        (1.0, "nearly 1"),
    ],
)
def test_chances_in_words(delta, words):
    assert chance(delta).replace("\u202f", " ") == words


def test_delta_is_told_as_an_excess_and_not_as_the_chance_to_exceed_the_factor():
    page = opened()
    mu, epsilon, delta = page.picture.onlookers[2].mu, 1.0, page.picture.here["cape_exact"]
    draws = mu + np.random.default_rng(1).standard_normal(4_000_000)
    more = np.mean(draws * mu - mu**2 / 2 > epsilon)  # The log of the densities' ratio exceeds ε.
    # 29 draws are expected; 4 standard errors: outside once in 10,000 seeds.
    assert abs(more - beyond(mu, epsilon)) < 4 * (beyond(mu, epsilon) / len(draws)) ** 0.5
    without = norm.sf(mu / 2 + epsilon / mu)
    assert beyond(mu, epsilon) - math.e * without == pytest.approx(delta) and beyond(mu, epsilon) > 20 * delta
    assert "7 in a million" in page.said.words and "7 in a million" in page.still()
    assert "blue − 2.72 × yellow" in page.still() and "fails" not in page.said.words + page.still()


@pytest.mark.parametrize(
    ("delta", "words"),
    [(3.27e-7, "3.3·10⁻⁷"), (1.67, "1.7"), (0.0, "less than 10⁻³⁰⁰"), (math.nan, "no value")],
)
def test_delta_in_words(delta, words):
    assert delta_text(delta) == words
