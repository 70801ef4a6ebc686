"""CAPE's limits: its numbers are those of `core`, and what it says follows from them."""

import html
import re
from dataclasses import replace

import numpy as np
import pytest
from sheets import LimitsPage

from core.schemes import average_std, noise_factor, variance_ratio
from core.schemes.amplitude import design
from core.schemes.noise_design import CAP
from dashboard.packs.consortium.limits import play, ring, text
from dashboard.packs.consortium.limits.model import (
    AMPLITUDES,
    LimitsModel,
    Question,
    calls,
    counted,
    counted_key,
    graph_key,
    last_help,
    ratio,
    without_sum,
)
from dashboard.packs.consortium.limits.view import view
from dashboard.session.app import App
from dashboard.sheet.spec import Shown
from dashboard.sheet.store import Results
from dashboard.state import url
from dashboard.state.background_runs import Runs
from dashboard.state.controls import Controls
from dashboard.state.number_text import number_text, percent_text
from dashboard.theme.scheme_style import label

FEW = {"sites": 6, "noise_seed": 3}


def its_details(page):
    """The sentences that unfold below."""
    ((_, words),) = page.shown.further
    return words


def its_ring(page):
    """The ring of sites."""
    return page.board.live["ring"].view


@pytest.fixture
def no_runs(monkeypatch):
    """What is judged is there before the runs."""
    monkeypatch.setattr(Runs, "start", lambda self, calls, *, paint: None)


@pytest.fixture
def step_by_step(monkeypatch):
    """A play goes on only when its test says so."""
    monkeypatch.setattr(play, "Deferred", lambda action, milliseconds: lambda: None)


@pytest.fixture(scope="module")
def page():
    return opened()


def planned(**values):
    """The picture of settings, without the page and without its runs."""
    page = LimitsPage(Controls())
    page.set(FEW | values)
    return page.compute()


def opened(**values):
    page = LimitsPage(Controls())
    page.content()
    page.set(FEW | values)
    page.opened()
    assert page.state.problem == ""
    return page


@pytest.mark.parametrize(
    ("colluding", "dropouts", "found"),
    [
        (0, 0, {"conventional": 10.00, "cape": 1.82, "secure": 1.00}),
        (0, 1, {"conventional": 11.11, "cape": 4.04, "cape-best": 4.00, "secure": 1.23}),
        (0, 2, {"conventional": 12.50, "cape": 6.82, "cape-best": 6.25, "secure": 1.56}),
        (0, 4, {"conventional": 16.67, "cape": 15.15, "cape-best": 11.90, "secure": 2.78}),
        (3, 0, {"conventional": 10.00, "cape": 2.21, "secure": 1.43}),
        (3, 1, {"conventional": 11.11, "cape": 4.91, "cape-best": 4.71, "secure": 1.85}),
        (3, 2, {"conventional": 12.50, "cape": 8.28, "cape-best": 7.07, "secure": 2.50}),
    ],
)
def test_ten_equal_sites_at_one_guarantee(colluding, dropouts, found):
    """Worked by hand from the closed forms, to the digits given."""
    asked = Question(10, colluding, dropouts, unequal=False, same=True)
    for scheme, value in found.items():
        assert ratio(scheme, asked) == pytest.approx(value, abs=0.006), scheme


@pytest.mark.parametrize("colluding, dropouts", [(0, 0), (0, 1), (0, 4), (3, 1), (3, 3)])
def test_the_sum_after_the_messages_by_hand(colluding, dropouts):
    """γ is the root of h γ² + (h D − h) γ − D = 0 at the cap D = 102, h = S − c − r; nothing of D stays."""
    asked = Question(10, colluding, dropouts, unequal=False, same=True)
    honest, cap = 10 - colluding - dropouts, 102
    gamma = max(np.roots([honest, honest * (cap - 1), -cap]))
    assert ratio("cape-after", asked) == pytest.approx(100 * gamma / (10 - dropouts), rel=1e-6)
    assert ratio("cape-after", asked) <= 1.01 * ratio("secure", asked) + 1e-9
    assert without_sum(asked) == pytest.approx(100 * (cap + gamma) / (10 - dropouts), rel=1e-6)


