"""Two classes in the plane that are not linearly separable, to show the use of a hidden layer."""

from __future__ import annotations

import math
from typing import Literal, get_args

import numpy as np

from data import check
from data.synthetic.learning import Classes

Shape = Literal["moons", "rings", "quarters"]
SHAPES: tuple[Shape, ...] = get_args(Shape)


@check.arguments
def plane_classes(
    samples: int = 1000, *, shape: Shape = "moons", noise_std: float = 0.15, rng: np.random.Generator
) -> Classes:
    """Two classes in the plane, about two units wide, centred at 0.

    Parameters
    ----------
    samples : int
        N ≥ 2; ⌈N/2⌉ records have label 0.
    shape : {"moons", "rings", "quarters"}
        Two half circles that reach into each other, a disc inside a ring, or opposite quarters of a square.
    noise_std : float
        Standard deviation of Gaussian noise on both coordinates.
    """
    check.integer("samples", samples, low=2)
    check.choice("shape", shape, SHAPES)
    noise_std = check.number("noise_std", noise_std, low=-1e-300)
    labels = rng.permutation(np.arange(samples) % 2)
    features = _DRAWN[shape](labels, rng) + noise_std * rng.standard_normal((samples, 2))
    means = np.stack([features[labels == label].mean(axis=0) for label in (0, 1)])
    return Classes(features, labels, means, 1.0, 0)


def _moons(labels, rng):
    angle = rng.uniform(0, math.pi, len(labels))
    upper = np.column_stack([np.cos(angle) - 0.5, np.sin(angle) - 0.25])
    return np.where(labels[:, None] == 0, upper, -upper)


def _rings(labels, rng):
    angle = rng.uniform(0, 2 * math.pi, len(labels))
    radius = np.where(labels == 1, 0.5 * np.sqrt(rng.random(len(labels))), 1.2)
    return radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])


def _quarters(labels, rng):
    corner = rng.choice([-1.0, 1.0], len(labels))
    side = np.column_stack([corner, np.where(labels == 1, corner, -corner)])
    return side * rng.random((len(labels), 2)) * 1.2


_DRAWN = {"moons": _moons, "rings": _rings, "quarters": _quarters}
