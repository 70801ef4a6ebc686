"""Private power iterations: their noise, and what they recover."""

import math
import tracemalloc

import numpy as np
import pytest
from laws import assert_normal, assert_variance
from power_tensors import DEMAND, cosines, frame, problem

from core import Privacy, power, privacy, schemes, tensors
from core.moments import gaussian_mixture
from core.moments.sensitivities import third


@pytest.mark.parametrize("relation", power.NEIGHBOURS)
def test_without_noise_all_components_are_recovered(relation):
    tensor = problem(30, [3.0, 2.0, 1.0])
    open_handed = Privacy(1e22, 0.5)
    options = {"neighbours": relation, "record": 0.1, "privacy": open_handed, "rng": np.random.default_rng(2)}
    found = power.private(tensor, 3, **options, iterations=12, restarts=8)
    order = np.argsort(-found.values)
    np.testing.assert_allclose(found.values[order], tensor.values, rtol=1e-8)
    np.testing.assert_allclose(np.abs(found.vectors[order] @ tensor.vectors.T), np.eye(3), atol=1e-8)
    plain = tensors.robust(tensor, 3, rng=np.random.default_rng(3))
    np.testing.assert_allclose(np.sort(plain.values), np.sort(found.values), rtol=1e-8)


def test_paths_hold_the_vectors_that_were_released_and_no_others():
    tensor = problem(30, [3.0, 2.0, 1.0])
    options = {"privacy": Privacy(1e22, 0.5), "rng": np.random.default_rng(2), "iterations": 12}
    found = power.private(tensor, 3, **options)
    for path, vector in zip(found.paths, found.vectors, strict=True):
        assert path.shape == (13, 30) and np.allclose(np.linalg.norm(path, axis=1), 1)
        assert abs(path[-1] @ vector) == pytest.approx(1)
    image = tensor.power(
        found.paths[0][:-1]
    )  # Of the first pair nothing is taken away; noise is as good as none.
    image /= np.linalg.norm(image, axis=1, keepdims=True)
    np.testing.assert_allclose(found.paths[0][1:], image, atol=1e-7)
    once = power.perturbed(tensor, 3, privacy=DEMAND, rng=np.random.default_rng(3))
    assert [np.array_equal(path[-1], v) for path, v in zip(once.paths, once.vectors, strict=True)] == [
        True
    ] * 3


class Fixed:
    """A "tensor" whose every image is c e_1, so that one step shows its noise."""

    def __init__(self, d, c):
        self.d, self.image = d, c * np.eye(d)[0]

    def power(self, rows):
        return np.tile(self.image, (len(rows), 1))


@pytest.mark.parametrize("calibration", power.CALIBRATIONS)
def test_a_step_carries_the_noise_it_was_given(calibration):
    """False-alarm rate 1e-4 a case."""
    c, record = 1e6, 0.01
    options = {"neighbours": "record", "record": record, "calibration": calibration, "privacy": DEMAND}
    found = power.private(
        Fixed(4000, c), 1, restarts=1, iterations=1, rng=np.random.default_rng(1), **options
    )
    account = found.accounting
    assert account.releases == 2
    u = found.vectors[0]
    assert_normal(u[1:] / u[0] * c, record / account.step_mu)
    values = [
        power.private(Fixed(2, c), 1, restarts=1, iterations=1, rng=np.random.default_rng(s), **options)
        for s in range(250)
    ]
    # The value at u is c u_1 plus its noise, and u is released.
    assert_variance([p.values[0] - c * p.vectors[0, 0] for p in values], (record / account.step_mu) ** 2)


def test_noise_follows_the_vector_it_protects():
    """A peaked vector moves more when an entry changes than a flat one, so it gets more noise."""
    flat, peaked = np.full((1, 100), 0.1), np.eye(100)[:1]
    for relation, ratio in (("entry", 100 / math.sqrt(12)), ("published", 100)):
        low, high = (power.sensitivities(u, neighbours=relation)[0][0] for u in (flat, peaked))
        assert high / low == pytest.approx(ratio)


def test_exact_calibration_recovers_where_the_published_one_does_not():
    """d = 300: all three components in at least 5 of 8 draws, against none at all in 8 (seeded)."""
    tensor = problem(300, [1000.0, 800.0, 600.0])
    worst = {
        calibration: [
            cosines(
                tensor.vectors,
                power.private(
                    tensor, 3, privacy=DEMAND, rng=np.random.default_rng(s), calibration=calibration
                ),
            )
            for s in range(8)
        ]
        for calibration in ("exact", "published")
    }
    assert sum(c.min() > 0.9 for c in worst["exact"]) >= 5
    assert all(c.max() < 0.5 for c in worst["published"])


