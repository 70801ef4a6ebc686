"""Private topics as a problem for `core.sweep`: schemes over sites, and configurations with one curator."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from core import check
from core.hashed import hashed
from core.moments import lda
from core.schemes import SCHEMES, Names, is_private, planned
from core.sweep.memory import Memory
from core.topics import configuration_e as equalised
from core.topics import configurations, metrics, variational
from core.topics.spectral import Guarantee, Topics, nonprivate

ONE_CURATOR = ("configuration-e", *(f"configuration-{name}" for name in configurations.EDGES), "variational")
METHODS = Names(lambda: (*SCHEMES, *ONE_CURATOR))
MEASURES = ("found", "overlap", "mass", "error", "perplexity")
_KEPT = 12


@dataclass(eq=False)
class Documents:
    """Documents of the sites, and what is computed of them once.

    Attributes
    ----------
    sites : list of CSR (n_s, d)
    held : CSR (m, d)
        Documents that perplexity is measured on.
    truth : ndarray (k, d) or None
        True topics, if they are known.
    words : tuple of str
        The vocabulary.
    vocabulary_public : bool
    """

    sites: list
    held: Any
    truth: np.ndarray | None
    words: tuple[str, ...]
    vocabulary_public: bool
    _kept: Memory = field(default_factory=lambda: Memory(size=_KEPT), repr=False)

    @cached_property
    def together(self):
        """All documents, for one curator."""
        return lda.documents(sp.vstack([sp.csr_array(c) for c in self.sites]))

    @cached_property
    def long(self):
        """Those of at least three words, all that the published estimators can use."""
        return self.together[lda.lengths(self.together) >= 3]

    @cached_property
    def halves(self) -> tuple[sp.csr_array, sp.csr_array]:
        """Held-out documents, observed and predicted halves of their words."""
        return metrics.split_documents(self.held, rng=np.random.default_rng(0))

    @check.arguments
    def equalised(self, equalisation: equalised.Equalisation, *, together: bool) -> equalised.Statistics:
        """Statistics of configuration E, kept for the last few equalisations."""
        counts = self.together if together else list(self.sites)
        make = lambda: equalised.statistics(counts, equalisation, rng=np.random.default_rng(0))  # noqa: E731
        return self._kept.recall(("E", equalisation, together), make)

    @check.arguments
    def reference(self, k: int, alpha0: float) -> Topics:
        """The non-private topics."""
        make = lambda: nonprivate(self.together, k, alpha0=alpha0, rng=np.random.default_rng(0))  # noqa: E731
        return self._kept.recall(("nonprivate", k, alpha0), make)


@hashed
@check.arguments
@dataclass(frozen=True)
class Problem:
    """Topics at the sites that `load` describes.

    Attributes
    ----------
    load : callable
        From settings to an object with `sites` (word counts), `held`, `topics` (or None), `words` and
        `vocabulary_public`.
    data_settings : tuple of str
        Names of the settings that `load` reads.
    accounting : str
        How private variational inference composes its passes; see `core.topics.variational.fit`.

    Settings are "k", "alpha0", "length", "longest", "spread" (0: by ε), "clip" (0: by ε), "third" (T's share
    of the budget), "calibration", "measure", those of `load`, and those of `core.schemes.planned`.
    """

    load: Callable[[Mapping], Any]
    data_settings: tuple[str, ...]
    accounting: str = "exact"

    methods = METHODS

    @check.arguments
    def statistics(self, settings: Mapping) -> Documents:
        """The settings' documents."""
        result = self.load(settings)
        return Documents(result.sites, result.held, result.topics, result.words, result.vocabulary_public)

    @check.arguments
    def earlier(self, settings: Mapping) -> float:
        """Share of μ² that the first stage of configuration E costs, for `core.schemes.over_stages`."""
        return 1 - _third(settings)

    @check.arguments
    def equalisation(self, privacy, settings: Mapping) -> equalised.Equalisation:
        """The public choices of configuration E at these settings."""
        chosen = {name: settings[name] for name in ("spread", "clip") if check.setting(settings, name)}
        rest, third = 0.98 * (1 - check.setting(settings, "third")), _third(settings)
        return equalised.Equalisation.suited(
            privacy,
            length=check.setting(settings, "length"),
            longest=check.setting(settings, "longest"),
            shares=(0.02, 0.05 * rest, 0.95 * rest, third),
            **chosen,
        )

    @check.arguments
    def fit(self, statistics: Documents, method: str, privacy, rng, settings: Mapping) -> Topics:
        """Run one method and return its topics."""
        check.choice("method", method, METHODS)
        k, alpha0 = check.setting(settings, "k"), check.setting(settings, "alpha0")
        if not is_private(method):
            return statistics.reference(k, alpha0)
        if method in SCHEMES or method == "configuration-e":
            one = method == "configuration-e"
            data = statistics.equalised(self.equalisation(privacy, settings), together=one)
            scheme = "" if one else method
            terms = {} if one else planned(settings, data.sizes, method)
            sharing = equalised.Sharing(privacy, scheme, check.setting(settings, "calibration"), **terms)
            return equalised.fit(data, k, alpha0=alpha0, sharing=sharing, rng=rng)
        if method == "variational":
            return _variational(statistics.together, k, alpha0, privacy, rng, self.accounting)
        name = method.removeprefix("configuration-")
        target = privacy.epsilon if name == "1-pure" else privacy
        return configurations.fit(
            statistics.long,
            k,
            alpha0=alpha0,
            configuration=name,
            privacy=target,
            rng=rng,
            calibration=check.setting(settings, "calibration"),
        )

    @check.arguments
    def figures(self, statistics: Documents, found: Topics, settings: Mapping) -> dict[str, float]:
        """How good topics are by the measure of the settings, and how many there are."""
        measure = check.choice("measure", check.setting(settings, "measure"), MEASURES)
        if measure in ("found", "overlap", "mass"):
            reference = statistics.reference(
                check.setting(settings, "k"), check.setting(settings, "alpha0")
            ).words
            if measure == "mass":
                value = metrics.shared_mass(reference, found.words)
            else:
                counted = metrics.topics_found if measure == "found" else metrics.overlap
                value = float(counted(reference, found.words, count=min(10, reference.shape[1])))
        elif measure == "perplexity":
            value = metrics.perplexity(*statistics.halves, found.words, found.alpha)
        elif statistics.truth is None:
            raise ValueError(
                "measure must be 'found', 'overlap', 'mass' or 'perplexity': these documents' true topics are not known"
            )
        else:
            value = metrics.topic_error(statistics.truth, found.words)
        return {"value": value, "topics": len(found.words)}

    @check.arguments
    def estimate(
        self, statistics: Documents, scheme: str, privacy, rng, settings: Mapping
    ) -> dict[str, float]:
        """One run, measured."""
        check.choice("scheme", scheme, METHODS)
        return self.figures(statistics, self.fit(statistics, scheme, privacy, rng, settings), settings)


def _variational(counts, k, alpha0, privacy, rng, accounting):
    result = variational.fit(
        counts, k, alpha0=alpha0, privacy=privacy, rng=rng, accounting=accounting, iterations=10
    )
    order = np.argsort(-result.words.max(axis=1), kind="stable")
    guarantee = Guarantee(True, "Ten Gaussian releases, with the exact μ.", result.mu, result.mu, result.mu)
    return Topics(result.words[order], result.alpha[order], alpha0, "variational", guarantee, privacy)


def _third(settings):
    """T's share of μ²: the weights have 0.02."""
    return 0.98 * check.setting(settings, "third")
