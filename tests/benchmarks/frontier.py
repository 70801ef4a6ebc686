"""PCA of the digits under every scheme at one true guarantee: against the aggregator and two colluders, one site drops out.

    python -m tests.benchmarks.frontier

Prints captured energy in per cent of the non-private one, and the order of the schemes in words.
"""

from __future__ import annotations

import numpy as np

from core import pca, sweep
from core.schemes import named
from data.catalogue import tables

SCHEMES = ("nonprivate", "secure", "cape-best", "cape", "graph", "conventional")
TERMS = {"against": "colluders", "colluding": 2, "dropouts": 1, "dropped": 1}
CELL = {
    "data": "digits",
    "sites": 10,
    "samples": 179,
    "data_seed": 1,
    "published": False,
    "delta": 1e-5,
    "k": 10,
}
EPSILONS = (0.1, 0.3, 1.0, 3.0, 10.0)
SETTINGS = ("data", "sites", "samples", "data_seed", "published")


def curves(*, repeats: int = 10, seed: int = 1):
    """Mean captured energy by scheme and ε, a DataFrame in per cent of the non-private one."""
    problem = pca.Problem(tables.load, data_settings=SETTINGS)
    cells = [CELL | TERMS | {"epsilon": epsilon} for epsilon in EPSILONS]
    rows = sweep.run(problem, cells, schemes=SCHEMES, repeats=repeats, seed=seed)
    mean = rows.groupby(["epsilon", "scheme"]).energy.mean().unstack()
    return 100 * mean.div(mean["nonprivate"], axis=0)[list(SCHEMES[1:])]


def order(found) -> list[str]:
    """For each ε the schemes by energy, best first; schemes within half a per cent share a place."""
    lines = []
    for epsilon, row in found.iterrows():
        row = row.sort_values(ascending=False)
        words = named(row.index[0]).label
        for (_, before), (scheme, value) in zip(list(row.items()), list(row.items())[1:], strict=False):
            words += (" = " if before - value < 0.5 else " > ") + named(scheme).label
        lines.append(f"ε = {epsilon:g}: {words}")
    return lines


def main():
    """Print the table and the order."""
    found = curves()
    print(found.round(1).to_string())
    print(*order(found), sep="\n")
    assert np.isfinite(found.to_numpy()).all()


if __name__ == "__main__":
    main()
