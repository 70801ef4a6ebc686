"""A consortium's plan in a real browser: from its file to promised ε, a report and a description, and again tomorrow."""

from __future__ import annotations

import io
import re

import numpy as np
import pytest
from hospital import DELTA, FRAME, RANGES, SIZES, WARDS, K, exact, fitted
from sklearn.decomposition import PCA
from sklearn.metrics import roc_auc_score

from browser.visit import Visit
from data import upload
from data.columns import Description
from data.upload.own_table import described_table

pytest.importorskip("playwright.sync_api")

LEVEL = 0.001  # Of CRP's range of 250 mg/L, in 95 % of releases.
PAGE = f"?page=plan&problem=averaging&level={LEVEL}&k={K}&delta={DELTA:g}&schemes=cape&most=24"
NAME = "patients of five hospitals.csv"
COLUMNS = ("age", "weight", "systolic", "crp")
SPELLED = {"surgery": ("surgery", "Surgery", "surg."), "cardiology": ("cardiology", "CARDIOLOGY", "cardio.")}


def spelled():
    """The same patients, wards and answers spelled as five hospitals spell them."""
    frame = FRAME.copy()
    for word, spellings in SPELLED.items():
        rows = np.flatnonzero(frame.ward == word)
        frame.loc[rows, "ward"] = np.resize(spellings, len(rows))
    yes = np.flatnonzero(frame.smoker == "yes")
    frame.loc[yes, "smoker"] = np.resize(["yes", "Yes", "ja"], len(yes))
    return frame


def workbook(frame):
    """The table as the other hospital keeps it: a workbook with decimal commas."""
    there = frame.copy()
    for name in ("weight", "crp"):
        there[name] = there[name].str.replace(".", ",")
    stream = io.BytesIO()
    there.to_excel(stream, index=False)
    return stream.getvalue()


def records():
    """The records of 3,000 patients as they are described, scaled by hand; every gap is marked."""
    parts = []
    for name in COLUMNS:
        low, high = map(float, RANGES[name])
        values = FRAME[name].astype(str).str.removesuffix(" kg").str.removeprefix("<").astype(float)
        middle = (low + high) / 2
        parts.append((values.fillna(middle) - middle) / ((high - low) / 2))
        if name == "weight":
            parts.append(values.isna().astype(float))
    parts += [((FRAME.ward == ward) - 1 / 3) / np.sqrt(2 / 3) for ward in WARDS]
    parts += [FRAME.smoker.map({"yes": 1.0, "no": -1.0}).fillna(0), FRAME.smoker.isna().astype(float)]
    parts += [FRAME.readmitted.map({"yes": 1.0, "no": -1.0})]
    return np.column_stack(parts) / np.sqrt(7)


class Person:
    """Somebody at the page, whose actions are counted: a click, a file, a typed field, a choice from a menu."""

    def __init__(self, visit):
        self.visit, self.tab, self.actions = visit, visit.tab, 0

    def click(self, name):
        self.actions += 1
        self.tab.get_by_role("button", name=name, exact=True).click()

    def hand_in(self, place, name, content, words):
        self.actions += 1
        file = {"name": name, "mimeType": "", "buffer": content}
        field = self.tab.locator("input[type=file]").nth(place)
        self.visit.hand_in(field, file, lambda: self.tab.get_by_text(words).count())

    def choose(self, menu, entry):
        self.actions += 1
        field = self.tab.get_by_role("combobox", name=menu).first
        field.click()
        # A column stands beside a box, too: "In the same release".
        roles = (self.tab.get_by_role(role, name=entry, exact=True) for role in ("option", "menuitem"))
        next(roles).or_(next(roles)).locator("visible=true").click()
        self.visit.wait_until(lambda: field.inner_text().strip() == entry)

    def type_in(self, column, name, text):
        self.actions += 1
        cell = self._row(column).locator(f"[tabulator-field={name}]")
        cell.click()
        cell.locator("input").press_sequentially(text)
        self.tab.keyboard.press("Enter")
        self.visit.wait_until(lambda: cell.inner_text() == text)

    def tick(self, column):
        self.actions += 1
        box = self._row(column).get_by_role("checkbox")
        before = box.is_checked()
        box.click()
        self.visit.wait_until(lambda: box.is_checked() != before)

    def fill(self, label, text):
        self.actions += 1
        self.tab.get_by_label(label).fill(text)
        self.tab.keyboard.press("Tab")

    def save(self, name):
        self.actions += 1
        with self.tab.expect_download() as download:
            self.tab.get_by_text(name).first.click()
        return download.value.path()

    def _row(self, column):
        name = self.tab.locator("[tabulator-field=column]", has_text=re.compile(f"^{column}$"))
        return self.tab.locator(".tabulator-row").filter(has=name)

    def answer(self, asked, part="Promise ε"):
        """The words of the answer to what is asked that hold a part, once the search is over, and the ε to promise."""
        # What stands until the server has heard of a choice is of the question before.
        self.tab.locator(".question", has_text=asked).wait_for()
        promise = self.tab.locator("p", has_text="Promise ε").first
        words = self.tab.locator("p", has_text=part).last
        self.visit.wait_until(
            lambda: words.count() and promise.count() and "so far" not in words.inner_text()
        )
        plain = " ".join(promise.inner_text().split())
        return " ".join(words.inner_text().split()), re.search(r"Promise ε = ([0-9.]+)", plain)[1]


