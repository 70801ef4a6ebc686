"""The least error of every joint Gaussian law that is fixed before it is known who is silent, as a semidefinite program.

A program of its own: `pip install cvxpy clarabel` into an environment beside the project's, then
`python tests/oracles/optimal_noise.py`, which writes `optimal_noise.json`; tests/core/schemes/test_optimum.py reads it.
It imports nothing of the project.

Messages are w_s f_s + n_s with n ~ N(0, Σ). A record of site s moves message s alone, so that the aggregator learns
μ_s² = v_s (Σ⁻¹)_ss in units of the target, v_s = (w_s Δ_s/μ_s)², which is at most 1 exactly if [[Σ, e_s], [e_sᵀ, 1/v_s]] is
positive semidefinite. The error over those that send, 1_Aᵀ Σ 1_A/(Σ_A w)², is linear in Σ: the program is convex, and its
value a lower bound for every scheme of this order. With Σ = diag(γ) + Σ_e v_e b_e b_eᵀ it is the best noise on a graph.
"""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import cvxpy as cp
import numpy as np

TO = Path(__file__).with_suffix(".json")


def least(weights, demands, silent, edges=None, one=False):
    """Least largest variance of the average over all sets of at most `silent` silent sites."""
    count, worst = len(weights), cp.Variable()
    if edges is None:
        law, limits = cp.Variable((count, count), symmetric=True), []
    else:
        local, shared = cp.Variable(count), cp.Variable() if one else cp.Variable(len(edges))
        pairs = np.zeros((len(edges), count))
        for row, (s, t) in zip(pairs, edges, strict=True):
            row[[s, t]] = 1, -1
        spread = [cp.multiply(shared if one else shared[e], np.outer(b, b)) for e, b in enumerate(pairs)]
        law, limits = cp.diag(local) + sum(spread), [local >= 0, shared >= 0]
    for s, v in enumerate(demands):
        # Scaled, so that the corner is 1.
        unit = np.zeros((count, 1))
        unit[s] = np.sqrt(v)
        limits.append(cp.bmat([[law, unit], [unit.T, np.ones((1, 1))]]) >> 0)
    for r in range(silent + 1):
        for lost in itertools.combinations(range(count), r):
            sends = np.ones(count)
            sends[list(lost)] = 0
            limits.append(cp.sum(cp.multiply(law, np.outer(sends, sends))) / (sends @ weights) ** 2 <= worst)
    problem = cp.Problem(cp.Minimize(worst), limits)
    problem.solve(solver=cp.CLARABEL)
    if problem.status not in ("optimal", "optimal_inaccurate"):
        raise RuntimeError(problem.status)
    return float(problem.value)


def regular(count, degree):
    """Each site and its next degree/2 neighbours on a ring."""
    return sorted(
        {tuple(sorted((s, (s + k) % count))) for s in range(count) for k in range(1, degree // 2 + 1)}
    )


def main():
    """Equal sites, sizes of section "Noise of its own for every site", random sizes, and graphs."""
    found = {"equal": [], "sizes": [], "graph": []}
    for count, silent in ((3, 1), (4, 1), (5, 1), (5, 2), (6, 2), (8, 1), (8, 3), (10, 1), (10, 2)):
        value = least(np.full(count, 1 / count), np.full(count, 1 / count**2), silent)
        found["equal"].append({"sites": count, "silent": silent, "over_pooled": value * count**2})
    rng = np.random.default_rng(1)
    cases = [([1, 1, 2, 5, 20], 1), ([1, 1, 2, 5, 20], 2), ([1, 1, 1, 1, 1, 2, 2, 5, 10, 20], 1)]
    cases += [
        (rng.integers(1, 30, int(rng.integers(4, 7))).tolist(), int(rng.integers(1, 3))) for _ in range(8)
    ]
    for sizes, silent in cases:
        weights = np.array(sizes) / sum(sizes)
        value = least(weights, np.full(len(sizes), 1 / sum(sizes) ** 2), silent)
        found["sizes"].append({"sizes": sizes, "silent": silent, "over_pooled": value * sum(sizes) ** 2})
    for sizes in ([1] * 8, [1, 1, 2, 2, 5, 5, 10, 20]):
        weights, edges = np.array(sizes) / sum(sizes), regular(len(sizes), 4)
        asked = weights, np.full(len(sizes), 1 / sum(sizes) ** 2), 1
        values = [least(*asked), least(*asked, edges), least(*asked, edges, one=True)]
        names = ("every_law", "a_variance_an_edge", "one_variance")
        row = dict(zip(names, (v * sum(sizes) ** 2 for v in values), strict=True))
        found["graph"].append({"sizes": sizes, "silent": 1, "degree": 4} | row)
    TO.write_text(json.dumps(found, indent=1) + "\n")
    print(TO.read_text())


if __name__ == "__main__":
    main()
