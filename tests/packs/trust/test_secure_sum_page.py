"""The page of Secure sum without a browser: the exchange that stands, its play, what each party saw, who stays silent."""

import re
from dataclasses import replace
from html import unescape

import numpy as np
import pytest
from sheets import SecureSumPage

from core.schemes import noise_factor
from core.secure_sum import traffic
from core.sweep.workers import Call
from dashboard.packs.trust.secure_sum.exchange import COMES
from dashboard.packs.trust.secure_sum.model import Done, SecureSumModel, run_protocol
from dashboard.packs.trust.secure_sum.orders import ORDERS
from dashboard.packs.trust.secure_sum.view import view
from dashboard.session.app import App
from dashboard.sheet.page import Page
from dashboard.sheet.spec import Shown
from dashboard.sheet.store import Results
from dashboard.sheet.work import Calls
from dashboard.state.controls import Controls
from dashboard.state.number_text import number_text


def looked(plays=0, dark=False, **settings):
    """The run of some settings, and the view of it."""
    shared = {name: settings.pop(name) for name in ("sites", "noise_seed") if name in settings}
    model = SecureSumModel(Controls(**{"sites": 10, **shared}), **{"threshold": 6, **settings})
    plan = model.plan()
    results = Results(plan, {plan.whole: run_protocol(plan.whole, None)})
    return results[plan.whole], view(plan, Shown(dark=dark, results=results, plays=plays))


def opened(**values):
    page = SecureSumPage(Controls())
    page.content()
    page.set(values)
    page.opened()
    return page


def picture(page):
    return page.exhibits()[0].picture


def fails(signal):
    raise ArithmeticError("of the run")


def test_a_run_that_fails_says_why_and_leaves_what_stands():
    work = Calls(calls=lambda plan: [Call(fails, (), plan.whole)], awaited=SecureSumPage.spec.work.awaited)
    spec = replace(SecureSumPage.spec, work=work)
    page = Page.of(spec)(Controls())
    page.content()
    page.opened()
    assert page.runs.state == "failed" and "of the run" in page.board.head.picture


def test_no_more_sites_drop_out_or_must_answer_than_there_are():
    page = opened(sites=5, threshold=12, lost=0)
    assert page.state.problem == "" and (page.plan.threshold, page.plan.lost) == (5, 0)
    assert page.state.most == {"threshold": 5, "lost": 4}
    page.set({"threshold": 2, "lost": 20})
    assert page.state.problem == "" and page.plan.lost == 4


def test_too_few_sites_stop_the_protocol_in_words():
    page = opened(threshold=7, lost=4)
    shown = unescape(picture(page))
    assert "7 are needed" in page.shown.headline and "no sum" in shown
    assert shown.count("site silent") == 4 and shown.count("class='bytes'") == 6
    assert page.state.problem == "" and not page.state.pale  # It is the answer to the present settings.
    assert page.shown.guarantee is None and len(page.table()) == 0
    page.set({"lost": 3})
    assert "7 are needed" not in page.shown.headline and "3 sites drop" in page.shown.words


def test_showing_fewer_rounds_runs_nothing_anew():
    page = opened()
    received = page.exhibits()[5]
    before = page.table()
    assert received.picture.count("<th scope='col'>") == 4
    page.set({"step": 1})
    assert received.picture.count("<th scope='col'>") == 1 and not page.state.pale
    assert page.table().equals(before)


@pytest.mark.parametrize("seed", range(4))
def test_the_shown_values_add_to_the_shown_sum_and_the_headline_names_who_may_not_collude(seed):
    found, shown = looked(noise_seed=seed, threshold=7, lost=2)
    drawn = shown.sections["exchange"].replace("−", "-")
    values = [float(text) for text in re.findall(r"<b>(-?[\d.]+)</b></span>", drawn)]
    assert drawn.count("site silent") == 2 and len(values) == 11
    assert f"{sum(values[:8]):.2f}" == f"{values[-1]:.2f}" == f"{float(found.run.total[0]):.2f}"
    assert f", {values[-1]:.2f}</b>" in shown.headline.replace("−", "-")
    assert "fewer than 7 sites collude" in shown.headline
    # Six colluders would know six of the seven inputs.
    _, shown = looked(noise_seed=seed, threshold=7, lost=3)
    assert "fewer than 6 sites collude" in shown.headline and "5 colluding sites" in shown.sections["parties"]
    assert "7 shares restore" in shown.words


def test_the_sum_is_that_of_the_sites_whose_input_arrived():
    found, _ = looked(lost=2, round="unmask")
    assert len(found.run.included) == 10
    assert found.run.total == pytest.approx(found.plan.values.sum(axis=0), abs=1e-9)
    _, shown = looked(lost=2)
    assert np.isnan(shown.table["received"][-2:]).all()


