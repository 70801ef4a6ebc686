"""Who falls silent in a plan: the worst set for the error of every scheme, found from public numbers alone."""

import itertools
import math

import numpy as np
import pytest

from core.schemes import SCHEMES, average_std, named, planned_silence, planned_std
from core.schemes.graph_noise import Graph, graph_of

SIZES = {
    "equal": lambda sites: np.full(sites, 100),
    "unequal": lambda sites: np.array([120, 60, 20, 60, 35, 120, 300, 21][:sites]),
}
AGAINST = [("message", 0), ("aggregator", 0), ("colluders", 1)]


def brute(scheme, std, weights, silent, **terms):
    """Noise of every set of so many silent sites."""
    sets = itertools.combinations(range(len(std)), silent)
    return {lost: average_std(scheme, std, weights, dropped=lost, **terms) for lost in sets}


def cases(counts):
    every = itertools.product(SIZES, counts, AGAINST)
    return [(*sizes, *seen) for *sizes, seen in every if seen[1] < sizes[1] - 1]


def worst_of_all_sets(scheme, kind, sites, against, colluding):
    sizes = SIZES[kind](sites)
    std, weights = 1 / sizes, sizes / sizes.sum()
    for dropouts in range(sites - colluding):
        terms = {"against": against, "colluding": colluding, "dropouts": dropouts}
        found = planned_silence(scheme, std, weights, **terms)
        if named(scheme).one_site:
            assert found.silent == ()
            continue
        noise = brute(scheme, std, weights, dropouts, **terms)
        assert found.exact and found.slack == 0
        assert found.std == pytest.approx(max(noise.values()), rel=1e-12)
        assert found.std == pytest.approx(noise[found.silent], rel=1e-12)
        fewer = [x for r in range(dropouts) for x in brute(scheme, std, weights, r, **terms).values()]
        assert found.std >= max(fewer, default=0) * (1 - 1e-12)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("kind, sites, against, colluding", cases([2, 5]))
def test_the_planned_silence_leaves_the_most_noise_of_all_sets(scheme, kind, sites, against, colluding):
    worst_of_all_sets(scheme, kind, sites, against, colluding)


@pytest.mark.slow
@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("kind, sites, against, colluding", cases([3, 4, 6, 7, 8]))
def test_the_same_of_more_sites(scheme, kind, sites, against, colluding):
    worst_of_all_sets(scheme, kind, sites, against, colluding)


@pytest.mark.parametrize("scheme", [name for name in SCHEMES if not named(name).one_site])
def test_sites_in_another_order_say_the_same_of_the_same_sites(scheme):
    names, sizes = list("fbdace"), np.array([120, 60, 120, 60, 20, 60])
    rng, said = np.random.default_rng(0), set()
    joined = graph_of(3, 6)
    for _ in range(6):
        order = rng.permutation(6)
        at = np.argsort(order)
        graph = Graph(6, tuple((int(at[s]), int(at[t])) for s, t in joined.edges))
        terms = {"against": "aggregator", "dropouts": 3, "graph": graph}
        mixed = sizes[order]
        found = planned_silence(scheme, 1 / mixed, mixed / 440, names=[names[s] for s in order], **terms)
        said.add(tuple(sorted(names[order[s]] for s in found.silent)))
        assert found.std == pytest.approx(
            planned_std(scheme, 1 / sizes, sizes / 440, **(terms | {"graph": joined})), rel=1e-12
        )
    assert len(said) == 1
    if scheme != "graph":
        assert said == {
            ("d", "e", "f")
        }  # Both sites with most records, and of three equal ones the last name.


@pytest.mark.parametrize(
    "sites, degree, dropouts", [(24, 4, 10), (40, 6, 8), (25, "ring", 9), (30, "complete", 14)]
)
def test_where_not_all_sets_can_be_tried_the_bound_is_above_what_any_search_finds(sites, degree, dropouts):
    terms = {"graph": degree, "against": "aggregator", "dropouts": dropouts}
    found = planned_silence("graph", np.ones(sites), **terms)
    rng = np.random.default_rng(1)
    tried = [
        average_std("graph", np.ones(sites), dropped=rng.permutation(sites)[:dropouts].tolist(), **terms)
        for _ in range(300)
    ]
    assert max(tried) <= found.found <= found.std <= 1.25 * found.found
    assert found.slack == pytest.approx(found.std / found.found - 1, abs=1e-9)
    if degree == "complete":
        assert found.exact


def test_a_bound_holds_for_unequal_targets():
    rng = np.random.default_rng(2)
    for scheme in ("conventional", "cape", "secure", "pooled"):
        std, weights = rng.uniform(0.5, 3, 16), rng.dirichlet(np.full(16, 3.0))
        terms = {"against": "aggregator", "dropouts": 8}
        exact = planned_silence(scheme, std, weights, **terms)
        assert exact.exact
        double = np.tile(std, 2), np.tile(weights, 2) / 2 * rng.uniform(1 - 1e-7, 1 + 1e-7, 32)
        bound = planned_silence(scheme, double[0], double[1] / double[1].sum(), silent=16, **terms)
        assert 0 <= bound.slack < 0.02


def test_the_right_numbers_of_trials():
    ring = planned_silence("graph", np.full(8, 1.0), graph="ring", dropouts=2)
    assert {abs(ring.silent[0] - ring.silent[1])} & {2, 3, 4, 5, 6}
    assert math.isclose(ring.std, max(brute("graph", np.ones(8), None, 2, graph="ring", dropouts=2).values()))


@pytest.mark.parametrize(
    "changes, word",
    [
        ({"names": ["a", "a", "b"]}, "names"),
        ({"names": ["a", "b"]}, "names"),
        ({"names": ["a", "b", 3]}, "names"),
        ({"silent": 3}, "silent"),
        ({"std": []}, "std"),
    ],
)
def test_bad_arguments_are_named(changes, word):
    with pytest.raises(ValueError, match=word):
        planned_silence(**({"scheme": "cape", "std": [1.0, 1.0, 2.0]} | changes))
