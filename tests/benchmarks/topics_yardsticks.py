"""How good private topics are: recovery, configurations against each other, and real text at several sites.

    python -m tests.benchmarks.topics_yardsticks [--quick] [recovery|configurations|regimes|docstrings|perplexity ...]

Errors are l1 distances per matched topic (2 is the largest), means over seeds; overlap is the share of top-10
words in common with the non-private topics.
"""

from __future__ import annotations

import argparse

import numpy as np

from core import Privacy, sweep, topics
from core.topics import metrics, variational
from core.topics.problem import Problem
from data import synthetic
from data.catalogue import corpora

DOCSTRINGS = {
    "data": "docstrings",
    "sites": 5,
    "data_seed": 1,
    "documents": 0,
    "topics": 0,
    "true_alpha0": 0.0,
    "k": 5,
    "alpha0": 0.1,
    "length": 12.0,
    "longest": 500,
    "spread": 0.0,
    "clip": 0.0,
    "third": 0.2,
    "calibration": "exact",
    "delta": 1e-6,
}
PROBLEM = Problem(
    corpora.load, ("data", "vocabulary", "sites", "data_seed", "documents", "topics", "true_alpha0")
)


def draw(samples, *, d, k, alpha0, seed):
    """Documents of 50 words with Dirichlet(0.1) topics."""
    return synthetic.lda(
        samples, dimension=d, topics=k, alpha0=alpha0, length=50, rng=np.random.default_rng(seed)
    )


def fit(drawn, k, *, alpha0, seed, **options):
    """Error of one fit."""
    found = topics.fit(drawn.counts, k, alpha0=alpha0, rng=np.random.default_rng(1000 + seed), **options)
    return metrics.topic_error(drawn.words, found.words)


def mean_error(seeds, samples, d, k, alpha0, **options):
    """Mean error over seeds of documents and noise."""
    return float(
        np.mean(
            [
                fit(draw(samples, d=d, k=k, alpha0=alpha0, seed=s), k, alpha0=alpha0, seed=s, **options)
                for s in range(seeds)
            ]
        )
    )


def recovery(quick):
    """Non-private recovery: 0.28, 0.094 and 0.032 are the yardsticks."""
    print("recovery, d = 1000, k = 10, α0 = 1, no privacy")
    for samples, yardstick in ((1000, 0.28), (10_000, 0.094), *([] if quick else [(100_000, 0.032)])):
        error = mean_error(3, samples, 1000, 10, 1.0, configuration="nonprivate", privacy=None)
        print(f"  N = {samples:7,}: {error:.3f} (yardstick {yardstick})")


def configurations(quick):
    """E, configuration 1 as published and exact, and private variational inference."""
    seeds = 2 if quick else 5
    print("error, N = 10k, d = 200, k = 5, δ = 1e-6; yardstick of E at α0 = 0.1: .86 .29 .12 .077 .037")
    epsilons = (0.1, 0.3, 1.0, 3.0, 10.0)
    for alpha0 in (0.1, 1.0, 10.0):
        print(f"  α0 = {alpha0}: ε = " + "".join(f"{e:>8g}" for e in epsilons))
        rows = {
            "E": {"configuration": "E"},
            "1 exact": {"configuration": "1"},
            "1 published": {"configuration": "1", "calibration": "published"},
        }
        for name, options in rows.items():
            errors = [
                mean_error(seeds, 10_000, 200, 5, alpha0, privacy=Privacy(e, 1e-6), **options)
                for e in epsilons
            ]
            print(f"    {name:14}" + "".join(f"{x:8.3f}" for x in errors))
        for accounting in ("exact", "advanced", "simple"):
            errors = [
                np.mean([_variational(alpha0, e, accounting, s) for s in range(1 if quick else 3)])
                for e in epsilons
            ]
            print(f"    VI {accounting:11}" + "".join(f"{x:8.3f}" for x in errors))


