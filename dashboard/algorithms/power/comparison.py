"""Tensor components on *Compare*: settings, measures, presets, and which functions compute, draw and explain."""

from __future__ import annotations

from dashboard.algorithms.power import drawing, guarantee, text
from dashboard.algorithms.power.model import STEPS, Plan, PowerModel, fits, means
from dashboard.compare.sheet import comparison
from dashboard.compare.spec import Comparison, Curve, Measure, Result
from dashboard.compare.store import Results
from dashboard.page.lesson import Preset


def _further(plan: Plan, results: Results) -> list[tuple[str, str]]:
    return [
        ("The first component at each step of the power method", drawing.search(results)),
        ("Accountings of noise each step", drawing.accounting(plan)),
        ("Noise once and noise each step", drawing.explained(plan)),
    ]


POWER = Comparison(
    name="power",
    model=PowerModel,
    shared=("sites", "epsilon", "delta", "schemes", "repeats", "data_seed", "noise_seed"),
    # CAPE finds all components, the conventional scheme and noise each step about one.
    opens={"sites": 5, "repeats": 4, "epsilon": 0.25},
    sliders=("epsilon", "delta", "sites", "components", "d", "strength"),
    records="",
    hidden=("axis", "schemes", "methods"),
    methods=dict.fromkeys(STEPS, "methods"),
    play=(0.1, 0.2, 0.3, 0.5, 1.0, 2.0),  # From no component to all of them, under every scheme.
    result=Result(draw=drawing.result, about=drawing.about, fits=fits, wide=True),
    curve=Curve(
        measures={"cosine": Measure("Cosine with the truth", "mean", (0, 1.03))},
        means=means,
        needed=text.needed,
    ),
    law=guarantee.LAW,
    headline=text.headline,
    further=_further,
    reached=text.reached,
    guarantee=guarantee.guarantee,
    unprotected=guarantee.unprotected,
    script=text.script,
    presets=(
        Preset(
            "More sites, no more noise under CAPE",
            {"axis": "sites", "sites": 20, "epsilon": 0.5, "delta": 1e-5, "d": 64, "strength": 1000.0}
            | {"components": 3, "share": 1.0, "neighbours": "entry", "restarts": 3, "iterations": 6},
        ),
        Preset(
            "Too wide for noise once",
            {"axis": "d", "epsilon": 2.0, "delta": 1e-6, "d": 1000, "strength": 1000.0, "components": 2}
            | {"share": 1.0, "neighbours": "entry", "restarts": 3, "iterations": 6},
        ),
        Preset(
            "Components on few numbers",
            {"axis": "strength", "epsilon": 1.0, "delta": 1e-6, "d": 100, "strength": 1000.0, "components": 3}
            | {"share": 0.05, "neighbours": "entry", "restarts": 3, "iterations": 6},
        ),
    ),
    code=("core.power.perturbed", "core.power.private", "core.power.accounting"),
    equation=r"""
Noise once: site s sends its tensor with noise of variance τ² on every count, where
$$\tau=\frac1{\mu(\varepsilon,\delta)},\qquad \operatorname{var}\Big(\sum_{s=1}^S\tilde T_s\Big)=
\tau^2\ \text{(CAPE)},\qquad S\,\tau^2\ \text{(conventional)}.$$
Noise each step, with D the components found before:
$$\bar u_{t+1}=(T-D)(I,u_t,u_t)+\frac{\Delta_1(u_t)}{\mu_{\rm step}}\,z_t,\qquad
u_{t+1}=\frac{\bar u_{t+1}}{\|\bar u_{t+1}\|},\qquad
\tilde\lambda=(T-D)(u_R,u_R,u_R)+\frac{\Delta_2(u_R)}{\mu_{\rm step}}\,z$$

With L restarts and R iterations for each of k components this makes
$$K=kL(R+1)$$
releases, and Gaussian releases compose exactly:
$$\mu=\mu_{\rm step}\sqrt K.$$
The vectors u are public once released, so the noise may follow them. With a ≥ b ≥ c the three largest entries
of |u|, one symmetrised entry of T changes a step by at most
$$\Delta_1(u)=\max\Big(2\sqrt{a^2b^2+a^2c^2+b^2c^2},\ \sqrt{4a^2b^2+a^4}\Big)\le 2\sqrt3\,\|u\|_\infty^2 .$$

Flat vectors need little noise. This is why the incoherence
$$\mu_0=\tfrac dk\max_i\|V^{\top}e_i\|^2$$
appears in Theorem 4.2: the first pair is found if ε exceeds a constant times
$$\frac{\mu_0\,k^2\ln(\lambda_{\max}d/\delta)}{\lambda_{\min}}.$$
All this protects one entry of T. Where T is the third moment of n records with ‖x‖ ≤ 1, protecting a *record* needs
Δ₁ = Δ₂ = 2/n at every unit vector instead: `neighbours="record"`.
In code: `core.power.perturbed`, `core.power.private`; source: [Power] Algorithm 3.
""",
)
PAGE = comparison(POWER)
