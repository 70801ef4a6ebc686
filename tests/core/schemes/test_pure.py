"""Pure ε: what is stated against all that can be seen, by enumeration; what is refused; what it costs."""

import math

import numpy as np
import party_plans
import pytest

from core import Privacy, release
from core.discrete import OPERATING_SYSTEM, divided_probabilities
from core.parties import Statistic, exchange, plan_of
from core.parties.messages.refusals import TooFewSites
from core.parties.plan import Plan
from core.parties.source import streams
from core.privacy.accountant import Accountant, pure_epsilon, pure_mu
from core.schemes import error_of_average, noise_factor, promise
from core.schemes.after_design import design
from core.schemes.terms import Terms
from core.summaries import Summary, l1_sensitivity

TARGET = Privacy(1.2, 1e-5)


def released(scheme="cape-after", sites=3, sensitivity=3.0, grid=0.25, seed=0, **options):
    options = {"against": "aggregator"} | options
    return release(
        np.zeros(sites), sensitivity, TARGET, scheme=scheme, rng=np.random.default_rng(seed), pure=True, grid=grid,
        **options,
    )  # fmt: skip


def seen(parts, place, known, lost, scale=1.0):
    """Largest |log ratio| of the pair (y_s, T') for a record that moves y_s by its sensitivity: by enumeration."""
    changes = parts.grid.steps(parts.weights * 1.0 * SENSITIVITY)
    honest = [s for s in range(len(parts.weights)) if s not in known and s not in lost]
    moved, own = int(changes[place]), max(round(scale * parts.seed_std[place]), 1)
    local = max(round(scale * parts.local_std[0]), 1)
    shape = len(honest) / parts.divided
    first = divided_probabilities(own, 1.0, 6 * own + moved)
    total = divided_probabilities(local, shape, 6 * local + moved)
    pair = np.log(np.outer(first, total))
    return float(np.abs(pair[moved:, moved:] - pair[:-moved, :-moved]).max())


SENSITIVITY = 3.0


@pytest.mark.parametrize("sites, colluding, dropouts", [(2, 0, 0), (3, 0, 1), (4, 1, 1), (6, 3, 0)])
def test_the_largest_log_ratio_is_what_is_stated(sites, colluding, dropouts):
    """Never above; within 1e-6 of it; and above it at two thirds of the noise."""
    against = {"against": "colluders", "colluding": colluding, "dropouts": dropouts, "cap": 4.0}
    lost, known = list(range(dropouts)), list(range(sites - colluding, sites))
    found = released(sites=sites, dropped=lost, **against)
    assert found.pure and found.design.own_noise == "sum"
    stated = pure_epsilon(found.mu(known))
    assert stated <= TARGET.epsilon * (1 + 1e-11)
    largest = seen(found.parts, dropouts, known, lost)
    assert stated * (1 - 1e-6) < largest <= stated
    assert seen(found.parts, dropouts, known, lost, scale=2 / 3) > TARGET.epsilon


def test_shape_one_over_all_sites_is_refused():
    """Three of ten collude: parts for ten leave the sum at 0.7 of a number, whose ε is above the target."""
    for colluding, dropouts in ((3, 0), (0, 2), (2, 1)):
        terms = {"against": "colluders", "colluding": colluding, "dropouts": dropouts}
        planned = released(sites=10, dropped=range(dropouts), **terms)
        careless = released(sites=10)
        for found, met in ((planned, True), (careless, False)):
            known, lost = range(10 - colluding, 10), range(dropouts)
            largest = seen(found.parts, dropouts, known, lost)
            assert (largest <= TARGET.epsilon) == met
        assert pure_epsilon(careless.mu(range(10 - colluding, 10))) > TARGET.epsilon or not colluding
    one = Terms("colluders", 3, pure=True)
    plan = design(np.ones(10), terms=one)
    pairs = np.stack([plan.seed_std, plan.local_std], axis=1)
    agreed = Terms("colluders", 3, pure=True, designs=tuple(map(tuple, pairs.tolist())))
    assert design(np.ones(10), terms=agreed).average_std() == pytest.approx(plan.average_std())
    pairs[:, 1] *= math.sqrt(7 / 10)
    with pytest.raises(ValueError, match="designs must meet"):
        design(np.ones(10), terms=Terms("colluders", 3, pure=True, designs=tuple(map(tuple, pairs.tolist()))))


