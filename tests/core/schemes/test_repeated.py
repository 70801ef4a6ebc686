"""Releases that share one calibration, and sums of draws: the same numbers as one release after another."""

import numpy as np
import pytest

from core import Privacy, noise, schemes
from core.schemes.messages import Draw
from core.schemes.projected_noise import ProjectedNoise

TARGET = Privacy(1.0, 1e-5)
WEIGHTS = np.array([0.2, 0.5, 0.3])
SCHEMES = ("nonprivate", "pooled", "local", "conventional", "cape")


def fields(release):
    return {name: getattr(release, name) for name in ("scheme", "sites", "dropped", "absent", "privacy")}


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"against": "aggregator"},
        {"zero_sum": "generator"},
        {"zero_sum": "secure"},
        {"dropped": [1]},
        {"absent": [0]},
        {"absent": [2], "zero_sum": "secure", "threshold": 2},
        {"keep": "all"},
    ],
    ids=str,
)
def test_the_second_of_repeated_releases_is_what_a_single_one_would_be(scheme, options):
    target = None if scheme == "nonprivate" else TARGET
    rng = np.random.default_rng(0)
    statistics = rng.standard_normal((2, 3, 4))
    options = {"scheme": scheme, "weights": WEIGHTS, **options}
    noisy = schemes.repeated([0.1, 0.2, 0.3], target, sites=3, **options)
    together, apart = np.random.default_rng(1), np.random.default_rng(1)
    for statistic in statistics:
        found = noisy.release(statistic, rng=together)
        single = schemes.release(statistic, [0.1, 0.2, 0.3], target, rng=apart, **{"keep": "value"} | options)
        np.testing.assert_allclose(found.value, single.value, rtol=1e-12, atol=1e-14)
        assert fields(found) == fields(single)
        for mu in ("mu_public", "mu_message", "mu_aggregator"):
            assert getattr(found, mu) == getattr(single, mu)
        if options.get("keep") == "all" and scheme != "nonprivate":
            assert (found.messages is None) == (single.messages is None)


@pytest.mark.parametrize("zero_sum", ["broadcast", "generator"])
@pytest.mark.parametrize("dropped", [(), (1,)])
@pytest.mark.parametrize("amplitude", [None, 0.0])
@pytest.mark.parametrize("scheme", [*schemes.PRIVATE])
def test_without_messages_the_average_is_that_of_the_whole_protocol(scheme, amplitude, zero_sum, dropped):
    options = {"scheme": scheme, "weights": WEIGHTS, "zero_sum": zero_sum, "dropped": dropped}
    options |= {"amplitude": amplitude, "against": "aggregator"}
    if scheme == "cape-after" and zero_sum == "generator":
        pytest.skip("noise whose sum comes after the messages is not agreed on before")
    values = [
        schemes.release(
            np.ones((3, 5)), 0.1, TARGET, rng=np.random.default_rng(2), keep=keep, **options
        ).value
        for keep in ("all", "value")
    ]
    np.testing.assert_allclose(*values, rtol=1e-12)


@pytest.mark.parametrize(
    ("shape", "law"),
    [
        ((3, 4), "iid"),
        ((40_000,), "iid"),  # More numbers than are drawn together.
        ((5, 5), "symmetrised"),
        ((5, 5), "copied"),
        ((300, 300), "symmetrised"),
        ((520, 520), "symmetrised"),  # Wide matrices have no table of their entries.
        ((520, 520), "copied"),
        ((4, 4, 4), "symmetrised"),
        ((3, 3, 3), ProjectedNoise(np.random.default_rng(0).standard_normal((6, 3)))),
        ((3, 3, 3), ProjectedNoise(np.random.default_rng(0).standard_normal((6, 3)), "copied")),
        ((3, 3, 3), ProjectedNoise(np.random.default_rng(0).standard_normal((6, 3)), "iid")),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_a_sum_of_draws_has_the_numbers_of_draws_one_after_another(shape, law):
    factors = np.array([0.5, 0.0, -2.0])
    one, other = (Draw(shape, law, np.random.default_rng(4)) for _ in range(2))
    expected = sum(c * one(1.0) for c in factors)
    np.testing.assert_allclose(other.weighted(factors), expected, rtol=1e-9, atol=1e-12)
    # Both streams stand at the same place afterwards.
    assert one.rng.random() == other.rng.random()


@pytest.mark.parametrize("shape", [(5, 5), (520, 520), (3, 3, 3)])
@pytest.mark.parametrize("law", noise.SYMMETRIC)
def test_spread_entries_are_the_drawn_array(shape, law):
    drawn = noise.gaussian(shape, 2.0, rng=np.random.default_rng(5), distribution=law)
    count = noise.independent_entries(shape, distribution=law)
    entries = 2.0 * np.random.default_rng(5).standard_normal(count)
    np.testing.assert_allclose(noise.spread(entries, shape, distribution=law), drawn, rtol=1e-12)


def test_statistics_that_are_held_are_looked_at_once_and_released_as_ever():
    moments = np.stack([np.eye(3), 2 * np.eye(3)])
    held = schemes.Held(moments)
    options = {"scheme": "pooled", "noise": "symmetrised", "keep": "value"}
    for _ in range(2):
        found = [
            schemes.release(given, 0.1, TARGET, rng=np.random.default_rng(0), **options).value
            for given in (held, moments)
        ]
        np.testing.assert_array_equal(*found)
    plain = schemes.release(held, 0.1, None, scheme="nonprivate", rng=np.random.default_rng(0)).value
    plain[:] = 0  # A result may be changed; what is held may not change with it.
    again = schemes.release(held, 0.1, None, scheme="nonprivate", rng=np.random.default_rng(0)).value
    np.testing.assert_array_equal(again, 1.5 * np.eye(3))


def test_held_statistics_are_refused_by_the_noise_that_does_not_cover_them():
    held = schemes.Held(np.stack([np.eye(2), [[1.0, 2.0], [0.0, 1.0]]]))
    with pytest.raises(ValueError, match="site 1 is"):
        schemes.release(held, 0.1, TARGET, scheme="cape", noise="copied", rng=np.random.default_rng(0))


def test_repeated_releases_name_a_wrong_number_of_sites():
    noisy = schemes.repeated(0.1, TARGET, sites=3, scheme="cape")
    with pytest.raises(ValueError, match=r"statistics must.*3.*2"):
        noisy.release(np.ones(2), rng=np.random.default_rng(0))


@pytest.mark.parametrize("absent", [(), (1,)])
def test_what_releases_share_cannot_be_changed(absent):
    """Calibration is kept for equal releases: whoever holds one of them must not reach the noise of the next."""
    given, target = np.array([0.1, 0.1, 0.1]), Privacy(1.0, 1e-5)
    ask = {"scheme": "cape", "absent": absent, "keep": "value"}
    first = schemes.release(np.ones(3), given, target, rng=np.random.default_rng(0), **ask)
    for array in (
        first.sensitivities,
        *(a for a in vars(first.design).values() if isinstance(a, np.ndarray)),
    ):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0.0
    given[:] = 5.0  # The caller's own array is no part of it.
    again = schemes.release(np.ones(3), np.full(3, 0.1), target, rng=np.random.default_rng(0), **ask)
    assert (again.value, again.std, again.mu_aggregator) == (first.value, first.std, first.mu_aggregator)
    wider = schemes.release(np.ones(3), given, target, rng=np.random.default_rng(0), **ask)
    assert wider.std == pytest.approx(50 * first.std)
