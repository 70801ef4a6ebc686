"""The amplitude of zero-sum noise: the family against brute force, its best member, and the table of variances."""

import itertools
import math

import numpy as np
import pytest
from scipy.optimize import brentq, minimize_scalar

from core import Privacy, cape, pca, release, schemes, sweep
from core.privacy import gdp_mu
from core.schemes import amplitude
from core.sweep import search

DEMAND = Privacy(1.0, 1e-5)
# c, r, and variances over the pooled one: conventional, CAPE as published, best amplitude, secure aggregation.
TABLE = [
    (0, 0, 10.00, 1.82, 1.00, 1.00),
    (0, 1, 11.11, 4.04, 4.00, 1.23),
    (0, 2, 12.50, 6.82, 6.25, 1.56),
    (0, 4, 16.67, 15.15, 11.90, 2.78),
    (3, 0, 10.00, 2.21, 1.43, 1.43),
    (3, 1, 11.11, 4.91, 4.71, 1.85),
    (3, 2, 12.50, 8.28, 7.07, 2.50),
    (3, 4, 16.67, 18.40, 12.86, 5.56),
]


def joint_leakage(d, gamma, known, silent):
    """μ² (1/change²) of every honest sender from the joint Gaussian of messages, T and what colluders know.

    `d` and `gamma` are weighted variances of ê and g; rows are linear forms in 2S independent normals.
    """
    sites = len(d)
    hats = np.hstack([np.diag(np.sqrt(d)), np.zeros((sites, sites))])
    own = np.hstack([np.zeros((sites, sites)), np.diag(np.sqrt(gamma))])
    total = hats.sum(axis=0)
    share = d / d.sum() if d.any() else d
    messages = hats - np.outer(share, total) + own
    sent = [s for s in range(sites) if s not in known and s not in silent]
    rows = np.vstack([messages[sent], total[None], hats[list(known)], own[list(known)]])
    changes = np.eye(len(rows))[:, : len(sent)]
    noise = np.linalg.lstsq(rows, changes, rcond=1e-13)[0]
    found = np.full(sites, np.nan)
    found[sent] = (noise**2).sum(axis=0)
    return found, messages


def random_setting(rng):
    sites = int(rng.integers(2, 7))
    weights = rng.dirichlet(np.full(sites, 8.0))
    std = rng.uniform(0.5, 2, sites)
    order = rng.permutation(sites).tolist()
    colluding = int(rng.integers(0, sites))
    lost = int(rng.integers(0, sites - colluding))
    return std, weights, order[:colluding], order[::-1][:lost]


def test_every_view_of_a_louder_design_equals_the_joint_gaussian():
    rng = np.random.default_rng(1)
    for _ in range(150):
        std, weights, known, silent = random_setting(rng)
        a = float(np.exp(rng.uniform(np.log(0.05), np.log(20))))
        plan = cape.design(std, weights, amplitude=a, against="aggregator")
        d, gamma = (weights * plan.seed_std) ** 2, (weights * plan.local_std) ** 2
        seen, messages = joint_leakage(d, gamma, known, silent)
        sent = ~np.isnan(seen)
        found = plan.leakage(1.0, known, dropped=silent)
        np.testing.assert_allclose(found[sent], (weights**2 * seen)[sent], rtol=1e-9)
        np.testing.assert_allclose(plan.std, np.linalg.norm(messages, axis=1) / weights, rtol=1e-9)
        left = [s for s in range(len(std)) if s not in silent]
        average = np.linalg.norm(messages[left].sum(axis=0)) / weights[left].sum()
        assert plan.average_std(silent) == pytest.approx(average, rel=1e-9)


@pytest.mark.parametrize(("c", "r", "shown"), [(*row[:2], row[2:]) for row in TABLE])
def test_the_table_of_variances_comes_out_to_three_digits(c, r, shown):
    held = {"against": "colluders", "colluding": c, "dropouts": r, "dropped": r}
    names = ("conventional", "cape", "cape-best", "secure")
    for name, expected in zip(names, shown, strict=True):
        found = schemes.noise_factor(name, 10, **held) ** 2
        # Without dropouts the best is a limit, from which the cap is less than 1 % away.
        assert found == pytest.approx(
            expected, rel=0.0101 if r == 0 and name == "cape-best" else 5e-3 / expected
        )


