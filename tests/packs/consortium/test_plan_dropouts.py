"""What Plan promises where sites may fall silent: the worst that the plan allows, on every part of the page."""

import itertools
import math
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sheets import record_of

from core import Privacy, release
from core.desk.agreement import Refused, checked_plan
from core.desk.commands import with_keys
from core.parties import Plan, exchange
from core.privacy import attack_risk, gdp_delta, gdp_epsilon, gdp_mu
from core.schemes import (
    PRIVATE,
    Terms,
    after_design,
    average_std,
    free_design,
    message_std,
    named,
)
from core.sweep import search
from dashboard.algorithms.pca.comparison import PAGE as PCA
from dashboard.guarantee.ledger_costs import under_scheme
from dashboard.packs.consortium.plan import party_plan
from dashboard.packs.consortium.plan.page import PAGE as PlanPage
from dashboard.packs.consortium.plan.question import cells_of, errors, exact, terms_of
from dashboard.packs.consortium.plan.words import joining, promise, silent, text
from dashboard.packs.consortium.plan.year.releases import Line
from dashboard.sheet import controls
from dashboard.sheet.page import Page
from dashboard.state.controls import Controls
from dashboard.state.number_text import count_text, number_text
from dashboard.theme.scheme_style import subject

# The scheme, whom its target holds against, S, r, c.
CASES = [
    ("cape", "message", 5, 2, 1),
    ("cape", "aggregator", 2, 1, 0),
    ("cape", "colluders", 12, 9, 1),
    ("conventional", "colluders", 5, 2, 1),
    ("secure", "aggregator", 10, 4, 2),
]


def opened(against, sites, dropouts, colluding, scheme="cape"):
    page = PlanPage(Controls())
    page.controls.take(
        {"sites": sites, "samples": 100, "adversary": against, "dropouts": dropouts, "colluding": colluding}
    )
    page.set({"problem": "averaging", "level": 0.02, "schemes": [scheme]})
    page.content()
    page.content()
    page.opened()
    return page


def brute_force(scheme, privacy, against, sites, dropouts, colluding):
    """The largest μ of the public, the aggregator and colluders when 0 to r sites fall silent."""
    plan = {"against": against}
    if against == "message":
        dropouts = 0
    elif against == "colluders":
        plan["colluding"] = colluding
    found = []
    for lost in range(dropouts + 1):
        made = release(
            np.zeros(sites),
            1.0,
            privacy,
            scheme=scheme,
            rng=np.random.default_rng(0),
            dropouts=dropouts,
            dropped=range(sites - lost, sites),
            **plan,
        )
        known = min(colluding, len(made.sites) - 1)
        found.append((made.mu_public, made.mu_aggregator, made.mu(known)))
    return np.max(found, axis=0)


def cells(html):
    """The texts of a table's body, by row."""
    rows = re.findall(r"<tr>(.*?)</tr>", html.partition("<tbody>")[2].partition("</tbody>")[0])
    return [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in rows]


