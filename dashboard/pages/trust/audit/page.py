"""Audit: is it really private? A test that guesses, mechanisms sound and broken, and what the guesses prove."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import param

from core import Privacy, audit
from core.audit import reference_cases
from dashboard.page.base import Model, Preset, paragraph
from dashboard.page.guarantee import Guarantee
from dashboard.page.streamed import StreamedPage
from dashboard.pages.trust.audit.figures import AuditFigures
from dashboard.state.background_runs import Job
from dashboard.state.controls import LogInteger
from dashboard.state.number_text import equals, number_text

BATCHES = 20
ALPHA = np.linspace(0, 1, 201)


@dataclass(frozen=True)
class Mechanism:
    """A menu entry: the function of `core.audit.reference_cases` that builds it, and with what."""

    text: str
    builder: Callable[..., reference_cases.Case]
    options: Mapping[str, Any] = field(default_factory=dict)
    shared: tuple[str, ...] = ()  # Shared controls that it takes.
    promise: Privacy | None = None  # Its own promise, whatever the controls say.

    def arguments(self, c) -> tuple[Privacy, dict[str, Any]]:
        """The promise and the options under these controls."""
        promise = self.promise or Privacy(c.epsilon, c.delta)
        return promise, {**self.options, **{name: getattr(c, name) for name in self.shared}}

    def call(self, c) -> str:
        """The Python that builds it."""
        promise, options = self.arguments(c)
        words = [
            f"Privacy({promise.epsilon!r}, {promise.delta!r})",
            *(f"{k}={v!r}" for k, v in options.items()),
        ]
        return f"reference_cases.{self.builder.__name__}({', '.join(words)})"


_ONE_MESSAGE = {"against": "message", "seen_by": "aggregator"}
_COLLUDERS = {"against": "message", "seen_by": "colluders"}
MECHANISMS = {
    "message": Mechanism("One Gaussian release", reference_cases.message),
    "laplace": Mechanism("Laplace release", reference_cases.laplace),
    "fresh": Mechanism("Two releases, fresh noise", reference_cases.shared_seed, {"broken": False}),
    "moment": Mechanism("Word pairs, full noise", reference_cases.moment),
    "cape_aggregator": Mechanism(
        "CAPE held against the aggregator", reference_cases.cape, {"against": "aggregator"}, ("sites",)
    ),
    "cape_colluders": Mechanism(
        "CAPE held against colluders", reference_cases.cape, {"against": "colluders"}, ("sites", "colluding")
    ),
    "short": Mechanism("Broken: noise a third too small", reference_cases.message, {"factor": 2 / 3}),
    "classical": Mechanism(
        "Broken: classical formula at ε = 10",
        reference_cases.message,
        {"calibration": "published"},
        promise=Privacy(10.0, 0.01),
    ),
    "known_seed": Mechanism("Broken: noise of a known seed", reference_cases.fixed_seed),
    "shared_seed": Mechanism("Broken: two releases, one seed", reference_cases.shared_seed),
    "symmetric": Mechanism(
        "Broken: symmetric noise on word pairs", reference_cases.moment, {"law": "copied"}
    ),
    "cape_short": Mechanism(
        "Broken: CAPE held for one message, seen by the aggregator",
        reference_cases.cape,
        _ONE_MESSAGE,
        ("sites",),
    ),
    "cape_short_colluders": Mechanism(
        "Broken: CAPE held for one message, seen by colluders",
        reference_cases.cape,
        _COLLUDERS,
        ("sites", "colluding"),
    ),
}


@dataclass(frozen=True)
class Plan:
    """What is audited, and how often it runs."""

    call: str  # Python that builds the case.
    case: reference_cases.Case
    runs: int
    confidence: float
    seed: int

    @property
    def batch(self) -> int:
        """Judged runs in each of the batches."""
        return self.runs // BATCHES

    @property
    def learning(self) -> int:
        """Runs that choose the test."""
        return max(self.runs // 4, 100)


@dataclass(frozen=True)
class AuditPicture:
    """A verdict on the runs so far, and how the bounds came there; arrays over the batches done."""

    plan: Plan
    verdict: audit.Audit
    trials: np.ndarray
    bounds: np.ndarray  # Lower bounds on ε.
    finished: bool


class AuditModel(Model):
    """Which mechanism, and how long one looks."""

    mechanism = param.Selector(
        default="message",
        objects={entry.text: key for key, entry in MECHANISMS.items()},
        label="Mechanism",
        doc="Sound mechanisms, and broken ones that an audit must catch.",
    )
    runs = LogInteger(
        50_000,
        bounds=(1000, 1_000_000),
        label="Runs on each data set",
        doc="How often the mechanism is run on either neighbour. More: the bound closes in on the truth.",
    )
    confidence = param.Selector(
        default=0.999,
        objects=[0.95, 0.99, 0.999],
        label="Confidence",
        doc="How sure the lower bound is to be right: a sound mechanism is flagged at most that rarely.",
    )

    def plan(self) -> Plan:
        """What the settings ask for."""
        c, entry = self.controls, MECHANISMS[self.mechanism]
        if "colluding" in entry.shared and not c.colluding:
            raise ValueError("This mechanism has colluding sites: choose at least 1.")
        promise, options = entry.arguments(c)
        case = entry.builder(promise, **options)
        return Plan(entry.call(c), case, self.runs, self.confidence, c.noise_seed)


class AuditPage(StreamedPage):
    """The trade-off of the best test that was found, against the promised one, while runs come in."""

    name, title, group, icon = "audit", "Audit", "Trust", "policy"
    lead = "Is it really private? Let a test guess, many times, which of two neighbouring data sets was used."
    model_type = AuditModel
    no_release = "Mechanisms are tried on two made-up data sets that are known."
    shared = ("epsilon", "delta", "sites", "colluding", "noise_seed")
    primary = "runs"
    run_settings: ClassVar = {"unit": "batch of runs", "units": "batches of runs"}
    presets = (
        Preset(
            "Sound: the curves touch",
            {"mechanism": "message", "epsilon": 1.0, "delta": 1e-5, "runs": 50_000, "confidence": 0.999},
        ),
        Preset(
            "A third too little noise is caught",
            {"mechanism": "short", "epsilon": 1.0, "delta": 1e-5, "runs": 50_000, "confidence": 0.999},
        ),
        Preset(
            "A promise for one message, seen by the aggregator",
            {"mechanism": "cape_short", "epsilon": 1.0, "delta": 1e-5, "sites": 10, "runs": 100_000},
        ),
    )
    code = ("core.audit.distinguisher", "core.audit.promised_tradeoff")
    equation = r"""
