"""Spectral topics: recovery, configuration E's law and sensitivity, the published configurations, the forecast."""

import math

import numpy as np
import pytest
import scipy.sparse as sp

from core import Privacy, topics
from core.moments import lda
from core.privacy import gdp_delta, gdp_mu
from core.tensors import contract
from core.topics import configuration_e, configurations, scaled_noise, spectral
from core.topics.metrics import topic_error

SCHEMES = ("pooled", "local", "conventional", "cape")


def draw(samples, *, d, k, alpha0, length=50, seed=0, alpha=None):
    """Documents of latent Dirichlet allocation with Dirichlet(0.1) topics: counts and words."""
    rng = np.random.default_rng(seed)
    words = rng.dirichlet(np.full(d, 0.1), k)
    theta = rng.dirichlet(np.full(k, alpha0 / k) if alpha is None else alpha, samples)
    law = theta @ words
    return sp.csr_array(rng.multinomial(length, law / law.sum(axis=1, keepdims=True))), words


@pytest.fixture(scope="module")
def small():
    return draw(4000, d=40, k=3, alpha0=0.3)


def rng(seed=0):
    return np.random.default_rng(seed)


@pytest.mark.parametrize(("samples", "yardstick"), [(1000, 0.28), (10_000, 0.094)])
def test_recovery_meets_the_yardstick(samples, yardstick):
    counts, words = draw(samples, d=1000, k=10, alpha0=1.0)
    found = topics.fit(counts, 10, alpha0=1.0, configuration="nonprivate", privacy=None, rng=rng())
    assert topic_error(words, found.words) == pytest.approx(yardstick, rel=0.2)
    assert found.alpha.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("scale", ["sum", "eigenvalue"])
@pytest.mark.parametrize("alpha0", [0.3, 1.0, 5.0])
def test_population_moments_give_the_topics_exactly(alpha0, scale):
    truth, alpha = rng(1).dirichlet(np.ones(12), 4), alpha0 * np.array([0.4, 0.3, 0.2, 0.1])
    m2 = np.einsum("k,ki,kj->ij", alpha / (alpha0 * (alpha0 + 1)), truth, truth)
    weights = 2 * alpha / (alpha0 * (alpha0 + 1) * (alpha0 + 2))
    white = spectral.leading(m2, 4)
    tensor = np.einsum("k,ka,kb,kc->abc", weights, *[truth @ white.matrix] * 3)
    words, found = spectral.recover(tensor, white.inverse, alpha0, rng=rng(), scale=scale)
    np.testing.assert_allclose(words, truth, atol=1e-8)
    np.testing.assert_allclose(found, alpha, rtol=1e-7)
    np.testing.assert_allclose(topics.population_spectrum(truth, alpha), white.values, rtol=1e-9)
    pairs = np.sort(2 * np.sqrt(alpha0 * (alpha0 + 1) / alpha) / (alpha0 + 2))[::-1]
    np.testing.assert_allclose(topics.population_eigenvalues(alpha), pairs)


def test_simplex_projection_is_the_nearest_point():
    rows = rng(2).standard_normal((20, 6)) * [[3]]
    near = spectral.simplex(rows)
    np.testing.assert_allclose(near.sum(axis=1), 1)
    assert (near >= 0).all()
    others = rng(3).dirichlet(np.ones(6), 500)
    for row, point in zip(rows, near, strict=True):
        assert np.linalg.norm(row - point) <= np.linalg.norm(row - others, axis=1).min()


def test_wide_vocabularies_in_single_precision_agree(small, monkeypatch):
    counts, _ = small
    for privacy in (None, Privacy(10.0, 1e-6)):
        narrow = topics.fit(counts, 3, alpha0=0.3, privacy=privacy, rng=rng())
        with monkeypatch.context() as patched:
            patched.setattr(configuration_e, "_SINGLE", 10)
            patched.setattr(spectral, "_DENSE", 10)
            wide = topics.fit(counts, 3, alpha0=0.3, privacy=privacy, rng=rng())
        if privacy is None:
            np.testing.assert_allclose(wide.words, narrow.words, atol=1e-3)
        else:
            assert topic_error(narrow.words, wide.words) < 0.1


