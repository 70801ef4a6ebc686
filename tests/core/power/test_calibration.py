"""Sensitivities of a power step, and the accounting of all steps."""

import itertools
import math

import numpy as np
import pytest
from power_tensors import DEMAND
from scipy.optimize import minimize
from scipy.stats import norm

from core import Privacy, power
from core.moments.sensitivities import third
from core.privacy import compose, gdp_mu


def neighbours_of_zero(d, relation):
    """Every way to move one symmetrised entry of a (d, d, d) tensor."""
    for i, j, k in itertools.combinations_with_replacement(range(d), 3):
        change = np.zeros((d, d, d))
        for place in itertools.permutations((i, j, k)):
            change[place] = 1 + change[place] * (relation == "published")
        yield change


@pytest.mark.parametrize("relation", ["entry", "published"])
@pytest.mark.parametrize("d", [1, 2, 3, 5])
def test_sensitivities_are_the_largest_of_all_neighbours(relation, d):
    rng = np.random.default_rng(d)
    rows = [rng.standard_normal(d) * scale ** np.arange(d) for scale in (1.0, 0.7, 0.2, 0.01)] + [np.ones(d)]
    rows = np.array([row / np.linalg.norm(row) for row in rows])
    vector, value = power.sensitivities(rows, neighbours=relation)
    changes = list(neighbours_of_zero(d, relation))
    for u, delta1, delta2 in zip(rows, vector, value, strict=True):
        seen = [np.einsum("ijk,j,k->i", change, u, u) for change in changes]
        assert max(np.linalg.norm(s) for s in seen) == pytest.approx(delta1, rel=1e-12)
        assert max(abs(s @ u) for s in seen) == pytest.approx(delta2, rel=1e-12)
    loose = power.sensitivities(rows, neighbours=relation, form="published")
    assert (vector <= loose[0] + 1e-12).all() and (value <= loose[1] + 1e-12).all()
    if d > 2:  # The bounds are attained: by a flat vector, or by its diagonal entry.
        assert vector[-1] == pytest.approx(loose[0][-1]) and value[-1] == pytest.approx(loose[1][-1])


@pytest.mark.parametrize(
    ("relation", "distribution", "worst"), [("entry", "copied", 1), ("published", "symmetrised", 6)]
)
def test_noise_on_the_whole_tensor_covers_every_neighbour(relation, distribution, worst):
    std, drawn = power.entry_std(0.5, neighbours=relation)
    assert drawn == distribution
    moved = [
        np.sqrt((change**2).sum()) if distribution == "symmetrised" else np.abs(change).max()
        for change in neighbours_of_zero(4, relation)
    ]
    assert max(moved) == pytest.approx(worst)
    assert max(moved) / std == pytest.approx(0.5)


def test_a_replaced_record_moves_a_step_by_at_most_2_over_n():
    rng = np.random.default_rng(0)
    d = 4
    u = rng.standard_normal(d)
    u /= np.linalg.norm(u)

    def moved(z, form):
        x, y = (part / max(1, np.linalg.norm(part)) for part in np.split(z, 2))
        change = (x @ u) ** 2 * x - (y @ u) ** 2 * y
        return np.linalg.norm(change) if form == "vector" else abs(change @ u)

    def still(z, form):
        return -moved(z, form)

    for form, bound in zip(
        ("vector", "value"), power.sensitivities(u, neighbours="record", record=2), strict=True
    ):
        tries = [minimize(still, rng.standard_normal(2 * d), args=(form,)) for _ in range(6)]
        found = max(-t.fun for t in tries)
        assert found <= bound[0] + 1e-9
        assert found == pytest.approx(bound[0], abs=1e-3)
        assert moved(np.r_[u, -u], form) == pytest.approx(2)
    assert third(50, model="gaussians", d=d, variance=0.0) == pytest.approx(2 / 50)


def test_exact_accounting_is_the_composition_of_all_steps():
    for releases in (1, 63, 5000):
        account = power.accounting(DEMAND, releases)
        assert compose(*[account.step_mu] * releases) == pytest.approx(gdp_mu(DEMAND), rel=1e-12)
        # δ(ε) from the distribution of the summed privacy loss, N(Kμ²/2, Kμ²), by quadrature.
        variance = releases * account.step_mu**2
        loss = norm(variance / 2, math.sqrt(variance))
        delta = loss.expect(lambda x: -math.expm1(1 - x), lb=1, ub=1 + 40 * loss.std(), epsrel=1e-10)
        assert delta == pytest.approx(1e-6, rel=1e-6)
        assert account.epsilon(1e-6) == pytest.approx(1, rel=1e-9)
        assert account.delta(1.0) == pytest.approx(1e-6, rel=1e-6)


def test_published_accounting_is_as_printed_and_breaks_the_theorem_it_cites():
    releases = 63
    step = 1 / math.sqrt(releases * (4 + math.log(2 / 1e-6)))
    printed = 6 * math.sqrt(2 * math.log(1.25 * 2 * releases / 1e-6)) / step
    account = power.accounting(DEMAND, releases, neighbours="published", calibration="published")
    assert 6 / account.step_mu == pytest.approx(printed, rel=1e-12)
    assert account.epsilon(1e-6) == pytest.approx(0.14, abs=0.001)

    # One entry moves T(I,u,u) by 2√3 and T(u,u,u) by 6, and the printed noise is made for 6: 54 of one, 9 of the other.
    entry = power.accounting(DEMAND, releases, calibration="published", values=9)
    assert entry.mu == pytest.approx(math.sqrt(54 * 12 + 9 * 36) / printed, rel=1e-12)
    assert entry.epsilon(1e-6) < power.accounting(DEMAND, releases, calibration="published").epsilon(1e-6)

    def advanced(epsilon):
        return epsilon * math.sqrt(2 * releases * math.log(2 / 1e-6)) + releases * epsilon * math.expm1(
            epsilon
        )

    assert advanced(step) > 1.2
    theorem = power.accounting(DEMAND, releases, calibration="theorem")
    kept = theorem.step_mu * math.sqrt(2 * math.log(1.25 * 2 * releases / 1e-6))
    assert advanced(kept) == pytest.approx(1, rel=1e-9)


@pytest.mark.parametrize("privacy", [Privacy(0.1, 1e-8), DEMAND, Privacy(10, 1e-3)])
def test_every_calibration_but_the_printed_one_is_proved_and_none_beats_exact(privacy):
    kept = {
        c: power.accounting(privacy, 63, calibration=c).epsilon(privacy.delta) for c in power.CALIBRATIONS
    }
    assert kept["exact"] == pytest.approx(privacy.epsilon, rel=1e-6)
    assert max(kept["zcdp"], kept["theorem"]) < privacy.epsilon
    assert kept["theorem"] < kept["published"] < kept["zcdp"]