@pytest.mark.parametrize(
    "colluding, dropouts, found", [(0, 0, 1.00), (0, 1, 4.00), (0, 4, 11.90), (3, 0, 1.43), (3, 1, 4.71)]
)
def test_the_optimum_of_noise_agreed_before_by_hand(colluding, dropouts, found):
    """S (√(1/h) + √(r/(S − r) · (1 − 1/h)))², which the best amplitude attains; nobody states it of unequal sites."""
    asked = Question(10, colluding, dropouts, unequal=False, same=True)
    h = 10 - colluding
    exact = 10 * (np.sqrt(1 / h) + np.sqrt(dropouts / (10 - dropouts) * (1 - 1 / h))) ** 2
    assert asked.optimum == pytest.approx(exact, rel=1e-6) and exact == pytest.approx(found, abs=0.006)
    assert replace(asked, unequal=True).optimum is replace(asked, same=False).optimum is None


@pytest.mark.parametrize("unequal", [False, True])
def test_the_curve_of_the_sum_after_ends_where_two_sums_could_be_revealed(unequal):
    table = counted(Question(6, 1, 0, unequal=unequal, same=True), "dropouts")
    counts = table[table.scheme == "cape-after"]["count"].tolist()
    assert counts == [0, 1, 2] and table["count"].max() == 3  # r ≤ (6 − 1 − 1)/2.
    beyond = planned(sites=6, collusion=True, colluders=1, silence=True, silent=3, unequal=unequal)
    assert "cape-after" not in {*beyond.ratios, *beyond.shown}
    shown = view(beyond, Shown())
    assert "allows 2 to drop out" in shown.headline and "cape-after" not in shown.sections["noise"]
    lines = [line.name for line in shown.charts["amplitude"].lines]
    assert label("cape-after") not in lines and label("secure") in lines
    assert "ends at 2 dropouts" in shown.words


def test_both_orders_stand_side_by_side():
    plan = planned(sites=10)
    shown = view(plan, Shown())
    after = replace(plan.question, dropouts=4)
    share = percent_text(ratio("cape-after", after) / ratio("conventional", after), digits=2)
    assert "at most 4<" in shown.headline and f"<b>{share}</b> with 4 out" in shown.headline
    flat, along = shown.charts["amplitude"].line(label("cape-after")), shown.charts["counted"]
    assert flat.y == [plan.ratios["cape-after"]] * 2
    assert along.line(label("cape-after")).x == list(range(5)) and along.line(label("cape")).x[-1] == 8
    best = along.line(label("cape-best"))
    assert along.line("optimal, agreed before").y == pytest.approx(best.y, rel=0.01)
    (words,) = [words for _, words in shown.further]
    assert number_text(without_sum(plan.question), way="up") in words


def test_the_curve_of_unequal_sites_is_searched_beside_the_page():
    plan = planned(sites=6, unequal=True)
    before = view(plan, Shown()).charts["counted"]
    assert label("cape-after") not in [line.name for line in before.lines]
    (call,) = [call for call in calls(plan) if call.key == counted_key(plan.question, plan.along)]
    known_now = Results(plan, {call.key: call(None)})
    along = view(plan, Shown(results=known_now)).charts["counted"]
    assert along.line(label("cape-after")).y[0] == pytest.approx(plan.ratios["cape-after"])


def test_the_ratios_are_those_of_the_library(page):
    plan = page.plan
    terms = {"against": "colluders", "colluding": 0, "dropouts": 0}
    for scheme, value in plan.ratios.items():
        assert value == pytest.approx(noise_factor(scheme, 6, **terms) ** 2, rel=1e-6), scheme
    near = int(np.argmin(abs(np.log(AMPLITUDES))))
    exact = noise_factor("cape", 6, amplitude=float(AMPLITUDES[near]), **terms) ** 2
    assert plan.curve[near] == pytest.approx(exact, rel=1e-6)


@pytest.mark.parametrize("same", [True, False])
@pytest.mark.parametrize("unequal", [True, False])
def test_the_best_amplitude_is_nowhere_above_the_curve(same, unequal):
    for colluding, dropouts in ((0, 0), (0, 2), (2, 1)):
        found = planned(
            same=same,
            unequal=unequal,
            collusion=colluding > 0,
            colluders=max(colluding, 1),
            silence=dropouts > 0,
            silent=max(dropouts, 1),
        )
        assert found.best[1] <= found.curve.min() * 1.001 + (1 if not same else 0) * 1e-9
        assert found.best[1] <= found.ratios["conventional"] * (1 + 1e-9)


def test_every_scheme_gives_the_same_to_the_observer_that_the_target_names(page, no_runs):
    """δ of the guarantee's last observer is the target's, whatever the scheme."""
    for found in (page, opened(collusion=True, colluders=2)):
        exposures = found.shown.guarantee.exposures
        last = [one.colluders if found.plan.question.colluding else one.aggregator for one in exposures]
        assert len(exposures) == len(found.plan.shown) and last == pytest.approx([1e-5] * len(last), rel=1e-6)