def _variational(alpha0, epsilon, accounting, seed):
    drawn = draw(10_000, d=200, k=5, alpha0=alpha0, seed=seed)
    found = variational.fit(
        drawn.counts,
        5,
        alpha0=alpha0,
        privacy=Privacy(epsilon, 1e-6),
        accounting=accounting,
        rng=np.random.default_rng(seed),
    )
    return metrics.topic_error(drawn.words, found.words)


def regimes(quick):
    """Where each published configuration starts to work, N = 100k, d = 50, k = 3, δ = 1e-7."""
    drawn = draw(100_000, d=50, k=3, alpha0=0.1, seed=0)
    law = np.asarray(drawn.counts.sum(axis=0)).ravel()
    unigram = metrics.topic_error(drawn.words, np.tile(law / law.sum(), (3, 1)))
    print(f"regimes of the published configurations, trivial answer {unigram:.2f}")
    grid = {"1": (0.1, 0.2, 1), "2": (0.3, 1, 4), "3": (200, 1000, 5000), "4": (1000, 5000, 20_000)}
    for name, epsilons in grid.items():
        cells = []
        for epsilon in epsilons:
            options = {"configuration": name, "privacy": Privacy(epsilon, 1e-7), "calibration": "published"}
            errors = [fit(drawn, 3, alpha0=0.1, seed=s, **options) for s in range(2 if quick else 4)]
            cells.append(f"ε = {epsilon:g}: {np.mean(errors):.2f}")
        print(f"  {name}: " + ", ".join(cells))


def docstrings(quick):
    """Overlap at five sites on real text."""
    seeds = 3 if quick else 10
    print(f"docstrings, S = 5, k = 5, δ = 1e-6, overlap over {seeds} seeds")
    yardstick = {(500, 10.0): "0.94/0.88/0.52", (500, 3.0): "0.80/0.45/0.17", (200, 3.0): "cape ≥ 0.75"}
    for width in (500, 200):
        cells = [
            DOCSTRINGS | {"vocabulary": width, "epsilon": epsilon, "measure": "overlap"}
            for epsilon in (10.0, 3.0, 1.0)
        ]
        schemes = ("pooled", "cape", "conventional", "local")
        rows = sweep.run(PROBLEM, cells, schemes=schemes, repeats=seeds, seed=1)
        means = rows.groupby(["epsilon", "scheme"]).value.mean()
        for epsilon in (10.0, 3.0, 1.0):
            text = " / ".join(f"{s} {means[epsilon, s]:.2f}" for s in schemes)
            print(
                f"  d = {width}, ε = {epsilon:g}: {text}   (yardstick {yardstick.get((width, epsilon), '—')})"
            )


def perplexity(quick):
    """Held-out perplexity of docstrings for many topics, [Lda] Figure 4; d = 1000."""
    print("held-out perplexity of docstrings, d = 1000, ε = 10, δ = 1e-6")
    for k in (25,) if quick else (25, 100):
        settings = DOCSTRINGS | {"vocabulary": 1000, "k": k, "measure": "perplexity", "epsilon": 10.0}
        data = sweep.statistics(PROBLEM, settings)
        row = [f"unigram {metrics.unigram_perplexity(*data.halves):.0f}"]
        for method in ("nonprivate", "configuration-e", "cape", "variational"):
            found = PROBLEM.fit(data, method, Privacy(10.0, 1e-6), np.random.default_rng(0), settings)
            row.append(
                f"{method} {PROBLEM.figures(data, found, settings)['value']:.0f} ({len(found.words)} topics)"
            )
        print(f"  k = {k}: " + ", ".join(row), flush=True)


def main():
    parts = {f.__name__: f for f in (recovery, configurations, regimes, docstrings, perplexity)}
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", choices=[[], *parts], help="which tables; default all")
    parser.add_argument("--quick", action="store_true", help="fewer seeds and smaller sizes")
    arguments = parser.parse_args()
    for name in arguments.parts or parts:
        parts[name](arguments.quick)


if __name__ == "__main__":
    main()
