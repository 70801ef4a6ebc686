"""The panels of noise and privacy, which all algorithms share: lengths of bars, names at dots, the numbers of δ_conv."""

from __future__ import annotations

import itertools
import math
import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from core import Privacy, cape, release
from core.privacy import gdp_delta
from core.schemes import SCHEMES, is_private, planned
from dashboard.compare import panels
from dashboard.compare.observers import one_release
from dashboard.compare.privacy import privacy
from dashboard.state.number_text import at_most_text, number_text

PRIVATE = [scheme for scheme in SCHEMES if is_private(scheme)]


def found(epsilon, sites, schemes=PRIVATE, colluding=0):
    settings = SimpleNamespace(epsilon=epsilon, delta=1e-5, colluding=colluding, calibration="exact")
    return {
        s: one_release(s, settings, {"sites": sites, "published": False}, change=1 / 100) for s in schemes
    }


def bars(text):
    """Per cent of the width, a scheme each."""
    return [float(wide) for wide in re.findall(r"<i style='width:([\d.]+)%", text)]


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 10.0])
@pytest.mark.parametrize("sites", [2, 10, 40, 50])
def test_bars_of_noise_have_one_scale_and_their_factors_stand_beside_them(epsilon, sites):
    observed = found(epsilon, sites)
    text = panels.noise(observed, None, "it")
    drawn = dict(zip(observed, bars(text), strict=True))
    most = max(one.std for one in observed.values())
    for scheme, wide in drawn.items():
        assert wide == pytest.approx(100 * observed[scheme].std / most, abs=0.06)
    assert drawn["local"] == 100
    factors = re.findall(r"<strong>([^<]+)</strong>", text)
    stds = [one.std / observed["pooled"].std for one in observed.values()]
    assert factors == [number_text(times) for times in stds]


def test_without_a_curator_nothing_is_compared_with_one():
    for schemes in (["cape"], ["local"], ["pooled", "cape"]):
        text = panels.noise(found(1.0, 10, schemes), None, "it")
        assert len(bars(text)) == len(schemes) and ("× pooled" in text) is ("pooled" in schemes)
    assert bars(panels.noise({}, None, "it")) == []


@pytest.mark.parametrize("epsilon", [0.001, 0.01, 0.37, 1.0, 2.0, 10.0])
def test_names_and_values_of_delta_stand_at_the_dots(epsilon):
    observed = found(epsilon, 10)
    text = privacy(observed, epsilon=epsilon, delta=1e-5, colluding=2, sites=10)
    for mu in (observed["cape"].message, observed["cape"].aggregator, observed["cape"].colluders):
        assert f"<b>{at_most_text(float(gdp_delta(epsilon, mu)))}</b>" in text
    # There is room for names on both sides of the rule.
    (at,) = {float(place) for place in re.findall(r"class='rule' x1='([\d.]+)%'", text)}
    assert 40 < at < 60


SAID = re.compile(r"class='at (\w+)' style='\w+:([\d.]+)%;top:([\d.]+)%")


@pytest.mark.parametrize("colluding", [0, 3])
@pytest.mark.parametrize("sites", [3, 5, 10, 50])
@pytest.mark.parametrize("epsilon", [0.05, 0.25, 1.0, 2.0, 8.0])
def test_no_curve_crosses_a_name_of_delta_and_none_leaves_the_chart(epsilon, sites, colluding):
    observed = found(epsilon, sites, colluding=min(colluding, sites - 1))
    text = privacy(observed, epsilon=epsilon, delta=1e-5, colluding=colluding, sites=sites)
    drawn = [
        re.findall(r"[ML](-?\d+) (-?\d+)", path) for path in re.findall(r"<path d='(M[^']+)' fill", text)
    ]
    curves = [np.array(points, dtype=float) / 100 for points in drawn]
    names = SAID.findall(text)
    assert len(curves) == len(names) + text.count("</svg>") - 2 == 3 + bool(colluding)
    for kind, side, top in names:
        # Where its letters stand, in per cent of the chart, as wide and as high as one line of them.
        far, down = float(side), float(top)
        left, right = (68 - far, 97 - far) if kind == "under" else (far + 3, far + 40)
        high, low = (down - 10, down - 1) if kind == "over" else (down + 2, down + 12)
        assert left > 0 and right < 100 and low < 100
        for curve in curves:
            place = np.interp(np.linspace(left, right, 300), *curve.T)
            assert not ((place > high) & (place < low)).any(), (kind, left, right, high, low)


