"""The Plan page without a browser: questions, answers, what they say of risk, and what they refuse."""

import html
import math
import re
from contextlib import suppress
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from bokeh.document import Document
from sheets import answer_of, record_of

from core.privacy import Privacy, attack_risk, gdp_epsilon, gdp_mu
from core.schemes import error_of_average
from core.sweep import search
from dashboard.components.buttons import Buttons
from dashboard.components.control_panel import ControlPanel
from dashboard.own_table.description import Choice
from dashboard.packs.consortium.plan import model as plan_model
from dashboard.packs.consortium.plan.metrics import KINDS, METRICS
from dashboard.packs.consortium.plan.model import PlanModel
from dashboard.packs.consortium.plan.page import PAGE as PlanPage
from dashboard.packs.consortium.plan.page import PLAN
from dashboard.packs.consortium.plan.searches import Outcome, Searches
from dashboard.packs.consortium.plan.words import risk, text
from dashboard.packs.consortium.plan.words.answer import headline, holds
from dashboard.packs.consortium.plan.words.guesses import right_of_100
from dashboard.session.app import App
from dashboard.sheet.layout import laid_out
from dashboard.shell.browser import Browser
from dashboard.state import url
from dashboard.state.controls import Controls
from dashboard.state.number_text import at_most_text, hundred_text, percent_text
from data import upload
from data.columns import Column, Description
from data.upload.own_table import described_table

SLOW = pytest.mark.slow
FEW = (0.05, 0.2, 0.6, 1.5, 4.0, 10.0)


@pytest.fixture(autouse=True)
def few(monkeypatch):
    """Short rows of cells: searches that are quick, and tell the same."""
    monkeypatch.setattr(plan_model, "EPSILONS", FEW)
    monkeypatch.setattr(plan_model, "SAMPLES", (20, 60, 200, 600, 2000))
    monkeypatch.setattr(plan_model, "SITES", (2, 5, 12, 30))


def choose(page, name, option):
    """Choose in one of the menus of the question, as a browser does."""
    for panel in page.above_settings().select(ControlPanel):
        if name in panel.controls and option in panel.controls[name].spec["options"]:
            panel.received({"name": name, "value": panel.controls[name].spec["options"].index(option)})
            return
    raise AssertionError(f"no menu offers {option}")


@pytest.fixture
def page():
    controls = Controls()
    controls.param.update(sites=4, k=4, delta=1e-3, samples=200)
    page = PlanPage(controls)
    page.content().get_root(Document())
    page.content()
    searched = {"problem": "pca", "data": "digits", "metric": "energy", "level": 0.1, "centre": "public"}
    page.set({"schemes": ["cape", "local"], "most": 24, **searched})
    return page


def opened(page, **values):
    page.set(values)
    page.opened()
    assert page.runs.state in ("finished", "idle"), page.runs.message
    assert page.state.problem == ""
    return page.results.answers


def row(page, name):
    """The row of a scheme, as HTML."""
    (found,) = (one for one in answer_of(page).split("role='listitem'") if f">{name}<" in one)
    return found.replace("\u00a0", " ")


def needed(page, name):
    """The ε that the row of a scheme states."""
    return float(re.search(r"class='value'>ε [=>] ([\d.]+)", row(page, name))[1])


def test_an_epsilon_is_a_bar_of_one_scale_and_its_risk_a_hundred_dots():
    page = PlanPage(Controls(**PlanPage.opens))
    page.opened()
    for level in (0.02, 0.01):  # The first answers the question of the opening.
        page.set({"level": level})
        for name in ("CAPE", "conventional", "local", "pooled"):
            shown = row(page, name)
            # The end of the scale is 10 at every error, so that bars compare.
            bar = float(re.search(r"class='sure' style='width:([\d.]+)%'", shown)[1])
            assert 0 <= 10 * needed(page, name) - bar < 0.16  # Written rounded up, with three digits.
            # Two dots a column, and one that is left over; half of all is right by chance.
            right = math.ceil(float(re.search(r"([\d.]+) of 100<", shown)[1]))
            pairs = float(re.findall(r"class='sure' style='width:([\d.]+)%'", shown)[1]) / 2
            assert 50 + 2 * pairs + ("class='one'" in shown) == right
        assert "<div class='ticks'><span>0</span><span>5</span><span>10</span></div>" in answer_of(page)
    assert "3.6 × CAPE's" in row(page, "conventional") and "13.7 × CAPE's" in row(page, "local")
    assert "row inside" in answer_of(page) and "3.6 times" in answer_of(page).replace("\u00a0", " ")


