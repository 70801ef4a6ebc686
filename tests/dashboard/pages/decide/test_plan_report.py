"""The report of a plan: one file that says what was asked, answered, promised and not, and holds no record."""

import re
from datetime import date
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

from dashboard.components.upload import PIECE
from dashboard.pages.decide.plan import model as plan_model
from dashboard.pages.decide.plan import report as module
from dashboard.pages.decide.plan.page import PlanPage
from dashboard.state.controls import Controls
from dashboard.theme.scheme_style import label as scheme_label

HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture
def page(monkeypatch):
    monkeypatch.setattr(plan_model, "EPSILONS", (0.05, 0.3, 1.5, 10.0))
    page = PlanPage(Controls(sites=4, k=2, delta=1e-3, samples=100, colluding=1, schemes=["cape", "local"]))
    page.model.problem = "pca"
    page.content()
    page.more()
    page.above_settings()
    yield page
    page.own_table.end()


def table(own, *, data=False):
    values = np.random.default_rng(2).normal(size=(300, 3)).round(5) * [1, 0.4, 0.2]
    frame = pd.DataFrame(values, columns=[HOSTILE, "b", "c"]).round(5)
    assert own.expect(PIECE) == ""
    own.receive(f"{HOSTILE}.csv", [frame.to_csv(index=False).encode()])
    own.take_from_data() if data else own.fill("-4", "4")
    return frame


class Outline(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags, self.texts = [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)

    def handle_data(self, data):
        self.texts.append(data)


def test_the_report_says_all_that_the_page_says(page):
    page.model.level = 0.4
    page.opened()
    page.tell()
    report = page.report()
    text = " ".join(Outline(report).texts)
    for part in (
        "Which Privacy ε is the least at which a release can",
        "keep 60 % of the variance that 2 components can explain",
        "Handwritten digits",
        "who sees",
        "and 1 colluding site",
        "Protected unit",
        "The runs read the records",
        "Privacy δ: 0.001",
        "from core import pca",
        module.date.today().isoformat(),
    ):
        assert part in text, part
    assert page.said.words in report
    # The main figure stands in it, drawn from the numbers of the answers.
    drawn = report.split("<figure")[1].split("</figure>")[0]
    assert "Privacy ε" in drawn and "data-x='log" in drawn.replace('"', "'")
    for scheme in page.picture.answers:
        assert scheme_label(scheme) in drawn
    assert [row for row in re.findall("<td>([^<]*)</td>", report) if row in ("CAPE", "Local")]
    assert "?page=" not in report and "<script" not in report and "http" not in report.split("<pre>")[0]
    named = module.report(module.Parts(**{**parts_of(page)}), today=date(2031, 5, 4))
    assert "2031-05-04" in named


def parts_of(page):
    picture = page.picture
    return {
        "question": picture.question,
        "answers": picture.answers,
        "words": page.said.words,
        "guarantee": page.promise(picture),
        "colluding": 0,
        "settings": {},
        "not_private": (),
        "own": None,
        "script": "",
        "version": "1",
    }


@pytest.mark.parametrize("data", [False, True])
def test_no_record_is_in_it_and_foreign_text_is_text(page, data):
    page.opened()
    page.own_table.ask()
    frame = table(page.own_table.data, data=data)
    page.own_table.data.use()
    assert page.runs.state == "finished", page.runs.message
    report = page.report()
    outline = Outline(report)
    assert "img" not in outline.tags and f"{HOSTILE} " not in report
    assert any(HOSTILE in text for text in outline.texts)
    # Ends of ranges that were taken from the records are values of records.
    found = {float(number) for number in re.findall(r"-?\d+\.\d{3,}", report)}
    assert not found & set(frame.to_numpy().ravel().tolist())
    assert ("taken from the records: not in this file" in report) == data
    assert ("described_table(" in report) != data
    if data:
        assert "Not covered: bounds" in report


def test_a_plan_that_has_no_answer_yet_has_a_report(page):
    page.set({"problem": "averaging", "level": 0.02})
    assert "Which Privacy ε is the least" in page.report()
