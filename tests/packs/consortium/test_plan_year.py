"""The releases of a year on the Plan page: what they take, against whom, in a file and from one."""

import json
import math
import re
from dataclasses import replace

import numpy as np
import pytest
from bokeh.document import Document

from core import parties, series
from core.desk.agreement import Refused, checked_plan
from core.privacy import Privacy, gdp_epsilon, gdp_mu
from core.privacy.release_plan import ReleasePlan
from core.series.participation import MOST_MONTHS
from dashboard.packs.consortium.plan import party_plan
from dashboard.packs.consortium.plan.page import PAGE as PlanPage
from dashboard.packs.consortium.plan.report.hazards import hazards
from dashboard.packs.consortium.plan.words import text
from dashboard.packs.consortium.plan.year.releases import FIRST, Line
from dashboard.session import settings_file
from dashboard.state import url
from dashboard.state.controls import Controls
from dashboard.state.number_text import equals

HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture
def page():
    page = PlanPage(Controls(sites=5, delta=1e-5, samples=200, colluding=2))
    page.content().get_root(Document())
    page.content()
    page.set({"problem": "averaging", "level": 0.02, "schemes": ["cape"]})
    page.opened()
    return page


def opened(page):
    """The year with one release, and its panel."""
    page.year_panel.build()
    if not page.year.draft.lines:
        page.year.add(Line(*FIRST))
    return page.year, page.year_panel


def test_fifty_two_weekly_releases_are_composed_exactly_for_each_observer(page):
    year, panel = opened(page)
    mu = gdp_mu(Privacy(0.1, 1e-6))
    plan = year.plan()
    assert plan.account.mu == pytest.approx(mu * math.sqrt(52))
    assert f"ε\u00a0=\u00a0{plan.spent:.3g}" in panel.text.text and "52 releases" in panel.text.text
    year.edit(observer="aggregator")
    # An aggregator of S sites under CAPE learns √(2S/(S + 1)) times as much.
    assert year.plan().account.mu == pytest.approx(mu * math.sqrt(52 * 10 / 6))
    learned = year.plan().spent
    year.edit(observer="colluders")
    assert year.plan().spent > learned > plan.spent
    assert "2 sites" in panel.text.text
    page.controls.colluding = 3
    assert year.plan().colluding == 3
    assert "3 sites" in panel.text.text


def test_all_records_of_one_person_are_in_the_year_and_in_its_hazard(page):
    """Ten sites, 52 releases at ε = 0.3: 2.64 for a record, and by group privacy 18.2 for a person with five."""
    year, panel = opened(page)
    line = Line("week", "mean", "cape", "0.3", "1e-5", "52")
    page.set({"sites": 10, "per_person": 5})
    year.edit(lines=(line,), observer="public")
    mu = math.sqrt(52) * gdp_mu(Privacy(0.3, 1e-5))
    said = [float(x) for x in re.findall(r"<b>ε\u00a0=\u00a0([\d.]+)</b>", panel.text.text)]
    exact = [gdp_epsilon(1e-5, mu), gdp_epsilon(1e-5, 5 * mu)]
    assert [round(x, 1) for x in exact] == [2.6, 18.2] and said == pytest.approx(exact, rel=0.005)
    parts = page.report_parts()
    (others,) = (answer for _, section, answer in hazards(parts) if section == "2.6")
    assert parts.year and "18.2" in parts.year and "year" in others
    page.set({"per_person": 1})
    assert "18.2" not in panel.text.text


def test_a_year_of_as_many_sites_as_the_answer_needs(page):
    year, _ = opened(page)
    page.set({"free": "sites", "level": 0.02, "epsilon": 0.3, "samples": 200, "sites": 3})
    needed = int(page.results.answers["cape"].high)
    assert needed > 3 and year.plan().sites == needed