def test_what_the_plan_unfolds_and_saves_stands_in_one_row():
    page = PlanPage(Controls(**PlanPage.opens))
    page.opened()
    page.content()
    line = page.board.live["files"].view.objects[0]
    buttons, *files = line.objects
    assert [button.label for button in buttons.buttons] == ["The releases of a year", "Open a receipt"]
    assert len(files) == 2
    for shown in (False, True, False):
        assert page.year_panel.layout.visible == shown
        buttons.buttons[0].click()


def test_after_a_play_an_average_says_at_which_errors_a_small_epsilon_is_enough():
    page = PlanPage(Controls(**PlanPage.opens))
    page.opened()
    reached = {}
    for level in PLAN.play["over"]:
        page.set({"level": level})
        found = PLAN.reached(page.plan, page.results)
        reached[level] = found.who["CAPE"], found.who["conventional"]
        assert [needed(page, name) <= 1 for name in ("CAPE", "conventional")] == [*reached[level]]
    # Stops on both sides of where it is: at 0.0073 under CAPE, at √10 times as much under the conventional scheme.
    both, one, none = (True, True), (True, False), (False, False)
    assert [*reached.values()] == [none, one, one, both, both, both]
    assert "pooled" not in found.who


def test_the_page_opens_on_the_epsilon_of_every_scheme():
    page = App({"page": "plan"}).page
    for shown in (answer_of(page), page.first_html()):
        found = re.findall("class='value'>ε\u00a0=\u00a0([0-9.]+)", shown)
        assert found == ["0.71", "2.54", "9.76", "0.71"] and "(3.6\u00a0times" in shown
    assert re.search(r"<td>[^<]*0\.71", page.report())


def test_each_scheme_gets_an_answer_and_the_words_name_it(page):
    answers = opened(page)
    assert list(answers) == ["local", "cape"]
    cape, local = answers["cape"], answers["local"]
    assert cape.state == "found" and cape.low < cape.estimate < cape.high
    assert not local.high <= cape.low
    ends = [text.value_text(page.results.question, x) for x in (cape.low, cape.high)]
    assert f"CAPE {ends[0]} to {ends[1]};" in page.state.words and "90 %" in answer_of(page)
    assert f"CAPE needs ε\u00a0≈\u00a0{text.estimate_text(page.results.question, cape)}" in answer_of(page)


def test_the_picture_shows_every_probe_as_it_was_decided(page):
    answers = opened(page)
    chart = page.shown.charts["search"]
    drawn = [(points.name, x, points.fill) for points in chart.points for x in points.x]
    assert len(drawn) == sum(len(a.probes) for a in answers.values())
    assert {("CAPE", FEW[0], 0), ("CAPE", FEW[-1], 1)} <= set(drawn)
    (interval,) = (line for line in chart.lines if line.name == "CAPE" and not line.listed)
    cape = answers["cape"]
    assert interval.x == (cape.low, cape.high) and interval.y == (page.plan.target.value,) * 2
    means = dict(zip(chart.line("CAPE").x, chart.line("CAPE").y, strict=True))
    assert means == pytest.approx({probe.x: np.mean(probe.scores) for probe in cape.probes})


def test_an_average_is_answered_exactly_and_at_once(page):
    answers = opened(page, problem="averaging", level=0.02)
    assert page.runs.total == 0
    for scheme, answer in answers.items():
        here = {"sites": 4, "samples": 200, "delta": 1e-3}
        privacy = Privacy(answer.high, here["delta"])
        found = error_of_average(scheme, sites=here["sites"], samples=here["samples"], privacy=privacy)
        assert found == pytest.approx(0.02)
    few = opened(page, free="sites", epsilon=0.5)
    need = 1.959964 / 200 / gdp_mu(Privacy(0.5, 1e-3)) / 0.02
    assert few["cape"].high == math.ceil(need) > 2
    # More sites add nothing to one site's own average, so no number of them stands beside it.
    assert math.isinf(few["local"].high) and "&gt;" not in answer_of(page)
    assert answer_of(page).count("class='figures'") == 1  # Houses of CAPE alone.


