"""Series of releases in the session's ledger: composed by persons, all releases until the user confirms fewer."""

import math

import numpy as np
import pytest
from bokeh.document import Document
from sheets import MonthsPage

from core import series
from core.privacy import Privacy, gdp_mu
from dashboard.packs.consortium.months.entered import DATA
from dashboard.packs.consortium.plan.page import PAGE as PlanPage
from dashboard.packs.consortium.plan.year.releases import Line
from dashboard.shell.ledger_drawer import ledger_html
from dashboard.state.controls import Controls
from dashboard.state.ledger import Ledger
from dashboard.state.number_text import equals

ONE = gdp_mu(Privacy(1.0, 1e-5))


def opened(kind, controls, **settings):
    """A page whose releases go into a ledger."""
    page, ledger = kind(controls), Ledger()
    page.content().get_root(Document())
    page.content()
    page.record_releases = lambda drawn: ledger.add(page.title, drawn)
    page.set(settings)
    page.opened()
    return page, ledger


def mu(ledger, view, data=DATA):
    return ledger.account(data, view, first_site=False).mu


@pytest.fixture
def months():
    page, ledger = opened(MonthsPage, Controls(sites=10), most=2, apart=6)
    return page, ledger, page.board.live["ledger"]


def test_a_series_costs_what_a_person_in_all_months_pays_until_its_user_says_fewer(months):
    page, ledger, part = months
    part.enter()
    always = series.Participation(12, 12)
    best = series.strategy(series.queries("months and totals", 12), series.Participation(12, 2, 6))
    noise = series.Series(strategy=best, sites=10, mu=float(ONE))
    x, _ = always.worst(best.matrix.T @ best.matrix)
    assert mu(ledger, "aggregator") == pytest.approx(noise.mu_of(x), rel=1e-9)
    assert mu(ledger, "aggregator") > 1.5 * ONE
    assert "counts a person in all 12 releases" in ledger_html(ledger, 1e-5, {})
    # Confirmed: the target that the page states, and the same series counts once.
    part.stand()
    part.enter()
    assert mu(ledger, "aggregator") == pytest.approx(ONE, rel=1e-9) and mu(ledger, "public") < ONE
    said = ledger_html(ledger, 1e-5, {})
    assert "in at most 2 of 12 releases" in said and "nobody has said" not in said and "12 draws" in said
    # Another number was not confirmed; a second series of the same persons adds its square.
    page.set({"most": 1})
    part.enter()
    (first, second) = ledger.entries
    assert "all 12" in second.drawn.assumed
    assert mu(ledger, "aggregator") == pytest.approx(math.hypot(ONE, second.drawn.aggregator), rel=1e-9)
    assert first.drawn.aggregator == pytest.approx(ONE, rel=1e-9)


def test_independent_months_of_a_person_in_two_cost_the_square_root_of_six_more_in_twelve(months):
    page, ledger, part = months
    confirm = part.confirm
    assert confirm.visible
    page.set({"strategy": "independent"})
    part.enter()
    assert mu(ledger, "aggregator") == pytest.approx(ONE * math.sqrt(12 / 2), rel=1e-9)
    # Noise that was made for a person in all months needs nobody's word.
    ledger.reset()
    page.set({"most": 12, "apart": 1})
    part.enter()
    assert mu(ledger, "aggregator") == pytest.approx(ONE, rel=1e-9) and not confirm.visible


def test_the_releases_of_a_year_are_composed_by_persons():
    page, ledger = opened(
        PlanPage, Controls(sites=5, samples=200), problem="averaging", level=0.02, schemes=["cape"]
    )
    ledger.reset()
    data, line = page.plan.title, Line("week", "mean", "conventional", "0.1", "1e-6", "52", "4")
    page.year.edit(lines=(line,))
    page.enter_year()
    one = gdp_mu(Privacy(0.1, 1e-6))
    assert mu(ledger, "aggregator", data) == pytest.approx(one * math.sqrt(52), rel=1e-9)
    assert mu(ledger, "public", data) == pytest.approx(one * math.sqrt(52 / 5), rel=1e-9)
    page.year.stand()
    page.enter_year()
    page.enter_year()
    assert mu(ledger, "aggregator", data) == pytest.approx(one * math.sqrt(4), rel=1e-9)
    assert "in at most 4 of 52 releases, at all sites together" in ledger_html(ledger, 1e-5, {})
    # All records of one person, and releases of other kinds.
    page.set({"per_person": 3})
    ledger.reset()
    page.year.edit(lines=(line, Line("once", "mean", "conventional", "1", "1e-5", "1")))
    page.enter_year()
    assert mu(ledger, "aggregator", data) == pytest.approx(3 * math.hypot(one * math.sqrt(52), ONE), rel=1e-9)
    assert "with 3 records in each" in ledger_html(ledger, 1e-5, {})
    # What is typed wrong enters nothing.
    ledger.reset()
    page.year.edit(lines=(Line("week", "mean", "cape", "much", "1e-6", "52"),))
    page.enter_year()
    assert ledger.entries == [] and not np.isnan(ledger.worst(1e-5)[1])


