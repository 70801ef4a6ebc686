"""Private recovery of components: exact without noise, the promised noise with it, and no leak."""

import math
import pickle
from dataclasses import dataclass

import numpy as np
import pytest

from core import Privacy, decomposition, metrics, moments, privacy, sweep
from core.decomposition import estimator, problem
from core.moments import sensitivities
from core.tensors import compose, contract, power

DEMAND = Privacy(1.0, 1e-5)
SCHEMES = ("pooled", "local", "conventional", "cape")


@dataclass(frozen=True, eq=False)
class Population(moments.Moments):
    """The moments of a law itself."""

    components: np.ndarray
    weights: np.ndarray
    samples: int = 1000
    variance: float = 0.0

    @property
    def d(self):
        return self.components.shape[1]

    def second(self):
        return (self.components.T * self.weights) @ self.components

    def third(self, first, second=None, third=None):
        return contract(compose(self.weights, self.components), first, second, third)

    def power(self, vectors):
        return power(compose(self.weights, self.components), vectors)


def population(model="topics", k=3, d=6, seed=1):
    rng = np.random.default_rng(seed)
    rows = rng.dirichlet(np.ones(d), k) if model == "topics" else rng.standard_normal((k, d))
    if model == "gaussians":
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return Population(rows, rng.dirichlet(np.full(k, 5.0)))


def documents(sites=3, samples=400, d=6, k=3, seed=2):
    rng = np.random.default_rng(seed)
    law = population(d=d, k=k)
    labels = rng.choice(k, (sites, samples), p=law.weights)
    cumulative = np.cumsum(law.components, axis=1)[labels]
    draws = rng.random((sites, samples, 3, 1))
    return np.minimum((draws > cumulative[:, :, None, :]).sum(axis=-1), d - 1)


def records(sites=3, samples=300, d=5, seed=3):
    x = np.random.default_rng(seed).standard_normal((sites, samples, d)) * 0.1
    x[..., 0] += 0.5 * np.random.default_rng(seed + 1).integers(0, 2, (sites, samples))
    return x


def run(sites, k=3, scheme="cape", demand=DEMAND, seed=1, **options):
    return decomposition.fit(
        sites, k, scheme=scheme, privacy=demand, rng=np.random.default_rng(seed), **options
    )


@pytest.mark.parametrize("decomposer", ["robust", "simultaneous", "jacobi"])
@pytest.mark.parametrize("model", decomposition.MODELS)
def test_the_components_of_exact_moments_are_recovered_exactly(model, decomposer):
    law = population(model)
    for simplex in decomposition.SIMPLEX:
        found = run(
            [law, law], scheme="nonprivate", demand=None, model=model, decomposer=decomposer, simplex=simplex
        )
        order = metrics.matching(law.components, found.components)
        np.testing.assert_allclose(found.components[order], law.components, atol=1e-8)
        np.testing.assert_allclose(found.weights[order], law.weights, atol=1e-8)
    assert (found.identified, found.above_noise, found.noise_edge) == (3, 3, 0)
    assert found.mu_public == math.inf


@pytest.mark.parametrize("scheme", [*SCHEMES, "avn"])
def test_much_privacy_budget_gives_the_answer_without_noise(scheme):
    sites = documents()
    plain = run(
        sites[:1].repeat(3, axis=0) if scheme == "local" else sites,
        demand=None,
        scheme="nonprivate",
        vocabulary=6,
    )
    for epsilon, close in ((1e6, 0.05), (1e14, 1e-5)):
        found = run(sites, scheme=scheme, demand=Privacy(epsilon, 0.5), vocabulary=6)
        assert metrics.matched_error(plain.components, found.components) < close


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("share", [0.2, 0.5])
def test_the_two_releases_spend_the_budget_exactly(scheme, share):
    found = run(documents(), scheme=scheme, share=share, vocabulary=6)
    mu = privacy.gdp_mu(DEMAND)
    view = "mu_public" if scheme == "pooled" else "mu_message"
    assert getattr(found.second, view) == pytest.approx(mu * math.sqrt(share), rel=1e-6)
    assert getattr(found.third, view) == pytest.approx(mu * math.sqrt(1 - share), rel=1e-6)
    # The second message tells of the first average, which shares noise with the first message.
    expected = mu if scheme == "pooled" else math.hypot(found.second.mu_aggregator, found.third.mu_message)
    assert getattr(found, view) == pytest.approx(expected, rel=1e-6)
    # The conventional average is noisier than any demand asks for.
    assert found.mu_public == pytest.approx(mu / math.sqrt(3 if scheme == "conventional" else 1), rel=1e-6)
    if scheme == "cape":
        assert found.mu_aggregator == pytest.approx(mu * math.sqrt(2 * 3 / 4), rel=1e-6)


