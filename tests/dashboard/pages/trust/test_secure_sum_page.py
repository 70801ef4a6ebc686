"""The page of Secure sum without a browser: the rounds, the masks, and who stays silent."""

import re
from html import unescape

import numpy as np
import pytest
from trust_pages import opened

from dashboard.components.control_panel import ControlPanel
from dashboard.pages.trust.secure_sum.exchange import COMES
from dashboard.pages.trust.secure_sum.page import SecureSumPage
from dashboard.session.app import App
from dashboard.state.controls import Controls
from dashboard.state.number_text import number_text


def test_no_more_sites_drop_out_or_must_answer_than_there_are():
    page = opened(SecureSumPage)
    page.set({"sites": 5, "threshold": 12, "lost": 0})
    assert page.said.problem == "" and (page.picture.plan.threshold, page.picture.plan.lost) == (5, 0)
    assert page.said.most == {"threshold": 5, "lost": 4}
    panel = ControlPanel([(page.model, "lost"), (page.model, "threshold")])
    panel.limit(page.said.most)
    assert [one.state["end"] for one in panel.controls.values()] == [4, 5]
    page.set({"threshold": 2, "lost": 20})
    assert page.said.problem == "" and page.model.plan().lost == 4


def test_too_few_sites_stop_the_protocol_in_words():
    page = opened(SecureSumPage, threshold=7)
    page.set({"lost": 4})
    shown = unescape(page.still())
    assert "masked number, 7" in shown and "no sum" in shown
    assert shown.count("site silent") == 4 and shown.count("class='bytes'") == 6
    assert page.said.problem == ""  # A box above the picture would move it.
    assert not page.said.pale  # It is the answer to the present settings.
    page.content().received({"name": "play", "number": 0})
    assert "7 are needed" in page.still()
    page.set({"lost": 3})
    page.content().received({"name": "play", "number": 0})
    assert "7 are needed" not in page.still()
    assert "3 sites drop" in page.said.words


def test_showing_fewer_rounds_runs_nothing_anew():
    page = opened(SecureSumPage)
    run = page.picture.run
    page.set({"step": 1})
    assert page.picture.run is run
    assert "unmask" not in page._parts._messages.text


@pytest.mark.parametrize("seed", range(4))
def test_the_shown_values_add_to_the_shown_sum_and_the_headline_names_who_may_not_collude(seed):
    page = opened(SecureSumPage, noise_seed=seed, threshold=7, lost=2)
    total = f"{float(page.picture.run.total[0]):.2f}".replace("-", "−")
    # Before Play nobody says the sum, and who will fall silent still looks awake and has sent as little as the others.
    assert "site silent" not in page.still() and "shares" not in page.said.words and not page.more().visible
    assert page.still().count("class='bytes unsent'") == 10 and "class='bytes' title" not in page.still()
    assert f">{total}<" not in page.still()
    page.content().received({"name": "play", "number": 0})
    shown = page.still().replace("−", "-")
    values = [float(text) for text in re.findall(r"<b>(-?[\d.]+)</b></span>", shown)]
    assert shown.count("site silent") == 2
    assert len(values) == 11 and f"{sum(values[:8]):.2f}" == f"{values[-1]:.2f}"
    assert "class='answer'>" in shown and f"numbers, {values[-1]:.2f}</b>, and," in shown
    assert "7 colluding sites," in shown
    page.set({"lost": 3})  # Six colluders would know six of the seven inputs.
    assert "6 colluding sites" in page.still()
    assert "7 shares restore" in page.said.words


def test_the_sum_is_that_of_the_sites_whose_input_arrived():
    page = opened(SecureSumPage, lost=2, round="unmask")
    assert len(page.picture.run.included) == 10
    assert page.picture.run.total == pytest.approx(page.picture.plan.values.sum(axis=0), abs=1e-9)
    assert np.isnan(opened(SecureSumPage, lost=2).picture.received[-2:]).all()


def test_every_pair_of_masks_is_drawn_twice_with_both_signs_and_meets_at_one_place():
    page = opened(SecureSumPage, lost=2)
    rows = re.split("<div class='row", page.still())[1:11]
    masks = [
        re.findall(r"<i class='(pair|rest)' data-sign='(.?)' style='--c:(\d+);--d:([-.\d]+)", row)
        for row in rows
    ]
    places = {
        (site, int(partner)): (kind, sign, int(partner) + float(shift))
        for site, found in enumerate(masks)
        for kind, sign, partner, shift in found
    }
    assert {site for site, _ in places} == set(page.picture.run.included)
    for (site, partner), (kind, sign, place) in places.items():
        if kind == "pair":
            assert places[partner, site][1:] == ("−" if sign == "+" else "+", place) and sign
        else:  # Its own mask, or that of a site whose input never came.
            assert partner == site or (partner >= 8 and sign == "+")
    assert len(places) == 8 * 10
    key = re.search("data-key='([^']+)'", page.still())[1]
    page.content().received({"name": "play", "number": 0})
    assert re.search("data-key='([^']+)'", page.still())[1] != key


