"""The report of a plan: one file that says what was asked, answered, promised and not, and holds no record."""

import html
import json
import re
import subprocess
from dataclasses import replace
from datetime import date
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sheets import answer_of

from core.parties import Plan
from core.privacy import gdp_epsilon, gdp_mu
from core.schemes import PRIVATE, named
from dashboard.components.upload import PIECE
from dashboard.own_table.description import Choice
from dashboard.packs.consortium.plan import model as plan_model
from dashboard.packs.consortium.plan.examples import EXAMPLES
from dashboard.packs.consortium.plan.page import PAGE as PlanPage
from dashboard.packs.consortium.plan.report import registry
from dashboard.packs.consortium.plan.report.hazards import hazards
from dashboard.packs.consortium.plan.report.printed import report as printed
from dashboard.packs.consortium.plan.report.summary import summary
from dashboard.packs.consortium.plan.year.releases import Line
from dashboard.state.controls import Controls
from dashboard.state.number_text import at_most_text
from data import upload
from data.columns import Column, Description
from data.upload.own_table import described_table

HOSTILE = "<img src=x onerror=alert(1)>"
SCHEMA = Path(__file__).parents[3] / "docs" / "schemas" / "deployment.json"
# All parts of an entry, and what each requires, of schemas/deployments-schema.yaml of opendp/deployments-registry-data at
# 057e5d81cf60150dd3307e0cf4504b957802fb3b; the registry refuses other names.
PARTS = {
    "basic": "name data_curators description intended_use data_product_type data_product_region data_product_sector "
    "publication_date",
    "dp_variant": "variant_name data_domain unprotected_quantities",
    "privacy_loss": "privacy_unit privacy_unit_details number_of_privacy_units privacy_parameters "
    "privacy_parameters_details",
    "deployment_model": "model_name model_name_details trust_assumptions actors release_type release_type_details "
    "data_source_type data_source_type_details access_type access_type_details",
    "implementation": "preprocessing_and_hyperparameter_tuning mechanisms composition post_processing justification "
    "utility additional_information",
    "administrative": "evidence_sources status registry_authors tier",
}
REQUIRED = {
    "basic": "name data_curators description intended_use data_product_type data_product_region publication_date",
    "administrative": "status registry_authors tier",
}


@pytest.fixture
def page(monkeypatch):
    monkeypatch.setattr(plan_model, "EPSILONS", (0.05, 0.3, 1.5, 10.0))
    page = PlanPage(Controls(sites=4, k=2, delta=1e-3, samples=100, colluding=1, schemes=["cape", "local"]))
    page.model.problem = "pca"
    page.content()
    page.content()
    page.above_settings()
    yield page
    page.own_table.end()


def table(own, *, data=False):
    values = np.random.default_rng(2).normal(size=(300, 3)).round(5) * [1, 0.4, 0.2]
    frame = pd.DataFrame(values, columns=[HOSTILE, "b", "c"]).round(5)
    assert own.expect(PIECE) == ""
    own.receive(f"{HOSTILE}.csv", [frame.to_csv(index=False).encode()])
    own.take_from_data() if data else own.take_draft(own.draft.filled("-4", "4"))
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


def average(page, **values):
    """A plan by a formula, answered at once."""
    page.set({"problem": "averaging", "metric": "within", "level": 0.05, **values})
    page.opened()
    return page.report()


def test_the_report_says_what_the_page_says_and_marks_what_was_computed_from_the_records(page):
    page.model.level = 0.4
    page.opened()
    report = page.report()
    outline = Outline(report)
    text = " ".join(outline.texts)
    shown = (
        "keep 60 %",
        "Handwritten digits",
        "colluding",
        "0.001",
        "from core import pca",
        date.today().isoformat(),
    )
    for part in shown:
        assert part in text, part
    assert page.shown.words.removesuffix("</p>") in report
    assert [row for row in re.findall("<td>([^<]*)</td>", report) if row in ("CAPE", "Local")]
    assert "?page=" not in report and "http" not in report.split("<pre>")[0]
    assert not {"script", "figure", "svg"} & set(outline.tags)
    parts = page.report_parts()
    assert "2031-05-04" in printed(parts, today=date(2031, 5, 4))
    assert parts.promise in answer_of(page)
    # The promise, what stands beside it, and the answer of every scheme.
    assert sum(text.endswith("†") for text in outline.texts) == 2 + len(parts.answers)
    assert "†" not in average(page)  # By a formula.


