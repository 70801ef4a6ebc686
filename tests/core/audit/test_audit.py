"""The auditor against mechanisms whose verdict is known, and its error rates.

Bounds are used at confidence 0.999, so a sound mechanism is flagged in at most one audit of a thousand; at
confidence 0.95 that is measured below.
"""

import math

import numpy as np
import pytest
from scipy import stats

from core import Privacy, audit, privacy
from core.audit import auditor, reference_cases

DEMAND = Privacy(1.0, 1e-5)
MU = privacy.gdp_mu(DEMAND)
# Runs on each data set. Leaks without noise show in few.
FEW = {"symmetric noise": 2000, "known seed": 2000, "shared seed": 2000}


@pytest.mark.parametrize("name", reference_cases.sound_cases(DEMAND))
def test_sound_mechanisms_are_not_flagged(name):
    case = reference_cases.sound_cases(DEMAND)[name]()
    verdict = case.audit(runs=60_000, rng=np.random.default_rng(1))
    assert case.sound
    assert not verdict.violated
    # Yet the audit has power: its bound comes near the promise.
    assert verdict.mu > 0.75 * MU
    assert verdict.epsilon > 0.7


# Observed (false alarms, missed) of the verdict's test.
OBSERVED = {
    "noise a third too small": (19021, 18742, 45_000),
    "classical at epsilon 10": (2425, 2367, 45_000),
    "known seed": (0, 0, 1000),
    "shared seed": (0, 0, 1000),
    "symmetric noise": (0, 0, 1000),
    "cape, message promise seen by aggregator": (19370, 19047, 45_000),
    "cape, message promise seen by colluders": (19164, 18689, 45_000),
    "graph, honest sites cut apart": (15399, 15053, 45_000),
    "secure aggregation, noise for all sites": (19219, 18866, 45_000),
    "discrete noise, half the variance": (18928, 19226, 45_000),
}


@pytest.mark.parametrize("name", reference_cases.broken_cases(DEMAND))
def test_broken_mechanisms_are_caught(name):
    case = reference_cases.broken_cases(DEMAND)[name]()
    verdict = case.audit(runs=FEW.get(name, 60_000), rng=np.random.default_rng(1))
    assert not case.sound
    assert verdict.violated
    assert verdict.epsilon > case.promise.epsilon
    assert (verdict.false_alarms, verdict.missed, verdict.trials) == OBSERVED[name]


def test_every_broken_mechanism_is_caught_at_other_targets_too():
    for name, build in reference_cases.broken_cases(Privacy(0.8, 1e-3)).items():
        assert build().audit(runs=FEW.get(name, 60_000), rng=np.random.default_rng(0)).violated, name


@pytest.mark.parametrize(
    ("build", "audits"),
    [
        (lambda: reference_cases.message(DEMAND), 100),
        (lambda: reference_cases.laplace(DEMAND), 60),
        (lambda: reference_cases.cape(DEMAND, against="colluders", colluding=3), 40),
    ],
)
def test_sound_mechanisms_are_flagged_no_more_often_than_stated(build, audits):
    """At confidence 0.95, 5 % of audits at most; more than accepted would then come by chance once in 3000."""
    case, rng = build(), np.random.default_rng(2)
    count = sum(case.audit(runs=1000, rng=rng, confidence=0.95).violated for _ in range(audits))
    assert count <= stats.binom.isf(1 / 3000, audits, 0.05)


def test_bounds_on_a_known_gaussian_close_in_on_the_truth():
    mu = 1.2
    bounds = []
    for runs in (1000, 10_000, 100_000):
        verdict = audit.audit(
            lambda shift, n, rng: shift + rng.standard_normal(n),
            0.0,
            mu,
            promise=mu,
            runs=runs,
            rng=np.random.default_rng(3),
            score=np.ravel,
            gaussian=True,
        )
        assert verdict.mu <= mu
        assert not verdict.violated
        bounds.append(verdict.mu)
    assert bounds == sorted(bounds)
    assert bounds[-1] > 0.97 * mu
    assert verdict.epsilon == pytest.approx(privacy.gdp_epsilon(1e-5, verdict.mu))


