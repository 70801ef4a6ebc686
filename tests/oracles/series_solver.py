"""Least errors of series by a general solver of semidefinite programs, which the suite does not need.

    pip install cvxpy clarabel    # in an environment of their own, with numpy
    python tests/oracles/series_solver.py > tests/oracles/series_solver.json

min over X of the mean of aᵢᵀX⁻¹aᵢ subject to xⱼᵀXxⱼ ≤ 1 for every pattern of months with all signs: written here without
`core`, so that `tests/core/series` compares two programs. Prints the root of the least mean for each setting.
"""

import itertools
import json

import cvxpy as cp
import numpy as np

SETTINGS = [
    (kind, months, most, apart)
    for kind in ("totals", "months and totals", "window", "differences")
    for months, most, apart in ((6, 1, 1), (6, 2, 1), (6, 6, 1), (12, 1, 1), (12, 2, 6))
]


def asked(kind, months):
    """Queries, a row each."""
    rows = []
    for k in range(months):
        each = np.zeros(months)
        each[k] = 1.0
        total = np.zeros(months)
        total[: k + 1] = 1.0
        if kind == "totals":
            rows.append(total)
        elif kind == "months and totals":
            rows += [each, total / np.sqrt((months + 1) / 2)]
        elif kind == "window":
            last = np.zeros(months)
            last[max(0, k - 2) : k + 1] = 1.0
            rows.append(last)
        elif k:
            each[k - 1] = -1.0
            rows.append(each)
    return np.array(rows)


def patterns(months, most, apart):
    """Every set of at most so many months, far enough apart, with every sign but that of the whole."""
    found = []
    for size in range(1, most + 1):
        for chosen in itertools.combinations(range(months), size):
            if all(b - a >= apart for a, b in itertools.pairwise(chosen)):
                for signs in itertools.product((1.0, -1.0), repeat=size - 1):
                    x = np.zeros(months)
                    x[list(chosen)] = (1.0, *signs)
                    found.append(x)
    return found


def least(kind, months, most, apart):
    """Root of the least mean squared error."""
    queries = asked(kind, months)
    x = cp.Variable((months, months), symmetric=True)
    error = sum(cp.matrix_frac(a, x) for a in queries) / len(queries)
    problem = cp.Problem(cp.Minimize(error), [p @ x @ p <= 1 for p in patterns(months, most, apart)])
    problem.solve(solver=cp.CLARABEL)
    return float(np.sqrt(problem.value))


if __name__ == "__main__":
    found = [[*setting, round(least(*setting), 7)] for setting in SETTINGS]
    print("[\n" + ",\n".join(f" {json.dumps(row)}" for row in found) + "\n]")
