"""[Fact] Figure 2(a) under the published conventions, point by point beside the authors' numbers.

    python -m tests.benchmarks.figure2 [--quick]

A point is reproduced if it is within 3 combined standard errors or 3 % of the published one. Published conventions:
components by |eigenvalue| (SVD), sensitivity 1/n_s, classical calibration, copied noise, population A, R = 2k.
The authors drew their data once. The largest norm of that draw, which records are divided by, moves the curves by
some percent, so ours are averaged over draws.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from core import pca, sweep
from data import published, sites, synthetic

NAMES = {
    "capePCA": "cape",
    "DPdisPCA": "dpdispca",
    "conv": "conventional",
    "local": "local",
    "nonpriv": "nonprivate",
}


def load(settings):
    """The data law of the figure, dealt to its sites."""
    rng = np.random.default_rng(settings["data_seed"])
    drawn = synthetic.low_rank(settings["sites"] * settings["samples"], dimension=200, rank=50, rng=rng)
    return sites.split(drawn.records, settings["sites"], sizes="equal", rng=rng), drawn.second_moment


def problem(**changes):
    """PCA as the authors ran it; `changes` mend a convention."""
    conventions = {
        "sensitivity_form": "published",
        "calibration": "published",
        "order": "magnitude",
        "noise": "copied",
    }
    return pca.Problem(load, **{**conventions, **changes})


def table(figure, draws):
    """Rows (method, ε, published mean, our mean, deviation in standard errors, reproduced)."""
    s = figure.settings
    # The data seed varies slowest, so that one draw's moments serve all its cells.
    cells = sweep.grid(
        data_seed=range(draws),
        epsilon=list(figure.x),
        delta=s["delta"],
        sites=s["S"],
        samples=s["N"] // s["S"],
        k=s["K"],
    )
    ours = sweep.run(problem(), cells, schemes=tuple(NAMES.values()), repeats=1, seed=2)
    for name, method in NAMES.items():
        curve = figure.series[name]
        for i, epsilon in enumerate(figure.x):
            runs = ours[(ours.scheme == method) & (ours.epsilon == epsilon)].energy
            error = np.hypot(curve.standard_error[i], runs.std() / np.sqrt(len(runs)))
            difference = runs.mean() - curve.mean[i]
            within = abs(difference) <= max(3 * error, 0.03 * abs(curve.mean[i]))
            yield name, epsilon, curve.mean[i], runs.mean(), difference / error if error else 0.0, within


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="three draws of data instead of ten")
    figure = published.load("Fact-Fig2a")
    began = time.perf_counter()
    rows = list(table(figure, 3 if parser.parse_args().quick else 10))
    print(f"{'method':>10} {'epsilon':>8} {'published':>10} {'ours':>10} {'errors':>7}")
    for name, epsilon, theirs, ours, errors, within in rows:
        print(
            f"{name:>10} {epsilon:8g} {theirs:10.2f} {ours:10.2f} {errors:+7.2f}{'' if within else '  OUTSIDE'}"
        )
    print(f"{sum(r[-1] for r in rows)} of {len(rows)} points reproduced, {time.perf_counter() - began:.1f} s")


if __name__ == "__main__":
    main()
