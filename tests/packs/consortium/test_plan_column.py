"""A column of one's own table on Plan: its mean, proportion, counts or histogram at sites of unequal sizes, exactly."""

from __future__ import annotations

import itertools
import json
import re
from dataclasses import replace

import numpy as np
import own_columns
import pandas as pd
import panel_material_ui as pmui
import pytest
from bokeh.document import Document
from own_columns import COLUMN, FRAME, KINDS, SIZES, SUMMARY, own
from panel.models.markup import HTML
from sheets import answer_of

from core import Privacy
from core.parties import Column as Released
from core.parties import Plan
from core.privacy import attack_risk, gaussian_mu, gdp_epsilon
from core.schemes import PRIVATE, average_std, message_std
from core.summaries import Summary, standard_errors
from core.sweep import search
from dashboard.own_table.description import Choice
from dashboard.packs.consortium.plan import party_plan
from dashboard.packs.consortium.plan.metrics import KINDS as KINDS_OF_PLAN
from dashboard.packs.consortium.plan.page import PAGE as PlanPage
from dashboard.packs.consortium.plan.question import errors
from dashboard.packs.consortium.plan.words import text
from dashboard.state.controls import Controls
from dashboard.state.number_text import hundred_text, number_text
from data import upload
from data.columns import Column, Description
from data.upload.own_table import described_table


@pytest.fixture
def page():
    page = PlanPage(Controls(schemes=list(PRIVATE), delta=1e-5))
    page.content().get_root(Document())
    page.content()
    return page


def use(page, table, choice, **values):
    own_columns.use(page, table, choice, **values)
    return page


def error(scheme, kind, epsilon):
    summary = SUMMARY[KINDS[kind]]
    std = standard_errors(scheme, sizes=SIZES, privacy=Privacy(epsilon, 1e-5), summaries=summary)
    return 1.959964 * std[0]


@pytest.mark.parametrize("kind", KINDS)
def test_every_scheme_s_epsilon_has_the_allowed_error_in_the_column_s_unit(page, kind):
    use(page, *own(), problem=kind, column=COLUMN[KINDS[kind]], level=0.05)
    assert page.model.problem == kind and page.model.column == COLUMN[KINDS[kind]]
    question = page.results.question
    level = 25.0 if kind == "averaging" else 0.05
    assert question.own and question.level == pytest.approx(level)
    answers = page.results.answers
    assert len(answers) == len(page.controls.schemes) > 3
    for scheme, answer in answers.items():
        if answer.state == "found":
            assert error(scheme, kind, answer.high) == pytest.approx(level, rel=1e-6)
        else:
            assert error(scheme, kind, 10.0) > level
    # By hand: Δ_s τ(ε, δ)/n_s at the sites, weighted by n_s/N.
    cape = answers["cape"].high
    change = np.sqrt(2) if kind in ("counts", "histogram") else 1.0
    _, std = message_std(change / np.array(SIZES), Privacy(cape, 1e-5))
    span = 500.0 if kind == "averaging" else 1.0
    noise = span * average_std("cape", std, np.array(SIZES) / sum(SIZES))
    assert 1.959964 * noise == pytest.approx(level, rel=1e-6)
    shown = answer_of(page) + page.state.words + page.report()
    assert "<i>.csv" not in shown and "CRP <b>" not in shown and "from 0 to 1" not in shown
    assert ("25\u00a0mg/L" in answer_of(page)) == (kind == "averaging") and "10 sites" not in answer_of(page)
    scope = {"__name__": "copied"}
    exec(compile(page.script(), "copied", "exec"), scope)
    pd.testing.assert_frame_equal(pd.DataFrame(scope["columns"]), page.table(), rtol=1e-12)


@pytest.mark.parametrize("kind", ("averaging", "counts"))
def test_the_error_at_a_risk_and_the_file_for_the_sites_are_of_the_same_release(page, kind):
    use(page, *own(), problem=kind, column=COLUMN[KINDS[kind]], free="error", risk=60)
    question, answers = page.results.question, page.results.answers
    for scheme, answer in answers.items():
        assert answer.estimate == pytest.approx(error(scheme, kind, question.settings.epsilon))
    page.set({"free": "epsilon", "level": 0.2})
    plan = Plan.read(page.plan_file().encode())
    assert [site.records for site in plan.sites] == list(SIZES)
    cells = {"counts": (3,)}.get(kind, ())
    assert plan.statistic.shape == cells
    change = SUMMARY[KINDS[kind]].change * SUMMARY[KINDS[kind]].span
    assert [site.sensitivity for site in plan.sites] == pytest.approx([change / n for n in SIZES])
    assert json.loads(page.plan_file())  # A file that other programs read.