def test_alpha0_is_post_processing(small):
    counts, _ = small
    for options in ({"configuration": "nonprivate", "privacy": None}, {"privacy": Privacy(3.0, 1e-6)}):
        found = topics.fit(counts, 3, alpha0=0.3, rng=rng(), **options)
        again = topics.at_alpha0(found, 1.0, rng=rng())
        m = found.moments
        whitened, _ = m.whitened(1.0)
        m2 = lda.centred_second(m.second, m.first, 1.0)
        root = np.linalg.inv(np.linalg.cholesky(m2)).T
        other = contract(lda.centred_third(m.third, m.second, m.first, 1.0), root)
        assert np.linalg.norm(whitened) == pytest.approx(np.linalg.norm(other), rel=1e-9)
        assert again.alpha0 == 1.0 and again.guarantee is found.guarantee
        np.testing.assert_allclose(topics.at_alpha0(found, 0.3, rng=rng()).words, found.words, atol=1e-6)


# Configuration E


def loose(counts, **choices):
    return topics.statistics(counts, topics.Equalisation(spread=1e3, clip=1e6, **choices), rng=rng())


def test_much_epsilon_gives_the_nonprivate_answer(small):
    counts, _ = small
    plain = topics.fit(counts, 3, alpha0=0.3, configuration="nonprivate", privacy=None, rng=rng())
    bare = topics.fit(loose(counts), 3, alpha0=0.3, privacy=None, rng=rng())
    np.testing.assert_allclose(bare.words, plain.words, atol=1e-9)
    data = topics.statistics(counts, topics.Equalisation(spread=8.0, clip=4.0), rng=rng())
    bare = topics.fit(data, 3, alpha0=0.3, privacy=None, rng=rng())
    private = topics.fit(data, 3, alpha0=0.3, privacy=Privacy(1e8, 1e-6), rng=rng())
    np.testing.assert_allclose(private.words, bare.words, atol=1e-4)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_sites_without_noise_agree_with_one_curator(small, scheme):
    counts, _ = small
    parts = [counts[:500], counts[500:1500], counts[1500:]]
    e = topics.Equalisation(spread=8.0, clip=4.0)
    together = topics.fit(topics.statistics(counts, e, rng=rng()), 3, alpha0=0.3, privacy=None, rng=rng())
    apart = topics.statistics(parts, e, rng=rng())
    bare = topics.fit(apart, 3, alpha0=0.3, privacy=None, scheme="nonprivate", rng=rng())
    np.testing.assert_allclose(bare.words, together.words, atol=1e-8)
    found = topics.fit(apart, 3, alpha0=0.3, privacy=Privacy(1e8, 1e-6), scheme=scheme, rng=rng())
    if scheme != "local":
        np.testing.assert_allclose(found.words, together.words, atol=1e-3)
    assert found.words.shape == (3, 40)


EXTREMES = [
    [0, 0, 0, 0, 0],
    [1, 0, 0, 0, 0],
    [2, 0, 0, 0, 0],
    [900, 0, 0, 0, 0],
    [0, 900, 0, 0, 0],
    [1, 1, 1, 1, 1],
    [0, 1, 1, 1, 0],
    [3, 0, 0, 0, 3],
    [0, 0, 40, 1, 0],
]


@pytest.mark.parametrize("spread", [1.0, 1.5, 8.0])
def test_no_replacement_moves_what_is_sent_further_than_its_sensitivity(spread):
    """Stage one over all pairs of extreme documents; stage two likewise, through W of other documents."""
    e = topics.Equalisation(length=5, spread=spread, longest=100)
    packed = [configuration_e._packed(lda.documents(sp.csr_array([x])), e) for x in EXTREMES]
    first = max(np.linalg.norm(a - b) for a in packed for b in packed)
    assert first <= math.sqrt(sum(e.shares[:3])) * (1 + 1e-9)
    w = rng(1).standard_normal((5, 2))
    clip = 0.3
    sent = []
    for x in EXTREMES:
        counts = lda.documents(sp.csr_array([x]))
        size = lda.third_norms(counts, w)
        sent.append(min(1, clip / max(size[0], 1e-300)) * lda.third(counts, w).ravel())
    second = max(np.linalg.norm(a - b) for a in sent for b in sent) * math.sqrt(e.shares[3]) / (2 * clip)
    assert second <= math.sqrt(e.shares[3]) * (1 + 1e-9)
    assert math.hypot(first, second) <= 1 + 1e-9


