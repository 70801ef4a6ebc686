"""Equal sites: gains, what an adversary learns, and the four forms of δ."""

import math

import numpy as np
import pytest

from core import cape, privacy


def brute_leakage(sites, colluding):
    """μ² at τ = Δ = 1 from the joint Gaussian of all the adversary sees: messages, T, colluders' ê and g."""
    honest = sites - colluding
    see = np.zeros((honest + 1 + 2 * colluding, 2 * sites))  # over (ê_1…ê_S, g_1…g_S)
    for s in range(honest):
        see[s, :sites] = -1 / sites
        see[s, s] += 1
        see[s, sites + s] = 1
    see[honest, :sites] = 1
    for c in range(colluding):
        see[honest + 1 + c, honest + c] = 1
        see[honest + 1 + colluding + c, sites + honest + c] = 1
    covariance = see @ np.diag([1.0] * sites + [1 / sites] * sites) @ see.T
    change = np.eye(len(see))[0]
    return change @ np.linalg.solve(covariance, change)


@pytest.mark.parametrize("sites", [2, 3, 5, 12])
def test_leakage_equals_the_brute_force_joint_gaussian(sites):
    for colluding in range(sites):
        assert cape.leakage(sites, colluding) == pytest.approx(brute_leakage(sites, colluding), rel=1e-10)
        of_design = cape.design(np.ones(sites)).leakage(1.0, colluding)
        assert of_design == pytest.approx(cape.leakage(sites, colluding), rel=1e-10)


@pytest.mark.parametrize(
    ("sites", "colluding", "factor"),
    [(3, 0, 1.5), (10, 0, 1.8182), (10, 3, 2.2078), (30, 9, 2.3502), (5, 1, 1.875)],
)
def test_leakage_at_known_points(sites, colluding, factor):
    assert cape.leakage(sites, colluding) == pytest.approx(factor, abs=5e-5)


def paper_view(sites, colluding, coefficient=None):
    """μ² at τ = Δ = 1 from what [Cape] Theorem 1 looks at: honest messages, and the sum of the honest ê_s.

    `coefficient` replaces that of 11ᵀ in the inverse covariance of the messages, as the proof does; the rest is
    its block inverse.
    """
    honest = sites - colluding
    see = np.zeros((honest + 1, 2 * sites))  # over (ê_1…ê_S, g_1…g_S)
    see[:honest, :sites] = np.eye(honest, sites) - 1 / sites
    see[:honest, sites:] = np.eye(honest, sites)
    see[honest, :honest] = 1
    covariance = see @ np.diag([1.0] * sites + [1 / sites] * sites) @ see.T
    inverse = np.linalg.inv(covariance[:honest, :honest])
    if coefficient is not None:
        inverse = sites / (1 + sites) * (np.eye(honest) + coefficient)
    cross = covariance[:honest, honest]
    along = inverse @ cross
    return inverse[0, 0] + along[0] ** 2 / (covariance[honest, honest] - cross @ along)


@pytest.mark.parametrize(
    ("colluding", "printed", "inverted", "whole"),
    [(0, 1.0909, 1.8182, 1.8182), (1, 1.1196, 1.3929, 1.9192), (3, 1.2956, 1.2401, 2.2078)],
)
def test_the_gap_of_theorem_1_has_two_parts(colluding, printed, inverted, whole):
    """The printed inverse, and the colluders' own noise; each from the joint Gaussian of what is seen."""
    found = [cape.published_leakage(10, colluding, form=form) for form in ("theorem", "inverted")]
    found.append(cape.leakage(10, colluding))
    assert found == pytest.approx([printed, inverted, whole], abs=5e-5)
    views = paper_view(10, colluding, 2 / (10 - colluding)), paper_view(10, colluding)
    assert found == pytest.approx([*views, brute_leakage(10, colluding)], rel=1e-9)


def test_without_colluders_the_printed_inverse_is_the_whole_gap():
    for sites in (3, 10, 30):
        inverted = cape.published_leakage(sites, 0, form="inverted")
        assert inverted == pytest.approx(cape.leakage(sites), rel=1e-12)
        assert cape.published_leakage(sites, 0) < 0.9 * inverted


# N = 1000, S = 10, S_C = 3, ε = 1e-3: τ, then the four forms.
KNOWN_DELTAS = [
    (
        10,
        {"theorem": 0.6181, "plotted": 0.36948, "exact": 2.2228e-4},
        {"published": 1.1890, "exact": 8.2454e-4},
    ),
    (50, {"exact": 2.9500e-8}, {"exact": 1.5373e-5}),
    (100, {"theorem": 1.576e-18, "plotted": 2.707e-19, "exact": 1.7979e-16}, {"exact": 6.7369e-8}),
]