def test_what_other_pages_show_is_a_link_that_carries_the_settings(page, no_runs):
    assert f"?page=secure_sum&amp;sites={page.plan.question.sites}'" in its_details(page)
    assert f"sites={page.plan.question.sites}&amp;adversary=aggregator&amp;dropouts=0'" in its_details(page)
    found = its_details(opened(collusion=True, colluders=2, silence=True, silent=1))
    (link,) = re.findall("href='([^']*page=pca[^']*)'", found)
    there = App(url.parse(html.unescape(link))).page
    asked = {name: getattr(there.controls, name) for name in ("sites", "adversary", "colluding", "dropouts")}
    assert asked == {"sites": 6, "adversary": "colluders", "colluding": 2, "dropouts": 1}
    assert (there.model.data, there.controls.k, there.state.problem) == ("digits", 10, "")
    assert "adversary=message" in its_details(opened(same=False))


def test_the_page_says_how_many_may_drop_out_and_when_cape_does_not_help(no_runs):
    page = opened(sites=10)
    assert last_help(Question(10, 0, 9, unequal=False, same=True))[0] == 4
    assert "at most 4<" in page.shown.headline and "?" not in page.shown.headline
    assert "does not" not in page.shown.headline
    # The same gain in the units of other pages, where whoever wants them finds them.
    assert "2.35 times less" in its_details(page)
    plan = planned(sites=10, collusion=True, colluders=1, silence=True, silent=1)
    both = ring.picture(plan, ring.roles_of(plan.question))
    assert "at most" not in text.verdict(plan)
    # The noise that a colluder tells is drawn thin, as are both parts of the ring beside a site that dropped out.
    assert both.count("class='joint told'") == 1 and both.count("class='joint lost'") == 2
    lost = planned(sites=10, collusion=True, colluders=3, silence=True, silent=4)
    assert lost.ratios["cape"] > lost.ratios["conventional"]


def test_after_dropouts_equal_is_the_promise_alone():
    """The aggregator's μ² of an honest site over the conventional scheme's, from the messages that came."""
    asked, honest = Question(10, 0, 5, unequal=False, same=True), 5
    plan = design(asked.std, **asked.terms)
    every = plan.zero_sum_std[0] ** 2 * 10 / 9 * (np.eye(10) - 1 / 10) + plan.local_std[0] ** 2 * np.eye(10)
    seen = [np.linalg.inv(every[:n, :n])[0, 0] for n in (10, honest)]
    assert seen[0] == pytest.approx(1, rel=1e-6) and seen[1] == pytest.approx(0.58, abs=0.005)


@pytest.mark.parametrize("colluding, dropouts", [(0, 5), (0, 8), (3, 4), (1, 5)])
def test_after_the_play_stands_the_last_number_at_which_cape_helped(colluding, dropouts):
    asked = Question(10, colluding, dropouts, unequal=False, same=True)
    share = {
        r: variance_ratio(1.0, 10, colluding=colluding, dropouts=r)
        / variance_ratio(0.0, 10, colluding=colluding, dropouts=r)
        for r in range(dropouts + 1)
    }
    last = max(r for r in share if share[r] < 1 / 1.02)
    assert share[dropouts] > 1.02 and last_help(asked) == (last, pytest.approx(share[last]))
    settings = {
        "silence": True,
        "silent": dropouts,
        "collusion": colluding > 0,
        "colluders": max(colluding, 1),
    }
    assert f"; with {last} dropped" in text.verdict(planned(sites=10, **settings))


def test_where_cape_never_helped_nothing_stood_before():
    assert last_help(Question(10, 0, 0, unequal=False, same=True)) is None


def test_the_ring_shows_who_fails_and_the_noise_of_every_design(no_runs):
    page = opened(sites=10, collusion=True, colluders=3, silence=True, silent=4)
    shown = its_ring(page).picture
    assert [shown.count(f"class='site {role}'") for role in ring.ROLES] == [3, 3, 4]
    bars = page.shown.sections["noise"]
    for value in page.plan.ratios.values():
        assert f">{percent_text(value / page.plan.ratios['conventional'], digits=2)}<" in bars
    for role in ring.ROLES[1:]:  # The sheet must tell the roles apart.
        assert f".site.{role} .head {{" in page.first_html()