def test_a_risk_that_somebody_fixes_is_answered_with_the_error(page):
    answers = opened(page, problem="averaging", free="error", risk=60)
    assert {"epsilon", "level", "how"} <= set(page.state.absent)
    epsilon = page.results.question.settings.epsilon
    exact = gdp_epsilon(page.results.question.settings.delta, attack_risk.mu_of_advantage(60 / 50 - 1))
    assert (
        epsilon == float(f"{epsilon:.3g}") and 0 <= exact - epsilon < 0.01
    )  # Rounded down: it can be promised.
    assert 59.9 < right_of_100(page.results.question, answers["cape"], epsilon, 0) <= 60
    privacy = Privacy(epsilon, 1e-3)
    for scheme, answer in answers.items():
        found = error_of_average(scheme, sites=4, samples=200, privacy=privacy)
        assert answer.low == answer.estimate == answer.high == pytest.approx(found)
    shown = answer_of(page).replace("\u00a0", " ")
    assert f"(ε = {at_most_text(epsilon)})" in shown
    cape, local = (at_most_text(answers[scheme].high, digits=2) for scheme in ("cape", "local"))
    assert f" {cape}, local {local}</b>" in shown
    # All rows have the same risk; whoever sees all messages of CAPE guesses more.
    more = 50 + 50 * attack_risk.advantage(text.mus(page.results.question, answers["cape"], 0)[1])
    assert shown.count("<span class='note'>60.0 of 100") == 2
    assert f"<small>{hundred_text(more)} " in shown
    assert "<b>60.0</b> " in record_of(page) and " 60 of 100 " in page.state.guarantee.sentence
    assert page.state.guarantee.nominal.epsilon == epsilon
    assert "60 of 100" in page.report()
    assert "search" not in page.shown.charts
    # What is kept is said as what is lost, and more risk never loses more.
    kept = opened(page, problem="pca", metric="variance")
    assert all(a.runs == 24 and a.low < a.estimate < a.high for a in kept.values())
    question = page.results.question
    lost = [f"{100 - 100 * share:.2g} %" for share in (kept["cape"].high, kept["cape"].low)]
    assert f"CAPE {lost[0]} to {lost[1]};" in page.state.words
    estimate = question.metric.loss_text(kept["cape"].estimate)
    assert f" {estimate}, local" in answer_of(page).replace("\u00a0", " ")
    page.set({"risk": 51, "delta": 0.05})
    assert page.state.problem.startswith("δ must")
    page.set({"free": "epsilon"})
    assert "risk" in page.state.absent and "search" in page.shown.charts


def test_records_chosen_in_the_menu_bring_a_level_within_reach(page):
    page.set({"problem": "components"})
    choose(page, "data", "Points in clusters")
    assert page.model.level == 0.8
    choose(page, "data", "Documents, one topic each")
    assert page.model.level == METRICS["matched"].level


def test_an_average_offers_a_table_of_one_s_own_and_stays_what_is_asked(page):
    page.set({"problem": "averaging"})
    rows = page.above_settings().select(Buttons)
    opener = next(b for row in rows for b in row.buttons if b.label == "Use your own table")
    assert opener.visible
    opener.click()
    assert page.model.problem == "averaging" and page.before().objects[-1].visible
    opener.click()
    assert not page.before().objects[-1].visible


def test_no_bar_of_an_average_empties_between_two_levels(page):
    opened(page, problem="averaging", metric="within", level=0.01, free="epsilon")
    pictures = []
    page.state.param.watch(lambda event: pictures.append(answer_of(page)), "shown")
    for level in (0.005, 0.002):
        page.set({"level": level})
        # The chart and the text below are of the same ε, without a moment of nothing.
        written = text.estimate_text(page.results.question, page.results.answers["cape"])
        assert f"ε = {written} with CAPE" in record_of(page).replace("\u00a0", " ")
    assert pictures and not any("width:0.0%" in picture or "…" in picture for picture in pictures)
    # The exact answer needs no chart of a search: the bars say it.
    assert "search" not in page.shown.charts