@pytest.mark.parametrize("kind", KINDS)
def test_the_file_for_the_sites_says_what_is_released_of_which_column(page, kind):
    use(page, *own(), problem=kind, column=COLUMN[KINDS[kind]], level=0.3)
    (found,) = Plan.read(page.plan_file().encode()).columns
    known = {
        "mean": Released("CRP <b>", "mg/L", 0.0, 500.0),
        "proportion": Released("back", categories=("yes",)),
        "counts": Released("ward", categories=("u", "v", "w")),
        "histogram": Released("CRP <b>", lower=0.0, upper=500.0, bins=10),
    }
    assert found == known[KINDS[kind]]
    if kind == "averaging":
        page.set({"also": [2, 3]})
        several = Plan.read(page.plan_file().encode())
        assert [column.name for column in several.columns] == ["CRP <b>", "back", "ward"]
        assert several.columns[2].cells == 3


def test_categories_that_look_alike_stay_apart_in_the_file():
    assert party_plan._distinct(("a", "a\u200b", "", "b" * 300)) == ("a", "a (2)", "3", "b" * 190)


def test_a_column_that_does_not_suit_is_refused_by_name_and_bins_are_the_chosen_ones(page):
    use(page, *own(), problem="counts", column=3)
    assert page.model.plan().released.first.summary.cells == 3
    page.set({"column": 1})
    assert "ward" in page.state.problem
    page.set({"problem": "histogram", "bins": 50})
    assert page.model.plan().released.first.summary.cells == 50


def test_records_bounded_by_one_length_have_no_range_of_a_column(page):
    use(page, *own(length=True), problem="averaging")
    assert "range" in page.state.problem and not re.search("10 sites", page.state.problem)


def test_a_column_without_sites_is_dealt_as_asked(page):
    table, choice = own()
    described = Description(choice.description.columns)
    content = "\n".join(["CRP <b>,back,ward,home", *["60,yes,u,a", "70,no,v,b", "80,no,w,c"] * 40]).encode()
    table = described_table(upload.read(content, "own.csv"), described)
    use(page, table, Choice("own.csv", described), problem="averaging")
    page.set({"sites": 4, "samples": 100})
    assert dict(page.model.plan().here)["samples"] == 30  # There are 120 records.


def test_the_page_the_report_and_the_file_promise_one_epsilon(page):
    use(page, *own(), problem="averaging", level=0.05, colluding=1, schemes=["cape", "local"])
    question, answers = page.results.question, page.results.answers
    said = text.one_epsilon(question, answers, 1)
    others = text.one_epsilon(question, answers, 1, again=False)  # The answer has said the ε.
    assert said in page.report() and others in answer_of(page) and said.endswith(others)
    assert "Promise" not in answer_of(page)
    numbers = [float(x) for x in re.findall(r"(?:=\xa0|: )([\d.]*\d)", said)]
    least = answers["cape"].high
    assert least <= numbers[0] < least * 1.01 and numbers == sorted(numbers) and len(numbers) == 3
    plan = Plan.read(page.plan_file().encode())
    assert {site.privacy.epsilon for site in plan.sites} == {numbers[0]}
    for seen, mu in zip(
        numbers[1:], text.mus(question, text.at_promise(question, answers["cape"]), 1)[1:], strict=True
    ):
        assert seen == pytest.approx(gdp_epsilon(1e-5, mu), rel=0.01)


def test_an_epsilon_that_is_estimated_is_promised_at_the_end_that_is_shown_to_be_enough(page):
    page.set({"problem": "pca", "data": "digits", "metric": "energy"})
    question = page.model.plan()
    said = text.one_epsilon(question, {"cape": search.Answer("cape", "found", 1.0, 1.58, 1.3)}, 0)
    assert re.findall(r"[\d.]+\d|\b1\b", said)[:4] == ["1.58", "1.3", "1", "1.6"]
    assert text.one_epsilon(question, {"cape": search.Answer("cape", "running", 1.0, 1.58, 1.3)}, 0) == ""


JOINT = (Summary("mean", 0.0, 500.0), Summary("proportion"), Summary("counts", cells=3))