def test_bars_of_the_ring_keep_their_axis_while_sites_leave_and_join_and_a_limit_is_marked_as_one():
    settings = ({}, {"silence": True, "silent": 4}, {"collusion": True, "colluders": 6}, {"sites": 40})
    shown = [view(planned(**{"sites": 10} | more), Shown()).sections["noise"] for more in settings]
    widths = [re.findall(r"<i style='width:([\d.]+)%'", one) for one in shown]
    # CAPE's bar comes first, then that of independent noise, which the dashed line marks.
    one = pytest.approx(100 / 1.25, abs=0.01)
    assert [(float(found[0]), float(found[1])) for found in widths] == [
        (pytest.approx(80 * 0.1818, abs=0.01), one),
        (pytest.approx(80 * 0.9091, abs=0.01), one),
        (pytest.approx(80 * 0.3182, abs=0.01), one),
        (pytest.approx(80 * 0.0488, abs=0.01), one),
    ]
    assert all("--one:80.00%" in found and "100 % = independent noise (dashed)" in found for found in shown)
    assert ">near</em> 10 %<" in shown[0] and ">near<" not in shown[1]


def test_charts_have_the_numbers_of_the_plan_and_the_graph_once_it_is_known(page):
    before = view(page.plan, Shown()).charts
    assert label("graph") not in [line.name for line in before["amplitude"].lines]
    amplitude, along = (page.shown.charts[name] for name in ("amplitude", "counted"))
    assert amplitude.line(label("graph")).y == [page.results[graph_key(page.plan.question)]] * 2
    assert amplitude.lines[0].y == page.plan.curve.tolist() and amplitude.rules == (1.0,)
    table = counted(page.plan.question, "dropouts")
    assert along.line(label("cape")).y == table[table.scheme == "cape"]["ratio"].tolist()


def test_clicks_and_sliders_of_the_ring_choose_who_fails(no_runs):
    page = opened(sites=6)
    drawn = its_ring(page)

    def asked():
        return page.plan.question.colluding, page.plan.question.dropouts

    for message, found in (
        ({"name": "site", "number": 4}, (1, 0)),
        ({"name": "site", "number": 4}, (0, 1)),
        ({"name": "site", "number": 2}, (1, 1)),
        ({"name": "colluders", "number": 900}, (3, 1)),  # Two honest sites remain.
        ({"name": "site", "number": 77}, (3, 1)),
        ({"name": "amplitude", "number": 7}, (3, 1)),
        ({"name": "silent", "number": -1}, (3, 1)),
        ({"name": "silent", "number": 0}, (3, 0)),
        ({"name": [], "number": True}, (3, 0)),
        ("site", (3, 0)),
    ):
        drawn.received(message)
        assert asked() == found, message
        assert page.state.problem == "" and len(page.plan.question.std) == 6
    assert "collusion=1" in page.search() and "silence" not in page.search()


def test_play_lets_sites_drop_out_one_by_one_until_independent_noise_is_better(no_runs):
    page, shown = opened(sites=10), []
    its_ring(page).received({"name": "site", "number": 2})  # It colludes, and goes on doing so.
    its_ring(page).param.watch(lambda event: shown.append((event.new, page.shown.headline)), "picture")
    its_ring(page).received({"name": "play", "number": 1})  # Without a browser there is no pause.
    silent = [one.count("class='site silent'") for one, _ in shown]
    assert silent == list(range(1, len(silent) + 1)) and len(silent) > 2
    assert all("class='site colludes'" in one and "■ Stop" in one for one, _ in shown[:-1])
    assert all("does not" not in said for _, said in shown[:-1]) and "■ Stop" not in shown[-1][0]
    last, plan = shown[-1][0], page.plan
    assert plan.ratios["cape"] > plan.ratios["conventional"]
    page.board.live["ring"].drop()  # A step that comes late changes nothing.
    assert its_ring(page).picture == last and page.plan is plan
    its_ring(page).received({"name": "play", "number": 2})
    assert page.plan.question.dropouts == 0 and page.plan.question.colluding == 1


def test_play_stops_when_asked_when_a_setting_changes_and_when_the_page_is_left(no_runs, step_by_step):
    page = opened(sites=10)

    def dropouts():
        page.board.live["ring"].drop()
        return page.model.question().dropouts

    for stop in (
        lambda: its_ring(page).received({"name": "play", "number": 0}),
        lambda: page.set({"sites": 12}),
        lambda: its_ring(page).received({"name": "site", "number": 0}),
        page.closed,
    ):
        page.set({"silence": False, "collusion": False, "sites": 10})
        its_ring(page).received({"name": "play", "number": 1})
        assert dropouts() == 2
        stop()
        assert dropouts() == 2
    page.opened()
    assert "■ Stop" not in its_ring(page).picture