def test_a_budget_that_is_exceeded_is_said(page):
    year, panel = opened(page)
    year.edit(epsilon="0.5")
    assert "is left" not in panel.text.text and year.plan().left == 0
    year.edit(lines=tuple(replace(line, times="3") for line in year.draft.lines))
    assert "is left" in panel.text.text


def test_the_answer_of_the_plan_becomes_a_release(page):
    year, panel = opened(page)
    promised = text.promised(page.results.question, page.results.answers["cape"])
    page.year.add(page.answer_line())
    assert year.draft.lines[-1].scheme == "cape" and float(year.draft.lines[-1].epsilon) == promised
    assert year.plan().account.mu == pytest.approx(
        math.hypot(gdp_mu(Privacy(promised, 1e-5)), math.sqrt(52) * gdp_mu(Privacy(0.1, 1e-6))), rel=1e-4
    )
    assert len(panel.cells.value) == 2


def test_cells_are_edited_and_a_deleted_name_removes_its_line(page):
    year, panel = opened(page)
    year.add(Line(HOSTILE, "<b>x</b>", "local", "1", "1e-6", "2"))
    cells = panel.cells.value
    cells.loc[0, ["name", "scheme", "times"]] = ["", "no such scheme", "9"]
    cells.loc[1, ["epsilon", "scheme"]] = ["0,5", "conventional"]
    panel.edited()
    assert year.draft.lines == (Line(HOSTILE, "<b>x</b>", "conventional", "0,5", "1e-6", "2"),)
    assert year.plan().releases[0].privacy.epsilon == 0.5
    assert "<img" not in panel.text.text and "&lt;img" in panel.text.text


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"epsilon": "much"}, "ε of 'weekly mean' must be a number, got 'much'"),
        ({"times": "1.5"}, "times of 'weekly mean' must be a whole number"),
        ({"delta": "2"}, "delta must be a number strictly between 0 and 1"),
        ({"times": "1e9"}, "times must be"),
    ],
)
def test_what_is_typed_wrong_is_said(page, change, words):
    year, panel = opened(page)
    year.edit(lines=tuple(replace(line, **change) for line in year.draft.lines))
    assert words in panel.text.text.replace("&#x27;", "'")


def test_links_and_settings_files_hold_the_releases(page):
    year, _ = opened(page)
    assert "year=" in page.search()
    year.edit(epsilon="3", observer="aggregator")
    year.add(Line(HOSTILE, "x; y | z", "conventional", "0,7", "1e-7", "much"))
    query = url.parse(page.search())
    other = PlanPage(Controls())
    other.content()
    other.content()
    assert other.take(query) == []
    assert (other.year.draft.lines, other.year.draft.epsilon, other.year.draft.observer) == (
        year.draft.lines,
        "3",
        "aggregator",
    )
    text = settings_file.write([page.search()], made_with="a test")
    found = settings_file.read(text.encode(), {"plan": PlanPage})
    assert found.problems == () and found.pages["plan"]["year"] == page.model.year
    # A panel that is open follows; what is no list of releases is ignored and said.
    again, shown = opened(PlanPage(Controls()))
    again.model.year = page.model.year
    assert len(shown.cells.value) == 2
    for bad in (
        "x",
        "[1,2]",
        '["2","1e-5","public",[["a","b","no scheme","1","1","1"]]]',
        '["2","1","public",[[1]]]',
    ):
        (problem,) = PlanPage(Controls()).take({"page": "plan", "year": bad})
        assert problem.startswith("year must")
    page.set({"year": ""})
    assert year.draft.lines == () and year.draft.epsilon == "2"