def test_what_each_party_saw_has_the_traffic_of_the_run():
    found, shown = looked()
    for party, size in ((0, traffic(10, 1)[0]), (None, traffic(10, 1)[1])):
        number, sent = found.run.traffic(party)
        assert sent == size
        assert f"{number} messages, {number_text(size / 1e3)} kB" in shown.sections["parties"]
    for name in ("sites", "entries"):
        chart = shown.charts[name]
        assert [points.y for points in chart.points] == [
            [found.run.traffic(0)[1]],
            [found.run.traffic(None)[1]],
        ]
        for line, points in zip(chart.lines, chart.points, strict=True):  # The run lies on its curve.
            assert dict(zip(line.x, line.y, strict=True))[points.x[0]] == points.y[0]


def test_every_pair_of_masks_is_drawn_twice_with_both_signs_and_meets_at_one_place():
    found, shown = looked(lost=2)
    rows = re.split("<div class='row", shown.sections["exchange"])[1:11]
    masks = [
        re.findall(r"<i class='(pair|rest)' data-sign='(.?)' style='--c:(\d+);--d:([-.\d]+)", row)
        for row in rows
    ]
    places = {
        (site, int(partner)): (kind, sign, int(partner) + float(shift))
        for site, drawn in enumerate(masks)
        for kind, sign, partner, shift in drawn
    }
    assert {site for site, _ in places} == set(found.run.included)
    for (site, partner), (kind, sign, place) in places.items():
        if kind == "pair":
            assert places[partner, site][1:] == ("−" if sign == "+" else "+", place) and sign
        else:  # Its own mask, or that of a site whose input never came.
            assert partner == site or (partner >= 8 and sign == "+")
    assert len(places) == 8 * 10


def test_the_picture_shows_what_each_site_sent_and_what_cape_does_with_the_sum():
    found, shown = looked(lost=2)
    drawn = shown.sections["exchange"]
    sent = re.findall(r"class='bytes' title='([0-9a-f]{16})'", drawn)
    assert [int(one, 16) / 2.0**64 for one in sent] == pytest.approx(shown.table["received"][:8])
    squares = re.findall(r"class='bytes' title='[^']*'>(.*?)</span>", drawn)
    assert [
        "".join(re.findall(">([0-9a-f]{2})</i>", one)) for one in squares
    ] == sent  # No digit is left out.
    assert drawn.count("class='none'") == 2 and "1/8" in drawn
    values, total = found.plan.values[:8, 0], float(found.run.total[0])
    # The sum is of numbers rounded at random to multiples of the protocol's step.
    assert sum(values - total / 8) == pytest.approx(0, abs=1e-6)
    _, shown = looked(lost=2, round="unmask")  # Whoever left after the sum was formed sends nothing further.
    assert "1/8" not in shown.sections["exchange"]
    _, shown = looked(sites=14, threshold=8, lost=2)  # So many masks have one column.
    assert shown.sections["exchange"].count("class='rest whole'") == 12


def test_play_runs_the_exchange_from_the_start_and_another_setting_stands_at_its_end():
    page = opened(lost=1)
    exchange = page.exhibits()[0]
    standing, seen, headline = exchange.picture, [], page.shown.headline
    for _ in range(2):
        exchange.received({"name": "play", "number": 0})
        seen.append(re.search("data-key='([^']+)'", exchange.picture)[1])
    assert len({*seen, re.search("data-key='([^']+)'", standing)[1]}) == 3 and page.shown.headline == headline
    steps = re.findall(
        r"class='now' style='--from:([\d.]+)s;--for:([\d.]+)s'[^>]*>([^<]+)<", exchange.picture
    )
    times = [(float(start), float(start) + float(takes)) for start, takes, _ in steps]
    assert [end for _, end in times] == pytest.approx([start for start, _ in times[1:]] + [COMES])
    assert "1 site drops out" in steps[1][2] and "cancel" in steps[2][2]
    page.set({"lost": 0})
    assert "class='now'" not in exchange.picture and "class='now'" not in standing


def test_what_cannot_run_at_once_says_so_and_an_earlier_run_is_pale():
    found, _ = looked()
    plan = SecureSumModel(Controls(sites=30), threshold=16).plan()
    assert "class='bytes'" not in view(plan, Shown()).sections["exchange"]
    earlier = Results(found.plan, {found.plan: found})
    waiting = Results(plan, {}, (plan.whole,), frozenset({plan.whole}), earlier)
    assert (
        waiting.stale and view(plan, Shown(results=waiting)).sections["exchange"].count("class='bytes'") == 10
    )
    page = opened()
    page.set({"sites": 14})  # Without a server the run is over at once.
    assert picture(page).count("class='bytes'") == 14 and not page.state.pale