def test_the_risk_is_that_of_the_answer_for_every_onlooker(page):
    answers = opened(page, problem="averaging", level=0.02)
    page.controls.colluding = 2
    mu = gdp_mu(Privacy(answers["cape"].high, 1e-3))
    seen = text.mus(page.results.question, answers["cape"], 2)
    assert seen[0] == pytest.approx(mu)
    assert seen[1] == pytest.approx(mu * math.sqrt(8 / 5)) and seen[2] > seen[1]
    assert hundred_text(50 + 50 * attack_risk.advantage(mu)) in record_of(page)
    for one in seen[:2]:
        assert percent_text(attack_risk.success(one, 0.01), way="up") in record_of(page)
    # The attack's whole trade-off is a link that carries the settings.
    (link,) = re.findall("href='([^']*page=guarantee[^']*)'", record_of(page))
    there = App(url.parse(html.unescape(link))).page
    assert (there.controls.sites, there.controls.colluding, there.controls.delta) == (
        page.controls.sites,
        2,
        1e-3,
    )
    assert 1 / there.model.noise == pytest.approx(mu, rel=5e-3)  # At the promised ε, which is rounded.
    assert (there.state.problem, "page=guarantee" in page.report()) == ("", False)
    # The icons are the guesses of the observer against whom ε holds; the line above has who sees more.
    rights = [50 + 50 * attack_risk.advantage(one) for one in (mu, *seen[1:])]
    whole = [math.ceil(right) for right in rights]
    assert whole[0] < whole[1] == whole[2]  # The same number would say that both learn the same.
    guesses = [*map(hundred_text, rights)]
    others = re.findall("'note'>(.*?) of 100", answer_of(page))
    assert len(others) > 1 and all(re.search(r"\.\d$", one) for one in others)  # As many digits in every row.
    note = re.search(rf"<span class='note'>{guesses[0]} of 100(.*?)</span>", answer_of(page))[1]
    assert re.findall(r"<small>([\d.]+)", note) == guesses[1:]
    shown, joining = record_of(page).split("What each site")
    assert shown.count("<tr>") == 1 + 3 + 1  # CAPE's three onlookers, one of "local".
    assert joining.count("<tr>") == 2  # Alike sites share a row.
    alone = 4 * gdp_mu(Privacy(text.promised(page.results.question, answers["cape"]), 1e-3))
    assert f"<td>4</td><td>{at_most_text(gdp_epsilon(1e-3, alone))}</td>" in joining
    assert page.state.guarantee.nominal.epsilon == text.promised(page.results.question, answers["cape"])


def test_the_table_of_risk_takes_priors_and_all_records_of_one_person(page):
    opened(page, problem="averaging", level=0.02, schemes=["cape"])
    question, before = page.results.question, dict(page.results.answers)
    page.set({"per_person": 3})
    page.controls.colluding = 2
    assert (
        page.results.answers == before
    )  # The answer is of one record; what it means for three is stated beside.
    seen = text.mus(page.results.question, text.at_promise(question, before["cape"]), 2)
    rows = re.findall(r"<tr>(.*?)</tr>", record_of(page).partition("What each site")[0])[1:]
    found = [[float(x) for x in re.findall(r"<td[^>]*>([\d.]+)", row)] for row in rows]
    exact = [
        (
            gdp_epsilon(1e-3, mu),
            50 + 50 * attack_risk.advantage(mu),
            100 * attack_risk.success(mu, 1 / 100),
            100 * attack_risk.success(mu, 1 / (4 * page.controls.samples)),
        )
        for mu in (*seen, *(3 * mu for mu in seen))
    ]
    assert len(found) == 6
    for written, true in zip(found, exact, strict=True):
        assert all(0 <= a / b - 1 < 1e-2 for a, b in zip(written, true, strict=True))
    promise = text.one_epsilon(page.results.question, page.results.answers, 2)
    assert at_most_text(exact[3][0]) in promise and promise in page.report()


@pytest.mark.parametrize(
    "values",
    [
        {"problem": "averaging", "free": "samples", "level": 0.02},
        {"problem": "pca", "data": "digits"},
        {"problem": "averaging", "free": "error", "adversary": "aggregator"},
        {"problem": "pca", "data": "digits", "metric": "variance", "centre": "mean", "schemes": ["cape"]},
        pytest.param(
            {"problem": "components", "data": "gaussians", "free": "sites", "dimension": 10, "level": 0.3},
            marks=SLOW,
        ),
        {
            "problem": "components",
            "data": "documents",
            "metric": "weights",
            "level": 0.3,
            "schemes": ["cape"],
            "k": 2,
        },
        {"problem": "regression", "data": "linear", "free": "samples", "dimension": 10},
        {"problem": "regression", "data": "diabetes", "metric": "coefficients", "free": "error"},
        pytest.param(
            {
                "problem": "regression",
                "data": "breast_cancer",
                "metric": "auc",
                "level": 0.02,
                "samples": 140,
            },
            marks=SLOW,
        ),
        {"problem": "topics", "data": "synthetic", "free": "samples", "samples": 300, "schemes": ["cape"]},
    ],
    ids=lambda values: "-".join(map(str, values.values())),
)
def test_every_problem_is_planned_for_and_its_script_gives_the_same_table(page, values, monkeypatch):
    if values["problem"] == "topics":
        monkeypatch.setattr(plan_model, "SAMPLES", (20, 150, 1000))
    opened(page, **values)
    assert len(page.table()) == len(page.controls.schemes)
    source, scope = page.script(), {}
    assert "dashboard" not in source and "panel" not in source
    exec(compile(source, "plan", "exec"), scope)
    pd.testing.assert_frame_equal(pd.DataFrame(scope["columns"]), page.table(), rtol=1e-12)