def test_gaussians_get_less_noise_because_no_record_moves_both_moments_fully():
    found = run(records(), k=2, model="gaussians", variance=0.01)
    joint = sensitivities.joint(0.5, model="gaussians", d=5, variance=0.01)
    mu = privacy.gdp_mu(DEMAND)
    assert found.second.mu_public == pytest.approx(mu * math.sqrt(0.5 / joint), rel=1e-6)
    assert found.mu_public == pytest.approx(mu, rel=1e-6)
    assert joint < 0.8


def test_published_conventions_add_the_published_noise():
    found = run(documents(), vocabulary=6, **decomposition.PUBLISHED)
    tau = math.sqrt(2) / 400 / 0.5 * math.sqrt(2 * math.log(1.25 / 0.5e-5))
    # A third of the noise of a message, by three equal sites under CAPE.
    assert found.second.std == pytest.approx(tau / 3, rel=1e-9)
    assert found.third.sensitivities[0] / found.third.mu_message == pytest.approx(tau, rel=1e-9)
    gaussian = run(records(), k=2, model="gaussians", variance=0.01, **decomposition.PUBLISHED)
    stated = math.hypot(gaussian.second.mu_public, gaussian.third.mu_public)
    # The published Δ2 = 1/n is √2 too small; every release states the truth.
    half = privacy.gaussian_mu(Privacy(0.5, 0.5e-5), calibration="published")
    assert gaussian.second.mu_public == pytest.approx(math.sqrt(2) * half, rel=1e-9)
    third = [
        sensitivities.third(1, model="gaussians", form=f, d=5, variance=0.01) for f in ("exact", "published")
    ]
    assert gaussian.third.mu_public == pytest.approx(third[0] / third[1] * half, rel=1e-9)
    assert gaussian.mu_public == pytest.approx(stated, rel=1e-9)


def test_cape_releases_with_the_noise_of_a_pooled_curator():
    pooled, cape = (run(documents(), scheme=s, vocabulary=6) for s in ("pooled", "cape"))
    np.testing.assert_allclose(pooled.second.std, cape.second.std, rtol=1e-9)
    # The third moments' noise is scaled as each run's own W sees it; what enters is the same.
    assert pooled.third.mu_public == pytest.approx(cape.third.mu_public, rel=1e-9)


@pytest.mark.parametrize("scheme", [*SCHEMES, "nonprivate", "avn"])
def test_streaming_large_moments_changes_nothing(scheme, monkeypatch):
    sites = documents()[:2]
    sites = [sites[0], sites[1][:150]]
    demand = None if scheme == "nonprivate" else DEMAND
    stacked = run(sites, scheme=scheme, demand=demand, vocabulary=6)
    monkeypatch.setattr(estimator, "_STREAMED", 0)
    streamed = run(sites, scheme=scheme, demand=demand, vocabulary=6)
    np.testing.assert_allclose(streamed.second.value, stacked.second.value, atol=1e-15)
    np.testing.assert_allclose(streamed.components, stacked.components, atol=1e-7)


def test_local_looks_at_the_first_site_alone():
    sites = documents()
    others = sites.copy()
    others[1:] = 0
    np.testing.assert_array_equal(
        run(sites, scheme="local", vocabulary=6).components,
        run(others, scheme="local", vocabulary=6).components,
    )


def integers(matrix, samples):
    """How far samples · (M − Mᵀ) is from whole numbers: 0 for counts, 1/4 for noise."""
    scaled = samples * (matrix - matrix.T)[np.triu_indices(len(matrix), 1)]
    return np.abs(scaled - np.round(scaled)).mean(), np.abs(scaled).max()


def test_moments_that_are_not_symmetrised_leak_and_ours_do_not():
    """At ε = 0.001 symmetric noise of standard deviation above 1000 leaves word-count differences in clear."""
    demand, tokens = Privacy(1e-3, 1e-5), documents(sites=2)
    leaking = [moments.single_topic(x, 6, triples="first", symmetrised=False) for x in tokens]
    options = {"demand": demand, "vocabulary": 6, "noise": "copied"}
    released = run(leaking, leaky=True, order="magnitude", **options)
    off, largest = integers(released.second.value, tokens[:, :, 0].size)
    assert off < 1e-6 and largest > 1
    raw = sum(m.second() for m in leaking) / 2
    np.testing.assert_allclose(released.second.value - released.second.value.T, raw - raw.T, atol=1e-10)
    assert released.mu_public == math.inf
    ours = run(tokens, **options)
    assert np.abs(ours.second.value - ours.second.value.T).max() == 0
    with pytest.raises(ValueError, match="symmetrised moments"):
        run(leaking, vocabulary=6)


