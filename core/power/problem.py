"""Private power iterations as a problem for `core.sweep`: accuracy of each component."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from core import check, tensors
from core.hashed import hashed
from core.power.calibration import Neighbours, StepCalibration
from core.power.disturbances import FOUND, alignment
from core.power.implicit_tensors import ComponentTensor
from core.power.private_iterations import perturbed, private
from core.schemes import PLAIN, PRIVATE
from core.schemes.registry import Names

CALIBRATION: dict[str, StepCalibration] = {
    "alg3_exact": "exact",
    "alg3_zcdp": "zcdp",
    "alg3_theorem": "theorem",
    "alg3_published": "published",
}


@hashed
@check.arguments
@dataclass(frozen=True)
class Problem:
    """Known components, decomposed privately.

    A private scheme is noise of the sites whose tensors it is the sum of, and takes the setting "sites"; "input" is noise
    of one curator on the whole tensor. The others are [Power] Algorithm 3 at one curator.

    Attributes
    ----------
    load : callable
        Maps the `data_settings` to an object with `values` (k,) and `vectors` (k, d).
    data_settings : tuple of str
        Settings the tensor depends on.
    neighbours : str
        See `core.power.calibration`.
    restarts, iterations : int
        L and R of [Power] Algorithm 3.
    """

    load: Callable[[Mapping], Any]
    data_settings: tuple[str, ...]
    neighbours: Neighbours = "entry"
    restarts: int = 3
    iterations: int = 6

    methods = Names(lambda: (PLAIN, *CALIBRATION, "input", *PRIVATE))

    @check.arguments
    def statistics(self, settings: Mapping) -> ComponentTensor:
        """The tensor, in O(dk)."""
        truth = self.load(settings)
        return ComponentTensor(truth.values, truth.vectors)

    @check.arguments
    def fit(
        self, statistics: ComponentTensor, scheme: str, privacy, rng, *, sites: int | None = None
    ) -> tensors.Eigenpairs:
        """The eigenpairs that a method finds; `sites` for the schemes."""
        check.choice("scheme", scheme, self.methods)
        k = len(statistics.values)
        if scheme == PLAIN:
            return tensors.robust(statistics, k, rng=rng)
        summed = scheme if scheme in PRIVATE else None
        if summed or scheme == "input":
            options = {"privacy": privacy, "rng": rng, "neighbours": self.neighbours}
            return perturbed(statistics, k, scheme=summed, sites=sites, **options)
        return private(
            statistics,
            k,
            privacy=privacy,
            rng=rng,
            neighbours=self.neighbours,
            calibration=CALIBRATION[scheme],
            restarts=self.restarts,
            iterations=self.iterations,
        )

    @check.arguments
    def estimate(self, statistics: ComponentTensor, scheme: str, privacy, rng, settings) -> dict[str, float]:
        """|cos| of each component with its estimate, "cosine_1" …, their mean, "cosine", and how many are "found"."""
        sites = check.setting(settings, "sites") if scheme in PRIVATE else None
        return figures(statistics.vectors, self.fit(statistics, scheme, privacy, rng, sites=sites).vectors)


@check.arguments(true=check.matrix, estimated=check.matrix)
def figures(true: np.ndarray, estimated: np.ndarray) -> dict[str, float]:
    """The figures of one run, of rows v_i and rows of estimates; see `Problem.estimate`."""
    cosines = alignment(true, estimated)
    each = {f"cosine_{i}": float(c) for i, c in enumerate(cosines, start=1)}
    return {"cosine": float(cosines.mean()), **each, "found": int((cosines > FOUND).sum())}
