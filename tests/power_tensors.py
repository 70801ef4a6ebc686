"""Tensors with known components, for the tests of the power methods."""

import numpy as np

from core import Privacy, power

DEMAND = Privacy(1.0, 1e-6)


def frame(rng, k, d):
    return np.linalg.qr(rng.standard_normal((d, k)))[0].T


def problem(d, values, seed=0):
    return power.ComponentTensor(values, frame(np.random.default_rng(seed), len(values), d))


def cosines(true, pairs):
    return np.abs(true @ pairs.vectors.T).max(axis=1)
