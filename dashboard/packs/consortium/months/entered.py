"""The series of the page as an entry of the session's ledger, as if it were carried out, and the buttons that enter it.

In how many months a person is is for its user to confirm. Until then a person in all months counts, whatever the noise was
made for.
"""

from __future__ import annotations

import math
from typing import Any

from core import series
from dashboard.components.buttons import Buttons
from dashboard.components.layout import ButtonLine, LiveText
from dashboard.guarantee.ledger_costs import counted_on, entered_words, settings_words
from dashboard.packs.consortium.months.model import Plan
from dashboard.sheet.spec import Live
from dashboard.state.html_text import status
from dashboard.state.ledger import Drawn
from dashboard.theme import css

DATA = "A consortium's series"


def entry(plan: Plan, strategy: series.Strategy, *, said: bool) -> Drawn:
    """What the whole series costs one person; if nothing was `said`, one who is in all months."""
    noise = plan.series(strategy)
    months, planned = noise.strategy.months, plan.question.person
    person = planned if said else series.Participation(months, months)
    moved = person.sensitivity(noise.strategy.matrix.T @ noise.strategy.matrix) ** 2
    public = moved / (noise.own * noise.hiding_in_averages(0, noise.dropouts))
    seen = moved / (noise.own * noise.hiding(0, noise.dropouts)) + person.times / noise.fresh
    return Drawn(
        identity=(
            plan.question,
            plan.chosen,
            plan.scheme,
            plan.privacy,
            plan.sites,
            plan.colluding,
            plan.dropouts,
            plan.seed,
        ),
        data=DATA,
        method=noise.scheme,
        settings=settings_words(plan.privacy.epsilon, plan.privacy.delta, plan.sites),
        public=math.sqrt(public),
        aggregator=math.sqrt(seen),
        curator=noise.scheme == "pooled",
        releases=months,
        assumed=counted_on(DATA, person.times, months),
    )


class Entering(Live):
    """Two buttons: that a person is in few months, which the user stands for, and that the series enters the ledger.

    Attributes
    ----------
    confirm : Button
        Visible while a person is in few months and nobody has stood for it.
    count : Button
        Enters the series; disabled as long as what stands is not of the settings that are set.
    said : LiveText
        What was entered, until the series is another one.
    """

    def __init__(self, page: Any):
        self._page, self._stood = page, None
        self._entered: Drawn | None = None
        self.said = LiveText(css.FINE)
        row = Buttons()
        self.confirm = row.add("", "check", act=self.stand)
        self.count = row.add("Enter this series in the ledger", "receipt_long", act=self.enter, disabled=True)
        self.view = ButtonLine(row, said=self.said, below=8)

    def show(self, plan: Plan) -> None:
        """Who confirms another number confirms it anew; refused settings have nothing to confirm or to enter."""
        person = plan.question.person
        label = f"I confirm: nobody is in more than {person.times} of these {person.months} months, at all sites together"
        asked, now = person.times < person.months and self._stood != person, self._series()
        self.confirm.update(label=label, visible=asked, disabled=bool(self._page.problem))
        self.count.disabled = now is None
        known = now is not None and now == self._entered
        self.said.show(status(entered_words([now], plan.privacy.delta)) if known else "")

    def stand(self) -> None:
        """The user stands for it."""
        self._stood = self._page.plan.question.person
        self.show(self._page.plan)

    def enter(self) -> None:
        """Count the series of the moment, once its strategy is known."""
        if (found := self._series()) is not None:
            self._page.record_releases([found])
            self._entered = found
            self.show(self._page.plan)

    def _series(self):
        """The series of the settings that are set; None if they were refused, and until its strategy is known."""
        plan, results = self._page.plan, self._page.results
        if self._page.problem or plan is None or results is None:
            return None
        if (known := results.get(plan.key)) is None:
            return None
        return entry(plan, known.strategies[plan.chosen], said=self._stood == plan.question.person)
