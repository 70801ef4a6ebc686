"""Audit: a statistical test of sound and broken mechanisms, which gives a lower bound on ε."""

from __future__ import annotations

import time
from functools import partial
from typing import ClassVar
from uuid import uuid4

import numpy as np
import pandas as pd

from core import audit
from core.sweep.workers import Call
from dashboard.components.live_picture import LivePicture, faces
from dashboard.page import openings
from dashboard.page.base import Page
from dashboard.page.guarantee import Guarantee
from dashboard.page.lesson import Preset
from dashboard.pages.trust.audit import attacker
from dashboard.pages.trust.audit.figures import AuditFigures
from dashboard.pages.trust.audit.model import (
    ALPHA,
    BATCHES,
    MECHANISMS,
    AuditModel,
    AuditPicture,
    Plan,
    batch,
    whole,
)
from dashboard.state.controls import Controls
from dashboard.state.html_text import paragraph, rest
from dashboard.state.number_text import equals
from dashboard.state.seeds import next_seed
from dashboard.theme import colours
from dashboard.theme.assets import beside

_COLOURS = {
    "in": colours.SECOND_DATA,
    "out": colours.FIRST_DATA,
    "bad": colours.FORBIDDEN,
    "good": colours.GREEN,
}
_SHEET = f":host, .audit {{ {' '.join(f'--{name}: {c};' for name, c in _COLOURS.items())} }}"
_SHEET += faces.SHEET + beside(__file__, "attacker.css")
_SOON = 1.5  # Seconds after which runs that are not done show what they have.


class AuditPage(Page):
    """The observed trade-off of a test beside the promised one, updated while the runs finish."""

    name = "audit"
    model_type = AuditModel
    live = False
    first_figure = False
    shared = ("epsilon", "delta", "sites", "colluding", "noise_seed")
    primary, noise_button = "runs", False
    run_settings: ClassVar = {"unit": "batch of runs", "units": "batches of runs"}
    first = ("mechanism", "epsilon", "delta")
    presets = (
        Preset(
            "First program",
            {"mechanism": "short", "epsilon": 1.0, "delta": 1e-5, "runs": 50_000, "confidence": 0.999},
        ),
        Preset(
            "Second program",
            {"mechanism": "message", "epsilon": 1.0, "delta": 1e-5, "runs": 50_000, "confidence": 0.999},
        ),
        Preset(
            "CAPE, when all messages are seen",
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

    @classmethod
    def warm(cls) -> None:
        plan = cls(Controls(**cls.opens)).compute()
        openings.keep(plan, partial(whole, plan))

    def body(self):
        self._parts = AuditFigures(ALPHA)
        self._began = 0.0
        self._of: Plan | None = None  # What the attacker's picture is of.
        self._wished = self._plays = False  # Whether the next picture plays, and the present one.
        self._turn = attacker.Turn()  # The user's guesses.
        self._attacker = LivePicture(sheet=_SHEET, chosen=self._choose)
        return self._attacker

    def _choose(self, name: str, number: int) -> None:
        """The buttons of the picture: all runs again, with other noise; the user's guess about one release."""
        if name == "runs":
            self._wished = True
            self.controls.noise_seed = next_seed(self.controls.noise_seed)
        if name == "guess" and self.picture is not None and self.picture.finished:
            self._turn = self._turn.after(self.picture, says=number > 0)
            self._paint(self.picture)

    def _paint(self, picture):
        self._attacker.picture = attacker.picture(picture, play=self._plays, turn=self._turn)

    def more(self):
        self.content()
        return self._parts.layout

    def still(self) -> str:
        return f"<style>{_SHEET}</style>{self._attacker.picture}"

    def exhibits(self) -> tuple:
        return *self.figures(), self._attacker

    def begin(self, plan: Plan) -> list[Call]:
        self._began = time.monotonic()
        entry = MECHANISMS[self.model.mechanism]
        given = {"epsilon", "delta"} if entry.promise is None else set()
        taken = given | set(entry.shared)
        absent = [name for name in self.shared if name not in {*taken, "noise_seed"}]
        self.said.param.update(problem="", absent=absent)
        if self.picture is None:
            if (found := openings.kept(plan)) is not None:
                self.show(found)
                return []
            self._attacker.picture = attacker.begun(plan)
        self._bounds = []
        name = uuid4().hex
        return [Call(batch, (plan, name, i), chain=name) for i in range(1, BATCHES + 1)]

    def paint(self, results: list) -> None:
        self._bounds += [(verdict.trials, verdict.epsilon) for verdict in results]
        verdict = results[-1]
        trials, bounds = np.array(self._bounds).T
        self.show(AuditPicture(self.plan, verdict, trials, bounds, len(bounds) == BATCHES))

    def draw(self, picture: AuditPicture) -> None:
        # Runs that end within a moment are shown once, at their end.
        if picture.finished or self._slow:
            self._plays, self._wished = self._wished, self._wished and not picture.finished
            self._turn = self._turn if self._of is picture.plan else attacker.Turn()
            self._paint(picture)
            self._of = picture.plan
        self._parts.draw(picture)

    def settled(self, picture: AuditPicture) -> bool:
        return self._of is picture.plan

    @property
    def _slow(self):
        return time.monotonic() - self._began > _SOON

    def figures(self) -> tuple:
        self.content()
        return self._parts.figures

    def words(self, picture: AuditPicture) -> str:
        verdict, case = picture.verdict, picture.plan.case
        if not picture.finished:
            # Of runs that end within a moment only the last words are sent: none can be overtaken by earlier ones.
            return (
                paragraph("The verdict follows when all runs have finished.")
                if self._slow
                else self.said.words
            )
        promise = f"{equals('ε', case.promise.epsilon)}, {equals('δ', case.promise.delta)}"
        bound = attacker.bound_text(verdict.epsilon)
        counts = "For Gaussian noise these counts show" if case.gaussian and bound else "These counts show"
        shown = f"{counts} {bound} at the stated δ" if bound else f"{counts} nothing yet"
        if verdict.violated:
            judged = f"{shown}: the promise {promise} is broken."
        elif case.sound:
            judged = f"{shown}, which does not refute the promise {promise}."
        else:
            judged = f"{shown}, which does not refute the promise {promise}. More runs would."
        lesson = case.lesson if verdict.violated or case.sound else ""
        whole = paragraph(*filter(None, (attacker.told(picture), judged, lesson)))
        return whole + rest(attacker.attack(picture.plan))

    def guarantee(self, picture: AuditPicture) -> Guarantee:
        confidence = f"{100 * picture.plan.confidence:g} %"
        # ε follows from μ where noise is Gaussian; other bounds use counts alone.
        holds = "If the noise is Gaussian, the" if picture.plan.case.gaussian else "The"
        return Guarantee(
            sentence=f"{holds} bound on ε after all releases is correct with {confidence} confidence, and a mechanism "
            f"that keeps its promise is flagged in at most {100 * (1 - picture.plan.confidence):.3g} % of audits. "
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