@pytest.mark.parametrize("scheme, against, sites, dropouts, colluding", CASES)
def test_every_part_of_plan_promises_the_worst_that_may_happen(scheme, against, sites, dropouts, colluding):
    page = opened(against, sites, dropouts, colluding, scheme)
    answer = page.results.answers[scheme]
    # What is said of the release is of the ε that is promised, which is rounded up.
    privacy = Privacy(text.promised(page.results.question, answer), page.controls.delta)
    worst = brute_force(scheme, privacy, against, sites, dropouts, colluding)

    row = next(row for row in promise.guarantee(page.results).exposures if row.scheme == scheme)
    promised = row.public, row.aggregator, row.colluders
    assert promised == pytest.approx(tuple(gdp_delta(privacy.epsilon, worst)), rel=1e-6)

    shown = cells(record_of(page).partition("<b>What each")[0])
    right = [float(row[3]) for row in shown[: len(shown) // len(page.results.question.schemes)]]
    expected = 50 + 50 * attack_risk.advantage(worst)
    assert len(right) == (3 if colluding else 2)
    assert all(-1e-9 <= x - true <= 0.1 for x, true in zip(right, expected, strict=False))

    for observer, mu in zip(("public", "aggregator", "colluders"), worst, strict=True):
        line = Line("week", "mean", scheme, repr(privacy.epsilon), repr(privacy.delta), "52")
        page.year.edit(lines=(line,), observer=observer)
        assert page.year.plan().account.mu == pytest.approx(mu * math.sqrt(52), rel=1e-9)

    saved = Plan.read(page.plan_file().encode())
    assert saved.dropouts == (0 if against == "message" else min(dropouts, sites - 1))
    for lost in range(saved.dropouts + 1):
        stated = saved.stated(dropped=range(sites - lost, sites))
        held = {
            "message": max(stated.mu_message, stated.mu_public),
            "aggregator": stated.mu_aggregator,
            "colluders": stated.mu(min(colluding, len(stated.sites) - 1)),
        }
        assert held[against] <= gdp_mu(privacy) * (1 + 1e-9)


def test_planned_dropouts_do_not_make_a_year_cheaper():
    """Ten sites, ε = 0.3 at δ = 1e-5, 52 times, against the result: seen with all messages the year takes more."""
    for dropouts in (0, 1, 4):
        page = opened("aggregator", 10, dropouts, 0)
        page.year.edit(lines=(Line("week", "mean", "cape", "0.3", "1e-5", "52"),), observer="aggregator")
        whole = math.sqrt(52) * gdp_mu(Privacy(0.3, 1e-5))
        assert page.year.plan().spent == pytest.approx(gdp_epsilon(1e-5, whole), rel=1e-9)
        assert page.year.plan().spent == pytest.approx(2.637, abs=0.001)


def test_the_ledger_counts_what_happened():
    """Runs in which sites fell silent are entered with what was learnt in them."""
    terms = (("against", "aggregator"), ("dropouts", 4), ("dropped", 4))
    privacy = Privacy(1.0, 1e-5)
    about = {"identity": 1, "data": "d", "settings": "", "sites": 10, "calibration": "exact"}
    drawn, all_send = (under_scheme("cape", privacy, terms=some, **about) for some in (terms, terms[:2]))
    assert drawn.aggregator < 0.8 * all_send.aggregator
    assert all_send.aggregator == pytest.approx(gdp_mu(privacy), rel=1e-9)


@pytest.mark.parametrize("free", ["epsilon", "error", "samples"])
def test_where_dropouts_are_planned_the_sum_after_stands_in_a_row_and_in_the_bold_sentence(free):
    page = opened("aggregator", 10, 0, 0)
    page.set({"free": free, "level": 0.02, "schemes": ["cape", "conventional"]})
    assert "cape-after" not in page.results.answers and "sum after" not in page.shown.sections["answer"]
    page.set({"dropouts": 2})
    question, answers = page.results.question, page.results.answers
    assert {*answers} == {"conventional", "cape", "cape-after"}
    assert (
        question.order(answers)[:2] == ("cape-after", "cape") and text.best(question, answers) == "cape-after"
    )
    (bold,) = re.findall("<b>(.*?)</b>", page.shown.headline)
    assert bold.startswith(subject("cape-after")) and ", CAPE " in bold
    assert "CAPE, sum after" in page.shown.sections["answer"]
    # The fall-back by hand: the message has the variance p = D + γ, the average γ, both over S − r sites.
    std = message_std(np.full(10, 0.01), Privacy(1.0, 1e-5))[1]
    after = after_design.design(std, terms=Terms("aggregator", dropouts=2))
    times = math.sqrt(1 + (after.seed_std[0] / after.local_std[0]) ** 2)
    assert f"{number_text(times, digits=2, way='up')} times" in page.shown.words
    if free == "epsilon":
        assert "times as much noise" in Plan.read(page.plan_file().encode()).note
    page.set({"dropouts": 5})  # It allows 4 of ten.
    question, answers = page.results.question, page.results.answers
    assert question.order(answers)[0] == text.best(question, answers) == "cape"
    assert question.most_silent(answers["cape-after"]) == 4 and "two sums of one run" in page.shown.words


def test_a_search_begins_with_the_sum_after_where_it_allows_the_dropouts():
    page = opened("aggregator", 6, 2, 0)
    page.set(
        {"problem": "pca", "data": "low_rank", "schemes": ["cape", "conventional"], "k": 2, "samples": 30}
    )
    question = page.model.plan()
    assert question.order({})[:2] == ("cape-after", "cape")
    answer = search.Answer("cape-after", "found", 1.0, 1.5, 1.2)
    saved = Plan.read(party_plan.plan(question, "cape-after", answer, [30] * 6).text().encode())
    made = exchange(saved, np.zeros((6, *saved.statistic.shape)), silent={"input": (4, 5)})
    assert made.std == pytest.approx(saved.stated(dropped=(4, 5)).std) and made.dropped == (4, 5)


def test_a_desk_takes_a_saved_plan_of_an_average_once_it_has_keys():
    page = opened("aggregator", 5, 1, 0, "cape-after")
    question = page.results.question
    for sizes in ([50] * 5, [20, 20, 40, 100, 400]):
        cells = tuple(sorted((dict(question.here) | {"samples": tuple(sizes)}).items()))
        asked = replace(question, here=cells, schemes=("cape-after",))
        answer = search.Answer("cape-after", "found", 1.0, 1.5, 1.2)
        text = party_plan.plan(asked, "cape-after", answer, sizes).text()
        saved = Plan.read(text.encode())
        with pytest.raises(Refused, match="keys must be"):
            checked_plan(saved)
        names = [*(s.name for s in saved.sites), "aggregator"]
        agreed = with_keys(saved, [f"{name}={place:064x}" for place, name in enumerate(names)])
        assert checked_plan(agreed).parts().after.own_noise == "sum"
        assert (saved.designs is None) == (len(set(sizes)) == 1)


@pytest.mark.parametrize("scheme", ["cape-after", "cape-best"])
def test_the_plan_of_unequal_sites_has_their_noise_and_sites_search_nothing(scheme, monkeypatch):
    page = opened("aggregator", 5, 1, 0, scheme)
    begun, sizes = page.results.question, (20, 20, 40, 100, 400)
    question = replace(
        begun, here=tuple(sorted((dict(begun.here) | {"samples": sizes}).items())), schemes=(scheme,)
    )
    answer = exact(question, scheme)
    file = party_plan.plan(question, scheme, answer, sizes).text().encode()
    monkeypatch.setattr(free_design, "_searched", None)
    saved = Plan.read(file)
    assert b'"version": 2' in file and saved.dropouts == 1 and np.ptp(np.array(saved.designs)[:, 1]) > 0
    silent = {"input" if scheme == "cape-after" else "message": saved.planned_silence().silent}
    made = exchange(saved, [np.array(0.5)] * 5, silent=silent)
    target = gdp_mu(Privacy(text.promised(question, answer), question.settings.delta))
    assert saved.stated().mu_aggregator <= target * (1 + 1e-9) and made.mu_aggregator <= target * (1 + 1e-9)
    assert 1.959964 * float(made.std) <= question.level * (1 + 1e-6)


# S, r, c, whom the target holds against, and how many a threshold of more than (S + c)/2 can carry.
CARRIED = [
    (10, 5, 0, "aggregator", 4),
    (4, 2, 0, "aggregator", 1),
    (6, 3, 0, "aggregator", 2),
    (10, 6, 0, "aggregator", 4),
    (7, 2, 4, "colluders", 1),
    (2, 1, 0, "aggregator", 0),
    (10, 3, 2, "colluders", 3),
]


@pytest.mark.parametrize("sites, dropouts, colluding, against, carried", CARRIED)
def test_the_plan_of_every_answer_runs_with_the_planned_number_silent(
    sites, dropouts, colluding, against, carried
):
    """Sites agree on noise and then send nothing; in a secure sum of messages they send no input."""
    page = opened(against, sites, dropouts, colluding)
    for scheme in PRIVATE:
        page.set({"schemes": [scheme], "level": 0.1})
        answer = page.results.answers[scheme]
        summed = named(scheme).summed
        saved, most = saved_plan(page, scheme), carried if summed else dropouts
        assert saved.dropouts == most, scheme
        silent = {"input" if summed else "message": range(sites - most, sites)}
        made = exchange(saved, [np.array(0.5)] * sites, silent=silent)
        assert 0 <= made.value <= 1
        # What is stated of the release is what it has, up to the grid of whole numbers.
        ((stated, *_),) = [
            errors(page.results.question, scheme, text.promised(page.results.question, answer))
        ]
        if scheme != "graph":  # On a graph the last sites are not the worst.
            assert 1.959964 * float(made.std) == pytest.approx(stated, rel=2e-3), scheme
        said = f"at most {count_text(carried, 'site')}"
        words = page.shown.words + page.shown.guarantee.sentence
        fewer = summed and carried < dropouts
        report = page.report()
        # Beside CAPE stands the sum after.
        assert (said in words) == (said in report) == (fewer or (scheme == "cape" and carried < dropouts)), (
            scheme
        )
        assert (
            (said in saved.note.lower())
            == (said in text.one_epsilon(page.results.question, {scheme: answer}, 0).lower())
            == fewer
        )
        scope = {"__name__": "copied"}
        exec(compile(page.script(), "copied", "exec"), scope)
        pd.testing.assert_frame_equal(pd.DataFrame(scope["columns"]), page.table(), rtol=1e-12)


def saved_plan(page, scheme):
    """The plan of one scheme's answer, as the file has it."""
    question, answer = page.results.question, page.results.answers[scheme]
    sizes = joining.sizes_of(question, answer, question.sites(answer))
    note = text.one_epsilon(question, {scheme: answer}, page.controls.colluding)
    return Plan.read(party_plan.plan(question, scheme, answer, sizes, question.names, note).text().encode())


def test_a_search_plans_for_as_many_dropouts_as_a_threshold_can_carry():
    page = opened("aggregator", 6, 3, 0)
    page.set({"problem": "pca", "data": "low_rank", "schemes": ["cape", "secure"], "k": 2, "samples": 30})
    question = page.model.plan()
    cells = {scheme: dict(cells_of(question, scheme)[0][1]) for scheme in question.schemes}
    found = {scheme: (cell["dropouts"], cell["dropped"]) for scheme, cell in cells.items()}
    assert found == {"cape": (3, 3), "cape-after": (2, 2), "secure": (2, 2)}
    assert cells_of(question, "cape") == question.cells
    assert "dropouts" in page.script() and page.script().count("search.search(") == 3


@pytest.mark.parametrize("sizes, dropouts", [((100,) * 6, 2), ((120, 60, 20), 1), ((120, 60, 20), 0)])
def test_what_a_site_gains_is_what_the_row_of_one_site_says(sizes, dropouts):
    """Of equal sites ε alone is that of the row "local"; the ratios are those of noise over the worst silence."""
    page = opened("aggregator", len(sizes), dropouts, 0)
    page.set({"schemes": ["cape", "local"], "level": 0.02})
    question, answers = page.results.question, page.results.answers
    if len(set(sizes)) > 1:
        here = dict(question.here) | {"samples": sizes}
        question = replace(question, here=tuple(sorted(here.items())), names=("a", "b", "c"))
        answers = {scheme: exact(question, scheme) for scheme in question.schemes}
    table = joining.table(question, "cape", answers["cape"], question.names)
    rows = cells(table)
    promised = text.promised(question, answers["cape"])
    counts = np.array(sizes, dtype=float)
    _, std = message_std(1 / counts, Privacy(promised, question.settings.delta))
    sets = itertools.combinations(range(len(sizes)), dropouts)
    options = {"against": "aggregator", "dropouts": dropouts}
    together = max(average_std("cape", std, counts / counts.sum(), dropped=lost, **options) for lost in sets)
    for row, alone in zip(rows, std, strict=False):
        assert float(row[2]) == pytest.approx(alone / together, rel=0.005)
        mu = gdp_mu(Privacy(promised, question.settings.delta)) * alone / together
        assert float(row[3]) == pytest.approx(gdp_epsilon(question.settings.delta, mu), rel=0.01)
    if len(set(sizes)) == 1:
        assert float(rows[0][3]) == pytest.approx(answers["local"].high, rel=0.01)
    else:
        assert ("below 1" in table) == (std[0] < together)


@pytest.mark.parametrize("against, colluding", [("aggregator", 0), ("colluders", 2)])
@pytest.mark.parametrize("free", ["epsilon", "error", "samples", "sites"])
def test_the_program_plans_for_the_dropouts_of_the_page(free, against, colluding):
    """Of few sites fewer may drop out than was asked."""
    page = opened(against, 10, 6, colluding)
    page.set({"schemes": ["cape", "secure", "conventional", "local"], "free": free, "level": 0.03})
    scope = {"__name__": "copied"}
    exec(compile(page.script(), "copied", "exec"), scope)
    pd.testing.assert_frame_equal(pd.DataFrame(scope["columns"]), page.table(), rtol=1e-12)


@pytest.mark.parametrize("against, colluding", [("message", 0), ("aggregator", 0), ("colluders", 1)])
def test_the_stated_error_is_that_of_the_worst_silence_by_brute_force(against, colluding):
    """Every scheme, 2 to 7 sites of equal and of unequal sizes, as many dropouts as can be met."""
    page = opened(against, 5, 1, colluding, "cape")
    begun = page.results.question
    for sites, dropouts in ((2, 1), (3, 1), (4, 2), (5, 4), (6, 3), (7, 2)):
        settings = replace(
            begun.settings, sites=sites, dropouts=dropouts, colluding=min(colluding, sites - 1)
        )
        for sizes in ((100,) * sites, tuple(range(20, 20 + 37 * sites, 37))):
            here = {**dict(begun.here), "sites": sites, "samples": sizes, "epsilon": 1.0}
            question = replace(begun, settings=settings, here=tuple(sorted(here.items())))
            counts = np.array(sizes, dtype=float)
            _, std = message_std(1 / counts, Privacy(1.0, settings.delta))
            for scheme in PRIVATE:
                options = dict(terms_of(settings, scheme, sites))
                lost = options.get("dropouts", 0)
                sets = itertools.combinations(range(sites), 0 if scheme == "local" else lost)
                whole = counts / counts.sum()
                worst = max(average_std(scheme, std, whole, dropped=one, **options) for one in sets)
                (stated,) = errors(question, scheme, 1.0)
                assert stated == pytest.approx(1.959964 * worst, rel=1e-9), (scheme, sites, dropouts)


@pytest.mark.parametrize("make", [lambda: PlanPage(Controls()), lambda: Page.of(PCA)(Controls())])
def test_where_no_dropouts_are_planned_the_page_says_which_target_offers_them(make):
    """In the place of the control, on every page that has both; one press brings it."""
    page = make()
    panel = controls.panel(page, ["adversary", "dropouts"])
    page.opened()

    def dropouts():
        return next(one for one in panel.state if one["name"] == "dropouts")

    words, button = dropouts()["instead"]
    assert not dropouts()["visible"] and "result or one message" in words and "all messages" in button
    panel.received({"name": "dropouts", "instead": True})
    assert page.controls.adversary == "aggregator"
    assert dropouts()["visible"] and "instead" not in dropouts()
    page.set({"adversary": "colluders"})
    assert dropouts()["visible"]
    page.set({"adversary": "message"})
    assert dropouts()["instead"] == [words, button]


@pytest.mark.parametrize(
    "scheme, dropouts, said", [("cape-after", 2, True), ("cape-after", 1, False), ("secure", 2, True)]
)
def test_a_plan_that_no_desk_carries_out_says_so_on_the_page_and_in_its_file(scheme, dropouts, said):
    """Two of five sites that drop out leave room for two sums of one run, whoever holds one site's copied folder."""
    page = opened("aggregator", 5, dropouts, 0, scheme)
    question, answers = page.results.question, page.results.answers
    saved = Plan.read(page.plan_file().encode())
    names = [*(site.name for site in saved.sites), "aggregator"]
    keys = [f"{name}={place:064x}" for place, name in enumerate(names)]
    words = "A desk carries this plan out only if at most 1 site of 5 may drop out"
    assert (words in silent.words(question, answers), words in saved.note) == (said, said)
    if said:
        with pytest.raises(Refused, match="dropouts must be at most 1 of 5 sites, got 2"):
            with_keys(saved, keys)
    else:
        assert with_keys(saved, keys).threshold == 4
