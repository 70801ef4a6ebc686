"""Plan: the least ε, number of sites or of records that meets a target, and the risk for one record."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import ClassVar

import pandas as pd
import panel as pn

from core.schemes import named
from dashboard.compat.widgets.light_component import Stack
from dashboard.components.buttons import Buttons
from dashboard.components.fold import opener
from dashboard.components.layout import FULL, text_download
from dashboard.page.base import Page
from dashboard.page.guarantee import Guarantee, Unprotected
from dashboard.page.own_table import OwnTable
from dashboard.page.played import Reached
from dashboard.pages.decide.plan import joining, party_plan, promise, text
from dashboard.pages.decide.plan import script as plan_script
from dashboard.pages.decide.plan.answer import AnswerPicture, holds
from dashboard.pages.decide.plan.examples import EXAMPLES
from dashboard.pages.decide.plan.figures import PlanFigures
from dashboard.pages.decide.plan.mathematics import MATHEMATICS
from dashboard.pages.decide.plan.metrics import KINDS
from dashboard.pages.decide.plan.model import PlanModel, PrivateSchemes
from dashboard.pages.decide.plan.question import Question, exact
from dashboard.pages.decide.plan.question_bar import free_switch, question_bar
from dashboard.pages.decide.plan.reference import Reference
from dashboard.pages.decide.plan.report import printed
from dashboard.pages.decide.plan.report.parts import Parts
from dashboard.pages.decide.plan.risk import Risk
from dashboard.pages.decide.plan.searches import Outcome, Searches
from dashboard.pages.decide.plan.year.panel import YearPanel
from dashboard.pages.decide.plan.year.releases import Law, Line, Year
from dashboard.shell.actions import lab_version
from dashboard.state.html_text import rest
from dashboard.state.ledger import Drawn
from dashboard.state.number_text import equals
from dashboard.theme.scheme_style import label, planned_order

# On a phone, too, the answer stands below the slider.
_BELOW = "@media (max-width: 899px) { :host { order: 1 } }"
_SMALL = 1  # An ε, for the sentence after a play.


class PlanPage(Page):
    """One answer per scheme with its interval, streamed during the search, and the risk for one record."""

    name = "plan"
    model_type = PlanModel
    live = False
    run_settings: ClassVar = {"unit": "step", "units": "steps"}
    shared = (
        *("epsilon", "delta", "sites", "samples", "k", "schemes"),
        *("adversary", "colluding", "dropouts", "data_seed", "noise_seed"),
    )
    hidden = (
        "noise_seed",
        "free",
        "level",
        "risk",
        "problem",
        "data",
        "metric",
        "own_records",
        "year",
        "column",
        "category",
        "also",
    )
    primary, follows = "level", True
    # Errors of an average, values of the slider on both sides of those from which on ε = 1 is enough: the marks of the
    # play are read as thresholds.
    plays_over = (0.005, 0.008, 0.015, 0.025, 0.05, 0.08)
    plays_from = 0.31  # An error at which CAPE reaches the target of an average, and the schemes without a curator do not.
    first = ("sites", "samples", "epsilon")
    first_figure = False  # The chart belongs to a search.
    # Ten hospitals with a hundred patients each: every scheme meets the target, at an ε that is known at once.
    opens: ClassVar = {"sites": 10, "samples": 100, "k": 8}
    presets = EXAMPLES
    code = (
        *("core.sweep.search.search", "core.privacy.attack_risk.mu_of_advantage"),
        *("core.pca.fit_about_mean", "core.functional.gains", "core.privacy.release_plan.ReleasePlan"),
    )
    equation = MATHEMATICS

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
        self.risk = Risk(self.details)
        self._file = text_download("Save a plan for the sites", party_plan.NAME, self.plan_file)
        switch = free_switch(self.model)
        self.said.param.watch(lambda event: setattr(switch, "visible", event.new is None), "step")
        # It is of the present question at all times, and does not pale as a picture of another one would.
        styles = {"--picture": "var(--asked, 1)"}
        return Stack(self.answers.pane, switch, stylesheets=[_BELOW], styles=styles, **FULL)

    def still(self) -> str:
        return "" if self.own_table.chosen is not None else self.answers.still()

    def above_settings(self):
        return question_bar(self.model, self.own_table)

    def before(self):
        return self.own_table.place

    def above_slider(self):
        self.content()
        return self.answers.asked

    def more(self):
        self.content()
        save = text_download("Save a report to print", printed.NAME, self.report)
        details, risk, year = self.details, self.risk, self.year_panel
        parts = risk.words.pane, details.more, risk.table.pane, risk.cautions.pane
        about = Stack(*parts, visible=False, **FULL)
        row = Buttons()
        opener(row, "What it means for one record", about)
        opener(row, "The releases of a year", year.layout, before=year.build)
        line = pn.FlexBox(row, save, self._file, gap="4px", align_items="center", margin=(8, 0, 4, 0))
        return pn.Column(details.main, line, about, year.layout, **FULL)

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
            # An average is answered at once: under Play no bar may empty first.
            if question.problem is not None:
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
        self.risk.conceal()
        self._file.visible = False
        if self.picture is not None:
            self.said.guarantee = self.promise(Outcome(question, {}))

    def paint(self, results: list) -> None:
        picture = self.picture
        if picture is None or picture.question.key != self._key:
            picture = Outcome(self.plan, {})
        steps = tuple(found[1] for found in results if isinstance(found, tuple))
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
        self.risk.show(picture, self.controls.colluding, self._site_names())
        question = picture.question
        planned = text.best(question, picture.answers) is not None
        self._file.visible = planned and party_plan.available(question)

    def words(self, picture: Outcome) -> str:
        question, answers = picture.question, picture.answers
        found = text.words(question, answers, picture.plain, picture.reference)
        return rest(holds(question, answers, self.controls.colluding)) + found

    def reached(self, picture: Outcome) -> Reached | None:
        question = picture.question
        if question.problem is not None or question.free != "epsilon" or not picture.answers:
            return None
        needed = {s: question.epsilon(answer) for s, answer in picture.answers.items()}
        who = {
            label(s): needed[s] is not None and needed[s] <= _SMALL
            for s in planned_order()
            if s in needed and not named(s).curator
        }
        what, short = f"{equals('ε', _SMALL)} or less was enough:", f"ε\u00a0≤\u00a0{_SMALL} enough"
        return Reached(what, who, symbol="error", sign=" ", short=short)

    def guarantee(self, picture: Outcome) -> Guarantee:
        return promise.guarantee(picture)

    def unprotected(self, picture: Outcome) -> tuple[Unprotected, ...]:
        found = promise.unprotected(picture.question)
        own = self.own_table.unprotected() if picture.question.own else ()
        return (*found, *own)

    def releases(self, picture: Outcome) -> list[Drawn]:
        return [promise.cost(picture.question, step) for step in picture.fresh]

    def table(self) -> pd.DataFrame:
        answers = self.picture.answers.values() if self.picture is not None else ()
        return pd.DataFrame([plan_script.row(a) for a in answers], columns=plan_script.COLUMNS)

    def script(self) -> str:
        question = self.plan or self.compute()
        return plan_script.script(question, self.own_table.chosen)

    def report(self) -> str:
        """The plan as one HTML file."""
        return printed.report(self.report_parts())

    def report_parts(self) -> Parts:
        """What the report is made of."""
        picture = self.picture or Outcome(self.compute(), {})
        promise = self.promise(picture)
        return Parts(
            question=picture.question,
            answers=picture.answers,
            words=self.words(picture),
            guarantee=promise,
            colluding=self.controls.colluding,
            settings=self._settings(),
            not_private=promise.not_private,
            own=self.own_table.chosen,
            script=self.program(),
            sites=self._site_names(),
            version=lab_version(),
            year=self.year.planned(),
        )

    def plan_file(self) -> str:
        """The plan as JSON, for sites that run as separate programs (`core.parties`)."""
        question, answers = self.picture.question, self.picture.answers
        scheme = text.best(question, answers)
        answer = answers[scheme]
        sizes = joining.sizes_of(question, answer, question.sites(answer))
        note = text.one_epsilon(question, answers, self.controls.colluding)
        return party_plan.plan(question, scheme, answer, sizes, self._site_names(), note).text()

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
        numbers = text.promised(question, picture.answers[scheme]), question.settings.delta
        return Line(question.title[:60], KINDS[question.kind].title, scheme, *map(repr, numbers), "1")

    def settings_words(self) -> dict[str, str]:
        """The settings as words; the releases of a year are a table of their own."""
        found = super().settings_words()
        return {name: words for name, words in found.items() if name != self.model.param.year.label}

    def _settings(self):
        """All settings in words; with an own table, not which built-in records it replaces."""
        replaced = ("data", "own_records") if self.own_table.chosen is not None else ("own_records",)
        labels = {self.model.param[name].label for name in replaced}
        found = self.settings_words()
        return {name: value for name, value in found.items() if name not in labels and value != "off"}

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
            self.risk.conceal()
            self._file.visible = False