@pytest.mark.parametrize("free", ("epsilon", "error"))
def test_several_columns_are_one_release_with_their_joint_sensitivity(page, free):
    use(page, *own(), problem="averaging", also=[2, 3], level=0.1, free=free, risk=60)
    question, answers = page.results.question, page.results.answers
    assert question.released.change == pytest.approx(2.0)  # √(1 + 1 + 2)
    for scheme, answer in answers.items():
        if answer.state == "out of reach":
            continue
        privacy = Privacy(question.epsilon(answer), 1e-5)
        stds = standard_errors(scheme, sizes=SIZES, privacy=privacy, summaries=JOINT)
        found = answer.high if free == "error" else question.level
        np.testing.assert_allclose(found / 500 * np.array([500, 1, 1]), 1.959964 * stds, rtol=1e-6)
    shown = page.state.words + answer_of(page)
    assert all(name in shown for name in ("back", "ward")) and "CRP <b>" not in shown
    plan = Plan.read(page.plan_file().encode())
    assert plan.statistic.parts == JOINT and plan.statistic.shape == (5,)
    assert [site.sensitivity for site in plan.sites] == pytest.approx([2 / n for n in SIZES])
    promised = Privacy(text.promised(question, answers["cape"]), 1e-5)
    for number in plan.numbers:
        assert plan.promise(number).message <= gaussian_mu(promised) * (1 + 1e-9)
    scope = {"__name__": "copied"}
    exec(compile(page.script(), "copied", "exec"), scope)
    pd.testing.assert_frame_equal(pd.DataFrame(scope["columns"]), page.table(), rtol=1e-12)


def test_the_category_of_a_proportion_is_named(page):
    use(page, *own(), problem="proportion", column=3, category=2)
    assert page.model.plan().released.first.category == "v"
    assert "ward" in answer_of(page) and "&#x27;v&#x27;" in answer_of(page)


def test_the_allowed_error_is_typed_in_the_unit_of_the_column(page, monkeypatch):
    use(page, *own(), problem="averaging")
    bar = page.above_settings()
    field = next(one for one in bar.select(pmui.TextInput) if "mg/L" in one.label)
    for typed, level in (("12.5", 12.5), ("7,5 mg/L", 7.5)):
        field.value = typed
        assert page.model.plan().level == pytest.approx(level) and page.model.level == level / 500
    said = []
    monkeypatch.setattr("dashboard.state.errors.tell", said.append)
    for typed in ("abc", "-1", "0", "1e9", ""):  # What is typed wrong is said, and no callback fails.
        field.value = typed
        assert field.error_state and "mg/L" in said[-1]
        assert page.model.plan().level == pytest.approx(7.5)
    assert len(said) == 5
    field.value = "8"
    assert not field.error_state and page.model.plan().level == pytest.approx(8)
    page.set({"problem": "proportion"})
    assert not field.visible


def test_the_allowed_error_follows_the_range_of_the_present_table(page):
    bar = page.above_settings()
    use(page, *own(), problem="averaging", column=COLUMN["mean"], level=0.05)
    (field,) = (one for one in bar.select(pmui.TextInput) if "mg/L" in one.label)
    _, choice = own()
    first, *rest = choice.description.columns
    narrow = replace(choice.description, columns=(replace(first, upper=250.0), *rest))
    table = described_table(upload.read(FRAME.to_csv(index=False).encode(), "own.csv"), narrow)
    use(page, table, replace(choice, description=narrow))
    assert float(field.value) == page.results.question.level == 12.5
    field.value = "25"
    assert page.results.question.level == 25


def test_what_was_changed_for_a_table_is_said_of_settings_that_the_page_has(page, monkeypatch):
    """A mean has no components; they are named once they are asked for."""
    monkeypatch.setattr(page.runs, "start", lambda jobs, paint: None)  # No search is needed.
    page.above_settings()
    use(page, *own(), problem="averaging", k=20, free="samples")
    said = page.own_table.adapted
    assert page.controls.k < 20 and "Components" not in said.words and "records to privacy" in said.words
    page.set({"problem": "pca"})
    assert "Components k from 20 to" in said.words
    page.set({"problem": "averaging"})
    assert "Components" not in said.words


def only_categories():
    columns = Column("ward", "category", values=("u", "v", "w")), Column("home", "category", used=False)
    described = Description(columns, "home")
    table = described_table(upload.read(FRAME.to_csv(index=False).encode(), "own <i>.csv"), described)
    return table, Choice("own <i>.csv", described)


