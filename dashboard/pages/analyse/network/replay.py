"""The training once more: its states are kept, and a slider with a *Play* button goes through them."""

from __future__ import annotations

from collections.abc import Callable

import param

from dashboard.components.control_panel import ControlPanel
from dashboard.pages.analyse.network.model import CHUNKS, Plan, Watched

_PAUSE = 150  # Milliseconds between two steps that a moving slider asks for.


class Replay(param.Parameterized):
    """What was seen of a training of every scheme, and the step that is shown.

    Parameters
    ----------
    chosen : callable
        Called when the user chooses another step.
    """

    step = param.Integer(
        1, bounds=(1, 1), label="Training step", doc="Play the training again, or drag to any of its steps."
    )

    def __init__(self, chosen: Callable[[], None]):
        super().__init__()
        self._chosen, self._follows = chosen, False
        self._seen: dict[str, list[Watched]] = {}
        self.view = ControlPanel([(self, "step")], live=True, pause=_PAUSE, play=True, begins=0.0)
        self.param.watch(self._moved, "step")

    def begin(self, plan: Plan) -> None:
        """Forget the training before; its steps are those of `plan`."""
        self._seen = {}
        stride = max(1, round(plan.steps / CHUNKS))
        slider = self.param.step
        slider.step = stride
        # The slider reaches its end in whole strides.
        self._put(bounds=(plan.steps - stride * ((plan.steps - 1) // stride), plan.steps), step=plan.steps)

    def add(self, name: str, found: Watched) -> None:
        """Keep a state; the slider goes to the latest."""
        self._seen.setdefault(name, []).append(found)
        self._put(step=self._nearest(found.step.number))

    def at(self) -> dict[str, Watched]:
        """For every scheme the last state up to the step that is shown, or its first."""
        return {
            name: next((one for one in reversed(states) if one.step.number <= self.step), states[0])
            for name, states in self._seen.items()
        }

    def clear(self) -> None:
        """Forget everything."""
        self._seen = {}

    def _nearest(self, number):
        """The smallest place of the slider from which the state of a step is shown."""
        (low, high), stride = self.param.step.bounds, self.param.step.step or 1
        return min(high, low + stride * -(-max(0, number - low) // stride))

    def _put(self, *, step, bounds=None):
        self._follows = True
        try:
            if bounds is not None:
                self.param.step.bounds = bounds
            self.step = step
        finally:
            self._follows = False

    def _moved(self, event):
        if not self._follows:
            self._chosen()
