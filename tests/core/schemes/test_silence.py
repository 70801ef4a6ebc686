"""Who falls silent in a plan: the worst set for the error of every scheme, found from public numbers alone."""

import itertools

import numpy as np
import pytest

from core import Privacy, release
from core.parties import Statistic, plan_of
from core.privacy import gaussian_mu
from core.schemes import (
    SCHEMES,
    average_std,
    error_of_average,
    most_dropouts,
    named,
    planned,
    planned_silence,
    planned_std,
    promise,
)
from core.schemes.average import WITHIN
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


def allowed(scheme, sites, colluding):
    """As many dropouts as the scheme itself can be planned for: a sum of messages stops where parties add it up."""
    most = sites - colluding - 1
    return min(most, most_dropouts(scheme, sites, colluding=colluding)) if scheme == "cape-after" else most


def cases(counts):
    every = itertools.product(SIZES, counts, AGAINST)
    return [(*sizes, *seen) for *sizes, seen in every if seen[1] < sizes[1] - 1]


def worst_of_all_sets(scheme, kind, sites, against, colluding):
    sizes = SIZES[kind](sites)
    std, weights = 1 / sizes, sizes / sizes.sum()
    for dropouts in range(allowed(scheme, sites, colluding) + 1):
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
@pytest.mark.parametrize("kind, sites, against, colluding", cases([4]))
def test_the_planned_silence_leaves_the_most_noise_of_all_sets(scheme, kind, sites, against, colluding):
    worst_of_all_sets(scheme, kind, sites, against, colluding)


