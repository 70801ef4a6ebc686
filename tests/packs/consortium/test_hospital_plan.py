"""A consortium's plan from its file to an answer, again in the next session, against NumPy and scikit-learn alone."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import numpy as np
import pytest
from hospital import (
    DELTA,
    FRAME,
    RANGES,
    SIZES,
    WARDS,
    K,
    exact,
    fitted,
    mu_of,
    records,
    variance_kept,
)
from scipy.optimize import brentq
from sheets import answer_of
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss, roc_auc_score

from dashboard.components.upload import PIECE
from dashboard.own_table.rows import MARK
from dashboard.packs.consortium.plan import model as plan_model
from dashboard.packs.consortium.plan.page import PAGE as PlanPage
from dashboard.packs.consortium.plan.words.text import promised
from dashboard.state.controls import Controls
from dashboard.state.number_text import at_most_text


@pytest.fixture(autouse=True)
def few(monkeypatch):
    monkeypatch.setattr(plan_model, "EPSILONS", (0.05, 0.1, 0.25, 0.6, 1.2, 2.5, 5.0, 10.0))


@pytest.fixture
def page():
    page = PlanPage(Controls(delta=DELTA, k=K, schemes=["cape"], colluding=0))
    page.content()
    page.content()
    page.above_settings()
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
    texts["admitted"] |= {"used": True}
    texts["weight"] |= {"missing": MARK}
    texts["ward"] = {"used": True, "values": "; ".join(WARDS)}
    own.edit(rows=tuple(replace(row, **texts.get(row.column, {})) for row in own.draft.rows))
    own.edit(site_column="hospital", target="readmitted")


def planned(page, **values):
    page.set({"free": "epsilon", "most": 48, "k": K} | values)
    page.opened()
    assert page.runs.state == "finished" and page.state.problem == "", (page.runs.message, page.state.problem)
    return page.results.answers["cape"]


def for_a_mean(page):
    """The ε at which the mean of a column has an error of 0.1 % of its range."""
    page.set({"problem": "averaging", "column": 4, "level": 0.001})
    return page.results.answers["cape"].high


def test_ninety_per_cent_of_the_variance_from_the_file_to_an_answer_and_again_tomorrow(page):
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
    assert f"that {K} components" in answer_of(page)
    assert f"{K} components" in page.state.words and f"{100 * held:.3g} %" in page.state.words
    assert answer.state == "found"
    # 60 releases each; the decisions of the search are wrong in 5 % of searches.
    rng = np.random.default_rng(7)
    assert np.mean([variance_kept(x, answer.high, rng) for _ in range(60)]) > 0.9
    assert np.mean([variance_kept(x, answer.low, rng) for _ in range(60)]) < 0.9

    report = page.report()
    assert (
        page.shown.words.removesuffix("</p>") in report
        and "(to be predicted)" in report
        and "Harbour (1152)" in report
    )
    for private in (*FRAME.patient, *FRAME.weight.dropna().sample(40, random_state=1)):
        assert f">{private}<" not in report and f" {private} " not in report and f"'{private}'" not in report
    at = promised(page.results.question, answer)  # Of the bold sentence.
    for seen in (1, math.sqrt(10 / 6)):
        assert f"<td>{at_most_text(exact(mu_of(at) * seen))}</td>" in report
    # What joining is worth: the smallest of five sites alone would add N/n_s times the noise.
    small = min(own.used.sizes)
    ratio = len(x) / small
    alone = brentq(lambda e: mu_of(e) - mu_of(at) * ratio, at, 100)
    row = re.search(rf"<tr><th scope='row'>Lake</th><td>{small}</td>(.*?)</tr>", report)[1]
    assert re.findall("<td>([^<]*)</td>", row) == [
        f"{ratio:.3g}",
        at_most_text(alone),
    ]
    description, first = own.described().text(), page.table()
    needed, counted = for_a_mean(page), FRAME[own.used.parts[3].column].notna().sum()
    assert not any(name in description for name in FRAME.patient) and '"Harbour"' in description
    page.own_table.end()
    other = PlanPage(Controls(delta=DELTA, k=K, schemes=["cape"]))
    other.content()
    other.content()
    other.above_settings()
    other.own_table.ask()
    other.own_table.data.describe(description.encode())
    hand_in(other.own_table.data)
    other.own_table.data.use()
    planned(other, problem="pca")
    # The same table from the same description: only the noise is another, as at every use of a table.
    again = other.table()
    assert list(again.scheme) == list(first.scheme) and list(again.state) == list(first.state)
    assert again.estimate[0] != first.estimate[0] == pytest.approx(again.estimate[0], rel=0.5)
    assert for_a_mean(other) == needed == pytest.approx(exact(1.96 / (0.001 * counted)), rel=0.01)
    other.own_table.end()


@pytest.mark.slow
def test_the_auc_of_a_readmission_from_the_file_to_the_least_epsilon(page):
    own = page.own_table.data
    hand_in(own)
    describe(own)
    own.edit(target="")  # The last column.
    own.use()
    answer = planned(page, problem="regression", metric="auc", level=0.02)
    all_columns = records()
    y = (all_columns[:, -1] > 0).astype(float)
    x = all_columns[:, :-1] * math.sqrt(8 / 7)
    x = np.column_stack([x, np.ones(len(x))]) / math.sqrt(2)
    rng = np.random.default_rng(3)
    plain = fitted(x, y, None, rng)
    best = roc_auc_score(y, x @ plain)
    assert f"AUC\u00a0=\u00a0{best:.3g}" in page.state.words
    assert "at most 0.02" in answer_of(page)
    base = log_loss(y, np.full(len(y), y.mean()))
    explained = 1 - log_loss(y, 1 / (1 + np.exp(-x @ plain))) / base
    true = LogisticRegression(C=np.inf, tol=1e-10, max_iter=5000).fit(x[:, :-1], y)
    limit = 1 - log_loss(y, true.predict_proba(x[:, :-1])[:, 1]) / base
    for share in (explained, limit):
        assert f"{100 * share:.3g} %" in page.state.words, (share, page.state.words)

    def lost(epsilon):
        return np.mean([best - roc_auc_score(y, x @ fitted(x, y, epsilon, rng)) for _ in range(60)])

    assert answer.state == "found"
    assert "(to be predicted)" in page.report()
    assert lost(answer.high) < 0.02 < lost(answer.low)