def test_one_sentence_promises_epsilon_on_the_page_in_the_report_the_summary_and_the_plan(page):
    average(page, per_person=3)
    parts = page.report_parts()
    assert parts.promise in page.report()
    shown = summary(parts).deployment.privacy_loss
    assert parts.promise in shown.privacy_parameters_details
    saved = Plan.read(page.plan_file().encode())
    assert saved.note == f"{parts.promise} This file holds one release."
    (epsilon,) = {site.privacy.epsilon for site in saved.sites}
    assert shown.privacy_parameters.epsilon == epsilon == float(page.answer_line().epsilon)
    assert gdp_mu(saved.sites[0].privacy) == pytest.approx(parts.mu)


def test_every_hazard_is_answered_for_the_plan_at_hand(page):
    average(page)
    parts = page.report_parts()
    plain = {name: answer for name, _, answer in hazards(parts)}
    assert (
        len(plain) == 13
        and all(plain.values())
        and all(answer in html.unescape(page.report()) for answer in plain.values())
    )

    def changed(**values):
        found = {name: answer for name, _, answer in hazards(replace(parts, **values))}
        return {name for name, answer in found.items() if answer != plain[name]}

    assert changed(year="<p>x</p>") == {"Composition", "Other releases of these records"}
    question, pooled = parts.question, replace(parts.answers["cape"], scheme="pooled")
    others = [
        changed(not_private=("x",)),
        changed(question=replace(question, uncovered="bounds")),
        changed(question=replace(question, per_person=3)),
    ]
    assert [len(names) for names in others] == [1, 1, 1] and len(set.union(*others)) == 3
    assert "Trust" in changed(answers={"pooled": pooled}, question=replace(question, schemes=("pooled",)))
    assert hazards(replace(parts, answers={})) == []


@pytest.mark.parametrize("adversary", ["message", pytest.param("colluders", marks=pytest.mark.slow)])
def test_every_scheme_has_a_report_whose_numbers_are_of_its_own_release(page, adversary):
    page.controls.param.update(adversary=adversary, colluding=1, dropouts=1)
    for scheme in PRIVATE:
        average(page, schemes=[scheme], per_person=2)
        parts = page.report_parts()
        assert parts.scheme == scheme, scheme
        found = summary(parts).deployment
        promised = found.privacy_loss.privacy_parameters
        assert gdp_epsilon(promised.delta, parts.mu) <= promised.epsilon * (1 + 1e-9), scheme
        assert at_most_text(gdp_epsilon(promised.delta, 2 * parts.mu)) in parts.promise, scheme
        trusted = named(scheme).curator or named(scheme).one_site
        assert found.deployment_model.model_name == ("Central" if trusted else "Federated")


def test_the_summary_has_the_names_of_the_registry_and_the_numbers_of_the_plan(page):
    page.controls.colluding = 1
    report = average(page)
    (written,) = re.findall("<pre id='summary'>(.*?)</pre>", report, re.DOTALL)
    found = registry.Summary.model_validate_json(html.unescape(written))
    assert found == summary(page.report_parts())
    parts = json.loads(html.unescape(written))["deployment"]
    assert set(parts) == set(PARTS)
    for name, known in PARTS.items():
        assert set(REQUIRED.get(name, "").split()) <= set(parts[name]) <= set(known.split()), name
    entry = found.deployment
    assert entry.privacy_loss.number_of_privacy_units == 4 * 100
    assert entry.privacy_loss.privacy_parameters.delta == 1e-3
    assert entry.deployment_model.model_name == "Federated"
    assert entry.deployment_model.release_type == "One release"
    assert (
        summary(replace(page.report_parts(), year="x")).deployment.deployment_model.release_type
        == "Many releases"
    )


