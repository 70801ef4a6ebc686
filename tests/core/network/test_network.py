"""The network: gradients against finite differences and a loop, clipping, composition, training under schemes."""

import dataclasses
import math
import pickle
from itertools import islice

import numpy as np
import pytest
from laws import assert_normal

from core import Privacy, cape, network, privacy, sweep
from core.network import gradient, start, steps, train, training
from core.schemes import SCHEMES
from data.sites import hold_out, split
from data.synthetic import two_classes

DEMAND = Privacy(1.0, 1e-3)


def problem(total=800, d=4, *, sites=4, separation=1.5, seed=0):
    """Two classes dealt to sites, and records held out."""
    rng = np.random.default_rng(seed)
    parts = hold_out(two_classes(total, dimension=d, separation=separation, rng=rng).pair, rng=rng)
    return split(parts.train, sites, rng=rng), parts.test


SITES, TEST = problem()
X, Y = (np.concatenate(part) for part in zip(*SITES, strict=True))
NETWORK = start(4, 3, rng=np.random.default_rng(5)).at(np.random.default_rng(5).standard_normal(3 * 6 + 1))


def run(scheme="cape", *, sites=SITES, demand=DEMAND, seed=1, **options):
    demand = None if scheme == "nonprivate" else demand
    options = {"begin": NETWORK, "steps": 6, **options}
    return train(sites, scheme=scheme, privacy=demand, rng=np.random.default_rng(seed), **options)


def test_parameters_go_to_a_vector_and_back():
    vector = NETWORK.vector
    assert vector.shape == (3 * (4 + 2) + 1,)
    np.testing.assert_array_equal(NETWORK.at(vector).vector, vector)
    z = np.maximum(X @ NETWORK.hidden_weights.T + NETWORK.hidden_bias, 0) @ NETWORK.output_weights
    z = z + NETWORK.output_bias
    p = 1 / (1 + np.exp(-z))
    np.testing.assert_allclose(NETWORK.probability(X), p, rtol=1e-10)
    assert NETWORK.loss(X, Y) == pytest.approx(-np.mean(np.where(Y == 1, np.log(p), np.log(1 - p))))
    assert NETWORK.accuracy(X, Y) == pytest.approx(np.mean((p > 0.5) == Y))


def test_the_gradient_agrees_with_finite_differences():
    found = gradient(NETWORK, X, Y, clip=None).mean
    step = 1e-6
    for i, unit in enumerate(np.eye(len(found))):
        up, down = (NETWORK.at(NETWORK.vector + s * step * unit).loss(X, Y) for s in (1, -1))
        assert found[i] == pytest.approx((up - down) / (2 * step), abs=1e-8)


@pytest.mark.parametrize("clip", [0.1, 1.0, 3.0])
def test_clipping_agrees_with_a_loop_over_examples(clip):
    singles = [gradient(NETWORK, X[i : i + 1], Y[i : i + 1], clip=None).mean for i in range(len(Y))]
    lengths = np.linalg.norm(singles, axis=1)
    expected = np.mean([g * min(1, clip / n) for g, n in zip(singles, lengths, strict=True)], axis=0)
    found = gradient(NETWORK, X, Y, clip=clip)
    np.testing.assert_allclose(found.mean, expected, atol=1e-13)
    assert found.clipped == np.mean(lengths > clip)


@pytest.mark.parametrize("scale", [1e155, 1e200, 1e280])
def test_gradients_of_enormous_records_are_clipped_and_not_lost(scale):
    """Squares of such lengths are no numbers any more; a clipped gradient has length C all the same."""
    x = X * scale
    for i in range(len(Y)):
        found = gradient(NETWORK, x[i : i + 1], Y[i : i + 1], clip=0.5)
        assert np.isfinite(found.mean).all()
        length = np.linalg.norm(found.mean)
        wrong = abs(NETWORK.probability(x[i : i + 1])[0] - Y[i]) > 1e-9
        # Units that are off see nothing of a record: only the output bias then has a slope.
        if wrong and NETWORK.hidden(x[i : i + 1]).any():
            assert length == pytest.approx(0.5, rel=1e-9)
        assert length <= 0.5 * (1 + 1e-9)
    assert np.linalg.norm(gradient(NETWORK, x, Y, clip=0.5).mean) > 0
    # A tiny slope on a huge record is long: its own square would vanish.
    faint = dataclasses.replace(NETWORK, output_weights=NETWORK.output_weights * 1e-170)
    assert np.linalg.norm(gradient(faint, X[:1] * 1e200, Y[:1], clip=0.5).mean) <= 0.5 * (1 + 1e-9)


