"""Configuration E of spectral topics: its distribution, its sensitivity and its bias."""

import math

import numpy as np
import pytest
import scipy.sparse as sp
from lda_documents import SCHEMES, draw, rng

from core import Privacy, topics
from core.moments import lda
from core.privacy import gdp_mu
from core.topics import configuration_e
from core.topics.metrics import topic_error


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
        for seed in range(2):
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
    with pytest.raises(ValueError, match="3 words"):
        topics.fit(sp.csr_array([[1, 1]]), 1, alpha0=1.0, configuration="nonprivate", privacy=None, rng=rng())


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