def test_a_consortium_comes_from_its_file_to_one_epsilon_for_each_release_and_again_tomorrow(browser, server):
    frame, x = spelled(), records()
    content, again = frame.to_csv(index=False).encode(), workbook(frame)
    with Visit(browser, server) as visit:
        visit.open(PAGE)
        person = Person(visit)
        person.click("Use your own table")
        person.hand_in(0, NAME, content, re.compile("rows, 10 columns"))
        person.choose("What is one record?", "A visit or event: a person may have several")
        person.fill("Most visits of one person", "3")
        for column in COLUMNS:
            for name, text in zip(("least", "most"), RANGES[column], strict=True):
                person.type_in(column, name, text)
        person.tick("ward")
        person.type_in("ward", "values", "medicine; surgery = surg.; cardiology = cardio.")
        gaps = int((FRAME.weight.isna() | FRAME.smoker.isna()).sum())
        visit.tab.get_by_text(re.compile(rf"^{gaps} rows of 3")).wait_for()
        person.click("Mark every gap")
        person.click("Use these records")
        card = visit.tab.get_by_text("5 sites by column 'hospital'").first
        counted = re.search("[0-9 ]+ records of [0-9]+ numbers", " ".join(card.inner_text().split()))[0]
        person.choose("Column", "crp")
        mean = person.answer("'crp'")
        assert float(mean[1]) == pytest.approx(exact(1.96 / (LEVEL * len(x))), rel=0.01)
        person.choose("To release", "a proportion")
        person.choose("Column", "readmitted")
        rate = person.answer("'readmitted'")
        person.choose("To release", "a regression")
        person.choose("Judged by", "loss of AUC")
        told, _ = person.answer("AUC", "of the deviance of the base rate")
        y, features = (x[:, -1] > 0).astype(float), np.sqrt(7 / 6) * x[:, :-1]
        features = np.column_stack([features, np.ones(len(x))]) / np.sqrt(2)
        best = roc_auc_score(y, features @ fitted(features, y, None, np.random.default_rng(0)))
        assert f"AUC = {best:.3g}" in told
        person.choose("To release", "principal components")
        words, kept = person.answer(f"{K} components", "of all variance")
        held = PCA(K).fit(x).explained_variance_ratio_.sum()
        assert f"{100 * held:.3g} %" in words
        report = visit.context.new_page()
        report.set_content(person.save("Save a report to print").read_text())
        assert f"ε = {kept}" in " ".join(report.inner_text("body").split())
        assert report.get_by_role("heading", name="Privacy hazards").is_visible()
        report.close()
        visit.tab.get_by_role("button", name="Change", exact=True).click()
        description = person.save("Save the description").read_bytes()
        assert "P00001" not in description.decode()
        with visit.tab.expect_download() as unchanged:  # A file that is as it was comes at every press.
            visit.tab.get_by_text("Save the description").first.click()
        assert unchanged.value.path().read_bytes() == description
        assert person.actions <= 25
        assert visit.errors == [] and visit.foreign == []
    found = Description.read(description)
    assert (dict(found.sites), found.record, found.per_person) == (SIZES, "visit", 3)
    here, there = (
        described_table(upload.read(one, name), found) for one, name in ((content, NAME), (again, "b.xlsx"))
    )
    np.testing.assert_array_equal(here.records, there.records)
    np.testing.assert_allclose(np.sort(here.records, axis=0), np.sort(x, axis=0), atol=1e-12)
    with Visit(browser, server) as visit:
        visit.open(PAGE)
        person = Person(visit)
        person.click("Use your own table")
        person.hand_in(1, "d.json", description, "A description without its table")
        person.hand_in(0, "b.xlsx", again, re.compile("with these columns was applied"))
        person.click("Use these records")
        card = visit.tab.get_by_text("5 sites by column 'hospital'").first
        assert counted in " ".join(card.inner_text().split())
        person.choose("Column", "crp")
        assert person.answer("'crp'") == mean
        person.choose("To release", "a proportion")
        person.choose("Column", "readmitted")
        assert person.answer("'readmitted'") == rate
        assert person.actions <= 7
        assert visit.errors == [] and visit.foreign == []
