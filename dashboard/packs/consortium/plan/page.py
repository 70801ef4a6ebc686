"""Plan: the least ε, number of sites or of records that meets a target, and the risk for one record."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import panel as pn

from core.schemes import named
from dashboard.components.buttons import Buttons
from dashboard.components.fold import opener
from dashboard.components.layout import ButtonLine, text_download
from dashboard.guarantee.guarantee import Unprotected, of_rows
from dashboard.guarantee.ledger_costs import entered_words
from dashboard.own_table.picker import records
from dashboard.packs.consortium.plan import party_plan
from dashboard.packs.consortium.plan import script as plan_script
from dashboard.packs.consortium.plan.examples import EXAMPLES
from dashboard.packs.consortium.plan.mathematics import MATHEMATICS
from dashboard.packs.consortium.plan.metrics import KINDS, OWN
from dashboard.packs.consortium.plan.model import PlanModel, PrivateSchemes
from dashboard.packs.consortium.plan.question import Question, exact, terms_of
from dashboard.packs.consortium.plan.question_bar import question_bar
from dashboard.packs.consortium.plan.receipt.panel import ReceiptPanel
from dashboard.packs.consortium.plan.report import printed
from dashboard.packs.consortium.plan.report.parts import Parts
from dashboard.packs.consortium.plan.searches import Outcome, Searches
from dashboard.packs.consortium.plan.view import view
from dashboard.packs.consortium.plan.words import joining, promise, silent, text
from dashboard.packs.consortium.plan.year import entered
from dashboard.packs.consortium.plan.year.answer import every_month, followed, held
from dashboard.packs.consortium.plan.year.panel import YearPanel
from dashboard.packs.consortium.plan.year.releases import Law, Line, Year
from dashboard.page.own_table import OwnTable
from dashboard.page.played import Reached
from dashboard.sheet.open_page import OpenPage
from dashboard.sheet.page import Page
from dashboard.sheet.spec import Live, Sheet
from dashboard.sheet.spec import View as Shown
from dashboard.sheet.work import Calls
from dashboard.shell.actions import lab_version
from dashboard.shell.first_picture import panel
from dashboard.state.ledger import Drawn
from dashboard.state.number_text import equals
from dashboard.theme.assets import beside
from dashboard.theme.scheme_style import label, planned_order

_SAVE = "Save a plan for the sites"
_SMALL = 1  # An ε, for the sentence after a play.


class _Files(Live):
    """Buttons that save the report and the plan for the sites, and two that open the releases of a year and a receipt."""

    def __init__(self, page: PlanPage):
        self._page, row = page, Buttons()
        save = text_download("Save a report to print", printed.NAME, page.report)
        self._file = text_download(_SAVE, party_plan.NAME, page.plan_file)
        opener(row, "The releases of a year", page.year_panel.layout, before=page.year_panel.build)
        receipt = ReceiptPanel()
        opener(row, "Open a receipt", receipt.layout, before=receipt.build)
        unfolds = [page.year_panel.layout, receipt.layout]
        self.view = ButtonLine(row, save, self._file, unfolds=unfolds, above=8, below=4)

    def show(self, question: Question) -> None:
        """A plan file is of an answer that the programs of the sites can release."""
        found = self._page.results
        planned = found is not None and text.best(found.question, found.answers) is not None
        self._file.visible = planned and party_plan.available(question) and not self._page.state.problem
        self._page.follow_answer()
        self._file.label = f"{_SAVE}{self._page.held_short()}"
        self._page.year_panel.refresh()


def reached(question: Question, found: Outcome) -> Reached | None:
    """Which schemes a small ε was enough for."""
    if question.problem is not None or question.free != "epsilon" or not found.answers:
        return None
    needed = {s: question.epsilon(answer) for s, answer in found.answers.items()}
    who = {
        label(s): needed[s] is not None and needed[s] <= _SMALL
        for s in planned_order()
        if s in needed and not named(s).curator
    }
    what, short = f"{equals('ε', _SMALL)} or less was enough:", f"ε\u00a0≤\u00a0{_SMALL} enough"
    return Reached(what, who, symbol="error", sign=" ", short=short)


class Asking:
    """What the page asks, and its user's own table."""

    def __init__(self, page: Any):
        self._page = page
        page.own_table = OwnTable(page, suited=page.model.suited)

    def bar(self) -> pn.viewable.Viewable:
        """The choices of the question."""
        return question_bar(self._page.model, self._page.own_table)

    @property
    def still(self) -> str:
        """The same in the first answer."""
        model, kind = self._page.model, KINDS[self._page.model.problem]
        columns = [name for name in ("column", "category", "also") if name not in model.unused_columns()]
        shown = [["problem"], columns, ["metric"] * (len(kind.metrics) > 1)]
        shown.append(["data"] * (model.problem not in OWN and len(kind.records) > 1))
        menus = "".join(panel(self._page, names) for names in shown if names)
        asked = f"<div class='asked'>{panel(self._page, ['free'])}</div><div>{menus}</div>"
        return asked + (records(panel(self._page, ["data"])) if model.problem in OWN else "")


