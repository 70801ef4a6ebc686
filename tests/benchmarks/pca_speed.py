"""Private PCA against the naive program: the same protocol noise, Gram matrices and full SVDs anew for every release.

    python -m tests.benchmarks.pca_speed [--wide]

Prints the time of the whole of [Fact] Figure 2(a) (9 ε × 10 repeats × 5 methods, d = 200, k = 50, S = 10), ours over naive;
of its capePCA alone, per run, ours over naive and over drawing the normal numbers that a run needs (20 triangles);
and with --wide one fit of every method at d = 784, k = 50. Ratios of one run on one machine.
"""

from __future__ import annotations

import argparse
import math
import time
from functools import partial

import numpy as np

from core import Privacy, pca, sweep
from dashboard.packs.papers.reproduce import datasets
from data import published
from data.published import experiments

METHODS = experiments.load("Fact-Fig2a").methods


def naive_fit(sites, k, method, privacy, rng):
    """One release as a straightforward program makes it; returns the components (k, d)."""
    moments = [x.T @ x / len(x) for x in sites]
    count, d = len(sites), sites[0].shape[1]
    tau = 1 / len(sites[0]) / privacy.epsilon * math.sqrt(2 * math.log(1.25 / privacy.delta))

    def noise(std):
        triangle = np.triu(rng.normal(scale=std, size=(d, d)))
        return triangle + np.triu(triangle, 1).T

    if method == "nonprivate":
        return np.linalg.svd(sum(moments) / count)[2][:k]
    if method == "local":
        return np.linalg.svd(moments[0] + noise(tau))[2][:k]
    if method == "cape":
        seeds = [noise(tau) for _ in range(count)]
        total = sum(seeds)
        messages = [
            a + seed - total / count + noise(tau / math.sqrt(count))
            for a, seed in zip(moments, seeds, strict=True)
        ]
        return np.linalg.svd(sum(messages) / count)[2][:k]
    messages = [a + noise(tau) for a in moments]
    if method == "conventional":
        return np.linalg.svd(sum(messages) / count)[2][:k]
    parts = []
    for message in messages:
        u, s, _ = np.linalg.svd(message)
        parts.append((u[:, : 2 * k] * s[: 2 * k]) @ u[:, : 2 * k].T)
    return np.linalg.svd(sum(parts) / count)[2][:k]


def naive_figure(figure, repeats):
    """The whole figure, naively; returns the seconds of processor time."""
    s = figure.settings
    sites, truth = datasets.table(_settings(s))
    began = time.process_time()
    for epsilon in figure.x:
        for _ in range(repeats):
            for method in METHODS:
                rng = np.random.default_rng(0)
                found = naive_fit(sites, s["K"], method, Privacy(epsilon, s["delta"]), rng)
                pca.captured_energy(found, truth)
    return time.process_time() - began


def our_figure(figure, repeats):
    """The whole figure through `sweep`, Gram matrices included; returns the seconds of processor time."""
    s = figure.settings
    cells = sweep.grid(
        epsilon=list(figure.x),
        delta=s["delta"],
        sites=s["S"],
        samples=s["N"] // s["S"],
        k=s["K"],
        data_seed=0,
    )
    data = datasets.table(_settings(s))
    problem = pca.Problem(Loaded(data))
    began = time.process_time()
    sweep.run(problem, cells, schemes=METHODS, repeats=repeats, seed=0)
    return time.process_time() - began


class Loaded:
    """Records that are already there, so that neither side's time has their drawing."""

    def __init__(self, data):
        self._data = data

    def __call__(self, settings):
        return self._data


def one_run(figure):
    """Milliseconds of one capePCA run of the figure: ours, naive, and drawing its normal numbers."""
    s, rng = figure.settings, np.random.default_rng(0)
    sites, truth = data = datasets.table(_settings(s))
    privacy, settings = Privacy(1.0, s["delta"]), {"k": s["K"]}
    problem = pca.Problem(Loaded(data))
    statistics = problem.statistics({})
    d = len(truth)

    def naive():
        pca.captured_energy(naive_fit(sites, s["K"], "cape", privacy, rng), truth)

    runs = (
        partial(problem.estimate, statistics, "cape", privacy, rng, settings),
        naive,
        partial(rng.standard_normal, (2 * len(sites), d * (d + 1) // 2)),
    )
    return [1e3 * _best(run, times=15) for run in runs]


def wide(rng):
    """Milliseconds of one fit at d = 784, k = 50, ours and naive, by method; moments are given to ours."""
    sites = [rng.normal(size=(1000, 784)) / 60 for _ in range(10)]
    moments = pca.second_moments(sites, bound=None)
    privacy = Privacy(1.0, 0.01)
    for method in METHODS:
        given = {"scheme": method, "privacy": privacy, "rng": rng, "samples": [1000] * 10}
        ours = _best(partial(pca.fit, moments, 50, **given))
        naive = _best(partial(naive_fit, sites, 50, method, privacy, rng))
        yield method, 1e3 * ours, 1e3 * naive


def _best(run, times=3):
    def once():
        began = time.process_time()
        run()
        return time.process_time() - began

    return min(once() for _ in range(times))


def _settings(published_settings):
    s = published_settings
    return {
        "data": "low_rank",
        "published": True,
        "sites": s["S"],
        "samples": s["N"] // s["S"],
        "data_seed": 0,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wide", action="store_true", help="one fit of every method at d = 784 as well")
    parser.add_argument("--repeats", type=int, default=10)
    arguments = parser.parse_args()
    figure = published.load("Fact-Fig2a")
    pairs = [
        (our_figure(figure, arguments.repeats), naive_figure(figure, arguments.repeats)) for _ in range(2)
    ]
    for ours, naive in pairs:
        print(f"Figure 2(a): ours {ours:6.2f} s, naive {naive:6.2f} s, ratio {ours / naive:.2f}")
    ours, naive, drawing = one_run(figure)
    print(
        f"one run of capePCA: ours {ours:.1f} ms, naive {naive:.1f} ms, ratio {ours / naive:.2f}; "
        f"drawing its normal numbers {drawing:.1f} ms, ratio {ours / drawing:.2f}"
    )
    if arguments.wide:
        for method, ours, naive in wide(np.random.default_rng(0)):
            print(
                f"d = 784, {method:>12}: ours {ours:7.1f} ms, naive {naive:7.1f} ms, ratio {ours / naive:.2f}"
            )


if __name__ == "__main__":
    main()