def test_random_settings_are_never_above_what_is_stated():
    """Unequal weights, changes and targets; colluders and silent sites within the plan and beyond it."""
    rng = np.random.default_rng(3)
    for _ in range(60):
        sites = int(rng.integers(3, 8))
        weights = rng.dirichlet(np.full(sites, 5.0))
        most = (sites - 1) // 2
        dropouts = int(rng.integers(0, most + 1))
        changes = SENSITIVITY / weights * rng.uniform(0.5, 1, sites)
        targets = [Privacy(float(e), 1e-5) for e in rng.uniform(0.8, 2, sites)]
        order = rng.permutation(sites)
        lost, known = order[:dropouts].tolist(), order[dropouts : dropouts + int(rng.integers(0, 2))].tolist()
        found = release(
            np.zeros(sites), changes, targets, scheme="cape-after", rng=rng, weights=weights, pure=True,
            against="aggregator", dropouts=dropouts, dropped=lost, cap=6.0, grid=0.4,
        )  # fmt: skip
        parts, honest = found.parts, [s for s in range(sites) if s not in (*lost, *known)]
        shape = len(honest) / parts.divided
        total = divided_probabilities(int(parts.local_std[0]), shape, 200)
        largest = 0.0
        for s in honest:
            moved = int(parts.grid.steps(weights * changes)[s])
            through = np.abs(np.log(total[moved:] / total[:-moved])).max()
            one = moved / parts.seed_std[s] + through
            largest = max(largest, one)
            if not known:
                assert one <= targets[s].epsilon * (1 + 1e-9)
        stated = pure_epsilon(found.mu(known))
        assert stated * (1 - 2e-3) < largest <= stated * (1 + 1e-9)


@pytest.mark.parametrize("scheme", ["pooled", "local", "conventional", "secure", "cape-after"])
@pytest.mark.parametrize("against", ["message", "aggregator"])
def test_every_scheme_draws_what_it_states(scheme, against):
    """2,000 entries: the mean square within five standard errors of Laplace's law (2e-6), not at 2/3 or 3/2."""
    sizes = np.array([30, 50, 20, 80, 20])
    terms = {"against": against} | ({"dropouts": 1} if against == "aggregator" else {})
    drawn = release(
        np.full((5, 2000), 0.5), 1 / sizes, TARGET, scheme=scheme, rng=np.random.default_rng(7), weights=sizes / 200,
        pure=True, **terms,
    )  # fmt: skip
    errors, std = drawn.value - 0.5, float(drawn.std)
    spread = 5 * math.sqrt(5 / 2000)
    for factor, accepted in ((1, True), (2 / 3, False), (3 / 2, False)):
        assert (abs(np.mean((errors / (factor * std)) ** 2) - 1) < spread) == accepted
    one = math.sqrt(2) / 1.2 / 200
    assert (
        std == pytest.approx(one * noise_factor(scheme, 5, pure=True, **terms), rel=2e-3) or scheme == "local"
    )
    within = np.abs(errors) < error_of_average(
        scheme, sites=5, samples=sizes, privacy=TARGET, pure=True, **terms
    )
    assert within.mean() > 0.95 - 4 * math.sqrt(0.05 * 0.95 / 2000)


def test_targets_of_a_message_and_of_all_that_is_seen():
    alone = released(sites=5, against="message", grid=None)
    assert pure_epsilon(alone.mu_message) == pytest.approx(1.2, rel=1e-3)
    assert pure_epsilon(alone.mu_aggregator) == pytest.approx(2.4, rel=1e-3)
    held = released(sites=5, grid=None)
    assert pure_epsilon(held.mu_message) == pytest.approx(1.2 / 20, rel=1e-3)
    assert pure_epsilon(held.mu_public) == pytest.approx(1.2 * 19 / 20, rel=1e-3)
    assert pure_epsilon(held.mu_aggregator) == pytest.approx(1.2, rel=1e-3)
    stated = promise(1.0, TARGET, sites=10, scheme="cape-after", pure=True, dropouts=2, against="aggregator")
    assert 1.199 < pure_epsilon(stated.aggregator) <= 1.2 * (1 + 1e-11)


