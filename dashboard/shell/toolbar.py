"""The toolbar above a picture: pin its curves, hide the answer until a class has guessed it, follow the runs."""

from __future__ import annotations

import panel as pn

from dashboard.compat.widgets.light_component import Stack
from dashboard.components.buttons import Buttons
from dashboard.components.guess_card import GuessCard
from dashboard.components.layout import FULL, LiveText
from dashboard.components.progress import progress
from dashboard.page.base import Page
from dashboard.page.lesson import Overlay
from dashboard.plotting.guess import GuessMark, Question, verdict
from dashboard.theme import css
from dashboard.theme.assets import beside

# Buttons, and the progress of the runs at the right end.
_ROW = css.SCREEN + beside(__file__, "toolbar.css")
_NOTHING = "There is nothing to pin yet: no point of these settings has been computed."
_NOT_LINKED = (
    "Pinned. A link to this page does not hold pinned curves, since they took runs; a settings file does."
)


class FigureToolbar:
    """The toolbar of a page's picture.

    While the answer is hidden, a card with a question stands in the place of the picture. Everything that tells the
    answer is taken out of the page's document: a browser has nothing of it.

    Attributes
    ----------
    buttons : Buttons
        Its buttons.
    view : viewable or None
        The toolbar; None if it has no action.
    floats : bool
        Whether it lies at the right end of the slider's label, which follows it, on a wide screen.
    told : LiveText
        What its buttons said, to stand below it.
    card : GuessCard or None
        The question, once it was asked.
    hidden : bool
        Whether the answer is hidden.
    """

    def __init__(self, page: Page):
        page.content()
        self._page = page
        self.told = LiveText(css.FINE + css.SCREEN)
        self.buttons = Buttons(gap="4px 8px")
        self.card: GuessCard | None = None
        self.hidden = False
        self._stage: pn.viewable.Viewable | None = None
        self._telling: tuple = ()
        self._whole: list = []
        self._asked: Question | None = None  # Of the guess that was made.
        self._guess: float | None = None
        if page.pins is not None:
            _pin_buttons(page, self.buttons, self._say)
        if page.guessable:
            figures = page.figures() if page.first_figure else ()
            # The guess about a sweep is a height of its curve, wherever that stands.
            figures = figures if page.sweep is None else (page.sweep.curve.figure,)
            self.mark = GuessMark(figures[0]) if figures else None
            self._guess_button()
        for tool in page.tools():
            self.buttons.add(tool.label, tool.icon, act=self._opening(tool))
        self.told.pane.object.css_classes = ["said"]
        runs = [] if page.runs is None else [progress(page.runs)]
        self.floats = page.primary is not None and bool(page.beside)
        self._row = Stack(
            *(self.buttons, *runs),
            css_classes=["tools", *(["floating"] if self.floats else [])],
            stylesheets=[_ROW],
            **FULL,
        )
        self.view = self._row if self.buttons.buttons or runs else None

    def conceals(self, stage: Stack, *parts: pn.viewable.Viewable | None) -> None:
        """With the answer, take the picture and these parts out of `stage`, since they would tell it.

        Parts outside of the stage, which name no number, are hidden.
        """
        self._stage, self._telling = stage, tuple(part for part in parts if part is not None)

    @property
    def said(self) -> str:
        """The message below the buttons, as HTML; "" for none."""
        return self.told.text

    def hide(self) -> None:
        """Put the question in the place of the picture."""
        question = self._page.question()
        if self.hidden or self._stage is None:
            return
        if question is None:
            self._say("There is nothing to guess: no private method is shown.")
            return
        self._forget()
        if self.card is None:
            self.card = GuessCard()
        self._ask(question)
        content = self._page.content()
        self._whole = list(self._stage.objects)
        self._beside(visible=False)
        kept = (part for part in self._whole if not any(part is one for one in self._telling))
        self._stage.objects = [self.card if part is content else part for part in kept]
        self.hidden = True
        self._follow()

    def reveal(self) -> None:
        """Show everything again, with the verdict on the guess."""
        if not self.hidden:
            return
        self.hidden = False
        self._stage.objects = self._whole
        self._beside(visible=True)
        if self._page.pins:
            self._page.pins.follow(self._page.settings_words())
        question = self._page.question()
        if question is not None and question.shows:
            self._page.set(question.shows)
        self._page.revealed()
        if self.card.place is not None and question is not None:
            self._asked, self._guess = question, question.stops()[self.card.place]
            if self.mark is not None and question.at is not None:
                self.mark.put(question.at, self._guess)
        self._follow()

    def _opening(self, tool):
        """Opens what belongs to a button; it is built, and becomes part of the page, when it is first opened."""
        opened: list[Overlay] = []

        def act():
            if not opened:
                opened.append(tool.make())
            opened[0].open()
            if opened[0].layout not in self._row:
                self._row.append(opened[0].layout)

        return act

    def _beside(self, *, visible):
        """Show or hide what tells the answer outside of the stage."""
        for part in self._telling:
            if not any(part is one for one in self._whole):
                part.visible = visible

    def _ask(self, question):
        self._asked = question
        self.card.ask(question.text, [question.text_of(stop) for stop in question.stops()])

    def _guess_button(self):
        self._switch = self.buttons.add("", act=lambda: self.reveal() if self.hidden else self.hide())
        page = self._page
        page.said.param.watch(self._follow, ["words", "asking"])
        question = page.question()
        free = {"noise_seed", *(question.free if question else ())}
        for source, names in ((page.controls, page.shared), (page.model, page.own)):
            if watched := [name for name in names if name not in free]:
                source.param.watch(self._changed, watched)
        self._follow()

    def _changed(self, *events):
        """Other settings: another question, and a guess that was made for the old ones is forgotten."""
        if not self.hidden and self._guess is not None:
            self._forget()
            self._say("")
        elif self.hidden and (question := self._page.question()) is not None and question != self._asked:
            self._ask(question)

    def _forget(self):
        self._guess = None
        if self.mark is not None:
            self.mark.clear()

    def _follow(self, *events):
        self._switch.update(
            label="Reveal" if self.hidden else "Guess first",
            icon="visibility" if self.hidden else "help_outline",
            look="contained" if self.hidden else "text",
            # A page that asks needs no second question; before a play, the class may guess with a number.
            visible=self.hidden or self._page.live or not self._page.asking,
        )
        if self.hidden:
            self._say("The picture, its text and its files are hidden.")
        elif self._guess is not None:
            self._say(verdict(self._asked, self._guess, self._page.answer()))
        else:
            self._say("")

    def _say(self, text):
        self.told.show(f"<p role='status'>{text}</p>" if text else "")


def _pin_buttons(page, buttons, say):
    pins = page.pins
    pin = buttons.add("Pin these curves", "push_pin", act=lambda: page.pin() or say(_NOTHING))
    unpin = buttons.add("Unpin", "clear", act=pins.clear, visible=False)

    def follow(*events):
        pin.visible = page.said.step is None
        unpin.visible = bool(pins) and page.said.step is None
        say(_NOT_LINKED if pins and not page.links_pins else "")

    pins.watchers.append(follow)
    page.said.param.watch(follow, "step")