def test_no_example_moves_the_gradient_further_than_its_sensitivity():
    rng = np.random.default_rng(7)
    clip, n, worst = 0.7, 12, 0.0
    for _ in range(300):
        net = NETWORK.at(rng.standard_normal(len(NETWORK.vector)) * 10 ** rng.uniform(-1, 2))
        x, y = X[:n].copy(), Y[:n].copy()
        before = gradient(net, x, y, clip=clip).mean
        assert np.linalg.norm(gradient(net, x[:1], y[:1], clip=clip).mean) <= clip * (1 + 1e-12)
        # The opposite label turns a gradient round: nearly the largest change there is.
        x[0], y[0] = x[0] + 0.01 * rng.standard_normal(4), 1 - y[0]
        worst = max(worst, np.linalg.norm(gradient(net, x, y, clip=clip).mean - before))
    assert 0.9 * 2 * clip / n < worst <= 2 * clip / n * (1 + 1e-12)


@pytest.mark.parametrize(
    ("scheme", "factor"), [("pooled", 1 / 4), ("local", 1), ("conventional", 1 / 2), ("cape", 1 / 4)]
)
def test_every_step_carries_the_noise_of_its_scheme(scheme, factor):
    sites, _ = problem(total=80, d=30)
    begin = start(30, 40, rng=np.random.default_rng(0))
    common = {"sites": sites, "begin": begin, "steps": 1, "learning_rate": 1.0}
    noisy, still = run(scheme, **common), run("nonprivate", **common)
    noise = begin.vector - noisy.network.vector
    whole, first = begin.vector - still.network.vector, gradient(begin, *sites[0], clip=1.0).mean
    assert_normal(
        noise - (first if scheme == "local" else whole), factor * 2 / 14 / privacy.gaussian_mu(DEMAND)
    )


@pytest.mark.parametrize("batches", [1, 3])
def test_a_total_budget_is_met_exactly_by_all_steps_together(batches):
    last = run("conventional", steps=12, batches=batches).last
    assert last.mu_message == pytest.approx(privacy.gaussian_mu(DEMAND), rel=1e-9)
    assert privacy.gdp_delta(DEMAND.epsilon, last.mu_message) <= DEMAND.delta * (1 + 1e-9)
    cape = run("cape", steps=12, batches=batches).last
    assert cape.mu_public == pytest.approx(last.mu_message)
    # The messages of later steps depend on averages that share noise with those before.
    assert cape.mu_message == cape.mu_aggregator
    assert cape.mu_aggregator == pytest.approx(last.mu_message * math.sqrt(8 / 5))
    assert cape.mu(1) == pytest.approx(last.mu_message * math.sqrt(4 / 5 * (1 + 4 / 3)))


@pytest.mark.parametrize("calibration", ["exact", "published"])
def test_a_budget_per_step_composes_to_the_closed_form(calibration):
    mu = privacy.gaussian_mu(DEMAND, calibration=calibration)
    options = {"budget": "step", "calibration": calibration}
    for number, step in enumerate(
        steps(SITES, scheme="cape", privacy=DEMAND, rng=np.random.default_rng(0), steps=5, **options), start=1
    ):
        assert step.number == number
        assert step.mu_public == pytest.approx(mu * math.sqrt(number), rel=1e-9)
        assert step.mu_message == pytest.approx(mu if number == 1 else step.mu_aggregator, rel=1e-9)
    three_parts = run("cape", steps=7, batches=3, **options).last
    assert three_parts.mu_public == pytest.approx(mu * math.sqrt(3), rel=1e-9)


