"""Audit: a statistical test of sound and broken mechanisms, which gives a lower bound on ε."""

from __future__ import annotations

from dashboard.packs.trust.audit.looks import ALPHA, calls, keys
from dashboard.packs.trust.audit.model import BATCHES, SHARED, AuditModel, Plan
from dashboard.packs.trust.audit.play import SHEET, Attack
from dashboard.packs.trust.audit.view import view
from dashboard.page.lesson import Preset
from dashboard.sheet.spec import Sheet
from dashboard.sheet.work import Calls

_EQUATION = r"""
A test that answers "second data set" wrongly at rate α and misses it at rate β refutes (ε, δ) where
$$1-\delta-\beta>e^{\varepsilon}\alpha\qquad\text{or}\qquad 1-\delta-\alpha>e^{\varepsilon}\beta,$$
and μ where
$$\beta<\Phi\big(\Phi^{-1}(1-\alpha)-\mu\big).$$

With exact (Clopper-Pearson) upper bounds α⁺, β⁺ of both rates, each at half the error,
$$\varepsilon\ge\ln\frac{1-\delta-\beta^+}{\alpha^+},\qquad \mu\ge\Phi^{-1}(1-\alpha^+)-\Phi^{-1}(\beta^+)$$
hold with the stated confidence for every mechanism. Where the output is Gaussian, the test is the likelihood
ratio, and ε follows from μ. Otherwise a projection and its threshold are learnt on runs outside the evaluation.
**Learnt tests are weak**: they miss most faults that the likelihood ratio would find.
An audit can show that a mechanism breaks its promise. It cannot prove privacy, because it uses two data sets and
one kind of test.
"""


def script(plan: Plan) -> str:
    """A program that repeats the audit."""
    return f'''"""Audit of a mechanism on two neighbouring data sets: its trade-off beside the promised one."""
import numpy as np

from core import Privacy, audit
from core.audit import reference_cases

case = {plan.call}
test = case.distinguisher(
    runs={plan.learning}, rng=np.random.default_rng([{plan.seed}, 0]), confidence={plan.confidence}
)
batches = [
    case.scores(test, runs={plan.batch}, rng=np.random.default_rng([{plan.seed}, i]))
    for i in range(1, {BATCHES + 1})
]
verdict = test.judge(*(np.concatenate(scores) for scores in zip(*batches)))

alpha = np.linspace(0, 1, {len(ALPHA)})
columns = {{
    "alpha": alpha.tolist(),
    "observed": verdict.tradeoff(alpha).tolist(),
    "promised": audit.promised_tradeoff(case.promise, alpha, gaussian=case.gaussian).tolist(),
}}

print(case.title)
print(verdict)
for row in zip(*columns.values()):
    print("%6.3f %8.5f %8.5f" % row)
'''


AUDIT = Sheet(
    name="audit",
    model=AuditModel,
    view=view,
    places={"attacker": 6, "errors": 3, "bound": 3},
    charts=("errors", "bound"),
    live={"attacker": Attack},
    shared=(*SHARED, "noise_seed"),
    sliders=("runs", "mechanism", "epsilon", "delta", "sites", "colluding"),
    work=Calls(calls=calls, awaited=keys),
    absent=lambda plan: plan.absent,
    presets=(
        Preset(
            "Two thirds of the noise",
            {"mechanism": "short", "epsilon": 1.0, "delta": 1e-5, "runs": 50_000, "confidence": 0.999},
        ),
        Preset(
            "The formula's noise",
            {"mechanism": "message", "epsilon": 1.0, "delta": 1e-5, "runs": 50_000, "confidence": 0.999},
        ),
        Preset(
            "CAPE, when all messages are seen",
            {"mechanism": "cape_short", "epsilon": 1.0, "delta": 1e-5, "sites": 10, "runs": 100_000},
        ),
    ),
    equation=_EQUATION,
    code=("core.audit.distinguisher", "core.audit.promised_tradeoff"),
    script=script,
    sheet=SHEET,
)