PLAN = Sheet(
    name="plan",
    model=PlanModel,
    view=view,
    places={"answer": 6, "files": 0, "search": 6, "record": 6},
    charts=("search",),
    live={"files": _Files},
    shared=(
        *("epsilon", "delta", "sites", "samples", "k", "schemes"),
        *("adversary", "colluding", "dropouts", "data_seed", "noise_seed"),
    ),
    hidden=(
        *("noise_seed", "free", "problem", "data", "metric", "own_records", "year"),
        *("column", "category", "also"),
    ),
    sliders=("level", "risk", "epsilon", "delta", "sites", "samples"),
    # Ten hospitals with a hundred patients each: every scheme meets the target, at an ε that is known at once.
    opens={"sites": 10, "samples": 100, "k": 8},
    presets=EXAMPLES,
    code=(
        *("core.sweep.search.search", "core.privacy.attack_risk.mu_of_advantage"),
        *("core.pca.fit_about_mean", "core.functional.gains", "core.privacy.release_plan.ReleasePlan"),
    ),
    equation=MATHEMATICS,
    absent=lambda question: question.absent,
    most=lambda question: question.most_samples,
    # Errors of an average, values of the slider on both sides of those from which on ε = 1 is enough: the marks of the
    # play are read as thresholds. It begins where CAPE reaches the target, and the schemes without a curator do not.
    play={"over": [0.005, 0.008, 0.015, 0.025, 0.05, 0.08], "begins": 0.31},
    reached=reached,
    work=Calls(cost=promise.cost),
    script=plan_script.script,
    above=Asking,
    sheet=beside(__file__, "answer.css"),
)


