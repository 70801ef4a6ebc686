"""What the guarantee says is what the release does."""

from __future__ import annotations

import math

import numpy as np
import pytest

from core import SCHEMES, Privacy, cape, release
from core.privacy import gdp_delta
from dashboard.guarantee import guarantee
from dashboard.pages.learn.gain.model import GainModel, public_excess
from dashboard.pages.learn.gain.view import view
from dashboard.session.app import App
from dashboard.sheet.spec import Shown
from dashboard.state.controls import Controls


def test_exposures_are_the_exact_deltas_of_the_release():
    privacy = Privacy(1.0, 1e-5)
    found = {
        row.scheme: row
        for row in guarantee.exposures(SCHEMES, privacy, sites=10, colluding=3, calibration="exact")
    }
    assert set(found) == set(SCHEMES) - {"nonprivate"}
    message = release(np.zeros(10), 1.0, privacy, scheme="cape", rng=np.random.default_rng(0)).mu_message
    for colluding, value in ((0, found["cape"].aggregator), (3, found["cape"].colluders)):
        mu = message * math.sqrt(cape.leakage(10, colluding))
        assert value == pytest.approx(gdp_delta(1.0, mu), rel=1e-9)
    assert found["conventional"].aggregator == pytest.approx(1e-5, rel=1e-6)
    assert found["pooled"].aggregator == 1.0
    assert guarantee.NO_PRIVACY in guarantee.details(
        guarantee.Guarantee("", privacy, 3, tuple(found.values()))
    )


def test_a_published_calibration_that_breaks_its_promise_is_told():
    privacy = Privacy(10.0, 0.01)
    found = guarantee.exposures(SCHEMES, privacy, sites=10, colluding=0, calibration="published")
    assert "in truth" in guarantee.sentence(privacy, found)
    found = guarantee.exposures(SCHEMES, privacy, sites=10, colluding=0, calibration="exact")
    assert "in truth" not in guarantee.sentence(privacy, found)


def test_a_sentence_says_no_more_than_what_is_shown():
    privacy = Privacy(1.0, 1e-5)

    def said(*schemes, calibration="exact"):
        found = guarantee.exposures(schemes, privacy, sites=10, colluding=0, calibration=calibration)
        return guarantee.sentence(privacy, found)

    assert said("nonprivate") == said() == guarantee.NOTHING_PRIVATE
    assert "message" not in said("pooled")
    assert "curator" not in said("conventional", "cape")


def test_the_gain_page_tells_what_the_published_excess_costs_in_privacy():
    tau = 1 / np.array([10.0, 20.0, 270.0])
    # A record of the smallest site in the average of weights 1/3 with local noise τ_s²/3, beside its message.
    noise = math.sqrt((tau**2 / 3 / 9).sum())
    assert public_excess(1 / tau) == pytest.approx((tau[0] / 3 / noise) / 1.0)
    assert public_excess(1 / tau) == pytest.approx(1.55, abs=5e-3)
    said = {
        imbalance: view(GainModel(Controls(imbalance=imbalance), family="two halves").plan(), Shown())
        for imbalance in (1.0, 50.0)
    }
    assert "as published" not in said[1.0].guarantee.sentence
    assert "2 times the" in said[50.0].guarantee.sentence


def test_foreign_text_never_becomes_markup():
    payload = "<img src=x onerror=alert(1)>"
    promise = guarantee.Guarantee("", not_private=(payload,), unit=payload)
    assert "<img" not in guarantee.details(promise)
    app = App({"page": payload, payload: payload})
    assert "<img" not in app.notice and "&lt;img" in app.notice
