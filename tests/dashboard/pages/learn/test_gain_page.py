"""The sites on the page Gain: their noise is a release's, at the privacy that the page's gain is stated for."""

from __future__ import annotations

import re

import numpy as np
import pytest

from core import cape
from dashboard.pages.learn.gain.model import RUNS, noise_runs
from dashboard.pages.learn.gain.page import GainPage
from dashboard.session.app import App
from dashboard.state.controls import Controls


@pytest.mark.parametrize(("sites", "colluding"), [(2, 0), (10, 0), (10, 6), (50, 20)])
def test_the_noise_has_the_spread_that_the_gain_says(sites, colluding):
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


def test_every_site_message_and_average_is_drawn_and_the_first_picture_stands_still():
    page = GainPage(Controls(sites=12, colluding=2))
    page.opened()
    shown = page.exhibits()[-1].text
    assert shown.count("&lt;circle") == 2 * 12 and shown.count("class=&quot;face&quot;") == 12
    assert len(re.findall("&lt;rect class=&quot;come", shown)) == 2 * RUNS
    assert "sketch rain" in shown and "sketch rain" not in page.still() and "12 equal sites" in page.still()


def test_new_noise_falls_anew_and_a_slider_only_moves_it():
    page = GainPage(Controls())
    page.opened()
    one, sketch = page.exhibits()[-1].text, page.exhibits()[-1]
    page.controls.sites = 20
    assert "sketch rain" not in sketch.text and sketch.text != one
    page.controls.sites = 10
    page.model.imbalance = 9.0
    assert sketch.text == one.replace("sketch rain", "sketch")
    page.controls.noise_seed += 1
    assert "sketch rain" in sketch.text


def test_a_step_of_the_lecture_hides_the_sites_also_in_the_first_picture():
    assert App({"page": "gain", "lecture": "3"}).page.still() == ""
    assert App({"page": "gain", "lecture": "4"}).page.still() != ""