def test_ratios_of_the_bars_stand_beside_those_at_equal_weights_where_they_differ():
    observed = found(1.0, 10)
    gains = (cape.gain([100] * 10), cape.excess([100] * 10))
    assert gains == pytest.approx((10, 1))
    text = panels.noise(observed, gains, "it")
    assert f"G(n) = 10 = {number_text(math.sqrt(10))}²" in text and "<b>10</b>" not in text
    # Noise of CAPE that meets the target against the aggregator is larger than a curator's.
    against = observed | {"cape": replace(observed["cape"], std=math.sqrt(1.82) * observed["pooled"].std)}
    text = panels.noise(against, gains, "it")
    assert "<b>10</b>" in text and "<b>1.82</b>" in text


@pytest.mark.parametrize("epsilon, sites", [(0.1, 2), (0.5, 5), (1.0, 10), (2.0, 40), (10.0, 50)])
def test_the_explanation_of_delta_conv_has_the_numbers_of_core(epsilon, sites):
    observed = found(epsilon, sites)
    text = privacy(observed, epsilon=epsilon, delta=1e-5, colluding=0, sites=sites)
    (said,) = re.findall("<details.*</details>", text)
    made = release(
        np.zeros(sites), 1 / 100, Privacy(epsilon, 1e-5), scheme="cape", rng=np.random.default_rng(1)
    )
    tau = float(np.max(made.std)) * sites
    conventional = float(cape.conventional_delta(epsilon, tau=tau, samples=100, sites=sites))
    more = made.mu_aggregator / made.mu_message
    assert more == pytest.approx(math.sqrt(2 * sites / (sites + 1)))
    for number in (number_text(math.sqrt(sites)), at_most_text(conventional), at_most_text(more)):
        assert re.search(rf"(?<![\d.·]){re.escape(number)}(?![\d·]|\.\d)", said)


def test_without_a_conventional_scheme_nothing_is_explained():
    text = privacy(found(1.0, 10, ["cape"]), epsilon=1.0, delta=1e-5, colluding=0, sites=10)
    assert "<details" not in text


@pytest.mark.parametrize("sizes", [(120, 60, 20), (20, 120, 60), (50, 50, 50), (60, 20, 120, 60, 35)])
@pytest.mark.parametrize("scheme", PRIVATE)
def test_the_noise_is_that_of_the_run_and_of_the_worst_silence(sizes, scheme):
    held = {"against": "aggregator", "dropouts": 2 if len(sizes) > 3 else 1}
    here = {"sites": len(sizes), "samples": sizes, "dropped": held["dropouts"], **held}
    settings = SimpleNamespace(epsilon=1.0, delta=1e-5, colluding=0, calibration="exact")
    shown = one_release(scheme, settings, here, change=len(sizes) / sum(sizes)).std
    counts = np.array(sizes, dtype=float)

    def std(dropped):
        options = {"scheme": scheme, "rng": np.random.default_rng(0), "weights": counts / counts.sum()}
        options |= held | {"dropped": dropped}
        return float(np.max(release(0 * counts, 1 / counts, Privacy(1.0, 1e-5), **options).std))

    run = planned(here, sizes, scheme)
    assert shown == pytest.approx(std(run.get("dropped", ())), rel=1e-12)
    sets = itertools.combinations(range(len(sizes)), here["dropped"])
    worst = std(()) if scheme == "local" else max(std(lost) for lost in sets)
    assert shown == pytest.approx(worst, rel=1e-12)