@pytest.mark.parametrize(("tau", "correlated", "conventional"), KNOWN_DELTAS)
def test_delta_at_known_points(tau, correlated, conventional):
    where = {"tau": tau, "samples": 100, "sites": 10}
    for form, value in correlated.items():
        found = cape.delta(1e-3, colluding=3, form=form, **where)
        assert found == pytest.approx(value, rel=5e-4)
    for form, value in conventional.items():
        assert cape.conventional_delta(1e-3, form=form, **where) == pytest.approx(value, rel=5e-5)


@pytest.mark.parametrize(
    ("sites", "colluding", "factor"),
    [(3, 0, 1.25), (10, 0, 1.0909), (10, 3, 1.2956), (30, 9, 1.1088), (5, 1, 1.3194)],
)
def test_the_theorems_variance_is_smaller_than_the_truth(sites, colluding, factor):
    # δ = 2/z φ(z) inverted for z, then for σ_z at τ n_s = 1.
    epsilon, tau, samples = 5.0, 1.0, 1.0
    delta = cape.delta(epsilon, tau=tau, samples=samples, sites=sites, colluding=colluding, form="theorem")
    sigma = math.sqrt(factor)
    z = (epsilon - factor / 2) / sigma
    assert delta == pytest.approx(2 / z * math.exp(-(z**2) / 2) / math.sqrt(2 * math.pi), rel=1e-3)
    assert factor < cape.leakage(sites, colluding)


def test_the_plotted_form_falls_as_more_sites_collude_but_the_truth_rises():
    colluding = np.arange(0, 4)
    where = {"tau": 30, "samples": 100, "sites": 10, "colluding": colluding}
    assert (np.diff(cape.delta(1e-3, form="plotted", **where)) < 0).all()
    assert (np.diff(cape.delta(1e-3, form="exact", **where)) > 0).all()


def test_published_forms_are_shown_as_they_are():
    assert cape.delta(1e-3, tau=1, samples=100, sites=10, form="plotted") > 0.9
    assert math.isnan(cape.delta(1e-3, tau=1, samples=10, sites=10, form="theorem"))  # ε < μ_z
    assert math.isnan(
        cape.delta(1e-3, tau=50, samples=100, sites=10, colluding=7, form="theorem")
    )  # σ_z² < 0


def test_exact_delta_beats_the_conventional_one_unless_a_site_stands_alone():
    for sites in range(2, 20):
        for colluding in range(sites):
            where = {"tau": 10.0, "samples": 30, "sites": sites}
            correlated = cape.delta(0.01, colluding=colluding, **where)
            if sites - colluding >= 2:
                assert correlated < cape.conventional_delta(0.01, **where)
            else:
                assert correlated == pytest.approx(cape.conventional_delta(0.01, **where))


def test_delta_takes_a_sensitivity_or_the_samples_of_a_mean():
    by_samples = cape.delta(0.1, tau=0.05, samples=100, sites=5)
    by_sensitivity = cape.delta(0.1, tau=0.05, samples=None, sites=5, sensitivity=0.01)
    assert by_samples == by_sensitivity
    assert by_samples == pytest.approx(privacy.gdp_delta(0.1, 0.2 * math.sqrt(cape.leakage(5))))


@pytest.mark.parametrize("sites", (2, 3, 10, 50))
def test_gains_of_equal_sites(sites):
    assert cape.gain([40] * sites) == pytest.approx(sites)
    assert cape.excess([40] * sites) == pytest.approx(1)
    assert cape.honest_gain(sites, sites - 1) == pytest.approx(1)


def test_honest_gain_at_a_known_point():
    assert cape.honest_gain(10, 3) == pytest.approx(4.53, abs=5e-3)
    assert cape.honest_gain(10, 3) == pytest.approx(11 * 7 / 17)


@pytest.mark.parametrize(("total", "sites"), [(12, 3), (13, 4)])
def test_schur_bounds_hold_over_all_partitions(total, sites):
    def partitions(rest, parts, least=1):
        if parts == 1:
            yield (rest,)
            return
        for first in range(least, rest // parts + 1):
            yield from ((first, *others) for others in partitions(rest - first, parts - 1, first))

    gains = [cape.gain(sizes) for sizes in partitions(total, sites)]
    low, high = cape.gain_bounds(total, sites)
    assert max(gains) == pytest.approx(high)
    assert min(gains) >= low - 1e-12
    assert low == sites


def test_gain_is_the_ratio_of_the_schemes_variances():
    sizes = np.array([10.0, 30.0, 60.0])
    conventional = (1 / sizes**2).sum() / 9
    pooled = 1 / sizes.sum() ** 2
    assert cape.gain(sizes) == pytest.approx(conventional / pooled)
    assert cape.excess(sizes) == pytest.approx(conventional / 3 / pooled)
