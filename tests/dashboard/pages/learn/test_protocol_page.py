"""Protocol at a guarantee that holds against the aggregator: noise, play, words, guarantee, ledger and program agree."""

from __future__ import annotations

import json
import math
import re

import numpy as np
import pandas as pd
import pytest
from sheets import ProtocolPage, play_on

from core.cape import design
from core.privacy import gdp_delta, gdp_epsilon
from core.schemes import noise_factor
from core.schemes.after_design import design as after_design
from core.schemes.terms import Terms
from dashboard import explore
from dashboard.pages.learn.protocol.releases import releases
from dashboard.problems.protocol import WHOLE, amplitude_of
from dashboard.session.app import App
from dashboard.state import url
from dashboard.state.controls import Controls
from dashboard.state.number_text import at_most_text, number_text, short_text

SITES = 10


def opened(**values):
    page = ProtocolPage(Controls())
    page.set({"sites": SITES, "samples": 100, "draws": 400, "together": True, "step": 5, **values})
    page.opened()
    assert page.state.problem == ""
    return page


def spoken(page):
    """What the play says at its end, without non-breaking spaces."""
    return play_on(page).run["captions"][-1].replace("\u00a0", " ")


def exposed(page):
    return next(row for row in page.state.guarantee.exposures if row.scheme == "cape")


def rows(page):
    """Names of the histograms' rows."""
    return re.findall(r"<b class='of'[^>]*>([^<]*)</b>", page.shown.sections["averages"])


def stds(page):
    return {law.scheme: law.std for law in page.plan.laws}


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
    off = [abs(law.measured_std**2 / law.std**2 - 1) for law in page.plan.laws if law.std]
    assert max(off) < 3.29 * math.sqrt(2 / 400)


def test_words_guarantee_and_equation_say_whom_the_target_holds_against():
    page = opened()
    # √((S + 1)/2) for ten sites.
    assert "2.35 times smaller" in page.state.words
    end, seen = spoken(page), exposed(page)
    # One bold factor with its condition: what the page asks.
    assert end.startswith("*CAPE's standard deviation") and end.count("*") == 2
    assert "3.16 times smaller* than" in end
    assert "is 1.39, not 1" in play_on(page).run["learns"]
    assert "is 5·10⁻⁴, not 10⁻⁵" in page.state.words
    assert seen.aggregator == pytest.approx(5.0e-4, rel=5e-3) and seen.message == pytest.approx(1e-5)
    page.set({"adversary": "aggregator"})
    louder = math.sqrt(2 * SITES / (SITES + 1))
    assert f"CAPE's messages have {louder:.3g} times" in page.state.words
    assert "one curator" not in page.state.words and "2.35 times smaller" in spoken(page)
    assert f"with {louder:.3g} times" in spoken(page)
    assert "1, as promised" in play_on(page).run["learns"]
    page.set({"batches": 1})
    assert spoken(page).endswith(" 2.35*.")
    row = next(row for row in page.state.guarantee.exposures if row.scheme == "cape")
    assert row.aggregator == pytest.approx(1e-5, rel=1e-6) and row.message < 1e-5
    assert "larger by $$2S/(S+1)$$" in page.equation


