"""The parts that a page is made of: its figures, its words, its guarantee, its table.

Each is a function that a page writes. Three it must write (`body`, `draw`, `words`); the others it may leave as they
are: a page without further figures, say, has no `more`.
"""

from __future__ import annotations

import abc
from collections.abc import Iterable
from typing import Any

import panel as pn

from dashboard.components.live_picture import LivePicture
from dashboard.page.guarantee import Guarantee, Unprotected
from dashboard.page.played import Reached
from dashboard.state.ledger import Drawn


class Parts(abc.ABC):
    """What a page draws, says and hands out."""

    model: Any

    @abc.abstractmethod
    def body(self) -> pn.viewable.Viewable:
        """Build the main figure and everything else that `draw` updates; called once, before any `draw`."""

    @abc.abstractmethod
    def draw(self, picture) -> None:
        """Show a picture by updating the figures in place."""

    def draw_more(self, picture) -> None:
        """Update the further figures; called shortly after `draw`, with the latest picture."""
        return None

    def settled(self, picture) -> bool:
        """Whether everything in the main picture, as drawn, is of this picture's settings; else it stays pale."""
        return True

    def arrived(self) -> bool:
        """Whether a playing slider may go on: everything above the fold is of the latest plan."""
        return self.runs.state != "running"

    @abc.abstractmethod
    def words(self, picture) -> str:
        """Two sentences, in HTML, that state what the picture shows; they change with it."""

    def reached(self, picture) -> Reached | None:
        """Which schemes reach what the page asks about, for the sentence after a play; None while it is not known."""
        return None

    def before(self) -> pn.viewable.Viewable | None:
        """The part of the page above the primary slider."""
        return None

    def above_slider(self) -> LivePicture | None:
        """A question above the primary slider, in a lecture, too."""
        return None

    def above_settings(self) -> pn.viewable.Viewable | None:
        """The part of the page above its settings."""
        return None

    def below_settings(self) -> pn.viewable.Viewable | None:
        """The part of the page below its settings."""
        return None

    def still(self) -> str:
        """HTML of a main figure that is no Bokeh figure, for the first picture."""
        return ""

    def more(self) -> pn.viewable.Viewable | None:
        """Further figures, below the text."""
        return None

    def after(self) -> pn.viewable.Viewable | None:
        """The part of the page below everything else."""
        return None

    def absent(self, plan) -> list[str]:
        """Names of controls that have no effect under this plan."""
        return []

    def most(self, plan) -> dict[str, int]:
        """The largest values that the records of this plan allow, by the name of the control."""
        return {}

    def guarantee(self, picture) -> Guarantee | None:
        """The privacy guarantee of this picture."""
        return None

    def unprotected(self, picture) -> tuple[Unprotected, ...]:
        """Everything that this picture shows of records without noise; "Not private here" lists it.

        This includes records, ranges, centres, and choices that depend on them. Besides these, a picture may show
        only releases of the records.
        """
        return ()

    def releases(self, picture) -> Iterable[Drawn]:
        """Every draw of private noise that this picture shows, for the session's ledger.

        A page without releases states the reason in `no_release`.
        """
        return ()
