"""Plan: the least ε, number of sites or of records that meets a target, and the risk for one record."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

import pandas as pd
import panel as pn

from core import Privacy, sweep
from core.schemes import PLAIN
from core.sweep import search as plan
from dashboard.compat.widgets.light_component import Stack
from dashboard.components.layout import FULL, LiveText, text_download
from dashboard.page import guarantee as guarantees
from dashboard.page import ledger_costs
from dashboard.page.base import Page
from dashboard.page.guarantee import Guarantee, Unprotected
from dashboard.page.lesson import Preset
from dashboard.page.own_table import OwnTable
from dashboard.pages.decide.plan import joining, party_plan, text
from dashboard.pages.decide.plan import report as reports
from dashboard.pages.decide.plan import script as plan_script
from dashboard.pages.decide.plan.answer import AnswerPicture, holds
from dashboard.pages.decide.plan.figures import PlanFigures
from dashboard.pages.decide.plan.metrics import KINDS
from dashboard.pages.decide.plan.model import PlanModel, PrivateSchemes
from dashboard.pages.decide.plan.question import Question, exact, search
from dashboard.pages.decide.plan.question_bar import free_switch, question_bar
from dashboard.pages.decide.plan.reference import Reference, reference
from dashboard.pages.decide.plan.year.panel import YearPanel
from dashboard.pages.decide.plan.year.releases import Law, Line, Year
from dashboard.shell.actions import lab_version
from dashboard.state import seeds
from dashboard.state.background_runs import Job, Work
from dashboard.state.html_text import rest
from dashboard.state.ledger import Drawn
from dashboard.state.number_text import equals
from dashboard.theme import css
from dashboard.theme.assets import beside
from dashboard.theme.scheme_style import planned_order

_TABLES = beside(__file__, "tables.css")
_AVERAGE = {"problem": "averaging", "metric": "within", "delta": 1e-5, "adversary": "message"}
CHUNK = 6  # Runs of one job, so that sessions that share the worker take turns.


@dataclass(frozen=True)
class Step:
    """A scheme's answer after some more runs; `first` is the first of these, `runs` how many they are."""

    answer: plan.Answer
    first: sweep.Job
    runs: int


@dataclass(frozen=True)
class Outcome:
    """A question and what is known of its answers.

    `plain` is the figure without noise at the most costly cell, if it was computed; `reference` what there is to keep or
    to lose; `fresh` are the steps that were made since the last outcome.
    """

    question: Question
    answers: dict[str, plan.Answer]
    plain: float | None = None
    reference: Reference | None = None
    fresh: tuple[Step, ...] = ()