@pytest.mark.parametrize(("c", "shown"), [(row[0], row[2:]) for row in TABLE if row[1] == 0])
def test_sites_of_unequal_size_with_one_target_have_the_same_table(c, shown):
    samples = np.array([10, 20, 270, 50, 50, 100, 30, 30, 40, 400])
    std, weights = 1 / samples, samples / samples.sum()
    names = ("conventional", "cape", "cape-best", "secure")
    for name, expected in zip(names, shown, strict=True):
        found = schemes.average_std(name, std, weights, against="colluders", colluding=c)
        ratio = (found * samples.sum()) ** 2
        assert ratio == pytest.approx(expected, rel=0.0101 if name == "cape-best" else 5e-3 / expected)


def test_published_stays_as_it_is():
    rng = np.random.default_rng(2)
    for _ in range(50):
        std, weights, *_ = random_setting(rng)
        for options in ({}, {"amplitude": 1.0}, {"amplitude": "best", "dropouts": len(std) - 1}):
            plan = cape.design(std, weights, **options)
            before = schemes.noise_design.design(std, weights)
            for name in ("std", "zero_sum_std", "local_std", "seed_std"):
                np.testing.assert_array_equal(getattr(plan, name), getattr(before, name))


def numeric_best(sites, c, r):
    """Least variance over D, with γ the root of the quadratic equation, by golden section; m = 1."""
    h = sites - c

    def variance(log_d):
        d = math.exp(log_d)
        b = h * d - h
        gamma = (-b + math.sqrt(b * b + 4 * h * d)) / (2 * h)
        return (gamma + d * r / sites) / (sites - r)

    tried = np.linspace(-12, math.log(amplitude.CAP), 400)
    at = tried[np.argmin([variance(x) for x in tried])]
    found = minimize_scalar(
        variance, bounds=(at - 0.1, min(at + 0.1, math.log(amplitude.CAP))), method="bounded"
    )
    return min(found.fun, 1 / (sites - r)) * sites**2


def test_the_closed_form_of_the_best_amplitude_is_the_minimum():
    for sites, c, r in [
        (10, 0, 1),
        (10, 3, 2),
        (7, 2, 3),
        (30, 5, 1),
        (30, 9, 20),
        (4, 1, 1),
        (5, 0, 0),
        (12, 4, 0),
    ]:
        best = cape.best_amplitude(sites, c, r)
        found = cape.variance_ratio(best, sites, colluding=c, dropouts=r)
        assert found == pytest.approx(numeric_best(sites, c, r), rel=1e-6)


def test_the_best_amplitude_is_never_worse_than_published_or_independent_noise():
    rng = np.random.default_rng(3)
    sites = rng.integers(2, 200, 10_000)
    c = rng.integers(0, sites)
    r = rng.integers(0, sites - c)
    best = cape.best_amplitude(sites, c, r)
    found, published, independent = (
        cape.variance_ratio(a, sites, colluding=c, dropouts=r) for a in (best, 1.0, 0.0)
    )
    assert (best >= 0).all() and (best < 1).any() and (best > 1).any()
    assert (found <= np.minimum(published, independent) * (1 + 1e-12)).all()
    pooled = cape.variance_ratio(cape.best_amplitude(sites), sites)
    assert (pooled >= 1).all() and (pooled < 1.01).all()


def test_unequal_sites_are_never_worse_either_and_their_targets_hold():
    rng = np.random.default_rng(4)
    better = 0
    for _ in range(12):
        sites = int(rng.integers(2, 9))
        std, weights = rng.lognormal(0, 1, sites), rng.dirichlet(np.full(sites, 3.0))
        c = int(rng.integers(0, sites))
        r = int(rng.integers(0, sites - c))
        held = {"against": "colluders", "colluding": c}
        best = cape.design(std, weights, amplitude="best", dropouts=r, **held)
        noise = schemes.worst_dropouts(best, r)[0]
        assert np.nanmax(best.leakage(std, c)) <= 1 + 1e-9
        for a in ("published", 0.0):
            other = schemes.worst_dropouts(cape.design(std, weights, amplitude=a, **held), r)[0]
            assert noise <= other * (1 + 1e-9)
            better += noise < 0.98 * other
    assert better > 4


