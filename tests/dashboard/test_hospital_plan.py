"""A consortium's plan from its file to an answer, again in the next session, against NumPy and scikit-learn alone."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import brentq
from scipy.stats import norm
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss, roc_auc_score

from dashboard.components.upload import PIECE
from dashboard.own_table.rows import MARK
from dashboard.pages.decide.plan import model as plan_model
from dashboard.pages.decide.plan.page import PlanPage
from dashboard.state.controls import Controls

SIZES = {"Harbour": 1200, "Hill": 800, "North": 500, "River": 300, "Lake": 200}
RANGES = {
    "age": ("18", "100"),
    "weight": ("40", "160"),
    "systolic": ("80", "220"),
    "crp": ("0", "250"),
    "admitted": ("2023-01-01", "2024-12-31"),
}
WARDS = ("medicine", "surgery", "cardiology")
DELTA, K = 1e-5, 4


def patients():
    """3,000 invented patients: numbers with units, "<5", dates, categories, answers, and cells without a value."""
    rng = np.random.default_rng(11)
    rows = sum(SIZES.values())
    age = np.clip(rng.normal(62, 16, rows), 18, 100).round()
    weight = np.clip(rng.normal(82, 15, rows) - 0.15 * (age - 62), 40, 160).round(1)
    systolic = np.clip(118 + 0.35 * (age - 50) + 0.2 * (weight - 80) + rng.normal(0, 14, rows), 80, 220)
    crp = np.clip(rng.gamma(1.3, 22, rows) + 0.2 * (age - 60), 0.5, 250).round(1)
    day = pd.Timestamp("2023-01-01") + pd.to_timedelta(rng.integers(0, 730, rows), unit="D")
    ward, smoker = rng.choice(WARDS, rows, p=[0.5, 0.3, 0.2]), rng.random(rows) < 0.3
    z = -0.6 + 0.045 * (age - 62) + 0.022 * (crp - 30) + 0.8 * (ward == "cardiology") + 0.7 * smoker
    frame = pd.DataFrame(
        {
            "patient": [f"P{i:05d}" for i in range(rows)],
            "hospital": rng.permutation(np.repeat(list(SIZES), list(SIZES.values()))),
            "age": age.astype(int),
            "weight": [f"{v} kg" for v in weight],
            "systolic": systolic.round().astype(int),
            "crp": ["<5" if v < 5 else f"{v}" for v in crp],
            "admitted": day.strftime("%d.%m.%Y"),
            "ward": ward,
            "smoker": np.where(smoker, "yes", "no"),
            "readmitted": np.where(rng.random(rows) < 1 / (1 + np.exp(-z)), "yes", "no"),
        }
    )
    frame.loc[rng.random(rows) < 0.08, "weight"] = None
    frame.loc[rng.random(rows) < 0.04, "smoker"] = None
    return frame


FRAME = patients()


@pytest.fixture(autouse=True)
def few(monkeypatch):
    monkeypatch.setattr(plan_model, "EPSILONS", (0.05, 0.1, 0.25, 0.6, 1.2, 2.5, 5.0, 10.0))


@pytest.fixture
def page():
    page = PlanPage(Controls(delta=DELTA, k=K, schemes=["cape"], colluding=0))
    page.content()
    page.more()
    page.before()
    page.own_table.ask()
    yield page
    page.own_table.end()


def hand_in(own):
    assert own.expect(PIECE) == ""
    own.receive("patients of five hospitals.csv", [FRAME.to_csv(index=False).encode()])
    assert own.problem == ""


def describe(own):
    """What a user types into the form."""
    texts = {name: {"least": low, "most": high} for name, (low, high) in RANGES.items()}
    texts["weight"] |= {"missing": MARK}
    texts["ward"] = {"used": True, "values": "; ".join(WARDS)}
    own.rows = tuple(replace(row, **texts.get(row.column, {})) for row in own.rows)
    own.param.update(site_column="hospital", target="readmitted")


def planned(page, **values):
    page.set({"free": "epsilon", "most": 48, "k": K} | values)
    page.opened()
    assert page.runs.state == "finished" and page.said.problem == "", (page.runs.message, page.said.problem)
    page.tell()
    return page.picture.answers["cape"]


def records():
    """The same records, columns scaled by hand."""
    frame = FRAME[FRAME.smoker.notna()]
    day = pd.to_datetime(frame.admitted, format="%d.%m.%Y")
    since = (day - pd.Timestamp("2023-01-01")).dt.days
    raw = {
        "age": (frame.age, 18, 100),
        "weight": (frame.weight.str.removesuffix(" kg").astype(float), 40, 160),
        "systolic": (frame.systolic, 80, 220),
        "crp": (frame.crp.replace("<5", "5").astype(float), 0, 250),
        "admitted": (since, 0, 730),
    }
    parts = []
    for name, (values, low, high) in raw.items():
        parts.append(((values.fillna((low + high) / 2) - (low + high) / 2) / ((high - low) / 2)).to_numpy())
        if name == "weight":
            parts.append(values.isna().to_numpy(dtype=float))
    parts += [((frame.ward == ward) - 1 / 3).to_numpy() / math.sqrt(2 / 3) for ward in WARDS]
    parts += [np.where(frame[name] == "yes", 1.0, -1.0) for name in ("smoker", "readmitted")]
    return np.column_stack(parts) / math.sqrt(8)


def mu_of(epsilon):
    """The μ at which a Gaussian release is (ε, δ)-private."""

    def excess(mu):
        return norm.cdf(mu / 2 - epsilon / mu) - math.exp(epsilon) * norm.cdf(-mu / 2 - epsilon / mu) - DELTA

    return brentq(excess, 1e-4, 50)


def exact(mu):
    """The ε at δ of a μ-Gaussian release."""
    return brentq(lambda epsilon: mu_of(epsilon) - mu, 1e-3, 100)


def symmetric(rng, d, std):
    noise = rng.normal(size=(d, d)) * std
    return (noise + noise.T) / 2


def variance_kept(x, epsilon, rng, share=0.1):
    """One release of mean and second moment together, by NumPy alone."""
    n, d = x.shape
    p = -share / (4 * (1 - share))
    std = math.sqrt((1 - share) * (1 - p * p) + share * (1 - p) / 2) / n / mu_of(epsilon)
    a = x.T @ x / n + symmetric(rng, d, std * math.sqrt(2 / (1 - share)))
    m = x.mean(axis=0) + rng.normal(size=d) * std * 2 / math.sqrt(share)
    v = np.linalg.eigh(a - np.outer(m, m))[1][:, -K:]
    c = np.cov(x.T, bias=True)
    return np.trace(v.T @ c @ v) / np.linalg.eigvalsh(c)[-K:].sum()


def test_ninety_per_cent_of_the_variance_from_the_file_to_the_same_answer_tomorrow(page):
    own = page.own_table.data
    hand_in(own)
    describe(own)
    own.use()
    assert own.objection == "" and own.used.public_bounds
    assert dict(zip(own.used.site_names, own.used.sizes, strict=True)).keys() == SIZES.keys()
    x = records()
    found = np.vstack(page.model.table({})[0])
    assert found[np.lexsort(found.T)] == pytest.approx(x[np.lexsort(x.T)], abs=1e-12)

    answer = planned(page, problem="pca")
    assert (page.model.metric, page.model.level, page.model.centre) == ("variance", 0.1, "mean")
    held = PCA(K).fit(x).explained_variance_ratio_.sum()
    assert f"keep 90 % of the variance that {K} components can keep" in page.said.words
    assert f"{K} components can keep {100 * held:.3g} % of all variance" in page.said.words
    assert answer.state == "found"
    # 60 releases each; the decisions of the search are wrong in 5 % of searches.
    rng = np.random.default_rng(7)
    assert np.mean([variance_kept(x, answer.high, rng) for _ in range(60)]) > 0.9
    assert np.mean([variance_kept(x, answer.low, rng) for _ in range(60)]) < 0.9

    report = page.report()
    assert page.said.words in report and "(to be predicted)" in report and "Harbour (1152)" in report
    for private in (*FRAME.patient, *FRAME.weight.dropna().sample(40, random_state=1)):
        assert f">{private}<" not in report and f" {private} " not in report and f"'{private}'" not in report
    # What joining is worth: the smallest of five sites alone would add N/n_s times the noise.
    small = min(own.used.sizes)
    ratio = len(x) / small
    alone = brentq(lambda e: mu_of(e) - mu_of(answer.high) * ratio, answer.high, 100)
    row = re.search(rf"<tr><th scope='row'>Lake</th><td>{small}</td>(.*?)</tr>", report)[1]
    assert re.findall("<td>([^<]*)</td>", row) == [
        f"{answer.high:g}",
        f"{exact(mu_of(answer.high) * math.sqrt(10 / 6)):.3g}",
        f"{ratio:.3g}",
        f"{alone:.3g}",
    ]
    description, first = own.described().text(), page.table()
    assert not any(name in description for name in FRAME.patient) and '"Harbour"' in description
    page.own_table.end()
    other = PlanPage(Controls(delta=DELTA, k=K, schemes=["cape"]))
    other.content()
    other.more()
    other.before()
    other.own_table.ask()
    other.own_table.data.describe(description.encode())
    hand_in(other.own_table.data)
    other.own_table.data.use()
    planned(other, problem="pca")
    pd.testing.assert_frame_equal(other.table(), first)
    other.own_table.end()


def fitted(x, y, epsilon, rng):
    """The functional mechanism with its damped curvature, by NumPy alone."""
    n, d = x.shape
    scales = (1.0, math.sqrt(2) / 8)
    std = 0.0 if epsilon is None else 1.25 / n / mu_of(epsilon)
    linear = x.T @ (0.5 - y) / n + rng.normal(size=d) * std * scales[0]
    square = x.T @ x / 8 / n + symmetric(rng, d, std * scales[1])
    values, vectors = np.linalg.eigh(square)
    kappa = std * math.sqrt(d * (scales[0] ** 2 / 4 / 5.0**2 + scales[1] ** 2 / 2))
    values = np.maximum(values, 1e-3 * kappa)
    values = np.where(values > 0, values + kappa**2 / np.where(values > 0, values, 1), 0)
    slopes = vectors.T @ linear
    return vectors @ np.where(values > 1e-12, -slopes / np.maximum(2 * values, 1e-12), 0)


def test_the_auc_of_a_readmission_from_the_file_to_the_least_epsilon(page):
    own = page.own_table.data
    hand_in(own)
    describe(own)
    own.use()
    answer = planned(page, problem="regression", metric="auc", level=0.02)
    all_columns = records()
    y = (all_columns[:, -1] > 0).astype(float)
    x = all_columns[:, :-1] * math.sqrt(8 / 7)
    x = np.column_stack([x, np.ones(len(x))]) / math.sqrt(2)
    rng = np.random.default_rng(3)
    plain = fitted(x, y, None, rng)
    best = roc_auc_score(y, x @ plain)
    assert f"AUC\u00a0=\u00a0{best:.3g}" in page.said.words
    assert "lose at most 0.02 of the AUC" in page.said.words
    base = log_loss(y, np.full(len(y), y.mean()))
    explained = 1 - log_loss(y, 1 / (1 + np.exp(-x @ plain))) / base
    true = LogisticRegression(C=np.inf, tol=1e-10, max_iter=5000).fit(x[:, :-1], y)
    limit = 1 - log_loss(y, true.predict_proba(x[:, :-1])[:, 1]) / base
    for share in (explained, limit):
        assert f"{100 * share:.3g} %" in page.said.words, (share, page.said.words)

    def lost(epsilon):
        return np.mean([best - roc_auc_score(y, x @ fitted(x, y, epsilon, rng)) for _ in range(60)])

    assert answer.state == "found"
    assert lost(answer.high) < 0.02 < lost(answer.low)
