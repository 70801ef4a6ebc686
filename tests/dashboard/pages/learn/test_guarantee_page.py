"""The page Guarantee: a game whose runs are the protocol's, and δ as the drawn area, whose words are its number."""

from __future__ import annotations

import html
import math
import re

import numpy as np
import pytest
from scipy.stats import norm
from sheets import GuaranteePage

from core import cape
from core.privacy import gdp_delta
from dashboard.pages.learn.guarantee.game import Setting, best_percent, rounds
from dashboard.pages.learn.guarantee.model import FLOOR, FORMS
from dashboard.pages.learn.guarantee.sketch import beyond, chance, delta_text, excess, record_sketch
from dashboard.pages.learn.guarantee.view import view
from dashboard.sheet.spec import Shown
from dashboard.state.controls import Controls
from dashboard.state.number_text import number_text
from dashboard.theme import colours

DASHED = 'stroke-dasharray="4 3"'


def opened(**values):
    page = GuaranteePage(Controls())
    page.set(values)
    page.opened()
    page.content()
    return page


def game_of(page):
    """The component of the game."""
    return page.board.live["game"].view


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


@pytest.mark.parametrize("noise", [2.0, 5.0, 6.0])
def test_exact_and_published_delta_are_drawn_to_scale(noise):
    picture = opened(noise=noise, published=True).plan
    markup = record_sketch(picture)
    exact, published = areas(markup)
    ratio = picture.here["cape_theorem"] / picture.here["cape_exact"]
    assert DASHED in markup and published / exact == pytest.approx(ratio, rel=0.05)
    assert ("too small" in markup) == (ratio < 1) and ("too large" in markup) == (ratio > 1)


def test_a_guess_is_judged_in_large_letters_on_the_card_that_was_pressed():
    page = opened()
    for n in range(6):
        assert ("class='stamp" in game_of(page).picture) == (n > 0)
        picture = press(page, "guess", tickets(game_of(page).picture)[n % 2])
        cards = re.findall(r"<button class='card.*?</button>", picture)
        assert "stamp" in cards[n % 2] and "stamp" not in cards[1 - n % 2]
        assert ("✓ Right" in cards[n % 2]) == ("<b>Right.</b>" in picture)
        assert ("✗ Wrong" in cards[n % 2]) == ("<b>Wrong.</b>" in picture)
    assert "class='stamp" not in press(page, "many", 0)  # The last guesses are the observer's.


def test_the_page_tells_one_number_and_a_bound_too_small_on_both():
    page = opened()
    assert page.shown.headline.count("<b>") == 1 and "67.4" in page.shown.headline
    assert "67.4" in game_of(page).picture
    mu = page.plan.setting.mu  # What μ says of a person is what the sketch of δ draws as a distance.
    assert number_text(mu) in page.shown.words and f"μ\u00a0=\u00a0{number_text(mu)}" in delta_of(page)
    assert page.shown.charts["noise"].y.ends[0] == 1e-12
    page.set(page.presets[1].values)
    assert page.shown.charts["noise"].y.ends[0] == FLOOR  # The theorem's δ is smaller than 10⁻¹².
    assert page.plan.here["cape_exact"] / page.plan.here["cape_theorem"] > 1000
    assert "3.8 powers" in page.shown.words and "powers" in delta_of(page)


@pytest.mark.parametrize(
    "settings", [{}, {"noise": 9.0, "colluding": 3}, {"epsilon": 0.5, "noise": 20.0, "sites": 30}]
)
def test_every_curve_is_cores_and_goes_through_its_number(settings):
    page = opened(**settings)
    plan = page.plan
    terms = {"samples": None, "sensitivity": 1.0, "sites": plan.sites}
    for form in FORMS:
        function = cape.delta if form.scheme == "cape" else cape.conventional_delta
        more = {"colluding": plan.chosen_colluding} if form.scheme == "cape" else {}
        exact = function(plan.epsilon, tau=np.array(plan.noise), form=form.form, **terms, **more)
        np.testing.assert_allclose(plan.along_noise[form.key], exact, rtol=1e-12)
        if form.key in plan.along_epsilon:
            exact = function(np.array(plan.epsilons), tau=plan.chosen_noise, form=form.form, **terms, **more)
            np.testing.assert_allclose(plan.along_epsilon[form.key], exact, rtol=1e-12)
        along = plan.along_colluding[form.key]
        assert len(along) == plan.sites
        np.testing.assert_allclose(along[plan.chosen_colluding], plan.here[form.key], rtol=1e-12)
    observers = [
        line
        for line in page.shown.charts["epsilon"].lines
        if (line.colour, line.dash) == (colours.CAPE, "solid")
    ]
    mus = [1.0, cape.leakage(plan.sites) ** 0.5, cape.leakage(plan.sites, plan.chosen_colluding) ** 0.5]
    for line, mu in zip(observers, dict.fromkeys(mus), strict=True):
        wanted = gdp_delta(np.array(plan.epsilons), mu / plan.chosen_noise)
        shown = np.array(line.y)
        np.testing.assert_allclose(shown[np.isfinite(shown)], wanted[np.isfinite(shown)], rtol=1e-9)


