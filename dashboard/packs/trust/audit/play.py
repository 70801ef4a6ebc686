"""The attacker on the page: its user guesses too."""

from __future__ import annotations

from typing import Any

from dashboard.components.live_picture import LivePicture
from dashboard.packs.trust.audit.attacker import Turn, picture
from dashboard.packs.trust.audit.looks import finished, looks_of
from dashboard.packs.trust.audit.model import Plan
from dashboard.sheet.layout import CARDS
from dashboard.sheet.spec import Live
from dashboard.theme import colours
from dashboard.theme.assets import beside

_COLOURS = {
    "in": colours.SECOND_DATA,
    "out": colours.FIRST_DATA,
    "bad": colours.FORBIDDEN,
    "good": colours.GREEN,
}
SHEET = f".audit {{ {' '.join(f'--{name}: {c};' for name, c in _COLOURS.items())} }}" + beside(
    __file__, "attacker.css"
)


class Attack(Live):
    """The guesses of the attacker, and those of the page's user about further releases.

    Attributes
    ----------
    view : LivePicture
    """

    def __init__(self, page: Any):
        self._page = page
        self._turn = Turn()
        self._of: Plan | None = None  # What the guesses were about.
        self.view = LivePicture(sheet=CARDS + SHEET, chosen=self._press)

    def show(self, plan: Plan) -> None:
        """Show what stands; other releases begin a new game."""
        at, looks = self._standing()
        if at != self._of:
            self._of, self._turn = at, Turn()
        drawn = picture(at, looks, plays=self._page.plays, turn=self._turn)
        if drawn != self.view.picture:
            self.view.picture = drawn

    def _standing(self):
        standing = self._page.results.standing
        return standing.plan, looks_of(standing.plan, standing)

    def _press(self, name, number):
        """A guess about one release, or what every page's parts ask for."""
        if name != "guess":
            self._page.press(name, number)
        elif self._page.plan is not None:
            at, looks = self._standing()
            if finished(looks):
                self._turn = self._turn.after(at, looks[-1], says=number > 0)
                self.show(at)