def test_louder_noise_takes_every_site_down_to_what_the_average_tells():
    std, weights = np.array([1.0, 2.0, 0.7, 1.5, 3.0]), np.array([0.3, 0.1, 0.3, 0.2, 0.1])
    base = schemes.noise_design.design(std, weights)
    public = (weights * std / base.target) ** 2
    largest = []
    for a in (1, 2, 5, 20, 1000):
        leaked = amplitude._louder(base, a).leakage(std)
        assert (leaked > public).all()
        largest.append(leaked.max())
    assert largest == sorted(largest, reverse=True)
    assert leaked == pytest.approx(public, rel=1e-2)


def test_no_amplitude_is_the_published_one():
    held = {"against": "aggregator", "dropouts": 2}
    plans = [cape.design([1.0, 2.0, 3.0], amplitude=a, **held) for a in (None, "published")]
    assert plans[0].amplitude == 1.0
    np.testing.assert_array_equal(plans[0].seed_std, plans[1].seed_std)


def test_worst_dropouts_is_the_worst_of_all_sets():
    rng = np.random.default_rng(5)
    for _ in range(8):
        std, weights, *_ = random_setting(rng)
        plan = cape.design(std, weights)
        for r in range(len(std)):
            noise, lost = schemes.worst_dropouts(plan, r)
            sets = itertools.combinations(range(len(std)), r)
            assert noise == pytest.approx(max(plan.average_std(one) for one in sets))
            assert noise == pytest.approx(plan.average_std(lost)) and len(lost) == r


def test_published_cape_is_worse_than_independent_noise_from_a_number_of_dropouts_on():
    for sites, c in [(10, 0), (10, 3), (4, 1), (30, 9), (5, 4)]:
        first = cape.dropouts_that_favour_independent_noise(sites, c)
        lost = np.arange(sites)
        published, independent = (
            cape.variance_ratio(a, sites, colluding=c, dropouts=lost) for a in (1.0, 0.0)
        )
        np.testing.assert_array_equal(published > independent * (1 + 1e-12), lost >= first)


def test_a_release_has_the_noise_and_the_guarantees_of_its_design():
    mu = gdp_mu(DEMAND)
    held = {"against": "colluders", "colluding": 3, "dropouts": 1}
    found = release(
        np.zeros((10, 20_000)), 1.0, DEMAND, scheme="cape-best", rng=np.random.default_rng(6), **held
    )
    assert found.mu(3) == pytest.approx(mu) and found.mu_aggregator < mu
    assert max(found.mu_message, found.mu_public) < mu
    plan = cape.design(np.full(10, 1 / mu), amplitude="best", **held)
    assert found.std == pytest.approx(plan.target) and found.design.amplitude == plan.amplitude
    assert np.std(found.value) == pytest.approx(found.std, rel=0.03)
    again = release(
        np.zeros((10, 4)), 1.0, DEMAND, scheme="cape", amplitude="best", rng=np.random.default_rng(6), **held
    )
    assert again.std == pytest.approx(found.std)
    lost = release(
        np.zeros((10, 20_000)),
        1.0,
        DEMAND,
        scheme="cape-best",
        rng=np.random.default_rng(7),
        dropped=[4],
        **held,
    )
    assert np.std(lost.value) == pytest.approx(lost.std, rel=0.03)
    assert lost.std == pytest.approx(plan.average_std([4])) and lost.mu(3) < mu