def test_records_and_metric_follow_the_problem_and_a_link_may_name_all(page):
    model = page.model
    model.problem = "regression"
    assert (model.data, model.metric) == ("linear", "lost")
    again = PlanPage(Controls())
    assert (
        again.take({"problem": "regression", "data": "diabetes", "metric": "coefficients", "level": "0.2"})
        == []
    )
    assert (again.model.data, again.model.metric, again.model.level) == ("diabetes", "coefficients", 0.2)
    assert again.take({"problem": "pca", "data": "linear"}) == []
    assert again.model.data == "digits"


@pytest.mark.parametrize(
    ("share", "text"), [(1, "100 %"), (0.9999, "99.99 %"), (0.99962, "99.96 %"), (0.9, "90 %")]
)
def test_what_loses_anything_is_not_said_to_keep_all(share, text):
    assert METRICS["variance"].text(share) == text


@pytest.mark.parametrize("problem", KINDS)
def test_every_problem_asks_for_what_it_can_measure(problem):
    model = PlanModel(Controls(samples=100))
    model.problem = problem
    for metric in KINDS[problem].metrics:
        model.param.update(metric=metric, **({"data": "logistic"} if metric == "auc" else {}))
        question = model.plan()
        assert question.metric is METRICS[metric]
        assert question.metric.text(0.3) and "{" not in question.sentence
        assert all(a < b for (a, _), (b, _) in zip(question.cells, question.cells[1:], strict=False))


def test_a_metric_chosen_in_the_menu_brings_its_own_level(page):
    page.set({"problem": "regression", "data": "breast_cancer"})
    choose(page, "metric", "loss of AUC")
    assert (page.model.metric, page.model.level) == ("auc", 0.02)


def test_moving_colluders_keeps_the_search_and_another_seed_begins_anew(page):
    first = opened(page)["cape"]
    assert page.runs.done > 0
    page.controls.colluding = 1
    assert page.results.answers["cape"] is first
    page.controls.noise_seed = 7
    assert page.results.answers["cape"].probes != first.probes


def test_what_is_out_of_reach_even_without_noise_is_said(page):
    opened(page, problem="components", data="gaussians", dimension=10, level=1e-4, samples=50)
    assert {answer.state for answer in page.results.answers.values()} == {"out of reach"}
    assert page.state.guarantee.nominal is None and "<tr>" not in record_of(page)


@pytest.mark.parametrize(
    ("kind", "metric", "said"),
    [
        ("pca", "energy", "not variance"),
        ("regression", "excess", "not R²"),
        ("regression", "coefficients", None),
    ],
)
def test_a_target_that_the_mean_alone_may_meet_is_told_so(page, kind, metric, said):
    page.model.param.update(problem=kind, metric=metric)
    found = text.cautions(page.compute(), {})
    assert [words for words in ("not variance", "not R²") if words in found] == ([said] if said else [])


def test_while_a_search_goes_on_nothing_is_said_of_a_release(page):
    found = opened(page)
    assert "<tr>" in record_of(page) and page.state.guarantee.nominal
    shows(page, page.plan, found | {"cape": replace(found["cape"], state="running")})
    assert "<tr>" not in record_of(page) and page.state.guarantee.nominal is None
    # Another question takes the words of the one before away at once.
    shows(page, page.plan, found)
    assert "<tr>" in record_of(page)
    page.runs.start = lambda jobs, paint: None
    page.controls.sites = 3
    assert record_of(page) == "" and page.state.guarantee.nominal is None


def test_runs_are_entered_in_the_ledger_once(page):
    spent = []
    page.record_releases = spent.extend
    answers = opened(page)
    assert sum(drawn.draws for drawn in spent) == sum(a.runs for a in answers.values())
    assert len({drawn.identity for drawn in spent}) == len(spent)
    assert all(drawn.public > 0 for drawn in spent)