def test_what_was_entered_is_said_until_the_series_is_another_one(months):
    page, ledger, part = months
    assert part.said.text == "" and not part.count.disabled
    part.count.click()
    entered = ledger.account(DATA, "aggregator", first_site=False).epsilon(page.controls.delta)
    assert equals("ε", entered) in part.said.text and "Ledger" in part.said.text
    part.confirm.click()  # It now costs less.
    assert part.said.text == ""
    part.count.click()
    assert f"{equals('ε', 1)} counts now" in part.said.text
    page.set({"strategy": "independent"})
    assert part.said.text == ""


def test_a_series_of_refused_settings_enters_nothing(months):
    page, ledger, part = months
    part.count.click()
    before = ledger.entries
    page.set({"sites": 2, "dropouts": 4, "epsilon": 3.0})
    assert page.problem and part.count.disabled and part.confirm.disabled and part.said.text == ""
    part.count.click()
    part.enter()
    assert ledger.entries == before
    page.set({"sites": 20})
    assert not page.problem and not part.count.disabled


def test_what_was_entered_of_a_year_is_said_until_it_is_another_one():
    page, ledger = opened(
        PlanPage, Controls(sites=5, samples=200), problem="averaging", level=0.02, schemes=["cape"]
    )
    ledger.reset()
    panel = page.year_panel
    panel.build()
    assert panel.count.disabled  # Nothing is planned.
    page.year.edit(lines=(Line("week", "mean", "conventional", "1", "1e-5", "1"),))
    assert not panel.count.disabled and panel.said.text == ""
    panel.count.clicks += 1
    assert len(ledger.entries) == 1
    assert f"{equals('ε', 1)} counts now" in panel.said.text
    page.set({"schemes": []})  # Refused: what stands is of others.
    assert page.problem and panel.count.disabled and panel.said.text == ""
    page.enter_year()
    assert len(ledger.entries) == 1
    page.set({"schemes": ["cape"]})
    assert not panel.count.disabled
    page.year.edit(lines=(Line("week", "mean", "conventional", "2", "1e-5", "1"),))
    assert panel.said.text == ""


@pytest.mark.parametrize("most", ["12", "13"])
def test_a_person_in_all_releases_has_nothing_to_confirm(most):
    page, ledger = opened(
        PlanPage, Controls(sites=5, samples=200), problem="averaging", level=0.02, schemes=["cape"]
    )
    ledger.reset()
    page.year_panel.build()
    line = Line("month", "mean", "conventional", "0.1", "1e-6", "12", most)
    page.year.edit(lines=(line,))
    assert not page.year.draft.few and "confirm" not in page.year.words()
    # Of another line it is to confirm; what was typed of all counts once it is of fewer.
    other = Line("week", "mean", "conventional", "0.1", "1e-6", "52", "4")
    page.year.edit(lines=(line, other))
    page.year.stand()
    assert page.year.confirmed
    page.year.edit(lines=(Line("month", "mean", "conventional", "0.1", "1e-6", "24", most), other))
    assert page.year.draft.few and not page.year.confirmed


def test_no_series_has_a_person_in_more_months_than_it_has(months):
    page, _, part = months
    page.set({"most": 13, "apart": 1, "months": 12})
    assert page.plan.question.person.times == 12 and not part.confirm.visible


@pytest.mark.parametrize("dropouts", [0, 2])
def test_who_sees_conventional_averages_alone_learns_less_than_the_aggregator(dropouts):
    """Against the exact law of the averages: everybody sends, or any two sites drop out in a month (60 random choices)."""
    page, ledger = opened(MonthsPage, Controls(sites=5, dropouts=dropouts), scheme="conventional", most=12)
    page.board.live["ledger"].enter()
    (one,) = ledger.entries
    noise = page.plan.series(page.results.get(page.plan.key).strategies[page.plan.chosen])
    x, _ = page.plan.question.person.worst(noise.strategy.matrix.T @ noise.strategy.matrix)
    rng, found = np.random.default_rng(0), []
    for _ in range(60 if dropouts else 1):
        senders = np.ones((12, 5))
        for row in senders:
            row[rng.choice(5, dropouts, replace=False)] = 0
        # An average of those that send divides by their number; a record moves it as much less.
        moved = x / senders.sum(axis=1)
        found.append(math.sqrt(moved @ np.linalg.solve(noise.covariance(senders), moved)))
    assert one.drawn.aggregator == pytest.approx(ONE, rel=1e-9)
    assert max(found) <= one.drawn.public * (1 + 1e-9) < one.drawn.aggregator
    if not dropouts:
        assert found == pytest.approx([ONE / math.sqrt(5)], rel=1e-9) and one.drawn.public == pytest.approx(
            found[0]
        )
