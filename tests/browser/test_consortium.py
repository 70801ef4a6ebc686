"""A consortium's plan in a real browser: from its file to an answer, a report and a description, and again tomorrow."""

from __future__ import annotations

import re

import numpy as np
import pytest
from browser.visit import Visit
from hospital import DELTA, FRAME, RANGES, WARDS, K, fitted, records
from sklearn.decomposition import PCA
from sklearn.metrics import roc_auc_score

pytest.importorskip("playwright.sync_api")

PAGE = f"?page=plan&problem=pca&level=0.1&k={K}&delta={DELTA:g}&schemes=cape&most=24"
NAME = "patients of five hospitals.csv"
ASKED = f"To keep 90 % of the variance that {K} components can explain"
FOUND = "intervals of ε over the noise"


def hand_in(visit, name=NAME):
    visit.tab.get_by_role("button", name="Use your own table").click()
    content = FRAME.to_csv(index=False).encode()
    visit.tab.locator("input[type=file]").first.set_input_files(
        {"name": name, "mimeType": "", "buffer": content}
    )
    visit.tab.get_by_text("3\u202f000 rows, 10 columns").or_(
        visit.tab.get_by_text("3000 rows, 10 columns")
    ).wait_for()


def row_of(visit, column):
    name = visit.tab.locator("[tabulator-field=column]", has_text=re.compile(f"^{column}$"))
    return visit.tab.locator(".tabulator-row").filter(has=name)


def type_in(visit, column, **texts):
    row = row_of(visit, column)
    for name, text in texts.items():
        cell = row.locator(f"[tabulator-field={name}]")
        cell.click()
        if name == "used":
            cell.locator("input").press("Space")
        elif name == "missing":
            visit.tab.locator(".tabulator-edit-list-item").get_by_text(text, exact=True).click()
        else:
            cell.locator("input").press_sequentially(text)
        visit.tab.keyboard.press("Enter")


def choose(visit, menu, entry, address):
    visit.tab.get_by_role("combobox", name=menu).first.click()
    visit.tab.get_by_text(entry, exact=True).locator("visible=true").last.click()
    visit.wait_until(lambda: address in visit.tab.url)


def answer(visit, part):
    """The sentence of the answer once the search is over; it contains a part."""
    visit.wait_until(lambda: visit.tab.get_by_text(re.compile(r"^\d+ steps done$")).count())
    words = visit.tab.locator("p", has_text=part).last
    # Numbers and their units are held together by spaces that do not break.
    return visit.wait_until(
        lambda: "so far" not in words.inner_text() and words.inner_text().replace("\xa0", " ")
    )


def saved(visit, name):
    with visit.tab.expect_download() as download:
        visit.tab.get_by_text(name).first.click()
    return download.value.path()


def test_a_hospitals_plan_from_the_file_to_the_same_answer_tomorrow(browser, server, tmp_path):
    with Visit(browser, server) as visit:
        visit.open(PAGE)
        hand_in(visit)
        visit.tab.get_by_role("combobox", name="Which column names").click()
        visit.tab.get_by_text("hospital (5 sites)").click()
        visit.wait_until(lambda: row_of(visit, "hospital").count() == 0)
        # Scrolling ends an edit, so it must be over before the first.
        row_of(visit, "age").scroll_into_view_if_needed()
        places = [row_of(visit, "age").bounding_box()]
        while len(places) < 5 or len({place["y"] for place in places[-4:]}) > 1:
            visit.tab.wait_for_timeout(150)
            places.append(row_of(visit, "age").bounding_box())
        for column, (least, most) in RANGES.items():
            type_in(visit, column, least=least, most=most)
        type_in(visit, "ward", used="", values="; ".join(WARDS))
        type_in(visit, "weight", missing="constant + mark")
        visit.tab.get_by_role("button", name="Use these records").click()
        visit.tab.get_by_text("5 sites by column 'hospital'").wait_for()
        visit.tab.get_by_text("“Local” is 'Harbour' alone, the largest").wait_for()
        visit.tab.get_by_text(ASKED).wait_for()
        words = answer(visit, FOUND)
        x = records()
        held = PCA(K).fit(x).explained_variance_ratio_.sum()
        assert f"can keep {100 * held:.3g} % of all variance" in words
        assert re.search(r"over the noise: CAPE [0-9.]+ to [0-9.]+\.", words)
        report = visit.context.new_page()
        report.set_content(saved(visit, "Save a report to print").read_text())
        assert " ".join(words.split())[:80] in " ".join(report.inner_text("body").split())
        assert report.get_by_role("heading", name="Privacy hazards").is_visible()
        printed = report.pdf(prefer_css_page_size=True)
        assert 1 <= printed.count(b"/Type /Page") - printed.count(b"/Type /Pages") <= 2
        report.close()
        visit.tab.get_by_role("button", name="Change", exact=True).click()
        description = saved(visit, "Save the description").read_bytes()
        assert b"Harbour" in description and b"P00001" not in description
        # The other question, of the same records.
        choose(visit, "To release", "a regression", "problem=regression")
        choose(visit, "Judged by", "loss of AUC", "metric=auc")
        visit.tab.get_by_text("To lose at most 0.02 of the AUC").wait_for()
        told = answer(visit, "of the deviance of the base rate")
        y, features = (x[:, -1] > 0).astype(float), np.sqrt(8 / 7) * x[:, :-1]
        features = np.column_stack([features, np.ones(len(x))]) / np.sqrt(2)
        best = roc_auc_score(y, features @ fitted(features, y, None, np.random.default_rng(0)))
        assert f"AUC = {best:.3g}" in told.replace("\xa0", " ")
        assert visit.errors == [] and visit.foreign == []
    with Visit(browser, server) as visit:
        visit.open(PAGE)
        visit.tab.get_by_role("button", name="Use your own table").click()
        visit.tab.locator("input[type=file]").nth(1).set_input_files(
            {"name": "d.json", "mimeType": "", "buffer": description}
        )
        visit.tab.get_by_text("A description without its table").wait_for()
        visit.tab.get_by_role("button", name="Use your own table").click()
        hand_in(visit)
        visit.tab.get_by_text("with these columns was applied").wait_for()
        visit.tab.get_by_role("button", name="Use these records").click()
        visit.tab.get_by_text("5 sites by column 'hospital'").wait_for()
        # Own records meet fresh noise, so only what has none is the same again.
        plain = re.compile("Without noise, .* of all variance")
        assert plain.findall(answer(visit, FOUND)) == plain.findall(words) != []
