"""What a consortium's own table gives without noise, recomputed by pandas, NumPy and scikit-learn."""

from __future__ import annotations

import numpy as np
import own_columns
import pandas as pd
import pytest
from bokeh.document import Document
from hospital import fitted
from sklearn.decomposition import PCA
from sklearn.linear_model import LinearRegression
from sklearn.metrics import r2_score, roc_auc_score

from core import Privacy, pca, summaries
from dashboard.own_table.description import Choice
from dashboard.packs.consortium.plan.page import PAGE as PlanPage
from dashboard.packs.consortium.plan.reference import reference
from dashboard.problems import columns
from dashboard.state.controls import Controls
from dashboard.state.number_text import percent_text
from data import upload
from data.columns import Column, Description
from data.upload.own_table import described_table

ROWS = 400


def frame():
    """Visits at three clinics of which some spell their names otherwise, with gaps and decimal commas."""
    rng = np.random.default_rng(38)
    age, crp = rng.integers(18, 96, ROWS), rng.gamma(1.5, 30, ROWS).round(1)
    found = pd.DataFrame(
        {
            "Clinic": rng.choice(["St. Anna", "ST. ANNA", "Nord-West", "nord west", "Bergheim"], ROWS),
            "Age (years)": age,
            "CRP [mg/L]": crp,
            "Sex": rng.choice(["F", "f", "female", "M", "Male"], ROWS),
            "Back": np.where(rng.random(ROWS) < 1 / (1 + np.exp(2 - 0.03 * crp)), "yes", "no"),
        }
    )
    found.loc[rng.random(ROWS) < 0.1, "CRP [mg/L]"] = None
    return found


FRAME = frame()
DESCRIPTION = Description(
    (
        Column("Clinic", "category", used=False),
        Column("Age (years)", lower=18, upper=110),
        Column("CRP [mg/L]", lower=0, upper=120, missing="mark"),
        Column("Sex", "category", values=("F", "M"), spellings=(("female", "F"), ("male", "M"))),
        Column("Back", "yes/no", values=("yes", "no")),
    ),
    "Clinic",
)
CONTENT = FRAME.to_csv(index=False, sep=";", decimal=",").encode()
TABLE = described_table(upload.read(CONTENT, "v.csv"), DESCRIPTION)
CRP = FRAME["CRP [mg/L]"].fillna(60).clip(0, 120)  # A gap counts as the middle of the range.


def question(**values):
    page = PlanPage(Controls(schemes=["cape"]))
    page.content().get_root(Document())
    page.runs.start = lambda jobs, paint: None  # No search is needed.
    choice = Choice("v.csv", DESCRIPTION)
    own_columns.use(page, TABLE, choice, **values)
    page.set(values)  # The table came with choices of its own.
    return page.model.plan()


def test_clinics_are_three_however_they_are_spelled():
    names = FRAME.Clinic.str.casefold().str.replace("-", " ")
    assert sorted(TABLE.sizes) == sorted(names.value_counts())
    assert sum(TABLE.sizes) == ROWS and TABLE.marked == FRAME["CRP [mg/L]"].isna().sum()


@pytest.mark.parametrize(
    "kind, place, expected",
    [
        ("mean", 0, [FRAME["Age (years)"].mean()]),
        ("mean", 1, [CRP.mean()]),
        ("proportion", 3, [(FRAME.Back == "yes").mean()]),
        ("counts", 2, FRAME.Sex.str[0].str.upper().value_counts(normalize=True)[["F", "M"]]),
        ("histogram", 1, np.histogram(CRP, 10, (0, 120))[0] / ROWS),
    ],
)
def test_a_summary_without_noise_is_that_of_pandas(kind, place, expected):
    released = columns.released(kind, TABLE, place)
    scaled = released.first.of(TABLE).mean(axis=0)
    assert summaries.in_units(scaled, released.summaries)[0] == pytest.approx(np.array(expected))
    assert ("60" in released.gaps) == (place == 1)  # Whoever reads the result is told what a gap counts as.
    if kind != "proportion":
        sites = np.split(TABLE.column(place)[:, None], np.cumsum(TABLE.sizes)[:-1])
        options = {"scheme": "cape", "rng": np.random.default_rng(1), "summaries": released.summaries}
        released_by_core = summaries.release(sites, Privacy(1e9, 0.1), **options).value
        np.testing.assert_allclose(released_by_core, scaled, atol=1e-6)


def test_components_keep_what_scikit_learn_s_keep():
    asked, k = question(problem="pca", metric="variance", k=2), 2
    held = PCA(k).fit(TABLE.records).explained_variance_ratio_.sum()
    assert percent_text(held) in reference(asked)(None).words
    second = TABLE.records.T @ TABLE.records / ROWS
    values, directions = np.linalg.eigh(second)
    assert pca.captured_energy(directions.T[-k:], second) == pytest.approx(values[-k:].sum())


def test_regression_explains_and_ranks_as_scikit_learn_says():
    labels = TABLE.column(3)
    width = TABLE.records.shape[1] - 1
    x = np.column_stack([TABLE.records[:, :width] * np.sqrt(4 / 3), np.ones(ROWS)]) / np.sqrt(2)
    auc = roc_auc_score(labels, x @ fitted(x, labels, None, np.random.default_rng(0)))
    asked = question(problem="regression", metric="auc", response=4)
    assert f"AUC\u00a0=\u00a0{auc:.3g}" in reference(asked)(None).words
    # Age from the others: its box of weights is wide enough for least squares.
    asked = question(problem="regression", response=1)
    x = TABLE.records[:, 1:]
    r2 = r2_score(TABLE.column(0), LinearRegression().fit(x, TABLE.column(0)).predict(x))
    assert percent_text(r2) in reference(asked)(None).words