def test_bounds_that_came_from_the_records_are_told_first(page):
    opened(page, problem="regression", data="linear", dimension=10)
    assert "Not covered" not in page.state.guarantee.sentence
    opened(page, problem="regression", data="breast_cancer", level=0.8)
    assert "Not covered" in page.state.guarantee.sentence


def test_bad_questions_are_answered_in_words(page):
    opened(page)
    page.set({"schemes": ["nonprivate"]})
    assert "scheme" in page.state.problem
    page.set({"schemes": ["cape"], "k": 65})
    assert "64" in page.state.problem
    page.set({"problem": "topics", "data": "docstrings", "free": "sites", "k": 4})
    assert "ε" in page.state.problem
    page.set({"problem": "regression", "data": "diabetes", "free": "epsilon", "metric": "auc"})
    assert "AUC" in page.state.problem


def table_of_own(site_column=None):
    rng = np.random.default_rng(2)
    rows = rng.normal(size=(240, 3)) @ np.diag([1, 0.5, 0.2])
    lines = [
        "a,b,c,<b>home</b>",
        *(f"{x:.4f},{y:.4f},{z:.4f},{'xyz'[i % 3]}" for i, (x, y, z) in enumerate(rows)),
    ]
    content = "\n".join(lines).encode()
    table = upload.read(content, "own <i>.csv")
    home = Column("<b>home</b>", "category", used=False)
    columns = (*(Column(name, lower=-4.0, upper=4.0) for name in "abc"), home)
    described = Description(columns, site_column or "")
    choice = Choice("own <i>.csv", described)
    return described_table(table, described), choice, content


@pytest.mark.parametrize(
    "problem", ("pca", *(pytest.param(p, marks=SLOW) for p in ("regression", "components")))
)
def test_one_s_own_table_with_sites_is_planned_for_along_epsilon(page, problem, monkeypatch, tmp_path):
    table, choice, content = table_of_own("<b>home</b>")
    (tmp_path / choice.file).write_bytes(content)
    page.own_table.data.chosen = choice
    page.set({"problem": problem, "free": "sites", "level": 0.3, "k": 1})
    page.own_table.data.used = table
    answers = opened(page)
    assert page.model.free == "epsilon" and set(answers) == {"local", "cape"}
    assert "<i>.csv" not in answer_of(page) + page.state.words and "described_table(" in page.script()
    monkeypatch.chdir(tmp_path)
    scope = {"__name__": "copied"}
    exec(compile(page.script(), "copied", "exec"), scope)
    pd.testing.assert_frame_equal(pd.DataFrame(scope["columns"]), page.table(), rtol=1e-12)
    assert {"sites", "samples"} <= set(page.state.absent)
    known = list(page.own_table.problems)
    assert known
    page.own_table.data.used = None
    assert page.results.question.own is False and not page.own_table.problems & set(known)


@pytest.mark.parametrize("free", ("samples", "sites"))
def test_one_s_own_table_without_sites_is_dealt_as_the_search_asks(page, free):
    table, choice, _ = table_of_own()
    page.own_table.data.chosen = choice
    page.set({"problem": "pca", "free": free, "level": 0.3, "k": 1, "samples": 40})
    page.own_table.data.used = table
    answers = opened(page)
    assert page.model.free == free
    # There are 240 records: 60 at each of 4 sites, or 40 at each of 6.
    assert [x for x, _ in page.results.question.cells] == {"samples": [20, 60], "sites": [2, 5]}[free]
    assert all(len(a.probes) == 2 for a in answers.values())


def test_an_estimate_is_written_within_its_interval_wherever_a_number_lies_there():
    written = {}
    for free, low, high, estimate in [
        ("samples", 100, 110, 109.2),
        ("samples", 1000, 1100, 1001.0),
        ("samples", 13, 14, 13.4),
        ("epsilon", 0.112, 0.126, 0.1121),
        ("epsilon", 0.1, 1.0, 0.41),
    ]:
        question = PlanModel(Controls(samples=100), problem="pca", free=free).plan()
        written[estimate] = text.short(question, search.Answer("cape", "found", low, high, estimate))
    assert list(written.values()) == [
        "109 (100 to 110)",
        "1001 (1000 to 1100)",
        "14 (13 to 14)",
        "0.112 (0.11 to 0.13)",
        "0.41 (0.1 to 1)",
    ]


