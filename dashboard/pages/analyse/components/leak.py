"""A leak: moments that are not symmetrised, released with mirrored noise, reveal counts of words."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from core import Privacy, moments, release
from core.moments import sensitivities
from data import synthetic


@dataclass(frozen=True)
class Leak:
    """The leak of moments that are not symmetrised; entries i < j of a small vocabulary.

    `upper` and `lower` are N·M̂2[i, j] and N·M̂2[j, i] as published; `fresh` is the difference when every
    entry has noise of its own. `seen` has μ of both releases, for the public and for the aggregator.
    """

    pairs: list[tuple[int, int]]
    upper: np.ndarray
    lower: np.ndarray
    fresh: np.ndarray
    documents: int
    std: float
    seen: tuple[tuple[float, float], tuple[float, float]]


@lru_cache(maxsize=64)
def leak(epsilon: float, delta: float, *, data_seed: int, noise_seed: int, samples: int = 200) -> Leak:
    """Release M2 of 400 short documents at two sites with mirrored noise, and with independent noise."""
    rng, d = np.random.default_rng(data_seed), 10
    drawn = synthetic.single_topic(2 * samples, dimension=d, components=3, rng=rng)
    parts = np.split(drawn.tokens, 2)
    second = [moments.single_topic(p, d, triples="first", symmetrised=False).second() for p in parts]
    change, privacy = sensitivities.second(samples), Privacy(epsilon, delta)
    copied, iid = (
        release(
            second,
            change,
            privacy,
            scheme="cape",
            rng=np.random.default_rng(noise_seed),
            noise=law,
            keep="value",
            leaky=law == "copied",
        )
        for law in ("copied", "iid")
    )
    i, j = np.triu_indices(d, 1)
    total = 2 * samples
    return Leak(
        list(zip(i.tolist(), j.tolist(), strict=True)),
        total * copied.value[i, j],
        total * copied.value[j, i],
        total * (iid.value[i, j] - iid.value[j, i]),
        total,
        total * float(copied.std),
        tuple((found.mu_public, found.mu_aggregator) for found in (copied, iid)),
    )
