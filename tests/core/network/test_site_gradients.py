"""All sites in the same matrix products: the gradients, and the trainings, of one site after another."""

import numpy as np
import pytest

from core import Privacy, network, schemes
from core.network.site_gradients import Records

HIDDEN = 6


def sites_of(sizes, *, d=3, seed=0, scale=1.0):
    rng = np.random.default_rng(seed)
    return [(scale * rng.standard_normal((n, d)), rng.integers(0, 2, n).astype(float)) for n in sizes]


def started(d=3, hidden=HIDDEN, seed=1):
    begin = network.start(d, hidden, rng=np.random.default_rng(seed))
    return begin.at(np.random.default_rng(seed).standard_normal(len(begin.vector)))


# Equal sites, unequal ones, one of a single record, and so many records that several blocks are needed.
@pytest.mark.parametrize("sizes", [(7, 7, 7), (7, 1, 12), (9000, 5000, 5000), (30_000, 4)])
@pytest.mark.parametrize("clip", [None, 0.3, 2.0])
def test_one_pass_gives_the_gradient_of_every_site(sizes, clip):
    sites, net = sites_of(sizes), started()
    alone = [network.gradient(net, x, y, clip=clip) for x, y in sites]
    found = Records(sites, HIDDEN).gradients(net, clip=clip)
    np.testing.assert_allclose(found.means, [one.mean for one in alone], rtol=1e-11, atol=1e-13)
    for name in ("loss", "accuracy", "clipped"):
        expected = np.average([getattr(one, name) for one in alone], weights=sizes)
        assert getattr(found, name) == pytest.approx(expected, rel=1e-12, abs=1e-15)


def test_a_second_pass_does_not_change_what_the_first_said():
    sites = sites_of((40, 40))
    records = Records(sites, HIDDEN)
    first = records.gradients(started(), clip=1.0)
    kept = first.means.copy(), first.margins.copy(), first.lengths.copy()
    records.gradients(started(seed=9), clip=1.0)
    for now, before in zip((first.means, first.margins, first.lengths), kept, strict=True):
        np.testing.assert_array_equal(now, before)


@pytest.mark.parametrize("scale", [1e-100, 1e50, 1e99])
def test_no_record_weighs_more_than_the_clipping_norm(scale):
    """One record a site: its average is its own clipped gradient, however large its features."""
    sites = sites_of((1,) * 50, scale=scale)
    means = Records(sites, HIDDEN).gradients(started(), clip=0.5).means
    assert np.isfinite(means).all()
    assert np.linalg.norm(means, axis=1).max() <= 0.5 * (1 + 1e-12)


def test_replacing_a_record_moves_a_site_by_at_most_the_sensitivity():
    rng, clip, n, worst = np.random.default_rng(3), 0.7, 12, 0.0
    for _ in range(200):
        net = started(seed=int(rng.integers(2**31)))
        sites = sites_of((n, n), seed=int(rng.integers(2**31)), scale=10 ** rng.uniform(-1, 2))
        before = Records(sites, HIDDEN).gradients(net, clip=clip).means
        x, y = sites[0]
        x[0], y[0] = x[0] + 0.01 * rng.standard_normal(3), 1 - y[0]
        after = Records(sites, HIDDEN).gradients(net, clip=clip).means
        np.testing.assert_allclose(after[1], before[1], atol=1e-15)
        worst = max(worst, np.linalg.norm(after[0] - before[0]))
    assert 0.9 * 2 * clip / n < worst <= 2 * clip / n * (1 + 1e-12)


@pytest.mark.parametrize("scheme", ["nonprivate", "pooled", "local", "conventional", "cape"])
@pytest.mark.parametrize("sizes", [(20, 20, 20), (20, 35, 8)])
def test_a_training_has_the_numbers_of_a_loop_over_sites_and_releases(scheme, sizes):
    """Site by site, with a release of its own in every step: the same draws give the same networks."""
    sites, net, target = sites_of(sizes), started(), None
    if scheme != "nonprivate":
        target = Privacy(1.0, 1e-3)
    options = {"scheme": scheme, "steps": 8, "budget": "step", "clip": 0.8, "learning_rate": 0.5}
    rng = np.random.default_rng(5)
    for step in network.steps(sites, privacy=target, rng=np.random.default_rng(5), begin=net, **options):
        passes = [network.gradient(net, x, y, clip=0.8).mean for x, y in sites]
        result = schemes.release(
            passes,
            2 * 0.8 / np.array(sizes),
            target,
            scheme=scheme,
            rng=rng,
            weights=np.array(sizes) / sum(sizes),
            keep="all",
        )
        net = net.at(net.vector - 0.5 * result.value)
        np.testing.assert_allclose(step.network.vector, net.vector, rtol=1e-9, atol=1e-12)
        if target is not None:
            assert step.releases[0][0].mu_message == pytest.approx(result.mu_message)
            assert step.releases[0][0].mu_aggregator == pytest.approx(result.mu_aggregator)