def test_the_file_goes_out_and_comes_in_and_says_what_is_wrong(page):
    year, _ = opened(page)
    year.edit(epsilon="3", observer="aggregator")
    year.add(Line("components", "second moment", "conventional", "0.7", "1e-7", "1"))
    content = year.plan().text().encode()
    other, shown = opened(PlanPage(Controls(sites=5, colluding=2)))
    other.open(content)
    assert other.draft.lines[1].scheme == "conventional" and other.draft.observer == "aggregator"
    assert ReleasePlan.read(content).spent == pytest.approx(other.plan().spent)
    # What a file claims of μ is not believed.
    claims = json.loads(content)
    for one in claims["releases"]:
        one["mu"] = 1e-9
    other.open(json.dumps(claims).encode())
    assert other.plan().spent == pytest.approx(year.plan().spent)
    claims["releases"][0]["scheme"] = HOSTILE
    other.open(json.dumps(claims).encode())
    assert "scheme must" in shown.text.text and "<img" not in shown.text.text
    other.open(b"no file")
    assert other.problem


def test_a_year_begins_empty_and_proposes_the_answer_of_this_plan(page):
    page.year_panel.build()
    assert page.year.draft.lines == () and page.model.year == ""
    line = page.answer_line()
    said = page.year_panel.text.text
    assert (
        "No release is planned yet" in said and line.name in said and equals("ε", float(line.epsilon)) in said
    )
    page.year.add(line)
    assert "No release is planned" not in page.year_panel.text.text and len(page.year.draft.lines) == 1


def test_that_a_person_is_in_few_releases_counts_once_its_user_stands_for_it(page):
    """All of them by default; neither a link nor a file stands for it; whoever types another number stands for it anew."""
    year, panel = opened(page)
    mu = gdp_mu(Privacy(0.1, 1e-6))
    year.edit(lines=(Line("week", "mean", "cape", "0.1", "1e-6", "52", "4"),))
    assert (
        year.plan().account.mu == pytest.approx(mu * math.sqrt(52)) and "Not counted yet" in panel.text.text
    )
    year.stand()
    assert year.plan().account.mu == pytest.approx(mu * math.sqrt(4))
    assert "in at most 4 of 52" in panel.text.text and "Not counted yet" not in panel.text.text
    typed, saved = year.draft.typed, year.text().encode()
    page.model.year = typed.replace("52", "51")
    assert year.draft.lines[0].most == "4" and not year.confirmed
    year.stand()
    year.open(saved)
    assert year.draft.lines[0].most == "4" and not year.confirmed
    year.stand()
    panel.cells.value = panel.cells.value.assign(most=["5"])
    panel.edited()
    assert year.draft.lines[0].most == "5" and not year.confirmed
    # A link of releases of which nobody said so is as it was.
    year.edit(lines=(replace(year.draft.lines[0], most=""),))
    assert len(json.loads(year.draft.typed)[-1][0]) == 6 and not year.draft.few


def test_the_saved_plan_says_how_often_it_is_carried_out(page):
    year, _ = opened(page)
    assert "series" not in json.loads(page.plan_file())
    answer = page.answer_line()
    year.edit(lines=(replace(answer, times="12", most="1"),))
    saved = parties.Plan.read(page.plan_file().encode()).series
    assert saved == parties.SeriesTerms(12, 12)  # Nobody stands for it yet.
    year.stand()
    assert parties.Plan.read(page.plan_file().encode()).series == parties.SeriesTerms(12, 1)
    # Releases of something else, or once, are no series of this plan.
    for other in (
        replace(answer, epsilon="0.123", times="12"),
        replace(answer, times="1"),
        replace(answer, times="x"),
    ):
        year.edit(lines=(other,))
        assert "series" not in json.loads(page.plan_file())