@pytest.mark.parametrize("adversary", ["message", "aggregator"])
def test_the_noise_slides_from_the_conventional_scheme_to_cape(adversary):
    """At every share: the design of the core, the same normal numbers, and the guarantee that the words name."""
    page = opened(adversary=adversary, share=WHOLE)
    whole = page.plan
    assert page.primary == "share" and "share" not in page.search()
    for share in (0, 5, 60, 95):
        page.set({"share": share})
        run, seen = page.plan.run, exposed(page)
        plan = design(
            np.full(SITES, run.conventional_std * math.sqrt(SITES)),
            amplitude=amplitude_of(share, SITES),
            against=adversary,
        )
        # The zero-sum part of a message's variance.
        part = (plan.zero_sum_std**2 / plan.std**2)[0]
        assert part == pytest.approx((share / WHOLE) ** 2 * (1 - 1 / SITES), abs=1e-12)
        if adversary == "message":  # Bars are as long as the slider says.
            np.testing.assert_allclose(run.zero_sum, share / WHOLE * whole.run.zero_sum, atol=1e-12)
        assert run.average_std == pytest.approx(plan.target, rel=1e-12)
        local = plan.local_std / whole.run.average_std / math.sqrt(SITES)
        np.testing.assert_allclose(run.local, whole.run.local * local, rtol=1e-9)
        assert abs(run.zero_sum.sum()) < 1e-12 and bool(np.any(run.zero_sum)) is (share > 0)
        assert run.average - run.truth == pytest.approx(run.local.mean(), rel=1e-9)
        mu = float(plan.leakage(np.full(SITES, 0.01)).max()) ** 0.5
        assert seen.aggregator == pytest.approx(gdp_delta(1.0, mu), rel=1e-6)
        excess, found = (
            gdp_epsilon(page.controls.delta, mu) - 1,
            number_text(gdp_epsilon(page.controls.delta, mu)),
        )
        bound = at_most_text(gdp_epsilon(page.controls.delta, mu))
        learns = f"ε is {bound}, not 1" if excess > 1e-8 else "ε is at most 1, as promised"
        assert (excess > 1e-8) == (adversary == "message" and share > 0)
        learns = "ε is hardly more than 1" if excess > 1e-8 and found == "1" else learns
        assert play_on(page).run["learns"] == f"sees all: {learns}"
        assert page.plan.cape_std == whole.cape_std and page.plan.room == whole.room
    page.set({"share": 0})
    assert page.plan.run.average_std == pytest.approx(page.plan.run.conventional_std, rel=1e-12)
    assert "conventional scheme's standard" in spoken(page)


def test_a_large_epsilon_shortens_the_bars_and_leaves_the_scale_of_the_values():
    page = opened(epsilon=1.0)
    first = page.plan
    page.set({"epsilon": 8.0})
    assert page.plan.room == pytest.approx(first.room, rel=1e-9)
    assert np.abs(page.plan.run.zero_sum).max() < 0.3 * np.abs(first.run.zero_sum).max()
    page.set({"epsilon": 0.5})
    assert page.plan.room["reach"] > 1.5 * first.room["reach"]


def test_a_larger_epsilon_narrows_both_bells_on_the_axis_of_errors_that_stays():
    page = opened(epsilon=1.0)
    first = play_on(page).run
    assert first["reach"] == pytest.approx(3.3 * first["bands"]["conventional"])
    page.set({"epsilon": 8.0})
    run = play_on(page).run
    assert run["reach"] == pytest.approx(first["reach"], rel=1e-9)
    assert all(run["bands"][scheme] < 0.3 * std for scheme, std in first["bands"].items())
    # A smaller one needs a longer axis.
    page.set({"epsilon": 0.5})
    assert play_on(page).run["reach"] > 1.5 * first["reach"]


def test_one_paragraph_below_the_play_says_what_its_end_leaves_out():
    (only,) = re.findall(r"<p[^>]*>(.*?)</p>", opened().state.words)
    assert "see Gain" in only and "not 10" in only


def test_the_play_slides_the_noise_itself_and_a_page_that_is_left_has_it_back():
    page = opened()
    play, before = play_on(page), page.plan.run
    play.received({"wish": "share", "share": 30, "home": WHOLE})
    # A stop is a setting: sentence, lane and number are of it.
    assert page.model.share == 30 and spoken(page).startswith("*At 30 % the")
    assert play.run["lane"] == "30 % blue" and play.run["bands"]["cape"] > 2 * before.average_std
    for bad in (None, True, -5, 101, 50.0, "50", [50], {}):
        play.received({"wish": "share", "share": bad, "home": WHOLE})
        play.received({"wish": "share", "share": 60, "home": bad})
    assert page.model.share == 30
    page.closed()
    page.opened()
    assert page.model.share == WHOLE and page.plan.run.average == before.average
    # What somebody chose since then stays.
    play.received({"wish": "share", "share": 30, "home": WHOLE})
    page.model.share = 45
    page.closed()
    assert page.model.share == 45