def test_the_view_is_pure_and_equal_curves_are_equal():
    plan = opened(noise=4.0, colluding=2).plan
    assert view(plan, Shown()) == view(plan, Shown())


def test_a_published_delta_within_a_twentieth_is_not_called_too_small():
    page = opened(noise=4.0, published=True)
    assert 1 < page.plan.here["cape_exact"] / page.plan.here["cape_theorem"] < 1.05
    assert "too small" not in page.shown.words + delta_of(page)


def test_a_published_delta_above_one_is_not_called_safe():
    page = opened(noise=1.5, colluding=5, published=True)
    assert page.plan.here["cape_theorem"] > 1
    assert "too small" not in page.shown.words and "valid" not in page.shown.words
    assert "above 1" in delta_of(page) and "safe" not in delta_of(page)


@pytest.mark.parametrize(("noise", "named"), [(5.0, 5), (100.0, 0)])
def test_the_collusion_figure_names_what_it_draws(noise, named):
    chart = opened(noise=noise, published=True).shown.charts["colluding"]
    assert sum(line.listed for line in chart.lines) == named


def test_published_forms_stand_behind_one_switch_and_nothing_above_one_is_drawn():
    page = opened(noise=1.5, colluding=5)
    forms = {
        line.name for name in ("noise", "epsilon", "colluding") for line in page.shown.charts[name].lines
    }
    assert not {name for name in forms if "theorem" in name or "plotted" in name or "published" in name}
    assert "theorem" not in page.shown.words + delta_of(page)
    page.set({"published": True})
    lines = [line for name in ("noise", "epsilon", "colluding") for line in page.shown.charts[name].lines]
    assert {"CAPE, theorem", "CAPE, as plotted", "δ conv, as published"} <= {line.name for line in lines}
    assert max(value for line in lines for value in line.y if math.isfinite(value)) <= 1
    assert not [line.value for line in lines if line.value.startswith(("1.", "2.", "3."))]
    assert "δ, published theorem" not in delta_of(page)


def delta_of(page):
    """The markup of δ as an area."""
    return html.unescape(page.shown.sections["area"])


def test_the_axis_names_whose_view_it_is_and_no_delta_is_called_zero():
    page = opened(noise=50.0)
    table = page.shown.sections["observers"]
    assert "<td>0</td>" not in table and "&lt; 10⁻³⁰⁰" in table
    page.set({"colluding": 3})
    view = "3 colluders"
    assert view in game_of(page).picture and view in delta_of(page)


@pytest.mark.parametrize(
    ("noise", "epsilon"), [(0.1, 1.0), (0.1, 10.0), (100.0, 1.0), (1e6, 0.001), (6.0, 1e-3)]
)
def test_every_noise_has_a_picture(noise, epsilon):
    page = opened(noise=noise, epsilon=epsilon)
    game_of(page).received({"name": "many", "number": 0})
    for drawn in (game_of(page).picture, delta_of(page)):
        assert page.state.problem == "" and not re.search(r"\b(nan|inf)\b", drawn)


@pytest.mark.parametrize(
    ("noise", "sites", "colluding"), [(1.5, 10, 0), (0.5, 10, 9), (3.0, 30, 20), (1000.0, 2, 1)]
)
def test_what_is_seen_are_runs_of_cape_at_the_exact_distance(noise, sites, colluding):
    setting = Setting(noise, sites, colluding, 5)
    drawn = [rounds(setting, 1, block) for block in range(40)]
    used, seen = (np.concatenate([getattr(one, name) for one in drawn]) for name in ("used", "seen"))
    # 4,000 runs; 4 standard errors each: the twelve numbers are outside once in 1,300 seeds.
    assert abs(used.mean() - 0.5) < 4 * 0.5 / 4000**0.5
    for mean, one in ((0.0, seen[~used]), (setting.mu, seen[used])):
        assert abs(one.mean() - mean) < 4 / len(one) ** 0.5
    rest = seen - setting.mu * used
    assert abs(rest.std() - 1) < 4 / 8000**0.5
    right = np.mean((seen > setting.mu / 2) == used)
    share = norm.cdf(setting.mu / 2)
    assert abs(right - share) < 4 * (share * (1 - share) / 4000) ** 0.5