def test_the_budget_is_spent_to_the_end():
    """Two documents of different words, both at their bound: stage one changes by all it may, but for the weights."""
    e = topics.Equalisation(length=6, spread=1.0)
    one, two = ([[1] * 6 + [0] * 6], [[0] * 6 + [1] * 6])
    a, b = (configuration_e._packed(lda.documents(sp.csr_array(x)), e) for x in (one, two))
    assert np.linalg.norm(a - b) == pytest.approx(math.sqrt(e.shares[1] + e.shares[2]), rel=1e-9)


@pytest.mark.parametrize("scheme", ["", *SCHEMES])
def test_noise_has_the_promised_law(scheme):
    """20,000 draws: the right σ within 3.5 %, so 2/3 and 3/2 of it are refused; false alarm below 1e-11."""
    privacy, sizes = Privacy(0.7, 1e-6), [100] if not scheme else [100] * 4
    sharing = topics.Sharing(privacy, scheme)
    value, std, guarantee = sharing.join([np.zeros(20_000)] * len(sizes), sizes, rng=rng(4))
    factor = {"": 1, "pooled": 1 / 4, "cape": 1 / 4, "conventional": 1 / 2, "local": 1}[scheme]
    expected = factor / (100 * gdp_mu(privacy))
    assert std == pytest.approx(expected, rel=1e-9)
    assert value.std() == pytest.approx(expected, rel=0.035)
    assert guarantee.valid
    if scheme != "pooled":
        assert guarantee.mu_message == pytest.approx(gdp_mu(privacy), rel=1e-9)


@pytest.mark.parametrize("scheme", ["", "cape"])
def test_released_arrays_carry_the_noise_they_say(small, scheme):
    """Standard deviation of E2's off-diagonal noise over 40 seeds, 31,200 entries, against `Topics.noise`."""
    counts, _ = small
    parts = [counts[i::2] for i in range(2)] if scheme else counts
    data = topics.statistics(parts, topics.Equalisation(), rng=rng())
    bare = topics.fit(data, 3, alpha0=0.3, privacy=None, scheme=scheme and "nonprivate", rng=rng())
    value = sum(x for x in data.packed) / len(data.packed)
    sharing = topics.Sharing(Privacy(1.0, 1e-6), scheme)
    _, e1, e2 = configuration_e._unpacked(value.copy(), data.equalisation, 40)
    off = []
    for seed in range(40):
        noisy, _, _ = sharing.join(data.packed, data.sizes, rng=rng(seed))
        noisy[:3] = value[:3]  # Else the noisy weights would rescale E2 too.
        _, _, seen = configuration_e._unpacked(noisy, data.equalisation, 40)
        np.testing.assert_array_equal(seen, seen.T)
        off.append((seen - e2)[np.triu_indices(40, 1)])
    found = topics.fit(data, 3, alpha0=0.3, privacy=Privacy(1.0, 1e-6), scheme=scheme, rng=rng())
    # `noise` divides by the noisy weights, which are within 3 % of the true ones here.
    assert np.std(off) == pytest.approx(found.noise["E2"] / math.sqrt(2), rel=0.05)
    assert bare.noise["E2"] == 0 and e1.sum() == pytest.approx(1)


def test_without_noise_nothing_is_guaranteed_whatever_was_demanded(small):
    counts, _ = small
    apart = [counts[::2], counts[1::2]]
    found = topics.fit(
        apart, 3, alpha0=0.3, privacy=Privacy(1.0, 1e-6), scheme="nonprivate", rng=np.random.default_rng(0)
    )
    assert not found.guarantee.valid and found.guarantee.mu_public == math.inf


def test_the_classical_calibration_is_believed_only_where_it_holds():
    for scheme, sizes in (("", [100]), ("cape", [100, 100])):
        held = {
            epsilon: topics.Sharing(Privacy(epsilon, 0.01), scheme, "published")
            .join([np.zeros(4)] * len(sizes), sizes, rng=rng())[2]
            .valid
            for epsilon in (0.5, 10.0)
        }
        assert held == {0.5: True, 10.0: False}


def test_clipping_and_equalising_leave_a_bias_that_shrinks(small):
    counts, words = small
    errors = []
    for spread, clip in ((1.0, 0.2), (3.0, 2.0), (1e3, 1e6)):
        data = topics.statistics(counts, topics.Equalisation(spread=spread, clip=clip), rng=rng())
        errors.append(topic_error(words, topics.fit(data, 3, alpha0=0.3, privacy=None, rng=rng()).words))
    assert errors[0] > 1.2 * errors[2]
    assert errors[0] > errors[1]