def test_vector_noise_is_scaled_for_its_share_of_epsilon(monkeypatch):
    scales = []
    original = estimator.ProjectedNoise.vector

    def watched(self, scale, *, rng):
        scales.append(scale)
        return original(self, scale, rng=rng)

    monkeypatch.setattr(estimator.ProjectedNoise, "vector", watched)
    found = run(documents(), scheme="avn", share=0.3, vocabulary=6)
    assert scales == [pytest.approx(math.sqrt(2) / 1200 / 0.7)]
    # M2 has the whole δ.
    assert found.second.mu_public == pytest.approx(privacy.gdp_mu(Privacy(0.3, 1e-5)), rel=1e-6)
    assert math.isnan(found.mu_public)


def test_unidentified_components_are_counted_and_filled():
    demand = Privacy(1e-3, 1e-5)
    for seed in range(20):
        found = run(documents(samples=20), k=5, demand=demand, vocabulary=6, seed=seed)
        assert found.components.shape == (5, 6)
        np.testing.assert_allclose(found.components.sum(axis=1), 1)
        assert (found.weights[found.identified :] == 0).all()
        assert found.above_noise <= found.identified < 6
        if found.identified < 5:
            break
    else:
        pytest.fail("no run left a component unidentified")
    gaussian = run(records(samples=20), k=5, model="gaussians", variance=0.01, demand=demand)
    np.testing.assert_allclose(np.linalg.norm(gaussian.components, axis=1), 1)


def test_unequal_sites_are_weighted_by_their_records():
    tokens = documents()
    sites = [tokens[0], tokens[1][:100], tokens[2][:50]]
    found = run(sites, scheme="nonprivate", demand=None, vocabulary=6)
    together = moments.single_topic(np.concatenate(sites), 6)
    np.testing.assert_allclose(found.second.value, together.second(), atol=1e-15)
    private = run(sites, vocabulary=6)
    np.testing.assert_allclose(private.second.sensitivities, math.sqrt(2) / np.array([400, 100, 50]))


def test_random_components_know_no_data():
    first = run(documents(seed=2), scheme="random", demand=None, vocabulary=6)
    other = run(documents(seed=9), scheme="random", demand=None, vocabulary=6)
    np.testing.assert_array_equal(first.components, other.components)
    np.testing.assert_allclose(first.components.sum(axis=1), 1)


def test_laws_are_projected_to_the_nearest_point_of_the_simplex():
    rng = np.random.default_rng(1)
    rows = rng.standard_normal((5, 4))
    projected = decomposition.to_simplex(rows, how="project")
    others = rng.dirichlet(np.ones(4), 2000)
    for row, nearest in zip(rows, projected, strict=True):
        assert nearest.min() >= 0 and nearest.sum() == pytest.approx(1)
        assert np.linalg.norm(row - nearest) <= np.linalg.norm(row - others, axis=1).min()
    np.testing.assert_allclose(
        decomposition.to_simplex(np.array([[-1.0, -2], [3, -1]])), [[0.5, 0.5], [1, 0]]
    )


def test_means_come_back_in_the_units_of_the_records():
    rng = np.random.default_rng(5)
    means = np.array([[3.0, 0, 0], [0, 2.0, 1.0]])
    sites = [means[rng.integers(0, 2, 4000)] + 0.1 * rng.standard_normal((4000, 3)) for _ in range(2)]
    found = run(
        sites,
        k=2,
        model="gaussians",
        scheme="nonprivate",
        demand=None,
        variance=0.01,
        bound=4.0,
        normalise=False,
    )
    assert metrics.matched_error(means, found.components) < 0.05
    assert found.clipped == 0


