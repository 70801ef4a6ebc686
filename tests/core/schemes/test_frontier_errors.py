"""What cannot be met beyond published CAPE is refused with the nearest value that works, and this value works."""

import re

import numpy as np
import pytest

from core import Privacy, cape, release
from core.discrete.grid import Grid
from core.schemes import graph_noise

DEMAND = Privacy(1.0, 1e-5)


def run(sites=6, **options):
    return release(np.zeros((sites, 2)), 1.0, DEMAND, rng=np.random.default_rng(0), **options)


def number(before, error):
    """The last number of an error that follows these words."""
    return float(re.findall(rf"{before} ([\d.]+(?:e[+-]?\d+)?)", str(error.value))[-1])


@pytest.mark.parametrize("sites", [3, 7, 10, 24])
@pytest.mark.parametrize("amplitude", ["published", 0.3, 2.0])
def test_an_amplitude_that_cannot_meet_the_target(sites, amplitude):
    target = 1.03 * cape.design(np.ones(sites), amplitude="best", against="aggregator").target
    asked = {"target": target, "against": "aggregator"}
    with pytest.raises(cape.UnreachableTarget, match=r"^target .*amplitude") as error:
        cape.design(np.ones(sites), amplitude=amplitude, **asked)
    nearest = number("amplitude", error)
    assert cape.design(np.ones(sites), amplitude=nearest, **asked).target == pytest.approx(target)
    with pytest.raises(cape.UnreachableTarget):
        cape.design(np.ones(sites), amplitude=nearest * 0.998, **asked)
    least = number("at least", error)
    found = cape.design(np.ones(sites), amplitude=amplitude, target=least, against="aggregator")
    assert found.target == pytest.approx(least)


def test_a_target_that_no_amplitude_meets():
    with pytest.raises(cape.UnreachableTarget) as error:
        cape.design(np.ones(10), target=0.05, against="aggregator")
    least = number("at least", error)
    found = cape.design(np.ones(10), target=least, amplitude="best", against="aggregator")
    assert found.target == pytest.approx(least)


def test_a_disconnected_graph():
    edges = ((0, 1), (1, 2), (3, 4), (4, 5))
    with pytest.raises(ValueError, match=r"edges must.*6") as error:
        graph_noise.Graph(6, edges)
    more = tuple(int(s) for s in re.search(r"an edge \((\d), (\d)\) connects", str(error.value)).groups())
    graph = graph_noise.Graph(6, (*edges, more))
    assert run(scheme="graph", graph=graph, against="aggregator").mu_aggregator > 0


@pytest.mark.parametrize("scheme", ["cape", "cape-best", "graph", "secure", "conventional"])
@pytest.mark.parametrize("colluding", [0, 2])
def test_more_dropouts_than_sites(scheme, colluding):
    held = {"scheme": scheme, "against": "colluders", "colluding": colluding}
    with pytest.raises(ValueError, match="dropouts must") as error:
        run(dropouts=9, **held)
    most = int(number("at most", error))
    assert most == 5 - colluding and run(dropouts=most, **held).std > 0


@pytest.mark.parametrize("scheme", ["pooled", "local", "conventional", "secure"])
@pytest.mark.parametrize("scale", [0.31, 1.0, 7.7])
def test_a_grid_coarser_than_the_noise(scheme, scale):
    options = {"scheme": scheme, "noise": "discrete"}

    def once(grid):
        return release(np.zeros((6, 2)), scale, DEMAND, rng=np.random.default_rng(0), grid=grid, **options)

    with pytest.raises(ValueError, match="grid must") as error:
        once(40.0)
    nearest = number("at most", error)
    assert once(nearest).grid == nearest
    with pytest.raises(ValueError, match="grid must"):
        once(2 * nearest)


@pytest.mark.parametrize(
    ("changes", "mus"),
    [
        ([0.1, 0.1, 0.1], [2.0, 0.5, 4.0]),
        ([0.1, 0.1, 0.1], [4.0, 0.5, 2.0]),
        ([4 * np.nextafter(0.5, 0)], [1.0]),  # The logarithm of a quarter of this noise rounds up.
    ],
)
def test_the_grid_that_is_advised_is_one_for_all_sites(changes, mus):
    with pytest.raises(ValueError, match="grid must") as error:
        Grid(64.0, 3).stds(changes, mus)
    assert (Grid(number("at most", error), 3).stds(changes, mus) >= 4).all()
