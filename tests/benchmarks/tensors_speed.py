"""capeAGN without d³: ratios to dense noise, to tensorly's power method, and to the drawing of M2's noise.

    python -m tests.benchmarks.tensors_speed [--quick]

All ratios are of one run on one machine; every time is processor time, the best of several. Set
OMP_NUM_THREADS=1, so that threads do not count double.
"""

from __future__ import annotations

import argparse
import resource
import time
from dataclasses import dataclass

import numpy as np
from bokeh.plotting import figure, save
from bokeh.resources import INLINE

from core import Privacy, decomposition, metrics, moments, noise, release, tensors
from core.moments.whitening import whiten
from core.schemes.projected_noise import ProjectedNoise
from data import synthetic

DEMAND = Privacy(1.0, 0.01)


def best(run, times):
    """Processor seconds of the fastest of several runs: other programs on the machine count little."""

    def once():
        began = time.process_time()
        run()
        return time.process_time() - began

    return min(once() for _ in range(times))


@dataclass(frozen=True, eq=False)
class Given(moments.Moments):
    """Moments that are already there as arrays."""

    m2: np.ndarray
    m3: np.ndarray
    samples: int

    @property
    def d(self):
        return len(self.m2)

    def second(self):
        return self.m2

    def third(self, first, second=None, third=None):
        return tensors.contract(self.m3, first, second, third)

    def power(self, vectors):
        return tensors.power(self.m3, vectors)


def dense_stage_two(sites, w, rng, *, distribution="iid", statistics=True):
    """What [Fact] Algorithm 3 writes: every site adds d³ noise and sends its message as W sees it."""
    d, change = sites[0].d, np.sqrt(2) / sites[0].samples
    values = [m.m3 for m in sites] if statistics else np.zeros((len(sites), d, d, d))
    sent = release(values, change, DEMAND, scheme="cape", rng=rng, noise=distribution).messages
    return noise.symmetrise(sum(tensors.contract(message, w) for message in sent) / len(sites))


def projected_stage_two(sites, w, rng, distribution="symmetrised"):
    """The same release, drawn as W sees it."""
    k, count, change = w.shape[1], len(sites), np.sqrt(2) / sites[0].samples
    distribution = ProjectedNoise(w, distribution)
    return release(
        np.zeros((count, k, k, k)), change, DEMAND, scheme="cape", rng=rng, noise=distribution, keep="value"
    ).value


def dense_fit(sites, k, rng):
    """capeAGN with dense tensor noise, moments given; decomposed as ours is."""
    m2 = release(
        [m.kept_second for m in sites],
        np.sqrt(2) / sites[0].samples,
        DEMAND,
        scheme="cape",
        rng=rng,
        noise="copied",
        keep="value",
    ).value
    w = whiten(m2, k, strict=False).matrix
    return tensors.simultaneous(dense_stage_two(sites, w, rng), rng=rng)


def against_dense(rng, times):
    data = synthetic.single_topic(5 * 2000, dimension=50, components=10, rng=rng)
    counted = [moments.single_topic(part, 50) for part in np.split(data.tokens, 5)]
    sites = [Given(m.second(), m.dense_third(), m.samples) for m in counted]
    w = whiten(sum(m.kept_second for m in sites) / 5, 10).matrix
    # Our default distribution, and the published one.
    for distribution, naive in (("symmetrised", "iid"), ("copied", "copied")):
        dense = best(lambda: dense_stage_two(sites, w, rng, distribution=naive, statistics=False), times)  # noqa: B023
        ours = best(lambda: projected_stage_two(sites, w, rng, distribution), times)  # noqa: B023
        _line(f"stage two, {distribution} noise", ours, "dense", dense)
    whole = best(lambda: decomposition.fit(sites, 10, scheme="cape", privacy=DEMAND, rng=rng), times)
    _line("whole fit, moments given", whole, "dense", best(lambda: dense_fit(sites, 10, rng), times))