def test_communication_counts_what_is_sent():
    assert decomposition.communication("cape", sites=5, width=50, k=10) == 5 * (7500 + 500 + 3000)
    published = decomposition.communication("cape", sites=5, width=50, k=10, form="published")
    assert published == 3 * 5 * 50**2 + 2 * 5 * 50**3 + 5 * 50 * 10 + 5 * 10**3
    assert decomposition.communication("local", sites=5, width=50, k=10) == 0


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: run(np.zeros((2, 30, 3), dtype=int), scheme="nonprivate", vocabulary=6),
            "k must be at most 1",
        ),
        (lambda: run(documents(), k=7, vocabulary=6), "k must be a whole number from 1 to 6, got 7"),
        (lambda: run(documents(), vocabulary=3), "site 0: documents must hold word indices from 0 to 2"),
        (lambda: run([[[0, 1, 2]], [[0, 1]]], vocabulary=6), "site 1: documents must have at least 3 words"),
        (lambda: run(documents()), "sites must hold sparse word counts"),
        (lambda: run(records(), model="gaussians"), "variance must be given for model='gaussians'"),
        (lambda: run(records(), model="gaussians", variance="guess"), "variance must be one of 'estimate'"),
        (lambda: run(records() * np.nan, model="gaussians", variance=0.1), "site 0: records must be finite"),
        (lambda: run(documents(), demand=None, vocabulary=6), "privacy must be a Privacy"),
        (lambda: run(documents(), share=0.0, vocabulary=6), "share must be"),
        (lambda: run(documents()[:1], vocabulary=6), "sites must be at least 2, got 1"),
        (lambda: run(documents(), scheme="capeAGN", vocabulary=6), "scheme must be one of"),
        (lambda: run(documents(), vocabulary=6, decomposer="als"), "decomposer must be one of"),
        (
            lambda: run([records()[0], records()[1][:, :3]], model="gaussians", variance=0.1),
            "records of one width",
        ),
    ],
)
def test_bad_input_is_refused_where_it_happens(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_a_variance_is_estimated_only_by_name():
    found = run(records(), k=2, model="gaussians", variance="estimate", scheme="nonprivate", demand=None)
    named = run(records(), k=2, model="gaussians", variance=0.01, scheme="nonprivate", demand=None)
    assert metrics.matched_error(found.components, named.components) < 0.1
    # What took σ² from the records promises nothing.
    for scheme in ("cape", "avn"):
        assert (
            run(records(), k=2, model="gaussians", variance="estimate", scheme=scheme).mu_public == math.inf
        )


# The problem for sweeps.


def load(settings):
    law = population()
    return list(documents(settings["sites"], settings["samples"])), law.components, law.weights


PROBLEM = problem.Problem(load, data_settings=("sites", "samples"))
SETTINGS = {"sites": 3, "samples": 300, "epsilon": 2.0, "delta": 1e-5}


def test_a_sweep_gives_the_figures_of_its_fits():
    rows = sweep.run(PROBLEM, [SETTINGS], schemes=["nonprivate", "cape", "random"], repeats=2, seed=1)
    assert list(rows.scheme) == ["nonprivate", "cape", "random", "cape", "random"]
    assert (rows.error <= rows.matched + 1e-12).all()
    plain = rows[rows.scheme == "nonprivate"].iloc[0]
    law = population()
    found = run(documents(3, 300), scheme="nonprivate", demand=None, vocabulary=6)
    assert plain.error == pytest.approx(metrics.component_error(law.components, found.components), rel=1e-9)
    assert plain.weights < 0.5 and plain.identified == 3


def test_a_problem_pickles():
    assert pickle.loads(pickle.dumps(PROBLEM)) == PROBLEM


def test_the_best_share_is_that_of_least_error():
    shares = (0.02, 0.3, 0.98)
    curve = problem.best_share(PROBLEM, {**SETTINGS, "samples": 2000}, shares=shares, repeats=12, seed=3)
    assert curve.errors.shape == (3, 12)
    assert curve.best == shares[curve.errors.mean(axis=1).argmin()]
    # Both extremes starve one release: the middle wins by more than three standard errors.
    gaps = curve.errors[[0, 2]] - curve.errors[1]
    assert curve.best == 0.3
    assert (gaps.mean(axis=1) > 3 * gaps.std(axis=1) / math.sqrt(12)).all()


def test_options_and_settings_reach_the_fit():
    published = problem.Problem(
        load, options=tuple(decomposition.PUBLISHED.items()), data_settings=PROBLEM.data_settings
    )
    truth = sweep.statistics(published, SETTINGS)
    rng = np.random.default_rng(1)
    found = published.fit(truth, "cape", DEMAND, rng, {**SETTINGS, "share": 0.25})
    tau = math.sqrt(2) / 300 / 0.25 * math.sqrt(2 * math.log(1.25 / 0.25e-5))
    assert found.second.std == pytest.approx(tau / 3)


def test_tables_without_a_model_are_told_which_model_they_need():
    tables = [np.random.default_rng(s).normal(size=(50, 4)) for s in range(3)]
    with pytest.raises(ValueError, match="model='gaussians'"):
        decomposition.fit(tables, 2, scheme="nonprivate", privacy=None, rng=np.random.default_rng(0))
