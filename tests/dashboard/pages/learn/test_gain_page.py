"""The sites on the page Gain: their noise is a release's, at the privacy that the page's gain is stated for."""

from __future__ import annotations

import re

import numpy as np
import pytest
from bokeh.models import Scatter

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


def told(controls):
    page = GainPage(controls)
    page.opened()
    return page


def points(page):
    """The marked points of the curves over S."""
    dots = [one for one in page.figures()[0].renderers if isinstance(getattr(one, "glyph", None), Scatter)]
    return [list(one.data_source.data["y"]) for one in dots]


def test_the_page_opens_on_its_answer_and_a_press_draws_new_runs():
    page = told(Controls())
    sketch, seed = page.exhibits()[3], page.controls.noise_seed
    assert len(re.findall('<rect class="come', sketch.picture)) == 2 * RUNS
    assert (
        "2.35" in page.still()
        and "2.35" in page.said.words
        and "?" not in re.sub("<[^>]*>", "", page.still())
    )
    assert points(page) == [[pytest.approx(10**0.5)], [pytest.approx(5.5**0.5)]]
    before = keys(sketch)
    sketch.received({"name": "runs", "number": 0})
    assert page.controls.noise_seed != seed and not {*before} & {*keys(sketch)}


def keys(sketch):
    """What tells a browser to let the averages of a scheme fall anew."""
    return re.findall('<g class="lane[^"]*" data-key="([^"]*)"', sketch.picture)


def test_every_site_message_and_average_is_drawn_and_the_first_picture_stands_still():
    page = told(Controls(sites=12, colluding=2))
    shown = page.exhibits()[3].picture
    assert shown.count("<circle") == 2 * 12 and len(re.findall('class="face( bad)?"', shown)) == 12
    assert shown.count("face bad") == 2  # Who colludes is dark, and not in the colour of a scheme.
    assert len(re.findall('<rect class="come', shown)) == 2 * RUNS
    assert "sketch rain" in shown and "sketch rain" not in page.still() and "12 equal sites" in page.still()


_TIMES = '--i:[0-9]+|data-key="[^"]*"'


def test_a_heap_too_narrow_to_see_is_drawn_again():
    few, many = (told(Controls(sites=sites)).still() for sites in (10, 50))
    assert "<use" not in few and many.count("<use") == 1
    assert "magnifier, 5 × wider" in many and 'class="cut"' in many  # Cut at its edges.
    assert 'href="#heap-cape"' in many and 'id="heap-cape"' in many


def delays(sketch):
    """When each falls, in milliseconds."""
    return [int(late) for late in re.findall(r"--i:(\d+)", sketch.picture)]


def test_the_averages_fall_slowly_with_new_noise_quickly_where_a_slider_moved_and_else_not():
    page = told(Controls())
    page.controls.noise_seed += 1
    one, sketch = page.exhibits()[3].picture, page.exhibits()[3]
    slow = max(delays(sketch))
    page.controls.sites = 20
    assert "sketch rain" in sketch.picture and max(delays(sketch)) < 1000 < slow < 6000
    page.controls.sites = 10
    drawn = sketch.picture
    page.model.imbalance = 9.0
    assert sketch.picture == drawn and re.sub(_TIMES, "", drawn) == re.sub(_TIMES, "", one)
    sketch.received({"name": "runs", "number": 0})
    assert max(delays(sketch)) == slow and re.sub(_TIMES, "", sketch.picture) != re.sub(_TIMES, "", one)


def test_what_the_drawing_does_not_follow_is_not_among_the_settings_in_sight():
    page = GainPage(Controls())
    side = [name for name in page.in_order() if name not in (page.primary, "noise_seed")]
    assert side[: page.in_sight(side)] == ["colluding"]
    page.opened()
    first = page.said.words.partition("</p>")[0]
    assert first.count("<b>") == 1 and "2.35 times narrower" in first and "against the aggregator" in first
    assert re.findall(r"\d+\.?\d*", page.said.words) == ["2.35", "3.16"]  # The second as on Averaging.
    # The sentence, the point on the curve and the spreads of the picture are of one unit.
    shown = [float(x) for x in re.findall(r"±([\d.]+)<", page.exhibits()[3].picture)]
    assert shown[0] / shown[1] == pytest.approx(5.5**0.5, rel=5e-3)
    assert ">2.35 times<" in page.exhibits()[3].picture


def test_a_step_of_the_lecture_hides_the_sites_also_in_the_first_picture():
    assert App({"page": "gain", "lecture": "3"}).page.still() == ""
    assert App({"page": "gain", "lecture": "4"}).page.still() != ""


def test_equal_sites_are_not_told_to_be_unequal():
    page = GainPage(Controls())
    page.opened()
    page.draw_more(page.picture)
    unequal = page.exhibits()[4]
    assert (
        "where only the result or one message is seen: if one site held 4 times" in unequal.object.text
        and "public average would need" in unequal.object.text
    )
    page.set(page.presets[2].values)
    page.draw_more(page.picture)
    assert "times as many" not in unequal.object.text and "Imbalance" in unequal.object.text


def test_the_sentence_comes_with_the_picture_whatever_comes_later(monkeypatch):
    page = GainPage(Controls(sites=10))
    page.opened()
    monkeypatch.setattr("dashboard.state.deferred.Deferred.__call__", lambda later, *events: None)
    page.controls.sites = 19
    assert "19 equal sites" in page.exhibits()[3].picture and "3.16 times narrower" in page.said.words