def _line(what, ours, other, theirs, more=""):
    print(
        f"{what:>34}: {1e3 * ours:8.2f} ms, {other} {1e3 * theirs:8.1f} ms, ratio {ours / theirs:.3f}{more}"
    )


def against_tensorly(rng, times):
    from tensorly.decomposition import symmetric_parafac_power_iteration

    for spread in (0.0, 0.02):
        frame = np.linalg.qr(rng.standard_normal((10, 10)))[0]
        t = tensors.compose(np.linspace(3, 1, 10), frame)
        t += spread * noise.symmetrise(rng.standard_normal(t.shape))
        theirs = {}

        def peer():
            theirs["vectors"] = symmetric_parafac_power_iteration(t, 10, n_repeat=10, n_iteration=30)[1].T  # noqa: B023

        slow = best(peer, times)
        for method in tensors.METHODS:
            found = tensors.decompose(t, method=method, rng=rng)
            fast = best(lambda: tensors.decompose(t, method=method, rng=rng), times)  # noqa: B023
            errors = [
                metrics.matched_error(frame, v * _signs(v, frame)) for v in (found.vectors, theirs["vectors"])
            ]
            more = f", error {errors[0]:.2e} (tensorly {errors[1]:.2e})"
            _line(f"noise {spread:g}, {method}", fast, "tensorly", slow, more)


def _signs(vectors, frame):
    products = vectors @ frame.T
    nearest = np.abs(products).argmax(axis=1)
    return np.sign(products[np.arange(len(vectors)), nearest])[:, None]


def reach(width, rng, *, documents=200_000, k=10, sites=5):
    """Seconds of a whole fit and of the drawing of M2's own noise (its floor), and their peak memory."""
    data = synthetic.single_topic(documents, dimension=width, components=k, rng=rng)
    parts = np.split(data.tokens, sites)

    def fit():
        return decomposition.fit(
            parts, k, scheme="cape", privacy=Privacy(10, 0.01), rng=rng, vocabulary=width
        )

    def floor():
        for _ in range(2 * sites):
            noise.gaussian((width, width), 1.0, rng=rng, distribution="symmetrised")

    whole, least = best(fit, 2), best(floor, 2)
    m = [moments.single_topic(p, width) for p in parts]
    w = np.linalg.qr(rng.standard_normal((width, k)))[0]
    rest = best(lambda: [x.third(w) for x in m] and projected_stage_two(m, w, rng), 2)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return whole, least, rest, peak


def plot(rows, path):
    """Seconds against the width, as a page of its own."""
    page = figure(x_axis_type="log", y_axis_type="log", x_axis_label="width d", y_axis_label="seconds")
    columns = dict(
        zip(("d", "whole fit", "M2's noise alone: d²", "all of stage two"), np.transpose(rows), strict=True)
    )
    for (name, seconds), colour in zip(
        list(columns.items())[1:], ("#0072b2", "#d55e00", "#009e73"), strict=True
    ):
        page.line(columns["d"], seconds, legend_label=name, color=colour, line_width=2)
        page.scatter(columns["d"], seconds, color=colour, size=8)
    page.legend.location = "top_left"
    save(page, path, resources=INLINE, title="Cost against d")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="no d beyond 2000, fewer times")
    parser.add_argument("--plot", metavar="FILE", help="write a page that plots cost against d")
    arguments = parser.parse_args()
    rng, times = np.random.default_rng(0), 3 if arguments.quick else 7
    against_dense(rng, times)
    against_tensorly(rng, times)
    rows = []
    for width in (500, 1000, 2000) if arguments.quick else (500, 1000, 2000, 3500, 5000):
        whole, least, rest, peak = reach(width, rng)
        rows.append((width, whole, least, rest))
        print(
            f"d = {width:5d}, 200,000 documents: fit {whole:6.2f} s, M2's noise alone {least:6.2f} s, "
            f"ratio {whole / least:5.2f}, stage two {rest:5.2f} s, peak {peak:.2f} GB"
        )
    if arguments.plot:
        plot(rows, arguments.plot)


if __name__ == "__main__":
    main()
