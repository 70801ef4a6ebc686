"""What stands below the answer of the Plan page: the risk of the release that is planned, for one record."""

from __future__ import annotations

from dashboard.components.layout import LiveText
from dashboard.pages.decide.plan import joining, text
from dashboard.pages.decide.plan.figures import PlanFigures
from dashboard.pages.decide.plan.searches import Outcome
from dashboard.theme import css
from dashboard.theme.assets import beside

_TABLES = beside(__file__, "tables.css")


class Risk:
    """The risk as a paragraph, a curve of the page's figures, tables, and a list of what limits a plan.

    Parameters
    ----------
    details : PlanFigures
        The figures, one of which is the curve.

    Attributes
    ----------
    words, table, cautions : LiveText
    """

    def __init__(self, details: PlanFigures):
        self._details = details
        self.words, self.table = LiveText(css.FINE, margin=(12, 0, 4, 0)), LiveText(css.FINE + _TABLES)
        self.cautions = LiveText(css.FINE)

    def show(self, picture: Outcome, colluding: int, names: tuple[str, ...]) -> None:
        """Show it for an aggregator with so many colluding sites; `names` are those of a table's sites."""
        question, answers = picture.question, picture.answers
        scheme = text.best(question, answers)
        answer = answers.get(scheme)
        seen = None if answer is None else text.mus(question, text.at_promise(question, answer), colluding)
        self._details.draw_risk(scheme, seen, "" if answer is None else text.epsilon_text(question, answer))
        searching = not answers or text.searching(question, answers)
        self.words.show("" if searching else text.risk_words(question, scheme, answer, colluding))
        together = joining.table(question, scheme, answer, colluding, names)
        risks = "" if searching else text.risk_table(question, answers, colluding)
        self.table.show(risks + together)
        self.cautions.show("" if text.nothing_known(answers) else text.cautions(question, answers))

    def conceal(self) -> None:
        """Take away what the answer before said of a release: the new one is not decided."""
        for part in (self.words, self.table, self.cautions):
            part.show("")
        self._details.draw_risk(None, None, "")
