"""What features add to a constant prediction, against scikit-learn's own figures."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss, r2_score, roc_auc_score

from core import Privacy, functional
from core.functional.losses import LOGISTIC


def pairs(loss, seed=2):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(900, 4)) * [0.4, 0.3, 0.2, 0.1]
    x = functional.with_intercept(x / np.linalg.norm(x, axis=1).max())
    z = x @ np.array([3.0, -2.0, 1.0, 0.0, 0.8])
    if loss == "linear":
        y = np.clip(0.3 * z + 0.1 * rng.normal(size=900), -1, 1)
    else:
        y = (rng.random(900) < 1 / (1 + np.exp(-2 * z))).astype(float)
    return [(x[i::3], y[i::3]) for i in range(3)]


def judged(loss):
    problem = functional.Problem(
        lambda settings: (pairs(loss), None), (), loss=loss, options=(("box", 20.0),), gains=True
    )
    return problem, problem.statistics({})


def test_a_number_is_judged_by_the_share_of_its_variance():
    problem, found = judged("linear")
    x, y = found.moments.features, found.moments.target
    w = np.linalg.lstsq(x, y, rcond=None)[0]
    assert found.base == pytest.approx(y.var(), rel=1e-12)
    assert functional.gains(found, w) == {
        "explained": pytest.approx(r2_score(y, x @ w)),
        "lost": pytest.approx(0, abs=1e-9),
    }
    mean = np.array([0, 0, 0, 0, y.mean() / x[0, -1]])  # Only the intercept, which is constant.
    assert functional.gains(found, mean)["lost"] == pytest.approx(1)
    row = problem.estimate(found, "cape", Privacy(1.0, 1e-5), np.random.default_rng(1), {})
    released = problem.fit(found, "cape", Privacy(1.0, 1e-5), np.random.default_rng(1), {}).coefficients
    assert row == functional.figures(found, released) | functional.gains(found, released) and row["lost"] > 0


@pytest.mark.parametrize("loss, value", [("linear", 0.3), ("linear", 0.0), ("logistic", 1.0)])
def test_equal_responses_have_no_variance_of_which_a_share_is_explained(loss, value):
    features = np.random.default_rng(2).uniform(-0.5, 0.5, (60, 3))
    sites = [(half, np.full(30, value)) for half in (features[:30], features[30:])]
    problem = functional.Problem(lambda settings: (sites, None), (), loss=loss, gains=True)
    found = functional.gains(problem.statistics({}), np.full(3, 0.1))
    assert np.isnan(found["explained"]) and np.isnan(found["lost"])


def test_labels_are_judged_by_deviance_above_the_base_rate_and_by_their_order():
    _, found = judged("logistic")
    x, y = found.moments.features, found.moments.target
    rate = np.full(len(y), y.mean())
    assert found.base == pytest.approx(log_loss(y, rate), rel=1e-9)
    w = np.array([1.0, -1.0, 2.0, 0.0, 0.5])
    chance = 1 / (1 + np.exp(-x @ w))
    measured = functional.gains(found, w)
    assert measured["explained"] == pytest.approx(1 - log_loss(y, chance) / log_loss(y, rate))
    assert measured["auc"] == pytest.approx(roc_auc_score(y, x @ w))
    best = roc_auc_score(y, x @ found.answer)
    assert measured["auc_lost"] == pytest.approx(best - roc_auc_score(y, x @ w))
    # As published, the same loss is measured from w = 0, an even chance: less is lost of more.
    figures = functional.figures(found, w)
    assert figures["excess"] < figures["lost"] == pytest.approx(measured["lost"])


def test_the_polynomial_stays_above_true_logistic_regression():
    _, found = judged("logistic")
    x, y = found.moments.features, found.moments.target
    fitted = LogisticRegression(C=np.inf, fit_intercept=False, tol=1e-10, max_iter=5000).fit(x, y)
    least = log_loss(y, fitted.predict_proba(x)[:, 1])
    assert functional.likelihood_minimum(found, box=1e3) == pytest.approx(least, rel=1e-6)
    assert least < found.best < found.base
    with pytest.raises(ValueError, match="loss must"):
        functional.likelihood_minimum(judged("linear")[1], box=1.0)


def test_ranks_of_equal_scores_count_half():
    labels = np.array([0, 1, 1, 0, 1, 0.0])
    scores = np.array([1.0, 1.0, 2.0, 2.0, 3.0, 0.0])
    assert functional.ranking(scores, labels) == pytest.approx(roc_auc_score(labels, scores))
    assert functional.ranking(np.zeros(6), labels) == 0.5
    assert np.isnan(functional.ranking(scores, np.ones(6)))
    assert LOGISTIC.labels