def test_observed_trade_off_follows_the_promised_curve():
    case = reference_cases.message(DEMAND)
    verdict = case.audit(runs=80_000, rng=np.random.default_rng(4))
    alpha = np.linspace(0, 1, 21)
    # Dvoretzky-Kiefer-Wolfowitz at 1e-4 for both samples; the curve is 1-Lipschitz up to slope e^ε there.
    band = 2 * math.sqrt(math.log(2 / 1e-4) / (2 * verdict.trials)) * math.exp(MU**2 / 2 + 4 * MU)
    assert np.abs(verdict.tradeoff(alpha) - privacy.tradeoff(alpha, MU))[1:-1].max() < band
    assert verdict.tradeoff(0.0) > 0.99
    assert verdict.tradeoff(1.0) == 0.0
    broken = reference_cases.fixed_seed(DEMAND).audit(runs=400, rng=np.random.default_rng(4))
    assert broken.tradeoff(0.0) == 0.0


def test_the_lesson_of_a_sound_release_tells_tight_from_wasteful():
    tight = reference_cases.message(DEMAND).lesson
    assert "touches" in tight
    wasteful = reference_cases.message(DEMAND, calibration="published")
    assert wasteful.sound and "touches" not in wasteful.lesson
    assert "2 times the" in reference_cases.message(DEMAND, factor=2.0).lesson
    assert "Too little" in reference_cases.message(DEMAND, factor=0.99).lesson


def test_empirical_trade_off_by_hand():
    verdict = audit.Distinguisher(np.ravel, 0.0, 0.0, False, 1.0, 1e-5, False, 0.9).judge(
        [3.0, 1.0, 2.0, 4.0], [2.5, 3.5, 4.5, 5.5]
    )
    # "second" above 3 costs one false alarm in four and misses only 2.5.
    assert verdict.tradeoff([0.0, 0.25, 0.5, 1.0]).tolist() == [0.5, 0.25, 0.0, 0.0]


def test_likelihood_ratio_of_the_aggregators_view_has_the_stated_leakage():
    from core import cape

    plan = cape.design([1.0, 2.0, 0.5, 1.5], [0.3, 0.2, 0.3, 0.2])
    for known in ((), (3,), (1, 2)):
        covariance = audit.view_covariance(plan, known)
        change = np.eye(4)[0]
        score = audit.likelihood_ratio(change, covariance)
        assert score(change[None])[0] == pytest.approx(plan.leakage(1.0, known)[0])


def test_learnt_tests_find_differences_in_spread():
    verdict = audit.audit(
        lambda width, n, rng: width * rng.standard_normal((n, 3)),
        1.0,
        2.0,
        promise=0.5,
        runs=4000,
        rng=np.random.default_rng(5),
    )
    assert verdict.violated


def test_learnt_tests_survive_more_numbers_than_runs():
    def mechanism(shift, runs, rng):
        return rng.standard_normal((runs, 400)) + shift

    shift = np.zeros(400)
    shift[7] = 3.0
    options = {"runs": 800, "rng": np.random.default_rng(6), "promise": 1.0}
    assert audit.audit(mechanism, np.zeros(400), shift, **options).violated
    assert not audit.audit(mechanism, np.zeros(400), np.zeros(400), **options).violated


def test_clopper_pearson_bounds_cover():
    rng = np.random.default_rng(7)
    for rate in (0.001, 0.2, 0.7):
        counts = rng.binomial(500, rate, 4000)
        missed = (auditor._upper(counts, 500, 0.9) < rate).mean()
        assert missed < 0.05 + 3.9 * math.sqrt(0.05 * 0.95 / 4000)  # 5 % a side; false-alarm rate 5e-5


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"runs": 10}, "runs must be a whole number of at least 100, got 10"),
        ({"confidence": 1.0}, "confidence must be a number strictly between 0 and 1"),
        ({"promise": -1.0}, "promise must be a positive finite number"),
        ({"mechanism": lambda data, runs, rng: np.zeros(3)}, "mechanism must return 50 outputs"),
        ({"mechanism": lambda data, runs, rng: np.full(runs, math.nan)}, "outputs of the mechanism must be"),
    ],
)
def test_bad_arguments_are_named(options, words):
    defaults = {"mechanism": lambda data, runs, rng: rng.random(runs), "promise": 1.0, "runs": 100}
    options = defaults | options
    with pytest.raises(ValueError, match=words):
        audit.audit(options.pop("mechanism"), 0.0, 1.0, rng=np.random.default_rng(0), **options)
