"""The weighted noise design against brute force: feasibility, law, leakage, the published forms.

Brute force knows the protocol only: every noise drawn, and what each party sees of it as linear forms.
"""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from laws import assert_normal

from core import Privacy, cape, privacy, release

DRAWS = 300


def random_demand(rng):
    """τ, weights and a target (or None), from tame to wild, feasible or not."""
    sites = int(rng.integers(2, 21))
    weights = np.maximum(rng.dirichlet(np.full(sites, rng.choice([0.3, 1, 5]))), 1e-5)
    weights /= weights.sum()
    std = 1 / (rng.integers(1, 10_000, sites) * rng.uniform(0.05, 5, sites))
    v = (weights * std) ** 2
    lonely = max(2 * v.max() - v.sum(), 0)
    squared = [None, v.sum() * rng.uniform(1e-3, 1.1), lonely + v.sum() * rng.uniform(-0.05, 0.2)]
    target = squared[rng.integers(3)]
    return std, weights, None if target is None or target <= 0 else math.sqrt(target)


def feasible(std, weights, target):
    """Reference rule: target² ≤ Σ v, and the others (with the target) outweigh the largest v."""
    v = (weights * std) ** 2
    target = v.max() if target is None else target**2
    others = v.sum() - v.max()
    return target <= v.sum() and (v.max() <= others + target if len(v) == 2 else v.max() < others + target)


def joint_view(plan, known, silent=()):
    """What the adversary sees, as rows over all noise drawn (ê_1…ê_S, g_1…g_S) at standard deviation one."""
    sites = plan.sites
    contributions, local = np.eye(2 * sites)[:sites], np.eye(2 * sites)[sites:]
    contributions, local = contributions * plan.seed_std[:, None], local * plan.local_std[:, None]
    total = plan.weights @ contributions
    messages = contributions - np.outer(plan.correction, total) + local
    honest = [s for s in range(sites) if s not in known]
    sent = [s for s in honest if s not in silent]
    rows = [messages[sent], total[None], contributions[list(known)], local[list(known)]]
    return sent, np.vstack(rows)


def brute_leakage(plan, sensitivities, known=(), silent=()):
    """μ²: the least squared size of noise that explains a change Δ_s of one message away."""
    sent, see = joint_view(plan, known, silent)
    size = np.linalg.norm(see, axis=1)
    see, size = see[size > 0] / size[size > 0, None], size[size > 0]
    leaked = np.zeros(plan.sites)
    leaked[list(known)] = np.nan
    for row, s in enumerate(sent):
        change = np.zeros(len(see))
        change[row] = sensitivities[s] / size[row]
        noise = np.linalg.lstsq(see, change, rcond=1e-14)[0]
        assert np.linalg.norm(see @ noise - change) < 1e-8 * np.linalg.norm(change)
        leaked[s] = noise @ noise
    return leaked


def weighted_covariance(plan):
    """Covariance of w_s e_s, from what is drawn."""
    forms = np.diag(plan.weights * plan.seed_std)
    forms = forms - np.outer(plan.weights * plan.correction, plan.weights * plan.seed_std)
    return forms @ forms.T


def test_a_design_exists_exactly_when_the_rule_says_so_and_has_the_law_it_promises():
    rng = np.random.default_rng(90)
    built = 0
    for _ in range(DRAWS):
        std, weights, target = random_demand(rng)
        if not feasible(std, weights, target):
            with pytest.raises(cape.UnreachableTarget):
                cape.design(std, weights, target=target)
            continue
        plan = cape.design(std, weights, target=target)
        built += 1
        v, local = (weights * std) ** 2, (weights * plan.local_std) ** 2
        covariance = weighted_covariance(plan)
        assert np.abs(covariance.sum(axis=0)).max() < 1e-12 * v.max()  # Σ w_s e_s = 0
        assert np.diag(covariance) + local == pytest.approx(v, rel=1e-9)  # each message has τ_s
        assert local.sum() == pytest.approx(plan.target**2, rel=1e-9)  # the average has τ_c
        assert plan.target == pytest.approx(math.sqrt(v.max()) if target is None else target)
    assert DRAWS / 2 < built < DRAWS  # both answers were tried


