"""A column of one's own table on Plan: its mean, proportion, counts or histogram at sites of unequal sizes, exactly."""

from __future__ import annotations

import json
import re

import numpy as np
import pandas as pd
import pytest
from bokeh.document import Document

from core import Privacy
from core.parties import Plan
from core.privacy import gdp_epsilon
from core.schemes import PRIVATE, average_std, message_std
from core.summaries import Summary, standard_errors
from core.sweep import search
from dashboard.own_table.description import Choice
from dashboard.pages.decide.plan import text
from dashboard.pages.decide.plan.page import PlanPage
from dashboard.state.controls import Controls
from data import upload
from data.columns import Column, Description
from data.upload.own_table import described_table, own_table

SIZES = (120, 60, 20)
KINDS = {"averaging": "mean", "proportion": "proportion", "counts": "counts", "histogram": "histogram"}
COLUMN = {"averaging": 1, "proportion": 2, "counts": 3, "histogram": 1}
SUMMARY = {
    "averaging": Summary("mean", 0.0, 500.0),
    "proportion": Summary("proportion"),
    "counts": Summary("counts", cells=3),
    "histogram": Summary("histogram", 0.0, 500.0, cells=10),
}


def own(length=False):
    rng = np.random.default_rng(5)
    lines = ["CRP <b>,back,ward,home"]
    for home, size in zip("abc", SIZES, strict=True):
        lines += [
            f"{x:.1f},{'yes' if x > 90 else 'no'},{'uvw'[i % 3]},{home}"
            for i, x in enumerate(rng.exponential(60, size))
        ]
    table = upload.read("\n".join(lines).encode(), "own <i>.csv")
    if length:
        choice = Choice("own <i>.csv", ("CRP <b>",), "home", 500.0)
        return own_table(table, ["CRP <b>"], bound=500.0, site_column="home"), choice
    columns = (
        Column("CRP <b>", lower=0.0, upper=500.0, unit="mg/L"),
        Column("back", "yes/no", values=("yes", "no")),
        Column("ward", "category", values=("u", "v", "w")),
        Column("home", "category", used=False),
    )
    described = Description(columns, "home")
    choice = Choice("own <i>.csv", described.names, "home", description=described)
    return described_table(table, described), choice


@pytest.fixture
def page():
    page = PlanPage(Controls(schemes=list(PRIVATE), delta=1e-5))
    page.content().get_root(Document())
    page.more()
    return page


def use(page, table, choice, **values):
    page.own_table.data.chosen = choice
    page.set(values)
    page.own_table.data.used = table
    page.opened()
    if page.picture is not None:
        page.tell()
    return page


def error(scheme, kind, epsilon):
    summary = SUMMARY[kind]
    std = standard_errors(scheme, sizes=SIZES, privacy=Privacy(epsilon, 1e-5), summaries=summary)
    return 1.959964 * std[0]


@pytest.mark.parametrize("kind", KINDS)
def test_every_scheme_s_epsilon_has_the_allowed_error_in_the_column_s_unit(page, kind):
    use(page, *own(), problem=kind, column=COLUMN[kind], level=0.05)
    assert page.model.problem == kind and page.model.column == COLUMN[kind]
    question = page.picture.question
    level = 25.0 if kind == "averaging" else 0.05
    assert question.own and question.level == pytest.approx(level)
    answers = page.picture.answers
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
    shown = page.answers.text + page.said.words + page.report()
    assert "<i>.csv" not in shown and "CRP <b>" not in shown and "from 0 to 1" not in shown
    assert ("25\u00a0mg/L" in page.answers.text) == (
        kind == "averaging"
    ) and "10 sites" not in page.answers.text
    scope = {"__name__": "copied"}
    exec(compile(page.script(), "copied", "exec"), scope)
    pd.testing.assert_frame_equal(pd.DataFrame(scope["columns"]), page.table(), rtol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_the_error_at_a_risk_and_the_file_for_the_sites_are_of_the_same_release(page, kind):
    use(page, *own(), problem=kind, column=COLUMN[kind], free="error", risk=60)
    question, answers = page.picture.question, page.picture.answers
    for scheme, answer in answers.items():
        assert answer.estimate == pytest.approx(error(scheme, kind, question.settings.epsilon))
    page.set({"free": "epsilon", "level": 0.2})
    page.tell()
    plan = Plan.read(page.plan_file().encode())
    assert [site.records for site in plan.sites] == list(SIZES)
    cells = {"counts": (3,), "histogram": (10,)}.get(kind, ())
    assert plan.statistic.shape == cells
    change = SUMMARY[kind].change * SUMMARY[kind].span
    assert [site.sensitivity for site in plan.sites] == pytest.approx([change / n for n in SIZES])
    assert json.loads(page.plan_file())  # A file that other programs read.


def test_choosing_what_to_release_keeps_the_table_and_names_it(page):
    use(page, *own(), problem="averaging")
    for kind in (*KINDS, "pca", "averaging"):
        page.set({"problem": kind})
        assert page.model.own_records and page.model.problem == kind and page.model.table is not None
        assert page.model.question().own and "sites" in page.said.absent
    page.set({"problem": "counts", "column": 3})
    assert page.model.question().released.summary.cells == 3
    page.set({"column": 1})
    assert "ward" in page.said.problem
    page.set({"problem": "histogram", "bins": 50})
    assert page.model.question().released.summary.cells == 50


def test_records_bounded_by_one_length_have_no_range_of_a_column(page):
    use(page, *own(length=True), problem="averaging")
    assert "range" in page.said.problem and not re.search("10 sites", page.said.problem)


def test_a_column_without_sites_is_dealt_as_asked(page):
    table, choice = own()
    described = Description(choice.description.columns)
    content = "\n".join(["CRP <b>,back,ward,home", *["60,yes,u,a", "70,no,v,b", "80,no,w,c"] * 40]).encode()
    table = described_table(upload.read(content, "own.csv"), described)
    use(page, table, Choice("own.csv", described.names, None, description=described), problem="averaging")
    page.set({"sites": 4, "samples": 100})
    assert dict(page.model.question().here)["samples"] == 30  # There are 120 records.


def test_the_page_the_report_and_the_file_promise_one_epsilon(page):
    use(page, *own(), problem="averaging", level=0.05, colluding=1, schemes=["cape", "local"])
    question, answers = page.picture.question, page.picture.answers
    said = text.one_epsilon(question, answers, 1)
    assert said in page.answers.text and said in page.report()
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
    question = page.model.question()
    said = text.one_epsilon(question, {"cape": search.Answer("cape", "found", 1.0, 1.58, 1.3)}, 0)
    assert re.findall(r"[\d.]+\d|\b1\b", said)[:4] == ["1.58", "1.3", "1", "1.6"]
    assert text.one_epsilon(question, {"cape": search.Answer("cape", "running", 1.0, 1.58, 1.3)}, 0) == ""
