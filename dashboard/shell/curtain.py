"""The one curtain of the lecture: a question over a slide, until somebody chooses an answer."""

from __future__ import annotations

import html

from dashboard.compat.widgets.light_component import Stack
from dashboard.components.layout import FULL
from dashboard.components.live_picture import LivePicture
from dashboard.page.lesson import Question
from dashboard.theme.assets import beside

SHEET = beside(__file__, "curtain.css")
# Nothing of what is covered is seen, pressed or read aloud; it keeps its place.
_COVERED = ":host(.covered) { opacity: 0; visibility: hidden; pointer-events: none }"


class Curtain:
    """A question, and the page that it covers until one of its choices is pressed.

    Attributes
    ----------
    card : LivePicture
        The question, then the verdict.
    stage : Stack
        Holds the page in front.
    """

    def __init__(self) -> None:
        self.stage = Stack(stylesheets=[_COVERED], **FULL)
        self.card = LivePicture(sheet=SHEET, chosen=self._choose, visible=False)
        self._question: Question | None = None

    @property
    def covers(self) -> bool:
        """Whether the page is covered."""
        return "covered" in self.stage.css_classes

    def ask(self, question: Question | None) -> None:
        """Cover the page with a question; None lifts the curtain."""
        self._question = question
        self._show(None)

    def _choose(self, name, number):
        if name == "choice" and self.covers and number < len(self._question.choices):
            self._show(number)

    def _show(self, chosen):
        asked = self._question
        self.stage.css_classes = ["covered"] if asked is not None and chosen is None else []
        self.card.param.update(
            picture="" if asked is None else markup(asked, chosen), visible=asked is not None
        )


def markup(asked: Question, chosen: int | None = None) -> str:
    """The question with its choices to press, or with the verdict on the one that was `chosen`; as HTML."""
    names = [html.escape(name) for name in asked.choices]
    if chosen is None:
        parts = [
            f"<button type='button' data-press='choice' data-number='{i}'>{name}</button>"
            for i, name in enumerate(names)
        ]
    else:
        said = "Right" if chosen == asked.right else f"You said {names[chosen]}"
        parts = [f"<span role='status'>{said}; it is <b class='right'>{names[asked.right]}</b></span>"]
    return f"<p>{html.escape(asked.text)} {''.join(parts)}</p>"
