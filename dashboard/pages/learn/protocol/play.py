"""The play on the page: it shows the plan, and what its user does there becomes a setting."""

from __future__ import annotations

from typing import Any

from core.privacy import gdp_epsilon
from dashboard.components.protocol_play import STEPS, ProtocolPlay
from dashboard.guarantee.guarantee import views
from dashboard.pages.learn.protocol.model import ProtocolPlan
from dashboard.pages.learn.protocol.scene import without_last
from dashboard.pages.learn.protocol.text import learnt
from dashboard.problems.protocol import MOST_BATCHES, played
from dashboard.sheet.spec import Live
from dashboard.state import seeds


class Playing(Live):
    """The play of the page's first run.

    Attributes
    ----------
    view : ProtocolPlay
    """

    def __init__(self, page: Any):
        self._page, model = page, page.model
        self._shown: ProtocolPlan | None = None
        self._rests = (
            False  # Whether both bells stand before the play, too: somebody has moved the slider there.
        )
        self._slid: tuple[int, int] | None = None  # Where the play has slid the noise, and where it will end.
        self.view = ProtocolPlay(
            step=model.step,
            slider=model.param.share.label,
            on_more=self._further,
            on_new_noise=self._new_noise,
            on_share=self._slide,
        )
        self.view.param.watch(lambda event: setattr(model, "step", event.new), "step")
        page.state.param.watch(self._end_at, "step")

    def show(self, plan: ProtocolPlan) -> None:
        """Play the run of a plan.

        Where the plan's step is not that of the play, a link, a slide or an example asks for it, and what was moved
        before counts no more.
        """
        if plan.step != self.view.step:
            self._rests = False
        elif self._moved(plan):
            self._rests = True
        self._shown = plan
        self.view.param.update(run=story(plan) | {"rests": self._rests}, step=plan.step)

    def closed(self) -> None:
        """The page leaves the front: a slide of the play that is not over ends where it began."""
        if self._slid is not None and self._slid[0] == self._page.model.share:
            self._page.model.share = self._slid[1]
        self._slid = None

    def _moved(self, plan):
        """Whether somebody has moved the slider of the noise, and not the play itself."""
        own = self._slid is not None and plan.share == self._slid[0]
        return self._shown is not None and plan.share != self._shown.share and not own

    def _further(self):
        self._page.model.batches = min(self._page.model.batches + 1, MOST_BATCHES)

    def _new_noise(self):
        self._page.controls.noise_seed = seeds.next_seed(self._page.controls.noise_seed)

    def _end_at(self, event):
        """On a slide, Play ends at the slide's own step; the first shows the values and plays the next."""
        self.view.ends = max(2, event.new.values["step"]) if event.new else len(STEPS)

    def _slide(self, share, home):
        self._slid = share, home
        self._page.model.share = share


def story(plan: ProtocolPlan) -> dict[str, Any]:
    """What the play draws and says of a plan; the share of zero-sum noise can be changed, so everything keeps its scale."""
    _, mu, _ = views("cape", plan.privacy, colluding=0, **plan.law)
    learns = learnt(aggregator=gdp_epsilon(plan.settings.delta, mu), target=plan.settings.epsilon)
    told = played(plan.run, most=plan.most)
    told |= {"learns": learns, "room": plan.room, "reach": plan.room["errors"], "order": ""}
    return told if plan.dropout is None else told | without_last(told, plan, plan.dropout)