def test_yardstick_of_configuration_e():
    """Reference values at N = 10k, d = 200, k = 5, α0 = 0.1, δ = 1e-6; ours must not be worse."""
    for epsilon, most in ((0.3, 0.29), (1.0, 0.12), (10.0, 0.08)):
        errors = []
        for seed in range(3):
            counts, words = draw(10_000, d=200, k=5, alpha0=0.1, seed=seed)
            found = topics.fit(counts, 5, alpha0=0.1, privacy=Privacy(epsilon, 1e-6), rng=rng(seed))
            errors.append(topic_error(words, found.words))
        assert np.mean(errors) <= most


def test_drowned_directions_are_left_out_not_invented():
    counts = sp.csr_array(rng().multinomial(5, np.full(6, 1 / 6), 30))
    found = topics.fit(counts, 6, alpha0=1.0, privacy=Privacy(0.01, 1e-6), rng=rng())
    assert len(found.words) < 6
    assert found.words.shape == (len(found.alpha), 6)
    assert (found.spectrum[len(found.words) :] <= 0).all()


def test_a_vocabulary_of_one_and_short_documents():
    one = topics.fit(
        sp.csr_array([[3], [5]]), 1, alpha0=1.0, configuration="nonprivate", privacy=None, rng=rng()
    )
    np.testing.assert_allclose(one.words, [[1.0]])
    rows = np.vstack([rng().multinomial(20, [0.5, 0.3, 0.2, 0], 200), np.zeros((50, 4)), np.eye(4)])
    found = topics.fit(sp.csr_array(rows), 1, alpha0=0.5, privacy=Privacy(5.0, 1e-6), rng=rng())
    assert topic_error([[0.5, 0.3, 0.2, 0]], found.words) < 0.3
    with pytest.raises(ValueError, match="at least 3 words"):
        topics.fit(sp.csr_array([[1, 1]]), 1, alpha0=1.0, configuration="nonprivate", privacy=None, rng=rng())


# Published configurations


@pytest.mark.parametrize("configuration", ["1", "1-pure", "2"])
def test_published_configurations_without_noise_find_the_topics(small, configuration):
    counts, words = small
    privacy = 1e9 if configuration == "1-pure" else Privacy(1e9, 1e-6)
    options = {"alpha0": 0.3, "rng": rng()}
    plain = topics.fit(counts, 3, configuration="nonprivate", privacy=None, **options)
    for calibration in ("published", "exact"):
        found = topics.fit(
            counts, 3, configuration=configuration, privacy=privacy, calibration=calibration, **options
        )
        assert topic_error(words, found.words) == pytest.approx(topic_error(words, plain.words), rel=0.05)


@pytest.mark.parametrize("configuration", ["3", "4"])
def test_configurations_on_eigenvectors_and_output_with_much_epsilon(configuration):
    """They need distinct eigenvalues: topics of unequal prominence."""
    counts, words = draw(4000, d=30, k=3, alpha0=0.3, alpha=[0.18, 0.09, 0.03])
    found = topics.fit(
        counts, 3, alpha0=0.3, configuration=configuration, privacy=Privacy(1e9, 1e-6), rng=rng()
    )
    assert topic_error(words, found.words) < 0.2
    assert not found.guarantee.valid and "does not hold" in found.guarantee.reason


@pytest.mark.parametrize("configuration", ["2", "3", "4"])
def test_abstention_is_a_result(small, configuration):
    found = topics.fit(
        small[0], 3, alpha0=0.3, configuration=configuration, privacy=Privacy(1e-3, 1e-7), rng=rng()
    )
    assert "abstains" in found.abstained
    assert found.words.shape == (0, 40)
    assert topic_error(small[1], found.words) == 2.0


def test_procedure_1_covers():
    """P(bound > value) ≤ δ: 40,000 draws at δ = 0.05 lie within 0.05 ± 0.005 (4.6 standard errors)."""
    source = rng(5)
    above = [
        scaled_noise.lower_bound(1.0, 0.01, epsilon=0.5, delta=0.05, rng=source) > 1.0 for _ in range(40_000)
    ]
    assert np.mean(above) == pytest.approx(0.05, abs=0.005)


