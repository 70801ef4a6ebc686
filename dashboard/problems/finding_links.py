"""Links between findings, figures and pages: where the app shows a finding, and which findings a figure has."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from core.findings import FINDINGS, Finding
from dashboard.problems.sites import Row, write_rows

# Three sites as in the findings on unequal sizes, all with the same privacy target.
_UNEQUAL = write_rows([Row(name, size, 1.0, 1e-5) for name, size in (("A", 10), ("B", 20), ("C", 270))])
_EQUAL = write_rows([Row(f"site {i}", 1000, 1.0, 1e-5) for i in range(1, 11)])
_PUBLISHED: dict[str, Any] = {"calibration": "published"}
_GUARANTEE = {"epsilon": 1e-3, "sites": 10, "colluding": 3}

LIVE: Mapping[str, tuple[str, Mapping[str, Any]]] = MappingProxyType(
    {
        "classical-beyond-one": ("audit", {"mechanism": "classical"}),
        "classical-within-one": ("averaging", {**_PUBLISHED, "epsilon": 1.0, "delta": 0.01}),
        "basic-composition": ("components", {**_PUBLISHED, "axis": "share"}),
        "second-moment": ("pca", _PUBLISHED),
        "copied-noise": ("pca", _PUBLISHED),
        "magnitude-order": ("pca", _PUBLISHED),
        "several-messages": (
            "audit",
            {"mechanism": "cape_short", "sites": 10, "epsilon": 1.0, "delta": 1e-5},
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
        "drawn-once": ("averaging", {"sites": 10}),
        "delta-tail": ("guarantee", {**_GUARANTEE, "noise": 10_000.0}),
        "delta-loose": ("guarantee", {**_GUARANTEE, "noise": 1000.0}),
        "plotted-delta": ("guarantee", {"epsilon": 0.01, "sites": 30, "colluding": 11, "noise": 3000.0}),
        "conventional-delta": ("guarantee", {**_GUARANTEE, "noise": 1000.0}),
        "asymmetric-moments": ("audit", {"mechanism": "symmetric"}),
        "mixture-third": ("components", {**_PUBLISHED, "model": "gaussians", "dimension": 10}),
        "shared-estimates": ("components", {"measure": "error"}),
        "same-samples": ("components", {"model": "gaussians", "dimension": 10}),
        "whole-budget-each": ("regression", _PUBLISHED),
        "dpfm-constant": ("regression", {**_PUBLISHED, "measure": "error"}),
        "objpert-as-run": ("regression", {"axis": "samples", "measure": "error"}),
        "perturbed-loss": ("regression", {"measure": "loss", "repair": "none"}),
        "unbounded-quadratic": ("regression", {"measure": "error", "repair": "none"}),
        "network-noise": ("network", {"sites": 4}),
        "per-step-epsilon": ("network", {"budget": "step"}),
        "against-variational": ("topics", {"compare": "configurations", "measure": "error"}),
        "gap-sensitivity": ("topics", {"compare": "configurations", "measure": "error", "cut": "3"}),
        "whitened-sensitivity": ("topics", {"compare": "configurations", "measure": "error", "cut": "2"}),
        "way-back": ("topics", {"compare": "configurations", "measure": "error", "cut": "2"}),
        "paid-twice": ("topics", {"compare": "configurations", "measure": "error", "cut": "1"}),
        "online-deflation": ("power_stream", {}),
        "composed-too-wide": ("power", {"neighbours": "published"}),
        "six-term-neighbours": ("power", {"neighbours": "published"}),
        "third-case": ("power_noise", {"axis": "size"}),
    }
)
"""Links by key of a finding. The other findings change no figure of the app, or it shows only the corrected form."""

_PAGES = {
    "pca": ("pca", "averaging"),
    "decomposition": ("components",),
    "regression": ("regression",),
    "network": ("network",),
    "delta": ("guarantee",),
    "topics": ("topics",),
    "spectrum": ("topics",),
    "power": ("power", "power_noise", "power_stream"),
}


def findings_of(paper: str, problem: str) -> list[Finding]:
    """The findings on a paper that the pages of a problem show: those that concern the paper's figures of it."""
    return [
        found
        for key, found in FINDINGS.items()
        if paper in found.papers and key in LIVE and LIVE[key][0] in _PAGES.get(problem, ())
    ]