class PlanPage(OpenPage):
    """One answer per scheme with its interval, streamed during the search, and the risk for one record."""

    results: Outcome | None

    def __init__(self, spec, facts, controls):
        super().__init__(spec, facts, controls)
        self._searches: Searches | None = None
        self._private = PrivateSchemes(controls)
        self.year = Year(self.model, self._law)
        self.year_panel = YearPanel(
            self.year,
            self.answer_line,
            offer=self.every_month,
            entries=self.year_entries,
            enter=self.enter_year,
        )
        self._last: Line | None = None  # The latest answer, as a release of the year.

    def source(self, name):
        return self._private if name == "schemes" else super().source(name)

    def begin(self, plan: Question) -> Searches | list:
        super().begin(plan)
        if plan.problem is None:
            self.results = Outcome(plan, {s: exact(plan, s) for s in plan.schemes})
            self._searches = None
            return []
        if self._searches is None or self._searches.question.key != plan.key:
            self.results, self._searches = Outcome(plan), Searches(plan)
        else:
            self.results = replace(self.results, question=plan)
        if self.sharing is not None:
            self.keep(plan, self.sharing.ahead(self._searches))
        return self._searches

    def keep(self, plan: Question, results: list) -> None:
        steps = (found[1] for _, found in results if isinstance(found, tuple))
        self.record_releases(promise.cost(plan, step) for step in steps)
        self.results = self.results.after([found for _, found in results])

    def paint(self, results: list) -> None:
        self.keep(self.plan, results)
        self.paint_view()

    def current_results(self) -> Outcome:
        return self.results or Outcome(self.plan)

    def current_view(self) -> Shown:
        found = super().current_view()
        words = (one.words for one in self.unprotected(self.plan))
        guarantee = replace(found.guarantee, not_private=tuple(words))
        return replace(found, guarantee=of_rows(guarantee, self.model.table))

    def unprotected(self, picture: Question) -> tuple[Unprotected, ...]:
        own = self.own_table.unprotected() if picture.own else ()
        return (*promise.unprotected(picture), *own)

    def report(self) -> str:
        """The plan as one HTML file."""
        return printed.report(self.report_parts())

    def report_parts(self) -> Parts:
        """What the report is made of."""
        if self.plan is None:
            self.plan = self.compute()
        outcome, shown = self.current_results(), self.current_view()
        return Parts(
            question=outcome.question,
            answers=outcome.answers,
            words=shown.words,
            guarantee=shown.guarantee,
            colluding=self.controls.colluding,
            settings=self._settings(),
            not_private=shown.guarantee.not_private,
            own=self.own_table.chosen,
            script=self.program(),
            sites=outcome.question.names,
            version=lab_version(),
            year=self.year.planned(),
        )

    def plan_file(self) -> str:
        """The plan as JSON, for sites that run as separate programs (`core.parties`)."""
        question, answers = self.results.question, self.results.answers
        scheme = text.best(question, answers)
        answer = answers[scheme]
        sizes = joining.sizes_of(question, answer, question.sites(answer))
        note = text.one_epsilon(question, answers, self.controls.colluding)
        line = self.answer_line()
        holds = f"This file holds {held(self.year, line)}."
        said = silent.fallback(question, scheme, answer), silent.desk(question, scheme, answer)
        note = " ".join(filter(None, (holds, note, *said)))
        series = self.year.series(line)
        return party_plan.plan(question, scheme, answer, sizes, question.names, note, series).text()

    def _law(self):
        """How the sites of this page would release."""
        question, answers = self.plan or self.compute(), self.results.answers if self.results else {}
        scheme, sites = text.best(question, answers), dict(question.here)["sites"]
        if scheme is not None:  # Where sites are sought, as many as the answer has.
            sites = question.sites(answers[scheme])
        terms = partial(terms_of, question.settings, sites=sites)
        return Law(sites, min(self.controls.colluding, sites - 1), terms, question.per_person)

    def year_entries(self) -> list[Drawn]:
        """The planned releases of a year as entries of the ledger; none if they or the page's settings are refused."""
        if self.state.problem:
            return []
        question = self.plan or self.compute()
        return entered.entries(self.year, question.title)

    def enter_year(self) -> str:
        """Count the planned releases of a year in the ledger, as if they were carried out; says so, in plain text."""
        found = self.year_entries()
        self.record_releases(found)
        return entered_words(found, self.controls.delta) if found else ""

    def answer_line(self):
        """The release that this plan's answer stands for."""
        found = self.results
        scheme = None if found is None else text.best(found.question, found.answers)
        if scheme is None:
            return None
        question = found.question
        numbers = text.promised(question, found.answers[scheme]), question.settings.delta
        return Line(question.title[:60], KINDS[question.kind].title, scheme, *map(repr, numbers), "1")

    def follow_answer(self) -> None:
        """The answer may be another one: lines of the year that repeated it follow."""
        before, now = self._last, self.answer_line()
        if now is None or now == before:
            return
        self._last, lines = now, self.year.draft.lines
        if before is not None and (moved := followed(lines, before, now)) != lines:
            self.year.edit(lines=moved)

    def held_short(self) -> str:
        """How many releases the file for the sites holds, where releases of a year are planned."""
        if not self.year.draft.lines:
            return ""
        terms = self.year.series(self.answer_line())
        return " (one release)" if terms is None else f" ({terms.months} releases)"

    def every_month(self) -> str:
        """An offer of the page *Every month* for a series of the answer, as HTML; "" while there is none."""
        found, line = self.results, self.answer_line()
        if found is None or line is None:
            return ""
        return every_month(found.question, found.answers[line.scheme], self.year, line)

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

    def forget(self) -> None:
        self._searches = None
        super().forget()


PAGE = Page.of(PLAN, PlanPage)
