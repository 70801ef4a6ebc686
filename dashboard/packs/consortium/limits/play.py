"""The ring of sites on the page: its user chooses who fails, or lets sites drop out one by one."""

from __future__ import annotations

from typing import Any

from dashboard.components.live_picture import LivePicture, faces
from dashboard.packs.consortium.limits import ring
from dashboard.packs.consortium.limits.model import MOST, Plan
from dashboard.sheet.spec import Live
from dashboard.shell.deferred import Deferred
from dashboard.theme import colours
from dashboard.theme.assets import beside

SHEET = f".limits {{ --cape: {colours.CAPE} }}" + faces.SHEET + beside(__file__, "ring.css")
_PACE = 1100  # Milliseconds between two sites that drop out.


class Ring(Live):
    """Which site does what, and a play in which sites drop out until CAPE no longer helps.

    Attributes
    ----------
    view : LivePicture
    """

    def __init__(self, page: Any):
        self._page = page
        self._plan: Plan | None = None
        self._roles: list[str] = []
        self._playing = self._dropping = False
        self._next = Deferred(self.drop, milliseconds=_PACE)
        self.view = LivePicture(sheet=SHEET, chosen=self._press)

    def show(self, plan: Plan) -> None:
        """Follow a plan; one that the play did not choose ends it."""
        if plan is not self._plan:
            self._plan = plan
            self._roles = ring.roles_of(plan.question, self._roles)
            self._playing = self._dropping and not ring.ended(plan, self._roles)
        drawn = ring.picture(plan, self._roles, playing=self._playing)
        if drawn != self.view.picture:
            self.view.picture = drawn

    def drop(self) -> None:
        """One more site drops out, and after a while the next, until the play ends or somebody changes a setting."""
        before = self._plan
        if self._playing and self._page.life.in_front:
            self._dropping = True
            try:
                self._take(ring.after_drop(self._roles))
            finally:
                self._dropping = False
        self._playing = self._playing and self._plan is not before
        if self._playing:
            self._next()
        elif self._plan is not None:
            self.show(self._plan)

    def _press(self, name, number):
        """Take what was chosen in the ring, if enough honest sites remain."""
        if self._plan is None:
            return
        asked = self._plan.question
        counts = {"colluders": asked.colluding, "silent": asked.dropouts}
        if name == "play":
            self._play(number)
        elif name == "site" and number < asked.sites:
            self._take(ring.after_press(self._roles, number))
        elif name in counts:
            counts[name] = min(number, MOST, asked.sites - 2 - sum(counts.values()) + counts[name])
            self._fail(counts)

    def _play(self, number):
        """Stop the play, begin it, or let all sites send again, as the button's number says."""
        was, self._playing = self._playing, number == 1
        if number == 1 and not was:
            self.drop()
        elif number == 0:
            self.show(self._plan)
        elif number == 2:
            self._take(ring.all_send(self._roles))

    def _take(self, roles):
        """Let each site do what its role says."""
        self._roles = roles
        self._fail({"colluders": roles.count(faces.COLLUDES), "silent": roles.count(faces.SILENT)})

    def _fail(self, counts):
        self._page.set(
            {"collusion": counts["colluders"] > 0, "silence": counts["silent"] > 0}
            | {key: count for key, count in counts.items() if count}
        )
