"""Noise on a graph against brute force: what every view reveals, the worst colluders, dropouts, and the graphs."""

import itertools
import math

import numpy as np
import pytest
from laws import assert_normal

from core import Privacy, release, schemes
from core.privacy import gdp_mu
from core.schemes import graph_noise

DEMAND = Privacy(1.0, 1e-5)
MU = gdp_mu(DEMAND)


def random_graph(rng, sites):
    """A random connected graph: a random tree and further edges."""
    edges = {(int(rng.integers(s)), s) for s in range(1, sites)}
    rest = [e for e in itertools.combinations(range(sites), 2) if e not in edges]
    return graph_noise.Graph(sites, tuple(edges | {e for e in rest if rng.random() < 0.3}))


def joint(design, known, silent):
    """μ²/Δ² of honest senders, and the variance of the average of the senders, from what is drawn and seen."""
    sites, edges, w = design.sites, design.graph.edges, design.weights
    drawn = len(edges) + sites
    messages, numbers = np.zeros((sites, drawn)), np.zeros((len(edges), drawn))
    for i, (s, t) in enumerate(edges):
        numbers[i, i] = design.edge_std
        messages[s, i], messages[t, i] = design.edge_std / w[s], -design.edge_std / w[t]
    messages[:, len(edges) :] = np.diag(design.local_std)
    sent = [s for s in range(sites) if s not in known and s not in silent]
    told = [i for i, e in enumerate(edges) if set(e) & set(known)]
    rows = np.vstack([messages[sent], numbers[told], messages[list(known)]])
    noise = np.linalg.lstsq(rows, np.eye(len(rows))[:, : len(sent)], rcond=1e-13)[0]
    found = np.full(sites, np.nan)
    found[sent] = (noise**2).sum(axis=0)
    left = [s for s in range(sites) if s not in silent]
    return found, float(((w[left] @ messages[left] / w[left].sum()) ** 2).sum()), messages


def test_every_view_equals_the_joint_gaussian_on_random_graphs():
    rng = np.random.default_rng(1)
    for _ in range(150):
        sites = int(rng.integers(2, 7))
        graph = random_graph(rng, sites)
        weights, local = rng.dirichlet(np.full(sites, 8.0)), rng.uniform(0.3, 2, sites)
        design = graph_noise.GraphDesign(graph, weights, float(rng.uniform(0.05, 1)), local)
        order = rng.permutation(sites).tolist()
        colluding = int(rng.integers(0, sites))
        known, silent = order[:colluding], order[::-1][: int(rng.integers(0, sites - colluding))]
        seen, variance, messages = joint(design, known, silent)
        found, sent = design.leakage(1.0, known, dropped=silent), ~np.isnan(seen)
        np.testing.assert_allclose(found[sent], seen[sent], rtol=1e-9)
        assert np.isnan(found[known]).all() and (found[silent] == 0).all()
        assert design.average_std(silent) ** 2 == pytest.approx(variance, rel=1e-9)
        np.testing.assert_allclose(design.std, np.linalg.norm(messages, axis=1), rtol=1e-9)


def test_the_complete_graph_has_its_closed_form_which_is_cape_at_another_variance():
    for sites, c in [(3, 0), (8, 0), (8, 3), (30, 7), (5, 4)]:
        h, gamma, square = sites - c, 0.7, 0.4
        weights = np.full(sites, 1 / sites)
        design = graph_noise.GraphDesign(
            graph_noise.complete(sites), weights, math.sqrt(square) / sites, np.full(sites, math.sqrt(gamma))
        )
        closed = 1 / (gamma * h) + (1 - 1 / h) / (gamma + h * square)
        assert design.leakage(1.0, c) == pytest.approx(closed, rel=1e-9)
        assert design.leakage(1.0, range(sites - c, sites))[0] == pytest.approx(closed, rel=1e-9)
        d = h * square
        assert closed == pytest.approx((1 + d / (gamma * h)) / (d + gamma), rel=1e-12)


