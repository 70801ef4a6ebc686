"""Sites: noise design for unequal sites, and what each adversary learns about each site."""

from __future__ import annotations

from dashboard.components.live_picture import faces
from dashboard.packs.consortium.sites import consortium
from dashboard.packs.consortium.sites.form import SitesForm
from dashboard.packs.consortium.sites.model import (
    GIANT,
    HOSPITALS,
    PARANOID,
    TWENTY,
    SitesModel,
    SitesPicture,
    after_ask,
)
from dashboard.packs.consortium.sites.view import view
from dashboard.page.lesson import Preset
from dashboard.problems.sites import write_rows
from dashboard.sheet.spec import Sheet
from dashboard.theme import colours
from dashboard.theme.assets import beside

_SHEET = (
    f":host, .sites {{ --zero: {colours.ZERO_SUM}; --local: {colours.LOCAL_NOISE}; }}"
    + faces.SHEET
    + beside(__file__, "consortium.css")
)
_PLAIN = {"target": 1.0, "against": "colluders", "form": "ours", "stage": "after", "weights": "size"}
_EQUATION = r"""
Site s needs noise τ_s on its message; the average has weights w_s. With v_s = w_s²τ_s² the design solves
$$w_s^2\operatorname{Var}e_s+w_s^2\operatorname{Var}g_s=v_s,\qquad
\sum_s w_se_s=0,\qquad \sum_s w_s^2\operatorname{Var}g_s=\tau_c^2 .$$

One record of site s changes the public average by w_sΔ_s. The average therefore meets every privacy target if
$$\tau_c\ge\max_s w_s\tau_s,$$
which is the noise that one curator of all records would add. Lower τ_c are feasible if no site outweighs the others,
$$v_m<\sum_{s\ne m}v_s+\tau_c^2 .$$

Against the aggregator and colluding sites, with d_j the variance of what site j contributes to the zero-sum noise,
γ_j that of its local noise (both weighted) and p_j = d_j + γ_j, the exact μ of site s is
$$\mu_s^2=(w_s\Delta_s)^2\Big[\frac1{p_s}+\frac{(d_s/p_s)^2}{\sum_{j\text{ honest}}d_j\gamma_j/p_j}\Big].$$

**Published gains**, at equal weights: G(n) = (N²/S²) Σ 1/n_s² is conventional over pooled variance, H(n) = G(n)/S
CAPE's over pooled ([Fact] section III, [Cape] Remark 3). Where sizes differ, H(n) means less noise than the smallest
site's privacy target requires of the public average.
"""


def script(picture: SitesPicture) -> str:
    """A program that designs the noise and computes the exact δ of every adversary."""
    here = [row for row in picture.rows if not (row.drops and picture.stage == "before")]
    lost = [i for i, row in enumerate(here) if row.drops]
    known = [i for i, row in enumerate(here) if row.colludes]
    places = [row in here for row in picture.rows]
    weights = picture.weights[places] / picture.weights[places].sum()
    most = min(len(known), len(here) - 1)
    make = "design" if picture.form == "ours" else "published_design"
    return f'''"""Noise design for unequal sites, and the exact δ of every adversary at each site's own ε."""
import numpy as np

from core import Privacy, cape, schemes
from core.privacy import gdp_delta

sizes = np.array({[row.size for row in here]})
weights = np.array({weights.tolist()})
targets = [Privacy(e, d) for e, d in {[(row.epsilon, row.delta) for row in here]}]
colluding, dropped = {known}, {lost}  # dropped: after the noise was agreed
sensitivities = 1 / sizes  # of averages of numbers in [0, 1]

targets, std = schemes.message_std(sensitivities, targets, calibration={picture.calibration!r})
std = schemes.calibrated(std, sensitivities, weights, against={picture.against!r}, colluding={most})
plan = cape.{make}(std, weights, target={picture.target!r} * (weights * std).max())

left = [s for s in range(len(sizes)) if s not in dropped]
public = weights * sensitivities / weights[left].sum() / plan.average_std(dropped)
mus = {{
    "message": sensitivities / plan.std,
    "public": public,
    "aggregator": np.sqrt(plan.leakage(sensitivities, dropped=dropped)),
    "colluders": np.sqrt(plan.leakage(sensitivities, colluding, dropped=dropped)),
}}
columns = {{
    "message_std": plan.std.tolist(),
    "zero_sum_std": plan.zero_sum_std.tolist(),
    "local_std": plan.local_std.tolist(),
}}
for adversary, mu in mus.items():
    columns[f"delta_{{adversary}}"] = [
        float(gdp_delta(targets[s].epsilon, mu[s])) if s in left and s not in colluding else float("nan")
        for s in range(len(sizes))
    ]

print("noise of the average", plan.average_std(dropped))
for row in zip(*columns.values()):
    print(*("%.4g" % value for value in row))
'''


def _press(page, name, number):
    """A click on a site of the picture, on who watches, or on what is offered."""
    rows = page.model.table_rows()
    if name == "against" and number < len(consortium.WATCHERS):
        page.model.against = consortium.WATCHERS[number][0]
    elif name == "nearest" and page.plan is not None:
        page.model.target = page.plan.target
    elif name == "ask":
        page.set({"rows": write_rows(after_ask(rows))})
    elif name == "site" and number < len(rows):
        changed = consortium.after_press(rows, number)
        # A site that is told to collude shows what it tells.
        told = {"against": "colluders"} if changed[number].colludes else {}
        page.set({"rows": write_rows(changed), **told})


SITES = Sheet(
    name="sites",
    model=SitesModel,
    view=view,
    places={"sites": 6, "table": 0, "deltas": 3, "average": 3, "apart": 6},
    charts=("deltas",),
    live={"table": SitesForm},
    shared=("calibration", "noise_seed"),
    sliders=("weights", "target"),
    hidden=("rows", "against"),  # The picture has them.
    presets=(
        Preset("Six hospitals", {"rows": HOSPITALS, **_PLAIN}),
        Preset("One giant, seven small sites", {"rows": GIANT, **_PLAIN, "weights": "equal"}),
        Preset("Twenty small sites", {"rows": TWENTY, **_PLAIN}),
        Preset("One very cautious site", {"rows": PARANOID, **_PLAIN}),
    ),
    equation=_EQUATION,
    code=(
        "core.schemes.noise_design.design",
        "core.schemes.noise_design.NoiseDesign.leakage",
        "core.schemes.free_design.free_design",
    ),
    script=script,
    absent=lambda picture: () if any(row.drops for row in picture.rows) else ("stage",),
    press=_press,
    sheet=_SHEET,
)