def test_leakage_equals_brute_force_for_random_colluders_and_dropouts():
    rng = np.random.default_rng(91)
    for _ in range(DRAWS):
        std, weights, _ = random_demand(rng)
        plan = cape.design(std, weights)
        order = rng.permutation(plan.sites).tolist()
        known = order[: rng.integers(0, plan.sites)]
        silent = [] if rng.random() < 0.5 else order[::-1][: rng.integers(0, plan.sites)]
        sensitivities = std * rng.uniform(0.1, 2, plan.sites)
        got = plan.leakage(sensitivities, known, dropped=silent)
        assert got == pytest.approx(brute_leakage(plan, sensitivities, known, silent), rel=1e-8, nan_ok=True)


def of_message_and_average(plan, sensitivities):
    """μ² for whoever sees one site's message and the average, site by site: a change moves both."""
    messages = joint_view(plan, [])[1][: plan.sites]
    average = plan.weights @ messages
    seen = np.array([np.vstack([message, average]) for message in messages])
    moved = np.stack([np.ones(plan.sites), plan.weights], axis=1) * sensitivities[:, None]
    return np.array([m @ np.linalg.solve(see @ see.T, m) for see, m in zip(seen, moved, strict=True)])


def test_a_message_and_the_average_tell_as_much_as_all_messages():
    for sites in (2, 5, 10, 40):
        plan = cape.design(np.ones(sites), np.full(sites, 1 / sites))
        pair = of_message_and_average(plan, np.ones(sites))
        assert pair == pytest.approx(2 * sites / (sites + 1))
        assert pair == pytest.approx(plan.leakage(np.ones(sites), 0))
        assert pair == pytest.approx(cape.leakage(sites))
    rng = np.random.default_rng(92)
    for _ in range(200):  # And never more, for unequal sites.
        weights = rng.dirichlet(np.full(5, 5))
        plan = cape.design(rng.uniform(0.5, 2, 5), weights)
        sensitivities = rng.uniform(0.1, 2, 5)
        pair = of_message_and_average(plan, sensitivities)
        assert np.all(pair <= plan.leakage(sensitivities, 0) * (1 + 1e-9))
        assert np.all(pair >= (sensitivities / plan.std) ** 2 * (1 - 1e-9))