def test_the_picture_shows_what_each_site_sent_and_the_sum():
    page = opened(SecureSumPage, lost=2)
    page.content().received({"name": "play", "number": 0})
    shown, run = page.still(), page.picture.run
    sent = re.findall(r"class='bytes' title='([0-9a-f]{16})'", shown)
    assert [int(one, 16) / 2.0**64 for one in sent] == pytest.approx(page.picture.received[:8])
    squares = re.findall(r"class='bytes' title='[^']*'>(.*?)</span>", shown)
    assert [
        "".join(re.findall(">([0-9a-f]{2})</i>", one)) for one in squares
    ] == sent  # No digit is left out.
    assert shown.count("class='none'") == 2 and shown.count(number_text(float(run.total[0]))) == 2
    assert "10⁻¹¹" not in page.said.words
    page.set({"sites": 14})  # So many masks have one column.
    assert page.still().count("class='rest whole'") == 12 and "class='pair'" not in page.still()


def test_every_step_of_play_is_named_and_follows_the_one_before():
    page = opened(SecureSumPage, lost=1)
    assert "class='told'" not in page.still(), "before Play nothing happens"
    page.content().received({"name": "play", "number": 0})
    steps = re.findall(r"class='told' style='--from:([\d.]+)s;--for:([\d.]+)s'[^>]*>([^<]+)<", page.still())
    times = [(float(start), float(start) + float(takes)) for start, takes, _ in steps]
    assert [end for _, end in times] == pytest.approx([start for start, _ in times[1:]] + [COMES])
    assert "1 site stays" in steps[1][2] and "cancel" in steps[2][2]
    page.set({"lost": 0})
    assert "silent." not in page.still()


def test_the_page_opens_with_few_sites_and_leaves_the_sites_of_other_pages():
    app = App({"page": "secure_sum"})
    plan = app.page.model.plan()
    assert (plan.sites, plan.threshold, plan.lost) == (6, 4, 0)
    app.open("gain")
    assert app.controls.sites == 10
    app.controls.sites = 20
    app.open("secure_sum")
    assert app.controls.sites == 20  # Whoever chose sites keeps them.


def test_after_the_sum_stands_what_cape_does_with_it():
    page = opened(SecureSumPage, lost=2)
    assert "up to 0" not in page.still()
    page.content().received({"name": "play", "number": 0})
    values, total = page.picture.values[:8], float(page.picture.run.total[0])
    # The sum is of numbers rounded at random to multiples of the protocol's step.
    assert sum(values - total / 8) == pytest.approx(0, abs=1e-6)
    assert "8 sites subtracts 1/8" in page.still()
    page.set({"round": "unmask"})  # Whoever left after the sum was formed sends nothing further.
    page.content().received({"name": "play", "number": 0})
    assert "up to 0" not in page.still()


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


def test_the_page_says_why_a_secure_sum_alone_is_not_enough():
    page = opened(SecureSumPage)
    page.content().received({"name": "play", "number": 0})
    assert "shares restore" in page.said.words


def test_the_examples_do_what_they_say():
    page = opened(SecureSumPage)
    found = []
    for preset in page.presets:
        page.set(preset.values)
        page.content().received({"name": "play", "number": 0})
        shown = page.still()
        found.append((shown.count("site silent"), "no sum" in shown))
        assert len(re.findall("<div class='row site", shown)) == 6
    assert found == [(0, False), (2, False), (3, True)]


def test_secure_sum_is_a_tab_of_sites():
    app = App({"page": "secure_sum"})
    assert app.page.name == "secure_sum"
    listed = [kind.name for kind in app.navigation.groups["Consortium"]]
    assert "sites" in listed and "secure_sum" not in listed
    assert app.navigation.marked == "sites"


def test_after_a_failure_the_inputs_that_were_sent_stand_alone():
    page = SecureSumPage(Controls(sites=6))
    page.model.param.update(threshold=5, lost=0, entries=10)
    page.opened()
    page.content().received({"name": "play", "number": 0})
    bars = re.compile(r"beam value'><i style='([^']*)'")
    first = bars.findall(page.still())
    assert page.more().visible
    page.model.lost = 3
    stopped = page.still()
    assert "stopped" in stopped
    # Three masked inputs of one run, which the same keys give whatever the threshold is.
    page.model.threshold = 3
    titles = re.compile(r"class='bytes' title='([0-9a-f]{16})'")
    assert titles.findall(stopped) == titles.findall(page.still()) and len(titles.findall(stopped)) == 3
    page.model.threshold = 5
    assert not page.more().visible
    assert bars.findall(stopped) == first
    page.model.lost = 1
    assert page.more().visible and "stopped" not in page.still()
