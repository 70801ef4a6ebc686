"""The page Gain: its numbers are core's, its runs are of a release, and its view depends on plan and theme alone."""

from __future__ import annotations

import re

import numpy as np
import pytest
from sheets import GainPage

from core import cape
from dashboard.pages.learn.gain.model import RUNS, GainModel, noise_runs
from dashboard.pages.learn.gain.view import view
from dashboard.sheet.first import first
from dashboard.sheet.spec import Shown
from dashboard.shell.lecture import settings_of
from dashboard.state.controls import Controls
from dashboard.state.number_text import number_text


def looked(**settings):
    """The plan of settings, and its view."""
    own = {name: settings.pop(name) for name in ("family",) if name in settings}
    plan = GainModel(Controls(**settings), **own).plan()
    return plan, view(plan, Shown())


@pytest.mark.parametrize(("sites", "colluding"), [(2, 0), (10, 0), (10, 6), (50, 20)])
def test_the_noise_has_the_standard_deviation_that_the_gain_says(sites, colluding):
    runs = noise_runs(sites, colluding, 3)
    assert runs.stds["conventional"] == pytest.approx(sites**-0.5)
    fair = cape.honest_gain(sites, colluding)
    assert (runs.stds["conventional"] / runs.stds["cape"]) ** 2 == pytest.approx(fair)
    for scheme, errors in runs.errors.items():
        # Squares of 100 normal errors; 4 standard errors: the eight ratios are outside once in 2,000 seeds.
        assert abs(np.mean(errors**2) / runs.stds[scheme] ** 2 - 1) < 4 * (2 / RUNS) ** 0.5
        assert (
            errors[0] == pytest.approx(runs.messages[scheme].mean()) and len(runs.messages[scheme]) == sites
        )


@pytest.mark.parametrize(("sites", "colluding"), [(10, 0), (10, 6), (2, 0), (50, 3)])
def test_the_gain_at_equal_privacy_is_cores_on_curve_point_table_and_sentence(sites, colluding):
    _, shown = looked(sites=sites, colluding=colluding)
    gain = cape.honest_gain(sites, colluding)
    line, dashed = (line for line in shown.charts["fair"].lines)
    assert dict(zip(line.x, line.y, strict=True)) == pytest.approx(
        {s: cape.honest_gain(s, colluding) ** 0.5 for s in range(max(2, colluding + 1), 51)}
    )
    assert dict(zip(dashed.x, dashed.y, strict=True))[sites] == pytest.approx(sites**0.5)
    here = {points.name: (points.x, points.y) for points in shown.charts["fair"].points}
    assert here[line.name] == ([sites], [pytest.approx(gain**0.5)])
    for number in (gain**0.5, gain):
        assert number_text(number) in shown.headline and number_text(number) in shown.sections["numbers"]
    drawn = [float(number) for number in re.findall(r'class="big"[^>]*>([\d.]+)<', shown.sections["runs"])]
    assert drawn[0] / drawn[1] == pytest.approx(gain**0.5, rel=1e-2)  # Of three digits each.


@pytest.mark.parametrize("family", ["one giant", "two halves", "geometric"])
def test_the_gains_of_unequal_sites_are_cores_along_both_axes(family):
    plan, shown = looked(sites=12, samples=100, imbalance=30.0, family=family)
    sizes = np.array(plan.sizes)
    assert sizes.sum() == pytest.approx(1200) and sizes.max() / sizes.min() == pytest.approx(30)
    for chart, at in (("imbalance", 30.0), ("sites", 12)):
        points = {points.name[0]: points for points in shown.charts[chart].points}
        assert points["G"].x == points["H"].x == [at] and shown.charts[chart].rules == (at,)
        assert points["G"].y == [pytest.approx(cape.gain(sizes))]
        assert points["H"].y == [pytest.approx(cape.excess(sizes))]
        for line in shown.charts[chart].lines:  # The point lies on its curve.
            assert np.interp(at, line.x, line.y) == pytest.approx(points[line.name[0]].y[0], rel=5e-3)
    (band,) = shown.charts["imbalance"].bands
    assert (band.low[0], band.high[0]) == cape.gain_bounds(1200, 12)
    for number in (cape.gain(sizes), cape.excess(sizes)):
        assert number_text(number) in shown.sections["numbers"]


def test_the_view_is_pure_and_the_theme_changes_colours_alone():
    plan, shown = looked()
    assert view(plan, Shown()) == shown
    dark = view(plan, Shown(dark=True))
    assert dark.sections == shown.sections and dark.charts != shown.charts
    assert [line.y for line in dark.charts["fair"].lines] == [line.y for line in shown.charts["fair"].lines]


def test_every_message_and_average_is_drawn_and_other_noise_falls_anew():
    page = GainPage(Controls(sites=12, colluding=2))
    page.opened()
    runs = page.exhibits()[0]

    def keys():
        return re.findall('<g class="lane[^"]*" data-key="([^"]*)"', runs.picture)

    before, seed = keys(), page.controls.noise_seed
    assert runs.picture.count("<circle") == 2 * 12
    assert len(re.findall('<rect class="come', runs.picture)) == 2 * RUNS
    page.controls.imbalance = 9.0
    assert keys() == before
    runs.received({"name": "runs", "number": 0})
    assert page.controls.noise_seed != seed and not {*before} & {*keys()}


def test_equal_sites_are_not_told_to_be_unequal():
    _, unequal = looked(imbalance=4.0)
    _, equal = looked(imbalance=1.0)
    assert number_text(cape.gain(np.geomspace(1, 4, 10))) in unequal.words
    assert "Imbalance" in equal.words and len(equal.words) < len(unequal.words)


def test_a_slide_shows_the_parts_that_it_names():
    page = GainPage(Controls())
    page.opened()
    assert [
        kind.split("-")[-1] for part in page.exhibits() for kind in part.css_classes if "part-" in kind
    ] == [*"01234"]
    assert {number for step in page.steps for number in step.figures} <= set(range(len(page.exhibits())))


@pytest.mark.parametrize("family", ["one giant", "two halves", "geometric"])
def test_a_slide_of_unequal_sites_says_what_its_picture_shows(family):
    page = GainPage(Controls())
    page.content()
    page.opened()
    step = next(step for step in page.steps if "imbalance" in step.values and step.values["imbalance"] > 1)
    page.set({**settings_of(page, step), "family": family})
    numbers = [number_text(value) for value in (page.plan.gain, page.plan.excess)]
    assert all(
        f"{number} times" in page.board.head.picture for number in numbers
    )  # All numbers are of one scenario.
    page.state.step = step
    assert all(f"{number} times" in page.board.head.picture for number in numbers)
    assert number_text(page.plan.fair_gain**0.5) not in page.board.head.picture
    assert all(f"{number} times" in first(page, slide=True) for number in numbers)
    page.state.step = None
    assert all(f"{number} times" in page.board.head.picture for number in numbers)


def test_where_cape_gains_nothing_the_sentence_does_not_call_it_less():
    page = GainPage(Controls(sites=10, colluding=9))
    page.opened()
    assert page.plan.fair_gain == pytest.approx(1)
    assert "as much" in page.shown.headline and "times" not in page.shown.headline