def test_another_share_is_kept_by_link_program_and_ledger():
    app = App({"page": "protocol", "draws": "100", "step": "5", "together": "1"})
    app.page.model.share = 40
    assert "share=40" in app.page.search()
    assert "40 % blue" in rows(app.page) and "CAPE" not in rows(app.page)
    done: dict = {}
    exec(app.page.script(), done)
    assert done["columns"]["predicted_std"] == pytest.approx(app.page.table().predicted_std.tolist())
    # Another share is a new release of CAPE, and none of the conventional scheme.
    draws = [(entry.drawn.method, entry.drawn.draws) for entry in app.ledger.entries]
    assert draws.count(("cape", 100)) == 2 and draws.count(("conventional", 100)) == 1
    assert "40 % the standard" in spoken(app.page)


def test_sites_that_drop_out_on_another_page_still_send_here():
    page = opened(adversary="aggregator")
    before = stds(page)
    page.controls.dropouts = 4
    assert stds(page) == before


def test_the_program_and_the_ledger_are_of_the_same_release():
    app = App({"page": "protocol", "draws": "100", "adversary": "aggregator", "samples": "100"})
    done: dict = {}
    exec(app.page.script(), done)
    assert done["columns"]["predicted_std"] == pytest.approx(app.page.table().predicted_std.tolist())
    assert "against='aggregator'" in app.page.script()
    cape = next(e.drawn for e in app.ledger.entries if e.drawn.method == "cape")
    conventional = next(e.drawn for e in app.ledger.entries if e.drawn.method == "conventional")
    assert cape.aggregator == pytest.approx(conventional.aggregator, rel=1e-9), "the same guarantee"


@pytest.mark.parametrize("preset", ProtocolPage.presets, ids=lambda preset: preset.name)
def test_a_preset_is_about_one_message_and_its_first_run_is_typical(preset):
    assert preset.values["adversary"] == "message"
    page = ProtocolPage(Controls())
    page.set({"step": 5, **preset.values})
    run = page.compute().run
    off = [(run.average, run.average_std), (run.conventional, run.conventional_std)]
    assert all(0.7 < abs(average - run.truth) / std < 1.5 for average, std in off)


def test_every_chosen_scheme_has_a_histogram_of_its_runs_with_its_standard_deviation_and_variance():
    page = opened(schemes=["pooled", "cape", "secure"], together=False, draws=101)
    assert rows(page) == ["pooled", "CAPE", "secure aggregation"]
    for law in page.plan.laws:
        assert (
            f"<strong>{short_text(law.std)}</strong><small class='more'>({number_text(law.std**2)})"
            in page.shown.sections["averages"]
        )
        assert len(law.errors) == 101
        # A correct variance of 100 runs is farther off once in a thousand times, and 2/3 or 3/2 of σ is found.
        assert 0.6 < law.measured_std**2 / law.std**2 < 1.5


def test_more_runs_change_no_earlier_one_and_are_counted_alone():
    app = App({"page": "protocol", "schemes": "cape"})
    few = app.page.plan.laws[0].values
    counted = {entry.drawn.method: entry.drawn.draws for entry in app.ledger.entries}
    assert counted == {"cape": 101, "conventional": 101}
    app.page.set({"draws": 501})
    assert app.page.plan.laws[0].values[:101].tolist() == few.tolist()
    assert {entry.drawn.method: entry.drawn.draws for entry in app.ledger.entries} == dict.fromkeys(
        counted, 501
    )
    done: dict = {}
    exec(app.page.script(), done)
    assert done["columns"]["measured_std"] == pytest.approx(app.page.table().measured_std.tolist(), rel=1e-12)