def test_a_total_budget_under_the_published_calibration_is_the_published_mu():
    last = run(steps=9, calibration="published").last
    assert last.mu_public == pytest.approx(privacy.gaussian_mu(DEMAND, calibration="published"))


def test_against_the_aggregator_the_whole_training_meets_the_demand():
    last = run(steps=5, against="aggregator").last
    assert last.mu_aggregator == pytest.approx(privacy.gaussian_mu(DEMAND))
    assert last.mu_public < last.mu_aggregator


def test_messages_that_depend_on_hidden_averages_compose_to_more():
    """Two steps of one number, S = 20: message 2 carries 5 times average 1. Covariance and shift by definition."""
    sites, factor = 20, 5.0
    shared = factor / sites**2  # Local noise of message 1 in average 1, and so in message 2.
    noise = np.array([[1, shared], [shared, 1 + factor**2 / sites**2]])
    moved = np.array([1, 1 + factor / sites])
    squared = moved @ np.linalg.solve(noise, moved)
    assert 2 < squared == pytest.approx(2.44, abs=0.005)
    assert squared < 2 * cape.leakage(sites)


def test_without_noise_every_scheme_takes_the_same_steps():
    still = run("nonprivate", steps=20).network.vector
    for scheme in ("pooled", "conventional", "cape"):
        found = run(scheme, demand=Privacy(1e12, 0.5), steps=20).network.vector
        np.testing.assert_allclose(found, still, atol=1e-3)


def test_unequal_sites_and_batches_average_to_the_gradient_of_all_records():
    uneven = split((X, Y), 3, sizes=[60, 100, 400], rng=np.random.default_rng(0))
    found = run("nonprivate", sites=uneven, steps=1, learning_rate=1.0).network.vector
    np.testing.assert_allclose(NETWORK.vector - found, gradient(NETWORK, X, Y, clip=1.0).mean, atol=1e-14)
    parts = training._deal(uneven, 4, np.random.default_rng(0))
    rows = np.concatenate([x for part in parts for x, _ in part])
    np.testing.assert_array_equal(np.sort(rows, axis=0), np.sort(X, axis=0))
    last = run("cape", sites=uneven, steps=8, batches=4).last
    assert last.mu_public == pytest.approx(privacy.gaussian_mu(DEMAND))


def test_it_learns_and_correlated_noise_learns_more():
    sites, held_out = problem(total=4000, d=20, separation=1.0)
    accuracy = {}
    for scheme in ("nonprivate", "pooled", "cape", "conventional", "local"):
        runs = 1 if scheme == "nonprivate" else 4
        found = [
            train(
                sites,
                scheme=scheme,
                privacy=None if scheme == "nonprivate" else Privacy(0.15, 1e-5),
                rng=np.random.default_rng(seed),
                begin=start(20, 5, rng=np.random.default_rng(0)),
                steps=60,
            ).network.accuracy(*held_out)
            for seed in range(runs)
        ]
        accuracy[scheme] = np.mean(found)
    assert accuracy["nonprivate"] > 0.95
    assert accuracy["nonprivate"] > accuracy["cape"] > accuracy["conventional"] > accuracy["local"]
    assert abs(accuracy["cape"] - accuracy["pooled"]) < accuracy["cape"] - accuracy["conventional"]


def test_training_stops_where_it_is_told_and_reports_every_step():
    long = {"scheme": "cape", "privacy": DEMAND, "steps": 10**6, "begin": NETWORK}
    taken = list(islice(steps(SITES, rng=np.random.default_rng(1), **long), 3))
    assert [s.number for s in taken] == [1, 2, 3]
    seen = []
    whole = run(steps=4, on_step=seen.append)
    assert [s.number for s in seen] == [1, 2, 3, 4]
    assert whole.losses.shape == whole.accuracies.shape == whole.clipped.shape == (4,)
    assert whole.losses[0] == pytest.approx(NETWORK.loss(X, Y))
    assert whole.last.network is whole.network