def test_the_level_is_called_what_it_bounds_and_schemes_are_the_private_ones():
    page = PlanPage(Controls())
    page.model.problem = "pca"
    panels = laid_out(page, Browser()).select(ControlPanel)
    controls = {one.label: one for panel in panels for one in panel.controls.values()}
    level, schemes = (
        controls["Allowed loss of variance"],
        controls["Schemes"],
    )
    # A share is written as a percentage, an error in its own units.
    assert "10 %" in level.spec["texts"] and page.settings_words()[level.label] == "10 %"
    page.model.problem = "averaging"
    assert level.label == "Allowed error"
    assert "0.1" in level.spec["texts"] and not any("%" in text for text in level.spec["texts"])
    offered = schemes.spec["options"]
    assert "non-private" not in offered
    schemes.take(["CAPE"])
    assert page.controls.schemes == ["nonprivate", "cape"]
    page.controls.schemes = ["local", "conventional"]
    assert schemes.value == ["local", "conventional"]


def answers(**found):
    """What a search would say, by scheme."""
    return {name: search.Answer(name, *known) for name, known in found.items()}


def shows(page, question, found):
    """Have the page show these answers to a question."""
    page.plan, page.results = question, Outcome(question, found)
    page.paint_view()


def asked(page):
    """The question of the page, on three schemes."""
    page.set({"schemes": ["cape", "conventional", "pooled"]})
    return page.model.plan()


def test_the_bold_sentence_says_no_more_than_the_search_knows(page):
    question, nan, inf = asked(page), math.nan, math.inf
    begun = answers(cape=("running", nan, inf, nan), conventional=("running", nan, inf, nan))
    assert headline(question, begun) == headline(question, {})
    both = headline(question, answers(cape=("found", 0.5, 0.7, 0.6), conventional=("found", 1, 1.4, 1.2)))
    assert re.findall(r"<b>.*?≈\u00a00.6, conventional 1.2</b>", both)
    running = headline(
        question, answers(cape=("running", 0.5, 4, nan), conventional=("running", nan, inf, nan))
    )
    # Half an answer is not written in large letters: it stands in the rows.
    assert "<b>" not in running
    found = {"cape": ("at once", nan, 0.05, nan), "conventional": ("out of reach", 10, inf, nan)}
    assert re.findall(r"ε\u00a0=\u00a0([\d.]+\d)", headline(question, answers(**found)))[:2] == ["0.05", "10"]


def test_the_rows_show_between_which_ends_a_running_search_is(page):
    question, nan = asked(page), math.nan
    # Between both ends of a running search lies the ε, and what the attacker may guess; a curator sees all records.
    shows(page, question, answers(cape=("running", 0.6, 4, nan), pooled=("found", 0.6, 1.5, 1)))
    low, high = (right_of_100(question, answers(cape=("found", e, e, e))["cape"], e, 0) for e in (0.6, 4))
    assert "<i class='perhaps' style='width:40.0%'></i><i class='sure' style='width:6.0%'></i>" in answer_of(
        page
    )
    assert (
        f"{hundred_text(low)} to {hundred_text(high)} of 100" in row(page, "CAPE") and 50 < low < high < 100
    )
    # Whoever sees a curator's result guesses as often as its ε allows; the curator need not guess.
    (pooled,) = (one for one in answer_of(page).split("role='listitem'") if ">pooled<" in one)
    guesses = right_of_100(question, answers(pooled=("found", 0.6, 1.5, 1))["pooled"], 1, 0)
    assert f"{hundred_text(guesses)} of 100<small>" in pooled
    assert answer_of(page).count("class='figures'") == 3
    assert "Striped" in answer_of(page)


def test_for_whom_an_epsilon_holds_and_what_each_observer_guesses_are_said(page):
    question = asked(page)
    # Below the bold sentence it says for whom the sought ε holds; the row, what the aggregator guesses.
    found = answers(cape=("found", 0.6, 1.5, 1.0))
    shows(page, question, found)
    # Of the release that is promised: of 1.5, which is shown to be enough.
    exact = gdp_epsilon(1e-3, gdp_mu(Privacy(1.5, 1e-3)) * math.sqrt(8 / 5))
    assert "δ\u00a0=\u00a00.001." in holds(question, found, 0)
    words = risk.words(question, "cape", found["cape"], 0)
    assert f"<td>{at_most_text(exact)}</td>" in risk.table(question, found, 0)
    assert "Striped" not in answer_of(page)
    promised, right = (right_of_100(question, found["cape"], epsilon, 0) for epsilon in (1.5, 1.0))
    assert "ε\u00a0=\u00a01.5" in words and f"<b>{hundred_text(promised)}</b>" in words
    # The row is of the estimate.
    assert f"<span class='note'>{hundred_text(right)} of 100<small>" in answer_of(page)
    # Against the aggregator its guesses are the icons, and of nobody else.
    page.set({"adversary": "aggregator"})
    shows(page, page.model.plan(), found)
    assert f"<span class='note'>{hundred_text(right)} of 100</span>" in answer_of(page)