def test_the_first_run_that_a_visitor_sees_is_typical():
    page = ProtocolPage(Controls())
    page.set({"step": 5} | page.opens)
    page.opened()
    run = page.plan.run
    errors = [
        abs(run.average - run.truth) / run.average_std,
        abs(run.conventional - run.truth) / run.conventional_std,
    ]
    assert all(0.7 < error < 1.5 for error in errors)
    # As in the README.
    assert [f"{v - run.truth:.2g}" for v in (run.average, run.conventional)] == ["0.008", "0.025"]


FORMER = (
    ("?page=start&hospitals=7&noise_seed=9", {"sites": 7, "samples": 100, "noise_seed": 9}),
    ("?page=averaging&share=40&draws=300&sites=4", {"share": 40, "draws": 300, "sites": 4, "samples": 1000}),
    ("?page=averaging", {"draws": 2000, "sites": 10, "samples": 100}),
)


@pytest.mark.parametrize(("address", "settings"), FORMER)
def test_links_and_calls_of_the_former_pages_open_the_same_runs(address, settings):
    query = url.parse(address)
    app = App(dict(query))
    assert app.page.name == "protocol" and app.notice == ""
    assert {name: getattr(app.page.source(name), name) for name in settings} == settings
    called = explore(query.pop("page"), **query, samples=app.controls.samples)
    pd.testing.assert_frame_equal(called.table(), app.page.table())


def test_settings_files_of_the_former_pages_are_read():
    app = App({"page": "gain"})
    pages = {"start": {"hospitals": "7", "step": "3"}, "averaging": {"share": "40", "draws": "500"}}
    text = {
        "format": "CAPE Lab settings",
        "version": 1,
        "page": "start",
        "controls": {"epsilon": "2"},
        "pages": pages,
    }
    app.take_settings(json.dumps(text).encode())
    assert (app.page.name, app.controls.sites, app.controls.epsilon, app.page.model.step) == (
        "protocol",
        7,
        2.0,
        3,
    )
    app.take_settings(json.dumps(text | {"page": "averaging"}).encode())
    assert (app.page.name, app.page.model.share, app.page.model.draws) == ("protocol", 40, 500)


@pytest.mark.parametrize(("adversary", "sites"), [("message", 5), ("aggregator", 10), ("aggregator", 2)])
def test_a_site_that_drops_out_has_both_orders_errors_as_numbers(adversary, sites):
    page = opened(adversary=adversary, sites=sites)
    assert "dropout" not in page.shown.sections
    before = len(list(releases(page.plan)))
    page.set({"drops": True})
    found, run = page.plan.dropout, page.plan.run
    noise = run.zero_sum + run.local
    assert found.before[0] == pytest.approx(noise[:-1].mean(), rel=1e-12)
    assert found.all_send[0] == pytest.approx(run.average - run.truth, abs=1e-12)
    terms, unit = {"against": adversary}, run.conventional_std / sites**0.5
    assert found.before[1] == pytest.approx(unit * noise_factor("cape", sites, dropped=1, **terms), rel=1e-9)
    page.set({"order": "after"})
    played = play_on(page).run
    assert played["order"] == ("before" if sites == 2 else "after")
    assert ("order" in page.state.absent) == (sites == 2)
    cells = re.findall(r"<td>([^<]*)</td>", page.shown.sections["dropout"])
    assert cells[1::2][:2] == [short_text(std) for _, std in (found.all_send, found.before)]
    if sites == 2:
        assert found.after is None and cells[-2:] == ["—", "—"]
        return
    asked = noise_factor("cape-after", sites, dropped=1, dropouts=1, **terms)
    assert found.after[1] == pytest.approx(unit * asked, rel=1e-9)
    assert cells[-1] == short_text(found.after[1]) and found.after[1] < found.before[1]
    # The same local draws, at another size; the further release is counted.
    assert found.after[0] / run.local[:-1].mean() == pytest.approx(
        found.after[1] / _local_part(run), rel=1e-9
    )
    assert len(list(releases(page.plan))) == before + 1


