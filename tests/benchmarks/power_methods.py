"""What the power methods cost and survive: speed, memory, thresholds, and noise by accounting.

    python -m tests.benchmarks.power_methods [--quick]

Speed is told as a ratio to tensorly's symmetric power iteration on the same tensor in the same run, where
tensorly is installed; memory as the peak that tracemalloc sees; thresholds with the exponent in d fitted to them.
"""

from __future__ import annotations

import argparse
import itertools
import time
import tracemalloc

import numpy as np

from core import Privacy, power, tensors
from data.synthetic.tensors import skewed_stream, tensor_components

DEMAND = Privacy(1.0, 1e-6)


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    accounts()
    yardstick(draws=4 if quick else 20)
    speed(widths=(20, 50) if quick else (20, 50, 100))
    memory()
    wide()
    thresholds(quick)


def accounts() -> None:
    """Noise and true ε of every accounting: k = 3, L = 3, R = 6."""
    print("accounting of K = 63 releases at ε = 1, δ = 1e-6")
    exact = power.accounting(DEMAND, 63).step_mu
    for calibration in power.CALIBRATIONS:
        a = power.accounting(DEMAND, 63, calibration=calibration)
        print(f"  {calibration:10s} noise × {exact / a.step_mu:5.2f}   ε kept {a.epsilon(1e-6):.3f}")


def yardstick(draws: int) -> None:
    """|cos| of each component at d = 300, λ = (1000, 800, 600), ε = 1: mean over draws; and all found."""
    print("\nd = 300, λ = (1000, 800, 600), ε = 1, δ = 1e-6, L = 3, R = 6: mean |cos|, all three above 0.9")
    truth = tensor_components(3, dimension=300, rng=np.random.default_rng(0))
    tensor = power.ComponentTensor(truth.values, truth.vectors)
    for neighbours, method in itertools.product(("entry", "published"), ("exact", "published", "input")):
        options = {"privacy": DEMAND, "neighbours": neighbours}
        found = []
        for seed in range(2 if method == "input" else draws):
            rng = np.random.default_rng(seed)
            if method == "input":
                pairs = power.perturbed(tensor, 3, rng=rng, **options)
            else:
                pairs = power.private(tensor, 3, rng=rng, calibration=method, **options)
            found.append(power.alignment(truth.vectors, pairs.vectors))
        found = np.array(found)
        all_found = (found.min(axis=1) > 0.9).mean()
        print(f"  {neighbours:10s} {method:10s} {np.round(found.mean(axis=0), 3)}  {all_found:.0%}")


def speed(widths) -> None:
    """Seconds of L = R = 10 power iterations for the first pair, and the ratio to tensorly's."""
    try:
        from tensorly.decomposition import symmetric_power_iteration
    except ImportError:
        print("\ntensorly is not installed: no ratio")
        return
    print("\nfirst pair of a dense tensor, L = R = 10: seconds, tensorly's, ratio")
    for d in widths:
        rng = np.random.default_rng(d)
        truth = tensor_components(3, dimension=d, rng=rng)
        tensor = tensors.compose(truth.values, truth.vectors) + power.symmetric_noise(d, 1.0, rng=rng)
        ours = timed(lambda t=tensor, r=rng: tensors.robust(t, 1, restarts=10, iterations=10, rng=r))
        theirs = timed(lambda t=tensor: symmetric_power_iteration(t, n_repeat=10, n_iteration=10))
        print(f"  d = {d:4d}   {ours:.4f}   {theirs:.4f}   {ours / theirs:.3f}")
    truth = tensor_components(3, dimension=50, strength=10.0, rng=np.random.default_rng(0))
    stream = skewed_stream(truth, rng=np.random.default_rng(1))
    once = timed(lambda: power.online(stream, 3, rng=np.random.default_rng(2)), tries=1)
    print(f"  online, d = 50, k = 3, L = R = 10, n = 1000, stream drawn on the way: {once:.3f} s")


def memory() -> None:
    """Peak of the online method beside the batch: flat in n, linear in d."""
    print("\nonline method, k = 3, L = 10, R = 2: peak beside the batch")
    for d, batches in ((1000, 10), (1000, 100), (5000, 10), (20_000, 10)):
        batch = np.random.default_rng(0).standard_normal((50, d))
        tracemalloc.start()
        power.online(
            itertools.repeat(batch), 3, samples=50 * batches, iterations=2, rng=np.random.default_rng(1)
        )
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        print(
            f"  d = {d:6d}, n = {50 * batches:5d}: {peak / 1e6:6.2f} MB, {peak / d / 8:.1f} numbers a coordinate"
        )


def wide() -> None:
    """A private run at d = 5000."""
    truth = tensor_components(3, dimension=5000, rng=np.random.default_rng(0))
    tensor = power.ComponentTensor(truth.values, truth.vectors)
    tracemalloc.start()
    start = time.perf_counter()
    found = [power.private(tensor, 3, privacy=DEMAND, rng=np.random.default_rng(s)) for s in range(8)]
    seconds = (time.perf_counter() - start) / 8
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    cosines = np.array([power.alignment(truth.vectors, pairs.vectors) for pairs in found])
    print(f"\nprivate, d = 5000: {seconds:.3f} s, peak {peak / 1e6:.1f} MB, found on average "
          f"{(cosines > 0.9).sum(axis=1).mean():.1f} of 3")  # fmt: skip


def thresholds(quick: bool) -> None:
    """Size of a disturbance that a run survives (k = 1, L = 4), and its exponent in d with a standard error."""
    print(
        "\nsize ‖E‖/λ that a run survives, k = 1, L = 4: geometric mean over draws, and the exponent fitted to it"
    )
    dense, thin = ((32, 64), (30, 300)) if quick else ((48, 96, 192), (30, 100, 300, 1000))
    promised = {"adversarial": -1.0, "round": -0.5, "weak": 0.0, "quiet": 0.0}
    for kind in power.KINDS:
        widths = dense if kind in ("round", "weak") else thin
        logs = np.log([[survived(kind, d, seed) for seed in range(6 if quick else 12)] for d in widths])
        fits = np.polyfit(np.log(widths), logs, 1)[0]
        error = fits.std(ddof=1) / np.sqrt(len(fits))
        print(
            f"  {kind:12s} d = {widths}: {np.exp(logs.mean(axis=1)).round(3)}  "
            f"exponent {fits.mean():+.2f} ± {error:.2f}, promised {promised[kind]:+.1f}"
        )


def survived(kind, d, seed, *, low=0.02, high=4.0, halvings=6):
    """Largest size up to which this draw finds the component (|cos| > 0.5), by bisection on a log scale."""
    for _ in range(halvings):
        middle = np.sqrt(low * high)
        rng = np.random.default_rng([seed, d])
        truth = tensor_components(1, dimension=d, strength=1.0, rng=rng)
        tensor = power.ComponentTensor(truth.values, truth.vectors)
        found = power.recovered(tensor, kind, middle, rng=rng, restarts=4, iterations=16).min() > 0.5
        low, high = (middle, high) if found else (low, middle)
    return np.sqrt(low * high)


def timed(call, tries: int = 3) -> float:
    """Best of some tries, in seconds."""
    best = np.inf
    for _ in range(tries):
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
    return best


if __name__ == "__main__":
    main()