def test_guarantee_of_configuration_1_is_computed(small):
    for epsilon, holds in ((0.5, True), (300.0, False)):
        found = topics.fit(
            small[0],
            3,
            alpha0=0.3,
            configuration="1",
            privacy=Privacy(epsilon, 0.01),
            calibration="published",
            rng=rng(),
        )
        n = small[0].shape[0]
        mu = math.sqrt(
            (lda.third_sensitivity(0.3) / n / found.noise["M3"]) ** 2
            + (lda.second_sensitivity(0.3) / n) ** 2
            * (found.noise["M2"] ** -2 + found.noise["M2 again"] ** -2)
        )
        assert found.guarantee.mu_message == pytest.approx(mu, rel=1e-12)
        assert found.guarantee.valid == (gdp_delta(epsilon, mu) <= 0.01) == holds


def test_valid_published_guarantees_say_which_documents_they_are_about(small):
    for configuration, demand in (("1", Privacy(1.0, 0.01)), ("1-pure", 1.0)):
        for calibration in ("published", "exact"):
            found = topics.fit(
                small[0],
                3,
                alpha0=0.3,
                configuration=configuration,
                privacy=demand,
                calibration=calibration,
                rng=rng(),
            )
            assert found.guarantee.valid
            assert "at least three words" in found.guarantee.reason
    short = sp.vstack([small[0], sp.csr_array(np.eye(1, small[0].shape[1]))])
    with pytest.raises(ValueError, match="at least 3 words in every document"):
        topics.fit(short, 3, alpha0=0.3, configuration="1", privacy=Privacy(1.0, 0.01), rng=rng())


def test_exact_configuration_1_composes_to_the_demand(small):
    privacy = Privacy(1.0, 1e-6)
    found = topics.fit(small[0], 3, alpha0=0.3, configuration="1", privacy=privacy, shares=(1, 3), rng=rng())
    n = small[0].shape[0]
    mu = math.hypot(
        lda.third_sensitivity(0.3) / n / found.noise["M3"],
        lda.second_sensitivity(0.3) / n / found.noise["M2"],
    )
    assert mu == pytest.approx(gdp_mu(privacy), rel=1e-9)


def test_copied_noise_through_directions_is_the_dense_noise():
    values = rng(6).standard_normal(math.comb(5 + 2, 3))

    def replay():
        left = list(values)
        return lambda size: np.array([left.pop() for _ in range(size)])

    dense = configurations.projected_copied(np.eye(5), replay())
    np.testing.assert_allclose(dense, dense.transpose(1, 0, 2))
    np.testing.assert_allclose(dense, dense.transpose(2, 1, 0))
    distinct = [dense[i, j, k] for i in range(5) for j in range(i, 5) for k in range(j, 5)]
    np.testing.assert_allclose(np.sort(distinct), np.sort(values))
    w = rng(7).standard_normal((5, 2))
    np.testing.assert_allclose(configurations.projected_copied(w, replay()), contract(dense, w), atol=1e-12)


def test_published_local_sensitivities():
    common = {"documents": 1000, "k": 4, "sigma_k": 0.01, "gamma": 0.5, "sigma_1": 0.04}
    assert scaled_noise.local_sensitivity("2", **common) == pytest.approx(8 / (1000 * 0.001))
    assert scaled_noise.local_sensitivity("3", **common) == pytest.approx(16 / (1000 * 0.5 * 0.001))
    assert scaled_noise.local_sensitivity("4", **common) == pytest.approx(16 * 0.2 / (1000 * 0.5 * 0.001))
    for name in "234":
        constants = scaled_noise.local_sensitivity(name, constants="appendix", **common)
        assert constants > scaled_noise.local_sensitivity(name, **common)


def test_gap():
    assert scaled_noise.gap([5.0, 1.0, 3.0]) == pytest.approx(0.5)
    assert scaled_noise.gap([2.0]) == math.inf


def test_grid_search_prefers_the_better_division(small):
    counts, words = small
    shares, best = configurations.search(
        counts,
        3,
        alpha0=0.3,
        configuration="1",
        privacy=Privacy(30.0, 1e-6),
        score=lambda t: -topic_error(words, t.words),
        parts=3,
        rng=rng(),
    )
    assert sum(shares) == pytest.approx(1) and len(shares) == 3
    even = topics.fit(
        counts,
        3,
        alpha0=0.3,
        configuration="1",
        privacy=Privacy(30.0, 1e-6),
        calibration="published",
        rng=rng(),
    )
    assert topic_error(words, best.words) <= topic_error(words, even.words)


# Forecast and bounds


