"""Audit: a statistical test of sound and broken mechanisms, which gives a lower bound on ε."""

from __future__ import annotations

from functools import partial
from typing import ClassVar
from uuid import uuid4

import numpy as np
import pandas as pd

from core import audit
from dashboard.page.base import Page
from dashboard.page.guarantee import Guarantee
from dashboard.page.lesson import Preset
from dashboard.pages.trust.audit.figures import AuditFigures
from dashboard.pages.trust.audit.model import (
    ALPHA,
    BATCHES,
    MECHANISMS,
    AuditModel,
    AuditPicture,
    Plan,
    batch,
)
from dashboard.state.background_runs import Job, Work
from dashboard.state.html_text import paragraph
from dashboard.state.number_text import equals, number_text


class AuditPage(Page):
    """The observed trade-off of a test beside the promised one, updated while the runs finish."""

    name, title, group, icon = "audit", "Audit", "Trust", "policy"
    lead = "This program adds too little noise. Can a test that sees only its output catch it? Or choose a sound mechanism."
    model_type = AuditModel
    live = False
    no_release = "The mechanisms run on two synthetic, public data sets."
    shared = ("epsilon", "delta", "sites", "colluding", "noise_seed")
    primary = "runs"
    run_settings: ClassVar = {"unit": "batch of runs", "units": "batches of runs"}
    first = ("mechanism", "epsilon", "sites")
    presets = (
        Preset(
            "A sound mechanism: the curves meet",
            {"mechanism": "message", "epsilon": 1.0, "delta": 1e-5, "runs": 50_000, "confidence": 0.999},
        ),
        Preset(
            "The audit detects noise that is a third too small",
            {"mechanism": "short", "epsilon": 1.0, "delta": 1e-5, "runs": 50_000, "confidence": 0.999},
        ),
        Preset(
            "CAPE calibrated for one message, seen by the aggregator",
            {"mechanism": "cape_short", "epsilon": 1.0, "delta": 1e-5, "sites": 10, "runs": 100_000},
        ),
    )
    code = ("core.audit.distinguisher", "core.audit.promised_tradeoff")
    equation = r"""
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

    def body(self):
        self._parts = AuditFigures(ALPHA)
        return self._parts.layout

    def begin(self, plan: Plan) -> list[Job]:
        self._bounds = []
        entry = MECHANISMS[self.model.mechanism]
        given = {"epsilon", "delta"} if entry.promise is None else set()
        taken = given | set(entry.shared)
        absent = [name for name in self.shared if name not in {*taken, "noise_seed"}]
        self.said.param.update(problem="", absent=absent)
        name = uuid4().hex
        return [Work(partial(batch, plan, name, i), keep=name) for i in range(1, BATCHES + 1)]

    def paint(self, results: list) -> None:
        self._bounds += [(verdict.trials, verdict.epsilon) for verdict in results]
        verdict = results[-1]
        trials, bounds = np.array(self._bounds).T
        self.show(AuditPicture(self.plan, verdict, trials, bounds, len(bounds) == BATCHES))

    def draw(self, picture: AuditPicture) -> None:
        self._parts.draw(picture)

    def figures(self) -> tuple:
        self.content()
        return self._parts.figures

    def words(self, picture: AuditPicture) -> str:
        verdict, case = picture.verdict, picture.plan.case
        promise = f"{equals('ε', case.promise.epsilon)}, {equals('δ', case.promise.delta)}"
        guesses = (
            f"In {number_text(verdict.trials)} runs on each data set the test gave "
            f"{number_text(verdict.false_alarms)} false alarms and missed "
            f"{number_text(verdict.missed)}. Hence <b>ε is at least {number_text(verdict.epsilon)}</b> at that δ."
        )
        if not picture.finished:
            return paragraph(
                f"Promised: {promise}.", guesses, "The verdict follows when all runs have finished."
            )
        if verdict.violated:
            return paragraph(f"<b>The promise {promise} is broken.</b>", guesses, case.lesson)
        missed = "" if case.sound else " The mechanism is broken nevertheless, and more runs would show it."
        return paragraph(
            f"This test does not refute the promise {promise}.",
            guesses,
            case.lesson if case.sound else missed,
        )

    def guarantee(self, picture: AuditPicture) -> Guarantee:
        confidence = f"{100 * picture.plan.confidence:g} %"
        return Guarantee(
            sentence=f"The bound on ε is correct with {confidence} confidence, so a mechanism that keeps its promise is "
            f"flagged in at most {100 * (1 - picture.plan.confidence):.3g} % of audits. "
            "An audit that flags nothing proves nothing.",
            unit="one record, or document, replaced by another: the two data sets of the audit",
            not_private=("nothing: both data sets are synthetic",),
        )

    def table(self) -> pd.DataFrame:
        if self.picture is None:
            return pd.DataFrame({"alpha": [], "observed": [], "promised": []})
        case = self.picture.plan.case
        return pd.DataFrame(
            {
                "alpha": ALPHA,
                "observed": self.picture.verdict.tradeoff(ALPHA),
                "promised": audit.promised_tradeoff(case.promise, ALPHA, gaussian=case.gaussian),
            }
        )

    def script(self) -> str:
        plan = self.plan or self.model.plan()
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