@pytest.mark.parametrize(
    "cap, variance", [(1e12, 1.235), (120.0**2, 1.255), (12.0**2, 1.469), (6.0**2, 1.778), (400.0, 1.368)]
)
def test_what_a_louder_message_costs(cap, variance):
    """S²/((S − r) h) over (1 − 1/√cap)²: S = 10, one silent; ε₂ = 1.2, 1.19, 1.1, 1 and, by default, 1.14 of 1.2."""
    found = noise_factor("cape-after", 10, pure=True, against="aggregator", dropouts=1, dropped=1, cap=cap)
    assert found**2 == pytest.approx(variance, rel=1e-3)


def test_what_cannot_be_pure_is_refused_by_name():
    for scheme in ("cape", "cape-best", "graph"):
        with pytest.raises(ValueError, match="pure must be False"):
            noise_factor(scheme, 5, pure=True)
        with pytest.raises(ValueError, match="pure must be left out"):
            released(scheme)
    with pytest.raises(ValueError, match="own_noise must be 'sum'"):
        released(own_noise="message")
    with pytest.raises(ValueError, match="calibration must be 'exact'"):
        released(calibration="published")
    with pytest.raises(ValueError, match="noise must be 'discrete'"):
        released(noise="copied")


def test_the_accountant_adds_pure_parts():
    found = released(sites=5)
    epsilon = pure_epsilon(found.mu_aggregator)
    account = Accountant().record(epsilon=epsilon).record(epsilon=epsilon)
    assert account.epsilon(1e-9) == pytest.approx(2 * epsilon)
    for e in (1e-3, 0.5, 3.0, 20.0):
        assert e <= pure_epsilon(pure_mu(e)) <= e * (1 + 1e-9)


def test_bits_come_from_the_operating_system():
    found = release(np.zeros(4), 1.0, TARGET, scheme="cape-after", rng=OPERATING_SYSTEM, pure=True)
    assert found.hardened and np.isfinite(found.value)


def test_counts_and_means_pay_their_l1_sensitivity():
    parts = [Summary("mean", 0.0, 12.0), Summary("counts", cells=3)]
    assert l1_sensitivity(10, parts) == pytest.approx(0.3)
    assert Statistic("shares", (3,), 0.0, 1.0).l1_change == 2.0
    assert Statistic("mean", (), 0.0, 12.0).l1_change == 12.0
    assert Statistic("second moment", (2, 2), norm=1.0).l1_change is None


@pytest.mark.parametrize(
    "scheme, form", [("cape-after", "secure"), ("cape-after", "broadcast"), ("secure", "secure")]
)
def test_parties_release_the_same_numbers(scheme, form):
    """One release in one process, and by parties, to the last bit; silent sites; the file."""
    statistic = Statistic("mean", (), 0.0, 1.0)
    options = {"scheme": scheme, "zero_sum": form, "noise": "discrete", "pure": True, "against": "aggregator"}
    plan = plan_of(statistic, [40] * 5, TARGET, dropouts=1, **options)
    assert Plan.from_dict(plan.to_dict()) == plan and plan.to_dict()["version"] == 2
    values = np.linspace(0.2, 0.8, 5)
    found = exchange(plan, values, rng=streams(plan, np.random.default_rng(3)))
    right = plan.release(values, rng=np.random.default_rng(3))
    assert found.value == right.value
    assert pure_epsilon(plan.promise(0).aggregator) <= 1.2 * (1 + 1e-11)
    at = "input" if form == "secure" else "message"
    silent = exchange(plan, values, silent={at: [2]})
    assert silent.dropped == (2,)
    with pytest.raises(TooFewSites):
        exchange(plan, values, silent={at: [2, 3]})
    with pytest.raises(ValueError, match="pure must be False"):
        plan_of(statistic, [40] * 5, TARGET, **(options | {"noise": "iid"}))


def test_plans_without_it_keep_their_identifier():
    plan = party_plans.plan(5, "cape", "secure", equal=True)
    assert "pure" not in plan.to_dict() and plan.to_dict()["version"] == 1
