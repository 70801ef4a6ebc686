"""Cost of secure aggregation against S and d, and against a sum in the clear. `python -m tests.benchmarks.secure_sum`.

[Cape] Table 1 says O(S + D) bytes for a site and O(S² + SD) for the aggregator; computing time grows as S² D,
because each of S sites stretches a mask of D entries for every other. `--quick` leaves out the largest.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from core import Privacy, release
from core.secure_sum import AGGREGATOR, secure_sum

GRID = [(5, 1), (5, 100), (10, 100), (10, 10_000), (20, 10_000), (50, 1), (50, 10_000)]


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    grid = GRID[:4] if parser.parse_args().quick else GRID
    print(
        f"{'S':>3} {'d':>6} {'seconds':>8} {'plain sum':>10} {'ratio':>9} {'kB a site':>10} {'MB aggregator':>14}"
    )
    for sites, entries in grid:
        values = np.random.default_rng(0).normal(size=(sites, entries))
        seconds, result = timed(lambda v=values: secure_sum(v, clip=8.0, rng=np.random.default_rng(1)))
        plain, _ = timed(lambda v=values: v.sum(axis=0))
        site, aggregator = result.traffic(0)[1], result.traffic(AGGREGATOR)[1]
        print(
            f"{sites:3d} {entries:6d} {seconds:8.3f} {plain:10.2e} {seconds / plain:9.0f} "
            f"{site / 1e3:10.1f} {aggregator / 1e6:14.2f}"
        )
    print("\nlosing a third of the sites after they put in their masks (S = 10, d = 10,000):")
    values = np.zeros((10, 10_000))
    for lost in (0, 1, 3):
        seconds, _ = timed(
            lambda n=lost: secure_sum(
                values, clip=1.0, silent={"input": range(n)}, rng=np.random.default_rng(1)
            )
        )
        print(f"  {lost} lost: {seconds:.3f} s")
    print("\na CAPE release, zero-sum noise added up in the clear or securely (S = 10):")
    for shape in ((), (100,), (100, 100)):
        seconds = [timed(lambda z=z, shape=shape: average(z, shape))[0] for z in ("broadcast", "secure")]
        print(f"  {shape!s:>10}: {seconds[0]:.4f} s, {seconds[1]:.4f} s, ratio {seconds[1] / seconds[0]:.0f}")


def average(zero_sum, shape):
    rng = np.random.default_rng(2)
    return release(np.zeros((10, *shape)), 0.01, Privacy(1, 1e-5), scheme="cape", zero_sum=zero_sum, rng=rng)


def timed(call):
    """Best of three, in seconds, and the last result."""
    best = np.inf
    for _ in range(3):
        start = time.perf_counter()
        result = call()
        best = min(best, time.perf_counter() - start)
    return best, result


if __name__ == "__main__":
    main()
