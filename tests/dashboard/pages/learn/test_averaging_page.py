"""Averaging at a guarantee that holds against the aggregator: noise, play, words, guarantee, ledger and program agree."""

from __future__ import annotations

import math

import pytest

from core.schemes import noise_factor
from dashboard.pages.learn.averaging.page import AveragingPage
from dashboard.session.app import App
from dashboard.state.controls import Controls

SITES = 10


def opened(**values):
    page = AveragingPage(Controls())
    page.set({"sites": SITES, "samples": 100, "draws": 400, "step": 5, **values})
    page.opened()
    assert page.said.problem == ""
    return page


def stds(page):
    return {law.scheme: law.predicted_std for law in page.picture.laws}


@pytest.mark.parametrize(
    ("adversary", "colluding"), [("message", 0), ("aggregator", 0), ("colluders", 0), ("colluders", 3)]
)
def test_the_noise_is_that_of_the_chosen_adversary(adversary, colluding):
    page = opened(adversary=adversary, colluding=colluding)
    found = stds(page)
    terms = {"against": adversary, "colluding": colluding if adversary == "colluders" else 0}
    for scheme in ("cape", "conventional"):
        ratio = noise_factor(scheme, SITES, **terms)
        assert found[scheme] / found["pooled"] == pytest.approx(ratio, rel=1e-9), scheme
    # Three and a third standard errors of 400 repetitions.
    assert all(law.predicted_std == 0 or abs(law.ratio - 1) < law.allowed for law in page.picture.laws)


def test_words_guarantee_and_equation_say_whom_the_target_holds_against():
    page = opened()
    assert "as if one curator held all records" in page.said.words
    # √((S + 1)/2) for ten sites.
    assert "3.16 times</b> smaller if only single messages are seen" in page.said.words
    assert "2.35 times smaller" in page.said.words
    assert (
        "Typical ratio: 3.16; at equal privacy of all messages, 2.35"
        in page.exhibits()[0].run["captions"][-1]
    )
    assert "at equal message noise" in page.exhibits()[0].run["captions"][-1]
    page.set({"adversary": "aggregator"})
    louder = math.sqrt(2 * SITES / (SITES + 1))
    assert f"CAPE's messages have {louder:.3g} times the noise" in page.said.words
    assert "as if one curator" not in page.said.words and "2.35 times</b> smaller" in page.said.words
    assert page.exhibits()[0].run["captions"][-1].endswith("Typical ratio: 2.35.")
    assert f"with {louder:.3g} times less noise in every message" in page.exhibits()[0].run["captions"][-1]
    assert "against the aggregator, who sees all messages" in page.said.guarantee.sentence
    row = next(row for row in page.said.guarantee.exposures if row.scheme == "cape")
    assert row.aggregator == pytest.approx(1e-5, rel=1e-6) and row.message < 1e-5
    assert "larger by $$2S/(S+1)$$" in page.equation


def test_sites_that_drop_out_on_another_page_still_send_here():
    page = opened(adversary="aggregator")
    before = stds(page)
    page.controls.dropouts = 4
    assert stds(page) == before


def test_the_program_and_the_ledger_are_of_the_same_release():
    app = App({"page": "averaging", "draws": "100", "adversary": "aggregator", "samples": "100"})
    done: dict = {}
    exec(app.page.script(), done)
    assert done["columns"]["predicted_std"] == pytest.approx(app.page.table().predicted_std.tolist())
    assert "against='aggregator'" in app.page.script()
    cape = next(e.drawn for e in app.ledger.entries if e.drawn.method == "cape")
    conventional = next(e.drawn for e in app.ledger.entries if e.drawn.method == "conventional")
    assert cape.aggregator == pytest.approx(conventional.aggregator, rel=1e-9), "the same guarantee"


def test_the_presets_are_about_one_message():
    assert all(preset.values["adversary"] == "message" for preset in AveragingPage.presets)


def test_the_legend_lists_what_is_drawn():
    page = opened(schemes=["cape", "secure"])
    (plot,) = page.figures()
    assert [item.label.value.strip() for item in plot.legend[0].items if item.visible] == [
        "CAPE",
        "secure aggregation",
    ]


def test_the_first_run_that_a_visitor_sees_is_typical():
    page = AveragingPage(Controls())
    page.set({"step": 5})
    page.opened()
    run = page.picture.run
    errors = (
        abs(run.average - run.truth) / page.picture.cape_std,
        abs(run.conventional - run.truth) / run.conventional_std,
    )
    assert all(0.7 < error < 1.4 for error in errors)
    # √10 is 3.2: the ratio of the errors is near that of their standard errors.
    assert 2.5 < abs(run.conventional - run.truth) / abs(run.average - run.truth) < 4
    assert "is <b>0.00042</b>, that of the conventional one <b>0.0015</b>" in page.said.words
    assert "0.00037 instead of 0.0012" in page.said.words