def test_the_saved_plan_carries_the_noise_over_its_times_and_sites_run_it(page, tmp_path):
    page.set({"schemes": ["cape-after"], "dropouts": 1})
    page.controls.param.update(adversary="aggregator", colluding=0)
    page.opened()
    year, panel = opened(page)
    answer = page.answer_line()
    year.edit(lines=(replace(answer, times="12", most="1"),), noise="months and totals")
    year.stand()
    plan = parties.Plan.read(page.plan_file().encode())
    person = series.Participation(12, 1)
    best = series.strategy(series.queries("months and totals", 12), person)
    assert plan.series.participation == person and (plan.series.strategy.matrix == best.matrix).all()
    assert "correlated over the times" in plan.note and "SeriesSite" in panel.text.text
    # A person in one time pays what the answer promises; the total is more precise than that of independent times.
    promised = Privacy(float(answer.epsilon), 1e-5)
    assert plan.promise(0).aggregator == pytest.approx(gdp_mu(promised), rel=1e-6)
    total = np.ones((1, 12))
    assert plan.errors(total)[0] < 0.75 * math.sqrt(12) * plan.errors(np.eye(12))[0]
    for month in (0, 1):
        sites = [parties.SeriesSite(tmp_path / str(s), plan, s) for s in plan.numbers]
        begun = [site.month(month, 0.5) for site in sites]
        released = parties.exchange(plan.of_month(month), begun, silent={"shares": [1 + month]})
        assert len(released.sites) == 5 - 1 * (len(released.dropped) == 0)
    with pytest.raises(Refused, match=r"^series must"):
        checked_plan(plan)
    # A person in four of twelve pays twice as much, correlated or not.
    question, found = page.results.question, page.results.answers["cape-after"]
    terms = parties.SeriesTerms(12, 4, matrix=best.matrix)
    four = party_plan.plan(question, "cape-after", found, [40] * 5, series=terms)
    assert four.promise(0).aggregator == pytest.approx(2 * gdp_mu(promised), rel=1e-6)
    # A link has it; where it wins nothing, and under other schemes, noise is of its own each time.
    other = PlanPage(Controls())
    other.content()
    other.content()
    assert other.take(url.parse(page.search())) == [] and other.year.draft.noise == "months and totals"
    year.edit(lines=(replace(answer, times="12"),))
    assert parties.Plan.read(page.plan_file().encode()).series == parties.SeriesTerms(12, 12)
    assert "noise of its own each time" in panel.text.text
    page.set({"schemes": ["conventional"]})
    page.opened()
    year.edit(lines=(replace(page.answer_line(), times="12", most="1"),))
    year.stand()
    assert parties.Plan.read(page.plan_file().encode()).series == parties.SeriesTerms(12, 1)
    (problem,) = PlanPage(Controls()).take({"page": "plan", "year": '["2","1e-5","public",[],"x"]'})
    assert "noise" in problem


def test_a_line_that_is_the_answer_follows_it_and_the_saved_plan_says_what_it_holds(page):
    """After a change of the allowed error the year is of the new answer; a line that was typed stays as it is."""
    year, panel = opened(page)
    answer = page.answer_line()
    year.edit(lines=(replace(answer, times="12", most="2"), year.draft.lines[0]))
    year.stand()
    page.set({"level": 0.01})
    now = page.answer_line()
    assert float(now.epsilon) > 1.5 * float(answer.epsilon)
    first, typed = year.draft.lines
    assert first == replace(now, times="12", most="2") and typed == Line(*FIRST)
    saved = parties.Plan.read(page.plan_file().encode())
    assert saved.series == parties.SeriesTerms(12, 2) and "12 releases" in saved.note
    assert "12 releases" in panel.text.text and "12 releases" in page.held_short()


def test_a_year_that_is_not_of_this_plan_is_said_on_the_page_and_in_the_file(page):
    year, panel = opened(page)
    assert "This file holds one release" in parties.Plan.read(page.plan_file().encode()).note
    answer = page.answer_line()
    cases = {
        "no line of the year is this plan": replace(answer, epsilon="0.123", times="12"),
        "can be read": replace(answer, times="x"),
        f"2 to {MOST_MONTHS}": replace(answer, times=f"{MOST_MONTHS + 1}"),
    }
    for words, line in cases.items():
        year.edit(lines=(line,))
        saved = parties.Plan.read(page.plan_file().encode())
        assert saved.series is None and "one release" in saved.note and words in saved.note
        said = re.sub("<[^>]+>|&#x27;", "", panel.text.text)
        assert words.replace("'", "") in said and "one release" in page.held_short()