def test_sites_are_counted_in_figures_of_a_round_number(page):
    asked(page)
    page.set({"problem": "averaging", "free": "sites", "level": 0.05})
    shows(page, page.model.plan(), answers(cape=("found", 5, 5, 5), conventional=("found", 20, 20, 20)))
    assert all(f"'sure' style='width:{share}%" in answer_of(page) for share in ("25.0", "100.0"))


_REACHED, _MISSED = ("found", 1, 1.4, 1.2), ("out of reach", 10, math.inf, math.nan)


@pytest.mark.parametrize(
    ("cape", "conventional", "bold"),
    [
        (_REACHED, _REACHED, "CAPE needs ε ≈ 1.2, conventional 1.2."),
        (
            _REACHED,
            _MISSED,
            "CAPE needs ε ≈ 1.2, conventional does not reach it even at ε = 10.",
        ),
        (
            _MISSED,
            _REACHED,
            "CAPE does not reach it even at ε = 10, conventional needs ε ≈ 1.2.",
        ),
        (_MISSED, _MISSED, "Neither CAPE nor conventional reaches it, not even at ε = 10."),
    ],
)
@pytest.mark.parametrize("pooled", [_REACHED, _MISSED])
def test_the_bold_sentence_and_the_rows_agree_on_who_reaches_the_target(
    page, cape, conventional, bold, pooled
):
    page.set({"schemes": ["cape", "conventional", "pooled"]})
    question = page.model.plan()
    known = {"cape": cape, "conventional": conventional, "pooled": pooled}
    shows(page, question, {name: search.Answer(name, *at) for name, at in known.items()})
    shown = answer_of(page).replace("\u00a0", " ")
    assert f"<b>{bold.removesuffix('.')}</b> " in shown
    missed = sum(at is _MISSED for at in known.values())
    assert shown.count("ε &gt; 10") == missed


def test_a_single_scheme_and_counts_say_up_to_where_the_target_is_missed(page):
    page.set({"problem": "averaging", "free": "sites", "level": 0.05, "schemes": ["cape", "conventional"]})
    question = page.model.plan()
    last = text.value_text(question, question.cells[-1][0])
    missed = {name: search.Answer(name, *_MISSED) for name in ("cape", "conventional")}
    both, one = (
        headline(question, known).replace("\u00a0", " ") for known in (missed, {"cape": missed["cape"]})
    )
    assert all(re.search(rf"<b>[^<]* {last} sites</b>", said) for said in (both, one))
    # The error of an average falls with ε without end.
    page.set({"free": "epsilon"})
    known = answers(cape=("found", 1, 1, 1), conventional=_MISSED)
    said = headline(page.model.plan(), known).replace("\u00a0", " ")
    assert re.search(r"<b>[^<]*ε = 1, conventional[^<]* 10</b>", said)
    said = headline(page.model.plan(), missed).replace("\u00a0", " ")
    assert re.search(r"<b>[^<]* ε above 10</b>", said) and "=" not in said.split("<b>")[1].split("</b>")[0]
    # Its bar ends where the largest ε ends, and says so.
    question, beyond = page.model.plan(), search.Answer("conventional", *_MISSED)
    shows(page, question, {"conventional": beyond})
    least = right_of_100(question, beyond, 10.0, 0)
    assert "<i class='sure' style='width:100.0%'></i>" in answer_of(page)
    assert f"over {math.floor(least)} of 100" in answer_of(page) and "not even" not in answer_of(page)


def test_the_two_schemes_of_the_bold_sentence_are_searched_first(page):
    page.set({"schemes": ["local", "pooled", "conventional", "cape"]})
    jobs, order, found = iter(Searches(page.model.plan())), [], None
    with suppress(StopIteration):
        while True:
            job = jobs.send(found)
            found = job(None)
            order += [found[1].answer.scheme] if isinstance(found, tuple) else []
    later = min(order.index("local"), order.index("pooled"))
    assert {*order[:later]} == {"cape", "conventional"} and {*order[later:]} == {"local", "pooled"}