def test_the_published_schema_is_current_and_accepts_the_summary(page):
    jsonschema = pytest.importorskip("jsonschema")
    average(page)
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    # If it fails: Path("docs/schemas/deployment.json").write_text(registry.schema()).
    assert schema == json.loads(registry.schema())
    found = json.loads(summary(page.report_parts()).text())
    validator = jsonschema.Draft202012Validator(schema)
    validator.validate(found)
    found["deployment"]["privacy_loss"]["privacy_parameters"]["epsilon"] = 0
    assert not validator.is_valid(found) and not validator.is_valid({"url_slug": ""})


def test_the_releases_of_a_year_are_in_it_once_they_are_planned(page):
    assert page.report_parts().year == "" == replace(page.report_parts()).year
    average(page)
    page.year.add(Line(HOSTILE, "mean", "cape", "0.2", "1e-6", "12"))
    spent = page.year.plan().spent
    report = page.report()
    assert f"{spent:.2g}"[:3] in report and "&lt;img" in report and "img" not in Outline(report).tags
    page.year.edit(epsilon="much")
    assert page.report_parts().year == ""


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
    assert ("described_table(" in report) != data
    assert ("Not covered" in report) == data


def test_a_plan_that_has_no_answer_yet_has_a_report(page):
    page.set({"problem": "averaging", "level": 0.02})
    assert page.report_parts().answers == {} and "<h1" in page.report()


def pages_of(chromium, text, folder):
    """How many pages Chromium prints."""
    source, target = folder / "report.html", folder / "report.pdf"
    source.write_text(text, encoding="utf-8")
    options = "--headless", "--no-sandbox", "--no-pdf-header-footer", f"--print-to-pdf={target}"
    subprocess.run([chromium, *options, source.as_uri()], check=True, capture_output=True, timeout=120)
    return len(re.findall(rb"/Type ?/Page\b(?!s)", target.read_bytes()))


def test_a_report_prints_on_two_pages(chromium_path, tmp_path):
    page = PlanPage(Controls())
    page.content()
    for example in EXAMPLES[:3]:  # By a formula: the fourth is a search.
        page.set(example.values)
        page.opened()
        assert pages_of(chromium_path, page.report(), tmp_path) == 2


def test_that_of_a_wide_table_of_five_sites_and_of_a_year_does_too(chromium_path, tmp_path):
    page = PlanPage(Controls(colluding=2))
    page.content()
    page.above_settings()
    page.opened()
    page.own_table.ask()
    own = page.own_table.data
    frame = pd.DataFrame(np.random.default_rng(1).normal(size=(900, 11)).round(4)).add_prefix("measurement ")
    frame["hospital"] = [f"Hospital {place % 5}" for place in range(900)]
    assert own.expect(PIECE) == ""
    own.receive("cohort.csv", [frame.to_csv(index=False).encode()])
    own.edit(site_column="hospital", record="visit", per_person="4")
    own.take_draft(own.draft.filled("-5", "5"))
    own.use()
    assert len(own.used.site_names) == 5
    page.set({"own_records": True, "problem": "averaging", "level": 0.01})
    page.year.add(page.answer_line())
    report = page.report()
    assert pages_of(chromium_path, report, tmp_path) == 2
    # A mean reads one column, and the report names no other.
    first, *others = (f"measurement {place}" for place in range(11))
    assert first in report and not [name for name in others if f">{name}<" in report]
    page.set({"problem": "pca", "free": "error"})
    assert set(page.report_parts().columns) == {first, *others}


@pytest.mark.parametrize("both", [True, False])
def test_the_report_names_the_columns_whose_gaps_leave_rows_out(page, both):
    """The release reads one column; which rows are records, all that are ticked decide."""
    columns = (
        Column("age", lower=18.0, upper=100.0),
        Column("bp", lower=50.0, upper=250.0, used=both),
        Column("home", "category", used=False),
    )
    lines = ["age,bp,home", *(f"{40 + i % 7},{120 if i % 5 else ''},{'xyz'[i % 3]}" for i in range(90))]
    read = upload.read("\n".join(lines).encode(), "own.csv")
    described = Description(columns, "home")
    found = described_table(read, described)
    assert len(found.records) == (72 if both else 90)
    page.own_table.data.chosen = Choice("own.csv", described)
    page.set({"problem": "averaging"})
    page.own_table.data.used = found
    average(page, column=1)
    answer = {name: answer for name, _, answer in hazards(page.report_parts())}["Data collected"]
    assert "age" in answer and ("bp" in answer) == both