def test_a_sweep_holds_every_scheme_against_the_adversary_that_its_settings_name():
    rng = np.random.default_rng(8)
    records = rng.normal(size=(6, 30, 3))
    records /= np.maximum(1, np.linalg.norm(records, axis=2, keepdims=True))
    task = pca.Problem(lambda settings: (list(records), None), data_settings=())
    settings = {"k": 1, "against": "colluders", "colluding": 2, "dropouts": 1, "dropped": 1}
    moments, mu = task.statistics({}), gdp_mu(DEMAND)
    for scheme in ("conventional", "cape", "cape-best", "graph", "secure"):
        result = task.fit(moments, scheme, DEMAND, np.random.default_rng(9), settings).release
        assert result.mu(2) <= mu * (1 + 1e-9), scheme
        there = task.fit(moments, scheme, DEMAND, np.random.default_rng(9), settings | {"dropped": 0}).release
        assert there.mu(2) <= mu * (1 + 1e-9)
        assert len(result.dropped or result.absent) == 1
    table = sweep.run(
        task,
        [settings | {"epsilon": 1.0, "delta": 1e-5, "colluding": c} for c in (0, 2)],
        schemes=["nonprivate", "cape-best", "graph", "secure"],
        repeats=2,
        seed=1,
    )
    assert len(table) == 2 * (1 + 3 * 2) and np.isfinite(table.energy).all()
    loose = task.fit(moments, "cape", DEMAND, np.random.default_rng(9), {"k": 1}).release
    assert loose.mu(2) > 1.3 * mu


def test_a_plan_answers_which_epsilon_suffices_if_the_aggregator_may_not_learn_more():
    """CAPE pays √(2S/(S+1)) in noise; its best amplitude and secure aggregation pay next to nothing."""
    bound, sites = 0.002, {"sites": 10, "samples": 1000}

    def least(scheme, **terms):
        def error(epsilon):
            return schemes.error_of_average(scheme, privacy=Privacy(epsilon, 1e-5), **sites, **terms)

        return search.solve(error, 1e-3, 50.0, bound)

    alone = {s: least(s) for s in ("cape", "cape-best", "secure", "conventional")}
    held = {s: least(s, against="aggregator") for s in alone}
    mus = {s: gdp_mu(Privacy(held[s], 1e-5)) / gdp_mu(Privacy(alone["cape"], 1e-5)) for s in held}
    assert alone["cape-best"] == pytest.approx(alone["cape"]) == pytest.approx(alone["secure"])
    assert mus["cape"] == pytest.approx(math.sqrt(20 / 11), rel=1e-6)
    assert 1 < mus["cape-best"] < 1.005 and mus["secure"] == pytest.approx(1, rel=1e-6)
    assert held["conventional"] == pytest.approx(alone["conventional"])


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: cape.design(np.ones(10), target=0.11, against="aggregator"),
            r"target must be at least 0\.13.* against the aggregator, got 0\.11; amplitude 4\.\d+ or more",
        ),
        (
            lambda: cape.design(np.ones(10), target=0.09, against="aggregator", amplitude=2.0),
            r"target must be at least .*; the best amplitude needs at least 0\.1004\d+",
        ),
        (
            lambda: cape.design(np.ones(4), amplitude=-1.0),
            "amplitude must be a finite number of at least 0, got -1.0",
        ),
        (lambda: cape.design(np.ones(4), amplitude="loud"), "amplitude must be one of 'published', 'best'"),
        (
            lambda: release(np.ones(4), 1, DEMAND, scheme="cape", rng=np.random.default_rng(0), dropouts=4),
            "dropouts must be at most 3, so that one of the 4 sites is honest and sends, got 4",
        ),
        (
            lambda: schemes.noise_factor("secure", 5, against="colluders", colluding=2, dropouts=3),
            "dropouts must be at most 2, so that one of the 5 sites beside 2 colluding ones is honest",
        ),
    ],
)
def test_what_cannot_be_met_is_named_with_the_nearest_that_can(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_the_nearest_amplitude_and_target_that_are_named_work():
    with pytest.raises(cape.UnreachableTarget) as found:
        cape.design(np.ones(10), target=0.11, against="aggregator")
    nearest = float(str(found.value).split("amplitude ")[-1].split()[0])
    assert cape.design(
        np.ones(10), target=0.11, against="aggregator", amplitude=nearest
    ).target == pytest.approx(0.11)
    with pytest.raises(cape.UnreachableTarget):
        cape.design(np.ones(10), target=0.11, against="aggregator", amplitude=nearest * 0.999)
    assert cape.design(np.ones(10), target=found.value.nearest * (1 + 1e-9), against="aggregator").sites == 10
    root = brentq(lambda a: cape.variance_ratio(a, 10) - 1.21, 0.01, 1000)
    assert nearest == pytest.approx(root, rel=1e-3)
