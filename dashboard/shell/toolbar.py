"""The toolbar above a picture: pin its curves, or hide the answer until a class has guessed it."""

from __future__ import annotations

import math

import panel as pn
import panel_material_ui as pmui

from dashboard.compat.widgets.light_component import LightComponent, Stack
from dashboard.components.buttons import Buttons
from dashboard.components.layout import FULL, LiveText
from dashboard.page.base import Page
from dashboard.plotting.guess import NAMES, GuessLayer
from dashboard.theme import css

_ROW = css.SCREEN + ":host { display: flex; flex-flow: row wrap; gap: 4px 8px; align-items: center }"
_NOTHING = "There is nothing to pin yet: no point of these settings has been computed."
_NOT_LINKED = (
    "Pinned. A link to this page does not hold pinned curves, since they took runs; a settings file does."
)


class FigureToolbar:
    """The toolbar of a page's picture.

    Attributes
    ----------
    buttons : Buttons
        Its buttons.
    view : viewable or None
        The toolbar; None if it has no action.
    layer : GuessLayer or None
        Shows the guesses on the main figure; None on a page whose answer cannot be guessed.
    """

    def __init__(self, page: Page):
        page.content()
        self._page = page
        self._said = LiveText(css.FINE)
        self.buttons, self._typed = Buttons(gap="4px 8px"), None
        if page.pins is not None:
            _pin_buttons(page, self.buttons, self._say)
        self.layer = None
        if page.guessable and (figures := page.figures()):
            self._main, self.layer = figures[0], GuessLayer(figures[0])
            self._guess_widgets()
        # Beside the buttons if there is room, otherwise below.
        self._said.pane.styles = {"flex": "1 1 300px"}
        self._row = Stack(self.buttons, self._said.pane, stylesheets=[_ROW], min_height=44, **FULL)
        self.view = self._row if self.buttons.buttons else None
        self._parts = [page.content()]
        self._veiled: list[tuple] = []

    def veil(self, *parts: pn.viewable.Viewable | None) -> None:
        """Hide these parts together with the answer, since they would reveal it."""
        self._parts += [part for part in parts if part is not None]

    @property
    def said(self) -> str:
        """The message beside the buttons, as HTML; "" for none."""
        return self._said.text

    @property
    def covered(self) -> bool:
        """Whether the answer is hidden."""
        return self.layer is not None and self.layer.covered

    def hide(self) -> None:
        """Cover the main figure, and hide everything else that reveals the answer."""
        if not self.covered:
            self.layer.cover(dark=self._page.dark)
            for part in _others(self._parts, self._main):
                self._veiled.append((part, part.styles))
                part.styles = {**part.styles, "display": "none"}
        self._follow()

    def reveal(self) -> None:
        """Show everything again, with the guesses beside the answer."""
        self.layer.reveal()
        if self._page.pins:
            self._page.pins.follow(self._page.settings_words())
        for part, were in self._veiled:
            part.styles = {**were, "display": None}
        self._veiled = []
        self._follow()

    def _guess_widgets(self):
        self._switch = self.buttons.add("", act=lambda: self.reveal() if self.covered else self.hide())
        self.layer.changed = self._follow
        page = self._page
        page.said.param.watch(self._follow, "words")
        page.controls.param.watch(self._forget, list(page.shared))
        if page.own:
            page.model.param.watch(self._forget, list(page.own))
        self._follow()

    def _offer_typing(self, answer):
        """The field for a typed guess; built when the answer is first hidden."""
        label = f"Your guess at {answer.where}" if answer.where else "Your guess"
        if self._typed is None:
            self._typed = pmui.TextInput(label=label, size="small", width=270, margin=(6, 0))
            self._typed.param.watch(self._take, "value")
            self._row.insert(1, self._typed)
        self._typed.label = label
        self._typed.visible = True

    def _take(self, event):
        """Take a typed guess, at the current settings."""
        if not event.new.strip():
            return
        try:
            height = float(event.new.replace(",", "."))
        except ValueError:
            height = math.nan
        answer = self._page.answer()
        if math.isfinite(height) and answer is not None:
            self.layer.put(answer.here, height)
            self._typed.value = ""
        else:
            self._say("A guess must be a number, for example 0.5 or 1e-6.")

    def _forget(self, *events):
        # Guesses were made for other settings; while the answer is hidden they are kept and judged later.
        if not self.covered and len(self.layer.guesses.data["x"]):
            self.layer.clear()

    def _follow(self, *events):
        covered, answer = self.covered, self._page.answer()
        self._switch.update(
            label="Reveal" if covered else "Hide the answer",
            icon="visibility" if covered else "visibility_off",
            look="contained" if covered else "text",
        )
        if covered and answer is not None:
            self._offer_typing(answer)
        elif self._typed is not None:
            self._typed.visible = False
        names = list(self.layer.guesses.data["name"])
        if not covered:
            told = "; ".join(self.layer.judge(answer))
            what = f"Guesses of {answer.what}: " if answer is not None else "Guesses: "
            self._say(f"{what}{told}." if names else "")
        else:
            what = (
                f"Where will {answer.what} be? Tap the picture"
                if answer
                else "Tap the picture to mark guesses"
            )
            count = f" ({len(names)} of {len(NAMES)} guesses)" if names else ""
            self._say(f"Hidden. {what}{count}.")

    def _say(self, text):
        self._said.show(f"<p role='status'>{text}</p>" if text else "")


def _others(parts, main):
    """The `parts` that are neither the main figure, nor contain it, nor are controls."""
    for part in parts:
        holds = bool(part.select(lambda one: getattr(one, "object", None) is main))
        if holds and isinstance(part, pn.layout.base.ListLike):
            yield from _others(part.objects, main)
        elif not holds and not isinstance(part, pn.widgets.WidgetBase | LightComponent):
            yield part


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
