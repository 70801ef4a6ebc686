"""The panels of noise and privacy, which all algorithms share: lengths of bars, and the numbers of δ_conv's explanation."""

from __future__ import annotations

import itertools
import math
import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from core import Privacy, cape, release
from core.schemes import SCHEMES, is_private, planned
from dashboard.compare import panels
from dashboard.compare.observers import one_release
from dashboard.state.number_text import at_most_text, number_text

PRIVATE = [scheme for scheme in SCHEMES if is_private(scheme)]


def found(epsilon, sites, schemes=PRIVATE):
    settings = SimpleNamespace(epsilon=epsilon, delta=1e-5, colluding=0, calibration="exact")
    return {
        s: one_release(s, settings, {"sites": sites, "published": False}, change=1 / 100) for s in schemes
    }


def bars(text):
    """Per cent of the width, and whether the bar is cut, a scheme each."""
    return [
        (float(wide), bool(cut))
        for cut, wide in re.findall(r"<i( class='cut')? style='width:([\d.]+)%", text)
    ]


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 10.0])
@pytest.mark.parametrize("sites", [2, 10, 40, 50])
def test_bars_of_noise_are_as_long_as_the_noise_and_only_one_that_does_not_fit_is_cut(epsilon, sites):
    observed = found(epsilon, sites)
    drawn = dict(zip(observed, bars(panels.noise(observed, None, "it")), strict=True))
    stds = {scheme: one.std for scheme, one in observed.items()}
    assert [scheme for scheme, (_, cut) in drawn.items() if cut] == ["local"]
    whole = drawn["conventional"][0] / stds["conventional"]
    for scheme, (wide, cut) in drawn.items():
        assert cut or wide == pytest.approx(whole * stds[scheme], abs=0.06)
    # The factor √S between CAPE and conventional is seen.
    assert drawn["conventional"][0] - drawn["cape"][0] > (15 if sites == 2 else 40)
    assert drawn["local"][0] == 100 and drawn["cape"][0] > 10


def test_one_scheme_alone_and_equal_ones_fit():
    for schemes in (["cape"], ["local"], ["pooled", "cape"]):
        drawn = bars(panels.noise(found(1.0, 10, schemes), None, "it"))
        assert len(drawn) == len(schemes) and not any(cut for _, cut in drawn)
    assert bars(panels.noise({}, None, "it")) == []


def test_ratios_of_the_bars_stand_beside_those_at_equal_weights_where_they_differ():
    observed = found(1.0, 10)
    gains = (cape.gain([100] * 10), cape.excess([100] * 10))
    assert gains == pytest.approx((10, 1)) and "<small>" in panels.noise(observed, gains, "it")
    assert "<b>10</b>" not in panels.noise(observed, gains, "it")
    # Noise of CAPE that meets the target against the aggregator is larger than a curator's.
    against = observed | {"cape": replace(observed["cape"], std=math.sqrt(1.82) * observed["pooled"].std)}
    text = panels.noise(against, gains, "it")
    assert "<b>10</b>" in text and "<b>1.82</b>" in text


@pytest.mark.parametrize("epsilon, sites", [(0.1, 2), (0.5, 5), (1.0, 10), (2.0, 40), (10.0, 50)])
def test_the_explanation_of_delta_conv_has_the_numbers_of_core(epsilon, sites):
    observed = found(epsilon, sites)
    text = panels.privacy(observed, epsilon=epsilon, delta=1e-5, colluding=0, sites=sites)
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
    text = panels.privacy(found(1.0, 10, ["cape"]), epsilon=1.0, delta=1e-5, colluding=0, sites=10)
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