def test_two_sites_offer_no_play(no_runs):
    page = opened(sites=2)
    shown = its_ring(page).picture
    assert "data-press='play'" not in shown and "it colludes" in shown and ("or press" not in shown)


def test_a_louder_choice_moves_the_chart_and_runs_nothing_again(page):
    page.set({"amplitude": 30.0})
    assert page.runs.total == 0 and page.shown.charts["amplitude"].rules == (30.0,)
    page.set({"amplitude": 1.0})


def test_formulas_stand_before_runs_and_nothing_of_earlier_settings_does():
    page = opened(sites=6)
    assert "noise on" in its_details(page)
    plan = planned(sites=8)
    shown = view(plan, Shown(results=Results(plan, {}, (), frozenset(), page.results)))
    ((_, words),) = shown.further
    assert "8 sites" in shown.headline and "noise on" not in words


def test_without_cryptography_a_message_has_only_noise_of_its_own():
    """Equal sites, held against the aggregator: γ of each scheme from its closed form, μ = Δ/√(S γ) in message units."""
    plan = planned(sites=10)
    assert plan.unmasked["secure"] == pytest.approx(np.sqrt(10), rel=1e-3)
    assert plan.unmasked["cape"] == pytest.approx(np.sqrt(10 * 11 / 20), rel=1e-6)
    words = text.details(plan)
    assert "one message tells 3.17 times" in words and "and 2.35 times" in words
    assert "sends 1 under secure aggregation, and under CAPE 3, with the sum after them 2" in words


def test_the_graph_is_judged_after_the_worst_dropouts():
    asked = Question(8, 1, 3, unequal=True, same=True)
    given = average_std("graph", asked.std, dropped=range(5, 8), **asked.terms) / asked.pooled
    assert ratio("graph", asked) >= given**2 * (1 - 1e-9)
    plain = Question(8, 0, 0, unequal=False, same=False)
    assert ratio("graph", plain) == pytest.approx(noise_factor("graph", 8) ** 2, rel=1e-9)


def test_the_order_of_variances_names_the_graph_when_it_is_known(page):
    whole = text.details(page.plan, graph=page.results[graph_key(page.plan.question)])
    said = whole.split("Noise variances")[1].split("</p>")[0]
    assert "; " in said


def test_second_curve_counts_dropouts_or_colluders():
    asked = Question(6, 1, 1, unequal=False, same=True)
    for along, name in (("dropouts", "dropouts"), ("colluders", "colluding")):
        table = counted(asked, along)
        here = table[(table["count"] == 1) & (table.scheme == "cape")]["ratio"].item()
        assert here == pytest.approx(ratio("cape", asked)), name
        assert table["count"].max() == 3


def test_too_few_honest_sites_are_refused_in_words():
    model = LimitsModel(Controls(), collusion=True, colluders=8, silence=True, silent=1)
    with pytest.raises(ValueError, match="two honest"):
        model.question()


def test_the_script_leaves_the_numbers_of_the_table(page, capsys):
    space = {}
    exec(compile(page.script(), "script", "exec"), space)
    for name, values in space["columns"].items():
        assert np.allclose(values, page.table()[name], rtol=1e-6), name
    assert "secure" in capsys.readouterr().out


@pytest.mark.parametrize("amplitude", [0.01, 1.0, 100.0])
def test_sentence_and_bars_say_of_which_amplitude_they_are(amplitude):
    """By hand: 1 + 0.9 / (a + 0.1) times a curator's variance, independent noise 10 times."""
    page = LimitsPage(Controls())
    page.set({"amplitude": amplitude})
    page.opened()
    share = percent_text((1 + 0.9 / (amplitude + 0.1)) / 10, digits=2)
    published = percent_text((1 + 0.9 / 1.1) / 10, digits=2)
    said = page.shown.alone["amplitude"]
    assert share in said and share in page.shown.headline and published in page.shown.headline
    assert (published in said) and ("as published" in page.shown.sections["noise"]) == (amplitude != 1)


def test_a_cap_trades_noise_for_what_is_left_without_the_sum():
    """One of ten silent: at a cap of 10 a tenth more variance than secure aggregation, and a tenth of the fall-back."""
    wide, tight = (Question(10, 0, 1, False, True, cap) for cap in (CAP, 10.0))
    assert "cap" not in wide.capped and tight.capped["cap"] == 10.0
    secure = ratio("secure", wide)
    assert ratio("cape-after", wide) == pytest.approx(1.01 * secure, rel=2e-3)
    assert ratio("cape-after", tight) == pytest.approx(1.1 * secure, rel=5e-3)
    assert without_sum(tight) == pytest.approx(0.1 * without_sum(wide), rel=0.02)