@pytest.mark.parametrize("kind", ["complete", "ring", 4, None])
def test_a_number_of_colluders_means_the_worst_choice_or_a_bound_on_it(kind):
    rng = np.random.default_rng(2)
    graph = graph_noise.graph_of(kind, 9)
    local, weights = rng.uniform(0.3, 2, 9), rng.dirichlet(np.full(9, 8.0))
    design = graph_noise.GraphDesign(graph, weights, 0.2, local)
    for c in range(9):
        sets = list(itertools.combinations(range(9), c))
        leaks = np.array([np.nan_to_num(design.leakage(1.0, chosen), nan=-1) for chosen in sets])
        np.testing.assert_allclose(design.leakage(1.0, c), leaks.max(axis=0), rtol=1e-9)
        worst = design.worst(1.0, c)
        assert worst.exact and len(worst.colluding) == c
        assert worst.leakage == pytest.approx(leaks.max())
        assert design.leakage(1.0, worst.colluding)[worst.site] == pytest.approx(worst.leakage)


def test_where_not_all_sets_can_be_tried_the_search_says_its_bound():
    graph = graph_noise.regular(40, 6, rng=np.random.default_rng(3))
    design = graph_noise.GraphDesign(graph, np.full(40, 1 / 40), 0.05, np.ones(40))
    found = design.worst(1.0, 4)
    assert not found.exact and found.leakage < found.bound
    assert design.leakage(1.0, 4).max() == pytest.approx(found.bound)
    assert design.leakage(1.0, found.colluding)[found.site] == pytest.approx(found.leakage)
    rng = np.random.default_rng(4)
    for _ in range(300):
        chosen = rng.choice(40, 4, replace=False).tolist()
        assert np.nanmax(design.leakage(1.0, chosen)) <= found.bound
    cut = design.worst(1.0, 6)
    assert cut.exact and cut.leakage == pytest.approx(1.0), (
        "all neighbours collude: only the own noise is left"
    )


def test_silent_sites_only_help_privacy():
    rng = np.random.default_rng(5)
    design = graph_noise.GraphDesign(graph_noise.ring(7), np.full(7, 1 / 7), 0.3, np.ones(7))
    for _ in range(50):
        order = rng.permutation(7).tolist()
        there, gone = design.leakage(1.0, order[:2]), design.leakage(1.0, order[:2], dropped=order[2:4])
        assert (gone[order[4:]] <= there[order[4:]] * (1 + 1e-12)).all()


@pytest.mark.parametrize("kind", [None, "ring", "complete", 3])
@pytest.mark.parametrize(("against", "c"), [("message", 0), ("aggregator", 0), ("colluders", 2)])
def test_a_release_meets_its_target_exactly_and_draws_what_it_states(kind, against, c):
    held = {"against": against, "colluding": c, "graph": kind}
    rng = np.random.default_rng(6)
    found = release(np.zeros((8, 4000)), 1.0, DEMAND, scheme="graph", rng=rng, **held)
    seen = {"message": found.mu_message, "aggregator": found.mu_aggregator, "colluders": found.mu(2)}[against]
    assert seen == pytest.approx(MU, rel=1e-9)
    assert found.mu_public <= MU * (1 + 1e-9)
    assert found.std == pytest.approx(schemes.average_std("graph", np.full(8, 1 / MU), **held))
    assert_normal(found.value, found.std)
    assert_normal(found.messages[3], found.design.std[3])
    np.testing.assert_allclose(found.zero_sum.sum(axis=0), 0, atol=1e-9)
    lost = release(np.zeros((8, 4000)), 1.0, DEMAND, scheme="graph", rng=rng, dropped=[1, 4], **held)
    assert_normal(lost.value, lost.std)
    assert np.isnan(lost.messages[[1, 4]]).all() and lost.mu(c) <= found.mu(c) * (1 + 1e-9)


def test_the_best_amplitude_on_the_complete_graph_is_cape_s_without_colluders():
    for r in (0, 1, 2, 4):
        held = {"against": "aggregator", "dropouts": r, "dropped": r}
        graph, best = (
            schemes.noise_factor(name, 10, graph="complete", **held) for name in ("graph", "cape-best")
        )
        assert graph == pytest.approx(best, rel=1e-4)