A test that says "second data set" wrongly at rate α and misses it at rate β refutes (ε, δ) where
$$1-\delta-\beta>e^{\varepsilon}\alpha\qquad\text{or}\qquad 1-\delta-\alpha>e^{\varepsilon}\beta,$$
and μ where
$$\beta<\Phi\big(\Phi^{-1}(1-\alpha)-\mu\big).$$

With exact (Clopper-Pearson) upper bounds α⁺, β⁺ of both rates, each at half the error,
$$\varepsilon\ge\ln\frac{1-\delta-\beta^+}{\alpha^+},\qquad \mu\ge\Phi^{-1}(1-\alpha^+)-\Phi^{-1}(\beta^+)$$
hold with the stated confidence, whatever the mechanism. Where the output is Gaussian the test is the likelihood
ratio, and ε follows from μ; elsewhere a projection and its threshold are learnt on runs that are not judged.
**Learnt tests are weak**: they miss most faults that the likelihood ratio would find.
An audit can convict; it never proves a mechanism private, for it tries two data sets and one kind of test.
"""

    def body(self):
        self._parts = AuditFigures(ALPHA)
        return self._parts.layout

    def begin(self, plan: Plan) -> list[Job]:
        self._scores, self._bounds = ([], []), []
        entry = MECHANISMS[self.model.mechanism]
        given = {"epsilon", "delta"} if entry.promise is None else set()
        taken = given | set(entry.shared)
        absent = [name for name in self.shared if name not in {*taken, "noise_seed"}]
        self.said.param.update(problem="", absent=absent)
        known = {}  # The test, once the first job has chosen it.
        return [partial(_batch, plan, known, i) for i in range(1, BATCHES + 1)]

    def paint(self, results: list) -> None:
        for test, first, second in results:
            self._scores[0].append(first)
            self._scores[1].append(second)
            verdict = test.judge(*(np.concatenate(s) for s in self._scores))
            self._bounds.append((verdict.trials, verdict.epsilon))
        trials, bounds = np.array(self._bounds).T
        self.show(AuditPicture(self._plan, verdict, trials, bounds, len(bounds) == BATCHES))

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
            f"{number_text(verdict.missed)}: so <b>ε is at least {number_text(verdict.epsilon)}</b> at that δ."
        )
        if not picture.finished:
            return paragraph(f"Promised: {promise}.", guesses, "The verdict comes when all runs are in.")
        if verdict.violated:
            return paragraph(f"<b>The promise {promise} is broken.</b>", guesses, case.lesson)
        missed = "" if case.sound else " This mechanism is broken all the same: more runs would show it."
        return paragraph(
            f"The promise {promise} stands this test.", guesses, case.lesson if case.sound else missed
        )

    def guarantee(self, picture: AuditPicture) -> Guarantee:
        confidence = f"{100 * picture.plan.confidence:g} %"
        return Guarantee(
            sentence=f"The bound on ε is right with {confidence} confidence, so a mechanism that keeps its promise is "
            f"flagged in at most {100 * (1 - picture.plan.confidence):.3g} % of audits. Not to be flagged proves nothing.",
            unit="one record, or document, replaced by another: the two data sets that are tried",
            not_private=("nothing: both data sets are made up",),
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
        plan = self._plan or self.model.plan()
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


def _batch(plan, known, number, cancelled):
    """Choose the test if that is not done, and score one batch."""
    if "test" not in known:
        rng = np.random.default_rng([plan.seed, 0])
        known["test"] = plan.case.distinguisher(runs=plan.learning, rng=rng, confidence=plan.confidence)
    rng = np.random.default_rng([plan.seed, number])
    return known["test"], *plan.case.scores(known["test"], runs=plan.batch, rng=rng)