@pytest.mark.parametrize("scheme", SCHEMES)
def test_forecast_knows_the_noise_that_is_drawn(scheme):
    """‖noise(M2)‖ of actual draws at d = 150 lies within 10 % of √(2d) τ."""
    privacy, e, d, sites = Privacy(1.0, 1e-6), topics.Equalisation(), 150, 4
    guess = topics.forecast(
        0.01, documents=4000, vocabulary=d, privacy=privacy, equalisation=e, scheme=scheme, sites=sites
    )
    sharing = topics.Sharing(privacy, scheme)
    value, _, _ = sharing.join([np.zeros(3 + d + d * d)] * sites, [1000] * sites, rng=rng(8))
    value[:3] = e.scales[0]
    _, _, z = configuration_e._unpacked(value, e, d)
    assert np.linalg.norm(z, 2) == pytest.approx(guess.noise_norm, rel=0.1)
    assert guess.ratio == pytest.approx(guess.noise_norm / 0.01)
    enough = topics.forecast(
        0.01,
        documents=guess.documents,
        vocabulary=d,
        privacy=privacy,
        equalisation=e,
        scheme=scheme,
        sites=sites,
    )
    assert enough.ratio == pytest.approx(0.5, rel=0.01)


def test_utility_bounds_fall_with_documents_and_privacy():
    common = {"vocabulary": 50, "k": 3, "sigma_1": 0.1, "sigma_k": 0.02, "gamma": 0.05}
    few = topics.utility_bounds(documents=10_000, privacy=Privacy(1.0, 1e-7), **common)
    many = topics.utility_bounds(documents=10**7, privacy=Privacy(1.0, 1e-7), **common)
    weak = topics.utility_bounds(documents=10_000, privacy=Privacy(10.0, 1e-7), **common)
    assert set(few) == {"1", "2", "3", "4"}
    for name, bound in few.items():
        assert many[name] < bound and weak[name] < bound


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"k": 0}, "k must be a whole number from 1 to 40, got 0"),
        ({"configuration": "5"}, "configuration must be one of"),
        ({"alpha0": -1.0}, "alpha0 must be a positive finite number, got -1.0"),
        ({"scheme": "cape"}, "scheme must be given for several sites"),
        ({"configuration": "1", "privacy": 1.0}, "privacy must be a Privacy"),
        ({"configuration": "nonprivate"}, "privacy must be None"),
        ({"configuration": "2", "scheme": "cape"}, "configuration must be 'E' for sites"),
    ],
)
def test_bad_input_is_named(small, arguments, words):
    call = {"k": 3, "alpha0": 0.3, "privacy": Privacy(1.0, 1e-6), "rng": rng(), **arguments}
    with pytest.raises(ValueError, match=words):
        topics.fit(small[0], call.pop("k"), **call)


def test_bad_choices_are_named():
    for name, value in (("length", 2.0), ("spread", 0.0), ("clip", -1.0), ("longest", 2)):
        with pytest.raises(ValueError, match=name):
            topics.Equalisation(**{name: value})
    with pytest.raises(ValueError, match="one vocabulary"):
        topics.statistics([sp.csr_array([[3, 1]]), sp.csr_array([[3]])], topics.Equalisation(), rng=rng())


def test_noise_covers_what_single_precision_rounds(small, monkeypatch):
    """Beyond `_SINGLE` words a site's vector is rounded, which can move neighbours further apart than 1/n."""
    counts, _ = small
    n, demand = counts.shape[0], Privacy(3.0, 1e-6)
    choices = configuration_e.Equalisation()
    double = configuration_e.statistics(counts, choices, rng=rng())
    monkeypatch.setattr(configuration_e, "_SINGLE", 10)
    single = configuration_e.statistics(counts, choices, rng=rng())
    assert double.rounding == 0 < single.rounding
    # Two neighbours' vectors are rounded: each by at most half of what is added, in units of √(1 − share of T).
    unit = np.sqrt(1 - choices.shares[3])
    off = np.linalg.norm(single.packed[0].astype(float) - double.packed[0])
    assert 0 < 2 * off <= single.rounding * unit
    for one in (double, single):
        _, std, _ = configuration_e.Sharing(demand).join(
            one.packed, one.sizes, rng=rng(), rounding=one.rounding
        )
        assert std * gdp_mu(demand) == pytest.approx(1 / n + one.rounding, rel=1e-12)
    # The longest vector that any documents have: every weight 1, every document at its bound.
    b1, b2 = choices.bounds
    longest = np.linalg.norm(choices.scales * [np.sqrt(3), b1, b2])
    assert single.rounding * unit == pytest.approx(2 * 2.0**-24 * longest, rel=1e-12)
