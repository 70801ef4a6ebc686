"""Links between findings, figures and pages: where the app shows a finding, and which findings a figure has."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase
from types import MappingProxyType
from typing import Any

from core.findings import FINDINGS, Finding
from core.privacy import Privacy, gaussian_std
from dashboard.page.facts import pages
from dashboard.problems.sites import Row, write_rows
from data.published.experiments import Experiment

# Three sites as in the findings on unequal sizes, all with the same privacy target.
_UNEQUAL = write_rows([Row(name, size, 1.0, 1e-5) for name, size in (("A", 10), ("B", 20), ("C", 270))])
_EQUAL = write_rows([Row(f"site {i}", 1000, 1.0, 1e-5) for i in range(1, 11)])
_PUBLISHED: dict[str, Any] = {"calibration": "published"}
# Message noise over one record's effect, by the papers' formula for one message at (1, 10⁻⁵).
_CLASSICAL = gaussian_std(1.0, Privacy(1.0, 1e-5), calibration="published")
_GUARANTEE = {"epsilon": 1e-3, "sites": 10, "colluding": 3, "published": True}

_LIVE: Mapping[str, tuple[str, Mapping[str, Any]]] = MappingProxyType(
    {
        "classical-beyond-one": ("audit", {"mechanism": "classical"}),
        "classical-within-one": ("protocol", {**_PUBLISHED, "epsilon": 1.0, "delta": 0.01}),
        "basic-composition": ("components", {**_PUBLISHED, "axis": "share"}),
        "second-moment": ("pca", _PUBLISHED),
        "copied-noise": ("pca", _PUBLISHED),
        "magnitude-order": ("pca", _PUBLISHED),
        "data-bound": ("pca", {**_PUBLISHED, "data": "digits"}),
        "several-messages": (
            "guarantee",
            {"epsilon": 1.0, "sites": 10, "colluding": 0, "noise": round(_CLASSICAL, 4), "published": True},
        ),
        "colluders-know": ("guarantee", {**_GUARANTEE, "noise": 3000.0}),
        "negative-variance": ("guarantee", {**_GUARANTEE, "colluding": 7, "noise": 3000.0}),
        "honest-gain": (
            "limits",
            {"sites": 10, "collusion": True, "colluders": 3, "along": "colluders", "same": True},
        ),
        "dropouts": ("secure_sum", {"sites": 10, "lost": 2}),
        "equal-weights": ("gain", {"sites": 3, "imbalance": 27.0, "family": "geometric"}),
        "unequal-noise": ("sites", {"rows": _UNEQUAL, "weights": "equal"}),
        "weighted-form": ("sites", {"rows": _EQUAL, "form": "published"}),
        "convex-sensitivity": ("gain", {"sites": 3, "imbalance": 27.0, "family": "geometric"}),
        "drawn-once": ("protocol", {"sites": 10}),
        "delta-tail": ("guarantee", {**_GUARANTEE, "noise": 10_000.0}),
        "delta-loose": ("guarantee", {**_GUARANTEE, "noise": 1000.0}),
        "plotted-delta": (
            "guarantee",
            {"epsilon": 0.01, "sites": 30, "colluding": 11, "noise": 3000.0, "published": True},
        ),
        "conventional-delta": ("guarantee", {**_GUARANTEE, "noise": 1000.0}),
        "asymmetric-moments": ("audit", {"mechanism": "symmetric"}),
        "mixture-third": ("components", {**_PUBLISHED, "model": "gaussians", "dimension": 10}),
        "shared-estimates": ("components", {"measure": "error"}),
        "same-samples": ("components", {"model": "gaussians", "dimension": 10}),
        "whole-budget-each": ("regression", _PUBLISHED),
        "dpfm-constant": ("regression", {**_PUBLISHED, "measure": "error", "curators": ["dpfm"]}),
        "objpert-as-run": ("regression", {"axis": "samples", "measure": "error", "curators": ["objpert"]}),
        "perturbed-loss": ("regression", {"measure": "loss", "repair": "none"}),
        "unbounded-quadratic": ("regression", {"measure": "error", "repair": "none"}),
        "network-noise": ("network", {"sites": 4}),
        "per-step-epsilon": ("network", {"budget": "step"}),
        "against-variational": ("topics", {"compare": "configurations", "measure": "error"}),
        "gap-sensitivity": ("topics", {"compare": "configurations", "measure": "error"}),
        "whitened-sensitivity": ("topics", {"compare": "configurations", "measure": "error"}),
        "way-back": ("topics", {"compare": "configurations", "measure": "error"}),
        "paid-twice": ("topics", {"compare": "configurations", "measure": "error"}),
        "online-deflation": ("power_stream", {"read": 33}),
        "composed-too-wide": ("power", {"neighbours": "published"}),
        "six-term-neighbours": ("power", {"neighbours": "published"}),
        "third-case": ("power_noise", {"axis": "size"}),
    }
)
LIVE = MappingProxyType({key: found for key, found in _LIVE.items() if found[0] in pages()})
"""Links by key of a finding, to pages that are there. The other findings change no figure of the app, or it shows only
the corrected form."""

_FACT = ("Fact-Fig2?", "Fact-Fig3?", "Fact-Fig4?", "Fact-Fig5?")
_MIXTURES = ("Fact-Fig3?", "Fact-Fig5[a-d]")
_MOMENTS = ("Fact-Fig3?", "Fact-Fig4?", "Fact-Fig5?")
_REGRESSIONS = ("Cape-Fig3?", "Cape-Fig4?", "Cape-Fig7?")
_CONFIGURATIONS = ("Lda-Fig2?", "Lda-Fig4?")
_METHOD: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "classical-beyond-one": (*_FACT, "Cape-Fig2?", *_REGRESSIONS),
        "classical-within-one": (*_FACT, "Cape-Fig2?", *_REGRESSIONS, *_CONFIGURATIONS),
        "basic-composition": (*_MOMENTS, *_CONFIGURATIONS),
        "data-bound": ("Fact-Fig2?", *_MIXTURES, "Cape-Fig4?"),
        "estimated-variance": _MIXTURES,
        "second-moment": ("Fact-Fig2?", *_MIXTURES),
        "copied-noise": (*_FACT, *_CONFIGURATIONS),
        "magnitude-order": ("Fact-Fig2?",),
        "several-messages": (*_FACT, "Cape-Fig2?", "Cape-Fig[34][a-d]", "Cape-Fig7[a-h]"),
        "asymmetric-moments": ("Fact-Fig4?", "Fact-Fig5[e-h]"),
        "mixture-third": _MIXTURES,
        "shared-estimates": _MOMENTS,
        "whitening-by-size": _MOMENTS,
        "same-samples": _MIXTURES,
        "drawn-once": (*_FACT, "Cape-Fig2?", *_REGRESSIONS),
        "network-noise": ("Cape-Fig2?",),
        "per-step-epsilon": ("Cape-Fig2?",),
        "whole-budget-each": _REGRESSIONS,
        "dpfm-constant": _REGRESSIONS,
        "objpert-as-run": _REGRESSIONS,
        "unbounded-quadratic": _REGRESSIONS,
        "perturbed-loss": ("Cape-Fig3?", "Cape-Fig4?"),
        "stopped-early": ("Cape-Fig7[cdghkl]",),
        "colluders-know": ("Cape-Fig5?", "Cape-Fig6?"),
        "plotted-delta": ("Cape-Fig5?", "Cape-Fig6?"),
        "conventional-delta": ("Cape-Fig5?", "Cape-Fig6?"),
        "procedure-scale": _CONFIGURATIONS,
        "gap-sensitivity": _CONFIGURATIONS,
        "whitened-sensitivity": _CONFIGURATIONS,
        "way-back": _CONFIGURATIONS,
        "paid-twice": _CONFIGURATIONS,
        "tau-squared": _CONFIGURATIONS,
        "dropped-constants": _CONFIGURATIONS,
        "searched-budget": _CONFIGURATIONS,
        "against-variational": ("Lda-Fig2?",),
        "many-topics-mix": ("Lda-Fig2[bc]",),
        "spectrum-grows": ("Lda-Fig3a",),
        "gap-shrinks": ("Lda-Fig3b",),
        "third-case": ("Power-Fig*",),
    }
)
"""The figures, by name, whose method has what a finding describes. The other findings concern no figure."""

HARMLESS = frozenset(key for key, found in FINDINGS.items() if found.kind == "valid")
"""Findings that are no errors: choices that are valid and could be better, a shortcut with the same result, or a step
that the paper itself calls not private."""


def findings_of(figure: Experiment) -> list[Finding]:
    """The findings on a figure's own method, errors and others, in the order of all findings."""
    return [
        found
        for key, found in FINDINGS.items()
        if any(fnmatchcase(figure.name, pattern) for pattern in _METHOD.get(key, ()))
        and (key not in _EPSILONS or _EPSILONS[key](_epsilons(figure)))
    ]


# The classical formula is proved up to ε = 1, and wrong above for some δ.
_EPSILONS: Mapping[str, Callable[[list[float]], bool]] = MappingProxyType(
    {
        "classical-beyond-one": lambda epsilons: max(epsilons) > 1,
        "classical-within-one": lambda epsilons: min(epsilons) <= 1,
    }
)


def _epsilons(figure):
    """The ε of single releases in a figure: where two moments are released, each has half."""
    share = 0.5 if figure.problem == "decomposition" else 1.0
    found = figure.x if figure.axis == "epsilon" else (figure.fixed["epsilon"],)
    return [share * epsilon for epsilon in found]