def _local_part(run):
    """Standard deviation of the local noise in an average of all but one site, as the run has it."""
    sites = len(run.values)
    return run.average_std * (sites / (sites - 1)) ** 0.5


@pytest.mark.parametrize("adversary", ["message", "aggregator"])
@pytest.mark.parametrize("order", ["before", "after"])
def test_the_play_shows_a_site_that_drops_out_in_either_order(adversary, order):
    """The noise that is drawn adds up to the error that is told, and the blue noise stays in one order alone."""
    page = opened(adversary=adversary)
    assert play_on(page).run["order"] == "" and "order" in page.state.absent
    page.set({"drops": True, "order": order})
    run, found, whole = play_on(page).run, page.plan.dropout, page.plan.run
    blue, yellow, left = np.array(run["zero_sum"]), np.array(run["local"]), SITES - 1
    assert run["order"] == order and "order" not in page.state.absent
    assert ("order=after" in page.search()) == (order == "after")
    np.testing.assert_allclose(np.array(run["messages"]), np.array(run["values"]) + blue + yellow, rtol=1e-12)
    assert run["truth"] == pytest.approx(whole.values[:-1].mean(), rel=1e-12)
    error, std = getattr(found, order)
    assert run["average"] - run["truth"] == pytest.approx(error, abs=1e-12) and run["bands"]["cape"] == std
    revealed = blue[:-1].sum() if order == "after" else 0.0
    averaged = (np.array(run["messages"])[:-1].sum() - revealed) / left
    assert averaged == pytest.approx(run["average"], abs=1e-12)
    sums_to_zero = abs(blue.sum()) < 1e-12
    assert sums_to_zero == (order == "before") and abs(blue[:-1].sum()) > 1e-6
    # Further runs are of all sites, and a picture of one run has none.
    assert run["most"] == 0 and not any(run["further"].values())
    assert "drops out" in run["captions"][3] and all(c.count("*") % 2 == 0 for c in run["captions"])
    told = run["captions"][-1]
    ratios = [number_text(row[1] / found.all_send[1]) for row in (found.before, found.after)]
    assert all(f"{ratio} times" in told for ratio in ratios)
    assert ("as promised" in run["learns"]) == (adversary == "aggregator")
    page.set({"drops": False})
    assert play_on(page).run["order"] == "" and play_on(page).run["average"] == whole.average


def test_noise_that_a_site_masks_is_independent_over_sites():
    """Over 400 noise seeds: variances and covariances of ê are those of independent sites, and 2/3 and 3/2 of σ are refused.

    Chance leaves 4.5 standard errors once in 10⁵.
    """
    model = ProtocolPage(Controls()).model
    model.controls.param.update(sites=3)
    model.param.update(drops=True, draws=100)
    found = []
    for seed in range(400):
        model.controls.noise_seed = seed
        found.append(model.plan().dropout.masked)
    masked = np.array(found)
    std = after_design(np.full(3, _required(model)), terms=Terms(against="message", dropouts=1)).seed_std[0]
    products = masked.T @ masked / len(masked) / std**2
    error = np.where(np.eye(3) > 0, 2**0.5, 1.0) / len(masked) ** 0.5
    assert (np.abs(products - np.eye(3)) < 4.5 * error).all()
    for off in (2 / 3, 3 / 2):
        assert (np.abs(np.diag(products) / off**2 - 1) > 4.5 * error[0, 0]).all()


def _required(model):
    """Standard deviation that the target requires of a message alone."""
    run = model.plan().run
    return run.conventional_std * len(run.values) ** 0.5