@pytest.mark.parametrize(
    "make",
    (
        own,
        only_categories,
        *(
            pytest.param(lambda w=w: own(**w), marks=pytest.mark.slow)
            for w in ({"length": True}, {"sites": False})
        ),
    ),
)
def test_no_answer_for_other_records_stands_under_the_name_of_a_table(page, make, monkeypatch):
    """Over everything that can be released and sought, for tables of each kind."""
    monkeypatch.setattr(page.runs, "start", lambda jobs, paint: None)  # No search is needed.
    bar = page.above_settings()
    page.opened()
    use(page, *make(), k=1)
    for kind, free in zip(KINDS_OF_PLAN, itertools.cycle(("epsilon", "error", "sites")), strict=False):
        page.set({"problem": kind, "free": free})
        assert page.model.own_records and page.model.problem == kind
        refused, own_now = page.state.problem != "", page.model.table is not None
        if own_now:
            assert page.own_table.place.visible
            assert refused or (page.plan.own and page.plan.kind == kind)
            assert page.results is None or page.results.question.own
            assert answer_of(page) == "" or "own &lt;i&gt;.csv" in answer_of(page)
        else:
            assert not page.own_table.place.visible and "own &lt;i&gt;.csv" not in answer_of(page)
            assert not page.plan.own
            texts = bar.get_root(Document()).select({"type": HTML})
            assert any("notice" in one.text and one.visible for one in texts)  # That the table is not used.
    page.own_table.data.used = None
    assert not page.model.own_records and page.state.problem == ""


def test_a_further_column_has_the_same_name_whichever_column_is_chosen(page):
    """A browser ticks boxes by their names, also those of a list that has just changed."""
    long = "the same sixty letters and more before the difference comes "
    names = ["first", f"{long}a", f"{long}b", f"{long}c", f"{long}d"]
    rows = "\n".join(",".join(str(i + j) for j in range(5)) for i in range(30))
    table = upload.read(f"{','.join(names)}\n{rows}".encode(), "own.csv")
    described = Description(tuple(Column(name, lower=0.0, upper=500.0) for name in names), "")
    choice = Choice("own.csv", described)
    use(page, described_table(table, described), choice, problem="averaging", column=1)
    seen = page.model.param.also.get_range()
    page.set({"column": 5})
    now = page.model.param.also.get_range()
    assert 5 not in now.values() and len(seen) == len(now) == 4
    for number in (2, 3, 4):
        assert [t for t, n in seen.items() if n == number] == [t for t, n in now.items() if n == number]


def test_the_risk_of_a_row_is_of_the_epsilon_that_it_names(page):
    """At each allowed error the row, the sentence on one record and the promise are of one ε."""
    page.opened()
    page.set({"problem": "averaging", "schemes": ["cape", "conventional"], "sites": 10, "samples": 100})
    for level in (0.005, 0.0063, 0.01, 0.0137, 0.02, 0.05):
        page.set({"level": level})
        question, answers = page.results.question, page.results.answers
        for scheme in (scheme for scheme in answers if answers[scheme].state == "found"):
            epsilon = text.promised(question, answers[scheme])
            mu = gaussian_mu(Privacy(epsilon, 1e-5))
            right = hundred_text(50 + 50 * float(attack_risk.advantage(mu)))
            assert f"{number_text(epsilon)}" in answer_of(page) and f">{right} of 100" in answer_of(page)


def test_what_95_per_cent_stay_within_is_rounded_up(page):
    use(page, *own(), problem="averaging", also=[2, 3], free="error")
    for risk in (53, 55, 58, 61, 70):
        page.set({"risk": risk})
        question, answers = page.results.question, page.results.answers
        for scheme, answer in answers.items():
            shown = float(text.short(question, answer).removesuffix("\u00a0mg/L"))
            assert answer.estimate <= shown * (1 + 1e-9) < 1.1 * answer.estimate
            assert text.short(question, answer) in answer_of(page) or scheme == "local"
        scheme = text.best(question, answers)
        found = errors(question, scheme, question.settings.epsilon)[1:]
        said = re.findall(r"within ([\d.]+\d)", page.state.words)
        assert [float(x) >= error for x, error in zip(said, found, strict=True)] == [True, True]
    assert "each category" in page.state.words and "scaled" in page.state.words


@pytest.mark.parametrize("missing", ["leave out", "mark"])
def test_the_protected_unit_says_what_a_gap_does(page, missing):
    page.opened()
    assert "gap" not in page.shown.guarantee.unit
    columns = Column("age", lower=18.0, upper=100.0, missing=missing), Column("home", "category", used=False)
    lines = ["age,home", *(f"{40 + i % 7 if i % 5 else ''},{'xyz'[i % 3]}" for i in range(90))]
    described = Description(columns, "home")
    found = described_table(upload.read("\n".join(lines).encode(), "own.csv"), described)
    choice = Choice("own.csv", described)
    use(page, found, choice, problem="averaging", column=1, level=0.1)
    assert ("gap" in page.shown.guarantee.unit) == (missing == "leave out")
    assert ("so that number tells" in page.report()) == (missing == "leave out")
