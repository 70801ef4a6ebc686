"""Gain: how much less CAPE's average varies than the conventional scheme's, with colluders, for any site sizes."""

from __future__ import annotations

from dashboard.page.lesson import Preset
from dashboard.pages.learn.gain.model import POINTS, GainModel, GainPlan
from dashboard.pages.learn.gain.runs import SHEET
from dashboard.pages.learn.gain.view import view
from dashboard.sheet.spec import Sheet
from dashboard.state.seeds import next_seed

_EQUATION = r"""
$$G(n)=\frac{\tau_{\rm conv}^2}{\tau_{\rm pool}^2}=\frac{N^2}{S^2}\sum_{s=1}^{S}\frac1{n_s^2},\qquad
H(n)=\frac{\tau_{\rm cape}^2}{\tau_{\rm pool}^2}=\frac{G(n)}{S}$$

Both are Schur-convex in the sizes. G is least, S, where all sites are equal, and largest where
all sites but one hold a single record; H lies between 1 and that bound over S:
$$S \;\le\; G(n) \;\le\; \frac{N^2}{S^2}\Big(\frac{1}{(N-S+1)^2}+S-1\Big).$$
This is for the plain average of the sites, and for CAPE as published, its average carrying
$$\tau_{\rm cape}^2=\frac1{S^3}\sum_s\tau_s^2$$ of noise. Where sizes differ that is less than the smallest site
requires of the public average, (max τ_s/S)². Where site s is weighted by its share of the records, CAPE has H = 1
for any sizes, and the average meets every site's privacy target.

**Gain at equal privacy.** CAPE's messages are correlated. An adversary who sees all of them, and knows what S_C colluding
sites know, learns more than from one message. To give the same (ε, δ) against this adversary as the conventional
scheme does, τ must be larger, and the gain S falls to
$$\frac{(S+1)(S-S_C)}{2S-S_C}.$$
Gains are of variances; the standard deviation of CAPE's average is less by the root.
"""
_SHAPES = {
    "one giant": "np.r_[np.ones(sites - 1), ratio]",
    "two halves": "np.r_[np.ones((sites + 1) // 2), np.full(sites // 2, ratio)]",
    "geometric": "np.geomspace(1, ratio, sites)",
}


def script(plan: GainPlan) -> str:
    """A program that computes G(n) and H(n) against imbalance."""
    return f'''"""G(n) and H(n) against the imbalance of the sites ({plan.family})."""
import numpy as np

from core import cape

sites, total = {plan.sites}, {plan.total}
columns = {{"imbalance": [], "gain": [], "excess": []}}
for ratio in np.geomspace(1, {plan.along_imbalance.x[-1]!r}, {POINTS}):  # up to where the smallest site holds one record
    shape = {_SHAPES[plan.family]}
    n = total * shape / shape.sum()
    columns["imbalance"].append(ratio)
    columns["gain"].append(cape.gain(n))
    columns["excess"].append(cape.excess(n))

print("Schur bounds of G:", cape.gain_bounds(total, sites))
print("gain at equal privacy:", cape.honest_gain(sites, {plan.colluding}), "of", sites)
for row in zip(*columns.values()):
    print("%12.4f %12.6g %12.6g" % row)
'''


def _press(page, name, number):
    """New runs draw other noise."""
    if name == "runs":
        page.controls.noise_seed = next_seed(page.controls.noise_seed)


GAIN = Sheet(
    name="gain",
    model=GainModel,
    view=view,
    places={"runs": 3, "fair": 3, "imbalance": 2, "sites": 2, "numbers": 2},
    charts=("fair", "imbalance", "sites"),
    shared=("sites", "samples", "imbalance", "colluding", "noise_seed"),
    sliders=("sites", "colluding", "imbalance", "family", "samples"),
    presets=(
        Preset("Ten sites", {"imbalance": 1.0, "sites": 10, "samples": 1000, "colluding": 0}),
        Preset("Fifty sites", {"imbalance": 1.0, "sites": 50, "samples": 1000, "colluding": 0}),
        Preset("Six of ten collude", {"imbalance": 1.0, "sites": 10, "samples": 1000, "colluding": 6}),
    ),
    equation=_EQUATION,
    code=("core.cape.gain", "core.cape.excess", "core.cape.honest_gain"),
    script=script,
    press=_press,
    sheet=SHEET,
)