def test_the_page_opens_with_few_sites_and_leaves_the_sites_of_other_pages():
    app = App({"page": "secure_sum"})
    plan = app.page.plan
    assert (plan.sites, plan.threshold, plan.lost) == (6, 4, 0)
    assert app.page.first_html().count("class='bytes'") == 6  # The first answer has the whole exchange.
    app.open("gain")
    assert app.controls.sites == 10
    app.controls.sites = 20
    app.open("secure_sum")
    assert app.controls.sites == 20  # Whoever chose sites keeps them.


def test_more_than_half_of_the_sites_must_answer_until_somebody_chooses():
    app = App({"page": "gain"})
    app.controls.sites = 20
    app.open("secure_sum")
    model = app.page.model
    assert model.plan().threshold == 11
    app.controls.sites = 10
    assert model.plan().threshold == 6
    model.threshold = 4
    app.controls.sites = 30
    assert model.plan().threshold == 4
    # A link keeps what was chosen, and what followed.
    for sites, chosen in ((30, 4), (9, 5)):
        model.threshold = chosen
        app.controls.sites = sites
        query = dict(part.split("=") for part in app.page.search().removeprefix("?").split("&"))
        plan = App(query).page.model.plan()
        assert (plan.sites, plan.threshold) == (sites, chosen)
    plan = App({"page": "secure_sum", "sites": "13"}).page.model.plan()
    assert (plan.sites, plan.threshold) == (13, 7)


def test_the_examples_do_what_they_say():
    page = opened()
    found = []
    for number in range(len(page.presets)):
        page.press("example", number)
        shown = picture(page)
        found.append((shown.count("site silent"), "no sum" in shown))
        assert len(re.findall("<div class='row site", shown)) == 6
    assert found == [(0, False), (2, False), (3, True)]


def test_secure_sum_has_an_entry_of_its_own():
    app = App({"page": "secure_sum"})
    listed = [kind.name for kind in app.navigation.groups["Consortium"]]
    assert (
        listed == ["sites", "limits", "months", "secure_sum", "audit"]
        and app.navigation.marked == "secure_sum"
    )


def test_after_a_failure_the_inputs_that_were_sent_stand_alone():
    titles = re.compile(r"class='bytes' title='([0-9a-f]{16})'")
    bars = re.compile(r"beam value'><i style='([^']*)'")
    _, before = looked(sites=6, threshold=5, entries=10)
    _, stopped = looked(sites=6, threshold=5, lost=3, entries=10)
    # Three masked inputs of one run, which the same keys give whatever the threshold is.
    done, after = looked(sites=6, threshold=3, lost=3, entries=10)
    assert isinstance(done, Done)
    stopped, before, after = (shown.sections["exchange"] for shown in (stopped, before, after))
    assert titles.findall(stopped) == titles.findall(after) and len(titles.findall(stopped)) == 3
    assert bars.findall(stopped) == bars.findall(before)
    assert "disabled" in stopped and "disabled" not in after


def cells(found):
    """The rows of both orders as text: {number: (sum first, messages first)}."""
    rows = re.findall(r"<th scope='row'>(\w+)</th><td>(.*?)</td><td>(.*?)</td>", found.sections["orders"])
    return {number: tuple(re.sub(r"<.*?>", "", cell) for cell in both) for number, *both in rows}


def test_both_orders_have_the_senders_of_the_run_and_the_messages_that_are_averaged():
    done, found = looked(sites=7, threshold=4, lost=2, round="unmask")
    rows = cells(found)
    assert rows["3"][0].startswith(f"{len(done.inputs)} sites") and "one packet" in rows["3"][1]
    # What was summed has no message in one order, and all of it in the other.
    assert rows["average"][0].startswith("of 5 messages: 2 random numbers stay")
    assert rows["average"][1].startswith("of 7 messages") and rows["5"][1] == "—"
    _, found = looked(sites=7, threshold=4, lost=2, round="input")
    assert [cell.split(":")[0].split(",")[0] for cell in cells(found)["average"]] == ["of 5 messages"] * 2


@pytest.mark.parametrize("lost", [0, 1, 3])
def test_both_orders_have_the_variances_that_core_computes(lost):
    _, found = looked(sites=10, lost=lost)
    silent = {"against": "aggregator", "dropouts": max(lost, 1), "dropped": max(lost, 1)}
    for name in ORDERS:
        assert f"<b>{noise_factor(name, 10, **silent) ** 2:.2f} times</b>" in found.sections["orders"]


def test_more_dropouts_than_one_sum_allows_open_no_sum_after_the_messages():
    _, found = looked(sites=7, threshold=2, lost=4)
    rows = cells(found)
    assert rows["4"][1] == "too few: no sum is opened" != rows["4"][0] and rows["average"][1] == "—"
    assert "at most 3 sites of 7" in found.sections["orders"]
