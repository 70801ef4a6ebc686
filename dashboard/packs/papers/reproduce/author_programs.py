"""Further problems for `core.sweep` that the figures need: closed forms, and the authors' programs as they ran."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from core import cape, check, functional, network, noise, power, topics
from core.functional.quadratic import Quadratic, minimiser
from core.privacy import gaussian_std
from core.topics.scaled_noise import gap


@dataclass(frozen=True)
class Regression(functional.Problem):
    """[Cape] section 5.2 as its programs ran it, including their differences from the text.

    "dpfm" adds Gaussian noise for the sensitivity 2(d+1)²/N to every coefficient. "objpert" adds to the
    non-private answer a vector of uniform direction whose length is Gamma(d, 2/ε). "loss" is the absolute value
    of the perturbed polynomial where the optimiser stopped.
    """

    def estimate(self, statistics, scheme: str, privacy, rng, settings: Mapping) -> dict[str, float]:
        """Measures of one run: "loss" and "error"."""
        found, d = statistics.moments, len(statistics.truth)
        if scheme == "objpert":
            plain = minimiser(found.pooled)
            direction = rng.standard_normal(d)
            w = plain + rng.gamma(d, 2 / privacy.epsilon) * direction / np.linalg.norm(direction)
            loss = found.empirical(w)
        else:
            released, w = self._minimised(found, scheme, privacy, rng)
            loss = abs(released(w))
        return {"loss": loss, "error": float(np.linalg.norm(statistics.truth - w) / d)}

    def _minimised(self, found, scheme, privacy, rng):
        options = dict(self.options)
        stop = {"box": options.get("box", 1.0), "evaluations": options.get("evaluations")}
        if scheme != "dpfm":
            fit = functional.fit(found, mechanism=scheme, privacy=privacy, rng=rng, **options)
            return fit.released, fit.coefficients
        exact, d = found.pooled, len(found.pooled.linear)
        std = gaussian_std(2 * (d + 1) ** 2 / found.samples.sum(), privacy, calibration="published")
        linear = exact.linear + noise.gaussian(d, std, rng=rng)
        # Only the symmetric part of the noise acts on w.
        square = exact.square + noise.gaussian((d, d), std, rng=rng, distribution="symmetrised")
        released = Quadratic(exact.constant + std * float(rng.standard_normal()), linear, square)
        return released, minimiser(released, **stop)


@dataclass(frozen=True)
class Classifier(network.Problem):
    """Training with accuracies in per cent."""

    def estimate(self, *args, **options) -> dict[str, float]:
        """As `core.network.Problem`, accuracies times 100."""
        found = super().estimate(*args, **options)
        return {"train": 100 * found["train"], "test": 100 * found["test"]}


@dataclass(frozen=True)
class Deltas:
    """δ of [Cape] Figures 5-6: as plotted there, or exact."""

    published: bool
    data_settings: tuple[str, ...] = ()
    methods: ClassVar[tuple[str, ...]] = ("cape", "conventional")

    def statistics(self, settings: Mapping) -> None:
        """Nothing: the problem uses no records."""

    def estimate(self, statistics, scheme: str, privacy, rng, settings: Mapping) -> dict[str, float]:
        """δ at the settings' ε and noise."""
        message = {"tau": settings["noise"], "samples": settings["samples"], "sites": settings["sites"]}
        check.choice("scheme", scheme, self.methods)
        if scheme == cape.SCHEME:
            form = "plotted" if self.published else "exact"
            return {
                "failure": float(
                    cape.delta(privacy.epsilon, **message, colluding=settings["colluding"], form=form)
                )
            }
        form = "published" if self.published else "exact"
        return {"failure": float(cape.conventional_delta(privacy.epsilon, **message, form=form))}


@dataclass(frozen=True)
class Spectrum:
    """[Lda] Figure 3: the smallest singular value of M2, and the smallest gap of T, of an LDA distribution."""

    load: Callable[[Mapping], tuple[np.ndarray, np.ndarray]]
    data_settings: tuple[str, ...]
    published: bool
    methods: ClassVar[tuple[str, ...]] = ("nonprivate",)

    def statistics(self, settings: Mapping) -> tuple[np.ndarray, np.ndarray]:
        """Topics and Dirichlet parameter of the distribution."""
        return self.load(settings)

    def estimate(self, statistics, scheme: str, privacy, rng, settings: Mapping) -> dict[str, float]:
        """Its k-th singular value, in the scale of equation (7) if published, and its gap."""
        words, alpha = statistics
        total = alpha.sum()
        scale = total * (total + 1) if self.published else 1.0
        return {
            "singular": scale * float(topics.population_spectrum(words, alpha)[-1]),
            "gap": gap(topics.population_eigenvalues(alpha)),
        }


@dataclass(frozen=True)
class Survival:
    """Whether Algorithm 1 of [Power] finds all components under a disturbance of given kind and size."""

    load: Callable[[Mapping], object]
    data_settings: tuple[str, ...]
    methods: ClassVar[tuple[str, ...]] = power.KINDS

    def statistics(self, settings: Mapping) -> power.ComponentTensor:
        """The undisturbed tensor."""
        truth = self.load(settings)
        return power.ComponentTensor(truth.values, truth.vectors)

    def estimate(self, statistics, scheme: str, privacy, rng, settings: Mapping) -> dict[str, float]:
        """1 if every component is found, else 0."""
        search = {name: settings[name] for name in ("restarts", "iterations")}
        cosines = power.recovered(statistics, scheme, settings["size"], rng=rng, **search)
        return {"found": float(cosines.min() > power.FOUND)}