def test_a_wide_tensor_or_moment_is_never_formed():
    rng = np.random.default_rng(0)
    tensor = problem(5000, [1000.0, 800.0, 600.0])
    records = rng.standard_normal((400, 5000))
    moment = gaussian_mixture(records / np.linalg.norm(records, axis=1, keepdims=True), 0.0)
    sensitivity = third(moment.samples, model="gaussians", d=moment.d, variance=0.0)
    tracemalloc.start()
    found = power.private(tensor, 3, privacy=Privacy(4.0, 1e-6), rng=rng)
    power.private(moment, 2, privacy=DEMAND, rng=rng, neighbours="record", record=sensitivity)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 50e6
    assert cosines(tensor.vectors, found).min() > 0.99


def test_moments_of_records_are_decomposed_under_record_privacy():
    """Unit records around three orthogonal directions: λ_i = w_i, sensitivity 2/n."""
    rng = np.random.default_rng(5)
    true = frame(rng, 3, 20)
    records = true[rng.choice(3, 20_000, p=[0.5, 0.3, 0.2])]
    moment = gaussian_mixture(records, 0.0)
    options = {"privacy": Privacy(1, 1e-6), "neighbours": "record", "record": 2 / moment.samples}
    found = power.private(moment, 3, rng=rng, **options)
    assert cosines(true, found).min() > 0.99
    dense = power.private(moment.dense_third(), 3, rng=np.random.default_rng(1), **options)
    again = power.private(moment, 3, rng=np.random.default_rng(1), **options)
    np.testing.assert_allclose(dense.vectors, again.vectors, atol=1e-8)


SITES, WIDTH = 5, 20


def sums_noise(monkeypatch, **options):
    """The distinct numbers of the noise in what `power.perturbed` searches, over three draws."""
    searched, found = tensors.robust, []
    monkeypatch.setattr(
        tensors, "robust", lambda noisy, *a, **k: (found.append(noisy), searched(noisy, *a, **k))[1]
    )
    tensor = problem(WIDTH, [3.0])
    for seed in range(3):
        power.perturbed(tensor, 1, privacy=DEMAND, rng=np.random.default_rng(seed), restarts=1, **options)
    layers = np.stack([[power.layer(n, i) - power.layer(tensor, i) for i in range(WIDTH)] for n in found])
    return layers[:, *distinct()]


def distinct():
    """The indices i ≤ j ≤ k."""
    i, j, k = np.indices((WIDTH,) * 3)
    return np.nonzero((i <= j) & (j <= k))


NOISE = [
    (None, 1.0),
    ("cape", 1.0),
    ("conventional", math.sqrt(SITES)),
    ("pooled", 1.0),
    ("local", float(SITES)),
]


@pytest.mark.parametrize(("scheme", "factor"), NOISE)
def test_the_sum_of_the_sites_carries_the_noise_of_their_scheme(scheme, factor, monkeypatch):
    """CAPE's is that of one curator. False-alarm rate 1e-4 a case."""
    options = {} if scheme is None else {"scheme": scheme, "sites": SITES}
    assert_normal(sums_noise(monkeypatch, **options), factor / privacy.gaussian_mu(DEMAND))


@pytest.mark.parametrize(("scheme", "factor"), NOISE[1:3])
def test_messages_of_the_sites_add_up_to_that_noise(scheme, factor):
    """Every site sends its distinct numbers, one of which a neighbour changes by 1. False-alarm rate 1e-4 a case."""
    truth = problem(WIDTH, [3.0])
    counts = np.array([power.layer(truth, i) for i in range(WIDTH)])[distinct()]
    parts = np.random.default_rng(0).dirichlet(np.ones(SITES), len(counts)).T * counts  # Of each site.
    found = schemes.release(parts, 1.0, DEMAND, scheme=scheme, rng=np.random.default_rng(1))
    assert_normal(SITES * found.value - counts, factor / privacy.gaussian_mu(DEMAND))
    assert found.mu_message == pytest.approx(privacy.gaussian_mu(DEMAND))


@pytest.mark.parametrize("scheme", schemes.PRIVATE)
def test_sites_without_noise_find_what_the_tensor_has(scheme):
    tensor = problem(12, [3.0, 2.0, 1.0])
    options = {"privacy": Privacy(1e22, 0.5), "rng": np.random.default_rng(2)}
    found = power.perturbed(tensor, 3, scheme=scheme, sites=SITES, **options)
    assert cosines(tensor.vectors, found).min() > 1 - 1e-6
    made = power.Problem(lambda settings: tensor, ())
    options["rng"] = np.random.default_rng(2)
    again = made.fit(tensor, scheme, **options, sites=SITES)
    np.testing.assert_array_equal(again.vectors, found.vectors)
    with pytest.raises(ValueError, match=r"sites must.*2.*1"):
        power.perturbed(tensor, 3, scheme=scheme, sites=1, **options)
    with pytest.raises(ValueError, match=r"settings must.*'sites'"):
        made.estimate(tensor, scheme, **options, settings={})
