"""Every month: what a series of releases costs, and what noise that is correlated over months wins."""

from __future__ import annotations

from dashboard.packs.consortium.months.entered import Entering
from dashboard.packs.consortium.months.model import MonthsModel, Plan, calls, quick
from dashboard.packs.consortium.months.pictures import SHEET
from dashboard.packs.consortium.months.view import view
from dashboard.page.lesson import Preset
from dashboard.sheet.spec import Sheet
from dashboard.sheet.work import Calls

_ONCE = {
    "months": 12,
    "most": 1,
    "apart": 1,
    "asked": "months and totals",
    "sites": 10,
    "dropouts": 0,
    "missing": 0,
}
_UNIT = ("span", "records", "unit")  # They come with a plan.
_EQUATION = r"""
K releases of one kind, F of sites × months. A person is in at most b months, x with |x_k| ≤ 1. C is lower triangular,
public and the same at all sites; X = CᵀC. In month k site s sends y_sk = f_sk + û_sk, û fresh with variance D, and
the sum after the messages reveals Σ(û_sk − (C⁻¹g_s)_k) over those that sent; g has variance γ. With h honest sites,
$$\mu_s^2=\Delta_s^2\Big[\frac{\lVert x\rVert^2}{D}+\frac{\lVert Cx\rVert^2}{\gamma h}\Big],$$
and where up to r drop out, others in other months, h becomes (h − r)²/h. What is released has the covariance
$$V=\gamma\,(C^\top C)^{-1}\circ(PP^\top),$$
P_k the weights of month k's senders; a query a has the variance aᵀVa. The best C for queries a_i and patterns x_j:
$$\min_X\max_{ij}\,(a_i^\top X^{-1}a_i)(x_j^\top Xx_j)=\max_{\omega,\lambda}F(G,\Lambda)^2,\qquad
G=\sum\omega_i a_ia_i^\top,\quad\Lambda=\sum\lambda_j x_jx_j^\top,$$
F the fidelity. Every F² bounds the error of all noise from below.

Sources: for one curator's noise over time, Denisov, McMahan, Rush, Smith and Thakurta (2022); Choquette-Choo et al. (2023);
square root, Henzinger, Upadhyay and Upadhyay (2023).
"""


def script(plan: Plan) -> str:
    """A program that computes the errors of the first chart."""
    q, person = plan.question, plan.question.person
    gone = f"asked_of = series.without(read, ({plan.missing - 1},))" if plan.missing else "asked_of = read"
    return f'''"""Standard error of every query of a series, in units of range/N, by how noise is correlated over months."""
import numpy as np

from core import Privacy, series
from core.privacy import gdp_mu

sites = {plan.sites}
person = series.Participation({person.months}, {person.most}, {person.apart})
asked = series.queries({q.asked!r}, {person.months}, window={q.window})
read = series.queries({q.read!r}, {person.months}, window={q.window})
{gone}
strategies = {{
    "independent": series.independent(person),
    "best": series.strategy(asked, person),
    "buffer": series.best_buffer(asked, person),
    "tree": series.tree(person),
    "square root": series.square_root(person),
}}
mu = float(gdp_mu(Privacy({plan.privacy.epsilon!r}, {plan.privacy.delta!r})))

columns = {{"query": list(range(1, 1 + len(asked_of)))}}
for name, strategy in strategies.items():
    noise = series.Series(
        strategy=strategy, sites=sites, mu=mu, {_terms(plan)}
    )
    columns[name] = (sites * np.sqrt(noise.expected(asked_of))).tolist()
for row in zip(*columns.values()):
    print("%5d" % row[0], *("%9.4f" % value for value in row[1:]))
'''


def _terms(plan):
    """What a series is planned for, as a program has it; a curator knows no sites."""
    terms = {} if plan.scheme == "pooled" else {"colluding": plan.colluding, "dropouts": plan.dropouts}
    return ", ".join(f"{name}={value!r}" for name, value in {"scheme": plan.scheme, **terms}.items())


def _absent(plan):
    person = plan.question.person
    return [
        *(_UNIT if plan.unit is None else []),
        *(["apart"] if person.most in (1, person.months) else []),
        *([] if plan.question.asked == "window" else ["window"]),
    ]


def _most(plan):
    months = plan.question.person.months
    return {"most": months, "apart": months, "missing": months}


MONTHS = Sheet(
    name="months",
    model=MonthsModel,
    view=view,
    places={"strategies": 3, "schemes": 3, "path": 3, "matrices": 3, "numbers": 6, "ledger": 0},
    charts=("strategies", "schemes", "path"),
    live={"ledger": Entering},
    shared=("sites", "dropouts", "colluding", "epsilon", "delta", "noise_seed"),
    hidden=_UNIT,
    sliders=("most", "asked", "months", "apart", "strategy", "sites", "dropouts", "epsilon"),
    presets=(
        Preset("Once a year", _ONCE),
        Preset("In all months", _ONCE | {"most": 12}),
        Preset("Twice, half a year apart", _ONCE | {"most": 2, "apart": 6}),
        Preset("One site drops out a month", _ONCE | {"dropouts": 1}),
    ),
    equation=_EQUATION,
    code=("core.series.Series", "core.series.strategy", "core.series.Participation"),
    script=script,
    work=Calls(calls=calls, awaited=lambda plan: (plan.key,), at_once=quick),
    absent=_absent,
    most=_most,
    sheet=SHEET,
)
