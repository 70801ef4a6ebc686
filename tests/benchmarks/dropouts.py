"""What dropouts cost in the figures of the algorithms: r of ten sites drop out, held against the aggregator.

    python -m tests.benchmarks.dropouts

Prints captured energy of the digits, AUC of breast cancer, and the recovery error of a mixture, for each scheme.
"""

from __future__ import annotations

import pandas as pd

from core import decomposition, functional, pca, sweep
from dashboard.problems import components
from data.catalogue import labelled, tables

SCHEMES = ("nonprivate", "pooled", "secure", "cape-after", "cape-best", "cape", "conventional")
COMMON = {"sites": 10, "data_seed": 1, "delta": 1e-5, "published": False, "against": "aggregator"}
PCA_SETTINGS = ("data", "sites", "samples", "data_seed", "published")
RECORDS_SETTINGS = ("data", "sites", "samples", "dimension", "noise", "data_seed")


def problems():
    """Title, problem, settings, the figure and whether larger is better, of each algorithm."""
    digits = COMMON | {"data": "digits", "samples": 179, "k": 10, "epsilon": 2.0}
    yield "captured energy, %", pca.Problem(tables.load, data_settings=PCA_SETTINGS), digits, "energy"
    cancer = COMMON | {"data": "breast_cancer", "samples": 56, "dimension": 31, "noise": 0.0, "epsilon": 4.0}
    options = (("box", 5.0), ("norm", 5.0))
    logistic = functional.Problem(
        labelled.load, RECORDS_SETTINGS, loss="logistic", options=options, gains=True
    )
    yield "AUC", logistic, cancer, "auc"
    mixture = COMMON | {
        "model": "gaussians",
        "samples": 1000,
        "dimension": 10,
        "length": 3,
        "k": 4,
        "epsilon": 2.0,
        "share": 0.5,
    }
    found = decomposition.Problem(components.load, "gaussians", (), components.DATA_SETTINGS)
    yield "recovery error", found, mixture, "matched"


def table(*, repeats: int = 20, seed: int = 1) -> pd.DataFrame:
    """Mean figure by algorithm, dropouts and scheme."""
    rows = []
    for title, problem, cell, figure in problems():
        cells = [cell | {"dropouts": r, "dropped": r} for r in (0, 1, 2)]
        found = sweep.run(problem, cells, schemes=SCHEMES, repeats=repeats, seed=seed)
        mean = found.groupby(["dropouts", "scheme"])[figure].mean().unstack()[list(SCHEMES)]
        if figure == "energy":
            mean = 100 * mean.div(mean["nonprivate"], axis=0)
        rows.append(mean.assign(figure=title).set_index("figure", append=True))
    return pd.concat(rows).swaplevel()


if __name__ == "__main__":
    print(table().round(3).to_string())
