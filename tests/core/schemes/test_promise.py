"""What a plan promises of each observer: the worst over every set of sites that it allows to fall silent."""

import itertools
import math

import numpy as np
import pytest

from core import Privacy, release
from core.schemes import PRIVATE, most_dropouts, promise
from core.schemes.amplitude import design
from core.schemes.graph_noise import design as on_graph
from core.schemes.graph_noise import graph_of, least_average

TARGET = Privacy(0.8, 1e-5)
# S, r, c, and how many collude with the aggregator besides what is planned for.
PLANS = [(2, 1, 0, 1), (3, 2, 0, 0), (5, 3, 1, 1), (6, 2, 2, 3)]


def happened(scheme, sites, silent, seen_with, **plan):
    """μ for the public, the aggregator and colluders when these sites fall silent."""
    found = release(
        np.zeros(sites),
        1.0,
        TARGET,
        scheme=scheme,
        rng=np.random.default_rng(0),
        dropped=silent,
        **plan,
    )
    together = found.mu(min(seen_with, len(found.sites) - 1))
    return found.mu_message, found.mu_public, found.mu_aggregator, together


@pytest.mark.parametrize("scheme", PRIVATE)
@pytest.mark.parametrize("sites, dropouts, colluding, seen_with", PLANS)
def test_a_promise_is_the_worst_of_all_sets_of_silent_sites(scheme, sites, dropouts, colluding, seen_with):
    if scheme == "cape-after":  # Beyond half of the others two sums of one run could be told apart.
        dropouts = min(dropouts, most_dropouts(scheme, sites, colluding=colluding))
    plan = {"against": "colluders", "colluding": colluding, "dropouts": dropouts}
    sets = (lost for r in range(dropouts + 1) for lost in itertools.combinations(range(sites), r))
    worst = np.max([happened(scheme, sites, lost, seen_with, **plan) for lost in sets], axis=0)
    found = promise(1.0, TARGET, sites=sites, scheme=scheme, seen_with=seen_with, **plan)
    learned = found.message, found.public, found.aggregator, found.colluders
    assert learned == pytest.approx(tuple(worst), rel=1e-12)


@pytest.mark.parametrize("sites, dropouts", [(4, 2), (10, 4), (12, 11)])
def test_the_aggregator_of_cape_learns_most_when_all_send_and_of_a_secure_sum_when_fewest_do(sites, dropouts):
    plan = {"against": "aggregator", "dropouts": dropouts, "sites": sites}
    noise = design(np.ones(sites), against="aggregator", dropouts=dropouts)
    # Brute force: precision of one site's record in the joint Gaussian of messages and sum, all sites sending.
    w, seed, local = noise.weights, noise.seed_std, noise.local_std
    mixed = np.diag(seed) - np.outer(noise.correction, w * seed)
    seen = np.vstack([np.hstack([mixed, np.diag(local)]), np.hstack([w * seed, 0 * local])])
    change = np.eye(sites + 1)[0]
    mu = math.sqrt(change @ np.linalg.pinv(seen @ seen.T, rcond=1e-13) @ change)
    unit = release(np.zeros(2), 1.0, TARGET, scheme="conventional", rng=np.random.default_rng(0)).mu_message
    assert promise(1.0, TARGET, scheme="cape", **plan).aggregator == pytest.approx(mu * unit, rel=1e-9)
    secure = promise(1.0, TARGET, scheme="secure", **plan)
    # Every share has 1/(S − r) of the variance that is needed.
    assert secure.aggregator == secure.public == pytest.approx(unit, rel=1e-12)
    none = happened("secure", sites, (), 0, against="aggregator", dropouts=dropouts)[2]
    assert none == pytest.approx(unit * math.sqrt((sites - dropouts) / sites), rel=1e-12)


@pytest.mark.parametrize("sites, dropouts", [(9, 4), (12, 3), (12, 8)])
def test_least_noise_on_a_graph_is_exact_or_bounded_from_below(sites, dropouts):
    plan = on_graph(np.ones(sites), graph_of(None, sites), amplitude=1.0)
    least = min(plan.average_std(lost) for lost in itertools.combinations(range(sites), dropouts))
    found = least_average(plan, dropouts)
    if math.comb(sites, dropouts) <= 300:
        assert found == pytest.approx(least, rel=1e-12)
    else:
        assert 0.7 * least < found <= least * (1 + 1e-12)