def test_equal_noise_of_messages_is_amplitude_one():
    weights = np.full(12, 1 / 12)
    for kind in ("complete", "ring", 4):
        plan = graph_noise.design(np.ones(12), graph_noise.graph_of(kind, 12), weights)
        assert plan.std == pytest.approx(1.0) and plan.target == pytest.approx(1 / 12)


def test_the_worst_average_is_the_worst_of_all_sets():
    rng = np.random.default_rng(11)
    for _ in range(30):
        sites = int(rng.integers(3, 8))
        plan = graph_noise.design(rng.uniform(0.5, 2, sites), random_graph(rng, sites), colluding=0)
        for r in range(sites):
            sets = itertools.combinations(range(sites), r)
            expected = max(plan.average_std(lost) for lost in sets)
            assert graph_noise.worst_average(plan, r) == pytest.approx(expected, rel=1e-12)
    ring = graph_noise.design(np.ones(30), graph_noise.ring(30), colluding=0)
    # More than 300 sets: silent sites that are no neighbours leave most of the shared noise.
    assert graph_noise.worst_average(ring, 4) == pytest.approx(ring.average_std([0, 2, 4, 6]), rel=1e-12)


def test_the_covariance_is_that_of_the_joint_gaussian():
    rng = np.random.default_rng(12)
    for _ in range(50):
        sites = int(rng.integers(3, 7))
        weights = rng.dirichlet(np.full(sites, 8.0))
        design = graph_noise.GraphDesign(random_graph(rng, sites), weights, 0.6, rng.uniform(0.3, 2, sites))
        known, silent = rng.permutation(sites)[:2].tolist()
        seen = [s for s in range(sites) if s not in (known, silent)]
        edges = [e for e in design.graph.edges if known not in e]
        forms = np.zeros((sites, len(edges)))
        for i, (s, t) in enumerate(edges):
            forms[s, i], forms[t, i] = design.edge_std, -design.edge_std
        expected = (forms @ forms.T + np.diag((weights * design.local_std) ** 2))[np.ix_(seen, seen)]
        np.testing.assert_allclose(design.covariance([known], dropped=[silent]), expected, atol=1e-12)


def test_random_regular_graphs_are_connected_regular_and_repeat():
    for sites, degree in [(2, 1), (3, 2), (10, 3), (10, 9), (25, 4), (30, 7)]:
        graph = graph_noise.regular(sites, degree, rng=np.random.default_rng(7))
        assert (graph.degrees == degree).all() and len(graph.edges) == sites * degree // 2
        assert graph == graph_noise.regular(sites, degree, rng=np.random.default_rng(7))
    assert graph_noise.graph_of(4, 20) == graph_noise.graph_of(None, 20)
    assert graph_noise.regular(20, 4, rng=np.random.default_rng(8)) != graph_noise.graph_of(4, 20)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: graph_noise.Graph(5, ((0, 1), (2, 3), (3, 4))),
            r"edges must connect all 5 sites, got sites \[2, 3, 4\] apart from sites \[0, 1\]; an edge \(0, 2\) connects",
        ),
        (lambda: graph_noise.Graph(3, ((0, 1), (1, 1))), "edges must join two different sites"),
        (
            lambda: graph_noise.Graph(3, ((0, 1), (1, 0), (1, 2))),
            "edges must be there once each, got 1 twice",
        ),
        (lambda: graph_noise.Graph(3, ((0, 1), (1, 3))), "edges must be a whole number from 0 to 2, got 3"),
        (
            lambda: graph_noise.regular(5, 3, rng=np.random.default_rng(0)),
            "degree must be even for an odd number of sites, 5, got 3; 2 and 4 are",
        ),
        (
            lambda: graph_noise.regular(5, 6, rng=np.random.default_rng(0)),
            "degree must be a whole number from 2 to 4",
        ),
        (lambda: graph_noise.graph_of("star", 5), "graph must be one of 'complete', 'ring', got 'star'"),
        (
            lambda: release(
                np.ones(4),
                1,
                DEMAND,
                scheme="graph",
                rng=np.random.default_rng(0),
                graph=graph_noise.ring(5),
            ),
            "graph must be of the 4 sites that take part, got one of 5",
        ),
    ],
)
def test_bad_graphs_are_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()
