"""Speed of learning, as ratios and seconds of this run.

    python -m tests.benchmarks.learning_speed

Clipped per-example gradients against a loop over examples (target: 20 times), and one Regression figure, 9 ε × 10
repeats × 7 mechanisms at d = 50 (target: 5 s on two cores, its first point within 0.5 s).
"""

from __future__ import annotations

import os
import time
from concurrent.futures import ProcessPoolExecutor

import numpy as np

from core import functional, network, sweep
from data.catalogue import labelled

EPSILONS = [0.01, 0.03, 0.1, 0.3, 0.5, 1.0, 2.0, 5.0, 10.0]


def loop(net, x, y, clip):
    """The average clipped gradient, example by example, as backpropagation is written in a textbook."""
    total = np.zeros(len(net.vector))
    for example, label in zip(x, y, strict=True):
        hidden = np.maximum(net.hidden_weights @ example + net.hidden_bias, 0)
        d2 = 1 / (1 + np.exp(-(net.output_weights @ hidden + net.output_bias))) - label
        d1 = d2 * net.output_weights * (hidden > 0)
        one = np.concatenate([np.outer(d1, example).ravel(), d1, d2 * hidden, [d2]])
        total += one * min(1.0, clip / np.linalg.norm(one))
    return total / len(y)


def gradients():
    """Seconds of both forms on 10,000 records of 50 features, best of three."""
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((10_000, 50)), (rng.random(10_000) < 0.5).astype(float)
    net = network.start(50, 5, rng=rng)
    fast = min(seconds(lambda: network.gradient(net, x, y, clip=1.0)) for _ in range(3))
    slow = min(seconds(lambda: loop(net, x, y, 1.0)) for _ in range(3))
    gap = np.abs(loop(net, x, y, 1.0) - network.gradient(net, x, y, clip=1.0).mean).max()
    print(
        f"gradients: loop {slow:.3f} s, ours {fast * 1e3:.2f} ms, {slow / fast:.0f} times; they differ by {gap:.1e}"
    )


def figure(loss, executor):
    """Seconds of a whole Regression figure and of its first point."""
    problem = functional.Problem(
        labelled.load,
        data_settings=("data", "sites", "samples", "dimension", "noise", "data_seed"),
        loss=loss,
        options=(("box", 5.0), ("norm", 5.0)),
    )
    cells = sweep.grid(
        epsilon=EPSILONS, delta=1e-5, data=loss, sites=5, samples=2000, dimension=50, noise=0.05, data_seed=0
    )
    first = []
    begin, worked = time.perf_counter(), time.process_time()
    rows = sweep.run(
        problem,
        cells,
        schemes=functional.MECHANISMS,
        repeats=10,
        seed=1,
        executor=executor,
        on_result=lambda row: first.append(time.perf_counter() - begin),
    )
    whole, worked = time.perf_counter() - begin, time.process_time() - worked
    where = "two processes" if executor else f"one thread ({worked:.2f} s of processor time)"
    print(f"{loss} figure, {where}: {whole:.2f} s for {len(rows)} runs, first point after {first[0]:.3f} s")


def seconds(work):
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def main():
    gradients()
    for loss in ("linear", "logistic"):
        figure(loss, None)
        with ProcessPoolExecutor(2) as pool:
            list(pool.map(abs, range(2)))
            figure(loss, pool)
    print(f"load average of the machine: {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