@pytest.mark.slow
@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("kind, sites, against, colluding", cases([2, 3, 5, 6, 7, 8]))
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
        terms = {"against": "aggregator", "dropouts": allowed(scheme, 6, 0) // 2 + 1, "graph": graph}
        mixed = sizes[order]
        found = planned_silence(scheme, 1 / mixed, mixed / 440, names=[names[s] for s in order], **terms)
        said.add(tuple(sorted(names[order[s]] for s in found.silent)))
        assert found.std == pytest.approx(
            planned_std(scheme, 1 / sizes, sizes / 440, **(terms | {"graph": joined})), rel=1e-12
        )
    assert len(said) == 1
    if scheme != "graph":
        # Both sites with most records, and of three equal ones the last name.
        assert said == {("d", "f") if scheme == "cape-after" else ("d", "e", "f")}


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


RING = {"scheme": "graph", "against": "aggregator", "graph": "ring", "samples": 100}


def test_silent_sites_of_a_ring_are_apart():
    error = error_of_average(sites=8, privacy=Privacy(1.0, 1e-5), dropouts=2, dropped=2, **RING)
    assert error == pytest.approx(0.0258, abs=5e-5)
    # With louder noise of sum zero the last three sites of seven, which are neighbours, hide more.
    loud = {"against": "aggregator", "graph": "ring", "amplitude": 10.0, "dropouts": 3}
    beside = average_std("graph", np.ones(7), dropped=range(4, 7), **loud)
    assert planned_std("graph", np.ones(7), **loud) == pytest.approx(1.70 * beside, rel=5e-3)


@pytest.mark.parametrize("sites, dropouts, graph, needed", [(10, 2, None, 2.103), (12, 3, "ring", 2.281)])
def test_the_epsilon_that_noise_on_a_graph_needs_is_for_the_worst_silence(sites, dropouts, graph, needed):
    terms = RING | {"sites": sites, "dropouts": dropouts, "dropped": dropouts, "graph": graph}
    near = [error_of_average(privacy=Privacy(e, 1e-5), **terms) for e in (needed - 0.001, needed + 0.0005)]
    assert near[0] > 0.01 > near[1]


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


# What a sweep runs, and how many may fall silent at all.


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_run_loses_the_sites_of_the_stated_error(scheme):
    most = allowed(scheme, 4, 0) if scheme == "cape-after" else 2
    held = {"against": "aggregator", "dropouts": most}
    for sizes in ([120, 60, 20, 60], [20, 60, 120, 60], [50] * 4):
        run = planned({"dropped": most, "epsilon": 1.0, **held}, sizes, scheme)
        error = error_of_average(
            scheme, sites=4, samples=sizes, privacy=Privacy(1.0, 1e-5), dropped=most, **held
        )
        sizes = np.array(sizes)
        release_ = release(
            np.zeros(4), 1 / sizes, Privacy(1.0, 1e-5), scheme=scheme, rng=np.random.default_rng(0),
            weights=sizes / sizes.sum(), **run,
        )  # fmt: skip
        assert error == pytest.approx(WITHIN * float(np.max(release_.std)), rel=1e-12, abs=1e-300)
        lost = sorted(sizes[list(run["dropped"])].tolist())
        assert scheme == "local" or lost == sorted(sizes.tolist())[4 - most :] or scheme == "graph"
    assert "dropped" not in planned(held, 4, scheme)


def test_a_method_that_is_no_scheme_loses_the_largest_sites():
    assert planned({"dropped": 1}, [20, 120, 60], "objpert")["dropped"] == (1,)
    assert planned({"dropped": 2}, 5)["dropped"] == (3, 4)


@pytest.mark.parametrize("sites, colluding", [(2, 0), (3, 1), (4, 0), (6, 0), (10, 0), (10, 2), (7, 3)])
def test_a_plan_of_a_secure_sum_is_made_for_as_many_dropouts_as_it_can_carry(sites, colluding):
    most = most_dropouts("secure", sites, colluding=colluding)
    assert most_dropouts("cape", sites, colluding=colluding) == sites - colluding - 1
    options = {"scheme": "secure", "noise": "discrete", "against": "colluders", "colluding": colluding}
    one = Statistic("mean", (), 0.0, 1.0)

    def plan(dropouts):
        return plan_of(one, [100] * sites, Privacy(1.0, 1e-5), dropouts=dropouts, **options)

    # More would be fewer answers than half of the sites and the colluders.
    assert plan(most).answers(sites) * 2 > sites + colluding >= (sites - most - 1) * 2
    with pytest.raises(ValueError, match=f"^dropouts must be at most {most}"):
        plan(most + 1)


# The largest μ over all sets of silent sites, which is another set than that of the error.


def observers(scheme, sizes, targets, lost, seen_with, plan):
    """μ for the public, the aggregator and colluders when these sites fall silent."""
    weights = sizes / sizes.sum()
    options = {"scheme": scheme, "rng": np.random.default_rng(0), "weights": weights, "dropped": lost, **plan}
    found = release(np.zeros(len(sizes)), 1 / sizes, targets, **options)
    together = found.mu(min(seen_with, len(found.sites) - 1))
    return found.mu_message, found.mu_public, found.mu_aggregator, together


def promised_is_the_worst(scheme, kind, sites, against, colluding, targets):
    sizes = SIZES[kind](sites).astype(float)
    for dropouts in range(allowed(scheme, sites, colluding) + 1):
        plan = {"against": against, "colluding": colluding, "dropouts": dropouts}
        sets = [x for r in range(dropouts + 1) for x in itertools.combinations(range(sites), r)]
        found = promise(
            1 / sizes, targets, sites=sites, scheme=scheme, seen_with=1, weights=sizes / sizes.sum(), **plan
        )
        worst = np.max([observers(scheme, sizes, targets, lost, 1, plan) for lost in sets], axis=0)
        learned = found.message, found.public, found.aggregator, found.colluders
        assert learned == pytest.approx(tuple(worst), rel=1e-9) and found.slack == 0


PRIVATE_SCHEMES = [name for name in SCHEMES if named(name).private]
ALIKE, DIFFERENT = Privacy(0.8, 1e-5), tuple(Privacy(0.3 + 0.2 * s, 1e-5) for s in (3, 0, 2, 5, 1, 4, 0, 6))


@pytest.mark.parametrize("scheme", PRIVATE_SCHEMES)
@pytest.mark.parametrize("kind, sites, against, colluding", cases([4]))
def test_a_promise_is_the_largest_over_all_sets(scheme, kind, sites, against, colluding):
    promised_is_the_worst(scheme, kind, sites, against, colluding, DIFFERENT[:sites])


@pytest.mark.slow
@pytest.mark.parametrize("scheme", PRIVATE_SCHEMES)
@pytest.mark.parametrize("kind, sites, against, colluding", cases([2, 3, 4, 5, 6, 7, 8]))
@pytest.mark.parametrize("targets", [ALIKE, DIFFERENT], ids=["alike", "different"])
def test_the_same_promise_of_more_sites(scheme, kind, sites, against, colluding, targets):
    targets = targets if isinstance(targets, Privacy) else targets[:sites]
    promised_is_the_worst(scheme, kind, sites, against, colluding, targets)


def test_the_worst_set_of_an_error_is_not_that_of_privacy():
    sizes, target = np.array([120.0, 60.0, 20.0]), Privacy(1.0, 1e-5)
    plan, unit = {"against": "message", "dropouts": 1}, gaussian_mu(target)
    options = {"sites": 3, "scheme": "cape", "weights": sizes / 200}
    found = promise(1 / sizes, target, **options, **plan)
    lost = planned_silence("cape", 1 / sizes, sizes / 200, **plan).silent
    happened = observers("cape", sizes, target, lost, 0, plan)
    assert lost == (0,) and [round(x / unit, 2) for x in (happened[2], found.aggregator)] == [1.06, 1.22]


@pytest.mark.parametrize("graph, dropouts", [("ring", 3), (4, 3), (4, 5)])
def test_a_plan_promises_the_public_no_less_than_any_silence_tells(graph, dropouts):
    one = Statistic("mean", (), 0.0, 1.0)
    plan = plan_of(
        one, [100] * 9, Privacy(0.5, 1e-5), scheme="graph", graph=graph, dropouts=dropouts, amplitude=0.01
    )
    sets = [x for r in range(dropouts + 1) for x in itertools.combinations(range(9), r)]
    worst = max(plan.stated((), lost).mu_public for lost in sets)
    found = max(plan.promise(number).public for number in plan.numbers)
    assert found == pytest.approx(worst, rel=1e-9)


def test_a_promise_that_cannot_try_all_sets_is_a_bound():
    rng = np.random.default_rng(4)
    for scheme, sites, dropouts in (("graph", 30, 9), ("cape", 26, 11)):
        targets = [Privacy(float(e), 1e-5) for e in rng.uniform(0.3, 2, sites)]
        options = {"scheme": scheme, "dropouts": dropouts, "amplitude": 0.2, "against": "aggregator"}
        found = promise(1.0, targets, sites=sites, **options)
        assert 0 <= found.slack < 0.35
        for _ in range(100):
            lost = rng.permutation(sites)[: rng.integers(dropouts + 1)].tolist()
            happened = release(np.zeros(sites), 1.0, targets, rng=rng, dropped=lost, **options)
            assert happened.mu_public <= found.public * (1 + 1e-12)


def test_a_planned_silence_of_a_plan_has_its_sites_names():
    one, names = Statistic("mean", (), 0.0, 1.0), ["a", "b", "c", "d"]
    plan = plan_of(one, [60, 120, 60, 20], Privacy(1.0, 1e-5), scheme="cape", dropouts=2, names=names)
    found = plan.planned_silence()
    assert [names[s] for s in found.silent] == ["b", "c"]
    assert found.std == pytest.approx(float(np.max(plan.stated((), found.silent).std)), rel=1e-12)
    mixed = plan_of(
        one, [60, 60, 20, 120], Privacy(1.0, 1e-5), scheme="cape", dropouts=2, names=["c", "a", "d", "b"]
    )
    assert [mixed.sites[s].name for s in mixed.planned_silence().silent] == ["c", "b"]
    assert mixed.planned_silence().std == pytest.approx(found.std, rel=1e-12)