@pytest.mark.parametrize("mu", [1e-6, 1e-3, 0.2, 0.9, 3.0, 14.0])
def test_the_best_share_is_never_told_too_small(mu):
    exact = 100 * norm.cdf(mu / 2)
    assert exact <= best_percent(mu) + 1e-9 and best_percent(mu) - exact <= max(0.1, 0.6 * (exact - 50))
    assert best_percent(mu) <= 100


def press(page, name, number):
    """Press something in the game, as a browser does."""
    game_of(page).received({"name": name, "number": number})
    return game_of(page).picture


def tickets(picture):
    """The numbers that the two guesses send."""
    return [int(n) for n in re.findall("data-press='guess' data-number='([0-9]+)'", picture)]


def test_a_guess_is_judged_by_the_truth_and_the_same_seed_plays_the_same_game():
    page, again = opened(noise=0.2), opened(noise=0.2)  # Both curves are far apart: who looks is right.
    for n in range(6):
        picture = game_of(page).picture
        place = float(re.search("<circle cx='([0-9.]+)%'", picture)[1])
        picture = press(page, "guess", tickets(picture)[place > 50])
        assert "<b>Right.</b>" in picture and f"{n + 1} of {n + 1} right" in picture
        press(again, "guess", tickets(game_of(again).picture)[place < 50])
    assert "0 of 6 right" in game_of(again).picture and "0 of 6" not in picture
    assert press(page, "guess", 0) == picture  # For the first run, which was guessed before.
    assert press(page, "x", 3) == picture
    truths = [re.findall(r"class='run (\w+)", text) for text in (picture, game_of(again).picture)]
    assert truths[0] == truths[1] and len(truths[0]) == 6
    page.controls.noise_seed += 1
    assert "guess again" in game_of(page).picture


def test_the_best_observer_guesses_a_hundred_runs_and_follows_the_noise():
    page = opened(noise=1.5)
    picture = press(page, "many", 0)
    right = int(re.search(r"(\d+) of 100</b> runs", picture)[1])
    # Of 100 runs at 67.3 %; 4 standard errors: outside once in 16,000 seeds.
    assert abs(right - 67.3) < 4 * (100 * 0.673 * 0.327) ** 0.5
    assert f"<s style='left:{right}.00%'>" in picture
    assert "runs (chance: ±\u00a05)" in picture  # √(100 · 0.673 · 0.327) = 4.7.
    assert "67.4 %</b>" in picture
    assert len(re.findall("class='run ", picture)) == 100 and picture.count(" wrong'") == 100 - right
    assert "of 200</b> runs" in press(page, "many", 1)
    page.model.noise = 0.2
    assert "100 of 100</b> runs" in game_of(page).picture  # They are 6.7 standard deviations apart.
    page.controls.noise_seed += 1
    assert "of 100</b> runs" not in game_of(page).picture


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
    page = opened(noise=6.0)
    mu, epsilon, delta = page.plan.onlookers[2].mu, 1.0, page.plan.here["cape_exact"]
    draws = mu + np.random.default_rng(1).standard_normal(4_000_000)
    more = np.mean(draws * mu - mu**2 / 2 > epsilon)  # The log of the densities' ratio exceeds ε.
    # 29 draws are expected; 4 standard errors: outside once in 10,000 seeds.
    assert abs(more - beyond(mu, epsilon)) < 4 * (beyond(mu, epsilon) / len(draws)) ** 0.5
    without = norm.sf(mu / 2 + epsilon / mu)
    assert beyond(mu, epsilon) - math.e * without == pytest.approx(delta) and beyond(mu, epsilon) > 20 * delta
    assert chance(beyond(mu, epsilon)) in delta_of(page) and "2.72 ×" in delta_of(page)
    assert "fails" not in page.shown.words + delta_of(page)


@pytest.mark.parametrize(
    ("delta", "words"),
    [(3.27e-7, "3.27·10⁻⁷"), (1.67, "above 1"), (0.0, "less than 10⁻³⁰⁰"), (math.nan, "no value")],
)
def test_delta_in_words(delta, words):
    assert delta_text(delta) == words