def test_leakage_of_equal_variances_reaches_nine_digits():
    # Well-conditioned designs, where brute force itself is good for more.
    rng = np.random.default_rng(92)
    for _ in range(DRAWS // 4):
        sites = int(rng.integers(2, 21))
        plan = cape.design(rng.uniform(0.5, 2, sites), rng.dirichlet(np.full(sites, 20)))
        known = rng.permutation(sites)[: rng.integers(0, sites)].tolist()
        want = brute_leakage(plan, plan.std, known)
        assert plan.leakage(plan.std, known) == pytest.approx(want, rel=1e-9, nan_ok=True)


def test_a_number_of_colluders_means_the_worst_choice_of_that_many():
    rng = np.random.default_rng(93)
    for sites in range(2, 8):
        plan = cape.design(rng.uniform(0.2, 3, sites), rng.dirichlet(np.full(sites, 3)))
        for colluding in range(sites):
            got = plan.leakage(1.0, colluding)
            for s in range(sites):
                others = [t for t in range(sites) if t != s]
                sets = itertools.combinations(others, colluding)
                assert got[s] == pytest.approx(max(plan.leakage(1.0, chosen)[s] for chosen in sets))


def test_equal_sites_give_the_published_protocol_back():
    for sites in (2, 3, 7, 20):
        plan = cape.design(np.full(sites, 1.7))
        assert plan.zero_sum_std == pytest.approx(1.7 * math.sqrt(1 - 1 / sites))
        assert plan.local_std == pytest.approx(1.7 / math.sqrt(sites))
        assert plan.seed_std == pytest.approx(1.7)
        assert plan.correction == pytest.approx(1)  # of T = (1/S) Σ ê


def test_drawn_noise_has_the_designed_law_and_cancels():
    plan = cape.design([0.5, 2.0, 1.0, 4.0], [0.4, 0.1, 0.3, 0.2])
    zero_sum, local = plan.sample(4000, rng=np.random.default_rng(94))
    assert np.abs(plan.weights @ zero_sum).max() < 1e-14
    for s in range(4):
        assert_normal(zero_sum[s], plan.zero_sum_std[s])
        assert_normal(local[s] + zero_sum[s], plan.std[s])
    assert_normal(plan.weights @ local, plan.target)


def test_a_dominating_site_is_named_with_a_target_that_can_be_had():
    std, weights = [1.0, 1.0, 10.0, 1.0], np.full(4, 0.25)
    with pytest.raises(cape.UnreachableTarget, match="site 2 dominates") as caught:
        cape.design(std, weights, target=0.5)
    assert caught.value.site == 2
    assert caught.value.nearest == pytest.approx(math.sqrt(100 - 3) / 4, rel=1e-5)
    plan = cape.design(std, weights, target=caught.value.nearest)
    assert plan.target == caught.value.nearest
    with pytest.raises(cape.UnreachableTarget, match="at most") as caught:
        cape.design(std, weights, target=5.0)
    assert cape.design(std, weights, target=caught.value.nearest).zero_sum_std == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("sites", [2, 3, 4, 5, 10])
def test_the_published_weighted_form_fails_from_four_equal_sites_on(sites):
    std = np.ones(sites)
    if sites <= 3:
        plan = cape.published_design(std)
        # Not the equal-site protocol, though the publication says that it reduces to it.
        assert plan.local_std[-1] ** 2 == pytest.approx((3 - sites) / 2, abs=1e-12)
        return
    with pytest.raises(cape.UnreachableTarget, match=f"gives site {sites - 1} zero-sum noise") as caught:
        cape.published_design(std)
    nearest = cape.published_design(std, target=caught.value.nearest)
    assert nearest.target == pytest.approx(math.sqrt((sites - 2) / sites**2))


def test_the_published_form_where_it_exists_is_a_valid_design_without_a_sum():
    rng = np.random.default_rng(95)
    tried = 0
    for _ in range(300):
        sites = int(rng.integers(2, 8))
        std, weights = rng.uniform(0.5, 2, sites), rng.dirichlet(np.full(sites, 20))
        v = (weights * std) ** 2
        target = math.sqrt(v.sum() * rng.uniform(0.6, 1))
        try:
            plan = cape.published_design(std, weights, target=target)
        except cape.UnreachableTarget as refused:
            assert cape.published_design(std, weights, target=refused.nearest)
            continue
        tried += 1
        # Its noise by hand: e_s independent for s < S, the last the negative of their weighted sum.
        draw = np.diag(plan.weights * plan.zero_sum_std)
        draw[-1] = 0
        draw[-1] = -draw.sum(axis=0)
        covariance = draw @ draw.T
        local = np.diag((plan.weights * plan.local_std) ** 2)
        assert np.diag(covariance) + np.diag(local) == pytest.approx(v, rel=1e-9)
        assert local.sum() == pytest.approx(target**2)
        inverse = np.linalg.inv(covariance + local)
        assert plan.leakage(1.0) == pytest.approx(plan.weights**2 * np.diag(inverse), rel=1e-8)
    assert tried > 30


def test_sampling_the_published_form_cancels_too():
    plan = cape.published_design([1.0, 2.0, 1.5], [0.4, 0.2, 0.4])
    zero_sum, local = plan.sample(4000, rng=np.random.default_rng(96))
    assert np.abs(plan.weights @ zero_sum).max() < 1e-14
    for s in range(3):
        assert_normal(zero_sum[s] + local[s], plan.std[s])


def test_published_equal_weights_leave_the_public_average_less_private_than_a_message():
    """[Cape] Remark 3 for n = (10, 20, 270): weights 1/S, local noise τ_s²/S, H(n) of pooled variance."""
    samples = np.array([10, 20, 270])
    demand = Privacy(1.0, 1e-5)
    tau = np.array([privacy.gaussian_std(1 / n, demand) for n in samples])
    published = math.sqrt((tau**2 / 3).sum()) / 3
    pooled = privacy.gaussian_std(1 / samples.sum(), demand)
    assert published**2 / pooled**2 == pytest.approx(cape.excess(samples))
    public = (1 / samples / 3) / published  # μ of each site's record in that public average
    assert public[0] > 1.5 * privacy.gdp_mu(demand)
    assert privacy.gdp_delta(1.0, public[0]) > 1e-3  # promised: 1e-5
    ours = release(np.zeros(3), 1 / samples, demand, scheme="cape", rng=np.random.default_rng(0))
    assert ours.mu_public == pytest.approx(privacy.gdp_mu(demand))
    by_size = cape.design(tau, samples / 300)
    assert by_size.target == pytest.approx(pooled)  # H = 1, whatever the sizes


def test_published_zero_sum_noise_of_unequal_sites_leaves_a_message_short():
    """[Cape] Algorithm 1 as printed, ê_s ~ N(0, τ_s²), e_s = ê_s − T/S: Var e_s ≠ (1 − 1/S) τ_s²."""
    tau2 = np.array([9.0, 1.0, 1.0])
    form = np.eye(3) - 1 / 3
    message = np.diag(form @ np.diag(tau2) @ form.T) + tau2 / 3
    assert message[0] == pytest.approx(9 - 9 * Fraction(1, 3) + Fraction(11, 9))
    assert message[0] < 0.81 * tau2[0]


@pytest.mark.parametrize("change", [lambda n: 1 / n, lambda n: n**-0.5, lambda n: 2 / n + 3 / n**2])
def test_excess_follows_proposition_2_for_any_sensitivity(change):
    samples = np.array([5, 8, 20, 31])
    by_hand = sum(change(n) ** 2 for n in samples) / (64 * change(samples.sum()) ** 2)
    assert cape.excess(samples, change) == pytest.approx(by_hand)
    assert cape.gain(samples, change) == pytest.approx(4 * by_hand)
    equal = cape.excess([16] * 4, change)
    assert equal <= cape.excess(samples, change) + 1e-12  # Δ² convex: Schur
    assert (abs(equal - 1) < 1e-12) == (abs(change(16) - 4 * change(64)) < 1e-12)


def test_a_sensitivity_that_turns_negative_is_refused():
    with pytest.raises(ValueError, match=r"sensitivity.*0, got -0.5"):
        cape.excess([3, 4], lambda n: 3.5 - n)


@pytest.mark.parametrize(("against", "colluding"), [("aggregator", 0), ("colluders", 2)])
def test_honest_calibration_gives_each_of_unequal_sites_its_own_demand(against, colluding):
    rng = np.random.default_rng(97)
    for _ in range(8):
        sites = int(rng.integers(4, 12))
        samples = rng.integers(20, 2000, sites)
        demands = [Privacy(e, 1e-5) for e in rng.uniform(0.1, 3, sites)]
        result = release(
            np.zeros(sites),
            1 / samples,
            demands,
            scheme="cape",
            rng=rng,
            weights=samples / samples.sum(),
            against=against,
            colluding=colluding,
        )
        budget = np.array([privacy.gdp_mu(d) for d in demands])
        leaked = np.sqrt(result.design.leakage(1 / samples, colluding))
        assert (leaked <= budget * (1 + 1e-9)).all()
        assert (leaked / budget).max() == pytest.approx(1)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: cape.design([1.0, -2.0]), "std must be finite and above 0, got -2.0 at position 1"),
        (lambda: cape.design([1, 1], [0.5, 0.6]), "weights must sum to 1, got 1.1"),
        (lambda: cape.design([1, 1], [1.0]), "weights must have shape"),
        (lambda: cape.design([1, 1], target=0), "target must be a positive finite number"),
        (lambda: cape.design([1, 1]).leakage(1, [0, 1]), "colluding must leave at least one site, got all 2"),
        (lambda: cape.design([1, 1]).leakage(1, [2]), "colluding must be a whole number from 0 to 1, got 2"),
        (lambda: cape.design([1, 1]).leakage(1, 2), "colluding must be a whole number from 0 to 1, got 2"),
        (lambda: cape.design([1, 1]).average_std([0, 1]), "dropped must leave at least one site"),
    ],
)
def test_bad_arguments_are_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()