class Searches:
    """The jobs of searches that take turns: which run comes next depends on what was found, so they are drawn
    one by one, and their number is a forecast. At last, if something is out of reach, the figure without noise."""

    def __init__(self, question: Question):
        self.question = question
        self.found = {scheme: search(question, scheme) for scheme in question.schemes}
        self._steps = 0

    def __len__(self) -> int:
        return self._steps + sum(found.outlook // CHUNK for found in self.found.values())

    def __iter__(self) -> Iterator[Job]:
        if (first := reference(self.question)) is not None:
            yield first
        ordered = [scheme for scheme in planned_order() if scheme in self.found]
        for group in (ordered[:2], ordered[2:]):  # The bold sentence is about the first two: they come first.
            while going := [scheme for scheme in group if not self.found[scheme].over]:
                for scheme in going:
                    before = self.found[scheme]
                    yield Work(partial(_advanced, before), partial(self._took, scheme, before))
        out_of_reach = any(found.answer.state == "out of reach" for found in self.found.values())
        if out_of_reach and not self.question.target.relative:
            job = sweep.Job(self.question.problem, self.question.cells[-1][1], PLAIN, 0, 0)
            yield partial(_plain, job, self.question.target)

    def _took(self, scheme, before, after):
        self.found[scheme] = after
        self._steps += 1
        place = next(i for i, scores in after.scores.items() if len(scores) > len(before.scores.get(i, ())))
        begun = len(before.scores.get(place, ()))
        first = sweep.Job(after.problem, after.cells[place][1], scheme, begun, after.seed)
        return Step(after.answer, first, after.runs - before.runs)


def _advanced(found, cancelled):
    return found.step(most=CHUNK)


def _plain(job, target, cancelled):
    return target.score(job.run(), None)


class PlanPage(Page):
    """One answer per scheme with its interval, streamed during the search, and the risk for one record."""

    name, title, group, icon = "plan", "Plan", "Decide", "calculate"
    heading = "What does a good answer need?"
    lead = "Choose the error that you allow."
    model_type = PlanModel
    live = False
    run_settings: ClassVar = {"unit": "step", "units": "steps"}
    shared = (
        *("epsilon", "delta", "sites", "samples", "k", "schemes"),
        *("adversary", "colluding", "dropouts", "data_seed", "noise_seed"),
    )
    hidden = ("noise_seed", "free", "level", "risk", "problem", "data", "metric", "own_records", "year")
    primary, follows = "level", True
    plays_from = 0.31  # An error at which CAPE reaches the target of an average, and the schemes without a curator do not.
    first = ("sites", "samples", "epsilon")
    above = (62, 18)
    first_figure = False  # The chart belongs to a search.
    # Ten hospitals with a hundred patients each: every scheme meets the target, at an ε that is known at once.
    opens: ClassVar = {"sites": 10, "samples": 100, "k": 8}
    presets = (
        Preset(
            "A risk of 55 of 100",
            {**_AVERAGE, "free": "error", "risk": 55, "sites": 10, "samples": 100},
        ),
        Preset("Fewer patients", {**_AVERAGE, "free": "samples", "level": 0.01, "sites": 10, "epsilon": 0.5}),
        Preset(
            "Fewer hospitals", {**_AVERAGE, "free": "sites", "level": 0.005, "epsilon": 0.3, "samples": 1000}
        ),
        Preset(
            "A search: directions of digits",
            {"problem": "pca", "data": "digits", "metric": "variance", "free": "epsilon", "level": 0.1}
            | {"how": "mean", "delta": 1e-4, "sites": 5, "samples": 359, "k": 8, "centre": "mean"}
            | {"adversary": "message"},
        ),
    )
    code = (
        *("core.sweep.search.search", "core.privacy.attack_risk.mu_of_advantage"),
        *("core.pca.fit_about_mean", "core.functional.gains", "core.privacy.release_plan.ReleasePlan"),
    )
    equation = r"""
$$x^*=\min\{x:\ \mathbb E\,q(x')\ge q_0\ \text{for all}\ x'\ge x\},\qquad
\Pr\big[\,x_{\text{miss}}<x^*\le x_{\text{meet}}\,\big]\ge 95\,\%$$

Along a grid of x runs with fresh noise are added at one point, in looks at 6, 12, 24, … runs, until a test says
that the target is met or missed there. Then the gap between the last miss and the first success is halved. Each of at
most P points may err with probability 5 %/P, so that all decisions together hold with 95 %, whichever points the
search chose. The test of a mean is Student's; *in 9 of 10* counts releases and assumes nothing about their distribution.
*Variance kept* is $$\operatorname{tr}(\hat VC\hat V^{\top})$$ as a share of the most that k components have of the
covariance C of the records. *What the features add* is the loss between the best constant prediction and the answer
without noise. *AUC* is the probability that a record of label 1 is ranked above one of label 0. An average
needs no search: 95 % of its errors stay within $$1.96\,\sigma$$, which is known. Where the error is asked for, a risk of R
of 100 right guesses fixes $$\mu=2\,\Phi^{-1}(R/100)$$, and with δ the ε; the mean of all runs there is given with
Student's 95 % interval.

The trade-off function of a μ-Gaussian release bounds what it reveals about one record,
$$T(\alpha)=\Phi\big(\Phi^{-1}(1-\alpha)-\mu\big):$$ the best attack finds $$1-T(\alpha)$$ of the used records while it
accuses a share α of innocent ones, and is right in $$\tfrac12+\tfrac12\big(2\Phi(\mu/2)-1\big)$$ of guesses between two
candidates. In code: `core.sweep.search.search`, `core.privacy.attack_risk`.
"""

    def __init__(self, controls):
        super().__init__(controls)
        self.own_table = OwnTable(self, suited=self._suited)
        self._key = None
        self._searches: Searches | None = None
        self._private = PrivateSchemes(controls)
        self.year = Year(self._law)
        self.year_panel = YearPanel(self.year, self.answer_line)
        self.model.param.watch(lambda event: self.year.type(event.new), "year")
        self.year.param.watch(
            lambda *events: setattr(self.model, "year", self.year.typed),
            ["lines", "epsilon", "delta", "observer"],
        )

    def body(self):
        self.details, self.answers = PlanFigures(), AnswerPicture()
        self._risk, self._table = LiveText(css.FINE, margin=(12, 0, 4, 0)), LiveText(css.FINE + _TABLES)
        self._cautions = LiveText(css.FINE)
        self._file = text_download("Save a plan for the sites", party_plan.NAME, self.plan_file)
        # It is of the present question at all times, and does not pale as a picture of another one would.
        return Stack(self.answers.pane, styles={"--picture": "var(--asked, 1)"}, **FULL)

    def still(self) -> str:
        return "" if self.own_table.chosen is not None else self.answers.still()

    def chooser(self):
        switch = free_switch(self.model)
        self.said.param.watch(lambda event: setattr(switch, "visible", event.new is None), "step")
        return switch

    def before(self):
        return question_bar(self.model, self.own_table)

    def more(self):
        self.content()
        save = text_download("Save a report to print", reports.NAME, self.report)
        about = self.details.main, self._risk.pane, self.details.more, self._table.pane, self._cautions.pane
        saving = pn.FlexBox(save, self._file, gap="4px", margin=0)
        return pn.Column(*about, saving, self.year_panel.layout, **FULL)

    def compute(self) -> Question:
        asked = self.model.free != "error"
        self.primary, self.plays_from = ("level", 0.31) if asked else ("risk", 0.0)
        return self.model.question()

    def source(self, name):
        return self._private if name == "schemes" else super().source(name)

    def begin(self, question: Question):
        with pn.io.hold():  # The chart and the text of an average change with its headline, in one message.
            return self._begin(question)

    def _begin(self, question):
        if question.key != self._key:
            self._key = question.key
            self.details.start(question)
            if (
                question.problem is not None
            ):  # An average is answered at once: under Play no bar may empty first.
                self.answers.show(question, {}, self.controls.colluding)
                self._conceal(question)
            self._searches = None if question.problem is None else Searches(question)
        self.said.param.update(problem="", absent=list(question.absent), most=question.most_samples)
        if question.problem is None:
            self.runs.clear()
            self.show(Outcome(question, {s: exact(question, s) for s in question.schemes}))
            return None
        if self.picture is not None and self.picture.question.key == question.key:
            self.show(replace(self.picture, question=question, fresh=()))
        return self._searches

    def _conceal(self, question):
        """Take away what the answer before said of a release: the new one is not decided."""
        for part in (self._risk, self._table, self._cautions):
            part.show("")
        self.details.draw_risk(None, None, "")
        self._file.visible = False
        if self.picture is not None:
            self.said.guarantee = self.promise(Outcome(question, {}))

    def paint(self, results: list) -> None:
        picture = self.picture
        if picture is None or picture.question.key != self._key:
            picture = Outcome(self.plan, {})
        steps = tuple(found for found in results if isinstance(found, Step))
        plain = next((found for found in results if isinstance(found, float)), picture.plain)
        behind = next((found for found in results if isinstance(found, Reference)), picture.reference)
        answers = picture.answers | {step.answer.scheme: step.answer for step in steps}
        ordered = {s: answers[s] for s in self.plan.schemes if s in answers}
        self.show(Outcome(self.plan, ordered, plain, behind, steps))

    def draw(self, picture: Outcome) -> None:
        self.answers.show(picture.question, picture.answers, self.controls.colluding)
        self.details.draw(picture.question, picture.answers)
        # A share of releases has no such floor.
        behind = picture.reference if picture.question.chance is None else None
        self.details.draw_floor(math.nan if behind is None else behind.floor)
        if picture.question.problem is None:
            self._weigh(picture)

    def draw_more(self, picture: Outcome) -> None:
        self._weigh(picture)
        self.year_panel.refresh()

    def _weigh(self, picture):
        """Show the risk of the release that is planned, as a figure and as text."""
        question, colluding = picture.question, self.controls.colluding
        scheme = text.best(question, picture.answers)
        answer = picture.answers.get(scheme)
        seen = None if answer is None else text.mus(question, text.at_estimate(question, answer), colluding)
        self.details.draw_risk(scheme, seen, "" if answer is None else text.epsilon_text(question, answer))
        searching = not picture.answers or text.searching(question, picture.answers)
        self._risk.show("" if searching else text.risk_words(question, scheme, answer, colluding))
        together = joining.table(question, scheme, answer, colluding, self._site_names())
        risks = "" if searching else text.risk_table(question, picture.answers, colluding)
        self._table.show(risks + together)
        self._cautions.show(
            "" if text.nothing_known(picture.answers) else text.cautions(question, picture.answers)
        )
        self._file.visible = answer is not None and party_plan.available(question)

    def words(self, picture: Outcome) -> str:
        question, answers = picture.question, picture.answers
        found = text.words(question, answers, picture.plain, picture.reference)
        return rest(holds(question, answers, self.controls.colluding)) + found

    def guarantee(self, picture: Outcome) -> Guarantee:
        question, s = picture.question, picture.question.settings
        scheme = text.best(question, picture.answers)
        answer = picture.answers.get(scheme)
        unit = f"{question.unit} at one site, replaced by any other; the number of records is public"
        if answer is None:
            return Guarantee(text.nothing_to_weigh(picture.answers), unit=unit)
        privacy = Privacy(question.epsilon(answer), s.delta)
        colluding = min(s.colluding, question.sites(answer) - 1)
        found = guarantees.exposures(
            question.schemes,
            privacy,
            sites=question.sites(answer),
            colluding=colluding,
            calibration="exact",
            terms=question.terms(answer),
        )
        why = (
            f"where an attacker may {question.risk_text}"
            if question.measured
            else f"where {guarantees.label(scheme)} is shown to meet the target"
        )
        sentence = (
            f"A plan is not a release and gives no guarantee. {_uncovered(question)}"
            f"A release at {equals('ε', privacy.epsilon)}, {why}, would give: "
            f"{guarantees.sentence(privacy, found, terms=question.terms(answer), colluding=colluding)}"
        )
        return Guarantee(sentence, privacy, colluding, found, unit)

    def unprotected(self, picture: Outcome) -> tuple[Unprotected, ...]:
        question, found = picture.question, []
        if question.problem is not None:
            search = "the search itself: every probe is compared with the answer without noise, whose figures are shown"
            found.append(Unprotected("answer", search))
        if question.uncovered:
            found.append(Unprotected("ranges", f"{question.uncovered}, computed from the records"))
        return (*found, *(self.own_table.unprotected() if question.own else ()))

    def releases(self, picture: Outcome) -> list[Drawn]:
        return [_cost(picture.question, step) for step in picture.fresh]

    def table(self) -> pd.DataFrame:
        answers = self.picture.answers.values() if self.picture is not None else ()
        return pd.DataFrame([plan_script.row(a) for a in answers], columns=plan_script.COLUMNS)

    def script(self) -> str:
        question = self.plan or self.compute()
        return plan_script.script(question, self.own_table.chosen)

    def report(self) -> str:
        """The plan as one HTML file."""
        picture = self.picture or Outcome(self.compute(), {})
        promise = self.promise(picture)
        return reports.report(
            reports.Parts(
                question=picture.question,
                answers=picture.answers,
                words=self.words(picture),
                guarantee=replace(promise, not_private=()),
                colluding=self.controls.colluding,
                settings=self._settings(),
                not_private=promise.not_private,
                own=self.own_table.chosen,
                script=seeds.without_seed(self.script(), self.controls.noise_seed),
                sites=self._site_names(),
                version=lab_version(),
                figure=self.details.answers,
            )
        )

    def plan_file(self) -> str:
        """The plan as JSON, for sites that run as separate programs (`core.parties`)."""
        question, answers = self.picture.question, self.picture.answers
        scheme = text.best(question, answers)
        answer = answers[scheme]
        sizes = joining.sizes_of(question, answer, question.sites(answer))
        return party_plan.plan(question, scheme, answer, sizes, self._site_names()).text()

    def _site_names(self):
        return () if self.model.table is None else self.model.table.site_names

    def _law(self):
        """How the sites of this page would release."""
        question = self.plan or self.compute()
        sites = dict(question.here)["sites"]
        terms = tuple(question.settings.terms(sites).items())
        return Law(sites, min(self.controls.colluding, sites - 1), terms)

    def answer_line(self):
        """The release that this plan's answer stands for."""
        picture = self.picture
        scheme = None if picture is None else text.best(picture.question, picture.answers)
        if scheme is None:
            return None
        question = picture.question
        epsilon = f"{question.epsilon(picture.answers[scheme]):.6g}"
        return Line(
            question.title[:60],
            KINDS[question.kind].title,
            scheme,
            epsilon,
            f"{question.settings.delta:g}",
            "1",
        )

    def settings_words(self) -> dict[str, str]:
        """The settings as words; the releases of a year are a table of their own."""
        found = super().settings_words()
        return {name: words for name, words in found.items() if name != self.model.param.year.label}

    def _settings(self):
        """All settings in words; with an own table, not which built-in records it replaces."""
        replaced = ("data", "own_records") if self.own_table.chosen is not None else ("own_records",)
        labels = {self.model.param[name].label for name in replaced}
        return {name: value for name, value in self.settings_words().items() if name not in labels}

    def figures(self) -> tuple:
        self.content()
        return self.details.all

    def exhibits(self) -> tuple:
        return (*self.figures(), self.answers.pane)

    def _suited(self, table):
        changes = self.model.suited_response(table)
        if self.controls.k >= len(table.columns):
            changes["k"] = max(1, len(table.columns) // 2)
        return changes | (
            {"free": "epsilon"} if table.sizes and self.model.free in ("samples", "sites") else {}
        )

    def clear(self) -> None:
        super().clear()
        self._key = self._searches = None
        if self._body is not None:
            self.answers.forget()


def _uncovered(question):
    if not question.uncovered:
        return ""
    return (
        f"Not covered: {question.uncovered}, computed from the records. The following treats them as public. "
    )


def _cost(question, step):
    """Privacy cost of the runs of a step, for the ledger."""
    here = dict(step.first.settings)
    title = question.title
    return ledger_costs.under_scheme(
        step.first.scheme,
        Privacy(here["epsilon"], here["delta"]),
        identity=(step.first, step.runs),
        data=ledger_costs.seeded(title, step.first) if question.synthetic else title,
        settings=ledger_costs.job_words(step.first.settings),
        sites=here["sites"],
        calibration="exact",
        draws=step.runs,
        terms=guarantees.terms_of(here),
    )