def test_the_same_seed_gives_the_same_network_and_another_does_not():
    assert (run().network.vector == run().network.vector).all()
    assert (run(seed=2).network.vector != run().network.vector).all()


def test_separable_classes_leave_every_number_finite():
    x = np.array([[3.0, 0.0], [-3.0, 0.0]] * 30)
    y = (x[:, 0] > 0).astype(float)
    found = run("nonprivate", sites=[(x[:30], y[:30]), (x[30:], y[30:])], begin=None, steps=300)
    assert np.isfinite(found.losses).all()
    assert found.network.accuracy(x, y) == 1.0


def test_a_diverging_step_size_is_named():
    with pytest.raises(ValueError, match=r"learning_rate.*step \d+.*100000"):
        run("nonprivate", clip=None, learning_rate=1e5, steps=50)
    with pytest.raises(ValueError, match="epsilon larger"):
        run("local", demand=Privacy(1e-8, 1e-9), learning_rate=1.0)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"scheme": "magic"}, "scheme must be one of"),
        ({"budget": "magic"}, "budget must be one of"),
        ({"steps": 0}, "steps must be a whole number of at least 1"),
        ({"clip": 0}, "clip must be finite and above 0"),
        ({"clip": None}, "clip must be a positive finite number"),
        ({"learning_rate": -1}, "learning_rate must be a positive finite number"),
        ({"demand": None}, "privacy must be one Privacy"),
        ({"batches": 500}, "site 0 must be a table with at least 500 rows"),
        ({"sites": [(X, Y)]}, "sites must be at least 2"),
        ({"sites": [(X, Y), (X[:, :2], Y)]}, "records of one width"),
        ({"sites": [(X, Y), (X, Y + 1)]}, "labels of site 1 must be 0 or 1, got 2"),
        ({"sites": [(X, Y), (X * np.inf, Y)]}, "records of site 1 must be finite"),
        ({"sites": [(X, Y), (X, Y[:3])]}, "labels of site 1 must be 560 numbers"),
        ({"sites": [X, X]}, r"sites must hold pairs \(X, y\)"),
    ],
)
def test_bad_input_is_refused_at_once_and_by_name(options, words):
    with np.errstate(invalid="ignore"), pytest.raises(ValueError, match=words):
        run(**options)


def load(settings):
    """Data for a sweep."""
    return problem(
        settings["samples"], settings["dimension"], sites=settings["sites"], seed=settings["data_seed"]
    )


def test_as_a_problem_it_sweeps_and_pickles():
    task = pickle.loads(pickle.dumps(network.Problem(load, options=(("learning_rate", 1.0),))))
    cells = sweep.grid(
        epsilon=[0.05, 10.0], delta=1e-5, sites=3, samples=600, dimension=4, data_seed=0, steps=25
    )
    table = sweep.run(task, cells, schemes=SCHEMES, repeats=3, seed=1)
    mean = table.groupby(["scheme", "epsilon"]).test.mean()
    assert mean["cape", 10.0] > mean["cape", 0.05]
    assert mean["nonprivate", 10.0] > 0.9
    assert table[["train", "test", "loss"]].notna().all().all()


@pytest.mark.parametrize("scheme", ["nonprivate", "cape"])
def test_a_feature_too_large_for_training_is_named_before_it_begins(scheme):
    """The record is at fault, not the learning rate of step 1, and no training that has begun stops for it."""
    rng = np.random.default_rng(0)
    sites = [(rng.standard_normal((6, 3)), np.arange(6) % 2.0) for _ in range(2)]
    sites[1][0][4, 2] = -1.7e308
    demand = None if scheme == "nonprivate" else Privacy(1.0, 1e-5)
    options = {"scheme": scheme, "privacy": demand, "rng": rng, "steps": 3}
    words = r"records of site 1 must have entries of at most 1e\+100 in size, got -1.7e\+308 in record 4, feature 2"
    with pytest.raises(ValueError, match=words):
        network.steps(sites, **options)
    sites[1][0][4, 2] = -1e100
    if scheme == "cape":
        assert len(list(network.steps(sites, **options))) == 3
